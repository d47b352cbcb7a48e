//! Broken codings: fields that one end writes or reads otherwise than the other.

use super::{of_server, server_with};
use crate::delta::ENTITY_ROWS;
use crate::requirements::*;
use crate::rules::Rules;
use crate::state::{ALPHA, FIELDS, MODELINDEX2};
use kit::Mutant;
use kit::table::{Row, Table};

/// The rows with one whose changes raise nothing.
const fn without_change(field: usize) -> [Row; FIELDS] {
    let mut rows = ENTITY_ROWS;
    let mut row = 0;
    while row < rows.len() {
        if rows[row].field == field {
            rows[row].raise = 0;
        }
        row += 1;
    }
    rows
}

static NO_MODELINDEX2: Table = Table::new("entity update", &const { without_change(MODELINDEX2) });
static NO_ALPHA: Table = Table::new("entity update", &const { without_change(ALPHA) });

/// The broken codings.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "modelindex2-not-compared",
        &DLT_32,
        "fte/delta-fields-alone",
        "misses changes of the second model",
        |setup| server_with(setup, Rules { table: &NO_MODELINDEX2, ..Rules::REFERENCE }),
    )
    .recalls("FTEQW before fec777674"),
    of_server("alpha-not-compared", &DLT_39, "fte/delta-fields-alone", "misses changes of alpha", |setup| {
        server_with(setup, Rules { table: &NO_ALPHA, ..Rules::REFERENCE })
    }),
];
