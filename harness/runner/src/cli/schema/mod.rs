//! `schema`: JSON Schemas of scenario files, and of everything that is printed or written as JSON.

mod lines;

use super::output::Stop;
use super::{did_you_mean, nearest};
use crate::certify::Certificate;
use crate::report::RunReport;
use schemars::{Schema, schema_for};
use std::io::Write;

/// A name, and what makes the schema of it.
type Named = (&'static str, fn() -> Schema);

/// What there is a schema of. Of a command: any of its lines.
const SCHEMAS: [Named; 13] = [
    ("result", || schema_for!(RunReport)),
    ("certificate", || schema_for!(Certificate)),
    ("run", || schema_for!(lines::Run)),
    ("certify", || schema_for!(lines::Certify)),
    ("mutants", || schema_for!(lines::Mutants)),
    ("compare", || schema_for!(lines::Compare)),
    ("list", || schema_for!(lines::Cases)),
    ("list-requirements", || schema_for!(lines::Requirements)),
    ("list-variants", || schema_for!(lines::Variants)),
    ("list-words", || schema_for!(lines::Words)),
    ("explain", || schema_for!(lines::Explain)),
    ("decode", || schema_for!(lines::Decode)),
    ("judge", || schema_for!(lines::Judge)),
];

/// What can be asked for, `scenario` first.
pub(super) fn names() -> Vec<&'static str> {
    std::iter::once("scenario").chain(SCHEMAS.iter().map(|(name, _)| *name)).collect()
}

/// Prints the schema of `name`. Returns the exit code.
pub(super) fn schema(name: &str, out: &mut dyn Write) -> Result<u8, Stop> {
    let text = match SCHEMAS.iter().find(|(known, _)| *known == name) {
        _ if name == "scenario" => crate::scenario::schema(),
        Some((_, schema)) => serde_json::to_string_pretty(&schema())? + "\n",
        None => {
            let hint = did_you_mean(&nearest(name, names().into_iter()));
            return Err(Stop::Usage(format!("no schema `{name}`{hint}; there are {}", names().join(", "))));
        }
    };
    out.write_all(text.as_bytes())?;
    Ok(0)
}
