//! The configstrings of a map before a scenario changes them.

/// One: its index and its text.
pub type ConfigString = (u16, Vec<u8>);

/// Models, sounds and images that every map names.
const NAMES: u16 = 12;
/// Where the names of models, sounds and images begin, and of players.
const CS_MODELS: u16 = 32;
const CS_SOUNDS: u16 = 288;
const CS_IMAGES: u16 = 544;
const CS_PLAYERSKINS: u16 = 1312;
/// Configstrings: the map's name, how many clients there may be, and the checksum of the map's file.
const CS_NAME: u16 = 0;
const CS_MAXCLIENTS: u16 = 30;
const CS_MAPCHECKSUM: u16 = 31;

/// What a server says of the map that it runs.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its name, as in `maps/NAME.bsp`.
    pub name: String,
    /// The checksum of its file, which clients compare with their own; 0 for none.
    pub checksum: u32,
    /// How many clients there may be.
    pub clients: u16,
}

/// The configstrings of a map before anybody changes them; nothing is left of those of the map before.
pub fn configstrings(level: &Level, _: Vec<ConfigString>) -> Vec<ConfigString> {
    let Level { name, checksum, clients } = level;
    let mut list = vec![(CS_NAME, name.clone().into_bytes()), (CS_MAXCLIENTS, clients.to_string().into_bytes())];
    if *checksum != 0 {
        // Engines write and read it as a signed number.
        list.push((CS_MAPCHECKSUM, (*checksum as i32).to_string().into_bytes()));
    }
    list.push((CS_MODELS + 1, format!("maps/{name}.bsp").into_bytes()));
    for name in 2..NAMES {
        list.push((CS_MODELS + name, format!("models/proof/thing{name}/tris.md2").into_bytes()));
    }
    list.extend((1..NAMES).map(|name| (CS_SOUNDS + name, format!("proof/sound{name}.wav").into_bytes())));
    list.extend((1..NAMES).map(|name| (CS_IMAGES + name, format!("proof_picture{name}").into_bytes())));
    list.extend((0..(*clients).min(MAX_SKINS)).map(|client| (CS_PLAYERSKINS + client, b"player\\male/grunt".to_vec())));
    list
}

/// Players that have a configstring.
const MAX_SKINS: u16 = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_ones_own_is_announced_with_its_name_and_its_checksum() {
        let level = |checksum| Level { name: String::from("arena"), checksum, clients: 1 };
        let all = configstrings(&level(0xdd2b_405b), Vec::new());
        assert!(all.is_sorted());
        for (index, text) in [(CS_NAME, "arena"), (CS_MAPCHECKSUM, "-584368037"), (CS_MODELS + 1, "maps/arena.bsp")] {
            assert!(all.contains(&(index, text.into())), "{index}");
        }
        assert!(!configstrings(&level(0), Vec::new()).iter().any(|(index, _)| *index == CS_MAPCHECKSUM));
    }
}
