//! pcap and pcapng files built here and read back.

use super::CaptureDatagram;
use super::packets::PacketReader;
use etherparse::{IpFragOffset, IpNumber, Ipv4Header, PacketBuilder, VlanId};
use kit::{Direction, Time};
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::{DataLink, Endianness, TsResolution};
use std::borrow::Cow;
use std::io::Cursor;
use std::time::Duration;

const SERVER: ([u8; 4], u16) = ([10, 0, 0, 1], 27500);
const CLIENT: ([u8; 4], u16) = ([10, 0, 1, 1], 27001);

/// An IPv4 packet with a UDP datagram.
fn ip(from: ([u8; 4], u16), to: ([u8; 4], u16), payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    PacketBuilder::ipv4(from.0, to.0, 64).udp(from.1, to.1).write(&mut out, payload).expect("writes to memory");
    out
}

fn pcap(link: DataLink, endianness: Endianness, packets: &[Vec<u8>]) -> Vec<u8> {
    let header =
        PcapHeader { datalink: link, endianness, ts_resolution: TsResolution::MicroSecond, ..Default::default() };
    let mut writer = PcapWriter::with_header(Vec::new(), header).expect("writes to memory");
    for (index, packet) in packets.iter().enumerate() {
        let time = Duration::from_millis(1_000_000 + 250 * index as u64);
        writer.write_packet(&PcapPacket::new(time, packet.len() as u32, packet)).expect("writes to memory");
    }
    writer.into_writer()
}

fn pcapng(links: &[(DataLink, u8)], packets: &[(u32, u64, Vec<u8>)]) -> Vec<u8> {
    let mut writer = PcapNgWriter::new(Vec::new()).expect("writes to memory");
    for &(linktype, resolution) in links {
        let options = vec![InterfaceDescriptionOption::IfTsResol(resolution)];
        let block = InterfaceDescriptionBlock { linktype, snaplen: 0xffff, options };
        writer.write_pcapng_block(block).expect("writes to memory");
    }
    for (interface_id, ticks, packet) in packets {
        let block = EnhancedPacketBlock {
            interface_id: *interface_id,
            timestamp: Duration::from_nanos(*ticks),
            original_len: packet.len() as u32,
            data: Cow::Borrowed(packet),
            options: Vec::new(),
        };
        writer.write_pcapng_block(block).expect("writes to memory");
    }
    writer.into_inner()
}

fn read(file: Vec<u8>, port: Option<u16>) -> (Vec<CaptureDatagram>, Option<String>, Vec<String>) {
    let mut reader = match PacketReader::new("x.pcap", Cursor::new(file), port) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Some(error.to_string()), Vec::new()),
    };
    let mut found = Vec::new();
    loop {
        match reader.next_datagram() {
            Ok(Some(datagram)) => found.push(datagram),
            Ok(None) => return (found, None, reader.remarks()),
            Err(error) => return (found, Some(error.to_string()), reader.remarks()),
        }
    }
}

/// One request and one answer must come back from `file`, whatever it wraps them in.
#[track_caller]
fn check(file: Vec<u8>) {
    let (found, error, remarks) = read(file, None);
    assert_eq!((error, remarks), (None, Vec::new()));
    let seen: Vec<_> = found.iter().map(|it| (it.direction, it.client.0, it.bytes.as_slice())).collect();
    assert_eq!(seen, [(Direction::ClientToServer, 1, &b"ask"[..]), (Direction::ServerToClient, 1, &b"answer!"[..])]);
    assert_eq!(found[1].time, Some(Time(250_000)));
}

fn conversation(wrap: impl Fn(Vec<u8>) -> Vec<u8>) -> Vec<Vec<u8>> {
    vec![wrap(ip(CLIENT, SERVER, b"ask")), wrap(ip(SERVER, CLIENT, b"answer!"))]
}

fn behind(head: &[u8]) -> impl Fn(Vec<u8>) -> Vec<u8> {
    let head = head.to_vec();
    move |packet| [head.as_slice(), &packet].concat()
}

#[test]
fn pcap_files_of_every_link_type_are_read() {
    let ethernet = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 6, 0x08, 0x00];
    let cooked = [0, 0, 3, 4, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0x08, 0x00];
    let cooked2 = [0x08, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xfe, 4, 6, 0, 0, 0, 0, 0, 0, 0, 0];
    for endianness in [Endianness::Big, Endianness::Little] {
        check(pcap(DataLink::ETHERNET, endianness, &conversation(behind(&ethernet))));
        check(pcap(DataLink::RAW, endianness, &conversation(behind(&[]))));
        check(pcap(DataLink::NULL, endianness, &conversation(behind(&[2, 0, 0, 0]))));
        check(pcap(DataLink::LOOP, endianness, &conversation(behind(&[0, 0, 0, 2]))));
        check(pcap(DataLink::LINUX_SLL, endianness, &conversation(behind(&cooked))));
        check(pcap(DataLink::LINUX_SLL2, endianness, &conversation(behind(&cooked2))));
    }
}

#[test]
fn vlan_tags_and_ipv6_are_read() {
    let build = |from: (u8, u16), to: (u8, u16), payload: &[u8]| {
        let mut out = Vec::new();
        let address = |host| [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host];
        PacketBuilder::ethernet2([1; 6], [2; 6])
            .single_vlan(VlanId::try_new(7).expect("a small number"))
            .ipv6(address(from.0), address(to.0), 64)
            .udp(from.1, to.1)
            .write(&mut out, payload)
            .expect("writes to memory");
        out
    };
    let packets = [build((2, 27001), (1, 27500), b"ask"), build((1, 27500), (2, 27001), b"answer!")];
    check(pcap(DataLink::ETHERNET, Endianness::Little, &packets));
}

#[test]
fn pcapng_time_stamps_follow_the_resolution_of_the_interface() {
    let [ask, answer] = <[_; 2]>::try_from(conversation(behind(&[]))).expect("two packets");
    let in_ns = (0, 5_000_000_000, ask.clone());
    check(pcapng(&[(DataLink::RAW, 9)], &[in_ns.clone(), (0, 5_250_000_000, answer.clone())]));
    check(pcapng(&[(DataLink::RAW, 6)], &[(0, 5_000_000, ask.clone()), (0, 5_250_000, answer.clone())]));
    check(pcapng(&[(DataLink::RAW, 0x82)], &[(0, 20, ask), (0, 21, answer.clone())]));
    check(pcapng(&[(DataLink::RAW, 9), (DataLink::RAW, 3)], &[in_ns, (1, 5_250, answer)]));
}

#[test]
fn what_is_skipped_is_counted_by_reason() {
    let fragment = {
        let mut header = Ipv4Header::new(8, 64, IpNumber::UDP, SERVER.0, CLIENT.0).expect("a short payload");
        header.fragment_offset = IpFragOffset::try_new(100).expect("a small number");
        let mut out = Vec::new();
        header.write(&mut out).expect("writes to memory");
        out.extend([0; 8]);
        out
    };
    let mut tcp = Vec::new();
    PacketBuilder::ipv4(CLIENT.0, SERVER.0, 64).tcp(1, 2, 3, 4).write(&mut tcp, b"x").expect("writes to memory");
    let other = ip((CLIENT.0, 5000), ([9, 9, 9, 9], 53), b"dns");
    let packets =
        [ip(CLIENT, SERVER, b"ask"), fragment, tcp.clone(), tcp, other, vec![0x45, 0], ip(SERVER, CLIENT, b"answer!")];
    let (found, error, remarks) = read(pcap(DataLink::RAW, Endianness::Little, &packets), None);
    assert_eq!((found.len(), error), (2, None));
    assert_eq!(remarks, ["skipped 5 packets: 1 IP fragments, 2 not UDP, 1 of other ports, 1 with broken headers"]);
}

#[test]
fn a_frame_that_the_recorder_shortened_is_skipped_as_such() {
    let whole = ip(SERVER, CLIENT, b"answer!");
    let mut writer = PcapWriter::with_header(
        Vec::new(),
        PcapHeader { datalink: DataLink::RAW, endianness: Endianness::Little, ..Default::default() },
    )
    .expect("writes to memory");
    let part = PcapPacket::new(Duration::ZERO, whole.len() as u32, &whole[..30]);
    writer.write_packet(&part).expect("writes to memory");
    let (found, error, remarks) = read(writer.into_writer(), None);
    assert_eq!((found.len(), error), (0, None));
    assert_eq!(remarks, ["skipped 1 packet: 1 cut short by the recorder"]);
}

#[test]
fn without_a_well_known_port_the_first_destination_is_the_server() {
    let (server, client) = (([10, 0, 0, 1], 5000), ([10, 0, 0, 2], 6000));
    let packets = [ip(client, server, b"1"), ip(server, client, b"2")];
    let (found, _, _) = read(pcap(DataLink::RAW, Endianness::Little, &packets), None);
    assert_eq!(found.iter().map(|it| it.direction.to_string()).collect::<Vec<_>>(), ["c2s", "s2c"]);
    let (found, _, _) = read(pcap(DataLink::RAW, Endianness::Little, &packets), Some(6000));
    assert_eq!(found.iter().map(|it| it.direction.to_string()).collect::<Vec<_>>(), ["s2c", "c2s"]);
}

#[test]
fn a_file_that_is_cut_in_a_packet_gives_those_before_and_says_so() {
    let file = pcap(DataLink::RAW, Endianness::Little, &conversation(behind(&[])));
    let second = (file.len() + 24) / 2;
    for end in [second + 1, file.len() - 3] {
        let (found, error, remarks) = read(file[..end].to_vec(), None);
        assert_eq!((found.len(), error), (1, None), "{end} bytes");
        assert_eq!(remarks, ["the file ends in the middle of packet 2, which is left out"], "{end} bytes");
    }
    let (_, error, _) = read(file[..20].to_vec(), None);
    let said = "x.pcap: the file ends in the middle of its header; record it again; end the recorder with Ctrl-C";
    assert_eq!(error.as_deref(), Some(said));
}

#[test]
fn an_unknown_link_type_names_the_known_ones() {
    let (_, error, _) = read(pcap(DataLink::IEEE802_11, Endianness::Little, &[vec![1, 2, 3]]), None);
    assert_eq!(
        error.as_deref(),
        Some(
            "x.pcap: its packets have link type 105; known are Ethernet, raw IP, BSD loopback and Linux cooked (SLL, SLL2); \
             record on another interface"
        )
    );
}

#[test]
fn no_change_of_one_byte_and_no_cut_makes_the_reader_panic() {
    let ng = pcapng(
        &[(DataLink::RAW, 6)],
        &conversation(behind(&[])).into_iter().map(|packet| (0, 0, packet)).collect::<Vec<_>>(),
    );
    let classic = pcap(DataLink::RAW, Endianness::Little, &conversation(behind(&[])));
    for file in [ng, classic] {
        let mut outcomes = 0;
        for at in 0..file.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = file.clone();
                changed[at] = value;
                outcomes += usize::from(read(changed, None).0.len() <= 2);
            }
            outcomes += usize::from(read(file[..at].to_vec(), None).0.len() < 2);
        }
        assert_eq!(outcomes, file.len() * 5);
    }
}
