//! Servers that say nothing of something in one situation.

use super::{server_sends, services};
use crate::requirements::*;
use kit::silence::{Begins, Silence, When};
use kit::{Endpoint, Mutant, Setup, Span};
use netquake::constants::*;

/// A server that leaves the messages with this number out.
fn silent(setup: &Setup, number: u8, when: When) -> Box<dyn Endpoint> {
    let mut silence = Silence::new(when);
    server_sends(setup, move |packet| {
        let of = |number: u8| -> Vec<&Span> {
            services(packet).into_iter().filter(|span| packet.raw(span).first() == Some(&number)).collect()
        };
        let begins = match () {
            () if netquake::datagram::is_control(packet.bytes) => Begins::Session,
            () if !of(SVC_SERVER_INFO).is_empty() => Begins::Map,
            () => Begins::Nothing,
        };
        for span in silence.left_out(packet, begins, of(number)) {
            // A reliable message keeps its length.
            packet.replace(span.start..span.end, &[SVC_NOP]);
        }
    })
}

pub(super) const MUTANTS: &[Mutant] = kit::silences! { silent;
    "print" SVC_PRINT, &NET_06 => { ToOthers in "fitz666/everywhere", AfterMany in "fitz666/many", MapIsNew in "fitz666/everywhere", Reconnected in "fitz666/everywhere" }
    "sound" SVC_SOUND, &SND_04 => { ToOthers in "fitz666/everywhere", Again in "fitz666/everywhere", AfterMany in "fitz666/many", MapIsNew in "fitz666/everywhere", Reconnected in "fitz666/everywhere", Full in "fitz666/many" }
    "damage" SVC_DAMAGE, &VER_04 => { ToOthers in "fitz666/everywhere", AfterMany in "fitz666/many", MapIsNew in "fitz666/everywhere", Reconnected in "fitz666/everywhere", Full in "fitz666/many" }
    "burst-of-particles" SVC_PARTICLE, &VER_04 => { ToOthers in "fitz666/everywhere", Again in "fitz666/happens-again", AfterMany in "fitz666/many", MapIsNew in "fitz666/everywhere", Reconnected in "fitz666/everywhere", Full in "fitz666/many" }
    "turn" SVC_SET_ANGLE, &VER_04 => { ToOthers in "fitz666/everywhere", AfterMany in "fitz666/many", MapIsNew in "fitz666/everywhere", Reconnected in "fitz666/everywhere", Full in "fitz666/many" }
    "statistic" SVC_UPDATE_STAT, &VER_04 => { ToOthers in "fitz666/many", Again in "fitz666/several-clients", AfterMany in "fitz666/many", MapIsNew in "fitz666/several-clients" }
};
