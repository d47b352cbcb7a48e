//! Every impairment happens, at the rate configured: exact counts for one seed.

use crate::hosts::{Talker, boxed, run};
use kit::{Direction, Fate, LossCause, PeerId, Probe, Time, TraceEvent};
use sim::{Bandwidth, Burst, Link, Network, Observed, Outcome, Spike, Unwatched};

/// 20,000 datagrams of 100 bytes, one every 5 ms, from the server to client 1.
const EVERY_US: u64 = 5_000;
const COUNT: u64 = 20_000;

fn send(link: &Link, probe: &mut dyn Probe) -> Outcome {
    let hosts = boxed(vec![Talker::new(&[PeerId::client(1)], EVERY_US, 100), Talker::default()]);
    let outcome = run(hosts, &Network::uniform(1, 1, link), &[], Time(COUNT * EVERY_US - 1), probe);
    assert_eq!((outcome.halted, outcome.datagrams), (None, COUNT));
    outcome
}

fn observe(link: &Link) -> Observed {
    send(link, &mut Unwatched).observed[0][Direction::ServerToClient.index()].clone()
}

/// Checks one count, and that the expected one is within four standard deviations of what was configured.
fn check(link: Link, count: fn(&Observed) -> u64, configured_ppm: u64, expected: u64) {
    let observed = observe(&link);
    assert_eq!(count(&observed), expected, "{:#?}", observed.lines(&link));
    let (mean, off) = (COUNT * configured_ppm / 1_000_000, |a: u64, b: u64| a.abs_diff(b));
    assert!(off(expected, mean).pow(2) <= 16 * mean + 16, "{expected} is too far from {mean}");
}

#[test]
fn a_clean_link_delivers_everything_once_after_its_latency() {
    let seen = observe(&Link::clean(1_000));
    assert_eq!((seen.sent, seen.sent_bytes, seen.arrived, seen.delivered), (COUNT, COUNT * 100, COUNT, COUNT));
    assert_eq!((seen.delay_min_us, seen.delay_mean_us(), seen.delay_max_us), (1_000, 1_000, 1_000));
    assert_eq!((seen.lost_total(), seen.reordered, seen.duplicated, seen.corrupted, seen.truncated), (0, 0, 0, 0, 0));
}

#[test]
fn loss_happens_at_its_rate() {
    check(Link { loss_ppm: 50_000, ..Link::default() }, |seen| seen.lost_to(LossCause::Random), 50_000, 976);
}

#[test]
fn duplication_happens_at_its_rate() {
    let link = Link { duplicate_ppm: 20_000, duplicate_us: 1_000, ..Link::default() };
    check(link.clone(), |seen| seen.duplicated, 20_000, 395);
    check(link, |seen| seen.delivered - seen.arrived, 20_000, 395);
}

#[test]
fn reordering_happens_at_its_rate() {
    let link = Link { reorder_ppm: 10_000, reorder_us: 8_000, ..Link::default() };
    check(link, |seen| seen.reordered, 10_000, 225);
}

#[test]
fn corruption_happens_at_its_rate() {
    check(Link { corrupt_ppm: 30_000, ..Link::default() }, |seen| seen.corrupted, 30_000, 572);
}

#[test]
fn truncation_happens_at_its_rate() {
    check(Link { truncate_ppm: 30_000, ..Link::default() }, |seen| seen.truncated, 30_000, 572);
}

#[test]
fn jitter_spreads_delays_to_the_right() {
    let link = Link { latency_us: 20_000, jitter_us: 10_000, ..Link::default() };
    let seen = observe(&link);
    let line = "delay 20.000ms..30.000ms configured, 20.000ms..29.997ms observed, mean 21.932ms (19996 datagrams)";
    assert_eq!(seen.delay_line(&link), line);
    // Datagrams are 5 ms apart, so half of the jitter is enough to be overtaken.
    assert_eq!(seen.reordered, 726);
}

#[test]
fn impairments_of_one_link_add_up() {
    let link = Link {
        latency_us: 30_000,
        jitter_us: 20_000,
        loss_ppm: 30_000,
        duplicate_ppm: 20_000,
        duplicate_us: 10_000,
        reorder_ppm: 10_000,
        reorder_us: 50_000,
        corrupt_ppm: 5_000,
        truncate_ppm: 5_000,
        ..Link::default()
    };
    let expected = [
        "loss 3.0% configured, 2.94% observed (589 of 20000)",
        "delay 30.000ms..100.000ms configured, 30.000ms..97.910ms observed, mean 34.426ms (19402 datagrams)",
        "duplication 2.0% configured, 1.98% observed (385 of 19411)",
        "reordering 1.0% configured, 14.62% observed (2837 of 19402)",
        "corruption 0.5% configured, 0.52% observed (104 of 19796)",
        "truncation 0.5% configured, 0.43% observed (87 of 19796)",
    ];
    assert_eq!(observe(&link).lines(&link), expected);
}

/// The lengths of runs of losses.
#[derive(Default)]
struct Streaks {
    lengths: Vec<u32>,
    lost: bool,
}

impl Probe for Streaks {
    fn on(&mut self, _: Time, event: &TraceEvent<'_>) {
        let TraceEvent::Sent { fate, .. } = event else { return };
        let lost = matches!(fate, Fate::Lost(_));
        match (lost, self.lost, self.lengths.last_mut()) {
            (true, true, Some(last)) => *last += 1,
            (true, ..) => self.lengths.push(1),
            (false, ..) => {}
        }
        self.lost = lost;
    }
}

#[test]
fn bursts_lose_as_much_as_independent_loss_but_in_clusters() {
    let burst = Burst { enter_ppm: 10_000, leave_ppm: 190_000, loss_ppm: 1_000_000 };
    let (bursty, even) = (Link { burst: Some(burst), ..Link::default() }, Link { loss_ppm: 50_000, ..Link::default() });
    assert_eq!(bursty.expected_loss_ppm(), even.expected_loss_ppm());
    let shape = |link| {
        let mut streaks = Streaks::default();
        let lost = send(link, &mut streaks).observed[0][0].lost_total();
        (lost, streaks.lengths.len(), streaks.lengths.iter().copied().max())
    };
    // Two datagrams to a slot and 5.3 slots to a burst: a burst loses about ten in a row.
    assert_eq!(shape(&bursty), (896, 91, Some(44)));
    assert_eq!(shape(&even), (976, 935, Some(2)));
}

#[test]
fn the_good_state_of_a_burst_model_has_the_links_own_loss() {
    let burst = Burst { enter_ppm: 10_000, leave_ppm: 190_000, loss_ppm: 800_000 };
    let seen = observe(&Link { loss_ppm: 10_000, burst: Some(burst), ..Link::default() });
    assert_eq!((seen.lost_to(LossCause::Random), seen.lost_to(LossCause::Burst)), (177, 690));
}

#[test]
fn a_narrow_link_delays_and_drops_at_its_tail() {
    // 100 bytes every 5 ms are 160 kbit/s; the link carries half of that and holds five datagrams of 10 ms each.
    let bandwidth = Some(Bandwidth { bits_per_second: 80_000, queue_bytes: 500 });
    let seen = observe(&Link { latency_us: 1_000, bandwidth, ..Link::default() });
    assert_eq!((seen.delay_min_us, seen.delay_max_us), (11_000, 51_000));
    assert_eq!((seen.lost_to(LossCause::Queue), seen.lost_total()), (9_996, 9_996));
    assert_eq!(seen.reordered, 0);
}

#[test]
fn a_spike_delays_what_is_sent_in_it_and_reorders_nothing() {
    let spike = Spike { enter_ppm: 5_000, height_us: 300_000, length_us: 300_000 };
    let link = Link { latency_us: 7_000, spike: Some(spike), ..Link::default() };
    let seen = observe(&link);
    assert_eq!((seen.spiked, seen.lost_total(), seen.reordered), (2_898, 0, 0));
    assert_eq!((seen.delay_min_us, seen.delay_max_us), (7_000, 307_000));
    let rate = seen.compare(&link)[5];
    assert_eq!(rate.to_string(), "delay spikes 13.9616% configured, 14.49% observed (2898 of 20000)");
}

#[test]
fn spikes_end_with_all_other_chance() {
    let spike = Spike { enter_ppm: 1_000_000, height_us: 300_000, length_us: 300_000 };
    let link = Link { spike: Some(spike), random_until: Some(Time::from_ms(100)), ..Link::default() };
    assert_eq!(observe(&link).spiked, 20);
}

#[test]
fn an_outage_loses_what_is_sent_in_it_and_nothing_else() {
    let link = Link {
        latency_us: 7_000,
        outages: vec![(Time::from_ms(100), Time::from_ms(200)), (Time::from_ms(150), Time::from_ms(250))],
        ..Link::default()
    };
    let seen = observe(&link);
    assert_eq!((seen.lost_to(LossCause::Outage), seen.lost_total()), (30, 30));
}

#[test]
fn datagrams_beyond_the_mtu_are_lost() {
    let lost = |mtu| observe(&Link { mtu_bytes: Some(mtu), ..Link::default() }).lost_to(LossCause::Mtu);
    assert_eq!((lost(99), lost(100)), (COUNT, 0));
}
