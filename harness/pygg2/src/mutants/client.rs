//! Clients that do wrong with what they receive, and with what they say of it.

use super::*;
use crate::requirements::*;
use crate::rules::*;
use crate::serial::greater;

const RIGHT: ClientRules = ClientRules::REFERENCE;

/// Those of the client.
pub(super) static MUTANTS: &[Mutant] = &[
    of_client("applies-repeats", &EVT_07, "pygg2/event-burst", "applies repeated events again", |setup| {
        client_by(setup, ClientRules { applies_once: false, ..RIGHT })
    }),
    of_client(
        "applies-snapshot-first",
        &EVT_08,
        "pygg2/session-loss",
        "applies the snapshot before the events",
        |setup| client_by(setup, ClientRules { events_first: false, ..RIGHT }),
    ),
    of_client("says-events-once", &EVT_09, "pygg2/inputs", "never repeats its events", |setup| {
        client_by(setup, ClientRules { repeats_events: false, ..RIGHT })
    }),
    of_client("counts-packets", &ACK_01, "pygg2/session-loss", "acknowledges how many packets came", |setup| {
        client_by(setup, ClientRules { ack: AckRule::Counted, ..RIGHT })
    }),
    of_client("acks-on-change", &ACK_02, "pygg2/session-clean", "acknowledges a packet once", |setup| {
        client_by(setup, ClientRules { ack: AckRule::OnChange, ..RIGHT })
    }),
    of_client("last-arrival-wins", &ACK_03, "pygg2/overtaking", "acknowledges what came last", |setup| {
        client_by(setup, ClientRules { late: Late::Acknowledged, ..RIGHT })
    })
    .recalls("PyGG2 a17d6f2d"),
    of_client(
        "acks-the-undecodable",
        &ACK_04,
        "pygg2/unknown-base",
        "acknowledges packets without their base",
        |setup| client_by(setup, ClientRules { baseless: Baseless::Acknowledged, ..RIGHT }),
    ),
    of_client("lock-step", &ACK_08, "pygg2/outage-s2c", "says something in answer to packets alone", |setup| {
        client_by(setup, ClientRules { own_clock: false, ..RIGHT })
    }),
    of_client("adds", &DLT_01, "pygg2/session-clean", "adds the base", |setup| {
        client_by(setup, ClientRules { combine: add, ..RIGHT })
    }),
    of_client("keeps-one", &DLT_04, "pygg2/slow-link", "keeps one snapshot", |setup| {
        client_by(setup, ClientRules { most_buffered: 1, ..RIGHT })
    }),
    of_client(
        "events-without-base",
        &DLT_07,
        "pygg2/unknown-base",
        "applies events of packets without their base",
        |setup| client_by(setup, ClientRules { baseless: Baseless::EventsApplied, ..RIGHT }),
    ),
    of_client("shortest-counts", &DLT_08, "pygg2/session-clean", "cuts snapshots to the length of the base", |setup| {
        client_by(setup, ClientRules { combine: shortest, ..RIGHT })
    }),
    of_client(
        "numbers-changes",
        &SEQ_01,
        "pygg2/session-clean",
        "numbers changes of input, and not packets",
        |setup| client_by(setup, ClientRules { numbers_changes: true, ..RIGHT }),
    ),
    of_client("plain-client-packets", &SEQ_02, "pygg2/wrap", "compares packet numbers as plain ones", |setup| {
        client_by(setup, ClientRules { newer: greater, ..RIGHT })
    })
    .recalls("PyGG2 a17d6f2d"),
    of_client("plain-client-events", &SEQ_02, "pygg2/wrap", "compares event numbers as plain ones", |setup| {
        client_by(setup, ClientRules { event_newer: greater, ..RIGHT })
    }),
    of_client("takes-late-packets-too", &SEQ_03, "pygg2/overtaking", "takes packets that come late", |setup| {
        client_by(setup, ClientRules { late: Late::Taken, ..RIGHT })
    }),
    of_client("client-stops-at-nonsense", &ROB_01, "pygg2/nonsense", "stops at what it cannot read", |setup| {
        client_by(setup, ClientRules { unreadable: Unreadable::Fatal, ..RIGHT })
    })
    .recalls("PyGG2 a17d6f2d"),
    of_client("client-takes-parts", &ROB_01, "pygg2/nonsense", "takes what stands before the mistake", |setup| {
        client_by(setup, ClientRules { unreadable: Unreadable::TakenInPart, ..RIGHT })
    }),
];

fn add(bytes: &[u8], base: &[u8]) -> Vec<u8> {
    let base = base.iter().copied().chain(std::iter::repeat(0));
    bytes.iter().zip(base).map(|(byte, base)| byte.wrapping_add(base)).collect()
}

fn shortest(bytes: &[u8], base: &[u8]) -> Vec<u8> {
    bytes.iter().zip(base).map(|(byte, base)| byte ^ base).collect()
}
