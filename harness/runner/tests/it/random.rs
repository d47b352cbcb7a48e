//! Whatever a scenario, its options and its network may do together: nothing is ever found against the reference.
//!
//! The draws are the same in every run. `RANDOM_CASES=100000 cargo test --release --test it random` tries so many for each
//! profile instead of a few, with `RANDOM_SEED=7` others, with `RANDOM_PROFILE=nvs` those of one, with `RANDOM_FIRST=5000`
//! those from there on. Whatever is found is printed with the smallest scenario that shows it, ready for `deltaproof run`.

use deltaproof::judge::{Keep, judge};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::{self, Case};
use kit::{Field, Knowledge, KnownBy, OptionInfo, Profile, Protocol, Role, Unit, Variant, Verb};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Entities of the world: few, and some of numbers that take wider forms.
const ENTITIES: [u32; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 20, 31, 32, 255, 256, 512, 8_191, 32_768];
/// Cases per profile, unless the environment says otherwise.
const CASES: u32 = 12;

/// Options that are not drawn: by one a server announces what it does not do, and clients of one address need numbers that
/// differ, which another option can give all alike.
const OPTIONS_NOT_DRAWN: [&str; 2] = ["announced_minor", "same_address"];

/// The bit of FTE2's mask that gives QuakeWorld's headers another form.
const PEXT2_STUNAWARE: i64 = 0x100;

/// Verbs that are not drawn: by two a scenario writes whatever bytes it likes, and what the others do in the moment of a new
/// map, or to a client in the middle of its sign-on, is the server's own choice.
const VERBS_NOT_DRAWN: [(&str, &str); 5] =
    [("nvs", "qc_init"), ("nvs", "qc_write"), ("fte", "support"), ("fte", "static"), ("fitz666", "static")];

/// A number of a range: mostly a small one, sometimes any, sometimes an end of it.
fn number(least: i64, most: i64) -> impl Strategy<Value = i64> + Clone {
    let (near, far) = (0.clamp(least, most), most.min(least.max(0).saturating_add(300)));
    prop_oneof![6 => near..=far.max(near), 3 => least..=most, 1 => Just(most), 1 => Just(least)]
}

fn value(field: &'static Field) -> BoxedStrategy<String> {
    let name = field.name;
    match field.unit {
        Unit::Int(least, most) => number(least, most).prop_map(move |value| format!("{name}: {value}")).boxed(),
        Unit::Float => {
            (-32_768..=32_767).prop_map(move |value| format!("{name}: {:?}", f64::from(value) / 8.0)).boxed()
        }
    }
}

/// Some fields with values, after a comma.
fn fields(protocol: &'static Protocol) -> BoxedStrategy<String> {
    let all: Vec<usize> = (0..protocol.fields.len()).collect();
    let most = all.len().min(4);
    let some = subsequence(all, 1..=most);
    let values = some.prop_flat_map(|some| some.into_iter().map(|at| value(&protocol.fields[at])).collect::<Vec<_>>());
    values.prop_map(|values| values.join(", ")).boxed()
}

fn option(info: &'static OptionInfo) -> BoxedStrategy<String> {
    // Times between frames are numbers of another size.
    let values = if info.name.ends_with("tick_us") {
        prop_oneof![5 => 10_000..=100_000i64, 1 => info.least..=info.most].boxed()
    } else {
        number(info.least, info.most).boxed()
    };
    // By this bit an end announces headers that the reference does not have.
    let undrawn = if matches!(info.name, "server_fte2" | "client_fte2") { PEXT2_STUNAWARE } else { 0 };
    values.prop_map(move |value| format!("  {}: {}", info.name, value & !undrawn)).boxed()
}

fn options(protocol: &'static Protocol) -> BoxedStrategy<Vec<String>> {
    let all: Vec<usize> =
        (0..protocol.options.len()).filter(|&at| !OPTIONS_NOT_DRAWN.contains(&protocol.options[at].name)).collect();
    let most = all.len().min(4);
    let some = subsequence(all, 0..=most);
    some.prop_flat_map(|some| some.into_iter().map(|at| option(&protocol.options[at])).collect::<Vec<_>>()).boxed()
}

fn argument(name: &'static str, clients: u16) -> BoxedStrategy<String> {
    let values = match name {
        "client" => (0..=i64::from(clients)).boxed(),
        "entity" => select(&ENTITIES[..]).prop_map(i64::from).boxed(),
        _ => prop_oneof![2 => 0..=20i64, 1 => 0..=255i64].boxed(),
    };
    values.prop_map(move |value| format!("{name}: {value}")).boxed()
}

fn verb(verb: &'static Verb, clients: u16) -> BoxedStrategy<String> {
    let host = match verb.to {
        Role::Server => Just(String::from("server")).boxed(),
        _ => (1..=clients).prop_map(|client| format!("client{client}")).boxed(),
    };
    let args = verb.args.iter().map(|name| argument(name, clients)).collect::<Vec<_>>();
    (host, args)
        .prop_map(move |(host, args)| {
            format!("verb: {{ name: {}, host: {host}, args: {{ {} }} }}", verb.name, args.join(", "))
        })
        .boxed()
}

/// A step of the timeline.
fn step(protocol: &'static Protocol, clients: u16, still_ms: u64) -> BoxedStrategy<String> {
    let entity = || select(&ENTITIES[..]);
    let with_fields = |action: &'static str| {
        (entity(), fields(protocol))
            .prop_map(move |(entity, fields)| format!("{action}: {{ entity: {entity}, {fields} }}"))
    };
    let mut actions: Vec<(u32, BoxedStrategy<String>)> = vec![
        (8, with_fields("set").boxed()),
        (3, with_fields("spawn").boxed()),
        (1, with_fields("baseline").boxed()),
        (3, entity().prop_map(|entity| format!("remove: {{ entity: {entity} }}")).boxed()),
        (
            2,
            (1..=clients, 0..=40u8, -2..=300i64)
                .prop_map(|(client, stat, value)| format!("stat: {{ client: {client}, stat: {stat}, value: {value} }}"))
                .boxed(),
        ),
        (1, any::<bool>().prop_map(|respawn| format!("map: {{ respawn: {respawn} }}")).boxed()),
        (1, (1..=clients).prop_map(|client| format!("connect: {{ client: {client} }}")).boxed()),
        (1, (1..=clients).prop_map(|client| format!("disconnect: {{ client: {client} }}")).boxed()),
    ];
    let judged = protocol.verbs.iter().enumerate().filter(|(number, verb)| {
        !protocol.misbehaviour.contains(number) && !VERBS_NOT_DRAWN.contains(&(protocol.name, verb.name))
    });
    let verbs: Vec<_> = judged.map(|(_, known)| (1, verb(known, clients))).collect();
    if !verbs.is_empty() {
        actions.push((6, proptest::strategy::Union::new_weighted(verbs).boxed()));
    }
    let action = proptest::strategy::Union::new_weighted(actions);
    (0..still_ms, action).prop_map(|(at, action)| format!("  - {{ at: {at}ms, {action} }}")).boxed()
}

fn link(name: &'static str) -> BoxedStrategy<String> {
    let percent = |most: u32| (1..=most).prop_map(|tenths| format!("{}.{}%", tenths / 10, tenths % 10));
    let calm = (0..300u32).prop_map(|ms| format!("latency: {ms}ms"));
    let rough = (calm.clone(), 0..80u32, percent(500), percent(200), percent(200), 0..300u32).prop_map(
        |(latency, jitter, loss, twice, late, by)| {
            format!(
                "{latency}, jitter: {jitter}ms, loss: {loss}, duplicate: {twice}, duplicate_delay: {by}ms, \
                 reorder: {late}, reorder_delay: {by}ms"
            )
        },
    );
    let damaged = (calm.clone(), percent(40), percent(40))
        .prop_map(|(latency, corrupt, truncate)| format!("{latency}, corrupt: {corrupt}, truncate: {truncate}"));
    let narrow = (calm.clone(), 32..2_000u32).prop_map(|(latency, rate)| format!("{latency}, bandwidth: {rate}kbit"));
    let spiky = (calm.clone(), percent(20), 1..2_000u32, 1..2_000u32).prop_map(|(latency, enter, by, long)| {
        format!("{latency}, spike: {{ enter: {enter}, by: {by}ms, for: {long}ms }}")
    });
    let swarm = rough.clone().prop_map(|link| format!("swarm: true, {link}"));
    prop_oneof![3 => calm, 5 => rough, 1 => damaged, 1 => narrow, 1 => spiky, 1 => swarm]
        .prop_map(move |link| format!("  {name}: {{ {link} }}"))
        .boxed()
}

fn fault(profile: &Profile, clients: u16, still_ms: u64) -> BoxedStrategy<String> {
    let way = || select(vec!["s2c", "c2s", "both"]);
    let outage = (way(), 1..=clients, 0..still_ms, prop_oneof![3 => 20..4_000u64, 1 => 4_000..14_000u64]).prop_map(
        move |(way, client, from, long): (_, _, u64, u64)| {
            // Nothing settles while nothing gets through.
            let long = long.min(still_ms - from);
            format!("  - {{ outage: {{ direction: {way}, client: {client}, from: {from}ms, for: {long}ms }} }}")
        },
    );
    let chosen = (way(), 1..=clients, 0..60u32, 0..6u32, select(vec!["drop", "duplicate", "delay"]), 1..500u32)
        .prop_map(|(way, client, first, more, what, ms)| {
            let own = match what {
                "duplicate" => format!(", after: {ms}ms"),
                "delay" => format!(", by: {ms}ms"),
                _ => String::new(),
            };
            let last = first + more;
            format!("  - {{ {what}: {{ direction: {way}, client: {client}, index: {first}..{last}{own} }} }}")
        });
    let pause = (0..=clients, 0..still_ms, 1..4_000u64).prop_map(move |(host, from, long)| {
        let host = if host == 0 { String::from("server") } else { format!("client{host}") };
        let long = long.min(still_ms - from);
        format!("  - {{ pause: {{ host: {host}, from: {from}ms, for: {long}ms }} }}")
    });
    let restart = (0..=clients, 0..still_ms, 1..2_000u64).prop_map(move |(host, from, long)| {
        let host = if host == 0 { String::from("server") } else { format!("client{host}") };
        let long = long.min(still_ms - from);
        format!("  - {{ restart: {{ host: {host}, from: {from}ms, for: {long}ms }} }}")
    });
    let rebind = (1..=clients, 0..still_ms)
        .prop_map(|(client, at)| format!("  - {{ rebind: {{ client: {client}, at: {at}ms }} }}"));
    match profile.known_by {
        KnownBy::Port => prop_oneof![4 => outage, 4 => chosen, 2 => pause, 1 => restart].boxed(),
        KnownBy::Number => prop_oneof![4 => outage, 4 => chosen, 2 => pause, 1 => restart, 2 => rebind].boxed(),
    }
}

/// The number after `key` in a line.
fn number_in(line: &str, key: &str) -> Option<u64> {
    let (_, rest) = line.split_once(key)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Leaves one death of the server, nothing else that happens to a host, and nothing in vain while it is dead.
fn only_the_servers_death(faults: &mut Vec<String>, timeline: &mut Vec<String>) {
    let Some(at) = faults.iter().position(|fault| fault.contains("restart: { host: server,")) else { return };
    let death = faults.remove(at);
    let (from, long) = (number_in(&death, "from: ").unwrap_or(0), number_in(&death, "for: ").unwrap_or(0));
    faults.retain(|fault| !fault.contains("restart:") && !fault.contains("pause:"));
    faults.push(death);
    let in_vain = |line: &str| line.contains("connect: { client") || line.contains("host: server");
    let then = |line: &str| number_in(line, "at: ").is_some_and(|at| (from..=from + long).contains(&at));
    timeline.retain(|line| !in_vain(line) || !then(line));
}

/// How long a host has been up: milliseconds, hours, days or years.
fn up() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => (0..50_000_000u64).prop_map(|ms| format!("{ms}ms")),
        1 => (1..100u64).prop_map(|hours| format!("{hours}h")),
        1 => (1..400u64).prop_map(|days| format!("{days}d")),
        1 => (1..=20u64).prop_map(|years| format!("{}d", years * 365)),
    ]
}

/// Mostly no clock is wrong; else those of the server and the first client.
fn clocks() -> BoxedStrategy<Vec<String>> {
    let drift =
        || (select(vec!["fast", "slow"]), 1..=10u32).prop_map(|(way, n)| format!("{way}: {}%", f64::from(n) / 100.0));
    let ends = (drift(), up(), drift(), up()).prop_map(|(server, up, client, ahead)| {
        vec![
            format!("  - {{ host: server, ahead: {up}, {server} }}"),
            format!("  - {{ host: client1, ahead: {ahead}, {client} }}"),
        ]
    });
    prop_oneof![3 => Just(Vec::new()), 1 => ends].boxed()
}

/// What a scenario is drawn from; `proptest` leaves out lines of it when it looks for the smallest that fails.
fn drawn(protocol: &'static Protocol, profile: &'static Profile) -> BoxedStrategy<(String, u64)> {
    let frame = (1..=4u16, 3_000..16_000u64, prop_oneof![Just(0u64), 2_000..5_000u64], 0..1_000u64);
    frame
        .prop_flat_map(move |(clients, still_ms, settle_ms, seed)| {
            let lines = |line, most| proptest::collection::vec(line, 0..most);
            let baselines = proptest::collection::vec(fields(protocol), ENTITIES.len());
            let wide = |field: &&Field| !matches!(field.unit, Unit::Int(_, most) if most < 120);
            let wide: Vec<&'static Field> = protocol.fields.iter().filter(wide).collect();
            let crowd = (10..400u64, select(wide), 1..9i64);
            (
                (Just(clients), Just(still_ms), Just(settle_ms), Just(seed), baselines, crowd),
                (options(protocol), link("s2c"), link("c2s")),
                (lines(fault(profile, clients, still_ms), 4), clocks(), lines(step(protocol, clients, still_ms), 40)),
            )
        })
        .prop_map(move |(frame, (options, s2c, c2s), (mut faults, clocks, mut timeline))| {
            let (clients, still_ms, settle_ms, seed, baselines, (every, field, step)) = frame;
            only_the_servers_death(&mut faults, &mut timeline);
            // A client that is restarted is instructed to nothing that it would not know then, and does not stand still.
            let restarted =
                |n: &u16| faults.iter().any(|fault| fault.contains(&format!("restart: {{ host: client{n},")));
            let restarted: Vec<u16> = (1..=clients).filter(restarted).collect();
            let concerns = |line: &str, n: &u16| {
                line.contains(&format!("host: client{n},")) || line.contains(&format!("connect: {{ client: {n} }}"))
            };
            timeline.retain(|step| !restarted.iter().any(|n| concerns(step, n)));
            faults.retain(|fault| !fault.contains("pause:") || !restarted.iter().any(|n| concerns(fault, n)));
            let entities = ENTITIES.iter().zip(baselines);
            let entities: Vec<String> = entities
                .map(|(entity, baseline)| format!("    - {{ entity: {entity}, baseline: {{ {baseline} }} }}"))
                .collect();
            let list = |key: &str, lines: &[String]| {
                if lines.is_empty() { String::new() } else { format!("{key}:\n{}\n", lines.join("\n")) }
            };
            let text = format!(
                "title: a random scenario\nwhy: nothing is found in it\nprofiles: [{}]\nrequirements: [{}]\n\
                 fate_model: 1\nclients: {clients}\nduration: {}ms\nsettle: {settle_ms}ms\n{}\
                 world:\n  entities:\n{}\n  crowds:\n    - {{ entities: 2..6, every: {every}ms, \
                 change: {{ {}: {{ step: {step}, wrap: 120 }} }} }}\nnetwork:\n{s2c}\n{c2s}\n{}{}{}",
                profile.name,
                protocol.requirements[0].id,
                still_ms + settle_ms,
                list("options", &options),
                entities.join("\n"),
                field.name,
                list("faults", &faults),
                list("clocks", &clocks),
                list("timeline", &timeline),
            );
            (text, seed)
        })
        .boxed()
}

/// Conforming variants that random scenarios are run with, by the number of the draw, beside the reference: who sends everything twice,
/// and who knows or does late what the reference does at once. They differ in what a scenario cannot choose.
const VARIANTS_DRAWN: [&str; 5] =
    ["sends-twice", "client-sends-twice", "loses-after-four", "echoes-late", "counts-to-9"];

/// Every draw runs with the reference; one of three with one of these variants as well.
fn variant_of(protocol: &Protocol, draw: u32) -> Option<&Variant> {
    let known: Vec<&Variant> = protocol.variants().filter(|variant| VARIANTS_DRAWN.contains(&variant.name)).collect();
    let turn = usize::try_from(draw / 3).unwrap_or_default();
    (draw.is_multiple_of(3) && !known.is_empty()).then(|| known[turn % known.len()])
}

/// Begins the line of a kept scenario that names the variant with which it had a false finding.
const WITH: &str = "# with ";

/// What is found in a run of `text` with the reference, or with a variant.
fn findings(text: &str, seed: u64) -> Vec<String> {
    findings_with(text, seed, None)
}

/// The same, with an oracle that knows all commands and one that knows none.
fn findings_with(text: &str, seed: u64, variant: Option<&Variant>) -> Vec<String> {
    let scenario = scenario::parse("random/case", Path::new("case.yaml"), text);
    let scenario = match scenario {
        Ok(scenario) => Arc::new(scenario),
        Err(error) => return vec![format!("the test draws what is no scenario: {}", error.one_line())],
    };
    let mut found = Vec::new();
    for case in scenario::cases(&scenario) {
        for knowledge in [Knowledge::World, Knowledge::Wire] {
            let case = Case { knowledge, ..case.clone() };
            let judgement = judge(&case, seed, variant.map(|variant| variant.replacement), Keep::Verdict);
            found.extend(judgement.halted);
            let lines = judgement.findings.iter();
            found.extend(lines.map(|one| format!("{} {} at {}: {}", one.suspects, one.host, one.at, one.what)));
        }
    }
    found
}

/// Attempts to make a scenario smaller in which something is found.
const SHRINKS: u32 = 400;

/// What draws draw `case`, the same in every run.
fn runner(seed: u32, case: u32) -> TestRunner {
    let mut key = [0; 32];
    key[..4].copy_from_slice(&seed.to_le_bytes());
    key[4..8].copy_from_slice(&case.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
    TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng)
}

/// The text of draw `case` of a profile, and the seed of its run.
pub fn text_of_draw(protocol: &'static Protocol, profile: &'static Profile, case: u32) -> (String, u64) {
    let draw = drawn(protocol, profile).new_tree(&mut runner(0, case)).expect("nothing that is drawn is refused");
    draw.current()
}

/// Judges draw `case` of a profile, the same in every run. If anything is found, its name; what it is and the smallest scenario that
/// shows it are printed at once, as a run can be long.
fn found_in_draw(
    (protocol, profile): (&Protocol, &Profile),
    all: &BoxedStrategy<(String, u64)>,
    seed: u32,
    case: u32,
) -> Option<String> {
    let mut draw = all.new_tree(&mut runner(seed, case)).expect("nothing that is drawn is refused");
    let variant = variant_of(protocol, case);
    let with = variant.map_or("the reference", |variant| variant.name);
    let found_now = |(text, seed): (String, u64)| {
        let mut found = findings(&text, seed);
        found.extend(variant.into_iter().flat_map(|variant| findings_with(&text, seed, Some(variant))));
        let lines: Vec<&str> = found.iter().take(5).map(String::as_str).collect();
        let what = || format!("seed {seed}, with {with}\n{}\n{text}", lines.join("\n"));
        (!found.is_empty()).then(what)
    };
    let mut smallest = found_now(draw.current())?;
    let mut goes_on = draw.simplify();
    for _ in 0..SHRINKS {
        if !goes_on {
            break;
        }
        goes_on = match found_now(draw.current()) {
            Some(found) => {
                smallest = found;
                draw.simplify()
            }
            None => draw.complicate(),
        };
    }
    let name = format!("{}, draw {case}", profile.name);
    eprintln!("{name}: {smallest}\n");
    Some(name)
}

#[test]
fn nothing_is_found_against_the_reference_in_random_scenarios() {
    let given = |name| std::env::var(name).ok().map(|count| count.parse().expect("the environment has a number"));
    let (first, cases) = (given("RANDOM_FIRST").unwrap_or(0), given("RANDOM_CASES").unwrap_or(CASES));
    let seed = given("RANDOM_SEED").unwrap_or(0);
    let only = std::env::var("RANDOM_PROFILE").ok();
    let profiles: Vec<_> = PROTOCOLS
        .iter()
        .flat_map(|protocol| protocol.profiles.iter().map(move |profile| (*protocol, profile)))
        .filter(|(_, profile)| only.as_ref().is_none_or(|only| only == profile.name))
        .collect();
    let failed: Vec<String> = profiles
        .par_iter()
        .flat_map(|(protocol, profile)| {
            let draws = (first..first.saturating_add(cases)).into_par_iter();
            draws
                .map_init(|| drawn(protocol, profile), |all, case| found_in_draw((protocol, profile), all, seed, case))
                .flatten()
        })
        .collect();
    assert!(failed.is_empty(), "something is found in {failed:?}: see above");
}

#[test]
fn nothing_is_found_in_scenarios_that_once_had_a_false_finding() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/runner/tests/it/random");
    let paths = scenario::discover(&root).expect("the scenarios can be listed");
    assert!(!paths.is_empty(), "no scenario in {}", root.display());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("the scenario can be read");
        let scenario = scenario::load(&root, &path).unwrap_or_else(|error| panic!("{}", error.render(false)));
        let variant = text.lines().find_map(|line| line.strip_prefix(WITH)).map(|name| {
            let mut variants = PROTOCOLS.iter().flat_map(|protocol| protocol.variants());
            variants.find(|variant| variant.name == name).expect("the variant is known")
        });
        for seed in scenario.file.seeds.0.iter().copied() {
            assert_eq!(findings_with(&text, seed, variant), [""; 0], "{}, seed {seed}", path.display());
        }
    }
}
