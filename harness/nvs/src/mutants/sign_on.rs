//! Servers that say new things before the client can read them.

use super::*;
use crate::requirements::*;
use crate::rules::{NewLevel, SignonForm, UntilSignon};

/// The sign-on, and the levels.
pub static MUTANTS: &[Mutant] = &[
    of_server("longer-baselines", &SIG_01, "nvs/sign-on-data", "adds the effects to baselines", |setup| {
        server_says(setup, |packet| {
            for group in packet.fields("svc_spawnbaseline") {
                packet.replace(group.end..group.end, &[0]);
            }
        })
    }),
    of_server(
        "sign-on-in-the-new-form",
        &SIG_03,
        "nvs/sign-on-data",
        "writes enhanced messages into the sign-on data in its own version's form",
        |setup| server_with(setup, Rules { signon_form: SignonForm::ServerLine, ..Rules::REFERENCE }),
    ),
    of_server(
        "new-form-at-once",
        &SIG_04,
        "nvs/window",
        "writes the new form from the request on, although the client reads it from the end of the sign-on data on",
        |setup| server_with(setup, Rules { until_signon: UntilSignon::AtOnce, ..Rules::REFERENCE }),
    )
    .same_bug_as("Engoo 198fb3c"),
    of_server(
        "sign-on-per-version",
        &SIG_05,
        "nvs/sign-on-data",
        "has other sign-on data for new clients than for old ones",
        |setup| server_with(setup, Rules { signon_form: SignonForm::PerVersion, ..Rules::REFERENCE }),
    ),
    of_server(
        "versions-of-the-level-before",
        &REQ_01,
        "nvs/level-change",
        "keeps a client's versions when a new level begins",
        |setup| {
            let (new_level, until_signon) = (NewLevel::Versions, UntilSignon::AtOnce);
            server_with(setup, Rules { new_level, until_signon, ..Rules::REFERENCE })
        },
    )
    .same_bug_as("Engoo 198fb3c"),
];
