//! Swarm mode: each seed draws which faults of a link are on at all.
//!
//! With everything on at once, a little of each, some states are never reached: what one fault leads to, another prevents.

use crate::link::{Link, Swarm};
use crate::rng::{Domain, FateRng, PAGE_BYTES};
use kit::{Direction, HostId};

/// A fault of a link: its name in scenarios, whether the link has it, and how it is taken out.
type Fault = (&'static str, fn(&Link) -> bool, fn(&mut Link));

/// The faults that are drawn. A new one comes last: it takes the next bit of the draw, and the others keep theirs.
const FAULTS: [Fault; 10] = [
    ("jitter", |link| link.jitter_us > 0, |link| link.jitter_us = 0),
    ("loss", |link| link.loss_ppm > 0, |link| link.loss_ppm = 0),
    ("burst", |link| link.burst.is_some(), |link| link.burst = None),
    ("duplicate", |link| link.duplicate_ppm > 0, |link| link.duplicate_ppm = 0),
    ("reorder", |link| link.reorder_ppm > 0, |link| link.reorder_ppm = 0),
    ("corrupt", |link| link.corrupt_ppm > 0, |link| link.corrupt_ppm = 0),
    ("truncate", |link| link.truncate_ppm > 0, |link| link.truncate_ppm = 0),
    ("spike", |link| link.spike.is_some(), |link| link.spike = None),
    ("mtu", |link| link.mtu_bytes.is_some(), |link| link.mtu_bytes = None),
    ("bandwidth", |link| link.bandwidth.is_some(), |link| link.bandwidth = None),
];

impl Link {
    /// The link as a run with `seed` has it: with [`Swarm::Wanted`], each of its faults is off with a chance of one half.
    /// Latency, outages and script stay. The draw depends on nothing but the seed, the client and the direction.
    pub fn drawn(&self, seed: u64, client: HostId, direction: Direction) -> Link {
        let mut link = self.clone();
        if self.swarm != Swarm::Wanted {
            return link;
        }
        let mut bytes = [0; PAGE_BYTES];
        let stream = u64::from(client.0) << 32 | (direction.index() as u64) << 16;
        FateRng::new(seed, Domain::Swarm).page(stream, 0, &mut bytes);
        let draw = u16::from_le_bytes([bytes[0], bytes[1]]);
        let (mut on, mut off) = (0, 0);
        for (place, (_, is_there, take_out)) in FAULTS.iter().enumerate() {
            if !is_there(self) {
                continue;
            }
            if draw >> place & 1 == 1 {
                on |= 1 << place;
            } else {
                off |= 1 << place;
                take_out(&mut link);
            }
        }
        link.swarm = Swarm::Drawn { on, off };
        link
    }
}

impl Swarm {
    /// `swarm: loss, burst on; jitter off`; nothing where nothing was drawn.
    pub(crate) fn line(self) -> Option<String> {
        let Swarm::Drawn { on, off } = self else { return None };
        let names = |bits: u16| {
            let chosen = FAULTS.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
            let names: Vec<&str> = chosen.map(|(_, (name, ..))| *name).collect();
            if names.is_empty() { String::from("nothing") } else { names.join(", ") }
        };
        Some(format!("swarm: {} on; {} off", names(on), names(off)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Bandwidth, Burst, Spike};
    use kit::Time;

    const WAY: Direction = Direction::ServerToClient;

    fn stormy() -> Link {
        Link {
            latency_us: 20_000,
            jitter_us: 1,
            loss_ppm: 1,
            burst: Some(Burst { enter_ppm: 1, leave_ppm: 1, loss_ppm: 1 }),
            duplicate_ppm: 1,
            reorder_ppm: 1,
            corrupt_ppm: 1,
            truncate_ppm: 1,
            spike: Some(Spike { enter_ppm: 1, height_us: 1, length_us: 1 }),
            mtu_bytes: Some(1),
            bandwidth: Some(Bandwidth { bits_per_second: 1, queue_bytes: 1 }),
            outages: vec![(Time(1), Time(2))],
            swarm: Swarm::Wanted,
            ..Link::default()
        }
    }

    #[test]
    fn each_fault_is_on_in_half_of_all_seeds_and_off_in_the_others() {
        let runs: Vec<Link> = (0..1_000).map(|seed| stormy().drawn(seed, HostId(1), WAY)).collect();
        for (name, is_there, _) in FAULTS {
            let on = runs.iter().filter(|link| is_there(link)).count();
            assert!((440..=560).contains(&on), "{name} is on in {on} of 1000 runs");
        }
        assert!(runs.iter().all(|link| link.latency_us == 20_000 && link.outages.len() == 1));
    }

    #[test]
    fn links_and_directions_draw_on_their_own() {
        let drawn = |client, direction| (0..64).map(|seed| stormy().drawn(seed, HostId(client), direction)).collect();
        let all: [Vec<Link>; 3] = [drawn(1, WAY), drawn(2, WAY), drawn(1, Direction::ClientToServer)];
        assert!(all[0] != all[1] && all[0] != all[2] && all[1] != all[2]);
        let again: Vec<Link> = drawn(1, WAY);
        assert_eq!(again, all[0]);
    }

    #[test]
    fn what_was_drawn_is_returned_and_drawn_no_second_time() {
        let link = Link { jitter_us: 1, loss_ppm: 1, swarm: Swarm::Wanted, ..Link::default() };
        let lines: Vec<String> = (0..16).filter_map(|seed| link.drawn(seed, HostId(1), WAY).swarm.line()).collect();
        for wanted in
            ["swarm: jitter, loss on; nothing off", "swarm: jitter on; loss off", "swarm: nothing on; jitter, loss off"]
        {
            assert!(lines.iter().any(|line| line == wanted), "{wanted} is not among {lines:?}");
        }
        let once = link.drawn(3, HostId(1), WAY);
        assert_eq!(once.drawn(4, HostId(1), WAY), once);
    }

    #[test]
    fn a_link_without_it_is_as_it_was() {
        let link = Link { swarm: Swarm::Off, ..stormy() };
        assert_eq!(link.drawn(5, HostId(1), WAY), link);
        assert_eq!(link.swarm.line(), None);
    }
}
