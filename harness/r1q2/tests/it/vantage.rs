//! The oracle over ends that somebody else runs: what it leaves alone there, and what it still finds.

use crate::oracle::{Wire, of_engines};
use crate::run::Run;
use kit::{Direction, Dissection, Dissector, HostId, Knowledge, Oracle, Setup, Vantage};
use r1q2::PROTOCOL;
use r1q2::dissector::R1q2Dissector;
use sim::Unwatched;
use testkit::bytes::{Datagram, datagrams};

/// The recordings, and the profile that each shows.
const RECORDINGS: [(&str, usize); 6] = [
    ("r1q2_b5183_p34", 0),
    ("r1q2_b5183_p35_minor1901", 0),
    ("r1q2_b5183_p35_frames_in_zpackets", 0),
    ("r1q2_b8012_zdownload", 3),
    ("q2pro_p35_minor1905", 3),
    ("q2pro_p35_bigmap", 3),
];

/// Both ends are remote, and may miss what was delivered to them or not.
fn setup(profile: usize, may_miss: bool) -> Setup {
    let vantage = Vantage {
        remote_server: true,
        remote_clients: true,
        server_may_miss: may_miss,
        clients_may_miss: may_miss,
        untimed: true,
        ..Vantage::default()
    };
    Setup { knowledge: Knowledge::Wire, vantage, ..testkit::setup(&PROTOCOL, profile, &[]) }
}

fn recorded(name: &str) -> Vec<Datagram> {
    datagrams(&format!("r1q2/{name}"))
}

/// What is found in these datagrams, and the remarks.
fn judge(setup: &Setup, lines: &[Datagram]) -> (Vec<String>, Vec<String>, usize) {
    let mut wire = Wire::new(setup);
    for line in lines {
        wire.send(line.direction, &line.bytes);
    }
    let (remarks, covered) = (wire.oracle.remarks(), wire.oracle.covered().len());
    (of_engines(wire.findings()), remarks, covered)
}

fn is_of_session(line: &Datagram) -> bool {
    !line.bytes.starts_with(&[0xff; 4])
}

/// The last datagram of a server, changed in the word of its header that has what it acknowledges.
fn with_acknowledged(name: &str, change: fn(u32) -> u32) -> Vec<Datagram> {
    let mut lines = recorded(name);
    let last = lines.iter_mut().rev().find(|line| line.direction == Direction::ServerToClient).expect("a server");
    let word = last.bytes[4..8].try_into().expect("four bytes");
    last.bytes[4..8].copy_from_slice(&change(u32::from_le_bytes(word)).to_le_bytes());
    lines
}

#[test]
fn recordings_of_engines_conform_wherever_they_were_made() {
    for (name, profile) in RECORDINGS {
        for may_miss in [false, true] {
            let (findings, _, covered) = judge(&setup(profile, may_miss), &recorded(name));
            assert_eq!((findings, covered > 5), (Vec::new(), true), "{name}");
        }
    }
}

#[test]
fn the_traffic_says_which_profile_it_is() {
    for (name, profile) in RECORDINGS {
        let mut dissector = R1q2Dissector::new(None);
        assert!(dissector.profile().is_none());
        for line in recorded(name) {
            dissector.datagram(HostId(1), line.direction, &line.bytes, &mut Dissection::default());
        }
        assert_eq!(dissector.profile().map(|profile| profile.index), Some(profile), "{name}");
    }
}

#[test]
fn datagrams_that_nobody_saw_are_not_judged() {
    for (name, profile) in RECORDINGS {
        let lines = recorded(name);
        for every in [3, 7] {
            // What is not there is not known to have been sent; the sign-on stays whole.
            let mut seen = lines.clone();
            let mut number = 0;
            seen.retain(|_| {
                number += 1;
                number < 40 || number % every != 0
            });
            let (findings, remarks, _) = judge(&setup(profile, true), &seen);
            assert_eq!(findings, Vec::<String>::new(), "{name} without every {every}th datagram");
            assert!(remarks.iter().any(|remark| remark.contains("missing")), "{name}: {remarks:?}");
        }
    }
}

#[test]
fn a_recording_that_begins_in_the_middle_says_so_and_is_not_judged() {
    for (name, profile) in RECORDINGS {
        let (findings, remarks, _) = judge(&setup(profile, true), &recorded(name)[20..]);
        assert_eq!(findings, Vec::<String>::new(), "{name}");
        assert!(remarks.iter().any(|remark| remark.contains("under way already")), "{name}: {remarks:?}");
    }
}

#[test]
fn a_remote_server_that_acknowledges_what_nobody_sent_is_found() {
    for may_miss in [false, true] {
        let lines = with_acknowledged("q2pro_p35_minor1905", |word| word + 40);
        // A client whose datagrams are all seen: nothing else can have arrived.
        let mut setup = setup(3, may_miss);
        setup.vantage.remote_clients = false;
        let (findings, ..) = judge(&setup, &lines);
        assert!(findings.iter().any(|finding| finding.contains("which did not arrive")), "{findings:?}");
    }
}

#[test]
fn a_remote_server_that_forgets_what_it_acknowledged_is_found() {
    let (findings, ..) = judge(&setup(3, true), &with_acknowledged("q2pro_p35_minor1905", |word| word - 5));
    assert!(findings.iter().any(|finding| finding.starts_with("R1Q2-GEN-02")), "{findings:?}");
}

#[test]
fn a_client_that_comes_back_at_its_address_is_judged_anew() {
    let mut lines = recorded("q2pro_p35_minor1905");
    lines.extend(recorded("q2pro_p35_bigmap"));
    let (findings, ..) = judge(&setup(3, true), &lines);
    assert_eq!(findings, Vec::<String>::new());
    let second = lines.len() - 1;
    let fault =
        lines[..=second].iter().rposition(|line| line.direction == Direction::ServerToClient && is_of_session(line));
    let fault = fault.expect("a datagram of the second session");
    lines[fault].bytes.push(0x1f);
    let (findings, ..) = judge(&setup(3, true), &lines);
    assert_eq!(findings.len(), 1, "{findings:?}");
}

/// Two sessions of one client, and where the second begins. The first ends in its middle, without a word.
fn again(first: &str, second: &str) -> (Vec<Datagram>, usize) {
    let mut lines = recorded(first);
    lines.truncate(60);
    let begins = lines.len();
    lines.extend(recorded(second));
    (lines, begins)
}

/// The same with an impossible service in a datagram of the server of the second session.
fn with_nonsense(mut lines: Vec<Datagram>, begins: usize) -> Vec<Datagram> {
    let of_server = |line: &Datagram| line.direction == Direction::ServerToClient && is_of_session(line);
    let fault = lines.iter().rposition(of_server).filter(|fault| *fault > begins).expect("a datagram");
    lines[fault].bytes.push(0x1f);
    lines
}

/// From where sessions are seen whose server somebody else runs, and then those of ours.
const VIEWS: [Vantage; 3] = [Vantage::OF_CLIENT, Vantage::BETWEEN, Vantage::OF_SERVER];

/// Judged from these points of view, such sessions have no finding, and one fault in the second has one.
#[track_caller]
fn check_again(profile: usize, lines: &[Datagram], begins: usize, views: &[Vantage]) {
    for &vantage in views {
        let setup = Setup { vantage, ..setup(profile, true) };
        let (findings, ..) = judge(&setup, lines);
        assert_eq!(findings, Vec::<String>::new(), "{vantage:?}");
        let (findings, ..) = judge(&setup, &with_nonsense(lines.to_vec(), begins));
        assert_eq!(findings.len(), 1, "{vantage:?}: {findings:?}");
    }
}

#[test]
fn a_session_that_the_server_forgot_is_over_once_its_client_connects_again() {
    for (first, second) in [("q2pro_p35_minor1905", "q2pro_p35_bigmap"), ("q2pro_p35_bigmap", "q2pro_p35_minor1905")] {
        let (lines, begins) = again(first, second);
        check_again(3, &lines, begins, &VIEWS);
    }
}

#[test]
fn a_connect_with_the_challenge_of_before_starts_over_nevertheless() {
    // Servers give an address the same challenge again.
    for name in ["q2pro_p35_minor1905", "r1q2_b8012_zdownload"] {
        let (lines, begins) = again(name, name);
        check_again(3, &lines, begins, &VIEWS);
    }
}

#[test]
fn datagrams_of_the_session_before_that_come_late_are_not_of_the_new_one() {
    let first = recorded("r1q2_b5183_p35_minor1901");
    for direction in [Direction::ServerToClient, Direction::ClientToServer] {
        let (mut lines, begins) = again("r1q2_b5183_p35_minor1901", "r1q2_b5183_p34");
        let mut late = first[60..].iter().filter(|line| line.direction == direction && is_of_session(line)).cloned();
        let at = begins + 6;
        lines.insert(at, late.next().expect("a datagram"));
        lines.insert(at + 3, late.next().expect("a datagram"));
        // The end that receives it may be ours, and is then deaf for a while, as the protocol has it.
        let vantage = Vantage::BETWEEN;
        let setup = Setup { vantage, ..setup(0, true) };
        let (findings, ..) = judge(&setup, &lines);
        assert_eq!(findings, Vec::<String>::new(), "{direction:?}");
        let (findings, ..) = judge(&setup, &with_nonsense(lines, begins));
        assert_eq!(findings.len(), 1, "{direction:?}: {findings:?}");
    }
}

#[test]
fn a_server_that_accepts_its_client_once_more_is_judged_on_unless_its_numbers_start_over() {
    let mut lines = recorded("q2pro_p35_minor1905");
    let acceptance = lines[3].clone();
    lines.insert(40, acceptance.clone());
    check_again(3, &lines, 4, &VIEWS[..2]);
    // Beside a client of ours, which stays in the session that it knows.
    let setup = Setup { vantage: Vantage::OF_CLIENT, ..setup(3, true) };
    let (mut lines, begins) = again("q2pro_p35_minor1905", "q2pro_p35_minor1905");
    let of_server = |line: &Datagram| line.direction == Direction::ServerToClient;
    lines = [&lines[..begins], &[acceptance], &lines[begins + 4..]].concat();
    let mut place = 0;
    lines.retain(|line| {
        place += 1;
        place <= begins || of_server(line)
    });
    let (findings, ..) = judge(&setup, &lines);
    assert_eq!(findings, Vec::<String>::new());
}

/// What is found of a server of revision 1903 that is this mutant, with a client of 1901, which goes on over protocol 34.
fn with_older_client(mutant: &str) -> Vec<(String, HostId)> {
    let named = |name: &str| PROTOCOL.mutants.iter().copied().flatten().find(|mutant| mutant.name == name);
    let mut run = Run::new(0, 1, &[("server_minor", 1903)]);
    run.setup.knowledge = Knowledge::Wire;
    run.setup.vantage = Vantage { remote_server: true, server_may_miss: true, ..Vantage::default() };
    run.replacement = Some(named(mutant).expect("a mutant").replacement);
    let oracle = run.judge(1, &mut Unwatched);
    oracle.findings().iter().map(|finding| (finding.requirement().id.to_string(), finding.host)).collect()
}

#[test]
fn a_client_that_leaves_for_another_protocol_is_done_with_what_was_malformed_beside_the_serverdata() {
    for (mutant, expected) in
        [("zpacket-lengths-exchanged", "R1Q2-ZPKT-01"), ("zpackets-with-zlib-header", "R1Q2-ZPKT-02")]
    {
        assert_eq!(with_older_client(mutant), [(expected.to_string(), HostId::SERVER)]);
    }
}
