//! Servers that say nothing of something in one situation.

use super::server_says;
use crate::requirements::*;
use kit::silence::{Begins, Silence, When};
use kit::{Endpoint, Mutant, Setup};
use netquake::constants::SVC_NOP;

/// A server that leaves the messages of this name out.
fn silent(setup: &Setup, name: &'static str, when: When) -> Box<dyn Endpoint> {
    let mut silence = Silence::new(when);
    server_says(setup, move |packet| {
        let begins = match () {
            () if netquake::datagram::is_control(packet.bytes) => Begins::Session,
            () if packet.fields("svc_serverinfo").next().is_some() => Begins::Map,
            () => Begins::Nothing,
        };
        for span in silence.left_out(packet, begins, packet.fields(name).collect()) {
            packet.replace(span.start..span.end, &[SVC_NOP]);
        }
    })
}

pub(super) const MUTANTS: &[Mutant] = kit::silences! { silent;
    "print" "svc_print", &TAB_01 => { ToOthers in "nvs/everywhere", Again in "nvs/everywhere", AfterMany in "nvs/many", MapIsNew in "nvs/everywhere", Reconnected in "nvs/everywhere", Full in "nvs/many" }
    "explosion" "svc_temp_entity", &T3_02 => { ToOthers in "nvs/everywhere", Again in "nvs/happens-again", AfterMany in "nvs/many", MapIsNew in "nvs/everywhere", Reconnected in "nvs/everywhere", Full in "nvs/many" }
    "damage" "svc_damage", &TAB_01 => { ToOthers in "nvs/everywhere", AfterMany in "nvs/many", MapIsNew in "nvs/everywhere", Reconnected in "nvs/everywhere", Full in "nvs/many" }
    "burst-of-particles" "svc_particle", &T2_01 => { ToOthers in "nvs/everywhere", Again in "nvs/happens-again", AfterMany in "nvs/many", MapIsNew in "nvs/everywhere", Reconnected in "nvs/everywhere", Full in "nvs/many" }
    "turn" "svc_setangle", &T1_03 => { ToOthers in "nvs/everywhere", AfterMany in "nvs/many", MapIsNew in "nvs/everywhere", Reconnected in "nvs/everywhere", Full in "nvs/many" }
};
