//! What a client receives, and what it shows of it.

use super::Judge;
use super::aside::{self, Wanted as Line};
use super::client_said::carrier;
use super::compare::player_breaks;
use super::coverage::Point;
use super::image::{Held, Said};
use super::link::Arrival;
use super::session::{Complete, File, Session, Taken, Tells};
use crate::machine::malformed::Malformed;
use crate::notes::{NOTE_CONFIGSTRING, NOTE_DOWNLOADED, NOTE_INVALID_FRAME};
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::frame::high_bits;
use crate::wire::state::*;
use kit::{Direction, Event, Reader, Requirement, StatValue, Time, View};
use netchan::{HEADER_BYTES, Header, Qport};

/// Frames per second of the time that a view shows.
const FRAMES_PER_SECOND: f64 = 10.0;
/// What readers call a command byte.
const COMMAND_BYTE: &str = "svc";
/// How the reliable lines of scenarios begin.
const PROOF: &[u8] = b"proof ";
/// The last command of a sign-on.
const PRECACHE: &[u8] = b"precache";
/// Commands that end a map.
const LEAVES: [&[u8]; 2] = [b"changing", b"reconnect"];
/// Remarks: how a client takes erratum 11.
const ASKS_BASE: &str = "a client asks the base whether an entity is a beam (erratum 11)";
const ASKS_NEW_STATE: &str = "a client asks the new state whether an entity is a beam, as Q2PRO (erratum 11)";
/// Largest file that is followed, in bytes.
const MAX_FILE_BYTES: usize = 1 << 22;
/// The percentage of a file's last block.
const LAST_BLOCK: u8 = 100;

/// The number at the end of a line that a scenario asked for.
pub fn proof(text: &[u8]) -> Option<i32> {
    let digits = text.strip_prefix(PROOF)?;
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

impl Session {
    /// The client leaves a map: it shows nothing until the next one, and a file that was under way is given up.
    fn leaves_map(&mut self) {
        self.begins = false;
        let complete = std::mem::take(&mut self.file.complete);
        self.file = File { complete, ..File::default() };
    }

    /// What a client breaks that tells what nobody told it.
    fn aside_blame(&self) -> &'static Requirement {
        match self.last_taken {
            Some(Taken { behind: true, .. }) => &ZPKT_05,
            _ => &GEN_02,
        }
    }

    /// What a client breaks that does not take a datagram: it says so by what it acknowledges.
    pub fn frame_lost_blame(&self) -> &'static Requirement {
        let Some(taken) = self.last_taken else { return &GEN_02 };
        match taken.bytes {
            length if length > MAX_MSGLEN_ORIGINAL && self.heard_dialect.is_r1q2() => &LEN_01,
            _ => &GEN_02,
        }
    }

    /// What a client breaks that makes nothing, or nonsense, of the datagram that it took last.
    pub fn refusal_blame(&self) -> &'static Requirement {
        let Some(taken) = self.last_taken else { return &GEN_02 };
        match taken {
            _ if self.wanted.fell_back => &SD_04,
            Taken { bytes, .. } if bytes > MAX_MSGLEN_ORIGINAL => &LEN_01,
            Taken { enhanced: true, .. } => &SD_02,
            Taken { behind: true, .. } => &ZPKT_05,
            Taken { zpacket: true, .. } => &ZPKT_03,
            Taken { zdownload: true, .. } => &ZDL_02,
            Taken { upper_bits: true, .. } => &CMD_01,
            _ if !self.heard_dialect.is_r1q2() => &PS_07,
            _ => &GEN_02,
        }
    }
}

impl Judge<'_> {
    /// A client receives a datagram of its connection.
    pub fn client_receives(&mut self, session: &mut Session, now: Time, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        let Ok(header) = Header::read(&mut r, Direction::ServerToClient, Qport::Absent, false) else { return };
        if session.client.receives(&header) == Arrival::Stale {
            return;
        }
        let mut said = Vec::new();
        let asked = session.wanted.asked.minor;
        let carrier = carrier(&header, Direction::ServerToClient);
        let malformed = session.provoked.arrives(header.sequence);
        session.received.splits = malformed == Some(Malformed::StrayBit);
        let read = session.received.services(&mut r, &mut session.heard_dialect, asked, carrier, &mut said);
        if read.is_err() && malformed.is_none() {
            session.doubt = true;
            return;
        }
        let mut taken = Taken { bytes: bytes.len(), ..Taken::default() };
        for said in &said {
            taken.behind |= taken.zpacket && !matches!(said, Said::Zpacket(..)) && is_outside(said);
            match said {
                Said::Zpacket(..) => taken.zpacket = true,
                Said::Frame(held) => taken.upper_bits |= high_bits(held.flags.eps) != 0,
                Said::ServerData { r1q2: Some((_, enhanced)), .. } => taken.enhanced |= *enhanced != 0,
                Said::Block(Some(_), Some(_), _) => taken.zdownload = true,
                _ => {}
            }
        }
        session.last_taken = Some(taken);
        session.look = true;
        self.report.saw_if(taken.behind, Point::BehindZpacket);
        for said in said {
            self.client_hears(session, now, said, bytes.len());
        }
    }

    fn client_hears(&mut self, session: &mut Session, now: Time, said: Said, bytes: usize) {
        match said {
            Said::Print(text, nesting, behind) => {
                session.hears(proof(&text).map(Line::Print));
                let requirement = unheard(session, bytes, nesting, behind);
                session.expect(Tells::Print(text), requirement);
            }
            Said::Aside(aside, nesting, behind) => {
                let requirement = unheard(session, bytes, nesting, behind);
                self.aside_is_heard(session, &aside, requirement);
            }
            Said::StuffText(text, behind) if text.starts_with(PRECACHE) => {
                session.precached = Some((now, behind));
                session.begins = false;
            }
            // It is told to leave the map, and shows nothing until the next one.
            Said::StuffText(text, _) if LEAVES.iter().any(|word| text.starts_with(word)) => session.leaves_map(),
            Said::Other(SVC_RECONNECT) => session.leaves_map(),
            Said::ServerData { spawncount, r1q2, .. } => {
                session.spawncount = Some(spawncount);
                session.spawncounts.insert(spawncount);
                session.leaves_map();
                session.precached = None;
                session.shown_before = None;
                session.configstrings.clear();
                let minor = r1q2.map(|data| data.0);
                if minor.is_some_and(|minor| minor != self.options.client_minor) && self.falls_back() {
                    session.other_revision = Some(now);
                    self.report.saw(Point::OtherRevision);
                }
            }
            Said::Block(Some(data), packed, percent) => {
                let (file, compressed) = (&mut session.file, packed.is_some());
                if compressed {
                    self.report.saw_if(percent < LAST_BLOCK, Point::ZDownloadHeard);
                    file.compressed = true;
                } else {
                    file.plain = true;
                }
                session.doubt |= file.bytes.len() + data.len() > MAX_FILE_BYTES;
                file.bytes.extend_from_slice(&data);
                file.wire_bytes += packed.unwrap_or(data.len());
                file.open = (percent < LAST_BLOCK).then_some((now, compressed));
                if percent >= LAST_BLOCK {
                    let mixed = file.compressed && file.plain;
                    self.report.saw_if(file.compressed, Point::FileHeard);
                    self.report.saw_if(mixed, Point::MixedFileHeard);
                    let (length, wire_bytes) = (file.bytes.len(), file.wire_bytes);
                    let complete = std::mem::take(&mut file.complete);
                    session.file = File { complete, ..File::default() };
                    session.file.complete.push_back(Complete { length, wire_bytes, mixed });
                }
            }
            Said::Frame(held) => {
                session.frame_bytes = bytes;
                session.older_base = held.base.is_some() && held.base != held.before;
                self.report.saw_if(held.nesting > 0, Point::FrameInZpacket);
                self.report.saw_if(!held.valid, Point::InvalidFrame);
                self.report.saw_if(high_bits(held.flags.eps) != 0 && held.valid, Point::UpperBits);
            }
            _ => {}
        }
    }

    /// A client tells of something.
    pub fn client_tells(&mut self, session: &mut Session, now: Time, event: &Event) {
        let host = session.host;
        if self.told_of_malformed(session, event) {
            return;
        }
        match event {
            Event::Print { text } => {
                for (missed, requirement) in session.tells(&Tells::Print(text.clone())).unwrap_or_default() {
                    self.report.find(requirement, now, host, || format!("does not {missed}"));
                }
            }
            Event::Untyped { what, value } if aside::is_told(what) && session.look => {
                let told = Tells::Note(what, *value);
                match session.tells(&told) {
                    Some(missed) => {
                        for (missed, requirement) in missed {
                            self.report.find(requirement, now, host, || format!("does not {missed}"));
                        }
                    }
                    // Whether it is in the game yet is its own to know; others are told at any time.
                    None if session.tells_more || *what == NOTE_CONFIGSTRING => {}
                    None if session.other_revision.is_some() || session.provoked.is_dealt_with() => {}
                    None => {
                        let requirement = session.aside_blame();
                        self.report.find(requirement, now, host, || format!("was not told to {told}"));
                    }
                }
            }
            Event::Rejected { error, .. } if session.look => {
                let at_end = session.last_taken.is_some_and(|taken| error.offset + HEADER_BYTES >= taken.bytes);
                let requirement = match at_end && error.field == COMMAND_BYTE && session.heard_dialect.is_r1q2() {
                    true => &CMD_03,
                    false => session.refusal_blame(),
                };
                self.report.find(requirement, now, host, || format!("refuses what it can read: {error}"));
                session.doubt = true;
            }
            Event::Untyped { what: NOTE_DOWNLOADED, value } => {
                let Some(file) = session.file.complete.pop_front() else { return };
                let told = usize::try_from(*value).unwrap_or(usize::MAX);
                if told != file.length {
                    let requirement = match file.mixed {
                        _ if told == file.wire_bytes => &ZDL_02,
                        true => &ZDL_04,
                        false => &ZDL_02,
                    };
                    let length = file.length;
                    self.report.find(requirement, now, host, || format!("a file of {length} bytes has {told} with it"));
                }
            }
            Event::Untyped { what: NOTE_INVALID_FRAME, value } if session.look => {
                let frame = i32::try_from(*value).ok().and_then(|number| session.received.frame(number));
                if frame.is_some_and(|frame| frame.valid) {
                    self.report.find(&FRM_03, now, host, || format!("does not have the base of frame {value}"));
                }
            }
            _ => {}
        }
    }

    /// A client has acted on what it received: what it shows must be the newest valid frame.
    pub fn look(&mut self, session: &mut Session, now: Time, view: &View) {
        session.look = false;
        let host = session.host;
        if self.dealt_with(session, now, view) {
            return;
        }
        session.tells_more = false;
        for (missed, requirement) in std::mem::take(&mut session.tells) {
            self.report.find(requirement, now, host, || format!("does not {missed}"));
        }
        let Some(held) = session.received.shown().cloned() else { return };
        if !session.begins {
            return;
        }
        let dialect = session.heard_dialect;
        let length = session.last_taken.map_or(0, |taken| taken.bytes);
        self.report.saw_if(length > MAX_MSGLEN_ORIGINAL && dialect.is_r1q2(), Point::LongDatagram);
        if !shows(view, held.number) {
            let shown = frame_of(view).round();
            let instead = session.received.frame(shown as i32).filter(|_| view.valid);
            let requirement = match instead {
                // It has built on something else than the base.
                Some(Held { valid: false, .. }) if dialect.is_r1q2() => &FRM_03,
                _ => not_shown(session, &held, &dialect, instead.is_some() || !view.valid),
            };
            let number = held.number;
            self.report.find(requirement, now, host, || match view.valid {
                true => format!("shows frame {shown}, has received {number}"),
                false => format!("shows nothing, has received frame {number}"),
            });
            session.doubt = true;
            return;
        }
        let base = held.base.and_then(|base| session.received.frame(base)).cloned();
        self.saw_shown(session, &held, base.as_ref(), &dialect);
        let numbers: Vec<u32> = held.entities.iter().map(|(number, _)| number).collect();
        let mut wrong: Vec<(&'static Requirement, String)> = Vec::new();
        if view.numbers != numbers {
            let requirement = astray(session, &held, &dialect);
            wrong.push((requirement, format!("has entities {:?}, not {numbers:?}", view.numbers)));
        }
        for (number, state) in held.entities.iter() {
            let Some(fields) = view.entity(number) else { continue };
            if let Some(other) = held.doubtful.get(&number) {
                let is = OLD_ORIGIN.map(|field| state[field]);
                let shown = OLD_ORIGIN.map(|field| fields.get(field).copied().unwrap_or_default());
                self.report.saw(Point::BecameBeam);
                match shown {
                    shown if shown == is => self.report.remark(ASKS_BASE),
                    shown if shown == *other => self.report.remark(ASKS_NEW_STATE),
                    _ => wrong.push((
                        &ENT_05,
                        format!("entity {number}: its old origin is {shown:?} in bits, by neither reading of the flag"),
                    )),
                }
            }
            for field in 0..FIELDS {
                let doubtful = OLD_ORIGIN.contains(&field) && held.doubtful.contains_key(&number);
                let Some(&shown) = fields.get(field).filter(|shown| **shown != state[field] && !doubtful) else {
                    continue;
                };
                let requirement = match OLD_ORIGIN.contains(&field) {
                    true if of_newest(session, &held, number, field, shown) => &FRM_03,
                    true => old_origin_breaks(base.as_ref(), number, &dialect),
                    false => astray(session, &held, &dialect),
                };
                let (name, is) = (FIELD_TABLE.get(field).map_or("", |field| field.name), state[field]);
                wrong.push((requirement, format!("entity {number}: {name} is {is} in bits, shown as {shown}")));
            }
        }
        if let Some(fields) = view.entity(host.0.into()).and_then(|fields| fields.get(FIELDS..)) {
            let is = &held.player;
            let swapped = (0..3).all(|axis| {
                fields.get(GUNOFFSET_X + axis) == Some(&is[GUN_PITCH + axis])
                    && fields.get(GUN_PITCH + axis) == Some(&is[GUNOFFSET_X + axis])
            });
            for (field, shown) in fields.iter().enumerate().take(STATS).filter(|(field, shown)| is[*field] != **shown) {
                let weapon = (GUNOFFSET_X..=GUN_ROLL).contains(&field);
                let requirement = match swapped && weapon {
                    true => &PS_01,
                    false => self.shown_breaks(session, field, *shown, &held, &dialect),
                };
                let name = PLAYER_TABLE.get(field).map_or("", |field| field.name);
                wrong.push((requirement, format!("{name} is {}, shown as {shown}", is[field])));
            }
        }
        for stat in 0..MAX_STATS {
            let is = held.player[STATS + stat];
            let shown = view.stats.iter().find(|shown| usize::from(shown.0) == stat).map(|shown| shown.1);
            if shown.unwrap_or(StatValue::Int(0)) != StatValue::Int(is) {
                let requirement = self.shown_breaks(session, STATS + stat, 0, &held, &dialect);
                wrong.push((requirement, format!("statistic {stat} is {is}, shown as {shown:?}")));
            }
        }
        for (requirement, what) in wrong {
            let number = held.number;
            self.report.find(requirement, now, host, || format!("frame {number}: {what}"));
        }
        session.shown_before = Some(held.number);
    }

    /// What a client breaks that shows a wrong value of its player.
    fn shown_breaks(
        &self,
        session: &Session,
        field: usize,
        shown: i32,
        held: &Held,
        dialect: &Dialect,
    ) -> &'static Requirement {
        let before = session.shown_before.and_then(|before| session.received.frame(before));
        let kept = field < STATS && before.is_some_and(|before| before.player[field] == shown);
        match field {
            _ if session.wanted.fell_back => &SD_04,
            _ if held.base.is_none() && kept => &PS_09,
            _ if session.older_base && kept => &FRM_03,
            _ if !dialect.is_r1q2() => &PS_07,
            // In these alone the command byte has flags of its own.
            VIEW_ROLL if held.flags.eps & EPS_VIEWANGLE2 != 0 && !kept => &PS_04,
            STATS.. if held.flags.eps & EPS_STATS != 0 => &FRM_07,
            _ => player_breaks(field, held, dialect),
        }
    }

    fn saw_shown(&mut self, session: &Session, held: &Held, base: Option<&Held>, dialect: &Dialect) {
        let r1q2 = dialect.is_r1q2();
        let report = &mut *self.report;
        report.saw(Point::Session);
        report.saw(Point::MessageEnded);
        report.saw(if r1q2 { Point::FrameShownR1q2 } else { Point::FrameShownOriginal });
        report.saw_if(r1q2 && session.older_base, Point::OlderBaseShown);
        report.saw_if(held.base.is_none() && held.before.is_some(), Point::FullFrameShown);
        let signed_on = session.precached.is_some() && session.begins;
        report.saw_if(signed_on && r1q2, Point::ZpacketHeard);
        for (number, state) in held.entities.iter() {
            let Some(before) = base.and_then(|base| base.entities.get(number)) else { continue };
            let told = held.told.iter().any(|told| told.0 == number && told.1 & U_OLDORIGIN != 0);
            let moved = ORIGIN.iter().any(|&field| state[field] != before[field]) && !before.is_beam() && !told;
            report.saw_if(moved && r1q2, Point::MovedR1q2);
            report.saw_if(moved && !r1q2, Point::MovedOriginal);
            let apart = OLD_ORIGIN.iter().zip(ORIGIN).any(|(&old, now)| state[old] != state[now]);
            report.saw_if(before.is_beam() && !told && apart && r1q2, Point::BeamRests);
        }
    }
}

/// Whether something stands in a datagram itself, as far as that is known of it.
fn is_outside(said: &Said) -> bool {
    matches!(said, Said::Print(_, 0, true) | Said::StuffText(_, true) | Said::Aside(_, 0, true))
}

/// The frame that a client shows, by its time.
fn frame_of(view: &View) -> f64 {
    f64::from(f32::from_bits(view.server_time)) * FRAMES_PER_SECOND
}

/// Whether a client shows a frame.
pub fn shows(view: &View, number: i32) -> bool {
    let number = f64::from(number);
    // A single has fewer digits than the number of a frame.
    view.valid && (frame_of(view) - number).abs() <= 0.5 + number.abs() * f64::from(f32::EPSILON) * 2.0
}

/// What a client breaks that does not tell what it was told in a datagram of so many bytes.
fn unheard(session: &Session, bytes: usize, nesting: usize, behind: bool) -> &'static Requirement {
    match nesting {
        _ if bytes > MAX_MSGLEN_ORIGINAL && session.heard_dialect.is_r1q2() => &LEN_01,
        0 if behind => &ZPKT_04,
        0 => &GEN_02,
        _ => &ZPKT_03,
    }
}

/// What a client breaks that does not show the frame that it received.
fn not_shown(session: &Session, held: &Held, dialect: &Dialect, known: bool) -> &'static Requirement {
    match held {
        _ if session.wanted.fell_back => &SD_04,
        _ if session.frame_bytes > MAX_MSGLEN_ORIGINAL && dialect.is_r1q2() => &LEN_01,
        Held { nesting: 1.., .. } => &ZPKT_03,
        _ if !dialect.is_r1q2() => &GEN_02,
        _ if !known => &FRM_01,
        Held { base: None, .. } => &FRM_02,
        _ if high_bits(held.flags.eps) != 0 => &CMD_01,
        _ => &FRM_03,
    }
}

/// What a client breaks whose entities are wrong.
fn astray(session: &Session, held: &Held, dialect: &Dialect) -> &'static Requirement {
    match held.base {
        _ if session.wanted.fell_back => &SD_04,
        None if held.before.is_some() && dialect.is_r1q2() => &FRM_02,
        Some(_) if session.older_base && dialect.is_r1q2() => &FRM_03,
        _ => &GEN_02,
    }
}

/// Whether an old origin is where the entity was in the newest frame, which was not the base.
fn of_newest(session: &Session, held: &Held, number: u32, field: usize, shown: i32) -> bool {
    let newest = held.before.and_then(|before| session.received.frame(before));
    let origin = OLD_ORIGIN.iter().zip(ORIGIN).find(|(old, _)| **old == field).map(|(_, origin)| origin);
    let at = newest.and_then(|newest| newest.entities.get(number)).zip(origin).map(|(state, origin)| state[origin]);
    session.older_base && session.heard_dialect.is_r1q2() && at == Some(shown)
}

/// What a wrong old origin breaks.
fn old_origin_breaks(base: Option<&Held>, number: u32, dialect: &Dialect) -> &'static Requirement {
    let beam = base.and_then(|base| base.entities.get(number)).is_some_and(|before| before.is_beam());
    match (dialect.is_r1q2(), beam) {
        (false, _) => &ENT_03,
        (true, true) => &ENT_02,
        (true, false) => &ENT_01,
    }
}
