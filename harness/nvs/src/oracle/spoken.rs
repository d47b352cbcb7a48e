//! What a client says, and what the server makes of it.

use super::book::Book;
use super::coverage::{Point, Report};
use super::ear::Heard;
use super::handshake::text_heard;
use super::held::Mirror;
use crate::constants::NVS_REQUEST;
use crate::notes::{BROADCAST_DROPPED, BROADCAST_FITS, PLAYER_SVC, VIEW_ANGLES, WORLD_SVC};
use crate::options::Options;
use crate::requirements::*;
use crate::verbs::{VERB_REQUEST, VERB_REQUEST_BARE};
use crate::version::Version;
use kit::{Event, HostId, Reader, Time};
use netquake::constants::{CLC_DISCONNECT, CLC_MOVE, CLC_NOP, CLC_STRING_CMD};
use std::collections::BTreeSet;

/// From this CCLC on, moves have float angles.
const FINE_MOVES: i32 = 50;
/// Versions that a scenario has a client ask for; a scenario has fewer.
const MAX_SCRIPTED: usize = 4096;
/// Broadcasts of a frame, of all clients, whose room is compared.
const MAX_FITS: usize = 1 << 14;
/// A client that is told to go on does so within this time.
const PROGRESS_US: u64 = 2_000_000;
/// Bytes of a move behind its number but for the angles: time, three speeds, buttons, impulse.
const MOVE_REST: usize = 4 + 6 + 2;

/// A command of a client.
enum Said<'a> {
    /// A move: the bits of its angles.
    Move([i32; 3]),
    /// A line of text.
    Text(&'a [u8]),
    /// Anything else.
    Other,
}

/// A command at the front of `rest`, with moves in this form, and its length.
fn command(rest: &[u8], fine: bool) -> Option<(usize, Said<'_>)> {
    let mut r = Reader::new(rest);
    let said = match r.u8("clc").ok()? {
        CLC_NOP | CLC_DISCONNECT => Said::Other,
        CLC_MOVE => {
            r.f32("time").ok()?;
            let mut angles = [0; 3];
            for angle in &mut angles {
                let value = match fine {
                    true => r.f32("angle").ok()?,
                    false => f32::from(r.i8("angle").ok()?) * 360.0 / 256.0,
                };
                *angle = (value + 0.0).to_bits() as i32;
            }
            r.bytes("speeds and buttons", MOVE_REST - 4).ok()?;
            Said::Move(angles)
        }
        CLC_STRING_CMD => Said::Text(r.string("command").ok()?),
        _ => return None,
    };
    Some((r.at(), said))
}

/// Whether commands fill `rest` exactly.
fn fills(mut rest: &[u8], fine: bool) -> bool {
    while !rest.is_empty() {
        match command(rest, fine) {
            Some((length, _)) => rest = rest.get(length..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

/// What a client says.
#[derive(Debug, Default)]
pub struct Mouth {
    /// The versions of requests that the scenario has it make.
    scripted: BTreeSet<i32>,
    /// One of them has no version.
    scripted_bare: bool,
    /// The invitation that was answered last.
    invitation: u32,
    asked: bool,
    /// How often it said prespawn in this connection: once for every invitation, though perhaps late.
    prespawns: u32,
    prespawned: bool,
    spawned: bool,
}

impl Mouth {
    /// The scenario has the client say something.
    pub fn commanded(&mut self, verb: usize, hundredths: i32) {
        match verb {
            VERB_REQUEST if self.scripted.len() < MAX_SCRIPTED => {
                self.scripted.insert(hundredths);
            }
            VERB_REQUEST_BARE => self.scripted_bare = true,
            _ => {}
        }
    }

    /// A connection begins: only the scenario's words stay.
    pub fn restart(&mut self) {
        let (scripted, scripted_bare) = (std::mem::take(&mut self.scripted), self.scripted_bare);
        *self = Mouth { scripted, scripted_bare, ..Mouth::default() };
    }

    /// What was heard since: a new map makes it begin anew.
    fn follow(&mut self, mirror: &Mirror) {
        if self.invitation != mirror.invitations {
            let prespawns = self.prespawns;
            self.restart();
            self.prespawns = prespawns;
            self.invitation = mirror.invitations;
        }
    }

    /// The client sends a message.
    pub fn speaks(&mut self, mirror: &Mirror, book: &Book, report: &mut Report, now: Time, message: &[u8]) {
        self.follow(mirror);
        let host = book.host;
        let cclc = mirror.told.map_or(0, |told| told.cclc.0);
        let fine = match mirror.lost {
            // What it was told is not known.
            true => fills(message, true),
            false => cclc >= FINE_MOVES,
        };
        if !fills(message, fine) {
            report.find(&CLC_01, now, host, || {
                let other = if fills(message, !fine) { "of the other form" } else { "of no form" };
                format!("was told CCLC {cclc} (hundredths), and sends {} bytes with a move {other}", message.len())
            });
            return;
        }
        let mut rest = message;
        while let Some((length, said)) = command(rest, fine) {
            match said {
                Said::Move(_) => report.saw(if fine { Point::FineMove } else { Point::PlainMove }),
                Said::Text(text) => self.says(mirror, book, report, now, text),
                Said::Other => {}
            }
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    fn says(&mut self, mirror: &Mirror, book: &Book, report: &mut Report, now: Time, text: &[u8]) {
        let host = book.host;
        let mut words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        match words.next().unwrap_or_default() {
            word if word == NVS_REQUEST => {
                let shown = words.next().unwrap_or_default();
                let asked = Version::from_text(shown);
                let own = book.max == Some(asked);
                let scripted = if shown.is_empty() { self.scripted_bare } else { self.scripted.contains(&asked.0) };
                if scripted && !own {
                    return;
                }
                self.asked = true;
                let Some(max) = book.max else { return };
                report.saw(Point::RequestSent);
                let decimals = shown.split(|&byte| byte == b'.').nth(1).unwrap_or_default().len();
                let said = String::from_utf8_lossy(shown).into_owned();
                if decimals > 2 {
                    report.find(&VER_04, now, host, || format!("asks for {said:?}: more than two decimals"));
                } else if shown.is_empty() || !own {
                    report.find(&HS_01, now, host, || format!("asks for {said:?}; its maximum is {max}"));
                }
            }
            b"prespawn" => {
                self.prespawned = true;
                self.prespawns += 1;
                // One that waited behind others may answer the level before.
                if book.max.is_some() && mirror.stage == 1 && self.prespawns >= mirror.invitations {
                    report.saw(Point::Invited);
                    if !self.asked {
                        report.find(&HS_01, now, host, || {
                            String::from("says prespawn without having asked for versions")
                        });
                    }
                }
            }
            b"spawn" => self.spawned = true,
            _ => {}
        }
    }

    /// The run is over: a client that was told of a map signs on.
    pub fn finish(&mut self, mirror: &Mirror, book: &Book, report: &mut Report, options: &Options, now: Time) {
        self.follow(mirror);
        if mirror.invitations == 0
            || now.since(mirror.invited) < PROGRESS_US
            || book.claimed.unwrap_or_default() < options.required
        {
            return;
        }
        let host = book.host;
        if mirror.stage == 1 && !self.prespawned {
            let requirement = if mirror.told.is_none() { &HS_07 } else { &SIG_02 };
            report.find(requirement, now, host, || String::from("was told of a map, and does not go on"));
        } else if mirror.stage == 2 && !self.spawned {
            report.find(&SIG_02, now, host, || String::from("got signonnum 2, and does not go on"));
        }
    }
}

/// What the server shows.
#[derive(Debug, Default)]
pub struct Shown {
    /// A move that it was given: whose, and the bits of its angles.
    given: Option<(HostId, [i32; 3])>,
    shown: [Option<i32>; 3],
    rejected: Option<String>,
    /// What QuakeC's world was told last, and what is right.
    world: Option<(i64, i32)>,
    /// Whether broadcasts had room: whose buffer, the bytes in it before, and what the server found.
    pub fits: Vec<(u16, usize, bool)>,
}

impl Shown {
    /// The server shows something.
    pub fn shows(&mut self, event: &Event, ssvc: i32, now: Time, report: &mut Report) {
        match event {
            Event::Untyped { what: WORLD_SVC, value } => {
                report.saw(Point::WorldShown);
                if *value != 0 && *value != i64::from(ssvc) {
                    report
                        .find(&QC_02, now, HostId::SERVER, || format!("tells QuakeC's world {value}; SSVC is {ssvc}"));
                }
                self.world = Some((*value, ssvc));
            }
            // A server that shows its players shows its world, too.
            Event::Untyped { what: PLAYER_SVC, .. } if self.world.is_none() && ssvc != 0 => {
                self.world = Some((0, ssvc));
            }
            Event::Untyped { what: what @ (BROADCAST_FITS | BROADCAST_DROPPED), value }
                if self.fits.len() < MAX_FITS =>
            {
                let (host, held) = (*value >> 32, *value & 0xffff_ffff);
                self.fits.push((host as u16, held as usize, *what == BROADCAST_FITS));
            }
            Event::Untyped { what, value } => {
                let axis = VIEW_ANGLES.iter().position(|name| name == what);
                let ours = self.given.is_some_and(|(host, _)| i64::from(host.0) == *value >> 32);
                if let Some(shown) = axis.filter(|_| ours).and_then(|axis| self.shown.get_mut(axis)) {
                    *shown = Some(*value as i32);
                }
            }
            Event::Rejected { peer, error } if self.given.is_some_and(|(host, _)| host == peer.host) => {
                self.rejected = Some(error.to_string());
            }
            _ => {}
        }
    }

    /// The server has shown all that it will of what was delivered.
    pub fn settled(&mut self, now: Time, report: &mut Report) {
        let (shown, rejected) = (std::mem::take(&mut self.shown), self.rejected.take());
        let Some((host, angles)) = self.given.take() else { return };
        if let Some(error) = rejected {
            report.find(&CLC_02, now, HostId::SERVER, || format!("refuses a move of {host}: {error}"));
            return;
        }
        report.saw_if(shown.iter().any(Option::is_some), Point::MoveRead);
        for (axis, (shown, angle)) in shown.into_iter().zip(angles).enumerate() {
            if let Some(shown) = shown.filter(|&shown| shown != angle) {
                let degrees = |bits: i32| f32::from_bits(bits as u32);
                let (name, read, sent) = (VIEW_ANGLES.get(axis), degrees(shown), degrees(angle));
                report
                    .find(&CLC_02, now, HostId::SERVER, || format!("reads {name:?} {read} of {host}; sent was {sent}"));
                return;
            }
        }
    }

    /// The run is over.
    pub fn finish(&self, report: &mut Report, now: Time) {
        if let Some((value, ssvc)) = self.world.filter(|(value, ssvc)| *value != i64::from(*ssvc)) {
            report.find(&QC_02, now, HostId::SERVER, || format!("QuakeC's world is left with {value}; SSVC is {ssvc}"));
        }
    }
}

/// The server receives something of a client.
pub fn server_hears(
    heard: &Heard,
    book: &mut Book,
    server: &mut Shown,
    report: &mut Report,
    options: &Options,
    ssvc: i32,
    now: Time,
) {
    let (Heard::Reliable(message) | Heard::Unreliable(message)) = heard else { return };
    let fine = book.told.is_some_and(|told| told.cclc.0 >= FINE_MOVES);
    server.given = None;
    // What is of no form was a finding when it was sent.
    if !fills(message, fine) {
        return;
    }
    let mut rest = &message[..];
    while let Some((length, said)) = command(rest, fine) {
        match said {
            Said::Move(angles) => server.given = Some((book.host, angles)),
            Said::Text(text) => text_heard(book, report, options, ssvc, now, text),
            Said::Other => {}
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}
