//! Flag bytes: how many there are, and what is there for them.

use super::edits::*;
use crate::state::*;
use kit::{Mutant, Packet, Span};

fn extend_without_byte(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.flag_bytes.len() == 1) {
        packet.set(&entry.flag_bytes[0], entry.flags | UF_EXTEND1);
    }
}

fn four_flag_bytes_always(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.is_update()) {
        // What it takes for flag bytes has the bits that make the reference do so, too.
        let at = entry.flags_range().start;
        for byte in at..(at + 3).min(packet.bytes.len()) {
            let value = packet.bytes[byte] | 0x80;
            packet.replace(byte..byte + 1, &[value]);
        }
    }
}

fn third_byte_by_bit_7(packet: &mut Packet<'_>) {
    for entry in entries(packet) {
        if let Some(second) = entry.flag_bytes.get(1) {
            packet.set(second, packet.value(second) | 0x80);
        }
    }
}

fn zero_flag_byte_is_data(packet: &mut Packet<'_>) {
    for entry in entries(packet) {
        if let [.., last_but_one, last] = entry.flag_bytes[..]
            && packet.value(&last) == 0
        {
            packet.set(&last_but_one, packet.value(&last_but_one) & 0x7f);
        }
    }
}

fn zero_flag_byte_refused(packet: &mut Packet<'_>) {
    for entry in entries(packet) {
        if let [_, _, _, fourth] = entry.flag_bytes[..]
            && packet.value(&fourth) == 0
        {
            packet.set(&fourth, UF_UNUSED30 >> 24);
        }
    }
}

fn data_without_flag(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.is_update() && entry.flags & UF_RESET == 0) {
        packet.replace(entry.flags_range().end..entry.flags_range().end, &[0]);
    }
}

fn bones_for_everyone(packet: &mut Packet<'_>) {
    for entry in entries(packet) {
        if let Some(third) = entry.flag_bytes.get(2) {
            packet.set(third, packet.value(third) | UF_UNUSED18 >> 16);
        }
    }
}

fn bones_with_resets(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.flags & UF_RESET != 0) {
        if let Some(third) = entry.flag_bytes.get(2) {
            packet.set(third, packet.value(third) | UF_UNUSED18 >> 16);
        }
    }
}

fn bit_31_leaks(packet: &mut Packet<'_>) {
    for entry in entries(packet) {
        if let Some(fourth) = entry.flag_bytes.get(3) {
            packet.set(fourth, packet.value(fourth) | UF_EXTEND4 >> 24);
        }
    }
}

fn bit_30_leaks(packet: &mut Packet<'_>) {
    for entry in entries(packet) {
        if let Some(fourth) = entry.flag_bytes.get(3) {
            packet.set(fourth, packet.value(fourth) | UF_UNUSED30 >> 24);
        }
    }
}

fn unknown_flags_ignored(packet: &mut Packet<'_>) {
    let unknown = [("UF flags 16-23", UF_UNUSED18 >> 16), ("UF flags 24-31", (UF_UNUSED30 | UF_EXTEND4) >> 24)];
    for (name, bits) in unknown {
        for byte in packet.fields(name).collect::<Vec<&Span>>() {
            packet.set(byte, packet.value(byte) & !bits);
        }
    }
}

fn unknown_flags_end_the_list(packet: &mut Packet<'_>) {
    let unknown = |name: &str, value: u64| match name {
        "UF flags 16-23" => value & UF_UNUSED18 >> 16 != 0,
        "UF flags 24-31" => value & (UF_UNUSED30 | UF_EXTEND4) >> 24 != 0,
        _ => false,
    };
    let spans = packet.spans;
    let Some(at) = spans.iter().position(|span| unknown(span.field, packet.value(span))) else { return };
    if let Some(index) = spans[..at].iter().rev().find(|span| span.field == "entity index") {
        packet.replace(index.start..packet.bytes.len(), &[0, 0]);
    }
}

/// The broken flags.
pub(in super::super) static MUTANTS: &[Mutant] = mutants! {
    server "extend-without-byte" DLT_01 "fte/delta-fields-alone":
        sends extend_without_byte, "sets EXTEND1 although no second flag byte follows";
    client "four-flag-bytes-always" DLT_01 "fte/delta-fields-together":
        receives four_flag_bytes_always, "always reads four flag bytes";
    client "third-byte-by-bit-7" DLT_01 "fte/delta-fields-together":
        receives third_byte_by_bit_7, "reads a third flag byte whenever there is a second";
    client "zero-flag-byte-is-data" DLT_02 "fte/flags-four-bytes":
        receives zero_flag_byte_is_data, "reads a zero flag byte as field data";
    client "zero-flag-byte-refused" DLT_02 "fte/flags-four-bytes":
        receives zero_flag_byte_refused, "rejects an update whose last flag byte is zero";
    server "data-without-flag" DLT_03 "fte/delta-fields-alone":
        sends data_without_flag, "writes a field without its flag";
    server "bones-for-everyone" DLT_24 "fte/delta-fields-alone":
        sends bones_for_everyone, "sets bit 18, which no negotiated extension defines";
    server "bones-with-resets" DLT_24 "fte/flags-four-bytes":
        sends bones_with_resets, "sets bit 18 in every update with RESET";
    server "bit-31-leaks" DLT_34 "fte/delta-fields-alone": sends bit_31_leaks, "sends its internal flag 31";
    server "bit-30-leaks" DLT_34 "fte/delta-fields-alone":
        sends bit_30_leaks, "sends its internal flag 30", "vkQuake 8b44233e";
    client "unknown-flags-ignored" DLT_35 "fte/flags-undefined":
        receives unknown_flags_ignored, "ignores undefined flags";
    client "unknown-flags-end-the-list" DLT_35 "fte/flags-undefined":
        receives unknown_flags_end_the_list, "treats an update with undefined flags as the end of the list";
};
