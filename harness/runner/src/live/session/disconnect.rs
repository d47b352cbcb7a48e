//! The end of a session: clients of ours disconnect, and stay until the other end is silent.

use super::{Seat, Session};
use kit::{Command, HostId, Time};
use std::time::Duration;

/// How often a disconnect is repeated, and after which time in microseconds: any one of them can be lost.
const DISCONNECTS: (usize, u64) = (3, 60_000);
/// A disconnect that is not sent at once comes within this time, in microseconds.
const DISCONNECT_WITHIN_US: u64 = 200_000;
/// After the disconnect the sockets stay open until the other end is silent for so long, in microseconds, so that nothing of
/// this session is answered by an ICMP error or reaches the next one.
const SILENCE_US: u64 = 300_000;
/// But no longer than this, in microseconds.
const LINGER_US: u64 = 3_000_000;

/// Outputs after one disconnect: an endpoint with more is stuck.
const MAX_TIMERS: usize = 1_000;

impl Session<'_> {
    /// Disconnects, several times, and waits until the other end is silent.
    pub(super) fn leave(&mut self) -> std::io::Result<()> {
        self.outcome.end = self.clock.now();
        self.outcome.observed = self.fates.observed();
        self.note_early_ends();
        (0..self.last_received.len()).for_each(|number| self.answered(number, self.outcome.end));
        if let Some((_, addresses)) = &self.plan.listen {
            self.outcome.refused = addresses.refused();
        }
        if self.plan.server.is_none() {
            return Ok(());
        }
        self.disconnects = Some(Vec::new());
        let now = self.clock.now();
        let ours: Vec<u16> = (1..self.plan.seats.len() as u16).collect();
        for host in ours {
            if let Some(Seat::Here(endpoint)) = self.plan.seats.get_mut(usize::from(host)) {
                endpoint.handle_command(now, &Command::Disconnect);
                // The session is over: what follows is not judged.
                self.drain(now, HostId(host), &mut sim::Unwatched)?;
                self.hurry_disconnect(now, host)?;
            }
        }
        let disconnects = self.disconnects.take().unwrap_or_default();
        let (times, pause_us) = DISCONNECTS;
        let mut next = self.clock.now();
        let (mut left, mut last_received) = (times, next);
        while self.clock.now().since(self.outcome.end) < LINGER_US {
            let now = self.clock.now();
            if left > 0 && now >= next {
                disconnects.iter().for_each(|(packet, bytes)| self.put_on_the_wire(*packet, bytes));
                (left, next) = (left - 1, now.after(pause_us));
            }
            if left == 0 && now.since(last_received) > SILENCE_US {
                break;
            }
            if self.sockets.receive(Duration::from_micros(pause_us)).is_some() {
                last_received = self.clock.now();
            }
        }
        Ok(())
    }

    /// A client that disconnects with its next update is not waited for: its timers fire early.
    fn hurry_disconnect(&mut self, now: Time, host: u16) -> std::io::Result<()> {
        for _ in 0..MAX_TIMERS {
            let is_said = self.disconnects.iter().flatten().any(|(packet, _)| packet.client.0 == host);
            let Some(Seat::Here(endpoint)) = self.plan.seats.get_mut(usize::from(host)) else { break };
            let due = endpoint.poll_timeout().filter(|at| !is_said && at.since(now) < DISCONNECT_WITHIN_US);
            let Some(at) = due else { break };
            endpoint.handle_timeout(at);
            self.drain(at, HostId(host), &mut sim::Unwatched)?;
        }
        Ok(())
    }
}
