//! Servers whose writes reach others than they should, and mods whose writes do.

use super::*;
use crate::constants::{MSG_ALL, MSG_BROADCAST};
use crate::preparation::{Init, Parties, Preparation, Terms};
use crate::requirements::*;

/// Prepares the first broadcast of a frame; what follows goes to the same clients, in the same way.
fn prepare_once(preparation: &mut Preparation, init: Init, terms: &Terms<'_>, parties: &mut dyn Parties) {
    let mut begun = false;
    parties.each(&mut |party| begun |= !party.outlet.datagram.is_empty());
    preparation.select(init, terms);
    if !begun {
        preparation.share_out(terms, parties);
    }
}

/// Prepares a message that is for all clients, whomever it names, unless its destination is BROADCAST.
fn reliable_to_all(preparation: &mut Preparation, init: Init, terms: &Terms<'_>, parties: &mut dyn Parties) {
    let only = init.only.filter(|_| init.dest == MSG_BROADCAST);
    prepare(preparation, Init { only, ..init }, terms, parties);
}

/// Expects as many writes as the newest version has.
fn count_newest(preparation: &mut Preparation, init: Init, terms: &Terms<'_>, parties: &mut dyn Parties) {
    prepare(preparation, init, terms, parties);
    if let Some(newest) = preparation.listed(terms.tables).and_then(|message| message.lines.first()) {
        preparation.expect(newest.writes);
    }
}

/// Sends a new client the reliable prints that others were sent.
fn fills_slots(setup: &Setup) -> Box<dyn Endpoint> {
    let mut prints: Vec<u8> = Vec::new();
    let mut clients: BTreeSet<HostId> = BTreeSet::new();
    server_says(setup, move |packet| {
        if let Some(info) = packet.fields("svc_serverinfo").next()
            && clients.insert(packet.client)
        {
            packet.replace(info.start..info.start, &prints);
        } else if clients.len() == 1 && !is_frame(packet) {
            let said = numbered_prints(packet).into_iter().flat_map(|print| packet.raw(print));
            prints.extend(said);
        }
    })
}

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

/// Puts a second copy of a message after it, if it stands in a frame.
fn twice(packet: &mut Packet<'_>, group: &Span) {
    if is_frame(packet) {
        packet.replace(group.end..group.end, packet.raw(group));
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
        "prepares the first broadcast of a frame, and sends what follows to the same clients in the same way",
        |setup| server_with(setup, |rules| rules.preparation.prepare = prepare_once),
    ),
    of_server("all-is-whole", &WR_02, "nvs/scripted-forms", "sends messages to ALL whole to every client", |setup| {
        server_with(setup, |rules| {
            rules.preparation.converts =
                |message, line, write, dest| dest == MSG_ALL || converts(message, line, write, dest)
        })
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
        server_with(setup, |rules| rules.preparation.prepare = reliable_to_all)
    }),
    of_server(
        "filled-slots",
        &WR_06,
        "nvs/late-joiners",
        "fills the buffers of free slots, too, and sends what is there to the client that takes one",
        fills_slots,
    ),
    of_server(
        "counts-the-newest",
        &WR_07,
        "nvs/below-the-line",
        "expects as many writes as the newest version has, and takes those of the next message for them",
        |setup| server_with(setup, |rules| rules.preparation.prepare = count_newest),
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
        |setup| server_with(setup, |rules| rules.preparation.client_line = |_, server_line, _| server_line),
    ),
    of_server(
        "holds-nothing-back",
        &DES_03,
        "nvs/scripted-forms",
        "sends what a mod writes as it is, and leaves it to the mod to care for old clients",
        |setup| server_with(setup, |rules| rules.preparation.client_line = |_, server_line, _| server_line),
    ),
    of_server(
        "quakec-past-nvs",
        &QC_01,
        "nvs/scripted-broadcast",
        "sends QuakeC's writes past NVS, all of them to all",
        |setup| server_with(setup, |rules| rules.diverts = |_| false),
    ),
    of_server(
        "shows-a-clients-version",
        &QC_02,
        "nvs/between-lines",
        "shows the first client's version in the world's nvs_svc",
        |setup| {
            server_with(setup, |rules| {
                rules.world_shows = |ssvc, sessions| sessions.first().map_or(ssvc, |session| session.versions.csvc);
            })
        },
    ),
    of_server(
        "always-diverted",
        &QC_03,
        "nvs/scripted-unprepared",
        "sends QuakeC's writes through NVS even after the end of a prepared message",
        |setup| server_with(setup, |rules| rules.diverts = |_| true),
    ),
    of_server(
        "angles-at-spawn-only",
        &T1_03,
        "nvs/three-messages",
        "turns a view in the reply to spawn alone",
        |setup| {
            server_says(setup, |packet| {
                if is_frame(packet) {
                    cut_all(packet, "svc_setangle");
                }
            })
        },
    ),
];
