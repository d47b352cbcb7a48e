//! What a mod and the engine ask to be sent: the calls of a frame's physics.

use super::*;
use crate::notes::{COMMAND_IGNORED, OVERFLOW};
use crate::verbs::*;
use kit::HostId;
use kit::table::float_value;
use netquake::constants::{SVC_PARTICLE, SVC_PRINT, SVC_TEMP_ENTITY, TE_EXPLOSION};
use netquake::update::ORIGIN;

/// Parts of a unit in the direction of particles.
const DIRECTIONS: f32 = 16.0;

/// The client that a call names; `None` for all.
fn named(client: i32) -> Option<HostId> {
    u16::try_from(client).ok().filter(|&client| client > 0).map(HostId)
}

impl Server {
    /// Executes a call.
    pub(super) fn call(&mut self, verb: usize, args: [i32; 4]) {
        let [a, b, c, d] = args;
        let done = match verb {
            VERB_QC_INIT => self.qc_init(a, b, c, d),
            VERB_QC_WRITE => self.qc_write_scripted(a, b, c, d),
            VERB_SET_ANGLE => self.session(a).map(|session| session.angle = Some([b, c, d].map(degrees))).is_some(),
            VERB_PARTICLE => self.particle(a, b, c, d),
            VERB_EXPLOSION => self.explosion(a, b as u32, c),
            VERB_PRINT => self.print(a, b, c),
            VERB_DAMAGE => self.session(a).map(|session| session.damage = Some((b as u8, c as u8))).is_some(),
            VERB_BROADCAST_ONE => self.broadcast_one(a, b),
            VERB_SET_VERSION => {
                self.ssvc = (self.rules.mid_level)(self.ssvc, Version(a.clamp(0, self.options.server_max.0)));
                true
            }
            _ => false,
        };
        if !done {
            self.note(COMMAND_IGNORED, &[verb as i64]);
        }
    }

    /// The builtin that NVS adds. An entity that is no client is an error of the mod.
    fn qc_init(&mut self, dest: i32, svc: i32, sub: i32, client: i32) -> bool {
        let sound = (0..=3).contains(&dest) && (0..=self.max_sessions as i32).contains(&client);
        if sound {
            self.init(Init { dest: dest as u8, svc: svc as u8, sub: sub as u8, only: named(client), apart: false });
        }
        sound
    }

    fn qc_write_scripted(&mut self, kind: i32, dest: i32, value: i32, client: i32) -> bool {
        let known = usize::try_from(kind).ok().and_then(|kind| Kind::ALL.get(kind)).copied();
        let (Some(kind), true) = (known, (0..=3).contains(&dest)) else { return false };
        let text = format!("text {value}");
        let value = match kind {
            Kind::Float => Value::Float(value as f32 / 1000.0),
            Kind::Coord => Value::Float(value as f32 / 8.0),
            Kind::Angle => Value::Float(degrees(value)),
            Kind::String => Value::Text(text.as_bytes()),
            _ => Value::Number(value),
        };
        self.qc_write(kind, dest as u8, client, value);
        true
    }

    /// A Write builtin: a write of the message that was prepared, as long as that has some left; else a plain one.
    fn qc_write(&mut self, kind: Kind, dest: u8, client: i32, value: Value<'_>) {
        if (self.rules.diverts)(&self.preparation) {
            return self.write(kind, value, false);
        }
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        encode(kind, value, self.rules.latitude.angles, &mut bytes);
        self.plain(dest, client, &bytes);
        self.scratch = bytes;
    }

    /// Appends to a buffer of the base, past NVS.
    fn plain(&mut self, dest: u8, client: i32, bytes: &[u8]) {
        match dest {
            MSG_BROADCAST => {
                if !self.datagram.push(bytes) {
                    self.note(OVERFLOW, &[0]);
                }
            }
            MSG_ONE => {
                if let Some(session) = self.session(client) {
                    session.outlet.message.push(bytes);
                }
            }
            MSG_ALL => self.plain_all(bytes),
            _ => self.plain_signon(bytes),
        }
    }

    /// To all, reliably: into the common buffer, or, when that is full, to each client at once. Not half of it, since
    /// what follows may be the rest of the same message.
    fn plain_all(&mut self, bytes: &[u8]) {
        if !self.reliable_spilled && !self.options.ordered && self.reliable.has_room(bytes.len()) {
            self.reliable.push(bytes);
            return;
        }
        if !self.reliable_spilled && !self.options.ordered {
            self.append_reliable();
            self.reliable.clear();
            self.reliable_spilled = true;
            self.note(OVERFLOW, &[0]);
        }
        for session in self.sessions.iter_mut().filter(|session| !session.closed()) {
            session.outlet.message.push(bytes);
        }
    }

    /// Into the sign-on data. What does not fit in takes with it what this frame added, which may be its beginning.
    fn plain_signon(&mut self, bytes: &[u8]) {
        let Some(mark) = self.signon_mark else { return };
        if self.signon.has_room(bytes.len()) {
            self.signon.push(bytes);
        } else {
            self.signon.truncate(mark);
            self.signon_mark = None;
            self.note(OVERFLOW, &[0]);
        }
    }

    /// Where an entity is.
    fn origin(&self, entity: i32) -> Option<[f32; 3]> {
        let entity = self.world.live.get(u32::try_from(entity).ok()?)?;
        Some([0, 1, 2].map(|axis| float_value(entity.0[ORIGIN + axis])))
    }

    fn particle(&mut self, entity: i32, count: i32, color: i32, up: i32) -> bool {
        const KINDS: [Kind; 9] = [
            Kind::Byte,
            Kind::Coord,
            Kind::Coord,
            Kind::Coord,
            Kind::Char,
            Kind::Char,
            Kind::Char,
            Kind::Byte,
            Kind::Byte,
        ];
        let Some(origin) = self.origin(entity) else { return false };
        let [x, y, z] = origin.map(Value::Float);
        let up = (up as f32 / 100.0 * DIRECTIONS) as i32;
        let direction = [0, 0, up.clamp(-128, 127)].map(Value::Number);
        let values = [
            Value::Number(SVC_PARTICLE.into()),
            x,
            y,
            z,
            direction[0],
            direction[1],
            direction[2],
            Value::Number(count),
            Value::Number(color),
        ];
        // NVS-T2-01
        let init = Init { dest: MSG_BROADCAST, svc: SVC_PARTICLE, sub: 0, only: None, apart: false };
        self.send(init, &KINDS, KINDS.len(), &values);
        true
    }

    /// As a mod does it: it prepares the message, and writes what the server's version of it has.
    fn explosion(&mut self, entity: i32, color: u32, client: i32) -> bool {
        const KINDS: [Kind; 5] = [Kind::Byte, Kind::Byte, Kind::Coord, Kind::Coord, Kind::Coord];
        let Some(origin) = self.origin(entity) else { return false };
        if !self.qc_init(MSG_BROADCAST.into(), SVC_TEMP_ENTITY.into(), TE_EXPLOSION.into(), client) {
            return false;
        }
        let [x, y, z] = origin.map(Value::Float);
        let [red, green, blue, alpha] = color.to_le_bytes().map(|part| Value::Float(f32::from(part) / 8.0));
        let (svc, sub) = (Value::Number(SVC_TEMP_ENTITY.into()), Value::Number(TE_EXPLOSION.into()));
        // NVS-WR-03
        let values = [svc, sub, x, y, z, red, green, blue, alpha];
        // NVS-T3-01, NVS-T3-02
        for (kind, value) in self.due_writes(&KINDS, KINDS.len(), &values).into_iter().flatten() {
            self.qc_write(kind, MSG_BROADCAST, client, value);
        }
        true
    }

    /// A print, which no table lists; it goes out whole or not at all.
    fn print(&mut self, dest: i32, client: i32, number: i32) -> bool {
        if !(0..=3).contains(&dest) {
            return false;
        }
        let text = format!("line {number}\n");
        let mut bytes = Vec::with_capacity(text.len() + 2);
        Service::Print { text: text.as_bytes() }.write(&mut Writer::new(&mut bytes), &Primitives::PLAIN);
        if dest as u8 == MSG_BROADCAST && !self.datagram.has_room(bytes.len()) {
            self.note(OVERFLOW, &[0]);
        } else {
            self.plain(dest as u8, client, &bytes);
        }
        true
    }

    /// The engine prints to one client, unreliably.
    fn broadcast_one(&mut self, client: i32, number: i32) -> bool {
        const KINDS: [Kind; 2] = [Kind::Byte, Kind::String];
        if self.session(client).is_none() {
            return false;
        }
        let text = format!("line {number}\n");
        let values = [Value::Number(SVC_PRINT.into()), Value::Text(text.as_bytes())];
        let init = Init { dest: MSG_BROADCAST, svc: SVC_PRINT, sub: 0, only: named(client), apart: false };
        self.send(init, &KINDS, KINDS.len(), &values);
        true
    }
}

/// Hundredths of a degree as degrees.
fn degrees(hundredths: i32) -> f32 {
    hundredths as f32 / 100.0
}
