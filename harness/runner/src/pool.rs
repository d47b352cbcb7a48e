//! How many threads work, whatever number was asked for.

use std::num::NonZero;
use std::thread::available_parallelism;

/// Never more threads than this: beyond the processors of any machine they cost memory and help nobody.
pub const MOST_THREADS: usize = 256;

/// Threads for so many runs: as many as were asked for, or as there are processors, and no more than can be of use.
pub fn threads(jobs: Option<usize>, runs: u128) -> usize {
    let wanted = jobs.unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get));
    let useful = usize::try_from(runs).unwrap_or(usize::MAX);
    wanted.min(useful).clamp(1, MOST_THREADS)
}

/// Does `work`, which uses rayon, with [`threads`] for so many runs; with those that there are anyway, if none were asked for.
pub fn install<R: Send>(jobs: Option<usize>, runs: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = |jobs| rayon::ThreadPoolBuilder::new().num_threads(threads(Some(jobs), runs as u128)).build().ok();
    match jobs.and_then(pool) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_jobs_starts_more_threads_than_are_of_use() {
        assert_eq!(threads(Some(100_000), 1 << 80), MOST_THREADS);
        assert_eq!(threads(Some(100_000), 3), 3);
        assert_eq!(threads(Some(2), 1 << 80), 2);
        assert_eq!(threads(Some(8), 0), 1);
        assert!(threads(None, 1 << 80) >= 1);
    }
}
