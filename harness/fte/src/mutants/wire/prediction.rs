//! The pred block, and what else PREDINFO changes.

use super::edits::*;
use super::rows::*;
use crate::constants::*;
use crate::delta::EXT_PREDINFO;
use crate::mutants::{client_says, of_client, of_server, server_says};
use crate::requirements::*;
use crate::state::*;
use kit::table::{Kind, Layout};
use kit::{Mutant, Span};

/// View angles for all axes, whichever are flagged.
const EVERY_AXIS: &[Layout] = &[Layout::when(UFP_WEAPONFRAME | EXT_PREDINFO, Kind::I16)];

/// The broken predictions.
pub(in super::super) static MUTANTS: &[Mutant] = &[
    writes!(
        "movetype-first",
        PRED_01,
        "fte/pred-block",
        "writes the movetype before the movement",
        with_pred!(pred_swapped(FORWARD, MOVETYPE))
    ),
    reads!(
        "movetype-read-first",
        PRED_01,
        "fte/pred-block",
        "reads the movetype before the movement",
        with_pred!(pred_swapped(FORWARD, MOVETYPE))
    ),
    reads!(
        "movement-kept",
        PRED_02,
        "fte/pred-block",
        "keeps movement and velocity that a pred block leaves out",
        with_pred!(pred_kept())
    ),
    reads!(
        "movetype-zeroed",
        PRED_03,
        "fte/pred-block",
        "sets the movetype to zero when it is not sent",
        zero_when_absent(MOVETYPE)
    ),
    writes!("velocity-in-units", PRED_04, "fte/pred-block", "writes velocities in whole units", {
        with_pred!(pred_with_forms(VELOCITY_X, &[Layout::when(UFP_VELOCITYXY, WHOLE_UNITS)]))
    }),
    reads!("velocity-read-in-units", PRED_04, "fte/pred-block", "reads velocities as whole units", {
        with_pred!(pred_with_forms(VELOCITY_X, &[Layout::when(UFP_VELOCITYXY, WHOLE_UNITS)]))
    }),
    writes!("weaponframe-by-8", PRED_05, "fte/pred-weaponframe", "begins a weaponframe's second byte with bit 8", {
        with_pred!(pred_with_forms(WEAPONFRAME, &[Layout::without(UFP_WEAPONFRAME, EXT_PREDINFO, EIGHT_AND_SEVEN)]))
    }),
    reads!("weaponframe-read-by-8", PRED_05, "fte/pred-weaponframe", "takes the second byte's first bit for bit 8", {
        with_pred!(pred_with_forms(WEAPONFRAME, &[Layout::without(UFP_WEAPONFRAME, EXT_PREDINFO, EIGHT_AND_SEVEN)]))
    }),
    writes!(
        "view-roll-first",
        PRED_07,
        "fte/pred-view-angles",
        "writes the roll of the view before its pitch",
        with_pred!(pred_swapped(VIEW_PITCH, VIEW_ROLL))
    ),
    reads!(
        "view-angles-always-three",
        PRED_07,
        "fte/pred-view-angles",
        "reads a yaw of the view, whichever axes are flagged",
        with_pred!(pred_with_forms(VIEW_YAW, EVERY_AXIS))
    ),
    of_server(
        "movement-behind-time",
        &PRED_09,
        "fte/movement-wrap",
        "writes the movement sequence behind the server time",
        |setup| {
            server_says(setup, |packet| {
                for time in packet.fields("servertime").collect::<Vec<&Span>>() {
                    exchange_with_previous(packet, time, "movement sequence");
                }
            })
        },
    ),
    of_client(
        "move-sequence-behind-time",
        &PRED_09,
        "fte/movement-wrap",
        "writes a move's sequence behind its time",
        |setup| {
            client_says(setup, |packet| {
                for time in packet.fields("time").collect::<Vec<&Span>>() {
                    exchange_with_previous(packet, time, "movement sequence");
                }
            })
        },
    ),
    of_client("move-angles-of-8-bits", &PRED_15, "fte/movement-wrap", "writes a move's angles as bytes", |setup| {
        client_says(setup, |packet| {
            for angle in packet.fields("view angle").collect::<Vec<&Span>>() {
                packet.replace(angle.start + 1..angle.end, &[]);
            }
        })
    }),
];
