//! Where fuzzing begins: recorded traffic, the project's own scenarios, and a few things made by hand.

use super::input::push_datagram;
use super::mutate::Dice;
use deltaproof::capture::{Capture, CaptureDatagram, Options};
use fte::delta::{self, ENTITY, Entry};
use fte::dialect::{Dialect, Readings, Transport};
use fte::message::{Carrier, Listener};
use fte::state::Entity;
use fte::tap::Tap;
use kit::{DecodeError, Direction, Reader, Writer};
use r1q2::wire::constants::SVC_ZPACKET;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest text that becomes a seed, in bytes: a fuzzer changes one place at a time.
const MAX_TEXT_BYTES: usize = 4096;
/// Datagrams of a recording that follow each other in one seed.
const DATAGRAMS: usize = 24;
/// Seeds with operations of chance.
const MACHINES: u64 = 64;

/// The seeds of the target `name`. `root` is the project's folder.
pub fn of(name: &str, root: &Path) -> Vec<Vec<u8>> {
    let recordings = files(&root.join("golden"), "txt");
    let recordings: Vec<(PathBuf, Vec<CaptureDatagram>)> = recordings
        .into_iter()
        .filter(|path| path.parent().is_some_and(|folder| folder.ends_with("vectors")))
        .map(|path| (path.clone(), recorded(&path)))
        .collect();
    let datagrams = || recordings.iter().flat_map(|(_, datagrams)| datagrams);
    match name {
        "fte_delta" => recordings.iter().flat_map(|(path, datagrams)| entries(path, datagrams)).collect(),
        "fte_messages" => recordings
            .iter()
            .flat_map(|(path, datagrams)| datagrams.iter().map(|datagram| payload(path, datagram)))
            .collect(),
        "qw_handshake" | "r1q2_handshake" => datagrams().filter(|datagram| datagram.bytes.starts_with(&[0xff; 4])).map(bytes).collect(),
        "fitz666_messages" | "nvs_messages" => datagrams().map(|datagram| datagram.bytes.iter().copied().skip(7).collect()).collect(),
        "nvs_tables" => vec![cut(text(&root.join("harness/nvs/src/tables/default.txt")))],
        "pygg2_packets" => vec![
            b"\0\x01\0\x01\0\x01\0\x01\x06\x01".to_vec(),
            b"\0\x08\0\x02\0\x08\x05\0\x03\x06\x40\x10".to_vec(),
            b"\0\x01\0\x01\0\x01\0\x01\x0b\x01\0\0\x08\xfc\0\0\0\x32\0\x01\x04\0\x18\0\0\x03\xe8\x01\x01\x02\x40\0\0\0\x08\xfc\0\0\0\x32\0\0\0\0\x64\x06\0".to_vec(),
        ],
        "netquake" => datagrams().map(bytes).chain(sequences(&recordings)).collect(),
        "r1q2_messages" => recordings.iter().flat_map(|(_, datagrams)| datagrams.iter().map(r1q2_payload)).collect(),
        "r1q2_deflate" => recordings.iter().flat_map(|(_, datagrams)| datagrams).filter_map(zpacket).collect(),
        "qw_netchan" | "r1q2_netchan" | "dissector" | "oracle" => sequences(&recordings).collect(),
        "demos" => demos(&recordings),
        "captures" => recordings.iter().map(|(path, _)| cut(text(path))).chain([pcap(), pcapng()]).collect(),
        "scenario" => files(&root.join("scenarios"), "yaml").iter().map(|path| cut(text(path))).collect(),
        "machines" | "runs" => (1..=MACHINES)
            .map(|seed| {
                let mut dice = Dice::new(seed);
                (0..100 + dice.roll(300)).map(|_| dice.roll(256) as u8).collect()
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn bytes(datagram: &CaptureDatagram) -> Vec<u8> {
    datagram.bytes.clone()
}

/// Files below a folder, in the order of their names.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path, extension),
        false => vec![path],
    };
    paths.into_iter().flat_map(below).filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn cut(text: String) -> Vec<u8> {
    let mut bytes = text.into_bytes();
    bytes.truncate(MAX_TEXT_BYTES);
    bytes
}

/// The datagrams of a recording.
fn recorded(path: &Path) -> Vec<CaptureDatagram> {
    let capture = Capture::from_bytes("seed", text(path).into_bytes(), &Options::default());
    capture.into_iter().flatten().flatten().collect()
}

/// Recordings, in pieces that follow each other.
fn sequences(recordings: &[(PathBuf, Vec<CaptureDatagram>)]) -> impl Iterator<Item = Vec<u8>> {
    recordings.iter().flat_map(|(_, datagrams)| datagrams.chunks(DATAGRAMS)).map(|piece| {
        let mut seed = Vec::new();
        piece.iter().for_each(|datagram| push_datagram(datagram.direction, &datagram.bytes, &mut seed));
        seed
    })
}

fn is_quakeworld(path: &Path) -> bool {
    path.to_string_lossy().contains("_qw_")
}

/// A demo of each container, of what servers said in recordings; and the first of them gzipped.
fn demos(recordings: &[(PathBuf, Vec<CaptureDatagram>)]) -> Vec<Vec<u8>> {
    let mut demos: Vec<Vec<u8>> = Vec::new();
    for (_, datagrams) in recordings {
        let said = datagrams.iter().filter(|datagram| datagram.direction == Direction::ServerToClient).take(DATAGRAMS);
        let said: Vec<&[u8]> = said.map(|datagram| datagram.bytes.as_slice()).collect();
        for (head, skipped, between) in [(&b"2\n"[..], 8, 12), (b"", 8, 0)] {
            let mut demo = head.to_vec();
            for message in said.iter().filter_map(|bytes| bytes.get(skipped..)) {
                demo.extend((message.len() as u32).to_le_bytes());
                demo.extend(vec![0; between]);
                demo.extend(message);
            }
            demos.push(demo);
        }
        // Half a second, and a datagram; 16 ms, and a message to all.
        for (head, skipped) in [(&[0, 0, 0, 0x3f, 1][..], 0), (&[16, 6], 8)] {
            let blocks = said.iter().filter_map(|bytes| bytes.get(skipped..));
            let blocks = blocks.map(|bytes| [head, &(bytes.len() as u32).to_le_bytes(), bytes].concat());
            demos.push(blocks.flatten().collect());
        }
    }
    if let Some(first) = demos.first().cloned() {
        let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1];
        // Stored as it is: the inflater alone needs no compressor.
        let length = first.len().min(0xffff);
        packed.extend((length as u16).to_le_bytes());
        packed.extend((!(length as u16)).to_le_bytes());
        packed.extend(first.get(..length).unwrap_or_default());
        demos.push(packed);
    }
    demos
}

/// What a datagram carries, with a byte for the session in front.
fn payload(path: &Path, datagram: &CaptureDatagram) -> Vec<u8> {
    let header = match (is_quakeworld(path), datagram.direction) {
        (true, Direction::ClientToServer) => 10,
        _ => 8,
    };
    let choice = if is_quakeworld(path) { 0x33 | 4 } else { 0x14 };
    [&[choice], datagram.bytes.get(header..).unwrap_or_default()].concat()
}

/// What a datagram of Quake II carries, with a byte for the revision in front.
fn r1q2_payload(datagram: &CaptureDatagram) -> Vec<u8> {
    let header = if datagram.direction == Direction::ClientToServer { 9 } else { 8 };
    [&[1], datagram.bytes.get(header..).unwrap_or_default()].concat()
}

/// The zpacket that a datagram begins with: its length inflated, and its data.
fn zpacket(datagram: &CaptureDatagram) -> Option<Vec<u8>> {
    let (_, payload) = datagram.bytes.split_at_checked(8)?;
    let (head, data) = payload.split_at_checked(5)?;
    (head[0] == SVC_ZPACKET).then(|| [&head[3..], data].concat())
}

/// The entries of a recording's entity updates, each with a byte for the gate in front.
fn entries(path: &Path, datagrams: &[CaptureDatagram]) -> Vec<Vec<u8>> {
    let transport = if is_quakeworld(path) { Transport::QuakeWorld } else { Transport::NetQuake };
    let (mut tap, mut found) = (Tap::new(transport, Readings::default()), Entries::default());
    for datagram in datagrams {
        // What cannot be read has no entries.
        let _ = tap.datagram(datagram.direction, &datagram.bytes, None, &mut found);
    }
    found.0.sort();
    found.0.dedup();
    found.0
}

#[derive(Default)]
struct Entries(Vec<Vec<u8>>);

impl Listener for Entries {
    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        let Entry::Update(number, flags) = entry else { return Ok(false) };
        let mut state = Entity::NULL;
        delta::read_delta(r, &ENTITY, flags, &Entity::NULL, &mut state, dialect.gate)?;
        let mut seed = vec![if dialect.predinfo() { 0x10 } else { 0 }];
        let mut w = Writer::new(&mut seed);
        delta::write_index(&mut w, number, false);
        delta::write_delta(&mut w, &ENTITY, flags, &state, 0);
        self.0.push(seed);
        Ok(true)
    }
}

/// An Ethernet frame with a UDP packet from a QuakeWorld server.
fn frame() -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    frame.extend([0x45, 0, 0, 34, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]);
    frame.extend([0x6b, 0x6c, 0x6b, 0x6d, 0, 14, 0, 0]);
    frame.extend([0xff, 0xff, 0xff, 0xff, b'j', b'\n']);
    frame
}

/// A pcap file with that frame.
fn pcap() -> Vec<u8> {
    let frame = frame();
    let length = (frame.len() as u32).to_le_bytes();
    let head = [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0];
    [&head[..], &[0; 8], &length, &length, &frame].concat()
}

/// A pcapng file with that frame.
fn pcapng() -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let padding = vec![0; body.len().wrapping_neg() % 4];
        let length = ((12 + body.len() + padding.len()) as u32).to_le_bytes();
        [&kind.to_le_bytes()[..], &length, body, &padding, &length].concat()
    };
    let section = [0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    let frame = frame();
    let length = (frame.len() as u32).to_le_bytes();
    let packet = [&[0; 12][..], &length, &length, &frame].concat();
    [block(0x0a0d_0d0a, &section), block(1, &[1, 0, 0, 0, 0, 0, 4, 0]), block(6, &packet)].concat()
}
