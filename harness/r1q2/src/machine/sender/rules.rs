//! The seams of the server: what a mutant puts another function or table in the place of.
//!
//! Each right function stands beside the machine that calls it, each wrong one beside the mutant that uses it. What may
//! conform in several ways is in [`crate::machine::latitude`].

use super::{Sender, Sent};
use crate::machine::admission;
use crate::machine::configstrings::{ConfigString, Level, configstrings};
use crate::machine::latitude::Latitude;
use crate::machine::movement;
use crate::wire::dialect::Dialect;
use crate::wire::handshake::{Connect, announced};
use crate::wire::message;
use crate::wire::player::{self, PLAYER};
use crate::wire::state::{Entity, Player};
use kit::table::Table;
use netchan::Qport;

/// What a server does where a mutant does otherwise.
#[derive(Clone, Copy, Debug)]
pub struct ServerRules {
    /// How a client's number stands in its datagrams, by the protocol and the connect: [`announced`].
    pub qport: fn(u32, u32) -> Qport,
    /// Whether a client with this number is known by its port, too: [`admission::known_by_port`].
    pub known_by_port: fn(Qport) -> bool,
    /// How long datagrams to a client may be; `None` refuses it: [`admission::length`].
    pub length: fn(&Connect<'_>, &Latitude) -> Option<usize>,
    /// Writes something as a zpacket, if that goes over this protocol and saves bytes: [`message::pack`].
    pub pack: fn(u32, &[u8], &mut Vec<u8>) -> bool,
    /// The configstrings with which a map begins, of a level and those of the map before, ascending:
    /// [`configstrings`].
    pub configstrings: fn(&Level, Vec<ConfigString>) -> Vec<ConfigString>,
    /// Takes an acknowledgement: [`super::acknowledge`].
    pub acknowledge: fn(&mut Sender, i32, &Latitude),
    /// What a frame builds on, under the number that it names, by its own number and an age: [`super::base`].
    pub base: fn(&Sender, i32, i32) -> Option<(i32, &Sent)>,
    /// The bits of an entity, by what the client holds, what is compared, and what it is now: [`super::changes`].
    pub changes: fn(Option<&Entity>, &Entity, &Entity, &Dialect, &Latitude) -> u64,
    /// The player state that another is a change of, by the base's and the newest: [`player::base`].
    pub player_base: fn(Option<&Player>, &Player) -> Player,
    /// The rows of a player state.
    pub player_table: &'static Table,
    /// How many times its own time a command lasts, by the protocol and the `pm_type`: [`movement::command_time`].
    pub command_time: fn(u32, i32) -> i32,
    /// Whether an event ends with its tick.
    pub ends_events: bool,
    /// What may be done in one way or another.
    pub latitude: Latitude,
}

impl ServerRules {
    /// The reference.
    pub const REFERENCE: ServerRules = ServerRules {
        qport: announced,
        known_by_port: admission::known_by_port,
        length: admission::length,
        pack: message::pack,
        configstrings,
        acknowledge: super::acknowledge,
        base: super::base,
        changes: super::changes,
        player_base: player::base,
        player_table: &PLAYER,
        command_time: movement::command_time,
        ends_events: true,
        latitude: Latitude::REFERENCE,
    };
}
