//! What an oracle may conclude of an end that it sees by its datagrams alone: the one place that knows the vantage.

use kit::{Time, Vantage};

/// What a remote end is given beyond what a local one has, in microseconds: it reads what was delivered later.
pub const LATE_US: u64 = 10_000_000;
/// So often a remote end has to miss the same thing before that means something: any one of them can be lost.
pub const MISSED: usize = 4;

/// One end, as the oracle sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Somebody else runs it: what was delivered to it is read later, or never.
    pub remote: bool,
    /// Times of events say nothing.
    pub untimed: bool,
}

impl End {
    /// The server's end.
    pub const fn server(vantage: Vantage) -> End {
        End { remote: vantage.remote_server, untimed: vantage.untimed }
    }

    /// A client's end.
    pub const fn client(vantage: Vantage) -> End {
        End { remote: vantage.remote_clients, untimed: vantage.untimed }
    }

    /// Whether an obligation of this end is overdue that it has had `since`, and `patience_us` microseconds for. A remote
    /// end has longer, and only if it has sent something since (`spoke`): one that is gone owes nothing.
    pub fn is_overdue(self, since: Time, patience_us: u64, spoke: Option<Time>, now: Time) -> bool {
        if self.untimed {
            return false;
        }
        if !self.remote {
            return now.since(since) > patience_us;
        }
        spoke.is_some_and(|spoke| spoke > since && spoke.since(since) > patience_us + LATE_US)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(end: End, spoke_ms: Option<u64>, now_ms: u64, expected: bool) {
        let spoke = spoke_ms.map(Time::from_ms);
        assert_eq!(end.is_overdue(Time::from_ms(1000), 500_000, spoke, Time::from_ms(now_ms)), expected);
    }

    #[test]
    fn a_remote_end_has_longer_and_owes_nothing_once_it_is_silent() {
        check(End::default(), None, 1500, false);
        check(End::default(), None, 1501, true);
        let remote = End { remote: true, untimed: false };
        check(remote, None, 60_000, false);
        check(remote, Some(1400), 60_000, false);
        check(remote, Some(11_500), 60_000, false);
        check(remote, Some(11_501), 60_000, true);
        check(End { untimed: true, ..End::default() }, None, 60_000, false);
    }
}
