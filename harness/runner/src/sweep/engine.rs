//! Runs on several threads, reported in their order.

use super::extent::Extent;
use super::row::Row;
use crate::candidate::Candidate;
use crate::pool;
use crate::scenario::Case;
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So many runs for each thread, and never fewer than [`LEAST_AHEAD`], may be done before one that others still wait for.
const AHEAD: usize = 64;
const LEAST_AHEAD: usize = 1_024;
/// So often, who listens is called even if nothing is done.
const TICK: Duration = Duration::from_millis(100);

/// Who follows a sweep while it goes on, on the thread that started it.
pub trait Listener {
    /// A run is done, and so are all before it. After a `Break` it is called for no other.
    fn row(&mut self, row: &Row) -> ControlFlow<()>;

    /// Some time has passed. After a `Break` no run is begun, and it is called for those that were.
    fn time_passes(&mut self) -> ControlFlow<()>;
}

/// What is run.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    pub cases: &'a [Case],
    /// How far they are run.
    pub extent: &'a Extent,
    /// What takes the place of the reference.
    pub candidate: Option<&'a Candidate>,
    /// Threads; as many as there are processors for `None`.
    pub jobs: Option<usize>,
}

impl Work<'_> {
    pub fn runs(&self) -> u128 {
        self.extent.steps().saturating_mul(self.cases.len() as u128)
    }
}

/// Does the runs with these numbers, until all are done or `listener` stops it.
pub fn sweep(work: Work<'_>, numbers: Range<u128>, listener: &mut dyn Listener) {
    let threads = pool::threads(work.jobs, numbers.end.saturating_sub(numbers.start));
    let queue = Queue {
        state: Mutex::new(State {
            next: numbers.start,
            end: numbers.end,
            reported: numbers.start,
            done: VecDeque::new(),
            at_work: threads,
        }),
        ahead: (threads * AHEAD).max(LEAST_AHEAD),
        room: Condvar::new(),
        news: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| queue.work(work));
        }
        queue.listen(listener);
    });
}

struct Queue {
    state: Mutex<State>,
    /// Most runs between the one that is waited for and the one that is begun.
    ahead: usize,
    /// There may be another run to do, or none any more.
    room: Condvar,
    /// There may be something to report.
    news: Condvar,
}

struct State {
    /// The run to begin next.
    next: u128,
    /// After the last to begin.
    end: u128,
    /// After the last that was reported.
    reported: u128,
    /// The rows from there on; `None` is still being run.
    done: VecDeque<Option<Row>>,
    /// Threads that may still bring a row.
    at_work: usize,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One thread: run after run.
    fn work(&self, work: Work<'_>) {
        let _leaving = Leaving(self);
        while let Some(number) = self.take() {
            let place = work.extent.at(number, work.cases.len());
            let Some(case) = work.cases.get(place.case) else { return };
            let row = Row::run(&place.case(case), place.seed, work.candidate);
            let mut state = self.state();
            let index = usize::try_from(number.saturating_sub(state.reported)).unwrap_or(usize::MAX);
            if let Some(slot) = state.done.get_mut(index) {
                *slot = Some(row);
            }
            // Who listens comes by anyway: it is called before others have to wait for it.
            if matches!(state.done.front(), Some(Some(_))) && state.done.len() * 2 >= self.ahead {
                self.news.notify_one();
            }
        }
    }

    /// The number of a run to do.
    fn take(&self) -> Option<u128> {
        let mut state = self.state();
        loop {
            if state.next >= state.end {
                return None;
            }
            if state.done.len() < self.ahead {
                state.done.push_back(None);
                state.next += 1;
                return Some(state.next - 1);
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reports the rows in their order until there will be no other.
    fn listen(&self, listener: &mut dyn Listener) {
        loop {
            let mut state = self.state();
            if state.at_work > 0 && !matches!(state.done.front(), Some(Some(_))) {
                let waited = self.news.wait_timeout(state, TICK);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            let ready = state.done.iter().take_while(|row| row.is_some()).count();
            let rows: Vec<Row> = state.done.drain(..ready).flatten().collect();
            state.reported += ready as u128;
            let over = state.at_work == 0 && ready == 0;
            drop(state);
            self.room.notify_all();
            for row in &rows {
                if listener.row(row).is_break() {
                    self.close();
                    return;
                }
            }
            if over {
                return;
            }
            if listener.time_passes().is_break() {
                self.close();
            }
        }
    }

    /// No run is begun any more.
    fn close(&self) {
        let mut state = self.state();
        state.end = state.next;
        drop(state);
        self.room.notify_all();
    }
}

/// A thread leaves. With a panic its row never comes, and nobody waits for it.
struct Leaving<'a>(&'a Queue);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.at_work -= 1;
        drop(state);
        if std::thread::panicking() {
            self.0.close();
        }
        self.0.news.notify_one();
    }
}
