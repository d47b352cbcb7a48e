//! Services and commands, byte for byte.

use super::Evidence::{self, Hand, Recorded};
use super::check_cuts;
use kit::{DecodeError, ErrorKind, Reader, Span, Writer};
use r1q2::wire::command::Command;
use r1q2::wire::constants::*;
use r1q2::wire::dialect::Dialect;
use r1q2::wire::effect::{EFFECT_KINDS, TempEntity, shape};
use r1q2::wire::service::{Download, R1q2Data, ServerData, Service, Sound};
use testkit::bytes::hex_bytes;

const P34: Dialect = Dialect::ORIGINAL;
const P35: Dialect = Dialect::r1q2(MINOR_SOURCE);

fn read<'a>(bytes: &'a [u8], dialect: &Dialect, spans: &'a mut Vec<Span>) -> Result<Option<Service<'a>>, DecodeError> {
    let mut r = Reader::with_spans(bytes, spans);
    let number = r.u8("svc")?;
    let service = Service::read(&mut r, number, dialect)?;
    r.finish("service")?;
    Ok(service)
}

/// Writes a service to its bytes, reads it back, and cuts it at every length.
#[track_caller]
fn check(evidence: Evidence, service: Service<'_>, hex: &str) {
    evidence.check(hex);
    let (bytes, mut out, mut spans) = (hex_bytes(hex), Vec::new(), Vec::new());
    service.write(&mut Writer::new(&mut out));
    assert_eq!(out, bytes, "{service:?}");
    assert_eq!(read(&bytes, &P35, &mut spans), Ok(Some(service)));
    check_cuts(&bytes, &spans, |cut| read(cut, &P35, &mut Vec::new()).map(drop));
}

const LAYOUT: Evidence = Hand("the layout alone: service, fields, strings with their NUL");

#[test]
fn plain_services_have_their_bytes() {
    check(LAYOUT, Service::MuzzleFlash { entity: 1, weapon: 0x8c }, "01 0100 8c");
    check(LAYOUT, Service::MuzzleFlash2 { entity: 300, weapon: 3 }, "02 2c01 03");
    check(LAYOUT, Service::Layout { text: b"xv 0" }, "04 78762030 00");
    check(LAYOUT, Service::Nop, "06");
    check(LAYOUT, Service::Disconnect, "07");
    check(LAYOUT, Service::Reconnect, "08");
    check(LAYOUT, Service::ConfigString { index: 2079, text: b"x" }, "0d 1f08 7800");
    check(LAYOUT, Service::CenterPrint { text: b"" }, "0f 00");
    check(LAYOUT, Service::Setting { index: SVSET_FPS, value: 10 }, "18 01000000 0a000000");
    let recorded = Recorded("r1q2_b5183_p34", "S>C seq=7R");
    let text = b"harness entered the game\n";
    check(recorded, Service::Print { level: 2, text }, "0a 02 6861726e65737320656e7465726564207468652067616d650a00");
    check(Recorded("r1q2_b5183_p34", "S>C seq=1R"), Service::StuffText { text: b"\n" }, "0b 0a00");
    check(
        Recorded("r1q2_b5183_p34", "S>C seq=1R"),
        Service::ConfigString { index: 33, text: b"maps/h2.bsp" },
        "0d 2100 6d6170732f68322e62737000",
    );
}

#[test]
fn an_inventory_is_256_shorts() {
    let counts: Vec<u8> = (0..=255).flat_map(|item: u8| [item, 0]).collect();
    let mut bytes = vec![SVC_INVENTORY];
    bytes.extend_from_slice(&counts);
    let service = Service::Inventory { counts: &counts };
    assert_eq!(read(&bytes, &P34, &mut Vec::new()), Ok(Some(service)));
    let mut out = Vec::new();
    service.write(&mut Writer::new(&mut out));
    assert_eq!(out, bytes);
}

const DATA: ServerData<'static> = ServerData {
    protocol: PROTOCOL_R1Q2,
    spawncount: 507_376_179,
    attractloop: 0,
    gamedir: b"",
    playernum: 0,
    levelname: b"harness test map",
    r1q2: Some(R1q2Data { enhanced: 0, minor: 1901, tail: None }),
};

#[test]
fn a_serverdata_ends_as_its_protocol_and_its_revision_say() {
    let name = "6861726e6573732074657374206d617000";
    check(
        Recorded("r1q2_b5183_p35_minor1901", "S>C seq=1R"),
        Service::ServerData(DATA),
        &format!("0c 23000000 33f23d1e 00 00 0000 {name} 00 6d07"),
    );
    check(
        Recorded("r1q2_b5183_p34", "S>C seq=1R"),
        Service::ServerData(ServerData { protocol: PROTOCOL_ORIGINAL, playernum: 1, r1q2: None, ..DATA }),
        &format!("0c 22000000 33f23d1e 00 00 0100 {name}"),
    );
    let tail = Some([0, 1]);
    let of =
        |minor, tail| Service::ServerData(ServerData { r1q2: Some(R1q2Data { enhanced: 1, minor, tail }), ..DATA });
    let hand = Hand("two more bytes from revision 1903 on");
    check(hand, of(1902, None), &format!("0c 23000000 33f23d1e 00 00 0000 {name} 01 6e07"));
    check(hand, of(1903, tail), &format!("0c 23000000 33f23d1e 00 00 0000 {name} 01 6f07 00 01"));
    check(
        Recorded("q2pro_p35_minor1905", "S>C seq=1R"),
        Service::ServerData(ServerData {
            spawncount: 1_816_149_849,
            r1q2: Some(R1q2Data { enhanced: 0, minor: 1905, tail }),
            ..DATA
        }),
        &format!("0c 23000000 593f406c 00 00 0000 {name} 00 7107 00 01"),
    );
}

#[test]
fn a_serverdata_of_another_protocol_is_refused() {
    let bytes = hex_bytes("0c 24000000 00000000 00 00 0000 00");
    let error = read(&bytes, &P34, &mut Vec::new()).expect_err("protocol 36");
    assert_eq!((error.field, error.kind), ("protocol", ErrorKind::Unknown { value: 36 }));
}

#[test]
fn a_sound_has_what_its_flags_say_in_another_order_than_they() {
    let sound = Sound { index: 7, ..Sound::default() };
    check(LAYOUT, Service::Sound(sound), "09 00 07");
    check(LAYOUT, Service::Sound(Sound { volume: Some(128), ..sound }), "09 01 07 80");
    check(LAYOUT, Service::Sound(Sound { attenuation: Some(64), ..sound }), "09 02 07 40");
    check(LAYOUT, Service::Sound(Sound { position: Some([8, -8, 16]), ..sound }), "09 04 07 0800 f8ff 1000");
    check(LAYOUT, Service::Sound(Sound { entity: Some(1 << 3 | 2), ..sound }), "09 08 07 0a00");
    check(LAYOUT, Service::Sound(Sound { offset: Some(50), ..sound }), "09 10 07 32");
    check(
        LAYOUT,
        Service::Sound(Sound {
            index: 1,
            volume: Some(2),
            attenuation: Some(3),
            offset: Some(4),
            entity: Some(5),
            position: Some([6, 7, 8]),
        }),
        "09 1f 01 02 03 04 0500 0600 0700 0800",
    );
    check(
        Recorded("r1q2_b5183_p35_minor1901", "S>C seq=6"),
        Service::Sound(Sound { index: 2, entity: Some(1 << 3 | 3), ..Sound::default() }),
        "09 08 02 0b00",
    );
    let error = read(&hex_bytes("09 20 07"), &P35, &mut Vec::new()).expect_err("flag 5");
    assert_eq!((error.field, error.offset), ("flags", 1));
}

#[test]
fn a_file_comes_in_blocks_or_is_refused() {
    let block = Download { percent: 50, data: Some(b"abc"), length: None };
    check(LAYOUT, Service::Download(block), "10 0300 32 616263");
    check(LAYOUT, Service::ZDownload(Download { length: Some(0x1234), ..block }), "16 0300 32 3412 616263");
    let refused = Download { percent: 0, data: None, length: None };
    check(Hand("as a server refuses a file"), Service::Download(refused), "10 ffff 00");
    check(LAYOUT, Service::ZDownload(refused), "16 ffff 00");
    let error = read(&hex_bytes("10 feff 00"), &P35, &mut Vec::new()).expect_err("-2");
    assert_eq!(error.field, "size");
    // The beginning of a recorded block: 1116 bytes, 51 percent, 6300 bytes inflated.
    Recorded("r1q2_b8012_zdownload", "S>C seq=5R").check("16 5c04 33 9c18");
}

#[test]
fn updates_of_players_take_the_rest_of_their_message() {
    let positions = &[8, 0, 16, 0, 24, 0, 1, 0, 2, 0, 3, 0];
    let bytes = hex_bytes("17 05000000 0800 1000 1800 0100 0200 0300");
    let service = Service::PlayerUpdate { frame: 5, positions };
    assert_eq!(read(&bytes, &P35, &mut Vec::new()), Ok(Some(service)));
    let error = read(&bytes[..16], &P35, &mut Vec::new()).expect_err("a position is cut off");
    assert_eq!((error.offset, error.kind), (5, ErrorKind::Trailing { left: 5 }));
}

#[test]
fn services_of_protocol_35_are_unknown_over_protocol_34() {
    for number in [SVC_ZPACKET, SVC_ZDOWNLOAD, SVC_PLAYERUPDATE, SVC_SETTING] {
        assert_eq!(read(&[number], &P34, &mut Vec::new()).ok().flatten(), None, "{number}");
    }
    for number in [0, SVC_PLAYERINFO, SVC_PACKETENTITIES, SVC_DELTAPACKETENTITIES, 25, 31] {
        assert_eq!(read(&[number], &P35, &mut Vec::new()), Ok(None), "{number}");
    }
}

/// How many bytes each kind of effect has behind its kind, by the parts that the kinds are listed with.
const SIZES: &[(usize, &[u8])] = &[
    (7, &[0, 1, 2, 4, 9, 12, 13, 14, 26, 30, 42, 43, 44, 46, 55]),
    (9, &[10, 15, 25, 29]),
    (12, &[3, 11, 23, 27, 34, 41]),
    (6, &[5, 6, 7, 8, 17, 18, 20, 21, 22, 28, 35, 45, 47, 48, 49, 51, 52, 53, 54]),
    (14, &[16, 19, 38, 39]),
    (20, &[24]),
    (16, &[33]),
    (8, &[36, 50]),
    (13, &[37]),
    (13 + 4, &[40]),
];

#[test]
fn every_effect_has_its_size() {
    let mut known = 0;
    for &(size, kinds) in SIZES {
        for &kind in kinds {
            let mut out = Vec::new();
            TempEntity { kind, ..TempEntity::default() }.write(&mut Writer::new(&mut out));
            assert_eq!(out.len(), 1 + size, "{kind}");
            known += 1;
        }
    }
    assert_eq!(known, (0..=u8::MAX).filter(|&kind| shape(kind).is_some()).count());
    assert!((EFFECT_KINDS..=u8::MAX).all(|kind| shape(kind).is_none()));
}

#[test]
fn every_shape_of_an_effect_has_its_order() {
    let all = TempEntity {
        kind: 0,
        count: 20,
        positions: [[8, 16, 24], [-8, -16, -24], [1, 2, 3]],
        direction: 5,
        colour: 0xe0,
        entity: 0x0102,
        entity2: 0x0304,
        magnitude: 0x0506,
        time: 0x0708_090a,
    };
    let (first, second, third) = ("0800 1000 1800", "f8ff f0ff e8ff", "0100 0200 0300");
    let none = TempEntity::default();
    let places = |count| {
        let mut positions = [[0; 3]; 3];
        positions[..count].copy_from_slice(&all.positions[..count]);
        TempEntity { positions, ..none }
    };
    let check = |effect: TempEntity, hex: String| check(LAYOUT, Service::TempEntity(effect), &hex);
    check(TempEntity { kind: 9, direction: 5, ..places(1) }, format!("03 09 {first} 05"));
    check(
        TempEntity { kind: 10, count: 20, direction: 5, colour: 0xe0, ..places(1) },
        format!("03 0a 14 {first} 05 e0"),
    );
    check(TempEntity { kind: 3, ..places(2) }, format!("03 03 {first} {second}"));
    check(TempEntity { kind: 5, ..places(1) }, format!("03 05 {first}"));
    check(TempEntity { kind: 16, entity: 0x0102, ..places(2) }, format!("03 10 0201 {first} {second}"));
    check(TempEntity { kind: 24, entity: 0x0102, ..places(3) }, format!("03 18 0201 {first} {second} {third}"));
    check(
        TempEntity { kind: 33, entity: 0x0102, entity2: 0x0304, ..places(2) },
        format!("03 21 0201 0403 {first} {second}"),
    );
    check(TempEntity { kind: 36, entity: 0x0102, ..places(1) }, format!("03 24 {first} 0201"));
    check(TempEntity { kind: 37, colour: 0xe0, ..places(2) }, format!("03 25 {first} {second} e0"));
    check(TempEntity { kind: 50, entity: 0x0102, ..places(1) }, format!("03 32 0201 {first}"));
    let steam = TempEntity { kind: 40, count: 20, direction: 5, colour: 0xe0, magnitude: 0x0506, ..places(1) };
    check(
        TempEntity { entity: 0x0102, time: 0x0708_090a, ..steam },
        format!("03 28 0201 14 {first} 05 e0 0605 0a090807"),
    );
    check(TempEntity { entity: -1, ..steam }, format!("03 28 ffff 14 {first} 05 e0 0605"));
}

#[test]
fn a_recorded_effect_is_one() {
    check(
        Recorded("r1q2_b5183_p35_minor1901", "S>C seq=6"),
        Service::TempEntity(TempEntity {
            kind: 1,
            positions: [[2043, -128, 384], [0; 3], [0; 3]],
            direction: 0,
            ..TempEntity::default()
        }),
        "03 01 fb07 80ff 8001 00",
    );
}

#[test]
fn effects_that_there_are_not_are_refused() {
    for kind in [31, 32, 56, 255] {
        let error = read(&[SVC_TEMP_ENTITY, kind], &P35, &mut Vec::new()).expect_err("no such effect");
        assert_eq!(error.kind, ErrorKind::Unknown { value: kind.into() });
    }
    let error = read(&hex_bytes("03 00 0000 0000 0000 a2"), &P35, &mut Vec::new()).expect_err("direction 162");
    assert_eq!((error.field, error.kind), ("direction", ErrorKind::TooLarge { value: 162, limit: 161 }));
}

#[test]
fn a_configstring_beyond_the_last_is_refused() {
    let error = read(&hex_bytes("0d 2008 00"), &P35, &mut Vec::new()).expect_err("2080");
    assert_eq!(error.kind, ErrorKind::TooLarge { value: 2080, limit: 2079 });
}

/// Writes a command to its bytes, and reads it back.
#[track_caller]
fn check_command(evidence: Evidence, dialect: Dialect, command: Command<'_>, hex: &str) {
    evidence.check(hex);
    let (bytes, mut out) = (hex_bytes(hex), Vec::new());
    command.write(&mut Writer::new(&mut out), &dialect);
    assert_eq!(out, bytes);
    assert_eq!(Command::read(&mut Reader::new(&bytes[1..]), bytes[0], &dialect), Ok(Some(command)));
}

#[test]
fn commands_have_their_bytes() {
    check_command(LAYOUT, P35, Command::Nop, "01");
    check_command(LAYOUT, P35, Command::UserInfo { text: b"\\a\\b" }, "03 5c615c6200");
    let recorded = Recorded("r1q2_b5183_p35_minor1901", "C>S seq=1R");
    check_command(recorded, P35, Command::StringCmd { text: b"new" }, "04 6e657700");
    let setting = Command::Setting { index: CLSET_RECORDING, value: -2 };
    check_command(LAYOUT, Dialect::r1q2(MINOR_SETTINGS), setting, "05 0200 feff");
}

#[test]
fn commands_that_came_later_or_never_are_unknown() {
    let unknown = |number, dialect: Dialect| Command::read(&mut Reader::new(&[0; 8]), number, &dialect) == Ok(None);
    assert!(unknown(CLC_SETTING, P35) && unknown(CLC_SETTING, P34));
    assert!(unknown(0, P35) && unknown(6, Dialect::r1q2(MINOR_SOLID)));
}
