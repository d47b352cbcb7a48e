//! Runs the world, and counts.

use super::world::{CLIENTS, COUNT_FROM_US, COUNT_UNTIL_US, Compared, FRAME_US, RECOVER_FROM_US, World};
use crate::scenario::{Case, Diagnostic};
use kit::{Command, Direction, Endpoint, HostId, Probe, Time, TraceEvent, View};
use std::collections::BTreeMap;

/// What a protocol did in a world, over all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Payload from the server to one client in one server frame, in thousandths of a byte.
    pub bytes_per_frame_milli: u64,
    /// Time after the outage until every client showed the truth, in microseconds: the mean of the runs in which all did.
    pub recovery_us: Option<u64>,
    /// The longest of them.
    pub longest_us: Option<u64>,
    pub runs: u64,
    /// Runs in which a client did not show the truth to the end, ten seconds later.
    pub not_recovered: u64,
}

/// Runs the world with the seeds from 1 to `runs`.
///
/// # Errors
/// The protocol cannot express it.
pub fn measure(compared: &Compared, world: World, runs: u64) -> Result<Measured, Diagnostic> {
    let case = compared.case(world)?;
    let truth = truth(&case);
    let (mut bytes, mut recoveries) = (0, Vec::new());
    for seed in 1..=runs {
        let watch = run(&case, seed, &truth);
        bytes += watch.bytes;
        recoveries.extend(watch.recovered());
    }
    let frames = (COUNT_UNTIL_US - COUNT_FROM_US) / FRAME_US * u64::from(CLIENTS) * runs.max(1);
    let recovered = recoveries.len() as u64;
    Ok(Measured {
        bytes_per_frame_milli: bytes * 1000 / frames,
        recovery_us: (recovered > 0).then(|| recoveries.iter().sum::<u64>() / recovered.max(1)),
        longest_us: recoveries.iter().copied().max(),
        runs,
        not_recovered: runs - recovered,
    })
}

/// The last value of every field that moves: entity, field, value.
fn truth(case: &Case) -> Vec<(u32, usize, i32)> {
    let mut last = BTreeMap::new();
    for (_, _, command) in case.commands(1) {
        if let Command::Set { entity, field, value } = command {
            last.insert((entity, field), value);
        }
    }
    last.into_iter().map(|((entity, field), value)| (entity, field, value)).collect()
}

fn run<'a>(case: &Case, seed: u64, truth: &'a [(u32, usize, i32)]) -> Watch<'a> {
    let setup = case.setup(seed);
    let protocol = case.protocol;
    let mut hosts: Vec<Box<dyn Endpoint>> = vec![(protocol.server)(&setup)];
    hosts.extend((1..=CLIENTS).map(|client| (protocol.client)(&setup.on(HostId(client)))));
    let mut watch = Watch {
        truth,
        stride: protocol.fields.len(),
        bytes: 0,
        right_since: vec![None; usize::from(CLIENTS)],
        view: View::default(),
    };
    sim::Simulation {
        hosts: &mut hosts,
        network: &case.network(seed),
        commands: &mut case.commands(seed),
        dissector: None,
        until: case.duration(),
        hash: false,
    }
    .run(&mut watch);
    watch
}

/// Counts what is sent, and sees from when on each client has been right.
struct Watch<'a> {
    truth: &'a [(u32, usize, i32)],
    stride: usize,
    bytes: u64,
    right_since: Vec<Option<u64>>,
    view: View,
}

impl Watch<'_> {
    /// How long it took until every client was right, and stayed so.
    fn recovered(&self) -> Option<u64> {
        let since: Option<Vec<u64>> = self.right_since.iter().copied().collect();
        since?.into_iter().max().map(|at| at.saturating_sub(RECOVER_FROM_US))
    }

    fn is_right(&self) -> bool {
        let View { valid, numbers, fields, .. } = &self.view;
        let shown = |entity: u32, field: usize| {
            let place = numbers.binary_search(&entity).ok()?;
            fields.get(place * self.stride + field).copied()
        };
        *valid && self.truth.iter().all(|&(entity, field, value)| shown(entity, field) == Some(value))
    }
}

impl Probe for Watch<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        if let TraceEvent::Sent { packet, bytes, .. } = event
            && packet.direction == Direction::ServerToClient
            && (COUNT_FROM_US..COUNT_UNTIL_US).contains(&now.us())
        {
            self.bytes += bytes.len() as u64;
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        let Some(client) = usize::from(host.0).checked_sub(1) else { return };
        if now.us() < RECOVER_FROM_US {
            return;
        }
        self.view.clear();
        endpoint.observe(&mut self.view);
        let is_right = self.is_right();
        if let Some(since) = self.right_since.get_mut(client) {
            *since = if is_right { since.or(Some(now.us())) } else { None };
        }
    }

    fn wants_content(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::world::PROTOCOLS;
    use super::*;

    #[test]
    fn every_protocol_shows_the_truth_again_and_pays_for_it() {
        let world = World { entities: 8, loss_percent: 2, latency_ms: 30 };
        for protocol in PROTOCOLS {
            let measured = measure(&protocol, world, 3).unwrap_or_else(|error| panic!("{}", error.render(false)));
            assert_eq!(measured.not_recovered, 0, "{}: {measured:?}", protocol.name);
            // The first datagram after the outage takes the latency at least.
            assert!(measured.recovery_us >= Some(30_000), "{}: {measured:?}", protocol.name);
            assert!(measured.recovery_us <= measured.longest_us);
            assert!((10_000..2_000_000).contains(&measured.bytes_per_frame_milli), "{}: {measured:?}", protocol.name);
            assert_eq!(measure(&protocol, world, 3).ok(), Some(measured), "the same again");
        }
    }

    #[test]
    fn more_entities_take_more_bytes() {
        for protocol in PROTOCOLS {
            let bytes = |entities| {
                let world = World { entities, loss_percent: 0, latency_ms: 30 };
                measure(&protocol, world, 1).map(|measured| measured.bytes_per_frame_milli).unwrap_or_default()
            };
            assert!(bytes(8) > bytes(2) && bytes(2) > 0, "{}", protocol.name);
        }
    }
}
