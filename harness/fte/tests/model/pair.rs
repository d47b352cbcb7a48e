//! The two machines, the wire, and what must hold.

use super::operation::{Agreement, End, Operation, Setting};
use super::receiver::Receiver;
use super::world::{self, World};
use fte::client::Client;
use fte::constants::ACK_RESET;
use fte::options;
use fte::rules::Rules;
use fte::server::Server;
use fte::verbs::{VERB_ACKNOWLEDGE, VERB_NOP_DATAGRAMS};
use kit::{Command, Endpoint, Event, HostId, PeerId, StatValue, Time, View};
use std::collections::VecDeque;

/// Time between ticks of both ends, in microseconds: the options' default.
const TICK_US: u64 = 50_000;
/// Most datagrams under way to one end; of more, the oldest are lost.
const MAX_UNDER_WAY: usize = 64;
/// Rounds for a sign-on: some ten exchanges of reliable messages, of which one may be waiting for its repetition.
const SIGN_ON_ROUNDS: usize = 60;
/// The longest update of an entity, in bytes, with room to spare.
const UPDATE_BYTES: usize = 112;
/// The longest beginning and end of a frame with its statistics, and what is left at its end, in bytes.
const FRAME_BYTES: usize = 64;
/// Answers within one round: each end answers an input with a few datagrams, and these with acknowledgements.
const MAX_EXCHANGES: usize = 64;

/// A server and a client.
pub struct Pair {
    agreement: Agreement,
    server: Server,
    client: Client,
    now: Time,
    /// Under way, by [`End`].
    wires: [VecDeque<Vec<u8>>; 2],
    /// What the server sent, and what the client received.
    sent: Receiver,
    arrived: Receiver,
    /// The stages of both ends, by [`End`].
    stages: [&'static str; 2],
    /// Reliable statistics since the last time that the wire was at rest.
    reliable: usize,
    /// A datagram was damaged or made up: nothing can be said of the two any more, but that they stay alive.
    damaged: bool,
    view: View,
    out: Vec<u8>,
}

/// What is wrong.
pub type Fault = String;

impl Pair {
    /// A client that has signed on to a server, which follows `server` and is otherwise the reference.
    ///
    /// # Errors
    /// The sign-on did not end.
    pub fn new(agreement: Agreement, server: Rules) -> Result<Pair, Fault> {
        let setup = agreement.setup();
        let transport = options::transport(setup.profile);
        let mut pair = Pair {
            agreement,
            server: Server::new(&setup, server),
            client: Client::new(&setup.on(HostId(1)), Rules::REFERENCE),
            now: Time::ZERO,
            wires: [VecDeque::new(), VecDeque::new()],
            sent: Receiver::new(transport),
            arrived: Receiver::new(transport),
            stages: [""; 2],
            reliable: 0,
            damaged: false,
            view: View::default(),
            out: Vec::new(),
        };
        for (field, value) in world::baseline() {
            let entity = world::WITH_BASELINE;
            pair.server.handle_command(pair.now, &Command::Baseline { entity, field, value });
        }
        pair.client.handle_command(pair.now, &Command::Connect);
        pair.drain(End::Client)?;
        pair.sign_on()?;
        Ok(pair)
    }

    /// One thing happens. `world` is what there is afterwards.
    ///
    /// # Errors
    /// What must hold and does not.
    pub fn apply(&mut self, operation: &Operation, world: &World) -> Result<(), Fault> {
        match *operation {
            Operation::Spawn(entity) => self.command(Command::Spawn { entity })?,
            Operation::Set(entity, Setting { field, value }) => self.command(Command::Set { entity, field, value })?,
            Operation::Remove(entity) => self.command(Command::Remove { entity })?,
            Operation::Stat(stat, value) => {
                self.reliable += 1;
                self.command(Command::Stat { client: 1, stat, value: StatValue::Int(value) })?;
            }
            Operation::Map => self.command(Command::Map)?,
            Operation::Nops(count) => {
                let args = [1, count.into(), 0, 0];
                self.command(Command::Verb { verb: VERB_NOP_DATAGRAMS, args })?;
            }
            Operation::AskReset => {
                let ask = Command::Verb { verb: VERB_ACKNOWLEDGE, args: [ACK_RESET as i32, 0, 0, 0] };
                self.client.handle_command(self.now, &ask);
                self.drain(End::Client)?;
            }
            Operation::Tick => self.tick()?,
            Operation::Deliver(end, nth) => self.deliver(end, nth, false)?,
            Operation::Duplicate(end, nth) => self.deliver(end, nth, true)?,
            Operation::Lose(end, nth) => {
                let wire = &mut self.wires[end as usize];
                if !wire.is_empty() {
                    wire.remove(nth % wire.len());
                }
            }
            Operation::Round => self.round()?,
            Operation::OneWayOutage(end, ticks) => {
                for _ in 0..ticks {
                    self.tick()?;
                    self.wires[end as usize].clear();
                    self.deliver_all()?;
                    self.wires[end as usize].clear();
                }
            }
            Operation::Outage(ticks) => {
                for _ in 0..ticks {
                    self.tick()?;
                    self.wires.iter_mut().for_each(VecDeque::clear);
                }
            }
            Operation::Settle => self.settle(world)?,
        }
        self.check(world)
    }

    /// What must hold at any time.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&mut self, world: &World) -> Result<(), Fault> {
        if self.damaged {
            return Ok(());
        }
        self.view.clear();
        self.server.observe(&mut self.view);
        world.check_server(&self.view)?;
        self.look();
        self.arrived.check_equal(self.view.valid, &self.view.numbers, &self.view.fields)?;
        self.sent.check_step(&self.arrived)
    }

    /// What the client shows.
    fn look(&mut self) {
        self.view.clear();
        self.client.observe(&mut self.view);
    }

    /// Losses stop, and the world stands still for as long as bounded convergence may take.
    ///
    /// # Errors
    /// The client does not show the world then.
    pub fn settle(&mut self, world: &World) -> Result<(), Fault> {
        self.deliver_all()?;
        self.sign_on()?;
        for _ in 0..self.bound(world) {
            self.round()?;
        }
        self.reliable = 0;
        if self.damaged {
            return Ok(());
        }
        self.look();
        world.check_client(&self.view).map_err(|fault| format!("losses stopped long ago, yet {fault}"))
    }

    /// Rounds until the client must show the world. With no delay on the wire, the server knows of a loss two rounds
    /// after losses stop (its next frame, the client's next packet), and has sent all that is pending `1 + frames` later;
    /// once more when the client must ask for a reset first, and once more when the remove-all was lost, too.
    fn bound(&self, world: &World) -> usize {
        let pending = world.entities.len() * UPDATE_BYTES + world::NUMBERS.len() * 3;
        let frames = pending.div_ceil(usize::from(self.agreement.datagram_limit) - UPDATE_BYTES - FRAME_BYTES);
        // Without PREDINFO statistics travel one after the other, and the first may wait for its repetition.
        let reliable = if self.agreement.predinfo { 0 } else { self.reliable + world::STATS.len() + 8 };
        3 * (3 + frames) + reliable
    }

    /// Rounds until both ends are in the game.
    fn sign_on(&mut self) -> Result<(), Fault> {
        for _ in 0..SIGN_ON_ROUNDS {
            if self.stages == ["active"; 2] || self.damaged {
                return Ok(());
            }
            self.round()?;
        }
        Err(format!("the sign-on hangs: server and client are {:?}", self.stages))
    }

    /// An instruction to the server.
    fn command(&mut self, command: Command) -> Result<(), Fault> {
        self.server.handle_command(self.now, &command);
        self.drain(End::Server)
    }

    /// Both ends act on the time; the client first, so that a QuakeWorld server answers in the next tick.
    fn tick(&mut self) -> Result<(), Fault> {
        self.now = self.now.after(TICK_US);
        self.client.handle_timeout(self.now);
        self.drain(End::Client)?;
        self.server.handle_timeout(self.now);
        self.drain(End::Server)
    }

    fn round(&mut self) -> Result<(), Fault> {
        self.tick()?;
        self.deliver_all()
    }

    /// Everything under way arrives in order, and so do the answers.
    fn deliver_all(&mut self) -> Result<(), Fault> {
        for _ in 0..MAX_EXCHANGES {
            if self.wires.iter().all(VecDeque::is_empty) {
                return Ok(());
            }
            for end in [End::Client, End::Server] {
                for _ in 0..self.wires[end as usize].len() {
                    self.deliver(end, 0, false)?;
                }
            }
        }
        match self.damaged {
            true => Ok(()),
            false => Err("the two go on answering each other without time passing".to_string()),
        }
    }

    fn deliver(&mut self, end: End, nth: usize, keep: bool) -> Result<(), Fault> {
        let wire = &mut self.wires[end as usize];
        if wire.is_empty() {
            return Ok(());
        }
        let nth = nth % wire.len();
        let datagram = if keep { wire.get(nth).cloned() } else { wire.remove(nth) };
        self.arrive(end, &datagram.unwrap_or_default())
    }

    /// Bytes arrive at one end.
    fn arrive(&mut self, end: End, bytes: &[u8]) -> Result<(), Fault> {
        match end {
            End::Server => self.server.handle_datagram(self.now, PeerId::client(1), bytes),
            End::Client => {
                let read = self.arrived.receive(bytes);
                if let (Err(error), false) = (read, self.damaged) {
                    return Err(format!("what the server sent cannot be decoded: {error}"));
                }
                self.client.handle_datagram(self.now, PeerId::SERVER, bytes);
            }
        }
        self.drain(end)
    }

    /// Takes what an end sends and says.
    fn drain(&mut self, end: End) -> Result<(), Fault> {
        let (machine, far): (&mut dyn Endpoint, End) = match end {
            End::Server => (&mut self.server, End::Client),
            End::Client => (&mut self.client, End::Server),
        };
        loop {
            self.out.clear();
            if machine.poll_transmit(self.now, &mut self.out).is_none() {
                break;
            }
            if end == End::Server
                && let (Err(error), false) = (self.sent.receive(&self.out), self.damaged)
            {
                return Err(format!("the server sends what cannot be decoded: {error}"));
            }
            let wire = &mut self.wires[far as usize];
            wire.push_back(self.out.clone());
            if wire.len() > MAX_UNDER_WAY {
                wire.pop_front();
            }
        }
        while let Some(event) = machine.poll_event() {
            match event {
                Event::State { to, .. } => self.stages[end as usize] = to,
                Event::Rejected { error, .. } if !self.damaged => {
                    return Err(format!("{end:?} refuses what the other sent: {error}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A datagram under way arrives after `damage`, as well as undamaged later.
    ///
    /// # Errors
    /// None: nothing is expected of the two any more.
    #[allow(dead_code, reason = "for those who look for panics alone")]
    pub fn damage(&mut self, end: End, nth: usize, damage: impl FnOnce(&mut Vec<u8>)) -> Result<(), Fault> {
        self.damaged = true;
        let wire = &self.wires[end as usize];
        let mut datagram = wire.get(nth % wire.len().max(1)).cloned().unwrap_or_default();
        damage(&mut datagram);
        self.arrive(end, &datagram)
    }
}
