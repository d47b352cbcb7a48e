//! Other ways to conform: each chooses otherwise where the specification or its readings leave a choice, and must pass
//! every scenario.
//!
//! A variant is the reference with another [`crate::latitude::Latitude`], a changed row, or an edit of its datagrams. [`server`] has those
//! of the server, [`forms`] those of its writer, [`client`] those of the client, and
//! [`forgone`] what some of them never do.

mod client;
mod forgone;
mod forms;
mod server;

use crate::state::{FIELDS, SKIN};
use kit::Variant;
use kit::table::{Kind, Layout, Row, Table};

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[server::VARIANTS, forms::VARIANTS, client::VARIANTS];

/// The rows with 8-bit skins that have a sign, as the specification has them (erratum E8).
const fn signed_skins() -> [Row; FIELDS] {
    use crate::state::{UF_16BIT, UF_SKIN};
    const FORMS: &[Layout] =
        &[Layout::without(UF_SKIN, UF_16BIT, Kind::I8), Layout::when(UF_SKIN | UF_16BIT, Kind::I16)];
    crate::mutants::with_forms(SKIN, FORMS)
}

static SIGNED_SKINS: Table = Table::new("entity update", &const { signed_skins() });
