//! The beginnings of frames, byte for byte, and where extra flags stand in them.

use super::Evidence::{self, Hand, Recorded};
use super::check_cuts;
use kit::{DecodeError, ErrorKind, Reader, Span, Writer};
use r1q2::wire::constants::*;
use r1q2::wire::dialect::Dialect;
use r1q2::wire::frame::{self, FrameStart, MAX_OFFSET, MAX_SUPPRESS};
use testkit::bytes::hex_bytes;

const P34: Dialect = Dialect::ORIGINAL;
const P35: Dialect = Dialect::r1q2(MINOR_SOURCE);

const fn start(number: i32, delta: i32, suppress: u8, extra: u8) -> FrameStart<'static> {
    FrameStart { number, delta, suppress, extra, area_bits: &[2] }
}

fn read<'a>(bytes: &'a [u8], dialect: &Dialect, spans: &'a mut Vec<Span>) -> Result<FrameStart<'a>, DecodeError> {
    let mut r = Reader::with_spans(bytes, spans);
    let command = r.u8("svc")?;
    let start = FrameStart::read(&mut r, command, dialect)?;
    r.finish("frame")?;
    Ok(start)
}

/// Writes the beginning of a frame to its bytes, reads it back, and cuts it at every length.
#[track_caller]
fn check(evidence: Evidence, dialect: Dialect, start: FrameStart<'_>, hex: &str) {
    evidence.check(hex);
    let (bytes, mut out, mut spans) = (hex_bytes(hex), Vec::new(), Vec::new());
    start.write(&mut Writer::new(&mut out), &dialect);
    assert_eq!(out, bytes);
    assert_eq!(read(&bytes, &dialect, &mut spans), Ok(start));
    check_cuts(&bytes, &spans, |cut| read(cut, &dialect, &mut Vec::new()).map(drop));
}

#[test]
fn recorded_frames_begin_as_ours_do() {
    check(Recorded("q2pro_p35_minor1905", "S>C seq=5"), P35, start(3, 2, 0, EPS_GUNANGLES), "14 03000008 20 01 02");
    check(
        Recorded("r1q2_b5183_p35_minor1901", "S>C seq=5R"),
        P35,
        start(204, NO_DELTA, 0, EPS_PMOVE_ORIGIN2 | EPS_STATS),
        "54 cc0000f8 80 01 02",
    );
    check(
        Recorded("r1q2_b5183_p35_minor1901", "S>C seq=17"),
        P35,
        start(216, 215, 0, EPS_GUNANGLES | EPS_PMOVE_VELOCITY2 | EPS_PMOVE_ORIGIN2 | EPS_STATS),
        "54 d8000008 e0 01 02",
    );
    check(Recorded("r1q2_b5183_p34", "S>C seq=8"), P34, start(1638, 1637, 0, 0), "14 66060000 65060000 00 01 02");
    check(Recorded("r1q2_b5183_p34", "S>C seq=7R"), P34, start(1637, -1, 0, 0), "14 65060000 ffffffff 00 01 02");
}

#[test]
fn every_extra_flag_has_its_place() {
    let check = |extra, hex| {
        check(Hand("flags 0 to 3 beside the count, 4 and 5 in the command byte"), P35, start(2, 1, 0, extra), hex)
    };
    check(0, "14 02000008 00 01 02");
    check(EPS_GUNOFFSET, "14 02000008 10 01 02");
    check(EPS_GUNANGLES, "14 02000008 20 01 02");
    check(EPS_PMOVE_VELOCITY2, "14 02000008 40 01 02");
    check(EPS_PMOVE_ORIGIN2, "14 02000008 80 01 02");
    check(EPS_VIEWANGLE2, "34 02000008 00 01 02");
    check(EPS_STATS, "54 02000008 00 01 02");
    check(0x3f, "74 02000008 f0 01 02");
}

#[test]
fn number_and_distance_share_a_long() {
    let check = |number, delta, hex| check(Hand("27 bits and 5"), P35, start(number, delta, 0, 0), hex);
    check(100, NO_DELTA, "14 640000f8 00 01 02");
    check(100, 99, "14 64000008 00 01 02");
    check(100, 87, "14 64000068 00 01 02");
    check(100, 70, "14 640000f0 00 01 02");
    check(0x07ff_ffff, 0x07ff_fffe, "14 ffffff0f 00 01 02");
    check(0x07ff_ffff, NO_DELTA, "14 ffffffff 00 01 02");
}

#[test]
fn the_suppress_count_has_the_lower_half_of_its_byte() {
    let check = |count, extra, hex| check(Hand("count below, flags above"), P35, start(2, 1, count, extra), hex);
    check(9, 0, "14 02000008 09 01 02");
    check(15, EPS_PMOVE_ORIGIN2, "14 02000008 8f 01 02");
}

/// What protocol 35 has no room for: a distance as none, a count as the largest.
#[test]
fn what_does_not_fit_is_written_as_what_is_nearest_to_safe() {
    let offset = |number, delta| start(number, delta, 0, 0).offset();
    assert_eq!(offset(100, 70), MAX_OFFSET);
    assert_eq!(offset(100, 69), NO_DELTA_OFFSET);
    assert_eq!(offset(100, 101), NO_DELTA_OFFSET);
    assert_eq!(offset(100, 0), NO_DELTA_OFFSET);
    assert_eq!(offset(i32::MIN, i32::MAX), NO_DELTA_OFFSET);
    let mut out = Vec::new();
    start(2, 1, 200, 0).write(&mut Writer::new(&mut out), &P35);
    assert_eq!(out[5], MAX_SUPPRESS);
    out.clear();
    start(2, 1, 200, 0).write(&mut Writer::new(&mut out), &P34);
    assert_eq!(out[9], 200);
}

#[test]
fn a_base_of_zero_or_less_is_none() {
    for (delta, base) in [(1, Some(1)), (0, None), (-1, None), (-7, None)] {
        assert_eq!(start(5, delta, 0, 0).base(), base);
    }
    // Distance 3 of frame 3 is frame 0.
    let bytes = hex_bytes("14 03000018 00 01 02");
    assert_eq!(read(&bytes, &P35, &mut Vec::new()).map(|start| (start.delta, start.base())), Ok((0, None)));
}

#[test]
fn what_no_engine_sends_is_refused() {
    let why = "no revision defines this extra flag";
    let error = read(&hex_bytes("94 02000008 00 01 02"), &P35, &mut Vec::new()).expect_err("flag 6");
    assert_eq!((error.offset, error.kind), (5, ErrorKind::Forbidden { value: 0x40, why }));
    let error = read(&hex_bytes("14 02000008 00 21"), &P35, &mut Vec::new()).expect_err("33 bytes of areas");
    assert_eq!(error.kind, ErrorKind::TooLarge { value: 33, limit: MAX_AREA_BYTES });
}

#[test]
fn entities_have_a_byte_in_front_over_protocol_34_alone() {
    for (dialect, bytes) in [(P34, &[SVC_PACKETENTITIES][..]), (P35, &[])] {
        let mut out = Vec::new();
        frame::write_entities_start(&mut Writer::new(&mut out), &dialect);
        assert_eq!(out, bytes);
        assert_eq!(frame::read_entities_start(&mut Reader::new(&out), &dialect), Ok(()));
    }
    let error = frame::read_entities_start(&mut Reader::new(&[SVC_PLAYERINFO]), &P34).expect_err("another byte");
    assert_eq!(error.field, "svc_packetentities");
}
