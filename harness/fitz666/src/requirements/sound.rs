//! Sounds.

use super::section::{BASE, OVERVIEW, SOUND};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::must;

pub static SND_01: Requirement = must("FITZ-SND-01", Server, SOUND, "wire: entity and channel against the world")
    .text("A sound of an entity above 8191 has LARGEENTITY: entity as a short, channel as a byte.")
    .errata("The heading has it above 8192, the text above 8191 (E13). Channels above 7 need it, too (E5).")
    .engines("QuakeSpasm-Spiked sends such sounds only to clients with FTE extensions; vkQuake sends them.");

pub static SND_02: Requirement = must("FITZ-SND-02", Server, SOUND, "wire: sound against the world")
    .text("A sound with a number above 255 has LARGESOUND: the number as a short.")
    .engines("QuakeSpasm-Spiked sends such sounds only to clients with FTE extensions; vkQuake sends them.");

pub static SND_03: Requirement =
    must("FITZ-SND-03", Client, SOUND, "state: sounds played, and what follows them in the datagram")
        .text("Sounds with either, both or none of LARGEENTITY and LARGESOUND are read.");

pub static SND_04: Requirement =
    must("FITZ-SND-04", Both, BASE, "wire: values against the world; state: sounds played")
        .text("A sound has mask, volume, attenuation, entity and channel, number and origin, in this order.");

pub static SND_05: Requirement = must("FITZ-SND-05", Client, OVERVIEW, "state: entity of a sound from 32768 on")
    .text("The entity of a sound with LARGEENTITY is an unsigned short.");
