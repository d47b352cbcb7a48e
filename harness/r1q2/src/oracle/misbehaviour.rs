//! What a client makes of what the scenario has its server do wrongly. What an end was instructed to do is
//! not its failure.

use super::context::Context;
use super::coverage::Point;
use super::session::Session;
use super::shown::shows;
use crate::machine::malformed::{Malformed, TEXT};
use crate::requirements::*;
use kit::{Check, Event, Knows, Time, View, breaks};

/// The state that a client leaves that gives up.
const ACTIVE: &str = "active";
/// The state of a client that asks for another connection, as one does that finds another revision.
const CHALLENGING: &str = "challenging";
/// Remarks: what a client does where engines differ.
const READS_NESTED: &str = "a client reads a zpacket in a zpacket, as R1Q2 (erratum 7)";
const REFUSES_NESTED: &str = "a client refuses a zpacket in a zpacket, as Q2PRO (erratum 7)";
const PASSES_NESTED: &str = "a client skips a zpacket in a zpacket (erratum 7)";
const SPLITS: &str = "a client takes upper bits off the command byte over protocol 34, too, as R1Q2 (erratum 16)";
const REFUSES_BITS: &str = "a client refuses upper bits of the command byte over protocol 34, as Q2PRO (erratum 16)";

/// A frame with upper bits over protocol 34 is shown or refused.
pub static STRAY_BITS_ARE_DEALT_WITH: Check =
    Check::new("stray-bits-are-dealt-with", &[breaks(&CMD_04, &[&[Point::StrayBitDelivered]])])
        .knows(&[Knows::ClientShows]);
/// A malformed zpacket ends the session, and changes nothing.
pub static MALFORMED_ZPACKETS_END_THE_SESSION: Check =
    Check::new("malformed-zpackets-end-the-session", &[breaks(&ZPKT_06, &[&[Point::MalformedDelivered]])])
        .knows(&[Knows::ClientSays]);

impl Context<'_> {
    /// Something happens inside a client while it deals with something malformed, or after it gave up. Whether that is
    /// all there is to it.
    pub(super) fn noted_of_malformed(&self, session: &mut Session, event: &Event) -> bool {
        let Some(faced) = &mut session.provoked.faced else { return session.provoked.gives_up.is_some() };
        match event {
            Event::Rejected { .. } | Event::State { from: ACTIVE, .. } | Event::State { to: CHALLENGING, .. } => {
                faced.refused = true;
            }
            Event::Print { text } if text == TEXT => faced.printed = true,
            _ => return false,
        }
        true
    }

    /// A client has dealt with what it received: whether that was malformed, so that nothing more is to be seen.
    pub(super) fn dealt_with_malformed(&mut self, session: &mut Session, view: &View) -> bool {
        let Some(faced) = session.provoked.faced.take() else { return session.provoked.gives_up.is_some() };
        let host = session.host;
        match faced.kind {
            Malformed::StrayBit => {
                self.report.saw(Point::StrayBitDelivered);
                let frame = session.delivered.shown().filter(|it| session.delivered.newest == Some(it.number));
                let number = frame.map(|frame| frame.number).filter(|_| session.begins);
                if faced.refused {
                    self.report.remark(REFUSES_BITS);
                    session.stop("the client refused an upper bit");
                } else if number.is_some_and(|number| shows(view, number)) {
                    self.report.remark(SPLITS);
                } else if let Some(number) = number {
                    let what =
                        || format!("frame {number} has an upper bit over protocol 34: neither shown nor refused");
                    self.client_fails(&STRAY_BITS_ARE_DEALT_WITH, host, &CMD_04, what);
                    session.stop("the client skipped a frame");
                }
                session.indeterminate.is_some()
            }
            Malformed::Nested => {
                self.report.saw(Point::NestedDelivered);
                let refuses = if faced.refused { REFUSES_NESTED } else { PASSES_NESTED };
                self.report.remark(if faced.printed { READS_NESTED } else { refuses });
                if faced.refused {
                    session.stop("the client refused a zpacket in a zpacket");
                }
                faced.refused
            }
            kind => {
                if faced.printed || !faced.refused {
                    let what = if faced.printed { "prints the contents of" } else { "ignores" };
                    let what = || format!("{what} a zpacket: {kind:?}");
                    self.client_fails(&MALFORMED_ZPACKETS_END_THE_SESSION, host, &ZPKT_06, what);
                    session.stop("the client read a malformed zpacket");
                }
                session.provoked.gives_up = Some(self.now);
                true
            }
        }
    }

    /// A client sends moves long after it had to give up.
    pub(super) fn goes_on(&mut self, session: &mut Session, since: Time) {
        let what = || format!("goes on after the malformed zpacket of {since}");
        self.client_fails(&MALFORMED_ZPACKETS_END_THE_SESSION, session.host, &ZPKT_06, what);
        session.stop("the client did not give up");
    }
}
