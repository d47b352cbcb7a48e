//! Which scenarios cover a requirement, as the last reviewed run of everything has shown it.
//!
//! A scenario names what it is about; most cover much more. What really does is known when all have run, and then stands in
//! `golden/PROTOCOL/catalogue.snap`, which a test compares with what runs show. The program carries those files along.

use kit::{Protocol, Requirement};

/// The reviewed catalogue of each protocol, by its name.
const CATALOGUES: [(&str, &str); 5] = [
    ("fte", include_str!("../../../golden/fte/catalogue.snap")),
    ("fitz666", include_str!("../../../golden/fitz666/catalogue.snap")),
    ("nvs", include_str!("../../../golden/nvs/catalogue.snap")),
    ("r1q2", include_str!("../../../golden/r1q2/catalogue.snap")),
    ("pygg2", include_str!("../../../golden/pygg2/catalogue.snap")),
];

/// A scenario: its id, and the profiles that it runs with.
pub type Scenario<'a> = (&'a str, Vec<&'a str>);

/// Those of `scenarios` that cover `requirement`, in their order; `None` where no catalogue tells.
pub fn covering<'a>(
    protocol: &Protocol,
    requirement: &Requirement,
    scenarios: &[Scenario<'a>],
) -> Option<Vec<&'a str>> {
    let (_, text) = CATALOGUES.iter().find(|(name, _)| *name == protocol.name)?;
    let words = tested_by(text, requirement.id)?;
    let could = scenarios.iter().filter(|(id, profiles)| {
        id.starts_with(protocol.name) && profiles.iter().any(|profile| requirement.applies_to(profile))
    });
    let is_named = |id: &str| words.iter().any(|word| id.rsplit_once('/').map_or(id, |(_, name)| name) == *word);
    let covers = |id: &str| match words.as_slice() {
        ["nothing"] => false,
        ["all"] => true,
        ["all", "but", ..] => !is_named(id),
        _ => is_named(id),
    };
    Some(could.map(|(id, _)| *id).filter(|id| covers(id)).collect())
}

/// The words after `tested by` of a requirement, which may stand on several lines.
fn tested_by<'a>(text: &'a str, id: &str) -> Option<Vec<&'a str>> {
    let head = |line: &&str| line.strip_prefix(id).is_some_and(|rest| rest.starts_with(' '));
    let mut lines = text.lines().skip_while(|line| !head(line)).skip(1).take_while(|line| line.starts_with(' '));
    let first = lines.find_map(|line| line.trim_start().strip_prefix("tested by"))?;
    // A line without a label of its own goes on.
    let more = lines.take_while(|line| line.starts_with("             "));
    Some(first.split_whitespace().chain(more.flat_map(str::split_whitespace)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::PROTOCOLS;

    const TEXT: &str = "\
FTE-A-01 MUST, client, fte-qw
  tested by   all but one two
              three
  checks      some
FTE-A-010 MUST, client, fte-qw
  untestable  there is no clock
  checks      none
";

    #[test]
    fn the_words_of_a_requirement_go_on_over_lines_and_end_with_it() {
        assert_eq!(tested_by(TEXT, "FTE-A-01"), Some(vec!["all", "but", "one", "two", "three"]));
        assert_eq!(tested_by(TEXT, "FTE-A-010"), None);
        assert_eq!(tested_by(TEXT, "FTE-A-02"), None);
    }

    #[test]
    fn every_requirement_that_can_be_tested_stands_in_the_catalogue_of_its_protocol() {
        for protocol in PROTOCOLS {
            for requirement in protocol.requirements.iter().filter(|it| it.untestable.is_none()) {
                assert!(covering(protocol, requirement, &[]).is_some(), "{}", requirement.id);
            }
        }
    }

    #[test]
    fn a_scenario_covers_what_the_catalogue_says_and_only_where_the_requirement_binds() {
        let fte = PROTOCOLS.iter().find(|protocol| protocol.name == "fte").expect("is registered");
        let of = |id: &str| fte.requirements.iter().find(|it| it.id == id).expect("a requirement");
        let scenarios = [
            ("fte/numbers-plain", vec!["fte-qw"]),
            ("fte/storm", vec!["fte-nq", "fte-qw"]),
            ("nvs/storm", vec!["nvs"]),
        ];
        assert_eq!(covering(fte, of("FTE-HS-01"), &scenarios), Some(vec!["fte/numbers-plain", "fte/storm"]));
        assert_eq!(covering(fte, of("FTE-HS-04"), &scenarios), Some(vec!["fte/storm"]));
        assert_eq!(covering(fte, of("FTE-HS-06"), &scenarios), Some(vec![]));
        assert_eq!(covering(fte, of("FTE-HS-07"), &scenarios[..1]), Some(vec![]), "binds fte-nq only");
    }
}
