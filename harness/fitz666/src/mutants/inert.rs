//! Ends that do not do what they have to: what is asked of them has no effect.

use super::{client_with, of_client, of_server, server_sends, server_sends_otherwise, server_with};
use crate::game::rules::ClientRules;
use crate::notes;
use crate::requirements::*;
use crate::session::rules::ServerRules;
use crate::verbs::{VERB_DAMAGE, VERB_SOUND};
use kit::{Command, Endpoint, Event, Mutant, Setup, Time, View};
use netquake::constants::SVC_NOP;
use netquake::{Packet as Datagram, Service};
use std::collections::VecDeque;

/// An endpoint that ignores some commands, says nothing of some events, or shows nothing.
struct Inert {
    inner: Box<dyn Endpoint>,
    ignores: fn(&Command) -> bool,
    /// Whether it says that it ignores them.
    admits: bool,
    conceals: fn(&Event) -> bool,
    blank: bool,
    said: VecDeque<Event>,
}

impl Inert {
    fn new(inner: Box<dyn Endpoint>) -> Inert {
        let said = VecDeque::new();
        Inert { inner, ignores: |_| false, admits: true, conceals: |_| false, blank: false, said }
    }
}

impl Endpoint for Inert {
    kit::pass_on!(inner: handle_datagram handle_timeout poll_transmit poll_timeout);

    fn handle_command(&mut self, now: Time, command: &Command) {
        if !(self.ignores)(command) {
            return self.inner.handle_command(now, command);
        }
        if self.admits {
            self.said.push_back(Event::Note { note: notes::COMMAND_IGNORED, args: [0; 4] });
        }
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.said.pop_front().or_else(|| {
            loop {
                let event = self.inner.poll_event()?;
                if !(self.conceals)(&event) {
                    return Some(event);
                }
            }
        })
    }

    fn observe(&self, view: &mut View) {
        self.inner.observe(view);
        view.valid &= !self.blank;
    }
}

/// A server that does not do these.
fn server_ignoring(setup: &Setup, ignores: fn(&Command) -> bool, admits: bool) -> Box<dyn Endpoint> {
    Box::new(Inert { ignores, admits, ..Inert::new(server_with(setup, ServerRules::REFERENCE)) })
}

/// A server that does not take these from moves.
fn server_without(setup: &Setup, conceals: fn(&Event) -> bool) -> Box<dyn Endpoint> {
    Box::new(Inert { conceals, ..Inert::new(server_with(setup, ServerRules::REFERENCE)) })
}

const VIEWS: [usize; 3] = [notes::VIEW_PITCH, notes::VIEW_YAW, notes::VIEW_ROLL];

pub(super) static MUTANTS: &[Mutant] = &[
    of_server("says-nothing", &NET_06, "fitz666/accept-lost", "accepts a client, and sends it no map", |setup| {
        server_sends(setup, |packet| {
            if matches!(super::transport::read(packet), Some(Datagram::Data { .. } | Datagram::Unreliable { .. })) {
                packet.discard();
            }
        })
    }),
    of_server("stays-on-the-map", &NET_06, "fitz666/map-change-clean", "never begins another map", |setup| {
        server_ignoring(setup, |command| matches!(command, Command::Map), false)
    }),
    of_server("sounds-declined", &SND_04, "fitz666/sounds", "says of every sound that it cannot be played", |setup| {
        server_ignoring(setup, |command| matches!(command, Command::Verb { verb: VERB_SOUND, .. }), true)
    }),
    of_server("damage-declined", &VER_04, "fitz666/happens-once", "says that players cannot be hurt", |setup| {
        server_ignoring(setup, |command| matches!(command, Command::Verb { verb: VERB_DAMAGE, .. }), true)
    }),
    of_server("entity-forgotten", &VER_04, "fitz666/encodings", "never mentions one of the entities", |setup| {
        server_sends_otherwise(setup, |service, _, _| {
            matches!(service, Service::FastUpdate(update) if update.entity == 16).then(|| vec![SVC_NOP])
        })
    }),
    of_server("view-not-taken", &MOVE_03, "fitz666/moves-again", "turns no player as moves say", |setup| {
        server_without(setup, |event| matches!(event, Event::Note { note, .. } if VIEWS.contains(note)))
    }),
    of_server("impulse-not-taken", &VER_04, "fitz666/moves-protocol-15", "acts upon no impulse", |setup| {
        server_without(setup, |event| matches!(event, Event::Note { note: notes::IMPULSE, .. }))
    }),
    of_client("game-not-shown", &VER_04, "fitz666/encodings", "shows nothing of the game", |setup| {
        Box::new(Inert { blank: true, ..Inert::new(client_with(setup, ClientRules::REFERENCE)) })
    }),
];
