//! What a client is sent of a map before it begins.

use super::{Map, Session, Stage};
use crate::machine::latitude::Packs;
use crate::machine::world::World;
use crate::wire::constants::*;
use crate::wire::delta;
use crate::wire::service::{R1q2Data, ServerData, Service};
use crate::wire::state::{EVENT, OLD_ORIGIN, ORIGIN};
use kit::Writer;

/// As many messages are compressed together as have together so many times the length of a datagram.
const PACKED_TIMES: usize = 3;

/// What `write` writes.
fn message(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut message = Vec::new();
    write(&mut Writer::new(&mut message));
    message
}

impl Session {
    /// Sends the client the map.
    pub(super) fn sign_on(&mut self, world: &World, map: &Map<'_>) {
        self.enter(Stage::Spawned, "new");
        let r1q2 = self.dialect.is_r1q2().then(|| R1q2Data {
            enhanced: self.options.enhanced,
            minor: self.options.announced_minor,
            tail: (self.options.announced_minor >= MINOR_STRAFE).then_some([0, 0]),
        });
        let data = ServerData {
            protocol: self.admission.protocol,
            spawncount: map.spawncount,
            attractloop: 0,
            gamedir: b"",
            playernum: self.admission.client as i16 - 1,
            levelname: map.name.as_bytes(),
            r1q2,
        };
        let text = |text: &[u8]| message(|w| Service::StuffText { text }.write(w));
        if self.rules.latitude.talks {
            self.reliable(&text(b"\n"));
        }
        self.reliable(&message(|w| Service::ServerData(data).write(w)));
        if self.rules.latitude.talks {
            self.reliable(&text(b"\n"));
            self.reliable(&message(|w| Service::Nop.write(w)));
        }
        if self.rules.latitude.probes_version {
            self.reliable(&text(b"cmd \x7fc version $version\n"));
        }
        let mut messages: Vec<Vec<u8>> = Vec::new();
        for (index, text) in map.configstrings {
            messages.push(message(|w| Service::ConfigString { index: *index, text }.write(w)));
        }
        self.baselines.clear();
        let gate = self.dialect.gate();
        for (number, live) in world.baselines.iter().filter(|(number, _)| (1..MAX_EDICTS).contains(number)) {
            let mut state = delta::quantised(&live.entity, gate);
            state[EVENT] = 0;
            for (old, axis) in OLD_ORIGIN.into_iter().zip(ORIGIN) {
                state[old] = state[axis];
            }
            messages.push(message(|w| delta::write_baseline(w, number, &state, gate)));
            *self.baselines.entry(number, &state) = state;
        }
        self.queue_packed(messages);
        self.reliable(&text(format!("precache {}\n", map.spawncount).as_bytes()));
    }

    /// Queues messages reliably, compressed where the client takes that and it is shorter.
    pub(super) fn queue_packed(&mut self, messages: Vec<Vec<u8>>) {
        let most = match self.rules.latitude.packs_sign_on {
            Packs::Together => self.netchan.payload_bytes() * PACKED_TIMES,
            Packs::Each => 0,
            Packs::Nothing => {
                for message in &messages {
                    self.reliable(message);
                }
                return;
            }
        };
        let mut group: Vec<Vec<u8>> = Vec::new();
        let mut bytes = 0;
        for message in messages {
            if bytes > 0 && bytes + message.len() > most {
                self.queue_group(&std::mem::take(&mut group));
                bytes = 0;
            }
            bytes += message.len();
            group.push(message);
        }
        self.queue_group(&group);
    }

    /// Queues messages reliably: as one zpacket, or as they are.
    fn queue_group(&mut self, group: &[Vec<u8>]) {
        let (plain, mut packed) = (group.concat(), Vec::new());
        if plain.is_empty() {
            return;
        }
        let packs = self.pack(&plain, &mut packed);
        if !packs || !self.reliable(&packed) {
            for message in group {
                self.reliable(message);
            }
        }
    }
}
