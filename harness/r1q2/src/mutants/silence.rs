//! Ends that say less than they have to, or what nobody has asked for.

use super::wire::frames;
use super::{
    behind, client_receives, client_sends, client_with, exchange, of_client, of_server, server_sends, server_with,
};
use crate::machine::game::ClientRules;
use crate::machine::latitude::Latitude;
use crate::machine::sender::{ServerRules, changes};
use crate::notes::{NOTE_DOWNLOADED, NOTE_PREDICTION_ERROR};
use crate::requirements::*;
use crate::verbs::{VERB_DOWNLOAD, VERB_NODELTA, VERB_WALK};
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::handshake::{ServerPacket, is_out_of_band};
use crate::wire::state::Entity;
use kit::{Command, Endpoint, Event, Mutant, PeerId, Reader, Setup, Time, View};
use netchan::HEADER_BYTES;
use std::cell::RefCell;

/// An end that takes its commands for others, answers others than those who ask, keeps to itself what happens, or shows what
/// was.
struct Bent {
    inner: Box<dyn Endpoint>,
    /// What it takes a command for; `None` for nothing.
    command: fn(&Command) -> Option<Command>,
    /// To whom it sends what is for somebody else, by its bytes.
    to: fn(PeerId, &[u8]) -> PeerId,
    /// The note that it does not make; `None` for all that there are.
    hidden: Option<usize>,
    /// What it showed last, where it goes on showing that until it has something else.
    last: Option<RefCell<View>>,
}

impl Bent {
    /// An end as it is.
    fn of(inner: Box<dyn Endpoint>) -> Bent {
        Bent { inner, command: |command| Some(*command), to: |peer, _| peer, hidden: None, last: None }
    }

    fn of_client(setup: &Setup) -> Bent {
        Bent::of(client_with(setup, ClientRules::REFERENCE))
    }

    fn client(setup: &Setup, command: fn(&Command) -> Option<Command>) -> Box<dyn Endpoint> {
        Box::new(Bent { command, ..Bent::of_client(setup) })
    }

    /// A client to which what this note is about never happens.
    fn never(setup: &Setup, note: usize) -> Box<dyn Endpoint> {
        Box::new(Bent { hidden: Some(note), ..Bent::of_client(setup) })
    }
}

impl Endpoint for Bent {
    kit::pass_on!(inner: handle_datagram handle_timeout poll_timeout forget);

    fn handle_command(&mut self, now: Time, command: &Command) {
        if let Some(command) = (self.command)(command) {
            self.inner.handle_command(now, &command);
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let start = out.len();
        let peer = self.inner.poll_transmit(now, out)?;
        Some((self.to)(peer, out.get(start..).unwrap_or_default()))
    }

    fn poll_event(&mut self) -> Option<Event> {
        let hidden = self.hidden;
        let is_hidden = |event: &Event| matches!(event, Event::Note { note, .. } if Some(*note) == hidden);
        loop {
            let event = self.inner.poll_event()?;
            if !is_hidden(&event) {
                return Some(event);
            }
        }
    }

    fn observe(&self, view: &mut View) {
        self.inner.observe(view);
        let Some(last) = &self.last else { return };
        let mut last = last.borrow_mut();
        if view.valid {
            last.clone_from(view);
        } else if last.valid {
            view.clone_from(&last);
        }
    }
}

/// A client that does nothing with one verb.
fn without(command: &Command, ignored: usize) -> Option<Command> {
    let ignores = matches!(command, Command::Verb { verb, .. } if *verb == ignored);
    (!ignores).then_some(*command)
}

/// Flips the first byte of each plain block of a file.
fn flip(packet: &mut kit::Packet<'_>) {
    for [percent, data] in super::pairs(packet, "percent", "data") {
        if percent.end == data.start && data.end > data.start {
            packet.replace(data.start..data.start + 1, &[packet.raw(data)[0] ^ 1]);
        }
    }
}

/// Moves after which a client falls silent.
const MOVES: u32 = 40;
/// The number of a server's last frame.
const LAST_FRAME: u64 = 20;

pub(super) static MUTANTS: &[Mutant] = &[
    of_server("gives-no-challenge", &GEN_02, "r1q2/clean", "does not answer who asks for a challenge", |setup| {
        server_sends(setup, |packet| {
            let read = ServerPacket::read(&mut Reader::new(packet.bytes));
            if is_out_of_band(packet.bytes) && matches!(read, Ok(ServerPacket::Challenge { .. })) {
                packet.discard();
            }
        })
    }),
    of_server("lets-nobody-in", &GEN_02, "r1q2/clean", "does not answer a connect", |setup| {
        server_sends(setup, |packet| {
            let read = ServerPacket::read(&mut Reader::new(packet.bytes));
            if is_out_of_band(packet.bytes) && matches!(read, Ok(ServerPacket::ClientConnect { .. })) {
                packet.discard();
            }
        })
    }),
    of_server("answers-the-first", &GEN_02, "r1q2/clean", "answers all connects to its first client", |setup| {
        let to = |peer, bytes: &[u8]| if is_out_of_band(bytes) { PeerId::client(1) } else { peer };
        Box::new(Bent { to, ..Bent::of(server_with(setup, ServerRules::REFERENCE)) })
    }),
    of_server("ends-no-sign-on", &GEN_02, "r1q2/clean", "never says that a sign-on is complete", |setup| {
        server_sends(setup, |packet| {
            packet.replace_text(b"precache", b"prefetch");
        })
    }),
    of_server("stops-frames", &GEN_02, "r1q2/clean", "sends no frame after its twentieth", |setup| {
        frames(setup, |packet, [_, word, _]| {
            if packet.value(word) & u64::from(FRAME_NUMBER) > LAST_FRAME {
                packet.discard();
            }
        })
    }),
    of_server("throws-out", &GEN_02, "r1q2/clean", "ends sessions after their twentieth frame", |setup| {
        frames(setup, |packet, [_, word, _]| {
            if packet.value(word) & u64::from(FRAME_NUMBER) > LAST_FRAME {
                packet.replace(HEADER_BYTES..packet.bytes.len(), &[SVC_DISCONNECT]);
            }
        })
    }),
    of_server(
        "leaves-out-long-frames",
        &GEN_02,
        "r1q2/frames-too-long",
        "compresses no frames, and sends none that is too long",
        |setup| {
            let latitude = Latitude { packs_frames: false, shortens: false, ..Latitude::REFERENCE };
            server_with(setup, ServerRules { latitude, ..ServerRules::REFERENCE })
        },
    ),
    of_server("sends-no-events", &GEN_02, "r1q2/clean", "never sends what happens to an entity", |setup| {
        let changes = |known: Option<&Entity>, from: &_, now: &_, dialect: &Dialect, latitude: &_| {
            changes(known, from, now, dialect, latitude) & !U_EVENT
        };
        server_with(setup, ServerRules { changes, ..ServerRules::REFERENCE })
    }),
    of_server("shows-no-shots", &GEN_02, "r1q2/clean", "never says that a player fires", |setup| {
        server_sends(setup, |packet| {
            for [service, weapon] in super::pairs(packet, "svc", "weapon") {
                if packet.value(service) == SVC_MUZZLEFLASH.into() && weapon.end == service.start + 4 {
                    packet.replace(service.start..weapon.end, &[SVC_NOP; 4]);
                }
            }
        })
    }),
    of_server("another-volume", &GEN_02, "r1q2/happenings", "plays sounds at another volume", |setup| {
        server_sends(setup, |packet| {
            for volume in packet.fields("volume") {
                packet.set(volume, 100);
            }
        })
    }),
    of_server("another-file", &GEN_02, "r1q2/download-34", "sends another file", |setup| server_sends(setup, flip)),
    of_server("sends-one-block", &GEN_02, "r1q2/download-34", "never sends a second block", |setup| {
        let server = server_with(setup, ServerRules::REFERENCE);
        Box::new(behind(setup, server).incoming(|packet| {
            packet.replace_text(b"nextdl", b"nextup");
        }))
    }),
    of_server(
        "repeats-events",
        &GEN_02,
        "r1q2/spectators-compact",
        "has an event happen in every frame from then on",
        |setup| server_with(setup, ServerRules { ends_events: false, ..ServerRules::REFERENCE }),
    ),
    of_server(
        "forgoes-lost-moves",
        &GEN_02,
        "r1q2/spectators-compact",
        "lets the commands of lost moves last no time when later moves repeat them",
        |setup| {
            let server = server_with(setup, ServerRules::REFERENCE);
            Box::new(behind(setup, server).incoming(|packet| {
                packet.fields("msec").take(2).for_each(|msec| packet.set(msec, 0));
            }))
        },
    ),
    of_server("ignores-disconnects", &GEN_02, "r1q2/zombie", "sends on to clients that have left", |setup| {
        let server = server_with(setup, ServerRules::REFERENCE);
        Box::new(behind(setup, server).incoming(|packet| {
            packet.replace_text(b"disconnect", b"disconcert");
        }))
    }),
    of_server("lets-nobody-strafe", &GEN_02, "r1q2/spectators-compact", "takes no command to the side", |setup| {
        let server = server_with(setup, ServerRules::REFERENCE);
        Box::new(behind(setup, server).incoming(|packet| {
            packet.fields("sidemove").for_each(|speed| packet.set(speed, 0));
        }))
    }),
    of_server(
        "answers-connects-once",
        &GEN_02,
        "r1q2/handshake-lost",
        "sends each client one message after it was accepted",
        |setup| {
            let mut answered = [false; 256];
            server_sends(setup, move |packet| {
                let read = ServerPacket::read(&mut Reader::new(packet.bytes));
                let accepts = is_out_of_band(packet.bytes) && matches!(read, Ok(ServerPacket::ClientConnect { .. }));
                let index = usize::from(packet.client.0) % answered.len();
                if accepts && std::mem::replace(&mut answered[index], true) {
                    packet.discard();
                }
            })
        },
    ),
    of_server(
        "repeats-what-was-before",
        &GEN_02,
        "r1q2/comes-again",
        "sends a reliable message of the session before in the next one",
        |setup| {
            let mut kept = Vec::new();
            server_sends(setup, move |packet| {
                if kept.is_empty() {
                    let prints = super::pairs(packet, "svc", "text").into_iter();
                    let prints = prints.filter(|[service, text]| text.start == service.start + 2);
                    let mut proofs = prints.filter(|[_, text]| packet.raw(text).starts_with(b"proof "));
                    if let Some([service, text]) = proofs.next() {
                        kept = packet.bytes[service.start..text.end].to_vec();
                        kept.extend((kept.last() != Some(&0)).then_some(0));
                    }
                } else if packet.fields("spawncount").next().is_some() {
                    packet.replace(packet.bytes.len()..packet.bytes.len(), &kept);
                }
            })
        },
    ),
    of_client("acknowledges-nothing", &GEN_02, "r1q2/clean", "always asks for frames without a base", |setup| {
        client_sends(setup, |packet| {
            packet.fields("lastframe").for_each(|frame| packet.set(frame, u64::from(u32::MAX)));
        })
    }),
    of_client("always-acknowledges", &GEN_02, "r1q2/nodelta", "never asks for frames without a base", |setup| {
        Bent::client(setup, |command| without(command, VERB_NODELTA))
    }),
    of_client("takes-no-time", &GEN_02, "r1q2/clean", "sends commands of 0 ms", |setup| {
        client_sends(setup, |packet| {
            packet.fields("msec").for_each(|msec| packet.set(msec, 0));
        })
    }),
    of_client("outlasts-time", &GEN_02, "r1q2/clean", "states 10 ms more for each command than have passed", |setup| {
        client_sends(setup, |packet| {
            packet.fields("msec").for_each(|msec| packet.set(msec, packet.value(msec) + 10));
        })
    }),
    of_client("predicts-nothing", &GEN_02, "r1q2/spectators", "never predicts where its player is", |setup| {
        Bent::never(setup, NOTE_PREDICTION_ERROR)
    }),
    of_client("keeps-no-files", &ZDL_02, "r1q2/download", "never has the whole of a file", |setup| {
        Bent::never(setup, NOTE_DOWNLOADED)
    }),
    of_client("stays-on-its-map", &GEN_02, "r1q2/map-change", "does not ask for the next map", |setup| {
        client_receives(setup, |packet| {
            packet.replace_text(b"reconnect", b"recollect");
        })
    }),
    of_client("shows-the-map-before", &GEN_02, "r1q2/map-change", "shows the last map until it has another", |setup| {
        Box::new(Bent { last: Some(RefCell::default()), ..Bent::of_client(setup) })
    }),
    of_client(
        "acknowledges-the-map-before",
        &GEN_02,
        "r1q2/map-change",
        "acknowledges the last frame of a map with its first move on the next",
        |setup| {
            let (mut first, mut last) = (0, None);
            client_sends(setup, move |packet| {
                if packet.bytes.windows(5).any(|word| word == b"begin") {
                    first = last.unwrap_or(0);
                } else if let Some(frame) = packet.fields("lastframe").next() {
                    last = Some(packet.value(frame));
                    if first != 0 {
                        packet.set(frame, std::mem::take(&mut first));
                    }
                }
            })
        },
    ),
    of_client("never-connects", &GEN_02, "r1q2/clean", "asks for a challenge, and for no more", |setup| {
        client_sends(setup, |packet| {
            if packet.bytes.get(4..).is_some_and(|text| text.starts_with(b"connect")) {
                packet.discard();
            }
        })
    }),
    of_client("never-comes", &GEN_02, "r1q2/clean", "sends nothing after it was accepted", |setup| {
        client_sends(setup, |packet| {
            if packet.fields("sequence").next().is_some() {
                packet.discard();
            }
        })
    }),
    of_client("falls-silent", &GEN_02, "r1q2/clean", "sends nothing after its fortieth move", |setup| {
        let mut moves = 0;
        client_sends(setup, move |packet| {
            moves += u32::from(packet.fields("lastframe").next().is_some());
            if moves > MOVES {
                packet.discard();
            }
        })
    }),
    of_client("stays", &GEN_02, "r1q2/comes-again", "goes on when it is to leave", |setup| {
        Bent::client(setup, |command| (!matches!(command, Command::Disconnect)).then_some(*command))
    }),
    of_client("wants-no-files", &GEN_02, "r1q2/download-34", "asks for no file", |setup| {
        Bent::client(setup, |command| without(command, VERB_DOWNLOAD))
    }),
    of_client("stands-still", &GEN_02, "r1q2/walkers", "does not move when its player walks", |setup| {
        Bent::client(setup, |command| without(command, VERB_WALK))
    }),
    of_client("forgets-its-commands", &GEN_02, "r1q2/walkers", "sends null commands for those before", |setup| {
        client_sends(setup, |packet| {
            // Of three that are the same, the first has all the fields.
            let commands: Vec<_> = packet.fields("usercmd").collect();
            if let [first, _, last] = commands[..] {
                exchange(packet, [first, last]);
            }
        })
    }),
    of_client("another-colour", &GEN_02, "r1q2/happenings", "shows effects in another colour", |setup| {
        client_receives(setup, |packet| {
            for colour in packet.fields("colour") {
                packet.set(colour, 1);
            }
        })
    }),
    of_client("spoils-files", &ZDL_02, "r1q2/download-34", "changes what it downloads", |setup| {
        client_receives(setup, flip)
    }),
];
