//! Servers that do wrong with snapshots, events and acknowledgements.

use super::*;
use crate::constants::{BUFFERED, S2C_DIE};
use crate::requirements::*;
use crate::rules::Unreadable;
use crate::serial::{age, greater};
use crate::session::rules::{bodies, body};
use crate::session::{Occasion, keeps};
use crate::snapshot::xor;

/// Those of the server.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "sends-changes-only",
        &SNAP_01,
        "pygg2/session-clean",
        "sends no snapshot when nothing changed",
        |setup| server_sends(setup, changes_only),
    ),
    of_server(
        "twice-as-often-as-agreed",
        &SNAP_01,
        "pygg2/session-clean",
        "sends snapshots at twice the rate",
        |setup| {
            let mut setup = setup.clone();
            setup.options[0] /= 2;
            server_with(&setup, Rules::REFERENCE)
        },
    ),
    of_server("own-body-missing", &SNAP_03, "pygg2/session-clean", "leaves the receiver's own body out", |setup| {
        server_by(setup, |rules| {
            rules.bodies = |players, own, declared| {
                let mut all = bodies(players, own, declared);
                all.retain(|body| body.id != own);
                all
            }
        })
    }),
    of_server("dead-bodies", &SNAP_04, "pygg2/session-clean", "has bodies of the dead", |setup| {
        server_by(setup, |rules| {
            rules.bodies =
                |players, _, declared| players.iter().map(|(id, player)| body(id, player, declared)).collect()
        })
    }),
    of_server("no-time", &SNAP_05, "pygg2/late-join-clean", "has no time in complete updates", |setup| {
        server_sends(setup, |packet| {
            for update in packet.fields("complete update").collect::<Vec<_>>() {
                if let Some(time) = packet.inside(update).find(|span| span.field == "time") {
                    packet.replace(time.start..time.end, &[0; 4]);
                }
            }
        })
    }),
    of_server("a-tick-late", &EVT_01, "pygg2/session-clean", "keeps events back for a tick", |setup| {
        server_by(setup, |rules| rules.delay_ticks = 1)
    }),
    of_server("late-events", &EVT_01, "pygg2/session-clean", "keeps events back for two ticks", |setup| {
        server_by(setup, |rules| rules.delay_ticks = 2)
    }),
    of_server("one-buffer", &EVT_02, "pygg2/outage-acks", "forgets events when any client acknowledges", |setup| {
        server_by(setup, |rules| {
            rules.keeps = |pending, occasion| match occasion {
                Occasion::AnotherAcked => pending.created.is_none(),
                _ => keeps(pending, occasion),
            }
        })
    }),
    of_server("newest-event-only", &EVT_03, "pygg2/event-burst", "repeats the newest event alone", |setup| {
        server_sends(setup, |packet| {
            let mut events = records(packet);
            events.retain(|(record, _)| packet.inside(record).all(|span| span.field != "snapshot"));
            events.pop();
            events.iter().for_each(|(record, _)| packet.cut(record));
        })
    }),
    of_server("clears-on-any-ack", &EVT_05, "pygg2/event-burst", "forgets all events at an acknowledgement", |setup| {
        server_by(setup, |rules| {
            rules.keeps = |pending, occasion| match occasion {
                Occasion::Acked(_) => pending.created.is_none(),
                _ => true,
            }
        })
    }),
    of_server("never-forgets", &EVT_05, "pygg2/session-clean", "repeats events that are acknowledged", |setup| {
        server_by(setup, |rules| rules.keeps = |_, _| true)
    }),
    of_server("forgets-by-time", &EVT_06, "pygg2/outage-acks-alone", "forgets events after half a second", |setup| {
        server_by(setup, |rules| {
            rules.keeps = |pending, occasion| match occasion {
                Occasion::Tick(now) => now.since(pending.made) < 500_000,
                _ => true,
            }
        })
    }),
    of_server("sends-events-once", &EVT_06, "pygg2/outage-acks-alone", "never repeats an event", |setup| {
        server_by(setup, |rules| {
            rules.keeps = |pending, occasion| match occasion {
                Occasion::Sent => pending.created.is_none(),
                _ => true,
            }
        })
    }),
    of_server("takes-again", &EVT_09, "pygg2/inputs-loss", "takes repeated events of clients again", |setup| {
        server_by(setup, |rules| rules.event_newer = ANY)
    }),
    of_server(
        "not-to-originator",
        &EVT_10,
        "pygg2/inputs",
        "does not send an event to the player who caused it",
        |setup| {
            server_sends(setup, |packet| {
                let own = u32::from(packet.client.0);
                let records = records(packet);
                if records.iter().any(|(_, field)| *field == "servername") {
                    return;
                }
                for (record, _) in records {
                    let fields: Vec<&Span> = packet.inside(record).collect();
                    if let [.., player, class] = fields[..]
                        && (player.field, class.field) == ("player", "class")
                        && number(packet, player) == own
                    {
                        packet.cut(record);
                    }
                }
            })
        },
    ),
    of_server("says-that-the-living-died", &EVT_12, "pygg2/session-clean", "has deaths that did not happen", |setup| {
        let mut count = 0u32;
        server_sends(setup, move |packet| {
            count += u32::from(has(packet, "snapshot"));
            let snapshot = records(packet)
                .into_iter()
                .rfind(|(record, _)| packet.inside(record).any(|span| span.field == "snapshot"));
            if let Some((snapshot, _)) = snapshot.filter(|_| count.is_multiple_of(50)) {
                let [high, low] = field(packet, "sequence").to_be_bytes();
                packet.replace(snapshot.start..snapshot.start, &[high, low, S2C_DIE, 1]);
            }
        })
    }),
    of_server("first-base", &ACK_05, "pygg2/session-clean", "keeps its first base as long as it can", |setup| {
        server_by(setup, |rules| {
            rules.base = |session, sequence| {
                let early = |base: &&u16| age(**base, session.first) < BUFFERED;
                let first = session.bases.iter().find(early).filter(|base| age(sequence, **base) < BUFFERED);
                session.held(*first?)
            }
        })
    }),
    of_server("believes-all-acks", &ACK_07, "pygg2/bogus-acks", "believes every acknowledgement", |setup| {
        server_by(setup, |rules| rules.ack_counts = |_, _, _| true)
    }),
    of_server("subtracts", &DLT_01, "pygg2/session-clean", "subtracts the base", |setup| {
        server_by(setup, |rules| rules.combine = subtract)
    }),
    of_server("names-last-sent", &DLT_02, "pygg2/session-clean", "names the packet before as the base", |setup| {
        server_sends(setup, |packet| {
            let (sequence, delta) = (field(packet, "sequence"), field(packet, "delta_sequence"));
            if sequence != delta {
                set_field(packet, "delta_sequence", sequence.wrapping_sub(1));
            }
        })
    }),
    of_server(
        "unacknowledged-base",
        &DLT_03,
        "pygg2/session-loss",
        "has the snapshot sent last as its base",
        |setup| server_by(setup, |rules| rules.base = |session, _| session.ring.newest()),
    ),
    of_server("overwritten-base", &DLT_05, "pygg2/outage-acks-alone", "names bases that it keeps no longer", |setup| {
        server_by(setup, |rules| {
            rules.base = |session, _| {
                let base = *session.bases.back()?;
                session.held(base).or_else(|| session.ring.oldest().map(|(_, bytes)| (base, bytes)))
            }
        })
    }),
    of_server("zero-for-none", &DLT_06, "pygg2/session-clean", "names packet 0 when there is no base", |setup| {
        server_sends(setup, |packet| {
            if has(packet, "snapshot") && field(packet, "sequence") == field(packet, "delta_sequence") {
                set_field(packet, "delta_sequence", 0);
            }
        })
    }),
    of_server("never-a-base", &DLT_11, "pygg2/session-clean", "makes no differences", |setup| {
        server_by(setup, |rules| rules.base = |_, _| None)
    }),
    of_server("cut-to-base", &DLT_08, "pygg2/session-clean", "cuts snapshots to the length of the base", |setup| {
        server_by(setup, |rules| rules.combine = |bytes, base| xor(&bytes[..bytes.len().min(base.len())], base))
    }),
    of_server("all-is-xored", &DLT_09, "pygg2/session-clean", "XORs events over the base, too", |setup| {
        server_by(setup, |rules| rules.combine_events = |events, base| events.copy_from_slice(&xor(events, base)))
    }),
    of_server(
        "empty-base",
        &DLT_10,
        "pygg2/event-burst",
        "takes a packet with events alone for an empty base",
        |setup| {
            server_by(setup, |rules| {
                rules.base = |session, sequence| {
                    let base = session.acked.filter(|base| age(sequence, *base) < BUFFERED)?;
                    session.held(base).or(Some((base, &[])))
                }
            })
        },
    ),
    of_server("repeats-numbers", &SEQ_01, "pygg2/event-burst", "has no new number for events alone", |setup| {
        let mut last = 0;
        server_sends(setup, move |packet| {
            if packet.client.0 != 1 {
            } else if has(packet, "snapshot") {
                last = field(packet, "sequence");
            } else if last > 0 {
                ["sequence", "delta_sequence"].iter().for_each(|name| set_field(packet, name, last));
            }
        })
    }),
    of_server("plain-packets", &SEQ_02, "pygg2/wrap", "compares packet numbers as plain ones", |setup| {
        server_by(setup, |rules| (rules.newer, rules.event_newer) = (greater, greater))
    })
    .same_bug_as("PyGG2 a17d6f2d"),
    of_server("plain-acks", &SEQ_02, "pygg2/wrap", "compares acknowledgements as plain numbers", |setup| {
        server_by(setup, |rules| {
            rules.keeps = |pending, occasion| match occasion {
                Occasion::Acked(ack) => pending.created.is_none_or(|created| greater(created, ack)),
                _ => true,
            }
        })
    }),
    of_server("takes-late-packets", &SEQ_03, "pygg2/overtaking", "takes packets that come late", |setup| {
        server_by(setup, |rules| rules.newer = ANY)
    }),
    of_server("one-count", &SEQ_05, "pygg2/session-clean", "counts the packets to all clients together", |setup| {
        let mut count = 0;
        server_sends(setup, move |packet| {
            count += 1;
            ["sequence", "delta_sequence"].iter().for_each(|name| set_field(packet, name, count));
        })
    }),
    of_server("stops-at-nonsense", &ROB_01, "pygg2/nonsense", "stops at what it cannot read", |setup| {
        server_by(setup, |rules| rules.unreadable = Unreadable::Fatal)
    })
    .same_bug_as("PyGG2 a17d6f2d"),
    of_server("takes-parts", &ROB_01, "pygg2/nonsense", "takes what stands before the mistake", |setup| {
        server_by(setup, |rules| rules.unreadable = Unreadable::TakenInPart)
    }),
    of_server("misses-nobody", &ROB_05, "pygg2/silence", "never drops a silent client", |setup| {
        server_by(setup, |rules| rules.silence_us = u64::MAX)
    }),
    of_server("never-kicks", &ROB_04, "pygg2/overflow", "lets packets grow without end", |setup| {
        server_by(setup, |rules| rules.kicks = false)
    }),
];

/// `bytes` less the base, byte by byte.
fn subtract(bytes: &[u8], base: &[u8]) -> Vec<u8> {
    let base = base.iter().copied().chain(std::iter::repeat(0));
    bytes.iter().zip(base).map(|(byte, base)| byte.wrapping_sub(base)).collect()
}

/// Leaves a snapshot out that is its base again, but for the time.
fn changes_only(packet: &mut Packet<'_>) {
    let records = records(packet);
    let Some(snapshot) = packet.fields("snapshot").next() else { return };
    let delta = field(packet, "sequence") != field(packet, "delta_sequence");
    if !delta || packet.raw(snapshot).iter().skip(4).any(|byte| *byte != 0) {
        return;
    }
    if records.len() == 1 {
        packet.discard();
    } else if let Some((record, _)) = records.last() {
        packet.cut(record);
    }
}
