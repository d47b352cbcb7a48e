//! A message of a demo as the datagram that may have brought it: with a header that says nothing but its place.

use kit::Container;

/// The header that every message gets, in bytes.
pub const HEADER_BYTES: usize = 8;

/// NetQuake's services of which the first tells what a message is.
mod nq {
    pub(super) const NOP: u8 = 1;
    pub(super) const UPDATE_STAT: u8 = 3;
    pub(super) const TIME: u8 = 7;
    pub(super) const PRINT: u8 = 8;
    pub(super) const STUFF_TEXT: u8 = 9;
    pub(super) const SERVER_INFO: u8 = 11;
    pub(super) const CLIENT_DATA: u8 = 15;
    /// The player's items, health, ammunition, four stocks and weapon.
    pub(super) const STATE_BYTES: usize = 4 + 2 + 1 + 4 + 1;
    /// Those of FTE.
    pub(super) const UPDATE_STAT_BYTE: u8 = 51;
    pub(super) const UPDATE_STAT_FLOAT: u8 = 79;
    pub(super) const UPDATE_ENTITIES: u8 = 86;
    /// The mask of FTE's second extensions: PREDINFO.
    pub(super) const PREDINFO: u32 = 0x20;
    /// The flag of an unreliable datagram, with its length below it.
    pub(super) const UNRELIABLE: u32 = 0x0010_0000;
    /// The flags of a reliable one that is whole.
    pub(super) const RELIABLE: u32 = 0x0009_0000;
    /// What servers say reliably: texts, names, the steps of a sign-on and what a map is made of. The last are those of
    /// FitzQuake and of FTE.
    pub(super) const RELIABLY: [u8; 25] = [
        2,
        PRINT,
        STUFF_TEXT,
        SERVER_INFO,
        12,
        13,
        14,
        17,
        20,
        22,
        24,
        25,
        26,
        27,
        28,
        29,
        30,
        31,
        32,
        33,
        42,
        43,
        44,
        21,
        66,
    ];
}

/// QuakeWorld's `svc_serverdata`.
const QW_SERVERDATA: u8 = 11;
/// Quake II's `svc_serverdata`.
pub const Q2_SERVERDATA: u8 = 12;
/// Quake II's `svc_frame`.
const Q2_FRAME: u8 = 20;
/// The bits of a frame's number.
const Q2_FRAME_NUMBER: u32 = 0x07ff_ffff;
/// From one frame of Quake II to the next, in microseconds.
const Q2_FRAME_US: u64 = 100_000;
/// So many frames of QuakeWorld are told apart: what a frame builds on is a number below this.
const QW_FRAMES: u32 = 256;

/// Numbers the messages of each part.
#[derive(Debug)]
pub struct Wrapper {
    container: Container,
    part: u16,
    /// The number of the part's newest datagram.
    newest: u32,
    /// NetQuake: the numbers of its next unreliable and of its next reliable datagram, which are counted apart.
    numbers: [u32; 2],
    /// QuakeWorld: what is added to the numbers that its datagrams have, so that they rise.
    added: u32,
}

impl Wrapper {
    /// For the messages of such a demo.
    pub const fn new(container: Container) -> Wrapper {
        Wrapper { container, part: 0, newest: 0, numbers: [0; 2], added: 0 }
    }

    /// The datagram that may have brought `message`.
    pub fn datagram(&mut self, part: u16, message: Vec<u8>) -> Vec<u8> {
        if part != self.part {
            (self.part, self.newest, self.numbers, self.added) = (part, 0, [0; 2], 0);
        }
        if self.container == Container::Qwd {
            return self.renumbered(message);
        }
        self.newest += 1;
        let mut datagram = Vec::with_capacity(HEADER_BYTES + message.len());
        match self.container {
            Container::Dem => {
                let kind = usize::from(is_reliable(&message));
                let (flags, number) = ([nq::UNRELIABLE, nq::RELIABLE][kind], self.numbers[kind]);
                self.numbers[kind] += 1;
                datagram.extend((flags | (HEADER_BYTES + message.len()) as u32).to_be_bytes());
                datagram.extend(number.to_be_bytes());
            }
            _ => {
                datagram.extend(self.newest.to_le_bytes());
                datagram.extend(0_u32.to_le_bytes());
            }
        }
        datagram.extend(message);
        datagram
    }

    /// A `.qwd` has whole datagrams. Where a recording was begun or cut, their numbers fall: more is added to them, in steps that
    /// change nothing of what a frame builds on.
    fn renumbered(&mut self, mut message: Vec<u8>) -> Vec<u8> {
        let Some(word) = message.first_chunk_mut() else { return message };
        let number = u32::from_le_bytes(*word);
        if number == u32::MAX {
            return message;
        }
        let (flags, number) = (number & 1 << 31, number & !(1 << 31));
        if number.wrapping_add(self.added) <= self.newest {
            let missing = self.newest.saturating_sub(number) / QW_FRAMES + 1;
            self.added = missing.wrapping_mul(QW_FRAMES);
        }
        self.newest = number.wrapping_add(self.added) & !(1 << 31);
        *word = (flags | self.newest).to_le_bytes();
        message
    }
}

/// Whether a message begins a map, and so perhaps quite another session.
pub fn begins_part(container: Container, message: &[u8]) -> bool {
    match container {
        Container::Dem => after_texts(message) == Some(nq::SERVER_INFO),
        Container::Qwd => message.get(HEADER_BYTES) == Some(&QW_SERVERDATA) && !message.starts_with(&[0xff; 4]),
        Container::Mvd => message.first() == Some(&QW_SERVERDATA),
        Container::Dm2 => message.first() == Some(&Q2_SERVERDATA),
    }
}

/// NetQuake: whether a server says this reliably. Nothing but its first service tells.
fn is_reliable(message: &[u8]) -> bool {
    let first = message.iter().find(|service| **service != nq::NOP);
    first.is_some_and(|service| nq::RELIABLY.contains(service))
}

/// NetQuake: the number of a datagram that is to be acknowledged.
pub fn reliable_number(container: Container, datagram: &[u8]) -> Option<[u8; 4]> {
    let flags = u32::from_be_bytes(*datagram.first_chunk()?);
    let is_reliable = container == Container::Dem && flags & nq::RELIABLE == nq::RELIABLE;
    datagram.get(4..)?.first_chunk().copied().filter(|_| is_reliable)
}

/// NetQuake: the first service that is no text: a server greets before it announces the map.
fn after_texts(message: &[u8]) -> Option<u8> {
    let mut rest = message;
    loop {
        match *rest.first()? {
            nq::NOP => rest = rest.get(1..)?,
            nq::PRINT | nq::STUFF_TEXT => {
                let end = rest.iter().position(|byte| *byte == 0)?;
                rest = rest.get(end + 1..)?;
            }
            service => return Some(service),
        }
    }
}

/// Reads the time that messages say it is: the containers of NetQuake and Quake II have none of their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clockwork {
    /// NetQuake: FTE's PREDINFO was agreed upon, by which an update of entities counts moves in front of its time.
    counts_moves: bool,
}

impl Clockwork {
    /// The time that the next message says it is, in microseconds.
    pub fn said_time(&mut self, container: Container, message: &[u8]) -> Option<u64> {
        if begins_part(container, message) {
            self.counts_moves = container == Container::Dem && agrees_on_predinfo(message);
        }
        let seconds = |word: [u8; 4]| {
            let seconds = f32::from_le_bytes(word);
            (0.0..1e9).contains(&seconds).then(|| (f64::from(seconds) * 1e6) as u64)
        };
        let word = |at: usize| message.get(at..)?.first_chunk().copied();
        match (container, *message.first()?) {
            (Container::Dem, nq::TIME) => seconds(word(1)?),
            (Container::Dem, _) => {
                let at = behind_state(message);
                let is_update = message.get(at) == Some(&nq::UPDATE_ENTITIES);
                seconds(word(at + if self.counts_moves { 3 } else { 1 })?).filter(|_| is_update)
            }
            // R1Q2 uses the upper bits otherwise.
            (Container::Dm2, Q2_FRAME) => Some(u64::from(u32::from_le_bytes(word(1)?) & Q2_FRAME_NUMBER) * Q2_FRAME_US),
            _ => None,
        }
    }
}

/// NetQuake: how long the statistics and the state of the player are with which a message begins.
fn behind_state(message: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += match message.get(at) {
            Some(&nq::NOP) => 1,
            Some(&nq::UPDATE_STAT_BYTE) => 3,
            Some(&(nq::UPDATE_STAT | nq::UPDATE_STAT_FLOAT)) => 6,
            Some(&nq::CLIENT_DATA) => 3 + netquake_state(message.get(at + 1..).unwrap_or_default()),
            _ => return at,
        };
    }
}

/// NetQuake: how long the player's state is behind the first 16 of its bits: a byte for each of the bits here, and what is always
/// there. Those from bit 16 on are of protocol 666, and announce themselves.
fn netquake_state(state: &[u8]) -> usize {
    const BYTES: u32 = 0x037f_70ff;
    let byte = |at: usize| state.get(at).copied().map_or(0, u32::from);
    let (mut bits, mut more) = (byte(0) | byte(1) << 8, 0);
    for extended in [15, 23] {
        if bits & 1 << extended != 0 {
            bits |= byte(2 + more) << (extended + 1);
            more += 1;
        }
    }
    (bits & BYTES).count_ones() as usize + more + nq::STATE_BYTES
}

/// NetQuake: whether a serverinfo says that FTE's PREDINFO is agreed upon: in front of its protocol stand names of masks, each with
/// a mask.
fn agrees_on_predinfo(message: &[u8]) -> bool {
    let Some(info) = message.iter().position(|byte| *byte == nq::SERVER_INFO) else { return false };
    let mut words = message.get(info + 1..).unwrap_or_default().as_chunks::<4>().0.iter();
    while let (Some(name), Some(mask)) = (words.next(), words.next()) {
        match name {
            b"FTE2" => return u32::from_le_bytes(*mask) & nq::PREDINFO != 0,
            b"FTEX" => {}
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_netquake_frame_stands_behind_what_comes_before_it() {
        let update = [&[nq::UPDATE_ENTITIES][..], &2.5_f32.to_le_bytes(), &[0, 0]].concat();
        let state = |bits: &[u8], bytes: usize| [&[nq::CLIENT_DATA][..], bits, &vec![0; bytes + 12]].concat();
        let fronts = [
            Vec::new(),
            vec![nq::NOP, nq::UPDATE_STAT_BYTE, 0, 100],
            // Items and weapon; the same with a view height, punches and velocities.
            state(&[0x00, 0x42], 1),
            state(&[0xff, 0x42], 9),
            // Protocol 666: the upper byte of the weapon; that, and the opacity of the weapon.
            state(&[0x00, 0xc2, 0x01], 2),
            state(&[0x00, 0xc2, 0x81, 0x02], 3),
            [&[nq::NOP][..], &state(&[0x00, 0x72], 3), &[nq::UPDATE_STAT_FLOAT, 1, 0, 0, 0, 0]].concat(),
        ];
        for front in fronts {
            let said = Clockwork::default().said_time(Container::Dem, &[&front[..], &update].concat());
            assert_eq!(said, Some(2_500_000), "{front:?}");
            for length in 0..front.len() {
                assert_eq!(
                    Clockwork::default().said_time(Container::Dem, &front[..length]),
                    None,
                    "{length} of {front:?}"
                );
            }
        }
    }
}
