//! What a probe finds against a server becomes evidence, which is judged again without the server.

use super::{Role, mutant, profile, program, text, while_serving};
use crate::empty_folder;
use std::fs;

#[test]
fn a_finding_of_a_probe_is_found_again_in_the_recording_of_its_evidence() {
    let of @ (protocol, _) = profile("fitz666");
    let folder = empty_folder("evidence-of-a-probe");
    let [parent, record] = ["failures", "recordings"].map(|name| folder.join(name).to_string_lossy().into_owned());
    let probe = |address: std::net::SocketAddr| {
        let to = address.to_string();
        let line =
            ["probe", "probe/clean", "--profile=fitz666", "--for=1s", "--sign-on=1s", "--to", &to, "--record", &record];
        program(&[&line[..], &["--evidence", &parent]].concat())
    };
    let (output, _) = while_serving(of, mutant(protocol, "third-byte-unannounced", Role::Server), probe);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let bundles: Vec<_> = fs::read_dir(&parent).expect("evidence was written").flatten().map(|it| it.path()).collect();
    let [bundle] = &bundles[..] else { panic!("{bundles:?}") };
    let verdict = fs::read_to_string(bundle.join("verdict.json")).expect("the evidence has a verdict");
    let verdict: serde_json::Value = serde_json::from_str(&verdict).expect("JSON");
    let failed = verdict["failed"].as_str().expect("the requirement that failed");
    assert_eq!(verdict["live"], true);
    let again = program(&["judge", &bundle.join("wire.pcapng").to_string_lossy()]);
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stdout));
    assert!(text(&again.stdout).contains(failed), "{failed}: {}", text(&again.stdout));
}
