//! Broken services and commands: all messages but the entries of frames.

use crate::constants::*;
use crate::delta;
use crate::dialect::{Dialect, Transport};
use crate::message;
use crate::mutants::{client_with, receives, sends, server_with};
use crate::options::Options;
use crate::state::*;
use kit::{Endpoint, Mutant, Packet, Reader, Setup, Span, Writer};
use netquake::constants::{SND_LARGESOUND, SVC_SET_VIEW, SVC_SOUND, SVC_TIME};
use quakeworld::{SVC_NAILS, SVC_PACKETENTITIES};

/// A client whose acknowledgements have another command's number.
fn by_command_51(setup: &Setup) -> Box<dyn Endpoint> {
    sends(client_with, setup, |packet| {
        let acks = packet.fields("clc").filter(|clc| packet.value(clc) == u64::from(CLC_ACKFRAME));
        for ack in acks.collect::<Vec<&Span>>() {
            packet.set(ack, u64::from(CLC_ACKFRAME) + 1);
        }
    })
}

fn old_and_new_entities(setup: &Setup) -> Box<dyn Endpoint> {
    // An update of entity 1 without a field; a list without an entity.
    let old: &[u8] = match Options::new(setup).transport {
        Transport::NetQuake => &[0x80, 1],
        Transport::QuakeWorld => &[SVC_PACKETENTITIES, 0, 0],
    };
    sends(server_with, setup, move |packet| append_to_frame(packet, old))
}

fn time_apart(packet: &mut Packet<'_>) {
    // With the movement sequence that PREDINFO gives it.
    append_to_frame(packet, &[SVC_TIME, 0, 0, 0x80, 0x3f, 0, 0]);
}

fn clock_stands_still() -> impl FnMut(&mut Packet<'_>) {
    let mut first = None;
    move |packet| edit_time(packet, |time| first.get_or_insert(time).to_bits())
}

fn static_with_number(packet: &mut Packet<'_>) {
    for service in services(packet, SVC_SPAWNSTATIC2) {
        packet.replace(service.start + 1..service.start + 1, &[7, 0]);
    }
}

fn static_number_expected(packet: &mut Packet<'_>) {
    for service in services(packet, SVC_SPAWNSTATIC2) {
        packet.replace(service.start + 1..service.start + 3, &[]);
    }
}

fn baseline_alpha_biased(setup: &Setup) -> Box<dyn Endpoint> {
    let dialect = dialect(setup);
    sends(server_with, setup, move |packet| {
        announce(packet, &dialect, |number, state| state[ALPHA] -= i32::from(number.is_some()));
    })
}

fn baseline_misfiled(setup: &Setup) -> Box<dyn Endpoint> {
    let dialect = dialect(setup);
    receives(client_with, setup, move |packet| {
        announce(packet, &dialect, |number, _| {
            if let Some(number) = number {
                *number += 1000;
            }
        });
    })
}

fn csqc_index_short(packet: &mut Packet<'_>) {
    for service in services(packet, SVC_CSQCENTITIES) {
        let body = packet.raw(service);
        let Ok((number, true)) = delta::read_index(&mut Reader::new(&body[1..])) else { continue };
        let index = (number as u16 | INDEX_REMOVE).to_le_bytes();
        packet.replace(service.start + 1..service.end - 2, &index);
    }
}

fn csqc_index_misread(packet: &mut Packet<'_>) {
    for service in services(packet, SVC_CSQCENTITIES) {
        let body = packet.raw(service);
        let Ok((number, true)) = delta::read_index(&mut Reader::new(&body[1..])) else { continue };
        let low = number & u32::from(INDEX_NUMBER) | u32::from(INDEX_EXTEND);
        let mut misread = Vec::new();
        delta::write_index(&mut Writer::new(&mut misread), low, true);
        packet.replace(service.start + 1..service.end - 2, &misread);
    }
}

fn static_as_quakeworld_delta(setup: &Setup) -> Box<dyn Endpoint> {
    let dialect = dialect(setup);
    sends(server_with, setup, move |packet| {
        for service in services(packet, SVC_SPAWNSTATIC2) {
            let mut r = Reader::new(&packet.raw(service)[1..]);
            let Ok(state) = message::read_baseline(&mut r, &dialect) else { continue };
            // A word of flags, of which the last announces another byte; in that the model's flag; the model.
            packet.replace(service.start + 1..service.end, &[0, 0x80, 4, state[MODEL] as u8]);
        }
    })
}

fn static_of_six_fields(setup: &Setup) -> Box<dyn Endpoint> {
    let dialect = dialect(setup);
    receives(client_with, setup, move |packet| announce(packet, &dialect, |_, state| *state = classic(state)))
}

fn scale_in_two_bytes(packet: &mut Packet<'_>) {
    for scale in packet.fields("scale").collect::<Vec<&Span>>() {
        packet.replace(scale.end..scale.end, &[0]);
    }
}

fn scale_read_in_two_bytes(packet: &mut Packet<'_>) {
    for scale in packet.fields("scale").collect::<Vec<&Span>>() {
        packet.replace(scale.end..scale.end + 1, &[]);
    }
}

fn from_byte_read(packet: &mut Packet<'_>) {
    for service in services(packet, SVC_UPDATEENTITIES) {
        packet.replace(service.start + 1..service.start + 2, &[]);
    }
}

fn sound_in_two_bytes(packet: &mut Packet<'_>) {
    for service in services(packet, SVC_SOUND) {
        let inside: Vec<&Span> = packet.inside(service).collect();
        for field in inside {
            match field.field {
                "sound mask" => packet.set(field, packet.value(field) | u64::from(SND_LARGESOUND)),
                "sound" => packet.replace(field.end..field.end, &[1]),
                _ => {}
            }
        }
    }
}

fn sound_read_in_two_bytes(packet: &mut Packet<'_>) {
    for service in services(packet, SVC_SOUND) {
        let inside: Vec<&Span> = packet.inside(service).collect();
        for mask in inside.into_iter().filter(|field| field.field == "sound mask") {
            packet.set(mask, packet.value(mask) | u64::from(SND_LARGESOUND));
        }
    }
}

fn big_numbers_unasked(packet: &mut Packet<'_>) {
    for service in services(packet, SVC_SET_VIEW) {
        let raw = packet.raw(service);
        if let [_, low, high @ 0x80..=0xff] = *raw {
            // The number's upper eight bits and the flag, then its lower eight.
            packet.replace(service.start + 1..service.end, &[high, 0x80, low]);
        }
    }
}

fn big_numbers_expected(packet: &mut Packet<'_>) {
    for service in services(packet, SVC_SET_VIEW) {
        let raw = packet.raw(service);
        if let [_, low, high @ 0x80..=0xff] = *raw {
            // What is read of it without its lowest eight bits, which are those of the next message or missing.
            packet.replace(service.start + 1..service.end, &[low, high & 0x7f]);
        }
    }
}

/// The broken services.
pub(super) static MUTANTS: &[Mutant] = mutants! {
    server "old-and-new-entities" SVC_01 "fte/delta-clean":
        by old_and_new_entities, "sends the old entity updates as well";
    server "nails-apart" SVC_01 "fte/handshake-quakeworld":
        sends |packet| append_to_frame(packet, &[SVC_NAILS, 0]), "sends svc_nails as well", "FTEQW before d7cdc39cc";
    server "time-apart" SVC_02 "fte/handshake-netquake": sends time_apart, "sends svc_time as well";
    client "time-in-minutes" SVC_03 "fte/delta-clean":
        receives |packet| edit_time(packet, |time| (time / 60.0).to_bits()), "converts the server time to minutes";
    client "clock-stands-still" SVC_04 "fte/delta-clean":
        receives clock_stands_still(), "reads the server time from the first frame only";
    client "acks-by-another-number" SVC_13 "fte/ack-batched": by by_command_51, "acknowledges with command 51";
    client "acks-by-another-number-quakeworld" SVC_13 "fte/ack-bunched-quakeworld":
        by by_command_51, "acknowledges with command 51";
    server "static-with-number" SVC_05 "fte/announcements":
        sends static_with_number, "writes a number in front of static entities";
    client "static-number-expected" SVC_05 "fte/announcements":
        receives static_number_expected, "reads a number in front of static entities";
    server "baseline-alpha-biased" SVC_06 "fte/announcements":
        by baseline_alpha_biased, "writes the alpha of baselines one too low";
    client "baseline-misfiled" SVC_06 "fte/announcements": by baseline_misfiled, "assigns a baseline to another entity";
    client "baseline-of-last-map" SVC_07 "fte/announcements":
        by baselines_over_former, "keeps fields of the previous baseline that a new one leaves out";
    client "baseline-of-six-fields" SVC_08 "fte/announcements":
        by |setup| baselines_as(setup, classic), "keeps only the baseline fields of protocol 15";
    server "csqc-index-short" SVC_09 "fte/csqc-gone":
        sends csqc_index_short, "writes the index of CSQC entities as a flag and 15 bits";
    client "csqc-index-misread" SVC_09 "fte/csqc-gone":
        receives csqc_index_misread, "reads the index of CSQC entities as 15 bits";
    server "static-as-quakeworld-delta" SVC_10 "fte/spawnstatic2":
        by static_as_quakeworld_delta, "writes static entities in the format of PEXT_SPAWNSTATIC2";
    client "static-of-six-fields" SVC_10 "fte/spawnstatic2":
        by static_of_six_fields, "reads only the fields of a QuakeWorld delta from static entities";
    server "scale-in-two-bytes" SVC_11 "fte/obsolete-extensions":
        sends scale_in_two_bytes, "writes scale in two bytes under PEXT_SCALE";
    client "scale-read-in-two-bytes" SVC_11 "fte/obsolete-extensions":
        receives scale_read_in_two_bytes, "reads scale in two bytes under PEXT_SCALE";
    client "from-byte-read" SVC_12 "fte/delta-clean":
        receives from_byte_read, "reads a from-frame byte, as old delta messages have";
    server "sound-in-two-bytes" SVC_14 "fte/sounds-netquake":
        sends sound_in_two_bytes, "writes sound indices in two bytes over protocol 15";
    client "sound-read-in-two-bytes" SVC_14 "fte/sounds-netquake":
        receives sound_read_in_two_bytes, "reads sound indices in two bytes over protocol 15";
    server "big-numbers-unasked" ENT_04 "fte/numbers-plain":
        sends big_numbers_unasked, "writes large entity numbers in three bytes without the extension";
    client "big-numbers-expected" ENT_04 "fte/numbers-plain":
        receives big_numbers_expected,
        "reads large entity numbers in three bytes without the extension", "FTEQW before 4757bd34c";
};

/// The services of a number, in order.
fn services<'a>(packet: &Packet<'a>, number: u8) -> Vec<&'a Span> {
    packet.fields("service").filter(|service| packet.raw(service).first() == Some(&number)).collect()
}

/// What the ends of a run agree upon in its first map.
fn dialect(setup: &Setup) -> Dialect {
    let options = Options::new(setup);
    let extensions = options.agreed(&options.client_extensions);
    let plain = Dialect::plain(options.transport);
    Dialect::negotiated(options.transport, extensions, plain.protocol, 0, options.readings)
}

/// Of an entity, what protocol 15 has.
fn classic(state: &Entity) -> Entity {
    with_classic(&Entity::NULL, state)
}

/// `state` with the fields from `baseline` that NetQuake's own baselines have.
pub(super) fn with_classic(state: &Entity, baseline: &Entity) -> Entity {
    let mut mixed = *state;
    for field in [FRAME, ORIGIN_X, ORIGIN_Y, ORIGIN_Z, PITCH, YAW, ROLL, MODEL, SKIN, COLORMAP] {
        mixed[field] = baseline[field];
    }
    mixed
}

/// A client that keeps of a baseline what `kept` makes of it.
pub(super) fn baselines_as(setup: &Setup, kept: fn(&Entity) -> Entity) -> Box<dyn Endpoint> {
    let dialect = dialect(setup);
    receives(client_with, setup, move |packet| {
        announce(packet, &dialect, |number, state| {
            if number.is_some() {
                *state = kept(state);
            }
        });
    })
}

/// A client that keeps what a new baseline leaves out as it was in the map before.
pub(super) fn baselines_over_former(setup: &Setup) -> Box<dyn Endpoint> {
    let dialect = dialect(setup);
    let mut known = EntityList::default();
    receives(client_with, setup, move |packet| {
        announce(packet, &dialect, |number, state| {
            let Some(number) = *number else { return };
            let kept = known.entry(number, &Entity::NULL);
            for field in (0..FIELDS).filter(|&field| state[field] != Entity::NULL[field]) {
                kept[field] = state[field];
            }
            *state = *kept;
        });
    })
}

/// Changes baselines, which have a number, and static entities, which have none.
fn announce(packet: &mut Packet<'_>, dialect: &Dialect, mut change: impl FnMut(&mut Option<u32>, &mut Entity)) {
    let both = [SVC_SPAWNBASELINE2, SVC_SPAWNSTATIC2].map(|number| services(packet, number));
    for service in both.into_iter().flatten() {
        let body = packet.raw(service);
        let mut r = Reader::new(&body[1..]);
        let mut number = match body[0] {
            SVC_SPAWNBASELINE2 => dialect.primitives.read_entity(&mut r, "entity number").ok(),
            _ => None,
        };
        let Ok(mut state) = message::read_baseline(&mut r, dialect) else { continue };
        change(&mut number, &mut state);
        let mut written = Vec::new();
        let mut w = Writer::new(&mut written);
        match number {
            Some(number) => message::write_baseline(&mut w, number, &state, dialect),
            None => message::write_static(&mut w, &state, dialect),
        }
        packet.replace(service.start..service.end, &written);
    }
}

/// Puts a service after a datagram's entity frame.
fn append_to_frame(packet: &mut Packet<'_>, service: &[u8]) {
    if packet.fields("servertime").next().is_some() {
        let end = packet.bytes.len();
        packet.replace(end..end, service);
    }
}

/// Gives frames another server time: the new bits, from the old seconds.
fn edit_time(packet: &mut Packet<'_>, mut edit: impl FnMut(f32) -> u32) {
    for time in packet.fields("servertime").collect::<Vec<&Span>>() {
        let bits = edit(f32::from_bits(packet.value(time) as u32));
        packet.set(time, bits.into());
    }
}
