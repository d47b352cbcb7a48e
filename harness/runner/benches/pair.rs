//! A whole run of each protocol's storm, or where there is none of its worst loss, with one seed: server and clients over
//! the network alone, and judged by the oracle: `cargo bench --bench pair`. Elements are datagrams.

#![allow(missing_docs, reason = "a program has no callers")]

mod cases;

use cases::CASES;
use criterion::{Criterion, Throughput};
use deltaproof::judge::{Keep, judge};
use deltaproof::scenario::{self, Case};
use kit::{Endpoint, HostId};
use std::hint::black_box;
use std::path::Path;

const SEED: u64 = 2;

/// Runs the machines of a case without anybody who watches; how many datagrams were sent.
fn unwatched(case: &Case) -> u64 {
    let setup = case.setup(SEED);
    let clients = (1..=setup.clients).map(|client| (case.protocol.client)(&setup.on(HostId(client))));
    let server = (case.protocol.server)(&setup.on(HostId::SERVER));
    let mut hosts: Vec<Box<dyn Endpoint>> = std::iter::once(server).chain(clients).collect();
    let network = case.network(SEED);
    let simulation = sim::Simulation {
        hosts: &mut hosts,
        network: &network,
        commands: &mut case.commands(SEED),
        dissector: None,
        until: case.duration(),
        hash: false,
    };
    simulation.run(&mut sim::Unwatched).datagrams
}

fn measure(criterion: &mut Criterion) -> Result<(), scenario::Diagnostic> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let wanted = |id: &str| CASES.iter().any(|case| case.starts_with(&format!("{id}@")));
    let scenarios = scenario::load_some(&root, wanted)?;
    for name in CASES {
        let case = scenarios.iter().flat_map(scenario::cases).find(|case| case.name() == name);
        let case = case.unwrap_or_else(|| panic!("there is no case {name}"));
        let mut group = criterion.benchmark_group(case.protocol.name);
        group.sample_size(10);
        group.throughput(Throughput::Elements(unwatched(&case)));
        group.bench_function("unwatched", |bencher| bencher.iter(|| black_box(unwatched(&case))));
        group.bench_function("judged", |bencher| {
            bencher.iter(|| {
                let judgement = judge(&case, SEED, None, Keep::Verdict);
                assert!(judgement.findings.is_empty(), "{:?}", judgement.findings);
                judgement.datagrams
            });
        });
        group.finish();
    }
    Ok(())
}

fn main() -> Result<(), scenario::Diagnostic> {
    let mut criterion = Criterion::default().configure_from_args();
    measure(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}
