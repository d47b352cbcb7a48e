//! What the player of a demo holds: entities by replacement deltas where they were agreed upon, else as NetQuake or QuakeWorld
//! has them.

use crate::constants::*;
use crate::delta::{self, Entry};
use crate::dialect::{Dialect, Readings, Transport};
use crate::dissector::named;
use crate::message::{Carrier, Listener, UpdateStart};
use crate::options::Options;
use crate::state::{Entity, EntityList, FIELD_TABLE};
use crate::tap::Tap;
use kit::{DecodeError, Direction, Dissection, Field, Reader, Setup, StatValue};
use netquake::scene as nq;
use quakeworld::scene as qw;

static FIELDS: [Field; crate::state::FIELDS] = FIELD_TABLE;

/// Follows a demo.
pub struct Scene {
    tap: Tap,
    held: Held,
}

struct Held {
    dialect: Dialect,
    is_announced: bool,
    /// Whose a statistic is that comes now: somebody's in the recording of a server.
    owners: u32,
    by_server: bool,
    netquake: nq::Held,
    quakeworld: qw::Held,
    baselines: EntityList,
    entities: EntityList,
    server_time: Option<f32>,
    frame: Option<u32>,
}

impl Scene {
    /// For the demo of `setup`.
    pub fn new(setup: &Setup) -> Scene {
        let Options { transport, readings, .. } = Options::new(setup);
        let tap = Tap::new(transport, readings);
        let held = Held {
            dialect: tap.dialect,
            is_announced: false,
            owners: 0,
            by_server: readings.multi_view,
            netquake: nq::Held::default(),
            quakeworld: qw::Held::new(readings.multi_view),
            baselines: EntityList::default(),
            entities: EntityList::default(),
            server_time: None,
            frame: None,
        };
        Scene { tap, held }
    }
}

impl Held {
    fn has_deltas(&self) -> bool {
        self.dialect.deltas()
    }

    fn is_quakeworld(&self) -> bool {
        self.dialect.transport == Transport::QuakeWorld
    }
}

impl Listener for Held {
    fn session(&mut self, dialect: &Dialect) {
        (self.dialect, self.is_announced) = (*dialect, true);
        self.baselines.clear();
        self.entities.clear();
        (self.server_time, self.frame) = (None, None);
    }

    fn netquake(&mut self, service: &netquake::Service<'_>) {
        self.netquake.said(service);
    }

    fn fitz(&mut self, service: &netquake::fitzquake::Fitz<'_>) {
        self.netquake.fitz(service);
    }

    fn quakeworld(&mut self, service: &quakeworld::Service<'_>) {
        self.quakeworld.said(service);
    }

    fn stat(&mut self, _: &Carrier, stat: u8, value: StatValue) {
        if !self.is_quakeworld() {
            self.netquake.stat(stat, value);
        } else if self.by_server {
            for player in (0..32).filter(|player| self.owners & 1 << player != 0) {
                self.quakeworld.stat(Some(player), stat, value);
            }
        } else {
            self.quakeworld.stat(None, stat, value);
        }
    }

    fn baseline(&mut self, number: u32, state: &Entity) {
        self.baselines.put(number, *state);
    }

    fn update(&mut self, carrier: &Carrier, start: &UpdateStart) {
        (self.server_time, self.frame) = (Some(start.server_time), Some(carrier.sequence));
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        match entry {
            Entry::End => {}
            Entry::RemoveAll => self.entities.clear(),
            Entry::Remove(number) => drop(self.entities.remove(number)),
            Entry::Update(number, flags) => {
                let baseline = *self.baselines.get(number).unwrap_or(&Entity::NULL);
                let mut state = *self.entities.get(number).unwrap_or(&baseline);
                delta::read_delta(r, &delta::ENTITY, flags, &baseline, &mut state, dialect.gate)?;
                self.entities.put(number, state);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl kit::Scene for Scene {
    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        let (transport, extensions) = named(extensions)?;
        let Dialect { transport: before, protocol, .. } = self.tap.dialect;
        let readings = Readings { multi_view: self.held.by_server, ..Readings::default() };
        self.tap.dialect = Dialect::negotiated(transport.unwrap_or(before), extensions, protocol, 0, readings);
        self.held.dialect = self.tap.dialect;
        Ok(())
    }

    fn extensions(&self) -> Vec<String> {
        self.tap.dialect.extensions.names()
    }

    fn datagram(&mut self, to: u32, bytes: &[u8], out: &mut Dissection) {
        self.held.owners = to;
        let number = bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word) & !(1 << 31));
        self.held.quakeworld.begin(number);
        out.error = self.tap.datagram(Direction::ServerToClient, bytes, Some(out), &mut self.held).err();
    }

    fn fields(&self) -> &'static [Field] {
        match (self.held.has_deltas(), self.held.is_quakeworld()) {
            (true, _) => &FIELDS,
            (false, true) => &qw::SCENE_FIELDS,
            (false, false) => &nq::SCENE_FIELDS,
        }
    }

    fn default_entity(&self) -> &'static [i32] {
        match (self.held.has_deltas(), self.held.is_quakeworld()) {
            (true, _) => &Entity::NULL.0,
            (false, true) => &qw::NULL,
            (false, false) => &nq::NULL,
        }
    }

    fn entities(&self, visit: &mut dyn FnMut(u32, &[i32])) {
        match (self.held.has_deltas(), self.held.is_quakeworld()) {
            (true, _) => self.held.entities.iter().for_each(|(number, state)| visit(number, &state.0)),
            (false, true) => self.held.quakeworld.entities(visit),
            (false, false) => self.held.netquake.entities(visit),
        }
    }

    fn player(&self, visit: &mut dyn FnMut(&'static str, StatValue)) {
        if let Some(time) = self.held.server_time {
            visit("server_time", StatValue::Float(time));
        }
        if !self.held.is_quakeworld() {
            let newer = self.held.server_time.is_some();
            self.held.netquake.player(&mut |name, value| {
                if !(newer && name == "server_time") {
                    visit(name, value);
                }
            });
        }
    }

    fn stats(&self, visit: &mut dyn FnMut(Option<u8>, u8, StatValue)) {
        match self.held.is_quakeworld() {
            true => self.held.quakeworld.stats(visit),
            false => self.held.netquake.stats(visit),
        }
    }

    fn stats_version(&self) -> Option<u64> {
        self.held.is_quakeworld().then(|| self.held.quakeworld.stats_version())
    }

    fn stat_name(&self, stat: u8) -> Option<&'static str> {
        nq::stat_name(stat)
    }

    fn event(&self, service: u8) -> Option<&'static str> {
        match service {
            SVC_UPDATEENTITIES if self.held.has_deltas() => None,
            SVC_SPAWNBASELINE2 if self.held.has_deltas() => None,
            SVC_UPDATESTATBYTE if !self.held.is_quakeworld() => None,
            SVC_UPDATESTATFLOAT => None,
            _ if self.held.is_quakeworld() => {
                qw::event(service).or_else(|| own_service(service, self.held.dialect.transport))
            }
            0x80.. => None,
            _ => nq::event(service).or_else(|| own_service(service, self.held.dialect.transport)),
        }
    }

    fn frame(&self) -> Option<u32> {
        // NetQuake's numbers, and those of what a server records, are made for the demo.
        let is_real = self.held.is_quakeworld() && !self.held.by_server;
        self.held.frame.or(self.held.quakeworld.frame()).filter(|_| is_real)
    }

    fn is_incomplete(&self) -> bool {
        match (self.held.has_deltas(), self.held.is_quakeworld()) {
            (true, _) => !self.held.is_announced,
            (false, true) => self.held.quakeworld.is_incomplete(),
            (false, false) => self.held.netquake.is_incomplete(),
        }
    }
}

/// The name of a service that extensions add.
fn own_service(service: u8, transport: Transport) -> Option<&'static str> {
    Some(match service {
        SVC_UPDATESTATSTRING => "svcfte_updatestatstring",
        SVC_SPAWNSTATIC2 => "svcfte_spawnstatic2",
        SVC_CSQCENTITIES => "svcfte_csqcentities",
        SVC_CUSTOMTEMPENT => "svcfte_customtempent",
        SVC_PRECACHE => "svcfte_precache",
        _ => crate::service::name(service, transport)?,
    })
}
