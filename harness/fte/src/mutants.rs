//! Broken twins of the reference: each differs in one of its [`Rules`], and one requirement's check must catch it.

use crate::client::Client;
use crate::constants::*;
use crate::delta::ENTITY_ROWS;
use crate::requirements::*;
use crate::rules::{AckOrder, AfterFull, Overflow, Resend, Rules};
use crate::sender;
use crate::server::Server;
use crate::state::{ALPHA, FIELDS, MODELINDEX2};
use kit::table::{Row, Table};
use kit::{Endpoint, Mutant, Requirement, Role, Setup};

/// The rows with one whose changes raise nothing.
const fn without_change(field: usize) -> [Row; FIELDS] {
    let mut rows = ENTITY_ROWS;
    let mut row = 0;
    while row < rows.len() {
        if rows[row].field == field {
            rows[row].raise = 0;
        }
        row += 1;
    }
    rows
}

static NO_MODELINDEX2: Table = Table::new("entity update", &const { without_change(MODELINDEX2) });
static NO_ALPHA: Table = Table::new("entity update", &const { without_change(ALPHA) });

fn server(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Server::new(setup, rules))
}

fn client(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Client::new(setup, rules))
}

const fn mutant(
    name: &'static str,
    caught_by: &'static Requirement,
    role: Role,
    scenario: &'static str,
    differs: &'static str,
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Mutant {
    Mutant { name, caught_by, role, differs, scenario, build }
}

/// The broken twins.
pub static MUTANTS: &[Mutant] = &[
    mutant(
        "reset-never-repaired",
        &RST_07,
        Role::Server,
        "fte/reset-lost-first",
        "sends RESET once and does not log it, so that a lost one is repaired as a plain update",
        |setup| {
            let logged = !(UF_RESET as u32);
            server(setup, Rules { reset_copies: 1, logged, ..Rules::REFERENCE })
        },
    ),
    mutant(
        "log-ring-of-32",
        &HIST_06,
        Role::Server,
        "fte/history-outage-s2c",
        "keeps 32 frames of history and overwrites older ones without a thought",
        |setup| server(setup, Rules { log_frames: 32, overflow: Overflow::Forget, ..Rules::REFERENCE }),
    ),
    mutant(
        "history-overwritten",
        &HIST_06,
        Role::Server,
        "fte/history-overwritten-frame",
        "uses a frame's place in history again without caring what became of the frame",
        |setup| server(setup, Rules { overflow: Overflow::Forget, ..Rules::REFERENCE }),
    ),
    mutant(
        "nothing-logged",
        &HIST_02,
        Role::Server,
        "fte/delta-loss",
        "logs removes and resets, but no fields",
        |setup| {
            let logged = sender::REMOVE | UF_RESET as u32;
            server(setup, Rules { logged, ..Rules::REFERENCE })
        },
    ),
    mutant(
        "remove-not-logged",
        &RMV_05,
        Role::Server,
        "fte/remove-lost",
        "does not log removes, so that a lost one is never repeated",
        |setup| server(setup, Rules { logged: !sender::REMOVE, ..Rules::REFERENCE }),
    ),
    mutant(
        "stale-resends",
        &DLT_37,
        Role::Server,
        "fte/delta-loss",
        "sends lost fields again with the values of the frame before",
        |setup| server(setup, Rules { resend: Resend::Previous, ..Rules::REFERENCE }),
    ),
    mutant(
        "modelindex2-not-compared",
        &DLT_32,
        Role::Server,
        "fte/delta-fields-alone",
        "misses changes of the second model",
        |setup| server(setup, Rules { table: &NO_MODELINDEX2, ..Rules::REFERENCE }),
    ),
    mutant("alpha-not-compared", &DLT_39, Role::Server, "fte/delta-fields-alone", "misses changes of alpha", |setup| {
        server(setup, Rules { table: &NO_ALPHA, ..Rules::REFERENCE })
    }),
    mutant(
        "restarts-when-full",
        &OVF_03,
        Role::Server,
        "fte/overflow-crowd",
        "begins every frame at the lowest entity, also after a full one",
        |setup| server(setup, Rules { after_full: AfterFull::Restart, ..Rules::REFERENCE }),
    ),
    mutant(
        "acks-descending",
        &ACK_06,
        Role::Client,
        "fte/ack-batched",
        "acknowledges the newest frame first",
        |setup| client(setup, Rules { ack_order: AckOrder::Descending, ..Rules::REFERENCE }),
    ),
];
