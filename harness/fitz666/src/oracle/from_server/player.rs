//! The player's own state, as sent, against the world.

use super::{FromServer, Next};
use crate::oracle::coverage::{Point, means};
use crate::oracle::diagnosis::{self, misreadings};
use crate::oracle::failure::{Failure, failure};
use crate::oracle::grammar::Grammar;
use crate::oracle::layout::*;
use crate::oracle::repetition::{RightUpdate, UpdateBytes};
use crate::oracle::truth::{Codes, Truth};
use crate::requirements::*;
use crate::state::*;
use kit::Requirement;
use netquake::constants::*;

kit::checks! {
    from means;
    /// Every clientdata can be read to its end, and has no bit that the announced protocol does not define.
    pub CLIENTDATA_CAN_BE_READ = "clientdata-can-be-read": CD_14 CD_01 CD_02 DEF_02 VER_01;
    /// The parts of a clientdata stand where the protocol has them: another layout would agree with the world.
    pub CLIENTDATA_HAS_THE_LAYOUT = "clientdata-has-the-layout" knows World: CD_01 CD_02 CD_03 CD_04 CD_05 CD_06 CD_07
        CD_08 CD_09 CD_10 CD_11 CD_14 DEF_02 VER_04;
    /// What is of protocol 15 is the player's.
    pub CLIENTDATA_TELLS_THE_PLAYER = "clientdata-tells-the-player" knows World: VER_04 MODEL_03 CD_04 CD_05 CD_06
        CD_07 CD_08 CD_09 CD_10;
    /// Values above 255 have their high bytes.
    pub HIGH_BYTES_OF_THE_PLAYER_ARE_SENT = "high-bytes-of-the-player-are-sent" knows World: MODEL_03 CD_04 CD_05
        CD_06 CD_07 CD_08 CD_09 CD_10 DEF_05;
    /// The byte of the active weapon is there, also if there is no weapon.
    pub NO_WEAPON_HAS_A_BYTE = "no-weapon-has-a-byte" knows World: CD_15;
    /// A weapon's alpha is that of the player's entity.
    pub WEAPON_ALPHA_IS_THE_PLAYERS = "weapon-alpha-is-the-players" knows World: CD_11 CD_17;
    /// It is sent, if it is not the default.
    pub WEAPON_ALPHA_IS_SENT = "weapon-alpha-is-sent" knows World: CD_18;
    /// The default is not sent as a weapon's alpha.
    pub DEFAULT_WEAPON_ALPHA_IS_NOT_SENT = "default-weapon-alpha-is-not-sent": CD_11;
}

/// Most active weapons of a mission pack: one for each bit of a long.
const MOST_WEAPONS: u32 = 32;

/// What a clientdata is compared with.
#[derive(Clone, Copy, Debug)]
struct Player<'a> {
    /// What the scenario says.
    pub truth: &'a Truth,
    /// The client.
    pub client: u16,
    /// The entity that it is.
    pub entity: u32,
    /// Whether protocol 666 was announced.
    pub extended: bool,
    /// Whether the weapon in hand is sent as the number of its bit.
    pub mission_pack: bool,
}

/// A value of which the high byte stands apart: its parts, its statistic, the row of its low byte, and of its high one.
type Wide = (Part, Part, u8, &'static Requirement);

const WIDE: [Wide; 8] = [
    (Part::WeaponFrame, Part::WeaponFrame2, STAT_WEAPONFRAME, &CD_10),
    (Part::Armor, Part::Armor2, STAT_ARMOR, &CD_04),
    (Part::Weapon, Part::Weapon2, STAT_WEAPON, &MODEL_03),
    (Part::Ammo, Part::Ammo2, STAT_AMMO, &CD_05),
    (Part::Shells, Part::Shells2, STAT_SHELLS, &CD_06),
    (Part::Nails, Part::Nails2, STAT_SHELLS + 1, &CD_07),
    (Part::Rockets, Part::Rockets2, STAT_SHELLS + 2, &CD_08),
    (Part::Cells, Part::Cells2, STAT_SHELLS + 3, &CD_09),
];

fn wrong(requirement: &'static Requirement, what: String) -> Option<Failure> {
    failure(&CLIENTDATA_TELLS_THE_PLAYER, requirement, what)
}

impl Player<'_> {
    /// The first part, in the order of the wire, that contradicts what the world says.
    fn contradicts(&self, raw: &Raw) -> Option<Failure> {
        self.small(raw)
            .or_else(|| self.low_bytes(raw))
            .or_else(|| self.active_weapon(raw))
            .or_else(|| if self.extended { self.high_bytes(raw) } else { None })
    }

    fn whole(&self, stat: u8) -> Option<i32> {
        self.truth.whole_stat(self.client, stat)
    }

    fn small(&self, raw: &Raw) -> Option<Failure> {
        for (name, bit, stat) in [("ONGROUND", SU_ONGROUND, STAT_ONGROUND), ("INWATER", SU_INWATER, STAT_INWATER)] {
            let seen = raw.bits & bit != 0;
            if self.whole(stat).is_some_and(|truth| seen != (truth != 0)) {
                return wrong(&VER_04, format!("clientdata: {name} is {seen}"));
            }
        }
        let char = |part: Part| raw.get(part).map(|value| i32::from(value as u8 as i8));
        // Sixteenths, cut off.
        let speed = |axis: u8| self.truth.stat(self.client, STAT_VELOCITY + axis).map(|units| (units / 16.0) as i32);
        let chars = [
            (Part::ViewHeight, self.whole(STAT_VIEWHEIGHT), i32::from(DEFAULT_VIEWHEIGHT)),
            (Part::IdealPitch, self.whole(STAT_IDEALPITCH), 0),
            (Part::Punch1, self.whole(STAT_PUNCH), 0),
            (Part::Velocity1, speed(0), 0),
            (Part::Punch2, self.whole(STAT_PUNCH + 1), 0),
            (Part::Velocity2, speed(1), 0),
            (Part::Punch3, self.whole(STAT_PUNCH + 2), 0),
            (Part::Velocity3, speed(2), 0),
        ];
        for (part, truth, absent) in chars {
            let seen = char(part).unwrap_or(absent);
            let truth = truth.filter(|truth| (-128..128).contains(truth));
            if let Some(truth) = truth.filter(|&truth| truth != seen) {
                return wrong(&VER_04, format!("clientdata: {part:?} {seen}, should be {truth}"));
            }
        }
        let items = raw.value(Part::Items);
        match self.whole(STAT_ITEMS).filter(|&truth| truth as u32 != items) {
            Some(truth) => wrong(&VER_04, format!("clientdata: items {items:#x}, should be {truth:#x}")),
            None => None,
        }
    }

    fn low_bytes(&self, raw: &Raw) -> Option<Failure> {
        for (index, (part, _, stat, row)) in WIDE.into_iter().enumerate() {
            if index == 3
                && let Some(health) = self.whole(STAT_HEALTH)
                && raw.value(Part::Health) as u16 != health as u16
            {
                let seen = raw.value(Part::Health) as u16 as i16;
                return wrong(&VER_04, format!("clientdata: health {seen}, should be {health}"));
            }
            let (Some(truth), seen) = (self.whole(stat), raw.value(part)) else { continue };
            if !self.extended && truth as u32 > 0xff {
                // Protocol 15 cannot express it.
                continue;
            }
            if truth as u32 & 0xff != seen & 0xff {
                let row = if self.extended && truth as u32 & 0xff00 != 0 { row } else { &VER_04 };
                return wrong(row, format!("clientdata: {part:?} {seen}, should be {}", truth as u32 & 0xff));
            }
        }
        None
    }

    fn active_weapon(&self, raw: &Raw) -> Option<Failure> {
        let truth = self.whole(STAT_ACTIVEWEAPON)? as u32;
        let seen = raw.value(Part::ActiveWeapon);
        let right = match (self.mission_pack, truth) {
            // One byte, whichever.
            (true, 0) => return None,
            (true, _) => truth.trailing_zeros(),
            (false, _) => truth & 0xff,
        };
        if seen == right {
            return None;
        }
        wrong(&VER_04, format!("clientdata: active weapon {seen}, should be {right}"))
    }

    fn high_bytes(&self, raw: &Raw) -> Option<Failure> {
        for (_, high, stat, row) in WIDE {
            let Some(truth) = self.whole(stat) else { continue };
            let (seen, truth) = (raw.get(high), truth as u32 >> 8 & 0xff);
            if seen.unwrap_or(0) != truth {
                let what = format!("clientdata: {high:?} {seen:?}, should be {truth}");
                let requirement = if seen.is_some() { &DEF_05 } else { row };
                return failure(&HIGH_BYTES_OF_THE_PLAYER_ARE_SENT, requirement, what);
            }
        }
        let (code, codes) = (raw.get(Part::WeaponAlpha)?, self.alpha()?);
        if codes.has(code as u8) || code == 0 {
            // The default is another check's.
            return None;
        }
        let row = if codes.has(0) { &CD_11 } else { &CD_17 };
        let what = format!("clientdata: weapon alpha {code}, and the player's entity has {}", codes.0);
        failure(&WEAPON_ALPHA_IS_THE_PLAYERS, row, what)
    }

    /// The codes of the alpha of the player's entity, if it is there.
    fn alpha(&self) -> Option<Codes> {
        self.truth.world.live.get(self.entity).map(|player| Codes::of(player.float(ALPHA)))
    }

    /// Whether the player's entity has an alpha of its own.
    fn is_transparent(&self) -> bool {
        self.extended && self.alpha().is_some_and(|codes| !codes.has(0))
    }

    /// Whether the player has no weapon in hand, in a mission pack.
    fn no_weapon(&self) -> bool {
        self.mission_pack && self.whole(STAT_ACTIVEWEAPON) == Some(0)
    }
}

impl<'a> FromServer<'a> {
    fn player(&self) -> Option<Player<'a>> {
        Some(Player {
            // Of a map that ends, somebody else's server sends more, and does not do what is for the next one yet.
            truth: self.truth.filter(|_| self.current && !(self.remote && self.sent.between))?,
            client: self.client.0,
            entity: if self.remote { self.client.0.into() } else { self.sent.own },
            extended: self.sent.extended(),
            mission_pack: self.options.mission_pack,
        })
    }

    /// Judges the clientdata that begins at `at`.
    pub(super) fn clientdata(&mut self, bytes: &[u8], at: usize) -> Next {
        let again = self.truth.and_then(|truth| self.sent.right.again(truth.version, bytes.get(at..)?));
        if let Some(known) = again {
            return Next::At(at + known.bytes.get().len());
        }
        if let Some(raw) = self.led_astray(Kind::ClientData, bytes, at) {
            return Next::At(raw.end);
        }
        let extended = self.sent.extended();
        let raw = Kind::ClientData.read(bytes, at);
        let bits = raw.map_or(0, |raw| raw.bits);
        if !extended && bits & SU_EXTEND1 != 0 {
            let what = || String::from("a clientdata has bit 15, though protocol 15 was announced");
            self.fail(&CLIENTDATA_CAN_BE_READ, &VER_01, what);
            return Next::Unknown;
        }
        let unknown = bits & !Kind::ClientData.known(extended);
        let readable = raw.filter(|_| unknown == 0);
        let reads = |at: usize| Grammar::new(extended).reads(bytes, at);
        if let Some(raw) = raw
            && self.player().is_some_and(|player| player.no_weapon())
            && (raw.value(Part::ActiveWeapon) > MOST_WEAPONS || !reads(raw.end))
            && reads(raw.end - 1)
        {
            // Whatever stands in the place of a weapon that there is not is what follows.
            let what = || String::from("the clientdata has no byte of active weapon");
            self.fail(&NO_WEAPON_HAS_A_BYTE, &CD_15, what);
            return Next::At(raw.end - 1);
        }
        let found = readable.and_then(|raw| self.player()?.contradicts(&raw));
        // Of an engine that has all but the weapon's alpha right, another layout in which that is right, too, is chance.
        let is_alpha =
            self.remote && found.as_ref().is_some_and(|it| it.check.name == WEAPON_ALPHA_IS_THE_PLAYERS.name);
        if (readable.is_none() || (found.is_some() && !is_alpha))
            && let Some(end) = self.explained_clientdata(bytes, at)
        {
            return Next::At(end);
        }
        let Some(raw) = readable else { return self.unreadable_clientdata(bits, unknown) };
        self.player_by_the_wire(&raw);
        let mut right = None;
        if let Some(found) = found {
            if bits & SU_EXTEND1 == 0 || reads(raw.end) {
                found.of_server(self.client, self.report, self.now);
            } else {
                let what = || format!("{}, and what follows makes no sense", found.what);
                self.fail(&CLIENTDATA_HAS_THE_LAYOUT, diagnosis::stray_clientdata(bits), what);
            }
        } else if raw.get(Part::WeaponAlpha) == Some(0) {
            let what = || String::from("clientdata: the weapon's alpha is sent, though it is the default");
            self.fail(&DEFAULT_WEAPON_ALPHA_IS_NOT_SENT, &CD_11, what);
        } else if self.options.weapon_alpha && self.player().is_some_and(|player| player.is_transparent()) {
            self.report.saw(Point::WeaponAlphaDue);
            if !raw.has(Part::WeaponAlpha) {
                let what = || String::from("clientdata: the alpha of the player's entity is not sent as the weapon's");
                self.fail(&WEAPON_ALPHA_IS_SENT, &CD_18, what);
            }
            self.clientdata_is_right(&raw);
        } else {
            self.clientdata_is_right(&raw);
            // Without a weapon, what follows counts as well.
            let alone = self.player().is_some_and(|player| !player.no_weapon());
            let same = bytes.get(at..raw.end).filter(|_| alone).and_then(UpdateBytes::new);
            right = same.map(|bytes| RightUpdate { bytes, entity: 0 });
        }
        self.sent.right.judged(right);
        Next::At(raw.end)
    }

    fn unreadable_clientdata(&mut self, bits: u32, unknown: u32) -> Next {
        let what = || match unknown {
            0 => String::from("a clientdata is cut off"),
            _ => format!("a clientdata has the undefined bits {unknown:#x}"),
        };
        self.fail(&CLIENTDATA_CAN_BE_READ, diagnosis::unreadable_clientdata(bits, unknown), what);
        Next::Unknown
    }

    /// Whether another layout explains a clientdata that is not right; where it ends then.
    fn explained_clientdata(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let player = self.player()?;
        let agrees = |raw: &Raw| match raw.has(Part::ActiveWeapon) {
            true => player.contradicts(raw).is_none(),
            // The weapon is what is not there: what would be read for it counts for nothing.
            false => player.small(raw).or_else(|| player.low_bytes(raw)).is_none(),
        };
        let explained = misreadings::explain(Kind::ClientData, bytes, at, player.extended, &agrees)?;
        self.fail(&CLIENTDATA_HAS_THE_LAYOUT, explained.suspects, || format!("the clientdata {}", explained.what));
        Some(explained.raw.end)
    }
}
