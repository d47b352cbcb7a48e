//! A sign-on that the server does not go on with.

use super::{Seat, Session};
use kit::{Command, HostId, Probe, Time};

/// A server that has answered and then says nothing for so long before the game begins, in microseconds, has closed what a client
/// of ours believes to be open, such as one whose first acceptance was lost: it begins anew, as people do.
const ANEW_US: u64 = 5_000_000;

impl Session<'_> {
    /// Has clients of ours connect again whose sign-on the server does not go on with.
    pub(super) fn begin_anew(&mut self, probe: &mut dyn Probe) -> std::io::Result<()> {
        if self.outcome.active.is_some() || self.dropped.is_some() {
            return Ok(());
        }
        for number in 0..self.last_received.len() {
            let (now, last) = (self.clock.now(), self.last_received[number]);
            let is_ours = matches!(self.plan.seats.get(number + 1), Some(Seat::Here(_)));
            if is_ours && last > Time::ZERO && now.since(last) > ANEW_US {
                self.last_received[number] = now;
                for command in [Command::Disconnect, Command::Connect] {
                    self.command(now, HostId(number as u16 + 1), &command, probe)?;
                }
            }
        }
        Ok(())
    }
}
