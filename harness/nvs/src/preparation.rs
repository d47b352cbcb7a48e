//! Who gets which writes of a message: the step before a message, and the rule for each of its writes.
//!
//! A message is prepared once, for all clients, and then written once; each write reaches the clients whose line of the
//! tables has it. Nothing here knows who calls.
//!
//! Source: Part III, "Preparing" and "Writing".

use crate::buffers::{Buffer, Outlet, Share};
use crate::constants::{DATAGRAM_BYTES, MSG_ALL, MSG_BROADCAST, MSG_INIT, MSG_ONE};
use crate::rules::{Absent, ClientLine, Counted, Fit, Flags, FormBy, Into, Lookup, Reach, Rules, ServerLine};
use crate::rules::{Prepared, SignonForm, Sized, WithoutRoom};
use crate::tables::{Message, Tables, has_subs};
use crate::version::{Version, Versions};
use kit::HostId;
use netquake::constants::SVC_PARTICLE;

/// A message about to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Init {
    /// Where it goes: one of the `MSG_*`.
    pub dest: u8,
    /// Its service.
    pub svc: u8,
    /// The byte behind that; counts for services with sub messages.
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
    /// The maximum that it claimed.
    pub maximum: Version,
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
    /// The server's choices.
    pub rules: &'a Rules,
    /// Which messages have versions.
    pub tables: &'a Tables,
    /// The server's version.
    pub ssvc: Version,
    /// Bytes in the buffer that all clients share.
    pub common_bytes: usize,
}

/// Where the writes of a message go that have no client's buffer for it.
#[derive(Debug)]
pub struct Common<'a> {
    /// The sign-on data, in 0.00 form.
    pub signon: &'a mut Buffer,
    /// The same with enhanced messages in the server's form.
    pub signon_enhanced: &'a mut Buffer,
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
    /// A message was prepared in this frame.
    in_frame: bool,
}

impl Preparation {
    /// How many writes the message under way still has; none when it is not listed.
    pub fn remaining(&self) -> usize {
        self.remaining
    }

    /// A new frame begins. A message under way stays so.
    pub fn begin_frame(&mut self) {
        self.in_frame = false;
    }

    /// A new level begins: no message is under way.
    pub fn reset(&mut self) {
        *self = Preparation::default();
    }

    /// How many writes a server has to issue for the message under way; `unlisted` if no table knows.
    pub fn due(&self, tables: &Tables, unlisted: usize) -> usize {
        let message = self.message.and_then(|index| tables.messages().get(index));
        let line = message.and_then(|message| message.lines.get(self.server_line));
        // NVS-TAB-04
        line.map_or(unlisted, |line| line.writes)
    }

    /// The kinds of the message's writes, if it is listed.
    pub fn listed<'t>(&self, tables: &'t Tables) -> Option<&'t Message> {
        self.message.and_then(|index| tables.messages().get(index))
    }

    /// Prepares a message: decides what each client gets of it. `signon_bytes` is the length of the sign-on data.
    pub fn init(&mut self, init: Init, terms: &Terms<'_>, signon_bytes: usize, parties: &mut dyn Parties) {
        let Terms { rules, tables, .. } = terms;
        let stale = rules.prepared == Prepared::OncePerFrame && self.in_frame;
        self.init = init;
        self.in_frame = true;
        self.signon_start = Some(signon_bytes);
        self.message = find(rules.lookup, tables, init.svc, init.sub);
        let message = self.listed(tables);
        self.server_line = message.map_or(0, |message| server_line(rules.server_line, message, terms.ssvc));
        self.writes = match (message, rules.counted) {
            (Some(_), Counted::ServerLine) => self.due(tables, 0),
            (Some(_), Counted::WithoutSub) => self.due(tables, 0).saturating_sub(has_subs(init.svc).into()),
            (Some(message), Counted::NewestLine) => message.lines.first().map_or(0, |line| line.writes),
            (None, _) => 0,
        };
        // NVS-WR-07
        self.remaining = self.writes;
        if stale {
            return;
        }
        // NVS-WR-01
        let mut crowded = false;
        parties.each(&mut |party| {
            let reach = match (init.dest, message) {
                (MSG_BROADCAST, None) => rules.unlisted_one,
                (MSG_BROADCAST, Some(_)) => rules.broadcast_one,
                _ => rules.one,
            };
            // NVS-WR-05, NVS-BUF-08
            let meant = init.only.is_none_or(|only| only == party.host) || reach == Reach::All;
            let mut full = false;
            let share = match meant {
                true => self.share(terms, &party, &mut full),
                false => Share::Nothing,
            };
            crowded |= full;
            let asked = init.dest == MSG_BROADCAST && (full || matches!(share, Share::Line { .. }));
            party.outlet.had_room = asked.then_some(!full);
            party.outlet.mark = party.outlet.datagram.len();
            // NVS-BUF-07
            party.outlet.share = share;
        });
        if crowded && rules.without_room == WithoutRoom::Everybody {
            parties.each(&mut |party| party.outlet.share = Share::Nothing);
        }
    }

    /// What a client gets of the message; `crowded` is raised if it has no room for it.
    fn share(&self, terms: &Terms<'_>, party: &Party<'_>, crowded: &mut bool) -> Share {
        let Terms { rules, tables, .. } = terms;
        let Some((message, index)) = self.listed(tables).zip(self.message) else {
            // NVS-TAB-01
            return Share::Everything;
        };
        let version = match rules.form_by {
            FormBy::Csvc => party.versions.csvc,
            FormBy::Maximum => party.maximum,
        };
        let line = client_line(rules.client_line, message, self.server_line, version);
        let Some(found) = message.lines.get(line) else { return Share::Nothing };
        // NVS-TAB-09
        if found.writes == 0 && rules.absent == Absent::Nothing {
            return Share::Nothing;
        }
        // NVS-TAB-05
        let size = match rules.sized {
            Sized::ClientLine => found.bytes,
            Sized::ServerLine => message.lines.get(self.server_line).map_or(found.bytes, |line| line.bytes),
        };
        let margin = if message.svc == SVC_PARTICLE { rules.liberties.particle_margin } else { 0 };
        // NVS-BUF-04
        let fits = match rules.fit {
            Fit::Exact => party.outlet.datagram.has_room(size + margin),
            Fit::Strict => party.outlet.datagram.has_room(size + margin + 1),
            Fit::Common => terms.common_bytes + size <= DATAGRAM_BYTES,
            Fit::Unchecked => true,
        };
        if self.init.dest == MSG_BROADCAST && !fits {
            // NVS-BUF-03
            *crowded = true;
            return Share::Nothing;
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
        if self.init.dest == MSG_INIT {
            return self.write_signon(bytes, write, behind, terms, common);
        }
        let dest = self.init.dest;
        let mut fitted = true;
        parties.each(&mut |Party { outlet, .. }| {
            // NVS-WR-02
            let wanted = match outlet.share {
                Share::Nothing => false,
                Share::Everything => true,
                Share::Line { .. } if behind => true,
                Share::Line { message, line } => {
                    let message = tables.messages().get(message);
                    message.is_some_and(|message| converts(rules, message, line, write, dest))
                }
            };
            if !wanted {
                return;
            }
            let into = match dest {
                // NVS-BUF-02
                MSG_BROADCAST => rules.broadcast_into,
                MSG_ALL => rules.all_into,
                // NVS-BUF-01
                _ => Into::Message,
            };
            fitted &= match (&mut common.apart, into) {
                // NVS-WR-04
                (Some(apart), _) if dest == MSG_ONE => apart.push(bytes),
                (_, Into::Message) => outlet.message.push(bytes),
                (_, Into::Datagram) if outlet.datagram.has_room(bytes.len()) || rules.fit != Fit::Exact => {
                    outlet.datagram.push(bytes)
                }
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

    fn write_signon(
        &mut self,
        bytes: &[u8],
        write: usize,
        behind: bool,
        terms: &Terms<'_>,
        common: &mut Common<'_>,
    ) -> bool {
        let Some(start) = self.signon_start else { return true };
        let message = self.listed(terms.tables);
        let last = message.map_or(0, |message| message.lines.len().saturating_sub(1));
        let wants = |line: usize| {
            let converted = |message| converts(terms.rules, message, line, write, MSG_INIT);
            behind || message.is_none_or(converted)
        };
        // NVS-SIG-03
        let plain = match terms.rules.signon_form {
            SignonForm::Plain | SignonForm::PerVersion => last,
            SignonForm::ServerLine => self.server_line,
        };
        if wants(self.server_line) {
            common.signon_enhanced.push(bytes);
        }
        if !wants(plain) {
            return true;
        }
        if common.signon.has_room(bytes.len()) {
            return common.signon.push(bytes);
        }
        common.signon.truncate(start);
        self.signon_start = None;
        false
    }
}

/// The place of a message in the tables.
fn find(lookup: Lookup, tables: &Tables, svc: u8, sub: u8) -> Option<usize> {
    let general = |number: u8| tables.messages().iter().position(|found| found.sub.is_none() && found.svc == number);
    match lookup {
        Lookup::Apart => tables.index(svc, sub),
        Lookup::GeneralBySub if has_subs(svc) => general(sub),
        Lookup::GeneralBySub => general(svc),
        Lookup::AnySub => tables.messages().iter().position(|found| found.svc == svc),
    }
}

/// The line that says what the server writes.
fn server_line(rule: ServerLine, message: &Message, ssvc: Version) -> usize {
    let last = message.lines.len().saturating_sub(1);
    let first = |wanted: &dyn Fn(Version) -> bool| message.lines.iter().position(|line| wanted(line.version));
    match rule {
        // NVS-SEL-04
        ServerLine::NotNewer => message.line_from(0, ssvc),
        ServerLine::Older => first(&|version| version < ssvc).unwrap_or(last),
        ServerLine::Exact => first(&|version| version == ssvc).unwrap_or(last),
        ServerLine::Newest => 0,
    }
}

/// The line that says what a client of `version` gets.
fn client_line(rule: ClientLine, message: &Message, server_line: usize, version: Version) -> usize {
    let last = message.lines.len().saturating_sub(1);
    let from = |start: usize, wanted: &dyn Fn(Version) -> bool| {
        message.lines.iter().skip(start).position(|line| wanted(line.version)).map_or(last, |behind| start + behind)
    };
    match rule {
        // NVS-SEL-05
        ClientLine::FromServerLine => message.line_from(server_line, version),
        ClientLine::FromTop => message.line_from(0, version),
        ClientLine::Older => from(server_line, &|of| of < version),
        ClientLine::Exact => from(server_line, &|of| of == version),
        ClientLine::ServerLine => server_line,
    }
}

/// Whether a client whose line is `line` gets write number `write`.
fn converts(rules: &Rules, message: &Message, line: usize, write: usize, dest: u8) -> bool {
    let Some(line) = message.lines.get(line) else { return false };
    if line.writes == 0 && rules.absent == Absent::CommandByte {
        return write == 0;
    }
    match rules.flags {
        Flags::AllIsWhole if dest == MSG_ALL => true,
        Flags::PerWrite | Flags::AllIsWhole => line.converts(write),
        Flags::PerMessage => line.converts(0),
        Flags::Prefix => write < line.writes,
    }
}

#[cfg(test)]
mod tests;
