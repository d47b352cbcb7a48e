//! Several implementations side by side: what differs between their reports.

use super::model::{RequirementStatus, RunReport, Verdict};

/// The report on one implementation, with the name that it was given.
#[derive(Clone, Debug)]
pub struct Compared {
    pub name: String,
    pub report: RunReport,
}

/// A line of a table: what it is about, and a word for each implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// A case; or a requirement, with profile and role.
    pub what: String,
    /// `pass`, `fail`, … for each implementation; `-` where it was not run.
    pub words: Vec<&'static str>,
}

impl Row {
    /// Whether the implementations differ.
    pub fn differs(&self) -> bool {
        self.words.windows(2).any(|pair| pair[0] != pair[1])
    }
}

/// The cases of any of them, in the order of the first that has it.
pub fn cases(all: &[Compared]) -> Vec<Row> {
    let of = |report: &RunReport| -> Vec<(String, &'static str)> {
        report.cases.iter().map(|case| (case.case.clone(), Verdict::name(case.verdict))).collect()
    };
    rows(all, &of)
}

/// The requirements of any of them.
pub fn requirements(all: &[Compared]) -> Vec<Row> {
    let of = |report: &RunReport| -> Vec<(String, &'static str)> {
        let mut rows = Vec::new();
        for profile in &report.profiles {
            for row in &profile.requirements {
                let what = format!("{} {} {}", row.id, profile.profile, profile.role);
                rows.push((what, RequirementStatus::name(row.status)));
            }
        }
        rows
    };
    rows(all, &of)
}

fn rows(all: &[Compared], of: &dyn Fn(&RunReport) -> Vec<(String, &'static str)>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (place, one) in all.iter().enumerate() {
        for (what, word) in of(&one.report) {
            let known = rows.iter().position(|row| row.what == what).unwrap_or_else(|| {
                rows.push(Row { what, words: vec!["-"; all.len()] });
                rows.len() - 1
            });
            rows[known].words[place] = word;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn two() -> Vec<Compared> {
        let (one, mut other) = (sample::report(), sample::report());
        other.cases[1].verdict = Verdict::Pass;
        other.profiles[0].requirements[1].status = RequirementStatus::Pass;
        let named = |name: &str, report| Compared { name: String::from(name), report };
        vec![named("<one>", one), named("other", other)]
    }

    #[test]
    fn a_row_has_a_word_for_each_implementation() {
        let differing: Vec<Row> = cases(&two()).into_iter().filter(Row::differs).collect();
        assert_eq!(differing, [Row { what: String::from("fte/reset-lost@fte-nq"), words: vec!["fail", "pass"] }]);
        let differing: Vec<Row> = requirements(&two()).into_iter().filter(Row::differs).collect();
        assert_eq!(differing, [Row { what: String::from("FTE-RST-02 fte-nq client"), words: vec!["fail", "pass"] }]);
    }

    #[test]
    fn what_one_of_them_was_not_run_with_is_a_dash() {
        let mut two = two();
        two[1].report.cases.remove(0);
        assert_eq!(cases(&two)[0].words, ["pass", "-"]);
    }
}
