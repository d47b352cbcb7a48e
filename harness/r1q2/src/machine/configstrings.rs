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
/// Configstrings: the map's name, and how many clients there may be.
const CS_NAME: u16 = 0;
const CS_MAXCLIENTS: u16 = 30;

/// The configstrings of a map before anybody changes them, for so many clients; nothing is left of those of the map before.
pub fn configstrings(clients: u16, _: Vec<ConfigString>) -> Vec<ConfigString> {
    let mut list = vec![(CS_NAME, b"proof".to_vec()), (CS_MAXCLIENTS, clients.to_string().into_bytes())];
    list.push((CS_MODELS + 1, b"maps/proof.bsp".to_vec()));
    for name in 2..NAMES {
        list.push((CS_MODELS + name, format!("models/proof/thing{name}/tris.md2").into_bytes()));
    }
    list.extend((1..NAMES).map(|name| (CS_SOUNDS + name, format!("proof/sound{name}.wav").into_bytes())));
    list.extend((1..NAMES).map(|name| (CS_IMAGES + name, format!("proof_picture{name}").into_bytes())));
    list.extend((0..clients.min(MAX_SKINS)).map(|client| (CS_PLAYERSKINS + client, b"player\\male/grunt".to_vec())));
    list
}

/// Players that have a configstring.
const MAX_SKINS: u16 = 256;
