//! Clients that read wrongly what the server rightly wrote.

use super::*;
use crate::requirements::*;
use crate::tables::{Message, Tables};
use crate::version::Version;
use kit::table::{float_bits, float_value};
use netquake::constants::{SVC_TEMP_ENTITY, TE_EXPLOSION};

/// None before a stage of the sign-on.
fn from_stage(stage: u8, signon: u8, version: Version) -> Version {
    if signon < stage { Version::PLAIN } else { version }
}

/// Rounds float angles to parts of a byte.
fn round_angles(packet: &mut Packet<'_>) {
    for field in packet.fields("fine angle") {
        let parts = (float_value(packet.value(field) as i32) * 256.0 / 360.0) as i32 as i8;
        packet.set(field, float_bits(f32::from(parts) * 360.0 / 256.0) as u32 as u64);
    }
}

/// Changes the table of explosions.
fn change_explosions(tables: &mut Tables, change: impl Fn(&mut Message)) {
    let explosion = |message: &&mut Message| message.svc == SVC_TEMP_ENTITY && message.sub == Some(TE_EXPLOSION);
    tables.messages_mut().iter_mut().filter(explosion).for_each(change);
}

/// Explosions have a colour in every version.
fn always_coloured(tables: &mut Tables) {
    change_explosions(tables, |message| {
        message.lines.truncate(1);
        message.lines.iter_mut().for_each(|line| line.version = Version::PLAIN);
    });
}

/// Explosions never have one.
fn never_coloured(tables: &mut Tables) {
    change_explosions(tables, |message| message.lines.drain(..message.lines.len().saturating_sub(1)).for_each(drop));
}

/// Clients that read wrongly.
pub(super) const MUTANTS: &[Mutant] = &[
    of_client("reads-by-ssvc", &CL_01, "nvs/angles", "reads by the server's version", |setup| {
        client_with(setup, |rules| rules.reads_by = |versions, signon| from_stage(2, signon, versions.ssvc))
    }),
    of_client("reads-by-maximum", &CL_01, "nvs/versions-switched-off", "reads by its own maximum", |setup| {
        client_with(setup, |rules| rules.reads_by = |_, signon| from_stage(2, signon, Version::NEWEST))
    }),
    of_client(
        "reads-new-forms-at-once",
        &SIG_02,
        "nvs/window",
        "reads new forms as soon as they are announced",
        |setup| client_with(setup, |rules| rules.reads_by = |versions, _| versions.csvc),
    ),
    of_client(
        "reads-new-forms-in-the-game",
        &CL_01,
        "nvs/angles",
        "reads old forms until the game begins: the answer to spawn, too",
        |setup| client_with(setup, |rules| rules.reads_by = |versions, signon| from_stage(3, signon, versions.csvc)),
    ),
    of_client(
        "reads-frames-of-the-level-before",
        &CL_01,
        "nvs/level-change-reorder",
        "takes frames for those of the level that it signs on to",
        |setup| client_with(setup, |rules| rules.takes = |_, _| true),
    ),
    of_client("rounds-angles", &T1_02, "nvs/angles", "rounds float angles to parts of a byte", |setup| {
        client_receives(setup, round_angles)
    }),
    of_client(
        "colours-of-every-version",
        &T3_03,
        "nvs/versions-switched-off",
        "expects the colour of an explosion whatever CSVC is",
        |setup| client_with(setup, |rules| rules.tables = always_coloured),
    ),
    of_client("colours-of-no-version", &T3_03, "nvs/limits", "expects no colour of an explosion", |setup| {
        client_with(setup, |rules| rules.tables = never_coloured)
    }),
];
