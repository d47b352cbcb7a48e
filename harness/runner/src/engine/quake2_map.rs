//! A map for Quake II's engines (format 38), ours from the first byte: one room without walls, in which everything sees everything.

use super::lump::{Lump, whole};

/// The version of the format.
const VERSION: i32 = 38;
/// Lumps in a file, each an offset and a length behind the version.
const LUMPS: usize = 19;
/// As far as anything can be, in units.
const FAR: i16 = 4096;
/// The contents of what nothing can be in.
const SOLID: i32 = 1;
/// How deep the floor is, below everything.
const FLOOR: [f32; 2] = [-8192.0, -8128.0];

const ENTITIES: usize = 0;
const PLANES: usize = 1;
const VERTICES: usize = 2;
const VISIBILITY: usize = 3;
const NODES: usize = 4;
const TEXTURES: usize = 5;
const LEAVES: usize = 8;
const LEAF_BRUSHES: usize = 10;
const EDGES: usize = 11;
const FACE_EDGES: usize = 12;
const MODELS: usize = 13;
const BRUSHES: usize = 14;
const BRUSH_SIDES: usize = 15;
const AREAS: usize = 17;
const PORTALS: usize = 18;

impl Lump {
    /// A leaf: its contents, cluster and area, and its one brush, if it has one.
    fn leaf(self, contents: i32, cluster: i16, area: i16, brushes: i16) -> Lump {
        let least_and_most = [-FAR, -FAR, -FAR, FAR, FAR, FAR];
        self.ints(&[contents]).shorts(&[cluster, area]).shorts(&least_and_most).shorts(&[0, 0, 0, brushes])
    }

    /// A plane across an axis.
    fn plane(self, axis: usize, sign: f32, distance: f32) -> Lump {
        let mut normal = [0.0; 3];
        normal[axis] = sign;
        self.floats(&normal).floats(&[distance]).ints(&[axis as i32])
    }
}

/// The file of a map with this message.
pub fn file(message: &str) -> Vec<u8> {
    let far = f32::from(FAR);
    let mut lumps: [Lump; LUMPS] = std::array::from_fn(|_| Lump::default());
    let mut put = |place: usize, lump: Lump| lumps[place] = lump;
    let entities = format!(
        "{{\n\"classname\" \"worldspawn\"\n\"message\" \"{message}\"\n}}\n{{\n\"classname\" \"info_player_start\"\n\"origin\" \"0 0 0\"\n}}\n"
    );
    put(ENTITIES, Lump::default().text(&entities, entities.len() + 1));
    // The first divides the room, whose halves are one cluster; the others are the floor's sides.
    let sides = [(0, far), (1, far), (2, FLOOR[1]), (0, far), (1, far), (2, -FLOOR[0])];
    let planes = sides.iter().enumerate().fold(Lump::default().plane(2, 1.0, 0.0), |planes, (index, &(axis, at))| {
        planes.plane(axis, if index < 3 { 1.0 } else { -1.0 }, at)
    });
    put(PLANES, planes);
    put(VERTICES, Lump::default().floats(&[0.0; 3]));
    // One cluster, where its two rows begin, and that it sees and hears itself.
    put(VISIBILITY, Lump(Lump::default().ints(&[1, 12, 13]).0.into_iter().chain([1, 1]).collect()));
    let bounds = [-FAR, -FAR, -FAR, FAR, FAR, FAR];
    put(NODES, Lump::default().ints(&[0, -2, -3]).shorts(&bounds).shorts(&[0, 0]));
    let texture = Lump::default().floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]).ints(&[0, 0]);
    put(TEXTURES, texture.text("proof/floor", 32).ints(&[-1]));
    // Outside of the map, the two halves, and the floor.
    put(LEAVES, Lump::default().leaf(SOLID, -1, 0, 0).leaf(0, 0, 1, 0).leaf(0, 0, 1, 0).leaf(SOLID, -1, 0, 1));
    put(LEAF_BRUSHES, Lump::default().shorts(&[0]));
    put(EDGES, Lump::default().shorts(&[0; 4]));
    put(FACE_EDGES, Lump::default().ints(&[0]));
    put(MODELS, Lump::default().floats(&[-far, -far, -far, far, far, far, 0.0, 0.0, 0.0]).ints(&[0, 0, 0]));
    put(BRUSHES, Lump::default().ints(&[0, 6, SOLID]));
    put(BRUSH_SIDES, (1..=6).fold(Lump::default(), |sides, plane| sides.shorts(&[plane, 0])));
    put(AREAS, Lump::default().ints(&[0; 4]));
    put(PORTALS, Lump::default().ints(&[0; 2]));
    whole(Lump::default().text("IBSP", 4).ints(&[VERSION]), &lumps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lump_is_whole_entries_and_lies_in_the_file() {
        let file = file("a \"room\"");
        let int = |at: usize| file[at..at + 4].iter().rev().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        assert_eq!((&file[..4], int(4)), (b"IBSP".as_slice(), 38));
        let sizes = [1, 20, 12, 1, 28, 76, 20, 1, 28, 2, 2, 4, 4, 48, 12, 4, 1, 8, 8];
        for (lump, size) in sizes.into_iter().enumerate() {
            let (offset, length) = (int(8 + 8 * lump), int(12 + 8 * lump));
            assert!(offset % 4 == 0 && offset + length <= file.len(), "{lump}");
            assert_eq!(length % size, 0, "{lump}");
        }
        // All that can be seen is in one cluster: no leaf but those outside of the map has another.
        let (leaves, length) = (int(8 + 8 * LEAVES), int(12 + 8 * LEAVES));
        let clusters: Vec<u8> = file[leaves..leaves + length].chunks(28).map(|leaf| leaf[4]).collect();
        assert_eq!(clusters, [255, 0, 0, 255]);
    }
}
