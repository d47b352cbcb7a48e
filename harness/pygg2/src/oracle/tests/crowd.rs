//! So many players join at once that the server has more for some than a packet holds: it drops them without notice,
//! and lets them in again when their hello comes again.

use super::*;
use crate::constants::HELLO_US;
use crate::dissector::Pygg2Dissector;
use kit::{Direction, Knowledge, Mutant, Tampered, Vantage};
use testkit::explore::takes_all;

/// Players of one name, of whom some live, on links that lose a little.
fn crowd(players: u16, seed: u64) -> Run {
    let mut run = Run::new(players).seed(seed).option("max_players", 64).links(|link| {
        link.loss_ppm = 30_000;
        link.jitter_us = 20_000;
    });
    for player in [1, 2, 9, 12] {
        run = run.at(0, 0, Command::Baseline { entity: player, field: ALIVE, value: 1 });
    }
    // Half of them come later, all at once, and some leave and come back.
    run.commands.retain(|(_, host, command)| host.0 % 2 == 0 || *command != Command::Connect);
    for host in (1..=players).step_by(2) {
        run = run.at(1_500, host, Command::Connect);
    }
    for step in 0..8 {
        run = run.verb(2_000 + 700 * step, 0, VERB_COMPLETE_UPDATE, &[0]);
        run = run.verb(2_100 + 600 * step, 2 + step as u16, VERB_INPUT, &[0x02, 16_384]);
    }
    run
}

fn seen_from(mut run: Run, vantage: Vantage) -> Run {
    run.setup.vantage = vantage;
    if vantage.remote_server {
        run.setup.knowledge = Knowledge::Wire;
    }
    run
}

#[test]
fn who_is_thrown_out_and_comes_back_is_judged_anew_from_everywhere() {
    let vantages = [Vantage::OF_CLIENT, Vantage::OF_SERVER, Vantage::BETWEEN, Vantage::default()];
    let crowds = vantages.into_iter().flat_map(|vantage| [(vantage, 60, 3), (vantage, 48, 2), (vantage, 40, 1)]);
    let step = if takes_all() { 1 } else { 2 };
    for (vantage, players, seed) in crowds.step_by(step) {
        let run = seen_from(crowd(players, seed), vantage);
        let oracle = run.judge();
        assert_eq!(show(oracle.findings()), "", "{vantage:?}, {players} players");
        assert!(oracle.covered().iter().any(|row| row.id == "GG2-ROB-04"), "nobody was dropped");
    }
}

/// Whether a server is found at the requirement in a crowd.
fn finds(name: &str, vantage: Vantage) -> bool {
    let mutant: &Mutant = PROTOCOL.mutants().find(|mutant| mutant.name == name).expect("a mutant");
    let oracle = seen_from(crowd(48, 1), vantage).judge_with(Some(mutant.replacement));
    oracle.findings().iter().any(|finding| finding.suspects.contains(mutant.caught_by))
}

#[test]
fn broken_servers_are_found_in_a_crowd() {
    for name in ["living-only", "newcomer-missing", "hi-last", "greets-once", "newest-event-only"] {
        assert!(finds(name, Vantage::OF_SERVER), "{name} at the server");
    }
    for name in ["newcomer-missing", "hi-last", "greets-once"] {
        assert!(finds(name, Vantage::OF_CLIENT), "{name} at the clients");
    }
}

#[test]
fn who_is_let_in_before_the_server_speaks_is_told_of_the_world_of_that_moment() {
    let late = PROTOCOL.variants().find(|variant| variant.name == "events-with-snapshots").expect("a variant");
    for seed in 1..4 {
        // The client's hi is lost; before it asks again, the server has too much for it, and drops it, which nobody is told.
        let lost = |link: &mut Link| link.outages.push((Time::ZERO, Time(HELLO_US * 9 / 10)));
        let mut run = Run::new(1).seed(seed).option("tick_us", 200_000).way(1, Direction::ServerToClient, lost);
        for bot in 2..13 {
            run = run.at(0, 0, Command::Spawn { entity: bot }).set(0, bot, ALIVE, 1);
        }
        for _ in 0..4 {
            run = run.verb(450, 0, VERB_COMPLETE_UPDATE, &[1]);
        }
        // Whatever a moment is, something is new in it.
        for step in 0..1_500 {
            let (ms, player) = (500 + step, 1 + (step % 12) as u32);
            run = run.set(ms, player, X, 1_000 + step as i32).set(ms, player, SENTRY, (step / 36 % 2) as i32);
            run = run.set(ms, player, KILLS, step as i32).set(ms, 13 - player, CLASS, (step / 240 % 10) as i32);
        }
        let oracle = run.judge_with(Some(late.replacement));
        assert_eq!(show(oracle.findings()), "", "seed {seed}");
        assert_eq!(oracle.remarks(), [""; 0], "it is not judged");
    }
}

/// One client, whose first answers get lost: it repeats its hello.
fn hello_repeated(vantage: Vantage) -> Run {
    let lost = |link: &mut Link| link.outages.push((Time::ZERO, Time(2 * HELLO_US + HELLO_US / 2)));
    seen_from(Run::new(2).busy().way(1, Direction::ServerToClient, lost), vantage)
}

#[test]
fn a_server_that_greets_again_or_counts_anew_in_the_same_session_is_found() {
    let found = |run: Run, replacement: Replacement, requirement: &str| {
        let oracle = run.judge_with(Some(replacement));
        let found = oracle.findings().iter().any(|finding| finding.requirement().id == requirement);
        assert!(found, "{requirement}: {}", show(oracle.findings()));
    };
    let counts_anew = |setup: &Setup| -> Box<dyn Endpoint> {
        let server = Box::new(Server::new(setup, Rules::REFERENCE.server, Rules::REFERENCE.latitude));
        let dissector = Box::new(Pygg2Dissector::new(Some(setup)));
        Box::new(Tampered::new(server, setup.host, dissector, |_| {}).outgoing(|packet| {
            for field in ["sequence", "delta_sequence"] {
                let Some(span) = packet.fields(field).next() else { return };
                let number = packet.raw(span).iter().fold(0, |value, &byte| value << 8 | u16::from(byte));
                if number > 60 {
                    packet.replace(span.start..span.end, &(number - 60).to_be_bytes());
                }
            }
        }))
    };
    let counts_anew = Replacement { role: Role::Server, build: counts_anew };
    for vantage in [Vantage::OF_CLIENT, Vantage::OF_SERVER, Vantage::BETWEEN] {
        let greets = PROTOCOL.mutants().find(|mutant| mutant.name == "second-player").expect("a mutant");
        found(hello_repeated(vantage), greets.replacement, "GG2-HS-09");
        found(hello_repeated(vantage), counts_anew, "GG2-SEQ-01");
        assert_eq!(show(hello_repeated(vantage).judge().findings()), "");
    }
}
