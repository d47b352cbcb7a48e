//! A server's session with one client: the sign-on, then frames, moves, and other messages.

mod sign_on;

use crate::machine::admission::Admission;
use crate::machine::download::{self, Sending};
use crate::machine::latitude::due;
use crate::machine::malformed::{Malformed, STRAY_BIT};
use crate::machine::movement;
use crate::machine::movement::Mover;
use crate::machine::options::{FramesInZpackets, Options};
use crate::machine::sender::{Scene, Sender, ServerRules, Viewer};
use crate::machine::world::World;
use crate::notes::{NOTE_HELD_BACK, NOTE_MOVE, NOTE_SETTING, NOTE_STALE, note};
use crate::wire::command::Command;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::handshake;
use crate::wire::message::{Carrier, Listener, Walk};
use crate::wire::service::{Download, Service};
use crate::wire::state::{EntityList, PM_TYPE};
use crate::wire::usercmd::{CMD_MSEC, Move, UserCmd};
use kit::{DecodeError, Direction, Event, PeerId, Reader, Time, Writer};
use netchan::{Netchan, Qport, Settings, Side};
use std::collections::VecDeque;

/// Bytes of reliable messages that may wait for their acknowledgement; a client that takes none is dropped.
pub const MAX_QUEUED_BYTES: usize = 1 << 18;
/// Unreliable messages that wait for the next frame; more are lost.
const MAX_UNRELIABLE: usize = 256;
/// How long a client's place is kept after it has left, in microseconds.
const ZOMBIE_US: u64 = 2_000_000;
/// How long a server waits for a silent client, in microseconds.
const TIMEOUT_US: u64 = 125_000_000;
/// With more moves lost in a row than this, none of them is replaced.
const MAX_REPLACED: u32 = 20;
/// Most frames that a scenario can have the server hold back in a row.
const MAX_PAUSE: i32 = 25;
/// What the server asks clients for, and the beginning of the answer.
const VERSION: &[u8] = b"\x7fc version ";

/// What a sign-on has beside the baselines.
#[derive(Clone, Copy)]
pub struct Map<'a> {
    /// The number of the map.
    pub spawncount: i32,
    /// Its name.
    pub name: &'a str,
    /// Configstrings, ascending.
    pub configstrings: &'a [(u16, Vec<u8>)],
}

/// How far a client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Connected,
    /// Was sent the map.
    Spawned,
    Active,
    /// Has left; its place is not yet free.
    Zombie,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Connected => "connected",
            Stage::Spawned => "spawned",
            Stage::Active => "active",
            Stage::Zombie => "zombie",
        }
    }
}

/// A session.
pub struct Session {
    /// Who the client is; its address changes with its port.
    pub admission: Admission,
    /// How its datagrams carry its number.
    pub qport: Qport,
    rules: ServerRules,
    options: Options,
    dialect: Dialect,
    netchan: Netchan,
    stage: Stage,
    received_at: Time,
    sent_at: Time,
    /// Something came that only a datagram acknowledges.
    answer_pending: bool,
    left_at: Option<Time>,
    sender: Sender,
    baselines: EntityList,
    unreliable: Vec<Vec<u8>>,
    /// The client's statistics.
    pub stats: [i32; MAX_STATS],
    area: u8,
    records: bool,
    version_known: bool,
    mover: Mover,
    last_command: UserCmd,
    download: Option<Sending>,
    /// What to send in place of the next frame.
    malformed: Option<Malformed>,
    /// The next frame is made, and not sent.
    unsent: bool,
    /// So many frames are to be held back.
    pause: u32,
    ticks: u32,
    /// Datagrams that wait to be sent.
    pub outbox: VecDeque<Vec<u8>>,
    events: VecDeque<Event>,
}

/// What a client's datagram holds.
enum Incoming {
    Move(Box<Move>),
    Text(Vec<u8>),
    Setting(i16, i16),
}

#[derive(Default)]
struct Received(Vec<Incoming>);

impl Listener for Received {
    fn command(&mut self, _: &Carrier, command: &Command<'_>) {
        match command {
            Command::Move(movement) => self.0.push(Incoming::Move(Box::new(*movement))),
            Command::StringCmd { text } => self.0.push(Incoming::Text(text.to_vec())),
            Command::Setting { index, value } => self.0.push(Incoming::Setting(*index, *value)),
            Command::Nop | Command::UserInfo { .. } => {}
        }
    }
}

impl Session {
    /// A session with a client that was just admitted.
    pub fn new(
        now: Time,
        admission: Admission,
        stats: [i32; MAX_STATS],
        rules: ServerRules,
        options: Options,
    ) -> Session {
        // R1Q2-QPORT-02, R1Q2-QPORT-04: its size for the whole session
        let qport = (rules.qport)(admission.protocol, admission.qport);
        let dialect = match admission.protocol {
            PROTOCOL_R1Q2 => Dialect::r1q2(Dialect::agreed(options.server_minor, admission.minor)),
            _ => Dialect::ORIGINAL,
        };
        let mut session = Session {
            admission,
            qport,
            rules,
            options,
            dialect,
            netchan: Netchan::new(Side::Server(qport), Settings::quake2(admission.length, rules.latitude.resend)),
            stage: Stage::Connected,
            received_at: now,
            sent_at: now,
            answer_pending: false,
            left_at: None,
            sender: Sender::default(),
            baselines: EntityList::default(),
            unreliable: Vec::new(),
            stats,
            area: 0xff,
            records: false,
            version_known: false,
            mover: Mover::default(),
            last_command: UserCmd::NULL,
            download: None,
            malformed: None,
            unsent: false,
            pause: 0,
            ticks: 0,
            outbox: VecDeque::new(),
            events: VecDeque::new(),
        };
        session.moved("challenged", "connected", "connect");
        session
    }

    /// The client, where it was seen last.
    pub fn peer(&self) -> PeerId {
        self.admission.peer
    }

    /// Whether nothing has come from the client yet.
    pub fn is_silent(&self) -> bool {
        self.netchan.incoming_sequence() == 0 && self.stage == Stage::Connected
    }

    /// Whether the client has left.
    pub fn has_left(&self) -> bool {
        self.stage == Stage::Zombie
    }

    /// Whether the client's place is free again.
    pub fn is_over(&self, now: Time) -> bool {
        self.outbox.is_empty() && self.left_at.is_some_and(|left| now.since(left) >= ZOMBIE_US)
    }

    fn moved(&mut self, from: &'static str, to: &'static str, cause: &'static str) {
        self.events.push_back(Event::State { peer: self.peer(), from, to, cause });
    }

    fn enter(&mut self, stage: Stage, cause: &'static str) {
        let from = self.stage.name();
        self.stage = stage;
        if from != stage.name() {
            self.moved(from, stage.name(), cause);
        }
    }

    fn note<const N: usize>(&mut self, number: usize, args: [i64; N]) {
        self.events.push_back(note(number, args));
    }

    /// The next event.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Queues a reliable message. Whether it fits a datagram at all.
    fn reliable(&mut self, message: &[u8]) -> bool {
        let fits = message.len() <= self.netchan.payload_bytes() && self.stage != Stage::Zombie;
        if fits {
            self.netchan.queue_reliable(message);
        }
        fits
    }

    /// Queues a service, reliably.
    pub fn send_reliably(&mut self, service: &Service<'_>) -> bool {
        let mut message = Vec::new();
        service.write(&mut Writer::new(&mut message));
        self.stage != Stage::Connected && self.reliable(&message)
    }

    /// Keeps a service for the next frame's datagram.
    pub fn send_unreliably(&mut self, service: &Service<'_>) -> bool {
        let taken = self.stage == Stage::Active && self.unreliable.len() < MAX_UNRELIABLE;
        if taken {
            let mut message = Vec::new();
            service.write(&mut Writer::new(&mut message));
            self.unreliable.push(message);
        }
        taken
    }

    /// Sends something malformed in place of the next frame. Whether that makes sense over this protocol.
    pub fn send_malformed(&mut self, kind: i32) -> bool {
        let kind = Malformed::named(kind, self.admission.protocol).filter(|_| self.stage == Stage::Active);
        self.malformed = kind.or(self.malformed);
        kind.is_some()
    }

    /// Makes the next frame, does not send it, and builds on it.
    pub fn withhold(&mut self) -> bool {
        self.unsent = self.stage == Stage::Active;
        self.unsent
    }

    /// Holds so many frames back, unless it does so already.
    pub fn pause(&mut self, frames: i32) -> bool {
        let takes = self.stage == Stage::Active && self.pause == 0;
        if takes {
            self.pause = frames.clamp(0, MAX_PAUSE) as u32;
        }
        takes
    }

    /// Sends so many bytes of text reliably, in prints.
    pub fn send_text(&mut self, bytes: usize) -> bool {
        if self.stage == Stage::Connected || bytes > MAX_QUEUED_BYTES / 2 {
            return false;
        }
        let most = (self.netchan.payload_bytes() / 2).clamp(16, 200);
        let mut messages = Vec::new();
        for (index, at) in (0..bytes).step_by(most).enumerate() {
            let mut text = format!("much {index} ").into_bytes();
            let length = most.min(bytes - at);
            text.resize(length.max(text.len()), b'a' + (index % 26) as u8);
            let mut message = Vec::new();
            Service::Print { level: 2, text: &text }.write(&mut Writer::new(&mut message));
            messages.push(message);
        }
        self.queue_packed(messages);
        true
    }

    /// What the client sees of the areas.
    pub fn see_areas(&mut self, byte: u8) {
        self.area = byte;
    }

    /// Writes `plain` as a zpacket, if this client may be sent one and it is worth it.
    fn pack(&self, plain: &[u8], out: &mut Vec<u8>) -> bool {
        self.options.zpacket && (self.rules.pack)(self.admission.protocol, plain, out)
    }

    /// Takes a datagram.
    ///
    /// # Errors
    /// The first field that cannot be read; what came before it counts.
    pub fn handle_datagram(
        &mut self,
        now: Time,
        bytes: &[u8],
        world: &mut World,
        map: &Map<'_>,
    ) -> Result<(), DecodeError> {
        if self.stage == Stage::Zombie {
            return Ok(());
        }
        let Some(received) = self.netchan.receive(bytes)? else {
            let datagram = bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word) & 0x7fff_ffff);
            self.note(NOTE_STALE, [datagram.into(), self.admission.client.into()]);
            return Ok(());
        };
        self.received_at = now;
        self.answer_pending |= received.header.reliable;
        let carrier = Carrier {
            direction: Direction::ClientToServer,
            reliable: received.header.reliable,
            sequence: received.header.sequence,
            acknowledged: received.header.acknowledged,
            nesting: 0,
        };
        let (mut collected, mut dialect) = (Received::default(), self.dialect);
        let read = Walk::new(&mut dialect, carrier, &mut collected).commands(&mut Reader::new(received.payload));
        let dropped = received.dropped;
        let mut moves = 0;
        for incoming in collected.0 {
            match incoming {
                Incoming::Move(movement) => {
                    moves += 1;
                    if moves > 1 {
                        self.drop_client(now, "several moves in a datagram");
                        break;
                    }
                    self.take_move(now, &movement, dropped, world);
                }
                Incoming::Text(text) => self.take_text(now, &text, world, map),
                Incoming::Setting(index, value) => self.take_setting(index, value),
            }
        }
        read
    }

    fn take_move(&mut self, now: Time, movement: &Move, dropped: u32, world: &mut World) {
        if self.stage != Stage::Active {
            return (self.rules.acknowledge)(&mut self.sender, NO_DELTA, &self.rules.latitude);
        }
        (self.rules.acknowledge)(&mut self.sender, movement.last_frame, &self.rules.latitude);
        self.note(NOTE_MOVE, [self.admission.client.into(), movement.last_frame.into()]);
        let [oldest, previous, newest] = movement.commands;
        if newest[CMD_MSEC] > movement::MAX_MSEC {
            return self.drop_client(now, "a move that lasts too long");
        }
        let last = self.last_command;
        self.last_command = newest;
        let Some(live) = world.live.get_mut(self.admission.client.into()) else { return };
        let Session { rules, mover, admission, .. } = self;
        let mut apply = |command: &UserCmd| {
            // R1Q2-MOV-02: of the session, not of the server
            let times = (rules.command_time)(admission.protocol, live.player[PM_TYPE]);
            mover.apply(&mut live.player, command, times);
        };
        if dropped < MAX_REPLACED {
            // Moves lost before those that this one repeats: the last one known stands for them.
            for _ in 2..dropped {
                apply(&last);
            }
            if dropped > 1 {
                apply(&oldest);
            }
            if dropped > 0 {
                apply(&previous);
            }
        }
        apply(&newest);
    }

    fn take_setting(&mut self, index: i16, value: i16) {
        self.note(NOTE_SETTING, [self.admission.client.into(), index.into(), value.into()]);
        if index == CLSET_RECORDING {
            self.records = value != 0;
        }
        if self.rules.latitude.answers_settings && index == CLSET_FPS && self.dialect.minor >= MINOR_STRAFE {
            self.send_reliably(&Service::Setting { index: SVSET_FPS, value: 10 });
        }
    }

    fn take_text(&mut self, now: Time, text: &[u8], world: &World, map: &Map<'_>) {
        if text.starts_with(VERSION) {
            self.version_known = true;
            return;
        }
        let mut words = handshake::Tokens::new(text);
        match (words.next(), self.stage) {
            (Some(b"new"), Stage::Connected) => self.sign_on(world, map),
            (Some(b"begin"), Stage::Spawned) => {
                if self.rules.latitude.probes_version && !self.version_known {
                    return self.drop_client(now, "no version");
                }
                // A client that is still in the map before is sent this one already.
                if words.next() == Some(map.spawncount.to_string().as_bytes()) {
                    self.begin();
                }
            }
            (Some(b"download"), Stage::Spawned | Stage::Active) => {
                let file = words.next().and_then(download::hundreds).and_then(download::file);
                let compressed = words.nth(1) == Some(b"udp-zlib") && self.dialect.is_r1q2();
                match file {
                    Some(bytes) => {
                        self.download = Some(Sending::new(bytes, compressed));
                        self.next_block();
                    }
                    None => {
                        self.send_reliably(&Service::Download(Download { percent: 0, data: None, length: None }));
                    }
                }
            }
            (Some(b"nextdl"), Stage::Spawned | Stage::Active) => self.next_block(),
            (Some(b"disconnect"), _) => self.leave(now, "disconnect"),
            _ => {}
        }
    }

    fn next_block(&mut self) {
        let Some(mut sending) = self.download.take() else { return };
        let mut message = Vec::new();
        sending.next(self.netchan.payload_bytes(), &mut message);
        self.reliable(&message);
        if !sending.done() {
            self.download = Some(sending);
        }
    }

    fn begin(&mut self) {
        self.sender = Sender::default();
        (self.malformed, self.unsent, self.pause) = (None, false, 0);
        self.unreliable.clear();
        self.enter(Stage::Active, "begin");
    }

    /// A map begins: the client signs on again.
    pub fn change_map(&mut self) {
        if self.stage == Stage::Zombie {
            return;
        }
        // What is queued of the map before is still sent: reliable messages keep their order.
        for text in [&b"changing\n"[..], b"reconnect\n"] {
            let mut message = Vec::new();
            Service::StuffText { text }.write(&mut Writer::new(&mut message));
            self.reliable(&message);
        }
        self.unreliable.clear();
        self.download = None;
        self.enter(Stage::Connected, "map");
    }

    fn leave(&mut self, now: Time, cause: &'static str) {
        self.left_at = Some(now);
        self.enter(Stage::Zombie, cause);
    }

    /// Sends the client away.
    fn drop_client(&mut self, now: Time, cause: &'static str) {
        let mut message = Vec::new();
        Service::Disconnect.write(&mut Writer::new(&mut message));
        let mut datagram = Vec::new();
        self.netchan.transmit(&message, &mut datagram);
        self.outbox.push_back(datagram);
        self.leave(now, cause);
    }

    /// A tick of the server: what is sent waits in the outbox.
    pub fn tick(&mut self, now: Time, scene: &Scene<'_>) {
        self.ticks = self.ticks.wrapping_add(1);
        match self.stage {
            Stage::Zombie => {}
            _ if self.netchan.queued_bytes() > MAX_QUEUED_BYTES => self.drop_client(now, "takes nothing"),
            _ if now.since(self.received_at) >= TIMEOUT_US => self.drop_client(now, "is silent"),
            Stage::Active => self.send_frame(now, scene),
            Stage::Connected | Stage::Spawned => {
                let idle = now.since(self.sent_at) >= self.rules.latitude.idle_us;
                if self.answer_pending || idle || !self.netchan.reliable_idle() {
                    self.send(now, &[]);
                }
            }
        }
    }

    fn send(&mut self, now: Time, unreliable: &[u8]) {
        let mut datagram = Vec::new();
        self.netchan.transmit(unreliable, &mut datagram);
        self.outbox.push_back(datagram);
        (self.sent_at, self.answer_pending) = (now, false);
    }

    fn send_frame(&mut self, now: Time, scene: &Scene<'_>) {
        let (number, room) = (scene.number, self.netchan.room());
        if self.admission.rate > 0 && self.sender.hold_back(number, self.admission.rate) {
            return self.note(NOTE_HELD_BACK, [self.admission.client.into(), number.into()]);
        }
        if self.pause > 0 || due(self.ticks, self.rules.latitude.skip_every) {
            self.pause = self.pause.saturating_sub(1);
            return self.sender.left_out();
        }
        let (mut frame, mut payload) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let viewer = Viewer {
            entity: self.admission.client.into(),
            stats: &self.stats,
            area_bits: &[self.area; MAX_AREA_BYTES][..self.options.area_bytes],
            records: self.records,
            baselines: &self.baselines,
            room: None,
        };
        let age = self.options.update_backup_age;
        self.sender.write(&mut Writer::new(&mut frame), scene, &viewer, age, &self.dialect, &self.rules);
        if std::mem::take(&mut self.unsent) {
            return self.sender.pretend(number);
        }
        match self.malformed.take() {
            Some(Malformed::StrayBit) => frame.first_mut().into_iter().for_each(|byte| *byte |= STRAY_BIT),
            Some(kind) => {
                self.sender.left_out();
                return self.send(now, &kind.message());
            }
            None => {}
        }
        let wanted = match self.options.frames_in_zpackets {
            _ if !self.rules.latitude.packs_frames => false,
            FramesInZpackets::None => false,
            FramesInZpackets::Long => frame.len() > room,
            FramesInZpackets::All => true,
        };
        let mut packed = Vec::new();
        if wanted && self.pack(&frame, &mut packed) {
            frame = packed;
        }
        // What would never fit is shortened.
        if frame.len() > room && room == self.netchan.payload_bytes() && self.rules.latitude.shortens {
            let viewer = Viewer { room: Some(room), baselines: &self.baselines, ..viewer };
            frame.clear();
            self.sender.write(&mut Writer::new(&mut frame), scene, &viewer, age, &self.dialect, &self.rules);
        }
        let fits = frame.len() <= room;
        if fits {
            payload.extend_from_slice(&frame);
        }
        let (mut unreliable, mut apart) = (Vec::new(), Vec::new());
        for message in self.unreliable.drain(..) {
            if self.rules.latitude.datagram_each {
                apart.push(message);
            } else if payload.len() + unreliable.len() + message.len() <= room {
                unreliable.extend_from_slice(&message);
            }
        }
        match self.rules.latitude.frame_last {
            true => drop(payload.splice(0..0, unreliable)),
            false => payload.extend_from_slice(&unreliable),
        }
        match fits {
            true => self.sender.sent(number, payload.len()),
            false => self.sender.left_out(),
        }
        self.send(now, &payload);
        apart.iter().for_each(|message| self.send(now, message));
    }
}
