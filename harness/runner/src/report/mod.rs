//! Reports: what a run has found out, for people and for machines. [`folder`] writes them as files (`result.json`, `junit.xml`,
//! `index.html`); all else is text, of [`judging::report`].

pub mod folder;
pub mod place;

#[cfg(test)]
#[path = "../../../judging/src/report/sample.rs"]
pub(crate) mod sample;

pub use judging::report::*;
