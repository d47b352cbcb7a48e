//! What one client was sent, as a conforming receiver of all of it would read it. Plain state: the checks are in
//! [`super::from_server`].

use super::events::Events;
use super::look::Look;
use super::order::Ordered;
use super::repetition::RightUpdates;
use super::wire::Wire;
use crate::message::Dialect;
use kit::{HostId, Time};
use netquake::constants::{PROTOCOL_FITZQUAKE, PROTOCOL_RMQ};
use std::collections::BTreeMap;

/// Numbers of prints remembered.
const MAX_PRINTS: usize = 4096;

/// A print that the server was asked for.
#[derive(Clone, Copy, Debug)]
pub struct ToPrint {
    /// Its number.
    pub number: i32,
    /// Whether it has to be sent: to a client that is not in the game yet, it may be.
    pub is_due: bool,
}

/// What one client was sent.
#[derive(Debug)]
pub struct Sent {
    /// The protocol announced in the present map.
    pub protocol: Option<u32>,
    /// How its messages are written.
    pub dialect: Dialect,
    /// How many maps were announced.
    pub epoch: u32,
    /// The step of the sign-on reached.
    pub stage: u8,
    /// It was instructed to sign on again since.
    pub again: bool,
    /// Datagrams with a time since the newest clientdata.
    pub playerless: u32,
    /// Datagrams in a row without a time.
    pub timeless: u32,
    /// The baselines announced.
    pub bases: Ordered<Look>,
    /// The newest svc_time, in seconds.
    pub time: Option<f64>,
    /// The player slots that were announced.
    pub seats: u32,
    /// The client's own entity.
    pub own: u32,
    /// A map began that was not announced yet.
    pub between: bool,
    /// Why nothing is known of what follows in this map.
    pub indeterminate: Option<Indeterminate>,
    /// The server said that it ends the connection.
    pub ended: bool,
    /// What was announced of the present map.
    pub announced: Announced,
    /// Numbers of the scenario's sounds that were sent; those of the newest, which are remembered.
    pub sounds: Vec<u64>,
    /// Prints that the server is to send to this client.
    pub prints: Vec<ToPrint>,
    /// How many of them were sent.
    pub printed: usize,
    /// A print that need not have come, equal to the last one that had to: it may come yet.
    pub may_repeat: Option<i32>,
    /// What happens once, and how the client wants to be called.
    pub events: Events,
    /// Entities that were mentioned since their next think was set.
    pub hinted: BTreeMap<u32, Time>,
    /// Of entities in sight: how many datagrams in a row have not mentioned them.
    pub unmentioned: Vec<(u32, u32)>,
    /// Of entities at their baseline: how often they were mentioned, and not.
    pub at_base: [u32; 2],
    /// Same, of entities off it.
    pub off_base: [u32; 2],
    /// What the wire alone has shown of the present map.
    pub wire: Wire,
    /// Who is mentioned in the datagram that is read.
    pub mentioned: Ordered<()>,
    /// Where the messages begin that were read of it, and with which numbers.
    pub starts: Vec<(u8, usize)>,
    /// Updates and clientdata that were right.
    pub right: RightUpdates,
}

/// Nothing can be concluded from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indeterminate {
    /// Why.
    pub why: &'static str,
}

/// What has been announced to one client of the present map.
#[derive(Clone, Debug, Default)]
pub struct Announced {
    /// Static entities of the world that were, by their place.
    pub statics: Vec<usize>,
    /// Static sounds of the world that were, by their place.
    pub sounds: Vec<usize>,
}

impl Sent {
    /// Nothing yet.
    pub fn new(host: HostId) -> Sent {
        Sent {
            protocol: None,
            dialect: Dialect::PLAIN,
            epoch: 0,
            stage: 0,
            again: false,
            playerless: 0,
            timeless: 0,
            bases: Ordered::default(),
            time: None,
            seats: 0,
            own: host.0.into(),
            between: false,
            indeterminate: None,
            ended: false,
            announced: Announced::default(),
            sounds: Vec::new(),
            prints: Vec::new(),
            printed: 0,
            may_repeat: None,
            events: Events::default(),
            hinted: BTreeMap::new(),
            unmentioned: Vec::new(),
            at_base: [0; 2],
            off_base: [0; 2],
            wire: Wire::default(),
            mentioned: Ordered::default(),
            starts: Vec::new(),
            right: RightUpdates::default(),
        }
    }

    /// Whether protocol 666 was announced, or 999, which differs in coords and angles.
    pub fn extended(&self) -> bool {
        matches!(self.protocol, Some(PROTOCOL_FITZQUAKE | PROTOCOL_RMQ))
    }

    /// The code of alpha in an entity's baseline.
    pub fn alpha_of(&self, entity: u32) -> u8 {
        self.bases.get(entity).map_or(0, |base| base.alpha)
    }

    /// The server is asked to print to this client.
    pub fn to_print(&mut self, print: ToPrint) {
        if self.prints.len() < MAX_PRINTS {
            self.prints.push(print);
        }
    }

    /// A map is announced.
    pub fn begin_map(&mut self, protocol: u32, flags: u32) {
        self.protocol = Some(protocol);
        self.dialect = Dialect::with_flags(protocol, flags);
        self.epoch += 1;
        self.stage = 0;
        self.again = false;
        (self.playerless, self.timeless) = (0, 0);
        self.bases.clear();
        self.right.forget();
        self.time = None;
        self.between = false;
        self.indeterminate = None;
        self.announced = Announced::default();
        self.hinted.clear();
        self.unmentioned.clear();
        self.events.map_ends();
    }
}

/// The number of a print that the scenario asked for.
pub fn proof(text: &[u8]) -> Option<i32> {
    let digits = text.strip_prefix(b"proof ")?;
    let digits = digits.strip_suffix(b"\n").unwrap_or(digits);
    std::str::from_utf8(digits).ok()?.parse().ok()
}
