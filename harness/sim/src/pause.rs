//! What a host that stands still misses, and when it goes on.

use kit::{Delivery, Fate, HostId, LossCause, Pause, Time};

/// When the pause of `host` ends that is on at a moment; the longest, if there are several.
pub(crate) fn paused(pauses: &[Pause], host: HostId, at: Time) -> Option<Time> {
    let on = pauses.iter().filter(|pause| pause.host == host && (pause.from..pause.until).contains(&at));
    on.map(|pause| pause.until).max()
}

/// When the next pause of `host` begins after a moment.
pub(crate) fn next_pause(pauses: &[Pause], host: HostId, after: Time) -> Option<Time> {
    pauses.iter().filter(|pause| pause.host == host && pause.from > after).map(|pause| pause.from).min()
}

/// When `host` can take an input that is due at a moment: then, or when the pauses that are on have ended.
pub fn awake_from(pauses: &[Pause], host: HostId, mut at: Time) -> Time {
    while let Some(until) = paused(pauses, host, at) {
        at = until;
    }
    at
}

/// A datagram's fate without the copies that reach `host` in a pause.
pub(crate) fn awake(pauses: &[Pause], host: HostId, now: Time, fate: Fate) -> Fate {
    without(fate, |copy| paused(pauses, host, now.after(copy.delay_us)).is_some())
}

/// The fate of a datagram sent at `now`, without the copies that are on their way when the server dies, or are sent while there
/// is none.
pub(crate) fn alive(restarts: &[(Time, Time)], now: Time, fate: Fate) -> Fate {
    without(fate, |copy| restarts.iter().any(|&(from, until)| now < until && now.after(copy.delay_us) >= from))
}

/// A datagram's fate without the copies that are lost.
fn without(fate: Fate, lost: impl Fn(&Delivery) -> bool) -> Fate {
    match fate {
        Fate::Once(copy) if lost(&copy) => Fate::Lost(LossCause::Outage),
        Fate::Twice(first, second) => match (lost(&first), lost(&second)) {
            (false, false) => fate,
            (false, true) => Fate::Once(first),
            (true, false) => Fate::Once(second),
            (true, true) => Fate::Lost(LossCause::Outage),
        },
        Fate::Once(_) | Fate::Lost(_) => fate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSES: [Pause; 3] = [
        Pause { host: HostId(1), from: Time(10), until: Time(20) },
        Pause { host: HostId(1), from: Time(15), until: Time(30) },
        Pause { host: HostId(2), from: Time(0), until: Time(5) },
    ];

    #[test]
    fn the_longest_pause_of_the_host_counts() {
        let ends = [9, 10, 14, 15, 20, 29, 30].map(|at| paused(&PAUSES, HostId(1), Time(at)).map(Time::us));
        assert_eq!(ends, [None, Some(20), Some(20), Some(30), Some(30), Some(30), None]);
        assert_eq!(paused(&PAUSES, HostId::SERVER, Time(12)), None);
    }

    #[test]
    fn copies_that_arrive_in_a_pause_are_lost() {
        let (early, late, after) = (Delivery::whole(4), Delivery::whole(10), Delivery::whole(25));
        let fate = |fate| awake(&PAUSES, HostId(1), Time(5), fate);
        assert_eq!(fate(Fate::Once(early)), Fate::Once(early));
        assert_eq!(fate(Fate::Once(late)), Fate::Lost(LossCause::Outage));
        assert_eq!(fate(Fate::Twice(late, after)), Fate::Once(after));
        assert_eq!(fate(Fate::Twice(early, late)), Fate::Once(early));
        assert_eq!(fate(Fate::Twice(late, late)), Fate::Lost(LossCause::Outage));
        assert_eq!(fate(Fate::Twice(early, after)), Fate::Twice(early, after));
    }

    #[test]
    fn nothing_is_on_its_way_across_the_death_of_the_server() {
        let fate = |now, fate| alive(&[(Time(10), Time(20))], Time(now), fate);
        let (short, long) = (Delivery::whole(1), Delivery::whole(100));
        assert_eq!(fate(5, Fate::Twice(short, long)), Fate::Once(short));
        assert_eq!(fate(9, Fate::Once(short)), Fate::Lost(LossCause::Outage));
        assert_eq!(fate(19, Fate::Twice(short, long)), Fate::Lost(LossCause::Outage));
        assert_eq!(fate(20, Fate::Twice(short, long)), Fate::Twice(short, long));
    }
}
