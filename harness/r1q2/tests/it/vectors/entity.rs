//! Entries of an entity list, byte for byte. Entities 5 and 300 are hand-made; others come from recordings.

use super::Evidence::{self, Hand, Recorded};
use super::{check_cuts, f, fields};
use kit::table::{Row, WIRE};
use kit::{DecodeError, ErrorKind, Reader, Span, Writer};
use r1q2::wire::constants::*;
use r1q2::wire::delta::{self, ENTITY, Entry, GATE_BEAM_OF_NEW, GATE_PROTOCOL_35, GATE_SOLID32};
use r1q2::wire::state::*;
use testkit::bytes::hex_bytes;

/// How the encoder comes to write the bytes of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// It is given the fields, and chooses the widths.
    AsDelta,
    /// It is given the widths, too: others would do.
    AsGiven,
    /// It is not: a reader takes it all the same.
    Never,
}

/// One update.
#[derive(Clone, Copy, Debug)]
struct Vector {
    evidence: Evidence,
    /// The upper bits of the gate.
    gate: u64,
    number: u32,
    /// The bits on the wire, but for those of structure.
    bits: u64,
    /// The fields that it carries.
    fields: &'static [(usize, i32)],
    /// Bits, number and fields.
    hex: &'static str,
    written: Written,
}

const fn by_hand(reason: &'static str, bits: u64, fields: &'static [(usize, i32)], hex: &'static str) -> Vector {
    Vector { evidence: Hand(reason), gate: 0, number: 5, bits, fields, hex, written: Written::AsDelta }
}

const fn given(reason: &'static str, bits: u64, fields: &'static [(usize, i32)], hex: &'static str) -> Vector {
    Vector { written: Written::AsGiven, ..by_hand(reason, bits, fields, hex) }
}

const fn recorded(
    evidence: Evidence,
    number: u32,
    bits: u64,
    fields: &'static [(usize, i32)],
    hex: &'static str,
) -> Vector {
    Vector { evidence, gate: GATE_PROTOCOL_35, number, bits, fields, hex, written: Written::AsDelta }
}

const Q2PRO_5: Evidence = Recorded("q2pro_p35_minor1905", "S>C seq=5");
const R1Q2_13: Evidence = Recorded("r1q2_b5183_p35_minor1901", "S>C seq=13");
const R1Q2_P34_8: Evidence = Recorded("r1q2_b5183_p34", "S>C seq=8");

static VECTORS: &[Vector] = &[
    by_hand("no bits, a small number", 0, &[], "00 05"),
    Vector { number: 300, ..by_hand("bit 8 in the second byte makes the number a short", 0, &[], "80 01 2c01") },
    Vector { number: 255, ..by_hand("the largest number of a byte", 0, &[], "00 ff") },
    Vector { number: 1023, ..by_hand("the largest number there is", 0, &[], "80 01 ff03") },
    Vector { written: Written::Never, ..by_hand("a short for a small number", 0, &[], "80 01 0500") },
    Vector { written: Written::Never, ..by_hand("bytes of bits that are zero", 0, &[], "80 80 80 00 05") },
    by_hand("bit 11", U_MODEL, &[(MODEL, 7)], "80 08 05 07"),
    by_hand("bit 20", U_MODEL2, &[(MODEL2, 255)], "80 80 10 05 ff"),
    by_hand("bit 21", U_MODEL3, &[(MODEL3, 10)], "80 80 20 05 0a"),
    by_hand("bit 22", U_MODEL4, &[(MODEL4, 11)], "80 80 40 05 0b"),
    by_hand(
        "models stand in the order of their numbers",
        U_MODEL | U_MODEL2 | U_MODEL3 | U_MODEL4,
        &[(MODEL, 1), (MODEL2, 2), (MODEL3, 3), (MODEL4, 4)],
        "80 88 70 05 01 02 03 04",
    ),
    by_hand("bit 4: the largest byte", U_FRAME8, &[(FRAME, 255)], "10 05 ff"),
    by_hand("bit 17 in place of bit 4: the smallest short", U_FRAME16, &[(FRAME, 256)], "80 80 02 05 0001"),
    by_hand("a frame has all of a short", U_FRAME16, &[(FRAME, 0xffff)], "80 80 02 05 ffff"),
    given("a short may hold what a byte could", U_FRAME16, &[(FRAME, 1)], "80 80 02 05 0100"),
    by_hand("bit 16", U_SKIN8, &[(SKIN, 255)], "80 80 01 05 ff"),
    by_hand("bit 25", U_SKIN16, &[(SKIN, 0x7fff)], "80 80 80 02 05 ff7f"),
    by_hand("both, for a sign would be extended", U_SKIN8 | U_SKIN16, &[(SKIN, 0x8000)], "80 80 81 02 05 00800000"),
    by_hand("both: all 32 bits", U_SKIN8 | U_SKIN16, &[(SKIN, -1)], "80 80 81 02 05 ffffffff"),
    given("a long may hold what a byte could", U_SKIN8 | U_SKIN16, &[(SKIN, 1)], "80 80 81 02 05 01000000"),
    given("a short above the sign bit is read unsigned", U_SKIN16, &[(SKIN, 0x8001)], "80 80 80 02 05 0180"),
    by_hand("bit 14", U_EFFECTS8, &[(EFFECTS, 255)], "80 40 05 ff"),
    by_hand("bit 19", U_EFFECTS16, &[(EFFECTS, 256)], "80 80 08 05 0001"),
    by_hand("both", U_EFFECTS8 | U_EFFECTS16, &[(EFFECTS, 0x1234_5678)], "80 c0 08 05 78563412"),
    by_hand("bit 12", U_RENDERFX8, &[(RENDERFX, 64)], "80 10 05 40"),
    by_hand("bit 18", U_RENDERFX16, &[(RENDERFX, 0x0400)], "80 80 04 05 0004"),
    by_hand("both", U_RENDERFX8 | U_RENDERFX16, &[(RENDERFX, 0x8000)], "80 90 04 05 00800000"),
    by_hand(
        "skin, effects, renderfx, in this order",
        U_SKIN8 | U_EFFECTS8 | U_RENDERFX8,
        &[(SKIN, 1), (EFFECTS, 2), (RENDERFX, 3)],
        "80 d0 01 05 01 02 03",
    ),
    by_hand("bit 0: eighths", U_ORIGIN1, &[(ORIGIN_X, f(-5.0))], "01 05 d8ff"),
    by_hand("bit 1", U_ORIGIN2, &[(ORIGIN_Y, f(4095.875))], "02 05 ff7f"),
    by_hand("bit 9", U_ORIGIN3, &[(ORIGIN_Z, f(0.125))], "80 02 05 0100"),
    by_hand("bit 10: 256 to the circle", U_ANGLE1, &[(PITCH, f(90.0))], "80 04 05 40"),
    by_hand("bit 2: signed", U_ANGLE2, &[(YAW, f(-90.0))], "04 05 c0"),
    by_hand("bit 3", U_ANGLE3, &[(ROLL, f(-180.0))], "08 05 80"),
    by_hand(
        "origins by axis, then angles by axis, whatever the order of their bits",
        U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3 | U_ANGLE1 | U_ANGLE2 | U_ANGLE3,
        &[
            (ORIGIN_X, f(1.0)),
            (ORIGIN_Y, f(2.0)),
            (ORIGIN_Z, f(3.0)),
            (PITCH, f(11.25)),
            (YAW, f(22.5)),
            (ROLL, f(33.75)),
        ],
        "8f 06 05 0800 1000 1800 08 10 18",
    ),
    by_hand(
        "bit 24",
        U_OLDORIGIN,
        &[(OLD_ORIGIN_X, f(1.0)), (OLD_ORIGIN_Y, f(2.0)), (OLD_ORIGIN_Z, f(3.0))],
        "80 80 80 01 05 0800 1000 1800",
    ),
    by_hand("bit 26", U_SOUND, &[(SOUND, 33)], "80 80 80 04 05 21"),
    by_hand("bit 5", U_EVENT, &[(EVENT, 6)], "20 05 06"),
    by_hand("bit 27: a short", U_SOLID, &[(SOLID, 31)], "80 80 80 08 05 1f00"),
    Vector {
        gate: GATE_PROTOCOL_35 | GATE_SOLID32,
        ..by_hand(
            "from revision 1905 on a long: 32 aside, 24 below, and 0x7ff0 - 0x8000 = -16 above",
            U_SOLID,
            &[(SOLID, 0x7ff0_1820)],
            "80 80 80 08 05 2018f07f",
        )
    },
    by_hand(
        "sound, event, solid, in this order, after the old origin",
        U_OLDORIGIN | U_SOUND | U_EVENT | U_SOLID,
        &[(OLD_ORIGIN_X, 0), (OLD_ORIGIN_Y, 0), (OLD_ORIGIN_Z, f(1.0)), (SOUND, 1), (EVENT, 2), (SOLID, 3)],
        "a0 80 80 0d 05 0000 0000 0800 01 02 0300",
    ),
    recorded(Q2PRO_5, 1, U_FRAME8 | U_ANGLE2, &[(FRAME, 0), (YAW, f(-172.96875))], "14 01 00 85"),
    recorded(Q2PRO_5, 22, U_ANGLE2, &[(YAW, f(-80.15625))], "04 16 c7"),
    recorded(
        Q2PRO_5,
        24,
        U_ORIGIN1 | U_ORIGIN3,
        &[(ORIGIN_X, f(-21.875)), (ORIGIN_Z, f(168.375))],
        "81 02 18 51ff 4305",
    ),
    recorded(
        R1Q2_13,
        1,
        U_ORIGIN1 | U_ORIGIN2 | U_ANGLE2 | U_ANGLE3 | U_OLDORIGIN | U_SKIN16 | U_SOUND,
        &[
            (SKIN, 0x0a00),
            (ORIGIN_X, f(254.0)),
            (ORIGIN_Y, f(-1.0)),
            (YAW, f(-151.875)),
            (ROLL, 0),
            (OLD_ORIGIN_X, f(254.0)),
            (OLD_ORIGIN_Y, f(-1.0)),
            (OLD_ORIGIN_Z, f(40.125)),
            (SOUND, 45),
        ],
        "8f 80 80 07 01 000a f007 f8ff 94 00 f007 f8ff 4101 2d",
    ),
    Vector {
        gate: 0,
        ..recorded(
            R1Q2_P34_8,
            129,
            U_OLDORIGIN,
            &[(OLD_ORIGIN_X, f(1148.0)), (OLD_ORIGIN_Y, f(-900.0)), (OLD_ORIGIN_Z, f(20.0))],
            "80 80 80 01 81 e023 e0e3 a000",
        )
    },
];

/// What an entity was before an update: every field has a value of its own, so that nothing is right by chance.
fn before() -> Entity {
    let mut entity = Entity::NULL;
    for (field, value) in entity.0.iter_mut().enumerate() {
        *value = 30 + field as i32;
    }
    assert!(!entity.is_beam());
    entity
}

/// Reads one entry: its number, its bits, the entity's new state, and what every byte is.
fn read(bytes: &[u8], gate: u64, spans: &mut Vec<Span>) -> Result<(u32, u64, Entity), DecodeError> {
    let mut r = Reader::with_spans(bytes, spans);
    let Entry::Update(number, bits) = delta::read_entry(&mut r)? else { panic!("not an update") };
    let mut entity = before();
    delta::read_fields(&mut r, bits, &mut entity, gate)?;
    r.finish("entry")?;
    Ok((number, bits, entity))
}

/// Decodes a vector to its fields, encodes the fields to the vector, and cuts it at every length.
fn check(vector: &Vector) {
    vector.evidence.check(vector.hex);
    let (bytes, mut spans) = (hex_bytes(vector.hex), Vec::new());
    let (number, bits, entity) = read(&bytes, vector.gate, &mut spans).unwrap_or_else(|e| panic!("{e}: {vector:?}"));
    assert_eq!((number, bits), (vector.number, vector.bits), "{vector:?}");

    let mut expected = before();
    for (old, origin) in OLD_ORIGIN.into_iter().zip(ORIGIN) {
        expected[old] = before()[origin];
    }
    expected[EVENT] = 0;
    for &(field, value) in vector.fields {
        expected[field] = value;
    }
    for (field, (is, should)) in entity.0.iter().zip(&expected.0).enumerate() {
        assert_eq!(is, should, "{} in {vector:?}", FIELD_TABLE[field].name);
    }

    let given = match vector.written {
        Written::AsDelta => Some(delta::fields_of(bits)),
        Written::AsGiven => Some(bits),
        Written::Never => None,
    };
    if let Some(given) = given {
        let mut out = Vec::new();
        delta::write_entry(&mut Writer::new(&mut out), number, given, &expected, vector.gate);
        assert_eq!(out, bytes, "{vector:?}");
    }
    check_cuts(&bytes, &fields(spans), |cut| read(cut, vector.gate, &mut Vec::new()).map(drop));
}

#[test]
fn every_vector_is_decoded_and_encoded_to_the_byte() {
    VECTORS.iter().for_each(check);
}

/// Which of the row's layouts the gate selects.
fn form_of(row: &Row, gate: u64) -> Option<usize> {
    row.forms.iter().position(|form| gate & form.mask == form.equals)
}

#[test]
fn every_row_and_every_layout_has_a_vector() {
    for row in ENTITY.rows {
        for form in 0..row.forms.len() {
            let covered = VECTORS.iter().any(|vector| form_of(row, vector.bits | vector.gate & !WIRE) == Some(form));
            assert!(covered, "row {}: no vector has {:?}", row.name, row.forms[form]);
        }
        let carried =
            VECTORS.iter().any(|vector| vector.fields.iter().any(|&(at, value)| at == row.field && value != 0));
        assert!(carried, "row {}: no vector carries its field", row.name);
    }
}

/// Reads the beginning of an entry.
fn entry(hex: &str) -> Result<Entry, DecodeError> {
    let bytes = hex_bytes(hex);
    let mut r = Reader::new(&bytes);
    let entry = delta::read_entry(&mut r)?;
    r.finish("entry")?;
    Ok(entry)
}

#[test]
fn number_zero_ends_a_list() {
    let mut out = Vec::new();
    delta::write_end(&mut Writer::new(&mut out));
    assert_eq!(out, [0, 0]);
    assert_eq!(entry("00 00"), Ok(Entry::End));
}

#[test]
fn a_remove_has_a_number_and_nothing_else() {
    let written = |number| {
        let mut out = Vec::new();
        delta::write_remove(&mut Writer::new(&mut out), number);
        out
    };
    Recorded("r1q2_b5183_p35_minor1901", "S>C seq=6").check("40 56");
    assert_eq!(written(86), [0x40, 86]);
    assert_eq!(written(300), [0xc0, 0x01, 0x2c, 0x01]);
    assert_eq!(entry("40 56"), Ok(Entry::Remove(86)));
    assert_eq!(entry("c001 2c01"), Ok(Entry::Remove(300)));
}

#[track_caller]
fn check_refused(hex: &str, field: &'static str, kind: ErrorKind) {
    let error = entry(hex).expect_err("refused");
    assert_eq!((error.field, error.kind), (field, kind));
}

#[test]
fn what_no_engine_sends_is_refused() {
    let why = "neither protocol defines this U bit";
    check_refused("80 20 05", "U bits", ErrorKind::Forbidden { value: 1 << 13, why });
    check_refused("80 80 80 90 05", "U bits", ErrorKind::Forbidden { value: 9 << 28, why });
    let why = "a frame is a byte or a short, not both";
    check_refused("90 80 02 05", "U bits", ErrorKind::Forbidden { value: 1 << 17, why });
    check_refused("80 01 0004", "number", ErrorKind::TooLarge { value: 1024, limit: 1023 });
}

/// What an entity without the bit of the old origin holds, that was at (1, 2, 3) and had (4, 5, 6).
#[track_caller]
fn check_old_origin(gate: u64, was_beam: bool, bits: u64, hex: &str, expected: f32) {
    let mut entity = Entity::NULL;
    for (field, value) in [(ORIGIN, 1.0), (OLD_ORIGIN, 4.0)] {
        for (place, axis) in field.into_iter().zip(0u8..) {
            entity[place] = f(value + f32::from(axis));
        }
    }
    entity[RENDERFX] = if was_beam { RF_BEAM } else { 0 };
    entity[EVENT] = 1;
    let base = entity;
    let bytes = hex_bytes(hex);
    delta::read_fields(&mut Reader::new(&bytes), bits, &mut entity, gate).expect("fields");
    for (place, axis) in OLD_ORIGIN.into_iter().zip(0u8..) {
        assert_eq!(entity[place], f(expected + f32::from(axis)));
    }
    assert_eq!(entity[EVENT], 0);
    if bits == 0 {
        assert_eq!(
            entity,
            delta::carry(&base, gate, delta::omitted_old_origin),
            "what is not mentioned is as what has no bits"
        );
    }
}

#[test]
fn a_beam_keeps_its_far_end_over_protocol_35_alone() {
    let (p34, p35) = (0, GATE_PROTOCOL_35);
    check_old_origin(p34, false, 0, "", 1.0);
    check_old_origin(p34, true, 0, "", 1.0);
    check_old_origin(p35, false, 0, "", 1.0);
    check_old_origin(p35, true, 0, "", 4.0);
    check_old_origin(p35, true, U_ORIGIN1, "0001", 4.0);
}

#[test]
fn what_becomes_a_beam_or_ceases_to_be_one_is_read_in_two_ways() {
    let (p35, new) = (GATE_PROTOCOL_35, GATE_PROTOCOL_35 | GATE_BEAM_OF_NEW);
    check_old_origin(p35, false, U_RENDERFX8, "80", 1.0);
    check_old_origin(new, false, U_RENDERFX8, "80", 4.0);
    check_old_origin(p35, true, U_RENDERFX8, "00", 4.0);
    check_old_origin(new, true, U_RENDERFX8, "00", 1.0);
    check_old_origin(GATE_BEAM_OF_NEW, false, U_RENDERFX8, "80", 1.0);
}

#[test]
fn baselines_begin_from_nothing() {
    let mut state = Entity::NULL;
    (state[MODEL], state[ORIGIN_Z], state[OLD_ORIGIN_Z], state[SOLID]) = (3, f(8.0), f(8.0), 31);
    let mut out = Vec::new();
    delta::write_baseline(&mut Writer::new(&mut out), 300, &state, GATE_PROTOCOL_35);
    assert_eq!(out, hex_bytes("0e 808b8009 2c01 03 4000 0000 0000 4000 1f00"));
    let read = delta::read_baseline(&mut Reader::new(&out[1..]), GATE_PROTOCOL_35);
    assert_eq!(read, Ok((300, U_MODEL | U_ORIGIN3 | U_OLDORIGIN | U_SOLID, state)));
}

#[test]
fn a_baseline_of_the_world_or_of_what_is_gone_is_refused() {
    for hex in ["00 00", "40 05"] {
        let error = delta::read_baseline(&mut Reader::new(&hex_bytes(hex)), 0).expect_err("refused");
        assert_eq!(error.field, "baseline");
    }
}

#[test]
fn the_layout_is_the_reviewed_one() {
    let name = |bit: u32| match bit {
        0..=31 => String::from(U_NAMES[bit as usize]),
        33 => String::from("[32-bit solid]"),
        bit => format!("[{bit}]"),
    };
    insta::with_settings!({
        snapshot_path => "../../../../../golden/r1q2",
        prepend_module_to_snapshot => false,
        omit_expression => true,
        description => "The wire of entity deltas, in the order of the bytes.",
    }, {
        insta::assert_snapshot!("entity", ENTITY.describe(&name));
    });
}
