//! The scenario's commands as calls: what the server is to send, to whom, in which order.

use super::expectation::Write;
use crate::constants::{MSG_ALL, MSG_BROADCAST, MSG_INIT, MSG_ONE};
use crate::state::World;
use crate::tables::{Kind, Message, Tables};
use crate::verbs::*;
use crate::version::Version;
use kit::table::float_value;
use kit::{Command, HostId, Time};
use netquake::constants::{
    SVC_DAMAGE, SVC_PARTICLE, SVC_PRINT, SVC_SET_ANGLE, SVC_TEMP_ENTITY, TE_EXPLOSION, service_name,
};
use netquake::update::ORIGIN;
use std::collections::VecDeque;
use std::fmt;

/// Calls remembered; older ones are judged no more.
const MAX_CALLS: usize = 4096;

/// Writes of svc_setangle without a table.
const PLAIN_ANGLES: usize = 4;
/// Writes of TE_EXPLOSION without a table.
const PLAIN_EXPLOSION: usize = 5;

/// Where a call came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The engine turns a view.
    Angles,
    /// The engine's particles.
    Particles,
    /// QuakeC's explosion.
    Explosion,
    /// A numbered print.
    Print,
    /// The engine hurts a client.
    Damage,
    /// The engine's unlisted message to one client, unreliable.
    Named,
    /// QuakeC prepared a message that has a table.
    Prepared,
    /// QuakeC wrote without preparation, or with one for a message that has no table.
    Written,
}

/// Where a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dest {
    /// Unreliable.
    Broadcast,
    /// Reliable, to one.
    One,
    /// Reliable, to all.
    All,
    /// The sign-on data.
    Init,
    /// The frame's datagram of one client, or its answer to spawn.
    Frame,
}

/// Which buffer a call goes through: the order of calls holds within one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `client.message`.
    Message,
    /// `sv.reliable_datagram`.
    Reliable,
    /// `sv.signon`.
    SignOn,
    /// `client.datagram`.
    Own,
    /// `sv.datagram`.
    Common,
    /// Written right into the frame.
    Frame,
}

impl Class {
    /// Whether it is part of the reliable stream; none of what is written right into the sign-on data or a frame.
    pub fn is_reliable(self) -> Option<bool> {
        match self {
            Class::Message | Class::Reliable => Some(true),
            Class::Own | Class::Common => Some(false),
            Class::SignOn | Class::Frame => None,
        }
    }
}

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its number, counted from 0.
    pub id: u64,
    /// When the scenario asked for it.
    pub at: Time,
    /// The frame that it was executed in, once that shows.
    pub frame: Option<Time>,
    /// Where it came from.
    pub origin: Origin,
    /// Where it goes.
    pub dest: Dest,
    /// Whom it names; 0 for all.
    pub client: u16,
    /// Its message in the tables.
    pub table: Option<usize>,
    /// Every write that a server of the newest version makes.
    pub writes: Vec<Write>,
    /// QuakeC prepared it, although no table has it.
    pub announced: bool,
    /// The entity that it happens at.
    entity: Option<u32>,
    /// Bytes of writes; it may be joined by further ones at the same moment.
    open: bool,
    /// A client of an old version got it in an old form, one of a new version in a new one.
    pub forms_seen: [bool; 2],
}

impl Call {
    /// The service's number.
    pub fn svc(&self) -> u8 {
        self.byte(0)
    }

    /// The byte after it.
    pub fn sub(&self) -> u8 {
        self.byte(1)
    }

    fn byte(&self, index: usize) -> u8 {
        self.writes.get(index).and_then(|write| write.bytes.first()).copied().unwrap_or_default()
    }

    /// The buffer that it goes through.
    pub fn class(&self) -> Class {
        let converted = self.table.is_some() || self.origin == Origin::Named;
        match (self.dest, converted) {
            (Dest::Broadcast, true) => Class::Own,
            (Dest::Broadcast, false) => Class::Common,
            (Dest::One, _) | (Dest::All, true) => Class::Message,
            (Dest::All, false) => Class::Reliable,
            (Dest::Init, _) => Class::SignOn,
            (Dest::Frame, _) => Class::Frame,
        }
    }

    /// Whether it is for this client.
    pub fn is_for(&self, client: u16) -> bool {
        self.client == 0 || self.client == client
    }
}

/// Such as `svc_print "line 3" (requested at 1.5 s, One to client2)`.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(service_name(self.svc()).unwrap_or("a message"))?;
        if let Some(write) = self.writes.get(1).filter(|_| self.svc() == SVC_PRINT) {
            let text = write.bytes.strip_suffix(&[0]).unwrap_or(&write.bytes);
            write!(f, " {:?}", String::from_utf8_lossy(text))?;
        }
        write!(f, " (requested at {}, {:?} to ", self.at, self.dest)?;
        if self.client == 0 { f.write_str("all)") } else { write!(f, "{})", HostId(self.client)) }
    }
}

/// The calls of a run.
#[derive(Debug)]
pub struct Truth {
    /// The tables of the run.
    pub tables: Tables,
    /// The server's version, as the options have it.
    pub ssvc: i32,
    /// Number of clients in the run.
    clients: u16,
    /// The world.
    pub world: World,
    /// When the scenario changed it last.
    pub world_changed: Time,
    /// The calls, oldest first.
    pub calls: VecDeque<Call>,
    /// For each command byte, whether a call of this run has begun with it.
    heads: [bool; 256],
    next: u64,
    /// The prepared message that writes still go to, and how many of them.
    prepared: Option<(u64, usize)>,
    /// QuakeC prepared a message that has no table.
    announced: bool,
    /// A reliable message whose writes came in two frames.
    pub torn: Option<u64>,
    /// QuakeC asked for another version in mid level.
    pub version_tried: bool,
    /// The calls for the level's sign-on data, in order.
    pub sign_on: Vec<u64>,
    /// The first call of the level: those before it may still have come into it.
    level_first: u64,
    /// Time between frames, in microseconds.
    pub tick_us: u64,
    /// When the level began.
    pub level_began: Time,
    /// The commands of the scenario to the server are not known: a level begins when a client is sent word of it.
    pub is_blind: bool,
    /// The server is remote: its version is what it sends, in each level again.
    pub remote_server: bool,
    /// It was sent in this level.
    pub ssvc_sent: bool,
    /// The newest version of commands that it has sent.
    pub newest_sent: Version,
    /// So one began, and the other clients' sessions have not taken note of it.
    pub began_unseen: bool,
    /// The level's sign-on data as a client got them, calls left out, and when.
    pub image: Option<(Time, Vec<u8>)>,
    /// A client got others, and nobody was sent a new level since: without the scenario it may begin unseen. When the first got
    /// theirs, when this one did, and who it is.
    pub other_image: Option<(Time, Time, HostId)>,
}

impl Truth {
    /// Before the first command.
    pub fn new(tables: Tables, ssvc: i32, clients: u16, is_blind: bool) -> Truth {
        Truth {
            clients,
            tables,
            ssvc,
            world: World::default(),
            world_changed: Time::ZERO,
            calls: VecDeque::new(),
            heads: [false; 256],
            next: 0,
            prepared: None,
            announced: false,
            torn: None,
            version_tried: false,
            sign_on: Vec::new(),
            level_first: 0,
            tick_us: 0,
            level_began: Time::ZERO,
            is_blind,
            remote_server: false,
            ssvc_sent: false,
            newest_sent: Version::PLAIN,
            began_unseen: false,
            image: None,
            other_image: None,
        }
    }

    /// The call with this number, if it is remembered.
    pub fn call(&self, id: u64) -> Option<&Call> {
        let first = self.calls.front()?.id;
        self.calls.get(usize::try_from(id.checked_sub(first)?).ok()?)
    }

    /// The same, to be changed.
    pub fn call_mut(&mut self, id: u64) -> Option<&mut Call> {
        let first = self.calls.front()?.id;
        self.calls.get_mut(usize::try_from(id.checked_sub(first)?).ok()?)
    }

    /// Whether any call of this run has begun with this command byte: most of a frame begins like none.
    pub fn has_begun_with(&self, svc: u8) -> bool {
        self.heads[usize::from(svc)]
    }

    /// A level begins.
    pub fn begin_level(&mut self, now: Time) {
        let Truth { calls, sign_on, tick_us, .. } = self;
        // What no frame has executed yet is executed in the new level, or was in the old one: none has to come.
        let recent = calls.iter().rev().take_while(|call| now.since(call.at) <= 2 * *tick_us);
        let recent = recent.filter(|call| call.dest == Dest::Init).map(|call| call.id);
        *sign_on = recent.collect();
        sign_on.reverse();
        self.level_first = self.next;
        self.level_began = now;
        (self.image, self.other_image) = (None, None);
        self.ssvc_sent = false;
    }

    /// Whether the level's sign-on data must have a call.
    pub fn is_of_level(&self, id: u64) -> bool {
        id >= self.level_first
    }

    /// The message that a call's table describes.
    pub fn message(&self, call: &Call) -> Option<&Message> {
        call.table.and_then(|index| self.tables.messages().get(index))
    }

    /// A frame begins: calls not executed so far are executed now.
    pub fn frame(&mut self, now: Time) {
        let Truth { calls, world, .. } = self;
        for call in calls.iter_mut().rev() {
            if call.frame.is_some() {
                break;
            }
            call.frame = Some(now);
            call.open = false;
            let Some(entity) = call.entity else { continue };
            let Some(fields) = world.live.get(entity).map(|entity| entity.0) else {
                // It happens nowhere.
                call.writes.clear();
                continue;
            };
            let from = if call.origin == Origin::Explosion { 2 } else { 1 };
            for (write, &bits) in call.writes.iter_mut().skip(from).zip(fields.iter().skip(ORIGIN)).take(3) {
                *write = Write::coord(float_value(bits));
            }
        }
    }

    /// Takes a command of the server. The call that it added, if it did.
    pub fn command(&mut self, now: Time, command: &Command) -> Option<u64> {
        let Command::Verb { verb, args } = *command else {
            if matches!(command, Command::Map) {
                self.begin_level(now);
            }
            self.world.apply(now, command);
            self.world_changed = now;
            return None;
        };
        let [first, second, third, fourth] = args;
        match verb {
            VERB_QC_INIT => return self.prepare(now, dest(first)?, second as u8, third as u8, fourth as u16),
            VERB_QC_WRITE => {
                let kind = *Kind::ALL.get(usize::try_from(first).ok()?)?;
                return self.write(now, dest(second)?, fourth as u16, Write::scripted(kind, third));
            }
            VERB_SET_VERSION => {
                self.version_tried = true;
                return None;
            }
            _ => {}
        }
        let (origin, to, client, entity, writes) = requested(verb, args)?;
        let nobody = matches!(origin, Origin::Angles | Origin::Damage | Origin::Named) && client == 0;
        if nobody || (origin == Origin::Explosion && client > self.clients) {
            return None;
        }
        self.prepared = None;
        self.close(to, client);
        let listed = matches!(origin, Origin::Angles | Origin::Particles | Origin::Explosion);
        let id = self.add(now, origin, to, client, writes, entity);
        let tables = &self.tables;
        if let Some(call) = self.calls.back_mut().filter(|_| listed) {
            call.table = tables.index(call.svc(), call.sub());
            match (call.table, origin) {
                (None, Origin::Angles) => call.writes.truncate(PLAIN_ANGLES),
                (None, Origin::Explosion) => call.writes.truncate(PLAIN_EXPLOSION),
                _ => {}
            }
        }
        Some(id)
    }

    fn prepare(&mut self, now: Time, to: Dest, svc: u8, sub: u8, client: u16) -> Option<u64> {
        if client > self.clients {
            // No client's entity: an error of the mod.
            return None;
        }
        self.prepared = None;
        self.close(to, client);
        self.announced = self.tables.index(svc, sub).is_none();
        let index = self.tables.index(svc, sub)?;
        let lines = super::expectation::Lines::of(self.tables.messages().get(index)?, self.ssvc, 0);
        let left = lines.writes(self.tables.messages().get(index)?);
        let id = self.add(now, Origin::Prepared, to, client, Vec::new(), None);
        if let Some(call) = self.calls.back_mut() {
            call.table = Some(index);
        }
        self.prepared = (left > 0).then_some((id, left));
        Some(id)
    }

    /// A write goes to the prepared message, as long as that lacks some; else to where it says.
    fn write(&mut self, now: Time, to: Dest, client: u16, write: Write) -> Option<u64> {
        let client = addressee(to, client);
        if let Some((id, left)) = self.prepared {
            self.prepared = (left > 1).then_some((id, left - 1));
            let call = self.call_mut(id)?;
            call.writes.push(write);
            let head = call.svc();
            self.heads[usize::from(head)] = true;
            return None;
        }
        let joined = self
            .calls
            .iter_mut()
            .rev()
            .take_while(|call| call.at == now)
            .find(|call| call.open && call.origin == Origin::Written && call.dest == to && call.client == client);
        if let Some(call) = joined {
            call.writes.push(write);
            return None;
        }
        let id = self.add(now, Origin::Written, to, client, vec![write], None);
        let announced = self.announced;
        if let Some(call) = self.calls.back_mut() {
            call.open = true;
            call.announced = announced;
        }
        Some(id)
    }

    /// Something else goes to the same place: writes before and after it are no longer beside each other.
    fn close(&mut self, to: Dest, client: u16) {
        for call in self.calls.iter_mut().rev().take_while(|call| call.frame.is_none()) {
            let apart = call.client != 0 && client != 0 && call.client != client;
            if call.dest == to && !apart {
                call.open = false;
            }
        }
    }

    fn add(
        &mut self,
        at: Time,
        origin: Origin,
        dest: Dest,
        client: u16,
        writes: Vec<Write>,
        entity: Option<u32>,
    ) -> u64 {
        let id = self.next;
        self.next += 1;
        if dest == Dest::Init && self.sign_on.len() < MAX_CALLS {
            self.sign_on.push(id);
        }
        if self.calls.len() == MAX_CALLS {
            self.calls.pop_front();
        }
        if let Some(&head) = writes.first().and_then(|write| write.bytes.first()) {
            self.heads[usize::from(head)] = true;
        }
        self.calls.push_back(Call {
            id,
            at,
            frame: None,
            origin,
            dest,
            client,
            table: None,
            writes,
            announced: false,
            entity,
            open: false,
            forms_seen: [false; 2],
        });
        id
    }

    /// A call that turns the view of a client, which nobody asked for: an answer to spawn has one.
    pub fn angles_call(&self, at: Time, client: u16) -> Call {
        Call {
            id: self.next,
            at,
            frame: None,
            origin: Origin::Angles,
            dest: Dest::Frame,
            client,
            table: self.tables.index(SVC_SET_ANGLE, 0),
            writes: vec![Write::byte(SVC_SET_ANGLE)],
            announced: false,
            entity: None,
            open: false,
            forms_seen: [false; 2],
        }
    }

    /// A frame has begun, and a prepared message still lacks writes. Whether that breaks streams for sure: an unreliable
    /// one cannot be whole any more.
    pub fn tears(&mut self) -> bool {
        let torn = self.prepared.and_then(|(id, _)| self.call(id)).filter(|call| call.frame.is_some());
        let Some((id, dest)) = torn.map(|call| (call.id, call.dest)) else { return false };
        self.torn = Some(id);
        matches!(dest, Dest::Broadcast | Dest::Frame)
    }
}

/// Where a call comes from, where it goes, the client that it names, the entity that it happens at, and every write that a
/// server of the newest version makes.
type Requested = (Origin, Dest, u16, Option<u32>, Vec<Write>);

/// What a verb requests.
fn requested(verb: usize, args: [i32; 4]) -> Option<Requested> {
    let [first, second, third, fourth] = args;
    let coord = || Write::coord(0.0);
    Some(match verb {
        VERB_SET_ANGLE => {
            let angles = [second, third, fourth].map(|hundredths| hundredths as f32 / 100.0);
            let writes = [Write::byte(SVC_SET_ANGLE)].into_iter().chain(angles.map(Write::angle));
            let writes = writes.chain(angles.map(Write::float)).collect();
            (Origin::Angles, Dest::Frame, first as u16, None, writes)
        }
        VERB_PARTICLE => {
            let direction = [0.0, 0.0, fourth as f32 / 100.0].map(Write::direction);
            let head = [Write::byte(SVC_PARTICLE), coord(), coord(), coord()];
            let tail = [Write::byte(second as u8), Write::byte(third as u8)];
            let writes = head.into_iter().chain(direction).chain(tail).collect();
            (Origin::Particles, Dest::Broadcast, 0, Some(first as u32), writes)
        }
        VERB_EXPLOSION => {
            let color = second.to_le_bytes().map(|eighths| Write::exact(&i16::from(eighths).to_le_bytes()));
            let head = [Write::byte(SVC_TEMP_ENTITY), Write::byte(TE_EXPLOSION), coord(), coord(), coord()];
            let writes = head.into_iter().chain(color).collect();
            (Origin::Explosion, Dest::Broadcast, third as u16, Some(first as u32), writes)
        }
        VERB_PRINT => {
            let to = dest(first)?;
            (Origin::Print, to, addressee(to, second as u16), None, print(third))
        }
        VERB_DAMAGE => {
            let writes = vec![Write::byte(SVC_DAMAGE), Write::byte(second as u8), Write::byte(third as u8)];
            (Origin::Damage, Dest::Frame, first as u16, None, writes)
        }
        VERB_BROADCAST_ONE => (Origin::Named, Dest::Broadcast, first as u16, None, print(second)),
        _ => return None,
    })
}

/// Whom a message without a table is for: only MSG_ONE names a client, and goes nowhere without.
fn addressee(to: Dest, client: u16) -> u16 {
    match (to, client) {
        (Dest::One, 0) => u16::MAX,
        (Dest::One, client) => client,
        _ => 0,
    }
}

fn dest(number: i32) -> Option<Dest> {
    Some(match u8::try_from(number).ok()? {
        MSG_BROADCAST => Dest::Broadcast,
        MSG_ONE => Dest::One,
        MSG_ALL => Dest::All,
        MSG_INIT => Dest::Init,
        _ => return None,
    })
}

/// `line <number>`, as a print.
fn print(number: i32) -> Vec<Write> {
    let mut text = format!("line {number}\n").into_bytes();
    text.push(0);
    vec![Write::byte(SVC_PRINT), Write::exact(&text)]
}
