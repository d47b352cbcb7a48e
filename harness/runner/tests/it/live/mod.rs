//! Real sessions over UDP on loopback: our client against our server, each as if somebody else ran the other.

mod anew;
mod evidence;
mod mutants;
mod set;

use deltaproof::live::rest::Compared;
use deltaproof::live::run::{self, Common, Live, Target, Waiting};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::{self, Case};
use kit::{Profile, Protocol, Replacement, Role};
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;

use super::{run as program, text};

/// How long a session lasts once the client is in the game, in microseconds.
const LENGTH_US: u64 = 2_500_000;
/// How long a client may take to get into the game, in microseconds.
const SIGN_ON_US: u64 = 6_000_000;
/// A client that is silent for so long is forgotten, in microseconds.
const IDLE_US: u64 = 3_000_000;

fn scenarios() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

fn recording(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pcapng"))
}

fn all_profiles() -> impl Iterator<Item = (&'static Protocol, &'static Profile)> {
    PROTOCOLS.iter().flat_map(|protocol| protocol.profiles.iter().map(move |profile| (*protocol, profile)))
}

fn profile(name: &str) -> (&'static Protocol, &'static Profile) {
    all_profiles().find(|(_, profile)| profile.name == name).expect("the profile is known")
}

fn stimulus(protocol: &'static Protocol, profile: &'static Profile, name: &str) -> Case {
    let cases =
        scenario::probes(&scenarios(), protocol, profile).unwrap_or_else(|error| panic!("{}", error.one_line()));
    cases.into_iter().find(|case| case.scenario.id == format!("probe/{name}")).expect("the probe is there")
}

fn mutant(protocol: &'static Protocol, name: &str, role: Role) -> Option<Replacement> {
    let mutant = protocol.mutants().find(|mutant| mutant.name == name && mutant.replacement.role == role);
    Some(mutant.unwrap_or_else(|| panic!("no mutant {name} of a {role}")).replacement)
}

/// Ends a session, also when a test fails beside it.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sessions of real time are tried so often where a busy machine can spoil one.
const TRIES: usize = 3;

/// A session of ours that waits for so many clients, until it is ended.
fn seats(clients: u16) -> Waiting {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    Waiting { listen, clients, idle_us: IDLE_US, length_us: u64::MAX }
}

/// A port that no other socket of this run gets: each call tries the next one, and below those that the system gives
/// to sockets that name none.
fn port_of_nobody() -> SocketAddr {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    let ports = std::iter::repeat_with(|| {
        let offset = std::process::id().wrapping_mul(16).wrapping_add(TRIED.fetch_add(1, Ordering::Relaxed));
        SocketAddr::from(([127, 0, 0, 1], 20_000 + (offset % 10_000) as u16))
    });
    ports.take(10_000).find(|address| UdpSocket::bind(address).is_ok()).expect("a free port")
}

/// Runs a session that waits for clients while `with` runs, and returns what it observed.
fn while_waiting<T>(
    waiting: Waiting,
    run: impl FnOnce(&Waiting, &Common<'_>, &mut dyn FnMut(SocketAddr)) -> std::io::Result<Live> + Send,
    with: impl FnOnce(SocketAddr) -> T,
) -> (T, Live) {
    let stop = AtomicBool::new(false);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let stopped = &stop;
        let session = scope.spawn(move || {
            let common = Common { seed: 1, rate_limit: u32::MAX, record: None, stop: stopped, news: &|_| {} };
            let mut ready = |address| sender.send(address).expect("the test waits");
            run(&waiting, &common, &mut ready).expect("the address is free")
        });
        let result = {
            let _ends = Ends(&stop);
            with(receiver.recv().expect("the session is ready"))
        };
        (result, session.join().expect("the session ends"))
    })
}

/// Runs our server, a mutant of it if one is given, while `with` runs, and returns what it observed of its clients.
fn while_serving<T>(
    of: (&'static Protocol, &'static Profile),
    server: Option<Replacement>,
    with: impl FnOnce(SocketAddr) -> T,
) -> (T, Live) {
    while_serving_as(seats(4), of, server, with)
}

/// The same, with other seats or for another time.
fn while_serving_as<T>(
    waiting: Waiting,
    (protocol, profile): (&'static Protocol, &'static Profile),
    server: Option<Replacement>,
    with: impl FnOnce(SocketAddr) -> T,
) -> (T, Live) {
    let world = scenario::world(&scenarios(), protocol, profile).unwrap_or_else(|error| panic!("{}", error.one_line()));
    let serve = |waiting: &Waiting, common: &Common<'_>, ready: &mut dyn FnMut(SocketAddr)| {
        run::serve(&world, waiting, server, common, ready)
    };
    while_waiting(waiting, serve, with)
}

/// Probes a server with a case.
fn probe(case: &Case, server: SocketAddr, record: Option<PathBuf>) -> Live {
    probe_as(case, server, None, false, record)
}

/// Probes a server with a case and a client of ours, with a control client beside it if one is wanted.
fn probe_as(
    case: &Case,
    server: SocketAddr,
    client: Option<Replacement>,
    control: bool,
    record: Option<PathBuf>,
) -> Live {
    probe_to(
        case,
        &Target { server, client, learned: None, control, length_us: LENGTH_US, sign_on_us: SIGN_ON_US },
        record,
    )
}

fn probe_to(case: &Case, target: &Target, record: Option<PathBuf>) -> Live {
    let stop = AtomicBool::new(false);
    let common = Common { seed: u64::from(target.server.port()), rate_limit: 500, record, stop: &stop, news: &|_| {} };
    run::probe(case, target, &common).expect("sockets can be opened")
}

/// What was found, as `FTE-ACK-02 server: …`.
fn found(live: &Live) -> Vec<String> {
    let findings = live.observation.findings.iter().map(|observed| &observed.finding);
    findings.map(|finding| format!("{} {}: {}", finding.suspects(), finding.host, finding.what)).collect()
}

/// Runs `each` for all of `items` at the same time: a session mostly waits.
fn at_the_same_time<T: Sync>(items: &[T], each: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        let running: Vec<_> = items.iter().map(|item| scope.spawn(|| each(item))).collect();
        for one in running {
            if let Err(panic) = one.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

#[test]
fn our_client_gets_through_to_our_server_and_neither_finds_fault_with_the_other() {
    let all: Vec<_> = all_profiles().flat_map(|it| ["clean", "loss-30"].map(|name| (it, name))).collect();
    at_the_same_time(&all, |&((protocol, profile), name)| {
        let case = stimulus(protocol, profile, name);
        let (probed, served) = while_serving((protocol, profile), None, |address| probe(&case, address, None));
        let what = format!("{name} {}", profile.name);
        assert!(probed.outcome.active.is_some(), "{what}: {:?}", probed.outcome.moves);
        assert_eq!(found(&probed), [""; 0], "{what}: the probe");
        assert_eq!(found(&served), [""; 0], "{what}: the server");
        assert!(
            !probed.observation.coverage.covered.is_empty() && !served.observation.coverage.covered.is_empty(),
            "{what}"
        );
    });
}

#[test]
fn every_probe_is_for_every_profile() {
    for (protocol, profile) in all_profiles() {
        let cases =
            scenario::probes(&scenarios(), protocol, profile).unwrap_or_else(|error| panic!("{}", error.one_line()));
        assert!(cases.len() >= 20, "{}: {}", profile.name, cases.len());
    }
}

#[test]
fn a_recording_of_a_probe_is_judged_as_the_probe_was() {
    let all = [
        ("fte-nq", "new-as-delta"),
        ("fitz666", "third-byte-unannounced"),
        ("nvs", "answer-of-another-type"),
        ("r1q2-35", "no-base-is-zero"),
        ("pygg2", "own-body-missing"),
    ];
    at_the_same_time(&all, |&(name, server)| {
        let of @ (protocol, _) = profile(name);
        let path = recording(server);
        let case = stimulus(protocol, of.1, "loss-5");
        let (probed, _) = while_serving(of, mutant(protocol, server, Role::Server), |address| {
            probe(&case, address, Some(path.clone()))
        });
        let output = program(&["judge", "--format", "json", path.to_str().expect("the path is UTF-8")]);
        let lines = text(&output.stdout);
        let lines = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let again: Vec<String> =
            lines.filter_map(|line| line["finding"]["what"].as_str().map(str::to_string)).collect();
        let findings = probed.observation.findings.iter().map(|observed| &observed.finding);
        let live: Vec<String> =
            findings.filter(|finding| finding.host == "server").map(|finding| finding.what.clone()).collect();
        assert!(!live.is_empty(), "{name}: {:?}", probed.outcome.moves);
        assert_eq!(again, live, "{name}");
    });
}

#[test]
fn a_proxy_passes_sessions_on_and_judges_both_ends() {
    let all: Vec<_> = all_profiles().filter(|(_, profile)| !profile.name.starts_with("r1q2-19")).collect();
    at_the_same_time(&all, |&(protocol, profile)| {
        let network = stimulus(protocol, profile, "loss-5");
        let case = stimulus(protocol, profile, "clean");
        // On a busy machine the sign-on can take too long with these losses; nothing may be found then, either.
        let mut sessions = (0..TRIES).map(|_| {
            let ((probed, between), _) = while_serving((protocol, profile), None, |upstream| {
                let proxy = |waiting: &Waiting, common: &Common<'_>, ready: &mut dyn FnMut(SocketAddr)| {
                    run::proxy(&network, waiting, upstream, common, ready)
                };
                while_waiting(seats(2), proxy, |address| probe(&case, address, None))
            });
            assert_eq!(found(&probed), [""; 0], "{}: the probe", profile.name);
            assert_eq!(found(&between), [""; 0], "{}: the proxy", profile.name);
            (probed, between)
        });
        let through = sessions.find(|(probed, _)| probed.outcome.active.is_some());
        let (_, between) = through.unwrap_or_else(|| panic!("{}: nobody got through", profile.name));
        assert!(between.outcome.sent.iter().all(|sent| *sent > 20), "{}: {:?}", profile.name, between.outcome.sent);
    });
}

#[test]
fn a_control_client_and_a_faulty_one_of_our_server_hold_the_same_when_the_world_rests() {
    let all: Vec<_> = all_profiles().filter(|(_, profile)| !profile.name.starts_with("r1q2-19")).collect();
    at_the_same_time(&all, |&(protocol, profile)| {
        let case = stimulus(protocol, profile, "loss-30");
        let mut differences = (0..TRIES).map(|_| {
            let (probed, _) =
                while_serving((protocol, profile), None, |address| probe_as(&case, address, None, true, None));
            probed.control
        });
        // On a busy machine the world may not have come to rest in time.
        let same = |found: Option<Compared>| found.is_some_and(|it| it.differences.is_empty() && it.absent.is_empty());
        assert!(differences.any(same), "{}", profile.name);
    });
}

#[test]
fn a_port_at_which_nobody_listens_is_said_to_be_silent() {
    let address = port_of_nobody();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("silent");
    let record = folder.to_str().expect("the path is UTF-8");
    let output = program(&[
        "probe",
        "probe/clean",
        "--profile=fte-qw",
        "--to",
        &address.to_string(),
        "--record",
        record,
        "--sign-on=1s",
    ]);
    assert_eq!(output.status.code(), Some(3));
    let expected = format!("no answer probe/clean@fte-qw: nothing came from {address}; is a server running there?\n");
    let said = text(&output.stdout);
    let (verdict, rest) = said.split_once('\n').expect("two lines");
    assert_eq!(verdict, format!("not judged: fte-qw at {address}, 1 session, 0 got through"));
    assert!(rest.starts_with(&expected), "{said}");
}

/// Answers every datagram that reaches a socket of its own, until `with` returns.
fn while_answering(answer: impl Fn(&[u8]) -> Vec<u8> + Send, with: impl FnOnce(SocketAddr)) {
    let server = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let address = server.local_addr().expect("it is bound");
    server.set_read_timeout(Some(std::time::Duration::from_millis(100))).expect("a time-out");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _ends = Ends(&done);
        let done = &done;
        scope.spawn(move || {
            let mut buffer = [0; 2048];
            while !done.load(Ordering::Relaxed) {
                let Ok((length, from)) = server.recv_from(&mut buffer) else { continue };
                server.send_to(&answer(&buffer[..length]), from).expect("loopback takes it");
            }
        });
        with(address);
    });
}

#[test]
fn why_a_server_admits_nobody_is_quoted_in_its_own_words() {
    let answers: [(&str, &[u8], &str); 4] = [
        ("fitz666", b"\x80\x00\x00\x16\x82Server is full.\n\0", "Server is full."),
        ("nvs", b"\x80\x00\x00\x16\x82Server is full.\n\0", "Server is full."),
        ("fte-qw", b"\xff\xff\xff\xffn\nserver is full\n\n", "server is full"),
        ("r1q2-35", b"\xff\xff\xff\xffprint\nServer is full.\n", "Server is full."),
    ];
    at_the_same_time(&answers, |&(profile, answer, words)| {
        while_answering(
            |_| answer.to_vec(),
            |address| {
                let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("full");
                let (to, record) = (address.to_string(), folder.to_str().expect("the path is UTF-8"));
                let line = ["probe", "clean", "--profile", profile, "--to", &to, "--record", record, "--sign-on=1s"];
                let output = program(&line);
                assert_eq!(output.status.code(), Some(3), "{profile}");
                let said = text(&output.stdout);
                assert!(said.lines().take(5).any(|line| line.contains(words)), "{profile}: {said}");
            },
        );
    });
}

#[test]
fn each_client_calls_from_an_address_of_its_own() {
    // Many servers of NetQuake let one client of an address play: a second one throws the first out.
    let (protocol, profile) = profile("fitz666");
    let case = stimulus(protocol, profile, "two-clients");
    let server = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let address = server.local_addr().expect("it is bound");
    server.set_nonblocking(true).expect("a socket that does not wait");
    let callers = |sessions: usize| {
        let (length_us, sign_on_us) = (LENGTH_US, 500_000);
        let target = Target { server: address, client: None, learned: None, control: false, length_us, sign_on_us };
        (0..sessions).for_each(|_| drop(probe_to(&case, &target, None)));
        let mut buffer = [0; 64];
        let calls = std::iter::from_fn(|| server.recv_from(&mut buffer).ok());
        calls.map(|(_, from)| from.ip()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(callers(2).len(), 4);
}

#[test]
fn a_request_that_comes_again_goes_to_the_port_where_sessions_begin() {
    // The accept can be lost, or the client leave and come back: the port of the session answers no request.
    let (protocol, profile) = profile("fitz666");
    let case = stimulus(protocol, profile, "clean");
    let socket = || {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
        socket.set_read_timeout(Some(std::time::Duration::from_secs(5))).expect("a time-out");
        socket
    };
    let (server, session, client) = (socket(), socket(), socket());
    let upstream = server.local_addr().expect("it is bound");
    let port = session.local_addr().expect("it is bound").port();
    let proxy = |waiting: &Waiting, common: &Common<'_>, ready: &mut dyn FnMut(SocketAddr)| {
        run::proxy(&case, waiting, upstream, common, ready)
    };
    while_waiting(seats(1), proxy, |address| {
        let mut buffer = [0; 64];
        for _ in 0..2 {
            client.send_to(b"\x80\0\0\x0c\x01QUAKE\0\x03", address).expect("loopback takes it");
            let (_, from) = server.recv_from(&mut buffer).expect("the request arrives");
            let [low, high] = port.to_le_bytes();
            server.send_to(&[0x80, 0, 0, 9, 0x81, low, high, 0, 0], from).expect("loopback takes it");
            client.recv_from(&mut buffer).expect("the answer arrives");
        }
        client.send_to(&[0, 0x10, 0, 9, 0, 0, 0, 0, 1], address).expect("loopback takes it");
        let (length, _) = session.recv_from(&mut buffer).expect("the session goes on at its port");
        assert_eq!(buffer[..length], [0, 0x10, 0, 9, 0, 0, 0, 0, 1]);
    });
}

#[test]
fn a_server_that_answers_garbage_is_survived() {
    let all: Vec<_> = all_profiles().filter(|(_, profile)| !profile.name.starts_with("r1q2-19")).collect();
    at_the_same_time(&all, |&(protocol, profile)| {
        let noise = AtomicU32::new(1);
        let garbage = |bytes: &[u8]| {
            let next = |old: u32| Some(old.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
            let draw = || noise.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).unwrap_or_default();
            bytes.iter().map(|byte| byte ^ (draw() >> 24) as u8).collect()
        };
        while_answering(garbage, |address| {
            let case = stimulus(protocol, profile, "sign-on-loss");
            let probed = probe(&case, address, None);
            assert!(probed.outcome.active.is_none(), "{}", profile.name);
        });
    });
}

#[test]
fn a_server_that_is_killed_in_mid_session_did_nothing_wrong_before() {
    let all: Vec<_> = all_profiles().filter(|(_, profile)| !profile.name.starts_with("r1q2-19")).collect();
    at_the_same_time(&all, |&(protocol, profile)| {
        let case = stimulus(protocol, profile, "loss-5");
        let of = (protocol, profile);
        let (probed, _) = while_serving_as(Waiting { length_us: 2_000_000, ..seats(4) }, of, None, |address| {
            probe(&case, address, None)
        });
        assert!(probed.outcome.active.is_some(), "{}: {:?}", profile.name, probed.outcome.moves);
        assert_eq!(found(&probed), [""; 0], "{}", profile.name);
    });
}

#[test]
fn a_server_that_falls_silent_is_said_to_have_let_go() {
    let (protocol, profile) = profile("fitz666");
    let case = stimulus(protocol, profile, "loss-30");
    let of = (protocol, profile);
    let (probed, _) = while_serving_as(Waiting { length_us: 1_500_000, ..seats(4) }, of, None, |server| {
        let (length_us, sign_on_us) = (6_000_000, SIGN_ON_US);
        probe_to(&case, &Target { server, client: None, learned: None, control: true, length_us, sign_on_us }, None)
    });
    let ended = &probed.outcome.ended;
    assert!(ended.iter().all(|line| line.starts_with("the server has sent client")), "{ended:?}");
    // What is counted of the network is the faulty client's.
    assert_eq!((ended.len(), probed.outcome.observed.len()), (2, 1), "{ended:?}");
}

#[test]
fn a_client_that_vanishes_is_forgotten() {
    let calls: [(&str, &[u8]); 2] =
        [("fte-qw", b"\xff\xff\xff\xffgetchallenge\n"), ("fitz666", b"\x80\x00\x00\x0c\x01QUAKE\x00\x03")];
    at_the_same_time(&calls, |&(name, call)| {
        let (protocol, profile) = profile(name);
        let ((), served) = while_serving((protocol, profile), None, |address| {
            let call = || {
                let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
                socket.send_to(call, address).expect("loopback takes it");
            };
            // More than there are seats: the first have to be forgotten before the last is admitted.
            (0..5).for_each(|_| call());
            let case = stimulus(protocol, profile, "clean");
            let probed = probe(&case, address, None);
            assert!(probed.outcome.active.is_some(), "{name}: {:?}", probed.outcome.moves);
        });
        assert!(served.outcome.refused > 0, "{name}");
        assert_eq!(found(&served), [""; 0], "{name}");
    });
}

#[test]
fn a_client_that_leaves_makes_room_for_the_next_at_once() {
    let all: Vec<_> = all_profiles().collect();
    at_the_same_time(&all, |&(protocol, profile)| {
        let case = stimulus(protocol, profile, "clean");
        // Nobody is forgotten before the next gives up.
        let one = Waiting { idle_us: 3 * SIGN_ON_US, ..seats(1) };
        let ((), served) = while_serving_as(one, (protocol, profile), None, |server| {
            let (length_us, sign_on_us) = (100_000, SIGN_ON_US);
            let target = Target { server, client: None, learned: None, control: false, length_us, sign_on_us };
            for turn in 1..=3 {
                let probed = probe_to(&case, &target, None);
                assert!(probed.outcome.active.is_some(), "{} {turn}: {:?}", profile.name, probed.outcome.moves);
                assert_eq!(found(&probed), [""; 0], "{} {turn}", profile.name);
            }
        });
        assert_eq!(found(&served), [""; 0], "{}", profile.name);
    });
}

#[test]
fn other_machines_are_left_alone_unless_that_is_allowed() {
    for line in [
        vec!["probe", "--profile", "fte-qw", "--to", "192.0.2.1:27500"],
        vec!["serve", "--profile", "fte-qw", "--listen", "0.0.0.0:0"],
        vec!["proxy", "--profile", "fte-qw", "--listen", "127.0.0.1:0", "--upstream", "192.0.2.1:27500"],
    ] {
        let output = program(&line);
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        assert!(text(&output.stderr).contains("--allow-remote"), "{}", text(&output.stderr));
    }
}

/// The command lines of the README below the headings that begin with `I have a`.
fn lines_of_the_readme() -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(path).expect("the README is there");
    let sections = readme.split("\n## ").filter(|section| section.starts_with("I have a"));
    let lines = sections.flat_map(str::lines).filter_map(|line| line.strip_prefix("deltaproof "));
    lines.map(|line| line.split(" #").next().unwrap_or(line).to_string()).collect()
}

#[test]
fn the_lines_of_the_readme_do_what_it_says() {
    let lines = lines_of_the_readme();
    let (server, proxy) = (port_of_nobody().to_string(), port_of_nobody().to_string());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let folder = folder.to_str().expect("the path is UTF-8");
    let recorded = format!("{folder}/fte-qw-loss-30-1.pcapng");
    let demo = format!("{folder}/game.dem");
    let arguments = |line: &str| -> Vec<String> {
        let line = line.replace("127.0.0.1:27500", &server).replace("127.0.0.1:27501", &proxy);
        let line = line.replace("reports/live/fte-qw-loss-30-1.pcapng", &recorded).replace("game.pcapng", &recorded);
        let line = line.replace("game.dem", &demo);
        let more = match line.split(' ').next() {
            Some("probe") => format!(" --for 1s --jobs 9 --record {folder}"),
            Some("serve" | "proxy") => format!(" --for 20s --clients 16 --record {folder}"),
            _ => String::new(),
        };
        (line + &more).split(' ').map(str::to_string).collect()
    };
    let all = |kind: &str| -> Vec<Vec<String>> {
        lines.iter().filter(|line| line.split(' ').next() == Some(kind)).map(|line| arguments(line)).collect()
    };
    let program = |arguments: &Vec<String>| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = program(&arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    };
    std::thread::scope(|scope| {
        let waiting: Vec<_> = all("serve").into_iter().chain(all("proxy")).collect();
        assert_eq!(waiting.len(), 2);
        let waiting: Vec<_> = waiting.into_iter().map(|line| scope.spawn(move || program(&line))).collect();
        for line in all("probe") {
            let output = program(&line);
            assert!(output.contains("got through") && !output.contains("not through"), "{output}");
        }
        for one in waiting {
            assert!(one.join().expect("it ends").contains("observed: no finding"));
        }
    });
    assert!(all("replay").iter().all(|line| program(line).contains("bytes")));
    let played = ["replay", "fitz666/link-loss@fitz666", "--seed", "1", "--demo", &demo].map(String::from);
    assert!(program(&played.to_vec()).contains("pass fitz666/link-loss@fitz666"));
    assert!(all("judge").iter().all(|line| program(line).contains("observed: no finding")));
}
