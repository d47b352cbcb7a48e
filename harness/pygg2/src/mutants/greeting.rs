//! Servers that greet a new client wrongly.

use super::*;
use crate::constants::{C2S_DISCONNECT, NAME_BYTES};
use crate::latitude::Latitude;
use crate::message::ServerEvent;
use crate::requirements::*;
use crate::session::rules::{Admission, admission};
use crate::session::{Occasion, keeps};
use std::collections::BTreeSet;

/// Those of the handshake and of the complete update.
pub(super) static MUTANTS: &[Mutant] = &[
    of_client("single-hello", &HS_02, "pygg2/hello-lost", "says hello once", |setup| {
        client_with(
            setup,
            Rules { latitude: Latitude { hello_us: 3_600_000_000, ..Latitude::NONE }, ..Rules::REFERENCE },
        )
    }),
    of_client("password-withheld", &HS_01, "pygg2/wrong-password", "keeps its password to itself", |setup| {
        client_sends(setup, |packet| {
            for span in packet.fields("password").collect::<Vec<_>>() {
                packet.replace(span.start..span.end, &[0; NAME_BYTES]);
            }
        })
    }),
    of_client("asks-with-nothing", &HS_01, "pygg2/greeting-clean", "asks with an empty packet", |setup| {
        client_sends(setup, |packet| {
            let hellos: Vec<&Span> = packet.fields("record").collect();
            if has(packet, "password") {
                hellos.into_iter().for_each(|hello| packet.cut(hello));
            }
        })
    }),
    of_client("takes-any-packet", &HS_12, "pygg2/reconnect", "takes packets of the session before", |setup| {
        client_by(setup, |rules| rules.answers = |_| true)
    }),
    of_client("leaves-without-a-word", &HS_13, "pygg2/leaving", "leaves without clc_disconnect", |setup| {
        client_sends(setup, |packet| {
            for (record, _) in records(packet) {
                let id = packet.inside(record).nth(1).map_or(0, |span| number(packet, span));
                if id == C2S_DISCONNECT.into() {
                    packet.cut(record);
                }
            }
        })
    }),
    of_client("takes-another-player", &HS_11, "pygg2/greeting-clean", "takes another player for its own", |setup| {
        client_receives(setup, |packet| set_field(packet, "your_id", field(packet, "your_id") + 1))
    }),
    of_server("another-players-id", &HS_11, "pygg2/greeting-clean", "has the id of another player in hi", |setup| {
        server_sends(setup, |packet| set_field(packet, "your_id", field(packet, "your_id") + 1))
    }),
    of_server("another-version", &HS_06, "pygg2/greeting-clean", "has another version in hi", |setup| {
        server_sends(setup, |packet| set_field(packet, "version", 9_999))
    }),
    of_server("two-hundred-players", &HS_06, "pygg2/greeting-clean", "has 200 players in hi", |setup| {
        server_sends(setup, |packet| set_field(packet, "numOfPlayers", 200))
    }),
    of_client("hammers", &HS_10, "pygg2/full-server", "goes on asking when it is refused", |setup| {
        client_receives(setup, |packet| {
            if has(packet, "reason") {
                packet.discard();
            }
        })
    }),
    of_server("silent-on-passwords", &HS_03, "pygg2/wrong-password", "does not answer a wrong password", |setup| {
        server_by(setup, |rules| {
            rules.admission = |wrong, players, most| Admission { answer: !wrong, ..admission(wrong, players, most) }
        })
    })
    .same_bug_as("PyGG2 a17d6f2d"),
    of_server("silent-when-full", &HS_04, "pygg2/full-server", "does not answer when it is full", |setup| {
        server_by(setup, |rules| {
            rules.admission = |wrong, players, most| Admission { answer: wrong, ..admission(wrong, players, most) }
        })
    }),
    of_server("lets-in-all-the-same", &HS_03, "pygg2/wrong-password", "refuses a password, and admits", |setup| {
        server_by(setup, |rules| {
            rules.admission = |wrong, players, most| Admission { let_in: true, ..admission(wrong, players, most) }
        })
    }),
    of_server("full-and-lets-in", &HS_04, "pygg2/full-server", "says that it is full, and admits", |setup| {
        server_by(setup, |rules| {
            rules.admission = |wrong, players, most| Admission { let_in: true, ..admission(wrong, players, most) }
        })
    }),
    of_server("one-too-many", &HS_04, "pygg2/full-server", "lets one player too many in", |setup| {
        server_by(setup, |rules| rules.admission = |wrong, players, most| admission(wrong, players, most + 1))
    }),
    of_server("full-before-password", &HS_05, "pygg2/wrong-and-full", "looks at the password last", |setup| {
        server_by(setup, |rules| {
            rules.admission = |wrong, players, most| admission(wrong && players < most, players, most)
        })
    }),
    of_server("no-version", &HS_06, "pygg2/session-clean", "leaves the version out of hi", |setup| {
        server_sends(setup, |packet| {
            for span in packet.fields("version").collect::<Vec<_>>() {
                packet.cut(span);
            }
        })
    }),
    of_server("no-map", &HS_06, "pygg2/session-clean", "leaves the map's name in hi empty", |setup| {
        server_sends(setup, |packet| {
            for span in packet.fields("mapName").collect::<Vec<_>>() {
                packet.replace(span.start..span.end, &[0; crate::constants::MAP_BYTES]);
            }
        })
    }),
    of_server("hi-last", &HS_07, "pygg2/session-clean", "sends hi after the complete update", |setup| {
        server_sends(setup, |packet| {
            let records = records(packet);
            let Some((hi, _)) = records.iter().find(|(_, field)| *field == "servername") else { return };
            let snapshot = |record: &Span| packet.inside(record).any(|span| span.field == "snapshot");
            let Some((last, _)) = records.iter().rfind(|(record, _)| !snapshot(record)) else { return };
            let (bytes, end) = (packet.raw(hi).to_vec(), last.end);
            packet.cut(hi);
            packet.replace(end..end, &bytes);
        })
    }),
    of_server("greets-once", &HS_08, "pygg2/hi-lost", "sends hi and the complete update once", |setup| {
        server_by(setup, |rules| {
            rules.keeps = |pending, occasion| {
                let greets = matches!(pending.event, ServerEvent::Hi(_) | ServerEvent::Complete(_));
                !(greets && matches!(occasion, Occasion::Sent)) && keeps(pending, occasion)
            }
        })
    }),
    of_server("second-player", &HS_09, "pygg2/hi-lost", "takes a repeated hello for another player's", |setup| {
        server_by(setup, |rules| {
            (rules.newer, rules.event_newer) = (ANY, ANY);
            rules.greets_again = true;
        })
    }),
    of_server("newcomer-missing", &FULL_01, "pygg2/session-clean", "leaves the new player out of the names", |setup| {
        server_sends(setup, |packet| {
            let own = u32::from(packet.client.0);
            for (record, field) in records(packet) {
                let Some(player) = packet.inside(record).nth(2).filter(|_| field == "player") else { continue };
                let named = packet.inside(record).any(|span| span.field == "name");
                if named && number(packet, player) == own {
                    packet.cut(record);
                }
            }
        })
    }),
    of_server("living-only", &FULL_02, "pygg2/late-join-clean", "leaves the dead out of the statistics", |setup| {
        server_sends(setup, |packet| {
            let mut cut = Vec::new();
            for stats in packet.fields("stats").collect::<Vec<_>>() {
                let flags = packet.inside(stats).find(|span| span.field == "flags");
                if flags.is_some_and(|flags| number(packet, flags) & 1 == 0) {
                    cut.push(stats);
                }
            }
            shorten(packet, &cut, cut.len() as u16);
        })
    }),
    of_server(
        "no-ammunition",
        &FULL_03,
        "pygg2/late-join-clean",
        "has no ammunition in the complete update",
        |setup| {
            server_sends(setup, |packet| {
                for update in packet.fields("complete update").collect::<Vec<_>>() {
                    for span in packet.inside(update).filter(|span| span.field == "ammo").collect::<Vec<_>>() {
                        set(packet, span, 0);
                    }
                }
            })
        },
    ),
    of_server("no-sentries", &FULL_04, "pygg2/late-join-clean", "has no sentries in the complete update", |setup| {
        server_sends(setup, |packet| {
            let sentries: Vec<&Span> = packet.fields("sentry").collect();
            for stats in packet.fields("stats").collect::<Vec<_>>() {
                if let Some(flags) = packet.inside(stats).find(|span| span.field == "flags") {
                    set(packet, flags, number(packet, flags) as u16 & !2);
                }
            }
            shorten(packet, &sentries, 0);
        })
    }),
    of_server("no-game-mode", &FULL_05, "pygg2/session-clean", "says nothing of the game mode", |setup| {
        server_sends(setup, |packet| {
            let modes: Vec<&Span> = packet.fields("gamemode").collect();
            for length in packet.fields("gamemode length").collect::<Vec<_>>() {
                set(packet, length, 0);
            }
            shorten(packet, &modes, 0);
        })
    }),
    of_server("places-for-ids", &FULL_06, "pygg2/late-join-clean", "takes places in its list for ids", |setup| {
        server_sends(setup, |packet| {
            for (place, stats) in packet.fields("stats").collect::<Vec<_>>().into_iter().enumerate() {
                if let Some(id) = packet.inside(stats).find(|span| span.field == "id") {
                    set(packet, id, place as u16 + 1);
                }
            }
        })
    })
    .same_bug_as("PyGG2 a17d6f2d"),
    of_server("admits-strangers", &ROB_02, "pygg2/stray", "admits whoever sends anything", |setup| {
        {
            let mut known = BTreeSet::new();
            server_receives(setup, move |packet| {
                // A hello without name and password, whatever it was.
                if !has(packet, "password") && !known.contains(&packet.client.0) {
                    let header = packet.bytes.get(..4).unwrap_or_default();
                    let hello = [header, &[0; 3 + 2 * NAME_BYTES]].concat();
                    packet.replace(0..packet.bytes.len(), &hello);
                }
                known.insert(packet.client.0);
            })
        }
    }),
];

/// Takes parts out of the complete update, and puts its length right; `players` less are counted.
fn shorten(packet: &mut Packet<'_>, parts: &[&Span], players: u16) {
    let Some(update) = packet.fields("complete update").next() else { return };
    let Some(length) = packet.fields("length").find(|span| span.end == update.start) else { return };
    let gone: usize = parts.iter().map(|span| span.end - span.start).sum();
    set(packet, length, (number(packet, length) as u16).wrapping_sub(gone as u16));
    if let Some(count) = packet.inside(update).find(|span| span.field == "count") {
        set(packet, count, (number(packet, count) as u16).wrapping_sub(players));
    }
    parts.iter().for_each(|part| packet.cut(part));
}
