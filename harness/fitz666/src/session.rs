//! A server's session with one client: sign-on, then a datagram per tick that needs no other.

mod datagram;
pub mod rules;
mod sign_on;

use crate::latitude::due;
use crate::message::{self, Dialect};
use crate::notes;
use crate::options::Options;
use crate::state::*;
use crate::think::Thinking;
use kit::table::float_bits;
use kit::{DecodeError, Event, PeerId, Reader, StatValue, Time, Writer};
use netquake::effect::Sound;
use netquake::{Channel, ClientCommand, Incoming, Level, Move, Service};
use rules::ServerRules;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of reliable messages that may wait for their acknowledgement when the client asks for more, or the server has
/// more to say. A client that acknowledges nothing is dropped.
pub const MAX_QUEUED_BYTES: usize = 1 << 20;

/// Bytes of what happens once (sounds, particles) that wait for the next datagram; more is lost.
const MAX_EFFECT_BYTES: usize = 1024;
/// The statistics that the sign-on tells, as clientdata has none of them.
const COUNTERS: usize = (STAT_MONSTERS - STAT_TOTALSECRETS) as usize + 1;

/// A player's statistics, as the scenario set them.
pub type Stats = Box<[StatValue; 256]>;

/// The statistics of a player of whom nothing is set.
pub fn default_stats() -> Stats {
    let mut stats = Box::new([StatValue::Int(0); 256]);
    stats[usize::from(STAT_VIEWHEIGHT)] = StatValue::Int(netquake::constants::DEFAULT_VIEWHEIGHT.into());
    stats
}

/// What a server brings into every session.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// Its behaviour.
    pub rules: ServerRules,
    /// The run's options.
    pub options: &'a Options,
    /// The map.
    pub level: &'a Arc<Level>,
}

/// A session.
pub struct Session {
    peer: PeerId,
    opened: Time,
    options: Options,
    level: Arc<Level>,
    rules: ServerRules,
    clients: u16,
    channel: Channel,
    stage: Stage,
    dialect: Dialect,
    stats: Stats,
    /// The statistics beside clientdata as the sign-on sent them.
    stats_sent: [i32; COUNTERS],
    /// What happens once: points that armour and body took, a turn of the view, and sounds and particles, encoded.
    damage: Option<(u8, u8)>,
    turn: Option<[i32; 3]>,
    effects: Vec<u8>,
    /// What the moves said last: the view's angles, as bits.
    view: [i32; 3],
    /// Those of the datagram at hand.
    moves: Vec<Move>,
    ticks: u32,
    /// The unreliable messages of this tick; of the list, those from `sent` to `ready` wait.
    outgoing: [Vec<u8>; 2],
    ready: usize,
    sent: usize,
    events: VecDeque<Event>,
}

/// How far the client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Was accepted.
    Connected,
    /// Knows the map.
    Informed,
    /// Has the baselines.
    Prespawned,
    /// Has everything.
    Spawned,
    /// Plays.
    Active,
    /// Has left.
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

/// What all sessions of a server see.
pub struct Scene<'a> {
    /// The world.
    pub world: &'a World,
    /// When its entities think.
    pub thinking: &'a Thinking,
    /// What is out of whose sight: client and entity, ascending.
    pub hidden: &'a [(u16, u32)],
    /// The sounds that never stop.
    pub static_sounds: &'a [StaticSound],
    /// Server time, in seconds.
    pub time: f32,
}

/// A sound that never stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticSound {
    /// Where it is.
    pub origin: [i32; 3],
    /// Its number.
    pub sound: u16,
    /// Volume, 255 the loudest.
    pub volume: u8,
    /// Attenuation, in 1/64.
    pub attenuation: u8,
}

impl Session {
    /// A client was accepted.
    pub fn new(peer: PeerId, now: Time, stats: &Stats, clients: u16, terms: Terms<'_>) -> Session {
        let Terms { rules, options, level } = terms;
        let mut session = Session {
            peer,
            opened: now,
            options: *options,
            level: Arc::clone(level),
            rules,
            clients,
            channel: Channel::with(rules.latitude.fragment_bytes.unwrap_or(options.fragment_bytes), rules.conduct),
            stage: Stage::Closed,
            dialect: Dialect::with_flags(options.protocol, options.protocol_flags),
            stats: stats.clone(),
            stats_sent: [0; COUNTERS],
            damage: None,
            turn: None,
            effects: Vec::with_capacity(MAX_EFFECT_BYTES),
            view: [0; 3],
            moves: Vec::new(),
            ticks: 0,
            outgoing: Default::default(),
            ready: 0,
            sent: 0,
            events: VecDeque::new(),
        };
        session.enter(Stage::Connected, "connect");
        session
    }

    /// The client.
    pub fn peer(&self) -> PeerId {
        self.peer
    }

    /// When the session began.
    pub fn opened(&self) -> Time {
        self.opened
    }

    /// Whether the client has left.
    pub fn closed(&self) -> bool {
        self.stage == Stage::Closed && self.events.is_empty()
    }

    /// The client has left, or is taken for somebody who has.
    pub fn close(&mut self, cause: &'static str) {
        self.enter(Stage::Closed, cause);
    }

    fn enter(&mut self, stage: Stage, cause: &'static str) {
        let (from, to) = (self.stage.name(), stage.name());
        self.stage = stage;
        if from != to {
            self.events.push_back(Event::State { peer: self.peer, from, to, cause });
        }
    }

    /// Queues a message for the reliable stream. A client that takes nothing is dropped.
    fn queue(&mut self, message: &[u8]) {
        if self.channel.queued_bytes() > MAX_QUEUED_BYTES {
            return self.enter(Stage::Closed, "takes no reliable messages");
        }
        self.channel.queue_reliable(message);
    }

    fn queue_services(&mut self, services: &[Service<'_>]) {
        let mut message = Vec::new();
        let mut w = Writer::new(&mut message);
        services.iter().for_each(|service| service.write(&mut w, &self.dialect.primitives));
        self.queue(&message);
    }

    /// Changes a statistic of the client's player. Those that clientdata does not carry are sent reliably.
    pub fn set_stat(&mut self, stat: u8, value: StatValue) {
        self.stats[usize::from(stat)] = value;
        if self.stage == Stage::Active && !in_clientdata(stat) {
            let value = self.stat(stat);
            self.queue_services(&[Service::UpdateStat { stat, value }]);
        }
    }

    /// A statistic as an integer, floats toward zero.
    fn stat(&self, stat: u8) -> i32 {
        match self.stats[usize::from(stat)] {
            StatValue::Int(value) => value,
            StatValue::Float(value) => value as i32,
        }
    }

    /// Prints a line, reliably, if the client is in the game. Whether it is.
    pub fn print(&mut self, text: &str) -> bool {
        if self.stage == Stage::Active {
            self.queue_services(&[Service::Print { text: text.as_bytes() }]);
        }
        self.stage == Stage::Active
    }

    /// The player was hurt: the next datagram says so.
    pub fn hurt(&mut self, armor: u8, blood: u8) -> bool {
        let (before_armor, before_blood) = self.damage.unwrap_or_default();
        if self.stage == Stage::Active {
            self.damage = Some((before_armor.saturating_add(armor), before_blood.saturating_add(blood)));
        }
        self.stage == Stage::Active
    }

    /// Turns the view: the next datagram says so.
    pub fn turn(&mut self, angles: [f32; 3]) -> bool {
        if self.stage == Stage::Active {
            self.turn = Some(angles.map(float_bits));
        }
        self.stage == Stage::Active
    }

    /// Plays a sound with the next datagram. Whether the protocol has room for its numbers.
    pub fn play(&mut self, sound: Sound) -> bool {
        let wide = sound.entity > 0x1fff || sound.channel > 7 || sound.sound > 0xff;
        if wide && !self.dialect.extended() {
            return false;
        }
        let forced = if self.dialect.extended() { self.rules.latitude.sound_bits } else { 0 };
        self.add_effect(Service::Sound(Sound { forced, ..sound }));
        true
    }

    /// Sends something with the next datagram, if the client is in the game and there is room.
    pub fn add_effect(&mut self, service: Service<'_>) {
        if self.stage == Stage::Active {
            let before = self.effects.len();
            service.write(&mut Writer::new(&mut self.effects), &self.dialect.primitives);
            if self.effects.len() > MAX_EFFECT_BYTES {
                self.effects.truncate(before);
            }
        }
    }

    /// Takes a datagram of the client.
    ///
    /// # Errors
    /// The first field that cannot be read; what came before it was acted upon.
    pub fn handle_datagram(&mut self, now: Time, bytes: &[u8], scene: &Scene<'_>) -> Result<(), DecodeError> {
        let (mut texts, mut left) = (Vec::new(), false);
        let Session { channel, moves, .. } = self;
        moves.clear();
        let payload = match channel.receive(now, bytes)? {
            Incoming::Unreliable { payload, .. } => payload,
            Incoming::Reliable { message } => message,
            Incoming::Nothing => return Ok(()),
            Incoming::Stale { sequence } => {
                self.events.push_back(Event::Note { note: notes::STALE, args: [sequence.into(), 0, 0, 0] });
                return Ok(());
            }
        };
        let form = self.dialect.move_form();
        let walked = message::walk_commands(&mut Reader::new(payload), &form, &mut |command| match command {
            ClientCommand::Nop => {}
            ClientCommand::Disconnect => left = true,
            ClientCommand::Move(movement) => moves.push(movement),
            ClientCommand::String { text } => texts.push(text.to_vec()),
        });
        for index in 0..self.moves.len() {
            let movement = self.moves[index];
            self.moved(&movement);
        }
        texts.iter().for_each(|text| self.text_command(text, scene));
        if left {
            self.enter(Stage::Closed, "clc_disconnect");
        }
        walked
    }

    /// Applies a move: notes what it changes of the view, and its impulse.
    fn moved(&mut self, movement: &Move) {
        if self.stage != Stage::Active {
            return;
        }
        let client = i64::from(self.peer.host.0);
        let mut note = |note, value: u32| {
            self.events.push_back(Event::Note { note, args: [client, value.into(), 0, 0] });
        };
        for (axis, view) in [notes::VIEW_PITCH, notes::VIEW_YAW, notes::VIEW_ROLL].into_iter().enumerate() {
            if self.view[axis] != movement.angles[axis] {
                self.view[axis] = movement.angles[axis];
                note(view, movement.angles[axis] as u32);
            }
        }
        if movement.impulse != 0 {
            note(notes::IMPULSE, movement.impulse.into());
        }
    }

    /// Time has come for the next datagram.
    pub fn tick(&mut self, scene: &Scene<'_>) {
        if self.stage != Stage::Active {
            return;
        }
        self.ticks = self.ticks.wrapping_add(1);
        let latitude = self.rules.latitude;
        if due(self.ticks, latitude.skip_every) {
            return;
        }
        self.write_tick(scene); // FITZ-NET-12
        if latitude.talks && due(self.ticks, 20) {
            self.queue_services(&[Service::Nop, Service::StopSound { entity: 1, channel: 1 }]);
        }
    }

    /// Appends the next datagram, and returns whether there was one.
    pub fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        if self.stage == Stage::Closed {
            // What was received is acknowledged.
            return self.channel.poll_ack(out);
        }
        if self.channel.poll_transmit(now, out) {
            return true;
        }
        if self.sent >= self.ready {
            return false;
        }
        self.channel.write_unreliable(&self.outgoing[self.sent], out);
        self.sent += 1;
        true
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// When a fragment is to be sent again.
    pub fn poll_timeout(&self) -> Option<Time> {
        if self.stage == Stage::Closed { None } else { self.channel.poll_timeout() }
    }
}

/// Whether clientdata carries a statistic.
pub fn in_clientdata(stat: u8) -> bool {
    !(STAT_TOTALSECRETS..=STAT_MONSTERS).contains(&stat) && usize::from(stat) < STATS
}
