//! The player's own state, complete in every message: what is absent has its default.

use crate::constants::*;
use crate::primitives::Primitives;
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// `svc_clientdata`.
///
/// The high bytes of the 16-bit members and `weapon_alpha` exist from protocol 666 on; in protocol 15 they are not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientData {
    /// Height of the eyes above the origin, in units.
    pub view_height: i8,
    /// Pitch that the view drifts to, in degrees.
    pub ideal_pitch: i8,
    /// Kick of the view, in degrees.
    pub punch: [i8; 3],
    /// Velocity, in 16 units per second.
    pub velocity: [i8; 3],
    /// The items carried, one bit each.
    pub items: u32,
    /// Whether the player stands.
    pub on_ground: bool,
    /// Whether the player swims.
    pub in_water: bool,
    /// Frame of the weapon's model.
    pub weapon_frame: u16,
    /// Armour.
    pub armor: u16,
    /// Number of the weapon's model.
    pub weapon: u16,
    /// Health.
    pub health: i16,
    /// Ammunition of the weapon in hand.
    pub ammo: u16,
    /// Shells, nails, rockets, cells.
    pub stock: [u16; 4],
    /// The weapon in hand: an item bit, or its number in mission packs.
    pub active_weapon: u8,
    /// Transparency code of the weapon; 0 for the default.
    pub weapon_alpha: u8,
    /// Bits that are set although the values do not ask for them; their parts are there, too.
    pub forced: u32,
    /// Bits that are not set although the values ask for them, or servers always have them ([`SU_WEAPON`]).
    pub omitted: u32,
}

impl Default for ClientData {
    fn default() -> ClientData {
        ClientData {
            view_height: DEFAULT_VIEWHEIGHT,
            ideal_pitch: 0,
            punch: [0; 3],
            velocity: [0; 3],
            items: 0,
            on_ground: false,
            in_water: false,
            weapon_frame: 0,
            armor: 0,
            weapon: 0,
            health: 0,
            ammo: 0,
            stock: [0; 4],
            active_weapon: 0,
            weapon_alpha: 0,
            forced: 0,
            omitted: 0,
        }
    }
}

/// `bit` if the condition holds.
fn when(condition: bool, bit: u32) -> u32 {
    if condition { bit } else { 0 }
}

impl ClientData {
    /// The bits for the parts that the values ask for. Items and weapon always are there, as servers have it.
    fn needed(&self, p: &Primitives) -> u32 {
        let mut bits = SU_ITEMS | SU_WEAPON;
        bits |= when(self.view_height != DEFAULT_VIEWHEIGHT, SU_VIEWHEIGHT);
        bits |= when(self.ideal_pitch != 0, SU_IDEALPITCH);
        for axis in 0..3 {
            bits |= when(self.punch[axis] != 0, SU_PUNCH1 << axis);
            bits |= when(self.velocity[axis] != 0, SU_VELOCITY1 << axis);
        }
        bits |= when(self.on_ground, SU_ONGROUND) | when(self.in_water, SU_INWATER);
        bits |= when(self.weapon_frame != 0, SU_WEAPONFRAME) | when(self.armor != 0, SU_ARMOR);
        bits |= when(self.weapon > 0xff, SU_WEAPON2) | when(self.armor > 0xff, SU_ARMOR2); // FITZ-MODEL-03
        bits |= when(self.ammo > 0xff, SU_AMMO2);
        for (kind, &count) in self.stock.iter().enumerate() {
            bits |= when(count > 0xff, SU_SHELLS2 << kind);
        }
        bits |= when(self.weapon_frame > 0xff, SU_WEAPONFRAME2) | when(self.weapon_alpha != 0, SU_WEAPONALPHA);
        announced(bits, p)
    }

    /// The bits of the message.
    fn bits(&self, p: &Primitives) -> u32 {
        announced((self.needed(p) | self.forced) & !self.omitted, p)
    }

    /// Appends the message after its service number.
    pub fn write(&self, w: &mut Writer<'_>, p: &Primitives) {
        let bits = self.bits(p);
        let has = |bit: u32| bits & bit != 0;
        w.u16("bits", bits as u16);
        if has(SU_EXTEND1) {
            w.u8("bits 16-23", (bits >> 16) as u8);
        }
        if has(SU_EXTEND2) {
            w.u8("bits 24-31", (bits >> 24) as u8);
        }
        if has(SU_VIEWHEIGHT) {
            w.i8("viewheight", self.view_height);
        }
        if has(SU_IDEALPITCH) {
            w.i8("idealpitch", self.ideal_pitch);
        }
        for axis in 0..3 {
            if has(SU_PUNCH1 << axis) {
                w.i8("punch", self.punch[axis]);
            }
            if has(SU_VELOCITY1 << axis) {
                w.i8("velocity", self.velocity[axis]);
            }
        }
        w.u32("items", self.items); // FITZ-CD-14: no bit is asked here, nor for health, ammunition and active weapon
        if has(SU_WEAPONFRAME) {
            w.u8("weaponframe", self.weapon_frame as u8);
        }
        if has(SU_ARMOR) {
            w.u8("armor", self.armor as u8);
        }
        if has(SU_WEAPON) {
            w.u8("weapon", self.weapon as u8);
        }
        w.i16("health", self.health);
        w.u8("ammo", self.ammo as u8);
        for count in self.stock {
            w.u8("stock", count as u8);
        }
        w.u8("active weapon", self.active_weapon); // FITZ-CD-15
        let mut high = |bit: u32, field: &'static str, value: u16| {
            if bits & bit != 0 {
                w.u8(field, (value >> 8) as u8);
            }
        };
        high(SU_WEAPON2, "weapon high", self.weapon); // FITZ-CD-03
        high(SU_ARMOR2, "armor high", self.armor); // FITZ-CD-04
        high(SU_AMMO2, "ammo high", self.ammo); // FITZ-CD-05
        for (kind, &count) in self.stock.iter().enumerate() {
            high(SU_SHELLS2 << kind, "stock high", count); // FITZ-CD-06, FITZ-CD-07, FITZ-CD-08, FITZ-CD-09
        }
        high(SU_WEAPONFRAME2, "weaponframe high", self.weapon_frame); // FITZ-CD-10
        if has(SU_WEAPONALPHA) {
            w.u8("weapon alpha", self.weapon_alpha); // FITZ-CD-11
        }
    }

    /// Reads the message after its service number.
    ///
    /// # Errors
    /// The data ends inside it, an undefined bit above 25 is set, or in protocol 15 the one that announces more bits.
    pub fn read(r: &mut Reader<'_>, p: &Primitives) -> Result<ClientData, DecodeError> {
        let offset = r.at();
        let mut bits = u32::from(r.u16("bits")?);
        if bits & SU_EXTEND1 != 0 && !p.extended_updates {
            return r.error(offset, "bits", ErrorKind::Unknown { value: SU_EXTEND1 });
        }
        if bits & SU_EXTEND1 != 0 {
            bits |= u32::from(r.u8("bits 16-23")?) << 16;
        }
        if bits & SU_EXTEND2 != 0 {
            bits |= u32::from(r.u8("bits 24-31")?) << 24;
        }
        let unknown = bits & !SU_KNOWN;
        if unknown != 0 {
            return r.error(offset, "bits", ErrorKind::Unknown { value: unknown });
        }
        let has = |bit: u32| bits & bit != 0;
        // FITZ-CD-13: defaults, and nothing of an earlier message.
        let mut data = ClientData { on_ground: has(SU_ONGROUND), in_water: has(SU_INWATER), ..ClientData::default() };
        if has(SU_VIEWHEIGHT) {
            data.view_height = r.i8("viewheight")?;
        }
        if has(SU_IDEALPITCH) {
            data.ideal_pitch = r.i8("idealpitch")?;
        }
        for axis in 0..3 {
            if has(SU_PUNCH1 << axis) {
                data.punch[axis] = r.i8("punch")?;
            }
            if has(SU_VELOCITY1 << axis) {
                data.velocity[axis] = r.i8("velocity")?;
            }
        }
        data.items = r.u32("items")?;
        if has(SU_WEAPONFRAME) {
            data.weapon_frame = r.u8("weaponframe")?.into();
        }
        if has(SU_ARMOR) {
            data.armor = r.u8("armor")?.into();
        }
        if has(SU_WEAPON) {
            data.weapon = r.u8("weapon")?.into();
        }
        data.health = r.i16("health")?;
        data.ammo = r.u8("ammo")?.into();
        for count in &mut data.stock {
            *count = r.u8("stock")?.into();
        }
        data.active_weapon = r.u8("active weapon")?;
        let mut high = |bit: u32, field: &'static str, value: &mut u16| {
            if bits & bit != 0 {
                *value |= u16::from(r.u8(field)?) << 8; // FITZ-CD-12
            }
            Ok(())
        };
        high(SU_WEAPON2, "weapon high", &mut data.weapon)?;
        high(SU_ARMOR2, "armor high", &mut data.armor)?;
        high(SU_AMMO2, "ammo high", &mut data.ammo)?;
        for (kind, count) in data.stock.iter_mut().enumerate() {
            high(SU_SHELLS2 << kind, "stock high", count)?;
        }
        high(SU_WEAPONFRAME2, "weaponframe high", &mut data.weapon_frame)?;
        if has(SU_WEAPONALPHA) {
            data.weapon_alpha = r.u8("weapon alpha")?;
        }
        let needed = data.needed(p);
        (data.forced, data.omitted) = (bits & !needed, needed & !bits);
        Ok(data)
    }
}

/// The bits, with those that announce further bytes of them; without those that the protocol has no place for.
fn announced(bits: u32, p: &Primitives) -> u32 {
    if !p.extended_updates {
        return bits & (SU_EXTEND1 - 1);
    }
    let bits = bits & SU_KNOWN;
    let bits = bits | when(bits > 0xff_ffff, SU_EXTEND2); // FITZ-CD-02
    bits | when(bits > 0xffff, SU_EXTEND1) // FITZ-CD-01
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protocol 666.
    const P: Primitives = Primitives { extended_updates: true, ..Primitives::PLAIN };

    fn check(data: ClientData, bytes: &[u8]) {
        let mut out = Vec::new();
        data.write(&mut Writer::new(&mut out), &P);
        assert_eq!(out, bytes);
        let mut r = Reader::new(bytes);
        assert_eq!(ClientData::read(&mut r, &P), Ok(data));
        assert_eq!(r.left(), 0);
        for length in 0..bytes.len() {
            let error = ClientData::read(&mut Reader::new(&bytes[..length]), &P).unwrap_err();
            assert!(matches!(error.kind, ErrorKind::Truncated { .. }) && !error.field.is_empty());
        }
    }

    #[test]
    fn defaults_stay_away() {
        // The message that QuakeSpasm-Spiked sends for a player without anything (qss_protocol15.txt).
        let data = ClientData { health: 100, ..ClientData::default() };
        check(data, &[0, 0x42, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_player_with_things_is_written_in_order() {
        let data = ClientData {
            view_height: -8,
            punch: [0, 3, 0],
            velocity: [20, 0, -1],
            items: 0x1201,
            on_ground: true,
            weapon_frame: 2,
            armor: 50,
            weapon: 244,
            health: -5,
            ammo: 25,
            stock: [25, 1, 2, 3],
            active_weapon: 1,
            ..ClientData::default()
        };
        let bits = 0x76a9u16.to_le_bytes();
        let mut bytes = vec![bits[0], bits[1], 0xf8, 20, 3, 0xff, 1, 0x12, 0, 0, 2, 50, 244];
        bytes.extend([0xfb, 0xff, 25, 25, 1, 2, 3, 1]);
        check(data, &bytes);
    }

    #[test]
    fn large_values_take_their_high_bytes_along() {
        let data = ClientData {
            velocity: [20, 0, 0],
            items: 0x1201,
            on_ground: true,
            armor: 300,
            weapon: 500,
            health: 100,
            ammo: 400,
            stock: [400, 0, 0, 0],
            active_weapon: 1,
            ..ClientData::default()
        };
        let tail = [0x14, 1, 0x12, 0, 0, 0x2c, 0xf4, 0x64, 0, 0x90, 0x90, 0, 0, 0, 1, 1, 1, 1, 1];
        check(data, &[&[0x20, 0xe6, 0x0f][..], &tail].concat());
        let alpha = ClientData { weapon_alpha: 0x80, ..data };
        check(alpha, &[&[0x20, 0xe6, 0x8f, 0x02][..], &tail, &[0x80]].concat());
    }

    #[test]
    fn a_server_may_leave_the_weapon_out() {
        // FTEQW: fteqw_nq_ack_minus1.txt
        let bytes = [0, 2, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0];
        check(ClientData { health: 100, omitted: SU_WEAPON, ..ClientData::default() }, &bytes);
    }

    #[test]
    fn parts_without_need_are_read_and_written() {
        // Bits 0-15 with EXTEND1, and a third byte of 0; then the same with ARMOR (00) and AMMO2 (00).
        let tail = [0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0];
        let data = ClientData { health: 100, ..ClientData::default() };
        check(ClientData { forced: SU_EXTEND1, ..data }, &[&[0, 0xc2, 0][..], &tail].concat());
        let bytes = [0, 0xe2, 4, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0];
        check(ClientData { forced: SU_EXTEND1 | SU_ARMOR | SU_AMMO2, ..data }, &bytes);
    }

    #[test]
    fn protocol_15_has_no_high_bytes() {
        let mut out = Vec::new();
        let data = ClientData { health: 100, armor: 300, ammo: 256, weapon_alpha: 9, ..ClientData::default() };
        data.write(&mut Writer::new(&mut out), &Primitives::PLAIN);
        assert_eq!(out, [0, 0x62, 0, 0, 0, 0, 44, 0, 100, 0, 0, 0, 0, 0, 0, 0]);
        let error = ClientData::read(&mut Reader::new(&[0, 0x80]), &Primitives::PLAIN).unwrap_err();
        assert_eq!(error.to_string(), "bits at byte 0: unknown value 0x8000");
    }

    #[test]
    fn undefined_bits_are_refused() {
        let error = ClientData::read(&mut Reader::new(&[0, 0x80, 0x80, 0x80, 0, 0]), &P).unwrap_err();
        assert_eq!(error.to_string(), "bits at byte 0: unknown value 0x80000000");
    }
}
