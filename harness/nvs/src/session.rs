//! What a server holds of one client: its connection, its versions, its buffers, and the datagram of each frame.

pub mod rules;

use crate::buffers::{Buffer, Outlet};
use crate::constants::PACKET_BYTES;
use crate::latitude::Overfull;
use crate::message::move_form;
use crate::notes;
use crate::preparation::{Parties, Party};
use crate::state::{Entity, World};
use crate::version::{Version, Versions};
use kit::table::{float_bits, float_value};
use kit::{DecodeError, Event, PeerId, Reader, Time, Writer};
use netquake::clientdata::ClientData;
use netquake::constants::*;
use netquake::update::{EFFECTS, FastUpdate};
use netquake::{Channel, ClientCommand, Incoming, Primitives, Service, read_command};
use rules::ServerRules;
use std::collections::VecDeque;

/// How long a client that was disconnected may take to acknowledge that.
const LINGER_US: u64 = 5_000_000;

/// Commands of one packet that are heeded; further ones are not.
const MAX_COMMANDS: usize = 64;

/// A session.
#[derive(Debug)]
pub struct Session {
    /// The client.
    pub peer: PeerId,
    /// When it was accepted.
    pub opened: Time,
    /// How far it has come.
    pub stage: Stage,
    /// The maximum that it claimed last; 0 if it never did.
    pub maximum: Version,
    /// Those that it was sent, or would be.
    pub versions: Versions,
    /// Whether the end of the sign-on data was written to it, in this level.
    pub signed_on: bool,
    /// Whether it was sent its versions, in this level.
    pub answered: bool,
    /// Its buffers until the end of the frame.
    pub outlet: Outlet,
    /// How much was in its reliable buffer before this frame's calls.
    pub before_calls: usize,
    /// Where the server turns its view next: pitch, yaw, roll, in degrees.
    pub angle: Option<[f32; 3]>,
    /// How much it was hurt in this frame: armour and blood.
    pub damage: Option<(u8, u8)>,
    /// The version that QuakeC's entity of the player shows.
    pub shown_svc: Version,
    /// What it said that the server has not acted upon yet.
    pub commands: Vec<Vec<u8>>,
    rules: ServerRules,
    channel: Channel,
    /// Its view angles as its moves have them: the bits of `f32`s.
    angles: [i32; 3],
    /// Until when the session stays, once it is closed.
    linger: Time,
    /// Frames so far.
    frames: u32,
    payload: Vec<u8>,
    payload_due: bool,
    events: VecDeque<Event>,
}

/// How far a client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Was accepted.
    Connected,
    /// Knows the level.
    Informed,
    /// Has the sign-on data.
    Prespawned,
    /// Has everything.
    Spawned,
    /// Plays.
    Active,
    /// Has left, or was disconnected.
    Closed,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Connected => "connected",
            Stage::Informed => "informed",
            Stage::Prespawned => "prespawned",
            Stage::Spawned => "spawned",
            Stage::Active => "active",
            Stage::Closed => "closed",
        }
    }
}

impl Session {
    /// A client that was accepted just now.
    pub fn new(now: Time, peer: PeerId, rules: &ServerRules) -> Session {
        Session {
            peer,
            opened: now,
            stage: Stage::Connected,
            maximum: Version::PLAIN,
            versions: Versions::default(),
            signed_on: false,
            answered: false,
            outlet: Outlet::default(),
            before_calls: 0,
            angle: None,
            damage: None,
            shown_svc: Version::PLAIN,
            commands: Vec::new(),
            rules: *rules,
            channel: Channel::with(MAX_FRAGMENT_BYTES, rules.transport),
            angles: [0; 3],
            linger: now,
            frames: 0,
            payload: Vec::with_capacity(PACKET_BYTES),
            payload_due: false,
            events: VecDeque::new(),
        }
    }

    /// Whether the client is gone.
    pub fn closed(&self) -> bool {
        self.stage == Stage::Closed
    }

    /// Whether nothing is left to be done for a client that is gone.
    pub fn over(&self, now: Time) -> bool {
        self.closed() && (self.channel.reliable_idle() || now >= self.linger)
    }

    /// The client has come further, or back.
    pub fn enter(&mut self, stage: Stage, cause: &'static str) {
        let (from, to) = (self.stage.name(), stage.name());
        self.stage = stage;
        if from != to {
            self.events.push_back(Event::State { peer: self.peer, from, to, cause });
        }
    }

    /// A remark.
    pub fn note(&mut self, number: usize, args: &[i64]) {
        self.events.push_back(notes::note(number, args));
    }

    /// Appends a message of NetQuake's to the client's reliable buffer.
    pub fn say(&mut self, service: &Service<'_>) {
        let mut bytes = Vec::new();
        service.write(&mut Writer::new(&mut bytes), &Primitives::PLAIN);
        self.outlet.message.push(&bytes);
    }

    /// Hands the reliable buffer over to the connection if that is free.
    pub fn flush(&mut self) {
        if self.channel.reliable_idle() && !self.outlet.message.is_empty() {
            self.flush_with(&[]);
        }
    }

    /// Hands the reliable buffer over to the connection, whether that is free or not, and after it `more`.
    pub fn flush_with(&mut self, more: &[u8]) {
        if !self.outlet.message.overflowed() {
            self.channel.queue_reliable(self.outlet.message.bytes());
            self.outlet.message.clear();
            self.channel.queue_reliable(more);
        }
    }

    /// Sends the client away; what waits for it is lost, but for what the connection has already.
    pub fn drop_client(&mut self, now: Time, cause: &'static str) {
        self.outlet.message.clear();
        self.say(&Service::Disconnect);
        self.flush_with(&[]);
        self.linger = now.after(LINGER_US);
        self.enter(Stage::Closed, cause);
    }

    /// Sends the client away after all that waits for it.
    pub fn dismiss(&mut self, now: Time, cause: &'static str) {
        self.say(&Service::Disconnect);
        self.flush_with(&[]);
        self.linger = now.after(LINGER_US);
        self.enter(Stage::Closed, cause);
    }

    /// Takes a datagram of the connection. What it commands is in `commands` then.
    ///
    /// # Errors
    /// The first field that cannot be read; what stands before it counts.
    pub fn receive(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        // NVS-CLC-02
        let form = move_form((self.rules.moves)(&self.versions));
        let active = self.stage == Stage::Active;
        let Session { channel, commands, .. } = self;
        let (payload, reliable) = match channel.receive(now, bytes)? {
            Incoming::Unreliable { payload, .. } => (payload, false),
            Incoming::Reliable { message } => (message, true),
            Incoming::Nothing => return Ok(()),
            Incoming::Stale { sequence } => {
                self.note(notes::STALE, &[sequence.into()]);
                return Ok(());
            }
        };
        // A move that was under way when a level ended is in a form that nobody may know any more.
        if !reliable && !active && payload != [CLC_DISCONNECT] {
            return Ok(());
        }
        let (mut input, mut left, mut result) = (None, false, Ok(()));
        let mut r = Reader::new(payload);
        while r.left() > 0 {
            let offset = r.at();
            let command = r.u8("clc").and_then(|clc| {
                read_command(&mut r, clc, &form)?
                    .map_or_else(|| r.error(offset, "clc", kit::ErrorKind::Unknown { value: clc.into() }), Ok)
            });
            match command {
                Ok(ClientCommand::Nop) => {}
                Ok(ClientCommand::Disconnect) => left = true,
                Ok(ClientCommand::Move(read)) => input = Some(read),
                Ok(ClientCommand::String { text }) if commands.len() < MAX_COMMANDS => commands.push(text.to_vec()),
                Ok(ClientCommand::String { .. }) => {}
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        if let Some(input) = input.filter(|_| active) {
            self.apply_move(input.angles);
        }
        if left {
            self.enter(Stage::Closed, "disconnect");
        }
        result
    }

    fn apply_move(&mut self, angles: [i32; 3]) {
        let client = i64::from(self.peer.host.0);
        for (axis, (held, angle)) in (0..).zip(self.angles.into_iter().zip(angles)) {
            if held != angle {
                self.note(notes::VIEW_ANGLE, &[client, axis, angle.into()]);
            }
        }
        self.angles = angles;
    }

    /// Makes the frame's datagram: the player's own state with what the engine adds to it (`own`), the entities, the
    /// client's unreliable buffer, and that of all clients.
    pub fn write_datagram(&mut self, now: Time, world: &World, own: &[u8], common: &[u8]) {
        let Session { payload, outlet, damage, rules, .. } = self;
        payload.clear();
        let plain = &Primitives::PLAIN;
        let mut w = Writer::new(payload);
        Service::Time { time: float_bits(now.as_seconds()) }.write(&mut w, plain);
        if let Some((armor, blood)) = damage.take() {
            Service::Damage { armor, blood, from: [0; 3] }.write(&mut w, plain);
        }
        w.bytes("own", own);
        Service::ClientData(ClientData::default()).write(&mut w, plain);
        for (number, entity) in world.live.iter() {
            let Ok(number) = u16::try_from(number) else { break };
            let mut baseline = world.baselines.get(number.into()).unwrap_or(&<Entity as kit::Record>::NULL).record();
            // A baseline travels without effects: clients begin with none.
            baseline[EFFECTS] = 0;
            let before = w.len();
            FastUpdate::new(number, false, &baseline, &entity.record()).write(&mut w, plain);
            if w.len() > PACKET_BYTES {
                w.truncate(before);
                break;
            }
        }
        let room = if rules.latitude.fills_datagrams { PACKET_BYTES } else { PACKET_BYTES - 1 };
        let mut blocks = [outlet.datagram.bytes(), common];
        let broadcasts: usize = blocks.iter().map(|block| block.len()).sum();
        if rules.latitude.overfull == Overfull::LeavesOutAll && payload.len() + broadcasts > room {
            blocks = [&[], &[]];
        }
        if rules.latitude.common_datagram_first {
            blocks.reverse();
        }
        blocks.iter().for_each(|block| (rules.copy)(payload, block, room));
        self.payload_due = true;
    }

    /// The frame ends: the reliable buffer goes out if the connection is free.
    pub fn end_frame(&mut self, now: Time) {
        self.frames = self.frames.wrapping_add(1);
        if self.closed() {
            return;
        }
        if self.outlet.message.overflowed() {
            self.note(notes::OVERFLOW, &[self.peer.host.0.into()]);
            return self.drop_client(now, "takes no reliable messages");
        }
        self.flush();
        let nop = crate::latitude::due(self.frames, self.rules.latitude.nop_every);
        if nop && self.stage != Stage::Active {
            self.payload.clear();
            self.payload.push(SVC_NOP);
            self.payload_due = true;
        }
    }

    /// Appends the next datagram to send, if there is one.
    pub fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        if self.channel.poll_transmit(now, out) {
            return true;
        }
        let due = std::mem::take(&mut self.payload_due) && !self.closed();
        if due {
            self.channel.write_unreliable(&self.payload, out);
        }
        due
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// When something must be sent again.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.channel.poll_timeout()
    }

    /// The view angles that the client's moves had last, in degrees.
    pub fn view_angles(&self) -> [f32; 3] {
        self.angles.map(float_value)
    }
}

impl Parties for Vec<Session> {
    fn each(&mut self, visit: &mut dyn FnMut(Party<'_>)) {
        // NVS-WR-06
        for session in self.iter_mut().filter(|session| !session.closed()) {
            let versions = (session.rules.in_force)(session);
            visit(Party { host: session.peer.host, versions, outlet: &mut session.outlet });
        }
    }
}

/// Appends bytes at a place of a buffer that has room for them.
pub fn insert(buffer: &mut Buffer, at: usize, bytes: &[u8]) {
    let tail = buffer.bytes().get(at..).unwrap_or_default().to_vec();
    buffer.truncate(at);
    buffer.push(bytes);
    buffer.push(&tail);
}
