//! What a client says, and what the server makes of it.

use super::coverage::{Point, meaning as m};
use super::requests::take_text;
use super::scene::looks_there;
use super::server_view::ServerView;
use super::session::Session;
use super::shown::Delivered;
use super::stream::Packet;
use crate::constants::{LIMIT_REQUEST, NVS_REQUEST};
use crate::options::Options;
use crate::requirements::*;
use crate::verbs::{VERB_LIMIT, VERB_REQUEST, VERB_REQUEST_BARE};
use crate::version::Version;
use kit::{Check, Direction, Knows, Reader, Report, Suspects, Time};
use netquake::constants::{CLC_DISCONNECT, CLC_MOVE, CLC_NOP, CLC_STRING_CMD};
use std::collections::BTreeSet;

/// From this CCLC on, moves have float angles.
const FINE_MOVES: i32 = 50;
/// Versions that a scenario has a client ask for; a scenario has fewer.
const MAX_SCRIPTED: usize = 4096;
/// A client that is instructed to go on does so within this time.
const PROGRESS_US: u64 = 2_000_000;
/// So long after a client was turned its moves may still look elsewhere.
const TURNING_US: u64 = 200_000;
/// Scripted words that are waited for; further ones are not.
const MAX_UNSAID: usize = 16;
/// Bytes of a move after its number but for the angles: time, three speeds, buttons, impulse.
const MOVE_REST: usize = 4 + 6 + 2;

/// So many messages of a remote client can come late, overtaken by an acknowledgement that it sent after them.
const MAX_OVERTAKEN: u32 = 16;

/// A message of a client consists of commands, its moves in the form of its CCLC.
pub static MOVES_HAVE_THE_FORM_OF_CCLC: Check =
    Check::new("moves-have-the-form-of-cclc", &[m::CLC_01]).knows(&[Knows::ClientSays]);
/// A client's moves look where the client does.
pub static MOVES_LOOK_WHERE_CLIENTS_DO: Check =
    Check::new("moves-look-where-clients-do", &[m::CLC_01]).knows(&[Knows::ClientShows]);
/// A client that asks for versions names its maximum, with two decimals.
pub static CLIENTS_ASK_FOR_THEIR_MAXIMUM: Check =
    Check::new("clients-ask-for-their-maximum", &[m::HS_01, m::VER_04]).knows(&[Knows::ClientSays]);
/// It asks before prespawn.
pub static CLIENTS_ASK_BEFORE_PRESPAWN: Check =
    Check::new("clients-ask-before-prespawn", &[m::HS_01]).knows(&[Knows::ClientSays]);
/// A client that is sent a map signs on, unless its player thinks better of it.
pub static CLIENTS_SIGN_ON: Check =
    Check::new("clients-sign-on", &[m::HS_07, m::SIG_02]).knows(&[Knows::ClientShows, Knows::Time]);

/// A command of a client.
enum Sent<'a> {
    /// A move: the bits of its angles.
    Move([i32; 3]),
    /// A line of text.
    Text(&'a [u8]),
    /// A disconnect.
    Leave,
    /// Anything else.
    Other,
}

/// A command at the front of `rest`, with moves in this form, and its length.
fn command(rest: &[u8], fine: bool) -> Option<(usize, Sent<'_>)> {
    let mut r = Reader::new(rest);
    let sent = match r.u8("clc").ok()? {
        CLC_NOP => Sent::Other,
        CLC_DISCONNECT => Sent::Leave,
        CLC_MOVE => {
            r.f32("time").ok()?;
            let mut angles = [0; 3];
            for angle in &mut angles {
                let value = if fine { r.f32("angle").ok()? } else { f32::from(r.i8("angle").ok()?) * 360.0 / 256.0 };
                *angle = (value + 0.0).to_bits() as i32;
            }
            r.bytes("speeds and buttons", MOVE_REST - 4).ok()?;
            Sent::Move(angles)
        }
        CLC_STRING_CMD => Sent::Text(r.string("command").ok()?),
        _ => return None,
    };
    Some((r.at(), sent))
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

/// Something that the scenario has a client say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// It asks for versions, with so many hundredths or none.
    Request(Option<i32>),
    /// It asks for limits.
    Limits,
}

/// What a client says.
#[derive(Debug, Default)]
pub struct FromClient {
    /// The versions of requests that the scenario has it make.
    scripted: BTreeSet<i32>,
    /// One of them has no version.
    scripted_bare: bool,
    /// What of them it has not said since, and when it was to.
    unsaid: Vec<(Time, Word)>,
    /// The invitation that was answered last.
    invitation: u32,
    asked: bool,
    /// How often it sent prespawn in this connection: once for every invitation, though perhaps late.
    prespawns: u32,
    prespawned: bool,
    spawned: bool,
    /// Whether the moves of a remote client had to be fine when it sent last, and how many messages it has sent since they
    /// have had that form.
    form: Option<bool>,
    in_form: u32,
    /// It disconnected in this connection.
    pub left: bool,
    /// It said that it begins the game.
    pub begun: bool,
    /// When it moved last.
    pub moved: Option<Time>,
    /// When it sent anything last.
    pub spoke: Time,
}

impl FromClient {
    /// The scenario has the client say something.
    pub fn commanded(&mut self, now: Time, verb: usize, hundredths: i32, is_there: bool) {
        let word = match verb {
            VERB_REQUEST => Some(Word::Request(Some(hundredths))),
            VERB_REQUEST_BARE => Some(Word::Request(None)),
            VERB_LIMIT => Some(Word::Limits),
            _ => None,
        };
        let word = word.filter(|_| is_there && self.unsaid.len() < MAX_UNSAID);
        self.unsaid.extend(word.map(|word| (now, word)));
        match verb {
            VERB_REQUEST if self.scripted.len() < MAX_SCRIPTED => {
                self.scripted.insert(hundredths);
            }
            VERB_REQUEST_BARE => self.scripted_bare = true,
            _ => {}
        }
    }

    /// Since when the client does not say what the scenario has it say.
    pub fn unsaid(&self) -> Option<Time> {
        self.unsaid.first().map(|unsaid| unsaid.0)
    }

    /// A connection begins: only the scenario's words stay.
    pub fn restart(&mut self) {
        let (scripted, scripted_bare) = (std::mem::take(&mut self.scripted), self.scripted_bare);
        *self = FromClient { scripted, scripted_bare, spoke: self.spoke, ..FromClient::default() };
    }

    /// What was arrived since: a new map makes it start over.
    fn follow(&mut self, delivered: &Delivered) {
        if self.invitation != delivered.invitations {
            let (prespawns, unsaid) = (self.prespawns, std::mem::take(&mut self.unsaid));
            self.restart();
            (self.prespawns, self.unsaid) = (prespawns, unsaid);
            self.invitation = delivered.invitations;
        }
    }

    /// Whether a remote client may have sent a message before the acknowledgement that made its moves `fine` or plain.
    fn may_be_overtaken(&mut self, fine: bool) -> bool {
        if self.form != Some(fine) {
            (self.form, self.in_form) = (Some(fine), 0);
        }
        self.in_form += 1;
        self.in_form <= MAX_OVERTAKEN
    }

    /// The client sends a message. What it has read beyond what was `delivered` can be unsure, and change the form.
    pub fn sends(&mut self, delivered: &Delivered, session: &Session, report: &mut Report, now: Time, message: &[u8]) {
        self.follow(delivered);
        let host = session.host;
        let cclc = delivered.versions.map_or(0, |held| held.cclc.0);
        // Of an indeterminate client it is not known what was delivered.
        let known = delivered.indeterminate.is_none();
        let mut fine = if known { cclc >= FINE_MOVES } else { fills(message, true) };
        let overtaken = session.remote && self.may_be_overtaken(fine);
        if (overtaken || !delivered.unread.is_empty()) && !fills(message, fine) {
            fine = !fine;
        }
        if !fills(message, fine) {
            report.fail(&MOVES_HAVE_THE_FORM_OF_CCLC, now, host, &CLC_01, || {
                let other = if fills(message, !fine) { "in the other form" } else { "in neither form" };
                format!("was sent CCLC {cclc} (hundredths), and sends {} bytes with a move {other}", message.len())
            });
            return;
        }
        let mut rest = message;
        while let Some((length, sent)) = command(rest, fine) {
            match sent {
                Sent::Move(angles) => {
                    judge_look(angles, fine, delivered, session, report, now);
                    self.moved = Some(now);
                    report.saw(if fine { Point::FineMove } else { Point::PlainMove });
                }
                Sent::Text(text) if known || !session.damaged => self.sends_text(delivered, session, report, now, text),
                Sent::Leave => self.left = true,
                Sent::Text(_) | Sent::Other => {}
            }
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    fn sends_text(&mut self, delivered: &Delivered, session: &Session, report: &mut Report, now: Time, text: &[u8]) {
        let host = session.host;
        let mut words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        match words.next().unwrap_or_default() {
            word if word == NVS_REQUEST => {
                let shown = words.next().unwrap_or_default();
                let asked = Version::from_text(shown);
                let word = Word::Request(Some(asked.0).filter(|_| !shown.is_empty()));
                self.unsaid.retain(|unsaid| unsaid.1 != word);
                if session.remote {
                    // No player is so quick: between the two, the client itself asks.
                    if !self.asked && self.prespawned && !self.spawned {
                        report.fail(&CLIENTS_ASK_BEFORE_PRESPAWN, now, host, &HS_01, || {
                            String::from("requests versions after prespawn, and not before")
                        });
                    }
                    self.asked = true;
                    report.saw(Point::RequestSent);
                    self.asks_exactly(session, report, now, shown);
                    return;
                }
                let own = !shown.is_empty() && session.max == Some(asked);
                let scripted = if shown.is_empty() { self.scripted_bare } else { self.scripted.contains(&asked.0) };
                if scripted && !own {
                    return;
                }
                self.asked = true;
                let Some(max) = session.max else { return };
                report.saw(Point::RequestSent);
                let text = String::from_utf8_lossy(shown).into_owned();
                if self.asks_exactly(session, report, now, shown) && (shown.is_empty() || !own) {
                    report.fail(&CLIENTS_ASK_FOR_THEIR_MAXIMUM, now, host, &HS_01, || {
                        format!("asks for {text:?}; its maximum is {max}")
                    });
                }
            }
            b"prespawn" => {
                self.prespawned = true;
                self.prespawns += 1;
                // One that waited behind others may answer the level before.
                if session.max.is_some() && delivered.stage == 1 && self.prespawns >= delivered.invitations {
                    report.saw(Point::Invited);
                    if !self.asked {
                        report.fail(&CLIENTS_ASK_BEFORE_PRESPAWN, now, host, &HS_01, || {
                            String::from("sends prespawn without having requested versions")
                        });
                    }
                }
            }
            LIMIT_REQUEST => self.unsaid.retain(|unsaid| unsaid.1 != Word::Limits),
            b"spawn" => self.spawned = true,
            b"begin" => self.begun = true,
            _ => {}
        }
    }

    /// Whether a version has at most two decimals.
    fn asks_exactly(&self, session: &Session, report: &mut Report, now: Time, shown: &[u8]) -> bool {
        let decimals = shown.split(|&byte| byte == b'.').nth(1).unwrap_or_default().len();
        if decimals > 2 {
            let text = String::from_utf8_lossy(shown).into_owned();
            report.fail(&CLIENTS_ASK_FOR_THEIR_MAXIMUM, now, session.host, &VER_04, || {
                format!("asks for {text:?}: more than two decimals")
            });
        }
        decimals <= 2
    }

    /// The run is over: a client that was sent a map signs on.
    pub fn finish(
        &mut self,
        delivered: &Delivered,
        session: &Session,
        report: &mut Report,
        options: &Options,
        now: Time,
    ) {
        self.follow(delivered);
        // What it has to say waits behind what the server has not acknowledged.
        let waits = session.unacknowledged[Direction::ClientToServer.index()].is_some();
        if delivered.invitations == 0
            || delivered.indeterminate.is_some()
            || waits
            || now.since(delivered.invited) < PROGRESS_US
            || session.too_old.is_some()
            || session.claimed.unwrap_or_default() < options.required
        {
            return;
        }
        let host = session.host;
        if delivered.stage == 1 && !self.prespawned {
            let suspects: Suspects = if delivered.versions.is_none() { &HS_07 } else { &SIG_02 }.into();
            report.fail(&CLIENTS_SIGN_ON, now, host, suspects, || {
                String::from("was sent a serverinfo, and does not go on with its sign-on")
            });
        } else if delivered.stage == 2 && !self.spawned {
            report.fail(&CLIENTS_SIGN_ON, now, host, &SIG_02, || {
                String::from("was sent signonnum 2, and does not go on with its sign-on")
            });
        }
    }
}

/// A client moves: it looks where it was turned to last.
fn judge_look(sent: [i32; 3], fine: bool, delivered: &Delivered, session: &Session, report: &mut Report, now: Time) {
    let look = delivered.look.filter(|_| !session.remote && delivered.indeterminate.is_none());
    let Some((held, _)) = look.filter(|(_, turned)| now.since(*turned) > TURNING_US) else { return };
    let same = sent.into_iter().zip(held).all(|(sent, held)| looks_there(sent, held, fine));
    if !same {
        report.fail(&MOVES_LOOK_WHERE_CLIENTS_DO, now, session.host, &CLC_01, || {
            let degrees = |bits: [i32; 3]| bits.map(|bits| f32::from_bits(bits as u32));
            format!("moves with the angles {:?}; it looks to {:?}", degrees(sent), degrees(held))
        });
    }
}

/// The server receives something of a client.
pub fn server_receives(
    packet: &Packet,
    session: &mut Session,
    server: &mut ServerView,
    report: &mut Report,
    options: &Options,
    now: Time,
) {
    let (Packet::Reliable(message) | Packet::Unreliable(message)) = packet else { return };
    let fine = session.versions.is_some_and(|sent| sent.cclc.0 >= FINE_MOVES);
    server.given = None;
    // What is of no form was a finding when it was sent.
    if !fills(message, fine) {
        return;
    }
    let mut rest = &message[..];
    while let Some((length, sent)) = command(rest, fine) {
        match sent {
            Sent::Move(_) if session.damaged => {}
            Sent::Move(angles) => {
                server.given = Some((session.host, angles));
                // Word of a new level waits for what is not acknowledged yet, in which the server takes no moves.
                let waits = session.unacknowledged[Direction::ServerToClient.index()].is_some();
                server.in_game = session.begun.is_some() && session.framed.is_some() && session.behind == 0 && !waits;
            }
            Sent::Text(text) => take_text(session, report, options, now, text),
            Sent::Leave | Sent::Other => {}
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}
