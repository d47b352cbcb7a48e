//! Hosts that are tokio tasks in [turmoil], in reading order:
//!
//! 1. [`run`]: a [`Simulation`](sim::Simulation) executed so that each host is a task with a socket of its own. What happens is what
//!    the direct executor makes happen, record by record;
//! 2. [`AsyncHost`]: somebody's async server or client as an [`Endpoint`](kit::Endpoint), so that every scenario can judge it.
//!
//! Invariants of absence: this crate knows no clock but turmoil's, no real socket, no thread and no protocol.

mod async_host;
mod executor;
mod ledger;
mod record;
mod seat;
mod task;

pub use async_host::{AsyncHost, MAX_LEAD_US, Outage};
pub use executor::{Refusal, run, tick_us};
pub use seat::Seat;

pub use turmoil;
