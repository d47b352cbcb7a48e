//! Ends that stop: they say nothing more, or no longer listen.

use super::*;
use crate::requirements::*;
use netquake::constants::{CCREP_REJECT, NETFLAG_UNRELIABLE};

/// Datagrams after which an end stops: everybody is in the game by then.
const BY_THEN: u32 = 60;

/// Whether a client has had so many datagrams that an end stops.
fn many() -> impl FnMut(HostId) -> bool {
    let mut counts: BTreeMap<HostId, u32> = BTreeMap::new();
    move |client| {
        let count = counts.entry(client).or_default();
        *count += 1;
        *count > BY_THEN
    }
}

fn is_unreliable(packet: &Packet<'_>) -> bool {
    packet.bytes.get(1).is_some_and(|&flags| u32::from(flags) << 16 & NETFLAG_UNRELIABLE != 0)
}

fn discard_control(packet: &mut Packet<'_>) {
    if netquake::is_control(packet.bytes) {
        packet.discard();
    }
}

fn discard_when(packet: &mut Packet<'_>, discards: bool) {
    if discards {
        packet.discard();
    }
}

/// Mutants of the server and of clients.
pub(super) const MUTANTS: &[Mutant] = &[
    of_client("never-connects", &HS_07, "nvs/mixed-clients", "does not ask to be accepted", |setup| {
        client_says(setup, discard_control)
    }),
    of_client("asks-by-another-protocol", &HS_07, "nvs/mixed-clients", "asks by version 4 of the transport", |setup| {
        client_says(setup, |packet| {
            if netquake::is_control(packet.bytes) {
                packet.replace(11..12, &[4]);
            }
        })
    }),
    of_client("never-begins", &HS_07, "nvs/mixed-clients", "says nothing when its sign-on is complete", |setup| {
        client_says(setup, |packet| {
            packet.replace_text(b"\x04begin\0", b"\x01");
        })
    }),
    of_client("stops-moving", &HS_07, "nvs/mixed-clients", "moves no more after a while", |setup| {
        let mut many = many();
        client_says(setup, move |packet| {
            let stops = is_unreliable(packet) && many(packet.client);
            discard_when(packet, stops);
        })
    }),
    of_client("ignores-everything", &HS_07, "nvs/damaged", "ignores everything it receives after a while", |setup| {
        let mut many = many();
        client_receives(setup, move |packet| {
            let stops = many(packet.client);
            discard_when(packet, stops);
        })
    }),
    of_server("refuses-everybody", &HS_07, "nvs/mixed-clients", "refuses clients that want in", |setup| {
        server_says(setup, |packet| {
            if netquake::is_control(packet.bytes) {
                packet.replace(0..packet.bytes.len(), &[0x80, 0, 0, 8, CCREP_REJECT, b'n', b'o', 0]);
            }
        })
    }),
    of_server("answers-nobody", &HS_07, "nvs/mixed-clients", "does not answer connection requests", |setup| {
        server_says(setup, discard_control)
    }),
    of_server("sign-on-without-end", &HS_07, "nvs/mixed-clients", "does not end the sign-on", |setup| {
        server_says(setup, |packet| {
            if let Some(end) = end_of_stage(packet, 3) {
                packet.cut(end);
            }
        })
    }),
    of_server("stops-its-frames", &HS_07, "nvs/mixed-clients", "sends no frames after a while", |setup| {
        let mut many = many();
        server_says(setup, move |packet| {
            let stops = is_frame(packet) && many(packet.client);
            discard_when(packet, stops);
        })
    }),
    of_server("silent-about-levels", &HS_07, "nvs/level-change", "does not announce a new level", |setup| {
        server_says(setup, |packet| {
            let announces = packet.bytes.windows(10).any(|window| window == b"reconnect\n");
            discard_when(packet, announces);
        })
    }),
    of_server(
        "no-explosions-after-damage",
        &T3_02,
        "nvs/damaged",
        "sends no explosions after a while, when datagrams were damaged already",
        |setup| {
            let mut many = many();
            server_says(setup, move |packet| {
                if is_frame(packet) && many(packet.client) {
                    cut_all(packet, "svc_temp_entity");
                }
            })
        },
    ),
];
