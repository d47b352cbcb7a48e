//! Player states, byte for byte: every flag alone, and all of them together.

use super::Evidence::{self, Hand, Recorded};
use super::{check_cuts, fields};
use kit::{DecodeError, ErrorKind, Reader, Span, Writer};
use r1q2::wire::constants::*;
use r1q2::wire::dialect::Dialect;
use r1q2::wire::player::{self, Flags, PLAYER, STAT_TABLE};
use r1q2::wire::state::*;
use testkit::bytes::hex_bytes;

const P34: Dialect = Dialect::ORIGINAL;
const P35: Dialect = Dialect::r1q2(MINOR_SOURCE);

/// One player state.
#[derive(Clone, Copy, Debug)]
struct Vector {
    evidence: Evidence,
    dialect: Dialect,
    ps: u64,
    /// The extra flags: over protocol 34 those that are implied.
    eps: u8,
    stats: u32,
    fields: &'static [(usize, i32)],
    /// Over protocol 34 the byte of the service, then flags and fields.
    hex: &'static str,
}

type Values = &'static [(usize, i32)];

const fn p35(reason: &'static str, ps: u64, eps: u8, fields: Values, hex: &'static str) -> Vector {
    Vector { evidence: Hand(reason), dialect: P35, ps, eps, stats: 0, fields, hex }
}

const fn p34(reason: &'static str, ps: u64, eps: u8, fields: Values, hex: &'static str) -> Vector {
    Vector { evidence: Hand(reason), dialect: P34, ps, eps: eps | EPS_STATS, stats: 0, fields, hex }
}

static VECTORS: &[Vector] = &[
    p35("nothing: two bytes of flags", 0, 0, &[], "0000"),
    p35("a byte", PS_M_TYPE, 0, &[(PM_TYPE, 1)], "0100 01"),
    p35("x and y alone", PS_M_ORIGIN, 0, &[(PM_ORIGIN_X, 8), (PM_ORIGIN_Y, -8)], "0200 0800 f8ff"),
    p35("z alone", 0, EPS_PMOVE_ORIGIN2, &[(PM_ORIGIN_Z, 16)], "0000 1000"),
    p35(
        "z after x and y",
        PS_M_ORIGIN,
        EPS_PMOVE_ORIGIN2,
        &[(PM_ORIGIN_X, 1), (PM_ORIGIN_Y, 2), (PM_ORIGIN_Z, 3)],
        "0200 0100 0200 0300",
    ),
    p35("x and y alone", PS_M_VELOCITY, 0, &[(PM_VELOCITY_X, 800), (PM_VELOCITY_Y, -800)], "0400 2003 e0fc"),
    p35("z alone", 0, EPS_PMOVE_VELOCITY2, &[(PM_VELOCITY_Z, -1984)], "0000 40f8"),
    p35("a byte", PS_M_TIME, 0, &[(PM_TIME, 3)], "0800 03"),
    p35("a byte", PS_M_FLAGS, 0, &[(PM_FLAGS, 4)], "1000 04"),
    p35("a short", PS_M_GRAVITY, 0, &[(GRAVITY, 800)], "2000 2003"),
    p35(
        "three shorts",
        PS_M_DELTA_ANGLES,
        0,
        &[(DELTA_PITCH, 1), (DELTA_YAW, -16384), (DELTA_ROLL, -1)],
        "4000 0100 00c0 ffff",
    ),
    p35(
        "three chars: 22 units are 88 quarters",
        PS_VIEWOFFSET,
        0,
        &[(VIEWOFFSET_X, 4), (VIEWOFFSET_Y, -4), (VIEWOFFSET_Z, 88)],
        "8000 04 fc 58",
    ),
    p35("pitch and yaw alone", PS_VIEWANGLES, 0, &[(VIEW_PITCH, 4096), (VIEW_YAW, -16384)], "0001 0010 00c0"),
    p35("roll alone", 0, EPS_VIEWANGLE2, &[(VIEW_ROLL, 2048)], "0000 0008"),
    p35("three chars", PS_KICKANGLES, 0, &[(KICK_PITCH, -4), (KICK_YAW, 8), (KICK_ROLL, -128)], "0002 fc 08 80"),
    p35("four bytes", PS_BLEND, 0, &[(BLEND_R, 255), (BLEND_G, 1), (BLEND_B, 2), (BLEND_A, 76)], "0004 ff 01 02 4c"),
    p35("a byte", PS_FOV, 0, &[(FOV, 90)], "0008 5a"),
    p35("a byte", PS_WEAPONINDEX, 0, &[(GUNINDEX, 5)], "0010 05"),
    p35("a byte alone", PS_WEAPONFRAME, 0, &[(GUNFRAME, 7)], "0020 07"),
    p35("three chars", 0, EPS_GUNOFFSET, &[(GUNOFFSET_X, 4), (GUNOFFSET_Y, -4), (GUNOFFSET_Z, 2)], "0000 04 fc 02"),
    p35("three chars", 0, EPS_GUNANGLES, &[(GUN_PITCH, 1), (GUN_YAW, -2), (GUN_ROLL, -1)], "0000 01 fe ff"),
    p35("a byte", PS_RDFLAGS, 0, &[(RDFLAGS, 1)], "0040 01"),
    Vector {
        stats: 0x8000_0005,
        ..p35(
            "a mask, and a short for each bit",
            0,
            EPS_STATS,
            &[(STATS, 100), (STATS + 2, -7), (STATS + 31, 0x1234)],
            "0000 05000080 6400 f9ff 3412",
        )
    },
    p35("a mask of nothing is legal", 0, EPS_STATS, &[], "0000 00000000"),
    Vector {
        stats: 2,
        ..p35(
            "the whole order: weapon before blend, each split part after the part it belongs to",
            0x7fff,
            0x3f,
            &[
                (PM_TYPE, 1),
                (PM_ORIGIN_X, 2),
                (PM_ORIGIN_Y, 3),
                (PM_ORIGIN_Z, 4),
                (PM_VELOCITY_X, 5),
                (PM_VELOCITY_Y, 6),
                (PM_VELOCITY_Z, 7),
                (PM_TIME, 8),
                (PM_FLAGS, 9),
                (GRAVITY, 10),
                (DELTA_PITCH, 11),
                (DELTA_YAW, 12),
                (DELTA_ROLL, 13),
                (VIEWOFFSET_X, 14),
                (VIEWOFFSET_Y, 15),
                (VIEWOFFSET_Z, 16),
                (VIEW_PITCH, 17),
                (VIEW_YAW, 18),
                (VIEW_ROLL, 19),
                (KICK_PITCH, 20),
                (KICK_YAW, 21),
                (KICK_ROLL, 22),
                (GUNINDEX, 23),
                (GUNFRAME, 24),
                (GUNOFFSET_X, 25),
                (GUNOFFSET_Y, 26),
                (GUNOFFSET_Z, 27),
                (GUN_PITCH, 28),
                (GUN_YAW, 29),
                (GUN_ROLL, 30),
                (BLEND_R, 31),
                (BLEND_G, 32),
                (BLEND_B, 33),
                (BLEND_A, 34),
                (FOV, 35),
                (RDFLAGS, 36),
                (STATS + 1, 37),
            ],
            "ff7f 01 0200 0300 0400 0500 0600 0700 08 09 0a00 0b00 0c00 0d00 0e 0f 10 1100 1200 1300 14 15 16 \
             17 18 19 1a 1b 1c 1d 1e 1f 20 21 22 23 24 02000000 2500",
        )
    },
    Vector {
        evidence: Recorded("q2pro_p35_minor1905", "S>C seq=5"),
        ..p35(
            "",
            PS_M_TIME | PS_WEAPONFRAME,
            EPS_GUNANGLES,
            &[(PM_TIME, 5), (GUNFRAME, 3), (GUN_PITCH, 0), (GUN_YAW, -2), (GUN_ROLL, -1)],
            "0820 05 03 00feff",
        )
    },
    p34("the mask of the statistics always comes", 0, 0, &[], "11 0000 00000000"),
    p34(
        "x, y and z",
        PS_M_ORIGIN,
        EPS_PMOVE_ORIGIN2,
        &[(PM_ORIGIN_X, 8), (PM_ORIGIN_Y, -8), (PM_ORIGIN_Z, 16)],
        "11 0200 0800 f8ff 1000 00000000",
    ),
    p34(
        "x, y and z",
        PS_M_VELOCITY,
        EPS_PMOVE_VELOCITY2,
        &[(PM_VELOCITY_X, 1), (PM_VELOCITY_Y, 2), (PM_VELOCITY_Z, 3)],
        "11 0400 0100 0200 0300 00000000",
    ),
    p34(
        "pitch, yaw and roll",
        PS_VIEWANGLES,
        EPS_VIEWANGLE2,
        &[(VIEW_PITCH, 1), (VIEW_YAW, 2), (VIEW_ROLL, 3)],
        "11 0001 0100 0200 0300 00000000",
    ),
    p34(
        "frame, offset and angles of the weapon",
        PS_WEAPONFRAME,
        EPS_GUNOFFSET | EPS_GUNANGLES,
        &[
            (GUNFRAME, 7),
            (GUNOFFSET_X, 4),
            (GUNOFFSET_Y, -4),
            (GUNOFFSET_Z, 2),
            (GUN_PITCH, 1),
            (GUN_YAW, -2),
            (GUN_ROLL, -1),
        ],
        "11 0020 07 04fc02 01feff 00000000",
    ),
    Vector {
        evidence: Recorded("r1q2_b5183_p34", "S>C seq=8"),
        stats: 2,
        ..p34(
            "",
            PS_M_ORIGIN | PS_M_FLAGS | PS_M_GRAVITY | PS_VIEWANGLES | PS_WEAPONFRAME,
            EPS_PMOVE_ORIGIN2 | EPS_VIEWANGLE2 | EPS_GUNOFFSET | EPS_GUNANGLES,
            &[
                (PM_ORIGIN_X, 2048),
                (PM_ORIGIN_Y, 0),
                (PM_ORIGIN_Z, 321),
                (PM_FLAGS, 4),
                (GRAVITY, 800),
                (VIEW_PITCH, 0),
                (VIEW_YAW, -32000),
                (VIEW_ROLL, 0),
                (GUNFRAME, 2),
                (GUNOFFSET_X, 0),
                (GUNOFFSET_Y, 0),
                (GUNOFFSET_Z, 0),
                (GUN_PITCH, 0),
                (GUN_YAW, -3),
                (GUN_ROLL, -1),
                (STATS + 1, 98),
            ],
            "11 3221 0008 0000 4101 04 2003 0000 0083 0000 02 000000 00fdff 02000000 6200",
        )
    },
];

/// A state in which every field has a value of its own.
fn before() -> Player {
    let mut player = Player::NULL;
    for (field, value) in player.0.iter_mut().enumerate() {
        *value = 40 + field as i32;
    }
    player
}

fn read(vector: &Vector, bytes: &[u8], spans: &mut Vec<Span>) -> Result<(Flags, Player), DecodeError> {
    let mut r = Reader::with_spans(bytes, spans);
    let flags = player::read_flags(&mut r, vector.eps, &vector.dialect)?;
    let mut state = before();
    let flags = player::read_fields(&mut r, flags, &mut state)?;
    r.finish("player state")?;
    Ok((flags, state))
}

/// Decodes a vector to its fields, encodes the fields to the vector, and cuts it at every length.
fn check(vector: &Vector) {
    vector.evidence.check(vector.hex);
    let (bytes, mut spans) = (hex_bytes(vector.hex), Vec::new());
    let (flags, state) = read(vector, &bytes, &mut spans).unwrap_or_else(|e| panic!("{e}: {vector:?}"));
    assert_eq!(flags, Flags { ps: vector.ps as u16, eps: vector.eps, stats: vector.stats }, "{vector:?}");
    let mut expected = before();
    for &(field, value) in vector.fields {
        expected[field] = value;
    }
    for (field, (is, should)) in state.0.iter().zip(&expected.0).enumerate() {
        assert_eq!(is, should, "{} in {vector:?}", stat_name(field));
    }
    let mut out = Vec::new();
    player::write(&mut Writer::new(&mut out), &PLAYER, flags, &expected, &vector.dialect);
    assert_eq!(out, bytes, "{vector:?}");
    check_cuts(&bytes, &fields(spans), |cut| read(vector, cut, &mut Vec::new()).map(drop));
}

#[test]
fn every_vector_is_decoded_and_encoded_to_the_byte() {
    VECTORS.iter().for_each(check);
}

#[test]
fn every_flag_has_a_vector_of_its_own_over_protocol_35() {
    let alone = |ps: u64, eps: u8| VECTORS.iter().any(|it| it.dialect == P35 && (it.ps, it.eps) == (ps, eps));
    for (flag, name) in PS_NAMES.iter().enumerate() {
        assert!(alone(1 << flag, 0), "{name}");
    }
    for (flag, name) in EPS_NAMES.iter().enumerate() {
        assert!(alone(0, 1 << flag), "{name}");
    }
}

#[test]
fn every_row_has_a_vector() {
    for row in PLAYER.rows {
        assert_eq!(row.forms.len(), 1);
        let carried =
            VECTORS.iter().any(|vector| vector.fields.iter().any(|&(at, value)| at == row.field && value != 0));
        assert!(carried, "row {}: no vector carries its field", row.name);
    }
}

/// By hand: the mask is one long with the statistic's bit, the value one short.
#[test]
fn every_statistic_has_its_bit_in_the_mask() {
    for stat in 0..MAX_STATS {
        let mut bytes = vec![0, 0];
        bytes.extend((1u32 << stat).to_le_bytes());
        bytes.extend((-2i16).to_le_bytes());
        let vector = p35("", 0, EPS_STATS, &[], "");
        let (flags, state) = read(&vector, &bytes, &mut Vec::new()).expect("a statistic");
        let mut expected = before();
        expected[STATS + stat] = -2;
        assert_eq!((flags.stats, state), (1 << stat, expected));
        let mut out = Vec::new();
        player::write(&mut Writer::new(&mut out), &PLAYER, flags, &state, &P35);
        assert_eq!(out, bytes);
    }
}

#[test]
fn what_no_engine_sends_is_refused() {
    let refused = |hex: &str, dialect: &Dialect| {
        player::read_flags(&mut Reader::new(&hex_bytes(hex)), 0, dialect).expect_err("refused")
    };
    let error = refused("0080", &P35);
    let why = "neither protocol defines this PS flag";
    assert_eq!(error.kind, ErrorKind::Forbidden { value: 0x8000, why });
    let error = refused("12 0000", &P34);
    assert_eq!((error.offset, error.field), (0, "svc_playerinfo"));
}

/// What has changed raises its own flag, over protocol 34 that of the whole.
#[track_caller]
fn check_diff(field: usize, dialect: &Dialect, ps: u64, eps: u8) {
    let mut new = before();
    new[field] += 1;
    let stats = if field >= STATS { 1 << (field - STATS) } else { 0 };
    assert_eq!(player::diff(&before(), &new, dialect), Flags { ps: ps as u16, eps, stats }, "{}", stat_name(field));
}

#[test]
fn a_change_raises_its_flag() {
    assert_eq!(player::diff(&before(), &before(), &P35), Flags::default());
    check_diff(PM_ORIGIN_Z, &P35, 0, EPS_PMOVE_ORIGIN2);
    check_diff(PM_ORIGIN_Z, &P34, PS_M_ORIGIN, EPS_PMOVE_ORIGIN2 | EPS_STATS);
    check_diff(VIEW_ROLL, &P34, PS_VIEWANGLES, EPS_VIEWANGLE2 | EPS_STATS);
    check_diff(GUN_YAW, &P35, 0, EPS_GUNANGLES);
    check_diff(GUN_YAW, &P34, PS_WEAPONFRAME, EPS_GUNOFFSET | EPS_GUNANGLES | EPS_STATS);
    check_diff(FOV, &P35, PS_FOV, 0);
    check_diff(STATS + 31, &P35, 0, EPS_STATS);
    check_diff(STATS + 31, &P34, 0, EPS_STATS);
}

#[test]
fn the_layout_is_the_reviewed_one() {
    let name = |bit: u32| match bit {
        0..=14 => String::from(PS_NAMES[bit as usize]),
        16..=21 => String::from(EPS_NAMES[bit as usize - 16]),
        bit => format!("[{bit}]"),
    };
    let text = PLAYER.describe(&name) + "\n" + &STAT_TABLE.describe(&|bit| format!("bit {bit}"));
    insta::with_settings!({
        snapshot_path => "../../../../../golden/r1q2",
        prepend_module_to_snapshot => false,
        omit_expression => true,
        description => "The wire of player states, in the order of the bytes.",
    }, {
        insta::assert_snapshot!("player", text);
    });
}
