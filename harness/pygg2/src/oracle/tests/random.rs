//! Whatever a scenario and a network may do together, drawn by a counter: neither the reference nor a variant is ever
//! found in breach.

use super::variants::beyond;
use super::*;

/// Draws numbers; the same for the same seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: u64) -> u64 {
        // The finaliser of a well-known generator: good enough to choose among cases.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ word >> 31) % count
    }

    fn chance(&mut self, of_ten: u64) -> bool {
        self.below(10) < of_ten
    }
}

fn link(draws: &mut Draws) -> Link {
    let mut link = Link::clean(draws.below(150) * 1_000);
    if draws.chance(6) {
        link.loss_ppm = draws.below(500_000) as u32;
        link.jitter_us = draws.below(60_000);
        link.duplicate_ppm = draws.below(200_000) as u32;
        link.duplicate_us = draws.below(300_000);
        link.reorder_ppm = draws.below(200_000) as u32;
        link.reorder_us = draws.below(300_000);
    }
    if draws.chance(1) {
        (link.corrupt_ppm, link.truncate_ppm) = (20_000, 20_000);
    }
    if draws.chance(3) {
        let from = draws.below(9_000);
        // A long one is about as long as ends wait before they take each other for gone.
        let length = if draws.chance(3) { 9_000 + draws.below(5_000) } else { draws.below(4_000) };
        link.outages.push((Time::from_ms(from), Time::from_ms(from + length)));
    }
    link
}

fn command(draws: &mut Draws, run: Run, ms: u64) -> Run {
    let clients = u64::from(run.setup.clients);
    let (client, entity) = (1 + draws.below(clients) as u16, 1 + draws.below(clients + 6) as u32);
    match draws.below(24) {
        0 => run.at(ms, 0, Command::Spawn { entity }),
        1 => run.at(ms, 0, Command::Remove { entity }),
        2..=9 => {
            let field = draws.below(FIELDS as u64) as usize;
            let value = match FIELD_TABLE[field].unit {
                kit::Unit::Int(first, last) => first + draws.below((last - first + 1) as u64) as i64,
                kit::Unit::Float => 0,
            };
            run.set(ms, entity, field, value as i32)
        }
        10..=12 => run.set(ms, entity, ALIVE, draws.below(2) as i32),
        13 | 14 => {
            let keys = draws.below(32) as i32;
            run.verb(ms, client, VERB_INPUT, &[keys, draws.below(65_536) as i32])
        }
        15 => run.verb(ms, client, VERB_JUMP, &[]),
        16 | 17 => run.verb(ms, client, VERB_CHANGECLASS, &[draws.below(12) as i32]),
        18 => run.verb(ms, client, VERB_ACKNOWLEDGE, &[draws.below(65_536) as i32]),
        19 => run.verb(ms, client, VERB_CLIENT_NONSENSE, &[draws.below(2) as i32]),
        20 => run.verb(ms, 0, VERB_NONSENSE, &[client.into(), draws.below(2) as i32]),
        21 => run.verb(ms, 0, VERB_UNKNOWN_BASE, &[client.into(), draws.below(4) as i32]),
        22 => run.verb(ms, 0, VERB_COMPLETE_UPDATE, &[draws.below(3) as i32]),
        _ => {
            let command = if draws.chance(5) { Command::Disconnect } else { Command::Connect };
            run.at(ms, client, command)
        }
    }
}

/// A run of everything, by `seed`.
fn random(seed: u64) -> Run {
    let mut draws = Draws(seed);
    let mut run = Run::new(1 + draws.below(4) as u16).seed(seed);
    run.network.links.iter_mut().flatten().for_each(|way| *way = link(&mut draws));
    if draws.chance(3) {
        run = run.option("first_sequence", 65_300 + draws.below(300) as i64);
        run = run.option("first_client_sequence", 65_300 + draws.below(300) as i64);
    }
    if draws.chance(2) {
        run.setup.texts[0] = "secret".into();
        run = run.option("wrong_password", draws.below(8) as i64);
    }
    if draws.chance(2) {
        run = run.option("max_players", draws.below(6) as i64);
    }
    if draws.chance(2) {
        run = run.option("class_extras", draws.below(5) as i64);
        run = run.option("class_fields", draws.below(2) as i64);
    }
    let mut ms = 0;
    for _ in 0..draws.below(250) {
        ms += draws.below(80);
        run = command(&mut draws, run, ms);
    }
    run.length_ms = ms + 3_000 + 10_000 * draws.below(3);
    run
}

/// Runs in which something was found once that was right: players who are gone unseen, packets that are damaged and can
/// be read.
const FOUND_ONCE: [u64; 7] = [2_374, 2_464, 2_496, 2_775, 3_480, 10_615, 21];

/// As many runs as `RANDOM_RUNS` says, or a few.
#[test]
fn nothing_is_found_in_random_runs() {
    let runs = std::env::var("RANDOM_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(150);
    for seed in (0..runs).chain(FOUND_ONCE) {
        // The reference, and each variant in its turn.
        let turn = seed as usize % (PROTOCOL.variants().count() + 1);
        let variant = PROTOCOL.variants().nth(turn);
        let oracle = random(seed).judge_with(variant.map(|variant| variant.replacement));
        let findings = match variant {
            Some(variant) => beyond(variant, oracle.findings()),
            None => oracle.findings().to_vec(),
        };
        assert_eq!(show(&findings), "", "seed {seed} {variant:?}");
    }
}
