//! Sessions of the machines with each other: over clean networks and bad ones, in every revision, and over both protocols
//! at once.
//!
//! What a client shows is compared with what the server had when it made that frame: by field, in the wire's precision.

use crate::run::{Run, line};
use kit::table::{Kind, float_bits};
use kit::{Command, Endpoint, Event, HostId, Profile, StatValue, Time, TraceEvent, View};
use r1q2::machine::options::PROFILES;
use r1q2::machine::world::{PLAYER_FIRST, WORLD_FIELDS};
use r1q2::notes::*;
use r1q2::verbs::*;
use r1q2::wire::constants::*;
use r1q2::wire::delta::ENTITY_ROWS;
use r1q2::wire::service::verb;
use r1q2::wire::state::*;
use sim::{Link, Pause};
use std::collections::BTreeMap;

/// Collects what the hosts print and show.
#[derive(Default)]
struct Watcher {
    /// By host: notes, prints and states.
    notes: BTreeMap<u16, Vec<(usize, [i64; 4])>>,
    prints: BTreeMap<u16, Vec<String>>,
    states: BTreeMap<u16, Vec<&'static str>>,
    views: BTreeMap<u16, View>,
    errors: Vec<String>,
    longest: usize,
}

impl kit::Probe for Watcher {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        match event {
            TraceEvent::Event { host, event } => match event {
                Event::Note { note, args } => self.notes.entry(host.0).or_default().push((*note, *args)),
                Event::Print { text } => {
                    self.prints.entry(host.0).or_default().push(String::from_utf8_lossy(text).trim_end().to_owned());
                }
                Event::State { to, .. } => self.states.entry(host.0).or_default().push(to),
                Event::Rejected { error, .. } => self.errors.push(format!("{now} {host}: {error:?}")),
            },
            TraceEvent::Sent { bytes, .. } => self.longest = self.longest.max(bytes.len()),
            _ => {}
        }
    }

    fn settled(&mut self, _: Time, host: HostId, endpoint: &dyn Endpoint) {
        let view = self.views.entry(host.0).or_default();
        view.clear();
        endpoint.observe(view);
    }
}

impl Watcher {
    fn count(&self, host: u16, note: usize) -> usize {
        self.notes.get(&host).map_or(0, |notes| notes.iter().filter(|(what, _)| *what == note).count())
    }

    fn values(&self, host: u16, note: usize) -> Vec<[i64; 4]> {
        let notes = self.notes.get(&host).into_iter().flatten();
        notes.filter(|(what, _)| *what == note).map(|(_, args)| *args).collect()
    }
}

impl Run {
    /// Entities that move, beams, and a player's state, all along.
    fn world(&mut self) -> &mut Run {
        for entity in [1, 2, 20, 21, 300] {
            self.at(0, 0, Command::Baseline { entity, field: MODEL, value: 3 });
            self.at(0, 0, Command::Spawn { entity });
        }
        self.set(0, 21, RENDERFX, RF_BEAM);
        self.set(0, 21, OLD_ORIGIN_X, float_bits(64.0));
        for step in 0..60 {
            let (at, value) = (100 * step + 30, step as i32);
            self.set(at, 20, ORIGIN_X, float_bits(value as f32 * 3.3));
            self.set(at, 300, FRAME, value * 9);
            self.set(at, 1, PLAYER_FIRST + GUNFRAME, value);
            self.set(at, 1, PLAYER_FIRST + GUNOFFSET_Z, -value);
            self.set(at, 2, PLAYER_FIRST + PM_VELOCITY_Z, if step < 59 { value / 5 } else { 0 });
            if step % 10 == 5 {
                self.set(at, 20, EVENT, 3);
                self.set(at, 21, OLD_ORIGIN_Y, float_bits(value as f32));
                self.at(at, 0, Command::Stat { client: 1, stat: 1, value: StatValue::Int(100 - value) });
            }
            if step == 25 {
                self.at(at, 0, Command::Remove { entity: 20 });
            }
            if step == 28 {
                self.at(at, 0, Command::Spawn { entity: 20 });
            }
        }
        self
    }

    /// Runs it; nothing is refused, and nothing found.
    fn run(&mut self) -> Watcher {
        let (watcher, findings) = self.judged();
        assert_eq!((&watcher.errors, findings), (&Vec::new(), Vec::<String>::new()));
        watcher
    }

    /// Runs it: what the oracle found.
    fn judged(&mut self) -> (Watcher, Vec<String>) {
        let mut watcher = Watcher::default();
        let oracle = self.judge(self.setup.seed, &mut watcher);
        (watcher, oracle.findings().iter().map(line).collect())
    }
}

/// What a client shows is what the server has, but for what each kind of entity may have otherwise.
#[track_caller]
fn check_state(watcher: &Watcher, client: u16, gate_solid: bool) {
    let (server, shown) = (&watcher.views[&0], &watcher.views[&client]);
    assert_eq!((shown.state, shown.valid), ("active", true), "client {client}: {:?}", watcher.states);
    assert_eq!(shown.numbers, server.numbers);
    for (&number, (is, has)) in
        server.numbers.iter().zip(shown.fields.chunks(WORLD_FIELDS).zip(server.fields.chunks(WORLD_FIELDS)))
    {
        for row in &ENTITY_ROWS {
            let kind = row.forms.last().expect("a form").kind;
            let sent = match kind {
                Kind::Own(_) | Kind::U32 => has[row.field],
                _ if row.field == SOLID && gate_solid => has[row.field],
                kind => kind.quantise(has[row.field]),
            };
            let old_origin = OLD_ORIGIN.contains(&row.field) && has[RENDERFX] & RF_BEAM == 0;
            assert!(old_origin || is[row.field] == sent, "entity {number}, {}", row.name);
        }
        let own = number == u32::from(client);
        for field in 0..STATS {
            let sent = if own { has[PLAYER_FIRST + field] } else { 0 };
            assert_eq!(is[PLAYER_FIRST + field], sent, "entity {number}, {}", PLAYER_TABLE[field].name);
        }
    }
}

#[test]
fn a_client_that_stood_still_for_long_leaves_no_number_out() {
    // The ticks of twelve seconds are due at once; it makes up for none of them.
    let mut run = Run::new(0, 1, &[]);
    run.pauses.push(Pause { host: HostId(1), from: Time(2_000_000), until: Time(14_000_000) });
    run.world().seconds = 18;
    run.run();
}

#[test]
fn over_a_clean_network_every_revision_and_both_protocols_show_what_there_is() {
    for (profile, Profile { name, .. }) in PROFILES.iter().enumerate() {
        let mut run = Run::new(profile, 2, &[("client2_protocol", 34)]);
        run.world().seconds = 7;
        let watcher = run.run();
        for client in [1, 2] {
            check_state(&watcher, client, profile == 3);
            assert_eq!(watcher.count(client, NOTE_INVALID_FRAME), 0);
            assert_eq!(
                watcher.states[&client],
                ["challenging", "connecting", "connected", "loading", "active"],
                "{name}"
            );
        }
        assert_eq!(watcher.views[&1].stats, [(1, StatValue::Int(45))]);
    }
}

#[test]
fn over_a_bad_network_clients_recover() {
    for profile in 0..PROFILES.len() {
        for seed in 0..4 {
            let mut run = Run::new(profile, 2, &[("client2_protocol", 34)]);
            run.setup.seed = seed;
            run.link = Link { loss_ppm: 200_000, duplicate_ppm: 50_000, ..Link::clean(30_000) };
            run.world().seconds = 25;
            // The last of what changes does so while the network is bad; frames go on, and show it.
            let watcher = run.run();
            for client in [1, 2] {
                check_state(&watcher, client, profile == 3);
            }
        }
    }
}

fn args(note: &Event) -> [i64; 4] {
    if let Event::Note { args, .. } = note { *args } else { [0; 4] }
}

#[test]
fn reliable_messages_arrive_once_each_and_in_order_and_unreliable_ones_are_shown() {
    let mut run = Run::new(0, 2, &[("client2_protocol", 34)]);
    run.world();
    run.link = Link { loss_ppm: 150_000, ..Link::clean(30_000) };
    for number in 1..=20 {
        run.verb(6000 + 50 * number as u64, 0, VERB_PRINT, [0, number, 0, 0]);
    }
    run.verb(6000, 0, VERB_BIG, [1, 6000, 0, 0]);
    run.verb(7500, 0, VERB_LAYOUT, [2, 77, 0, 0]);
    run.verb(7500, 0, VERB_INVENTORY, [1, 5, 12, 0]);
    run.verb(7500, 0, VERB_CONFIGSTRING, [100, 9, 0, 0]);
    run.seconds = 30;
    let watcher = run.run();
    let expected: Vec<String> = (1..=20).map(|number| format!("proof {number}")).collect();
    for client in [1, 2] {
        let prints = watcher.prints[&client].iter().filter(|text| text.starts_with("proof"));
        assert_eq!(prints.cloned().collect::<Vec<_>>(), expected);
        assert_eq!(watcher.values(client, NOTE_CONFIGSTRING), [[100, 9, 0, 0]]);
    }
    let mut counts = [0; 256];
    counts[5] = 12;
    let inventory = args(&verb::inventory_note(&counts));
    assert_eq!(
        (watcher.values(2, NOTE_LAYOUT_SHOWN), watcher.values(1, NOTE_INVENTORY)),
        (vec![[77, 0, 0, 0]], vec![inventory])
    );
    let much: usize = watcher.prints[&1].iter().filter(|text| text.starts_with("much")).map(String::len).sum();
    assert_eq!(much, 6000);

    let mut run = Run::new(0, 1, &[]);
    run.world();
    run.verb(4000, 0, VERB_SOUND, [1, 20, 9, 0x1f]);
    run.verb(4000, 0, VERB_TEMP_ENTITY, [3, 20, 0, 0]);
    run.verb(4000, 0, VERB_UNICAST, [1, 5, 0, 0]);
    run.verb(4000, 0, VERB_MUZZLEFLASH, [1, 2, 0, 0]);
    let watcher = run.run();
    let [sound, effect] = [watcher.values(1, NOTE_SOUND_PLAYED)[0], watcher.values(1, NOTE_EFFECT_SHOWN)[0]];
    assert_eq!((&sound[..3], effect[0]), (&[9, 20, 1][..], 3));
    assert_eq!(watcher.values(1, NOTE_MUZZLEFLASH), [[1, 2, 0, 0]]);
    assert_eq!(watcher.prints[&1], ["aside 5"]);
}

#[test]
fn spectators_of_both_protocols_fly_side_by_side_and_predict_their_way() {
    let mut run = Run::new(0, 2, &[("client2_protocol", 34)]);
    run.world();
    for client in [1, 2] {
        run.set(0, client.into(), PLAYER_FIRST + PM_TYPE, PM_SPECTATOR);
        run.verb(3000, client, VERB_WALK, [100, -50, 20, 0]);
        run.verb(4000, client, VERB_WALK, [0, 0, 0, 0]);
    }
    let watcher = run.run();
    let place = |client: u16| {
        let entity = watcher.views[&client].entity(client.into()).expect("an entity");
        [0, 1, 2].map(|axis| entity[PLAYER_FIRST + PM_ORIGIN_X + axis])
    };
    // Twenty commands of 50 ms.
    assert_eq!((place(1), place(2)), ([1600, -800, 320], [800, -400, 160]));
    for client in [1, 2] {
        let errors = watcher.values(client, NOTE_PREDICTION_ERROR);
        assert!(errors.len() > 20 && errors.iter().all(|error| *error == [0; 4]), "{errors:?}");
    }
}

#[test]
fn at_another_revision_old_clients_come_back_over_protocol_34_and_new_ones_speak_the_lesser() {
    for (profile, minor) in [(0, 1902), (0, 1905), (1, 1905), (1, 1901)] {
        let mut run = Run::new(profile, 1, &[("server_minor", minor)]);
        run.world().seconds = 7;
        let watcher = run.run();
        assert_eq!(watcher.values(1, NOTE_FALLBACK), [[minor, 0, 0, 0]]);
        check_state(&watcher, 1, false);
    }
    for (profile, minor) in [(2, 1905), (3, 1904), (3, 1903)] {
        let mut run = Run::new(profile, 1, &[("server_minor", minor)]);
        run.world().seconds = 7;
        let watcher = run.run();
        assert_eq!(watcher.count(1, NOTE_FALLBACK), 0);
        check_state(&watcher, 1, false);
    }
}

#[test]
fn clients_without_a_number_are_known_by_their_ports_and_others_may_change_theirs() {
    let mut run = Run::new(0, 2, &[("qport", 0), ("same_address", 1)]);
    run.world().seconds = 7;
    let watcher = run.run();
    check_state(&watcher, 1, false);
    check_state(&watcher, 2, false);

    let mut run = Run::new(0, 1, &[]);
    run.world().seconds = 7;
    run.rebind(3000, 1);
    let watcher = run.run();
    assert_eq!(watcher.values(0, NOTE_REBOUND), [[1, 28_901, 0, 0]]);
    check_state(&watcher, 1, false);
}

#[test]
fn files_arrive_whole_compressed_or_not_and_a_missing_one_is_refused() {
    for (protocol, profile) in [(34, 0), (35, 0), (35, 3)] {
        let mut run = Run::new(profile, 1, &[("client1_protocol", protocol)]);
        run.world();
        run.verb(2000, 1, VERB_DOWNLOAD, [200, 0, 0, 0]);
        run.verb(9000, 1, VERB_DOWNLOAD, [5000, 0, 0, 0]);
        run.seconds = 12;
        let watcher = run.run();
        let sum = r1q2::machine::download::file_sum(&r1q2::machine::download::file(200).expect("a file"));
        assert_eq!(watcher.values(1, NOTE_DOWNLOADED), [[20_000, 0, 0, 0]]);
        assert_eq!(watcher.values(1, NOTE_DOWNLOAD_SUM), [[i64::from(sum), 0, 0, 0]]);
        assert_eq!(watcher.count(1, NOTE_DOWNLOAD_REFUSED), 1);
    }
}

#[test]
fn lengths_are_kept_and_a_low_rate_holds_frames_back() {
    for (options, most) in [
        (&[("maxlen", 512)][..], 512),
        (&[("maxlen", 1390)], 1390),
        (&[("client1_protocol", 34)], 1400),
        (&[("maxlen", 0)], 4094),
        (&[("maxlen", -1)], 1390),
        (&[("maxlen", 512), ("zpacket", 0)], 512),
    ] {
        let mut run = Run::new(0, 1, options);
        run.world();
        run.verb(3000, 0, VERB_BIG, [1, 20_000, 0, 0]);
        run.seconds = 12;
        let watcher = run.run();
        assert!(watcher.longest <= most, "{options:?}: {}", watcher.longest);
        check_state(&watcher, 1, false);
    }
    let mut run = Run::new(0, 1, &[("rate", 100)]);
    run.world().seconds = 9;
    let watcher = run.run();
    assert!(watcher.count(0, NOTE_HELD_BACK) > 20);
    check_state(&watcher, 1, false);
}

#[test]
fn a_new_map_is_signed_on_to_and_a_client_that_leaves_may_come_back() {
    let mut run = Run::new(0, 2, &[("client2_protocol", 34)]);
    run.world();
    run.at(7000, 0, Command::Map);
    run.at(7500, 0, Command::Spawn { entity: 40 });
    run.at(9000, 2, Command::Disconnect);
    run.at(9500, 2, Command::Connect);
    run.seconds = 14;
    let watcher = run.run();
    for client in [1, 2] {
        check_state(&watcher, client, false);
        assert_eq!(watcher.views[&client].numbers, [40]);
    }
    assert!(watcher.states[&0].contains(&"zombie"));
}

#[test]
fn frames_in_zpackets_and_frames_on_nothing_say_the_same() {
    for options in [&[("frames_in_zpackets", 2)][..], &[("nodelta", 1)], &[("zpacket", 0)], &[("enhanced", 1)]] {
        let mut run = Run::new(0, 1, options);
        run.world().seconds = 7;
        check_state(&run.run(), 1, false);
    }
}

#[test]
fn malformed_zpackets_end_a_session_and_nothing_in_them_is_shown() {
    let mut run = Run::new(0, 5, &[]);
    run.world();
    for client in 1..=5 {
        run.verb(3000, 0, VERB_MALFORMED, [client, client - 1, 0, 0]);
    }
    let (watcher, oracle) = run.judged();
    for client in 1..=5 {
        assert_eq!(watcher.states[&client].last(), Some(&"disconnected"));
        assert_eq!(watcher.prints.get(&client), None);
    }
    assert_eq!(watcher.errors.len(), 5, "{:#?}", watcher.errors);
    assert_eq!(oracle, [""; 0]);
}

#[test]
fn a_client_that_lacks_a_base_shows_what_it_had_and_asks_for_a_frame_without_one() {
    let mut run = Run::new(0, 2, &[("client2_protocol", 34)]);
    run.world().seconds = 7;
    run.verb(3000, 0, VERB_UNSENT, [0; 4]);
    run.verb(4000, 1, VERB_ACK_AHEAD, [7, 4, 0, 0]);
    let watcher = run.run();
    for client in [1, 2] {
        assert!(watcher.count(client, NOTE_INVALID_FRAME) > 0);
        check_state(&watcher, client, false);
    }
}

#[test]
fn what_is_provoked_at_any_moment_over_any_link_is_nobodys_breach() {
    let mut failed = Vec::new();
    for seed in 0..64_u64 {
        let mut state = seed * 0x9e37_79b9 + 1;
        let mut draw = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let mut run = Run::new(seed as usize % PROFILES.len(), 3, &[("client2_protocol", 34)]);
        (run.setup.seed, run.link) = (seed, Link::clean(10_000 + 30_000 * draw(3)));
        if seed % 3 > 0 {
            run.link.loss_ppm = 150_000;
            (run.link.duplicate_ppm, run.link.jitter_us) = (50_000, 60_000 * draw(2));
        }
        run.world().seconds = 9;
        for _ in 0..20 {
            let (at, client) = (draw(8_000), 1 + draw(3) as u16);
            let (kind, who) = (draw(9) as i32, draw(4) as i32);
            match draw(8) {
                0 | 1 => run.verb(at, 0, VERB_MALFORMED, [who, kind, 0, 0]),
                2 | 3 => run.verb(at, 0, VERB_UNSENT, [who, 0, 0, 0]),
                4 => run.verb(at, client, VERB_ACK_AHEAD, [kind, 1 + who, 0, 0]),
                5 => run.verb(at, client, VERB_NODELTA, [kind % 2, 0, 0, 0]),
                6 => run.at(at, client, if kind < 3 { Command::Disconnect } else { Command::Connect }),
                _ if kind == 0 => run.at(at, 0, Command::Map),
                _ => run.verb(at, 0, VERB_PRINT, [0, at as i32, 0, 0]),
            };
        }
        let (_, findings) = run.judged();
        failed.extend(findings.first().map(|found| format!("{seed}: {found}")));
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
