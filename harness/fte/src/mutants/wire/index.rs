//! Entity numbers: the indices of an update message, and the regular coding everywhere else.

use super::edits::*;
use crate::constants::*;
use crate::delta::{self, NUMBERS_AS_DOCUMENTED};
use crate::mutants::server::history::log_short_numbers;
use crate::mutants::{client_with, receives, sends, server_with};
use crate::options::Options;
use kit::{Endpoint, Mutant, Packet, Reader, Setup, Span, Writer};
use netquake::constants::{SVC_SET_VIEW, SVC_SOUND, SVC_TEMP_ENTITY};
use std::ops::Range;

/// Announces baselines under numbers whose large part is placed as the session does not have it.
fn misplace_baselines(setup: &Setup) -> impl FnMut(&mut Packet<'_>) + use<> {
    let gate = if Options::new(setup).readings.numbers_as_documented { NUMBERS_AS_DOCUMENTED } else { 0 };
    move |packet| {
        for number in baseline_numbers(packet) {
            let raw = &packet.bytes[number.clone()];
            let read = delta::regular_numbers(gate).read_entity(&mut Reader::new(raw), "number");
            let mut bytes = Vec::with_capacity(3);
            let other = delta::regular_numbers(gate ^ NUMBERS_AS_DOCUMENTED);
            other.write_entity(&mut Writer::new(&mut bytes), "number", read.unwrap_or_default());
            packet.replace(number, &bytes);
        }
    }
}

/// The large numbers of entities in views, sounds or beams.
fn big_numbers_in(packet: &Packet<'_>, service: u8) -> Vec<Range<usize>> {
    let spans: Vec<&Span> = packet.fields("entity").filter(|span| service_of(packet, span) == Some(service)).collect();
    let pairs = spans.windows(2).filter(|pair| pair[0].end == pair[1].start && pair[1].end == pair[1].start + 1);
    pairs.map(|pair| pair[0].start..pair[1].end).collect()
}

/// Writes them as plain shorts.
fn big_numbers_as_short(setup: &Setup, service: u8) -> Box<dyn Endpoint> {
    let gate = if Options::new(setup).readings.numbers_as_documented { NUMBERS_AS_DOCUMENTED } else { 0 };
    sends(server_with, setup, move |packet| {
        for number in big_numbers_in(packet, service) {
            let raw = &packet.bytes[number.clone()];
            let read = delta::regular_numbers(gate).read_entity(&mut Reader::new(raw), "number").unwrap_or_default();
            packet.replace(number, &(read as u16).to_le_bytes());
        }
    })
}

/// Reads them without the lowest bit of the third byte.
fn big_numbers_misread(setup: &Setup, service: u8) -> Box<dyn Endpoint> {
    receives(client_with, setup, move |packet| {
        for number in big_numbers_in(packet, service) {
            let mut bytes = packet.bytes[number.clone()].to_vec();
            bytes[2] ^= 1;
            packet.replace(number, &bytes);
        }
    })
}

fn big_baselines_as_short(packet: &mut Packet<'_>) {
    for number in baseline_numbers(packet) {
        packet.replace(number.start + 2..number.end, &[]);
    }
}

fn remove_by_bit_14(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.remove && entry.number != 0) {
        packet.set(&entry.index, u64::from(INDEX_EXTEND) | u64::from(entry.number));
    }
}

fn index_of_15_bits(packet: &mut Packet<'_>) {
    for high in entries(packet).iter().filter_map(|entry| entry.high) {
        // The number has bit 14, and what was to be its high byte is taken for flags.
        packet.replace(high.start..high.start, &[1]);
    }
}

fn high_byte_from_bit_8(packet: &mut Packet<'_>) {
    for entry in entries(packet) {
        if let Some(high) = entry.high {
            packet.set(&high, u64::from(entry.number >> 8));
        }
    }
}

fn high_byte_from_bit_15(packet: &mut Packet<'_>) {
    for high in entries(packet).iter().filter_map(|entry| entry.high) {
        packet.set(&high, packet.value(&high) << 1);
    }
}

fn extended_from_32768(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.number < 0x8000) {
        if let Some(high) = entry.high {
            packet.cut(&high);
        }
    }
}

fn extended_is_large(packet: &mut Packet<'_>) {
    for high in entries(packet).iter().filter_map(|entry| entry.high) {
        packet.set(&high, packet.value(&high).max(1));
    }
}

fn flags_behind_remove(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.remove && entry.number != 0) {
        packet.replace(entry.index_end()..entry.index_end(), &[0]);
    }
}

fn flags_read_behind_remove(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.remove && entry.number != 0) {
        packet.replace(entry.index_end()..entry.index_end() + 1, &[]);
    }
}

fn flags_behind_end(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.number == 0 && !entry.remove) {
        packet.replace(entry.index.end..entry.index.end, &[0]);
    }
}

fn flags_read_behind_end(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.number == 0 && !entry.remove) {
        // Most lists end with their datagram: the byte is missing, wherever it is taken from.
        packet.replace(entry.index.end - 1..entry.index.end, &[]);
    }
}

fn remove_all_is_end(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.number == 0 && entry.remove) {
        packet.set(&entry.index, 0);
    }
}

fn remove_all_ignored(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.number == 0 && entry.remove) {
        packet.cut(&entry.whole);
    }
}

fn numbers_of_16_bits(packet: &mut Packet<'_>) {
    for high in entries(packet).iter().filter_map(|entry| entry.high) {
        packet.set(&high, packet.value(&high) & 3);
    }
}

fn entities_descending(packet: &mut Packet<'_>) {
    let updates: Vec<Entry> = entries(packet).into_iter().filter(Entry::is_update).collect();
    for (entry, other) in updates.iter().zip(updates.iter().rev()) {
        let bytes = packet.raw(&other.whole);
        packet.replace(entry.whole.start..entry.whole.end, bytes);
    }
}

/// The broken numbers.
pub(in super::super) static MUTANTS: &[Mutant] = mutants! {
    server "big-baselines-misplaced" ENT_03 "fte/entity-numbers":
        by |setup| sends(server_with, setup, misplace_baselines(setup)),
        "writes large baseline numbers in the other placement of erratum E1";
    server "big-baselines-as-short" ENT_03 "fte/entity-numbers":
        sends big_baselines_as_short,
        "always writes the number of a baseline as a short", "QuakeSpasm-Spiked c48936385a44";
    client "big-baselines-read-misplaced" ENT_03 "fte/entity-numbers":
        by |setup| receives(client_with, setup, misplace_baselines(setup)),
        "reads large baseline numbers in the other placement of erratum E1";
    server "big-views-as-short" ENT_03 "fte/entity-numbers":
        by |setup| big_numbers_as_short(setup, SVC_SET_VIEW), "always writes the entity of a view as a short";
    server "big-beams-as-short" ENT_03 "fte/entity-numbers":
        by |setup| big_numbers_as_short(setup, SVC_TEMP_ENTITY), "always writes the entity of a beam as a short";
    server "big-sounds-as-short" ENT_03 "fte/sounds-netquake":
        by |setup| big_numbers_as_short(setup, SVC_SOUND), "always writes the entity of a sound as a short";
    client "big-views-misread" ENT_03 "fte/entity-numbers":
        by |setup| big_numbers_misread(setup, SVC_SET_VIEW), "reads the third byte of a view's entity wrongly";
    client "big-beams-misread" ENT_03 "fte/entity-numbers":
        by |setup| big_numbers_misread(setup, SVC_TEMP_ENTITY), "reads the third byte of a beam's entity wrongly";
    client "big-sounds-misread" ENT_03 "fte/sounds-netquake":
        by |setup| big_numbers_misread(setup, SVC_SOUND), "reads the third byte of a sound's entity wrongly";
    server "remove-by-bit-14" ENT_05 "fte/remove-clean": sends remove_by_bit_14, "marks removes by bit 14";
    client "index-of-15-bits" ENT_05 "fte/entity-number-huge":
        receives index_of_15_bits, "reads bit 14 of an index as part of the number";
    server "high-byte-from-bit-8" ENT_06 "fte/entity-numbers":
        sends high_byte_from_bit_8, "writes bits 8 to 15 of a number as its high byte";
    client "high-byte-from-bit-15" ENT_06 "fte/entity-numbers":
        receives high_byte_from_bit_15, "reads the high byte as bits 15 to 22";
    server "extended-from-32768" ENT_07 "fte/entity-numbers":
        sends extended_from_32768, "uses the extended form only from 32768";
    client "extended-is-large" ENT_08 "fte/index-long-form":
        receives extended_is_large, "assumes that an index with a high byte is at least 16384";
    server "flags-after-remove" ENT_09 "fte/remove-clean":
        sends flags_behind_remove, "writes a flag byte after a remove";
    client "flags-read-after-remove" ENT_09 "fte/remove-clean":
        receives flags_read_behind_remove, "reads a flag byte after a remove";
    server "flags-after-end" ENT_10 "fte/delta-clean":
        sends flags_behind_end, "writes a flag byte after the end marker";
    client "flags-read-after-end" ENT_10 "fte/list-empty":
        receives flags_read_behind_end, "reads a flag byte after the end marker";
    server "remove-all-is-end" ENT_11 "fte/delta-clean":
        sends remove_all_is_end, "writes the end marker instead of the remove-all";
    client "remove-all-ignored" ENT_11 "fte/delta-clean": receives remove_all_ignored, "ignores the remove-all";
    server "log-of-16-bits" ENT_12 "fte/entity-numbers":
        rules |rules| rules.log = log_short_numbers, "logs only 16 bits of entity numbers", "FTEQW 8d5b21726";
    client "numbers-of-16-bits" ENT_12 "fte/entity-number-huge":
        receives numbers_of_16_bits, "reads only 16 bits of entity numbers";
    server "entities-descending" ENT_15 "fte/delta-clean":
        sends entities_descending, "lists entities in descending order";
};
