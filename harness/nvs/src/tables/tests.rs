//! The released tables, and texts that break a rule.

use super::*;

fn check(text: &str, expected: &str) {
    match Tables::parse(text) {
        Ok(tables) => panic!("{tables:?} instead of {expected:?}"),
        Err(error) => assert_eq!(error, expected),
    }
}

#[test]
fn the_released_tables_are_those_of_the_document() {
    let tables = Tables::parse(RELEASED).expect("sound tables");
    assert_eq!(tables.messages().len(), 4);
    let numbers = |svc: u8, sub: u8| -> Vec<(i32, usize, usize)> {
        let message = tables.find(svc, sub).expect("a listed message");
        message.lines.iter().map(|line| (line.version.0, line.writes, line.bytes)).collect()
    };
    assert_eq!(numbers(18, 77), [(0, 9, 12)]);
    assert_eq!(numbers(10, 77), [(50, 7, 13), (0, 4, 4)]);
    assert_eq!(numbers(23, 3), [(50, 9, 16), (0, 5, 8)]);
    assert_eq!(numbers(126, 1), [(0, 5, 8)]);
}

#[test]
fn sub_messages_and_services_are_searched_apart() {
    let tables = Tables::released();
    // TE_EXPLOSION is sub message 3 of its service; service 3 is not listed, nor is another sub message.
    assert!(tables.find(3, 3).is_none());
    assert!(tables.find(23, 0).is_none());
    assert!(tables.find(23, 18).is_none());
    assert!(tables.find(127, 1).is_none());
}

#[test]
fn a_version_between_two_lines_uses_the_older_one() {
    let tables = Tables::released();
    let setangle = tables.find(10, 0).expect("listed");
    let line = |version: i32| setangle.line(Version(version)).map(|line| line.version.0);
    assert_eq!([0, 49, 50, 75, 99].map(line), [Some(0), Some(0), Some(50), Some(50), Some(50)]);
    assert_eq!(line(-1), Some(0), "the last line holds for whatever is below it");
    assert_eq!(setangle.line_from(1, Version(99)), 1);
}

#[test]
fn the_last_line_is_that_of_plain_netquake() {
    check(
        "message svc_damage: byte byte\n 0.50 writes 2 bytes 2 TT\n",
        "line 1, column 1: the last line of a message is that of version 0.00",
    );
    check("message svc_damage: byte\n", "line 1, column 1: the last line of a message is that of version 0.00");
}

#[test]
fn every_line_has_a_flag_for_every_write_of_the_newest_version() {
    check(
        "message 19: byte byte\n  0.50 writes 2 bytes 2 TT\n  0.00 writes 1 bytes 1 T",
        "line 3, column 25: 1 flags for 2 writes: each line has one for every write of the newest version",
    );
    check(
        "message 19: byte byte\n 0.50 writes 1 bytes 1 TF\n 0.00 writes 1 bytes 1 TF",
        "line 1, column 1: no version of the message has all of its writes",
    );
    check(
        "message 19: byte byte\n 0.00 writes 1 bytes 2 TT",
        "line 2, column 24: a write that a server of this version does not issue is marked T",
    );
}

#[test]
fn the_bytes_of_a_line_are_those_of_its_writes() {
    check(
        "message 19: byte string\n 0.00 writes 2 bytes 17 TT",
        "line 2, column 22: the writes marked T have 18 bytes, not 17",
    );
}

#[test]
fn lines_stand_newest_first_and_messages_once() {
    check(
        "message 19: byte byte\n 0.00 writes 1 bytes 1 TF\n 0.50 writes 2 bytes 2 TT",
        "line 3, column 2: lines stand newest version first",
    );
    let twice = "message 19: byte\n 0.00 writes 1 bytes 1 T\nmessage svc_damage: byte\n 0.00 writes 1 bytes 1 T";
    check(twice, "line 3, column 1: this message has a table already");
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    check("  0.00 writes 1 bytes 1 T", "line 1, column 3: a message comes before its lines");
    check("message svc_nonsense: byte", "line 1, column 9: no service is called `svc_nonsense`");
    check("message 200: byte", "line 1, column 9: a service's number is 1 to 127");
    check("message 23: byte byte", "line 1, column 1: this service has sub messages: which one?");
    check("message 19 2: byte", "line 1, column 1: this service has no sub messages");
    check("message 19: byte\n 0.5 writes 1 bytes 1 T", "line 2, column 2: a version has two decimals, such as 0.50");
    check("message 19: word", "line 1, column 13: no kind of write is called `word`");
    check("message 19: byte\n 0.00 writes 1 bytes T", "line 2, column 2: a line is `0.50 writes 7 bytes 13 TFFFTTT`");
}
