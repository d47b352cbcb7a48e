//! Conforming variants, in runs that bring out what they do otherwise. Broken twins are the kill matrix's, in their scenarios.

use kit::table::float_bits;
use kit::{Command, Endpoint, HostId, Role, Setup, StandIn, StatValue, Time};
use r1q2::PROTOCOL;
use r1q2::machine::options::{OPTIONS, PROFILES};
use r1q2::machine::world::PLAYER_FIRST;
use r1q2::verbs::*;
use r1q2::wire::constants::*;
use r1q2::wire::state::*;
use sim::{Link, Network, Simulation};

/// What is special about a run, by the name of the scenario that is like it.
fn options(name: &str) -> Vec<(&'static str, i64)> {
    match name {
        "r1q2/unnumbered" => vec![("qport", 0), ("same_address", 1)],
        "r1q2/frames-compressed" => vec![("frames_in_zpackets", 2)],
        "r1q2/low-rate" => vec![("rate", 150)],
        "r1q2/lengths" => vec![("maxlen", 600), ("client2_protocol", 34)],
        "r1q2/no-length" => vec![("maxlen", -1)],
        "r1q2/most" => vec![("maxlen", 0)],
        _ => vec![("client2_protocol", 34)],
    }
}

fn link(name: &str) -> Link {
    let bad = Link { loss_ppm: 200_000, random_until: Some(Time(7_000_000)), ..Link::clean(20_000) };
    match name {
        "r1q2/bad" => bad,
        _ => Link::clean(20_000),
    }
}

/// The links from clients to the server, where they differ.
fn uplink(name: &str) -> Link {
    match name {
        "r1q2/acks-lost" => Link { outages: vec![(Time(3_000_000), Time(5_700_000))], ..Link::clean(20_000) },
        _ => link(name),
    }
}

fn commands() -> Vec<(Time, HostId, Command)> {
    let mut list = Vec::new();
    let mut at = |milliseconds: u64, host: u16, command| list.push((Time(milliseconds * 1000), HostId(host), command));
    let verb = |verb, args| Command::Verb { verb, args };
    let set = |entity, field, value| Command::Set { entity, field, value };
    for client in [1, 2] {
        at(0, client, Command::Connect);
    }
    for entity in [1, 2, 20, 21, 300] {
        at(0, 0, Command::Baseline { entity, field: MODEL, value: 3 });
        at(0, 0, Command::Spawn { entity });
    }
    at(0, 0, set(21, RENDERFX, RF_BEAM));
    at(0, 0, set(21, OLD_ORIGIN_X, float_bits(64.0)));
    for step in 0..60_i32 {
        let time = 100 * step as u64 + 1030;
        at(time, 0, set(20, ORIGIN_X, float_bits(step as f32 * 3.25)));
        at(time, 0, set(300, FRAME, step * 9));
        at(time, 0, set(21, OLD_ORIGIN_Y, float_bits((step / 9) as f32)));
        for client in [1, 2_u32] {
            let player = |field, value| set(client, PLAYER_FIRST + field, value);
            match step % 8 {
                0 => at(time, 0, player(GUNFRAME, step)),
                1 => at(time, 0, player(GUNOFFSET_Z, step)),
                2 => at(time, 0, player(GUN_YAW, -step)),
                3 => {
                    at(time, 0, player(PM_TYPE, PM_DEAD));
                    at(time, 0, player(VIEW_ROLL, step * 100));
                }
                4 => at(time, 0, player(PM_ORIGIN_Z, step * 8)),
                5 => at(time, 0, player(PM_ORIGIN_X, step * 8)),
                6 => at(time, 0, player(VIEW_YAW, step * 50)),
                _ => {
                    let stat = (step % 32) as u8;
                    at(time, 0, Command::Stat { client: client as u16, stat, value: StatValue::Int(step) });
                }
            }
        }
    }
    at(4_000, 0, Command::Remove { entity: 20 });
    at(5_000, 0, Command::Spawn { entity: 20 });
    for number in 0..12 {
        at(2_000 + 200 * number, 0, verb(VERB_PRINT, [0, number as i32, 0, 0]));
        at(2_000 + 200 * number, 0, verb(VERB_UNICAST, [1, number as i32, 0, 0]));
    }
    at(2_500, 1, verb(VERB_DOWNLOAD, [90, 0, 0, 0]));
    at(6_000, 1, verb(VERB_DOWNLOAD, [5_000, 0, 0, 0]));
    at(3_000, 0, verb(VERB_BIG, [0, 12_000, 0, 0]));
    for client in [1, 2] {
        at(8_000, 0, set(client, PLAYER_FIRST + PM_TYPE, PM_SPECTATOR));
        at(11_000, client as u16, verb(VERB_WALK, [200, -100, 50, 1]));
        at(13_000, client as u16, verb(VERB_WALK, [0; 4]));
        at(13_500, 0, set(client, PLAYER_FIRST + PM_TYPE, PM_NORMAL));
        at(13_500, 0, set(client, PLAYER_FIRST + PM_VELOCITY_X, 160));
    }
    list
}

/// What a run finds with a stand-in, in a profile: requirements, and who broke them.
fn run(name: &str, profile: usize, twin: Option<StandIn>) -> Vec<(&'static str, HostId, String)> {
    let mut setup = Setup::new(&PROTOCOL, &PROFILES[profile]);
    (setup.clients, setup.seed) = (2, 7);
    for (name, value) in options(name) {
        let index = OPTIONS.iter().position(|option| option.name == name).expect("an option");
        setup.options[index] = value;
    }
    let mut commands = commands();
    if name == "r1q2/rebound" {
        let args = [1, 4321, 0, 0];
        commands.push((Time(6_000_000), HostId::SERVER, Command::Verb { verb: VERB_REBIND, args }));
    }
    commands.sort_by_key(|(time, host, _)| (*time, *host));
    let build = |role: Role, setup: &Setup| -> Box<dyn Endpoint> {
        match (twin, role) {
            (Some(twin), _) if twin.role == role => (twin.build)(setup),
            (_, Role::Server) => (PROTOCOL.server)(setup),
            _ => (PROTOCOL.client)(setup),
        }
    };
    let mut hosts = vec![build(Role::Server, &setup)];
    hosts.extend((1..=2).map(|host| build(Role::Client, &setup.on(HostId(host)))));
    let mut network = Network::uniform(11, 2, &link(name));
    for link in &mut network.links {
        link[1] = uplink(name);
    }
    let mut oracle = (PROTOCOL.oracle)(&setup);
    let mut commands = commands.into_iter();
    let until = Time(18_000_000);
    let simulation = Simulation {
        hosts: &mut hosts,
        network: &network,
        commands: &mut commands,
        dissector: None,
        until,
        hash: false,
    };
    assert_eq!(simulation.run(oracle.as_mut()).halted, None);
    oracle.finish(until);
    let told = |it: &kit::Finding| (it.requirement().id, it.host, format!("{} {}: {}", it.at, it.host, it.what));
    oracle.findings().iter().map(told).collect()
}

const NAMES: [&str; 11] = [
    "r1q2/clean",
    "r1q2/unnumbered",
    "r1q2/rebound",
    "r1q2/frames-compressed",
    "r1q2/acks-lost",
    "r1q2/low-rate",
    "r1q2/bad",
    "r1q2/lengths",
    "r1q2/no-length",
    "r1q2/most",
    "r1q2/player",
];

#[test]
fn the_reference_and_every_variant_pass_every_run() {
    let mut failed = Vec::new();
    let variants = PROTOCOL.variants().map(|variant| (variant.name, Some(variant.stand_in), variant.foregoes));
    for (variant, twin, foregoes) in std::iter::once(("reference", None, &[][..])).chain(variants) {
        for (name, profile) in NAMES.into_iter().zip([0, 3].into_iter().cycle()) {
            let mut found = run(name, profile, twin);
            found.retain(|(id, ..)| !foregoes.iter().any(|row| row.id == *id));
            if let Some((id, _, what)) = found.first() {
                failed.push(format!("{variant} in {name} {}: {id} {what}", PROFILES[profile].name));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
