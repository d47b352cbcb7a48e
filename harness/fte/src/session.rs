//! A server's session with one client: sign-on, then entity frames.

mod sign_on;

use crate::constants::*;
use crate::dialect::{Dialect, Transport};
use crate::extensions::{CMD_PEXT, Extensions};
use crate::latitude::{Echoes, Repair, StatsWith, WhenDone, due};
use crate::line::Line;
use crate::message::{self, Carrier, Listener};
use crate::notes;
use crate::options::Options;
use crate::rules::Rules;
use crate::sender::{DeltaSender, FrameStart};
use crate::state::{EntityList, World};
use kit::{DecodeError, Direction, Event, PeerId, Reader, StatValue, Time, Writer};
use netchan::{HEADER_BYTES, Netchan, Qport, Settings, Side};
use netquake::clientdata::ClientData;
use netquake::constants::{
    DEFAULT_SOUND_ATTENUATION, DEFAULT_SOUND_VOLUME, MAX_FRAGMENT_BYTES, SVC_NOP, TE_LIGHTNING2,
};
use netquake::effect::{Sound, SoundExtras, TempEntity};
use netquake::{Channel, Incoming, Level, ServerInfo, Service};
use quakeworld::ServerData;
use std::collections::VecDeque;
use std::sync::Arc;

/// The sounds of every map; their names are of no consequence.
const SOUNDS: [&[u8]; 1] = [b"misc/null.wav"];
/// Baselines are sent in reliable messages of at most this size.
const SIGNON_BYTES: usize = 900;

/// Bytes of reliable messages that may wait for their acknowledgement when the client asks for more. One that asks and
/// acknowledges nothing is dropped.
pub const MAX_QUEUED_BYTES: usize = 1 << 20;

/// What a server brings into every session.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// Its behaviour.
    pub rules: Rules,
    /// The run's options.
    pub options: &'a Options,
    /// The map.
    pub level: &'a Arc<Level>,
}

/// A session.
pub struct Session {
    peer: PeerId,
    /// Where the client was when it was accepted: its challenge belongs to that port.
    connected_from: PeerId,
    /// QuakeWorld: the number that the client puts into its packets.
    qport: Option<u16>,
    opened: Time,
    options: Options,
    level: Arc<Level>,
    rules: Rules,
    pub(crate) line: Line,
    stage: Stage,
    /// The extensions that the client asked for.
    asked: Extensions,
    dialect: Dialect,
    /// What the client's packets are read by: it goes on in the old dialect until it knows the new map.
    received_dialect: Dialect,
    sender: DeltaSender,
    /// The client's statistics, as the scenario set them.
    stats: Box<[StatValue; 256]>,
    /// Those that were sent with entity frames, of this map or of one before.
    sent_stats: [u64; 4],
    /// Newest movement sequence applied, the wire's 16 bits continued.
    move_sequence: Option<u32>,
    /// What that was at the frame before, for who applies moves late.
    applied_before: Option<u32>,
    /// Datagrams due in this tick: entity frames, and empty ones that only use up a number.
    frames_due: usize,
    nops_due: usize,
    /// Ticks so far.
    ticks: u32,
    /// QuakeWorld: the next answer is to have no frame.
    frameless: bool,
    /// The client was disconnected.
    refused: bool,
    /// Until when the link is busy with what was sent, if there is a rate limit.
    busy_until: Time,
    /// QuakeWorld: a packet came that was not answered yet.
    unanswered: bool,
    received: Received,
    payload: Vec<u8>,
    events: VecDeque<Event>,
}

/// How far the client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Was accepted. NetQuake: is asked for its extensions.
    Accepted,
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
            Stage::Accepted => "accepted",
            Stage::Informed => "informed",
            Stage::Prespawned => "prespawned",
            Stage::Spawned => "spawned",
            Stage::Active => "active",
            Stage::Closed => "closed",
        }
    }
}

/// What a client's packet contained.
#[derive(Default)]
struct Received {
    texts: Vec<Vec<u8>>,
    acks: Vec<u32>,
    moved: Option<u16>,
    left: bool,
}

impl Listener for Received {
    fn text_command(&mut self, text: &[u8]) {
        self.texts.push(text.to_vec());
    }

    fn moved(&mut self, _: &Carrier, movement: &netquake::Move) {
        self.moved = Some(movement.sequence);
    }

    fn netquake_command(&mut self, command: &netquake::ClientCommand<'_>) {
        self.left |= matches!(command, netquake::ClientCommand::Disconnect);
    }

    fn acknowledge(&mut self, _: &Carrier, sequence: u32) {
        self.acks.push(sequence);
    }
}

impl Session {
    /// A NetQuake client was accepted: it is asked for its extensions.
    pub fn netquake(peer: PeerId, now: Time, terms: Terms<'_>) -> Session {
        let line = Line::NetQuake(Channel::new(MAX_FRAGMENT_BYTES));
        let mut session = Session::new(peer, now, line, Dialect::plain(Transport::NetQuake), terms);
        let protocols = Service::StuffText { text: b"cmd protocols\n" };
        let extensions = Service::StuffText { text: CMD_PEXT }; // FTE-HS-07
        let first = if terms.options.asks_protocols { 0 } else { 1 };
        session.queue_netquake(&[protocols, extensions][first..]);
        session
    }

    /// A QuakeWorld client with this number was accepted: it will ask for the map.
    pub fn quakeworld((peer, qport): (PeerId, u16), now: Time, asked: Extensions, terms: Terms<'_>) -> Session {
        let line = Line::QuakeWorld(Netchan::new(
            Side::Server(Qport::Short(0)),
            Settings::quakeworld(terms.options.packet_bytes, false),
        ));
        let plain = Dialect::plain(Transport::QuakeWorld);
        Session { asked, qport: Some(qport), ..Session::new(peer, now, line, plain, terms) }
    }

    fn new(peer: PeerId, now: Time, line: Line, dialect: Dialect, terms: Terms<'_>) -> Session {
        let Terms { rules, options, level } = terms;
        let mut session = Session {
            peer,
            connected_from: peer,
            qport: None,
            opened: now,
            options: *options,
            level: Arc::clone(level),
            rules,
            line,
            stage: Stage::Closed,
            asked: Extensions::default(),
            dialect,
            received_dialect: dialect,
            sender: DeltaSender::new(rules, dialect.gate),
            stats: Box::new([StatValue::Int(0); 256]),
            sent_stats: [0; 4],
            move_sequence: None,
            applied_before: None,
            frames_due: 0,
            nops_due: 0,
            ticks: 0,
            frameless: false,
            refused: false,
            busy_until: Time::ZERO,
            unanswered: false,
            received: Received::default(),
            payload: Vec::new(),
            events: VecDeque::new(),
        };
        session.enter(Stage::Accepted, "connect");
        session
    }

    /// The client.
    pub fn peer(&self) -> PeerId {
        self.peer
    }

    /// Whether a connect from there is the one that began the session, once more.
    pub fn began_with_connect_of(&self, from: PeerId) -> bool {
        self.peer == from && self.connected_from == from
    }

    /// The session, if a datagram from there is its client's. A client of QuakeWorld is known by its number, too, and is answered at
    /// the port from which that came last.
    pub fn recognise(&mut self, from: PeerId, bytes: &[u8]) -> Option<&mut Session> {
        if self.peer != from {
            let carried =
                bytes.get(HEADER_BYTES..).and_then(<[u8]>::first_chunk).map(|qport| u16::from_le_bytes(*qport));
            let known = self.peer.host == from.host && self.qport.is_some() && self.qport == carried;
            self.peer = known.then(|| (self.rules.follow)(self.peer, from))??; // FTE-HS-28
        }
        Some(self)
    }

    /// When the session began.
    pub fn opened(&self) -> Time {
        self.opened
    }

    /// Whether the client has left.
    pub fn closed(&self) -> bool {
        self.stage == Stage::Closed && self.events.is_empty()
    }

    fn enter(&mut self, stage: Stage, cause: &'static str) {
        let (from, to) = (self.stage.name(), stage.name());
        self.stage = stage;
        if from != to {
            self.events.push_back(Event::State { peer: self.peer, from, to, cause });
        }
    }

    /// Changes a statistic of the client's player.
    pub fn set_stat(&mut self, stat: u8, value: StatValue) {
        self.stats[usize::from(stat)] = value;
        if self.stage == Stage::Active {
            self.send_stat(stat, value);
        }
    }

    /// With PREDINFO statistics travel with entity frames; without it, reliably.
    fn send_stat(&mut self, stat: u8, value: StatValue) {
        let with_deltas = self.rules.latitude.stats_with == StatsWith::Deltas && self.dialect.deltas();
        // FTE-STAT-02
        if self.dialect.predinfo() || with_deltas {
            self.sent_stats[usize::from(stat) / 64] |= 1 << (stat % 64);
            self.sender.set_stat(stat, value);
            return;
        }
        let mut message = Vec::with_capacity(8);
        match (self.dialect.transport, value) {
            // Without the extension a NetQuake statistic is a long, and nothing else.
            (Transport::NetQuake, StatValue::Int(value)) => {
                Service::UpdateStat { stat, value }.write(&mut Writer::new(&mut message), &self.dialect.primitives);
            }
            (Transport::NetQuake, StatValue::Float(value)) => {
                let value = value as i32;
                Service::UpdateStat { stat, value }.write(&mut Writer::new(&mut message), &self.dialect.primitives);
            }
            _ => message::write_stat(&mut Writer::new(&mut message), stat, value, self.dialect.transport),
        }
        self.queue(&message);
    }

    /// Owes `count` datagrams without an entity frame.
    pub fn add_nops(&mut self, count: i32) {
        self.nops_due += count.clamp(0, 64) as usize;
    }

    /// Sets the entity through whose eyes the client looks. Whether that is possible now.
    pub fn change_view(&mut self, entity: u32) -> bool {
        // Both transports have the same service for it.
        self.send_reliably(|w, dialect| Service::SetView { entity }.write(w, &dialect.primitives))
    }

    /// Plays a sound to the client. Whether that is possible: numbers from 256 are for other protocols.
    pub fn play_sound(&mut self, entity: u32, sound: u16) -> bool {
        let encodable = sound < 256 || self.dialect.primitives.extended_updates; // FTE-SVC-14
        if self.dialect.transport != Transport::NetQuake || !encodable {
            return false;
        }
        let (volume, attenuation) = (DEFAULT_SOUND_VOLUME, DEFAULT_SOUND_ATTENUATION);
        let sound = Sound {
            volume,
            attenuation,
            entity,
            channel: 0,
            sound,
            origin: [0; 3],
            extras: SoundExtras::default(),
            forced: 0,
        };
        self.send_reliably(|w, dialect| Service::Sound(sound).write(w, &dialect.primitives))
    }

    /// Shows the client a lightning bolt from an entity. Whether that is possible now.
    pub fn show_beam(&mut self, entity: u32) -> bool {
        // Both transports have the same service for it.
        let beam = TempEntity::Beam { kind: TE_LIGHTNING2, entity, start: [0; 3], end: [0; 3] };
        self.send_reliably(|w, dialect| Service::TempEntity(beam).write(w, &dialect.primitives))
    }

    /// Removes an entity of the game's own code at the client. Whether that is possible.
    pub fn csqc_gone(&mut self, entity: u32) -> bool {
        let extensions = self.dialect.extensions;
        extensions.replacement_deltas()
            && extensions.fte1 & PEXT_CSQC != 0
            && self.send_reliably(|w, _| message::write_csqc_removes(w, &[entity]))
    }

    /// Queues a reliable message, if the client is in the game. Whether it is.
    fn send_reliably(&mut self, write: impl FnOnce(&mut Writer<'_>, &Dialect)) -> bool {
        if self.stage == Stage::Active {
            let mut message = Vec::new();
            write(&mut Writer::new(&mut message), &self.dialect);
            self.queue(&message);
        }
        self.stage == Stage::Active
    }

    fn queue(&mut self, message: &[u8]) {
        self.line.queue_reliable(message);
    }

    fn queue_netquake(&mut self, services: &[Service<'_>]) {
        let mut message = Vec::new();
        let mut w = Writer::new(&mut message);
        for service in services {
            service.write(&mut w, &self.dialect.primitives);
        }
        self.queue(&message);
    }

    fn queue_stuffed(&mut self, text: &str) {
        let mut message = Vec::new();
        quakeworld::write_stufftext(&mut Writer::new(&mut message), text.as_bytes());
        self.queue(&message);
    }

    /// Takes a datagram of the client.
    ///
    /// # Errors
    /// The first field that cannot be read; what came before it was acted upon.
    pub fn handle_datagram(&mut self, now: Time, bytes: &[u8], world: &World) -> Result<(), DecodeError> {
        let Session { line, received_dialect: dialect, received: contents, .. } = self;
        let mut header_ack = None;
        let walked = match line {
            Line::NetQuake(channel) => {
                let (reliable, sequence, payload) = match channel.receive(now, bytes)? {
                    Incoming::Unreliable { sequence, payload } => (false, sequence, payload),
                    Incoming::Reliable { message } => (true, 0, message),
                    Incoming::Nothing => return Ok(()),
                    Incoming::Stale { sequence } => {
                        self.events.push_back(notes::note(notes::STALE, sequence.into()));
                        return Ok(());
                    }
                };
                let direction = Direction::ClientToServer;
                let carrier = Carrier { direction, reliable, sequence, acknowledged: None };
                message::walk_commands(&mut Reader::new(payload), dialect, &carrier, contents)
            }
            Line::QuakeWorld(netchan) => {
                let Some(received) = netchan.receive(bytes)? else {
                    self.events.push_back(notes::note(notes::STALE, 0));
                    return Ok(());
                };
                self.unanswered = true;
                header_ack = Some(received.header.acknowledged);
                let carrier = Carrier {
                    direction: Direction::ClientToServer,
                    reliable: received.reliable_delivered,
                    sequence: received.header.sequence,
                    acknowledged: header_ack,
                };
                message::walk_commands(&mut Reader::new(received.payload), dialect, &carrier, contents)
            }
        };
        // FTE-ACK-08
        for index in 0..self.received.acks.len() {
            let sequence = self.received.acks[index];
            self.acknowledge(sequence);
        }
        self.received.acks.clear();
        // The header's acknowledgement is the newest: explicit ones come first, so that the order ascends.
        // FTE-ACK-14, FTE-ACK-15
        if let Some(sequence) = header_ack {
            self.acknowledge(sequence);
        }
        let playing = self.stage == Stage::Active && self.dialect.deltas();
        if self.rules.latitude.repair == Repair::AtOnce && playing && self.sender.has_more() {
            self.frames_due = self.frames_due.max(1);
        }
        if let Some(sequence) = self.received.moved.take() {
            self.apply_move(sequence);
        }
        for text in std::mem::take(&mut self.received.texts) {
            self.text_command(&text, world);
        }
        if std::mem::take(&mut self.received.left) {
            self.enter(Stage::Closed, "disconnect");
        }
        walked
    }

    fn acknowledge(&mut self, sequence: u32) {
        if self.stage == Stage::Active && self.dialect.deltas() {
            self.sender.acknowledge(sequence);
        }
    }

    /// Applies a move if it is newer than all before; the wire's 16 bits are continued.
    fn apply_move(&mut self, sequence: u16) {
        let newest = self.move_sequence.unwrap_or(u32::from(sequence).wrapping_sub(1));
        let ahead = sequence.wrapping_sub(newest as u16) as i16; // FTE-PRED-11
        // FTE-PRED-10, FTE-PRED-18
        if ahead > 0 {
            self.move_sequence = Some(newest.wrapping_add(ahead as u32));
        }
    }

    /// It is time for a frame, unless the rate limit forbids it.
    pub fn tick(&mut self, now: Time, world: &World) {
        if self.stage != Stage::Active && !self.goes_on_early() {
            return;
        }
        let latitude = self.rules.latitude;
        self.ticks = self.ticks.wrapping_add(1);
        if due(self.ticks, latitude.frameless_every) {
            match self.dialect.transport {
                Transport::NetQuake => self.nops_due += 1,
                Transport::QuakeWorld => self.frameless = true,
            }
        }
        if due(self.ticks, latitude.skip_every) {
            return;
        }
        if self.busy_until <= now {
            self.frames_due = latitude.datagrams_per_tick; // FTE-HS-27
        } else if self.rules.makes_forbidden_frames {
            let (sequence, room) = self.next_frame();
            self.write_frame(now, sequence, room, world);
        }
    }

    /// Whether the server goes on with frames of a map whose baselines its client has not asked for.
    fn goes_on_early(&self) -> bool {
        let informed = self.stage == Stage::Informed && self.line.is_all_sent();
        let same = self.dialect.extensions == self.received_dialect.extensions && self.dialect.deltas();
        self.rules.latitude.early_frames && self.dialect.transport == Transport::NetQuake && informed && same
    }

    /// The number of the next frame, and how many bytes it may have.
    fn next_frame(&self) -> (u32, usize) {
        match &self.line {
            Line::NetQuake(channel) => (channel.next_unreliable(), self.options.datagram_limit),
            Line::QuakeWorld(netchan) => {
                // The answer has the number of the packet that it answers. FTE-PRED-19
                let sequence = netchan.incoming_sequence().max(netchan.next_sequence());
                (sequence, netchan.room().min(self.options.datagram_limit))
            }
        }
    }

    /// Notes that the payload is sent, and how long the link is busy with it.
    fn spend(&mut self, now: Time) {
        if let Some(us) = (self.payload.len() as u64 * 1_000_000).checked_div(self.options.rate) {
            self.busy_until = self.busy_until.max(now).after(us);
        }
    }

    /// Whether the client has everything, so that this tick needs no frame.
    fn stays_silent(&self, world: &World) -> bool {
        self.rules.latitude.when_done == WhenDone::Silence && self.sender.is_done(&world.live)
    }

    /// Appends the next datagram to send, if there is one.
    pub fn poll_transmit(&mut self, now: Time, world: &World, out: &mut Vec<u8>) -> bool {
        if self.stage == Stage::Closed {
            return false;
        }
        match &mut self.line {
            Line::NetQuake(channel) => {
                if channel.poll_transmit(now, out) {
                    return true;
                }
                if self.nops_due > 0 && self.stage == Stage::Active {
                    self.nops_due -= 1;
                    channel.write_unreliable(&[SVC_NOP], out);
                    return true;
                }
                let done = self.stays_silent(world);
                if self.frames_due == 0 || done {
                    self.frames_due = 0;
                    return false;
                }
                self.frames_due -= 1;
                let (sequence, room) = self.next_frame();
                self.write_frame(now, sequence, room, world);
                self.spend(now);
                if self.dialect.deltas() && !self.sender.has_more() {
                    self.frames_due = 0;
                }
                let Line::NetQuake(channel) = &mut self.line else { return false };
                channel.write_unreliable(&self.payload, out); // FTE-ACK-01
                true
            }
            Line::QuakeWorld(_) => {
                // In the game a packet is answered at the next tick; before, at once.
                let ticked = std::mem::take(&mut self.frames_due) > 0 || self.stage != Stage::Active;
                if !ticked || !self.unanswered {
                    return false;
                }
                self.unanswered = false;
                let (sequence, room) = self.next_frame();
                if let Line::QuakeWorld(netchan) = &mut self.line {
                    netchan.set_next_sequence(sequence);
                }
                self.payload.clear();
                let done = self.stays_silent(world);
                if self.stage == Stage::Active && !std::mem::take(&mut self.frameless) && !done {
                    self.write_frame(now, sequence, room, world);
                    self.spend(now);
                }
                if let Line::QuakeWorld(netchan) = &mut self.line {
                    netchan.transmit(&self.payload, out);
                }
                true
            }
        }
    }

    /// Makes the payload of the entity frame `sequence`.
    fn write_frame(&mut self, now: Time, sequence: u32, limit: usize, world: &World) {
        let Session { payload, sender, dialect, move_sequence, applied_before, rules, stage, .. } = self;
        payload.clear();
        let mut w = Writer::new(payload);
        if dialect.transport == Transport::NetQuake && !dialect.predinfo() {
            // FTE-SVC-02
            if !dialect.deltas() {
                let time = kit::table::float_bits(now.as_seconds());
                Service::Time { time }.write(&mut w, &dialect.primitives);
            }
            Service::ClientData(ClientData::default()).write(&mut w, &dialect.primitives);
        }
        if !dialect.deltas() {
            return;
        }
        let applied = match rules.latitude.echoes {
            Echoes::AtOnce => *move_sequence,
            Echoes::NextTick => std::mem::replace(applied_before, *move_sequence),
        };
        let movement_ack = dialect.movement_sequence().then(|| applied.unwrap_or_default() as u16);
        let start = FrameStart { movement_ack, server_time: now.as_seconds() };
        // Who has not asked for them has no baselines.
        let none = EntityList::default();
        let baselines = if *stage == Stage::Active { &world.baselines } else { &none };
        sender.begin_frame(sequence, &world.live); // FTE-SVC-01
        let (transport, form) = (dialect.transport, rules.latitude.stat_form);
        let plain = transport == Transport::NetQuake && !dialect.predinfo();
        sender.write_frame(sequence, start, baselines, limit, &mut w, |w, stat, value| match value {
            // Without PREDINFO a NetQuake statistic is a long, wherever it travels.
            StatValue::Float(value) if plain => {
                message::write_stat_as(w, message::StatForm::Long, stat, StatValue::Int(value as i32), transport);
            }
            value if plain => message::write_stat_as(w, message::StatForm::Long, stat, value, transport), // FTE-STAT-07
            value => message::write_stat_as(w, form, stat, value, transport),
        });
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// When something must be sent again.
    pub fn poll_timeout(&self) -> Option<Time> {
        match &self.line {
            Line::NetQuake(channel) if self.stage != Stage::Closed => channel.poll_timeout(),
            _ => None,
        }
    }
}
