//! What a process that speaks the shim protocol can do wrong.

use crate::time::Time;

/// What a shim did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no such program, or it may not be run.
    #[error("`{command}` cannot be started: {why}")]
    NoStart {
        /// The command line.
        command: String,
        /// The system's reason.
        why: String,
    },
    /// It ended, or closed its standard output or its connection.
    #[error("the shim ended ({how}) instead of answering `{asked}`{left}{said}")]
    Ended {
        /// How: its exit code or signal.
        how: String,
        /// The operation.
        asked: &'static str,
        /// What it had written of a line.
        left: String,
        /// What it wrote to standard error last.
        said: String,
    },
    /// It did not answer.
    #[error("the shim did not answer `{asked}` within {ms} ms (`--shim-timeout` gives it longer){said}")]
    Hung {
        /// The operation.
        asked: &'static str,
        /// How long it had.
        ms: u128,
        /// What it wrote to standard error last.
        said: String,
    },
    /// It did not connect.
    #[error(
        "the shim did not connect to port {port} of 127.0.0.1 and send its token within {ms} ms; with `--shim-tcp` it finds \
         them in DELTAPROOF_SHIM_PORT and DELTAPROOF_SHIM_TOKEN{said}"
    )]
    Absent {
        /// Where it was expected.
        port: u16,
        /// How long it had.
        ms: u128,
        /// What it wrote last.
        said: String,
    },
    /// Its answer is none.
    #[error("the answer to `{asked}` is wrong: {why}")]
    Wrong {
        /// The operation.
        asked: &'static str,
        /// What is wrong with it, and where.
        why: String,
    },
    /// It cannot do what it was asked.
    #[error("the shim does not support {what}, which `{asked}` needs")]
    Unsupported {
        /// The operation.
        asked: &'static str,
        /// What it says.
        what: String,
    },
    /// It answered the same requests otherwise when the same run was done again.
    #[error(
        "the same run went another way the second time, in {process}: at {at} `{asked}` was answered by {second}, the first \
         time by {first}; look for a clock, a source of randomness, memory that is not set, or state that `close` leaves behind"
    )]
    Changed {
        /// Which process had the second run: the same one, or a fresh one.
        process: &'static str,
        /// Virtual time.
        at: Time,
        /// The operation.
        asked: &'static str,
        /// The answer of the first run, shortened.
        first: String,
        /// The answer of the second run, shortened.
        second: String,
    },
    /// The harness is about to say what its own schema does not allow.
    #[error("deltaproof's own request `{asked}` is against its schema: {why}; please report this")]
    Own {
        /// The operation.
        asked: &'static str,
        /// What is wrong with it, and where.
        why: String,
    },
}
