//! What both ends get wrong about what happens once, about who plays, and about going on at all.

use super::player::changing;
use super::{
    bytes_of, client_receives_otherwise, client_sends, of_client, of_server, server_receives, server_sends,
    server_sends_otherwise, server_with, services,
};
use crate::latitude::{HintHabit, Latitude};
use crate::requirements::*;
use crate::session::rules::ServerRules;
use kit::{Endpoint, Mutant, Packet, Reader, Setup, Span};
use netquake::constants::{CLC_DISCONNECT, CLC_NOP, HEADER_BYTES, SVC_DISCONNECT, SVC_NOP};
use netquake::fitzquake::SVC_SPAWN_STATIC_SOUND2;
use netquake::{ClientCommand, ControlPacket, Move, MoveForm, Packet as Datagram, ServerInfo, Service};

/// Unreliable datagrams after which an end does otherwise than it should.
const MANY: usize = 40;

fn is_unreliable(packet: &Packet<'_>) -> bool {
    netquake::datagram::is_unreliable(packet.bytes)
}

/// An edit that throws unreliable datagrams away, once there were many.
fn falls_silent() -> impl FnMut(&mut Packet<'_>) {
    let mut count = 0;
    move |packet| {
        count += usize::from(is_unreliable(packet));
        if is_unreliable(packet) && count > MANY {
            packet.discard();
        }
    }
}

/// A server that writes these messages otherwise.
fn saying(setup: &Setup, other: fn(&Service<'_>) -> Option<Service<'static>>) -> Box<dyn Endpoint> {
    server_sends_otherwise(setup, move |service, _, dialect| {
        other(service).map(|other| bytes_of(|w| other.write(w, &dialect.primitives)))
    })
}

/// A server that leaves these messages out.
fn silent(setup: &Setup, about: fn(&Service<'_>) -> bool) -> Box<dyn Endpoint> {
    server_sends_otherwise(setup, move |service, _, _| about(service).then(|| vec![SVC_NOP]))
}

/// Damage with the points of armour and body exchanged.
fn exchanged(service: &Service<'_>) -> Option<Service<'static>> {
    match *service {
        Service::Damage { armor, blood, from } => Some(Service::Damage { armor: blood, blood: armor, from }),
        _ => None,
    }
}

/// A client that sends a move with its first answer to the sign-on.
fn moving_early(setup: &Setup) -> Box<dyn Endpoint> {
    client_sends(setup, |packet| {
        if packet.bytes.ends_with(b"\x04prespawn\0") {
            let end = packet.bytes.len();
            packet.replace(
                end..end,
                &bytes_of(|w| ClientCommand::Move(Move::default()).write(w, &MoveForm::SHORT_ANGLES)),
            );
        }
    })
}

/// A server of a strange game.
fn of_strange_game(setup: &Setup) -> Box<dyn Endpoint> {
    server_sends_otherwise(setup, |service, _, dialect| match service {
        Service::ServerInfo(info) => {
            let other = Service::ServerInfo(ServerInfo { game_type: 112, ..info.clone() });
            Some(bytes_of(|w| other.write(w, &dialect.primitives)))
        }
        _ => None,
    })
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_server("strange-game", &VER_04, "fitz666/transport-clean", "plays in a way that there is not", of_strange_game),
    of_server("player-left-out", &NET_12, "fitz666/transport-clean", "sends no clientdata", |setup| {
        silent(setup, |service| matches!(service, Service::ClientData(_)))
    }),
    of_server("no-reconnect", &NET_06, "fitz666/map-change-clean", "begins a map without a word", |setup| {
        silent(setup, |service| matches!(service, Service::StuffText { .. }))
    }),
    of_server("hangs-up", &NET_06, "fitz666/sign-on-fragments-loss", "takes nops for disconnects", |setup| {
        server_receives(setup, |packet| {
            if is_unreliable(packet) && packet.bytes.get(HEADER_BYTES..) == Some(&[CLC_NOP]) {
                packet.replace(HEADER_BYTES..packet.bytes.len(), &[CLC_DISCONNECT]);
            }
        })
    }),
    of_client("leaves-when-turned", &NET_11, "fitz666/happens-once", "leaves when its view is turned", |setup| {
        let turns = |service: &Service<'_>| matches!(service, Service::SetAngle { .. });
        client_receives_otherwise(setup, move |service, _, _| turns(service).then(|| vec![SVC_DISCONNECT]))
    }),
    of_client("moves-early", &NET_11, "fitz666/moves", "sends a move before it is in the game", moving_early),
    of_server("damage-left-out", &VER_04, "fitz666/happens-once", "never says that a player was hurt", |setup| {
        silent(setup, |service| matches!(service, Service::Damage { .. }))
    }),
    of_server(
        "damage-exchanged",
        &VER_04,
        "fitz666/happens-once",
        "sends what the body took as what the armour took",
        |setup| saying(setup, exchanged),
    ),
    of_server("turns-by-the-pitch", &VER_04, "fitz666/happens-once", "sends the pitch of a turn as its yaw", |setup| {
        saying(setup, |service| match *service {
            Service::SetAngle { angles: [pitch, _, roll] } => Some(Service::SetAngle { angles: [pitch, pitch, roll] }),
            _ => None,
        })
    }),
    of_server(
        "particles-in-every-frame",
        &VER_04,
        "fitz666/happens-once",
        "shows particles that nothing has caused",
        |setup| {
            server_sends_otherwise(setup, |service, bytes, dialect| {
                let burst = Service::Particle { origin: [0; 3], direction: [0; 3], count: 9, color: 1 };
                let burst = bytes_of(|w| burst.write(w, &dialect.primitives));
                matches!(service, Service::ClientData(_)).then(|| [bytes, &burst].concat())
            })
        },
    ),
    of_server("sounds-left-out", &SND_04, "fitz666/sounds", "never plays a sound", |setup| {
        silent(setup, |service| matches!(service, Service::Sound(_)))
    }),
    of_server("sounds-twice", &SND_04, "fitz666/sounds", "plays every sound twice", |setup| {
        server_sends_otherwise(setup, |service, bytes, _| {
            matches!(service, Service::Sound(_)).then(|| [bytes, bytes].concat())
        })
    }),
    of_server("prints-left-out", &NET_06, "fitz666/several-clients", "never prints what is to be printed", |setup| {
        silent(setup, |service| matches!(service, Service::Print { .. }))
    }),
    of_server(
        "statistics-one-higher",
        &VER_04,
        "fitz666/sign-on-clean",
        "sends statistics that are one too high",
        |setup| {
            saying(setup, |service| match *service {
                Service::UpdateStat { stat, value } => Some(Service::UpdateStat { stat, value: value + 1 }),
                _ => None,
            })
        },
    ),
    of_server("statistics-left-out", &VER_04, "fitz666/sign-on-clean", "sends no statistics by themselves", |setup| {
        silent(setup, |service| matches!(service, Service::UpdateStat { .. }))
    }),
    of_server(
        "static-sounds-left-out",
        &STAT_02,
        "fitz666/baselines",
        "announces no static sound above 255",
        |setup| {
            server_sends(setup, |packet| {
                for span in services(packet) {
                    if packet.raw(span).first() == Some(&SVC_SPAWN_STATIC_SOUND2) {
                        packet.replace(span.start..span.end, &[SVC_NOP]);
                    }
                }
            })
        },
    ),
    of_server("players-unnamed", &VER_04, "fitz666/sign-on-clean", "calls every player by the same name", |setup| {
        saying(setup, |service| match *service {
            Service::UpdateName { slot, .. } => Some(Service::UpdateName { slot, name: b"unnamed" }),
            _ => None,
        })
    }),
    of_server(
        "weapon-alpha-one-off",
        &CD_17,
        "fitz666/player",
        "sends a weapon's alpha that is one too high",
        |setup| {
            server_sends_otherwise(
                setup,
                changing(|data| {
                    data.weapon_alpha = if data.weapon_alpha == 0 { 0 } else { data.weapon_alpha.saturating_add(1) };
                }),
            )
        },
    ),
    of_server("weapon-alpha-left-out", &CD_18, "fitz666/player", "never sends a weapon's alpha", |setup| {
        server_with(setup, ServerRules::with(Latitude { weapon_alpha: false, ..Latitude::REFERENCE }))
    }),
    of_server("hints-left-out", &LERP_06, "fitz666/hints", "never sends when an entity thinks next", |setup| {
        server_with(setup, ServerRules::with(Latitude { hints: HintHabit::Never, ..Latitude::REFERENCE }))
    }),
    of_server("server-falls-silent", &NET_12, "fitz666/transport-clean", "sends no more after two seconds", |setup| {
        server_sends(setup, falls_silent())
    }),
    of_server(
        "refuses-unasked",
        &NET_08,
        "fitz666/transport-clean",
        "refuses a client that sent no request",
        |setup| {
            let mut count = 0;
            server_sends(setup, move |packet| {
                count += usize::from(is_unreliable(packet));
                if is_unreliable(packet) && count == MANY {
                    let refusal = ControlPacket::Reject { reason: b"Server is full.\n" };
                    packet.replace(0..packet.bytes.len(), &bytes_of(|w| refusal.write(w)));
                }
            })
        },
    ),
    of_client("buttons-left-out", &VER_04, "fitz666/moves", "never says which buttons are held", |setup| {
        client_sends(setup, |packet| {
            for span in packet.fields("buttons").collect::<Vec<&Span>>() {
                packet.set(span, 0);
            }
        })
    }),
    of_client("impulse-stays", &VER_04, "fitz666/moves", "sends an impulse again with every move", |setup| {
        let mut held = 0;
        client_sends(setup, move |packet| {
            for span in packet.fields("impulse").collect::<Vec<&Span>>() {
                held = if packet.value(span) == 0 { held } else { packet.value(span) };
                packet.set(span, held);
            }
        })
    }),
    of_client(
        "damage-misread",
        &VER_04,
        "fitz666/happens-once",
        "takes what the armour took for what the body took",
        |setup| {
            client_receives_otherwise(setup, |service, _, dialect| {
                exchanged(service).map(|other| bytes_of(|w| other.write(w, &dialect.primitives)))
            })
        },
    ),
    of_client("particles-unseen", &VER_04, "fitz666/happens-once", "shows no particles", |setup| {
        client_receives_otherwise(setup, |service, _, _| {
            matches!(service, Service::Particle { .. }).then(|| vec![SVC_NOP])
        })
    }),
    of_client("asks-for-version-4", &NET_10, "fitz666/sign-on-clean", "asks for another version", |setup| {
        client_sends(setup, |packet| {
            if netquake::is_control(packet.bytes) {
                for span in packet.fields("version").collect::<Vec<&Span>>() {
                    packet.set(span, 4);
                }
            }
        })
    }),
    of_client(
        "never-begins",
        &NET_11,
        "fitz666/sign-on-clean",
        "does not answer the last step of a sign-on",
        |setup| {
            client_sends(setup, |packet| {
                let read = Datagram::read(&mut Reader::new(packet.bytes));
                let begins = |payload: &[u8]| payload.windows(5).any(|window| window == b"begin");
                if matches!(read, Ok(Datagram::Data { payload, .. }) if begins(payload)) {
                    packet.discard();
                }
            })
        },
    ),
    of_client("client-falls-silent", &ENT_16, "fitz666/transport-clean", "sends no more after two seconds", |setup| {
        client_sends(setup, falls_silent())
    }),
];
