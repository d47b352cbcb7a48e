//! Servers that do wrong with snapshots, events and acknowledgements.

use super::*;
use crate::requirements::*;
use crate::rules::*;
use crate::serial::greater;

const RIGHT: ServerRules = ServerRules::REFERENCE;

/// Those of the server.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "sends-changes-only",
        &SNAP_01,
        "pygg2/session-clean",
        "sends no snapshot when nothing changed",
        |setup| server_by(setup, ServerRules { snapshots: Snapshots::WhenChanged, ..RIGHT }),
    ),
    of_server("own-body-missing", &SNAP_03, "pygg2/session-clean", "leaves the receiver's own body out", |setup| {
        server_by(setup, ServerRules { own_body: false, ..RIGHT })
    }),
    of_server("dead-bodies", &SNAP_04, "pygg2/session-clean", "has bodies of the dead", |setup| {
        server_by(setup, ServerRules { dead_bodies: true, ..RIGHT })
    }),
    of_server("late-events", &EVT_01, "pygg2/session-clean", "keeps events back for two ticks", |setup| {
        server_by(setup, ServerRules { event_delay_ticks: 2, ..RIGHT })
    }),
    of_server("one-buffer", &EVT_02, "pygg2/outage-acks", "forgets events when any client acknowledges", |setup| {
        server_by(setup, ServerRules { forgotten: Forgotten::ByAnybody, ..RIGHT })
    }),
    of_server("newest-event-only", &EVT_03, "pygg2/event-burst", "repeats the newest event alone", |setup| {
        server_by(setup, ServerRules { repeats: Repeats::Newest, ..RIGHT })
    }),
    of_server("clears-on-any-ack", &EVT_05, "pygg2/event-burst", "forgets all events at an acknowledgement", |setup| {
        server_by(setup, ServerRules { forgotten: Forgotten::All, ..RIGHT })
    }),
    of_server("never-forgets", &EVT_05, "pygg2/session-clean", "repeats events that are acknowledged", |setup| {
        server_by(setup, ServerRules { forgotten: Forgotten::Never, ..RIGHT })
    }),
    of_server("forgets-by-time", &EVT_06, "pygg2/outage-acks-alone", "forgets events after half a second", |setup| {
        server_by(setup, ServerRules { forgotten: Forgotten::After(500_000), ..RIGHT })
    }),
    of_server("sends-events-once", &EVT_06, "pygg2/outage-acks-alone", "never repeats an event", |setup| {
        server_by(setup, ServerRules { repeats: Repeats::None, ..RIGHT })
    }),
    of_server("takes-again", &EVT_09, "pygg2/inputs-loss", "takes repeated events of clients again", |setup| {
        server_by(setup, ServerRules { takes_once: false, ..RIGHT })
    }),
    of_server("not-to-originator", &EVT_10, "pygg2/inputs", "does not tell a player what they caused", |setup| {
        server_by(setup, ServerRules { to_originator: false, ..RIGHT })
    }),
    of_server("first-base", &ACK_05, "pygg2/session-clean", "keeps its first base as long as it can", |setup| {
        server_by(setup, ServerRules { base: BaseRule::First, ..RIGHT })
    }),
    of_server("believes-all-acks", &ACK_07, "pygg2/bogus-acks", "believes every acknowledgement", |setup| {
        server_by(setup, ServerRules { checks_acks: false, ..RIGHT })
    }),
    of_server("subtracts", &DLT_01, "pygg2/session-clean", "subtracts the base", |setup| {
        server_by(setup, ServerRules { combine: subtract, ..RIGHT })
    }),
    of_server("names-last-sent", &DLT_02, "pygg2/session-clean", "names the packet before as the base", |setup| {
        server_by(setup, ServerRules { base_name: BaseName::LastSent, ..RIGHT })
    }),
    of_server(
        "unacknowledged-base",
        &DLT_03,
        "pygg2/session-loss",
        "has the snapshot sent last as its base",
        |setup| server_by(setup, ServerRules { base: BaseRule::LastSent, ..RIGHT }),
    ),
    of_server("overwritten-base", &DLT_05, "pygg2/outage-acks-alone", "names bases that it keeps no longer", |setup| {
        server_by(setup, ServerRules { base: BaseRule::OfAnyAge, ..RIGHT })
    }),
    of_server("zero-for-none", &DLT_06, "pygg2/session-clean", "names packet 0 when there is no base", |setup| {
        server_by(setup, ServerRules { base_name: BaseName::ZeroForNone, ..RIGHT })
    }),
    of_server("cut-to-base", &DLT_08, "pygg2/session-clean", "cuts snapshots to the length of the base", |setup| {
        server_by(setup, ServerRules { cut_to_base: true, ..RIGHT })
    }),
    of_server("all-is-xored", &DLT_09, "pygg2/session-clean", "XORs events over the base, too", |setup| {
        server_by(setup, ServerRules { xors_events: true, ..RIGHT })
    }),
    of_server(
        "empty-base",
        &DLT_10,
        "pygg2/event-burst",
        "takes a packet with events alone for an empty base",
        |setup| server_by(setup, ServerRules { base: BaseRule::AnyPacket, ..RIGHT }),
    ),
    of_server("repeats-numbers", &SEQ_01, "pygg2/event-burst", "has no new number for events alone", |setup| {
        server_by(setup, ServerRules { numbering: Numbering::Repeated, ..RIGHT })
    }),
    of_server("plain-packets", &SEQ_02, "pygg2/wrap", "compares packet numbers as plain ones", |setup| {
        server_by(setup, ServerRules { newer: greater, ..RIGHT })
    })
    .recalls("PyGG2 a17d6f2d"),
    of_server("plain-acks", &SEQ_02, "pygg2/wrap", "compares acknowledgements as plain numbers", |setup| {
        server_by(setup, ServerRules { event_newer: greater, ..RIGHT })
    }),
    of_server("takes-late-packets", &SEQ_03, "pygg2/overtaking", "takes packets that come late", |setup| {
        server_by(setup, ServerRules { late: Late::Taken, ..RIGHT })
    }),
    of_server("one-count", &SEQ_05, "pygg2/session-clean", "counts the packets to all clients together", |setup| {
        server_by(setup, ServerRules { numbering: Numbering::Shared, ..RIGHT })
    }),
    of_server("stops-at-nonsense", &ROB_01, "pygg2/nonsense", "stops at what it cannot read", |setup| {
        server_by(setup, ServerRules { unreadable: Unreadable::Fatal, ..RIGHT })
    })
    .recalls("PyGG2 a17d6f2d"),
    of_server("takes-parts", &ROB_01, "pygg2/nonsense", "takes what stands before the mistake", |setup| {
        server_by(setup, ServerRules { unreadable: Unreadable::TakenInPart, ..RIGHT })
    }),
    of_server("never-kicks", &ROB_04, "pygg2/overflow", "lets packets grow without end", |setup| {
        server_by(setup, ServerRules { kicks: false, ..RIGHT })
    }),
];

/// `bytes` less the base, byte by byte.
fn subtract(bytes: &[u8], base: &[u8]) -> Vec<u8> {
    let base = base.iter().copied().chain(std::iter::repeat(0));
    bytes.iter().zip(base).map(|(byte, base)| byte.wrapping_sub(base)).collect()
}
