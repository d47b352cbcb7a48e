//! `schema`: JSON Schemas of scenario files, and of everything that is printed or written as JSON.
//!
//! They are files in `harness/runner/schema`, which the program carries. With the feature `schemas` it makes them again from the types
//! behind the output, and a test compares the two: to make them takes a build longer than anybody who only reads them should wait.

#[cfg(feature = "schemas")]
mod lines;

use super::output::Stop;
use crate::nearest::{did_you_mean, nearest};
use std::io::Write;

/// A row per schema: its name, and the type that it is made from.
macro_rules! schemas {
    ($($name:literal: $type:ty,)*) => {
        /// What there is a schema of beside `scenario`. Of a command: any of its lines.
        const SCHEMAS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../schema/", $name, ".schema.json"))),)*];

        /// The schema of `name` as it is made from its type.
        #[cfg(feature = "schemas")]
        fn made(name: &str) -> Result<String, Stop> {
            let schema = match name {
                $($name => schemars::schema_for!($type),)*
                _ => return Err(Stop::Usage(format!("no schema `{name}`"))),
            };
            Ok(serde_json::to_string_pretty(&schema)? + "\n")
        }
    };
}

schemas! {
    "result": crate::report::RunReport,
    "certificate": crate::certify::Certificate,
    "run": lines::Run,
    "certify": lines::Certify,
    "mutants": lines::Mutants,
    "compare": lines::Compare,
    "list": lines::Cases,
    "list-requirements": lines::Requirements,
    "list-variants": lines::Variants,
    "list-words": lines::Words,
    "explain": lines::Explain,
    "decode": lines::Decode,
    "judge": lines::Judge,
}

/// What can be asked for, `scenario` first.
pub(super) fn names() -> Vec<&'static str> {
    std::iter::once("scenario").chain(SCHEMAS.iter().map(|(name, _)| *name)).collect()
}

/// Prints the schema of `name`. Returns the exit code.
pub(super) fn schema(name: &str, out: &mut dyn Write) -> Result<u8, Stop> {
    let text = match SCHEMAS.iter().find(|(known, _)| *known == name) {
        _ if name == "scenario" => crate::scenario::schema(),
        #[cfg(feature = "schemas")]
        Some(_) => made(name)?,
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
