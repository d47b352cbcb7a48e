//! Messages worked by hand from the specification and what engines do; nothing here was made by this project's codec.
//!
//! Coords are eighths of a unit, angles 1/256 of a circle (1/65536 in moves of protocol 666), numbers little-endian; an
//! alpha of a half is 0.5 * 254 + 1 = 128; half a second is 127.5 of 255, rounded away from zero.

use fitz666::alpha;
use fitz666::message::{Dialect, Said, read_command, read_service};
use kit::table::float_bits;
use kit::{Reader, Writer};
use netquake::clientdata::ClientData;
use netquake::constants::*;
use netquake::effect::{Sound, SoundExtras};
use netquake::fitzquake::Fitz;
use netquake::update::{self, FIELDS, FastUpdate, Record};
use netquake::{ClientCommand, Move, Service};
use testkit::bytes::hex_bytes as bytes;

/// In `protocol`, a server's message has these bytes, and they are read back as it; no fewer are.
fn check(protocol: u32, hex: &str, expected: Said<'_>) {
    let (bytes, mut dialect) = (bytes(hex), Dialect::announced(protocol));
    let mut r = Reader::new(&bytes);
    assert_eq!(read_service(&mut r, &mut dialect).as_ref(), Ok(&expected), "{hex}");
    assert_eq!(r.left(), 0, "{hex}");
    let mut out = Vec::new();
    expected.write(&mut Writer::new(&mut out), &dialect);
    assert_eq!(out, bytes, "{hex}");
    for length in 0..bytes.len() {
        assert!(read_service(&mut Reader::new(&bytes[..length]), &mut dialect.clone()).is_err(), "{length} of {hex}");
    }
}

fn in_both(hex: &str, expected: Service<'_>) {
    check(15, hex, Said::NetQuake(expected.clone()));
    check(666, hex, Said::NetQuake(expected));
}

fn in_666(hex: &str, expected: Service<'_>) {
    check(666, hex, Said::NetQuake(expected));
}

fn point(x: f32, y: f32, z: f32) -> [i32; 3] {
    [x, y, z].map(float_bits)
}

/// A record with these fields.
fn record(fields: &[(usize, i32)]) -> Record {
    let mut record = [0; FIELDS];
    fields.iter().for_each(|&(field, value)| record[field] = value);
    record
}

/// Something of this model at (1, 2, 3), which faces along y.
fn placed(fields: &[(usize, i32)]) -> Record {
    let mut record = record(fields);
    record[update::ORIGIN..update::ORIGIN + 3].copy_from_slice(&point(1.0, 2.0, 3.0));
    record[update::ANGLES + 1] = float_bits(90.0);
    record
}

#[test]
fn an_entity_as_its_baseline_is_mentioned_in_two_or_four_bytes() {
    let mentioned = |entity, bits| Service::FastUpdate(FastUpdate { entity, bits, fields: [0; FIELDS] });
    in_both("80 01", mentioned(1, U_SIGNAL));
    in_both("80 12", mentioned(18, U_SIGNAL));
    in_both("81 40 00 01", mentioned(256, U_SIGNAL | U_MOREBITS | U_LONGENTITY));
    // Superfluous bytes of bits are legal.
    in_both("81 00 07", mentioned(7, U_SIGNAL | U_MOREBITS));
    in_666("81 80 00 07", mentioned(7, U_SIGNAL | U_MOREBITS | U_EXTEND1));
}

#[test]
fn an_update_has_alpha_high_bytes_and_the_time_behind_everything_else() {
    const EXTENDED: u32 = U_SIGNAL | U_MOREBITS | U_EXTEND1;
    let said = |entity, bits: u32, fields: &[(usize, i32)]| {
        Service::FastUpdate(FastUpdate { entity, bits: EXTENDED | bits, fields: record(fields) })
    };
    in_666("81 80 01 07 01", said(7, U_ALPHA, &[(update::ALPHA, 1)]));
    // As QuakeSpasm-Spiked sent them: an alpha of 0.91, and frame 263.
    in_666("81 80 01 11 E8", said(17, U_ALPHA, &[(update::ALPHA, 0xe8)]));
    in_666("C1 80 02 0E 07 01", said(14, U_FRAME | U_FRAME2, &[(update::FRAME, 263)]));
    let all =
        U_ORIGIN1 | U_ANGLE2 | U_STEP | U_FRAME | U_MODEL | U_LONGENTITY | U_ALPHA | U_FRAME2 | U_MODEL2 | U_LERPFINISH;
    let fields = [
        (update::MODEL, 300),
        (update::FRAME, 261),
        (update::ORIGIN, float_bits(100.25)),
        (update::ANGLES + 1, float_bits(90.0)),
        (update::ALPHA, 128),
        (update::LERPFINISH, 128),
    ];
    in_666("F3 C4 0F 2C 01 2C 05 22 03 40 80 01 01 80", said(300, all, &fields));
    // The scale of one engine stands after alpha.
    in_666("81 80 13 07 80 10 01", {
        let fields = [(update::ALPHA, 128), (update::SCALE, 16), (update::FRAME, 256)];
        said(7, U_ALPHA | U_SCALE | U_FRAME2, &fields)
    });
}

#[test]
fn coords_are_rounded_to_the_nearest_eighth() {
    // 100.3 * 8 = 802.4.
    let fields = record(&[(update::ORIGIN, float_bits(100.3))]);
    let mut out = Vec::new();
    let update = FastUpdate { entity: 7, bits: U_ORIGIN1, fields };
    Service::FastUpdate(update).write(&mut Writer::new(&mut out), &Dialect::announced(666).primitives);
    assert_eq!(out, bytes("82 07 22 03"));
}

#[test]
fn clientdata_has_high_bytes_and_the_weapons_alpha_behind_the_active_weapon() {
    let least = ClientData {
        items: 0x1201,
        on_ground: true,
        weapon: 1,
        health: 100,
        ammo: 25,
        stock: [25, 0, 0, 0],
        active_weapon: 1,
        ..ClientData::default()
    };
    in_both("0F 00 46 01 12 00 00 01 64 00 19 19 00 00 00 01", Service::ClientData(least));
    let large = ClientData { velocity: [20, 0, 0], armor: 300, weapon: 500, ammo: 400, stock: [400, 0, 0, 0], ..least };
    let tail = "14 01 12 00 00 2C F4 64 00 90 90 00 00 00 01 01 01 01 01";
    in_666(&format!("0F 20 E6 0F {tail}"), Service::ClientData(large));
    let alpha = ClientData { weapon_alpha: 128, ..large };
    in_666(&format!("0F 20 E6 8F 02 {tail} 80"), Service::ClientData(alpha));
    // Every kind of ammunition and the weapon's frame, each with another high byte.
    let stocked = ClientData { weapon_frame: 0x0701, ammo: 0x0302, stock: [0x0403, 0x0504, 0x0605, 0x0706], ..least };
    in_666("0F 00 D6 FC 01 01 12 00 00 01 01 64 00 02 03 04 05 06 01 03 04 05 06 07 07", Service::ClientData(stocked));
}

#[test]
fn sounds_have_wide_entities_from_8192_and_wide_numbers_from_256() {
    let origin = point(16.0, 0.0, -8.0);
    let usual = Sound {
        volume: 255,
        attenuation: 64,
        entity: 8191,
        channel: 7,
        sound: 255,
        origin,
        extras: SoundExtras::default(),
        forced: 0,
    };
    in_both("06 00 FF FF FF 80 00 00 00 C0 FF", Service::Sound(usual));
    in_666("06 08 00 20 07 FF 80 00 00 00 C0 FF", Service::Sound(Sound { entity: 8192, ..usual }));
    let wide = Sound { entity: 8192, channel: 1, sound: 256, volume: 128, attenuation: 32, ..usual };
    in_666("06 1B 80 20 00 20 01 00 01 80 00 00 00 C0 FF", Service::Sound(wide));
    // 0x9C40 is 40000: no sign.
    in_666("06 08 40 9C 09 03 80 00 00 00 C0 FF", {
        Service::Sound(Sound { entity: 40_000, channel: 9, sound: 3, ..usual })
    });
}

#[test]
fn baselines_and_statics_have_their_flags_first_and_alpha_last() {
    let plain = placed(&[(update::MODEL, 10)]);
    in_both("16 05 00 0A 00 00 00 08 00 00 10 00 40 18 00 00", Service::SpawnBaseline { entity: 5, fields: plain });
    in_both("14 0A 00 00 00 08 00 00 10 00 40 18 00 00", Service::SpawnStatic { fields: plain });
    let wide = placed(&[(update::MODEL, 300), (update::FRAME, 261), (update::SKIN, 2), (update::ALPHA, 128)]);
    check(
        666,
        "2A 05 00 07 2C 01 05 01 00 02 08 00 00 10 00 40 18 00 00 80",
        Said::Fitz(Fitz::SpawnBaseline { entity: 5, bits: 7, fields: wide }),
    );
    let invisible = placed(&[(update::MODEL, 10), (update::ALPHA, 1)]);
    check(
        666,
        "2B 04 0A 00 00 00 08 00 00 10 00 40 18 00 00 01",
        Said::Fitz(Fitz::SpawnStatic { bits: 4, fields: invisible }),
    );
}

#[test]
fn static_sounds_have_wide_numbers_alone() {
    let origin = point(1.0, 2.0, 3.0);
    in_both(
        "1D 08 00 10 00 18 00 07 FF 40",
        Service::SpawnStaticSound { origin, sound: 7, volume: 255, attenuation: 64 },
    );
    check(
        666,
        "2C 08 00 10 00 18 00 00 01 FF 40",
        Said::Fitz(Fitz::SpawnStaticSound { origin, sound: 256, volume: 255, attenuation: 64 }),
    );
}

/// A move with these angles has these bytes, and is read back with `read`.
fn check_move(protocol: u32, hex: &str, angles: [f32; 3], read: [f32; 3]) {
    let form = Dialect::announced(protocol).move_form();
    let movement =
        Move { time: float_bits(2.5), angles: angles.map(float_bits), forward: 400, buttons: 1, ..Move::default() };
    let mut out = Vec::new();
    ClientCommand::Move(movement).write(&mut Writer::new(&mut out), &form);
    assert_eq!(out, bytes(hex), "{angles:?}");
    let mut r = Reader::new(&out);
    let expected = Move { angles: read.map(float_bits), ..movement };
    assert_eq!(read_command(&mut r, &form), Ok(ClientCommand::Move(expected)));
    assert_eq!(r.left(), 0);
}

#[test]
fn moves_have_angles_of_one_byte_in_protocol_15_and_of_two_in_666() {
    let tail = "90 01 00 00 00 00 01 00";
    // 12.5 * 256 / 360 = 8.9, so 9: 12.65625 degrees; what cuts off makes it 8.
    check_move(15, &format!("03 00 00 20 40 09 C0 00 {tail}"), [12.5, -90.0, 0.0], [12.65625, -90.0, 0.0]);
    // 12.5 * 65536 / 360 = 2275.6, so 2276, which is 12.50244 degrees.
    let read = 2276.0 * 360.0 / 65536.0;
    check_move(666, &format!("03 00 00 20 40 E4 08 00 C0 00 00 {tail}"), [12.5, -90.0, 0.0], [read, -90.0, 0.0]);
    // Half a circle is read as its other half, and what is nearly whole is none.
    let near = 46.0 * 360.0 / 65536.0;
    check_move(666, &format!("03 00 00 20 40 00 80 00 00 2E 00 {tail}"), [180.0, 359.999, 0.25], [-180.0, 0.0, near]);
}

#[test]
fn halves_of_a_step_are_rounded_away_from_zero() {
    // Degrees of half a step: 360 / 131072, which a single holds exactly.
    let half = |steps: f32| steps * 360.0 / 131_072.0;
    let step = |steps: f32| steps * 360.0 / 65_536.0;
    let tail = "90 01 00 00 00 00 01 00";
    let (up, down) = ([half(1.0), half(3.0), half(5.0)], [half(-1.0), half(-3.0), half(-5.0)]);
    check_move(666, &format!("03 00 00 20 40 01 00 02 00 03 00 {tail}"), up, [step(1.0), step(2.0), step(3.0)]);
    check_move(666, &format!("03 00 00 20 40 FF FF FE FF FD FF {tail}"), down, [step(-1.0), step(-2.0), step(-3.0)]);
}

#[test]
fn every_code_of_alpha_has_its_opacity_and_its_saved_value() {
    // (c - 1) / 254.
    for (code, opacity) in [(0, 1.0), (1, 0.0), (128, 0.5), (255, 1.0)] {
        assert_eq!(alpha::decode(code), opacity, "{code}");
    }
    assert_eq!([0, 1, 128, 255].map(alpha::to_save), [0.0, -1.0, 0.5, 1.0]);
}
