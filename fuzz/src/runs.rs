//! A whole run of any protocol: bytes say what the world and the network do, and the oracle must have nothing to say
//! against the reference.

use super::input::Input;
use deltaproof::registry::PROTOCOLS;
use kit::table::float_bits;
use kit::{Command, Endpoint, HostId, Oracle, Probe, Profile, Protocol, Setup, StatValue, Time, TraceEvent, Unit};
use sim::{Link, Network, Simulation};

/// Most steps of an input.
const MAX_STEPS: usize = 300;
/// Most clients.
const MAX_CLIENTS: u8 = 3;
/// The entities of every world: players, and numbers on both sides of what one byte can hold.
const NUMBERS: [u32; 10] = [1, 2, 3, 4, 40, 127, 255, 256, 300, 511];
/// How long the world stands still at the end, while nothing is lost, in microseconds.
const SETTLE_US: u64 = 6_000_000;

/// Time between maps, in microseconds. NetQuake's sign-on does not say to which map it belongs: a server takes the answer to
/// one serverinfo for the answer to the next, if they follow each other faster than the network carries them.
const MAP_US: u64 = 8_000_000;

/// Hands all that happens to the oracle.
struct Watch(Box<dyn Oracle>);

impl Probe for Watch {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.0.on(now, event);
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.0.settled(now, host, endpoint);
    }
}

/// One direction of a link.
fn link(input: &mut Input<'_>) -> Link {
    let percent = |byte: u8, most: u32| u32::from(byte) * most * 10_000 / 255;
    let mut link = Link::clean(u64::from(input.u8()) * 500);
    if input.u8() & 1 != 0 {
        link.loss_ppm = percent(input.u8(), 40);
        link.duplicate_ppm = percent(input.u8(), 40);
        link.duplicate_us = u64::from(input.u8()) * 1000;
        link.reorder_ppm = percent(input.u8(), 40);
        link.reorder_us = u64::from(input.u8()) * 1000;
        link.jitter_us = u64::from(input.u8()) * 200;
        if input.u8() > 224 {
            link.corrupt_ppm = percent(input.u8(), 10);
            link.truncate_ppm = percent(input.u8(), 10);
        }
        for _ in 0..input.u8() % 3 {
            let from = Time(u64::from(input.u8()) * 40_000);
            link.outages.push((from, from.after(u64::from(input.u8()) * 20_000)));
        }
        link.outages.sort();
    }
    link
}

/// A value for the field, within its range.
fn value(protocol: &Protocol, field: usize, raw: i32) -> i32 {
    match protocol.fields[field].unit {
        Unit::Int(least, most) if most - least < 256 => (least + i64::from(raw).rem_euclid(most - least + 1)) as i32,
        Unit::Int(least, most) => i64::from(raw).clamp(least, most) as i32,
        // Coords of all codings hold these.
        Unit::Float => float_bits((raw % 65_536) as f32 / 16.0),
    }
}

/// What happens next, and to whom.
fn step(input: &mut Input<'_>, protocol: &Protocol, clients: u8) -> (HostId, Command) {
    let code = input.u8();
    let entity = NUMBERS[usize::from(code) % NUMBERS.len()];
    let client = 1 + u16::from(code) % u16::from(clients);
    let command = match code {
        0..=39 => Command::Spawn { entity },
        40..=63 => Command::Remove { entity },
        64..=175 => {
            let field = usize::from(input.u8()) % protocol.fields.len();
            Command::Set { entity, field, value: value(protocol, field, input.i32()) }
        }
        176..=207 => Command::Stat { client, stat: input.u8() % 48, value: StatValue::Int(input.u16().into()) },
        208..=211 => Command::Map,
        212..=213 => return (HostId(client), Command::Disconnect),
        214..=217 => return (HostId(client), Command::Connect),
        _ => {
            let verb = usize::from(input.u8()) % protocol.verbs.len().max(1);
            let args = [(); 4].map(|()| i32::from(input.u8()));
            let host = if input.u8() & 1 == 0 { HostId::SERVER } else { HostId(client) };
            return (host, Command::Verb { verb, args });
        }
    };
    (HostId::SERVER, command)
}

/// The timeline: a world, connections, and what the input says. Ends with the time of its last step.
fn timeline(input: &mut Input<'_>, protocol: &Protocol, clients: u8) -> (Vec<(Time, HostId, Command)>, Time) {
    let mut timeline = Vec::new();
    let mut tell = |at: Time, host: HostId, command: Command| timeline.push((at, host, command));
    for (place, &entity) in NUMBERS.iter().enumerate() {
        for (field, shift) in [(0, 1), (1, 0), (5, 4)] {
            if field < protocol.fields.len() {
                let value = value(protocol, field, (place as i32 + 1) << shift);
                tell(Time::ZERO, HostId::SERVER, Command::Baseline { entity, field, value });
            }
        }
    }
    for &entity in &NUMBERS[..5] {
        tell(Time::ZERO, HostId::SERVER, Command::Spawn { entity });
    }
    for client in 1..=clients.into() {
        tell(Time::ZERO, HostId(client), Command::Connect);
    }
    let (mut now, mut map_from) = (Time::ZERO, Time(MAP_US));
    for _ in 0..MAX_STEPS {
        if input.0.is_empty() {
            break;
        }
        now = now.after(u64::from(input.u8()) * 1000);
        let (host, command) = step(input, protocol, clients);
        if matches!(command, Command::Map) && now < map_from {
            continue;
        }
        if matches!(command, Command::Map) {
            map_from = now.after(MAP_US);
        }
        tell(now, host, command);
    }
    (timeline, now)
}

/// The profile that a byte chooses.
fn profile(choice: u8) -> (&'static Protocol, &'static Profile) {
    let all =
        || PROTOCOLS.iter().flat_map(|protocol| protocol.profiles.iter().map(move |profile| (*protocol, profile)));
    let turn = usize::from(choice) % all().count().max(1);
    all().nth(turn).expect("there is a profile")
}

/// What a run found against the reference.
pub struct Found {
    /// The requirement's id, or `halted`.
    pub requirement: &'static str,
    /// What the oracle, or the executor, says.
    pub what: String,
    /// The profile.
    pub profile: &'static str,
    /// What the hosts were instructed to.
    pub commands: Vec<(Time, HostId, Command)>,
}

/// The first byte chooses the profile, a few more the links; the others say what happens when.
///
/// # Panics
/// The oracle has something against the reference.
pub fn run(bytes: &[u8]) {
    if let Some(Found { requirement, what, profile, commands }) = judged(bytes) {
        panic!("{profile}: {requirement}: {what}\n{commands:#?}");
    }
}

/// As [`run`], but says what was found: the first of it.
pub fn judged(bytes: &[u8]) -> Option<Found> {
    let mut input = Input(bytes);
    let (protocol, profile) = profile(input.u8());
    let clients = 1 + input.u8() % MAX_CLIENTS;
    let mut links: Vec<[Link; 2]> = (0..clients).map(|_| [link(&mut input), link(&mut input)]).collect();
    let seed = input.u16().into();
    let (commands, last) = timeline(&mut input, protocol, clients);
    for link in links.iter_mut().flatten() {
        link.random_until = Some(last);
        link.outages.retain(|(_, until)| *until <= last);
    }
    let setup = Setup { clients: clients.into(), seed, ..Setup::new(protocol, profile) };
    let mut hosts: Vec<Box<dyn Endpoint>> = vec![(protocol.server)(&setup)];
    hosts.extend((1..=setup.clients).map(|client| (protocol.client)(&setup.on(HostId(client)))));
    let mut watch = Watch((protocol.oracle)(&setup));
    let outcome = Simulation {
        hosts: &mut hosts,
        network: &Network { seed, links, ..Network::default() },
        commands: &mut commands.iter().copied(),
        dissector: None,
        until: last.after(SETTLE_US),
        hash: false,
    }
    .run(&mut watch);
    watch.0.finish(outcome.end);
    let found = |requirement, what| Found { requirement, what, profile: profile.name, commands };
    match (outcome.halted, watch.0.findings().first()) {
        (Some(halt), _) => Some(found("halted", halt.to_string())),
        (None, Some(first)) => {
            Some(found(first.requirement().id, format!("{} at {}: {}", first.host, first.at, first.what)))
        }
        (None, None) => None,
    }
}
