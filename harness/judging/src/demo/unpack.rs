//! Demos as people send them: gzipped, or one of the files in a zip.
//!
//! Both are read whole, up to [`MAX_UNPACKED_BYTES`]: what unpacks to more is refused, however short it is.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// Most bytes that a packed file may unpack to.
pub const MAX_UNPACKED_BYTES: usize = 1 << 28;
/// Most files that the directory of a zip may name.
const MAX_ENTRIES: usize = 1 << 16;
/// The endings of what is looked for in a zip.
const ENDINGS: [&str; 6] = [".dem", ".qwd", ".mvd", ".dm2", ".mvd.gz", ".dem.gz"];

const GZIP: [u8; 2] = [0x1f, 0x8b];
const LOCAL_FILE: &[u8; 4] = b"PK\x03\x04";
const CENTRAL_FILE: &[u8; 4] = b"PK\x01\x02";
const END_OF_DIRECTORY: &[u8; 4] = b"PK\x05\x06";
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// What came out of a packed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// The name of the file in it; empty if it does not say.
    pub name: String,
    /// What was in it.
    pub bytes: Vec<u8>,
    /// What is to be known beside it: that the end is missing, or that there are further files.
    pub remarks: Vec<String>,
}

/// Whether `head` is the beginning of a packed file that [`unpack`] reads.
pub fn is_packed(head: &[u8]) -> bool {
    head.starts_with(&GZIP) || head.starts_with(LOCAL_FILE)
}

/// What is in a packed file; in a zip, the first demo by the order of its directory.
///
/// # Errors
/// A sentence and what to do: it is damaged, unpacks to more than `limit` bytes, or has no demo.
pub fn unpack(bytes: &[u8], limit: usize) -> Result<Unpacked, (String, &'static str)> {
    if bytes.starts_with(&GZIP) { gunzip(bytes, limit) } else { unzip(bytes, limit) }
}

fn gunzip(bytes: &[u8], limit: usize) -> Result<Unpacked, (String, &'static str)> {
    let (data, name) = gzip_data(bytes).ok_or_else(|| damaged("its gzip header ends early"))?;
    let (bytes, cut) = inflate(data, limit)?;
    let remarks = if cut { vec![String::from("the packed file is cut: its end is missing")] } else { Vec::new() };
    Ok(Unpacked { name, bytes, remarks })
}

/// What comes after the header of a gzipped file, and the name in it (RFC 1952).
fn gzip_data(bytes: &[u8]) -> Option<(&[u8], String)> {
    let flags = *bytes.get(3)?;
    let mut rest = bytes.get(10..)?;
    let mut name = String::new();
    if flags & 4 != 0 {
        let length = usize::from(u16::from_le_bytes(*rest.first_chunk()?));
        rest = rest.get(2 + length..)?;
    }
    // The name, and a remark.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            if flag == 8 {
                name = String::from_utf8_lossy(rest.get(..end)?).into_owned();
            }
            rest = rest.get(end + 1..)?;
        }
    }
    Some((rest.get(if flags & 2 != 0 { 2 } else { 0 }..)?, name))
}

/// What `data` inflates to, and whether its end is missing.
fn inflate(data: &[u8], limit: usize) -> Result<(Vec<u8>, bool), (String, &'static str)> {
    let mut state = Box::<DecompressorOxide>::default();
    let mut out = vec![0; data.len().saturating_mul(2).clamp(1, limit + 1)];
    let (mut taken, mut made) = (0, 0);
    loop {
        let rest = data.get(taken..).unwrap_or_default();
        let (status, read, written) =
            decompress(&mut state, rest, &mut out, made, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF);
        (taken, made) = (taken + read, made + written);
        let cut = match status {
            _ if made > limit => {
                let what = format!("unpacks to more than {limit} bytes");
                return Err((what, "unpack it yourself, and cut out the part in question"));
            }
            TINFLStatus::HasMoreOutput => {
                out.resize(out.len().saturating_mul(2).min(limit + 1), 0);
                continue;
            }
            TINFLStatus::Done => false,
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => true,
            _ => return Err(damaged("its data do not inflate")),
        };
        out.truncate(made);
        return Ok((out, cut));
    }
}

fn damaged(how: &str) -> (String, &'static str) {
    (format!("is packed and damaged: {how}"), "fetch it again")
}

/// A file that the directory of a zip names.
struct Entry<'a> {
    name: String,
    method: u16,
    flags: u16,
    packed: usize,
    header: &'a [u8],
}

fn unzip(bytes: &[u8], limit: usize) -> Result<Unpacked, (String, &'static str)> {
    let entries = entries(bytes).ok_or_else(|| damaged("the directory of the zip is missing or cut"))?;
    let is_demo = |entry: &&Entry<'_>| ENDINGS.iter().any(|end| entry.name.to_ascii_lowercase().ends_with(end));
    let demos = entries.iter().filter(is_demo).count();
    let Some(entry) = entries.iter().find(is_demo) else {
        return Err((String::from("is a zip without a .dem, .qwd, .mvd or .dm2"), "name the demo itself"));
    };
    let Entry { name, method, flags, packed, header } = entry;
    if flags & 1 != 0 {
        return Err((format!("has `{name}` under a password"), "unpack it first"));
    }
    let data = file_data(header, *packed).ok_or_else(|| damaged("a file of the zip is cut"))?;
    let (bytes, cut) = match *method {
        STORED if data.len() <= limit => (data.to_vec(), false),
        STORED | DEFLATED => inflate(data, limit)?,
        method => return Err((format!("has `{name}` packed by method {method}"), "unpack it first")),
    };
    let mut remarks = Vec::new();
    if cut {
        remarks.push(format!("`{name}` in the zip is cut: its end is missing"));
    }
    if demos > 1 {
        remarks.push(format!("of {demos} demos in the zip, `{name}` is read"));
    }
    Ok(Unpacked { name: name.clone(), bytes, remarks })
}

/// The files of a zip by its directory, which its end says the place of.
fn entries(bytes: &[u8]) -> Option<Vec<Entry<'_>>> {
    // Behind the end stands a remark of at most 65,535 bytes.
    let from = bytes.len().saturating_sub(22 + 0xffff);
    let end = from + bytes.get(from..)?.windows(4).rposition(|window| window == END_OF_DIRECTORY)?;
    let count = usize::from(half(bytes, end + 10)?);
    let mut at = word(bytes, end + 16)?;
    let mut entries = Vec::new();
    for _ in 0..count.min(MAX_ENTRIES) {
        if bytes.get(at..)?.first_chunk() != Some(CENTRAL_FILE) {
            return None;
        }
        let [name, extra, remark] =
            [28, 30, 32].map(|place| half(bytes, at + place).map(usize::from)).map(Option::unwrap_or_default);
        entries.push(Entry {
            name: String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned(),
            flags: half(bytes, at + 8)?,
            method: half(bytes, at + 10)?,
            packed: word(bytes, at + 20)?,
            header: bytes.get(word(bytes, at + 42)?..)?,
        });
        at += 46 + name + extra + remark;
    }
    Some(entries)
}

/// The data behind a file's own header.
fn file_data(header: &[u8], packed: usize) -> Option<&[u8]> {
    if header.first_chunk() != Some(LOCAL_FILE) {
        return None;
    }
    let start = 30 + usize::from(half(header, 26)?) + usize::from(half(header, 28)?);
    header.get(start..)?.get(..packed)
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().copied().map(u16::from_le_bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes).map(|word| word as usize)
}
