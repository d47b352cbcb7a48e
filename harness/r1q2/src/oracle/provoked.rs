//! What a scenario makes one end say wrongly, and what the other makes of it. Who was told to is not to blame.

use super::Judge;
use super::client_said::carrier;
use super::coverage::Point;
use super::held::shows;
use super::image::{self, Said};
use super::session::Session;
use crate::machine::malformed::{Malformed, TEXT};
use crate::requirements::*;
use kit::{Direction, Event, Reader, Time, View};
use netchan::Header;

/// Malformed datagrams under way that are remembered.
const MAX_UNDER_WAY: usize = 16;
/// Moves that a scenario can have acknowledge what was not received.
const MAX_AHEAD: i32 = 64;
/// Moves that a client that gives up may still have on its way out.
const GRACE_US: u64 = 500_000;
/// The state that a client leaves that gives up.
const ACTIVE: &str = "active";
/// Remarks: what a client does where engines differ.
const READS_NESTED: &str = "a client reads a zpacket in a zpacket, as R1Q2 (erratum 7)";
const REFUSES_NESTED: &str = "a client refuses a zpacket in a zpacket, as Q2PRO (erratum 7)";
const PASSES_NESTED: &str = "a client passes over a zpacket in a zpacket (erratum 7)";
const SPLITS: &str = "a client takes upper bits off the command byte over protocol 34, too, as R1Q2 (erratum 16)";
const REFUSES_BITS: &str = "a client refuses upper bits of the command byte over protocol 34, as Q2PRO (erratum 16)";

/// What a scenario provokes in one connection.
#[derive(Clone, Debug, Default)]
pub struct Provoked {
    /// What the server was told to send malformed, until it does.
    due: Option<Malformed>,
    /// The datagrams in which it did.
    under_way: Vec<(u32, Malformed)>,
    /// What the client is dealing with.
    faced: Option<Faced>,
    /// When the client had to give up.
    pub gives_up: Option<Time>,
    /// The server was told not to send a frame, and to build on it: the newest frame then.
    unsent_after: Option<i32>,
    /// That frame, as those say that build on it.
    unsent: Option<i32>,
    /// Moves of the client that may acknowledge what it has not received.
    pub ahead: u32,
}

/// What a client does about something malformed.
#[derive(Clone, Copy, Debug)]
struct Faced {
    kind: Malformed,
    refused: bool,
    printed: bool,
}

impl Provoked {
    /// The server is told to send something malformed.
    pub fn malformed(&mut self, kind: i32, protocol: u32) {
        self.due = Malformed::named(kind, protocol).or(self.due);
    }

    /// The server is told to build on a frame that it does not send, above this one.
    pub fn unsent(&mut self, newest: Option<i32>) {
        self.unsent_after = Some(newest.unwrap_or(0));
    }

    /// A map begins: what was to happen in the one before does not.
    pub fn map_begins(&mut self) {
        (self.due, self.unsent_after, self.unsent) = (None, None, None);
    }

    /// The client is told to acknowledge what it has not, with so many moves; if it takes that now.
    pub fn ahead(&mut self, moves: i32) {
        self.ahead = self.ahead.max(moves.clamp(0, MAX_AHEAD) as u32);
    }

    /// Whether the next frame over protocol 34 may have a stray bit.
    pub fn may_stray(&self) -> bool {
        self.due == Some(Malformed::StrayBit)
    }

    /// The server sends a datagram: whether it is unreadable because it was to be.
    pub fn is_sent(&mut self, sequence: u32, unreadable: bool, strays: bool) -> bool {
        let Some(kind) = self.due else { return false };
        let is_it = if kind == Malformed::StrayBit { strays } else { unreadable };
        if is_it {
            self.due = None;
            if self.under_way.len() >= MAX_UNDER_WAY {
                self.under_way.remove(0);
            }
            self.under_way.push((sequence, kind));
        }
        is_it && unreadable
    }

    /// The client takes a datagram: what is malformed in it.
    pub fn arrives(&mut self, sequence: u32) -> Option<Malformed> {
        if self.gives_up.is_some() {
            return None;
        }
        let kind = self.under_way.iter().find(|(sent, _)| *sent == sequence).map(|(_, kind)| *kind)?;
        self.faced = Some(Faced { kind, refused: false, printed: false });
        Some(kind)
    }

    /// Whether the client deals with something malformed: what stood behind that is not known.
    pub fn is_dealt_with(&self) -> bool {
        self.faced.is_some()
    }

    /// Whether a frame builds on the one that the server was told not to send.
    pub fn is_unsent(&mut self, base: i32, never_sent: bool) -> bool {
        if never_sent && self.unsent_after.take_if(|after| base > *after).is_some() {
            self.unsent = Some(base);
        }
        self.unsent == Some(base)
    }
}

impl Judge<'_> {
    /// A client tells of something while it deals with something malformed, or after it gave up. Whether that is all
    /// there is to it.
    pub fn told_of_malformed(&self, session: &mut Session, event: &Event) -> bool {
        let Some(faced) = &mut session.provoked.faced else { return session.provoked.gives_up.is_some() };
        match event {
            Event::Rejected { .. } | Event::State { from: ACTIVE, .. } => faced.refused = true,
            Event::Print { text } if text == TEXT => faced.printed = true,
            _ => return false,
        }
        true
    }

    /// A client has dealt with what it received: whether that was malformed, so that nothing more is to be seen.
    pub fn dealt_with(&mut self, session: &mut Session, now: Time, view: &View) -> bool {
        let Some(faced) = session.provoked.faced.take() else { return session.provoked.gives_up.is_some() };
        let host = session.host;
        match faced.kind {
            Malformed::StrayBit => {
                self.report.saw(Point::StrayBitHeard);
                let frame = session.received.shown().filter(|held| session.received.newest == Some(held.number));
                if faced.refused {
                    self.report.remark(REFUSES_BITS);
                    session.doubt = true;
                } else if let Some(held) = frame.filter(|_| session.begins) {
                    match shows(view, held.number) {
                        true => self.report.remark(SPLITS),
                        false => {
                            let number = held.number;
                            self.report.find(&CMD_04, now, host, || {
                                format!("frame {number} has an upper bit over protocol 34: neither shown nor refused")
                            });
                            session.doubt = true;
                        }
                    }
                }
                session.doubt
            }
            Malformed::Nested => {
                self.report.saw(Point::NestedHeard);
                self.report.remark(match faced {
                    Faced { printed: true, .. } => READS_NESTED,
                    Faced { refused: true, .. } => REFUSES_NESTED,
                    _ => PASSES_NESTED,
                });
                session.doubt |= faced.refused;
                faced.refused
            }
            kind => {
                self.report.saw(Point::MalformedHeard);
                if faced.printed {
                    self.report.find(&ZPKT_06, now, host, || format!("prints what is in a zpacket: {kind:?}"));
                } else if !faced.refused {
                    self.report.find(&ZPKT_06, now, host, || format!("takes no notice of a zpacket: {kind:?}"));
                }
                session.doubt |= faced.printed || !faced.refused;
                session.provoked.gives_up = Some(now);
                true
            }
        }
    }

    /// A client sends something after it had to give up.
    pub fn sends_after_all(&mut self, session: &mut Session, now: Time, since: Time, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        let Ok(header) = Header::read(&mut r, Direction::ClientToServer, session.wanted.asked.qport, false) else {
            return;
        };
        let mut said = Vec::new();
        let carrier = carrier(&header, Direction::ClientToServer);
        let read = image::commands(&mut r, &session.heard_dialect, carrier, &mut said);
        let moves = said.iter().any(|said| matches!(said, Said::Move(_)));
        if read.is_ok() && moves && now.since(since) > GRACE_US {
            self.report.find(&ZPKT_06, now, session.host, || format!("goes on after the malformed zpacket of {since}"));
            session.doubt = true;
        }
    }
}
