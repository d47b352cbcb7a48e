//! Entries of an update, byte for byte. Entity 5 is a hand-made one; other numbers come from recordings.

use super::Evidence::{self, Hand, Recorded};
use super::Vector;
use super::Written::{self, AsGiven, Never};
use fte::delta::{ABSLIGHT_FROM_6, ANGLES_AS_DOCUMENTED, EXT_PREDINFO, NUMBERS_AS_DOCUMENTED, TRAILS_AS_DOCUMENTED};
use fte::state::*;
use netquake::primitives::*;

/// What the session had agreed upon when the recordings with float coords were made.
const FLOAT_COORDS: u64 = GATE_COORD_FLOAT | GATE_ANGLE16;

/// A value of a float field.
const fn f(value: f32) -> i32 {
    value.to_bits() as i32
}

/// A vector of the extension alone.
const fn plain(evidence: Evidence, flags: u64, fields: &'static [(usize, i32)], hex: &'static str) -> Vector {
    with(0, evidence, flags, fields, hex)
}

/// A vector of a session that has agreed upon `gate`, too.
pub const fn with(
    gate: u64,
    evidence: Evidence,
    flags: u64,
    fields: &'static [(usize, i32)],
    hex: &'static str,
) -> Vector {
    Vector { evidence, gate, flags, fields, hex, written: Written::AsDelta }
}

/// A vector that the encoder writes only when it is given the widths, or not at all.
pub const fn but(written: Written, vector: Vector) -> Vector {
    Vector { written, ..vector }
}

/// The fields of a pred block in which everything moves; its bytes are `ff9001 70fe c800 03 2003 e0fc 1000 0d`.
macro_rules! moving {
    ($($more:expr),*) => {
        &[
            (FORWARD, 400), (SIDE, -400), (UP, 200), (MOVETYPE, 3),
            (VELOCITY_X, 800), (VELOCITY_Y, -800), (VELOCITY_Z, 16), (MSEC, 13), $($more),*
        ]
    };
}

pub static VECTORS: &[Vector] = &[
    // An update without any field, alone and with a reset.
    plain(Hand("no flag, no field: one zero byte"), 0, &[], "0500 00"),
    plain(Recorded("fteqw_qw_deltas", "s2c 6"), UF_RESET, &[], "2900 8001"),
    // Frame, and the flag that widens it.
    plain(Hand("the largest byte"), UF_FRAME, &[(FRAME, 255)], "0500 01 ff"),
    plain(Recorded("fteqw_qw_deltas", "s2c 10"), UF_FRAME, &[(FRAME, 13)], "2500 01 0d"),
    with(FLOAT_COORDS, Recorded("fteqw_qw_floatcoords", "s2c 14"), UF_FRAME, &[(FRAME, 255)], "2600 01 ff"),
    with(
        FLOAT_COORDS,
        Recorded("fteqw_qw_floatcoords", "s2c 21"),
        UF_FRAME | UF_16BIT,
        &[(FRAME, 256)],
        "2600 8102 0001",
    ),
    plain(Recorded("fteqw_qw_deltas", "s2c 10"), UF_FRAME | UF_16BIT, &[(FRAME, 263)], "2600 8102 0701"),
    plain(Hand("the largest ushort"), UF_FRAME | UF_16BIT, &[(FRAME, 0xffff)], "0500 8102 ffff"),
    but(AsGiven, plain(Hand("16BIT may widen what fits a byte"), UF_FRAME | UF_16BIT, &[(FRAME, 1)], "0500 8102 0100")),
    plain(
        Hand("E21: one flag widens frame, model, skin and second model together, for the one that needs it"),
        UF_FRAME | UF_16BIT | UF_MODEL | UF_SKIN | UF_MODELINDEX2,
        &[(FRAME, 256), (MODEL, 1), (SKIN, 2), (MODELINDEX2, 3)],
        "0500 818e8008 0001 0100 0200 0300",
    ),
    // Coords in their four forms.
    plain(
        Recorded("fteqw_qw_deltas", "s2c 10"),
        UF_ORIGINXY,
        &[(ORIGIN_X, f(-148.0)), (ORIGIN_Y, 0)],
        "2100 02 60fb 0000",
    ),
    plain(Recorded("fteqw_qw_deltas", "s2c 10"), UF_ORIGINZ, &[(ORIGIN_Z, f(93.0))], "2200 04 e802"),
    with(
        FLOAT_COORDS,
        Recorded("fteqw_qw_floatcoords", "s2c 14"),
        UF_ORIGINXY,
        &[(ORIGIN_X, f(-148.0)), (ORIGIN_Y, 0)],
        "2100 02 000014c3 00000000",
    ),
    with(
        FLOAT_COORDS,
        Recorded("fteqw_qw_floatcoords", "s2c 14"),
        UF_ORIGINZ,
        &[(ORIGIN_Z, f(53.0))],
        "2200 04 00005442",
    ),
    with(
        GATE_COORD24,
        Hand("protocol flag 8: whole units as a short, then 255ths; -0.8 is -1 and 51/255"),
        UF_ORIGINXY,
        &[(ORIGIN_X, f(-0.8)), (ORIGIN_Y, f(1.0))],
        "0500 02 ffff33 010000",
    ),
    with(GATE_COORD24, Hand("10.4 is 10 and 102/255"), UF_ORIGINZ, &[(ORIGIN_Z, f(10.4))], "0500 04 0a0066"),
    with(
        GATE_COORD32,
        Hand("protocol flag 128: a long in sixteenths; 17/16 and -16/16"),
        UF_ORIGINXY,
        &[(ORIGIN_X, f(1.0625)), (ORIGIN_Y, f(-1.0))],
        "0500 02 11000000 f0ffffff",
    ),
    with(
        GATE_COORD32,
        Hand("65536 does not fit the other fixed forms"),
        UF_ORIGINZ,
        &[(ORIGIN_Z, f(65536.0))],
        "0500 04 00001000",
    ),
    // Angles in their four forms; the fourth, for pred blocks without PREDINFO, is further down.
    plain(Recorded("fteqw_qw_deltas", "s2c 10"), UF_ANGLESXZ, &[(PITCH, f(25.3125)), (ROLL, 0)], "2400 08 12 00"),
    plain(Recorded("fteqw_qw_deltas", "s2c 10"), UF_ANGLESY, &[(YAW, f(74.53125))], "2300 10 35"),
    with(
        FLOAT_COORDS,
        Recorded("fteqw_qw_floatcoords", "s2c 14"),
        UF_ANGLESXZ,
        &[(PITCH, f(74.998_17)), (ROLL, 0)],
        "2400 08 5535 0000",
    ),
    with(FLOAT_COORDS, Recorded("fteqw_qw_floatcoords", "s2c 14"), UF_ANGLESY, &[(YAW, f(-45.0))], "2300 10 00e0"),
    with(
        GATE_ANGLE_FLOAT,
        Hand("protocol flag 4: degrees as IEEE singles, pitch before roll"),
        UF_ANGLESXZ,
        &[(PITCH, f(11.25)), (ROLL, f(-45.0))],
        "0500 08 00003441 000034c2",
    ),
    with(GATE_ANGLE_FLOAT, Hand("90 as an IEEE single"), UF_ANGLESY, &[(YAW, f(90.0))], "0500 10 0000b442"),
    // Effects in their three widths.
    plain(Recorded("fteqw_qw_deltas", "s2c 11"), UF_EFFECTS, &[(EFFECTS, 13)], "2800 20 0d"),
    plain(Hand("bit 5 alone: a byte"), UF_EFFECTS, &[(EFFECTS, 255)], "0500 20 ff"),
    plain(
        Hand("bit 29 alone: a ushort; the flag needs the fourth byte"),
        UF_EFFECTS2,
        &[(EFFECTS, 256)],
        "0500 80808020 0001",
    ),
    plain(Hand("the largest ushort"), UF_EFFECTS2, &[(EFFECTS, 0xffff)], "0500 80808020 ffff"),
    plain(Hand("bits 5 and 29: a ulong"), UF_EFFECTS | UF_EFFECTS2, &[(EFFECTS, 0x1_0000)], "0500 a0808020 00000100"),
    plain(Hand("all 32 bits are in use"), UF_EFFECTS | UF_EFFECTS2, &[(EFFECTS, -1)], "0500 a0808020 ffffffff"),
    but(
        AsGiven,
        plain(Hand("bit 29 alone may carry what fits a byte"), UF_EFFECTS2, &[(EFFECTS, 5)], "0500 80808020 0500"),
    ),
    but(AsGiven, plain(Hand("so may both bits"), UF_EFFECTS | UF_EFFECTS2, &[(EFFECTS, 5)], "0500 a0808020 05000000")),
    // A pred block while PREDINFO is off: angles are 16-bit, bit 7 is the weaponframe.
    plain(
        Hand("movetype 3 (bit 3) and weaponframe 5 (bit 7)"),
        UF_PREDINFO,
        &[(MOVETYPE, 3), (WEAPONFRAME, 5)],
        "0500 40 88 03 05",
    ),
    plain(
        Hand("E15: pitch 45 is 0x2000 and roll -22.5 is 0xf000 of 65536; they stand before the block"),
        UF_PREDINFO | UF_ANGLESXZ,
        &[(PITCH, f(45.0)), (ROLL, f(-22.5)), (MOVETYPE, 3), (WEAPONFRAME, 5)],
        "0500 48 0020 00f0 88 03 05",
    ),
    plain(
        Hand("E15: yaw 90 is 0x4000"),
        UF_PREDINFO | UF_ANGLESY,
        &[(YAW, f(90.0)), (MOVETYPE, 3), (WEAPONFRAME, 5)],
        "0500 50 0040 88 03 05",
    ),
    plain(
        Hand("pitch, roll, yaw"),
        UF_PREDINFO | UF_ANGLESXZ | UF_ANGLESY,
        &[(PITCH, f(45.0)), (ROLL, f(-22.5)), (YAW, f(90.0)), (MOVETYPE, 3), (WEAPONFRAME, 5)],
        "0500 58 0020 00f0 0040 88 03 05",
    ),
    with(
        GATE_ANGLE16,
        Hand("with 16-bit angles agreed upon, nothing changes"),
        UF_PREDINFO | UF_ANGLESY,
        &[(YAW, f(90.0)), (MOVETYPE, 3), (WEAPONFRAME, 5)],
        "0500 50 0040 88 03 05",
    ),
    with(
        EXT_PREDINFO | ANGLES_AS_DOCUMENTED,
        Hand("E15 as specified: angles have 16 bits with PREDINFO, too, and view angles stay after the block"),
        UF_PREDINFO | UF_ANGLESXZ,
        &[(PITCH, f(45.0)), (ROLL, f(-22.5)), (MOVETYPE, 3), (VIEW_PITCH, 0x1000), (VIEW_ROLL, -0x100)],
        "0500 48 0020 00f0 88 03 0010 00ff",
    ),
    with(
        EXT_PREDINFO | ANGLES_AS_DOCUMENTED,
        Hand("E15 as specified: and so has yaw"),
        UF_PREDINFO | UF_ANGLESY,
        &[(YAW, f(90.0)), (MOVETYPE, 3), (VIEW_YAW, -0x8000)],
        "0500 50 0040 88 03 0080",
    ),
    // The same while PREDINFO is on: angles as agreed upon, bit 7 is the view angles of the axes that the update has.
    with(EXT_PREDINFO, Hand("movetype alone"), UF_PREDINFO, &[(MOVETYPE, 3)], "0500 40 08 03"),
    with(
        EXT_PREDINFO,
        Hand("E16: view pitch and roll follow, raw, because the update has pitch and roll"),
        UF_PREDINFO | UF_ANGLESXZ,
        &[(PITCH, f(45.0)), (ROLL, f(-22.5)), (MOVETYPE, 3), (VIEW_PITCH, 0x1000), (VIEW_ROLL, -0x100)],
        "0500 48 20 f0 88 03 0010 00ff",
    ),
    with(
        EXT_PREDINFO,
        Hand("E16: view yaw follows, because the update has yaw"),
        UF_PREDINFO | UF_ANGLESY,
        &[(YAW, f(90.0)), (MOVETYPE, 3), (VIEW_YAW, -0x8000)],
        "0500 50 40 88 03 0080",
    ),
    with(
        EXT_PREDINFO,
        Hand("E16: pitch, roll, yaw, in this order like the angles"),
        UF_PREDINFO | UF_ANGLESXZ | UF_ANGLESY,
        &[
            (PITCH, f(45.0)),
            (ROLL, f(-22.5)),
            (YAW, f(90.0)),
            (MOVETYPE, 3),
            (VIEW_PITCH, 0x1000),
            (VIEW_ROLL, -0x100),
            (VIEW_YAW, -0x8000),
        ],
        "0500 58 20 f0 40 88 03 0010 00ff 0080",
    ),
    but(
        Never("bit 7 is not set where it says nothing"),
        with(
            EXT_PREDINFO,
            Hand("E16: bit 7 without angles has no bytes"),
            UF_PREDINFO,
            &[(MOVETYPE, 3)],
            "0500 40 88 03",
        ),
    ),
    but(
        Never("view angles go with every angle"),
        with(
            EXT_PREDINFO,
            Hand("E16: angles without bit 7 bring no view angles"),
            UF_PREDINFO | UF_ANGLESY,
            &[(YAW, f(90.0)), (MOVETYPE, 3)],
            "0500 50 40 08 03",
        ),
    ),
    // The pred block's own fields, in the specification's order, and what they fall back to.
    plain(
        Hand("all eight bits: forward, side, up, movetype, velocity x, y, z, msec, weaponframe"),
        UF_PREDINFO,
        moving!((WEAPONFRAME, 127)),
        "0500 40 ff 9001 70fe c800 03 2003 e0fc 1000 0d 7f",
    ),
    with(
        EXT_PREDINFO,
        Hand("all but the view angles"),
        UF_PREDINFO,
        moving!(),
        "0500 40 7f 9001 70fe c800 03 2003 e0fc 1000 0d",
    ),
    plain(
        Hand("velocity x and y share bit 4"),
        UF_PREDINFO,
        &[(MOVETYPE, 3), (VELOCITY_X, 1), (WEAPONFRAME, 0)],
        "0500 40 98 03 0100 0000 00",
    ),
    plain(
        Hand("the weaponframe's bits from 7 stand in a second byte, which bit 7 of the first announces"),
        UF_PREDINFO,
        &[(MOVETYPE, 0), (WEAPONFRAME, 128)],
        "0500 40 88 00 8001",
    ),
    plain(Hand("15 bits at most"), UF_PREDINFO, &[(MOVETYPE, 0), (WEAPONFRAME, 0x7fff)], "0500 40 88 00 ffff"),
    but(
        Never("movetype and weaponframe go with every block"),
        plain(Hand("no pred bit: movement is zero, movetype and weaponframe stay"), UF_PREDINFO, &[], "0500 40 00"),
    ),
    // Model, second model and skin: a byte or, with 16BIT, a short.
    plain(Recorded("fteqw_qw_deltas", "s2c 6"), UF_RESET | UF_MODEL, &[(MODEL, 6)], "2d00 8005 06"),
    plain(Hand("the largest byte"), UF_MODEL, &[(MODEL, 255)], "0500 8004 ff"),
    plain(Hand("the smallest that needs 16BIT"), UF_MODEL | UF_16BIT, &[(MODEL, 256)], "0500 8006 0001"),
    plain(Hand("15 bits at most"), UF_MODEL | UF_16BIT, &[(MODEL, 0x7fff)], "0500 8006 ff7f"),
    but(
        Never("no entity of ours is a ragdoll"),
        plain(Hand("bit 15 is a flag, to be masked out"), UF_MODEL | UF_16BIT, &[(MODEL, 0x105)], "0500 8006 0581"),
    ),
    plain(Recorded("fteqw_qw_deltas", "s2c 10"), UF_SKIN, &[(SKIN, 1)], "2700 8008 01"),
    plain(Hand("E8: the byte is unsigned"), UF_SKIN, &[(SKIN, 255)], "0500 8008 ff"),
    plain(Hand("the smallest that needs 16BIT"), UF_SKIN | UF_16BIT, &[(SKIN, 256)], "0500 800a 0001"),
    plain(Hand("E8: so do negative ones"), UF_SKIN | UF_16BIT, &[(SKIN, -1)], "0500 800a ffff"),
    plain(Hand("the least short"), UF_SKIN | UF_16BIT, &[(SKIN, -0x8000)], "0500 800a 0080"),
    plain(Hand("the largest byte"), UF_MODELINDEX2, &[(MODELINDEX2, 255)], "0500 80808008 ff"),
    plain(
        Hand("the smallest that needs 16BIT"),
        UF_MODELINDEX2 | UF_16BIT,
        &[(MODELINDEX2, 256)],
        "0500 80828008 0001",
    ),
    plain(Hand("no flag in bit 15 here"), UF_MODELINDEX2 | UF_16BIT, &[(MODELINDEX2, 0xffff)], "0500 80828008 ffff"),
    // Fields of one width.
    plain(Recorded("fteqw_qw_deltas", "s2c 11"), UF_COLORMAP, &[(COLORMAP, 5)], "2b00 8010 05"),
    plain(
        Recorded("fteqw_qw_deltas", "s2c 6"),
        UF_RESET | UF_ORIGINZ | UF_SOLID | UF_FLAGS,
        &[(ORIGIN_Z, f(64.0)), (SOLID, 0), (FLAGS, 0)],
        "0100 8461 0002 0000 00",
    ),
    plain(
        Recorded("fteqw_qw_deltas", "s2c 6"),
        UF_RESET | UF_ORIGINXY | UF_ORIGINZ | UF_MODEL | UF_FLAGS,
        &[(ORIGIN_X, f(64.0)), (ORIGIN_Y, f(64.0)), (ORIGIN_Z, f(64.0)), (MODEL, 6), (FLAGS, 1)],
        "3b00 8645 0002 0002 0002 06 01",
    ),
    plain(Hand("a ushort"), UF_SOLID, &[(SOLID, 0xf234)], "0500 8020 34f2"),
    plain(Hand("a byte, all of whose bits are used"), UF_FLAGS, &[(FLAGS, 0x81)], "0500 8040 81"),
    plain(Recorded("fteqw_qw_deltas", "s2c 11"), UF_ALPHA, &[(ALPHA, 93)], "2900 808001 5d"),
    plain(Recorded("fteqw_qw_deltas", "s2c 11"), UF_SCALE, &[(SCALE, 28)], "2a00 808002 1c"),
    with(
        FLOAT_COORDS | EXT_PREDINFO,
        Recorded("qss_nq_deltas_predinfo", "s2c u0"),
        UF_RESET | UF_ORIGINZ | UF_FLAGS | UF_SCALE | UF_COLORMOD,
        &[(ORIGIN_Z, f(64.0)), (FLAGS, 1), (SCALE, 16), (COLORMOD_R, 32), (COLORMOD_G, 32), (COLORMOD_B, 32)],
        "0a00 84c18201 00008042 01 10 202020",
    ),
    with(
        FLOAT_COORDS | EXT_PREDINFO,
        Recorded("qss_nq_deltas_predinfo", "s2c u1"),
        UF_RESET | UF_FLAGS | UF_ALPHA | UF_SCALE | UF_COLORMOD,
        &[(FLAGS, 1), (ALPHA, 94), (SCALE, 16), (COLORMOD_R, 32), (COLORMOD_G, 32), (COLORMOD_B, 32)],
        "1100 80c18301 01 5e 10 202020",
    ),
    // Drawflags, which may bring an absolute light.
    plain(Hand("low bits 5: alone"), UF_DRAWFLAGS, &[(DRAWFLAGS, 5)], "0500 808008 05"),
    plain(Hand("low bits 6: alone, as documented"), UF_DRAWFLAGS, &[(DRAWFLAGS, 6)], "0500 808008 06"),
    plain(Hand("low bits 7: with abslight"), UF_DRAWFLAGS, &[(DRAWFLAGS, 7), (ABSLIGHT, 64)], "0500 808008 07 40"),
    plain(Hand("only the low bits decide"), UF_DRAWFLAGS, &[(DRAWFLAGS, 0xff), (ABSLIGHT, 1)], "0500 808008 ff 01"),
    plain(Hand("only the low bits decide"), UF_DRAWFLAGS, &[(DRAWFLAGS, 0xf8)], "0500 808008 f8"),
    with(ABSLIGHT_FROM_6, Hand("E9: 5 is still alone"), UF_DRAWFLAGS, &[(DRAWFLAGS, 5)], "0500 808008 05"),
    with(
        ABSLIGHT_FROM_6,
        Hand("E9: 6 brings abslight, too"),
        UF_DRAWFLAGS,
        &[(DRAWFLAGS, 6), (ABSLIGHT, 64)],
        "0500 808008 06 40",
    ),
    with(ABSLIGHT_FROM_6, Hand("E9: as 7 does"), UF_DRAWFLAGS, &[(DRAWFLAGS, 7), (ABSLIGHT, 64)], "0500 808008 07 40"),
    // Attachments: an entity number in the regular coding, whose third byte has two readings.
    plain(Hand("no attachment"), UF_TAGINFO, &[(TAGENTITY, 0), (TAGINDEX, 0)], "0500 808010 0000 00"),
    plain(Hand("the largest short"), UF_TAGINFO, &[(TAGENTITY, 32767), (TAGINDEX, 2)], "0500 808010 ff7f 02"),
    plain(
        Hand("E1: 0x8000 | 32768 >> 8, then 32768 & 255"),
        UF_TAGINFO,
        &[(TAGENTITY, 32768), (TAGINDEX, 2)],
        "0500 808010 808000 02",
    ),
    plain(
        Hand("E1: 0x8000 | 40000 >> 8, then 40000 & 255"),
        UF_TAGINFO,
        &[(TAGENTITY, 40000), (TAGINDEX, 255)],
        "0500 808010 9c8040 ff",
    ),
    plain(Hand("22 bits at most"), UF_TAGINFO, &[(TAGENTITY, 4_194_303), (TAGINDEX, 1)], "0500 808010 ffbfff 01"),
    with(
        NUMBERS_AS_DOCUMENTED,
        Hand("the largest short is the same in both readings"),
        UF_TAGINFO,
        &[(TAGENTITY, 32767), (TAGINDEX, 2)],
        "0500 808010 ff7f 02",
    ),
    with(
        NUMBERS_AS_DOCUMENTED,
        Hand("E1, the specification: 0x8000 | the low 15 bits, then 32768 >> 15"),
        UF_TAGINFO,
        &[(TAGENTITY, 32768), (TAGINDEX, 2)],
        "0500 808010 008001 02",
    ),
    with(
        NUMBERS_AS_DOCUMENTED,
        Hand("E1, the specification: 40000 is 1 * 32768 and 0x1c40"),
        UF_TAGINFO,
        &[(TAGENTITY, 40000), (TAGINDEX, 255)],
        "0500 808010 409c01 ff",
    ),
    with(
        NUMBERS_AS_DOCUMENTED,
        Hand("22 bits at most"),
        UF_TAGINFO,
        &[(TAGENTITY, 4_194_303), (TAGINDEX, 1)],
        "0500 808010 ffff7f 01",
    ),
    // Light, trail, colours, fatness, gravity.
    plain(
        Hand("shorts for red, green, blue and radius, bytes for style and flags"),
        UF_LIGHT,
        &[
            (LIGHT_R, 100),
            (LIGHT_G, -200),
            (LIGHT_B, 0x7fff),
            (LIGHT_RADIUS, -0x8000),
            (LIGHTSTYLE, 12),
            (LIGHTPFLAGS, 3),
        ],
        "0500 808020 6400 38ff ff7f 0080 0c 03",
    ),
    plain(
        Hand("a short; without bit 15 there is no emit effect"),
        UF_TRAILEFFECT,
        &[(TRAILEFFECT, 1), (EMITEFFECT, 0)],
        "0500 808040 0100",
    ),
    plain(
        Hand("E14: bit 15 announces the emit effect"),
        UF_TRAILEFFECT,
        &[(TRAILEFFECT, 1), (EMITEFFECT, 2)],
        "0500 808040 0180 0200",
    ),
    plain(
        Hand("E14: an emit effect without a trail"),
        UF_TRAILEFFECT,
        &[(TRAILEFFECT, 0), (EMITEFFECT, 7)],
        "0500 808040 0080 0700",
    ),
    with(
        TRAILS_AS_DOCUMENTED,
        Hand("E14 as specified: one short, of which bit 14 is the number's"),
        UF_TRAILEFFECT,
        &[(TRAILEFFECT, 0x7fff)],
        "0500 808040 ff7f",
    ),
    plain(
        Hand("E14: 14 bits each"),
        UF_TRAILEFFECT,
        &[(TRAILEFFECT, 0x3fff), (EMITEFFECT, 0x3fff)],
        "0500 808040 ffbf ff3f",
    ),
    but(
        Never("bit 14 means nothing"),
        plain(
            Hand("E14: bit 14 is not part of either number"),
            UF_TRAILEFFECT,
            &[(TRAILEFFECT, 1), (EMITEFFECT, 2)],
            "0500 808040 01c0 02c0",
        ),
    ),
    plain(
        Hand("red, green, blue; the flag needs the fourth byte"),
        UF_COLORMOD,
        &[(COLORMOD_R, 16), (COLORMOD_G, 32), (COLORMOD_B, 48)],
        "0500 80808001 10 20 30",
    ),
    plain(
        Hand("size, colour, then red, green, blue"),
        UF_GLOW,
        &[(GLOW_SIZE, 5), (GLOW_COLOUR, 252), (GLOWMOD_R, 32), (GLOWMOD_G, 64), (GLOWMOD_B, 96)],
        "0500 80808002 05 fc 20 40 60",
    ),
    plain(Hand("a byte in sixteenths"), UF_FATNESS, &[(FATNESS, 16)], "0500 80808004 10"),
    plain(Hand("pitch, then yaw"), UF_GRAVITYDIR, &[(GRAVITY_PITCH, 64), (GRAVITY_YAW, 128)], "0500 80808010 40 80"),
    // Everything at once: the order of the fields, which is not that of the flags.
    with(
        EXT_PREDINFO,
        Hand("the specification's list from top to bottom, effects in the place of bit 5, the block after them"),
        kit::table::WIRE & !(UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3 | UF_UNUSED18 | UF_UNUSED30 | UF_EXTEND4),
        moving!(
            (FRAME, 256),
            (ORIGIN_X, f(1.0)),
            (ORIGIN_Y, f(2.0)),
            (ORIGIN_Z, f(3.0)),
            (PITCH, f(45.0)),
            (ROLL, f(-22.5)),
            (YAW, f(90.0)),
            (EFFECTS, 0x1_0000),
            (VIEW_PITCH, 0x1000),
            (VIEW_ROLL, -0x100),
            (VIEW_YAW, -0x8000),
            (MODEL, 1),
            (SKIN, -1),
            (COLORMAP, 2),
            (SOLID, 31),
            (FLAGS, 1),
            (ALPHA, 128),
            (SCALE, 32),
            (DRAWFLAGS, 7),
            (ABSLIGHT, 64),
            (TAGENTITY, 40000),
            (TAGINDEX, 2),
            (LIGHT_R, 100),
            (LIGHT_G, -200),
            (LIGHT_B, 0x7fff),
            (LIGHT_RADIUS, -0x8000),
            (LIGHTSTYLE, 12),
            (LIGHTPFLAGS, 3),
            (TRAILEFFECT, 1),
            (EMITEFFECT, 2),
            (COLORMOD_R, 16),
            (COLORMOD_G, 32),
            (COLORMOD_B, 48),
            (GLOW_SIZE, 5),
            (GLOW_COLOUR, 252),
            (GLOWMOD_R, 32),
            (GLOWMOD_G, 64),
            (GLOWMOD_B, 96),
            (FATNESS, 16),
            (MODELINDEX2, 300),
            (GRAVITY_PITCH, 64),
            (GRAVITY_YAW, 128)
        ),
        "0500 fffffb3f 0001 0800 1000 1800 20 f0 40 00000100 ff 9001 70fe c800 03 2003 e0fc 1000 0d 0010 00ff 0080 \
         0100 ffff 02 1f00 01 80 20 07 40 9c8040 02 6400 38ff ff7f 0080 0c 03 0180 0200 10 20 30 05 fc 20 40 60 10 \
         2c01 40 80",
    ),
    // Flag bytes that the encoder leaves out, but that a decoder has to take.
    but(
        Never("the second byte is zero"),
        plain(Hand("EXTEND1 with a zero byte"), UF_FRAME, &[(FRAME, 7)], "0500 8100 07"),
    ),
    but(
        Never("the bytes after the first say nothing"),
        plain(Hand("every EXTEND with a zero byte at the end"), UF_FRAME, &[(FRAME, 7)], "0500 81808000 07"),
    ),
];
