//! The evidence of a live session. It went as it went and cannot be done again, so that nothing is made smaller: its recording gives
//! the same findings whenever it is judged.

use super::record::{Origin, plain_name};
use super::{Bundle, CAPTURE, RECORD, SCENARIO, drawing};
use crate::history::History;
use crate::observe::{Observation, Observed};
use crate::report::Verdict;
use crate::scenario::Case;
use serde_json::json;
use std::fmt::Write;

/// A session in which something was found.
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// The probe.
    pub case: &'a Case,
    /// The seed of its faults.
    pub seed: u64,
    /// What was seen.
    pub observation: &'a Observation,
    /// What happened, as its recording has it.
    pub history: &'a History,
    /// The bytes of the recording.
    pub recording: &'a [u8],
}

/// Collects the evidence of a live session. `None`: nothing was found in it.
pub fn collect_live(session: Session<'_>) -> Option<Bundle> {
    let Session { case, seed, observation, history, recording } = session;
    let all = observation.findings.iter();
    let worst = all.min_by_key(|observed| !observed.finding.is_must())?;
    let origin = Origin::live(case, seed);
    let (failed, verdict) = (&worst.finding.requirement, verdict(worst));
    let record = json!({
        "evidence": origin.evidence, "case": origin.case, "seed": seed, "candidate": null, "blind": true, "live": true,
        "verdict": verdict, "failed": failed, "observation": observation,
    });
    let record = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
    // Another session of the same probe and seed is another failure: its recording tells them apart.
    let name = plain_name(&format!("{}-seed-{seed}-{failed}", origin.case), recording);
    let mut files = vec![
        (String::from("README.txt"), readme(session, worst).into_bytes()),
        (String::from("repro.sh"), super::text::script(&format!("judge \"$(dirname \"$0\")/{CAPTURE}\"")).into_bytes()),
        (String::from(SCENARIO), case.scenario.text.as_bytes().to_vec()),
        (String::from(RECORD), record.into_bytes()),
        (String::from(CAPTURE), recording.to_vec()),
        drawing(history),
    ];
    files.sort();
    let what = format!("{failed}: a live session, kept as it was");
    Some(Bundle { name, files, shrunk: None, what })
}

fn verdict(observed: &Observed) -> &'static str {
    if observed.finding.is_must() { Verdict::Fail.name() } else { Verdict::FailShould.name() }
}

fn readme(session: Session<'_>, worst: &Observed) -> String {
    let Session { case, seed, observation, .. } = session;
    let mut text = String::new();
    let mut line = |what: &str, said: &str| {
        // Writing to memory never fails.
        let _ = writeln!(text, "{what:<18}{said}");
    };
    super::text::requirement(case.protocol, &worst.finding.requirement, &mut line);
    line("violated by", &format!("{} at {}", worst.finding.host, kit::Time(worst.finding.at_us)));
    line("expected, seen", &worst.finding.what);
    if let Some(at) = &worst.evidence {
        line("shown by", &format!("datagram {} ({}): {}", at.datagram, at.direction, at.hex));
    }
    line("can mean", &worst.finding.suspects());
    line("check", &worst.finding.check);
    line("found in", &format!("{} seed {seed}, a live session: another one can differ", case.name()));
    line("again", &format!("sh repro.sh, or: deltaproof judge {CAPTURE}"));
    line("in full", &format!("deltaproof replay {CAPTURE}, or timeline.html"));
    let _ = writeln!(text, "\nAll that was found:\n");
    for Observed { finding, evidence } in &observation.findings {
        let at = evidence.as_ref().map_or(String::from("at the end"), |at| format!("datagram {}", at.datagram));
        let _ = writeln!(text, "{} {} {}, {at}: {}", finding.suspects(), finding.weight(), finding.host, finding.what);
    }
    text
}
