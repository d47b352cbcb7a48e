//! What an oracle has to say of a run: findings, remarks, and the coverage points that the run showed.

use crate::check::{Check, CoveragePoint, Knowledge, Knows, Points, Suspects, Vantage};
use crate::endpoint::HostId;
use crate::oracle::Finding;
use crate::pause::{CATCHING_UP_US, Pause};
use crate::requirement::Requirement;
use crate::time::Time;
use std::collections::BTreeSet;

/// Findings kept per check, best suspect and host; further ones are counted.
const KEPT: u32 = 6;

/// Collects what an oracle has to say.
#[derive(Debug)]
pub struct Report {
    /// The findings kept, in order.
    pub findings: Vec<Finding>,
    checks: &'static [&'static Check],
    knowledge: Knowledge,
    vantage: Vantage,
    pauses: Vec<Pause>,
    counts: Vec<(&'static Check, &'static Requirement, HostId, u32)>,
    remarks: BTreeSet<&'static str>,
    seen: Points,
}

impl Report {
    /// Of an oracle with these checks, which knows so much and sees the run from there.
    pub fn new(checks: &'static [&'static Check], knowledge: Knowledge, vantage: Vantage) -> Report {
        let (findings, counts, remarks) = (Vec::new(), Vec::new(), BTreeSet::new());
        let (pauses, seen) = (Vec::new(), Points::default());
        Report { findings, checks, knowledge, vantage, pauses, counts, remarks, seen }
    }

    /// The same of a run in which hosts stand still: no check that has to know the time fails about them then.
    pub fn with_pauses(mut self, pauses: &[Pause]) -> Report {
        self.pauses = pauses.to_vec();
        self
    }

    /// Whether a check has what it has to know.
    pub fn judges(&self, check: &Check) -> bool {
        self.knowledge.meets(self.vantage, check.knows)
    }

    /// Whether a host stands still at some time from `since` until `now`.
    pub fn stood_still(&self, host: HostId, since: Time, now: Time) -> bool {
        self.pauses.iter().any(|pause| pause.overlaps(host, since, now))
    }

    /// A check failed: `host` violated one of `suspects`, best first. The text is made only if the finding is kept.
    ///
    /// Of a check that would have to know more than the oracle does, this has no effect; nor of one that has to know the time,
    /// about a host that stands still.
    pub fn fail(
        &mut self,
        check: &'static Check,
        at: Time,
        host: HostId,
        suspects: impl Into<Suspects>,
        what: impl FnOnce() -> String,
    ) {
        let suspects = suspects.into();
        debug_assert!(suspects.iter().all(|suspect| check.can_break(suspect)), "{}: {suspects:?}", check.name);
        self.find(check, at, host, suspects, what);
    }

    /// The same, where other checks than this one failed with it: their requirements are among the suspects.
    pub(crate) fn find(
        &mut self,
        check: &'static Check,
        at: Time,
        host: HostId,
        suspects: Suspects,
        what: impl FnOnce() -> String,
    ) {
        let since = Time(at.us().saturating_sub(CATCHING_UP_US));
        let is_excused = check.knows.contains(&Knows::Time) && self.stood_still(host, since, at);
        if is_excused || !self.judges(check) {
            return;
        }
        let first = suspects.first();
        let same = |entry: &&mut (&'static Check, &'static Requirement, HostId, u32)| {
            entry.0.name == check.name && entry.1.id == first.id && entry.2 == host
        };
        let count = match self.counts.iter_mut().find(same) {
            Some((.., count)) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.push((check, first, host, 1));
                1
            }
        };
        if count <= KEPT {
            self.findings.push(Finding { check, suspects, at, host, what: what() });
        }
    }

    /// Adds a remark, once.
    pub fn remark(&mut self, text: &'static str) {
        self.remarks.insert(text);
    }

    /// The remarks, and how many findings were not kept.
    pub fn remarks(&self) -> Vec<String> {
        let rest = self.counts.iter().filter(|entry| entry.3 > KEPT);
        let rest =
            rest.map(|(_, first, host, count)| format!("{}: {} more findings about {host}", first.id, count - KEPT));
        self.remarks.iter().copied().map(String::from).chain(rest).collect()
    }

    /// The run showed a coverage point.
    #[inline]
    pub fn saw(&mut self, point: CoveragePoint) {
        self.saw_if(true, point);
    }

    /// The run showed a coverage point, if `condition`.
    #[inline]
    pub fn saw_if(&mut self, condition: bool, point: CoveragePoint) {
        let index = usize::from(point.0);
        if let Some(word) = self.seen.get_mut(index / 64) {
            *word |= u64::from(condition) << (index % 64);
        }
    }

    /// The run showed coverage points: for each bit that is set, the one that is as far behind `first`.
    #[inline]
    pub fn saw_each(&mut self, first: CoveragePoint, bits: u32) {
        let index = usize::from(first.0);
        let spread = u128::from(bits) << (index % 64);
        for (word, part) in self.seen.iter_mut().skip(index / 64).zip([spread as u64, (spread >> 64) as u64]) {
            *word |= part;
        }
    }

    /// Whether the run showed a coverage point.
    pub fn has_seen(&self, point: CoveragePoint) -> bool {
        let index = usize::from(point.0);
        self.seen.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    /// The coverage points that the run showed, a bit for each by its number.
    pub fn points(&self) -> Points {
        self.seen
    }

    /// Which of `requirements` the run covered, in their order: those for which a check that judges could have failed.
    pub fn covered(&self, requirements: &[&'static Requirement]) -> Vec<&'static Requirement> {
        let judging = self.checks.iter().filter(|check| self.judges(check));
        let shown = |row: &&[CoveragePoint]| row.iter().all(|&point| self.has_seen(point));
        let possible = judging.flat_map(|check| check.breaks).filter(|breaks| breaks.needs.iter().any(shown));
        let covered: BTreeSet<&str> = possible.map(|breaks| breaks.requirement.id).collect();
        requirements.iter().copied().filter(|requirement| covered.contains(requirement.id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Knows, breaks};
    use crate::{Level, Role};

    crate::coverage_points! {
        Rain,
        /// It blows.
        Wind,
    }

    static UMBRELLA: Requirement =
        Requirement::new("W-1", Role::Client, Level::Must, "It is open when it rains.", "", "");
    static HAT: Requirement =
        Requirement::new("W-2", Role::Client, Level::Must, "It stays on in wind and rain.", "", "");
    static DRY: Check = Check::new(
        "nobody-gets-wet",
        &[breaks(&UMBRELLA, &[&[Point::Rain]]), breaks(&HAT, &[&[Point::Rain, Point::Wind]])],
    );
    static FORECAST: Check = Check::new("as-forecast", &[breaks(&HAT, &[&[Point::Wind]])]).knows(&[Knows::World]);

    static SOON: Check = Check::new("opens-soon", &[breaks(&UMBRELLA, &[&[Point::Rain]])]).knows(&[Knows::Time]);

    static CHECKS: &[&Check] = &[&DRY, &FORECAST, &SOON];

    fn report(knowledge: Knowledge) -> Report {
        Report::new(CHECKS, knowledge, Vantage::default())
    }

    fn covered(report: &Report) -> Vec<&'static str> {
        report.covered(&[&UMBRELLA, &HAT]).iter().map(|row| row.id).collect()
    }

    #[test]
    fn a_requirement_is_covered_by_all_points_of_a_row_of_a_check_that_judges() {
        let mut blind = report(Knowledge::Wire);
        let mut report = report(Knowledge::World);
        assert!(covered(&report).is_empty());
        report.saw_if(false, Point::Wind);
        report.saw(Point::Rain);
        assert_eq!(covered(&report), ["W-1"]);
        report.saw(Point::Wind);
        assert_eq!(covered(&report), ["W-1", "W-2"]);
        blind.saw(Point::Wind);
        assert_eq!(covered(&blind), [""; 0]);
    }

    #[test]
    fn a_check_that_would_have_to_know_more_finds_nothing() {
        for (knowledge, count) in [(Knowledge::World, 1), (Knowledge::Wire, 0)] {
            let mut report = report(knowledge);
            report.fail(&FORECAST, Time::ZERO, HostId(1), &HAT, || String::from("it flew away"));
            assert_eq!(report.findings.len(), count);
        }
    }

    #[test]
    fn a_host_that_stands_still_or_did_so_just_before_is_not_blamed_for_being_late() {
        let pause = Pause { host: HostId(1), from: Time::from_ms(2_000), until: Time::from_ms(3_000) };
        let mut report = report(Knowledge::Wire).with_pauses(&[pause]);
        for (check, ms, host) in [(&SOON, 2_000, 1), (&SOON, 3_999, 1), (&SOON, 1_999, 1), (&SOON, 2_500, 2)] {
            report.fail(check, Time::from_ms(ms), HostId(host), &UMBRELLA, || ms.to_string());
        }
        report.fail(&DRY, Time::from_ms(2_500), HostId(1), &UMBRELLA, || String::from("wet all the same"));
        report.fail(&SOON, Time::from_ms(4_000), HostId(1), &UMBRELLA, || String::from("4000"));
        let found: Vec<&str> = report.findings.iter().map(|finding| finding.what.as_str()).collect();
        assert_eq!(found, ["1999", "2500", "wet all the same", "4000"]);
        let during = |since, until| report.stood_still(HostId(1), Time::from_ms(since), Time::from_ms(until));
        assert_eq!(
            [during(0, 1_999), during(0, 2_000), during(2_999, 9_000), during(3_000, 9_000)],
            [false, true, true, false]
        );
    }

    #[test]
    fn a_finding_names_its_suspects_best_first_and_each_once() {
        let mut report = report(Knowledge::World);
        let suspects = Suspects::from(&HAT).or(&UMBRELLA).or(&HAT).or_if(false, &UMBRELLA);
        report.fail(&DRY, Time::ZERO, HostId(1), suspects, || String::from("wet"));
        assert_eq!(report.findings[0].suspects.to_string(), "W-2 (or 1)");
        assert_eq!(format!("{:?}", report.findings[0].suspects), "[W-2, W-1]");
    }

    #[test]
    fn findings_beyond_a_few_are_counted_for_each_requirement_and_host() {
        let mut report = report(Knowledge::World);
        report.remark("it was wet");
        report.remark("it was wet");
        for host in [1, 1, 1, 1, 1, 1, 1, 1, 2] {
            report.fail(&DRY, Time::ZERO, HostId(host), &UMBRELLA, || String::from("it is closed"));
        }
        assert_eq!(report.findings.len(), 7);
        assert_eq!(report.remarks(), ["it was wet", "W-1: 2 more findings about client1"]);
    }
}
