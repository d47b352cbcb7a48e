use super::command::{CMD_ANGLES, CMD_BUTTONS, CMD_FIELDS, CMD_FORWARD, CMD_IMPULSE, CMD_MSEC, CMD_SIDE, CMD_UP};
use super::*;
use extended::MODERN;
use netquake::primitives::BigEntities;
use netquake::update::{ANGLES, COLORMAP, EFFECTS, FIELDS, FRAME, MODEL, ORIGIN, SKIN};

mod extended;

/// Float coords and 16-bit angles, as in fteqw_qw_floatcoords.txt.
fn float_coords() -> Primitives {
    Primitives::negotiated(28, 0, true, BigEntities::Built)
}

fn replacement_deltas() -> Primitives {
    Primitives { big_entities: BigEntities::Built, ..Primitives::PLAIN }
}

/// The message, its number included, reads as `expected` to the last byte, and no shorter one is read.
fn check(p: &Primitives, bytes: &[u8], expected: &Service<'_>) {
    let mut r = Reader::new(&bytes[1..]);
    let service = read_service(&mut r, bytes[0], p).unwrap().unwrap();
    assert_eq!(&service, expected);
    assert_eq!(r.left(), 0, "{service:?}");
    for length in 1..bytes.len() {
        let error = read_service(&mut Reader::new(&bytes[1..length]), bytes[0], p).unwrap_err();
        assert!(!error.field.is_empty() && error.offset < length, "{error}");
        assert!(matches!(error.kind, ErrorKind::Truncated { .. } | ErrorKind::Unterminated), "{error}");
    }
}

/// The same for a client's message.
fn check_command(p: &Primitives, bytes: &[u8], expected: &Command<'_>) {
    let mut r = Reader::new(&bytes[1..]);
    assert_eq!(read_command(&mut r, bytes[0], p).unwrap().as_ref(), Some(expected));
    assert_eq!(r.left(), 0, "{expected:?}");
    for length in 1..bytes.len() {
        let error = read_command(&mut Reader::new(&bytes[1..length]), bytes[0], p).unwrap_err();
        assert!(!error.field.is_empty() && error.offset < length, "{error}");
        assert!(matches!(error.kind, ErrorKind::Truncated { .. } | ErrorKind::Unterminated), "{error}");
    }
}

/// The message is refused for its content.
fn check_refused(bytes: &[u8], text: &str) {
    let error = read_service(&mut Reader::new(&bytes[1..]), bytes[0], &Primitives::PLAIN).unwrap_err();
    assert_eq!(error.to_string(), text);
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

fn point(values: [f32; 3]) -> [i32; 3] {
    values.map(float_bits)
}

fn record(ints: [i32; 5], origin: [f32; 3], angles: [f32; 3]) -> Record {
    let mut fields = [0; FIELDS];
    for (field, value) in [MODEL, FRAME, COLORMAP, SKIN, EFFECTS].into_iter().zip(ints) {
        fields[field] = value;
    }
    fields[ORIGIN..ORIGIN + 3].copy_from_slice(&point(origin));
    fields[ANGLES..ANGLES + 3].copy_from_slice(&point(angles));
    fields
}

/// fteqw_qw_floatcoords.txt: packet 3 of the server.
const RECORDED_SERVERDATA: &str =
    "0b 46544558 00800000 46544532 28000000 1c000000 01000000 717700 00 6761702070726f626500
    00004844 0000c842 0000a043 0000fa43 00002041 3333333f 00002041 00008040 00008040 0000803f";

#[test]
fn a_recorded_serverdata_is_read_and_written_alike() {
    let data = ServerData {
        fte1: Some(0x8000),
        fte2: Some(0x28),
        mvd1: None,
        protocol: 28,
        spawncount: 1,
        gamedir: b"qw",
        player: 0,
        level: b"gap probe",
        movevars: [800.0, 100.0, 320.0, 500.0, 10.0, 0.7, 10.0, 4.0, 4.0, 1.0],
        ..ServerData::default()
    };
    let bytes = bytes_of(RECORDED_SERVERDATA);
    check(&Primitives::PLAIN, &bytes, &Service::ServerData(data));
    let mut out = Vec::new();
    data.write(&mut Writer::new(&mut out));
    assert_eq!(out, bytes[1..]);
}

#[test]
fn extension_pairs_come_in_any_order() {
    let mut data = ServerData { fte2: Some(8), mvd1: Some(1), protocol: 28, ..ServerData::default() };
    let head = b"\x0bMVD1\x01\0\0\0FTE2\x08\0\0\0\x1c\0\0\0";
    let bytes = [&head[..], &[0; 4 + 1 + 1 + 1 + 40]].concat();
    check(&Primitives::PLAIN, &bytes, &Service::ServerData(data));
    // Of a repeated pair the last counts.
    let bytes = [b"\x0bFTE2\x20\0\0\0", &bytes[1..]].concat();
    check(&Primitives::PLAIN, &bytes, &Service::ServerData(data));
    data.fte2 = None;
    data.mvd1 = None;
    check(&Primitives::PLAIN, &bytes_after_pairs(&bytes), &Service::ServerData(data));
}

fn bytes_after_pairs(bytes: &[u8]) -> Vec<u8> {
    [&bytes[..1], &bytes[1 + 3 * 8..]].concat()
}

#[test]
fn a_serverdata_of_another_protocol_is_refused() {
    check_refused(&[SVC_SERVERDATA, 15, 0, 0, 0], "protocol version at byte 0: unknown value 0xf");
    let endless = [&[SVC_SERVERDATA][..], &b"FTE2\x08\0\0\0".repeat(9)].concat();
    check_refused(&endless, "protocol version at byte 64: 9 is above the limit of 8");
}

/// A serverdata with these masks, whose seats are these bytes; it is read as `expected`, and written alike.
fn check_seats(masks: &[u8], seats: &[u8], expected: ServerData<'_>) {
    let head = [&[SVC_SERVERDATA], masks, b"\x1c\0\0\0\x01\0\0\0qw\0"].concat();
    let bytes = [&head[..], seats, b"gap\0", &[0; 40]].concat();
    let data = ServerData { protocol: 28, spawncount: 1, gamedir: b"qw", level: b"gap", ..expected };
    check(&Primitives::PLAIN, &bytes, &Service::ServerData(data));
    let mut out = Vec::new();
    data.write(&mut Writer::new(&mut out));
    assert_eq!(out, bytes[1..]);
}

#[test]
fn a_serverdata_has_the_seats_that_its_extensions_say() {
    // By hand: MAXPLAYERS has the number of slots, that of the seats with the spectator's bit, and each seat's slot.
    let many = ServerData { fte2: Some(0x10), player: 200, slots: Some((255, 1)), ..ServerData::default() };
    check_seats(b"FTE2\x10\0\0\0", &[255, 1, 200], many);
    let spectator = ServerData { slots: Some((32, 0x82)), player: 3, more_seats: &[4], ..many };
    check_seats(b"FTE2\x10\0\0\0", &[32, 0x82, 3, 4], spectator);
    // SPLITSCREEN alone has seats up to 128, each with the spectator's bit.
    let split = ServerData { fte1: Some(0x10_0000), player: 1, more_seats: &[2], ..ServerData::default() };
    check_seats(b"FTEX\0\0\x10\0", &[1, 2, 128], split);
    check_seats(b"FTEX\0\0\x10\0", &[0x81, 128], ServerData { player: 0x81, more_seats: &[], ..split });
    // Both have the form of MAXPLAYERS.
    let both = ServerData { fte1: Some(0x10_0000), slots: Some((8, 2)), player: 5, more_seats: &[6], ..many };
    check_seats(b"FTEX\0\0\x10\0FTE2\x10\0\0\0", &[8, 2, 5, 6], both);
    let nobody = b"\x0bFTE2\x10\0\0\0\x1c\0\0\0\x01\0\0\0qw\0\x08\0";
    check_refused(nobody, "seats at byte 20: value 0x0 is not allowed here: a client of MAXPLAYERS has a seat");
}

#[test]
fn lists_are_read_as_they_were_written() {
    let names: [&[u8]; 2] = [b"beep.wav", b"boop.wav"];
    let mut out = Vec::new();
    write_list(&mut Writer::new(&mut out), SVC_SOUNDLIST, 7, &[names[0], b"", names[1]], 9);
    assert_eq!(out, b"\x2e\x07beep.wav\0boop.wav\0\0\x09");
    let names = names.to_vec();
    check(&Primitives::PLAIN, &out, &Service::SoundList { start: 7, names: names.clone(), next: 9 });
    let models = Service::ModelList { start: 7, names: names.clone(), next: 9 };
    check(&Primitives::PLAIN, b"\x2d\x07beep.wav\0boop.wav\0\0\x09", &models);
    let models = Service::ModelList { start: 0x107, names: names.clone(), next: 9 };
    check(&Primitives::PLAIN, b"\x38\x07\x01beep.wav\0boop.wav\0\0\x09", &models);
    let sounds = Service::SoundList { start: 0x107, names, next: 9 };
    check(&Primitives::PLAIN, b"\x3c\x07\x01beep.wav\0boop.wav\0\0\x09", &sounds);
}

#[test]
fn a_list_has_a_limit() {
    let bytes = [&[SVC_MODELLIST, 0][..], &b"a\0".repeat(0x4001)].concat();
    check_refused(&bytes, "name at byte 32769: 16385 is above the limit of 16384");
}

#[test]
fn recorded_services_are_read() {
    // fteqw_qw_deltas.txt
    let p = replacement_deltas();
    let sounds = Service::SoundList { start: 0, names: vec![b"beep.wav"], next: 0 };
    check(&p, &bytes_of("2e00 626565702e77617600 00 00"), &sounds);
    let models = Service::ModelList { start: 0, names: vec![b"maps/gap.bsp", b"*1"], next: 0 };
    check(&p, &bytes_of("2d00 6d6170732f6761702e62737000 2a3100 00 00"), &models);
    check(&p, &bytes_of("092f2f70616b6e616d6573200a00"), &Service::StuffText { text: b"//paknames \n" });
    check(&p, &bytes_of("33017465616d00743000"), &Service::SetInfo { slot: 1, key: b"team", value: b"t0" });
    check(&p, &bytes_of("2000"), &Service::CdTrack { track: 0 });
    check(&p, &bytes_of("1800"), &Service::SetPause { paused: false });
    check(&p, &bytes_of("0e000000"), &Service::UpdateFrags { slot: 0, frags: 0 });
    check(&p, &bytes_of("24000d00"), &Service::UpdatePing { slot: 0, ping: 13 });
    check(&p, &bytes_of("350000"), &Service::UpdatePl { slot: 0, loss: 0 });
    check(&p, &bytes_of("25007f960e42"), &Service::UpdateEnterTime { slot: 0, seconds: 0x420e_967f });
    let info = b"\\name\\probe";
    check(&p, &bytes_of("2800020000005c6e616d655c70726f626500"), &Service::UpdateUserInfo { slot: 0, user: 2, info });
    check(&p, &bytes_of("320000803f"), &Service::EntGravity { gravity: float_bits(1.0) });
    check(&p, &bytes_of("030064"), &Service::UpdateStat { stat: 0, value: 100 });
    check(&p, &bytes_of("260b00000000"), &Service::UpdateStatLong { stat: 11, value: 0 });
    check(&p, &bytes_of("0c006d00"), &Service::LightStyle { style: 0, pattern: b"m" });
    check(&p, &bytes_of("272f00"), &Service::MuzzleFlash { entity: 47 });
    check(&p, &bytes_of("08025e264530416f00"), &Service::Print { level: 2, text: b"^&E0Ao" });
    check(&p, &bytes_of("0a000000"), &Service::SetAngle { angles: [0; 3] });
    // fteqw_qw_floatcoords.txt
    check(&float_coords(), &bytes_of("0a000000000000"), &Service::SetAngle { angles: [0; 3] });
}

#[test]
fn services_without_data_are_one_byte() {
    for (number, service) in [
        (SVC_NOP, Service::Nop),
        (SVC_DISCONNECT, Service::Disconnect),
        (SVC_KILLEDMONSTER, Service::KilledMonster),
        (SVC_FOUNDSECRET, Service::FoundSecret),
        (SVC_SELLSCREEN, Service::SellScreen),
        (SVC_SMALLKICK, Service::SmallKick),
        (SVC_BIGKICK, Service::BigKick),
    ] {
        check(&Primitives::PLAIN, &[number], &service);
    }
}

#[test]
fn the_other_small_services_are_read() {
    let p = Primitives::PLAIN;
    check(&p, &[16, 0x2b, 0], &Service::StopSound { entity: 5, channel: 3 });
    check(
        &p,
        &[19, 1, 2, 8, 0, 16, 0, 0xf8, 0xff],
        &Service::Damage { armor: 1, blood: 2, from: point([1., 2., -1.]) },
    );
    check(&p, b"\x1aHi\0", &Service::CenterPrint { text: b"Hi" });
    check(&p, b"\x1fThe end\0", &Service::Finale { text: b"The end" });
    let origin = point([1.0, 0.0, 0.0]);
    check(
        &p,
        &[29, 8, 0, 0, 0, 0, 0, 4, 255, 64],
        &Service::SpawnStaticSound { origin, sound: 4, volume: 255, attenuation: 64 },
    );
    check(&p, &[30, 8, 0, 0, 0, 0, 0, 0, 64, 0], &Service::Intermission { origin, angles: point([0.0, 90.0, 0.0]) });
    check(&p, &[44, 3], &Service::ChokeCount { count: 3 });
    check(&p, &[49, 0, 0, 0xa0, 0x43], &Service::MaxSpeed { speed: float_bits(320.0) });
    check(&p, b"\x34map\0gap\0", &Service::ServerInfo { key: b"map", value: b"gap" });
}

#[test]
fn replacement_deltas_code_large_entity_numbers() {
    let p = replacement_deltas();
    check(&p, &[5, 0x9c, 0x80, 0x40], &Service::SetView { entity: 40_000 });
    check(&p, &[39, 0x9c, 0x80, 0x40], &Service::MuzzleFlash { entity: 40_000 });
    let start = point([1.0, 0.0, 0.0]);
    let end = point([0.0, 1.0, 0.0]);
    let beam = TempEntity::Beam { kind: TE_LIGHTNING2, entity: 40_000, start, end };
    let bytes = [23, 6, 0x9c, 0x80, 0x40, 8, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0];
    check(&p, &bytes, &Service::TempEntity(beam));
    check(&Primitives::PLAIN, &[5, 0x40, 0x9c], &Service::SetView { entity: 40_000 });
}

#[test]
fn a_sound_packs_flags_entity_and_channel() {
    let sound = Sound {
        volume: 255,
        attenuation: 64,
        entity: 5,
        channel: 3,
        sound: 9,
        origin: point([1.0, 2.0, 0.5]),
        extras: SoundExtras::default(),
        forced: 0,
    };
    check(&Primitives::PLAIN, &[6, 0x2b, 0, 9, 8, 0, 16, 0, 4, 0], &Service::Sound(sound));
    let sound = Sound { volume: 100, attenuation: 32, entity: 1023, channel: 7, ..sound };
    check(&replacement_deltas(), &[6, 0xff, 0xdf, 100, 32, 9, 8, 0, 16, 0, 4, 0], &Service::Sound(sound));
}

#[test]
fn gunshots_and_blood_are_counted() {
    let origin = point([1.0, 0.0, 0.0]);
    for kind in [TE_GUNSHOT, TE_BLOOD] {
        let effect = TempEntity::Counted { kind, count: 7, origin };
        check(&Primitives::PLAIN, &[23, kind, 7, 8, 0, 0, 0, 0, 0], &Service::TempEntity(effect));
    }
    for kind in [TE_SPIKE, TE_TELEPORT, TE_LIGHTNINGBLOOD] {
        let effect = TempEntity::Point { kind, origin };
        check(&Primitives::PLAIN, &[23, kind, 8, 0, 0, 0, 0, 0], &Service::TempEntity(effect));
    }
    check_refused(&[23, 14], "temp entity at byte 0: unknown value 0xe");
}

#[test]
fn a_download_says_when_there_is_no_file() {
    let p = Primitives::PLAIN;
    check(&p, &[41, 3, 0, 50, b'a', b'b', b'c'], &Service::Download { percent: 50, data: Some(b"abc") });
    check(&p, &[41, 0xff, 0xff, 0], &Service::Download { percent: 0, data: None });
    let text = "download size at byte 0: value 0xfffe is not allowed here: the only negative size is -1";
    check_refused(&[41, 0xfe, 0xff, 0], text);
}

#[test]
fn statics_and_baselines_are_records() {
    let fields = record([10, 1, 2, 3, 0], [1.0, 2.0, 3.0], [0.0, 90.0, 0.0]);
    let body = [10, 1, 2, 3, 8, 0, 0, 16, 0, 64, 24, 0, 0];
    check(&Primitives::PLAIN, &[&[20][..], &body].concat(), &Service::SpawnStatic { fields });
    check(&Primitives::PLAIN, &[&[22, 9, 0][..], &body].concat(), &Service::SpawnBaseline { entity: 9, fields });
}

/// An input in which every field is on the wire.
const FULL_INPUT: [u8; 16] = [0xff, 0, 0x40, 0, 0x20, 0, 0xc0, 0x90, 1, 0x70, 0xfe, 8, 0, 1, 2, 13];

fn full_input() -> Usercmd {
    let mut command = [0; CMD_FIELDS];
    command[CMD_ANGLES..CMD_ANGLES + 3].copy_from_slice(&point([90.0, 45.0, -90.0]));
    command[CMD_FORWARD] = 400;
    command[CMD_SIDE] = -400;
    command[CMD_UP] = 8;
    command[CMD_BUTTONS] = 1;
    command[CMD_IMPULSE] = 2;
    command[CMD_MSEC] = 13;
    command
}

#[test]
fn a_player_says_what_its_flags_name() {
    let bare =
        PlayerInfo { player: 3, flags: PF_DEAD, origin: point([1.0, 2.0, 3.0]), frame: 5, ..PlayerInfo::default() };
    let head = [42, 3, 0, 2, 8, 0, 16, 0, 24, 0, 5];
    check(&Primitives::PLAIN, &head, &Service::PlayerInfo(bare));
    let full = PlayerInfo {
        flags: 0xffff,
        msec: Some(20),
        command: Some(full_input()),
        velocity: [1, -1, 256],
        model: Some(7),
        skin: 1,
        effects: 8,
        weaponframe: 4,
        ..bare
    };
    let mut bytes = head.to_vec();
    bytes[2..4].fill(0xff);
    bytes.push(20);
    bytes.extend(FULL_INPUT);
    bytes.extend([1, 0, 0xff, 0xff, 0, 1, 7, 1, 8, 4]);
    check(&Primitives::PLAIN, &bytes, &Service::PlayerInfo(full));
}

#[test]
fn a_nail_is_48_bits() {
    let low = Nail { origin: point([-4096.0; 3]), pitch: 0, yaw: 0 };
    let high = Nail { origin: point([4094.0; 3]), pitch: float_bits(337.5), yaw: float_bits(358.59375) };
    // x = 2 * 0x801, y = 2 * 0x802, z = 2 * 0x803 above -4096; pitch 4 of 16, yaw 128 of 256
    let middle = Nail { origin: point([2.0, 4.0, 6.0]), pitch: float_bits(90.0), yaw: float_bits(180.0) };
    let mut bytes = vec![43, 3];
    bytes.extend([0; 6]);
    bytes.extend([255; 6]);
    bytes.extend([0x01, 0x28, 0x80, 0x03, 0x48, 0x80]);
    check(&Primitives::PLAIN, &bytes, &Service::Nails { nails: vec![low, high, middle] });
}

#[test]
fn packet_entities_follow_their_bits() {
    let origin =
        EntityDelta { entity: 300, bits: U_ORIGIN1, fields: record([0; 5], [1.0, 0.0, 0.0], [0.0; 3]), colour: [0; 3] };
    let gone = EntityDelta { entity: 301, bits: U_REMOVE | U_MOREBITS, fields: [0; FIELDS], colour: [0; 3] };
    let bits = U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3 | U_ANGLE2 | U_FRAME | U_MOREBITS | 0x7f;
    let fields = record([1, 2, 3, 4, 5], [1.0, 2.0, 3.0], [90.0, 45.0, -90.0]);
    let full = EntityDelta { entity: 511, bits, fields, colour: [0; 3] };
    // Words 0x032c, 0xc12d, 0xbfff, 0
    let words = [0x2c, 0x03, 8, 0, 0x2d, 0xc1];
    let last = [0xff, 0xbf, 0x7f, 1, 2, 3, 4, 5, 8, 0, 64, 16, 0, 32, 24, 0, 0xc0, 0, 0];
    let entities = vec![origin, gone, full];
    let delta = [&[48, 77][..], &words, &last].concat();
    check(&Primitives::PLAIN, &delta, &Service::PacketEntities { from: Some(77), entities: entities.clone() });
    let all = [&[47][..], &words, &last].concat();
    check(&Primitives::PLAIN, &all, &Service::PacketEntities { from: None, entities });
    assert!(gone.removed() && !full.removed());
}

#[test]
fn packet_entities_take_the_negotiated_coords() {
    let delta = EntityDelta {
        entity: 1,
        bits: U_ORIGIN3 | U_ANGLE2,
        fields: record([0; 5], [0.0, 0.0, 0.3], [0.0, -90.0, 0.0]),
        colour: [0; 3],
    };
    let bytes = [&[47, 0x01, 0x18, 0, 0xc0][..], &0.3f32.to_le_bytes(), &[0, 0]].concat();
    check(&float_coords(), &bytes, &Service::PacketEntities { from: None, entities: vec![delta] });
}

#[test]
fn packet_entities_have_limits() {
    check_refused(&[47, 1, 0x80, 0x80], "more bits at byte 2: unknown value 0x80");
    let bytes = [&[47][..], &[1, 0x40].repeat(MAX_PACKET_ENTITIES + 1)].concat();
    check_refused(&bytes, "entity bits at byte 1024: 513 is above the limit of 512");
}

#[test]
fn every_named_service_is_read_and_no_other() {
    for number in 0..=u8::MAX {
        let mut r = Reader::new(&[0; 64]);
        let read = read_service(&mut r, number, &Primitives::PLAIN);
        assert_eq!(matches!(read, Ok(None)), service_name(number).is_none(), "{number}");
        let mut r = Reader::new(&[0; 64]);
        let read = read_command(&mut r, number, &Primitives::PLAIN);
        assert_eq!(matches!(read, Ok(None)), command_name(number).is_none(), "{number}");
    }
}

#[test]
fn arbitrary_bytes_are_read_or_refused() {
    let mut state = 1u32;
    let mut bytes = [0u8; 96];
    let mut refused = 0;
    for round in 0..4000 {
        for byte in &mut bytes {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = (state >> 24) as u8;
        }
        for p in [Primitives::PLAIN, replacement_deltas(), float_coords(), MODERN] {
            let mut r = Reader::new(&bytes[..round % 97]);
            match read_service(&mut r, (round % 67) as u8, &p) {
                Ok(_) => assert!(r.at() <= round % 97),
                Err(error) => {
                    refused += 1;
                    assert!(error.offset <= round % 97, "{error}");
                }
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn a_stufftext_is_read_as_it_was_written() {
    let mut out = Vec::new();
    write_stufftext(&mut Writer::new(&mut out), b"cmd spawn 1\n");
    check(&Primitives::PLAIN, &out, &Service::StuffText { text: b"cmd spawn 1\n" });
}

#[test]
fn commands_are_read_as_they_were_written() {
    // fteqw_qw_deltas.txt: "begin" with the first clc_delta
    let p = Primitives::PLAIN;
    let mut out = Vec::new();
    write_stringcmd(&mut Writer::new(&mut out), b"begin 1");
    write_delta(&mut Writer::new(&mut out), 5);
    write_nop(&mut Writer::new(&mut out));
    assert_eq!(out, bytes_of("04626567696e2031000505 01"));
    check_command(&p, &out[..9], &Command::StringCmd(b"begin 1"));
    check_command(&p, &out[9..11], &Command::Delta { sequence: 5 });
    check_command(&p, &out[11..], &Command::Nop);
}

#[test]
fn a_move_holds_three_inputs_each_a_difference_from_the_last() {
    let oldest = full_input();
    let mut middle = oldest;
    middle[CMD_IMPULSE] = 0;
    middle[CMD_MSEC] = 14;
    let mut newest = middle;
    newest[CMD_ANGLES + 1] = 0;
    newest[CMD_MSEC] = 15;
    let bytes = [&[3, 0xab, 25][..], &FULL_INPUT, &[0x40, 0, 14], &[0x80, 0, 0, 15]].concat();
    let command = Command::Move { checksum: 0xab, loss: 25, commands: [oldest, middle, newest] };
    check_command(&Primitives::PLAIN, &bytes, &command);
    // Its angles have 16 bits whatever was negotiated.
    check_command(&float_coords(), &bytes, &command);
}

#[test]
fn spectators_and_uploads_have_commands() {
    let origin = point([1.0, 2.0, -1.0]);
    check_command(&Primitives::PLAIN, &[6, 8, 0, 16, 0, 0xf8, 0xff], &Command::TMove { origin });
    let wide: Vec<u8> = [1.0f32, 2.0, -1.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    check_command(&float_coords(), &[&[6][..], &wide].concat(), &Command::TMove { origin });
    check_command(&Primitives::PLAIN, &[7, 2, 0, 50, 9, 8], &Command::Upload { percent: 50, data: &[9, 8] });
    let error = read_command(&mut Reader::new(&[0xff, 0xff, 0]), CLC_UPLOAD, &Primitives::PLAIN).unwrap_err();
    assert_eq!(error.to_string(), "upload size at byte 0: value 0xffff is not allowed here: a size is not negative");
}

/// As a server writes them for an `.mvd`.
const RECORDED: Primitives = Primitives { multi_view: true, ..Primitives::PLAIN };

#[test]
fn a_recorded_player_says_what_its_flags_name() {
    let still = RecordedPlayer { player: 3, flags: 1 << 8, frame: 5, ..RecordedPlayer::default() };
    check(&RECORDED, &[42, 3, 0, 1, 5], &Service::RecordedPlayer(still));
    // By hand: x and z of the origin in eighths, the yaw in 65,536ths of a circle, model, skin, effects, the weapon's frame.
    let moved = RecordedPlayer {
        flags: 0x0cd5,
        origin: [Some(float_bits(1.0)), None, Some(float_bits(-2.0))],
        angles: [None, Some(float_bits(90.0)), None],
        model: Some(7),
        skin: Some(1),
        effects: Some(8),
        weaponframe: Some(4),
        ..still
    };
    let bytes = [42, 3, 0xd5, 0x0c, 5, 8, 0, 0xf0, 0xff, 0, 0x40, 7, 1, 8, 4];
    check(&RECORDED, &bytes, &Service::RecordedPlayer(moved));
    // ezQuake's extension makes floats of the coords, and of them alone.
    let floats = Primitives { float_entities: true, ..RECORDED };
    let bytes = [42, 3, 0xd5, 0x0c, 5, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0x40, 7, 1, 8, 4];
    check(&floats, &bytes, &Service::RecordedPlayer(moved));
}

#[test]
fn entities_have_float_coords_where_ezquake_asks_for_them() {
    // Entity 1 with x alone, of bits 0x8000 for the second byte and 0x0200 for x: 1.0, once in eighths and once as a float.
    let x = |p: &Primitives, bytes: &[u8]| {
        let Service::PacketEntities { entities, .. } = read_service(&mut Reader::new(bytes), 47, p).unwrap().unwrap()
        else {
            panic!("no entities")
        };
        entities[0].fields[netquake::update::ORIGIN]
    };
    let floats = Primitives { float_entities: true, ..Primitives::PLAIN };
    assert_eq!(x(&Primitives::PLAIN, &[1, 2, 8, 0, 0, 0]), float_bits(1.0));
    assert_eq!(x(&floats, &[1, 2, 0, 0, 0x80, 0x3f, 0, 0]), float_bits(1.0));
}

#[test]
fn an_mvd_has_no_client() {
    check(
        &RECORDED,
        &[10, 2, 0, 64, 128],
        &Service::RecordedAngle { player: 2, angles: point([0.0, 90.0, 180.0]).map(wrapped) },
    );
    let mut bytes = b"\x0b\x1c\0\0\0\x01\0\0\0qw\0\0\0\xc0\x3fgap\0".to_vec();
    bytes.extend([0; 40]);
    let data = ServerData {
        protocol: 28,
        spawncount: 1,
        gamedir: b"qw",
        time: Some(1.5),
        level: b"gap",
        ..ServerData::default()
    };
    check(&RECORDED, &bytes, &Service::ServerData(data));
    let end = b"EndOfDemo\0";
    let mut r = Reader::new(end);
    assert_eq!(read_service(&mut r, 2, &RECORDED).unwrap(), Some(Service::Disconnect));
    assert_eq!(r.left(), 0);
}

/// Angles of 8 bits are read from -180 up.
fn wrapped(angle: i32) -> i32 {
    if f32::from_bits(angle as u32) >= 180.0 { float_bits(-180.0) } else { angle }
}
