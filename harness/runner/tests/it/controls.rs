//! Every scenario with a fault has a control, the same without the fault, and must show that its faults happened.

use crate::by_scenario;
use deltaproof::scenario::Scenario;
use std::collections::BTreeSet;

/// Faults that nothing in `must_reach` can count, and why.
const UNCOUNTED: [(&str, &str); 1] = [("damage", "`observed` has no share for damaged datagrams")];

/// Scenarios with faults that need no control, and why.
const WITHOUT_CONTROL: [(&str, &str); 12] = [
    ("fitz666/everywhere-long", WIDER),
    ("fitz666/everywhere-loss", WIDER),
    ("fitz666/everywhere-outage", WIDER),
    ("fte/everywhere-long", WIDER),
    ("fte/everywhere-loss", WIDER),
    ("fte/everywhere-outage", WIDER),
    ("nvs/everywhere-long", WIDER),
    ("nvs/everywhere-loss", WIDER),
    ("nvs/everywhere-outage", WIDER),
    ("pygg2/everywhere-long", WIDER),
    ("pygg2/everywhere-loss", WIDER),
    ("pygg2/everywhere-outage", WIDER),
];
const WIDER: &str = "its control has both values of an option, of which it needs one: these runs are long";

fn scenarios() -> Vec<&'static Scenario> {
    by_scenario().map(|cases| &*cases[0].scenario).collect()
}

/// The kinds of harm that a scenario does, by its link or by its script.
fn faults(scenario: &Scenario) -> BTreeSet<&'static str> {
    let network = &scenario.file.network;
    let mut kinds = BTreeSet::new();
    for link in [&network.both, &network.s2c, &network.c2s] {
        let narrow = link.mtu.is_some() || link.bandwidth.is_some() || link.queue.is_some();
        let given = [
            ("loss", link.loss.is_some() || link.burst.is_some() || narrow),
            ("duplicate", link.duplicate.is_some()),
            ("reorder", link.reorder.is_some()),
            ("damage", link.corrupt.is_some() || link.truncate.is_some()),
        ];
        kinds.extend(given.iter().filter(|(_, there)| *there).map(|(kind, _)| *kind));
    }
    for fault in &scenario.file.faults {
        let given = [
            ("loss", fault.drop.is_some() || fault.outage.is_some()),
            ("duplicate", fault.duplicate.is_some()),
            ("delay", fault.delay.is_some()),
            ("damage", fault.truncate.is_some() || fault.flip.is_some()),
        ];
        kinds.extend(given.iter().filter(|(_, there)| *there).map(|(kind, _)| *kind));
    }
    kinds
}

/// The kinds of harm of which a scenario demands that they happened.
fn demanded(scenario: &Scenario) -> BTreeSet<&'static str> {
    let mut kinds = BTreeSet::new();
    let network = &scenario.file.network;
    if [&network.both, &network.s2c, &network.c2s].iter().any(|link| link.swarm == Some(true)) {
        // What a seed may draw off cannot be promised.
        kinds.extend(["loss", "duplicate", "reorder"]);
    }
    for reach in scenario.file.must_reach.iter().filter(|reach| reach.at_most != Some(0)) {
        let observed = reach.observed.as_ref();
        let given = [
            ("loss", reach.lost.is_some() || observed.is_some_and(|observed| observed.loss.is_some())),
            ("duplicate", observed.is_some_and(|observed| observed.duplicate.is_some())),
            ("reorder", observed.is_some_and(|observed| observed.reorder.is_some())),
            // A datagram that is late is delivered; what that leads to is the scenario's to say.
            ("delay", reach.delivered.is_some() || observed.is_some_and(|observed| observed.reorder.is_some())),
        ];
        kinds.extend(given.iter().filter(|(_, there)| *there).map(|(kind, _)| *kind));
    }
    kinds.extend(UNCOUNTED.map(|(kind, _)| kind));
    kinds
}

/// The options that a scenario varies, and their values.
fn matrix(scenario: &Scenario) -> Vec<(&str, Vec<i64>)> {
    let axes = scenario.file.matrix.iter();
    axes.map(|axis| (axis.option.as_str(), axis.values.iter().map(|int| int.value).collect())).collect()
}

/// What is wrong with a scenario's control, if something is.
fn flaw(scenario: &Scenario, all: &[&Scenario]) -> Option<String> {
    let excused = WITHOUT_CONTROL.iter().any(|(id, _)| *id == scenario.id);
    if faults(scenario).is_empty() || excused {
        return None;
    }
    let Some(id) = &scenario.file.control else { return Some(String::from("names no control")) };
    let Some(control) = all.iter().find(|other| other.id == *id) else { return Some(format!("{id} does not exist")) };
    let harm = faults(control);
    if !harm.is_empty() {
        return Some(format!("its control {id} has faults itself: {harm:?}"));
    }
    if let Some(profile) = scenario.profiles.iter().find(|profile| !control.profiles.contains(profile)) {
        return Some(format!("its control {id} does not run with {}", profile.name));
    }
    (matrix(scenario) != matrix(control)).then(|| format!("its control {id} varies other options"))
}

#[test]
fn every_scenario_with_faults_names_a_control_that_is_the_same_without_them() {
    let all = scenarios();
    let flaws = all.iter().filter_map(|scenario| Some(format!("{}: {}", scenario.id, flaw(scenario, &all)?)));
    let flaws: Vec<String> = flaws.collect();
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
}

#[test]
fn every_scenario_demands_that_its_faults_happened() {
    let silent = scenarios().into_iter().filter_map(|scenario| {
        let demanded = demanded(scenario);
        let missing: Vec<&str> = faults(scenario).into_iter().filter(|kind| !demanded.contains(kind)).collect();
        (!missing.is_empty()).then(|| format!("{}: must_reach says nothing of {missing:?}", scenario.id))
    });
    let silent: Vec<String> = silent.collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
