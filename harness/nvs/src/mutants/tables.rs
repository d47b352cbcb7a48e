//! Servers that read their tables otherwise: which entry, which line, which writes.

use super::*;
use crate::requirements::*;
use crate::rules::{Absent, ClientLine, Counted, Flags, FormBy, Lookup, ServerLine, Sized};
use crate::tables::{Line, Tables};
use crate::version::Version;
use netquake::constants::{SVC_PARTICLE, TE_EXPLOSION};

/// Tables without their last lines.
fn without_last_lines(tables: &mut Tables) {
    for message in tables.messages_mut() {
        if message.lines.len() > 1 {
            message.lines.pop();
        }
    }
}

/// Tables whose flags end with the writes of their own version; behind them stands what happens to be there.
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
        |setup| server_says(setup, |packet| packet.fields("svc_damage").for_each(|group| packet.cut(group))),
    ),
    of_server(
        "one-table-for-effects",
        &TAB_02,
        "nvs/mixed-clients",
        "takes the table of explosions for every temporary entity",
        |setup| server_with(setup, Rules { lookup: Lookup::AnySub, ..Rules::REFERENCE }),
    ),
    of_server(
        "exact-client-line",
        &TAB_03,
        "nvs/between-lines",
        "knows a client's form only if a line has just its version",
        |setup| server_with(setup, Rules { client_line: ClientLine::Exact, ..Rules::REFERENCE }),
    ),
    of_server(
        "exact-server-line",
        &TAB_03,
        "nvs/server-between-lines",
        "knows its own form only if a line has just its version",
        |setup| server_with(setup, Rules { server_line: ServerLine::Exact, ..Rules::REFERENCE }),
    ),
    of_server(
        "sub-byte-not-counted",
        &TAB_04,
        "nvs/mixed-clients",
        "counts one write too few in messages with a sub byte",
        |setup| server_with(setup, Rules { counted: Counted::WithoutSub, ..Rules::REFERENCE }),
    ),
    of_server(
        "size-of-the-server",
        &TAB_05,
        "nvs/border-versions",
        "checks a broadcast's room by the size of its own version for all clients",
        |setup| server_with(setup, Rules { sized: Sized::ServerLine, ..Rules::REFERENCE }),
    ),
    of_server(
        "one-flag-for-all",
        &TAB_06,
        "nvs/scripted-forms",
        "takes a message's first flag for all of its writes",
        |setup| server_with(setup, Rules { flags: Flags::PerMessage, ..Rules::REFERENCE }),
    ),
    of_server("no-plain-line", &TAB_07, "nvs/below-the-line", "has tables that end before version 0.00", |setup| {
        server_with(setup, Rules { tables: without_last_lines, ..Rules::REFERENCE })
    }),
    of_server(
        "short-flags",
        &TAB_08,
        "nvs/mixed-clients",
        "has tables whose old lines have no flags for new writes",
        |setup| server_with(setup, Rules { tables: with_short_flags, ..Rules::REFERENCE }),
    ),
    of_server(
        "command-byte-of-nothing",
        &TAB_09,
        "nvs/tables-new-message",
        "sends the command byte of a message that does not exist in the client's version",
        |setup| server_with(setup, Rules { absent: Absent::CommandByte, ..Rules::REFERENCE }),
    ),
    of_server(
        "entry-by-service",
        &SEL_02,
        "nvs/two-effects",
        "looks for the service first, and takes what it finds for any of its sub messages",
        |setup| server_with(setup, Rules { lookup: Lookup::AnySub, ..Rules::REFERENCE }),
    ),
    of_server(
        "sub-byte-in-the-general-table",
        &SEL_03,
        "nvs/tables-same-number",
        "looks for the sub byte among the services",
        |setup| server_with(setup, Rules { lookup: Lookup::GeneralBySub, ..Rules::REFERENCE }),
    ),
    of_server(
        "older-server-line",
        &SEL_04,
        "nvs/three-messages",
        "writes what is older than its version, not what is as new",
        |setup| server_with(setup, Rules { server_line: ServerLine::Older, ..Rules::REFERENCE }),
    ),
    of_server(
        "newest-server-line",
        &SEL_04,
        "nvs/below-the-line-new-client",
        "writes the newest form, whatever its version, to clients that know it",
        |setup| {
            let (server_line, client_line) = (ServerLine::Newest, ClientLine::FromTop);
            server_with(setup, Rules { server_line, client_line, form_by: FormBy::Maximum, ..Rules::REFERENCE })
        },
    ),
    of_server(
        "older-client-line",
        &SEL_05,
        "nvs/exactly-at-a-line",
        "sends a client what is older than its version, not what is as new",
        |setup| server_with(setup, Rules { client_line: ClientLine::Older, ..Rules::REFERENCE }),
    ),
    of_server(
        "prefix-of-the-new-form",
        &T1_01,
        "nvs/three-messages",
        "sends the first writes, as many as the client's version has, whatever the flags",
        |setup| server_with(setup, Rules { flags: Flags::Prefix, ..Rules::REFERENCE }),
    ),
    of_server(
        "particles-of-sixty-four",
        &T2_01,
        "nvs/datagram-edge",
        "wants more room for particles than they take",
        |setup| server_with(setup, Rules { tables: with_large_particles, ..Rules::REFERENCE }),
    ),
    of_server(
        "colour-without-versions",
        &T3_01,
        "nvs/plain-progs",
        "sends explosions in colour although the mod knows no versions",
        |setup| server_with(setup, Rules { tables: with_colour_for_all, ..Rules::REFERENCE }),
    ),
    of_server(
        "colour-for-all",
        &T3_02,
        "nvs/three-messages",
        "sends explosions in colour to old clients, too",
        |setup| server_with(setup, Rules { tables: with_whole_explosions, ..Rules::REFERENCE }),
    ),
];
