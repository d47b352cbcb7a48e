//! A client whose port changes: the server sees the new one, and the old one is nobody's.

use crate::hosts::{Lines, Talker, boxed, run};
use kit::{Direction, Endpoint, HostId, LossCause, PeerId, Rebind, Time};
use sim::{Link, Network, Unwatched};

/// Two links of 2 ms each way; the port of client 1 changes at 50 ms.
fn rebound() -> Network {
    let rebind = Rebind { client: HostId(1), at: Time::from_ms(50) };
    Network { rebinds: vec![rebind], ..Network::uniform(1, 2, &Link::clean(2_000)) }
}

/// Two clients that send 100 bytes every 10 ms, to `server`.
fn two_clients(server: Talker) -> Vec<Box<dyn Endpoint>> {
    let client = || Talker::new(&[PeerId::SERVER], 10_000, 100);
    boxed(vec![server, client(), client()])
}

/// How many datagrams the server of a run of 100 ms loses to old ports, by client; and of all others.
fn lost(server: Talker) -> ([u64; 2], u64) {
    let outcome = run(two_clients(server), &rebound(), &[], Time::from_ms(99), &mut Unwatched);
    let observed = outcome.observed.iter().map(|pair| &pair[Direction::ServerToClient.index()]);
    let lost: Vec<u64> = observed.map(|observed| observed.lost_to(LossCause::Port)).collect();
    let all: u64 = outcome.observed.iter().flatten().map(sim::Observed::lost_total).sum();
    ([lost[0], lost[1]], all - lost[0] - lost[1])
}

#[test]
fn a_server_that_answers_where_it_is_asked_loses_nothing() {
    assert_eq!(lost(Talker::echo()), ([0, 0], 0));
}

#[test]
fn what_is_sent_to_the_old_port_is_lost_from_the_moment_of_the_change() {
    let peers = [PeerId::client(1), PeerId::client(2)];
    // At 50, 60, 70, 80 and 90 ms.
    assert_eq!(lost(Talker::new(&peers, 10_000, 100)), ([5, 0], 0));
}

#[test]
fn a_run_without_rebinds_and_one_whose_rebind_comes_too_late_are_the_same() {
    let of = |network: &Network| {
        let mut lines = Lines::default();
        let outcome = run(two_clients(Talker::echo()), network, &[], Time::from_ms(100), &mut lines);
        (outcome.trace_hash, lines.0)
    };
    let late = Rebind { client: HostId(1), at: Time::from_ms(101) };
    assert_eq!(of(&Network { rebinds: vec![late], ..rebound() }), of(&Network { rebinds: Vec::new(), ..rebound() }));
}
