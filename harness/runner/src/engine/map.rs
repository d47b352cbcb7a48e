//! The checksum of a map that lies below the folder of a game: as a file, or in a pack.

use crate::live::map;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A pack begins with this; then come the offset and the length of its directory.
pub(super) const PACK: &[u8; 4] = b"PACK";
/// An entry of the directory: a name of this length, an offset and a length.
pub(super) const NAME: usize = 56;
pub(super) const ENTRY: usize = NAME + 8;
/// A pack has at most so many entries, and a map so many bytes.
const MOST_ENTRIES: usize = 65_536;
const MOST_BYTES: u64 = 256 << 20;

/// The checksum of `maps/NAME.bsp` below `dir`, or below one of its folders.
///
/// # Errors
/// It is in none, there are several that differ, or one is no map.
pub fn checksum(dir: &Path, name: &str) -> Result<u32, String> {
    let wanted = format!("maps/{name}.bsp");
    let mut found: Vec<(PathBuf, u32)> = Vec::new();
    for folder in folders(dir).map_err(|error| format!("{}: {error}", dir.display()))? {
        let mut take = |path: PathBuf, bytes: Vec<u8>| {
            let sum = map::checksum(&bytes).map_err(|why| format!("{}: {why}", path.display()))?;
            found.push((path, sum));
            Ok::<(), String>(())
        };
        let file = folder.join(&wanted);
        if let Ok(bytes) = fs::read(&file) {
            take(file, bytes)?;
        }
        for pack in packs(&folder) {
            let inside = in_pack(&pack, &wanted).map_err(|error| format!("{}: {error}", pack.display()))?;
            if let Some(bytes) = inside {
                take(pack, bytes)?;
            }
        }
    }
    match found.as_slice() {
        [] => Err(format!(
            "there is no {wanted} below {}, in a folder or a .pak: say --map, or --set map_checksum=…",
            dir.display()
        )),
        [(_, first), others @ ..] if others.iter().all(|(_, sum)| sum == first) => Ok(*first),
        several => {
            let places: Vec<String> =
                several.iter().map(|(path, sum)| format!("{} ({sum:#010x})", path.display())).collect();
            Err(format!("several maps are called {name}: {}; say which by --set map_checksum=…", places.join(", ")))
        }
    }
}

/// `dir` and the folders in it, sorted.
fn folders(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = vec![dir.to_path_buf()];
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

fn packs(folder: &Path) -> Vec<PathBuf> {
    let is_pack = |path: &PathBuf| path.extension().is_some_and(|it| it.eq_ignore_ascii_case("pak"));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_pack).collect();
    all.sort();
    all
}

/// A file of a pack, if it has one of this name.
fn in_pack(pack: &Path, wanted: &str) -> io::Result<Option<Vec<u8>>> {
    let broken = || io::Error::new(io::ErrorKind::InvalidData, "is no pack of Quake, or cut short");
    let mut file = File::open(pack)?;
    let mut read = |at: u64, length: u64| {
        if length > MOST_BYTES {
            return Err(broken());
        }
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(broken()) }
    };
    let number = |bytes: &[u8], at: usize| {
        bytes
            .get(at..)
            .and_then(|rest| rest.first_chunk())
            .map(|bytes| u64::from(u32::from_le_bytes(*bytes)))
            .ok_or_else(broken)
    };
    let head = read(0, 12)?;
    if !head.starts_with(PACK) {
        return Err(broken());
    }
    let directory = read(number(&head, 4)?, number(&head, 8)?)?;
    for entry in directory.chunks_exact(ENTRY).take(MOST_ENTRIES) {
        let name = entry.split(|byte| *byte == 0).next().unwrap_or_default();
        let name = &name[..name.len().min(NAME)];
        if name.eq_ignore_ascii_case(wanted.as_bytes()) {
            return read(number(entry, NAME)?, number(entry, NAME + 4)?).map(Some);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map without anything in it, and a text of its entities, which do not count.
    fn bsp(entities: &str) -> Vec<u8> {
        let mut file = vec![29, 0, 0, 0];
        let end = 4 + 8 * 15_u32;
        for lump in 0..15 {
            file.extend(end.to_le_bytes());
            file.extend(if lump == 0 { entities.len() as u32 } else { 0 }.to_le_bytes());
        }
        file.extend(entities.bytes());
        file
    }

    fn pack(files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut directory) = (PACK.to_vec(), Vec::new());
        bytes.extend([0; 8]);
        for (name, content) in files {
            let mut entry = vec![0; NAME];
            entry[..name.len()].copy_from_slice(name.as_bytes());
            entry.extend((bytes.len() as u32).to_le_bytes());
            entry.extend((content.len() as u32).to_le_bytes());
            directory.extend(entry);
            bytes.extend(*content);
        }
        let at = bytes.len() as u32;
        bytes[4..8].copy_from_slice(&at.to_le_bytes());
        bytes[8..12].copy_from_slice(&(directory.len() as u32).to_le_bytes());
        bytes.extend(directory);
        bytes
    }

    #[test]
    fn a_map_is_found_in_folders_and_packs_and_two_that_differ_are_told() {
        let root = std::env::temp_dir().join(format!("deltaproof-maps-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("id1/maps")).expect("it is writable");
        let put = |name: &str, bytes: &[u8]| fs::write(root.join(name), bytes).expect("it is writable");
        assert!(checksum(&root, "start").expect_err("nothing is there").contains("there is no maps/start.bsp below"));
        put("id1/pak0.pak", &pack(&[("gfx.wad", b"x"), ("maps/start.bsp", &bsp("a"))]));
        put("id1/maps/start.bsp", &bsp("bc"));
        assert_eq!(checksum(&root, "start"), map::checksum(&bsp("")));
        let mut other = bsp("");
        (other[12], other[16]) = (0, 4);
        put("id1/pak1.pak", &pack(&[("maps/START.bsp", &other)]));
        assert!(checksum(&root, "start").expect_err("they differ").contains("several maps are called start"));
        put("id1/pak1.pak", b"PACK\xff\xff\xff\x7f\x01\0\0\0");
        assert!(checksum(&root, "start").expect_err("it is broken").contains("pak1.pak: is no pack of Quake"));
        fs::remove_dir_all(&root).expect("it is ours");
    }
}
