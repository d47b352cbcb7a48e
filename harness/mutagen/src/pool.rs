//! The worker processes: each gets a number, and answers with a line.

use crate::outcome::{Fate, Outcome};
use crate::targets::Side;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A mutant that runs longer than this by the wall clock is given up.
const BACKSTOP: Duration = Duration::from_secs(240);

/// A line to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The mutant.
    pub number: u32,
    /// Whose place it takes.
    pub side: Side,
    /// What the scenarios' own seeds have shown; nothing, if they are to be run now.
    pub before: Option<Fate>,
    /// A guided search is to send so many datagrams, in place of runs with more seeds.
    #[serde(default)]
    pub guided: Option<u64>,
}

/// How workers are started.
#[derive(Clone, Debug)]
pub struct Program {
    /// The runner.
    pub path: PathBuf,
    /// The folder of the scenarios.
    pub scenarios: PathBuf,
    /// Seeds after the scenarios' own.
    pub more_seeds: u64,
}

/// Runs `requests` with `jobs` processes; `take` gets each, in the order in which they end, and says whether to go on.
///
/// # Errors
/// A worker that cannot be started.
pub fn run(
    program: &Program,
    requests: Vec<Request>,
    jobs: usize,
    take: &mut dyn FnMut(Request, Fate) -> io::Result<()>,
) -> io::Result<()> {
    let queue = Mutex::new(VecDeque::from(requests));
    let (results, taken) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (results, queue) = (results.clone(), &queue);
            scope.spawn(move || {
                let mut worker = None;
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(request) = next else { break };
                    let result = ask(program, &mut worker, &request);
                    let failed = result.is_err();
                    if results.send((request, result)).is_err() || failed {
                        break;
                    }
                }
                worker.into_iter().for_each(Worker::stop);
            });
        }
        drop(results);
        for (request, fate) in taken {
            let answer = fate.and_then(|fate| take(request, fate));
            if let Err(error) = answer {
                queue.lock().unwrap_or_else(PoisonError::into_inner).clear();
                return Err(error);
            }
        }
        Ok(())
    })
}

struct Worker {
    process: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
}

impl Worker {
    fn start(program: &Program) -> io::Result<Worker> {
        let mut process = Command::new(&program.path)
            .arg(&program.scenarios)
            .arg(program.more_seeds.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(requests), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("a worker without pipes"));
        };
        let (lines, answers) = mpsc::channel();
        std::thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(Result::ok);
            read.take_while(|line| lines.send(line.clone()).is_ok()).for_each(drop);
        });
        Ok(Worker { process, requests, answers })
    }

    fn stop(self) {
        let Worker { mut process, requests, .. } = self;
        drop(requests);
        let _ = process.wait();
    }

    fn kill(mut self) -> String {
        let _ = self.process.kill();
        self.process.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

/// Asks a worker, which is started if there is none. One that dies is gone, and so is the mutant.
fn ask(program: &Program, worker: &mut Option<Worker>, request: &Request) -> io::Result<Fate> {
    let mut asked = match worker.take() {
        Some(worker) => worker,
        None => Worker::start(program)?,
    };
    let line = serde_json::to_string(request)?;
    let sent = writeln!(asked.requests, "{line}").and_then(|()| asked.requests.flush());
    match asked.answers.recv_timeout(BACKSTOP) {
        Ok(answer) => {
            *worker = Some(asked);
            Ok(serde_json::from_str(&answer)?)
        }
        Err(RecvTimeoutError::Timeout) => {
            asked.kill();
            Ok(Fate::lost(Outcome::Hang, "given up by the wall clock"))
        }
        Err(RecvTimeoutError::Disconnected) => {
            let status = asked.kill();
            if status.ends_with(" 2") {
                // What it has to say about that stands on standard error.
                return Err(io::Error::other("a worker could not begin"));
            }
            let why = sent.err().map_or(status, |error| error.to_string());
            Ok(Fate::lost(Outcome::Crash, &format!("the process is gone: {why}")))
        }
    }
}
