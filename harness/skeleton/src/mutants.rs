//! An implementation that violates each obligation, on purpose: the reference with another rule, or behind an edit.

use crate::client::Client;
use crate::dissector::SkeletonDissector;
use crate::oracle::laws::*;
use crate::rules::{Rules, differing};
use crate::server::Server;
use crate::state::Y;
use kit::mutant::{of_client, of_server};
use kit::{Endpoint, Mutant, Packet, Setup, Tampered};

/// The scenario that catches all mutants below.
const SCENARIO: &str = "skeleton/session-loss";

/// The mutants of the server, and those of clients.
pub static MUTANTS: &[&[Mutant]] = &[SERVER, CLIENT];

static SERVER: &[Mutant] = &[
    of_server(
        "mask-with-a-bit-too-many",
        &FORM_01,
        SCENARIO,
        "sets a bit of masks that stands for no field",
        |setup| {
            sends(server(setup, Rules::REFERENCE), setup, |packet| {
                packet.fields("mask").for_each(|span| packet.set(span, packet.value(span) | 0x40));
            })
        },
    ),
    of_server("numbers-twice", &NUM_01, SCENARIO, "gives two snapshots one number", |setup| {
        sends(server(setup, Rules::REFERENCE), setup, |packet| {
            packet.fields("number").for_each(|span| packet.set(span, packet.value(span) | 1));
        })
    }),
    of_server("base-last-sent", &BASE_01, SCENARIO, "takes the last snapshot sent for held", |setup| {
        server(setup, Rules { base: |_, number| number - 1, ..Rules::REFERENCE })
    }),
    of_server("forgets-y", &DELTA_01, SCENARIO, "never sends that `y` has changed", |setup| {
        server(setup, Rules { mask: |base, now| differing(base, now) & !(1 << Y), ..Rules::REFERENCE })
    }),
];

static CLIENT: &[Mutant] = &[
    of_client("ack-in-three-bytes", &FORM_01, SCENARIO, "leaves out the highest byte of acknowledgements", |setup| {
        sends(client(setup, Rules::REFERENCE), setup, |packet| packet.replace(4..5, &[]))
    }),
    of_client("x-in-a-byte", &SHOW_01, SCENARIO, "reads the low byte of `x` alone", |setup| {
        receives(client(setup, Rules::REFERENCE), setup, |packet| {
            packet.fields("x").for_each(|span| packet.set(span, packet.value(span) & 0xff));
        })
    }),
    of_client("applies-the-old", &SHOW_02, SCENARIO, "applies snapshots that were overtaken", |setup| {
        client(setup, Rules { is_newer: |_, _| true, ..Rules::REFERENCE })
    }),
    of_client("acks-the-next", &ACK_01, SCENARIO, "acknowledges the snapshot after the newest", |setup| {
        sends(client(setup, Rules::REFERENCE), setup, |packet| {
            packet.fields("acknowledged").for_each(|span| packet.set(span, packet.value(span) + 1));
        })
    }),
];

fn server(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Server::new(setup, rules))
}

fn client(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Client::new(setup, rules))
}

/// No field of the header depends on the rest, so nothing has to be put right after an edit.
fn behind(endpoint: Box<dyn Endpoint>, setup: &Setup) -> Tampered {
    Tampered::new(endpoint, setup.host, Box::new(SkeletonDissector), |_| {})
}

fn sends(endpoint: Box<dyn Endpoint>, setup: &Setup, edit: fn(&mut Packet<'_>)) -> Box<dyn Endpoint> {
    Box::new(behind(endpoint, setup).outgoing(edit))
}

fn receives(endpoint: Box<dyn Endpoint>, setup: &Setup, edit: fn(&mut Packet<'_>)) -> Box<dyn Endpoint> {
    Box::new(behind(endpoint, setup).incoming(edit))
}
