//! What goes to a client beside entity frames: static entities, views, sounds, and entities of the game's own code.
//!
//! The scenario says what the server has to announce, and clients note what they make of it.

use crate::state::Entity;
use kit::Time;
use std::collections::VecDeque;

/// What is remembered of a kind; more is not followed.
const REMEMBERED: usize = 64;
/// The first regular entity number that has two codings.
pub const BIG_NUMBER: u32 = 0x8000;

/// The announcements of one session.
#[derive(Debug, Default)]
pub struct Announced {
    /// Views that the scenario asked for and the server has not announced.
    pub views: VecDeque<u32>,
    /// Entities of sounds and beams that the scenario asked for, likewise.
    pub effects: VecDeque<u32>,
    /// Entities of the game's own code that it is to call gone.
    pub gone: VecDeque<u32>,
    /// What the server announced in the datagram that it sends.
    pub in_datagram: VecDeque<u32>,
    /// What its last datagram with a reliable part had: on QuakeWorld that part is sent again, until it is acknowledged.
    pub in_reliable: VecDeque<u32>,
    /// When the scenario asked for any of these last.
    pub asked_at: Option<Time>,
    /// Static entities announced in this map.
    pub statics_sent: usize,
    /// Those that the map had when it began; whether a later one is announced depends on the sign-on's progress.
    pub statics_due: usize,
    /// Views delivered, and not yet noted by the client.
    pub delivered_views: VecDeque<u32>,
    /// The same of the entities of sounds and beams.
    pub delivered_effects: VecDeque<u32>,
    /// The same of entities called gone.
    pub delivered_gone: VecDeque<u32>,
    /// The same of sounds.
    pub delivered_sounds: VecDeque<u32>,
    /// Static entities delivered in this map.
    pub delivered_statics: Vec<Entity>,
    /// There are new ones: the client must be observed.
    pub observe_statics: bool,
    /// The player is in the game, as delivered.
    pub playing: bool,
    /// The client has noted something: it is one that does.
    pub notes: bool,
}

impl Announced {
    /// A map with so many static entities begins, as sent.
    pub fn begin_map(&mut self, statics: usize) {
        self.forget_asked();
        self.statics_sent = 0;
        self.statics_due = statics;
    }

    /// A datagram of the server ends.
    pub fn datagram_ends(&mut self, reliable: bool) {
        if reliable {
            std::mem::swap(&mut self.in_reliable, &mut self.in_datagram);
        }
        self.in_datagram.clear();
    }

    /// The server announces `number`, of which the scenario asked for `queue`. What was asked for instead, if it was not this.
    pub fn answered(&mut self, queue: fn(&mut Announced) -> &mut VecDeque<u32>, number: u32) -> Option<u32> {
        push(&mut self.in_datagram, number);
        if let Some(index) = queue(self).iter().position(|&asked| asked == number) {
            queue(self).drain(..=index);
            return None;
        }
        if self.in_reliable.contains(&number) { None } else { queue(self).pop_front() }
    }

    /// Nothing has to be announced any more.
    pub fn forget_asked(&mut self) {
        self.views.clear();
        self.effects.clear();
        self.gone.clear();
        self.asked_at = None;
    }

    /// A map begins, as delivered.
    pub fn begin_delivered_map(&mut self) {
        self.delivered_views.clear();
        self.delivered_effects.clear();
        self.delivered_gone.clear();
        self.delivered_sounds.clear();
        self.delivered_statics.clear();
        self.observe_statics = false;
        self.playing = false;
    }

    /// The scenario sets the entity through whose eyes the client looks.
    pub fn view_asked(&mut self, entity: u32) {
        push(&mut self.views, entity);
    }

    /// The scenario plays a sound, or shows a beam, that begins at an entity.
    pub fn effect_asked(&mut self, entity: u32) {
        push(&mut self.effects, entity);
    }

    /// The scenario removes an entity of the game's own code.
    pub fn gone_asked(&mut self, entity: u32) {
        push(&mut self.gone, entity);
    }
}

/// Adds to a queue, unless it is full.
pub fn push(queue: &mut VecDeque<u32>, number: u32) {
    if queue.len() < REMEMBERED {
        queue.push_back(number);
    }
}
