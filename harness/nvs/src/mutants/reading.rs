//! Clients that read wrongly what the server rightly wrote.

use super::{client_with, of_client};
use crate::requirements::*;
use crate::rules::*;
use crate::tables::{Message, Tables};
use crate::version::Version;
use kit::Mutant;
use netquake::constants::{SVC_TEMP_ENTITY, TE_EXPLOSION};

/// Changes the table of explosions.
fn change_explosions(tables: &mut Tables, change: impl Fn(&mut Message)) {
    let mut messages = tables.messages().to_vec();
    messages
        .iter_mut()
        .filter(|message| message.svc == SVC_TEMP_ENTITY && message.sub == Some(TE_EXPLOSION))
        .for_each(change);
    *tables = Tables::new(messages);
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
        client_with(setup, Rules { reads_by: ReadsBy::Ssvc, ..Rules::REFERENCE })
    }),
    of_client("reads-by-maximum", &CL_01, "nvs/versions-switched-off", "reads by its own maximum", |setup| {
        client_with(setup, Rules { reads_by: ReadsBy::Maximum, ..Rules::REFERENCE })
    }),
    of_client(
        "reads-new-forms-at-once",
        &SIG_02,
        "nvs/window",
        "reads new forms as soon as it is told of them",
        |setup| client_with(setup, Rules { reads_from: 0, ..Rules::REFERENCE }),
    ),
    of_client(
        "reads-new-forms-in-the-game",
        &CL_01,
        "nvs/angles",
        "reads old forms until the game begins: the answer to spawn, too",
        |setup| client_with(setup, Rules { reads_from: 3, ..Rules::REFERENCE }),
    ),
    of_client("rounds-angles", &T1_02, "nvs/angles", "rounds float angles to parts of a byte", |setup| {
        client_with(setup, Rules { takes_angles: TakesAngles::Rounded, ..Rules::REFERENCE })
    }),
    of_client(
        "colours-of-every-version",
        &T3_03,
        "nvs/versions-switched-off",
        "expects the colour of an explosion whatever CSVC is",
        |setup| client_with(setup, Rules { tables: always_coloured, ..Rules::REFERENCE }),
    ),
    of_client("colours-of-no-version", &T3_03, "nvs/limits", "expects no colour of an explosion", |setup| {
        client_with(setup, Rules { tables: never_coloured, ..Rules::REFERENCE })
    }),
];
