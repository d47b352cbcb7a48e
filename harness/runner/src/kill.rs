//! The kill matrix: every mutant, in its scenario, under every profile and variant of it.
//!
//! A mutant is killed in a profile when, in each variant there, a run with one of the scenario's own seeds finds its side
//! in breach of the requirement that it names. Found in breach of another requirement, it is alive: the check that it is
//! to prove has shown nothing.

use crate::foreign::Foreign;
use crate::judge::{Disregarded, Judgement, Keep, is_disregarded, judge};
use crate::pool;
use crate::scenario::Case;
use kit::{Finding, HostId, Knowledge, Mutant, Profile, Protocol, Requirement, Role, Suspects};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Of a scenario's own seeds, so many are tried.
pub const MOST_SEEDS: usize = 8;
/// Of what was found instead of the violation wanted, so much is kept.
const KEPT: usize = 2;

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Parts of names; a mutant is run if its name, its requirement or its scenario contains any of them, in upper or
    /// lower case, and every mutant without filters.
    pub filters: Vec<String>,
    /// Only in this profile.
    pub profile: Option<String>,
    /// Threads; all processors for `None`. The result does not depend on it.
    pub jobs: Option<usize>,
    /// What the oracle knows. With [`Knowledge::Wire`], a case in which the scenario makes an end misbehave kills nothing.
    pub knowledge: Knowledge,
    /// Only the mutants that this scenario is to kill.
    pub scenario: Option<String>,
    /// What is at the other end of the mutants; the reference without one. Only mutants of the other role are run then.
    pub opposite: Option<Arc<Foreign>>,
    /// Checks that find nothing, because of what the cases say that clients do not show: only mutants of clients are run then,
    /// those whose scenario is there.
    pub disregarded: Option<Disregarded>,
    /// Says whether no more is to be begun.
    pub stop: Option<fn() -> bool>,
}

impl Selection {
    fn takes(&self, mutant: &Mutant) -> bool {
        let names = [mutant.name, mutant.caught_by.id, mutant.scenario].map(str::to_ascii_lowercase);
        let mut filters = self.filters.iter().map(|filter| filter.to_ascii_lowercase());
        let by_name = self.filters.is_empty() || filters.any(|filter| names.iter().any(|name| name.contains(&filter)));
        let by_scenario = self.scenario.as_ref().is_none_or(|scenario| scenario == mutant.scenario);
        let by_role = self.disregarded.is_none() || mutant.replacement.role == Role::Client;
        by_name
            && by_scenario
            && by_role
            && self.opposite.as_ref().is_none_or(|other| other.place.role() != mutant.replacement.role)
    }

    /// Whether the scenario `id` is needed: a mutant that is selected by its name is to be caught there.
    pub fn needs(&self, protocols: &[&'static Protocol], id: &str) -> bool {
        let mut mutants = protocols.iter().flat_map(|protocol| protocol.mutants());
        let by_name = !self.filters.is_empty() && self.scenario.is_none();
        !by_name || mutants.any(|mutant| mutant.scenario == id && self.takes(mutant))
    }

    /// Whether every mutant is run.
    const fn is_everything(&self) -> bool {
        self.filters.is_empty() && self.scenario.is_none() && self.opposite.is_none() && self.disregarded.is_none()
    }

    fn takes_profile(&self, profile: &Profile) -> bool {
        let spoken = self.opposite.as_ref().is_none_or(|other| other.speaks(profile.name));
        spoken && self.profile.as_ref().is_none_or(|name| name == profile.name)
    }
}

/// What became of a mutant in a case, or in all cases of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was caught at its requirement.
    Killed {
        /// By the run with this seed.
        seed: u64,
        /// Number of violations in that run that can mean the requirement.
        findings: usize,
        /// The requirements that the first of them can mean.
        suspects: Suspects,
    },
    /// It was not.
    Alive {
        /// In this case.
        case: String,
        /// What a run with the first seed found instead, one entry for each requirement: its id and the violation.
        instead: Vec<(&'static str, String)>,
    },
}

/// A mutant in a profile.
#[derive(Clone, Debug)]
pub struct Row {
    pub mutant: &'static Mutant,
    pub profile: &'static Profile,
    /// Number of cases: the variants of the scenario in this profile.
    pub cases: usize,
    /// What became of it; of several cases the first in which it is alive, or else the first.
    pub fate: Fate,
}

impl Row {
    /// Whether it was caught at its requirement in every case.
    pub fn killed(&self) -> bool {
        matches!(self.fate, Fate::Killed { .. })
    }

    /// What the finding that killed it can mean.
    pub fn suspects(&self) -> Option<&Suspects> {
        match &self.fate {
            Fate::Killed { suspects, .. } => Some(suspects),
            Fate::Alive { .. } => None,
        }
    }

    /// Whether the finding that killed it names its requirement first.
    pub fn names_first(&self) -> bool {
        self.suspects().is_some_and(|suspects| suspects.first().id == self.mutant.caught_by.id)
    }

    /// The requirement that it was found to violate: its own, or else the first of what was found instead.
    pub fn killed_by(&self) -> Option<&'static str> {
        match &self.fate {
            Fate::Killed { .. } => Some(self.mutant.caught_by.id),
            Fate::Alive { instead, .. } => instead.first().map(|(id, _)| *id),
        }
    }
}

/// Which obligations of a profile have a mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// Obligations that have a mutant in the profile, whether it was killed or not.
    pub with: Vec<&'static Requirement>,
    /// Obligations that have none.
    pub without: Vec<&'static Requirement>,
    /// Number of obligations that bind in other profiles only.
    pub not_applicable: usize,
    /// Number of obligations that no run can cover.
    pub untestable: usize,
}

/// A profile's part of the matrix.
#[derive(Clone, Debug)]
pub struct ProfileKills {
    pub profile: &'static Profile,
    /// Mutants run.
    pub total: usize,
    /// Mutants killed.
    pub killed: usize,
    /// Mutants killed by a finding that names their requirement first.
    pub first: usize,
    /// Requirements that the findings of all killed mutants name.
    pub suspects: usize,
    /// Its obligations; `None` when only some of the mutants were asked for.
    pub cover: Option<Cover>,
}

/// The kill matrix.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// A row per mutant and profile: in catalogue order of their requirements, then in the order of the mutants.
    pub rows: Vec<Row>,
    /// The profiles, in the protocols' order.
    pub profiles: Vec<ProfileKills>,
    /// The groups of requirements, in catalogue order: their ids without the number.
    pub groups: Vec<&'static str>,
    /// Mutants, each in a profile, that were not run, as it was stopped.
    pub left: usize,
}

/// The group of a requirement: its id without the number.
pub fn group(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(group, _)| group)
}

impl Matrix {
    /// The exit code: 1 if a mutant is alive, or an obligation has none.
    pub fn exit_code(&self) -> u8 {
        let uncovered = |profile: &ProfileKills| profile.cover.as_ref().is_some_and(|cover| !cover.without.is_empty());
        u8::from(self.rows.iter().any(|row| !row.killed()) || self.profiles.iter().any(uncovered))
    }
}

/// A mutant names a scenario that cannot prove anything about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    /// There is no such scenario.
    #[error("the mutant `{0}` is to be caught in `{1}`, and there is no such scenario")]
    NoScenario(&'static str, &'static str),
    /// The requirement does not bind in a profile of the scenario.
    #[error("the mutant `{0}` is to be caught in `{1}`, at {2}, which does not apply to that scenario's profile {3}")]
    NotApplicable(&'static str, &'static str, &'static str, &'static str),
    /// The reference itself is expected to violate the requirement there.
    #[error("the mutant `{0}` is to be caught in `{1}`, where the reference is expected to violate {2}, too")]
    Expected(&'static str, &'static str, &'static str),
}

/// Gets how far it is: runs done, runs in all, the mutant that ended last.
pub type Progress<'a> = &'a (dyn Fn(u64, u64, &str) + Sync);

/// Runs the mutants of `protocols` that are selected, in `cases`: all there are.
///
/// # Errors
/// The first mutant whose scenario can prove nothing about it.
pub fn matrix(
    protocols: &[&'static Protocol],
    cases: &[Case],
    selection: &Selection,
    progress: Progress<'_>,
) -> Result<Matrix, Misplaced> {
    let knowing = |case: &Case| Case { knowledge: selection.knowledge, ..case.clone() };
    let cases: Vec<Case> = cases.iter().map(knowing).collect();
    let mut rows = Vec::new();
    for protocol in protocols {
        rows.extend(planned(protocol, &cases, selection)?);
    }
    let runs: Vec<(&'static Mutant, &Case)> =
        rows.iter().flat_map(|(mutant, cases)| cases.iter().map(|case| (*mutant, *case))).collect();
    let fates = in_parallel(&runs, selection, progress);
    let mut fates = fates.into_iter();
    let planned = rows.len();
    let rows: Vec<Row> = rows
        .into_iter()
        .filter_map(|(mutant, cases)| {
            let fates: Vec<Option<Fate>> = fates.by_ref().take(cases.len()).collect();
            let mut fates: Vec<Fate> = fates.into_iter().collect::<Option<_>>()?;
            let alive = fates.iter().position(|fate| matches!(fate, Fate::Alive { .. }));
            let fate = fates.swap_remove(alive.unwrap_or(0));
            Some(Row { mutant, profile: cases[0].profile, cases: cases.len(), fate })
        })
        .collect();
    let left = planned - rows.len();
    let profiles = protocols.iter().flat_map(|protocol| {
        let chosen = protocol.profiles.iter().filter(|profile| selection.takes_profile(profile));
        chosen.map(|profile| profile_kills(protocol, profile, &cases, &rows, selection))
    });
    let profiles = profiles.collect();
    let catalogue = protocols.iter().flat_map(|protocol| protocol.requirements);
    let mut groups: Vec<&'static str> = catalogue.map(|requirement| group(requirement.id)).collect();
    groups.dedup();
    Ok(Matrix { rows, profiles, groups, left })
}

/// A mutant, and the cases of one profile in which it must be caught. Never empty.
type Planned<'a> = (&'static Mutant, Vec<&'a Case>);

fn planned<'a>(
    protocol: &'static Protocol,
    cases: &'a [Case],
    selection: &Selection,
) -> Result<Vec<Planned<'a>>, Misplaced> {
    let place = |mutant: &&Mutant| protocol.requirements.iter().position(|row| row.id == mutant.caught_by.id);
    let mut mutants: Vec<&'static Mutant> = protocol.mutants().filter(|mutant| selection.takes(mutant)).collect();
    mutants.sort_by_key(place);
    let mut planned = Vec::new();
    for mutant in mutants {
        let (name, id) = (mutant.name, mutant.caught_by.id);
        let here: Vec<&Case> = cases.iter().filter(|case| case.scenario.id == mutant.scenario).collect();
        if here.is_empty() {
            if selection.disregarded.is_some() {
                continue;
            }
            return Err(Misplaced::NoScenario(name, mutant.scenario));
        }
        if let Some(case) = here.iter().find(|case| !mutant.caught_by.applies_to(case.profile.name)) {
            return Err(Misplaced::NotApplicable(name, mutant.scenario, id, case.profile.name));
        }
        if here.iter().any(|case| case.finding().is_some_and(|expected| expected.id == id)) {
            return Err(Misplaced::Expected(name, mutant.scenario, id));
        }
        let of_profile = here.chunk_by(|one, next| one.profile == next.profile);
        let chosen = of_profile.filter(|cases| selection.takes_profile(cases[0].profile));
        planned.extend(chosen.map(|cases| (mutant, cases.to_vec())));
    }
    Ok(planned)
}

fn in_parallel(runs: &[(&'static Mutant, &Case)], selection: &Selection, progress: Progress<'_>) -> Vec<Option<Fate>> {
    let done = AtomicU64::new(0);
    let work = || -> Vec<Option<Fate>> {
        runs.par_iter()
            .with_max_len(1)
            .map(|(mutant, case)| {
                if selection.stop.is_some_and(|stop| stop()) {
                    return None;
                }
                let fate = fate_with(mutant, case, selection);
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, runs.len() as u64, mutant.name);
                Some(fate)
            })
            .collect()
    };
    pool::install(selection.jobs, runs.len(), work)
}

/// What becomes of a mutant in one case, against the reference.
pub fn fate(mutant: &Mutant, case: &Case) -> Fate {
    fate_with(mutant, case, &Selection::default())
}

/// What becomes of a mutant in one case, with what is selected around it: the scenario's own seeds are tried until it is caught.
fn fate_with(mutant: &Mutant, case: &Case, selection: &Selection) -> Fate {
    let of_its_side = |host: HostId| (host == HostId::SERVER) == (mutant.replacement.role == Role::Server);
    let wanted = |finding: &&Finding| finding.suspects.contains(mutant.caught_by) && of_its_side(finding.host);
    let mut instead = Vec::new();
    // A blind oracle rightly finds what the scenario makes an end do, and judges the other end all the same.
    if case.is_left_out() && case.misbehaves(mutant.replacement.role == Role::Server) {
        return Fate::Alive { case: case.name(), instead };
    }
    for (place, &seed) in case.seeds().iter().take(MOST_SEEDS).enumerate() {
        let Judgement { findings, fault, .. } = match &selection.opposite {
            Some(other) => other.judge_against(case, seed, mutant.replacement),
            None => judge(case, seed, Some(mutant.replacement), Keep::Verdict),
        };
        if let Some(fault) = fault {
            return Fate::Alive { case: case.name(), instead: vec![("the shim failed:", fault.to_string())] };
        }
        let disregarded =
            |finding: &&Finding| selection.disregarded.as_ref().is_some_and(|it| is_disregarded(it, finding));
        let mut caught = findings.iter().filter(|finding| !disregarded(finding)).filter(wanted);
        if let Some(Finding { suspects, .. }) = caught.next() {
            return Fate::Killed { seed, findings: 1 + caught.count(), suspects: *suspects };
        }
        if place > 0 {
            continue;
        }
        for finding in findings {
            let id = finding.requirement().id;
            if instead.len() < KEPT && instead.iter().all(|(seen, _)| *seen != id) {
                instead.push((id, format!("{} at {}: {}", finding.host, finding.at, finding.what)));
            }
        }
    }
    Fate::Alive { case: case.name(), instead }
}

fn profile_kills(
    protocol: &'static Protocol,
    profile: &'static Profile,
    cases: &[Case],
    rows: &[Row],
    selection: &Selection,
) -> ProfileKills {
    let here = || rows.iter().filter(|row| row.profile == profile);
    ProfileKills {
        profile,
        total: here().count(),
        killed: here().filter(|row| row.killed()).count(),
        first: here().filter(|row| row.names_first()).count(),
        suspects: here().filter_map(Row::suspects).map(|suspects| suspects.iter().count()).sum(),
        cover: selection.is_everything().then(|| cover(protocol, profile, cases)),
    }
}

/// Which obligations of a profile have a mutant there.
pub fn cover(protocol: &Protocol, profile: &Profile, cases: &[Case]) -> Cover {
    let runs_here = |id: &str| cases.iter().any(|case| case.scenario.id == id && case.profile == profile);
    let mut cover = Cover::default();
    for &requirement in protocol.requirements.iter().filter(|requirement| requirement.level.is_must()) {
        if !requirement.applies_to(profile.name) {
            cover.not_applicable += 1;
        } else if requirement.untestable.is_some() {
            cover.untestable += 1;
        } else {
            let mut mutants = protocol.mutants_of(requirement);
            let covered = mutants.any(|mutant| runs_here(mutant.scenario));
            let rows = if covered { &mut cover.with } else { &mut cover.without };
            rows.push(requirement);
        }
    }
    cover
}
