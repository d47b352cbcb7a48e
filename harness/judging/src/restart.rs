//! Ends that die and are restarted: what they knew is gone.

use kit::{Command, Endpoint, Finding, HostId, Oracle, PeerId, Points, Probe, Requirement, Role, Time, TraceEvent};
use std::collections::VecDeque;

/// An endpoint in whose place others come. Of the one before nothing is left, not even what it had to send.
pub(crate) struct Restarting {
    now: Box<dyn Endpoint>,
    /// The last is the next.
    next: Vec<(Time, Box<dyn Endpoint>)>,
    role: Role,
}

impl Restarting {
    /// `first`, and what comes in its place and when, in order; `first` itself where nothing does. A server's successor takes over
    /// when its time has come, a client's with the first [`Command::Connect`] then or later.
    pub(crate) fn around(
        role: Role,
        first: Box<dyn Endpoint>,
        mut next: Vec<(Time, Box<dyn Endpoint>)>,
    ) -> Box<dyn Endpoint> {
        if next.is_empty() {
            return first;
        }
        next.reverse();
        Box::new(Restarting { now: first, next, role })
    }

    /// The one in whose time an input comes.
    fn at(&mut self, now: Time) -> &mut dyn Endpoint {
        if self.role == Role::Server {
            self.take_over(now);
        }
        self.now.as_mut()
    }

    fn take_over(&mut self, now: Time) {
        if let Some((_, next)) = self.next.pop_if(|(from, _)| *from <= now) {
            self.now = next;
        }
    }
}

impl Endpoint for Restarting {
    kit::pass_on!(now: poll_transmit poll_event source_port forget observe);

    fn handle_command(&mut self, now: Time, command: &Command) {
        if matches!(command, Command::Connect) {
            self.take_over(now);
        }
        self.at(now).handle_command(now, command);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.at(now).handle_datagram(now, from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.at(now).handle_timeout(now);
    }

    fn poll_timeout(&self) -> Option<Time> {
        let next = self.next.last().filter(|_| self.role == Role::Server).map(|(from, _)| *from);
        self.now.poll_timeout().into_iter().chain(next).min()
    }

    fn wants_quiet(&self) -> bool {
        self.now.wants_quiet() || self.next.iter().any(|(_, next)| next.wants_quiet())
    }

    fn quiet_until(&mut self, until: Time) {
        // What it does after its end nobody sees.
        let end = self.next.last().filter(|_| self.role == Role::Server).map(|(from, _)| *from);
        self.now.quiet_until(end.map_or(until, |end| end.min(until)));
    }
}

/// An oracle in whose place others come with each new server: what was on its way is lost, and so nothing that was true before
/// matters afterwards. The ends of the servers' lives are no ends of the run: what an oracle looks at then is not judged.
pub(crate) struct Renewed<'a> {
    now: Box<dyn Oracle>,
    make: Box<dyn Fn() -> Box<dyn Oracle> + 'a>,
    next: VecDeque<Time>,
    /// The verbs that clients were given so far: they still know them.
    instructed: Vec<(HostId, Command)>,
    requirements: &'static [&'static Requirement],
    findings: Vec<Finding>,
    /// How many of the findings are of oracles before.
    earlier: usize,
    covered: Vec<&'static Requirement>,
    points: Points,
    remarks: Vec<String>,
}

impl<'a> Renewed<'a> {
    /// What `make` makes, and that again at each of the times; itself where there are none. `requirements` is the catalogue.
    pub(crate) fn around(
        make: impl Fn() -> Box<dyn Oracle> + 'a,
        next: VecDeque<Time>,
        requirements: &'static [&'static Requirement],
    ) -> Box<dyn Oracle + 'a> {
        let now = make();
        if next.is_empty() {
            return now;
        }
        Box::new(Renewed {
            now,
            make: Box::new(make),
            next,
            instructed: Vec::new(),
            requirements,
            findings: Vec::new(),
            earlier: 0,
            covered: Vec::new(),
            points: Points::default(),
            remarks: Vec::new(),
        })
    }

    fn at(&mut self, now: Time) -> &mut dyn Oracle {
        while self.next.front().is_some_and(|from| *from <= now) {
            self.next.pop_front();
            (self.covered, self.points, self.remarks) = (self.covered(), self.points(), self.remarks());
            self.earlier = self.findings.len();
            self.now = (self.make)();
            for (host, command) in &self.instructed {
                self.now.on(now, &TraceEvent::Command { host: *host, command });
            }
        }
        self.now.as_mut()
    }

    fn gather(&mut self) {
        let known = self.findings.len() - self.earlier;
        self.findings.extend(self.now.findings().iter().skip(known).cloned());
    }
}

impl Probe for Renewed<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.at(now).on(now, event);
        self.gather();
        if let TraceEvent::Command { host, command: command @ Command::Verb { .. } } = event
            && *host != HostId::SERVER
            && !self.next.is_empty()
        {
            self.instructed.push((*host, **command));
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.at(now).settled(now, host, endpoint);
        self.gather();
    }

    fn wants_content(&self) -> bool {
        self.now.wants_content()
    }
}

impl Oracle for Renewed<'_> {
    fn finish(&mut self, now: Time) {
        self.at(now).finish(now);
        self.gather();
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn covered(&self) -> Vec<&'static Requirement> {
        let latest = self.now.covered();
        let both =
            |it: &&&Requirement| [&self.covered, &latest].iter().any(|list| list.iter().any(|other| other.id == it.id));
        self.requirements.iter().filter(both).copied().collect()
    }

    fn points(&self) -> Points {
        let mut points = self.points;
        points.iter_mut().zip(self.now.points()).for_each(|(all, latest)| *all |= latest);
        points
    }

    fn remarks(&self) -> Vec<String> {
        let mut all = self.remarks.clone();
        all.extend(self.now.remarks().into_iter().filter(|remark| !self.remarks.contains(remark)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::{Event, View};

    /// An endpoint that counts its commands, and shows that as its next time.
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
        let mut end = Restarting::around(Role::Client, Box::new(Counts(0)), anew.into());
        let mut given = |at, command| {
            end.handle_command(Time(at), &command);
            end.poll_timeout().map(Time::us)
        };
        let seen = [
            given(0, Command::Connect),
            given(10, Command::Connect),
            given(20, Command::Disconnect),
            given(20, Command::Connect),
            given(30, Command::Connect),
            given(45, Command::Connect),
            given(46, Command::Connect),
        ];
        assert_eq!(seen, [1, 2, 3, 1, 2, 1, 2].map(Some));
    }

    #[test]
    fn a_server_takes_over_when_its_time_has_come_and_not_before() {
        let anew: Box<dyn Endpoint> = Box::new(Counts(0));
        let mut end = Restarting::around(Role::Server, Box::new(Counts(50)), vec![(Time(20), anew)]);
        assert_eq!(end.poll_timeout(), Some(Time(20)));
        end.handle_command(Time(19), &Command::Connect);
        assert_eq!(end.poll_timeout(), Some(Time(20)));
        end.handle_timeout(Time(20));
        assert_eq!(end.poll_timeout(), Some(Time(0)));
        end.handle_command(Time(20), &Command::Map);
        assert_eq!(end.poll_timeout(), Some(Time(1)));
    }
}
