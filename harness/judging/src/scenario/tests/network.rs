//! Mistakes in what a network and its hosts do.

use super::diagnostics::check;

#[test]
fn a_preset_has_a_name() {
    check("network: { preset: dls }\n", "7:20: unknown word `dls` in network.preset (did you mean `dsl`?)");
}

#[test]
fn swarm_needs_faults_and_promises_none() {
    check("network: { s2c: { swarm: true } }\n", "7:26: `swarm` has no effect without a fault that can be drawn");
    check(
        "network: { both: { swarm: true, loss: 1% } }\nmust_reach:\n  - { observed: { direction: s2c, loss: 1% } }\n",
        "9:17: `observed` cannot be promised of a network with `swarm` (a seed may draw any of its faults off: leave one of the two out)",
    );
}

#[test]
fn a_spike_has_a_height_and_a_length() {
    check(
        "network: { s2c: { spike: { enter: 1%, by: 61s, for: 2s } } }\n",
        "7:43: `by` is 61s; it is more than 0s and at most 60s",
    );
    check(
        "network: { both: { spike: { enter: 1%, by: 100ms, for: 0s } } }\n",
        "7:56: `for` is 0s; it is more than 0s and at most 60s",
    );
}

#[test]
fn a_clock_is_wrong_within_limits() {
    check(
        "clocks:\n  - { host: client2, ahead: 1s }\n",
        "8:13: there is no client 2; this scenario has client 1 alone (`clients:` says how many there are)",
    );
    check(
        "clocks:\n  - { host: server, fast: 0.1%, slow: 0.1% }\n",
        "8:33: both `fast` and `slow` are given (keep one of the two)",
    );
    check("clocks:\n  - { host: server, slow: 0.2% }\n", "8:27: `slow` is 0.2%; the limit is 0.1%");
    check("clocks:\n  - { host: client1, ahead: 7301d }\n", "8:29: `ahead` is 630806400s; the limit is 7300d");
    check(
        "clocks:\n  - { host: server, ahead: 0s }\n",
        "8:5: nothing is wrong with this clock (give `ahead`, `fast` or `slow`)",
    );
    check(
        "clocks:\n  - { host: server, fast: 0.1% }\n  - { host: server, slow: 0.1% }\n",
        "9:13: server has two clocks",
    );
}

#[test]
fn a_pause_has_an_end_before_the_run_settles() {
    check(
        "faults:\n  - pause: { host: client1, from: 2s }\n",
        "8:12: the pause has no end (say `for: 3s`, or `until: 5s`)",
    );
    check(
        "settle: 2s\nfaults:\n  - pause: { host: client1, from: 2s, for: 5s }\n",
        "9:44: the pause lasts until 7s, but the run settles from 6s (nothing settles while nothing gets through)",
    );
    check(
        "faults:\n  - restart: { host: server, from: 2s, for: 1s }\n  - pause: { host: client1, from: 3s, for: 1s }\n",
        "9:35: the server is dead from 2s to 3s, and something happens to client1 then (let it be over before that, or begin after it)",
    );
    check(
        "faults:\n  - restart: { host: server, from: 2s, for: 1s }\ntimeline:\n  - { at: 3s, disconnect: { client: 1 } }\n",
        "10:27: server is dead from 2s to 3s, and its clients connect when that is over (tell it before or after that)",
    );
    check(
        "faults:\n  - restart: { host: client1, from: 2s, for: 1s }\n\
         timeline:\n  - { at: 1s, verb: { name: acknowledge, host: client1, args: { frame: 1 } } }\n",
        "10:21: client1 is restarted at 3s and knows nothing of this then (tell it after that)",
    );
    check(
        "faults:\n  - restart: { host: client1, from: 2s, for: 1s }\ntimeline:\n  - { at: 2500ms, connect: { client: 1 } }\n",
        "10:28: client1 is dead from 2s to 3s, and connects when that is over (tell it before or after that)",
    );
    check(
        "faults:\n  - restart: { host: client1, from: 2s, for: 1s }\n  - pause: { host: client1, from: 500ms, for: 1s }\n",
        "8:22: client1 stands still in this run, too (let another client stand still)",
    );
}
