//! How entities are numbered on the wire.

use super::section::{DELTAS, NUMBERS};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{must, must_not, should, should_not};

pub static ENT_01: Requirement =
    must("FTE-ENT-01", Both, NUMBERS, "wire").text("Regular entity numbers below 32768 are one plain 15-bit short.");

pub static ENT_02: Requirement = must("FTE-ENT-02", Both, NUMBERS, "wire: 32768, 40000, 4194303")
    .text("Regular numbers from 32768 use the extend bit and one extra byte (bit placement: dialect seed/built, E1).")
    .errata(
        "In the specification the short has the low 15 bits and the byte the rest; in engines the byte has the low 8 \
         bits (E1). An option says which of the two a run holds to; by default the engines'.",
    )
    .engines(
        "FTEQW, QuakeSpasm-Spiked and vkQuake agree against the specification; until d5a78dc7 QuakeSpasm-Spiked wrote \
         a plain short.",
    );

pub static ENT_03: Requirement = must("FTE-ENT-03", Both, NUMBERS, "wire: each svc with big number")
    .text(
        "All regular entity-number users (sounds, beams, view, tag, baseline2) switch to that coding once the \
         extension is on.",
    )
    .errata("The number of a baseline is only called an entity number; the regular coding is meant (E26).")
    .engines(
        "QuakeSpasm-Spiked c48936385a44 writes the number of a baseline as a plain short, which is wrong from 32768.",
    );

pub static ENT_04: Requirement = must_not("FTE-ENT-04", Both, NUMBERS, "wire: no-ext client, number >= 32768")
    .text("Switch that coding on without the extension.")
    .engines("FTEQW read the extended coding from clients without the extension, too, until 4757bd34c.");

pub static ENT_05: Requirement =
    must("FTE-ENT-05", Both, DELTAS, "wire").text("Delta index: bit15 remove, bit14 extended, low 14 bits number.");

pub static ENT_06: Requirement = must("FTE-ENT-06", Both, DELTAS, "wire: 16384, 20000, 4194303")
    .text("Extended index byte holds number bits 14-21.");

pub static ENT_07: Requirement =
    must("FTE-ENT-07", Server, DELTAS, "wire").text("Use the extended form for numbers >= 16384.");

pub static ENT_08: Requirement = must("FTE-ENT-08", Client, DELTAS, "state: extended 5 updates 5")
    .text("Accept the extended form for any number, including small ones.")
    .engines("FTEQW and QuakeSpasm-Spiked write it from 16384 only, and read it for any number.");

pub static ENT_09: Requirement =
    must("FTE-ENT-09", Both, DELTAS, "wire: length").text("A removed entity is index only: no flag bytes.");

pub static ENT_10: Requirement = must("FTE-ENT-10", Both, DELTAS, "wire")
    .text("Index 0 without remove ends the list with no flags.")
    .engines("Engines take the extended form of 0 for the end, too.");

pub static ENT_11: Requirement = must("FTE-ENT-11", Both, DELTAS, "state")
    .text("Index 0 with remove means discard every known entity, and the list continues.")
    .errata("Legal as the first entry only, in practice: in the middle of a list it discards what stood before (E22).");

pub static ENT_12: Requirement = must("FTE-ENT-12", Both, DELTAS, "state: 65536, 4194303")
    .text("Support numbers up to 2^22-1 (about 4 million).")
    .engines(
        "FTEQW's log of sent flags had 16-bit numbers until 8d5b21726: a loss above 65535 repaired another entity.",
    );

pub static ENT_13: Requirement = must_not("FTE-ENT-13", Both, DELTAS, "wire: entity 20000 vs tag 20000")
    .text("Confuse delta index coding with the regular coding.");

pub static ENT_14: Requirement = should_not("FTE-ENT-14", Server, NUMBERS, "wire")
    .text("Encode negative/special meanings in entity numbers.")
    .untestable(
        "the numbers in effects are the game's own; on the wire a negative one is a large one, of which some byte is \
         missing",
    );

pub static ENT_15: Requirement = should("FTE-ENT-15", Server, DELTAS, "wire")
    .text("List entities in ascending order in a message (built readers need it).")
    .errata("The specification does not speak of the order (E28).")
    .engines(
        "FTEQW's client merges a message into a sorted list, and loses or doubles entities out of order; \
         QuakeSpasm-Spiked indexes an array. Both write in ascending order.",
    );

pub(super) const ALL: &[&Requirement] = &[
    &ENT_01, &ENT_02, &ENT_03, &ENT_04, &ENT_05, &ENT_06, &ENT_07, &ENT_08, &ENT_09, &ENT_10, &ENT_11, &ENT_12,
    &ENT_13, &ENT_14, &ENT_15,
];
