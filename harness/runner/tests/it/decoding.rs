//! `decode` over whole files.

use super::{file, run, text};
use etherparse::PacketBuilder;
use pcap_file::DataLink;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionBlock;
use std::borrow::Cow;
use std::time::Duration;

/// The start of a QuakeWorld session: challenge, its answer, connect, and its answer.
const SESSION: [(&str, &[u8]); 4] = [
    ("c2s", b"\xff\xff\xff\xffgetchallenge\n"),
    ("s2c", b"\xff\xff\xff\xffc12345\0"),
    ("c2s", b"\xff\xff\xff\xffconnect 28 77 12345 \"\\name\\probe\"\n"),
    ("s2c", b"\xff\xff\xff\xffj\n"),
];

fn as_text() -> Vec<u8> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let lines = SESSION.iter().map(|(direction, bytes)| format!("{direction} oob {}\n", hex(bytes)));
    lines.collect::<String>().into_bytes()
}

fn packets() -> Vec<Vec<u8>> {
    let (server, client) = (([10, 0, 0, 1], 27500), ([10, 0, 0, 2], 27001));
    let packet = |(direction, bytes): &(&str, &[u8])| {
        let (from, to) = if *direction == "c2s" { (client, server) } else { (server, client) };
        let mut out = Vec::new();
        PacketBuilder::ipv4(from.0, to.0, 64).udp(from.1, to.1).write(&mut out, bytes).expect("writes to memory");
        out
    };
    SESSION.iter().map(packet).collect()
}

fn as_pcap() -> Vec<u8> {
    let header = PcapHeader { datalink: DataLink::RAW, ..PcapHeader::default() };
    let mut writer = PcapWriter::with_header(Vec::new(), header).expect("writes to memory");
    for packet in packets() {
        writer.write_packet(&PcapPacket::new(Duration::ZERO, packet.len() as u32, &packet)).expect("writes to memory");
    }
    writer.into_writer()
}

fn as_pcapng() -> Vec<u8> {
    let mut writer = PcapNgWriter::new(Vec::new()).expect("writes to memory");
    writer.write_pcapng_block(InterfaceDescriptionBlock::new(DataLink::RAW, 0xffff)).expect("writes to memory");
    for packet in packets() {
        let block = EnhancedPacketBlock {
            interface_id: 0,
            timestamp: Duration::ZERO,
            original_len: packet.len() as u32,
            data: Cow::Borrowed(&packet),
            options: Vec::new(),
        };
        writer.write_pcapng_block(block).expect("writes to memory");
    }
    writer.into_inner()
}

#[test]
fn the_same_session_decodes_the_same_from_every_kind_of_file() {
    let from_text = run(&["decode", &file("session.txt", &as_text())]);
    assert_eq!(text(&from_text.stderr), "");
    assert_eq!(from_text.status.code(), Some(0), "{}", text(&from_text.stdout));
    assert!(text(&from_text.stdout).contains("4 datagrams, 4 messages, 0 undecoded bytes\n"));
    for path in [file("session.pcap", &as_pcap()), file("session.pcapng", &as_pcapng())] {
        let output = run(&["decode", &path]);
        assert_eq!(text(&output.stdout), text(&from_text.stdout), "{path}");
        assert_eq!(output.status.code(), Some(0), "{path}");
    }
}

#[test]
fn every_line_of_json_parses_and_the_last_is_the_summary() {
    let output = run(&["decode", "--format", "json", &file("session-json.txt", &as_text())]);
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0]["direction"], "c2s");
    assert_eq!(lines[3]["n"], 4);
    assert_eq!(lines[4]["summary"]["datagrams"], 4);
    assert_eq!(lines[4]["summary"]["undecoded_bytes"], 0);
}

#[test]
fn standard_input_is_read_for_a_dash() {
    let input = std::fs::File::open(file("stdin.txt", &as_text())).expect("the file was just written");
    let output = super::deltaproof(&["decode", "-q", "-"]).stdin(input).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout).lines().count(), 7);
}
