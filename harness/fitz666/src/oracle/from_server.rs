//! What a server sends to one client, message by message, against the world.

pub mod causes;
pub mod player;
pub mod sign_on;
pub mod sounds;
pub mod updates;
pub mod visibility;
pub mod wire;

use super::coverage::{Point, Report, means};
use super::diagnosis;
use super::grammar::FIRST_NEW_SERVICE;
use super::layout::{Kind, SND_LARGE};
use super::sent::{Indeterminate, Sent, ToPrint, proof};
use super::truth::Truth;
use super::wire::Wire;
use crate::message::{self, Dialect, Said};
use crate::options::Options;
use crate::requirements::*;
use kit::table::float_value;
use kit::{Check, HostId, Reader, Suspects, Time, Writer};
use netquake::constants::*;
use netquake::fitzquake::Fitz;
use netquake::update::B_SCALE;
use netquake::{Primitives, ServerInfo, Service};

kit::checks! {
    from means;
    /// Every message has a number that there is, and can be read to its end.
    pub MESSAGES_CAN_BE_READ = "messages-can-be-read": VER_04 ENT_01 ENT_02 DEF_01 CD_01 CD_02 CD_14 DEF_02 SND_04
        DEF_03 BASE_02 BASE_03 BASE_04 STAT_01 STAT_02 DEF_04;
    /// The protocol that is announced is the one that the scenario chose, or one that there is.
    pub PROTOCOL_IS_ANNOUNCED = "protocol-is-announced" knows Limits: VER_01;
    /// All models and sounds are announced.
    pub NAMES_ARE_ANNOUNCED = "names-are-announced" knows Limits: LIM_01;
    /// What a map's announcement says can be: seats for the client, a game that is played in one of two ways, styles of lights
    /// that there are.
    pub ANNOUNCEMENTS_MAKE_SENSE = "announcements-make-sense": VER_04;
    /// What a player in the game is sent of itself comes again and again.
    pub CLIENTDATA_GOES_ON = "clientdata-goes-on": NET_12;
    /// Each step of a sign-on is sent once, in order; another map begins with the order to sign on again.
    pub SIGN_ON_STEPS_ASCEND = "sign-on-steps-ascend": NET_06;
    /// What the scenario has the server print is sent, once and in order.
    pub PRINTS_ARE_SENT_IN_ORDER = "prints-are-sent-in-order" knows World: NET_06;
    /// Entities at their baseline are mentioned like others.
    pub UNCHANGED_ENTITIES_ARE_MENTIONED = "unchanged-entities-are-mentioned" knows World: ENT_12;
}

/// Models and sounds that a client of protocol 15 has room for: 256 with number 0, which is none.
const MOST_NAMES: usize = 255;
const MANY_NAMES: &str = "more than 255 models or sounds are announced over protocol 15, whose messages number 255: clients may refuse the map";
/// How often an entity has to be seen, or not, before anything is concluded from that.
const ENOUGH: u32 = 20;
/// So many datagrams in a row with a time, and without a clientdata, a server does not send.
const MISSED: u32 = 20;
/// Styles of lights, and ways to play: cooperatively, or against each other.
const LIGHT_STYLES: u8 = 64;
const GAME_TYPES: u8 = 2;
/// Bytes that an update may need.
const UPDATE_BYTES: usize = 24;
/// Bytes of a datagram that a server may keep free for what it appends after the entities, such as sounds.
const RESERVED_BYTES: usize = 64;

/// Reads what a server sends to a client, and judges it.
pub struct FromServer<'a> {
    /// The client.
    pub client: HostId,
    /// What it was sent.
    pub sent: &'a mut Sent,
    /// What the scenario says, if the oracle knows it.
    pub truth: Option<&'a Truth>,
    /// What the scenario asks of both.
    pub options: &'a Options,
    /// Number of player slots.
    pub slots: u32,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The time.
    pub now: Time,
    /// Whether the message was certainly made of the world as it is now, and not before the scenario changed it last.
    pub current: bool,
    /// Somebody else runs the server: the scenario's options say nothing of it.
    pub remote: bool,
    /// Somebody else's server has given clients other seats than their numbers: which entities are whose is not known.
    pub seats_differ: bool,
    /// Whether it is known when the client was in the game, so that what happened to its player is.
    pub is_certain_who_plays: bool,
    /// Whether the message that is read can be read to its end; taken for granted where the world is known.
    pub whole: bool,
}

/// Whether a message with these bits uses what protocol 666 adds.
fn is_wide((svc, bits): (u8, u32)) -> bool {
    match Kind::of(svc) {
        Some(Kind::Update) => bits & U_EXTEND1 != 0,
        Some(Kind::ClientData) => bits & SU_EXTEND1 != 0,
        Some(Kind::Sound) => bits & SND_LARGE != 0,
        kind => kind.is_some_and(Kind::is_new),
    }
}

/// What became of a message.
enum Next {
    /// It ends there.
    At(usize),
    /// Where it ends is unknown.
    Unknown,
}

impl FromServer<'_> {
    /// Number of player slots: as the scenario has clients, or as somebody else's server announced.
    fn seats(&self) -> u32 {
        if self.remote { self.slots.max(self.sent.seats) } else { self.slots }
    }

    /// Whether an entity is a player's, and it is not known which.
    fn is_anybodys(&self, entity: u32) -> bool {
        self.seats_differ && entity <= self.seats()
    }

    fn fail(&mut self, check: &'static Check, suspects: impl Into<Suspects>, what: impl FnOnce() -> String) {
        let client = self.client;
        self.report.fail(check, self.now, HostId::SERVER, suspects, || format!("to {client}: {}", what()));
    }

    /// Judges a message of the server: all of an unreliable datagram, or a whole reliable message.
    pub fn message(&mut self, bytes: &[u8], reliable: bool) {
        let asked_for = self.options.reserved_bits.is_some_and(|reserved| reserved.bytes() == bytes);
        if self.sent.indeterminate.is_some() && !reliable || asked_for {
            return;
        }
        self.sent.mentioned.clear();
        self.sent.right.rewind();
        (self.sent.wire.own_alpha, self.sent.wire.weapon_alpha) = (None, None);
        let plain = self.in_666(bytes);
        let foreign = plain.is_none() && self.sent.protocol == Some(PROTOCOL_RMQ);
        let timed = self.services(plain.as_deref().unwrap_or(bytes), reliable, foreign);
        if reliable {
            return;
        }
        self.time_waits();
        if timed {
            self.weapon_by_the_wire();
            self.check_length(bytes.len());
            self.count_mentions(bytes.len());
            self.player_waits();
            self.events_wait(bytes.len());
            self.report.saw(Point::TimedDatagram);
        }
    }

    /// A message of protocol 999 as 666 would have it, coords in eighths and angles in 1/256 of a circle; `None` if it is none,
    /// or cannot be read. From a serverinfo on it stays as it is.
    fn in_666(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.sent.protocol != Some(PROTOCOL_RMQ) {
            return None;
        }
        let (mut dialect, plain) = (self.sent.dialect, Dialect::announced(PROTOCOL_FITZQUAKE));
        let (mut r, mut out) = (Reader::new(bytes), Vec::new());
        while let Some(&svc) = bytes.get(r.at()) {
            if svc == SVC_SERVER_INFO {
                out.extend_from_slice(bytes.get(r.at()..)?);
                break;
            }
            let mut said = message::read_service(&mut r, &mut dialect).ok()?;
            if let Said::Fitz(Fitz::SpawnBaseline { bits, .. } | Fitz::SpawnStatic { bits, .. }) = &mut said {
                *bits &= !B_SCALE;
            }
            said.write(&mut Writer::new(&mut out), &plain);
        }
        Some(out)
    }

    /// Judges message by message; those of a `foreign` dialect are only read. Whether there is a svc_time, and all was read.
    fn services(&mut self, bytes: &[u8], reliable: bool, foreign: bool) -> bool {
        self.whole = self.is_whole(bytes);
        self.sent.starts.clear();
        let mut timed = false;
        let mut at = 0;
        while let Some(&svc) = bytes.get(at) {
            if self.sent.indeterminate.is_some() && svc != SVC_SERVER_INFO {
                return false;
            }
            timed |= svc == SVC_TIME;
            if svc == SVC_CLIENT_DATA {
                self.sent.playerless = 0;
            }
            let next = match Kind::of(svc) {
                _ if foreign && svc != SVC_SERVER_INFO => self.other_dialect(bytes, at),
                Some(Kind::Update) => self.update(bytes, at),
                Some(Kind::ClientData) => self.clientdata(bytes, at),
                Some(Kind::Sound) => self.sound(bytes, at),
                Some(_) => self.sign(bytes, at, svc),
                None if svc == SVC_SERVER_INFO && (reliable || self.truth.is_some()) => self.serverinfo(bytes, at + 1),
                None if svc >= FIRST_NEW_SERVICE => self.sign(bytes, at, svc),
                None => self.other(bytes, at + 1, svc),
            };
            match next {
                Next::At(end) if svc == SVC_SERVER_INFO && self.sent.protocol == Some(PROTOCOL_RMQ) => {
                    // What follows is written as its flags say.
                    self.message(bytes.get(end..).unwrap_or_default(), reliable);
                    return false;
                }
                Next::At(end) => {
                    self.sent.starts.push((svc, at));
                    at = end;
                }
                Next::Unknown => {
                    // What follows in this datagram is unknown; of the reliable stream, all of it.
                    if reliable {
                        self.sent.indeterminate = Some(Indeterminate { why: "a reliable message cannot be read" });
                    }
                    return false;
                }
            }
        }
        timed
    }

    /// A message of protocol 999 in a datagram that cannot be read to its end.
    fn other_dialect(&mut self, bytes: &[u8], at: usize) -> Next {
        let mut r = Reader::new(bytes.get(at..).unwrap_or_default());
        match message::read_service(&mut r, &mut self.sent.dialect) {
            Ok(Said::NetQuake(service)) => self.heed(&service),
            Ok(Said::Fitz(_)) => {}
            Err(error) => {
                let name = self.sent.dialect.name();
                self.fail(&MESSAGES_CAN_BE_READ, &VER_04, || format!("in {name}: {error}"));
                return Next::Unknown;
            }
        }
        Next::At(at + r.at())
    }

    fn serverinfo(&mut self, bytes: &[u8], at: usize) -> Next {
        let announced = bytes.get(at..).and_then(|rest| rest.first_chunk().copied()).map(u32::from_le_bytes);
        let Some(protocol) = announced else {
            self.fail(&MESSAGES_CAN_BE_READ, &VER_04, || String::from("a serverinfo is cut off"));
            return Next::Unknown;
        };
        let flags = bytes.get(at + 4..).and_then(|rest| rest.first_chunk().copied()).map_or(0, u32::from_le_bytes);
        self.begins_again();
        self.sent.begin_map(protocol, flags);
        let known = [PROTOCOL_NETQUAKE, PROTOCOL_FITZQUAKE, PROTOCOL_RMQ].contains(&protocol);
        if (!known || protocol == PROTOCOL_RMQ) && protocol != self.options.protocol && !self.remote {
            self.fail(&PROTOCOL_IS_ANNOUNCED, &VER_01, || {
                format!("announces protocol {protocol}, and was set to {}", self.options.protocol)
            });
        }
        let mut r = Reader::new(bytes.get(at..).unwrap_or_default());
        let info = match ServerInfo::read(&mut r) {
            Ok(info) if known => info,
            Err(error) if known => {
                self.fail(&MESSAGES_CAN_BE_READ, &VER_04, || format!("a serverinfo cannot be read: {error}"));
                return Next::Unknown;
            }
            _ => return Next::Unknown,
        };
        if protocol == PROTOCOL_RMQ {
            self.report.remark("protocol 999 was announced: coords and angles are compared as 666 has them, and what the client shows is not");
        }
        self.sent.wire = Wire::default();
        self.sent.seats = info.max_clients.into();
        let seats = u16::from(info.max_clients) >= self.client.0.min(0xff);
        if (!seats || info.game_type >= GAME_TYPES) && !self.remote {
            let what = || format!("announces {} seats, and game type {}", info.max_clients, info.game_type);
            self.fail(&ANNOUNCEMENTS_MAKE_SENSE, &VER_04, what);
        }
        self.report.saw_if(protocol == PROTOCOL_FITZQUAKE, Point::Extended);
        for (name, count, wanted) in
            [("models", info.models.len(), self.options.models), ("sounds", info.sounds.len(), self.options.sounds)]
        {
            let is_wide = protocol != PROTOCOL_NETQUAKE && wanted > 0xff;
            self.report.saw_if(is_wide, Point::ManyNames);
            if protocol == PROTOCOL_NETQUAKE && count > MOST_NAMES {
                self.report.remark(MANY_NAMES);
            }
            if is_wide && count < wanted {
                self.fail(&NAMES_ARE_ANNOUNCED, &LIM_01, || format!("announces {count} {name} of {wanted}"));
            }
        }
        Next::At(at + r.at())
    }

    fn other(&mut self, bytes: &[u8], at: usize, svc: u8) -> Next {
        let mut r = Reader::new(bytes.get(at..).unwrap_or_default());
        let Ok(Some(service)) = netquake::read_service(&mut r, svc, &Primitives::PLAIN) else {
            return self.stray(bytes, at - 1, svc);
        };
        self.heed(&service);
        Next::At(at + r.at())
    }

    /// What a message means for what follows.
    fn heed(&mut self, service: &Service<'_>) {
        match *service {
            Service::Time { time } => self.sent.time = Some(f64::from(float_value(time))),
            Service::SetView { entity } => {
                self.sent.wire.sees_by_another |= self.sent.stage >= 3 && entity != self.sent.own;
                self.sent.own = entity;
                self.sent.right.forget();
            }
            Service::SignOnNum { stage } => self.sign_on(stage),
            Service::Print { text } => self.print(text),
            Service::Disconnect => self.sent.ended = true,
            Service::StuffText { text } => {
                self.sent.again |= netquake::has_reconnect(text);
            }
            Service::LightStyle { style, .. } if style >= LIGHT_STYLES => {
                self.fail(&ANNOUNCEMENTS_MAKE_SENSE, &VER_04, || format!("sets style {style} of lights"));
            }
            _ => self.event(service),
        }
    }

    /// A map is announced: where it is not the first of the connection, the client was instructed to sign on again.
    fn begins_again(&mut self) {
        if self.sent.stage > 0 && !self.sent.again && !self.remote {
            let what = || String::from("announces another map without an order to sign on again");
            self.fail(&SIGN_ON_STEPS_ASCEND, &NET_06, what);
        }
    }

    /// A datagram with a time was sent: how many of them have nothing of the player?
    fn player_waits(&mut self) {
        self.sent.playerless += 1;
        if self.sent.playerless == MISSED && self.sent.stage >= 3 && !self.sent.between {
            self.fail(&CLIENTDATA_GOES_ON, &NET_12, || format!("sends {MISSED} datagrams without a clientdata"));
        }
    }

    /// A datagram was sent: how many in a row have no time, as one that is emptied when it is full?
    fn time_waits(&mut self) {
        let has_time = self.sent.starts.iter().any(|(svc, _)| *svc == SVC_TIME);
        self.sent.timeless = if has_time { 0 } else { self.sent.timeless + u32::from(self.whole) };
        if self.sent.timeless == MISSED && self.sent.stage >= 3 && !self.sent.between {
            self.fail(&CLIENTDATA_GOES_ON, &NET_12, || format!("sends {MISSED} datagrams without a svc_time"));
        }
    }

    /// There is no message `svc`, or it cannot be read.
    fn stray(&mut self, bytes: &[u8], at: usize, svc: u8) -> Next {
        let (mut last, mut wide) = (None, None);
        for &(svc, at) in &self.sent.starts {
            if !last.is_some_and(|(last, _)| diagnosis::is_beside_new(last)) {
                last = Some((svc, Kind::of(svc).map_or(0, |kind| kind.bits(bytes, at))));
            }
            wide = last.filter(|last| is_wide(*last)).or(wide);
        }
        // Without the world, what is new is more likely wrong than what protocol 15 has, wherever it shows.
        let suspects = diagnosis::stray(svc, wide.filter(|_| self.truth.is_none()).or(last));
        let whose = netquake::neighbours::whose(svc);
        let of_neighbour = svc >= FIRST_NEW_SERVICE && !whose.is_empty();
        // Over protocol 15 nothing of 666 can have led there.
        let suspects = if of_neighbour && !self.sent.extended() { Suspects::from(&VER_04) } else { suspects };
        let unread = bytes.len().saturating_sub(at);
        self.fail(&MESSAGES_CAN_BE_READ, suspects, || match of_neighbour {
            false => {
                format!("there is no message {svc} at byte {at}, or not all of it: {unread} bytes cannot be read")
            }
            true => {
                format!("message {svc} at byte {at} is {whose}, not of this protocol: {unread} bytes cannot be read")
            }
        });
        Next::Unknown
    }

    fn sign_on(&mut self, stage: u8) {
        if stage <= self.sent.stage || stage != self.sent.stage + 1 && !self.remote {
            let before = self.sent.stage;
            self.fail(&SIGN_ON_STEPS_ASCEND, &NET_06, || {
                format!("step {stage} of the sign-on comes after step {before}")
            });
        }
        self.sent.stage = self.sent.stage.max(stage);
        if stage == 2 {
            self.all_is_announced();
        } else if stage == 3 {
            self.is_named();
        }
    }

    fn print(&mut self, text: &[u8]) {
        let Some(number) = proof(text) else { return };
        let sent = &mut *self.sent;
        sent.events.printed(number);
        let mut open = sent.prints.iter().skip(sent.printed);
        // Of equal ones, that which has to come: one that was told while the client signed on need not.
        let due = open.clone().position(|print| print.is_due);
        let due = due.filter(|&place| open.clone().nth(place).is_some_and(|print| print.number == number));
        let place = due.or_else(|| open.clone().position(|print| print.number == number));
        // What was left out is not asked for again.
        sent.printed += place.map_or(0, |place| place + 1);
        let left_out = place.is_some_and(|place| open.clone().take(place).any(|print| print.number == number));
        let first = |print: &&ToPrint| print.number == number || print.is_due;
        match due.and_then(|place| open.clone().nth(place)).or_else(|| open.find(first)) {
            Some(print) if print.number == number => sent.may_repeat = left_out.then_some(number),
            _ if sent.may_repeat.take() == Some(number) => {}
            due => {
                let what = match due {
                    Some(print) => format!("prints {number}, and {} is due", print.number),
                    None => format!("prints {number}, which is not due"),
                };
                self.fail(&PRINTS_ARE_SENT_IN_ORDER, &NET_06, || what);
            }
        }
    }

    /// The run is over.
    pub fn finish(&mut self) {
        let (at, off) = (self.sent.at_base, self.sent.off_base);
        self.report.saw_if(at[0] + at[1] >= ENOUGH && off[0] >= ENOUGH, Point::Mentions);
        if at[1] >= ENOUGH && at[0] == 0 && off[0] >= ENOUGH && off[1] == 0 {
            self.fail(&UNCHANGED_ENTITIES_ARE_MENTIONED, &ENT_12, || {
                format!(
                    "entities off their baseline were mentioned {} times of {0}, those at it never in {}",
                    off[0], at[1]
                )
            });
        }
    }
}
