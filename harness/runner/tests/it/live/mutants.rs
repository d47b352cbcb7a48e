//! Mutants at the other end of a UDP socket: what the wire shows of them is found at the requirement that they break.

use super::*;
use deltaproof::settings::Settings;
use kit::Mutant;
use std::sync::Mutex;

/// Sessions until a mutant counts as not found: what meets the faults of a network differs from one session to the next. The
/// one that loses the first frames of new entities for good (`reset-never-repaired`) is missed in every third; all others are
/// found in their first.
const TRIES: u64 = 12;

/// Mutants that one probe finds.
struct Found {
    profile: &'static str,
    role: Role,
    probe: &'static str,
    /// Options of the client.
    options: &'static [(&'static str, i64)],
    mutants: &'static [&'static str],
}

const fn found(
    profile: &'static str,
    role: Role,
    probe: &'static str,
    options: &'static [(&'static str, i64)],
    mutants: &'static [&'static str],
) -> Found {
    Found { profile, role, probe, options, mutants }
}

const ALL: [Found; 26] = [
    found(
        "fte-nq",
        Role::Server,
        "clean",
        &[],
        &[
            "new-as-delta",
            "begins-with-entities",
            "removed-and-updated",
            "frames-reliable",
            "end-not-marked",
            "entities-descending",
            "time-apart",
            "resets-once",
            "bit-31-leaks",
        ],
    ),
    found("fte-nq", Role::Server, "loss-30", &[], &["reset-never-repaired"]),
    // Nothing in its frames shows which acknowledgements it has read: on this machine, all that came.
    found("fte-nq", Role::Server, "loss-30", &[("client_fte2", 8)], &["reset-never-repaired"]),
    found(
        "fte-nq",
        Role::Client,
        "loss-5",
        &[],
        &[
            "lone-token",
            "key-by-name",
            "acks-big-endian",
            "acks-reliably",
            "acks-by-another-number",
            "move-sequence-after-time",
        ],
    ),
    found("fte-qw", Role::Server, "clean", &[], &["new-as-delta", "begins-with-entities", "end-not-marked"]),
    found("fte-qw", Role::Server, "loss-30", &[], &["reset-never-repaired"]),
    found(
        "r1q2-35",
        Role::Server,
        "clean",
        &[],
        &[
            "zpacket-lengths-exchanged",
            "zpackets-with-zlib-header",
            "server-skips-two-bytes",
            "offset-in-four-bits",
            "no-base-is-zero",
            "packetentities-over-35",
            "offset-with-frame",
            "upper-bits-one-lower",
            "playerinfo-over-35",
            "acknowledges-ahead",
        ],
    ),
    found("r1q2-35", Role::Server, "clean", &[("qport", 0)], &["server-always-skips-a-byte"]),
    found(
        "r1q2-35",
        Role::Server,
        "clean",
        &[("client1_protocol", 34)],
        &["zpackets-for-all", "no-playerinfo-over-34", "no-packetentities-over-34"],
    ),
    found("r1q2-35", Role::Server, "clean", &[("maxlen", 0)], &["most-refused"]),
    found("r1q2-35", Role::Server, "clean", &[("maxlen", -1)], &["no-length-refused"]),
    found(
        "r1q2-1905",
        Role::Server,
        "clean",
        &[],
        &[
            "zpacket-lengths-exchanged",
            "zpackets-with-zlib-header",
            "offset-in-four-bits",
            "no-base-is-zero",
            "packetentities-over-35",
            "server-skips-two-bytes",
            "upper-bits-one-lower",
            "offset-with-frame",
            "playerinfo-over-35",
        ],
    ),
    found("r1q2-1905", Role::Server, "clean", &[("qport", 0)], &["server-always-skips-a-byte"]),
    found(
        "r1q2-1905",
        Role::Server,
        "clean",
        &[("client1_protocol", 34)],
        &["zpackets-for-all", "no-playerinfo-over-34", "no-packetentities-over-34", "revision-over-34"],
    ),
    found("r1q2-1905", Role::Server, "clean", &[("maxlen", 0)], &["most-refused"]),
    found("r1q2-1905", Role::Server, "clean", &[("maxlen", -1)], &["no-length-refused"]),
    found(
        "fitz666",
        Role::Server,
        "clean",
        &[],
        &[
            "third-byte-unannounced",
            "morebits-missing",
            "alpha-compared-as-float",
            "alpha-of-baseline-forgotten",
            "numbers-in-a-byte",
            "long-numbers-from-257",
            "third-su-byte-unannounced",
            "flags-before-entity",
            "static-has-a-number",
            "static-sound-low-byte",
            "volume-widened",
            "server-length-little-endian",
            "server-length-of-payload",
            "server-acks-with-next",
        ],
    ),
    found(
        "pygg2",
        Role::Server,
        "loss-30",
        &[],
        &[
            "acknowledges-nothing",
            "greets-once",
            "newcomer-missing",
            "no-version",
            "own-body-missing",
            "sends-events-once",
            "snapshot-first",
            "unacknowledged-base",
            "zero-for-none",
            "turned-header",
        ],
    ),
    found(
        "nvs",
        Role::Server,
        "clean",
        &[],
        &[
            "answer-big-endian",
            "answer-without-ssvc",
            "answer-of-another-type",
            "answer-swapped",
            "sends-three-decimals",
            "version-of-client",
            "prefix-of-the-new-form",
            "older-server-line",
            "padded-prints",
            "longer-baselines",
        ],
    ),
    found("nvs", Role::Server, "clean", &[("client1_max", -1)], &["sends-unasked"]),
    found("nvs", Role::Server, "nvs-requests-again", &[], &["changes-in-game"]),
    found("nvs", Role::Client, "clean", &[], &["asks-three-decimals"]),
    found("fitz666", Role::Client, "clean", &[], &["client-acks-with-next", "time-not-echoed", "byte-angles-always"]),
    found("pygg2", Role::Client, "clean", &[], &["spare-bits-in-inputs", "turned-client-header", "acks-on-change"]),
    found(
        "r1q2-35",
        Role::Client,
        "clean",
        &[],
        &["qport-of-two-bytes", "acknowledges-the-next", "qport-of-16-bits", "quoted-length", "never-echoes"],
    ),
    found("r1q2-1905", Role::Client, "clean", &[], &["qport-of-two-bytes", "quoted-length", "acknowledges-the-next"]),
];

/// A session with a mutant, and whether it was found at its requirement, or what was found instead.
fn session(of: &Found, mutant: &Mutant) -> Result<(), Vec<String>> {
    let (protocol, profile) = profile(of.profile);
    let mut case = stimulus(protocol, profile, of.probe);
    let set: Vec<String> = of.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Settings::new(&set, None, &[String::from(of.profile)]).expect("they are options").apply(&mut case);
    let ours = |role: Role| (role == of.role).then_some(mutant.replacement);
    let (probed, served) = while_serving((protocol, profile), ours(Role::Server), |address| {
        probe_as(&case, address, ours(Role::Client), false, None)
    });
    let live = if of.role == Role::Server { probed } else { served };
    let mut findings = live.observation.findings.iter().map(|observed| &observed.finding);
    let is_guilty = |host: &str| host.starts_with("server") == (of.role == Role::Server);
    let id = mutant.caught_by.id;
    let at_its_requirement = findings.any(|finding| {
        is_guilty(&finding.host) && (finding.requirement == id || finding.others.iter().any(|other| other == id))
    });
    if at_its_requirement { Ok(()) } else { Err(super::found(&live)) }
}

#[test]
fn mutants_are_found_over_udp_at_the_requirement_that_they_break() {
    let all: Vec<(&Found, &str)> =
        ALL.iter().flat_map(|of| of.mutants.iter().map(move |mutant| (of, *mutant))).collect();
    let not_found = Mutex::new(Vec::new());
    at_the_same_time(&all, |(of, name)| {
        let (protocol, _) = profile(of.profile);
        let mutant = protocol.mutants().find(|mutant| mutant.name == *name && mutant.replacement.role == of.role);
        let mutant = mutant.unwrap_or_else(|| panic!("no mutant {name} of a {}", of.role));
        let mut instead = Vec::new();
        let is_found = (0..TRIES).any(|_| match session(of, mutant) {
            Ok(()) => true,
            Err(found) => {
                instead = found;
                false
            }
        });
        if !is_found {
            let what =
                format!("{name} {} {}: {} not found, but {instead:?}", of.profile, of.probe, mutant.caught_by.id);
            not_found.lock().expect("no other thread panicked").push(what);
        }
    });
    let not_found = not_found.into_inner().expect("no thread panicked");
    assert!(not_found.is_empty(), "{}", not_found.join("\n"));
}

#[test]
fn at_least_ten_mutants_of_every_protocol_are_found_over_udp() {
    for protocol in PROTOCOLS {
        let is_its_own = |of: &&Found| protocol.profiles.iter().any(|profile| profile.name == of.profile);
        let found: usize = ALL.iter().filter(is_its_own).map(|of| of.mutants.len()).sum();
        assert!(found >= 10, "{}: {found}", protocol.name);
    }
}
