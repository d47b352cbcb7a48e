//! Broken handshakes and sign-ons, at both ends.

use crate::constants::*;
use crate::extensions::CMD_PEXT;
use crate::mutants::{behind, client_with, is_unreliable, sends, server_with};
use crate::options::Options;
use crate::rules::Rules;
use kit::table::Kind;
use kit::{Endpoint, Mutant, Packet, Setup, Span, Writer};
use quakeworld::{SVC_MODELLIST, SVC_SERVERDATA, SVC_SOUNDLIST};

/// What a client asks for, up to its mask.
const FTE2_KEY: &[u8] = b"0x32455446 ";

fn no_challenge(packet: &mut Packet<'_>) {
    if packet.bytes.ends_with(b"getchallenge\n") {
        packet.replace(4..packet.bytes.len(), b"connect 28 1 0 \"\\name\\player\"\n");
    }
}

fn offers_big_endian(packet: &mut Packet<'_>) {
    if is_connectionless(packet) {
        let offers = packet.fields("key").chain(packet.fields("value"));
        for field in offers.collect::<Vec<_>>() {
            let swapped = (packet.value(field) as u32).swap_bytes();
            packet.set(field, swapped.into());
        }
    }
}

fn challenge_zero(packet: &mut Packet<'_>) {
    if let Some(challenge) = word(packet, 3).filter(|_| packet.bytes[4..].starts_with(b"connect ")) {
        packet.replace(challenge, b"0");
    }
}

fn userinfo_unquoted(packet: &mut Packet<'_>) {
    if is_connectionless(packet) {
        packet.replace_text(b"\"\\name\\player\"", b"\\name\\player");
    }
}

fn mask_line_without_key(packet: &mut Packet<'_>) {
    if is_connectionless(packet) {
        packet.replace_text(FTE2_KEY, b"");
    }
}

fn unknown_line_refused(packet: &mut Packet<'_>) {
    if is_connectionless(packet) && position(packet, b"0x56495250").is_some() {
        packet.discard();
    }
}

fn unknown_line_ends_list(packet: &mut Packet<'_>) {
    if let Some(start) = position(packet, b"0x56495250").filter(|_| is_connectionless(packet)) {
        packet.replace(start..packet.bytes.len(), b"");
    }
}

fn never_asks(setup: &Setup) -> Box<dyn Endpoint> {
    // A client that is not asked does not answer: its answer is put into what the server receives.
    let server = behind(setup, server_with(setup, Rules::REFERENCE));
    let silent = server.outgoing(|packet| {
        packet.replace_text(CMD_PEXT, b"cmd name\n");
    });
    Box::new(silent.incoming(|packet| {
        if position(packet, b"\x04name\0").is_some() {
            packet.replace_text(b"\x04name\0", b"\x04pext\0");
        }
    }))
}

fn pext_forwarded(packet: &mut Packet<'_>) {
    if let Some(start) = position(packet, b"pext ") {
        let end = packet.bytes[start..].iter().position(|&byte| byte == 0);
        let end = end.map_or(packet.bytes.len(), |length| start + length);
        packet.replace(start..end, b"pext");
    }
}

fn lone_token(packet: &mut Packet<'_>) {
    packet.replace_text(b"pext ", b"pext 0x1 ");
}

fn key_by_name(packet: &mut Packet<'_>) {
    packet.replace_text(FTE2_KEY, b"FTE2 ");
}

fn key_in_decimal(packet: &mut Packet<'_>) {
    packet.replace_text(FTE2_KEY, format!("{PROTOCOL_VERSION_FTE2} ").as_bytes());
}

fn quoted_value_split(packet: &mut Packet<'_>) {
    if position(packet, b"pext ").is_some() {
        packet.replace_text(b"\"", b"");
    }
}

fn value_read_as_key(packet: &mut Packet<'_>) {
    packet.replace_text(b"0x56495250 ", b"");
}

fn all_ones_mask(packet: &mut Packet<'_>) {
    packet.replace_text(b"0x32455446 0x", b"0x32455446 0xffffffff");
}

fn mask_without_key(packet: &mut Packet<'_>) {
    let key = packet.fields("protocol version").next();
    if let Some(key) = key.filter(|key| packet.value(key) == u64::from(PROTOCOL_VERSION_FTE2)) {
        packet.cut(key);
    }
}

fn echoes_any_wish(setup: &Setup) -> Box<dyn Endpoint> {
    let asked = Options::new(setup).client_extensions.fte2;
    sends(server_with, setup, move |packet| {
        for mask in packet.fields("extension mask").collect::<Vec<&Span>>() {
            packet.set(mask, asked.into());
        }
    })
}

fn frames_unannounced(packet: &mut Packet<'_>) {
    if is_unreliable(packet) {
        let end = packet.bytes.len();
        // No entries, at second 1.
        packet.replace(end..end, &[SVC_UPDATEENTITIES, 0, 0, 0x80, 0x3f, 0, 0]);
    }
}

fn pext_ignored(setup: &Setup) -> Box<dyn Endpoint> {
    let client = behind(setup, client_with(setup, Rules::REFERENCE));
    Box::new(client.incoming(|packet| {
        packet.replace_text(CMD_PEXT, b"cmd name\n");
    }))
}

fn wants_two_pairs(packet: &mut Packet<'_>) {
    let protocol = packet.fields("protocol version").last();
    if let Some(protocol) = protocol.filter(|_| packet.fields("extension mask").count() == 1) {
        packet.set(protocol, 0);
    }
}

fn unknown_pair_skipped(packet: &mut Packet<'_>) {
    let first = packet.fields("protocol version").next();
    if let Some(first) = first.filter(|first| packet.raw(first) == *b"FTE3") {
        packet.replace(first.start..first.start + 8, &[]);
    }
}

fn masks_of_first_map() -> impl FnMut(&mut Packet<'_>) {
    let mut masks = None;
    move |packet| keep_masks(packet, &mut masks)
}

fn goes_by_first_masks() -> impl FnMut(&mut Packet<'_>) {
    let mut masks = None;
    move |packet| keep_masks(packet, &mut masks)
}

fn lists_asked_for(packet: &mut Packet<'_>) {
    let lists: Vec<&Span> = packet
        .fields("service")
        .filter(|list| matches!(packet.raw(list).first(), Some(&(SVC_SOUNDLIST | SVC_MODELLIST))))
        .collect();
    for (index, list) in lists.into_iter().enumerate() {
        let asks: &[u8] = if index == 0 { b"\x09cmd soundlist 1 0\n\0" } else { b"" };
        packet.replace(list.start..list.end, asks);
    }
}

fn lists_on_request(packet: &mut Packet<'_>) {
    let lists: Vec<&Span> = packet
        .fields("service")
        .filter(|list| matches!(packet.raw(list).first(), Some(&(SVC_SOUNDLIST | SVC_MODELLIST))))
        .collect();
    for list in lists {
        packet.cut(list);
    }
}

/// Lists right after the session, which a client without the extension has not asked for.
fn lists_for_all(packet: &mut Packet<'_>) {
    let session =
        packet.fields("service").find(|service| packet.raw(service).first() == Some(&SVC_SERVERDATA)).copied();
    if let Some(session) = session {
        let mut lists = Vec::new();
        quakeworld::write_list(&mut Writer::new(&mut lists), SVC_SOUNDLIST, 0, &[b"misc/null.wav"], 0);
        packet.replace(session.end..session.end, &lists);
    }
}

/// A client without the extension asks for the models, and is sent the sounds once more.
fn sounds_for_models(packet: &mut Packet<'_>) {
    let is_models = |list: &&Span| packet.raw(list).first() == Some(&SVC_MODELLIST);
    if let Some(models) = packet.fields("service").find(is_models).copied() {
        packet.replace(models.start..models.start + 1, &[SVC_SOUNDLIST]);
    }
}

/// It asks for the sounds, and is sent the models.
fn models_for_sounds(packet: &mut Packet<'_>) {
    let is_sounds = |list: &&Span| packet.raw(list).first() == Some(&SVC_SOUNDLIST);
    if let Some(sounds) = packet.fields("service").find(is_sounds).copied() {
        packet.replace(sounds.start..sounds.start + 1, &[SVC_MODELLIST]);
    }
}

fn plain_clients_wait(packet: &mut Packet<'_>) {
    let word = b"prespawn";
    let at = packet.bytes.windows(word.len()).position(|window| window == word);
    if let Some(at) = at {
        packet.replace(at..at + 1, b"P");
    }
}

/// The broken handshakes.
pub(super) static MUTANTS: &[Mutant] = mutants! {
    client "no-challenge" HS_01 "fte/handshake-quakeworld":
        sends no_challenge, "connects without requesting a challenge";
    server "offers-big-endian" HS_02 "fte/handshake-quakeworld":
        sends offers_big_endian, "writes keys and masks big-endian";
    client "challenge-zero" HS_03 "fte/handshake-quakeworld": sends challenge_zero, "connects with challenge 0";
    client "userinfo-unquoted" HS_03 "fte/handshake-quakeworld": sends userinfo_unquoted, "does not quote its userinfo";
    client "mask-line-without-key" HS_04 "fte/handshake-quakeworld":
        sends mask_line_without_key, "sends its mask without the key";
    client "mask-line-in-decimal" HS_04 "fte/handshake-quakeworld":
        sends key_in_decimal, "sends the key of its mask in decimal";
    server "unknown-line-refused" HS_05 "fte/handshake-quakeworld":
        receives unknown_line_refused, "ignores a connect that has a line with an unknown key";
    server "unknown-line-ends-list" HS_05 "fte/handshake-quakeworld":
        receives unknown_line_ends_list, "stops reading extension lines at an unknown key";
    server "stripped-yet-on" HS_06 "fte/extensions-stripped":
        sends |packet| insert_pair(packet, PROTOCOL_VERSION_FTE2, PEXT2_REPLACEMENTDELTAS),
        "treats an extension as negotiated because it offered it";
    client "stripped-yet-acknowledged" HS_06 "fte/extensions-stripped":
        sends acknowledge_unasked, "sends acknowledgements though the extensions were stripped";
    server "never-asks" HS_07 "fte/handshake-netquake":
        by never_asks, "never sends `cmd pext`, and starts the map without extensions";
    client "pext-forwarded" HS_08 "fte/handshake-netquake":
        sends pext_forwarded, "sends the stuffed `pext` back unchanged";
    client "lone-token" HS_09 "fte/handshake-netquake":
        sends lone_token, "sends a private extension key without a value";
    client "key-by-name" HS_10 "fte/handshake-netquake":
        sends key_by_name, "sends the key as a name (FTE2), not as a hexadecimal number";
    client "key-in-decimal" HS_10 "fte/handshake-netquake":
        sends key_in_decimal, "sends the key in decimal";
    server "quoted-value-split" HS_11 "fte/handshake-netquake":
        receives quoted_value_split, "splits a quoted value at spaces";
    server "value-read-as-key" HS_11 "fte/handshake-netquake":
        receives value_read_as_key, "reads the value of an unknown key as the next key";
    client "all-ones-mask" HS_12 "fte/delta-clean": sends all_ones_mask, "requests every extension bit (0xffffffff)";
    server "mask-without-key" HS_13 "fte/delta-clean": sends mask_without_key, "writes its mask without the key";
    server "echoes-any-wish" HS_16 "fte/extensions-subset":
        by echoes_any_wish, "echoes the requested mask, including bits that it does not support";
    server "frames-unannounced" HS_17 "fte/plain-session":
        sends frames_unannounced, "sends entity frames without the extension";
    client "acks-unannounced" HS_17 "fte/plain-session":
        sends acknowledge_unasked, "sends acknowledgements in a session without the extension";
    client "pext-ignored" HS_08 "fte/handshake-netquake":
        by pext_ignored, "treats the stuffed `cmd pext` as an alias of its own";
    client "wants-two-pairs" HS_14 "fte/announcements":
        receives wants_two_pairs, "reads session data only if both masks are present";
    client "unknown-pair-skipped" HS_15 "fte/protocol-unknown":
        receives unknown_pair_skipped, "skips an unknown protocol number";
    server "masks-of-first-map" HS_18 "fte/extensions-change":
        sends masks_of_first_map(), "announces the masks of the first map in later maps";
    client "goes-by-first-masks" HS_18 "fte/extensions-change":
        receives goes_by_first_masks(), "uses the masks of the first map in later maps";
    server "float-coords-coarse-angles" HS_21 "fte/float-coords-fine":
        sends coarsen_angles, "writes angles with 8 bits of precision";
    client "float-coords-byte-angles" HS_21 "fte/float-coords-fine":
        receives coarsen_angles, "reads angles with 8 bits of precision";
    server "deltas-coarse-coords" HS_22 "fte/float-coords-fine":
        sends coarsen_coords, "writes coords in frames with a precision of 1/8";
    client "deltas-read-coarsely" HS_22 "fte/float-coords-fine":
        receives coarsen_coords, "reads coords in frames with a precision of 1/8";
    client "lists-asked-for" HS_24 "fte/handshake-quakeworld":
        receives lists_asked_for, "ignores lists that it did not request";
    server "lists-on-request" HS_23 "fte/handshake-quakeworld":
        sends lists_on_request, "sends its lists on request only";
    server "plain-clients-wait" HS_20 "fte/plain-session":
        receives plain_clients_wait, "does not answer the sign-on of clients without the extension";
    server "sounds-for-models" HS_20 "fte/extensions-stripped":
        sends sounds_for_models, "answers the request for the models with the sounds";
    server "models-for-sounds" HS_26 "fte/extensions-stripped":
        sends models_for_sounds, "answers the request for the sounds with the models";
    server "lists-for-all" HS_26 "fte/extensions-stripped":
        sends lists_for_all, "sends the lists to clients without the extension unasked";
};

/// Puts the masks of the first session in the place of those of later ones.
fn keep_masks(packet: &mut Packet<'_>, masks: &mut Option<Vec<u8>>) {
    let mut versions = packet.fields("protocol version");
    if let Some(first) = versions.next() {
        let base = versions.last().unwrap_or(first);
        let announced = &packet.bytes[first.start..base.start];
        let kept = masks.get_or_insert_with(|| announced.to_vec());
        packet.replace(first.start..base.start, kept);
    }
}

/// Takes the lower byte off the angles of updates.
fn coarsen_angles(packet: &mut Packet<'_>) {
    for name in ["angles[0]", "angles[1]", "angles[2]"] {
        for angle in packet.fields(name).collect::<Vec<&Span>>() {
            packet.set(angle, packet.value(angle) & 0xff00);
        }
    }
}

/// Takes from the coords of updates what is finer than an eighth.
fn coarsen_coords(packet: &mut Packet<'_>) {
    for name in ["origin[0]", "origin[1]", "origin[2]"] {
        for coord in packet.fields(name).collect::<Vec<&Span>>() {
            let coarse = Kind::Coord16.quantise(packet.value(coord) as i32);
            packet.set(coord, u64::from(coarse as u32));
        }
    }
}

/// QuakeWorld: whether the datagram belongs to no connection.
fn is_connectionless(packet: &Packet<'_>) -> bool {
    packet.bytes.starts_with(&[0xff; 4])
}

/// Where `text` stands first.
fn position(packet: &Packet<'_>, text: &[u8]) -> Option<usize> {
    packet.bytes.windows(text.len()).position(|window| window == text)
}

/// The place of a word of a connectionless text, by number.
fn word(packet: &Packet<'_>, number: usize) -> Option<std::ops::Range<usize>> {
    let mut at = 0;
    let mut words = packet.bytes.split(|&byte| byte == b' ').map(|word| {
        let start = at;
        at += word.len() + 1;
        start..start + word.len()
    });
    words.nth(number)
}

/// Puts a pair in front of all that a session announces.
fn insert_pair(packet: &mut Packet<'_>, key: u32, mask: u32) {
    if let Some(first) = packet.fields("protocol version").next() {
        let pair = [key.to_le_bytes(), mask.to_le_bytes()].concat();
        packet.replace(first.start..first.start, &pair);
    }
}

/// Acknowledges frame 1 in whatever is sent.
fn acknowledge_unasked(packet: &mut Packet<'_>) {
    if is_unreliable(packet) {
        let end = packet.bytes.len();
        packet.replace(end..end, &[CLC_ACKFRAME, 1, 0, 0, 0]);
    }
}
