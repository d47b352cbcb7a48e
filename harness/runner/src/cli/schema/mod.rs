//! `schema`: JSON Schemas of scenario files, and of everything that is printed or written as JSON.
//!
//! They are files in `harness/runner/schema`, which the program carries. With the feature `schemas` it makes them again from the types
//! behind the output, and a test compares the two: to make them takes a build longer than anybody who only reads them should wait.

#[cfg(feature = "schemas")]
mod demo;
#[cfg(feature = "schemas")]
mod made;
pub(super) mod shipped;

use super::output::Stop;
use crate::nearest::{did_you_mean, nearest};
use shipped::{SCHEMAS, names};
use std::io::Write;

/// Prints the schema of `name`. Returns the exit code.
pub(super) fn schema(name: &str, out: &mut dyn Write) -> Result<u8, Stop> {
    let text = match SCHEMAS.iter().find(|(known, _)| *known == name) {
        _ if name == "scenario" => crate::scenario::schema(),
        #[cfg(feature = "schemas")]
        Some(_) => made::made(name)?,
        #[cfg(not(feature = "schemas"))]
        Some((_, text)) => String::from(*text),
        None => {
            let hint = did_you_mean(&nearest(name, names().into_iter()));
            return Err(Stop::Usage(format!("no schema `{name}`{hint}; there are {}", names().join(", "))));
        }
    };
    out.write_all(text.as_bytes())?;
    Ok(0)
}
