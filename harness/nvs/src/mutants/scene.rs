//! Ends that send, show or look at another world than the scenario's.

use super::*;
use crate::requirements::*;
use netquake::constants::{CLC_DISCONNECT, SVC_DISCONNECT};

/// Datagrams of a client after which a server takes no more moves.
const BY_THEN: u32 = 40;

fn is_disconnect(packet: &Packet<'_>) -> bool {
    packet.bytes.get(8..) == Some(&[CLC_DISCONNECT])
}

/// Takes the groups of this name out that have such bytes.
fn cut_from(packet: &mut Packet<'_>, name: &'static str, only: impl Fn(&[u8]) -> bool) {
    let groups: Vec<&Span> = packet.fields(name).filter(|group| only(packet.raw(group))).collect();
    groups.into_iter().for_each(|group| packet.cut(group));
}

/// Mutants of the server and of clients.
pub(super) const MUTANTS: &[Mutant] = &[
    of_client("forgets-baselines", &CL_01, "nvs/baselines", "shows entities without their baselines", |setup| {
        client_receives(setup, |packet| cut_all(packet, "svc_spawnbaseline"))
    }),
    of_client("sees-through-another", &CL_01, "nvs/baselines", "does not learn which entity is its own", |setup| {
        client_receives(setup, |packet| cut_all(packet, "svc_setview"))
    }),
    of_client("never-tilts", &CLC_01, "nvs/moves", "moves without the third of its angles", |setup| {
        client_says(setup, |packet| {
            let angles: Vec<&Span> = packet.fields("view angle").collect();
            angles.iter().skip(2).step_by(3).for_each(|angle| packet.set(angle, 0));
        })
    }),
    of_client("asks-once", &HS_07, "nvs/baselines-loss", "asks once to be accepted, and not again", |setup| {
        let mut asked = BTreeSet::new();
        client_says(setup, move |packet| {
            if netquake::is_control(packet.bytes) && !asked.insert(packet.client) {
                packet.discard();
            }
        })
    }),
    of_client("leaves-without-a-word", &HS_07, "nvs/leave", "does not say that it leaves", |setup| {
        client_says(setup, |packet| {
            if is_disconnect(packet) {
                packet.discard();
            }
        })
    }),
    of_server(
        "ignores-disconnects",
        &HS_07,
        "nvs/leave",
        "ignores clc_disconnect of a client that is not in the game yet",
        |setup| {
            let server = server_with(setup, |_| {});
            Box::new(behind(setup, server).incoming(|packet| {
                if is_disconnect(packet) {
                    packet.discard();
                }
            }))
        },
    ),
    of_server("takes-no-more-moves", &CLC_02, "nvs/moves", "reads no moves after a while", |setup| {
        let mut counts: BTreeMap<HostId, u32> = BTreeMap::new();
        let server = server_with(setup, |_| {});
        Box::new(behind(setup, server).incoming(move |packet| {
            let count = counts.entry(packet.client).or_default();
            *count += 1;
            if packet.fields("clc_move").next().is_some() && *count > BY_THEN {
                packet.discard();
            }
        }))
    }),
    of_server("frames-without-the-last", &TAB_01, "nvs/baselines", "sends no entity above 5 in frames", |setup| {
        server_says(setup, |packet| {
            let is_last = |group: &&Span| {
                let mut fields = packet.inside(group);
                fields.any(|field| field.field == "entity" && packet.value(field) == 6)
            };
            if let Some(last) = packet.fields("fast update").find(is_last) {
                packet.cut(last);
            }
        })
    }),
    of_server(
        "sends-away-and-goes-on",
        &WR_06,
        "nvs/baselines",
        "sends frames to a client that it has disconnected",
        |setup| {
            server_says(setup, |packet| {
                if is_frame(packet) {
                    let end = packet.bytes.len();
                    packet.replace(end..end, &[SVC_DISCONNECT]);
                }
            })
        },
    ),
    of_server("counts-stages-to-four", &SIG_01, "nvs/sign-on-data", "ends its sign-on with signonnum 4", |setup| {
        server_says(setup, |packet| {
            if let Some(end) = end_of_stage(packet, 3).map(|group| group.end) {
                packet.replace(end - 1..end, &[4]);
            }
        })
    }),
    of_server("slots-from-one", &TAB_01, "nvs/sign-on-data", "leaves the first slot out of its scoreboard", |setup| {
        server_says(setup, |packet| cut_from(packet, "svc_updatefrags", |frags| frags.get(1) == Some(&0)))
    }),
    of_server(
        "spawn-turns-nobody",
        &TAB_01,
        "nvs/sign-on-data",
        "sends no view angles in its answer to spawn",
        |setup| {
            server_says(setup, |packet| {
                if end_of_stage(packet, 3).is_some() {
                    cut_all(packet, "svc_setangle");
                }
            })
        },
    ),
    of_server("level-without-info", &SIG_01, "nvs/sign-on-data", "does not say what the level is", |setup| {
        server_says(setup, |packet| cut_all(packet, "svc_serverinfo"))
    }),
    of_server("baselines-twice", &SIG_01, "nvs/baselines", "sends every baseline twice", |setup| {
        server_says(setup, |packet| {
            let sent: Vec<&Span> = packet.fields("svc_spawnbaseline").collect();
            sent.into_iter().for_each(|group| packet.replace(group.end..group.end, packet.raw(group)));
        })
    }),
    of_server("longer-than-a-packet", &BUF_06, "nvs/datagram-edge", "fills datagrams beyond their length", |setup| {
        server_with(setup, |rules| rules.copy = |payload, buffer, _| payload.extend_from_slice(buffer))
    }),
];
