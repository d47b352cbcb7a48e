//! The checksum of a map: a QuakeWorld client must know it before a server lets it in, and one of Quake II compares its own with the
//! server's.

use md4::{Digest, Md4};

/// The versions of map files: Quake, Half-Life, and the two with wide indices.
const VERSIONS: [[u8; 4]; 4] = [[29, 0, 0, 0], [30, 0, 0, 0], *b"BSP2", *b"2PSB"];
/// Lumps in a map file, each an offset and a length after the version.
const LUMPS: usize = 15;
/// Lumps that programs may change without changing the map: entities, visibility, nodes, leafs.
const LEFT_OUT: [usize; 4] = [0, 4, 5, 10];

/// How a map of Quake II begins: its letters, and version 38.
const QUAKE2: [u8; 8] = *b"IBSP\x26\0\0\0";

/// The checksum of the map in `file`, as configstring 31 of a Quake II server carries it: the words of its MD4, combined.
///
/// # Errors
/// It is no map file of Quake II.
pub fn quake2_checksum(file: &[u8]) -> Result<u32, String> {
    match file.starts_with(&QUAKE2) {
        true => Ok(combined(file)),
        false => Err(String::from("no map file of Quake II: give the .bsp of the map that the clients have")),
    }
}

/// The words of the MD4 of some bytes, combined.
fn combined(bytes: &[u8]) -> u32 {
    let digest: [u8; 16] = Md4::digest(bytes).into();
    let (words, _) = digest.as_chunks::<4>();
    words.iter().fold(0, |sum, word| sum ^ u32::from_le_bytes(*word))
}

/// The second checksum of the map in `file`, as `prespawn` carries it: of each lump the words of its MD4, all combined.
///
/// # Errors
/// It is no map file, or cut short.
pub fn checksum(file: &[u8]) -> Result<u32, String> {
    let word = |at: usize| file.get(at..).and_then(|rest| rest.first_chunk::<4>()).copied();
    let version = word(0).ok_or("too short for a map file")?;
    if !VERSIONS.contains(&version) {
        return Err(String::from("no map file of Quake: give the .bsp of the map that the server runs"));
    }
    let mut sum = 0;
    for lump in (0..LUMPS).filter(|lump| !LEFT_OUT.contains(lump)) {
        let number = |at: usize| word(at).map(|bytes| u32::from_le_bytes(bytes) as usize);
        let entry = 4 + 8 * lump;
        let bytes = number(entry)
            .zip(number(entry + 4))
            .and_then(|(offset, length)| file.get(offset..offset.checked_add(length)?))
            .ok_or_else(|| format!("the map file is cut short: lump {lump} lies beyond its end"))?;
        sum ^= combined(bytes);
    }
    Ok(sum)
}

/// The second checksum that a server names when it refuses a client for another: `… 0 != 0X7DBA0D07/0X6834D7AA`, of which the
/// last is the one that `prespawn` carries.
pub fn named(said: &str) -> Option<u32> {
    let (_, theirs) = said.split_once(" != ")?;
    let theirs = theirs.split_whitespace().next()?.trim_end_matches(['.', ',', ')']);
    let last = theirs.rsplit('/').next()?;
    match last.strip_prefix("0x").or_else(|| last.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => last.parse::<i64>().ok().filter(|it| (i64::from(i32::MIN)..1 << 32).contains(it)).map(|it| it as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map with `abc` in one lump, and nothing in the others.
    fn map(lump: usize) -> Vec<u8> {
        let mut file = vec![29, 0, 0, 0];
        let end = 4 + 8 * LUMPS as u32;
        for index in 0..LUMPS {
            file.extend(end.to_le_bytes());
            file.extend(if index == lump { 3_u32 } else { 0 }.to_le_bytes());
        }
        file.extend(b"abc");
        file
    }

    #[test]
    fn lumps_are_summed_but_for_those_that_tools_change() {
        // RFC 1320, A.5: MD4 of "abc" is a448017aaf21d8525fc10ae87aa6729d, that of nothing stands in ten lumps and cancels.
        assert_eq!(checksum(&map(1)), Ok(0x5da1_0e2e));
        // MD4 of nothing is 31d6cfe0d16ae931b73c59d7e0c089c0: eleven times.
        let nothing = 0xe0cf_d631 ^ 0x31e9_6ad1_u32 ^ 0xd759_3cb7 ^ 0xc089_c0e0;
        for lump in LEFT_OUT {
            assert_eq!(checksum(&map(lump)), Ok(nothing));
        }
    }

    #[test]
    fn a_map_of_quake_2_is_summed_whole() {
        // The MD4 of these eight bytes is 2eeda09bbc62626b97fffc2a5e301507, says `openssl dgst -md4 -provider legacy`.
        assert_eq!(quake2_checksum(&QUAKE2), Ok(0xdd2b_405b));
        assert!(quake2_checksum(&map(1)).unwrap_err().starts_with("no map file of Quake II"));
    }

    #[test]
    fn a_server_names_its_checksum_when_it_refuses_another() {
        let said = "Map model file does not match (maps/start.bsp), 0 != 0X7DBA0D07/0X6834D7AA.";
        assert_eq!(named(said), Some(0x6834_d7aa));
        assert_eq!(named("Map model file does not match (maps/e1m1.bsp), 5 != -1417581226"), Some(0xab81_6d56));
        assert_eq!(named("Server is full."), None);
        assert_eq!(named("1 != one"), None);
    }

    #[test]
    fn what_is_no_map_is_refused() {
        assert_eq!(checksum(b"PK").unwrap_err(), "too short for a map file");
        assert!(checksum(b"PACK1234").unwrap_err().starts_with("no map file of Quake"));
        let cut = &map(14)[..124];
        assert_eq!(checksum(cut).unwrap_err(), "the map file is cut short: lump 14 lies beyond its end");
    }
}
