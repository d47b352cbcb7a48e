//! Snapshots: who lives and how, the XOR over an older one, and runs of zeros.

use crate::constants::*;
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// Bytes of a snapshot before its players.
pub const HEAD_BYTES: usize = 5;
/// Bytes of a player in a snapshot, where nothing more is declared.
pub const BODY_BYTES: usize = 1 + BASE_BYTES + 2;
/// Bytes of the class fields of a player.
pub const CLASS_BYTES: usize = 11;

/// Bit of the flags after a body: the player is cloaked.
const CLOAKED: u8 = 1;

/// snapshot_player_base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Base {
    /// Which keys are down.
    pub inputstate: u8,
    /// Where the player aims, 65536 to the circle.
    pub aimdirection: u16,
    /// Position.
    pub x: u32,
    /// Position.
    pub y: u32,
    /// Speed.
    pub hspeed: i16,
    /// Speed.
    pub vspeed: i16,
    /// Health.
    pub hp: u8,
}

impl Base {
    /// Writes the 16 bytes.
    pub fn write(&self, w: &mut Writer<'_>) {
        // GG2-BASE-01
        w.u8("inputstate", self.inputstate);
        w.u16_be("aimdirection", self.aimdirection);
        // GG2-TYPE-01, GG2-TYPE-02
        w.u32_be("x", self.x);
        w.u32_be("y", self.y);
        // GG2-BASE-04
        w.i16_be("hspeed", self.hspeed);
        w.i16_be("vspeed", self.vspeed);
        w.u8("hp", self.hp);
    }

    /// Reads the 16 bytes as they are, spare bits of inputstate included.
    ///
    /// # Errors
    /// The field that is cut off.
    pub fn read(r: &mut Reader<'_>) -> Result<Base, DecodeError> {
        Ok(Base {
            inputstate: r.u8("inputstate")?,
            aimdirection: r.u16_be("aimdirection")?,
            x: r.u32_be("x")?,
            y: r.u32_be("y")?,
            hspeed: r.i16_be("hspeed")?,
            vspeed: r.i16_be("vspeed")?,
            hp: r.u8("hp")?,
        })
    }

    /// The same of 16 bytes that are there.
    fn of(bytes: &[u8; BASE_BYTES]) -> Base {
        let [inputstate, a0, a1, x0, x1, x2, x3, y0, y1, y2, y3, h0, h1, v0, v1, hp] = *bytes;
        Base {
            inputstate,
            aimdirection: u16::from_be_bytes([a0, a1]),
            x: u32::from_be_bytes([x0, x1, x2, x3]),
            y: u32::from_be_bytes([y0, y1, y2, y3]),
            hspeed: i16::from_be_bytes([h0, h1]),
            vspeed: i16::from_be_bytes([v0, v1]),
            hp,
        }
    }

    /// Without the bits of inputstate that mean nothing.
    pub fn masked(self) -> Base {
        Base { inputstate: self.inputstate & INPUTSTATE_BITS, ..self }
    }
}

/// What both sides have declared to stand after every body; nothing on the wire tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The class fields of the concept.
    pub class_fields: bool,
    /// Bytes that mean something to those who declared them.
    pub extras: usize,
}

impl Declared {
    /// Bodies alone.
    pub const NOTHING: Declared = Declared { class_fields: false, extras: 0 };

    /// Bytes after every body.
    pub fn bytes(self) -> usize {
        self.extras + if self.class_fields { CLASS_BYTES } else { 0 }
    }
}

/// The class fields of the concept. Every body has all of them, so that each keeps its place under XOR whatever classes
/// there are; those that the player's class has not are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassFields {
    /// All but pyros.
    pub afterburn: u8,
    /// All.
    pub movestatus: u8,
    /// Scouts.
    pub doublejump: u8,
    /// Heavies.
    pub sandvich: u8,
    /// Demomen: how many.
    pub stickies: u8,
    /// Medics.
    pub ubercharge: u16,
    /// Medics.
    pub ubercharge_rate: u8,
    /// Medics.
    pub healing_ramp: u8,
    /// Engineers.
    pub nuts_and_bolts: u8,
    /// Snipers.
    pub damage: u8,
}

impl ClassFields {
    /// Writes the 11 bytes.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u8("afterburn", self.afterburn);
        w.u8("movestatus", self.movestatus);
        w.u8("doublejump", self.doublejump);
        w.u8("sandvich", self.sandvich);
        w.u8("stickies", self.stickies);
        w.u16_be("ubercharge", self.ubercharge);
        w.u8("ubercharge rate", self.ubercharge_rate);
        w.u8("healing ramp", self.healing_ramp);
        w.u8("nuts and bolts", self.nuts_and_bolts);
        w.u8("damage", self.damage);
    }

    /// Reads the 11 bytes.
    ///
    /// # Errors
    /// The field that is cut off.
    pub fn read(r: &mut Reader<'_>) -> Result<ClassFields, DecodeError> {
        Ok(ClassFields {
            afterburn: r.u8("afterburn")?,
            movestatus: r.u8("movestatus")?,
            doublejump: r.u8("doublejump")?,
            sandvich: r.u8("sandvich")?,
            stickies: r.u8("stickies")?,
            ubercharge: r.u16_be("ubercharge")?,
            ubercharge_rate: r.u8("ubercharge rate")?,
            healing_ramp: r.u8("healing ramp")?,
            nuts_and_bolts: r.u8("nuts and bolts")?,
            damage: r.u8("damage")?,
        })
    }

    /// Those that a player of `class` has; the others are 0.
    pub fn of_class(self, class: i32) -> ClassFields {
        let only = |wanted: i32, value: u8| if class == wanted { value } else { 0 };
        ClassFields {
            afterburn: if class == PYRO { 0 } else { self.afterburn },
            movestatus: self.movestatus,
            doublejump: only(SCOUT, self.doublejump),
            sandvich: only(HEAVY, self.sandvich),
            stickies: only(DEMOMAN, self.stickies),
            ubercharge: if class == MEDIC { self.ubercharge } else { 0 },
            ubercharge_rate: only(MEDIC, self.ubercharge_rate),
            healing_ramp: only(MEDIC, self.healing_ramp),
            nuts_and_bolts: only(ENGINEER, self.nuts_and_bolts),
            damage: only(SNIPER, self.damage),
        }
    }
}

/// A living player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Whose.
    pub id: u8,
    /// Input, aim, position, speed, health.
    pub base: Base,
    /// Ammunition.
    pub ammo: u8,
    /// Whether the player is cloaked.
    pub cloaked: bool,
    /// What the class adds, where that is declared.
    pub class: Option<ClassFields>,
    /// What else is declared; opaque.
    pub extras: Vec<u8>,
}

impl Body {
    /// Of the bytes that a body has, if it has what is `declared`; none if they are too few.
    fn of(bytes: &[u8], declared: Declared) -> Option<Body> {
        let (&id, bytes) = bytes.split_first()?;
        let (base, bytes) = bytes.split_first_chunk()?;
        let (&[ammo, flags], bytes) = bytes.split_first_chunk()?;
        let (class, extras) = if declared.class_fields {
            let (fields, extras) = bytes.split_at_checked(CLASS_BYTES)?;
            (Some(ClassFields::read(&mut Reader::new(fields)).ok()?), extras)
        } else {
            (None, bytes)
        };
        Some(Body { id, base: Base::of(base), ammo, cloaked: flags & CLOAKED != 0, class, extras: extras.to_vec() })
    }
}

/// A snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The server's time, in milliseconds.
    pub time: u32,
    /// The living players.
    pub bodies: Vec<Body>,
}

impl Snapshot {
    /// The bytes that are XORed; players beyond 255 do not fit, and are left out.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEAD_BYTES + self.bodies.len() * BODY_BYTES);
        let mut w = Writer::new(&mut out);
        let count = u8::try_from(self.bodies.len()).unwrap_or(u8::MAX);
        w.u32_be("time", self.time);
        w.u8("count", count);
        for body in self.bodies.iter().take(count.into()) {
            w.u8("id", body.id);
            body.base.write(&mut w);
            w.u8("ammo", body.ammo);
            w.u8("flags", if body.cloaked { CLOAKED } else { 0 });
            if let Some(fields) = &body.class {
                fields.write(&mut w);
            }
            w.bytes("extras", &body.extras);
        }
        out
    }

    /// Reads what [`Snapshot::encode`] writes, if every player has what is `declared`.
    ///
    /// # Errors
    /// What is cut off, or left over.
    pub fn decode(bytes: &[u8], declared: Declared) -> Result<Snapshot, DecodeError> {
        let mut snapshot = Snapshot::default();
        snapshot.read(bytes, declared)?;
        Ok(snapshot)
    }

    /// Becomes what [`Snapshot::decode`] reads, in the memory that there is; anything if that cannot be read.
    ///
    /// # Errors
    /// What is cut off, or left over.
    pub fn read(&mut self, bytes: &[u8], declared: Declared) -> Result<(), DecodeError> {
        self.bodies.clear();
        if let Some(&[t0, t1, t2, t3, count]) = bytes.first_chunk()
            && let Some(bodies) = bytes.get(HEAD_BYTES..)
        {
            self.time = u32::from_be_bytes([t0, t1, t2, t3]);
            let one = BODY_BYTES + declared.bytes();
            if bodies.len() == usize::from(count) * one {
                self.bodies.extend(bodies.chunks_exact(one).filter_map(|body| Body::of(body, declared)));
                return Ok(());
            }
        }
        // Something is cut off, or left over.
        let mut r = Reader::new(bytes);
        let count = bytes.get(HEAD_BYTES - 1).copied().unwrap_or_default();
        name_fields(&mut r, count.into(), declared)?;
        r.finish("snapshot")
    }

    /// The player called `id`.
    pub fn body(&self, id: u8) -> Option<&Body> {
        self.bodies.iter().find(|body| body.id == id)
    }
}

/// Reads over the bytes of a snapshot, or of a difference, for their names: XOR leaves every field where it is.
///
/// # Errors
/// The field that is cut off.
pub fn name_fields(r: &mut Reader<'_>, bodies: usize, declared: Declared) -> Result<(), DecodeError> {
    r.u32_be("time")?;
    r.u8("count")?;
    for _ in 0..bodies {
        let group = r.begin("body");
        r.u8("id")?;
        Base::read(r)?;
        r.u8("ammo")?;
        r.u8("flags")?;
        if declared.class_fields {
            ClassFields::read(r)?;
        }
        if declared.extras > 0 {
            r.bytes("extras", declared.extras)?;
        }
        r.end(group);
    }
    Ok(())
}

/// `bytes` XOR `base`, which is cut or filled with zeros to their length: from new to difference, and back.
pub fn xor(bytes: &[u8], base: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    // GG2-DLT-08
    out.iter_mut().zip(base).for_each(|(byte, base)| *byte ^= base);
    out
}

/// Shortens runs of zeros: a zero is followed by how many there are, 1 to 255; other bytes stand for themselves.
pub fn shorten(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, behind)) = rest.split_first() {
        if first != 0 {
            out.push(first);
            rest = behind;
            continue;
        }
        let run = rest.iter().take(255).take_while(|&&byte| byte == 0).count();
        out.extend([0, run as u8]);
        rest = rest.get(run..).unwrap_or_default();
    }
    out
}

/// Reads back what [`shorten`] made of `length` bytes.
///
/// # Errors
/// What is cut off; a run of no zeros, or one that goes beyond `length`.
pub fn lengthen(r: &mut Reader<'_>, length: usize) -> Result<Vec<u8>, DecodeError> {
    // At most MAX_PACKET_BYTES bytes can be read, and each pair of them makes at most 255; `length` has 16 bits.
    let mut out = Vec::new();
    while out.len() < length {
        let at = r.at();
        let byte = r.u8("xored")?;
        if byte != 0 {
            out.push(byte);
            continue;
        }
        let run = usize::from(r.u8("zeros")?);
        if run == 0 {
            return r.error(at, "zeros", ErrorKind::Forbidden { value: 0, why: "a run has at least one zero" });
        }
        if out.len() + run > length {
            return r.error(at, "zeros", ErrorKind::TooLarge { value: out.len() + run, limit: length });
        }
        out.resize(out.len() + run, 0);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], short: &[u8]) {
        assert_eq!(shorten(bytes), short);
        let mut r = Reader::new(short);
        assert_eq!(lengthen(&mut r, bytes.len()), Ok(bytes.to_vec()));
        assert_eq!(r.left(), 0);
    }

    #[test]
    fn runs_of_zeros_are_shortened_and_nothing_else() {
        check(&[], &[]);
        check(&[1, 2, 3], &[1, 2, 3]);
        check(&[0], &[0, 1]);
        check(&[0, 0, 5, 0, 0, 0], &[0, 2, 5, 0, 3]);
        check(&[0; 300], &[0, 255, 0, 45]);
    }

    #[test]
    fn a_run_of_none_and_a_run_too_long_are_refused() {
        assert!(lengthen(&mut Reader::new(&[0, 0]), 4).is_err());
        assert!(lengthen(&mut Reader::new(&[0, 5]), 4).is_err());
        assert!(lengthen(&mut Reader::new(&[0]), 4).is_err());
    }

    #[test]
    fn a_base_of_another_length_is_cut_or_filled_with_zeros() {
        assert_eq!(xor(&[1, 2, 3], &[1]), [0, 2, 3]);
        assert_eq!(xor(&[1], &[1, 2, 3]), [0]);
        assert_eq!(xor(&xor(&[9, 8, 7], &[1, 2]), &[1, 2]), [9, 8, 7]);
    }
}
