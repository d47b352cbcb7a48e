//! Other ways to conform: each takes a liberty that the document or its readings leave, and must pass every scenario.
//!
//! A variant is the reference with other [`Liberties`], a changed row, or an edit of its datagrams. [`server`] has those
//! of the server, [`forms`] those of its writer, [`client`] those of the client.

mod client;
mod forms;
mod server;

use crate::delta::ENTITY_ROWS;
use crate::liberties::Liberties;
use crate::rules::Rules;
use crate::state::{FIELDS, SKIN};
use kit::Variant;
use kit::table::{Kind, Layout, Row, Table};

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[server::VARIANTS, forms::VARIANTS, client::VARIANTS];

/// The reference but for its liberties.
const fn rules(liberties: Liberties) -> Rules {
    Rules { liberties, ..Rules::REFERENCE }
}

/// The rows with 8-bit skins that have a sign, as the document has them (erratum E8).
const fn signed_skins() -> [Row; FIELDS] {
    use crate::constants::{UF_16BIT, UF_SKIN};
    const FORMS: &[Layout] =
        &[Layout::without(UF_SKIN, UF_16BIT, Kind::I8), Layout::when(UF_SKIN | UF_16BIT, Kind::I16)];
    let mut rows = ENTITY_ROWS;
    let mut row = 0;
    while row < rows.len() {
        if rows[row].field == SKIN {
            rows[row].forms = FORMS;
        }
        row += 1;
    }
    rows
}

static SIGNED_SKINS: Table = Table::new("entity update", &const { signed_skins() });
