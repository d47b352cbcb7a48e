//! A server and three clients on wires that are worked by hand, and what must hold between them.

use kit::table::float_value;
use kit::{Command, Endpoint, Event, HostId, PeerId, Setup, StatValue, Time, View};
use nvs::PROTOCOL;
use nvs::client::Client;
use nvs::constants::STAT_ANGLES;
use nvs::constants::{MSG_ALL, MSG_BROADCAST, MSG_ONE};
use nvs::game::rules::ClientRules;
use nvs::notes::{EXPLOSION, EXPLOSION_COLOR, VIEW_ANGLE};
use nvs::verbs::*;
use testkit::wire::{End, Wire};

/// Clients of a case.
pub const CLIENTS: usize = 3;
/// Time between ticks of both ends, in microseconds: the options' default.
const TICK_US: u64 = 50_000;
/// Rounds after which everything reliable has arrived: a lost fragment is sent again after 20 ticks, and a sign-on takes
/// some ten exchanges.
const SETTLE_ROUNDS: usize = 400;
/// Answers within one round: each end answers an input with a few datagrams, and these with acknowledgements.
const MAX_EXCHANGES: usize = 64;

/// One thing that happens; a client is counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A mod sends a numbered explosion to all, reliably.
    All,
    /// The same, to one client.
    One(usize),
    /// The same, unreliably to all.
    Broadcast,
    /// A numbered print to all, which no table lists.
    PrintAll,
    /// The same, to one client.
    PrintOne(usize),
    /// The engine turns a client's view, by so many degrees.
    Turn(usize, i16),
    /// A client looks elsewhere.
    Look(usize, i16),
    /// A client asks for versions, in hundredths, in the middle of whatever is going on.
    Request(usize, i16),
    /// A client asks for its own version again; a plain one does not.
    Ask(usize),
    /// A new level begins.
    Map,
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
    /// Losses stop until everything reliable must have arrived.
    Settle,
}

/// What the two ends can do: hundredths; a client's `None` is a plain one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// What the mod asks for.
    pub progs: i64,
    /// The newest versions of the clients.
    pub maxima: [Option<i64>; CLIENTS],
}

impl Agreement {
    fn setup(&self) -> Setup {
        let [first, second, third] = self.maxima.map(|maximum| maximum.unwrap_or(-1));
        let maxima = [("client1_max", first), ("client2_max", second), ("client3_max", third)];
        let options = [&[("progs_version", self.progs)][..], &maxima].concat();
        Setup { clients: CLIENTS as u16, ..testkit::setup(&PROTOCOL, 0, &options) }
    }

    /// Whether a client gets explosions in colour and its view turned by floats, once it has the sign-on data.
    fn is_new(&self, client: usize) -> bool {
        self.maxima[client].unwrap_or(0).min(self.progs) >= 50
    }
}

/// One client: the machine, its wires, and what it was to get and got.
struct Side {
    machine: Client,
    /// Under way, by [`End`].
    wires: [Wire; 2],
    /// Numbers of the reliable explosions, and of the prints to all and to it.
    wanted: [Vec<i64>; 3],
    got: [Vec<i64>; 3],
    /// Numbers of the explosions that were broadcast and came.
    broadcasts: Vec<i64>,
    /// Its view angles, as its moves gave them to the server.
    seen: [i64; 3],
    /// An explosion came in colour.
    coloured: bool,
    /// The stages of the two ends, by [`End`].
    stages: [&'static str; 2],
}

/// A server and its clients.
pub struct Pair {
    agreement: Agreement,
    server: Box<dyn Endpoint>,
    sides: Vec<Side>,
    now: Time,
    number: i32,
    out: Vec<u8>,
}

/// What is wrong.
pub type Fault = String;

/// Builds a server.
pub type Build = fn(&Setup) -> Box<dyn Endpoint>;

/// The kinds of numbered messages.
const EXPLOSIONS: usize = 0;
const TO_ALL: usize = 1;
const TO_ONE: usize = 2;
/// Explosions that are broadcast have numbers from here on.
const BROADCAST_FROM: i64 = 0x4000;

impl Pair {
    /// Reference clients that have signed on to a server.
    ///
    /// # Errors
    /// The sign-on did not end.
    pub fn new(agreement: Agreement, server: Build) -> Result<Pair, Fault> {
        let setup = agreement.setup();
        let side = |index: usize| Side {
            machine: Client::new(&setup.on(HostId(index as u16 + 1)), ClientRules::REFERENCE),
            wires: Default::default(),
            wanted: Default::default(),
            got: Default::default(),
            broadcasts: Vec::new(),
            seen: [0; 3],
            coloured: false,
            stages: [""; 2],
        };
        let mut pair = Pair {
            agreement,
            server: server(&setup),
            sides: (0..CLIENTS).map(side).collect(),
            now: Time::ZERO,
            number: 0,
            out: Vec::new(),
        };
        for index in 0..CLIENTS {
            pair.sides[index].machine.handle_command(pair.now, &Command::Connect);
            pair.drain_client(index)?;
        }
        pair.settle()?;
        Ok(pair)
    }

    /// One thing happens.
    ///
    /// # Errors
    /// What must hold and does not.
    pub fn apply(&mut self, operation: &Operation) -> Result<(), Fault> {
        match *operation {
            Operation::All => self.explode(MSG_ALL, None)?,
            Operation::One(client) => self.explode(MSG_ONE, Some(client))?,
            Operation::Broadcast => self.explode(MSG_BROADCAST, None)?,
            Operation::PrintAll => self.print(MSG_ALL, None)?,
            Operation::PrintOne(client) => self.print(MSG_ONE, Some(client))?,
            Operation::Turn(client, degrees) => {
                let turned = i32::from(degrees) * 100;
                self.call(VERB_SET_ANGLE, [client as i32 + 1, turned, -turned, 0])?;
            }
            Operation::Look(client, degrees) => {
                let turned = i32::from(degrees) * 100;
                self.tell(client, VERB_LOOK, [turned, 0, -turned, 0])?;
            }
            Operation::Request(client, hundredths) => {
                self.tell(client, VERB_REQUEST, [hundredths.into(), 0, 0, 0])?;
            }
            Operation::Ask(client) => {
                if let Some(maximum) = self.agreement.maxima[client] {
                    self.tell(client, VERB_REQUEST, [maximum as i32, 0, 0, 0])?;
                }
            }
            Operation::Map => {
                self.server.handle_command(self.now, &Command::Map);
                self.drain_server()?;
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
        self.check(false)
    }

    fn call(&mut self, verb: usize, args: [i32; 4]) -> Result<(), Fault> {
        self.server.handle_command(self.now, &Command::Verb { verb, args });
        self.drain_server()
    }

    fn tell(&mut self, client: usize, verb: usize, args: [i32; 4]) -> Result<(), Fault> {
        self.sides[client].machine.handle_command(self.now, &Command::Verb { verb, args });
        self.drain_client(client)
    }

    /// A mod sends an explosion whose x is a number.
    fn explode(&mut self, dest: u8, only: Option<usize>) -> Result<(), Fault> {
        self.number += 1;
        let from = if dest == MSG_BROADCAST { BROADCAST_FROM as i32 } else { 0 };
        let (number, named) = (from + self.number, only.map_or(0, |client| client as i32 + 1));
        let dest = i32::from(dest);
        self.call(VERB_QC_INIT, [dest, 23, 3, named])?;
        let writes = [(0, 23), (0, 3), (5, number), (5, 16), (5, 24), (5, 8), (5, 4), (5, 2), (5, 7)];
        // A mod whose version has no colours writes none.
        let due = if self.agreement.progs >= 50 { 9 } else { 5 };
        for (kind, value) in writes.into_iter().take(due) {
            self.call(VERB_QC_WRITE, [kind, dest, value, named])?;
        }
        if dest != i32::from(MSG_BROADCAST) {
            let meant = |index: usize| only.is_none_or(|only| only == index);
            let sides = self.sides.iter_mut().enumerate().filter(|(index, _)| meant(*index));
            sides.for_each(|(_, side)| side.wanted[EXPLOSIONS].push(number.into()));
        }
        Ok(())
    }

    fn print(&mut self, dest: u8, only: Option<usize>) -> Result<(), Fault> {
        self.number += 1;
        let (number, named) = (self.number, only.map_or(0, |client| client as i32 + 1));
        self.call(VERB_PRINT, [dest.into(), named, number, 0])?;
        for (index, side) in self.sides.iter_mut().enumerate() {
            match only {
                None => side.wanted[TO_ALL].push(number.into()),
                Some(only) if only == index => side.wanted[TO_ONE].push(number.into()),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// What must hold at any time: what came is the beginning of what was to come, in order and once; all of it, if
    /// nothing is under way any more.
    fn check(&self, settled: bool) -> Result<(), Fault> {
        for (index, side) in self.sides.iter().enumerate() {
            for kind in [EXPLOSIONS, TO_ALL, TO_ONE] {
                let (wanted, got) = (&side.wanted[kind], &side.got[kind]);
                if !wanted.starts_with(got) || settled && wanted.len() != got.len() {
                    return Err(format!("client {index} got {got:?} of {wanted:?} (kind {kind})"));
                }
            }
            if !side.broadcasts.is_sorted_by(|one, next| one < next) {
                return Err(format!("client {index} got the broadcasts {:?}", side.broadcasts));
            }
            if side.coloured && !self.agreement.is_new(index) {
                return Err(format!("client {index} sees colours that are not of its version"));
            }
        }
        Ok(())
    }

    /// Losses stop, until everything reliable must have arrived; then each client is shown one of everything.
    ///
    /// # Errors
    /// What did not arrive, or in another form.
    pub fn settle(&mut self) -> Result<(), Fault> {
        let steady =
            |pair: &Pair| pair.sides.iter().all(|side| side.stages == ["active"; 2]) && pair.check(true).is_ok();
        self.deliver_all()?;
        for round in 0..SETTLE_ROUNDS {
            if round > 2 && steady(self) {
                break;
            }
            self.round()?;
        }
        if let Some(index) = self.sides.iter().position(|side| side.stages != ["active"; 2]) {
            return Err(format!("client {index} hangs: server and client are {:?}", self.sides[index].stages));
        }
        self.check(true)?;
        self.probe()
    }

    /// A view is turned by what no byte holds, and an explosion is broadcast: each comes in the form of the client's
    /// version, and the client's moves tell where it looks.
    fn probe(&mut self) -> Result<(), Fault> {
        // Moves that overtook each other may be under way from before.
        for _ in 0..3 {
            self.round()?;
        }
        self.sides.iter_mut().for_each(|side| side.coloured = false);
        self.explode(MSG_BROADCAST, None)?;
        for client in 0..CLIENTS {
            self.call(VERB_SET_ANGLE, [client as i32 + 1, 1250, -9000, 0])?;
        }
        for _ in 0..6 {
            self.round()?;
        }
        for (index, side) in self.sides.iter().enumerate() {
            let last = BROADCAST_FROM + i64::from(self.number);
            if side.broadcasts.last() != Some(&last) {
                return Err(format!("client {index} did not get broadcast {last}: {:?}", side.broadcasts));
            }
            if side.coloured != self.agreement.is_new(index) {
                return Err(format!("client {index} sees explosions in colour: {}", side.coloured));
            }
            let mut view = View::default();
            side.machine.observe(&mut view);
            let angle = |axis: u8| {
                let found = view.stats.iter().find(|(stat, _)| *stat == STAT_ANGLES + axis);
                found.map_or(0.0, |(_, value)| if let StatValue::Float(value) = value { *value } else { 0.0 })
            };
            // 12.5 degrees are 8 of 256 parts, cut off: 11.25.
            let wanted = [if self.agreement.is_new(index) { 12.5 } else { 11.25 }, -90.0, 0.0];
            let shown = [angle(0), angle(1), angle(2)];
            if shown != wanted {
                return Err(format!("client {index} looks at {shown:?}, not at {wanted:?}"));
            }
            // Where a move has bytes, they hold just these.
            let fine = self.agreement.maxima[index].unwrap_or(0) >= 50;
            let read = side.seen.map(|bits| float_value(bits as i32));
            if fine && read != shown || (read[0] - shown[0]).abs() > 1.5 {
                return Err(format!("client {index} looks at {shown:?}, and the server reads {read:?}"));
            }
        }
        Ok(())
    }

    fn tick(&mut self) -> Result<(), Fault> {
        self.now = self.now.after(TICK_US);
        for index in 0..CLIENTS {
            self.sides[index].machine.handle_timeout(self.now);
            self.drain_client(index)?;
        }
        self.server.handle_timeout(self.now);
        self.drain_server()
    }

    fn round(&mut self) -> Result<(), Fault> {
        self.tick()?;
        self.deliver_all()
    }

    /// Everything under way arrives in order, and so do the answers.
    fn deliver_all(&mut self) -> Result<(), Fault> {
        for _ in 0..MAX_EXCHANGES {
            if self.sides.iter().all(|side| side.wires.iter().all(Wire::is_empty)) {
                return Ok(());
            }
            for (client, end) in (0..CLIENTS).flat_map(|client| [(client, End::Client), (client, End::Server)]) {
                for _ in 0..self.sides[client].wires[end as usize].len() {
                    self.deliver(client, end, 0, false)?;
                }
            }
        }
        Err("they go on answering each other without time passing".to_string())
    }

    fn deliver(&mut self, client: usize, end: End, nth: usize, keep: bool) -> Result<(), Fault> {
        let Some(datagram) = self.sides[client].wires[end as usize].take(nth, keep) else { return Ok(()) };
        match end {
            End::Server => {
                self.server.handle_datagram(self.now, PeerId::client(client as u16 + 1), &datagram);
                self.drain_server()
            }
            End::Client => {
                self.sides[client].machine.handle_datagram(self.now, PeerId::SERVER, &datagram);
                self.drain_client(client)
            }
        }
    }

    fn drain_server(&mut self) -> Result<(), Fault> {
        loop {
            self.out.clear();
            let Some(peer) = self.server.poll_transmit(self.now, &mut self.out) else { break };
            let side = &mut self.sides[usize::from(peer.host.0) - 1];
            side.wires[End::Client as usize].send(self.out.clone());
        }
        while let Some(event) = self.server.poll_event() {
            match event {
                Event::Rejected { peer, error } => {
                    return Err(format!("the server refuses what {peer:?} says: {error}"));
                }
                Event::State { peer, to: "closed", .. } => return Err(format!("the server drops {peer:?}")),
                Event::State { peer, to, .. } => {
                    self.sides[usize::from(peer.host.0) - 1].stages[End::Server as usize] = to;
                }
                Event::Note { note: VIEW_ANGLE, args: [client, axis, angle, _] } => {
                    self.sides[client as usize - 1].seen[axis as usize] = angle;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn drain_client(&mut self, index: usize) -> Result<(), Fault> {
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
                Event::State { to, .. } => side.stages[End::Client as usize] = to,
                Event::Note { note: EXPLOSION, args: [x, ..] } => match x {
                    number if number >= BROADCAST_FROM => side.broadcasts.push(number),
                    number => side.got[EXPLOSIONS].push(number),
                },
                Event::Note { note: EXPLOSION_COLOR, .. } => side.coloured = true,
                Event::Print { text } => {
                    let text = String::from_utf8_lossy(&text);
                    let Some(number) = text.strip_prefix("line ").and_then(|rest| rest.trim().parse().ok()) else {
                        continue;
                    };
                    let to_all = side.wanted[TO_ALL].contains(&number);
                    side.got[if to_all { TO_ALL } else { TO_ONE }].push(number);
                }
                _ => {}
            }
        }
        Ok(())
    }
}
