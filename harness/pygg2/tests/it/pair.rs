//! A server and three clients on wires that are worked by hand, and what must hold between them.
//!
//! Nothing of the oracle is used: what a client shows when it applies a snapshot is compared with what the server showed
//! when it sent it, and the events that a client applies with those on the wire.

use kit::{Command, Endpoint, Event, HostId, PeerId, Reader, Setup, Time, View};
use pygg2::PROTOCOL;
use pygg2::client::Client;
use pygg2::constants::{INSIDE, OUTSIDE};
use pygg2::message::{ServerHeader, ServerRecord, read_server_records};
use pygg2::mutants::Rules;
use pygg2::notes::*;
use pygg2::server::Server;
use pygg2::snapshot::{ClassFields, Declared};
use pygg2::state::*;
use pygg2::verbs::*;
use std::collections::BTreeMap;
use testkit::wire::{End, Wire};

/// Clients of a case.
pub const CLIENTS: usize = 3;
/// Players whom nobody plays: their ids are those after the clients'.
pub const BOTS: u32 = 4;
/// Time between ticks of both ends, in microseconds.
const TICK_US: u64 = 50_000;
/// Ticks of silence after which an end may take the other for gone.
const SILENCE_TICKS: u32 = 195;
/// From so many bytes on, what is not acknowledged may be too much.
const MUCH_BYTES: usize = 1_300;
/// Rounds within which everybody has everything once nothing is lost: the packet, its acknowledgement, and the packet that
/// is made of that. A lost hello is repeated after a second.
const SETTLE_ROUNDS: usize = 3;
const HELLO_ROUNDS: usize = 22;

/// One thing that happens; clients and bots are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A client connects, if it never did.
    Join(usize),
    /// A client leaves, for good.
    Leave(usize),
    /// A bot comes and lives, or goes if it is there.
    Bot(u32),
    /// A field of a player changes: of a client's, or after those of a bot's.
    Set(u32, usize, i32),
    /// A client changes class.
    ChangeClass(usize, i32),
    /// A client jumps.
    Jump(usize),
    /// A client presses other keys.
    Input(usize, i32, i32),
    /// The server sends a complete update to all.
    CompleteUpdate,
    /// Both ends act on the time; what they send is under way.
    Tick,
    /// A datagram under way arrives: the first, or one after it, which overtakes.
    Deliver(usize, End, usize),
    /// The same, and it stays under way.
    Duplicate(usize, End, usize),
    /// A datagram under way is lost.
    Lose(usize, End, usize),
    /// A tick, and everything under way arrives in order, answers included.
    Round,
    /// So many ticks in which nothing arrives.
    Outage(u8),
    /// Losses stop until everybody must have everything.
    Settle,
}

/// What the ends have agreed upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The server's first number.
    pub first: u16,
    /// The clients' first number.
    pub first_client: u16,
    /// Class fields are declared.
    pub class_fields: bool,
    /// Bytes of one's own are declared.
    pub extras: usize,
}

impl Agreement {
    /// Numbers from 1 on, and nothing declared.
    pub const PLAIN: Agreement = Agreement { first: 1, first_client: 1, class_fields: false, extras: 0 };

    fn declared(self) -> Declared {
        Declared { class_fields: self.class_fields, extras: self.extras }
    }
}

/// What must hold and does not.
pub type Fault = String;

/// What somebody shows of the players: what snapshots and events tell.
type Shown = BTreeMap<u32, Vec<i32>>;

/// A client, and what is known of it.
struct Side {
    machine: Client,
    wires: [Wire; 2],
    joined: bool,
    /// It left, or may have been given up: nothing more is asked of it.
    gone: bool,
    state: &'static str,
    /// Events on the wire to it, in the order in which they first appeared: when created, and which.
    sent: Vec<(u16, u8)>,
    newest: Option<u16>,
    /// What the server showed before and after it sent a packet: meanwhile it may have thrown somebody out.
    shown: BTreeMap<u16, [Shown; 2]>,
    /// Those that it applied.
    applied: Vec<(u16, u8)>,
    applied_snapshot: Option<u16>,
    jumps: Vec<i64>,
    jumped: Vec<i64>,
    /// Ticks since something reached each end.
    silence: [u32; 2],
    /// The longest packet to it lately.
    longest: usize,
}

/// A server and its clients.
pub struct Pair {
    agreement: Agreement,
    server: Server,
    sides: Vec<Side>,
    now: Time,
    out: Vec<u8>,
}

impl Pair {
    /// Before anything has happened.
    pub fn new(agreement: Agreement, rules: Rules) -> Pair {
        let options = [
            ("first_sequence", i64::from(agreement.first)),
            ("first_client_sequence", agreement.first_client.into()),
            ("class_fields", agreement.class_fields.into()),
            ("class_extras", agreement.extras as i64),
            ("client_tick_us", TICK_US as i64),
        ];
        let setup = Setup { clients: CLIENTS as u16, ..testkit::setup(&PROTOCOL, 0, &options) };
        let side = |index: usize| Side {
            machine: Client::new(&setup.on(HostId(index as u16 + 1)), rules.client, rules.latitude),
            wires: Default::default(),
            joined: false,
            gone: false,
            state: OUTSIDE,
            sent: Vec::new(),
            newest: None,
            shown: BTreeMap::new(),
            applied: Vec::new(),
            applied_snapshot: None,
            jumps: Vec::new(),
            jumped: Vec::new(),
            silence: [0; 2],
            longest: 0,
        };
        let sides = (0..CLIENTS).map(side).collect();
        Pair {
            agreement,
            server: Server::new(&setup, rules.server, rules.latitude),
            sides,
            now: Time::ZERO,
            out: Vec::new(),
        }
    }

    /// What happens.
    ///
    /// # Errors
    /// What must hold and does not.
    pub fn apply(&mut self, operation: &Operation) -> Result<(), Fault> {
        match *operation {
            Operation::Join(client) if !self.sides[client].joined => {
                self.sides[client].joined = true;
                self.tell(client, Command::Connect)?;
            }
            Operation::Join(_) => {}
            Operation::Leave(client) => {
                self.sides[client].gone = true;
                self.tell(client, Command::Disconnect)?;
            }
            Operation::Bot(bot) => {
                let entity = CLIENTS as u32 + 1 + bot % BOTS;
                if self.players().contains_key(&entity) {
                    return self.call(Command::Remove { entity }).and_then(|()| self.check());
                }
                self.call(Command::Spawn { entity })?;
                self.call(Command::Set { entity, field: HP, value: entity as i32 })?;
                self.call(Command::Set { entity, field: ALIVE, value: 1 })?;
            }
            Operation::Set(player, field, value) => {
                let entity = 1 + player % (CLIENTS as u32 + BOTS);
                if self.players().contains_key(&entity) {
                    self.call(Command::Set { entity, field, value })?;
                }
            }
            Operation::ChangeClass(client, class) => {
                self.tell(client, Command::Verb { verb: VERB_CHANGECLASS, args: [class, 0, 0, 0] })?;
            }
            Operation::Jump(client) => {
                let side = &mut self.sides[client];
                let time = (self.now.us() / 1000) as i64;
                // Jumps of one moment could not be distinguished.
                if side.state == INSIDE && side.jumps.len() < 40 && side.jumps.last() != Some(&time) {
                    side.jumps.push(time);
                    self.tell(client, Command::Verb { verb: VERB_JUMP, args: [0; 4] })?;
                }
            }
            Operation::Input(client, keys, aim) => {
                self.tell(client, Command::Verb { verb: VERB_INPUT, args: [keys, aim, 0, 0] })?;
            }
            Operation::CompleteUpdate => {
                self.call(Command::Verb { verb: VERB_COMPLETE_UPDATE, args: [0; 4] })?;
            }
            Operation::Tick => self.tick()?,
            Operation::Deliver(client, end, nth) => self.deliver(client, end, nth, false)?,
            Operation::Duplicate(client, end, nth) => self.deliver(client, end, nth, true)?,
            Operation::Lose(client, end, nth) => {
                drop(self.sides[client].wires[end as usize].take(nth, false));
            }
            Operation::Round => self.round()?,
            Operation::Outage(ticks) => {
                for _ in 0..ticks {
                    self.tick()?;
                    self.sides.iter_mut().for_each(|side| side.wires.iter_mut().for_each(Wire::clear));
                }
            }
            Operation::Settle => self.settle()?,
        }
        self.check()
    }

    /// Losses stop: after a few rounds every client has every event and the newest snapshot, the server has all jumps, and
    /// the base is a young one.
    ///
    /// # Errors
    /// Who lacks what.
    pub fn settle(&mut self) -> Result<(), Fault> {
        for _ in 0..HELLO_ROUNDS {
            if self.sides.iter().all(|side| !side.joined || side.gone || side.state == INSIDE) {
                break;
            }
            self.round()?;
        }
        for _ in 0..SETTLE_ROUNDS {
            self.round()?;
        }
        self.check()?;
        self.settled()
    }

    /// Whether everybody has everything.
    ///
    /// # Errors
    /// Who lacks what.
    pub fn settled(&self) -> Result<(), Fault> {
        let right = self.players();
        for (index, side) in self.sides.iter().enumerate().filter(|(_, side)| side.joined && !side.gone) {
            if side.state != INSIDE {
                return Err(format!("client {index} hangs: it is {}", side.state));
            }
            if side.applied.len() != side.sent.len() {
                return Err(format!("client {index} applied {} events of {}", side.applied.len(), side.sent.len()));
            }
            if side.applied_snapshot != side.newest {
                return Err(format!("client {index} shows {:?} of {:?}", side.applied_snapshot, side.newest));
            }
            if side.jumped != side.jumps {
                return Err(format!(
                    "client {index} jumped {:?}, and the server received {:?}",
                    side.jumps, side.jumped
                ));
            }
            let shown = shown(&side.machine, self.agreement);
            if shown != right {
                return Err(format!("client {index} shows {shown:?}, where {right:?} is right"));
            }
        }
        Ok(())
    }

    /// What must hold at any time: events are applied in the order of the wire, each once; so are jumps.
    fn check(&self) -> Result<(), Fault> {
        for (index, side) in self.sides.iter().enumerate() {
            if !side.sent.starts_with(&side.applied) {
                return Err(format!("client {index} applied {:?} of {:?}", side.applied, side.sent));
            }
            if !side.jumps.starts_with(&side.jumped) {
                return Err(format!(
                    "client {index} jumped {:?}, and the server received {:?}",
                    side.jumps, side.jumped
                ));
            }
        }
        Ok(())
    }

    fn players(&self) -> Shown {
        shown(&self.server, self.agreement)
    }

    fn call(&mut self, command: Command) -> Result<(), Fault> {
        self.server.handle_command(self.now, &command);
        self.drain_server()
    }

    fn tell(&mut self, client: usize, command: Command) -> Result<(), Fault> {
        self.sides[client].machine.handle_command(self.now, &command);
        self.drain_client(client)
    }

    fn tick(&mut self) -> Result<(), Fault> {
        self.now = self.now.after(TICK_US);
        for index in 0..CLIENTS {
            let side = &mut self.sides[index];
            side.silence.iter_mut().for_each(|ticks| *ticks += 1);
            side.machine.handle_timeout(self.now);
            self.drain_client(index)?;
        }
        self.server.handle_timeout(self.now);
        self.drain_server()
    }

    fn round(&mut self) -> Result<(), Fault> {
        self.tick()?;
        for _ in 0..64 {
            if self.sides.iter().all(|side| side.wires.iter().all(Wire::is_empty)) {
                return Ok(());
            }
            for (client, end) in (0..CLIENTS).flat_map(|client| [(client, End::Client), (client, End::Server)]) {
                for _ in 0..self.sides[client].wires[end as usize].len() {
                    self.deliver(client, end, 0, false)?;
                }
            }
        }
        Err(String::from("they go on answering each other without time passing"))
    }

    fn deliver(&mut self, client: usize, end: End, nth: usize, keep: bool) -> Result<(), Fault> {
        let side = &mut self.sides[client];
        let Some(datagram) = side.wires[end as usize].take(nth, keep) else { return Ok(()) };
        match end {
            End::Server => {
                side.silence[End::Server as usize] = 0;
                self.server.handle_datagram(self.now, PeerId::client(client as u16 + 1), &datagram);
                self.drain_server()
            }
            End::Client => {
                side.silence[End::Client as usize] = 0;
                side.machine.handle_datagram(self.now, PeerId::SERVER, &datagram);
                self.drain_client(client)
            }
        }
    }

    fn drain_server(&mut self) -> Result<(), Fault> {
        loop {
            self.out.clear();
            let before = self.players();
            let Some(peer) = self.server.poll_transmit(self.now, &mut self.out) else { break };
            let index = usize::from(peer.host.0) - 1;
            let shown = [before, self.players()];
            let (out, declared) = (&self.out, self.agreement.declared());
            let side = &mut self.sides[index];
            let mut r = Reader::new(out);
            let mut records = Vec::new();
            let header = ServerHeader::read(&mut r).map_err(|error| error.to_string())?;
            read_server_records(&mut r, declared, &mut records).map_err(|error| error.to_string())?;
            for record in &records {
                match &record.what {
                    // What was first in this packet has its number.
                    ServerRecord::Event(event) if record.created == header.sequence => {
                        side.sent.push((record.created, event.id()));
                    }
                    ServerRecord::Event(_) => {}
                    ServerRecord::Snapshot(_) => {
                        side.newest = Some(header.sequence);
                        side.shown.insert(header.sequence, shown.clone());
                    }
                }
            }
            side.longest = side.longest.max(out.len());
            side.wires[End::Client as usize].send(out.clone());
        }
        while let Some(event) = self.server.poll_event() {
            match event {
                Event::Rejected { peer, error } => {
                    return Err(format!("the server refuses what {peer:?} says: {error}"));
                }
                Event::State { peer, to: OUTSIDE, cause, .. } => self.ended(usize::from(peer.host.0) - 1, cause)?,
                Event::Note { note: JUMPED, args: [player, time, ..] } => {
                    self.sides[player as usize - 1].jumped.push(time);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The server has taken a client for gone: it must have had a reason.
    fn ended(&mut self, index: usize, cause: &str) -> Result<(), Fault> {
        let side = &mut self.sides[index];
        let right = match cause {
            "disconnect" => side.gone,
            "silence" => side.silence[End::Server as usize] >= SILENCE_TICKS,
            _ => side.sent.len() >= 200 || side.longest > MUCH_BYTES,
        };
        side.gone = true;
        if right { Ok(()) } else { Err(format!("client {index} is dropped for {cause}")) }
    }

    fn drain_client(&mut self, index: usize) -> Result<(), Fault> {
        let agreement = self.agreement;
        let side = &mut self.sides[index];
        loop {
            self.out.clear();
            if side.machine.poll_transmit(self.now, &mut self.out).is_none() {
                break;
            }
            side.wires[End::Server as usize].send(self.out.clone());
        }
        while let Some(event) = side.machine.poll_event() {
            match event {
                Event::Rejected { error, .. } => return Err(format!("client {index} cannot read: {error}")),
                Event::State { to, cause, .. } => {
                    side.state = to;
                    side.gone |= cause == "silence" && side.silence[End::Client as usize] >= SILENCE_TICKS;
                }
                Event::Note { note: EVENT_APPLIED, args: [created, record, ..] } => {
                    side.applied.push((created as u16, record as u8));
                }
                Event::Note { note: SNAPSHOT_APPLIED, args: [value, ..] } => {
                    side.applied_snapshot = Some(value as u16);
                    let right = side.shown.get(&(value as u16));
                    let shown = shown(&side.machine, agreement);
                    if right.is_none_or(|right| !right.contains(&shown)) {
                        return Err(format!("client {index} shows {shown:?} at {value}, where {right:?} is right"));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What an end shows of the players that events and snapshots tell of: of everybody class and team and whether they live;
/// of the living the body; and of that the class fields that the class has, where they are declared.
fn shown(machine: &dyn Endpoint, agreement: Agreement) -> Shown {
    let mut view = View::default();
    machine.observe(&mut view);
    let shown = |number: &u32| {
        let fields = view.entity(*number).unwrap_or_default();
        let mut player = Player::default();
        player.0.iter_mut().zip(fields).for_each(|(held, field)| *held = *field);
        let mut kept = Player::default();
        for field in [CLASS, TEAM, ALIVE] {
            kept.0[field] = player.0[field];
        }
        if player.is(ALIVE) {
            kept.0[INPUTSTATE..=CLOAKED].copy_from_slice(&player.0[INPUTSTATE..=CLOAKED]);
            let class = player.class_fields().of_class(player.0[CLASS]);
            kept.take_class_fields(if agreement.class_fields { &class } else { &NO_CLASS_FIELDS });
        }
        (*number, kept.0.to_vec())
    };
    view.numbers.iter().map(shown).collect()
}

const NO_CLASS_FIELDS: ClassFields = ClassFields {
    afterburn: 0,
    movestatus: 0,
    doublejump: 0,
    sandvich: 0,
    stickies: 0,
    ubercharge: 0,
    ubercharge_rate: 0,
    healing_ramp: 0,
    nuts_and_bolts: 0,
    damage: 0,
};
