//! Demos as people send them: gzipped, or one of the files in a zip.
//!
//! Both are read whole, up to [`MAX_UNPACKED_BYTES`]: what unpacks to more is refused, however short it is.

use flate2::bufread::{DeflateDecoder, GzDecoder};
use rawzip::{CompressionMethod, ZipArchive};
use std::io::{ErrorKind, Read};

/// Most bytes that a packed file may unpack to.
pub const MAX_UNPACKED_BYTES: usize = 1 << 28;
/// The endings of what is looked for in a zip.
const ENDINGS: [&str; 4] = [".dem", ".qwd", ".mvd", ".dm2"];

const GZIP: [u8; 2] = [0x1f, 0x8b];
const LOCAL_FILE: &[u8; 4] = b"PK\x03\x04";

/// What came out of a packed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// The name of the file in it; empty if it does not say.
    pub name: String,
    pub bytes: Vec<u8>,
    /// What is to be known beside it: that the end is missing, or that there are further files.
    pub remarks: Vec<String>,
}

/// Why a file cannot be unpacked, and what to do.
type Fault = (String, &'static str);

/// Whether `head` is the beginning of a packed file that [`unpack`] reads.
pub fn is_packed(head: &[u8]) -> bool {
    head.starts_with(&GZIP) || head.starts_with(LOCAL_FILE)
}

/// What is in a packed file; in a zip, the first demo by the order of its directory.
///
/// # Errors
/// A sentence and what to do: it is damaged, unpacks to more than `limit` bytes, or has no demo.
pub fn unpack(bytes: &[u8], limit: usize) -> Result<Unpacked, Fault> {
    if bytes.starts_with(&GZIP) { gunzip(bytes, limit) } else { unzip(bytes, limit) }
}

fn gunzip(bytes: &[u8], limit: usize) -> Result<Unpacked, Fault> {
    let mut all = Unpacked::default();
    let mut rest = bytes;
    // Several that were joined end to end are one.
    while rest.starts_with(&GZIP) {
        let mut part = GzDecoder::new(rest);
        if let Some(name) = part.header().and_then(|header| header.filename()).filter(|_| all.name.is_empty()) {
            all.name = String::from_utf8_lossy(name).into_owned();
        }
        let is_whole = read(&mut part, &mut all, limit, "the packed file")?;
        if part.header().is_none() && all.bytes.is_empty() {
            return Err(damaged("its gzip header is none, or ends early"));
        }
        rest = if is_whole { part.into_inner() } else { &[] };
    }
    Ok(all)
}

/// Reads what is left of `what` behind the bytes of `all`, and says whether it is whole; what is damaged is read up to there.
fn read(source: &mut dyn Read, all: &mut Unpacked, limit: usize, what: &str) -> Result<bool, Fault> {
    let room = (limit + 1).saturating_sub(all.bytes.len()) as u64;
    let fault = source.take(room).read_to_end(&mut all.bytes).err();
    if all.bytes.len() > limit {
        let what = format!("unpacks to more than {limit} bytes");
        return Err((what, "unpack it yourself, and cut out the part in question"));
    }
    if let Some(fault) = &fault {
        all.remarks.push(match fault.kind() {
            ErrorKind::UnexpectedEof => format!("{what} is cut: its end is missing"),
            _ => format!("{what} is damaged, and read up to byte {} of what is in it: {fault}", all.bytes.len()),
        });
    }
    Ok(fault.is_none())
}

fn damaged(how: &str) -> Fault {
    (format!("is packed and damaged: {how}"), "fetch it again")
}

fn unzip(bytes: &[u8], limit: usize) -> Result<Unpacked, Fault> {
    let of_zip = |error: rawzip::Error| damaged(&format!("the zip cannot be read: {error}"));
    let zip = ZipArchive::from_slice(bytes).map_err(of_zip)?;
    let (mut first, mut demos) = (None, 0_usize);
    for entry in zip.entries() {
        let entry = entry.map_err(of_zip)?;
        let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        let lower = name.to_ascii_lowercase();
        if ENDINGS.iter().any(|end| lower.trim_end_matches(".gz").ends_with(end)) {
            demos += 1;
            first = first.or(Some((name, entry)));
        }
    }
    let Some((name, entry)) = first else {
        return Err((String::from("is a zip without a .dem, .qwd, .mvd or .dm2"), "name the demo itself"));
    };
    if entry.flags().is_encrypted() {
        return Err((format!("has `{name}` under a password"), "unpack it first"));
    }
    let data = zip.get_entry(entry.wayfinder()).map_err(of_zip)?;
    let mut all = Unpacked::default();
    let what = format!("`{name}` in the zip");
    match entry.compression_method() {
        CompressionMethod::STORE => read(&mut data.verifying_reader(data.data()), &mut all, limit, &what)?,
        CompressionMethod::DEFLATE => {
            read(&mut data.verifying_reader(DeflateDecoder::new(data.data())), &mut all, limit, &what)?
        }
        method => return Err((format!("has `{name}` packed by {method:?}"), "unpack it first")),
    };
    if demos > 1 {
        all.remarks.push(format!("of {demos} demos in the zip, `{name}` is read"));
    }
    if all.bytes.starts_with(&GZIP) {
        let inner = gunzip(&all.bytes, limit)?;
        (all.bytes, all.remarks) = (inner.bytes, [all.remarks, inner.remarks].concat());
    }
    all.name = name;
    Ok(all)
}
