//! Packets worked out by hand from the concept and the decisions of GG2-P1: fields in their order, big-endian, unpadded.
//! What is written and read wrongly in both directions round-trips; these bytes do not come from our codec.

use kit::{Reader, Writer};
use pygg2::complete::{CompleteUpdate, Living, Sentry, Stats};
use pygg2::message::*;
use pygg2::snapshot::{Base, Body, ClassFields, Declared, Snapshot, lengthen, xor};

const NOTHING: Declared = Declared::NOTHING;

/// Right key down, aiming 16384 (a quarter of the circle), at 2300, 50; 100 hp.
const A: Base = Base { inputstate: 2, aimdirection: 16384, x: 2300, y: 50, hspeed: 0, vspeed: 0, hp: 100 };
/// Right and up, aiming 16400, at 2304, 49, moving 120, -35.
const B: Base = Base { inputstate: 6, aimdirection: 16400, x: 2304, y: 49, hspeed: 120, vspeed: -35, hp: 100 };

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter_map(|c| (c as char).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn pascal(text: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = vec![text.len() as u8];
    bytes.extend_from_slice(text);
    bytes.resize(size, 0);
    bytes
}

fn written(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut Writer::new(&mut out));
    out
}

/// Writes an event to the bytes, reads the bytes to the event, and cuts them at every length.
#[track_caller]
fn check(event: &ServerEvent, created: u16, bytes: &[u8]) {
    assert_eq!(written(|w| event.write(w, created)), bytes);
    let mut r = Reader::new(bytes);
    let read = read_server_record(&mut r, NOTHING).expect("a record");
    assert_eq!((read.created, read.what, r.left()), (created, ServerRecord::Event(event.clone()), 0));
    for length in 0..bytes.len() {
        assert!(read_server_record(&mut Reader::new(&bytes[..length]), NOTHING).is_err(), "cut at {length}");
    }
}

#[track_caller]
fn check_client(event: &ClientEvent, created: u16, bytes: &[u8]) {
    assert_eq!(written(|w| event.write(w, created)), bytes);
    let mut r = Reader::new(bytes);
    let read = read_client_record(&mut r).expect("a record");
    assert_eq!((read.created, read.what, r.left()), (created, ClientRecord::Event(event.clone()), 0));
    for length in 0..bytes.len() {
        assert!(read_client_record(&mut Reader::new(&bytes[..length])).is_err(), "cut at {length}");
    }
}

#[test]
fn a_body_is_sixteen_bytes_in_the_order_of_the_concept() {
    for (base, bytes) in [
        (A, "02 4000 000008FC 00000032 0000 0000 64"),
        // -35 is 0xffdd in two's complement.
        (B, "06 4010 00000900 00000031 0078 FFDD 64"),
    ] {
        assert_eq!(written(|w| base.write(w)), hex(bytes));
        assert_eq!(Base::read(&mut Reader::new(&hex(bytes))), Ok(base));
    }
}

#[test]
fn the_keys_are_the_bits_from_the_lowest_on() {
    use pygg2::constants::*;
    assert_eq!([LEFT, RIGHT, UP, MOUSELEFT, MOUSERIGHT], [1, 2, 4, 8, 16]);
    assert_eq!(Base { inputstate: 0xff, ..A }.masked().inputstate, 0x1f);
}

fn snapshot(time: u32, base: Base) -> Snapshot {
    Snapshot { time, bodies: vec![Body { id: 1, base, ammo: 6, cloaked: false, class: None, extras: Vec::new() }] }
}

/// Time 1000 is 0x3e8; one player, number 1; 6 shots; no flags.
const SNAPSHOT_A: &str = "000003E8 01 01 024000000008FC000000320000000064 06 00";

#[test]
fn a_snapshot_has_its_time_and_the_living() {
    let bytes = hex(SNAPSHOT_A);
    assert_eq!((bytes.len(), snapshot(1000, A).encode()), (24, bytes.clone()));
    assert_eq!(Snapshot::decode(&bytes, NOTHING), Ok(snapshot(1000, A)));
    let cloaked = Snapshot { time: 1000, bodies: vec![Body { cloaked: true, ..snapshot(1000, A).bodies.remove(0) }] };
    assert_eq!(cloaked.encode()[23], 1);
    for length in 0..bytes.len() {
        assert!(Snapshot::decode(&bytes[..length], NOTHING).is_err(), "cut at {length}");
    }
}

#[test]
fn bytes_of_ones_own_stand_behind_each_body_if_they_are_declared() {
    let mut with = snapshot(1000, A);
    with.bodies[0].extras = vec![7, 8];
    let bytes = [hex(SNAPSHOT_A), vec![7, 8]].concat();
    assert_eq!(
        (with.encode(), Snapshot::decode(&bytes, Declared { class_fields: false, extras: 2 })),
        (bytes.clone(), Ok(with))
    );
    assert!(Snapshot::decode(&bytes, NOTHING).is_err());
}

/// Every class field has another value: a byte each in the order of the concept, and two for ubercharge (2000 is 0x7d0).
#[test]
fn class_fields_stand_between_a_body_and_bytes_of_ones_own() {
    let all = ClassFields {
        afterburn: 1,
        movestatus: 2,
        doublejump: 3,
        sandvich: 4,
        stickies: 5,
        ubercharge: 2000,
        ubercharge_rate: 6,
        healing_ramp: 7,
        nuts_and_bolts: 8,
        damage: 9,
    };
    let mut with = snapshot(1000, A);
    with.bodies[0].class = Some(all);
    with.bodies[0].extras = vec![0xaa];
    let bytes = [hex(SNAPSHOT_A), hex("01 02 03 04 05 07D0 06 07 08 09 AA")].concat();
    let declared = Declared { class_fields: true, extras: 1 };
    assert_eq!((with.encode(), Snapshot::decode(&bytes, declared)), (bytes.clone(), Ok(with)));
    assert!(Snapshot::decode(&bytes, NOTHING).is_err());
}

#[test]
fn each_class_has_the_fields_that_the_concept_lists() {
    let all = ClassFields::read(&mut Reader::new(&hex("01 02 03 04 05 07D0 06 07 08 09"))).expect("class fields");
    for (class, bytes) in [
        (0, "01 02 03 00 00 0000 00 00 00 00"), // scout: doublejump
        (1, "00 02 00 00 00 0000 00 00 00 00"), // pyro: no afterburn
        (2, "01 02 00 00 00 0000 00 00 00 00"), // soldier
        (3, "01 02 00 04 00 0000 00 00 00 00"), // heavy: sandvich
        (4, "01 02 00 00 05 0000 00 00 00 00"), // demoman: stickies
        (5, "01 02 00 00 00 07D0 06 07 00 00"), // medic: ubercharge, its rate, healing ramp
        (6, "01 02 00 00 00 0000 00 00 08 00"), // engineer: nuts and bolts
        (7, "01 02 00 00 00 0000 00 00 00 00"), // spy
        (8, "01 02 00 00 00 0000 00 00 00 09"), // sniper: damage
        (9, "01 02 00 00 00 0000 00 00 00 00"), // quote
    ] {
        assert_eq!(written(|w| all.of_class(class).write(w)), hex(bytes), "class {class}");
    }
}

/// The first packet: absolute, acknowledges the client's first, with a spawn of player 1 at 2300, 50.
fn first_packet() -> Vec<u8> {
    [hex("0001 0001 0001  0001 0B 01 000008FC 00000032  0001 04 0018"), hex(SNAPSHOT_A)].concat()
}

/// The second: 50 ms later, over the first, acknowledges the client's seventh. Each byte is that of one snapshot XOR that
/// of the other; so 0x3e8 and 0x41a (1050) make 0x7f2.
const SECOND_PACKET: &str = "0002 0001 0007  0002 04 0018  000007F2 00 00 04 0010 000001FC 00000003 0078 FFDD 00 00 00";

#[test]
fn the_first_packet_is_absolute_and_the_second_the_difference() {
    let first = written(|w| {
        ServerHeader { sequence: 1, delta_sequence: 1, last_acked_sequence: 1 }.write(w);
        ServerEvent::Spawn { id: 1, x: 2300, y: 50 }.write(w, 1);
        write_snapshot(w, 1, &Difference { xored: snapshot(1000, A).encode(), runs: false });
    });
    assert_eq!((first.len(), first), (47, first_packet()));
    let xored = xor(&snapshot(1050, B).encode(), &snapshot(1000, A).encode());
    let second = written(|w| {
        ServerHeader { sequence: 2, delta_sequence: 1, last_acked_sequence: 7 }.write(w);
        write_snapshot(w, 2, &Difference { xored: xored.clone(), runs: false });
    });
    assert_eq!((second.len(), second), (35, hex(SECOND_PACKET)));

    let bytes = hex(SECOND_PACKET);
    let mut r = Reader::new(&bytes);
    let header = ServerHeader::read(&mut r).expect("a header");
    assert_eq!((header.sequence, header.delta_sequence, header.last_acked_sequence), (2, 1, 7));
    let mut records = Vec::new();
    read_server_records(&mut r, NOTHING, &mut records).expect("records");
    let [Stamped { what: ServerRecord::Snapshot(difference), .. }] = &records[..] else { panic!("{records:?}") };
    let bytes = xor(&difference.xored, &hex(SNAPSHOT_A));
    assert_eq!(Snapshot::decode(&bytes, NOTHING), Ok(snapshot(1050, B)));
}

/// Whoever implements the protocol from the page alone checks their work against its bytes.
#[test]
fn the_page_has_these_bytes() {
    let page = include_str!("../../README.md");
    let digits = |text: &str| text.chars().filter(char::is_ascii_hexdigit).count();
    let is_hex =
        |text: &&str| digits(text).is_multiple_of(2) && text.chars().all(|c| c.is_ascii_hexdigit() || c == ' ');
    let quoted: Vec<Vec<u8>> = page.split('`').skip(1).step_by(2).filter(is_hex).map(hex).collect();
    for bytes in [
        first_packet(),
        hex(SECOND_PACKET),
        hex("0002 0E 0018  0002 07F2 0002 04 0001 10 0002 01FC 0003 03 0001 78FFDD 0003"),
        snapshot(1050, B).encode(),
        hex("0001 0001 0001  0001 06 01"),
        hex("0008 0002  0008 05 0003 06 4010"),
    ] {
        assert!(quoted.contains(&bytes), "{bytes:02X?}");
    }
}

#[test]
fn runs_of_zeros_are_a_zero_and_their_number() {
    // The same difference: 2 zeros, 07 F2, 2 zeros, 04, 1 zero, 10, 2 zeros, 01 FC, 3 zeros, 03, 1 zero, 78 FF DD, 3 zeros.
    let short = hex("0002 07F2 0002 04 0001 10 0002 01FC 0003 03 0001 78FFDD 0003");
    let xored = hex("000007F2 00 00 04 0010 000001FC 00000003 0078 FFDD 00 00 00");
    let packet = [hex("0002 0E 0018"), short.clone()].concat();
    let difference = Difference { xored: xored.clone(), runs: true };
    assert_eq!(written(|w| write_snapshot(w, 2, &difference)), packet);
    let read = read_server_record(&mut Reader::new(&packet), NOTHING).expect("a record");
    assert_eq!(read.what, ServerRecord::Snapshot(difference));
    assert_eq!(lengthen(&mut Reader::new(&short), 24), Ok(xored));
}

#[test]
fn events_of_the_server() {
    let hi = Hi { server: b"srv".to_vec(), your_id: 3, num_players: 2, map: b"ctf".to_vec(), version: 0x102 };
    let bytes = [hex("0001 00"), pascal(b"srv", 32), vec![3, 2], pascal(b"ctf", 64), vec![1, 2]].concat();
    assert_eq!(bytes.len(), 103);
    check(&ServerEvent::Hi(hi), 1, &bytes);
    let join = [hex("0002 01 0104"), pascal(b"anna", 32)].concat();
    check(&ServerEvent::Join { id: 0x104, name: b"anna".to_vec() }, 2, &join);
    check(&ServerEvent::Refuse { reason: 1 }, 1, &hex("0001 06 01"));
    check(&ServerEvent::ChangeTeam { id: 3, team: 1 }, 0x1234, &hex("1234 08 0003 01"));
    check(&ServerEvent::ChangeClass { id: 3, class: 9 }, 0xffff, &hex("FFFF 09 0003 09"));
    check(&ServerEvent::Spawn { id: 1, x: 2300, y: 50 }, 1, &hex("0001 0B 01 000008FC 00000032"));
    check(&ServerEvent::Die { id: 200 }, 5, &hex("0005 0C C8"));
    check(&ServerEvent::Left { id: 7 }, 6, &hex("0006 0D 07"));
}

#[test]
fn the_complete_update() {
    let living = Living { base: B, ammo: 6, cloaked: true, ready: true };
    let sentry = Sentry { direction: 1, x: 2304, y: 49, built: 1, hp: 100 };
    let one = Stats { id: 2, kills: 3, deaths: 1, healing: -7, living: Some(living), sentry: Some(sentry) };
    let other = Stats { id: 9, kills: 0, deaths: 256, healing: 0, living: None, sentry: None };
    let update = CompleteUpdate { time: 1000, players: vec![one, other], gamemode: vec![0, 0, 1, 44] };
    let bytes = hex("0001 03 0037  000003E8 02
         02 0003 0001 FFF9 03  0640100000090000000031 0078 FFDD 64  06 03  01 00000900 00000031 01 64
         09 0000 0100 0000 00  04 0000012C");
    assert_eq!(bytes.len(), 5 + 0x37);
    check(&ServerEvent::Complete(update), 1, &bytes);
}

#[test]
fn packets_of_a_client() {
    let hello = [hex("0001 0000  0001 00"), pascal(b"anna", 32), pascal(b"", 32)].concat();
    assert_eq!(hello.len(), 71);
    let packet = written(|w| {
        ClientHeader { sequence: 1, ack_sequence: 0 }.write(w);
        ClientEvent::Hello { name: b"anna".to_vec(), password: Vec::new() }.write(w, 1);
    });
    assert_eq!(packet, hello);
    let input = written(|w| {
        ClientHeader { sequence: 8, ack_sequence: 2 }.write(w);
        Input { inputstate: 6, aimdirection: 16400 }.write(w, 8);
    });
    assert_eq!(input, hex("0008 0002  0008 05 0003 06 4010"));
    let mut r = Reader::new(&input);
    assert_eq!(ClientHeader::read(&mut r), Ok(ClientHeader { sequence: 8, ack_sequence: 2 }));
    let read = read_client_record(&mut r).map(|record| record.what);
    assert_eq!(read, Ok(ClientRecord::Input(Input { inputstate: 6, aimdirection: 16400 })));
    let password = [hex("0001 00"), pascal(b"anna", 32), pascal(b"pw", 32)].concat();
    check_client(&ClientEvent::Hello { name: b"anna".to_vec(), password: b"pw".to_vec() }, 1, &password);
    check_client(&ClientEvent::ChangeClass { class: 9 }, 3, &hex("0003 09 09"));
    check_client(&ClientEvent::Jump { time: 1050 }, 4, &hex("0004 0A 0000041A"));
    check_client(&ClientEvent::Disconnect, 5, &hex("0005 0D"));
}

#[test]
fn a_refusal_is_the_first_packet_whoever_asks() {
    let packet = written(|w| {
        ServerHeader { sequence: 1, delta_sequence: 1, last_acked_sequence: 1 }.write(w);
        ServerEvent::Refuse { reason: 1 }.write(w, 1);
    });
    assert_eq!(packet, hex("0001 0001 0001  0001 06 01"));
}

#[test]
fn records_that_nobody_knows_and_texts_that_are_too_long_are_errors() {
    for id in [2, 5, 7, 10, 15, 255] {
        assert!(read_server_record(&mut Reader::new(&[0, 1, id, 0, 0, 0, 0, 0, 0]), NOTHING).is_err(), "{id}");
    }
    for id in [1, 2, 3, 4, 6, 7, 8, 11, 12, 14] {
        assert!(read_client_record(&mut Reader::new(&[0, 1, id, 0, 0, 0, 0, 0, 0])).is_err(), "{id}");
    }
    let mut join = [hex("0002 01 0104"), pascal(b"anna", 32)].concat();
    join[5] = 32;
    assert!(read_server_record(&mut Reader::new(&join), NOTHING).is_err());
    let input = hex("0008 05 0004 06 4010 00");
    assert!(read_client_record(&mut Reader::new(&input)).is_err());
}
