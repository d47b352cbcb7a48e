//! What an oracle has to say of a run: findings, remarks, and the situations that the run showed, which are what puts
//! requirements to the test.

use crate::{Finding, HostId, Requirement, Time};
use std::collections::BTreeSet;
use std::marker::PhantomData;

/// Findings kept per requirement and host; further ones are counted.
const KEPT: u32 = 6;
/// Most situations of a protocol.
const MAX_SITUATIONS: usize = 256;

/// What a run can show: an enumeration that [`situations!`](crate::situations) declares.
pub trait Show: Copy {
    /// How many there are, at most 256.
    const COUNT: usize;
    /// Which one this is.
    fn index(self) -> usize;
}

/// Declares `Situation`, what a run of a protocol can show, and `Report`, what its oracle has to say.
#[macro_export]
macro_rules! situations {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Something that a run can show.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Situation {
            $($(#[$doc])* $name,)*
        }

        impl $crate::report::Show for Situation {
            const COUNT: usize = [$(Situation::$name),*].len();

            #[inline]
            fn index(self) -> usize {
                self as usize
            }
        }

        /// What the oracle has to say.
        pub type Report = $crate::report::Report<Situation>;
    };
}

/// Which situations put which requirement to the test: a row does if a run shows all of its situations; a requirement can
/// have several rows.
pub type TestedBy<S> = [(&'static Requirement, &'static [S])];

/// Collects what an oracle has to say.
#[derive(Debug)]
pub struct Report<S> {
    /// The findings kept, in order.
    pub findings: Vec<Finding>,
    counts: Vec<(&'static str, HostId, u32)>,
    remarks: BTreeSet<&'static str>,
    seen: [u64; MAX_SITUATIONS / 64],
    situations: PhantomData<S>,
}

impl<S: Show> Default for Report<S> {
    fn default() -> Report<S> {
        const { assert!(S::COUNT <= MAX_SITUATIONS) };
        Report {
            findings: Vec::new(),
            counts: Vec::new(),
            remarks: BTreeSet::new(),
            seen: [0; MAX_SITUATIONS / 64],
            situations: PhantomData,
        }
    }
}

impl<S: Show> Report<S> {
    /// Adds a finding; its text is made only if it is kept.
    pub fn find(&mut self, requirement: &'static Requirement, at: Time, host: HostId, what: impl FnOnce() -> String) {
        let known = self.counts.iter().position(|entry| entry.0 == requirement.id && entry.1 == host);
        let index = known.unwrap_or_else(|| {
            self.counts.push((requirement.id, host, 0));
            self.counts.len() - 1
        });
        let Some((.., count)) = self.counts.get_mut(index) else { return };
        *count += 1;
        if *count <= KEPT {
            self.findings.push(Finding { requirement, at, host, what: what() });
        }
    }

    /// Adds a remark, once.
    pub fn remark(&mut self, text: &'static str) {
        self.remarks.insert(text);
    }

    /// The remarks, and how many findings were not kept.
    pub fn remarks(&self) -> Vec<String> {
        let rest = self.counts.iter().filter(|entry| entry.2 > KEPT);
        let rest = rest.map(|(id, host, count)| format!("{id}: {} more findings about {host}", count - KEPT));
        self.remarks.iter().copied().map(String::from).chain(rest).collect()
    }

    /// The run showed a situation.
    #[inline]
    pub fn saw(&mut self, situation: S) {
        self.saw_if(true, situation);
    }

    /// The run showed a situation, if `condition`.
    #[inline]
    pub fn saw_if(&mut self, condition: bool, situation: S) {
        let index = situation.index();
        if let Some(word) = self.seen.get_mut(index / 64) {
            *word |= u64::from(condition) << (index % 64);
        }
    }

    /// Whether the run showed a situation.
    pub fn has_seen(&self, situation: S) -> bool {
        let index = situation.index();
        self.seen.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    /// Which of `requirements` the run put to the test, in their order.
    pub fn exercised(
        &self,
        requirements: &[&'static Requirement],
        tested_by: &TestedBy<S>,
    ) -> Vec<&'static Requirement> {
        // One pass over the table: names are compared only for what was shown.
        let tested = tested_by.iter().filter(|row| row.1.iter().all(|&situation| self.has_seen(situation)));
        let tested: BTreeSet<&str> = tested.map(|row| row.0.id).collect();
        requirements.iter().copied().filter(|requirement| tested.contains(requirement.id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{HostId, Level, Requirement, Role, Time};

    crate::situations! {
        /// It rains.
        Rain,
        /// It blows.
        Wind,
    }

    static UMBRELLA: Requirement =
        Requirement::new("W-1", Role::Client, Level::Must, "It is open when it rains.", "", "");
    static HAT: Requirement =
        Requirement::new("W-2", Role::Client, Level::Must, "It stays on in wind and rain.", "", "");

    #[test]
    fn a_requirement_is_put_to_the_test_by_all_situations_of_a_row() {
        let rows: &super::TestedBy<Situation> =
            &[(&UMBRELLA, &[Situation::Rain]), (&HAT, &[Situation::Rain, Situation::Wind])];
        let mut report = Report::default();
        let check = |report: &Report, expected: &[&str]| {
            let ids: Vec<&str> = report.exercised(&[&UMBRELLA, &HAT], rows).iter().map(|row| row.id).collect();
            assert_eq!(ids, expected);
        };
        check(&report, &[]);
        report.saw_if(false, Situation::Wind);
        report.saw(Situation::Rain);
        check(&report, &["W-1"]);
        report.saw(Situation::Wind);
        check(&report, &["W-1", "W-2"]);
    }

    #[test]
    fn findings_beyond_a_few_are_counted_for_each_requirement_and_host() {
        let mut report = Report::default();
        report.remark("it was wet");
        report.remark("it was wet");
        for host in [1, 1, 1, 1, 1, 1, 1, 1, 2] {
            report.find(&UMBRELLA, Time::ZERO, HostId(host), || String::from("it is closed"));
        }
        assert_eq!(report.findings.len(), 7);
        assert_eq!(report.remarks(), ["it was wet", "W-1: 2 more findings about client1"]);
    }
}
