//! Clients whose port changes.

use super::diagnostics::{check, check_file};
use super::{FAKE, HEAD, OTHER, scenario};
use crate::scenario::{Alteration, Case, cases, parse_for_live};
use kit::{HostId, Rebind, Time};
use std::path::Path;

#[test]
fn ports_change_as_the_file_says_and_not_in_a_run_without_faults() {
    let rebinds = "clients: 2\nfaults:\n  - rebind: { client: 2, at: 3s }\n  - rebind: { client: 1, at: 0s }\n";
    let case = cases(&scenario(rebinds)).remove(0);
    let expected = [(2, 3_000), (1, 0)].map(|(n, ms)| Rebind { client: HostId(n), at: Time::from_ms(ms) });
    assert_eq!((case.network(1).rebinds, case.setup(1).rebinds), (expected.to_vec(), expected.to_vec()));
    assert_eq!(
        case.host_faults(),
        ["client2 has another port from 3.000000s", "client1 has another port from 0.000000s"]
    );
    let faultless = Case { alteration: Alteration::faultless(), ..cases(&scenario(rebinds)).remove(0) };
    assert!(faultless.network(1).rebinds.is_empty() && faultless.setup(1).rebinds.is_empty());
    assert_eq!(faultless.host_faults(), [""; 0]);
}

#[test]
fn a_rebind_concerns_a_client_of_the_run_before_it_settles() {
    check(
        "faults:\n  - rebind: { client: 2, at: 1s }\n",
        "8:23: there is no client 2; this scenario has client 1 alone (`clients:` says how many there are)",
    );
    check("faults:\n  - rebind: { client: 1, at: 8s }\n", "8:30: `at` is 8s, after the end of the run, 8s");
    check("settle: 2s\nfaults:\n  - rebind: { client: 1, at: 6s }\n", "9:30: `at` is 6s, and the run settles from 6s");
    check("faults:\n  - rebind: { client: 1 }\n", "8:13: missing key `at` in faults[0].rebind");
}

#[test]
fn where_a_client_is_known_by_its_port_a_rebind_is_an_outage() {
    let text = HEAD.replace("fake-nq", "other-1");
    check_file(
        &format!("{text}faults:\n  - rebind: {{ client: 1, at: 1s }}\n"),
        "8:13: servers of other-1 know a client by its address and port: to them this is an outage until the client connects again \
         (write `outage`, or `restart` for a client that connects again)",
    );
    assert_eq!(OTHER.profiles.len(), 1);
}

#[test]
fn in_a_live_session_no_port_changes() {
    let text = format!("{HEAD}faults:\n  - rebind: {{ client: 1, at: 1s }}\n");
    let read = parse_for_live(&FAKE, &FAKE.profiles[0], "probe/test", Path::new("probe/test.yaml"), &text);
    let wrong = read.expect_err("it is refused").one_line();
    assert!(wrong.contains("in a live session no host can be made to come from another port"), "{wrong}");
}
