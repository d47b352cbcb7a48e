//! An engine's program: whether a library can be preloaded into it, and which one.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A program that a library can be preloaded into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file.
    pub path: PathBuf,
    /// Whether its addresses have 32 bits, on a machine of 64.
    pub narrow: bool,
    /// The first digits of the hash of its bytes: which build it is.
    pub hash: String,
}

/// Why none can be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProgram {
    /// Nothing is there.
    #[error("there is no such file: name the engine's program")]
    Missing,
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// It is a folder, or something else.
    #[error("it is no file: name the engine's program itself")]
    NoFile,
    /// It may not be started.
    #[error("it may not be executed: `chmod +x` it")]
    NotExecutable,
    /// It begins with `#!`.
    #[error(
        "it is a script: name the program that it starts, and put what it does else into a description (--describe)"
    )]
    Script,
    /// It is of another system.
    #[error("it is no ELF file: only programs for Linux can be run, not such for Windows or macOS")]
    NoElf,
    /// It is of another machine.
    #[error("it is for another machine ({0}), and this one runs {1}")]
    OtherMachine(Machine, &'static str),
    /// It is linked statically.
    #[error("it is linked statically, so that nothing can be preloaded: link it dynamically (without `-static`)")]
    Static,
    /// It needs another C library.
    #[error("its C library is that of {0}: only programs for glibc can be run")]
    OtherLibrary(String),
    /// The system preloads nothing into it.
    #[error("it is set-uid or set-gid, and the system preloads nothing into such a program: run a copy of it")]
    SetId,
    /// The file ends too early, or makes no sense.
    #[error("its ELF header is damaged")]
    Damaged,
}

/// The number that ELF has for a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine(u16);

const X86: Machine = Machine(3);
const X86_64: Machine = Machine(62);
const AARCH64: Machine = Machine(183);

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            3 => f.write_str("x86, 32 bits"),
            40 => f.write_str("arm, 32 bits"),
            62 => f.write_str("x86_64"),
            183 => f.write_str("aarch64"),
            243 => f.write_str("riscv"),
            other => write!(f, "ELF machine {other}"),
        }
    }
}

/// What this program was built for.
const OURS: &str = std::env::consts::ARCH;
/// Program headers are at most so many.
const MOST_HEADERS: usize = 512;
const SHARED: u16 = 3;
const EXECUTABLE: u16 = 2;
const INTERPRETER: u64 = 3;

/// The file that is meant by `name`: a path, or a program that the shell would find.
pub fn find(name: &Path) -> PathBuf {
    if name.exists() || name.components().count() > 1 {
        return std::path::absolute(name).unwrap_or_else(|_| name.to_path_buf());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    // Debian's place for games is in nobody's path but a player's.
    let folders = std::env::split_paths(&folders).chain([PathBuf::from("/usr/games")]);
    folders.map(|folder| folder.join(name)).find(|path| path.is_file()).unwrap_or_else(|| name.to_path_buf())
}

impl Program {
    /// Looks at the file `path`.
    ///
    /// # Errors
    /// Why nothing can be preloaded into it.
    pub fn look(path: &Path) -> Result<Program, NoProgram> {
        let unreadable = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => NoProgram::Missing,
            _ => NoProgram::Unreadable(error.to_string()),
        };
        let about = fs::metadata(path).map_err(unreadable)?;
        if !about.is_file() {
            return Err(NoProgram::NoFile);
        }
        let bytes = fs::read(path).map_err(unreadable)?;
        if bytes.starts_with(b"#!") {
            return Err(NoProgram::Script);
        }
        let narrow = elf(&bytes, OURS)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = about.permissions().mode();
            if mode & 0o111 == 0 {
                return Err(NoProgram::NotExecutable);
            }
            if mode & 0o6000 != 0 {
                return Err(NoProgram::SetId);
            }
        }
        let hash = blake3::hash(&bytes).to_hex()[..12].to_string();
        Ok(Program { path: path.to_path_buf(), narrow, hash })
    }

    /// The width of its addresses.
    pub const fn bits(&self) -> u32 {
        if self.narrow { 32 } else { 64 }
    }
}

/// Whether an ELF file for the machine `ours` has 32 bits there.
fn elf(bytes: &[u8], ours: &'static str) -> Result<bool, NoProgram> {
    if !bytes.starts_with(b"\x7fELF") {
        return Err(NoProgram::NoElf);
    }
    let (wide, little) = match (bytes.get(4), bytes.get(5)) {
        (Some(1), Some(order)) => (false, *order == 1),
        (Some(2), Some(order)) => (true, *order == 1),
        _ => return Err(NoProgram::Damaged),
    };
    let number = |at: usize, size: usize| -> Result<u64, NoProgram> {
        let end = at.checked_add(size).ok_or(NoProgram::Damaged)?;
        let bytes = bytes.get(at..end).ok_or(NoProgram::Damaged)?;
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Ok(if little { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) })
    };
    let (kind, machine) = (number(16, 2)? as u16, Machine(number(18, 2)? as u16));
    let narrow = match (ours, machine, wide, little) {
        ("x86_64", X86_64, true, true) | ("aarch64", AARCH64, true, true) | ("x86", X86, false, true) => false,
        ("x86_64", X86, false, true) => true,
        _ => return Err(NoProgram::OtherMachine(machine, ours)),
    };
    if kind != EXECUTABLE && kind != SHARED {
        return Err(NoProgram::Damaged);
    }
    let (headers, size, count) = match wide {
        true => (number(32, 8)?, number(54, 2)?, number(56, 2)?),
        false => (number(28, 4)?, number(42, 2)?, number(44, 2)?),
    };
    for index in 0..(count as usize).min(MOST_HEADERS) {
        let at = usize::try_from(headers).ok().and_then(|at| at.checked_add(index * size as usize));
        let at = at.ok_or(NoProgram::Damaged)?;
        if number(at, 4)? != INTERPRETER {
            continue;
        }
        let (offset, length) = match wide {
            true => (number(at + 8, 8)?, number(at + 32, 8)?),
            false => (number(at + 4, 4)?, number(at + 16, 4)?),
        };
        let range = usize::try_from(offset).ok().zip(usize::try_from(length).ok());
        let path = range.and_then(|(offset, length)| bytes.get(offset..offset.checked_add(length)?));
        let path = String::from_utf8_lossy(path.ok_or(NoProgram::Damaged)?);
        let path = path.trim_end_matches('\0');
        if path.contains("musl") {
            return Err(NoProgram::OtherLibrary(format!("musl ({path})")));
        }
        return Ok(narrow);
    }
    Err(NoProgram::Static)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with one header, of this kind.
    fn file(wide: bool, machine: u16, kind: u16, interpreter: Option<&str>) -> Vec<u8> {
        let mut bytes = vec![0; if wide { 120 } else { 84 }];
        bytes[..4].copy_from_slice(b"\x7fELF");
        bytes[4] = 1 + u8::from(wide);
        bytes[5] = 1;
        bytes[16..18].copy_from_slice(&kind.to_le_bytes());
        bytes[18..20].copy_from_slice(&machine.to_le_bytes());
        let mut put = |at: usize, value: usize| bytes[at] = value as u8;
        let length = interpreter.map_or(0, str::len);
        let what = if interpreter.is_some() { 3 } else { 1 };
        if wide {
            [(32, 64), (54, 56), (56, 1), (64, what), (72, 120), (96, length)]
                .into_iter()
                .for_each(|(at, value)| put(at, value));
        } else {
            [(28, 52), (42, 32), (44, 1), (52, what), (56, 84), (68, length)]
                .into_iter()
                .for_each(|(at, value)| put(at, value));
        }
        bytes.extend(interpreter.unwrap_or("").bytes());
        bytes
    }

    #[test]
    fn the_library_has_the_width_of_the_program() {
        assert_eq!(elf(&file(true, 62, 3, Some("/lib64/ld-linux-x86-64.so.2\0")), "x86_64"), Ok(false));
        assert_eq!(elf(&file(false, 3, 2, Some("/lib/ld-linux.so.2\0")), "x86_64"), Ok(true));
        assert_eq!(elf(&file(true, 183, 3, Some("/lib/ld-linux-aarch64.so.1\0")), "aarch64"), Ok(false));
    }

    #[test]
    fn what_nothing_can_be_preloaded_into_is_refused_with_the_reason() {
        let of = |bytes: &[u8]| elf(bytes, "x86_64").expect_err("it is refused");
        assert_eq!(of(b"MZ\0"), NoProgram::NoElf);
        assert_eq!(of(b"\x7fELF"), NoProgram::Damaged);
        assert_eq!(of(&file(true, 62, 3, None)), NoProgram::Static);
        assert_eq!(of(&file(true, 62, 1, None)), NoProgram::Damaged);
        assert_eq!(
            of(&file(true, 183, 3, None)).to_string(),
            "it is for another machine (aarch64), and this one runs x86_64"
        );
        assert!(matches!(of(&file(true, 62, 3, Some("/lib/ld-musl-x86_64.so.1\0"))), NoProgram::OtherLibrary(_)));
        let whole = file(true, 62, 3, Some("/lib64/ld-linux-x86-64.so.2\0"));
        for length in 0..whole.len() {
            assert!(elf(&whole[..length], "x86_64").is_err(), "{length}");
        }
    }
}
