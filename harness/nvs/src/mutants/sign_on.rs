//! Servers that say new things before the client can read them.

use super::*;
use crate::constants::MSG_INIT;
use crate::requirements::*;
use netquake::constants::TE_EXPLOSION;

/// Versions hold over a change of level, and before the sign-on data, too.
pub fn keep_versions(rules: &mut ServerRules) {
    rules.void = |session| session.signed_on = true;
    rules.in_force = |session| session.versions;
}

/// Adds a colour to explosions among the sign-on data of a client of the new version.
fn coloured_sign_on(setup: &Setup) -> Box<dyn Endpoint> {
    let mut enhanced: BTreeSet<HostId> = BTreeSet::new();
    server_says(setup, move |packet| {
        if packet.fields("csvc").any(|field| f32::from_bits(packet.value(field) as u32) >= 0.5) {
            enhanced.insert(packet.client);
        }
        if end_of_stage(packet, 2).is_none() || !enhanced.contains(&packet.client) {
            return;
        }
        for group in packet.fields("svc_temp_entity") {
            if packet.raw(group).get(1) == Some(&TE_EXPLOSION) {
                packet.replace(group.end..group.end, &[8, 0, 4, 0, 2, 0, 7, 0]);
            }
        }
    })
}

/// The sign-on, and the levels.
pub static MUTANTS: &[Mutant] = &[
    of_server("longer-baselines", &SIG_01, "nvs/sign-on-data", "adds the effects to baselines", |setup| {
        server_says(setup, |packet| {
            for group in packet.fields("svc_spawnbaseline") {
                packet.replace(group.end..group.end, &[0]);
            }
        })
    }),
    of_server("longer-statics", &SIG_01, "nvs/sign-on-data", "adds the effects to statics", |setup| {
        server_says(setup, |packet| {
            for group in packet.fields("svc_spawnstatic") {
                packet.replace(group.end..group.end, &[0]);
            }
        })
    }),
    of_server(
        "shorter-ambient-sounds",
        &SIG_01,
        "nvs/sign-on-data",
        "leaves attenuation out of ambient sounds",
        |setup| {
            server_says(setup, |packet| {
                for group in packet.fields("svc_spawnstaticsound") {
                    packet.replace(group.end - 1..group.end, &[]);
                }
            })
        },
    ),
    of_server("no-music", &SIG_01, "nvs/sign-on-data", "sends no track when a level begins", |setup| {
        server_says(setup, |packet| cut_all(packet, "svc_cdtrack"))
    }),
    of_server("no-time-at-spawn", &TAB_01, "nvs/sign-on-data", "sends no time in the answer to spawn", |setup| {
        server_says(setup, |packet| {
            if end_of_stage(packet, 3).is_some() {
                cut_all(packet, "svc_time");
            }
        })
    }),
    of_server("slow-clock", &TAB_01, "nvs/sign-on-data", "has its time pass half as fast", |setup| {
        server_says(setup, |packet| {
            for field in packet.fields("time") {
                let slow = f32::from_bits(packet.value(field) as u32) / 2.0;
                packet.set(field, slow.to_bits().into());
            }
        })
    }),
    of_server(
        "sign-on-in-the-new-form",
        &SIG_03,
        "nvs/sign-on-data",
        "writes enhanced messages into the sign-on data in its own version's form",
        |setup| {
            server_with(setup, |rules| {
                rules.preparation.converts =
                    |message, line, write, dest| converts(message, if dest == MSG_INIT { 0 } else { line }, write, dest)
            })
        },
    ),
    of_server(
        "new-form-at-once",
        &SIG_04,
        "nvs/window",
        "writes the new form from the request on, although the client reads it from the end of the sign-on data on",
        |setup| server_with(setup, |rules| rules.in_force = |session| session.versions),
    )
    .same_bug_as("Engoo 198fb3c"),
    of_server(
        "sign-on-per-version",
        &SIG_05,
        "nvs/sign-on-data",
        "has other sign-on data for new clients than for old ones",
        coloured_sign_on,
    ),
    of_server(
        "versions-of-the-level-before",
        &REQ_01,
        "nvs/level-change",
        "keeps a client's versions when a new level begins",
        |setup| server_with(setup, keep_versions),
    )
    .same_bug_as("Engoo 198fb3c"),
];
