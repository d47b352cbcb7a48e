//! Protocol 999: the messages of 666 with coords and angles as the flags of its serverinfo say, worked by hand.
//!
//! Coords are eighths of a unit in a short; a short and 255ths in a byte; sixteenths in a long; or floats. Angles are 256ths
//! of a circle in a byte, 65536ths in a short, or floats. The finer angles of moves are shorts, or floats where all are.

use fitz666::message::{Dialect, Said, read_command, read_service};
use kit::table::float_value;
use kit::{Reader, Writer};
use netquake::constants::*;
use netquake::effect::TempEntity;
use netquake::fitzquake::Fitz;
use netquake::update::{ANGLES, ORIGIN, Record, SCALE};
use netquake::{ClientCommand, Service};
use testkit::bytes::hex_bytes;

/// Three values, each in hex.
type Three = [&'static str; 3];

/// Flags, and how they have the coords 100, -2 and 0.5 (in coords of three bytes 0.6: 153 of 255), and the angles 90, -45 and
/// 0, as they are in messages of a server and in moves.
const DIALECTS: [(u32, Three, Three, Three); 9] = [
    (0, EIGHTHS, BYTES, SHORTS),
    (PRFL_SHORTANGLE, EIGHTHS, SHORTS, SHORTS),
    (PRFL_FLOATANGLE, EIGHTHS, FLOAT_ANGLES, FLOAT_ANGLES),
    (PRFL_24BITCOORD, ["64 00 00", "FE FF 00", "00 00 99"], BYTES, SHORTS),
    (PRFL_FLOATCOORD, FLOATS, BYTES, SHORTS),
    (PRFL_INT32COORD, SIXTEENTHS, BYTES, SHORTS),
    (PRFL_EDICTSCALE, EIGHTHS, BYTES, SHORTS),
    // Of coords, floats win, then longs; of angles, floats.
    (PRFL_FLOATCOORD | PRFL_INT32COORD | PRFL_24BITCOORD | PRFL_SHORTANGLE, FLOATS, SHORTS, SHORTS),
    (PRFL_INT32COORD | PRFL_24BITCOORD | PRFL_FLOATANGLE | PRFL_SHORTANGLE, SIXTEENTHS, FLOAT_ANGLES, FLOAT_ANGLES),
];
const EIGHTHS: Three = ["20 03", "F0 FF", "04 00"];
const SIXTEENTHS: Three = ["40 06 00 00", "E0 FF FF FF", "08 00 00 00"];
const FLOATS: Three = ["00 00 C8 42", "00 00 00 C0", "00 00 00 3F"];
const BYTES: Three = ["40", "E0", "00"];
const SHORTS: Three = ["00 40", "00 E0", "00 00"];
const FLOAT_ANGLES: Three = ["00 00 B4 42", "00 00 34 C2", "00 00 00 00"];

/// The messages that have coords or angles, with an entity's scale: `x`, `y` and `z` stand for the coords, `p`, `w` and `r` for
/// the angles.
const MESSAGES: [&str; 19] = [
    // Entity 7 at its baseline, then with all of its origin and angles; with alpha, scale, high bytes and the time.
    "80 07",
    "9F 03 07 x p y w z r",
    "DF 87 1F 07 2C 05 x p y w z r 80 20 01 01 33",
    // Damage, particles, a turned view.
    "13 05 0A x y z",
    "12 x y z 03 FD 00 14 49",
    "0A p w r",
    // Sounds: entity 7 on channel 1; entity 8192 with a sound, a volume and an attenuation of their own.
    "06 00 39 00 05 x y z",
    "06 1B 80 20 00 20 01 00 01 x y z",
    // Baselines and statics of both forms, with everything that 999 can add.
    "16 07 00 0A 05 00 02 x p y w z r",
    "14 0A 05 00 02 x p y w z r",
    "2A 07 00 0F 2C 01 05 01 00 02 x p y w z r 80 20",
    "2B 0F 2C 01 05 01 00 02 x p y w z r 80 20",
    "2A 07 00 08 0A 05 00 02 x p y w z r 20",
    "1D x y z 05 FF 40",
    "2C x y z 00 01 FF 40",
    // Effects: gunshot, coloured explosion, lightning and beam.
    "17 02 x y z",
    "17 0C x y z 10 08",
    "17 05 07 00 x y z x y z",
    "17 0D 07 00 z y x x y z",
];

/// The bytes of a message in a dialect.
fn bytes(message: &str, coords: &Three, angles: &Three) -> Vec<u8> {
    let spelled = message.split_whitespace().map(|word| match word {
        "x" => coords[0],
        "y" => coords[1],
        "z" => coords[2],
        "p" => angles[0],
        "w" => angles[1],
        "r" => angles[2],
        byte => byte,
    });
    hex_bytes(&spelled.collect::<Vec<_>>().join(" "))
}

/// Where something is, and its angles.
fn place(record: &Record) -> ([i32; 3], [i32; 3]) {
    let three = |first: usize| [record[first], record[first + 1], record[first + 2]];
    (three(ORIGIN), three(ANGLES))
}

/// Coords and angles of a message.
fn values(said: &Said<'_>) -> (Vec<[i32; 3]>, Option<[i32; 3]>) {
    let placed = |record: &Record| {
        let (origin, angles) = place(record);
        (vec![origin], Some(angles))
    };
    match said {
        Said::NetQuake(Service::FastUpdate(update)) if update.bits & U_ORIGIN1 == 0 => (Vec::new(), None),
        Said::NetQuake(Service::FastUpdate(update)) => placed(&update.fields),
        Said::NetQuake(Service::SpawnBaseline { fields, .. } | Service::SpawnStatic { fields })
        | Said::Fitz(Fitz::SpawnBaseline { fields, .. } | Fitz::SpawnStatic { fields, .. }) => placed(fields),
        Said::NetQuake(Service::Damage { from, .. }) => (vec![*from], None),
        Said::NetQuake(Service::Particle { origin, .. } | Service::SpawnStaticSound { origin, .. })
        | Said::Fitz(Fitz::SpawnStaticSound { origin, .. }) => (vec![*origin], None),
        Said::NetQuake(Service::Sound(sound)) => (vec![sound.origin], None),
        Said::NetQuake(Service::SetAngle { angles }) => (Vec::new(), Some(*angles)),
        Said::NetQuake(Service::TempEntity(TempEntity::Beam { start, end, kind: TE_BEAM, .. })) => {
            (vec![[start[2], start[1], start[0]], *end], None)
        }
        Said::NetQuake(Service::TempEntity(TempEntity::Beam { start, end, .. })) => (vec![*start, *end], None),
        Said::NetQuake(Service::TempEntity(
            TempEntity::Point { origin, .. } | TempEntity::ColoredExplosion { origin, .. },
        )) => (vec![*origin], None),
        other => panic!("no such message was made: {other:?}"),
    }
}

#[test]
fn every_message_has_the_coords_and_angles_that_each_flag_says() {
    for (flags, coords, angles, _) in DIALECTS {
        let narrow = flags & (PRFL_FLOATCOORD | PRFL_INT32COORD) == 0 && flags & PRFL_24BITCOORD != 0;
        let expected = [100.0, -2.0, if narrow { 0.6 } else { 0.5 }];
        for message in MESSAGES {
            let (bytes, mut dialect) = (bytes(message, &coords, &angles), Dialect::with_flags(999, flags));
            let mut r = Reader::new(&bytes);
            let said =
                read_service(&mut r, &mut dialect).unwrap_or_else(|error| panic!("{message} {flags:#x}: {error}"));
            assert_eq!(r.left(), 0, "{message} {flags:#x}");
            let (points, turned) = values(&said);
            let points: Vec<[f32; 3]> = points.iter().map(|point| point.map(float_value)).collect();
            assert!(points.iter().all(|point| *point == expected), "{message} {flags:#x}: {points:?}");
            let turned = turned.map(|angles| angles.map(float_value));
            assert_eq!(turned.unwrap_or([90.0, -45.0, 0.0]), [90.0, -45.0, 0.0], "{message} {flags:#x}");
            let mut out = Vec::new();
            said.write(&mut Writer::new(&mut out), &dialect);
            assert_eq!(out, bytes, "{message} {flags:#x}");
            for length in 0..bytes.len() {
                let cut = read_service(&mut Reader::new(&bytes[..length]), &mut dialect.clone());
                assert!(cut.is_err(), "{length} bytes of {message} {flags:#x}");
            }
        }
    }
}

#[test]
fn moves_have_shorts_or_floats() {
    for (flags, _, _, angles) in DIALECTS {
        let bytes = bytes("03 00 00 20 40 p w r 90 01 00 00 00 00 01 00", &["", "", ""], &angles);
        let mut r = Reader::new(&bytes);
        let command = read_command(&mut r, &Dialect::with_flags(999, flags).move_form());
        let Ok(ClientCommand::Move(input)) = command else { panic!("{flags:#x}: {command:?}") };
        assert_eq!((r.left(), input.angles.map(float_value)), (0, [90.0, -45.0, 0.0]), "{flags:#x}");
    }
}

#[test]
fn a_baseline_has_a_scale_in_protocol_999_alone() {
    let bytes = bytes("2A 07 00 08 0A 05 00 02 x p y w z r 20", &EIGHTHS, &BYTES);
    let said = read_service(&mut Reader::new(&bytes), &mut Dialect::with_flags(999, 0));
    assert!(matches!(said, Ok(Said::Fitz(Fitz::SpawnBaseline { fields, .. })) if fields[SCALE] == 32), "{said:?}");
    let error = read_service(&mut Reader::new(&bytes), &mut Dialect::announced(666)).expect_err("an unknown bit");
    assert_eq!(error.to_string(), "baseline bits at byte 3: unknown value 0x8");
}
