//! What PREDINFO changes beside the pred block.

use super::edits::*;
use kit::{Mutant, Packet, Span};

fn movement_behind_time(packet: &mut Packet<'_>) {
    for time in packet.fields("servertime").collect::<Vec<&Span>>() {
        exchange_with_previous(packet, time, "movement sequence");
    }
}

fn move_sequence_behind_time(packet: &mut Packet<'_>) {
    for time in packet.fields("time").collect::<Vec<&Span>>() {
        exchange_with_previous(packet, time, "movement sequence");
    }
}

fn moves_uncounted(packet: &mut Packet<'_>) {
    for sequence in packet.fields("movement sequence").collect::<Vec<&Span>>() {
        packet.set(sequence, 7);
    }
}

fn move_angles_of_8_bits(packet: &mut Packet<'_>) {
    for angle in packet.fields("view angle").collect::<Vec<&Span>>() {
        packet.replace(angle.start + 1..angle.end, &[]);
    }
}

/// The broken predictions.
pub(in super::super) static MUTANTS: &[Mutant] = mutants! {
    server "movement-after-time" PRED_09 "fte/movement-wrap":
        sends movement_behind_time, "writes the movement sequence after the server time";
    client "move-sequence-after-time" PRED_09 "fte/movement-wrap":
        sends move_sequence_behind_time, "writes a move's sequence after its time";
    client "moves-uncounted" PRED_09 "fte/movement-clean": sends moves_uncounted, "gives every move the same number";
    client "move-angles-of-8-bits" PRED_15 "fte/movement-wrap":
        sends move_angles_of_8_bits, "writes a move's angles as bytes";
};
