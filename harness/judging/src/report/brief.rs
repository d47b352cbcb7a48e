//! A result as small as a repository wants it: what became of every requirement, and the cases that did not pass; of those in which
//! recommendations alone were violated, one for each.

use super::model::{CaseReport, RunReport, Verdict};
use std::collections::BTreeSet;

/// Findings that are kept of a case.
const FINDINGS: usize = 3;
/// Options whose values are places on somebody's machine.
const PLACES: [&str; 4] = ["--program", "--dir", "--shim", "--env"];

impl RunReport {
    /// The same without what passed, without drawings and events, and without places on the machine where it was made.
    pub fn brief(&self) -> RunReport {
        let mut told = BTreeSet::new();
        // A recommendation that is violated in every case is told once.
        let mut is_kept = |case: &&CaseReport| match case.verdict {
            Verdict::FailShould => case.findings.iter().any(|finding| told.insert(finding.requirement.clone())),
            verdict => verdict.is_bad(),
        };
        let cases: Vec<CaseReport> = self.cases.iter().filter(&mut is_kept).map(small).collect();
        let left_out = self.left_out + (self.cases.len() - cases.len()) as u32;
        let mut profiles: Vec<_> = self.judged().cloned().collect();
        for row in profiles.iter_mut().flat_map(|profile| &mut profile.requirements) {
            (row.text, row.source, row.cases) = (String::new(), String::new(), Vec::new());
        }
        RunReport { subject: placeless(&self.subject), cases, left_out, profiles, ..self.clone() }
    }

    /// How many cases were run, those that are left out among them.
    pub fn cases_run(&self) -> usize {
        self.cases.len() + self.left_out as usize
    }
}

fn small(case: &CaseReport) -> CaseReport {
    let findings = case.findings.iter().take(FINDINGS).cloned().collect();
    let replay = placeless(&case.replay);
    let (requirements, impairment, events) = (Vec::new(), Vec::new(), Vec::new());
    CaseReport {
        findings,
        replay,
        requirements,
        impairment,
        events,
        timeline: None,
        why: String::new(),
        took_us: 0,
        ..case.clone()
    }
}

/// A command line in which places have their option's name.
fn placeless(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let option = words.last().filter(|before| PLACES.contains(&before.as_str()));
        let place = option.map(|option| option.trim_start_matches('-').to_ascii_uppercase());
        words.push(place.unwrap_or_else(|| String::from(word)));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn what_is_left_says_the_same_in_a_sentence_and_names_no_place() {
        let mut report = sample::report();
        report.subject = String::from("--role client --engine q2pro --program /home/x/q2proded --dir /home/x/q2");
        report.cases[1].replay = format!("deltaproof replay x --seed 3 {}", report.subject);
        let brief = report.brief();
        assert_eq!((brief.cases.len(), brief.left_out, brief.cases_run()), (1, 1, 2));
        assert_eq!(brief.sentence(), report.sentence());
        assert_eq!(brief.brief(), brief);
        let text = serde_json::to_string(&brief).expect("is JSON");
        assert!(text.contains("--engine q2pro --program PROGRAM --dir DIR") && !text.contains("/home"), "{text}");
        assert_eq!(serde_json::from_str::<RunReport>(&text).ok(), Some(brief));
    }
}
