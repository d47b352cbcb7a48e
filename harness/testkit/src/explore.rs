//! The state machine tests: cases are drawn, run, and what fails is shortened for people to read.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use proptest_state_machine::ReferenceStateMachine;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Whether a test takes all its cases, not only some of them: `.ci/run` sets `TEST_SAMPLES=all`.
pub fn takes_all() -> bool {
    std::env::var("TEST_SAMPLES").is_ok_and(|samples| samples == "all")
}

/// The same cases in every run, and nothing of them kept; four times as many, where a test [`takes_all`].
pub fn properties(cases: u32) -> Config {
    let cases = if takes_all() { 4 * cases } else { cases };
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}

/// The shortest case found that fails.
#[derive(Debug)]
pub struct Counterexample<Start, Operation> {
    /// What did not hold.
    pub why: String,
    /// What the case began with.
    pub start: Start,
    /// What happened.
    pub operations: Vec<Operation>,
}

impl<Start: fmt::Debug, Operation: fmt::Debug> fmt::Display for Counterexample<Start, Operation> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{:?}", self.why, self.start)?;
        self.operations.iter().try_for_each(|operation| writeln!(f, "  {operation:?}"))
    }
}

/// Runs cases that a strategy draws: the smallest that fails, and why. `PROPTEST_CASES` wants more of them,
/// `PROPTEST_RNG_SEED` others; at most `shrinks` smaller ones are tried.
///
/// # Errors
/// What failed.
///
/// # Panics
/// The strategy draws nothing that makes sense.
pub fn search<S: Strategy>(
    strategy: &S,
    cases: u32,
    shrinks: u32,
    run: impl Fn(S::Value) -> Result<(), String>,
) -> Result<(), Box<(String, S::Value)>> {
    let named = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let config = Config {
        rng_seed: RngSeed::Fixed(named("PROPTEST_RNG_SEED").map_or(1, u64::from)),
        max_shrink_iters: shrinks,
        // Operations that make no sense are drawn again.
        max_local_rejects: u32::MAX,
        ..properties(named("PROPTEST_CASES").unwrap_or(cases))
    };
    match TestRunner::new(config).run(strategy, |case| run(case).map_err(TestCaseError::fail)) {
        Ok(()) => Ok(()),
        Err(TestError::Fail(why, case)) => Err(Box::new((why.message().to_owned(), case))),
        Err(TestError::Abort(why)) => panic!("the exploration was given up: {why}"),
    }
}

/// Runs cases of as many operations as `length` says, and takes operations out of the first that fails.
///
/// # Errors
/// The counterexample.
pub fn explore<M: ReferenceStateMachine + 'static>(
    length: Range<usize>,
    cases: u32,
    shrinks: u32,
    run: impl Fn(M::State, &mut dyn Iterator<Item = &M::Transition>) -> Result<(), String>,
) -> Result<(), Counterexample<M::State, M::Transition>> {
    let found = search(&M::sequential_strategy(length), cases, shrinks, |(start, operations, seen)| {
        // Tells the strategy where shrinking begins: what was not reached plays no part.
        let reached = |_: &_| {
            if let Some(seen) = &seen {
                seen.fetch_add(1, Ordering::SeqCst);
            }
        };
        run(start, &mut operations.iter().inspect(reached))
    });
    found.map_err(|found| {
        let (mut why, (start, mut operations, _)) = *found;
        // The strategy tries to leave out each but once.
        let mut at = 0;
        while at < operations.len() {
            let mut fewer = operations.clone();
            fewer.remove(at);
            match run(start.clone(), &mut fewer.iter()) {
                Ok(()) => at += 1,
                Err(other) => (why, operations, at) = (other, fewer, 0),
            }
        }
        Counterexample { why, start, operations }
    })
}
