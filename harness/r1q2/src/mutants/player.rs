//! What a server writes wrongly of player states.

use super::wire::extra;
use super::{of_server, server_sends, server_with};
use crate::machine::rules::Rules;
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::player::PLAYER_ROWS;
use crate::wire::state::*;
use kit::table::{Kind, Layout, Row, Table};
use kit::{Endpoint, Mutant, Setup};

/// The rows of a player state, with one that comes with another flag.
const fn with(field: usize, forms: &'static [Layout]) -> [Row; STATS] {
    let mut rows = PLAYER_ROWS;
    rows[field].forms = forms;
    rows
}

/// The rows of a player state, with a row moved to the end.
const fn at_the_end(field: usize) -> [Row; STATS] {
    let mut rows = PLAYER_ROWS;
    let (mut index, moved) = (field, rows[field]);
    while index + 1 < STATS {
        rows[index] = rows[index + 1];
        index += 1;
    }
    rows[STATS - 1] = moved;
    rows
}

const ORIGIN_WHOLE: [Row; STATS] = with(PM_ORIGIN_Z, &[Layout::when(PS_M_ORIGIN, Kind::I16)]);
const VELOCITY_WHOLE: [Row; STATS] = with(PM_VELOCITY_Z, &[Layout::when(PS_M_VELOCITY, Kind::I16)]);
const ANGLES_WHOLE: [Row; STATS] = with(VIEW_ROLL, &[Layout::when(PS_VIEWANGLES, Kind::I16)]);
const OFFSET_FORMS: &[Layout] = &[Layout::when(PS_WEAPONFRAME, Kind::I8)];
const OFFSET_WITH_FRAME: [Row; STATS] = {
    let mut rows = PLAYER_ROWS;
    let mut field = GUNOFFSET_X;
    while field <= GUNOFFSET_Z {
        rows[field].forms = OFFSET_FORMS;
        field += 1;
    }
    rows
};
const HEIGHT_LAST: [Row; STATS] = at_the_end(PM_ORIGIN_Z);

static ORIGIN_WHOLE_TABLE: Table = Table::new("player state", &ORIGIN_WHOLE);
static VELOCITY_WHOLE_TABLE: Table = Table::new("player state", &VELOCITY_WHOLE);
static ANGLES_WHOLE_TABLE: Table = Table::new("player state", &ANGLES_WHOLE);
static OFFSET_WITH_FRAME_TABLE: Table = Table::new("player state", &OFFSET_WITH_FRAME);
static HEIGHT_LAST_TABLE: Table = Table::new("player state", &HEIGHT_LAST);

fn written_by(setup: &Setup, player_table: &'static Table) -> Box<dyn Endpoint> {
    server_with(setup, Rules { player_table, ..Rules::REFERENCE })
}

/// Extra flags with those of the weapon exchanged.
pub(super) fn exchanged(flags: u8) -> u8 {
    let other = |flag: u8, as_flag: u8| if flags & flag != 0 { as_flag } else { 0 };
    flags & !(EPS_GUNOFFSET | EPS_GUNANGLES) | other(EPS_GUNOFFSET, EPS_GUNANGLES) | other(EPS_GUNANGLES, EPS_GUNOFFSET)
}

/// The mutants.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "weapon-flags-exchanged",
        &PS_01,
        "r1q2/player",
        "exchanges the flags of the weapon's offset and angles",
        |setup| extra(setup, exchanged),
    ),
    of_server(
        "height-with-place",
        &PS_02,
        "r1q2/player",
        "sends the height with x and y, and not without them",
        |setup| written_by(setup, &ORIGIN_WHOLE_TABLE),
    ),
    of_server(
        "fall-with-velocity",
        &PS_03,
        "r1q2/player",
        "sends the vertical velocity with x and y, and not without them",
        |setup| written_by(setup, &VELOCITY_WHOLE_TABLE),
    ),
    of_server(
        "roll-with-angles",
        &PS_04,
        "r1q2/player",
        "sends roll with pitch and yaw, and not without them",
        |setup| written_by(setup, &ANGLES_WHOLE_TABLE),
    ),
    of_server(
        "offset-with-frame",
        &PS_05,
        "r1q2/player",
        "sends the weapon's offset with its frame, and not without it",
        |setup| written_by(setup, &OFFSET_WITH_FRAME_TABLE),
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
    of_server("height-last", &PS_08, "r1q2/player", "sends the height behind everything else", |setup| {
        written_by(setup, &HEIGHT_LAST_TABLE)
    }),
];
