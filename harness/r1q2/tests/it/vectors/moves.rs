//! Moves, byte for byte: every bit of a user command, in its forms.

use super::Evidence::{self, Hand, Recorded};
use super::{check_cuts, fields};
use kit::{DecodeError, Reader, Span, Writer};
use r1q2::wire::constants::*;
use r1q2::wire::dialect::Dialect;
use r1q2::wire::usercmd::*;
use testkit::bytes::hex_bytes;

const P34: Dialect = Dialect::ORIGINAL;
const P35: Dialect = Dialect::r1q2(MINOR_SOURCE);
const COMPACT: Dialect = Dialect::r1q2(MINOR_USERCMD);

/// A user command in which every field has a value of its own.
fn before() -> UserCmd {
    let mut command = UserCmd::NULL;
    for (field, value) in command.0.iter_mut().enumerate() {
        *value = 1 + field as i32;
    }
    command
}

/// Reads a command over another one, compares it, and writes it to the same bytes.
#[track_caller]
fn check(dialect: Dialect, bits: u64, short: u8, carried: &[(usize, i32)], hex: &str) {
    let (bytes, mut spans) = (hex_bytes(hex), Vec::new());
    let read = |bytes: &[u8], spans: &mut Vec<Span>| {
        let (mut r, mut command) = (Reader::with_spans(bytes, spans), before());
        let forms = read_usercmd(&mut r, &mut command, &dialect)?;
        r.finish("usercmd")?;
        Ok::<_, DecodeError>((forms, command))
    };
    let mut expected = before();
    for &(field, value) in carried {
        expected[field] = value;
    }
    assert_eq!(read(&bytes, &mut spans), Ok(((bits as u8, short), expected)));
    let mut out = Vec::new();
    write_usercmd(&mut Writer::new(&mut out), bits as u8, short, &expected, &dialect);
    assert_eq!(out, bytes);
    check_cuts(&bytes, &spans, |cut| read(cut, &mut Vec::new()).map(drop));
}

/// Milliseconds and light are in every command: here 33 and 7.
const ALWAYS: [(usize, i32); 2] = [(CMD_MSEC, 33), (CMD_LIGHTLEVEL, 7)];

#[test]
fn every_bit_of_a_command_has_its_field() {
    let check = |bits, field: &[(usize, i32)], hex: &str| {
        let carried = [&ALWAYS[..], field].concat();
        for dialect in [P34, P35] {
            check(dialect, bits, 0, &carried, hex);
        }
    };
    check(0, &[], "00 21 07");
    check(CM_ANGLE1, &[(CMD_ANGLE1, -16384)], "01 00c0 21 07");
    check(CM_ANGLE2, &[(CMD_ANGLE2, 12544)], "02 0031 21 07");
    check(CM_ANGLE3, &[(CMD_ANGLE3, 1)], "04 0100 21 07");
    check(CM_FORWARD, &[(CMD_FORWARD, 400)], "08 9001 21 07");
    check(CM_SIDE, &[(CMD_SIDE, -400)], "10 70fe 21 07");
    check(CM_UP, &[(CMD_UP, 200)], "20 c800 21 07");
    check(CM_BUTTONS, &[(CMD_BUTTONS, 0xff)], "40 ff 21 07");
    check(CM_IMPULSE, &[(CMD_IMPULSE, 9)], "80 09 21 07");
    check(
        0xff,
        &[
            (CMD_ANGLE1, 1),
            (CMD_ANGLE2, 2),
            (CMD_ANGLE3, 3),
            (CMD_FORWARD, 4),
            (CMD_SIDE, 5),
            (CMD_UP, 6),
            (CMD_BUTTONS, 7),
            (CMD_IMPULSE, 8),
        ],
        "ff 0100 0200 0300 0400 0500 0600 07 08 21 07",
    );
}

#[test]
fn compact_commands_have_buttons_first_and_short_forms_in_them() {
    let check = |bits: u64, short, field: &[(usize, i32)], hex: &str| {
        check(COMPACT, bits, short, &[&ALWAYS[..], field].concat(), hex);
    };
    check(0, 0, &[], "00 21 07");
    check(CM_FORWARD, 0, &[(CMD_FORWARD, 400)], "08 9001 21 07");
    check(CM_BUTTONS, 0, &[(CMD_BUTTONS, 0x83)], "40 83 21 07");
    check(CM_BUTTONS | CM_IMPULSE, 0, &[(CMD_BUTTONS, 1), (CMD_IMPULSE, 9)], "c0 01 09 21 07");
    let button = (CMD_BUTTONS, 1);
    check(CM_BUTTONS | CM_ANGLE1, 0, &[button, (CMD_ANGLE1, 64)], "41 01 4000 21 07");
    check(CM_BUTTONS | CM_ANGLE1, BUTTON_ANGLE1, &[button, (CMD_ANGLE1, -64)], "41 21 ff 21 07");
    check(CM_BUTTONS | CM_ANGLE2, BUTTON_ANGLE2, &[button, (CMD_ANGLE2, 12544)], "42 41 31 21 07");
    check(CM_BUTTONS | CM_FORWARD, BUTTON_FORWARD, &[button, (CMD_FORWARD, 400)], "48 05 50 21 07");
    check(CM_BUTTONS | CM_SIDE, BUTTON_SIDE, &[button, (CMD_SIDE, -400)], "50 09 b0 21 07");
    check(CM_BUTTONS | CM_UP, BUTTON_UP, &[button, (CMD_UP, -5)], "60 11 ff 21 07");
    check(
        0xff,
        BUTTON_ANGLE1 | BUTTON_ANGLE2 | BUTTON_FORWARD | BUTTON_SIDE | BUTTON_UP,
        &[
            (CMD_ANGLE1, 64),
            (CMD_ANGLE2, 512),
            (CMD_ANGLE3, 3),
            (CMD_FORWARD, 20),
            (CMD_SIDE, 25),
            (CMD_UP, 30),
            (CMD_BUTTONS, 0x83),
            (CMD_IMPULSE, 8),
        ],
        "ff ff 01 02 0300 04 05 06 08 21 07",
    );
}

#[test]
fn short_forms_are_taken_where_buttons_are_sent_and_values_fit() {
    let mut command = UserCmd::NULL;
    (command[CMD_FORWARD], command[CMD_SIDE], command[CMD_UP]) = (400, 401, 640);
    (command[CMD_ANGLE1], command[CMD_ANGLE2]) = (-8192, 257);
    let forms = |bits, compaction| short_forms(bits, &command, compaction);
    assert_eq!(forms(0xff, Compaction::None), 0);
    assert_eq!(forms(0xff, Compaction::Speeds), BUTTON_FORWARD);
    assert_eq!(forms(0xff, Compaction::All), BUTTON_FORWARD | BUTTON_ANGLE1);
    assert_eq!(forms(!CM_BUTTONS as u8, Compaction::All), 0);
    assert_eq!(forms(CM_BUTTONS as u8, Compaction::All), 0);
}

/// Reads a move, command byte included, and writes it to the same bytes.
#[track_caller]
fn check_move(evidence: Evidence, dialect: Dialect, hex: &str) -> Move {
    evidence.check(hex);
    let (bytes, mut spans) = (hex_bytes(hex), Vec::new());
    let read = |bytes: &[u8], spans: &mut Vec<Span>| {
        let mut r = Reader::with_spans(bytes, spans);
        r.u8("clc")?;
        let movement = Move::read(&mut r, &dialect)?;
        r.finish("move")?;
        Ok::<_, DecodeError>(movement)
    };
    let movement = read(&bytes, &mut spans).expect("a move");
    let mut out = vec![CLC_MOVE];
    movement.write(&mut Writer::new(&mut out), &dialect);
    assert_eq!(out, bytes);
    check_cuts(&bytes, &fields(spans), |cut| read(cut, &mut Vec::new()).map(drop));
    movement
}

#[test]
fn a_move_has_a_checksum_over_protocol_34_alone() {
    let recorded = Recorded("r1q2_b5183_p34", "C>S seq=13");
    let old = check_move(recorded, P34, "02 00 66060000 00 1000 00 1000 02 0004 2100");
    assert_eq!((old.checksum, old.last_frame), (Some(0), 1638));
    let recorded = Recorded("r1q2_b5183_p35_minor1901", "C>S seq=8");
    let new = check_move(recorded, P35, "02 cc000000 00 1000 00 1000 02 0001 2100");
    assert_eq!((new.checksum, new.last_frame), (None, 204));
    assert_eq!(new.commands.map(|command| command[CMD_MSEC]), [16, 16, 33]);
    assert_eq!(new.commands.map(|command| command[CMD_ANGLE2]), [0, 0, 256]);
}

#[test]
fn a_recorded_move_is_compact_from_revision_1904_on() {
    let recorded = Recorded("q2pro_p35_minor1905", "C>S seq=55");
    let movement = check_move(recorded, COMPACT, "02 14000000 00 1000 00 1000 42 41 31 2100");
    let newest = movement.commands[2];
    assert_eq!((newest[CMD_BUTTONS], newest[CMD_ANGLE2], movement.short[2]), (1, 12544, BUTTON_ANGLE2));
    // The same player, the same moment, an older revision: buttons after angles.
    let reason = Hand("the bytes of the compact move, put into the order of protocol 34");
    let older = check_move(reason, P35, "02 14000000 00 1000 00 1000 42 0031 01 2100");
    assert_eq!(older.commands, movement.commands);
}

#[test]
fn commands_are_changes_of_the_one_before() {
    let hex = "02 05000000 88 9001 09 1000 00 1100 80 00 1200";
    let movement = check_move(Hand("impulse 9 stays until it is set to 0"), P35, hex);
    assert_eq!(movement.commands.map(|command| command[CMD_IMPULSE]), [9, 9, 0]);
    assert_eq!(movement.commands.map(|command| command[CMD_FORWARD]), [400, 400, 400]);
    let again = Move::new(5, movement.commands, Compaction::All, &P35);
    assert_eq!(again, movement);
}

#[test]
fn a_move_asks_for_a_frame_without_a_base() {
    let recorded = Recorded("r1q2_b5183_p35_frames_in_zpackets", "C>S seq=16");
    let movement = check_move(recorded, P35, "02 ffffffff 00 1000 00 1000 02 0001 2100");
    assert!(movement.wants_no_delta());
    for (last_frame, wants) in [(-7, true), (0, true), (1, false)] {
        assert_eq!(Move { last_frame, ..movement }.wants_no_delta(), wants, "frames count from 1");
    }
}
