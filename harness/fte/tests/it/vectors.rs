//! Golden bytes of the delta codec: what is written and read wrongly in both directions round-trips, so every row of the
//! tables is pinned by bytes that an engine sent or that were worked out from the specification by hand.

mod entity;
mod foreign;

use entity::VECTORS;
use fte::constants::*;
use fte::delta::{self, ENTITY, EXT_PREDINFO, Entry, PRED};
use fte::state::*;
use kit::table::{Row, WIRE};
use kit::{DecodeError, ErrorKind, Reader, Span, Writer};
use testkit::bytes::{check_cuts, check_recorded, hex_bytes};

/// Where the bytes of a vector come from.
#[derive(Clone, Copy, Debug)]
pub enum Evidence {
    /// An engine sent them: the recording, and the datagram in it.
    Recorded(&'static str, &'static str),
    /// Worked out from the specification and its errata (E), for this reason.
    Hand(&'static str),
}

/// How the encoder comes to write the bytes of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is given the fields, and chooses the widths.
    AsDelta,
    /// It is given the widths, too: others would do.
    AsGiven,
    /// It does not, for this reason.
    Never(&'static str),
}

/// One entry of an update.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    pub evidence: Evidence,
    /// What the session has agreed upon: the upper bits of the gate.
    pub gate: u64,
    /// The flags on the wire, but for EXTEND.
    pub flags: u64,
    /// The fields that the update carries.
    pub fields: &'static [(usize, i32)],
    /// Entity index, flag bytes and fields.
    pub hex: &'static str,
    pub written: Written,
}

/// What an entity was before an update: every field has a value of its own, so that nothing is right by chance.
fn before() -> Entity {
    let mut entity = Entity::NULL;
    for (field, value) in entity.0.iter_mut().enumerate() {
        *value = 30 + field as i32;
    }
    entity
}

/// A baseline that differs from everything else.
fn baseline() -> Entity {
    let mut entity = before();
    entity.0.iter_mut().for_each(|value| *value += 60);
    entity
}

/// Reads one entry: its flags, the entity's new state, and what every byte is.
fn read(bytes: &[u8], gate: u64, spans: &mut Vec<Span>) -> Result<(u32, u64, Entity), DecodeError> {
    let mut r = Reader::with_spans(bytes, spans);
    let Entry::Update(number, flags) = delta::read_entry(&mut r, gate)? else { panic!("not an update") };
    let mut entity = before();
    delta::read_delta(&mut r, &delta::ENTITY, flags, &baseline(), &mut entity, gate)?;
    r.finish("entry")?;
    Ok((number, flags, entity))
}

/// Decodes a vector to its fields, encodes the fields to the vector, and cuts it at every length.
fn check(vector: &Vector) {
    let (bytes, mut spans) = (hex_bytes(vector.hex), Vec::new());
    let (number, flags, entity) = read(&bytes, vector.gate, &mut spans).unwrap_or_else(|e| panic!("{e}: {vector:?}"));
    assert_eq!(flags, vector.flags, "{vector:?}");

    let mut expected = if flags & UF_RESET != 0 { baseline() } else { before() };
    for field in MOVEMENT_FIELDS {
        expected[field] = 0;
    }
    for &(field, value) in vector.fields {
        expected[field] = value;
    }
    for (field, (is, should)) in entity.0.iter().zip(&expected.0).enumerate() {
        assert_eq!(is, should, "{} in {vector:?}", FIELD_TABLE[field].name);
    }

    // The encoder is given the fields by their own flags, unless the widths are part of the vector.
    let effects = if flags & UF_EFFECTS2 != 0 { UF_EFFECTS } else { 0 };
    let given = match vector.written {
        Written::AsDelta => Some(flags & (delta::UF_FIELDS | UF_RESET) | effects),
        Written::AsGiven => Some(flags),
        Written::Never(_) => None,
    };
    if let Some(given) = given {
        let mut out = Vec::new();
        let mut w = Writer::new(&mut out);
        delta::write_index(&mut w, number, false);
        delta::write_delta(&mut w, &ENTITY, given, &expected, vector.gate);
        assert_eq!(out, bytes, "{vector:?}");
    }

    check_cuts(&bytes, &spans, |cut| read(cut, vector.gate, &mut Vec::new()).map(drop));
}

#[test]
fn every_vector_is_decoded_and_encoded_to_the_byte() {
    VECTORS.iter().chain(foreign::VECTORS).for_each(check);
}

#[test]
fn every_vector_says_why_it_is_right() {
    for vector in VECTORS.iter().chain(foreign::VECTORS) {
        let reason = match (vector.evidence, vector.written) {
            (_, Written::Never(reason)) | (Evidence::Hand(reason), _) | (Evidence::Recorded(_, reason), _) => reason,
        };
        assert!(!reason.is_empty(), "{vector:?}");
    }
}

#[test]
fn recorded_vectors_stand_in_their_recordings() {
    let mut recorded = 0;
    for vector in VECTORS {
        let Evidence::Recorded(file, datagram) = vector.evidence else { continue };
        recorded += 1;
        check_recorded(&format!("fte/{file}"), datagram, vector.hex);
    }
    assert!(recorded >= 20, "{recorded}");
}

#[test]
fn every_row_and_every_layout_of_the_entity_table_has_a_vector() {
    for row in ENTITY.rows {
        for form in 0..row.forms.len() {
            let covered = VECTORS.iter().any(|vector| form_of(row, vector.flags | vector.gate & !WIRE) == Some(form));
            assert!(covered, "row {}: no vector has {:?}", row.name, row.forms[form]);
        }
        let carried =
            VECTORS.iter().any(|vector| vector.fields.iter().any(|&(at, value)| at == row.field && value != 0));
        assert!(carried, "row {}: no vector carries its field", row.name);
    }
}

/// Which of the row's layouts the gate selects.
fn form_of(row: &Row, gate: u64) -> Option<usize> {
    row.forms.iter().position(|form| gate & form.mask == form.equals)
}

#[test]
fn every_row_of_the_pred_table_has_a_vector() {
    for row in PRED.rows {
        assert_eq!(row.forms.len(), 1, "one layout, so bytes under its name are that layout");
        let covered = VECTORS.iter().filter(|vector| vector.flags & UF_PREDINFO != 0).any(|vector| {
            let mut spans = Vec::new();
            read(&hex_bytes(vector.hex), vector.gate, &mut spans).expect("vectors decode");
            spans.iter().any(|span| span.field == row.name)
                && vector.fields.iter().any(|&(at, value)| at == row.field && value != 0)
        });
        assert!(covered, "row {}: no vector has it", row.name);
    }
}

#[test]
fn angles_and_predinfo_are_covered_in_all_combinations() {
    for extension in [0, EXT_PREDINFO] {
        for angles in [0, UF_ANGLESXZ, UF_ANGLESY, UF_ANGLESXZ | UF_ANGLESY] {
            let covered = VECTORS.iter().any(|vector| {
                vector.gate & EXT_PREDINFO == extension
                    && vector.flags & (UF_PREDINFO | UF_ANGLESXZ | UF_ANGLESY) == UF_PREDINFO | angles
            });
            assert!(covered, "{extension:#x} {angles:#x}");
        }
    }
}

/// The first entry of `hex`, and how many bytes it takes.
fn entry(hex: &str) -> Result<(Entry, usize), DecodeError> {
    let bytes = hex_bytes(hex);
    let mut r = Reader::new(&bytes);
    Ok((delta::read_entry(&mut r, 0)?, r.at()))
}

fn check_index(number: u32, remove: bool, hex: &str) {
    let mut out = Vec::new();
    delta::write_index(&mut Writer::new(&mut out), number, remove);
    assert_eq!(out, hex_bytes(hex), "{number}");
    assert_eq!(delta::read_index(&mut Reader::new(&out)), Ok((number, remove)));
    for length in 0..out.len() {
        let error = delta::read_index(&mut Reader::new(&out[..length])).expect_err("cut off");
        let expected = if length < 2 { ("entity index", 0) } else { ("entity index (high)", 2) };
        assert_eq!((error.field, error.offset), expected);
    }
}

#[test]
fn entity_indices_take_two_bytes_up_to_16383_and_three_above() {
    check_index(5, false, "0500");
    check_index(5, true, "0580");
    check_index(59, true, "3b80"); // fteqw_qw_deltas, s2c 31
    check_index(16383, false, "ff3f");
    check_index(16383, true, "ffbf");
    check_index(16384, false, "004001");
    check_index(16384, true, "00c001");
    check_index(20000, false, "204e01");
    check_index(20000, true, "20ce01");
    check_index(32768, false, "004002");
    check_index(MAX_ENTITY, false, "ff7fff");
    check_index(MAX_ENTITY, true, "ffffff");
}

#[test]
fn index_zero_ends_the_list_or_removes_everything() {
    assert_eq!(entry("0000 55"), Ok((Entry::End, 2)));
    assert_eq!(entry("0080 55"), Ok((Entry::RemoveAll, 2)), "fteqw_qw_deltas, s2c 6, begins with it");
}

#[test]
fn the_long_form_is_read_for_small_numbers_too() {
    assert_eq!(entry("004000 55"), Ok((Entry::End, 3)));
    assert_eq!(entry("00c000 55"), Ok((Entry::RemoveAll, 3)));
    assert_eq!(entry("054000 00 55"), Ok((Entry::Update(5, 0), 4)));
    assert_eq!(entry("05c000 55"), Ok((Entry::Remove(5), 3)));
}

#[test]
fn a_remove_has_no_flags() {
    assert_eq!(entry("0580 ffffffff"), Ok((Entry::Remove(5), 2)));
    assert_eq!(entry("00c001 ffffffff"), Ok((Entry::Remove(16384), 3)));
}

/// Reads flag bytes that are refused because of one bit.
fn check_forbidden(hex: &str, value: u32) {
    let why = "no negotiated extension defines this UF flag";
    let error = DecodeError { offset: 2, field: "UF flags", kind: ErrorKind::Forbidden { value, why } };
    assert_eq!(entry(hex), Err(error));
}

#[test]
fn flags_that_nobody_defined_are_errors() {
    check_forbidden("0500 808004 00", 1 << 18);
    check_forbidden("0500 80808040 00", 1 << 30);
    check_forbidden("0500 80808080 00", 1 << 31);
    check_forbidden("0500 ff ff ff ff 00", 1 << 18 | 1 << 30 | 1 << 31);
}

#[test]
fn as_many_flag_bytes_are_written_as_the_flags_need() {
    let check = |flags, hex| {
        let mut out = Vec::new();
        delta::write_flags(&mut Writer::new(&mut out), flags);
        assert_eq!(out, hex_bytes(hex));
        assert_eq!(delta::read_flags(&mut Reader::new(&out), 0), Ok(flags & !(UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3)));
    };
    check(0, "00");
    check(UF_PREDINFO, "40");
    check(UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3, "00");
    check(UF_FLAGS, "80 40");
    check(UF_ALPHA, "80 80 01");
    check(UF_TRAILEFFECT | UF_FRAME, "81 80 40");
    check(UF_EFFECTS2, "80 80 80 20");
}

/// What stands after a bit of a gate.
fn name_of_update_bit(bit: u32) -> String {
    match bit {
        0..=31 => String::from(UF_NAMES[bit as usize]),
        32 => String::from("[24-bit coords]"),
        33 => String::from("[float coords]"),
        34 => String::from("[32-bit coords]"),
        35 => String::from("[16-bit angles]"),
        36 => String::from("[float angles]"),
        40 => String::from("[PREDINFO]"),
        51 => String::from("[angles as specified]"),
        bit => format!("[{bit}]"),
    }
}

fn name_of_pred_bit(bit: u32) -> String {
    const NAMES: [&str; 8] = [
        "UFP_FORWARD",
        "UFP_SIDE",
        "UFP_UP",
        "UFP_MOVETYPE",
        "UFP_VELOCITYXY",
        "UFP_VELOCITYZ",
        "UFP_MSEC",
        "UFP_WEAPONFRAME",
    ];
    match bit {
        0..=7 => String::from(NAMES[bit as usize]),
        43 => String::from("[UF_ANGLESXZ]"),
        44 => String::from("[UF_ANGLESY]"),
        bit => name_of_update_bit(bit),
    }
}

#[test]
fn the_layout_is_the_reviewed_one() {
    let text = ENTITY.describe(&name_of_update_bit) + "\n" + &PRED.describe(&name_of_pred_bit);
    insta::with_settings!({
        snapshot_path => "../../../../golden/fte",
        prepend_module_to_snapshot => false,
        omit_expression => true,
        description => "The wire of entity updates and their pred blocks, in the order of the bytes.",
    }, {
        insta::assert_snapshot!("layout", text);
    });
}
