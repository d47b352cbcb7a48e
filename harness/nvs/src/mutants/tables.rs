//! Servers that read their tables otherwise: which entry, which line, which writes.

use super::*;
use crate::preparation::{Init, Parties, Preparation, Terms};
use crate::requirements::*;
use crate::tables::{Line, Message, Tables};
use crate::version::Version;
use netquake::constants::{SVC_PARTICLE, SVC_TEMP_ENTITY, TE_EXPLOSION};

/// Prepares a message that the server writes by another line.
fn prepare_by(
    line: fn(&Message, Version) -> usize,
    preparation: &mut Preparation,
    init: Init,
    terms: &Terms<'_>,
    parties: &mut dyn Parties,
) {
    preparation.select(init, terms);
    if let Some(message) = preparation.listed(terms.tables) {
        preparation.write_by(line(message, terms.ssvc), terms.tables);
    }
    preparation.share_out(terms, parties);
}

/// The first line of a message, from `start` on, whose version is wanted; else the last.
fn first(message: &Message, start: usize, wanted: impl Fn(Version) -> bool) -> usize {
    let found = message.lines.iter().skip(start).position(|line| wanted(line.version));
    found.map_or(message.lines.len().saturating_sub(1), |behind| start + behind)
}

/// Counts one write too few of messages with a sub byte.
fn sub_byte_not_counted(preparation: &mut Preparation, init: Init, terms: &Terms<'_>, parties: &mut dyn Parties) {
    prepare(preparation, init, terms, parties);
    if preparation.listed(terms.tables).is_some_and(|message| message.sub.is_some()) {
        preparation.expect(preparation.remaining().saturating_sub(1));
    }
}

/// Tables in which the first message of a service stands for all of its sub messages.
fn with_one_effect(tables: &mut Tables) {
    let found = tables.messages().iter().find(|message| message.sub.is_some()).cloned();
    let all =
        found.into_iter().flat_map(|message| (0..=255).map(move |sub| Message { sub: Some(sub), ..message.clone() }));
    *tables = Tables::new(all.chain(tables.messages().iter().cloned()).collect());
}

/// Tables in which the sub byte of an effect finds the service of that number.
fn with_services_for_effects(tables: &mut Tables) {
    let general: Vec<Message> = tables.messages().iter().filter(|message| message.sub.is_none()).cloned().collect();
    let effects = general.iter().map(|found| Message { svc: SVC_TEMP_ENTITY, sub: Some(found.svc), ..found.clone() });
    *tables = Tables::new(effects.chain(general.iter().cloned()).collect());
}

/// Tables in which a message that does not exist in a version has its command byte.
fn with_command_bytes(tables: &mut Tables) {
    let lines = tables.messages_mut().iter_mut().flat_map(|message| &mut message.lines);
    for line in lines.filter(|line| line.writes == 0) {
        (line.writes, line.bytes) = (1, 1);
        line.conversion.iter_mut().take(1).for_each(|flag| *flag = true);
    }
}

/// Tables in which every version has the size of the newest.
fn with_newest_sizes(tables: &mut Tables) {
    for message in tables.messages_mut() {
        let newest = message.lines.first().map_or(0, |line| line.bytes);
        message.lines.iter_mut().for_each(|line| line.bytes = newest);
    }
}

/// Tables without their last lines.
fn without_last_lines(tables: &mut Tables) {
    for message in tables.messages_mut() {
        if message.lines.len() > 1 {
            message.lines.pop();
        }
    }
}

/// Tables whose flags end with the writes of their own version; after them stands what happens to be there.
fn with_short_flags(tables: &mut Tables) {
    for line in tables.messages_mut().iter_mut().flat_map(|message| &mut message.lines) {
        let writes = line.writes;
        line.conversion.iter_mut().skip(writes).for_each(|flag| *flag = true);
    }
}

/// Tables in which particles have the old margin for their size.
fn with_large_particles(tables: &mut Tables) {
    let particles = tables.messages_mut().iter_mut().filter(|message| message.svc == SVC_PARTICLE);
    particles.flat_map(|message| &mut message.lines).for_each(|line| line.bytes = 64);
}

/// Tables in which explosions have their colour in every version.
fn with_colour_for_all(tables: &mut Tables) {
    for message in tables.messages_mut().iter_mut().filter(|message| message.sub == Some(TE_EXPLOSION)) {
        let Some(newest) = message.lines.first().cloned() else { continue };
        message.lines = vec![Line { version: Version::PLAIN, ..newest }];
    }
}

/// Tables in which old clients get all of an explosion that the server writes.
fn with_whole_explosions(tables: &mut Tables) {
    let explosions = tables.messages_mut().iter_mut().filter(|message| message.sub == Some(TE_EXPLOSION));
    for line in explosions.flat_map(|message| &mut message.lines) {
        line.conversion.fill(true);
    }
}

/// Which entry, which line, which writes.
pub static MUTANTS: &[Mutant] = &[
    of_server(
        "drops-damage",
        &TAB_01,
        "nvs/three-messages",
        "does not send svc_damage, as no table lists it",
        |setup| server_says(setup, |packet| cut_all(packet, "svc_damage")),
    ),
    of_server(
        "one-table-for-effects",
        &TAB_02,
        "nvs/mixed-clients",
        "takes the table of explosions for every temporary entity",
        |setup| server_with(setup, |rules| rules.tables = with_one_effect),
    ),
    of_server(
        "exact-client-line",
        &TAB_03,
        "nvs/between-lines",
        "knows a client's form only if a line has just its version",
        |setup| {
            server_with(setup, |rules| {
                rules.preparation.client_line =
                    |message, start, versions| first(message, start, |of| of == versions.csvc)
            })
        },
    ),
    of_server(
        "exact-server-line",
        &TAB_03,
        "nvs/server-between-lines",
        "knows its own form only if a line has just its version",
        |setup| {
            server_with(setup, |rules| {
                rules.preparation.prepare = |it, init, terms, parties| {
                    prepare_by(|message, ssvc| first(message, 0, |of| of == ssvc), it, init, terms, parties)
                }
            })
        },
    ),
    of_server(
        "sub-byte-not-counted",
        &TAB_04,
        "nvs/mixed-clients",
        "counts one write too few in messages with a sub byte",
        |setup| server_with(setup, |rules| rules.preparation.prepare = sub_byte_not_counted),
    ),
    of_server(
        "size-of-the-server",
        &TAB_05,
        "nvs/border-versions",
        "checks a broadcast's room by the size of its own version for all clients",
        |setup| server_with(setup, |rules| rules.tables = with_newest_sizes),
    ),
    of_server(
        "one-flag-for-all",
        &TAB_06,
        "nvs/scripted-forms",
        "takes a message's first flag for all of its writes",
        |setup| {
            server_with(setup, |rules| {
                rules.preparation.converts = |message, line, _, dest| converts(message, line, 0, dest)
            })
        },
    ),
    of_server("no-plain-line", &TAB_07, "nvs/below-the-line", "has tables that end before version 0.00", |setup| {
        server_with(setup, |rules| rules.tables = without_last_lines)
    }),
    of_server(
        "short-flags",
        &TAB_08,
        "nvs/mixed-clients",
        "has tables whose old lines have no flags for new writes",
        |setup| server_with(setup, |rules| rules.tables = with_short_flags),
    ),
    of_server(
        "command-byte-of-nothing",
        &TAB_09,
        "nvs/tables-new-message",
        "sends the command byte of a message that does not exist in the client's version",
        |setup| server_with(setup, |rules| rules.tables = with_command_bytes),
    ),
    of_server(
        "entry-by-service",
        &SEL_02,
        "nvs/two-effects",
        "looks for the service first, and takes what it finds for any of its sub messages",
        |setup| server_with(setup, |rules| rules.tables = with_one_effect),
    ),
    of_server(
        "sub-byte-in-the-general-table",
        &SEL_03,
        "nvs/tables-same-number",
        "looks for the sub byte among the services",
        |setup| server_with(setup, |rules| rules.tables = with_services_for_effects),
    ),
    of_server(
        "older-server-line",
        &SEL_04,
        "nvs/three-messages",
        "writes what is older than its version, not what is as new",
        |setup| {
            server_with(setup, |rules| {
                rules.preparation.prepare = |it, init, terms, parties| {
                    prepare_by(|message, ssvc| first(message, 0, |of| of < ssvc), it, init, terms, parties)
                }
            })
        },
    ),
    of_server(
        "newest-server-line",
        &SEL_04,
        "nvs/below-the-line-new-client",
        "writes the newest form, whatever its version, to clients that know it",
        |setup| {
            server_with(setup, |rules| {
                rules.preparation.prepare = |it, init, terms, parties| prepare_by(|_, _| 0, it, init, terms, parties);
                rules.preparation.client_line = |message, _, versions| message.line_from(0, versions.cclc);
            })
        },
    ),
    of_server(
        "older-client-line",
        &SEL_05,
        "nvs/exactly-at-a-line",
        "sends a client what is older than its version, not what is as new",
        |setup| {
            server_with(setup, |rules| {
                rules.preparation.client_line =
                    |message, start, versions| first(message, start, |of| of < versions.csvc)
            })
        },
    ),
    of_server(
        "prefix-of-the-new-form",
        &T1_01,
        "nvs/three-messages",
        "sends the first writes, as many as the client's version has, whatever the flags",
        |setup| {
            server_with(setup, |rules| {
                rules.preparation.converts =
                    |message, line, write, _| message.lines.get(line).is_some_and(|line| write < line.writes)
            })
        },
    ),
    of_server(
        "particles-of-sixty-four",
        &T2_01,
        "nvs/datagram-edge",
        "wants more room for particles than they take",
        |setup| server_with(setup, |rules| rules.tables = with_large_particles),
    ),
    of_server(
        "colour-without-versions",
        &T3_01,
        "nvs/plain-progs",
        "sends explosions in colour although the mod knows no versions",
        |setup| server_with(setup, |rules| rules.tables = with_colour_for_all),
    ),
    of_server(
        "colour-for-all",
        &T3_02,
        "nvs/three-messages",
        "sends explosions in colour to old clients, too",
        |setup| server_with(setup, |rules| rules.tables = with_whole_explosions),
    ),
];
