//! Cases judged against each other, when all of them have run.

use crate::candidate::Candidate;
use crate::report::{CaseReport, Verdict};
use crate::scenario::{self, Case};
use kit::{Requirement, Role};
use std::collections::{BTreeMap, BTreeSet};

/// What all cases of a profile cover together, or what a candidate cannot reach there.
struct Settled<'a> {
    covered: BTreeMap<&'static str, BTreeSet<String>>,
    candidate: &'a Candidate,
}

impl<'a> Settled<'a> {
    fn of(cases: &[Case], reports: &[CaseReport], candidate: &'a Candidate) -> Settled<'a> {
        let mut covered: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (case, report) in cases.iter().zip(reports) {
            covered.entry(case.profile.name).or_default().extend(report.requirements.iter().cloned());
        }
        Settled { covered, candidate }
    }

    /// Whether a case need not cover `row` itself.
    fn has(&self, case: &Case, row: &Requirement) -> bool {
        let profile = case.profile.name;
        let covered = self.covered.get(profile).is_some_and(|covered| covered.contains(row.id));
        let skipped = |role| {
            row.role.binds(role)
                && (self.candidate.skips(row, role, profile).is_some()
                    || self.candidate.needs_world(row, role, profile).is_some())
        };
        // Without its world, much of what our own clients must do is not called for.
        let of_clients_alone = self.candidate.is_worldless() && !row.role.binds(Role::Server);
        covered
            || self.candidate.excuses(row, profile).is_some()
            || [Role::Server, Role::Client].into_iter().any(skipped)
            || of_clients_alone
    }
}

/// What a scenario is about need not happen with a candidate, which may do it in another way: a case in which it did not is
/// not applicable, if each requirement that the scenario names is covered elsewhere in the profile or not applicable itself.
pub fn pass_over(cases: &[Case], reports: &mut [CaseReport], candidate: &Candidate) {
    let settled = Settled::of(cases, reports, candidate);
    for (case, report) in cases.iter().zip(reports).filter(|(_, report)| report.verdict == Verdict::Vacuous) {
        // A probe is about nothing but a session.
        let claims = !case.requirements().is_empty();
        if claims && case.requirements().iter().all(|row| settled.has(case, row)) {
            report.verdict = Verdict::NotApplicable;
        }
    }
}

/// What a scenario says it covers, its variants must cover, all of a profile's together. A candidate may come to it in another
/// of the scenarios, and need not where it is not applicable, or where a shim says that it does not support one of them.
pub fn claim(cases: &[Case], reports: &mut [CaseReport], candidate: Option<&Candidate>) {
    let settled = candidate.map(|candidate| Settled::of(cases, reports, candidate));
    for (index, case) in cases.iter().enumerate() {
        let same = |other: &Case| other.scenario.id == case.scenario.id && other.profile == case.profile;
        let group: Vec<usize> = (0..cases.len()).filter(|&other| same(&cases[other])).collect();
        let variants = scenario::cases(&case.scenario);
        let complete = variants.iter().filter(|variant| same(variant)).count() == group.len();
        let is_open = |&case: &usize| {
            let verdict = reports[case].verdict;
            verdict.is_bad() || verdict == Verdict::Unsupported
        };
        if group.first() != Some(&index) || !complete || group.iter().any(is_open) {
            continue;
        }
        let tested = |row: &Requirement| match &settled {
            Some(settled) => settled.has(case, row),
            None => group.iter().any(|&other| reports[other].requirements.iter().any(|held| held == row.id)),
        };
        let named = case.requirements().iter().filter(|row| !tested(row));
        let missing: Vec<&str> = named.map(|row| row.id).collect();
        if !missing.is_empty() && case.finding().is_none() {
            reports[index].verdict = Verdict::Vacuous;
            let (first, missing) = (missing[0], missing.join(", "));
            reports[index].reason = format!(
                "`requirements` names {missing}, and no run covered it: remove it there, or let the scenario make it happen; \
                 `deltaproof explain {first}` says what it is about and which scenarios do"
            );
        }
    }
}

/// A case whose control case failed says nothing more about conformance, unless it finds what its control does not. A control
/// that is vacuous shows no fault, and blocks nothing; what a process did wrong by itself, or cannot do, stands whatever the control shows.
pub fn block(cases: &[Case], reports: &mut [CaseReport]) {
    let found = |report: &CaseReport| -> BTreeSet<String> {
        report.findings.iter().map(|finding| finding.requirement.clone()).collect()
    };
    let failed: BTreeMap<(String, String, String), BTreeSet<String>> = reports
        .iter()
        .filter(|report| report.verdict.is_bad() && report.verdict != Verdict::Vacuous)
        .map(|report| ((report.scenario.clone(), report.profile.clone(), report.variant.clone()), found(report)))
        .collect();
    for (case, report) in cases.iter().zip(reports) {
        let Some(control) = &case.scenario.file.control else { continue };
        let controls = failed.iter().filter(|((scenario, profile, variant), _)| {
            scenario == control && *profile == report.profile && (*variant == report.variant || variant.is_empty())
        });
        let found_there: Vec<&BTreeSet<String>> = controls.map(|(_, found)| found).collect();
        // What a control that failed without a finding shows is not known.
        let is_known = found_there.iter().all(|found| !found.is_empty());
        let is_new = |id: &String| is_known && !found_there.iter().any(|found| found.contains(id));
        let has_more = found(report).iter().any(is_new);
        let own = report.verdict == Verdict::Unsupported || report.verdict.exit_code() > 1 || has_more;
        if !found_there.is_empty() && *control != report.scenario && !own {
            report.verdict = Verdict::Blocked;
            report.reason = format!("its control case {control} failed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::BuiltIn;
    use crate::finding::FindingReport;
    use crate::registry::PROTOCOLS;
    use crate::report;
    use crate::summary::summarise;
    use crate::verdict::no_run_yet;

    fn scenarios() -> Vec<Case> {
        let all = scenario::load_built_in(|_| true).unwrap_or_else(|error| panic!("{}", error.one_line()));
        all.iter().flat_map(scenario::cases).collect()
    }

    /// The verdict on a run of `fte/remove-lost` that was vacuous with this variant, where others cover these requirements.
    fn passed_over(variant: &str, covered: &[&str]) -> Verdict {
        let mut variants = BuiltIn::all(PROTOCOLS);
        let candidate = variants.find(|it| it.variant.name == variant).expect("a variant of this name");
        let candidate = Candidate::BuiltIn(candidate);
        let of =
            |scenario: &str| scenarios().into_iter().find(|case| case.scenario.id == scenario).expect("a scenario");
        let cases = [of("fte/ack-clean"), of("fte/remove-lost")];
        let mut reports: Vec<CaseReport> = cases.iter().map(|case| no_run_yet(case, 1, Some(&candidate))).collect();
        reports[0].requirements = covered.iter().map(|id| String::from(*id)).collect();
        reports[1].verdict = Verdict::Vacuous;
        pass_over(&cases, &mut reports, &candidate);
        reports[1].verdict
    }

    #[test]
    fn what_did_not_happen_with_a_candidate_is_passed_over_where_all_of_it_is_covered_elsewhere() {
        let case = scenarios().into_iter().find(|case| case.scenario.id == "fte/remove-lost").expect("a scenario");
        let named: Vec<&str> = case.requirements().iter().map(|row| row.id).collect();
        assert_eq!(passed_over("removes-twice", &named), Verdict::NotApplicable);
        assert_eq!(passed_over("removes-twice", &named[1..]), Verdict::Vacuous);
    }

    /// The verdict on a scenario of two variants that cover nothing, the second of which has this verdict.
    fn claimed_beside(second: Verdict) -> Verdict {
        let all = scenarios();
        let of = |case: &Case| -> Vec<Case> {
            all.iter()
                .filter(|other| other.scenario.id == case.scenario.id && other.profile == case.profile)
                .cloned()
                .collect()
        };
        let cases = all.iter().map(of).find(|cases| cases.len() > 1 && !cases[0].requirements().is_empty());
        let cases = cases.expect("a scenario with variants");
        let mut reports: Vec<CaseReport> = cases.iter().map(|case| no_run_yet(case, 1, None)).collect();
        reports[1].verdict = second;
        claim(&cases, &mut reports, None);
        reports[0].verdict
    }

    #[test]
    fn what_a_scenario_claims_is_open_where_a_variant_of_it_is_not_supported() {
        assert_eq!(claimed_beside(Verdict::Pass), Verdict::Vacuous);
        assert_eq!(claimed_beside(Verdict::Unsupported), Verdict::Pass);
    }

    /// The verdict on a case whose control has this one, and the headline over both.
    fn beside_a_control_with(verdict: Verdict) -> (Verdict, String) {
        let (blocked, reports) = beside(verdict, &[], None);
        (blocked, summarise(&[], reports, None).headline)
    }

    /// The same, where the control finds violations of these requirements, and the case of that one.
    fn beside(verdict: Verdict, control_finds: &[&str], case_finds: Option<&str>) -> (Verdict, Vec<CaseReport>) {
        let all = scenarios();
        let case = all.iter().find(|case| case.scenario.file.control.is_some() && case.variant.is_empty());
        let case = case.expect("a case with a control").clone();
        let is_control = |other: &&Case| case.scenario.file.control.as_ref() == Some(&other.scenario.id);
        let control = all.iter().filter(is_control).find(|other| other.profile == case.profile).expect("its control");
        let cases = [control.clone(), case];
        let mut reports: Vec<CaseReport> = cases.iter().map(|case| no_run_yet(case, 1, None)).collect();
        let finding = |id: &str| FindingReport {
            requirement: id.into(),
            ..report::sample::report().cases.iter().find_map(|case| case.findings.first()).expect("a finding").clone()
        };
        reports[0].verdict = verdict;
        reports[0].findings = control_finds.iter().map(|id| finding(id)).collect();
        if let Some(id) = case_finds {
            (reports[1].verdict, reports[1].findings) = (Verdict::Fail, vec![finding(id)]);
        }
        block(&cases, &mut reports);
        (reports[1].verdict, reports)
    }

    #[test]
    fn a_control_that_failed_blocks_and_one_that_is_vacuous_does_not() {
        let headline = "MUST 0/0 (0 skipped, 0 untested)  SHOULD 0/0";
        assert_eq!(beside_a_control_with(Verdict::Pass), (Verdict::Pass, headline.into()));
        assert_eq!(beside_a_control_with(Verdict::Fail), (Verdict::Blocked, format!("{headline}  1 fail  1 blocked")));
        assert_eq!(beside_a_control_with(Verdict::Vacuous), (Verdict::Pass, format!("{headline}  1 vacuous")));
    }

    #[test]
    fn what_a_case_finds_that_its_control_does_not_stands_beside_a_control_that_failed() {
        let verdict = |control: &[&str], case| beside(Verdict::Fail, control, Some(case)).0;
        assert_eq!(verdict(&["FTE-SVC-02"], "FTE-SVC-02"), Verdict::Blocked);
        assert_eq!(verdict(&["FTE-SVC-02"], "FTE-HIST-06"), Verdict::Fail);
        assert_eq!(verdict(&[], "FTE-HIST-06"), Verdict::Blocked, "a control that failed without a finding");
    }
}
