//! Async Rust code under test: a tokio driver around an endpoint, as a game would ship one, is judged by the project's scenarios.
//!
//! `cargo run --release --example async_driver -- FILTER` runs it in the place of the server, then of the clients. Put your own server
//! or client where `driver::drive` is; all that it needs of this project is the `Seat`.

mod driver;

use deltaproof::candidate::{BuiltIn, Candidate};
use deltaproof::report::RunReport;
use deltaproof::scenario::Diagnostic;
use deltaproof::suite::{self, Selection};
use driver::hosted;
use kit::{Protocol, Replacement, Role, Time, Variant};
use std::path::Path;
use std::process::ExitCode;

/// Runs the cases below `scenarios` whose names contain `filter` with `replacement`, which is `protocol`'s.
///
/// # Errors
/// The scenarios cannot be read.
pub fn judge(
    scenarios: &Path,
    filter: &str,
    protocol: &'static Protocol,
    replacement: Replacement,
) -> Result<RunReport, Diagnostic> {
    let variant = Variant {
        name: "async-driver",
        allows: "the reference in a tokio driver",
        waives: &[],
        takes: None,
        forgoes: &[],
        replacement,
    };
    let candidate = Some(Candidate::BuiltIn(BuiltIn { protocol, variant }));
    let selection = Selection { filters: vec![String::from(filter)], candidate, ..Selection::default() };
    suite::run(scenarios, &selection, &|_| std::ops::ControlFlow::Continue(()))
}

/// The reference of FTE in the driver, in the server's place and in the clients'.
pub const HOSTED: [Replacement; 2] = [
    Replacement { role: Role::Server, build: |setup| hosted(setup, &[], fte::PROTOCOL.server) },
    Replacement { role: Role::Client, build: |setup| hosted(setup, &[], fte::PROTOCOL.client) },
];

fn main() -> ExitCode {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut good = true;
    for replacement in HOSTED {
        let report = match judge(&scenarios, &filter, &fte::PROTOCOL, replacement) {
            Ok(report) => report,
            Err(mistake) => {
                eprintln!("{}", mistake.render(false));
                return ExitCode::from(2);
            }
        };
        for case in report.cases.iter().filter(|case| case.verdict.is_bad()) {
            println!("{} {} seed {:?}: {}", case.verdict.name(), case.case, case.failed_seed, case.reason);
            for finding in case.findings.iter().take(3) {
                println!("    {} at {}: {}", finding.suspects(), Time(finding.at_us), finding.what);
            }
        }
        println!("{:?}: {}", replacement.role, report.headline);
        good &= report.exit_code() == 0;
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
