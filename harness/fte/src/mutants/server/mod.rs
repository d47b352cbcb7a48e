//! Broken servers: what they remember, repair and forget.

pub(super) mod acknowledgement;
mod edits;
pub(super) mod history;
pub(super) mod overflow;
pub(super) mod remove;
pub(super) mod reset;

use super::{behind, of_server, server_hears, server_says, server_with};
use crate::rules::Rules;
use kit::{Endpoint, Setup};

/// A server that differs from the reference in some `rules`.
fn ruled(setup: &Setup, change: impl FnOnce(&mut Rules)) -> Box<dyn Endpoint> {
    let mut rules = Rules::REFERENCE;
    change(&mut rules);
    server_with(setup, rules)
}
