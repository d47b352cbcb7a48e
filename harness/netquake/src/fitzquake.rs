//! The services that protocol 666 adds, as far as reading past them goes.

use crate::primitives::Primitives;
use kit::{DecodeError, ErrorKind, Reader};

/// `svc_skybox`.
pub const SVC_SKYBOX: u8 = 37;
/// `svc_bf`: a flash.
pub const SVC_BF: u8 = 40;
/// `svc_fog`.
pub const SVC_FOG: u8 = 41;
/// `svc_spawnbaseline2`.
pub const SVC_SPAWN_BASELINE2: u8 = 42;
/// `svc_spawnstatic2`.
pub const SVC_SPAWN_STATIC2: u8 = 43;
/// `svc_spawnstaticsound2`.
pub const SVC_SPAWN_STATIC_SOUND2: u8 = 44;

/// The model's number is 16 bit wide.
const B_LARGEMODEL: u8 = 1;
/// The frame's number is 16 bit wide.
const B_LARGEFRAME: u8 = 2;
/// Alpha follows.
const B_ALPHA: u8 = 4;

/// Reads the rest of the message whose number, already read, was `service`; whether it is one of protocol 666.
///
/// # Errors
/// The data ends inside it, or a baseline has a flag that nobody defines.
pub fn read_service(r: &mut Reader<'_>, service: u8, p: &Primitives) -> Result<bool, DecodeError> {
    match service {
        SVC_SKYBOX => drop(r.string("skybox")?),
        SVC_BF => {}
        SVC_FOG => {
            r.u8("density")?;
            for _ in 0..3 {
                r.u8("colour")?;
            }
            r.u16("fade time")?;
        }
        SVC_SPAWN_BASELINE2 => {
            r.u16("entity")?;
            read_record(r, p)?;
        }
        SVC_SPAWN_STATIC2 => read_record(r, p)?,
        SVC_SPAWN_STATIC_SOUND2 => {
            p.read_point(r, "origin")?;
            r.u16("sound")?;
            r.u8("volume")?;
            r.u8("attenuation")?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// A baseline or a static entity with its flags.
fn read_record(r: &mut Reader<'_>, p: &Primitives) -> Result<(), DecodeError> {
    let offset = r.at();
    let flags = r.u8("baseline bits")?;
    let unknown = flags & !(B_LARGEMODEL | B_LARGEFRAME | B_ALPHA);
    if unknown != 0 {
        return r.error(offset, "baseline bits", ErrorKind::Unknown { value: unknown.into() });
    }
    for (field, wide) in [("model", B_LARGEMODEL), ("frame", B_LARGEFRAME)] {
        if flags & wide != 0 {
            r.u16(field)?;
        } else {
            r.u8(field)?;
        }
    }
    r.u8("colormap")?;
    r.u8("skin")?;
    for _ in 0..3 {
        p.read_coord(r, "origin")?;
        p.read_angle(r, "angle")?;
    }
    if flags & B_ALPHA != 0 {
        r.u8("alpha")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_of_protocol_666_is_read_to_its_end_and_no_further() {
        // Entity 9, wide model 300, frame 4, colormap 0, skin 1, origin 1 2 3, angles 0, alpha 128.
        let bytes = [9, 0, 5, 0x2c, 1, 4, 0, 1, 8, 0, 0, 16, 0, 0, 24, 0, 0, 128];
        let mut r = Reader::new(&bytes);
        assert_eq!(read_service(&mut r, SVC_SPAWN_BASELINE2, &Primitives::PLAIN), Ok(true));
        assert_eq!(r.left(), 0);
        for cut in 0..bytes.len() {
            assert!(read_service(&mut Reader::new(&bytes[..cut]), SVC_SPAWN_BASELINE2, &Primitives::PLAIN).is_err());
        }
    }
}
