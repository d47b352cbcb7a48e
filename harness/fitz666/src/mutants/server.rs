//! What servers get wrong about the world: whose alpha an entity has, what a saved game keeps, and what they announce.

use super::{of_server, server_receives, server_with};
use crate::alpha;
use crate::options::OPTIONS;
use crate::requirements::*;
use crate::session::rules::ServerRules;
use kit::{Endpoint, Mutant, OptionInfo, Packet, Setup, Span};

/// A server that receives changed view angles.
fn receives_angles(setup: &Setup, change: fn(&mut Packet<'_>, &Span)) -> Box<dyn Endpoint> {
    server_receives(setup, move |packet| {
        for span in packet.fields("view angle").collect::<Vec<&Span>>() {
            change(packet, span);
        }
    })
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "saves-opacity",
        &ALPHA_04,
        "fitz666/save-and-load",
        "saves the opacity that a code is shown with",
        |setup| server_with(setup, ServerRules { save_alpha: alpha::decode, ..ServerRules::REFERENCE }),
    ),
    of_server(
        "saves-invisible-as-none",
        &ALPHA_04,
        "fitz666/save-and-load",
        "saves what cannot be seen as 0",
        |setup| {
            let save_alpha = |code: u8| if code == alpha::ENTALPHA_ZERO { 0.0 } else { alpha::to_save(code) };
            server_with(setup, ServerRules { save_alpha, ..ServerRules::REFERENCE })
        },
    ),
    of_server("map-alpha-ignored", &ALPHA_06, "fitz666/map-alpha", "takes alpha from the game's code alone", |setup| {
        server_with(
            setup,
            ServerRules { alpha_of: |game, own, _| if game { own } else { 0.0 }, ..ServerRules::REFERENCE },
        )
    }),
    of_server("alpha-frozen", &ALPHA_09, "fitz666/alpha", "keeps the alpha that an entity had in the map", |setup| {
        server_with(setup, ServerRules { alpha_of: |_, _, map| map, ..ServerRules::REFERENCE })
    }),
    of_server("names-cut-at-255", &LIM_01, "fitz666/many-names", "announces 255 models and sounds at most", |setup| {
        let cut = |(option, &value): (&OptionInfo, &i64)| match option.name {
            "models" | "sounds" => value.min(255),
            _ => value,
        };
        let options = OPTIONS.iter().zip(&setup.options).map(cut).collect();
        server_with(&Setup { options, ..setup.clone() }, ServerRules::REFERENCE)
    }),
    of_server("angles-of-a-byte", &MOVE_03, "fitz666/moves", "reads the high byte of a view angle alone", |setup| {
        receives_angles(setup, |packet, span| packet.set(span, packet.value(span) & 0xff00))
    }),
    of_server(
        "angles-without-sign",
        &MOVE_03,
        "fitz666/moves",
        "reads a view angle's lower fifteen bits alone",
        |setup| receives_angles(setup, |packet, span| packet.set(span, packet.value(span) & 0x7fff)),
    ),
];
