//! What a client makes of the server's messages: the state that its player sees, and the answers that it has to send.

mod sign_on;

use crate::constants::*;
use crate::delta::{self, Entry};
use crate::dialect::{Dialect, Readings, Transport};
use crate::extensions::Extensions;
use crate::latitude::{Answers, Movement, TooManyAcks, Unknown};
use crate::message::{self, Carrier, Listener, UpdateStart};
use crate::notes;
use crate::options::Options;
use crate::rules::Rules;
use crate::state::*;
use kit::{DecodeError, Reader, StatValue, View};
use std::collections::VecDeque;

/// Static entities that a client keeps; more are not shown.
const MAX_STATICS: usize = 4096;

/// A client's game.
pub struct Game {
    rules: Rules,
    /// What the session agreed upon.
    pub dialect: Dialect,
    readings: Readings,
    wanted: Extensions,
    /// Whether it asks for an extension of its own, too.
    private: bool,
    /// The checksum of the map that it claims to have.
    map_checksum: u32,
    pub(crate) baselines: EntityList,
    statics: Vec<Entity>,
    pub(crate) entities: EntityList,
    /// Whether the entities are a state to build upon: not before the first remove-all.
    pub valid: bool,
    server_time: f32,
    stats: Box<[StatValue; 256]>,
    /// How many of them may be other than 0: those after were never sent.
    stats_received: usize,
    spawncount: u32,
    own_entity: u32,
    /// The entity frame that the payload being walked has completed.
    frame: Option<u32>,
    /// Entity frames received and not yet acknowledged, ascending.
    pub acks: VecDeque<u32>,
    /// The client must ask for a reset.
    pub wants_reset: bool,
    /// Text commands to send.
    pub replies: Vec<Vec<u8>>,
    /// Texts for the player.
    pub prints: Vec<Vec<u8>>,
    /// What the player notices beside entities: what it is, and its number.
    pub notes: Vec<(usize, u32)>,
    /// The player is in the game.
    playing: bool,
    /// A map began.
    pub map_began: bool,
    /// The player entered the game.
    pub begun: bool,
    /// The server ended the session.
    pub left: bool,
    /// NetQuake: the server wants to be sure of the client's address before it accepts it once more.
    pub challenged: bool,
}

impl Game {
    /// Before a session; read by `rules`.
    pub fn new(options: &Options, rules: Rules) -> Game {
        Game {
            rules,
            dialect: Dialect::plain(options.transport),
            readings: options.readings,
            wanted: options.client_extensions,
            private: options.client_private,
            map_checksum: options.map_checksum,
            baselines: EntityList::default(),
            statics: Vec::new(),
            entities: EntityList::default(),
            valid: false,
            server_time: 0.0,
            stats: Box::new([StatValue::Int(0); 256]),
            stats_received: 0,
            spawncount: 0,
            own_entity: 0,
            frame: None,
            acks: VecDeque::with_capacity(MAX_ACKS),
            wants_reset: false,
            replies: Vec::new(),
            prints: Vec::new(),
            notes: Vec::new(),
            playing: false,
            map_began: false,
            begun: false,
            left: false,
            challenged: false,
        }
    }

    /// Walks a payload of the server.
    ///
    /// # Errors
    /// The first field that cannot be read. What entities the payload would have changed is then unknown: the state
    /// becomes invalid, and a reset is asked for.
    pub fn receive(&mut self, carrier: &Carrier, payload: &[u8]) -> Result<(), DecodeError> {
        self.frame = None;
        let was_valid = self.valid;
        let mut dialect = self.dialect;
        let walked = message::walk_services(&mut Reader::new(payload), &mut dialect, self.readings, carrier, self);
        let answers_by = match self.rules.latitude.answers {
            Answers::AfterReading => self.valid,
            Answers::BeforeReading => was_valid,
        };
        match (&walked, self.frame) {
            (Ok(()), Some(sequence)) if answers_by => self.queue_ack(sequence), // FTE-ACK-04
            (Ok(()), Some(_)) => self.wants_reset = true,
            (Ok(()), None) => {}
            (Err(_), _) => {
                self.valid = false;
                self.wants_reset = self.dialect.deltas();
            }
        }
        walked
    }

    /// Queues an acknowledgement.
    fn queue_ack(&mut self, sequence: u32) {
        let latitude = &self.rules.latitude;
        if self.acks.len() >= latitude.ack_queue {
            match latitude.too_many_acks {
                TooManyAcks::OldestForgotten => self.acks.pop_front(),
                TooManyAcks::NewestForgotten => return,
                TooManyAcks::NewestReplaces => self.acks.pop_back(),
            };
        }
        self.acks.push_back(sequence);
    }

    /// Reads an update, unless the entity stays hidden. Whether it was read.
    fn update_entity(
        &mut self,
        number: u32,
        flags: u64,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<bool, DecodeError> {
        let latitude = &self.rules.latitude;
        let baseline = self.baselines.get(number).unwrap_or(&Entity::NULL);
        let keeps_movement = latitude.movement == Movement::Kept && flags & (UF_RESET | UF_PREDINFO) == 0;
        let fresh = match latitude.unknown {
            Unknown::Hidden if flags & UF_RESET == 0 && self.entities.get(number).is_none() => return Ok(false),
            Unknown::FromNull => &Entity::NULL,
            Unknown::FromBaseline | Unknown::Hidden => baseline,
        };
        let entity = self.entities.entry(number, fresh); // FTE-RST-06
        let before = keeps_movement.then_some(*entity);
        delta::read_delta(r, self.rules.table, flags, baseline, entity, dialect.gate)?; // FTE-DLT-38, FTE-SVC-12, FTE-SVC-15
        if let Some(before) = before {
            MOVEMENT_FIELDS.iter().for_each(|&field| entity[field] = before[field]);
        }
        Ok(true)
    }

    /// Writes what the player sees.
    pub fn observe(&self, view: &mut View) {
        view.valid = self.valid;
        view.server_time = self.server_time.to_bits();
        view.own_entity = self.own_entity;
        if self.valid {
            view.numbers.extend_from_slice(self.entities.numbers());
            view.fields.reserve(self.entities.len() * FIELDS);
            for (_, state) in self.entities.iter() {
                let start = view.fields.len();
                view.fields.extend_from_slice(&state.0);
                if state[COLORMAP] > self.rules.latitude.highest_slot && state[FLAGS] & 32 == 0 {
                    view.fields[start + COLORMAP] = 0; // FTE-DLT-42
                }
            }
        }
        view.statics.extend(self.statics.iter().flat_map(|state| state.0));
        for (stat, &value) in self.stats.iter().take(self.stats_received).enumerate() {
            if value != StatValue::Int(0) {
                view.stats.push((stat as u8, value));
            }
        }
    }

    fn reply(&mut self, text: &[u8]) {
        self.replies.push(text.to_vec());
    }

    fn note(&mut self, note: usize, number: u32) {
        if self.playing {
            self.notes.push((note, number));
        }
    }
}

impl Listener for Game {
    fn session(&mut self, dialect: &Dialect) {
        self.dialect = *dialect;
        self.baselines.clear();
        self.statics.clear();
        self.playing = false;
        self.entities.clear();
        self.valid = false;
        self.acks.clear();
        self.wants_reset = false;
        self.map_began = true;
        *self.stats = [StatValue::Int(0); 256];
        if dialect.transport == Transport::QuakeWorld && !dialect.deltas() {
            let request = format!("soundlist {} 0", self.spawncount);
            self.reply(request.as_bytes());
        }
    }

    fn netquake(&mut self, service: &netquake::Service<'_>) {
        self.takes_netquake(service);
    }

    fn quakeworld(&mut self, service: &quakeworld::Service<'_>) {
        self.takes_quakeworld(service);
    }

    fn stat(&mut self, _: &Carrier, stat: u8, value: StatValue) {
        self.stats[usize::from(stat)] = value;
        self.stats_received = self.stats_received.max(usize::from(stat) + 1);
    }

    fn baseline(&mut self, number: u32, state: &Entity) {
        *self.baselines.entry(number, state) = *state; // FTE-SVC-08
    }

    fn static_entity(&mut self, state: &Entity) {
        if self.statics.len() < MAX_STATICS {
            self.statics.push(*state);
        }
    }

    fn csqc_gone(&mut self, number: u32) {
        self.note(notes::CSQC_GONE, number);
    }

    fn update(&mut self, carrier: &Carrier, start: &UpdateStart) {
        self.server_time = start.server_time; // FTE-SVC-04
        self.frame = Some(carrier.sequence); // FTE-ACK-02, FTE-OVF-08
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        match entry {
            Entry::RemoveAll => {
                self.entities.clear(); // FTE-RMV-08
                self.valid = true;
            }
            Entry::Remove(number) => {
                self.entities.remove(number); // FTE-RMV-03, FTE-RMV-04, FTE-RST-10
            }
            Entry::Update(number, flags) if self.valid && number <= MAX_ENTITY => {
                return self.update_entity(number, flags, r, dialect);
            }
            // FTE-RMV-02
            Entry::Update(..) | Entry::End => {}
        }
        Ok(false)
    }
}
