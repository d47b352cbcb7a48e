//! Raw deflate (window bits -15: neither header nor checksum), within named limits.

use flate2::{Compress, Compression, FlushCompress};
use kit::ErrorKind;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

/// Most bytes that one compressed block may stand for: what its length, a short, can state.
pub const MAX_INFLATED_BYTES: usize = 0xffff;
/// Most bytes that the zpackets of one datagram may stand for together: more than any engine makes of 4096.
pub const MAX_INFLATED_PER_DATAGRAM: usize = 4 * MAX_INFLATED_BYTES;
/// Deepest nesting of zpackets that is read. Engines disagree on more than one: Q2PRO refuses it, R1Q2 goes on.
pub const MAX_NESTING: usize = 1;
/// Effort of compression; the bytes depend on it, and on the library.
const LEVEL: u32 = 9;
/// What a deflated block of `n` bytes takes at most beyond `n`, in bytes: five for each 16 kB that is stored, and the
/// end.
const STORED_OVERHEAD: usize = 64;

/// Inflates all of `packed` into `out`, which must become exactly `length` bytes long.
///
/// Never makes more than `length` + 1 bytes, whatever the data holds.
///
/// # Errors
/// What is wrong: an announced length of 0 or above [`MAX_INFLATED_BYTES`], data that is not raw deflate or ends before
/// its end mark, more or fewer bytes than announced, bytes after the end mark. `out` then holds what was inflated.
pub fn inflate(packed: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), ErrorKind> {
    out.clear();
    let fault = |value: usize, why: &'static str| Err(ErrorKind::Forbidden { value: value as u32, why });
    if length > MAX_INFLATED_BYTES {
        return Err(ErrorKind::TooLarge { value: length, limit: MAX_INFLATED_BYTES });
    }
    if length == 0 {
        return fault(0, "a compressed block stands for at least one byte");
    }
    // One byte more than announced: so that a block that holds more shows.
    out.resize(length + 1, 0);
    // R1Q2-ZPKT-02: all at once, which needs no window beside the output.
    let whole = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, read, written) = decompress(&mut DecompressorOxide::new(), packed, out, 0, whole);
    out.truncate(written);
    match status {
        TINFLStatus::Failed | TINFLStatus::BadParam | TINFLStatus::Adler32Mismatch => {
            fault(read, "this is not raw deflate data")
        }
        _ if written > length => fault(length, "the compressed data holds more bytes than announced"),
        TINFLStatus::Done if written < length => fault(length, "the compressed data holds fewer bytes than announced"),
        TINFLStatus::Done if read < packed.len() => Err(ErrorKind::Trailing { left: packed.len() - read }),
        TINFLStatus::Done => Ok(()),
        _ => fault(packed.len(), "the compressed data ends before its end mark"),
    }
}

/// Deflates `plain`, appending to `out`. Other writers make other bytes of the same; a reader takes them all.
pub fn deflate(plain: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let room = plain.len() + plain.len() / 1024 * 5 + STORED_OVERHEAD;
    out.resize(start + room, 0);
    let mut deflater = Compress::new(Compression::new(LEVEL), false);
    // The room holds the worst case, so that one call is all, and cannot fail.
    let written = match deflater.compress(plain, &mut out[start..], FlushCompress::Finish) {
        Ok(_) => deflater.total_out() as usize,
        Err(_) => 0,
    };
    out.truncate(start + written);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deflated(plain: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        deflate(plain, &mut out);
        out
    }

    #[track_caller]
    fn check(packed: &[u8], length: usize, expected: Result<&[u8], &str>) {
        let mut out = Vec::new();
        let result = inflate(packed, length, &mut out);
        assert!(out.len() <= length + 1);
        match (result, expected) {
            (Ok(()), Ok(plain)) => assert_eq!(out, plain),
            (Err(kind), Err(text)) => assert_eq!(kind.to_string(), text),
            (result, expected) => panic!("{result:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn what_was_deflated_is_inflated() {
        for plain in [vec![7], b"hello hello hello".to_vec(), vec![0; 60_000], (0..=255).cycle().take(5_000).collect()]
        {
            check(&deflated(&plain), plain.len(), Ok(&plain));
        }
    }

    #[test]
    fn a_stored_block_is_raw_deflate() {
        // By hand: final block, stored (01), its length 2 and the complement, two bytes.
        check(&[0x01, 0x02, 0x00, 0xfd, 0xff, 0xaa, 0xbb], 2, Ok(&[0xaa, 0xbb]));
    }

    #[test]
    fn a_block_with_fixed_codes_is_raw_deflate() {
        // By hand: bits 1 (final), 01 (fixed codes), 'a' is 0x30 + 0x61 in eight bits, most significant first, then
        // seven zero bits for the end mark: 4b 04 00.
        check(&[0x4b, 0x04, 0x00], 1, Ok(b"a"));
    }

    #[test]
    fn a_zlib_header_is_no_raw_deflate() {
        let mut wrapped = vec![0x78, 0x9c];
        wrapped.extend(deflated(b"hello hello hello"));
        let mut out = Vec::new();
        assert!(inflate(&wrapped, 17, &mut out).is_err());
    }

    #[test]
    fn a_bomb_is_cut_at_the_announced_length() {
        let bomb = deflated(&vec![0; 1_000_000]);
        check(&bomb, 100, Err("value 0x64 is not allowed here: the compressed data holds more bytes than announced"));
        let limit = format!("{} is above the limit of {MAX_INFLATED_BYTES}", 1_000_000);
        check(&bomb, 1_000_000, Err(&limit));
    }

    #[test]
    fn lying_lengths_truncation_and_trailing_bytes_are_different_errors() {
        let mut packed = deflated(b"hello");
        check(&packed, 6, Err("value 0x6 is not allowed here: the compressed data holds fewer bytes than announced"));
        check(&packed, 4, Err("value 0x4 is not allowed here: the compressed data holds more bytes than announced"));
        check(&packed, 0, Err("value 0x0 is not allowed here: a compressed block stands for at least one byte"));
        let short = &packed[..packed.len() - 1];
        let text =
            format!("value {:#x} is not allowed here: the compressed data ends before its end mark", short.len());
        check(short, 5, Err(&text));
        check(&[], 5, Err("value 0x0 is not allowed here: the compressed data ends before its end mark"));
        packed.extend([1, 2, 3]);
        check(&packed, 5, Err("3 bytes left over"));
    }
}
