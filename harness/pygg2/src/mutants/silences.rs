//! Servers that say nothing of something in one situation.

use super::server_sends;
use crate::constants::*;
use crate::requirements::*;
use kit::silence::{Begins, Silence, When};
use kit::{Endpoint, HostId, Mutant, Setup, Span};
use std::collections::BTreeSet;

/// Where the id of a record stands, after the number of the packet that it was created in.
const ID: usize = 2;

/// A server that leaves the events with this id out.
fn silent(setup: &Setup, id: u8, when: When) -> Box<dyn Endpoint> {
    let mut silence = Silence::new(when);
    // Those whose last packet greeted them: it is said until it is acknowledged.
    let mut greeted: BTreeSet<HostId> = BTreeSet::new();
    server_sends(setup, move |packet| {
        let of = |id: u8| -> Vec<&Span> {
            packet.fields("record").filter(|record| packet.raw(record).get(ID) == Some(&id)).collect()
        };
        let begins = match () {
            () if of(S2C_HI).is_empty() => {
                greeted.remove(&packet.client);
                Begins::Nothing
            }
            () if greeted.insert(packet.client) => Begins::Session,
            () => Begins::Nothing,
        };
        for span in silence.left_out(packet, begins, of(id)) {
            packet.cut(span);
        }
    })
}

/// The mutants.
pub(super) const MUTANTS: &[Mutant] = kit::silences! { silent;
    "join" S2C_JOIN, &FULL_01 => { ToOthers in "pygg2/everywhere", AfterMany in "pygg2/everywhere", Reconnected in "pygg2/reconnect", Full in "pygg2/everywhere" }
    "join" S2C_JOIN, &EVT_03 => { Again in "pygg2/everywhere" }
    "complete-update" S2C_COMPLETE_UPDATE, &HS_07 => { ToOthers in "pygg2/everywhere", Reconnected in "pygg2/reconnect", Full in "pygg2/everywhere" }
    "complete-update" S2C_COMPLETE_UPDATE, &EVT_03 => { Again in "pygg2/everywhere", AfterMany in "pygg2/everywhere-loss" }
    "change-of-team" S2C_CHANGETEAM, &EVT_10 => { ToOthers in "pygg2/everywhere", AfterMany in "pygg2/everywhere", Full in "pygg2/everywhere" }
    "change-of-team" S2C_CHANGETEAM, &FULL_01 => { Reconnected in "pygg2/reconnect" }
    "change-of-team" S2C_CHANGETEAM, &EVT_03 => { Again in "pygg2/everywhere" }
    "change-of-class" S2C_CHANGECLASS, &EVT_10 => { ToOthers in "pygg2/everywhere", AfterMany in "pygg2/everywhere", Full in "pygg2/everywhere" }
    "change-of-class" S2C_CHANGECLASS, &FULL_01 => { Reconnected in "pygg2/reconnect" }
    "change-of-class" S2C_CHANGECLASS, &EVT_03 => { Again in "pygg2/everywhere" }
    "birth" S2C_SPAWN, &EVT_10 => { ToOthers in "pygg2/everywhere", Again in "pygg2/everywhere", AfterMany in "pygg2/everywhere", Reconnected in "pygg2/everywhere-restart", Full in "pygg2/everywhere" }
    "death" S2C_DIE, &EVT_10 => { ToOthers in "pygg2/everywhere", Again in "pygg2/everywhere", AfterMany in "pygg2/everywhere", Reconnected in "pygg2/everywhere-restart", Full in "pygg2/everywhere" }
    "departure" S2C_LEFT, &EVT_10 => { ToOthers in "pygg2/everywhere-restart", Again in "pygg2/reconnect", AfterMany in "pygg2/everywhere-long", Reconnected in "pygg2/everywhere-restart" }
    "departure" S2C_LEFT, &EVT_03 => { Full in "pygg2/everywhere-restart" }
};
