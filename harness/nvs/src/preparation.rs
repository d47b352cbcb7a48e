//! Who gets which writes of a message: the step before a message, and the rule for each of its writes.
//!
//! A message is prepared once, for all clients, and then written once; each write reaches the clients whose line of the
//! tables has it. Nothing here knows who calls.
//!
//! Source: Part III, "Preparing" and "Writing".

pub mod rules;

use crate::buffers::{Buffer, Outlet, Share};
use crate::constants::{MSG_BROADCAST, MSG_INIT, MSG_ONE};
use crate::tables::{Message, Tables};
use crate::version::{Version, Versions};
use kit::HostId;
use netquake::constants::SVC_PARTICLE;
use rules::{Into, PreparationRules};

/// A message about to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Init {
    /// Where it goes: one of the `MSG_*`.
    pub dest: u8,
    /// Its service.
    pub svc: u8,
    /// The byte after that; counts for services with sub messages.
    pub sub: u8,
    /// The client that it is for; `None` for all.
    pub only: Option<HostId>,
    /// Whether it goes into a buffer of its own instead of its client's.
    pub apart: bool,
}

/// A client, as far as a message is concerned.
#[derive(Debug)]
pub struct Party<'a> {
    /// Who it is.
    pub host: HostId,
    /// Its versions in force: all 0 until it has the sign-on data.
    pub versions: Versions,
    /// Its buffers.
    pub outlet: &'a mut Outlet,
}

/// The clients of a server.
pub trait Parties {
    /// Shows every client in turn.
    fn each(&mut self, visit: &mut dyn FnMut(Party<'_>));
}

/// What is common to all messages of a server.
#[derive(Debug)]
pub struct Terms<'a> {
    /// How messages are prepared.
    pub rules: &'a PreparationRules,
    /// Bytes that are kept free after a BROADCAST of particles.
    pub particle_margin: usize,
    /// Which messages have versions.
    pub tables: &'a Tables,
    /// The server's version.
    pub ssvc: Version,
}

/// Where the writes of a message go that have no client's buffer for it.
#[derive(Debug)]
pub struct Common<'a> {
    /// The sign-on data.
    pub signon: &'a mut Buffer,
    /// The buffer of a message that has one of its own.
    pub apart: Option<&'a mut Buffer>,
}

/// The message under way.
#[derive(Clone, Debug, Default)]
pub struct Preparation {
    init: Init,
    /// Its place in the tables, if it is listed.
    message: Option<usize>,
    server_line: usize,
    /// How many writes it has, and how many of them are still to come.
    writes: usize,
    remaining: usize,
    /// Where it starts in the sign-on data; `None` if it did not fit in.
    signon_start: Option<usize>,
}

impl Preparation {
    /// How many writes the message under way still has; none when it is not listed.
    pub fn remaining(&self) -> usize {
        self.remaining
    }

    /// A new level begins: no message is under way.
    pub fn reset(&mut self) {
        *self = Preparation::default();
    }

    /// How many writes a server has to issue for the message under way; `unlisted` if no table knows.
    pub fn due(&self, tables: &Tables, unlisted: usize) -> usize {
        let line = self.listed(tables).and_then(|message| message.lines.get(self.server_line));
        // NVS-TAB-04
        line.map_or(unlisted, |line| line.writes)
    }

    /// The kinds and lines of the message under way, if it is listed.
    pub fn listed<'t>(&self, tables: &'t Tables) -> Option<&'t Message> {
        self.message.and_then(|index| tables.messages().get(index))
    }

    /// Prepares a message: decides what each client gets of it. `signon_bytes` is the length of the sign-on data.
    pub fn init(&mut self, init: Init, terms: &Terms<'_>, signon_bytes: usize, parties: &mut dyn Parties) {
        self.signon_start = Some(signon_bytes);
        (terms.rules.prepare)(self, init, terms, parties);
    }

    /// Looks a message up, and the line that the server writes it by.
    pub fn select(&mut self, init: Init, terms: &Terms<'_>) {
        self.init = init;
        self.message = terms.tables.index(init.svc, init.sub);
        // NVS-SEL-04
        let line = self.listed(terms.tables).map_or(0, |message| message.line_from(0, terms.ssvc));
        self.write_by(line, terms.tables);
    }

    /// The server writes the message under way by this line.
    pub fn write_by(&mut self, line: usize, tables: &Tables) {
        self.server_line = line;
        // NVS-WR-07
        self.expect(self.due(tables, 0));
    }

    /// So many writes belong to the message under way.
    pub fn expect(&mut self, writes: usize) {
        self.writes = writes;
        self.remaining = writes;
    }

    /// Decides what each client gets of the message under way.
    pub fn share_out(&self, terms: &Terms<'_>, parties: &mut dyn Parties) {
        parties.each(&mut |party| {
            // NVS-WR-05, NVS-BUF-08
            let meant = self.init.only.is_none_or(|only| only == party.host);
            // NVS-BUF-07
            let share = if meant { self.share(terms, &party) } else { Share::Nothing };
            party.outlet.had_room = match share {
                Share::Line { .. } if self.init.dest == MSG_BROADCAST => Some(true),
                Share::NoRoom => Some(false),
                _ => None,
            };
            party.outlet.mark = party.outlet.datagram.len();
            party.outlet.share = share;
        });
    }

    /// What a client gets of the message.
    fn share(&self, terms: &Terms<'_>, party: &Party<'_>) -> Share {
        let Some((message, index)) = self.listed(terms.tables).zip(self.message) else {
            // NVS-TAB-01
            return Share::Everything;
        };
        let line = (terms.rules.client_line)(message, self.server_line, &party.versions);
        // NVS-TAB-09
        let Some(found) = message.lines.get(line).filter(|found| found.writes > 0) else { return Share::Nothing };
        let margin = if message.svc == SVC_PARTICLE { terms.particle_margin } else { 0 };
        // NVS-BUF-03, NVS-BUF-04, NVS-TAB-05
        if self.init.dest == MSG_BROADCAST && !(terms.rules.fits)(&party.outlet.datagram, found.bytes + margin) {
            return Share::NoRoom;
        }
        // NVS-DES-03
        Share::Line { message: index, line }
    }

    /// Sends one write of the message under way to whom it belongs. Whether it fitted in everywhere.
    pub fn write(
        &mut self,
        bytes: &[u8],
        terms: &Terms<'_>,
        common: &mut Common<'_>,
        parties: &mut dyn Parties,
    ) -> bool {
        let Terms { rules, tables, .. } = terms;
        let behind = self.remaining == 0;
        let write = self.writes - self.remaining;
        self.remaining = self.remaining.saturating_sub(1);
        let dest = self.init.dest;
        if dest == MSG_INIT {
            return self.write_signon(bytes, (!behind).then_some(write), terms, common.signon);
        }
        let mut fitted = true;
        parties.each(&mut |Party { outlet, .. }| {
            // NVS-WR-02
            let wanted = match outlet.share {
                Share::Nothing | Share::NoRoom => false,
                Share::Everything => true,
                Share::Line { .. } if behind => true,
                Share::Line { message, line } => {
                    let message = tables.messages().get(message);
                    message.is_some_and(|message| (rules.converts)(message, line, write, dest))
                }
            };
            if !wanted {
                return;
            }
            fitted &= match (&mut common.apart, (rules.into)(dest)) {
                // NVS-WR-04
                (Some(apart), _) if dest == MSG_ONE => apart.push(bytes),
                (_, Into::Message) => outlet.message.push(bytes),
                (_, Into::Datagram) if (rules.fits)(&outlet.datagram, bytes.len()) => outlet.datagram.push(bytes),
                (_, Into::Datagram) => {
                    // A text was longer than its table assumes: this client does without the message.
                    outlet.datagram.truncate(outlet.mark);
                    outlet.share = Share::Nothing;
                    false
                }
            };
        });
        fitted
    }

    /// Sends a write, with its number if it belongs to the message under way, into the sign-on data.
    fn write_signon(&mut self, bytes: &[u8], write: Option<usize>, terms: &Terms<'_>, signon: &mut Buffer) -> bool {
        let Some(start) = self.signon_start else { return true };
        if let Some((message, write)) = self.listed(terms.tables).zip(write) {
            // NVS-SIG-03
            let plain = message.lines.len().saturating_sub(1);
            if !(terms.rules.converts)(message, plain, write, MSG_INIT) {
                return true;
            }
        }
        if signon.has_room(bytes.len()) {
            return signon.push(bytes);
        }
        signon.truncate(start);
        self.signon_start = None;
        false
    }
}

#[cfg(test)]
mod tests;
