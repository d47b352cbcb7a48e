//! A map for Quake's engines (version 29), ours from the first byte: one room without walls, in which everything sees everything,
//! and bodies of it that are there for their numbers alone.

use super::lump::{Lump, whole};

/// The version of the format.
const VERSION: i32 = 29;
/// Lumps in a file, each an offset and a length behind the version.
const LUMPS: usize = 15;
/// As far as anything can be, in units.
const FAR: i16 = 4096;
/// What is in a leaf, or behind a plane.
const EMPTY: i16 = -1;
const SOLID: i16 = -2;

const ENTITIES: usize = 0;
const PLANES: usize = 1;
const TEXTURES: usize = 2;
const VERTICES: usize = 3;
const NODES: usize = 5;
const TEXTURE_INFO: usize = 6;
const FACES: usize = 7;
const CLIP_NODES: usize = 9;
const LEAVES: usize = 10;
const EDGES: usize = 12;
const FACE_EDGES: usize = 13;
const MODELS: usize = 14;
/// Pixels of the one texture along a side.
const SIDE: i32 = 16;

/// One more leaf, with these contents.
fn leaf(leaves: Lump, contents: i16) -> Lump {
    leaves.ints(&[contents.into(), -1]).shorts(&[-FAR, -FAR, -FAR, FAR, FAR, FAR, 0, 0]).ints(&[0])
}

/// The texture, at four sizes.
fn textures() -> Lump {
    let sizes = [0, 1, 2, 3].map(|level| (SIDE >> level) * (SIDE >> level));
    let offsets = [0, 1, 2, 3].map(|level| 40 + sizes.iter().take(level).sum::<i32>());
    let mut lump = Lump::default().ints(&[1, 8]).text("wall", 16).ints(&[SIDE, SIDE]).ints(&offsets);
    lump.0.resize(lump.0.len() + sizes.iter().sum::<i32>() as usize, 8);
    lump
}

/// The file of a map with this message, and with so many models beside itself, `*1` and so on.
pub fn file(message: &str, models: usize) -> Vec<u8> {
    let far = f32::from(FAR);
    let mut lumps: [Lump; LUMPS] = std::array::from_fn(|_| Lump::default());
    let mut put = |place: usize, lump: Lump| lumps[place] = lump;
    let entities = format!("{{\n\"classname\" \"worldspawn\"\n\"message\" \"{message}\"\n}}\n\0");
    put(ENTITIES, Lump(entities.into_bytes()));
    // It divides the room, of which both halves are the same.
    put(PLANES, Lump::default().floats(&[0.0, 0.0, 1.0, 0.0]).ints(&[2]));
    put(TEXTURES, textures());
    // One face, as there are engines that divide by how many there are.
    let side = SIDE as f32;
    put(VERTICES, Lump::default().floats(&[0.0, 0.0, 0.0, side, 0.0, 0.0, side, side, 0.0, 0.0, side, 0.0]));
    put(FACES, Lump::default().shorts(&[0, 0]).ints(&[0]).shorts(&[4, 0]).ints(&[-1, -1]));
    put(NODES, Lump::default().ints(&[0]).shorts(&[-2, -3, -FAR, -FAR, -FAR, FAR, FAR, FAR, 0, 0]));
    put(TEXTURE_INFO, Lump::default().floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]).ints(&[0, 0]));
    put(CLIP_NODES, Lump::default().ints(&[0]).shorts(&[EMPTY, EMPTY]));
    put(LEAVES, [SOLID, EMPTY, EMPTY].into_iter().fold(Lump::default(), leaf));
    // The first edge is nobody's: which way round an edge is used is the sign of its number.
    put(EDGES, Lump::default().shorts(&[0, 0, 0, 1, 1, 2, 2, 3, 3, 0]));
    put(FACE_EDGES, Lump::default().ints(&[1, 2, 3, 4]));
    let model = |lump: Lump, faces: i32| {
        let bounds = [-far, -far, -far, far, far, far, 0.0, 0.0, 0.0];
        lump.floats(&bounds).ints(&[0, 0, 0, 0, 2, 0, faces])
    };
    put(MODELS, (1..=models).fold(model(Lump::default(), 1), |lump, _| model(lump, 0)));
    whole(Lump::default().ints(&[VERSION]), &lumps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lump_is_whole_entries_and_lies_in_the_file() {
        let file = file("a room", 3);
        let int = |at: usize| file[at..at + 4].iter().rev().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        assert_eq!(int(0), 29);
        let sizes = [1, 20, 1, 12, 1, 24, 40, 20, 1, 8, 28, 2, 4, 4, 64];
        for (lump, size) in sizes.into_iter().enumerate() {
            let (offset, length) = (int(4 + 8 * lump), int(8 + 8 * lump));
            assert!(offset % 4 == 0 && offset + length <= file.len(), "{lump}");
            assert_eq!(length % size, 0, "{lump}");
        }
        assert_eq!(int(8 + 8 * MODELS), 4 * 64);
    }
}
