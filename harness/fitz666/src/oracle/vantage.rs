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
    /// It is remote, and in virtual time: what was delivered to it is read soon.
    pub virtual_time: bool,
    /// Times of events say nothing.
    pub untimed: bool,
}

impl End {
    /// The server's end.
    pub const fn server(vantage: Vantage) -> End {
        let virtual_time = vantage.remote_server && vantage.virtual_server;
        End { remote: vantage.remote_server, virtual_time, untimed: vantage.untimed }
    }

    /// A client's end.
    pub const fn client(vantage: Vantage) -> End {
        End { remote: vantage.remote_clients, virtual_time: false, untimed: vantage.untimed }
    }

    /// Whether its silence means something.
    pub const fn is_silence_known(self) -> bool {
        !self.remote || self.virtual_time
    }

    /// Whether an obligation of this end is overdue that it has had `since`, and `patience_us` microseconds for. A remote
    /// end has longer, and, but in virtual time, only if it has sent something since (`spoke`): one that is gone owes nothing.
    pub fn is_overdue(self, since: Time, patience_us: u64, spoke: Option<Time>, now: Time) -> bool {
        if self.untimed {
            return false;
        }
        if self.is_silence_known() {
            let later_us = if self.remote { Vantage::READS_WITHIN_US } else { 0 };
            return now.since(since) > patience_us + later_us;
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
        let virtual_time = End { remote: true, virtual_time: true, untimed: false };
        check(virtual_time, None, 2500, false);
        check(virtual_time, None, 2501, true);
        let remote = End { remote: true, ..End::default() };
        check(remote, None, 60_000, false);
        check(remote, Some(1400), 60_000, false);
        check(remote, Some(11_500), 60_000, false);
        check(remote, Some(11_501), 60_000, true);
        check(End { untimed: true, ..End::default() }, None, 60_000, false);
    }
}
