//! Which container some bytes are, by what they say; a name counts only where they leave it open.

use super::block::{Step, WINDOW_BYTES, next, track_line};
use kit::Container;

/// So many blocks at the beginning decide.
const BLOCKS: usize = 8;
/// `svc_serverdata` of QuakeWorld, which the first message of a recorded map begins with.
const QW_SERVERDATA: u8 = 11;
/// `svc_serverdata` of Quake II.
const Q2_SERVERDATA: u8 = 12;
/// So much of a file decides, in bytes.
pub const SNIFF_BYTES: usize = BLOCKS * 1024 + WINDOW_BYTES;

/// How Git stores a large file elsewhere.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The protocols that are read of such a demo; those of other games and engines are named, and no more.
pub const fn protocols(container: Container) -> &'static str {
    match container {
        Container::Dem => "15, 666 and 999",
        Container::Qwd | Container::Mvd => "28",
        Container::Dm2 => "34 and 35",
    }
}

/// What a file of this name is that holds no demo which can be read here, and what is to be done.
pub fn foreign(name: &str, head: &[u8]) -> Option<(&'static str, &'static str)> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let of_quake_3 = ending.strip_prefix("dm_").is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
    match head {
        _ if head.starts_with(LFS_POINTER) => {
            Some(("is a pointer of Git LFS, and not the file itself", "fetch it, with `git lfs pull`"))
        }
        _ if of_quake_3 => Some((
            "is a demo of Quake III or of a game made from it, whose messages are Huffman-coded",
            "read it with a tool for that game",
        )),
        [b'H', b'L', b'D', b'E', b'M', b'O', 0, ..] => {
            Some(("is a demo of Half-Life", "read it with a tool for that game"))
        }
        [b'H', b'L', b'2', b'D', b'E', b'M', b'O', 0, ..] => {
            Some(("is a demo of a game of the Source engine", "read it with a tool for that game"))
        }
        [b'M', b'V', b'D', b'2', ..] => {
            Some(("is Q2PRO's MVD2, which the server of a game wrote for its relays", "record a .dm2 instead"))
        }
        [b'D', b'Z', ..] => Some(("is compressed by Dzip", "unpack it first, with `dzip -x`")),
        _ => None,
    }
}

/// The container that a file begins as, whose name may help.
pub fn of(name: &str, head: &[u8]) -> Option<Container> {
    let lower = name.to_ascii_lowercase();
    let named = [Container::Dem, Container::Qwd, Container::Mvd, Container::Dm2]
        .into_iter()
        .find(|container| lower.rsplit('.').next() == Some(container.name()));
    let said = [Container::Dm2, Container::Dem, Container::Mvd, Container::Qwd].into_iter().find(|it| says(*it, head));
    // A recording that begins in the middle of a map announces nothing; so its name has to tell.
    said.or_else(|| named.filter(|it| blocks(*it, head).is_some()))
}

/// Whether the bytes cannot but be this container.
fn says(container: Container, head: &[u8]) -> bool {
    match container {
        Container::Dm2 => head.get(4) == Some(&Q2_SERVERDATA) && matches!(next(container, head), Step::Message { .. }),
        Container::Dem => track_line(head).is_some() && blocks(container, head).is_some(),
        Container::Mvd => blocks(container, head).is_some_and(|first| first == Some(QW_SERVERDATA)),
        Container::Qwd => blocks(container, head).is_some_and(|first| first.is_some()),
    }
}

/// Whether the first blocks are some, and the first byte of the first message, behind a header if there is one. `None`: they
/// are none.
fn blocks(container: Container, head: &[u8]) -> Option<Option<u8>> {
    let mut at = if container == Container::Dem { track_line(head).unwrap_or(0) } else { 0 };
    let (mut first, mut messages) = (None, 0);
    for _ in 0..BLOCKS {
        let rest = head.get(at..)?;
        match next(container, rest) {
            Step::Message { body, .. } => {
                let inside = if container == Container::Qwd { body.start + 8 } else { body.start };
                first = first.or_else(|| rest.get(inside.min(body.end)).copied());
                (at, messages) = (at + body.end, messages + 1);
            }
            Step::Other(_, length) => at += length,
            Step::End => break,
            // Another demo, joined to the end of this one.
            Step::Bad(_) if container == Container::Dem && messages > 0 && track_line(rest).is_some() => break,
            Step::Cut if messages > 0 || at > 0 && head.len() >= SNIFF_BYTES => break,
            Step::Cut | Step::Bad(_) => return None,
        }
    }
    (messages > 0).then_some(first)
}
