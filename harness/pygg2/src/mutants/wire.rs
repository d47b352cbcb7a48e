//! Ends that write or read fields in a wrong way.

use super::*;
use crate::constants::INPUTSTATE_BITS;
use crate::requirements::*;
use crate::session::rules::bodies;
use crate::snapshot::{Body, Declared};
use crate::state::Player;

/// Those of the wire.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server("unsigned-statistics", &TYPE_01, "pygg2/late-join-clean", "writes statistics below 0 as 0", |setup| {
        server_sends(setup, |packet| {
            for name in ["kills", "deaths", "healing"] {
                for span in packet.fields(name).collect::<Vec<_>>() {
                    set(packet, span, (number(packet, span) as u16 as i16).max(0) as u16);
                }
            }
        })
    }),
    of_server("little-endian-bodies", &TYPE_02, "pygg2/session-clean", "writes positions little-endian", |setup| {
        server_sends(setup, |packet| turn_round(packet, &["x", "y"]))
    }),
    of_server(
        "little-endian-spawns",
        &TYPE_02,
        "pygg2/session-clean",
        "writes places of spawns little-endian",
        |setup| server_sends(setup, |packet| turn_round(packet, &["spawn x", "spawn y"])),
    ),
    of_client("little-endian-aim", &TYPE_02, "pygg2/inputs", "writes the aim little-endian", |setup| {
        client_sends(setup, |packet| turn_round(packet, &["aimdirection"]))
    }),
    of_client("reads-little-endian", &TYPE_02, "pygg2/session-clean", "reads positions little-endian", |setup| {
        client_receives(setup, |packet| turn_round(packet, &["x", "y"]))
    }),
    of_server("health-before-speeds", &BASE_01, "pygg2/session-clean", "writes hp before the speeds", |setup| {
        server_sends(setup, health_first)
    }),
    of_client("reads-health-first", &BASE_01, "pygg2/session-clean", "reads hp before the speeds", |setup| {
        client_receives(setup, |packet| {
            for span in packet.fields("hspeed").collect::<Vec<_>>() {
                let Some(&[hp, h0, h1, v0, v1]) = packet.bytes.get(span.start..span.start + 5) else { continue };
                packet.replace(span.start..span.start + 5, &[h0, h1, v0, v1, hp]);
            }
        })
    }),
    of_server("keys-from-the-top", &BASE_02, "pygg2/session-clean", "has the left key in the highest bit", |setup| {
        server_sends(setup, keys_from_the_top)
    }),
    of_client("sends-keys-from-the-top", &BASE_02, "pygg2/inputs", "has the left key in the highest bit", |setup| {
        client_sends(setup, keys_from_the_top)
    }),
    of_client(
        "reads-keys-from-the-top",
        &BASE_02,
        "pygg2/session-clean",
        "reads the left key in the highest bit",
        |setup| client_receives(setup, keys_from_the_top),
    ),
    of_server("spare-bits-in-bodies", &BASE_03, "pygg2/session-clean", "sets the spare bits of inputstate", |setup| {
        server_sends(setup, |packet| {
            let header: Vec<u16> = ["sequence", "delta_sequence"]
                .iter()
                .filter_map(|name| packet.fields(name).next())
                .map(|span| number(packet, span) as u16)
                .collect();
            let absolute = matches!(header[..], [sequence, delta] if sequence == delta);
            let Some(snapshot) = packet.fields("snapshot").next().filter(|_| absolute) else { return };
            for span in packet.inside(snapshot).filter(|span| span.field == "inputstate").collect::<Vec<_>>() {
                set(packet, span, number(packet, span) as u16 | 0xe0);
            }
        })
    }),
    of_client("spare-bits-in-inputs", &BASE_03, "pygg2/inputs", "sets the spare bits of inputstate", |setup| {
        client_sends(setup, |packet| {
            for span in packet.fields("inputstate").collect::<Vec<_>>() {
                set(packet, span, number(packet, span) as u16 | 0xe0);
            }
        })
    }),
    of_server("unsigned-speeds", &BASE_04, "pygg2/session-clean", "writes speeds without their sign", |setup| {
        server_by(setup, |rules| {
            rules.bodies = |players, own, declared| {
                let mut all = bodies(players, own, declared);
                for Body { base, .. } in &mut all {
                    (base.hspeed, base.vspeed) = (base.hspeed.saturating_abs(), base.vspeed.saturating_abs());
                }
                all
            }
        })
    }),
    of_server(
        "all-class-fields",
        &CLS_02,
        "pygg2/class-fields",
        "writes class fields that the player's class does not have",
        |setup| {
            server_by(setup, |rules| {
                rules.bodies = |players, own, declared| {
                    let mut all = bodies(players, own, declared);
                    for body in &mut all {
                        body.class = players.get(body.id.into()).map(Player::class_fields);
                    }
                    all
                }
            })
        },
    ),
    of_server("undeclared-bytes", &CLS_02, "pygg2/session-clean", "has two bytes more after each body", |setup| {
        server_by(setup, |rules| {
            rules.bodies =
                |players, own, declared| bodies(players, own, Declared { extras: declared.extras + 2, ..declared })
        })
    }),
    of_server("little-endian-ubercharge", &TYPE_02, "pygg2/class-fields", "writes ubercharge little-endian", |setup| {
        server_sends(setup, |packet| turn_round(packet, &["ubercharge"]))
    }),
    of_client(
        "takes-stickies-for-sandviches",
        &CLS_02,
        "pygg2/class-fields",
        "reads stickies before sandvich",
        |setup| {
            client_receives(setup, |packet| {
                for span in packet.fields("sandvich").collect::<Vec<_>>() {
                    let Some(&[sandvich, stickies]) = packet.bytes.get(span.start..span.start + 2) else { continue };
                    packet.replace(span.start..span.start + 2, &[stickies, sandvich]);
                }
            })
        },
    ),
    of_server("turned-header", &SEQ_04, "pygg2/session-clean", "writes delta_sequence before sequence", |setup| {
        server_sends(setup, |packet| turn_header(packet, "delta_sequence"))
    }),
    of_client("turned-client-header", &SEQ_04, "pygg2/session-clean", "writes ack_sequence before sequence", |setup| {
        client_sends(setup, |packet| turn_header(packet, "ack_sequence"))
    }),
    of_server("acknowledges-nothing", &ACK_06, "pygg2/session-clean", "has 0 in last_acked_sequence", |setup| {
        server_sends(setup, |packet| {
            if let Some(span) = packet.fields("last_acked_sequence").next() {
                set(packet, span, 0);
            }
        })
    }),
    of_server("snapshot-first", &EVT_04, "pygg2/session-clean", "writes the snapshot before the events", |setup| {
        server_sends(setup, |packet| {
            let records = records(packet);
            let Some((last, "length")) = records.last().copied() else { return };
            let is_snapshot = packet.inside(last).any(|span| span.field == "snapshot");
            let first = records.first().map_or(0, |(first, _)| first.start);
            if is_snapshot && first < last.start {
                let bytes = packet.raw(last).to_vec();
                packet.cut(last);
                packet.replace(first..first, &bytes);
            }
        })
    })
    .same_bug_as("PyGG2 a17d6f2d"),
    of_server(
        "resends-snapshots",
        &SNAP_02,
        "pygg2/session-clean",
        "sends an old snapshot again now and then",
        |setup| {
            let (mut count, mut held) = (0u32, Vec::new());
            server_sends(setup, move |packet| {
                if packet.fields("snapshot").next().is_none() || packet.client.0 != 1 {
                    return;
                }
                count += 1;
                if count.is_multiple_of(20) {
                    packet.replace(0..packet.bytes.len(), &held);
                } else {
                    held = packet.bytes.to_vec();
                }
            })
        },
    ),
];

fn health_first(packet: &mut Packet<'_>) {
    for span in packet.fields("hspeed").collect::<Vec<_>>() {
        let Some(&[h0, h1, v0, v1, hp]) = packet.bytes.get(span.start..span.start + 5) else { continue };
        packet.replace(span.start..span.start + 5, &[hp, h0, h1, v0, v1]);
    }
}

fn keys_from_the_top(packet: &mut Packet<'_>) {
    for span in packet.fields("inputstate").collect::<Vec<_>>() {
        let keys = number(packet, span) as u8;
        set(packet, span, ((keys & INPUTSTATE_BITS).reverse_bits() >> 3).into());
    }
}

/// Exchanges sequence and the field after it.
fn turn_header(packet: &mut Packet<'_>, other: &'static str) {
    let fields = ["sequence", other].map(|name| packet.fields(name).next());
    if let [Some(one), Some(other)] = fields {
        let (first, second) = (number(packet, one) as u16, number(packet, other) as u16);
        set(packet, one, second);
        set(packet, other, first);
    }
}
