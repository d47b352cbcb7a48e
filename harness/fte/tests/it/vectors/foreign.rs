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
    lerp("flag 9 is a time of 100 ms behind the angles", UF_FRAME | UF_16BIT, &[(FRAME, 7)], "0500 8102 07 64"),
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
    size("encoding 16 has the 16-bit form behind it", UF_SOLID, &[(SOLID, 0x2143)], "0500 8020 10 4321"),
    size("encoding 32 has a long behind it", UF_SOLID, &[(SOLID, 0x7654_3210)], "0500 8020 20 10325476"),
    size("no bones at all", UF_UNUSED18, &[], "0500 808004 00"),
    size(
        "a bone has seven shorts, and what comes behind is read",
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

/// Counts messages.
#[derive(Default)]
struct Count(usize);

impl Listener for Count {
    fn message_ended(&mut self) {
        self.0 += 1;
    }
}

/// Walks messages in a session with these masks: how many there were.
fn walk(transport: Transport, direction: Direction, masks: (u32, u32), hex: &str) -> Result<usize, DecodeError> {
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
    Ok(count.0)
}

#[test]
fn messages_of_extensions_are_read_past() {
    use Direction::{ClientToServer, ServerToClient};
    use Transport::{NetQuake, QuakeWorld};
    // Each with a nop behind it: by hand, from the order of FTEQW's fields.
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
