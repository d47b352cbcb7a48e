//! Clients that do wrong with what they receive, and with what they say of it.

use super::*;
use crate::client::rules::Taken;
use crate::constants::C2S_CHANGECLASS;
use crate::latitude::Latitude;
use crate::requirements::*;
use crate::rules::Unreadable;
use crate::serial::greater;

/// Those of the client.
pub(super) static MUTANTS: &[Mutant] = &[
    of_client("applies-repeats", &EVT_07, "pygg2/event-burst", "applies repeated events again", |setup| {
        client_by(setup, |rules| rules.event_newer = ANY)
    }),
    of_client(
        "applies-snapshot-first",
        &EVT_08,
        "pygg2/session-loss",
        "applies the snapshot before the events",
        |setup| client_by(setup, |rules| rules.events_first = false),
    ),
    of_client("says-events-once", &EVT_09, "pygg2/inputs", "never repeats its events", |setup| {
        let mut last = 0;
        client_sends(setup, move |packet| {
            for (record, _) in records(packet) {
                let update = packet.inside(record).any(|span| span.field == "inputstate");
                let created = packet.inside(record).next().map_or(0, |span| number(packet, span));
                if !update && created <= last && has(packet, "inputstate") {
                    packet.cut(record);
                }
            }
            last = field(packet, "sequence").into();
        })
    }),
    of_client("changes-class-unasked", &EVT_11, "pygg2/session-clean", "changes its class now and then", |setup| {
        let mut count = 0u32;
        client_sends(setup, move |packet| {
            count += 1;
            let input = records(packet)
                .into_iter()
                .rfind(|(record, _)| packet.inside(record).any(|span| span.field == "inputstate"));
            if let Some((input, _)) = input.filter(|_| count.is_multiple_of(40)) {
                let [high, low] = field(packet, "sequence").to_be_bytes();
                packet.replace(input.start..input.start, &[high, low, C2S_CHANGECLASS, 3]);
            }
        })
    }),
    of_client("jumps-without-time", &SNAP_05, "pygg2/inputs", "has no time in its jumps", |setup| {
        client_sends(setup, |packet| {
            for span in packet.fields("time").collect::<Vec<_>>() {
                packet.replace(span.start..span.end, &[0; 4]);
            }
        })
    }),
    of_client("no-inputs", &ACK_08, "pygg2/session-clean", "leaves the input out of every other update", |setup| {
        let mut count = 0u32;
        client_sends(setup, move |packet| {
            count += 1;
            for (record, _) in records(packet) {
                if count.is_multiple_of(2) && packet.inside(record).any(|span| span.field == "inputstate") {
                    packet.cut(record);
                }
            }
        })
    }),
    of_client("counts-packets", &ACK_01, "pygg2/session-loss", "acknowledges how many packets came", |setup| {
        let (mut last, mut count) = (0, 0);
        client_sends(setup, move |packet| {
            let ack = field(packet, "ack_sequence");
            count += u16::from(ack != last);
            last = ack;
            set_field(packet, "ack_sequence", count);
        })
    }),
    of_client("acks-on-change", &ACK_02, "pygg2/session-clean", "acknowledges a packet once", |setup| {
        let mut last = 0;
        client_sends(setup, move |packet| {
            let ack = field(packet, "ack_sequence");
            if ack == last {
                set_field(packet, "ack_sequence", 0);
            }
            last = ack;
        })
    }),
    of_client("last-arrival-wins", &ACK_03, "pygg2/overtaking", "acknowledges what came last", |setup| {
        client_by(setup, |rules| rules.late = Taken::Number)
    })
    .same_bug_as("PyGG2 a17d6f2d"),
    of_client(
        "acks-the-undecodable",
        &ACK_04,
        "pygg2/unknown-base",
        "acknowledges packets without their base",
        |setup| client_by(setup, |rules| rules.without_base = Taken::Number),
    ),
    of_client("lock-step", &ACK_08, "pygg2/outage-s2c", "says something in answer to packets alone", |setup| {
        client_by(setup, |rules| rules.own_clock = false)
    }),
    of_client("adds", &DLT_01, "pygg2/session-clean", "adds the base", |setup| {
        client_by(setup, |rules| rules.combine = add)
    }),
    of_client("keeps-one", &DLT_04, "pygg2/slow-link", "keeps one snapshot", |setup| {
        client_with(setup, Rules { latitude: Latitude { buffered: 1, ..Latitude::NONE }, ..Rules::REFERENCE })
    }),
    of_client(
        "events-without-base",
        &DLT_07,
        "pygg2/unknown-base",
        "applies events of packets without their base",
        |setup| client_by(setup, |rules| rules.without_base = Taken::Events),
    ),
    of_client("shortest-counts", &DLT_08, "pygg2/session-clean", "cuts snapshots to the length of the base", |setup| {
        client_by(setup, |rules| rules.combine = shortest)
    }),
    of_client(
        "numbers-changes",
        &SEQ_01,
        "pygg2/session-clean",
        "numbers changes of input, and not packets",
        |setup| {
            let (mut last, mut number) = (Vec::new(), 0);
            client_sends(setup, move |packet| {
                let input = packet.fields("inputstate").next().and_then(|span| packet.bytes.get(span.start..));
                let same = input.is_some_and(|input| input == last);
                if same {
                    set_field(packet, "sequence", number);
                } else {
                    last = input.unwrap_or_default().to_vec();
                    number = field(packet, "sequence");
                }
            })
        },
    ),
    of_client("begins-at-seven", &SEQ_05, "pygg2/session-clean", "numbers its packets from 7 on", |setup| {
        let mut setup = setup.clone();
        setup.options[4] += 6;
        client_with(&setup, Rules::REFERENCE)
    }),
    of_client(
        "believes-any-acknowledgement",
        &EVT_09,
        "pygg2/readable-damage",
        "takes its events for acknowledged by whatever number a packet has",
        |setup| client_by(setup, |rules| rules.counts = |_, _, _| true),
    ),
    of_client("misses-no-server", &ROB_05, "pygg2/silence", "takes no silent server for gone", |setup| {
        client_by(setup, |rules| rules.silence_us = u64::MAX)
    }),
    of_client("shows-no-time", &SNAP_05, "pygg2/late-join-clean", "takes no time of complete updates", |setup| {
        client_receives(setup, |packet| {
            for update in packet.fields("complete update").collect::<Vec<_>>() {
                if let Some(time) = packet.inside(update).find(|span| span.field == "time") {
                    packet.replace(time.start..time.end, &[0; 4]);
                }
            }
        })
    }),
    of_client("plain-client-packets", &SEQ_02, "pygg2/wrap", "compares packet numbers as plain ones", |setup| {
        client_by(setup, |rules| rules.newer = greater)
    })
    .same_bug_as("PyGG2 a17d6f2d"),
    of_client("plain-client-events", &SEQ_02, "pygg2/wrap", "compares event numbers as plain ones", |setup| {
        client_by(setup, |rules| rules.event_newer = greater)
    }),
    of_client("takes-late-packets-too", &SEQ_03, "pygg2/overtaking", "takes packets that come late", |setup| {
        client_by(setup, |rules| rules.newer = ANY)
    }),
    of_client("client-stops-at-nonsense", &ROB_01, "pygg2/nonsense", "stops at what it cannot read", |setup| {
        client_by(setup, |rules| rules.unreadable = Unreadable::Fatal)
    })
    .same_bug_as("PyGG2 a17d6f2d"),
    of_client("client-takes-parts", &ROB_01, "pygg2/nonsense", "takes what stands before the mistake", |setup| {
        client_by(setup, |rules| rules.unreadable = Unreadable::TakenInPart)
    }),
];

fn add(bytes: &[u8], base: &[u8]) -> Vec<u8> {
    let base = base.iter().copied().chain(std::iter::repeat(0));
    bytes.iter().zip(base).map(|(byte, base)| byte.wrapping_add(base)).collect()
}

fn shortest(bytes: &[u8], base: &[u8]) -> Vec<u8> {
    bytes.iter().zip(base).map(|(byte, base)| byte ^ base).collect()
}
