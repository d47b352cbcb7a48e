//! Servers that mistake one stream for the other, or the order in it.

use super::{of_server, server_with};
use crate::requirements::*;
use crate::rules::*;
use kit::Mutant;
use netquake::channel::Conduct;

/// Longer than any run.
const NEVER_US: u64 = 3_600_000_000;

/// The servers that are broken so.
pub(super) const MUTANTS: &[Mutant] = &[
    of_server("all-unreliable", &BUF_01, "nvs/order", "writes a converted MSG_ALL into unreliable buffers", |setup| {
        server_with(setup, Rules { all_into: Into::Datagram, ..Rules::REFERENCE })
    }),
    of_server(
        "sends-once",
        &BUF_01,
        "nvs/order-loss",
        "does not send again what was lost of reliable messages",
        |setup| {
            let transport = Conduct { resend_us: NEVER_US, ..Conduct::REFERENCE };
            server_with(setup, Rules { transport, ..Rules::REFERENCE })
        },
    ),
    of_server(
        "broadcast-reliable",
        &BUF_02,
        "nvs/named",
        "writes a converted MSG_BROADCAST into reliable buffers, where it is sent until it arrives",
        |setup| server_with(setup, Rules { broadcast_into: Into::Message, ..Rules::REFERENCE }),
    ),
    of_server("calls-reversed", &ORD_01, "nvs/order", "executes the calls of a frame the other way round", |setup| {
        server_with(setup, Rules { calls: Calls::Reversed, ..Rules::REFERENCE })
    }),
    of_server(
        "calls-reversed-one-list",
        &ORD_01,
        "nvs/order-one-list",
        "executes the calls of a frame the other way round",
        |setup| server_with(setup, Rules { calls: Calls::Reversed, ..Rules::REFERENCE }),
    ),
];
