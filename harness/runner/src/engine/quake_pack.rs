//! What Quake's engines want beside maps and game code, made from nothing: an archive, what is drawn with, a model.

use super::lump::Lump;
use super::map::{ENTRY, NAME, PACK};

/// Without the registered game's files an engine takes only the archive of the free episode, which it knows by these two numbers: of
/// entries, and the check of their table.
const ENTRIES: usize = 339;
const CHECK: u16 = 32981;
/// Where two bytes of the last entry's name stand that nobody reads.
const FREE: usize = 54;

/// CRC of 16 bits with the polynomial 0x1021, the highest bit first.
fn crc(bytes: &[u8], begin: u16) -> u16 {
    bytes.iter().fold(begin, |value, byte| {
        (0..8).fold(value ^ u16::from(*byte) << 8, |value, _| value << 1 ^ if value & 0x8000 != 0 { 0x1021 } else { 0 })
    })
}

/// An archive of these files, filled up with empty ones; two bytes that nobody reads make the check right.
pub fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let fillers = (0..ENTRIES.saturating_sub(files.len())).map(|number| (format!("filler/{number}"), Vec::new()));
    let (mut body, mut table) = (Vec::new(), Vec::new());
    for (name, bytes) in files.iter().cloned().chain(fillers) {
        let mut entry = name.into_bytes();
        entry.resize(NAME, 0);
        entry.extend((12 + body.len() as u32).to_le_bytes());
        entry.extend((bytes.len() as u32).to_le_bytes());
        table.extend(entry);
        body.extend(bytes);
    }
    let place = table.len() - ENTRY + FREE;
    let before = crc(&table[..place], 0xffff);
    let after = &table[place + 2..];
    let free = (0..=u16::MAX).map(u16::to_le_bytes).find(|free| crc(after, crc(free, before)) == CHECK);
    table[place..place + 2].copy_from_slice(&free.unwrap_or_default());
    let mut file = PACK.to_vec();
    file.extend((12 + body.len() as u32).to_le_bytes());
    file.extend((table.len() as u32).to_le_bytes());
    file.extend(body);
    file.extend(table);
    file
}

/// A collection of one lump of this name, of which nothing is read.
pub fn collection(name: &str) -> Vec<u8> {
    let (lump, bytes) = ([0, 0], 8);
    let file = Lump::default().text("WAD2", 4).ints(&[1, 12 + bytes]).ints(&lump).ints(&[12, bytes, bytes]);
    // What kind of lump it is.
    file.ints(&[0x42]).text(name, 16).0
}

/// A picture of one colour.
pub fn picture(width: u32, height: u32, colour: u8) -> Vec<u8> {
    let mut file = [width.to_le_bytes(), height.to_le_bytes()].concat();
    file.resize(8 + (width * height) as usize, colour);
    file
}

/// 256 greys.
pub fn palette() -> Vec<u8> {
    (0..=255).flat_map(|shade| [shade; 3]).collect()
}

/// What each colour is in 64 lights.
pub fn colormap() -> Vec<u8> {
    let shades = (0..64_u32).flat_map(|light| (0..256).map(move |colour| (colour * (64 - light) / 64) as u8));
    shades.chain([32]).collect()
}

/// A triangle of one frame.
pub fn model() -> Vec<u8> {
    let head = Lump::default().text("IDPO", 4).ints(&[6]);
    let sizes = head.floats(&[1.0, 1.0, 1.0, -8.0, -8.0, -8.0, 16.0, 0.0, 0.0, 0.0]);
    // Skins, their size, corners, triangles, frames, how it is synchronised, flags.
    let mut skin = sizes.ints(&[1, 8, 8, 3, 1, 1, 0, 0]).floats(&[8.0]).ints(&[0]);
    skin.0.extend([16; 64]);
    let mut frame = skin.ints(&[0, 0, 0, 0, 7, 0, 0, 0, 7]).ints(&[1, 0, 1, 2]).ints(&[0]);
    frame.0.extend([0, 0, 0, 0, 16, 16, 16, 0]);
    let mut corners = frame.text("still", 16);
    corners.0.extend([0, 0, 0, 0, 16, 0, 0, 0, 0, 16, 0, 0]);
    corners.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_the_number_and_the_check_that_engines_want() {
        let file = archive(&[(String::from("a/b"), vec![1, 2, 3])]);
        let int = |at: usize| file[at..at + 4].iter().rev().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        let (at, length) = (int(4), int(8));
        assert_eq!((length, at + length), (ENTRIES * ENTRY, file.len()));
        assert_eq!(crc(&file[at..], 0xffff), CHECK);
        let (begin, size) = (int(at + NAME), int(at + NAME + 4));
        assert_eq!((&file[at..at + 4], &file[begin..begin + size]), (b"a/b\0".as_slice(), [1, 2, 3].as_slice()));
    }

    #[test]
    fn the_check_is_the_one_that_engines_have() {
        // The check value of this CRC over the nine digits, as catalogues of CRCs have it.
        assert_eq!(crc(b"123456789", 0xffff), 0x29b1);
    }
}
