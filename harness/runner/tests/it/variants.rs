//! Every conforming variant passes every scenario: no check fails what the protocol allows.

use deltaproof::judge::{Keep, judge};
use deltaproof::registry::PROTOCOLS;
use deltaproof::suite::all_cases;
use rayon::prelude::*;
use std::path::PathBuf;

#[test]
fn every_variant_passes_every_scenario() {
    let cases = all_cases(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios")).expect("scenarios");
    let mut failed = Vec::new();
    for protocol in PROTOCOLS {
        for variant in protocol.variants {
            let judged =
                cases.par_iter().filter(|case| case.protocol.name == protocol.name && case.finding().is_none());
            let findings = judged.filter_map(|case| {
                let judgement = judge(case, case.seeds()[0], Some(variant.stand_in), Keep::Verdict);
                let allowed = |id: &str| variant.foregoes.iter().any(|forgone| forgone.id == id);
                let finding = judgement.findings.iter().find(|finding| !allowed(finding.requirement.id))?;
                Some(format!("{} in {}: {} {}", variant.name, case.name(), finding.requirement.id, finding.what))
            });
            failed.extend(findings.collect::<Vec<String>>());
        }
    }
    assert!(failed.is_empty(), "a check fails what is allowed:\n{}", failed.join("\n"));
}
