//! The services that protocol 666 adds.

use crate::primitives::Primitives;
use crate::update::{B_ALPHA, B_LARGEFRAME, B_LARGEMODEL, B_SCALE, Record, read_record, write_record};
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// `svc_skybox`.
pub const SVC_SKYBOX: u8 = 37;
/// `svc_bf`: a flash.
pub const SVC_BF: u8 = 40;
/// `svc_fog`.
pub const SVC_FOG: u8 = 41;
// FITZ-DEF-04: this number and the next two.
/// `svc_spawnbaseline2`.
pub const SVC_SPAWN_BASELINE2: u8 = 42;
/// `svc_spawnstatic2`.
pub const SVC_SPAWN_STATIC2: u8 = 43;
/// `svc_spawnstaticsound2`.
pub const SVC_SPAWN_STATIC_SOUND2: u8 = 44;

/// The name of a service that protocol 666 adds, for reports.
pub const fn service_name(number: u8) -> Option<&'static str> {
    Some(match number {
        SVC_SKYBOX => "svc_skybox",
        SVC_BF => "svc_bf",
        SVC_FOG => "svc_fog",
        SVC_SPAWN_BASELINE2 => "svc_spawnbaseline2",
        SVC_SPAWN_STATIC2 => "svc_spawnstatic2",
        SVC_SPAWN_STATIC_SOUND2 => "svc_spawnstaticsound2",
        _ => return None,
    })
}

/// A message that protocol 666 adds. Points and angles are floats as bits, in units and degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitz<'a> {
    /// [`SVC_SKYBOX`].
    Skybox {
        /// Its name.
        name: &'a [u8],
    },
    /// [`SVC_BF`].
    Flash,
    /// [`SVC_FOG`].
    Fog {
        /// Density, in 1/255.
        density: u8,
        /// Red, green, blue.
        color: [u8; 3],
        /// Time in which it comes, in hundredths of a second.
        fade: u16,
    },
    /// [`SVC_SPAWN_BASELINE2`].
    SpawnBaseline {
        /// The entity's number.
        entity: u16,
        /// `B_*` bits: what is wide, and whether there are alpha and, in protocol 999, scale.
        bits: u8,
        /// What its updates differ from.
        fields: Record,
    },
    /// [`SVC_SPAWN_STATIC2`].
    SpawnStatic {
        /// `B_*` bits: what is wide, and whether there are alpha and, in protocol 999, scale.
        bits: u8,
        /// The entity.
        fields: Record,
    },
    /// [`SVC_SPAWN_STATIC_SOUND2`].
    SpawnStaticSound {
        /// Where.
        origin: [i32; 3],
        /// The sound's number.
        sound: u16,
        /// Volume, 255 the loudest.
        volume: u8,
        /// Attenuation, in 1/64.
        attenuation: u8,
    },
}

impl Fitz<'_> {
    /// The message's number.
    pub fn number(&self) -> u8 {
        match self {
            Fitz::Skybox { .. } => SVC_SKYBOX,
            Fitz::Flash => SVC_BF,
            Fitz::Fog { .. } => SVC_FOG,
            Fitz::SpawnBaseline { .. } => SVC_SPAWN_BASELINE2,
            Fitz::SpawnStatic { .. } => SVC_SPAWN_STATIC2,
            Fitz::SpawnStaticSound { .. } => SVC_SPAWN_STATIC_SOUND2,
        }
    }

    /// Appends the message, its number included.
    pub fn write(&self, w: &mut Writer<'_>, p: &Primitives) {
        w.u8(service_name(self.number()).unwrap_or("service"), self.number());
        match self {
            Fitz::Skybox { name } => w.string("skybox", name),
            Fitz::Flash => {}
            Fitz::Fog { density, color, fade } => {
                w.u8("density", *density);
                color.iter().for_each(|part| w.u8("colour", *part));
                w.u16("fade time", *fade);
            }
            Fitz::SpawnBaseline { entity, bits, fields } => {
                // FITZ-BASE-02: flags after the number.
                w.u16("entity", *entity);
                w.u8("baseline bits", *bits);
                write_record(w, p, *bits, fields);
            }
            Fitz::SpawnStatic { bits, fields } => {
                w.u8("baseline bits", *bits);
                write_record(w, p, *bits, fields);
            }
            Fitz::SpawnStaticSound { origin, sound, volume, attenuation } => {
                p.write_point(w, "origin", *origin);
                w.u16("sound", *sound);
                w.u8("volume", *volume);
                w.u8("attenuation", *attenuation);
            }
        }
    }
}

/// Reads the rest of the message whose number, already read, was `service`; `None` when it is none of protocol 666
/// (nothing was read then).
///
/// # Errors
/// The data ends inside it, or a baseline has a flag that nobody defines.
pub fn read_service<'a>(r: &mut Reader<'a>, service: u8, p: &Primitives) -> Result<Option<Fitz<'a>>, DecodeError> {
    Ok(Some(match service {
        SVC_SKYBOX => Fitz::Skybox { name: r.string("skybox")? },
        SVC_BF => Fitz::Flash,
        SVC_FOG => Fitz::Fog {
            density: r.u8("density")?,
            color: [r.u8("colour")?, r.u8("colour")?, r.u8("colour")?],
            fade: r.u16("fade time")?,
        },
        SVC_SPAWN_BASELINE2 => {
            let entity = r.u16("entity")?;
            let bits = read_bits(r, p)?;
            Fitz::SpawnBaseline { entity, bits, fields: read_record(r, p, bits)? }
        }
        SVC_SPAWN_STATIC2 => {
            let bits = read_bits(r, p)?;
            Fitz::SpawnStatic { bits, fields: read_record(r, p, bits)? }
        }
        SVC_SPAWN_STATIC_SOUND2 => Fitz::SpawnStaticSound {
            origin: p.read_point(r, "origin")?,
            sound: r.u16("sound")?,
            volume: r.u8("volume")?,
            attenuation: r.u8("attenuation")?,
        },
        _ => return Ok(None),
    }))
}

/// The flags of a baseline or a static entity.
fn read_bits(r: &mut Reader<'_>, p: &Primitives) -> Result<u8, DecodeError> {
    let offset = r.at();
    let bits = r.u8("baseline bits")?;
    let scale = if p.scaled_baselines { B_SCALE } else { 0 };
    let unknown = bits & !(B_LARGEMODEL | B_LARGEFRAME | B_ALPHA | scale);
    match unknown {
        0 => Ok(bits),
        _ => r.error(offset, "baseline bits", ErrorKind::Unknown { value: unknown.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::update::{ALPHA, ANGLES, COLORMAP, FIELDS, FRAME, MODEL, ORIGIN, SKIN, baseline_bits};
    use kit::table::float_bits;

    const P: Primitives = Primitives { extended_updates: true, ..Primitives::PLAIN };

    /// The message has these bytes, the bytes are read back as the message, and no shorter ones are.
    fn check(message: Fitz<'_>, bytes: &[u8]) {
        let mut out = Vec::new();
        message.write(&mut Writer::new(&mut out), &P);
        assert_eq!(out, bytes, "{message:?}");
        let mut r = Reader::new(&bytes[1..]);
        assert_eq!(read_service(&mut r, bytes[0], &P), Ok(Some(message)));
        assert_eq!(r.left(), 0);
        for length in 1..bytes.len() {
            let error = read_service(&mut Reader::new(&bytes[1..length]), bytes[0], &P).unwrap_err();
            assert!(matches!(error.kind, ErrorKind::Truncated { .. } | ErrorKind::Unterminated), "{error}");
        }
    }

    /// Something at (1, 2, 3) that faces along y.
    fn record(model: i32, frame: i32, skin: i32, alpha: i32) -> Record {
        let mut fields = [0; FIELDS];
        (fields[MODEL], fields[FRAME], fields[SKIN], fields[ALPHA]) = (model, frame, skin, alpha);
        for (axis, value) in [1.0, 2.0, 3.0].into_iter().enumerate() {
            fields[ORIGIN + axis] = float_bits(value);
        }
        fields[ANGLES + 1] = float_bits(90.0);
        fields
    }

    /// Its coords and angles: eighths of a unit, and 1/256 of a circle.
    const PLACE: [u8; 9] = [8, 0, 0, 16, 0, 0x40, 24, 0, 0];

    #[test]
    fn a_baseline_says_what_is_wide_behind_its_entity_and_has_alpha_last() {
        // Model 300 is 012C, frame 261 is 0105.
        let wide = record(300, 261, 2, 128);
        assert_eq!(baseline_bits(&wide), 7);
        let head = [0x2a, 5, 0, 7, 0x2c, 1, 5, 1, 0, 2];
        let message = Fitz::SpawnBaseline { entity: 5, bits: 7, fields: wide };
        check(message, &[&head[..], &PLACE, &[128]].concat());
        let tall = record(10, 261, 0, 0);
        assert_eq!(baseline_bits(&tall), B_LARGEFRAME);
        let message = Fitz::SpawnBaseline { entity: 0x1234, bits: 2, fields: tall };
        check(message, &[&[0x2a, 0x34, 0x12, 2, 10, 5, 1, 0, 0][..], &PLACE].concat());
        let many = record(256, 255, 0, 0);
        assert_eq!(baseline_bits(&many), B_LARGEMODEL);
        let message = Fitz::SpawnBaseline { entity: 1, bits: 1, fields: many };
        check(message, &[&[0x2a, 1, 0, 1, 0, 1, 255, 0, 0][..], &PLACE].concat());
    }

    #[test]
    fn the_baselines_of_protocol_15_can_be_said_in_the_new_way() {
        let mut fields = record(10, 9, 1, 0);
        fields[COLORMAP] = 3;
        assert_eq!(baseline_bits(&fields), 0);
        let message = Fitz::SpawnBaseline { entity: 5, bits: 0, fields };
        check(message, &[&[0x2a, 5, 0, 0, 10, 9, 3, 1][..], &PLACE].concat());
    }

    #[test]
    fn a_static_entity_begins_with_its_flags() {
        let message = Fitz::SpawnStatic { bits: 4, fields: record(10, 0, 0, 1) };
        check(message, &[&[0x2b, 4, 10, 0, 0, 0][..], &PLACE, &[1]].concat());
    }

    #[test]
    fn of_a_static_sound_the_number_alone_is_wide() {
        let origin = [1.0, 2.0, 3.0].map(float_bits);
        let message = Fitz::SpawnStaticSound { origin, sound: 256, volume: 255, attenuation: 64 };
        check(message, &[0x2c, 8, 0, 16, 0, 24, 0, 0, 1, 0xff, 0x40]);
    }

    #[test]
    fn the_sky_the_fog_and_flashes_are_read_and_written() {
        check(Fitz::Skybox { name: b"dusk" }, b"\x25dusk\0");
        check(Fitz::Flash, &[40]);
        check(Fitz::Fog { density: 9, color: [1, 2, 3], fade: 0x1234 }, &[41, 9, 1, 2, 3, 0x34, 0x12]);
    }

    #[test]
    fn flags_that_nobody_defines_are_refused() {
        let error = read_service(&mut Reader::new(&[5, 0, 8, 0]), SVC_SPAWN_BASELINE2, &P).unwrap_err();
        assert_eq!(error.to_string(), "baseline bits at byte 2: unknown value 0x8");
        assert_eq!(read_service(&mut Reader::new(&[]), 45, &P), Ok(None));
    }
}
