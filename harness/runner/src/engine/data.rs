//! The folder of a game that is all ours: with it, an engine as it is does what scenarios say.

use super::preload::{Recipe, build_at};
use super::{quake_code, quake_map, quake_pack, quake2_map};
use r1q2::machine::download;
use std::fs;
use std::path::{Path, PathBuf};

/// A game of which there is data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub enum Game {
    /// Quake, for QuakeSpasm, QuakeSpasm-Spiked and FTEQW.
    Quake,
    /// Quake II, for Q2PRO, R1Q2 and yquake2.
    Quake2,
}

/// The file that says of a folder that the game in it is ours.
const MARK: &str = "deltaproof.txt";
const MARK_TEXT: &str = "The game in this folder does what deltaproof's scenarios say.\n";
/// The folder of Quake II's game.
const QUAKE2: &str = "baseq2";
/// The maps that are written; all are alike.
const MAPS: [&str; 2] = ["base1", "base2"];
const MESSAGE: &str = "deltaproof";
/// Most entities of Quake's engines that ask how many there may be.
const MOST_ENTITIES: u32 = 8_600;
/// As fast as anything can be said to be, in units per second, with room to spare.
const MOST_SPEED: u32 = 10_000;

macro_rules! sources {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../shims/game/quake2/", $name)))),*]
    };
}

const QUAKE2_SOURCES: &[(&str, &str)] = sources!["game.c" "interface.h" "players.c" "proof.h" "says.c" "world.c"];

/// What the processor is called in the name of a game library; 32 bits are always `i386`.
fn processor() -> &'static str {
    match std::env::consts::ARCH {
        "x86" => "i386",
        "aarch64" => "arm64",
        other => other,
    }
}

/// The largest of the files that clients ask for, in hundreds of bytes: no scenario asks for a larger one that there is.
const MOST_HUNDREDS: u32 = 100;

/// What was written.
#[derive(Debug, Default)]
pub struct Written {
    /// The files.
    pub files: Vec<PathBuf>,
    /// What could not be, and what to do about it.
    pub lacking: Vec<String>,
}

/// Whether the game in a folder is ours.
pub fn is_ours(dir: &Path) -> bool {
    dir.join(MARK).is_file()
}

/// Writes the data of a game into a folder, which is made where it is not there.
///
/// # Errors
/// A file cannot be written, or there is no compiler for the game library.
pub fn write(game: Game, dir: &Path) -> Result<Written, String> {
    match game {
        Game::Quake => quake(dir),
        Game::Quake2 => quake2(dir),
    }
}

fn quake(dir: &Path) -> Result<Written, String> {
    let mut written = Written::default();
    let progs = quake_code::compiled(dir)?;
    let map = quake_map::file(MESSAGE, quake_code::MODELS - 1);
    let files: [(&str, Vec<u8>); 11] = [
        ("default.cfg", Vec::new()),
        ("quake.rc", b"exec default.cfg\nexec autoexec.cfg\nstuffcmds\n".to_vec()),
        // Dedicated servers read no other.
        ("autoexec.cfg", format!("max_edicts {MOST_ENTITIES}\nsv_maxvelocity {MOST_SPEED}\n").into_bytes()),
        ("progs.dat", progs),
        ("gfx.wad", quake_pack::collection("DUMMY")),
        ("gfx/palette.lmp", quake_pack::palette()),
        ("gfx/colormap.lmp", quake_pack::colormap()),
        ("gfx/conback.lmp", quake_pack::picture(320, 200, 40)),
        (quake_code::PLAYER, quake_pack::model()),
        ("maps/start.bsp", map.clone()),
        ("maps/start2.bsp", map),
    ];
    let files: Vec<(String, Vec<u8>)> = files.into_iter().map(|(name, bytes)| (String::from(name), bytes)).collect();
    put(&mut written, dir.join("id1/pak0.pak"), &quake_pack::archive(&files))?;
    put(&mut written, dir.join(MARK), MARK_TEXT.as_bytes())?;
    Ok(written)
}

fn quake2(dir: &Path) -> Result<Written, String> {
    let mut written = Written::default();
    let base = dir.join(QUAKE2);
    for map in MAPS {
        put(&mut written, base.join(format!("maps/{map}.bsp")), &quake2_map::file(MESSAGE))?;
    }
    for hundreds in 1..=MOST_HUNDREDS {
        // What our own server has under that name.
        let Some(file) = download::file(hundreds) else { continue };
        put(&mut written, base.join(format!("proof/{hundreds}.dat")), &file)?;
    }
    let recipe = Recipe { what: "the game library", sources: QUAKE2_SOURCES };
    let library = base.join("game.so");
    build_at(&recipe, false, &library)?;
    // The same under the name that other engines look for.
    let named = base.join(format!("game{}.so", processor()));
    fs::copy(&library, &named).map_err(|error| format!("{}: {error}", named.display()))?;
    written.files.extend([library, named]);
    if cfg!(target_arch = "x86_64") {
        let narrow = base.join("gamei386.so");
        match build_at(&recipe, true, &narrow) {
            Ok(()) => written.files.push(narrow),
            Err(why) => written.lacking.push(format!("no game library for engines of 32 bits: {why}")),
        }
    }
    put(&mut written, dir.join(MARK), MARK_TEXT.as_bytes())?;
    Ok(written)
}

fn put(written: &mut Written, path: PathBuf, bytes: &[u8]) -> Result<(), String> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(&path, bytes)).map_err(|error| format!("{}: {error}", path.display()))?;
    written.files.push(path);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sources_of_the_game_library_are_carried_along() {
        let names: Vec<&str> = QUAKE2_SOURCES.iter().map(|(name, _)| *name).collect();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shims/game/quake2");
        let files = fs::read_dir(folder).expect("it is there").flatten();
        let mut there: Vec<String> = files.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
        there.retain(|name| name.ends_with(".c") || name.ends_with(".h"));
        there.sort();
        assert_eq!(names, there);
    }

    #[test]
    fn the_game_for_quake_is_an_archive_or_what_compiler_is_missing_is_said() {
        let dir = std::env::temp_dir().join(format!("deltaproof-quake-{}", std::process::id()));
        match write(Game::Quake, &dir) {
            Ok(written) => {
                let pack = fs::read(dir.join("id1/pak0.pak")).expect("it was written");
                assert!(is_ours(&dir) && pack.starts_with(b"PACK") && written.files.len() == 2);
                let left: Vec<_> = fs::read_dir(&dir).expect("it is there").flatten().collect();
                assert_eq!(left.len(), 2, "{left:?}");
            }
            Err(why) => {
                assert!(why.contains("Debian: fteqcc") && !is_ours(&dir), "{why}");
            }
        }
        fs::remove_dir_all(&dir).expect("it was made here");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_of_our_own_game_is_known_as_such() {
        let dir = std::env::temp_dir().join(format!("deltaproof-data-{}", std::process::id()));
        assert!(!is_ours(&dir));
        let written = write(Game::Quake2, &dir).expect("there is a compiler");
        assert!(is_ours(&dir) && dir.join("baseq2/maps/base1.bsp").is_file());
        assert!(written.files.iter().all(|file| file.is_file()));
        for hundreds in [1, 7, 21, MOST_HUNDREDS] {
            let file = fs::read(dir.join(format!("baseq2/proof/{hundreds}.dat"))).ok();
            assert_eq!(file, download::file(hundreds), "{hundreds}");
        }
        let left: Vec<_> = fs::read_dir(dir.join("baseq2")).expect("it is there").flatten().collect();
        assert!(left.iter().all(|file| !file.file_name().to_string_lossy().starts_with("building")));
        fs::remove_dir_all(&dir).expect("it was made here");
    }
}
