//! A client that dies and is started anew: what it knew is gone.

use kit::{Command, Endpoint, Event, HostId, PeerId, Time, View};

/// An endpoint in whose place others come. Each takes over with the first [`Command::Connect`] at its time or later; of the one
/// before nothing is left, not even what it had to send.
pub(crate) struct Restarting {
    now: Box<dyn Endpoint>,
    /// The last is the next.
    next: Vec<(Time, Box<dyn Endpoint>)>,
}

impl Restarting {
    /// `first`, and what comes in its place and when, in order; `first` itself where nothing does.
    pub(crate) fn around(first: Box<dyn Endpoint>, mut next: Vec<(Time, Box<dyn Endpoint>)>) -> Box<dyn Endpoint> {
        if next.is_empty() {
            return first;
        }
        next.reverse();
        Box::new(Restarting { now: first, next })
    }
}

impl Endpoint for Restarting {
    fn handle_command(&mut self, now: Time, command: &Command) {
        if matches!(command, Command::Connect)
            && let Some((_, next)) = self.next.pop_if(|(from, _)| *from <= now)
        {
            self.now = next;
        }
        self.now.handle_command(now, command);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.now.handle_datagram(now, from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.now.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        self.now.poll_transmit(now, out)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.now.poll_event()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.now.poll_timeout()
    }

    fn source_port(&self) -> u16 {
        self.now.source_port()
    }

    fn forget(&mut self, client: HostId) {
        self.now.forget(client);
    }

    fn observe(&self, view: &mut View) {
        self.now.observe(view);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An endpoint that counts what it was told, and shows that as its next time.
    struct Counts(u64);

    impl Endpoint for Counts {
        fn handle_command(&mut self, _: Time, _: &Command) {
            self.0 += 1;
        }
        fn handle_datagram(&mut self, _: Time, _: PeerId, _: &[u8]) {}
        fn handle_timeout(&mut self, _: Time) {}
        fn poll_transmit(&mut self, _: Time, _: &mut Vec<u8>) -> Option<PeerId> {
            None
        }
        fn poll_event(&mut self) -> Option<Event> {
            None
        }
        fn poll_timeout(&self) -> Option<Time> {
            Some(Time(self.0))
        }
        fn observe(&self, _: &mut View) {}
    }

    #[test]
    fn another_takes_over_with_the_first_connect_at_its_time_and_knows_nothing() {
        let anew = [20, 40].map(|at| -> (Time, Box<dyn Endpoint>) { (Time(at), Box::new(Counts(0))) });
        let mut end = Restarting::around(Box::new(Counts(0)), anew.into());
        let mut told = |at, command| {
            end.handle_command(Time(at), &command);
            end.poll_timeout().map(Time::us)
        };
        let seen = [
            told(0, Command::Connect),
            told(10, Command::Connect),
            told(20, Command::Disconnect),
            told(20, Command::Connect),
            told(30, Command::Connect),
            told(45, Command::Connect),
            told(46, Command::Connect),
        ];
        assert_eq!(seen, [1, 2, 3, 1, 2, 1, 2].map(Some));
    }
}
