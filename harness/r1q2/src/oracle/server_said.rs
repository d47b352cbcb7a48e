//! What a server sends.

use super::Judge;
use super::compare::{self, Looker, Mismatch};
use super::coverage::Point;
use super::image::{Held, Said};
use super::misread::Context;
use super::session::{Session, Walked};
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::entities::Oddity;
use crate::wire::frame::MAX_OFFSET;
use crate::wire::message::{Carrier, ZPACKET_HEADER_BYTES};
use crate::wire::state::*;
use kit::{Direction, HostId, Reader, Requirement, Time};
use netchan::{HEADER_BYTES, Header, Qport};

/// Datagrams with less room than this left may be cut or held back for their length.
const LONG_BYTES: usize = 300;
/// Places that movement is off by rounding, and by as much for each command, in eighths.
const ROUNDING: i64 = 3;
/// The bits that a suppress count has.
const SUPPRESS_BITS: u8 = 0xf;

impl Judge<'_> {
    /// A server sends a datagram of a connection.
    pub fn server_sends(&mut self, session: &mut Session, now: Time, bytes: &[u8]) {
        let server = HostId::SERVER;
        let mut r = Reader::new(bytes);
        let Ok(header) = Header::read(&mut r, Direction::ServerToClient, Qport::Absent, false) else {
            self.report.find(&GEN_02, now, server, || String::from("a datagram that ends in its header"));
            return;
        };
        let payload = bytes.get(HEADER_BYTES..).unwrap_or_default();
        self.lengths(session, now, bytes);
        session.long |= session.begun.is_some() && bytes.len() + LONG_BYTES > session.payload_limit();
        let blame = if self.mixes_up(session) { &QPORT_06 } else { &GEN_02 };
        if session.server.received != 0 && header.acknowledged == session.server.received {
            session.acknowledged_at = now;
        }
        let sure = session.rebound.is_none();
        if !sure {
            // What goes to the old port is not seen.
            session.server.sent = None;
        }
        let report = &mut *self.report;
        session.server.sends(&header, payload, sure, blame, server, now, report);
        let carrier = Carrier {
            direction: Direction::ServerToClient,
            reliable: header.reliable,
            sequence: header.sequence,
            acknowledged: header.acknowledged,
            nesting: 0,
        };
        let dialect = session.sent_dialect;
        let image = session.sent.clone();
        let mut said = Vec::new();
        let asked = session.wanted.asked.minor;
        session.sent.splits = session.provoked.may_stray();
        let read = session.sent.services(&mut r, &mut session.sent_dialect, asked, carrier, &mut said);
        let situation = if dialect.is_r1q2() { Point::ServicesR1q2 } else { Point::ServicesOriginal };
        self.report.saw_if(!said.is_empty(), situation);
        for said in &said {
            // What cannot be read to its end may be nonsense before.
            match said {
                Said::UpperBits(_) | Said::Aside(..) if read.is_err() => {}
                Said::Aside(aside, ..) => self.aside_is_sent(session, now, aside, header.reliable, &dialect),
                said => self.server_said(session, now, said, &dialect),
            }
        }
        let strays = session.sent.strays && !dialect.is_r1q2();
        if session.provoked.is_sent(header.sequence, read.is_err(), strays) {
            return;
        }
        let frame = said.iter().find_map(|said| match said {
            Said::Frame(held) => Some(held.as_ref()),
            _ => None,
        });
        let states = self.truth.since(now, 2 * self.options.tick_us);
        let looker = self.looker(session);
        let fitting = session.map == Some(self.truth.maps) && !self.truth.is_unsettled(now, 2 * self.options.tick_us);
        let context = Context { image: &image, dialect, states: &states, looker, carrier };
        if let Err(error) = &read {
            let from = bytes.get(session.sent.ended..).unwrap_or_default();
            let fallback = match dialect.is_r1q2() {
                true => unreadable(from, &said),
                false => unreadable_original(from, &said, error.field),
            };
            // What was read as a frame may not have ended where it seemed to, and what follows may be none.
            let frames = session.sent.frames_at.iter().filter_map(|&at| bytes.get(at..));
            let broken = frames.chain([from]).find_map(|frame| context.broken(frame));
            let requirement = broken.unwrap_or(fallback);
            self.report.find(requirement, now, server, || format!("services that cannot be read: {error}"));
            session.doubt = true;
            return;
        }
        let Some(held) = frame else { return };
        let base = held.base.and_then(|base| image.frame(base));
        if fitting && held.valid {
            let wrong = compare::against(held, base, &states, &looker, &dialect);
            if !wrong.is_empty() {
                let from = session.sent.frames_at.first().and_then(|&at| bytes.get(at..)).unwrap_or_default();
                let broken = player_broken(held, base, &wrong).or_else(|| context.broken(from));
                let distance = held.base.map_or(0, |base| held.number - base);
                let forgotten = distance >= UPDATE_BACKUP as i32 && dialect.is_r1q2();
                let broken = if forgotten { Some(&FRM_04) } else { broken };
                let broken = broken.or_else(|| jumbled(&wrong));
                let mixes_up = self.mixes_up(session).then_some(&QPORT_06);
                for mismatch in wrong {
                    let requirement = broken.or(mixes_up).unwrap_or(mismatch.requirement);
                    self.report.find(requirement, now, server, || mismatch.what);
                }
            }
        }
        self.areas(session, now, held);
        let distance = self.frame_is_sent(session, now, held, base, &image.newest, &dialect);
        if let Some(wrong) = distance {
            session.doubt = wrong;
        }
        self.twins(session, now, held, &dialect);
    }

    /// What a frame says of the areas is what the scenario asked for.
    fn areas(&mut self, session: &Session, now: Time, held: &Held) {
        let Some((begun, bits)) = session.begun.zip(held.areas.first()) else { return };
        if self.truth.is_known() && !self.truth.may_see(session.host.0, *bits, begun, now, 2 * self.options.tick_us) {
            let (number, host) = (held.number, session.host);
            self.report
                .find(&GEN_02, now, HostId::SERVER, || format!("frame {number} says that {host} sees areas {bits:#x}"));
        }
    }

    fn looker(&self, session: &Session) -> Looker {
        Looker {
            client: session.host.0,
            clients: self.clients.into(),
            moved: session.moved || self.truth.drifts(session.host.0),
            spared: session.spared,
        }
    }

    /// Whether two clients can be told apart by their ports alone.
    fn mixes_up(&self, session: &Session) -> bool {
        self.options.same_address && self.clients > 1 && session.wanted.is_unnumbered()
    }

    fn lengths(&mut self, session: &Session, now: Time, bytes: &[u8]) {
        let length = bytes.len();
        if !session.sent_dialect.is_r1q2() {
            if length > MAX_MSGLEN_ORIGINAL {
                self.report.find(&LEN_02, now, HostId::SERVER, || format!("a datagram of {length} bytes"));
            }
            return;
        }
        let (payload, limit) = (length - HEADER_BYTES.min(length), session.payload_limit());
        self.remark_length(session, payload);
        if payload > limit {
            self.report.find(&LEN_03, now, HostId::SERVER, || format!("{payload} bytes of payload, more than {limit}"));
        }
    }

    fn server_said(&mut self, session: &mut Session, now: Time, said: &Said, dialect: &Dialect) {
        let server = HostId::SERVER;
        match said {
            Said::UpperBits(service) => {
                self.report.find(&CMD_02, now, server, || format!("service {service} with upper bits"));
            }
            Said::ServerData { spawncount, protocol, r1q2, playernum } => {
                if *protocol != session.wanted.asked.protocol {
                    let asked = session.wanted.asked.protocol;
                    self.report.find(&GEN_02, now, server, || {
                        format!("a serverdata of protocol {protocol} after a connect of {asked}")
                    });
                }
                if playernum + 1 != session.host.0 as i16 && *playernum >= 0 && self.mixes_up(session) {
                    self.report
                        .find(&QPORT_06, now, server, || format!("{} is told to be player {playernum}", session.host));
                }
                self.report.saw(match r1q2 {
                    Some(_) => Point::ServerDataR1q2,
                    None => Point::ServerDataOriginal,
                });
                if let Some((minor, enhanced)) = r1q2 {
                    let announced = self.options.announced_minor;
                    self.remark_revision(
                        *minor,
                        Dialect::agreed(self.options.server_minor, session.wanted.asked.minor),
                    );
                    if !self.may_announce(session, *minor) {
                        self.report
                            .find(&SD_01, now, server, || format!("revision {minor} is announced, not {announced}"));
                    }
                    if (self.options.enhanced != 0) != (*enhanced != 0) {
                        self.report
                            .find(&SD_01, now, server, || format!("the game is told to be enhanced: {enhanced}"));
                    }
                    self.report.saw_if(*enhanced != 0, Point::Enhanced);
                }
                self.report.saw_if(session.wanted.is_unnumbered(), Point::UnnumberedAnswered);
                let numbered = matches!(session.wanted.asked.qport, Qport::Byte(_));
                self.report.saw_if(numbered, Point::NumberedAnswered);
                session.answered = true;
                session.map = self.map_of(*spawncount, now);
                session.provoked.map_begins();
                session.last_frame = None;
                session.begun = None;
                session.newest = None;
                session.acknowledged.clear();
                session.walked = Walked { uncertain: true, ..Walked::default() };
            }
            Said::Zpacket(packed, length) => {
                self.report.saw(Point::Zpacket);
                let packed = packed.len();
                if packed + ZPACKET_HEADER_BYTES >= *length {
                    self.report.find(&ZPKT_09, now, server, || {
                        format!("{length} bytes are sent as {packed} and a header of {ZPACKET_HEADER_BYTES}")
                    });
                }
            }
            Said::BadBlock => {
                self.report.find(&ZDL_01, now, server, || String::from("a compressed block that cannot be inflated"));
            }
            Said::Block(None, ..) => self.report.saw(Point::Refused),
            Said::Block(Some(_), Some(_), _) => self.report.saw(Point::ZDownload),
            Said::Other(SVC_DISCONNECT) => session.over = true,
            Said::Frame(_) if dialect.is_r1q2() => self.report.saw(Point::FrameR1q2),
            _ => {}
        }
    }

    /// Whether a server may announce a revision: the one that it was told to, or the lesser one that it speaks.
    fn may_announce(&self, session: &Session, minor: u16) -> bool {
        let announced = self.options.announced_minor;
        // Between the server's newest revision and the client's, a server may announce either.
        let agreed = Dialect::agreed(self.options.server_minor, session.wanted.asked.minor);
        minor == announced || announced == self.options.server_minor && minor == agreed
    }

    /// What a frame builds on, and what it says of those before it. `Some(true)` if nothing after it can be judged.
    fn frame_is_sent(
        &mut self,
        session: &mut Session,
        now: Time,
        held: &Held,
        base: Option<&Held>,
        newest: &Option<i32>,
        dialect: &Dialect,
    ) -> Option<bool> {
        let server = HostId::SERVER;
        let number = held.number;
        let last = session.last_frame.replace(number);
        if last.is_some_and(|last| number <= last) {
            self.report.find(&GEN_02, now, server, || format!("frame {number} follows frame {newest:?}"));
        }
        // What is not in a base that nobody knows, nobody knows.
        let known = |oddity: &&Oddity| held.valid || matches!(oddity, Oddity::OutOfOrder(_));
        for oddity in held.oddities.iter().filter(known) {
            self.report.find(&GEN_02, now, server, || format!("frame {number}: {oddity:?}"));
        }
        let r1q2 = dialect.is_r1q2();
        let mut lost = false;
        match held.base {
            None => {
                let asked = session.newest.is_some_and(|newest| newest <= 0);
                self.report.saw_if(asked && r1q2, Point::NoDeltaAnswered);
            }
            Some(built_on) => {
                let range = if r1q2 { &FRM_04 } else { &GEN_02 };
                let distance = i64::from(number) - i64::from(built_on);
                self.report.saw_if(r1q2, Point::DeltaFrame);
                let none_is_had = session.newest.is_none_or(|newest| newest <= 0);
                if distance == 0 && r1q2 {
                    self.report.find(&FRM_02, now, server, || format!("frame {number} builds on itself"));
                    lost = true;
                } else if distance < 1 || distance > i64::from(MAX_OFFSET) && r1q2 {
                    self.report.find(range, now, server, || format!("frame {number} builds on {built_on}"));
                    lost = true;
                } else if session.begun.is_none() {
                    // It was told to begin a map before this one and signs on again, in the game all the while.
                    lost = true;
                } else if session.provoked.is_unsent(built_on, base.is_none()) {
                    self.report.saw(Point::UnsentBase);
                } else if none_is_had {
                    let requirement = if r1q2 { &FRM_02 } else { &GEN_02 };
                    self.report.find(requirement, now, server, || {
                        format!("frame {number} builds on {built_on}, but one without a base is due")
                    });
                } else if !session.acknowledged.contains(&built_on) {
                    // As a distance in the upper four bits would be told.
                    let half = (distance % 2 == 0).then_some(number - (distance / 2) as i32);
                    let in_four_bits = half.is_some_and(|half| session.acknowledged.contains(&half));
                    let requirement = if in_four_bits && r1q2 { &FRM_01 } else { range };
                    self.report.find(requirement, now, server, || {
                        format!("frame {number} builds on {built_on}, which was not acknowledged")
                    });
                    lost = base.is_none();
                }
            }
        }
        if let Some(last) = last.filter(|_| self.options.rate.is_some() && !session.long) {
            self.suppression(now, held, i64::from(number) - i64::from(last) - 1, r1q2);
        }
        if held.valid {
            self.shape(session, held, dialect);
            if r1q2 {
                self.remark_frame(held, base, dialect);
            }
            self.movement(session, now, held, last, dialect);
        }
        session.walked = Walked::default();
        Some(lost)
    }

    fn suppression(&mut self, now: Time, held: &Held, gap: i64, r1q2: bool) {
        if gap > 0 && r1q2 {
            self.report.saw(Point::HeldBack);
        }
        let told = i64::from(held.suppress);
        if r1q2 {
            self.remark_count(gap, told);
        }
        let cut = if r1q2 {
            [gap.min(SUPPRESS_BITS.into()), gap & i64::from(SUPPRESS_BITS)]
        } else {
            [gap.min(255), gap & 255]
        };
        if !cut.contains(&told) {
            let requirement = if r1q2 { &FRM_06 } else { &GEN_02 };
            let number = held.number;
            self.report.find(requirement, now, HostId::SERVER, || {
                format!("frame {number} says that {told} were held back; {gap} were")
            });
        }
    }

    /// Which situations a frame is.
    fn shape(&mut self, session: &Session, held: &Held, dialect: &Dialect) {
        let r1q2 = dialect.is_r1q2();
        let (ps, eps) = (u64::from(held.flags.ps), held.flags.eps);
        let report = &mut *self.report;
        if !r1q2 {
            report.saw_if(ps & (PS_M_ORIGIN | PS_M_VELOCITY | PS_WEAPONFRAME) != 0, Point::SplitOriginal);
        } else {
            report.saw_if(eps & EPS_GUNOFFSET != 0 && eps & EPS_GUNANGLES != 0, Point::WeaponMoved);
            report.saw_if(ps & PS_M_ORIGIN == 0 && eps & EPS_PMOVE_ORIGIN2 != 0, Point::HeightAlone);
            report.saw_if(ps & PS_M_VELOCITY == 0 && eps & EPS_PMOVE_VELOCITY2 != 0, Point::FallAlone);
            report.saw_if(eps & EPS_VIEWANGLE2 != 0, Point::Roll);
            report.saw_if(eps & EPS_STATS != 0, Point::Statistics);
            report.saw_if(eps & EPS_STATS == 0 && held.player.stats() != [0; MAX_STATS], Point::StatisticsStay);
            report.saw_if(ps & PS_M_ORIGIN != 0 && eps & EPS_PMOVE_ORIGIN2 != 0, Point::SplitTogether);
        }
        report.saw_if(held.entities.iter().any(|(_, state)| state.is_beam()), Point::BeamSent);
        report.saw_if(self.unnumbered > 1 && session.wanted.is_unnumbered(), Point::TwoUnnumbered);
    }

    /// How far a spectator got between two frames, against the time of its commands and the velocity it is told.
    fn movement(&mut self, session: &Session, now: Time, held: &Held, last: Option<i32>, dialect: &Dialect) {
        let Some(before) = last.and_then(|last| session.sent.frame(last)) else { return };
        let spectates = |held: &Held| held.player[PM_TYPE] == PM_SPECTATOR;
        let walked = session.walked;
        let forced = self.truth.changed_lately(now, 2 * self.options.tick_us);
        let walks = |held: &Held| held.player[PM_TYPE] == PM_NORMAL;
        let on_foot = walks(held) && walks(before) && dialect.is_r1q2();
        if !(spectates(held) && spectates(before) || on_foot) || walked.uncertain || forced {
            return;
        }
        let tolerance = ROUNDING + walked.commands;
        for axis in 0..3 {
            let velocity = i64::from(held.player[PM_VELOCITY_X + axis]);
            if velocity != i64::from(before.player[PM_VELOCITY_X + axis]) {
                continue;
            }
            let at = |held: &Held| held.player[PM_ORIGIN_X + axis] as i16;
            let way = i64::from(at(held).wrapping_sub(at(before)));
            let once = velocity * walked.msec / 1000;
            if once.abs() <= 4 * tolerance {
                continue;
            }
            let near = |expected: i64| (way - expected).abs() <= tolerance;
            let number = held.number;
            if on_foot {
                if near(2 * once) {
                    self.report.find(&MOV_01, now, HostId::SERVER, || {
                        format!("frame {number}: a player on foot moved by {way} eighths, not by {once}")
                    });
                }
            } else if dialect.is_r1q2() {
                self.report.saw(Point::SpectatorR1q2);
                if near(once) {
                    self.report.find(&MOV_01, now, HostId::SERVER, || {
                        format!("frame {number}: a spectator moved by {way} eighths, not by {}", 2 * once)
                    });
                }
            } else {
                self.report.saw(Point::SpectatorOriginal);
                if near(2 * once) {
                    self.report.find(&MOV_02, now, HostId::SERVER, || {
                        format!("frame {number}: a spectator of protocol 34 moved by {way} eighths, not by {once}")
                    });
                }
            }
        }
    }

    /// Frames of one moment for clients of both protocols say the same of what all can see.
    fn twins(&mut self, session: &Session, now: Time, held: &Held, dialect: &Dialect) {
        if self.twins.first().is_some_and(|twin| twin.at != now) {
            self.twins.clear();
        }
        if session.map != Some(self.truth.maps) || !held.valid {
            return;
        }
        for twin in self.twins.iter().filter(|twin| twin.protocol != dialect.protocol) {
            for (number, state) in held.entities.iter().filter(|(number, _)| *number > self.clients.into()) {
                let Some(other) = twin.entities.get(number) else { continue };
                let differs = (0..FIELDS).find(|field| {
                    !OLD_ORIGIN.contains(field) && ![SOLID, EVENT].contains(field) && state[*field] != other[*field]
                });
                if let Some(field) = differs {
                    let name = FIELD_TABLE.get(field).map_or("", |field| field.name);
                    let (here, there) = (session.host, twin.host);
                    self.report.find(&GEN_02, now, HostId::SERVER, || {
                        format!("entity {number}: {name} is not the same for {here} and {there}")
                    });
                }
            }
        }
        self.twins.push(super::Twin {
            at: now,
            host: session.host,
            protocol: dialect.protocol,
            entities: held.entities.clone(),
        });
    }
}

/// Whether a player state is wrong because it is a change of another state than the base's: what is wrong is what was
/// not told.
fn player_broken(held: &Held, base: Option<&Held>, wrong: &[Mismatch]) -> Option<&'static Requirement> {
    let taken = base.map_or(Player::NULL, |base| base.player);
    let of_player =
        wrong.iter().all(|mismatch| mismatch.field.is_some_and(|field| taken.0.get(field) == held.player.0.get(field)));
    // One field alone may have been left out for itself.
    let newest = held.base == held.before;
    (of_player && !newest).then_some(&PS_09)
}

/// Whether several things are wrong, a part that protocol 35 splits off among them: they are not in their order.
fn jumbled(wrong: &[Mismatch]) -> Option<&'static Requirement> {
    let split = [PM_ORIGIN_Z, PM_VELOCITY_Z, VIEW_ROLL];
    let some = wrong.iter().any(|mismatch| mismatch.field.is_some_and(|field| split.contains(&field)));
    (some && wrong.len() > 1).then_some(&PS_08)
}

/// What a message over protocol 35 breaks that cannot be read; it begins `from`.
fn unreadable(from: &[u8], said: &[Said]) -> &'static Requirement {
    match (from.first().map(|byte| byte & SVC_MASK), said.last()) {
        (Some(SVC_ZPACKET), _) => match from.get(ZPACKET_HEADER_BYTES..ZPACKET_HEADER_BYTES + 2) {
            // What zlib puts in front: its method, and a check of these two bytes.
            Some(&[0x78, check]) if (0x7800 + u32::from(check)).is_multiple_of(31) => &ZPKT_02,
            _ => &ZPKT_01,
        },
        (Some(SVC_ZDOWNLOAD), _) => &ZDL_01,
        (_, Some(Said::Block(None, ..))) => &ZDL_05,
        (_, Some(Said::Block(..))) => &ZDL_01,
        (_, Some(Said::ServerData { .. })) => &SD_01,
        (_, Some(Said::Zpacket(..))) => &ZPKT_01,
        (Some(SVC_FRAME), _) | (_, Some(Said::Frame(_))) => &PS_08,
        _ => &GEN_02,
    }
}

/// What a message over protocol 34 breaks that cannot be read, at `field`; it begins `from`.
fn unreadable_original(from: &[u8], said: &[Said], field: &str) -> &'static Requirement {
    match (from.first(), said.last()) {
        (Some(&SVC_ZPACKET), _) => &ZPKT_08,
        (_, Some(Said::ServerData { .. })) => &SD_05,
        (Some(&SVC_FRAME), _) if field == "svc_playerinfo" => &FRM_08,
        (Some(&SVC_FRAME), _) if field == "svc_packetentities" => &FRM_09,
        (Some(&SVC_FRAME), _) => &PS_07,
        _ => &GEN_02,
    }
}
