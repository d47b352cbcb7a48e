//! What other programs agree upon beside our own ends: layouts of updates, and messages that are read past.
//!
//! No recording has them: the bytes are worked out from the facts of FTEQW's reader.

use super::Evidence::Hand;
use super::Vector;
use super::Written::Never;
use super::entity::{but, with};
use fte::constants::*;
use fte::delta::{self, EXT_LERPTIME, EXT_NEWSIZE, FOREIGN};
use fte::dialect::{Dialect, Readings, Transport};
use fte::extensions::Extensions;
use fte::message::{self, Carrier, Listener};
use fte::state::*;
use kit::table::WIRE;
use kit::{DecodeError, Direction, Reader};
use testkit::bytes::hex_bytes;

const NEVER: &str = "our own ends never agree on it";

/// A vector of a session with `PEXT2_LERPTIME`.
const fn lerp(why: &'static str, flags: u64, fields: &'static [(usize, i32)], hex: &'static str) -> Vector {
    but(Never(NEVER), with(EXT_LERPTIME, Hand(why), flags, fields, hex))
}

/// A vector of a session with `PEXT2_NEWSIZEENCODING`.
const fn size(why: &'static str, flags: u64, fields: &'static [(usize, i32)], hex: &'static str) -> Vector {
    but(Never(NEVER), with(EXT_NEWSIZE, Hand(why), flags, fields, hex))
}

pub static VECTORS: &[Vector] = &[
    lerp("below 128 a number takes a byte", UF_FRAME, &[(FRAME, 5)], "0500 01 05"),
    lerp("300 is 2 * 128 + 44", UF_FRAME, &[(FRAME, 300)], "0500 01 ac02"),
    lerp("effects lose flag 29, and take three bytes", UF_EFFECTS, &[(EFFECTS, 0x1_0000)], "0500 20 808004"),
    lerp("32 bits take five bytes", UF_EFFECTS, &[(EFFECTS, -1)], "0500 20 ffffffff0f"),
    lerp("1000 is 7 * 128 + 104", UF_MODEL, &[(MODEL, 1000)], "0500 8004 e807"),
    lerp("a skin of -2 travels as 62", UF_SKIN, &[(SKIN, -2)], "0500 8008 3e"),
    lerp("a colormap of 1024 takes two bytes", UF_COLORMAP, &[(COLORMAP, 1024)], "0500 8010 8008"),
    lerp("flags of 129 take two bytes", UF_FLAGS, &[(FLAGS, 129)], "0500 8040 8101"),
    lerp("a tag travels as one more", UF_TAGINFO, &[(TAGENTITY, 7), (TAGINDEX, 2)], "0500 808010 0700 03"),
    lerp("tag 0 stands for a portal", UF_TAGINFO, &[(TAGENTITY, 7), (TAGINDEX, 255)], "0500 808010 0700 00"),
    lerp(
        "the style of a light of 129 takes two bytes",
        UF_LIGHT,
        &[(LIGHT_R, 10), (LIGHT_G, 20), (LIGHT_B, 30), (LIGHT_RADIUS, 300), (LIGHTSTYLE, 129), (LIGHTPFLAGS, 2)],
        "0500 808020 0a00 1400 1e00 2c01 8101 02",
    ),
    lerp(
        "the second trail is always there",
        UF_TRAILEFFECT,
        &[(TRAILEFFECT, 300), (EMITEFFECT, 5)],
        "0500 808040 ac02 05",
    ),
    lerp("300 is 2 * 128 + 44", UF_MODELINDEX2, &[(MODELINDEX2, 300)], "0500 80808008 ac02"),
    lerp("flag 9 is a time of 100 ms after the angles", UF_FRAME | UF_16BIT, &[(FRAME, 7)], "0500 8102 07 64"),
    lerp(
        "the time stands between position and effects",
        UF_ORIGINZ | UF_EFFECTS | UF_16BIT,
        &[(ORIGIN_Z, 8f32.to_bits() as i32), (EFFECTS, 3)],
        "0500 a402 4000 ac02 03",
    ),
    size("encoding 0 is none", UF_SOLID, &[(SOLID, 0)], "0500 8020 00"),
    size("encoding 1 is a brush model", UF_SOLID, &[(SOLID, 31)], "0500 8020 01"),
    size("encoding 2 is the first hull", UF_SOLID, &[(SOLID, 0x8020_1810_u32 as i32)], "0500 8020 02"),
    size("encoding 3 is the second hull", UF_SOLID, &[(SOLID, 0x8040_1820_u32 as i32)], "0500 8020 03"),
    size("encoding 16 has the 16-bit form after it", UF_SOLID, &[(SOLID, 0x2143)], "0500 8020 10 4321"),
    size("encoding 32 has a long after it", UF_SOLID, &[(SOLID, 0x7654_3210)], "0500 8020 20 10325476"),
    size("no bones at all", UF_UNUSED18, &[], "0500 808004 00"),
    size(
        "a bone has seven shorts, and what comes after is read",
        UF_UNUSED18 | UF_DRAWFLAGS,
        &[(DRAWFLAGS, 0x60)],
        "0500 80800c 80 01 0100020003000400050006000700 60",
    ),
    size(
        "which bone has which frame: a byte and a short",
        UF_UNUSED18 | UF_DRAWFLAGS,
        &[(DRAWFLAGS, 0x60)],
        "0500 80800c 40 05 0a00 60",
    ),
    but(
        Never(NEVER),
        with(
            EXT_NEWSIZE | EXT_LERPTIME,
            Hand("with both, bone and frame are as long as they need to be"),
            UF_UNUSED18 | UF_DRAWFLAGS,
            &[(DRAWFLAGS, 0x60)],
            "0500 80800c 40 ac02 05 60",
        ),
    ),
];

#[test]
fn every_layout_that_an_extension_brings_has_a_vector() {
    for row in FOREIGN.rows {
        let brought = |equals: u64| equals & (EXT_LERPTIME | EXT_NEWSIZE | UF_UNUSED18) != 0;
        for (form, layout) in row.forms.iter().enumerate().filter(|(_, layout)| brought(layout.equals)) {
            let of = |vector: &Vector| super::form_of(row, vector.flags | vector.gate & !WIRE) == Some(form);
            assert!(VECTORS.iter().any(of), "row {}: no vector has {layout:?}", row.name);
        }
    }
}

/// What is wrong with an update of a session with the extensions of `gate`.
fn wrong(gate: u64, hex: &str) -> String {
    let bytes = hex_bytes(hex);
    super::read(&bytes, gate, &mut Vec::new()).expect_err("refused").to_string()
}

#[test]
fn what_is_not_understood_is_named_with_its_extension() {
    let why =
        "solidsize of NEWSIZEENCODING at byte 4: value 0x4 is not allowed here: sizes are encoded as 0 to 3, 16 or 32";
    assert_eq!(wrong(EXT_NEWSIZE, "0500 8020 04"), why);
    let why = "bonedata of NEWSIZEENCODING at byte 5: value 0x1 is not allowed here: \
               only bits 6 and 7 of bone data have a meaning";
    assert_eq!(wrong(EXT_NEWSIZE, "0500 808004 01"), why);
    let why = "UF flags at byte 2: value 0x20000000 is not allowed here: no negotiated extension defines this UF flag";
    assert_eq!(wrong(EXT_LERPTIME, "0500 80808020 00"), why);
    let why = "frame at byte 3: value 0xffffffff is not allowed here: a number of LERPTIME has at most 32 bits";
    assert_eq!(wrong(EXT_LERPTIME, "0500 01 ffffffff7f"), why);
    assert!(delta::read_flags(&mut Reader::new(&[0x80, 0x80, 4]), 0).is_err(), "bones without the extension");
}

/// Counts messages, and notes acknowledgements and moves.
#[derive(Default)]
struct Count {
    messages: usize,
    acks: Vec<u32>,
    moves: Vec<(u16, f32, u8)>,
}

impl Listener for Count {
    fn message_ended(&mut self) {
        self.messages += 1;
    }

    fn acknowledge(&mut self, _: &Carrier, sequence: u32) {
        self.acks.push(sequence);
    }

    fn moved(&mut self, _: &Carrier, movement: &netquake::Move) {
        self.moves.push((movement.sequence, f32::from_bits(movement.time as u32), movement.buttons));
    }
}

/// Walks messages in a session with these masks: how many there were.
fn walk(transport: Transport, direction: Direction, masks: (u32, u32), hex: &str) -> Result<usize, DecodeError> {
    follow(transport, direction, masks, hex).map(|count| count.messages)
}

/// Walks messages in a session with these masks.
fn follow(transport: Transport, direction: Direction, masks: (u32, u32), hex: &str) -> Result<Count, DecodeError> {
    let extensions = Extensions { fte1: masks.0, fte2: masks.1 };
    let mut dialect = Dialect::negotiated(transport, extensions, 15, 0, Readings::default());
    let carrier = Carrier { direction, reliable: true, sequence: 0, acknowledged: None };
    let (bytes, mut count) = (hex_bytes(hex), Count::default());
    let mut r = Reader::new(&bytes);
    match direction {
        Direction::ServerToClient => {
            message::walk_services(&mut r, &mut dialect, Readings::default(), &carrier, &mut count)?;
        }
        Direction::ClientToServer => message::walk_commands(&mut r, &dialect, &carrier, &mut count)?,
    }
    Ok(count)
}

#[test]
fn messages_of_extensions_are_read_past() {
    use Direction::{ClientToServer, ServerToClient};
    use Transport::{NetQuake, QuakeWorld};
    // Each with a nop after it: by hand, from the order of FTEQW's fields.
    for (transport, direction, masks, hex) in [
        (NetQuake, ServerToClient, (0, PEXT2_VOICECHAT), "54 01 02 03 0300 aabbcc 01"),
        (QuakeWorld, ServerToClient, (0, PEXT2_VOICECHAT), "54 01 02 03 0000 01"),
        (NetQuake, ClientToServer, (0, PEXT2_VOICECHAT), "53 02 03 0300 aabbcc 01"),
        // A move without anything in its upper buttons; then one with a weapon and a cursor, which ends with entity 9.
        (NetQuake, ClientToServer, (0, PEXT2_PRYDONCURSOR), "03 0000803f 000000 0000 0000 0000 01000000 00 01"),
        (
            NetQuake,
            ClientToServer,
            (0, PEXT2_PRYDONCURSOR | PEXT2_PREDINFO | PEXT2_REPLACEMENTDELTAS),
            "03 0500 0000803f 000000000000 0000 0000 0000 010000c0 00 07000000 \
             11112222 000000000000000000000000 000000000000000000000000 0900 01",
        ),
        (
            QuakeWorld,
            ClientToServer,
            (0, PEXT2_PRYDONCURSOR),
            "52 11112222 000000000000000000000000 000000000000000000000000 0900 01",
        ),
        // A file of 16 bytes begins.
        (QuakeWorld, ServerToClient, (PEXT_CHUNKEDDOWNLOADS, 0), "29 ffffffff 10000000 6100 01"),
        (NetQuake, ServerToClient, (0, PEXT2_SETANGLEDELTA), "55 0100 0200 0300 01"),
        (QuakeWorld, ServerToClient, (0, PEXT2_INFOBLOBS), "59 00 6b657900 00000080 0200 aabb 01"),
        (QuakeWorld, ServerToClient, (PEXT_LIGHTSTYLECOL, 0), "39 05 07 6d00 01"),
        (QuakeWorld, ServerToClient, (PEXT_SPLITSCREEN, 0), "19 02 0304 44 01 58 01 07 01"),
        // A temporary entity of five bytes in NetQuake's form, which bit 15 says.
        (QuakeWorld, ServerToClient, (0, 8), "5b 0580 0011223344 01"),
        // Two of three angles are based again, and locked; and a sound of two bytes.
        (NetQuake, ServerToClient, (0, 8 | PEXT2_VRINPUTS), "5d 0d 3412 7856 01"),
        (QuakeWorld, ServerToClient, (0, 8), "5e 01 100020003000 2c01 ff40 01"),
        (QuakeWorld, ServerToClient, (0, 8 | PEXT2_LERPTIME), "5e 01 100020003000 ac02 ff40 01"),
        (QuakeWorld, ServerToClient, (0, 8), "5e 00 100020003000 2c ff40 01"),
        // CSQC entity 5 with three bytes, 6 is removed, 20000 with none.
        (NetQuake, ServerToClient, (PEXT_CSQC, 8), "5c 0500 0300 aabbcc 0680 204e01 0000 0000 01"),
        // A string, a float, a vector, entity 40000 in its long form, an integer, seat 1; then the name.
        (
            NetQuake,
            ClientToServer,
            (PEXT_CSQC, 8),
            "51 01 6100 02 0000803f 03 000000000000000000000000 04 9c8040 08 2a000000 c9 00 6576656e7400 01",
        ),
        // A point of three shorts; with float coords of three floats.
        (NetQuake, ServerToClient, (0, 8), "3e 0100 100020003000 01"),
        (QuakeWorld, ServerToClient, (PEXT_FLOATCOORDS, 8), "52 0100 000000000000000000000000 01"),
    ] {
        let messages = if hex.starts_with("19") { 4 } else { 2 };
        assert_eq!(walk(transport, direction, masks, hex), Ok(messages), "{hex}");
    }
}

#[test]
fn messages_that_nobody_can_read_past_are_named_with_their_extension() {
    let wrong = |masks, hex| walk(Transport::NetQuake, Direction::ServerToClient, masks, hex).unwrap_err().to_string();
    let text =
        "cgamepacket of CSQC at byte 0: value 0x53 is not allowed here: what such a message has is not known here";
    assert_eq!(wrong((PEXT_CSQC, 8), "53 01"), text);
    let text = "voicechat of VOICECHAT at byte 0: value 0x54 is not allowed here: the extension was not agreed upon";
    assert_eq!(wrong((0, 8), "54 01"), text);
    assert_eq!(wrong((0, 8), "5f"), "svc at byte 0: unknown value 0x5f");
}

#[test]
fn effects_are_read_as_their_kinds_were_announced() {
    let masks = (PEXT_CUSTOMTEMPEFFECTS, 8);
    let walk = |hex: &str| walk(Transport::QuakeWorld, Direction::ServerToClient, masks, hex);
    // Kind 3 "a" has stains, a glow that fades, a count and a velocity; kind 4 is a beam with a direction that stays.
    let kinds = "43 ff 03 3d 6100 01020304 0506070809 0a0b0c 43 ff 04 c2 6200";
    let effects = "43 03 100020003000 05 010002000300 43 04 0700 100020003000 110021003100 99";
    assert_eq!(walk(&format!("{kinds} {effects} 01")), Ok(5));
    let why = "customtempent of CUSTOMTEMPEFFECTS at byte 1: value 0x3 is not allowed here: what such an effect has was \
               not announced";
    assert_eq!(walk(effects).unwrap_err().to_string(), why);
    assert!(walk("43 ff ff 00 6100").is_err(), "255 announces");
}

#[test]
fn moves_of_vrinputs_have_acknowledgements_and_a_number() {
    let follow = |transport, hex: &str| {
        follow(transport, Direction::ClientToServer, (0, 8 | PEXT2_PREDINFO | PEXT2_VRINPUTS), hex)
    };
    // Move 7: two moves (flag 8), with acknowledgements (16) of 300 and ~0. The first at 1,500 ms, 0x5dc in two bytes, turns
    // by a byte and runs; the second, 16 ms later, has a button and whole angles and speeds.
    let two = "55 0700 18 02 02 2c010000 ffffffff 09 85dc 05 50 832a 10 1122 8320 01";
    let count = follow(Transport::NetQuake, &format!("{two} 01")).expect("two moves");
    assert_eq!((count.messages, count.acks), (2, vec![300, ACK_RESET]));
    assert_eq!(count.moves, [(7, 1.516, 1)]);
    // On QuakeWorld without a number. One move: a cursor at entity 9, and a hand with a position and what it holds.
    let hand = "55 08 01 c04800 10 11112222 000000000000000000000000 000000000000000000000000 0900 28 \
                000000000000000000000000 05";
    let count = follow(Transport::QuakeWorld, &format!("{hand} 01")).expect("a hand");
    assert_eq!((count.messages, count.moves.len()), (2, 0));
    let wrong = |hex: &str| follow(Transport::QuakeWorld, hex).err().expect("refused").to_string();
    let why = "move of VRINPUTS at byte 3: value 0x10000 is not allowed here: such a bit of a move is undefined";
    assert_eq!(wrong("55 08 01 c10000 00"), why);
    assert!(wrong("55 04 8fff 00").contains("move of VRINPUTS at byte 2"), "far too many seats");
}

#[test]
fn any_bytes_behind_any_number_are_walked_without_a_panic() {
    let (mut seed, mut whole) = (7_u64, 0);
    for round in 0..64 {
        for number in 0..=u8::MAX {
            let mut hex = format!("{number:02x}");
            for _ in 0..round {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Mostly small numbers, so that counts and lengths fit.
                let byte = (seed >> 33) as u8 >> (seed >> 50 & 7);
                hex.push_str(&format!("{byte:02x}"));
            }
            for transport in [Transport::NetQuake, Transport::QuakeWorld] {
                for direction in [Direction::ClientToServer, Direction::ServerToClient] {
                    match follow(transport, direction, (u32::MAX, u32::MAX), &hex) {
                        Ok(count) => {
                            whole += 1;
                            assert!(count.messages + count.acks.len() + count.moves.len() <= 2 * (round + 1), "{hex}");
                        }
                        Err(error) => assert!(error.offset <= round + 1, "{error}: {hex}"),
                    }
                }
            }
        }
    }
    assert!(whole > 500, "{whole} were walked to their end");
}
