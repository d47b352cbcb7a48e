//! The files that a server has, and how it cuts them into blocks.

use crate::wire::deflate;
use crate::wire::service::{Download, Service};
use kit::Writer;

/// Largest file, in hundreds of bytes; a larger one there is not.
pub const MAX_HUNDREDS: u32 = 1000;
/// A file's parts of this size are alternately easy to compress and not, in bytes.
const PART: usize = 2048;
/// How many times the length of a plain block a compressed one may stand for: the most that fits is taken.
const PACKED_TIMES: [usize; 3] = [4, 2, 1];
/// What stands in front of a block's data at most, in bytes.
const BLOCK_HEADER_BYTES: usize = 6;

/// The file of so many hundred bytes; `None` if there is none.
pub fn file(hundreds: u32) -> Option<Vec<u8>> {
    let wanted = (1..=MAX_HUNDREDS).contains(&hundreds);
    let mut state = hundreds.wrapping_mul(0x9e37_79b9) | 1;
    wanted.then(|| {
        let byte = |at: usize| {
            if (at / PART).is_multiple_of(2) {
                return b"proof of delta "[at % 15];
            }
            // Marsaglia's xorshift: compresses not at all.
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 11) as u8
        };
        (0..hundreds as usize * 100).map(byte).collect()
    })
}

/// A number that stands for the bytes of a file: Adler's checksum.
pub fn file_sum(bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (low, high) = bytes.iter().fold((1, 0), |(low, high), &byte| {
        let low = (low + u32::from(byte)) % MODULUS;
        (low, (high + low) % MODULUS)
    });
    high << 16 | low
}

/// The name under which a client asks for the file of so many hundred bytes.
pub fn name(hundreds: u32) -> String {
    format!("proof/{hundreds}.dat")
}

/// Which file a name is.
pub fn hundreds(name: &[u8]) -> Option<u32> {
    let digits = name.strip_prefix(b"proof/")?.strip_suffix(b".dat")?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A file that is under way.
#[derive(Debug)]
pub struct Sending {
    bytes: Vec<u8>,
    sent: usize,
    /// Whether the client takes compressed blocks.
    compressed: bool,
}

impl Sending {
    /// The whole of `bytes`, not yet begun.
    pub fn new(bytes: Vec<u8>, compressed: bool) -> Sending {
        Sending { bytes, sent: 0, compressed }
    }

    /// Whether all of it was sent.
    pub fn done(&self) -> bool {
        self.sent >= self.bytes.len()
    }

    /// The next block, as a service of at most `room` bytes: compressed where more of the file goes with it.
    pub fn next(&mut self, room: usize, out: &mut Vec<u8>) {
        let most = room.saturating_sub(BLOCK_HEADER_BYTES).max(1);
        let rest = self.bytes.get(self.sent..).unwrap_or_default();
        let plain = &rest[..rest.len().min(most)];
        let mut packed = Vec::new();
        let mut taken = None;
        for times in PACKED_TIMES.into_iter().filter(|_| self.compressed) {
            let long = &rest[..rest.len().min(most * times).min(deflate::MAX_INFLATED_BYTES)];
            packed.clear();
            deflate::deflate(long, &mut packed);
            if packed.len() <= most && packed.len() + 2 < long.len() {
                taken = Some(long.len());
                break;
            }
        }
        let worth_it = taken.is_some();
        let (data, taken) = taken.map_or((plain, plain.len()), |taken| (&packed[..], taken));
        let percent = match self.bytes.len() {
            0 => 100,
            length => ((self.sent + taken) * 100 / length) as u8,
        };
        let length = worth_it.then_some(taken as u16);
        let block = Download { percent, data: Some(data), length };
        let service = if worth_it { Service::ZDownload(block) } else { Service::Download(block) };
        service.write(&mut Writer::new(out));
        self.sent += taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::dialect::Dialect;
    use kit::Reader;

    /// Sends a file in blocks, and puts it together again: how many blocks were plain and compressed.
    fn transfer(hundreds: u32, compressed: bool, room: usize) -> (usize, usize) {
        let bytes = file(hundreds).expect("a file");
        let mut sending = Sending::new(bytes.clone(), compressed);
        let (mut got, mut counts, mut last) = (Vec::new(), (0, 0), 0);
        while !sending.done() {
            let mut out = Vec::new();
            sending.next(room, &mut out);
            assert!(out.len() <= room, "{} bytes", out.len());
            let mut r = Reader::new(&out);
            let number = r.u8("svc").expect("a service");
            match Service::read(&mut r, number, &Dialect::r1q2(1901)) {
                Ok(Some(Service::Download(block))) => {
                    counts.0 += 1;
                    last = block.percent;
                    got.extend_from_slice(block.data.expect("data"));
                }
                Ok(Some(Service::ZDownload(block))) => {
                    counts.1 += 1;
                    last = block.percent;
                    let mut plain = Vec::new();
                    let length = block.length.expect("a length").into();
                    deflate::inflate(block.data.expect("data"), length, &mut plain).expect("a block");
                    got.extend_from_slice(&plain);
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((got == bytes, last), (true, 100));
        counts
    }

    #[test]
    fn a_file_arrives_whole_in_blocks_of_either_kind() {
        assert_eq!(transfer(1, false, 1000), (1, 0));
        assert_eq!(transfer(41, false, 1000).1, 0);
        let (plain, packed) = transfer(200, true, 1000);
        assert!(plain > 0 && packed > 0, "{plain} plain, {packed} compressed");
    }

    #[test]
    fn names_say_which_file_is_meant() {
        assert_eq!(hundreds(name(12).as_bytes()), Some(12));
        for other in [&b"proof/.dat"[..], b"proof/x.dat", b"pak0.pak", b""] {
            assert_eq!(hundreds(other), None);
        }
        assert_eq!((file(0), file(MAX_HUNDREDS + 1)), (None, None));
    }
}
