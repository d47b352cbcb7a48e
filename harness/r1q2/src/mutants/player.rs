//! What a server writes wrongly of player states.

use super::wire::extra;
use super::{of_server, server_sends, server_with};
use crate::machine::sender::ServerRules;
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::player::PLAYER_ROWS;
use crate::wire::state::*;
use kit::Mutant;
use kit::table::{Kind, Layout, Row, Table};
use std::ops::RangeInclusive;

/// The rows of a player state.
type Rows = [Row; STATS];

/// The rows with another flag and width for some fields.
const fn with(fields: RangeInclusive<usize>, forms: &'static [Layout]) -> Rows {
    let mut rows = PLAYER_ROWS;
    let mut field = *fields.start();
    while field <= *fields.end() {
        rows[field].forms = forms;
        field += 1;
    }
    rows
}

/// The rows with one moved to the end.
const fn at_the_end(field: usize) -> Rows {
    let mut rows = PLAYER_ROWS;
    let mut index = field;
    while index + 1 < STATS {
        rows[index] = PLAYER_ROWS[index + 1];
        index += 1;
    }
    rows[STATS - 1] = PLAYER_ROWS[field];
    rows
}

/// A server that writes player states by other rows: name, requirement, what it does, and the rows.
macro_rules! rows {
    ($name:literal, $requirement:ident, $does:literal, $rows:expr) => {
        of_server($name, &$requirement, "r1q2/player", $does, |setup| {
            const ROWS: Rows = $rows;
            static TABLE: Table = Table::new("player state", &ROWS);
            server_with(setup, ServerRules { player_table: &TABLE, ..ServerRules::REFERENCE })
        })
    };
}

/// Extra flags with those of the weapon exchanged.
pub(super) fn exchanged(flags: u8) -> u8 {
    let other = |flag: u8, as_flag: u8| if flags & flag != 0 { as_flag } else { 0 };
    flags & !(EPS_GUNOFFSET | EPS_GUNANGLES) | other(EPS_GUNOFFSET, EPS_GUNANGLES) | other(EPS_GUNANGLES, EPS_GUNOFFSET)
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "weapon-flags-exchanged",
        &PS_01,
        "r1q2/player",
        "exchanges the flags of the weapon's offset and angles",
        |setup| extra(setup, exchanged),
    ),
    rows!(
        "height-with-place",
        PS_02,
        "sends the height with x and y, and not without them",
        with(PM_ORIGIN_Z..=PM_ORIGIN_Z, &[Layout::when(PS_M_ORIGIN, Kind::I16)])
    ),
    rows!(
        "fall-with-velocity",
        PS_03,
        "sends the vertical velocity with x and y, and not without them",
        with(PM_VELOCITY_Z..=PM_VELOCITY_Z, &[Layout::when(PS_M_VELOCITY, Kind::I16)])
    ),
    rows!(
        "roll-with-angles",
        PS_04,
        "sends roll with pitch and yaw, and not without them",
        with(VIEW_ROLL..=VIEW_ROLL, &[Layout::when(PS_VIEWANGLES, Kind::I16)])
    ),
    rows!(
        "offset-with-frame",
        PS_05,
        "sends the weapon's offset with its frame, and not without it",
        with(GUNOFFSET_X..=GUNOFFSET_Z, &[Layout::when(PS_WEAPONFRAME, Kind::I8)])
    ),
    of_server("statistics-unsaid", &PS_06, "r1q2/player", "sends statistics without their flag", |setup| {
        extra(setup, |flags| flags & !EPS_STATS)
    }),
    of_server("split-over-34", &PS_07, "r1q2/player", "leaves the height out over protocol 34", |setup| {
        server_sends(setup, |packet| {
            if packet.fields("svc_playerinfo").next().is_some() {
                packet.fields("pm_origin[2]").for_each(|span| packet.cut(span));
            }
        })
    }),
    rows!("height-last", PS_08, "sends the height after everything else", at_the_end(PM_ORIGIN_Z)),
];
