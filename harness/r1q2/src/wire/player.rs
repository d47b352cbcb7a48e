//! The wire of the player state: 16 bits of flags, the extra flags of protocol 35, the field table, the statistics.
//!
//! Protocol 35 splits what protocol 34 sends together. Over protocol 34 the flag of the larger part stands for both,
//! and the statistics always come; so one table serves both, and [`Flags::implied`] is the whole difference.

use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::state::*;
use kit::table::Absent::Keep;
use kit::table::{Kind, Layout, Row, Table};
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// Where the extra flags stand in a gate.
const EPS_SHIFT: u32 = 16;

/// The bit of a gate that stands for an extra flag.
pub const fn eps(flag: u8) -> u64 {
    (flag as u64) << EPS_SHIFT
}

const fn row(name: &'static str, field: usize, raise: u64, forms: &'static [Layout]) -> Row {
    Row { name, field, raise, widens: 0, forms, absent: Keep }
}

macro_rules! rows {
    ($($name:literal, $field:expr, $bit:expr, $kind:ident;)*) => {
        [$(row($name, $field, $bit, &[Layout::when($bit, Kind::$kind)])),*]
    };
}

/// The rows of a player state but for the statistics, in wire order.
pub const PLAYER_ROWS: [Row; STATS] = rows! {
    // R1Q2-PS-08: in this order
    "pm_type", PM_TYPE, PS_M_TYPE, U8;
    "pm_origin[0]", PM_ORIGIN_X, PS_M_ORIGIN, I16;
    "pm_origin[1]", PM_ORIGIN_Y, PS_M_ORIGIN, I16;
    // R1Q2-PS-02
    "pm_origin[2]", PM_ORIGIN_Z, eps(EPS_PMOVE_ORIGIN2), I16;
    "pm_velocity[0]", PM_VELOCITY_X, PS_M_VELOCITY, I16;
    "pm_velocity[1]", PM_VELOCITY_Y, PS_M_VELOCITY, I16;
    // R1Q2-PS-03
    "pm_velocity[2]", PM_VELOCITY_Z, eps(EPS_PMOVE_VELOCITY2), I16;
    "pm_time", PM_TIME, PS_M_TIME, U8;
    "pm_flags", PM_FLAGS, PS_M_FLAGS, U8;
    "gravity", GRAVITY, PS_M_GRAVITY, I16;
    "delta_angles[0]", DELTA_PITCH, PS_M_DELTA_ANGLES, I16;
    "delta_angles[1]", DELTA_YAW, PS_M_DELTA_ANGLES, I16;
    "delta_angles[2]", DELTA_ROLL, PS_M_DELTA_ANGLES, I16;
    "viewoffset[0]", VIEWOFFSET_X, PS_VIEWOFFSET, I8;
    "viewoffset[1]", VIEWOFFSET_Y, PS_VIEWOFFSET, I8;
    "viewoffset[2]", VIEWOFFSET_Z, PS_VIEWOFFSET, I8;
    "viewangles[0]", VIEW_PITCH, PS_VIEWANGLES, I16;
    "viewangles[1]", VIEW_YAW, PS_VIEWANGLES, I16;
    // R1Q2-PS-04
    "viewangles[2]", VIEW_ROLL, eps(EPS_VIEWANGLE2), I16;
    "kick_angles[0]", KICK_PITCH, PS_KICKANGLES, I8;
    "kick_angles[1]", KICK_YAW, PS_KICKANGLES, I8;
    "kick_angles[2]", KICK_ROLL, PS_KICKANGLES, I8;
    "gunindex", GUNINDEX, PS_WEAPONINDEX, U8;
    "gunframe", GUNFRAME, PS_WEAPONFRAME, U8;
    // R1Q2-PS-05
    "gunoffset[0]", GUNOFFSET_X, eps(EPS_GUNOFFSET), I8;
    "gunoffset[1]", GUNOFFSET_Y, eps(EPS_GUNOFFSET), I8;
    "gunoffset[2]", GUNOFFSET_Z, eps(EPS_GUNOFFSET), I8;
    "gunangles[0]", GUN_PITCH, eps(EPS_GUNANGLES), I8;
    "gunangles[1]", GUN_YAW, eps(EPS_GUNANGLES), I8;
    "gunangles[2]", GUN_ROLL, eps(EPS_GUNANGLES), I8;
    "blend[0]", BLEND_R, PS_BLEND, U8;
    "blend[1]", BLEND_G, PS_BLEND, U8;
    "blend[2]", BLEND_B, PS_BLEND, U8;
    "blend[3]", BLEND_A, PS_BLEND, U8;
    "fov", FOV, PS_FOV, U8;
    "rdflags", RDFLAGS, PS_RDFLAGS, U8;
};

/// A player state but for the statistics.
pub static PLAYER: Table = Table::new("player state", &PLAYER_ROWS);

/// The rows of the statistics: one short each.
pub const STAT_ROWS: [Row; MAX_STATS] = {
    const FORMS: [[Layout; 1]; MAX_STATS] = {
        let mut forms = [[Layout::when(1, Kind::I16)]; MAX_STATS];
        let mut stat = 0;
        while stat < MAX_STATS {
            forms[stat] = [Layout::when(1 << stat, Kind::I16)];
            stat += 1;
        }
        forms
    };
    let mut rows = [row("stat", 0, 0, &[]); MAX_STATS];
    let mut stat = 0;
    while stat < MAX_STATS {
        rows[stat] = row("stat", stat, 1 << stat, &FORMS[stat]);
        stat += 1;
    }
    rows
};

/// The statistics after their mask; their fields count from 0.
pub static STAT_TABLE: Table = Table::new("statistics", &STAT_ROWS);

/// What a player state carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// The flags in front of it: `PS_*`.
    pub ps: u16,
    /// The extra flags: `EPS_*`. Over protocol 34 those that the flags imply.
    pub eps: u8,
    /// The mask of the statistics; 0 where none are sent.
    pub stats: u32,
}

/// The extra flag that a flag of protocol 34 implies.
// R1Q2-PS-07
const IMPLIED: [(u64, u8); 4] = [
    (PS_M_ORIGIN, EPS_PMOVE_ORIGIN2),
    (PS_M_VELOCITY, EPS_PMOVE_VELOCITY2),
    (PS_VIEWANGLES, EPS_VIEWANGLE2),
    (PS_WEAPONFRAME, EPS_GUNOFFSET | EPS_GUNANGLES),
];

impl Flags {
    /// The extra flags that `ps` implies over protocol 34.
    pub fn implied(ps: u16) -> u8 {
        let implied = IMPLIED.into_iter().filter(|(flag, _)| u64::from(ps) & flag != 0);
        implied.fold(EPS_STATS, |eps, (_, extra)| eps | extra)
    }

    /// As one gate for [`PLAYER`].
    fn gate(self) -> u64 {
        u64::from(self.ps) | eps(self.eps)
    }

    /// Reads the flags in front of a player state; `extra` are those that the frame has brought.
    ///
    /// # Errors
    /// The data ends, or a flag is set that neither protocol defines.
    pub fn read(r: &mut Reader<'_>, extra: u8, dialect: &Dialect) -> Result<Flags, DecodeError> {
        let offset = r.at();
        let ps = r.u16("PS flags")?;
        if ps >> PS_NAMES.len() != 0 {
            let why = "neither protocol defines this PS flag";
            return r.error(offset, "PS flags", ErrorKind::Forbidden { value: ps.into(), why });
        }
        let eps = if dialect.is_r1q2() { extra } else { Flags::implied(ps) };
        Ok(Flags { ps, eps, stats: 0 })
    }
}

/// The player state that another is a change of: the base's, or the null state where a frame has no base.
pub fn base(base: Option<&Player>, _newest: &Player) -> Player {
    base.copied().unwrap_or(Player::NULL)
}

/// The flags to raise so that a peer that holds `base` comes to hold `new`.
pub fn diff(base: &Player, new: &Player, dialect: &Dialect) -> Flags {
    let stats = STAT_TABLE.diff(base.stats(), new.stats()) as u32;
    let bits = PLAYER.diff(&base.0[..STATS], &new.0[..STATS]);
    let (mut ps, mut eps) = (bits & 0xffff, (bits >> EPS_SHIFT) as u8);
    if dialect.is_r1q2() {
        eps |= if stats != 0 { EPS_STATS } else { 0 };
    } else {
        for (flag, extra) in IMPLIED {
            ps |= if eps & extra != 0 { flag } else { 0 };
        }
        eps = Flags::implied(ps as u16);
    }
    Flags { ps: ps as u16, eps, stats }
}

/// Writes the flags and the fields that they name, by the rows of `table`. Over protocol 34 the byte of
/// `svc_playerinfo` comes first; over protocol 35 the extra flags are the frame's to write.
pub fn write(w: &mut Writer<'_>, table: &Table, flags: Flags, state: &Player, dialect: &Dialect) {
    // R1Q2-FRM-08
    if !dialect.is_r1q2() {
        w.u8("svc_playerinfo", SVC_PLAYERINFO);
    }
    w.u16("PS flags", flags.ps);
    table.encode(flags.gate(), &state.0[..STATS], w);
    if flags.eps & EPS_STATS != 0 {
        w.u32("stat bits", flags.stats);
        STAT_TABLE.encode(u64::from(flags.stats), state.stats(), w);
    }
}

/// Reads the byte of `svc_playerinfo` where there is one, and the flags.
///
/// # Errors
/// As [`Flags::read`]; also another byte than that of `svc_playerinfo`.
pub fn read_flags(r: &mut Reader<'_>, extra: u8, dialect: &Dialect) -> Result<Flags, DecodeError> {
    if !dialect.is_r1q2() {
        expect(r, "svc_playerinfo", SVC_PLAYERINFO)?;
    }
    Flags::read(r, extra, dialect)
}

/// Reads a byte that has only one value.
pub(crate) fn expect(r: &mut Reader<'_>, name: &'static str, byte: u8) -> Result<(), DecodeError> {
    let offset = r.at();
    match r.u8(name)? {
        value if value == byte => Ok(()),
        value => {
            let why = "a frame of protocol 34 has this one byte here";
            r.error(offset, name, ErrorKind::Forbidden { value: value.into(), why })
        }
    }
}

/// Reads the fields after `flags` into `state`, which holds the base. Gives the flags back
/// with the mask of the statistics.
///
/// # Errors
/// The first field that is cut off.
pub fn read_fields(r: &mut Reader<'_>, flags: Flags, state: &mut Player) -> Result<Flags, DecodeError> {
    let (fields, stats) = state.0.split_at_mut(STATS);
    PLAYER.decode(flags.gate(), fields, r)?;
    // R1Q2-PS-06
    if flags.eps & EPS_STATS == 0 {
        return Ok(flags);
    }
    let mask = r.u32("stat bits")?;
    STAT_TABLE.decode(u64::from(mask), stats, r)?;
    Ok(Flags { stats: mask, ..flags })
}
