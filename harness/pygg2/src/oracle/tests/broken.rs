//! Broken halves: found, at the requirement that they break, and nowhere else where that can be told.

use super::*;
use crate::rules::*;
use crate::serial::greater;

const SERVER: ServerRules = ServerRules::REFERENCE;
const CLIENT: ClientRules = ClientRules::REFERENCE;

fn with_server(server: ServerRules) -> Run {
    Run { server: Rules::of_server(server), ..Run::new(2).busy() }
}

fn with_client(client: ClientRules) -> Run {
    Run { client: Rules::of_client(client), ..Run::new(2).busy() }
}

/// Everything found is a violation of `id`.
#[track_caller]
fn check_only(run: Run, id: &str) {
    let oracle = run.judge();
    let others: Vec<Finding> =
        oracle.findings().iter().filter(|finding| finding.requirement().id != id).cloned().collect();
    assert!(!oracle.findings().is_empty(), "nothing is found");
    assert_eq!(show(&others), "", "beside {id}");
}

fn late(link: &mut Link) {
    (link.reorder_ppm, link.reorder_us) = (300_000, 130_000);
}

#[test]
fn what_a_server_does_wrong_with_snapshots_is_found_and_nothing_else() {
    check_only(with_server(ServerRules { snapshots: Snapshots::WhenChanged, ..SERVER }), "GG2-SNAP-01");
    check_only(with_server(ServerRules { own_body: false, ..SERVER }), "GG2-SNAP-03");
    check_only(with_server(ServerRules { dead_bodies: true, ..SERVER }), "GG2-SNAP-04");
    check_only(with_server(ServerRules { speeds: Speeds::Magnitude, ..SERVER }), "GG2-BASE-04");
}

#[test]
fn a_server_that_refuses_and_lets_in_is_found() {
    let refusals = Refusals { lets_in: true, ..SERVER.refusals };
    let server = Rules::of_server(ServerRules { refusals, ..SERVER });
    check_found(Run { server, ..Run::new(3).option("max_players", 1) }, "GG2-HS-04");
    let mut run = Run { server, ..Run::new(2).option("wrong_password", 0b10) };
    run.setup.texts[0] = "secret".into();
    check_found(run, "GG2-HS-03");
}

#[test]
fn what_a_server_does_wrong_with_events_is_found_and_nothing_else() {
    check_only(with_server(ServerRules { event_delay_ticks: 2, ..SERVER }), "GG2-EVT-01");
    check_only(with_server(ServerRules { to_originator: false, ..SERVER }), "GG2-EVT-10");
    check_only(with_server(ServerRules { forgotten: Forgotten::Never, ..SERVER }), "GG2-EVT-05");
}

#[test]
fn which_event_is_missing_tells_what_is_wrong_with_the_buffer() {
    let outage = |run: Run, direction| {
        run.way(1, direction, |link| link.outages.push((Time::from_ms(2_000), Time::from_ms(4_000))))
    };
    let c2s = kit::Direction::ClientToServer;
    check_found(with_server(ServerRules { repeats: Repeats::Newest, ..SERVER }), "GG2-EVT-03");
    check_found(with_server(ServerRules { forgotten: Forgotten::All, ..SERVER }), "GG2-EVT-05");
    check_found(outage(with_server(ServerRules { forgotten: Forgotten::ByAnybody, ..SERVER }), c2s), "GG2-EVT-02");
    let mut alone = Run {
        server: Rules::of_server(ServerRules { forgotten: Forgotten::After(500_000), ..SERVER }),
        ..Run::new(1).busy()
    };
    alone = outage(alone, c2s);
    check_found(alone, "GG2-EVT-06");
}

#[test]
fn what_a_server_does_wrong_with_bases_is_found() {
    check_only(with_server(ServerRules { base: BaseRule::First, ..SERVER }), "GG2-ACK-05");
    check_found(with_server(ServerRules { base: BaseRule::LastSent, ..SERVER }), "GG2-DLT-03");
    check_found(with_server(ServerRules { base: BaseRule::AnyPacket, ..SERVER }), "GG2-DLT-10");
    check_found(with_server(ServerRules { base_name: BaseName::LastSent, ..SERVER }), "GG2-DLT-02");
    check_found(with_server(ServerRules { base_name: BaseName::ZeroForNone, ..SERVER }), "GG2-DLT-06");
    check_found(with_server(ServerRules { xors_events: true, ..SERVER }), "GG2-DLT-09");
    check_found(with_server(ServerRules { cut_to_base: true, ..SERVER }), "GG2-DLT-08");
}

#[test]
fn what_a_client_does_wrong_is_found() {
    check_only(with_client(ClientRules { applies_once: false, ..CLIENT }), "GG2-EVT-07");
    check_only(with_client(ClientRules { repeats_events: false, ..CLIENT }), "GG2-EVT-09");
    check_only(with_client(ClientRules { ack: AckRule::OnChange, ..CLIENT }), "GG2-ACK-02");
    check_found(with_client(ClientRules { ack: AckRule::Counted, ..CLIENT }).links(late), "GG2-ACK-01");
    check_found(with_client(ClientRules { late: Late::Acknowledged, ..CLIENT }).links(late), "GG2-ACK-03");
    check_found(with_client(ClientRules { late: Late::Taken, ..CLIENT }).links(late), "GG2-SEQ-03");
    check_found(
        with_client(ClientRules { events_first: false, ..CLIENT }).links(|link| link.loss_ppm = 200_000),
        "GG2-EVT-08",
    );
    check_found(
        with_client(ClientRules { most_buffered: 1, ..CLIENT }).links(|link| link.latency_us = 200_000),
        "GG2-DLT-04",
    );
}

#[test]
fn plain_comparison_of_numbers_is_found_at_the_wrap_alone() {
    let runs = || {
        [
            with_server(ServerRules { newer: greater, ..SERVER }),
            with_server(ServerRules { event_newer: greater, ..SERVER }),
            with_client(ClientRules { newer: greater, ..CLIENT }),
        ]
    };
    for run in runs() {
        check_passes(run, &[]);
    }
    for run in runs() {
        let mut run = run.option("first_sequence", 65_480).option("first_client_sequence", 65_490);
        for step in 0..200 {
            run = run.set(1_000 + 15 * step, 4, CLASS, (step % 9) as i32);
        }
        check_found(run, "GG2-SEQ-02");
    }
}
