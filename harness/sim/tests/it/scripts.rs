//! Scripted faults in a run: the right datagram, the right fate, counted.

use crate::hosts::{Talker, boxed, run};
use kit::{
    Damage, DecodeError, Delivery, Direction, Dissection, Dissector, Fate, HostId, LossCause, Mark, PeerId, Time,
};
use sim::{Action, Carries, FateKey, Link, Network, Recording, Rule, Select, Simulation, Unwatched};

/// [`FirstByte`], with a count of the datagrams that it was asked about.
#[derive(Default)]
struct Counted(usize);

impl Dissector for Counted {
    fn datagram(&mut self, client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) {
        self.0 += 1;
        FirstByte.datagram(client, direction, bytes, out);
    }

    fn extensions(&self) -> Vec<String> {
        Vec::new()
    }

    fn assume(&mut self, _: &str) -> Result<(), String> {
        Ok(())
    }
}

/// Ten datagrams, numbered from 0, one every 10 ms, and nobody but a rule like this wants to know what they carry: the dissector is
/// asked about so many.
fn check_asked(select: Select, asked: usize) {
    let mut network = Network::uniform(1, 1, &Link::clean(5));
    network.links[0][0].script = vec![rule(Action::Drop, select)];
    let mut hosts = boxed(vec![Talker::new(&[PeerId::client(1)], 10_000, 4), Talker::default()]);
    let mut dissector = Counted::default();
    let simulation = Simulation {
        hosts: &mut hosts,
        network: &network,
        commands: &mut std::iter::empty(),
        dissector: Some(&mut dissector),
        until: Time(99_999),
        hash: false,
    };
    assert_eq!(simulation.run(&mut Unwatched).datagrams, 10);
    assert_eq!(dissector.0, asked);
}

#[test]
fn a_dissector_is_asked_as_long_as_its_answer_can_matter() {
    check_asked(Select::default(), 0);
    check_asked(Select { carries: CARRIES, ..Select::default() }, 10);
    check_asked(Select { carries: CARRIES, nth: Some((2, 3)), ..Select::default() }, 3);
    check_asked(Select { carries: CARRIES, index: Some((2, 4)), ..Select::default() }, 5);
    check_asked(Select { carries: CARRIES, time: Some((Time(0), Time(20_000))), ..Select::default() }, 2);
}

/// Finds mark 2 with the datagram's first byte in every datagram.
struct FirstByte;

impl Dissector for FirstByte {
    fn datagram(&mut self, _: HostId, _: Direction, bytes: &[u8], out: &mut Dissection) {
        out.error = None::<DecodeError>;
        out.marks.extend(bytes.first().map(|byte| Mark { kind: 2, number: u32::from(*byte) }));
    }

    fn extensions(&self) -> Vec<String> {
        Vec::new()
    }

    fn assume(&mut self, _: &str) -> Result<(), String> {
        Ok(())
    }
}

/// Ten datagrams, numbered in their first byte, one every 10 ms; a link that would lose them all but for the script.
fn check(rule: Rule, dissect: bool, fates: &[(u32, Fate)]) {
    let mut network = Network::uniform(1, 1, &Link { loss_ppm: 1_000_000, latency_us: 5, ..Link::default() });
    network.links[0][0].script = vec![rule];
    let mut hosts = boxed(vec![Talker::new(&[PeerId::client(1)], 10_000, 4), Talker::default()]);
    let mut recording = Recording::default();
    let simulation = Simulation {
        hosts: &mut hosts,
        network: &network,
        commands: &mut std::iter::empty(),
        dissector: if dissect { Some(&mut FirstByte) } else { None },
        until: Time(99_999),
        hash: false,
    };
    let outcome = simulation.run(&mut recording);
    assert_eq!(outcome.script_hits, [[vec![fates.len() as u64], vec![]]]);
    assert_eq!((outcome.datagrams, outcome.trace_hash), (10, 0));
    let spared = recording.fates.iter().filter(|(_, fate)| **fate != Fate::Lost(LossCause::Random));
    let spared: Vec<(u32, Fate)> = spared.map(|(key, fate)| (key.slot, *fate)).collect();
    assert_eq!(spared, fates);
}

fn rule(action: Action, select: Select) -> Rule {
    Rule { select, action }
}

const CARRIES: Option<Carries> = Some(Carries { kind: 2, number: None });

#[test]
fn a_datagram_is_chosen_by_its_index() {
    let select = Select { index: Some((3, 4)), ..Select::default() };
    check(rule(Action::Drop, select), false, &[(3, Fate::Lost(LossCause::Script)), (4, Fate::Lost(LossCause::Script))]);
}

#[test]
fn a_datagram_is_chosen_by_its_time() {
    let select = Select { time: Some((Time(20_000), Time(30_000))), ..Select::default() };
    check(rule(Action::Delay { by_us: 40 }, select), false, &[(2, Fate::Once(Delivery::whole(45)))]);
}

#[test]
fn a_datagram_is_chosen_by_what_it_carries() {
    let select = Select { carries: Some(Carries { kind: 2, number: Some(7) }), ..Select::default() };
    let twice = Fate::Twice(Delivery::whole(5), Delivery::whole(9));
    check(rule(Action::Duplicate { after_us: 4 }, select), true, &[(7, twice)]);
}

#[test]
fn the_nth_datagram_that_carries_something_is_chosen() {
    let time = Some((Time(30_000), Time(90_000)));
    let select = Select { carries: CARRIES, nth: Some((2, 2)), time, ..Select::default() };
    let damage = Damage::Truncated { keep_bytes: 3 };
    let cut = Fate::Once(Delivery { delay_us: 5, damage });
    check(rule(Action::Damage(damage), select), true, &[(4, cut)]);
}

#[test]
fn nothing_is_carried_without_a_dissector() {
    check(rule(Action::Deliver, Select { carries: CARRIES, ..Select::default() }), false, &[]);
}

#[test]
fn a_scripted_delivery_escapes_chance() {
    let select = Select { nth: Some((10, 20)), ..Select::default() };
    check(rule(Action::Deliver, select), false, &[(9, Fate::Once(Delivery::whole(5)))]);
}

#[test]
fn a_flipped_bit_reaches_the_receiver() {
    let select = Select { nth: Some((1, 1)), ..Select::default() };
    let flip = |bit| Damage::Flipped { bit };
    let flipped = Fate::Once(Delivery { delay_us: 5, damage: flip(8) });
    check(rule(Action::Damage(flip(40)), select), false, &[(0, flipped)]);
}

#[test]
fn an_override_beats_a_script_which_still_counts_its_hit() {
    let mut network = Network::uniform(1, 1, &Link::clean(5));
    network.links[0][0].script = vec![rule(Action::Drop, Select { index: Some((1, 1)), ..Select::default() })];
    let direction = Direction::ServerToClient;
    let key = FateKey { client: HostId(1), direction, slot: 1, ordinal: 0 };
    network.fates.insert(key, Fate::Once(Delivery::whole(77)));
    let hosts = boxed(vec![Talker::new(&[PeerId::client(1)], 10_000, 4), Talker::default()]);
    let mut recording = Recording::default();
    let outcome = run(hosts, &network, &[], Time(29_999), &mut recording);
    let fates: Vec<Fate> = recording.fates.into_values().collect();
    assert_eq!(fates, [5, 77, 5].map(|delay_us| Fate::Once(Delivery::whole(delay_us))));
    assert_eq!(outcome.script_hits[0][0], [1]);
}
