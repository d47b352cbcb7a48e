//! How much of what can be wrong the wire alone shows: the reviewed kill rate of an oracle that receives no command to the server.

/// The table that `cargo test` keeps: of each profile the mutants, and last in the row those that are killed blind.
const TABLE: &str = include_str!("../../../../golden/kills.snap");

/// Of the mutants of a profile, how many an oracle that sees the wire alone finds: killed, all.
pub fn killed_blind(profile: &str) -> Option<(u32, u32)> {
    let row = TABLE.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(profile)).then_some(words)
    })?;
    let numbers: Vec<u32> = row.filter_map(|word| word.parse().ok()).collect();
    Some((*numbers.last()?, *numbers.first()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::PROTOCOLS;

    #[test]
    fn every_profile_has_a_rate() {
        for protocol in PROTOCOLS {
            let mutants = protocol.mutants().count() as u32;
            for profile in protocol.profiles {
                let (killed, all) = killed_blind(profile.name).expect(profile.name);
                assert!(0 < killed && killed <= all, "{}: {killed} of {all}", profile.name);
                assert!((mutants / 2..=mutants).contains(&all), "{}: {all} of {mutants}", profile.name);
            }
        }
        assert_eq!(killed_blind("quake3"), None);
    }
}
