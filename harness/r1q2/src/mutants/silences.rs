//! Servers that say nothing of something in one situation.

use super::server_sends;
use crate::requirements::*;
use crate::wire::constants::*;
use kit::silence::{Begins, Silence, When};
use kit::{Endpoint, Mutant, Setup, Span};

/// A server that leaves the messages with this number out.
fn silent(setup: &Setup, number: u8, when: When) -> Box<dyn Endpoint> {
    let mut silence = Silence::new(when);
    server_sends(setup, move |packet| {
        let of = |number: u8| -> Vec<&Span> {
            packet.fields("service").filter(|span| packet.raw(span).first() == Some(&number)).collect()
        };
        let begins = match () {
            () if packet.bytes.starts_with(b"\xff\xff\xff\xffclient_connect") => Begins::Session,
            () if !of(SVC_SERVERDATA).is_empty() => Begins::Map,
            () => Begins::Nothing,
        };
        for span in silence.left_out(packet, begins, of(number)) {
            packet.cut(span);
        }
    })
}

pub(super) const MUTANTS: &[Mutant] = kit::silences! { silent;
    "print" SVC_PRINT, &GEN_02 => { ToOthers in "r1q2/everywhere", Again in "r1q2/everywhere", AfterMany in "r1q2/many", MapIsNew in "r1q2/everywhere", Reconnected in "r1q2/everywhere", Full in "r1q2/everywhere" }
    "layout" SVC_LAYOUT, &GEN_02 => { ToOthers in "r1q2/everywhere", Again in "r1q2/everywhere-loss", AfterMany in "r1q2/many", MapIsNew in "r1q2/everywhere", Reconnected in "r1q2/everywhere", Full in "r1q2/many" }
    "inventory" SVC_INVENTORY, &GEN_02 => { ToOthers in "r1q2/many", Again in "r1q2/happens-again", AfterMany in "r1q2/many", MapIsNew in "r1q2/everywhere", Reconnected in "r1q2/many", Full in "r1q2/everywhere" }
    "configstring" SVC_CONFIGSTRING, &GEN_02 => { ToOthers in "r1q2/everywhere", Again in "r1q2/everywhere", AfterMany in "r1q2/many", MapIsNew in "r1q2/everywhere", Reconnected in "r1q2/everywhere", Full in "r1q2/everywhere" }
    "sound" SVC_SOUND, &GEN_02 => { ToOthers in "r1q2/everywhere", Again in "r1q2/everywhere", AfterMany in "r1q2/many", MapIsNew in "r1q2/everywhere", Reconnected in "r1q2/everywhere", Full in "r1q2/everywhere" }
    "effect" SVC_TEMP_ENTITY, &GEN_02 => { ToOthers in "r1q2/everywhere", Again in "r1q2/happens-again", AfterMany in "r1q2/many", MapIsNew in "r1q2/everywhere", Reconnected in "r1q2/everywhere", Full in "r1q2/everywhere" }
    "shot" SVC_MUZZLEFLASH, &GEN_02 => { ToOthers in "r1q2/everywhere", Again in "r1q2/happens-again", AfterMany in "r1q2/many", MapIsNew in "r1q2/everywhere", Reconnected in "r1q2/everywhere", Full in "r1q2/everywhere" }
};
