//! Tables, over a small record that has every shape of row that a protocol needs.

use kit::table::Absent::{Keep, Zero};
use kit::table::{Kind, Layout, OwnKind, Row, Table, WIRE, float_bits, float_value};
use kit::{DecodeError, ErrorKind, Reader, Writer};
use proptest::prelude::*;

const FRAME: usize = 0;
const MODEL: usize = 1;
const X: usize = 2;
const Y: usize = 3;
const EFFECTS: usize = 4;
const FORWARD: usize = 5;
const TRAIL: usize = 6;
const EMIT: usize = 7;
const CHARGE: usize = 8;
const FIELDS: usize = 9;

/// Widens frame and model together.
const B_16BIT: u64 = 1 << 0;
const B_FRAME: u64 = 1 << 1;
const B_MODEL: u64 = 1 << 2;
const B_ORIGIN: u64 = 1 << 3;
/// Effects: alone a byte; [`B_EFFECTS2`] alone a short; both a long.
const B_EFFECTS: u64 = 1 << 4;
const B_FORWARD: u64 = 1 << 5;
const B_TRAIL: u64 = 1 << 6;
const B_CHARGE: u64 = 1 << 7;
const B_EFFECTS2: u64 = 1 << 29;
/// Not on the wire: coords are floats.
const G_FLOAT: u64 = 1 << 40;

const fn plain(name: &'static str, field: usize, raise: u64, forms: &'static [Layout]) -> Row {
    Row { name, field, raise, widens: 0, forms, absent: Keep }
}

/// Two values under one bit: the second travels when the first has bit 15 set.
const TRAIL_AND_EMIT: OwnKind = OwnKind {
    name: "TrailEmit",
    holds: |value| (0..=0x3fff).contains(&value),
    read: |r, name, fields, at, _| {
        let trail = r.u16(name)?;
        fields[at] = i32::from(trail & 0x3fff);
        fields[EMIT] = if trail & 0x8000 != 0 { i32::from(r.u16("emit")?) } else { 0 };
        Ok(())
    },
    write: |w, name, fields, at, _| {
        let more = if fields[EMIT] != 0 { 0x8000 } else { 0 };
        w.u16(name, fields[at] as u16 | more);
        if more != 0 {
            w.u16("emit", fields[EMIT] as u16);
        }
    },
};

static RECORD: Table = Table::new(
    "record",
    &[
        Row {
            name: "effects",
            field: EFFECTS,
            raise: B_EFFECTS,
            widens: B_EFFECTS | B_EFFECTS2,
            forms: &[
                Layout::without(B_EFFECTS, B_EFFECTS2, Kind::U8),
                Layout::without(B_EFFECTS2, B_EFFECTS, Kind::U16),
                Layout::when(B_EFFECTS | B_EFFECTS2, Kind::U32),
            ],
            absent: Keep,
        },
        Row {
            name: "frame",
            field: FRAME,
            raise: B_FRAME,
            widens: B_16BIT,
            forms: &[Layout::without(B_FRAME, B_16BIT, Kind::U8), Layout::when(B_FRAME | B_16BIT, Kind::U16)],
            absent: Keep,
        },
        plain("x", X, B_ORIGIN, &[Layout::when(B_ORIGIN | G_FLOAT, Kind::F32), Layout::when(B_ORIGIN, Kind::Coord16)]),
        plain("y", Y, B_ORIGIN, &[Layout::when(B_ORIGIN | G_FLOAT, Kind::F32), Layout::when(B_ORIGIN, Kind::Coord16)]),
        Row {
            name: "forward",
            field: FORWARD,
            raise: B_FORWARD,
            widens: 0,
            forms: &[Layout::when(B_FORWARD, Kind::I16)],
            absent: Zero,
        },
        plain("trail", TRAIL, B_TRAIL, &[Layout::when(B_TRAIL, Kind::Own(&TRAIL_AND_EMIT))]),
        plain("emit", EMIT, B_TRAIL, &[]),
        Row {
            name: "model",
            field: MODEL,
            raise: B_MODEL,
            widens: B_16BIT,
            forms: &[Layout::without(B_MODEL, B_16BIT, Kind::U8), Layout::when(B_MODEL | B_16BIT, Kind::U16)],
            absent: Keep,
        },
        plain("charge", CHARGE, B_CHARGE, &[Layout::when(B_CHARGE, Kind::I8)]),
    ],
);

const BASE: [i32; FIELDS] = [7, 8, 0, 0, 9, 30, 0, 0, -3];

/// A record that differs from [`BASE`] in `changes`.
fn record(changes: &[(usize, i32)]) -> [i32; FIELDS] {
    let mut fields = BASE;
    for &(field, value) in changes {
        fields[field] = value;
    }
    fields
}

/// Makes a delta from [`BASE`] of `changes`: the bits that it raises, the gate that the widths make of them, its bytes.
/// Reading the bytes gives the changed record; cut anywhere they name the field that is cut.
fn check(changes: &[(usize, i32)], raised: u64, gate: u64, bytes: &[u8]) {
    let to = record(changes);
    assert_eq!(RECORD.diff(&BASE, &to), raised, "raised bits");
    let wide = RECORD.widen(raised | gate & !WIRE, &to);
    assert_eq!(wide, gate, "gate {wide:#x} instead of {gate:#x}");
    let mut out = Vec::new();
    RECORD.encode(gate, &to, &mut Writer::new(&mut out));
    assert_eq!(out, bytes);

    let (mut fields, mut spans) = (BASE, Vec::new());
    let mut r = Reader::with_spans(bytes, &mut spans);
    assert_eq!(RECORD.decode(gate, &mut fields, &mut r), Ok(()));
    assert_eq!(r.left(), 0);
    let mut expected = to;
    if gate & B_FORWARD == 0 {
        expected[FORWARD] = 0;
    }
    assert_eq!(fields, expected);
    for length in 0..bytes.len() {
        let cut = RECORD.decode(gate, &mut BASE.clone(), &mut Reader::new(&bytes[..length])).expect_err("cut off");
        let span = spans.iter().find(|span| (span.start..span.end).contains(&length)).expect("fields have no gaps");
        let kind = ErrorKind::Truncated { need: span.end - span.start, have: length - span.start };
        assert_eq!(cut, DecodeError { offset: span.start, field: span.field, kind });
    }
}

#[test]
fn equal_records_raise_no_bit_and_take_no_byte() {
    check(&[], 0, 0, &[]);
    check(&[], 0, G_FLOAT, &[]);
}

#[test]
fn each_change_raises_its_own_bit_and_no_other() {
    check(&[(FRAME, 1)], B_FRAME, B_FRAME, &[1]);
    check(&[(MODEL, 255)], B_MODEL, B_MODEL, &[255]);
    check(&[(CHARGE, -128)], B_CHARGE, B_CHARGE, &[0x80]);
    check(&[(FORWARD, -1)], B_FORWARD, B_FORWARD, &[0xff, 0xff]);
}

#[test]
fn two_fields_under_one_bit_travel_together() {
    check(&[(X, float_bits(1.5))], B_ORIGIN, B_ORIGIN, &[12, 0, 0, 0]);
    check(&[(Y, float_bits(-1.0))], B_ORIGIN, B_ORIGIN, &[0, 0, 0xf8, 0xff]);
}

#[test]
fn a_negotiated_extension_in_the_gate_changes_the_layout() {
    let gate = B_ORIGIN | G_FLOAT;
    check(&[(X, float_bits(1.0)), (Y, float_bits(0.1))], B_ORIGIN, gate, b"\x00\x00\x80\x3f\xcd\xcc\xcc\x3d");
}

#[test]
fn one_wide_field_widens_all_that_share_its_bit() {
    let both = B_FRAME | B_MODEL;
    check(&[(FRAME, 255), (MODEL, 254)], both, both, &[255, 254]);
    check(&[(FRAME, 256), (MODEL, 1)], both, both | B_16BIT, &[0, 1, 1, 0]);
    check(&[(FRAME, 1), (MODEL, 256)], both, both | B_16BIT, &[1, 0, 0, 1]);
    check(&[(FRAME, 0xffff)], B_FRAME, B_FRAME | B_16BIT, &[0xff, 0xff]);
}

#[test]
fn a_field_that_does_not_travel_widens_nothing() {
    let fields = record(&[(FRAME, 1), (MODEL, 300)]);
    assert_eq!(RECORD.widen(B_FRAME, &fields), B_FRAME);
}

#[test]
fn effects_take_the_narrowest_of_their_three_widths() {
    check(&[(EFFECTS, 255)], B_EFFECTS, B_EFFECTS, &[255]);
    check(&[(EFFECTS, 256)], B_EFFECTS, B_EFFECTS2, &[0, 1]);
    check(&[(EFFECTS, 0xffff)], B_EFFECTS, B_EFFECTS2, &[0xff, 0xff]);
    check(&[(EFFECTS, 0x1_0000)], B_EFFECTS, B_EFFECTS | B_EFFECTS2, &[0, 0, 1, 0]);
    check(&[(EFFECTS, -1)], B_EFFECTS, B_EFFECTS | B_EFFECTS2, &[0xff; 4]);
}

#[test]
fn a_width_that_is_given_already_is_kept() {
    let fields = record(&[(EFFECTS, 5)]);
    assert_eq!(RECORD.widen(B_EFFECTS2, &fields), B_EFFECTS2, "a small value in the short form");
    assert_eq!(RECORD.widen(B_EFFECTS | B_EFFECTS2, &fields), B_EFFECTS | B_EFFECTS2);
    assert_eq!(RECORD.widen(B_FRAME | B_16BIT, &fields), B_FRAME | B_16BIT);
}

#[test]
fn a_width_bit_without_its_field_has_no_bytes() {
    check_decoded(B_16BIT, &[], &[(FORWARD, 0)]);
}

#[test]
fn fields_travel_in_the_order_of_the_rows_not_of_the_bits() {
    let changes = [(FRAME, 1), (MODEL, 2), (EFFECTS, 3), (FORWARD, 4), (TRAIL, 5), (CHARGE, 6), (X, float_bits(1.0))];
    let bits = B_FRAME | B_MODEL | B_EFFECTS | B_FORWARD | B_TRAIL | B_CHARGE | B_ORIGIN;
    check(&changes, bits, bits, &[3, 1, 8, 0, 0, 0, 4, 0, 5, 0, 2, 6]);
}

#[test]
fn an_own_kind_carries_the_fields_inside_it() {
    check(&[(TRAIL, 0x3fff)], B_TRAIL, B_TRAIL, &[0xff, 0x3f]);
    check(&[(EMIT, 2)], B_TRAIL, B_TRAIL, &[0, 0x80, 2, 0]);
    check(&[(TRAIL, 1), (EMIT, 2)], B_TRAIL, B_TRAIL, &[1, 0x80, 2, 0]);
}

/// Reads `bytes` over [`BASE`].
fn check_decoded(gate: u64, bytes: &[u8], changes: &[(usize, i32)]) {
    let mut fields = BASE;
    let mut r = Reader::new(bytes);
    assert_eq!(RECORD.decode(gate, &mut fields, &mut r), Ok(()));
    assert_eq!((fields, r.left()), (record(changes), 0));
}

#[test]
fn an_absent_field_keeps_its_base_value_unless_it_falls_back_to_zero() {
    check_decoded(B_CHARGE, &[1], &[(CHARGE, 1), (FORWARD, 0)]);
    check_decoded(B_FORWARD, &[1, 0], &[(FORWARD, 1)]);
}

#[test]
fn fields_before_a_cut_are_stored() {
    let mut fields = BASE;
    let error = RECORD.decode(B_FRAME | B_MODEL, &mut fields, &mut Reader::new(&[1])).unwrap_err();
    assert_eq!((error.field, fields), ("model", record(&[(FRAME, 1), (FORWARD, 0)])));
}

#[test]
fn the_layout_of_a_field_depends_on_the_gate() {
    let kind = |field, gate| RECORD.layout_of(field, gate).map(|layout| format!("{:?}", layout.kind));
    assert_eq!(kind(FRAME, B_FRAME).as_deref(), Some("U8"));
    assert_eq!(kind(FRAME, B_FRAME | B_16BIT).as_deref(), Some("U16"));
    assert_eq!(kind(FRAME, B_16BIT), None);
    assert_eq!(kind(X, B_ORIGIN | G_FLOAT).as_deref(), Some("F32"));
    assert_eq!(kind(EMIT, B_TRAIL), None, "it travels inside its neighbour");
}

#[test]
fn the_description_lists_every_layout_with_its_condition() {
    let name = |bit| match bit {
        0 => String::from("16BIT"),
        40 => String::from("[float]"),
        bit => format!("bit{bit}"),
    };
    let expected = "\
record
  effects          U8           when bit4 without bit29
  effects          U16          when bit29 without bit4
  effects          U32          when bit4+bit29
  frame            U8           when bit1 without 16BIT
  frame            U16          when 16BIT+bit1
  x                F32          when bit3+[float]
  x                Coord16      when bit3
  y                F32          when bit3+[float]
  y                Coord16      when bit3
  forward          I16          when bit5; absent: 0
  trail            TrailEmit    when bit6
  model            U8           when bit2 without 16BIT
  model            U16          when 16BIT+bit2
  charge           I8           when bit7
";
    assert_eq!(RECORD.describe(&name), expected);
}

const PLAIN_KINDS: [Kind; 11] = [
    Kind::U8,
    Kind::I8,
    Kind::U16,
    Kind::I16,
    Kind::U32,
    Kind::F32,
    Kind::Coord16,
    Kind::Coord24,
    Kind::Coord32,
    Kind::Angle8,
    Kind::Angle16,
];

/// Writes `value` as `kind`: its bytes, and what comes back.
fn check_kind(kind: Kind, value: i32, bytes: &[u8], back: i32) {
    let (mut out, mut fields) = (Vec::new(), [0]);
    kind.write(&mut Writer::new(&mut out), "value", &[value], 0, 0);
    assert_eq!(out, bytes, "{value} as {kind:?}");
    kind.read(&mut Reader::new(bytes), "value", &mut fields, 0, 0).expect("what was written can be read");
    assert_eq!(fields, [back], "{value} as {kind:?}: {} comes back", float_value(fields[0]));
    assert_eq!(kind.quantise(value), back);
}

#[test]
fn integers_hold_their_range_and_no_more() {
    check_kind(Kind::U8, 255, &[255], 255);
    check_kind(Kind::I8, -128, &[0x80], -128);
    check_kind(Kind::U16, 0xffff, &[0xff, 0xff], 0xffff);
    check_kind(Kind::I16, -0x8000, &[0, 0x80], -0x8000);
    check_kind(Kind::U32, -1, &[0xff; 4], -1);
    for (kind, least, most) in
        [(Kind::U8, 0, 255), (Kind::I8, -128, 127), (Kind::U16, 0, 0xffff), (Kind::I16, -0x8000, 0x7fff)]
    {
        let held = [least - 1, least, most, most + 1].map(|value| kind.holds(value));
        assert_eq!(held, [false, true, true, false], "{kind:?}");
    }
    assert!(Kind::U32.holds(i32::MIN) && Kind::F32.holds(-1) && Kind::Coord16.holds(i32::MAX));
    assert!(Kind::Own(&TRAIL_AND_EMIT).holds(0x3fff) && !Kind::Own(&TRAIL_AND_EMIT).holds(0x4000));
}

#[test]
fn coords_are_rounded_half_away_from_zero() {
    let check = |kind, value, bytes: &[u8], back| check_kind(kind, float_bits(value), bytes, float_bits(back));
    check(Kind::Coord16, 1.0625, &[9, 0], 1.125);
    check(Kind::Coord16, -1.0625, &[0xf7, 0xff], -1.125);
    check(Kind::Coord16, 4095.875, &[0xff, 0x7f], 4095.875);
    check(Kind::Coord16, 4096.0, &[0, 0x80], -4096.0);
    check(Kind::Coord32, 1.03125, &[17, 0, 0, 0], 1.0625);
    check(Kind::Coord32, -0.0625, &[0xff; 4], -0.0625);
    check(Kind::Coord24, 1.0, &[1, 0, 0], 1.0);
    check(Kind::Coord24, -0.8, &[0xff, 0xff, 51], -0.8);
    check(Kind::Coord24, -32768.0, &[0, 0x80, 0], -32768.0);
    check(Kind::F32, 0.1, &[0xcd, 0xcc, 0xcc, 0x3d], 0.1);
}

#[test]
fn angles_are_parts_of_a_circle_and_signed_on_reading() {
    let check = |kind, value, bytes: &[u8], back| check_kind(kind, float_bits(value), bytes, float_bits(back));
    check(Kind::Angle8, 90.0, &[64], 90.0);
    check(Kind::Angle8, 270.0, &[192], -90.0);
    check(Kind::Angle8, -45.0, &[0xe0], -45.0);
    check(Kind::Angle8, 1.0, &[1], 1.40625);
    check(Kind::Angle16, 90.0, &[0, 0x40], 90.0);
    check(Kind::Angle16, 359.994_5, &[0xff, 0xff], -0.005_493_164);
}

#[test]
fn negative_zero_is_stored_as_zero() {
    assert_eq!(float_bits(-0.0), float_bits(0.0));
    assert_eq!(float_value(float_bits(-2.5)), -2.5);
    check_kind(Kind::F32, float_bits(-0.0), &[0; 4], 0);
}

#[test]
fn floats_that_are_no_numbers_are_written_as_something() {
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
        for (kind, length) in
            [(Kind::Coord16, 2), (Kind::Coord24, 3), (Kind::Coord32, 4), (Kind::Angle8, 1), (Kind::Angle16, 2)]
        {
            let mut out = Vec::new();
            kind.write(&mut Writer::new(&mut out), "value", &[float_bits(value)], 0, 0);
            assert_eq!(out.len(), length, "{value} as {kind:?}");
        }
    }
}

/// Any record whose values the table's widest layouts hold.
fn any_record() -> impl Strategy<Value = [i32; FIELDS]> {
    let coord = || (-0x8000i32..0x8000).prop_map(|eighths| float_bits(eighths as f32 / 8.0));
    (0..0x1_0000, 0..0x1_0000, coord(), coord(), any::<i32>(), -0x8000..0x8000, 0..0x4000, 0..0x4000, -128..128)
        .prop_map(|(a, b, c, d, e, f, g, h, i)| [a, b, c, d, e, f, g, h, i])
}

proptest! {
    #![proptest_config(crate::properties())]

    #[test]
    fn a_delta_turns_the_old_record_into_the_new_one(old in any_record(), new in any_record(), float in any::<bool>()) {
        let extensions = if float { G_FLOAT } else { 0 };
        let gate = RECORD.widen(RECORD.diff(&old, &new) | extensions, &new);
        let mut out = Vec::new();
        RECORD.encode(gate, &new, &mut Writer::new(&mut out));
        let (mut fields, mut r) = (old, Reader::new(&out));
        prop_assert_eq!(RECORD.decode(gate, &mut fields, &mut r), Ok(()));
        prop_assert_eq!(r.left(), 0);
        // The one field that is zero by default was equal before and after when its bit is not set.
        if gate & B_FORWARD == 0 {
            prop_assert_eq!(old[FORWARD], new[FORWARD]);
            fields[FORWARD] = new[FORWARD];
        }
        prop_assert_eq!(fields, new);
    }

    #[test]
    fn bits_that_no_row_looks_at_change_nothing(gate in any::<u64>(), fields in any_record()) {
        let mut known = 0;
        for row in RECORD.rows {
            known |= row.forms.iter().fold(0, |bits, form| bits | form.mask);
        }
        let encode = |gate| {
            let mut out = Vec::new();
            RECORD.encode(gate, &fields, &mut Writer::new(&mut out));
            out
        };
        let out = encode(gate);
        prop_assert_eq!(&out, &encode(gate & known));
        let (mut one, mut other) = (BASE, BASE);
        prop_assert_eq!(RECORD.decode(gate, &mut one, &mut Reader::new(&out)), Ok(()));
        prop_assert_eq!(RECORD.decode(gate & known, &mut other, &mut Reader::new(&out)), Ok(()));
        prop_assert_eq!(one, other);
        prop_assert_eq!(RECORD.widen(gate, &fields) & !known, gate & !known);
    }

    #[test]
    fn any_bytes_under_any_gate_decode_or_name_a_field(gate in any::<u64>(), bytes in prop::collection::vec(any::<u8>(), 0..24)) {
        let mut r = Reader::new(&bytes);
        if let Err(error) = RECORD.decode(gate, &mut BASE.clone(), &mut r) {
            prop_assert!(error.offset <= bytes.len());
            prop_assert!(RECORD.rows.iter().any(|row| row.name == error.field), "{}", error);
        }
    }

    #[test]
    fn floats_are_rounded_as_the_library_rounds(value in any::<f32>(), halves in -20_000i32..20_000) {
        let near_a_half = halves as f32 / 32.0;
        for value in [value, near_a_half, f32::from_bits(near_a_half.to_bits().wrapping_sub(1))] {
            let steps = (f64::from(value) * 16.0).round() as i64 as i32;
            prop_assert_eq!(Kind::Coord32.quantise(float_bits(value)), float_bits(steps as f32 / 16.0), "{}", value);
            let turns = (f64::from(value) * 256.0 / 360.0).round() as i64 as i32 as i8;
            let degrees = float_bits(f32::from(turns) * 360.0 / 256.0);
            prop_assert_eq!(Kind::Angle8.quantise(float_bits(value)), degrees, "{}", value);
        }
    }

    #[test]
    fn what_is_quantised_is_what_comes_back_from_the_wire(value in any::<i32>()) {
        for kind in PLAIN_KINDS {
            let (mut out, mut fields) = (Vec::new(), [0]);
            kind.write(&mut Writer::new(&mut out), "value", &[value], 0, 0);
            prop_assert!(kind.read(&mut Reader::new(&out), "value", &mut fields, 0, 0).is_ok());
            prop_assert_eq!(kind.quantise(value), fields[0], "{:?}", kind);
        }
    }

    #[test]
    fn rounding_twice_is_rounding_once(value in -30_000.0f32..30_000.0) {
        for kind in [Kind::F32, Kind::Coord16, Kind::Coord24, Kind::Coord32, Kind::Angle8, Kind::Angle16] {
            let once = kind.quantise(float_bits(value));
            prop_assert_eq!(kind.quantise(once), once, "{} as {:?} is {}", value, kind, float_value(once));
        }
    }
}
