//! Every conforming variant under every kind of bad luck: nothing is found.

use super::*;
use kit::Variant;

/// What is found beyond the recommendations that a variant waives.
pub fn beyond(variant: &Variant, findings: &[Finding]) -> Vec<Finding> {
    let waived = |finding: &&Finding| variant.waives.iter().any(|waived| waived.id == finding.requirement().id);
    findings.iter().filter(|finding| !waived(finding)).cloned().collect()
}

fn run(variant: &'static Variant, run: Run) {
    let oracle = run.judge_with(Some(variant.replacement));
    let seed = variant.name;
    assert_eq!(show(&beyond(variant, oracle.findings())), "", "{seed}");
}

#[test]
fn variants_pass_on_all_kinds_of_networks() {
    for variant in PROTOCOL.variants() {
        assert!(matches!(variant.replacement.role, Role::Server | Role::Client));
        run(variant, Run::new(3).busy());
        for seed in 0..6 {
            let bad = Run::new(2).busy().seed(seed).links(|link| {
                link.loss_ppm = 100_000 * (1 + seed as u32 % 4);
                link.jitter_us = 30_000;
                link.duplicate_ppm = 80_000;
                link.duplicate_us = 60_000;
                link.reorder_ppm = 80_000;
                link.reorder_us = 120_000;
            });
            run(variant, bad.option("first_sequence", 65_500).option("first_client_sequence", 65_400));
        }
        let outage = |link: &mut Link| link.outages.push((Time::from_ms(3_000), Time::from_ms(5_500)));
        run(variant, Run::new(2).busy().way(1, kit::Direction::ClientToServer, outage));
        run(variant, Run::new(2).busy().way(1, kit::Direction::ServerToClient, outage));
        let mut refused = Run::new(5).option("max_players", 2).option("wrong_password", 0b1010);
        refused.setup.texts[0] = "secret".into();
        run(variant, refused);
    }
}
