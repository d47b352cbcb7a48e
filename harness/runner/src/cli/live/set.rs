//! The sessions of a probe, several at a time.

use super::super::output::{DIM, Stop, complain};
use super::super::progress::Bar;
use super::{STOP, common, io};
use crate::live::map;
use crate::live::run::{self, Live, Target};
use crate::scenario::Case;
use kit::Protocol;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// The probe without any fault: a server that does not let its client in lets no other in.
const FIRST: &str = "probe/clean";

/// One session to come.
pub(super) struct Session<'a> {
    pub(super) case: &'a Case,
    pub(super) seed: u64,
    pub(super) record: PathBuf,
}

/// What all sessions have in common.
pub(super) struct Set<'a> {
    /// The server, and our client.
    pub(super) target: Target,
    /// The server's address as it was given.
    pub(super) to: &'a str,
    /// Number of sessions at the same time.
    pub(super) jobs: u16,
    /// Most datagrams per second of a client.
    pub(super) rate_limit: u32,
}

/// Puts the probe without faults in front.
pub(super) fn first(sessions: &mut [Session<'_>]) {
    if let Some(place) = sessions.iter().position(|session| session.case.scenario.id == FIRST) {
        sessions[..=place].rotate_right(1);
    }
}

impl Set<'_> {
    /// Runs one session.
    pub(super) fn one(&self, session: &Session<'_>, target: &Target) -> std::io::Result<Live> {
        run::probe(session.case, target, &common(session.seed, self.rate_limit, &session.record, &|_| {}))
    }

    /// Runs the sessions, the first alone, and gives the results to `take` in the order of the sessions. A server that does not
    /// let the client of the first in is asked no more; whether that was so.
    pub(super) fn all(
        &self,
        protocol: &Protocol,
        sessions: &[Session<'_>],
        take: &mut dyn FnMut(&Session<'_>, Live) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        let Some((first, rest)) = sessions.split_first() else { return Ok(false) };
        let failed = |error: std::io::Error| io(self.to, &error);
        let mut target = self.target;
        let mut live = self.one(first, &target).map_err(failed)?;
        if let Some(checksum) = named_checksum(protocol, &live) {
            let said =
                format!("the server asks for the checksum {:#x} of its map: taken; --map names another", checksum.1);
            complain(DIM, "remark", said);
            target.learned = Some(checksum);
            live = self.one(first, &target).map_err(failed)?;
        }
        let refused = live.outcome.active.is_none();
        take(first, live)?;
        if refused || STOP.load(Ordering::Relaxed) {
            return Ok(refused && !rest.is_empty());
        }
        self.rest(rest, &target, take)?;
        Ok(false)
    }

    fn rest(
        &self,
        sessions: &[Session<'_>],
        target: &Target,
        take: &mut dyn FnMut(&Session<'_>, Live) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        // The longest begin first, so that none of them is waited for alone.
        let mut order: Vec<usize> = (0..sessions.len()).collect();
        order.sort_by_key(|place| std::cmp::Reverse(sessions[*place].case.duration().us()));
        let (next, order) = (AtomicUsize::new(0), &order);
        let (sender, receiver) = channel();
        let bar = Bar::new();
        let mut waiting: BTreeMap<usize, std::io::Result<Live>> = BTreeMap::new();
        std::thread::scope(|scope| {
            for _ in 0..usize::from(self.jobs).min(sessions.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let live = self.one(&sessions[place], target);
                        if STOP.load(Ordering::Relaxed) || sender.send((place, live)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut taken = 0;
            for (done, (place, live)) in receiver.iter().enumerate() {
                bar.set(done as u64 + 1, sessions.len() as u64, &sessions[place].case.scenario.id);
                waiting.insert(place, live);
                while let Some(live) = waiting.remove(&taken) {
                    let session = &sessions[taken];
                    taken += 1;
                    let result = live.map_err(|error| io(self.to, &error)).and_then(|live| take(session, live));
                    if let Err(stop) = result {
                        // The others end soon: their results are not wanted any more.
                        STOP.store(true, Ordering::Relaxed);
                        return Err(stop);
                    }
                }
            }
            Ok(())
        })
    }
}

/// The option that a server asks for which refused a client for the checksum of its map.
fn named_checksum(protocol: &Protocol, live: &Live) -> Option<(usize, i64)> {
    let option = protocol.options.iter().position(|option| option.name == "map_checksum")?;
    let refused = live.outcome.active.is_none();
    let named = || live.outcome.prints.iter().rev().find_map(|said| map::named(said));
    Some((option, i64::from(named().filter(|_| refused)?)))
}
