//! Servers whose writes reach others than they should, and mods whose writes do.

use super::*;
use crate::requirements::*;
use crate::rules::{Angles, ClientLine, Counted, Diverted, Flags, Newcomer, Prepared, Reach, WorldShows};
use kit::Span;

/// Puts the colour of explosions before the last part of their origin.
fn colour_in_the_middle(packet: &mut Packet<'_>) {
    for group in packet.fields("svc_temp_entity") {
        let inside = |name: &'static str| packet.inside(group).filter(move |span| span.field == name);
        let (Some(last), Some(first), Some(end)) =
            (inside("origin").nth(2), inside("explosion color").next(), inside("explosion color").last())
        else {
            continue;
        };
        let color = packet.bytes.get(first.start..end.end).unwrap_or_default();
        let swapped = [color, packet.raw(last)].concat();
        packet.replace(last.start..end.end, &swapped);
    }
}

/// Puts a second copy of a message behind it, if it stands in a frame.
fn twice(packet: &mut Packet<'_>, group: &Span) {
    if packet.fields("svc_time").next().is_some() && packet.fields("svc_signonnum").next().is_none() {
        let copy = packet.raw(group);
        packet.replace(group.end..group.end, copy);
    }
}

/// Adds zeros to a print at the end of a packet.
fn padded(packet: &mut Packet<'_>) {
    let end = packet.bytes.len();
    if packet.fields("svc_print").any(|group| group.end == end) {
        packet.replace(end..end, &[0; 4]);
    }
}

/// Who gets what.
pub static MUTANTS: &[Mutant] = &[
    of_server(
        "prepared-once",
        &WR_01,
        "nvs/two-in-a-row",
        "prepares the first message of a frame, and sends the others to the same clients in the same way",
        |setup| server_with(setup, Rules { prepared: Prepared::OncePerFrame, ..Rules::REFERENCE }),
    ),
    of_server("all-is-whole", &WR_02, "nvs/scripted-forms", "sends messages to ALL whole to every client", |setup| {
        server_with(setup, Rules { flags: Flags::AllIsWhole, ..Rules::REFERENCE })
    }),
    of_server(
        "colour-in-the-middle",
        &WR_03,
        "nvs/three-messages",
        "writes the colour of an explosion before its origin is complete",
        |setup| server_says(setup, colour_in_the_middle),
    ),
    of_server(
        "a-copy-for-another",
        &WR_04,
        "nvs/three-messages",
        "writes a message into a buffer of its own twice, as there are two clients that it could be for",
        |setup| server_says(setup, |packet| packet.fields("svc_setangle").for_each(|group| twice(packet, group))),
    ),
    of_server("one-is-all", &WR_05, "nvs/scripted-forms", "sends messages to ONE to all clients", |setup| {
        server_with(setup, Rules { one: Reach::All, ..Rules::REFERENCE })
    }),
    of_server(
        "filled-slots",
        &WR_06,
        "nvs/late-joiners",
        "fills the buffers of free slots, too, and sends what is there to the client that takes one",
        |setup| server_with(setup, Rules { newcomer: Newcomer::OfItsSlot, ..Rules::REFERENCE }),
    ),
    of_server(
        "counts-the-newest",
        &WR_07,
        "nvs/below-the-line",
        "expects as many writes as the newest version has, and takes those of the next message for them",
        |setup| server_with(setup, Rules { counted: Counted::NewestLine, ..Rules::REFERENCE }),
    ),
    of_server(
        "padded-prints",
        &DES_01,
        "nvs/mixed-clients",
        "fills prints up with zeros to a size that it takes them to have",
        |setup| server_says(setup, padded),
    ),
    of_server(
        "newer-line-for-older",
        &DES_02,
        "nvs/tables-third-line",
        "sends clients of a version between two lines the newer one's form",
        |setup| server_with(setup, Rules { client_line: ClientLine::ServerLine, ..Rules::REFERENCE }),
    ),
    of_server(
        "holds-nothing-back",
        &DES_03,
        "nvs/scripted-forms",
        "sends what a mod writes as it is, and leaves it to the mod to care for old clients",
        |setup| server_with(setup, Rules { client_line: ClientLine::ServerLine, ..Rules::REFERENCE }),
    ),
    of_server(
        "quakec-past-nvs",
        &QC_01,
        "nvs/scripted-broadcast",
        "sends QuakeC's writes past NVS, all of them to all",
        |setup| server_with(setup, Rules { diverted: Diverted::Never, ..Rules::REFERENCE }),
    ),
    of_server(
        "shows-a-clients-version",
        &QC_02,
        "nvs/between-lines",
        "shows the first client's version in the world's nvs_svc",
        |setup| server_with(setup, Rules { world_shows: WorldShows::FirstClient, ..Rules::REFERENCE }),
    ),
    of_server(
        "always-diverted",
        &QC_03,
        "nvs/scripted-unprepared",
        "sends QuakeC's writes through NVS even behind the end of a prepared message",
        |setup| server_with(setup, Rules { diverted: Diverted::Always, ..Rules::REFERENCE }),
    ),
    of_server(
        "angles-at-spawn-only",
        &T1_03,
        "nvs/three-messages",
        "turns a view in the reply to spawn alone",
        |setup| server_with(setup, Rules { angles: Angles::SpawnOnly, ..Rules::REFERENCE }),
    ),
];
