//! Levels that end while what belongs to them is under way.

use super::*;
use crate::requirements::{BUF_01, HS_09, VER_02};
use crate::verbs::VERB_REQUEST;

/// The server ends the level, for client 1.
const RECONNECT: &[u8] = b"\x09reconnect\n\0";
/// SSVC 0.50, CSVC 0, CCLC 0.
const NOTHING: [u8; 14] = [127, 1, 0, 0, 0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0];

/// Two levels end before the server's stream has brought what belongs to the first: an answer to a request.
fn behind(answer: &[u8]) -> Wire {
    let mut wire = in_game();
    wire.command(HostId::SERVER, Command::Map);
    wire.now = wire.now.after(4 * TICK_US);
    wire.command(HostId(1), Command::Verb { verb: VERB_REQUEST, args: [99, 0, 0, 0] });
    wire.client_sends(1, REQUEST);
    wire.now = wire.now.after(4 * TICK_US);
    wire.command(HostId::SERVER, Command::Map);
    wire.now = wire.now.after(4 * TICK_US);
    let level = [RECONNECT, GREETING].concat();
    wire.says(1, &[&level[..], answer, &level].concat());
    wire
}

#[test]
fn an_answer_of_a_level_that_is_over_is_judged_by_the_request_in_that_level() {
    for (answer, expected) in [(ANSWER, &[][..]), (NOTHING, &[&VER_02])] {
        let mut wire = behind(&answer);
        wire.enter(1, Some(REQUEST), &ANSWER, &ANGLES);
        wire.check(expected);
    }
}

#[test]
fn a_request_in_the_game_is_answered_with_what_holds_at_that_place_of_the_stream() {
    let game = |again: [u8; 14]| {
        let mut wire = behind(&ANSWER);
        wire.enter(1, Some(REQUEST), &ANSWER, &ANGLES);
        wire.command(HostId(1), Command::Verb { verb: VERB_REQUEST, args: [9, 0, 0, 0] });
        wire.client_sends(1, "nvs_request 0.09\n");
        wire.says(1, &again);
        wire
    };
    game(ANSWER).check(&[]);
    game(NOTHING).check(&[&HS_09]);
}

#[test]
fn sign_on_data_of_the_moment_before_a_level_may_be_the_new_ones() {
    let level = |before: bool, after: bool, data: &[u8]| {
        let mut wire = in_game();
        if before {
            wire.verb(VERB_PRINT, [3, 0, 1, 0]);
        }
        wire.command(HostId::SERVER, Command::Map);
        if after {
            wire.verb(VERB_PRINT, [3, 0, 2, 0]);
        }
        wire.now = wire.now.after(4 * TICK_US);
        wire.says(1, &[RECONNECT, GREETING].concat());
        wire.enter(1, Some(REQUEST), &[&ANSWER, data].concat(), &ANGLES);
        wire
    };
    level(true, false, &line(1)).check(&[]);
    level(true, false, &[]).check(&[]);
    level(true, true, &[line(1), line(2)].concat()).check(&[]);
    level(true, true, &line(2)).check(&[]);
    level(true, true, &line(1)).check(&[&BUF_01]);
}
