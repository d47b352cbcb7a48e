//! Schemas as they are made from the types behind the output.

use super::super::output::{Last, Stop};
use super::super::{catalogue, certify, charts, decode, explain, list, mutants, observed, words};
use super::demo;
use schemars::{JsonSchema, schema_for};

/// Those of whole files.
const FILES: [&str; 2] = ["result", "certificate"];

/// A line of a command that has two kinds of them.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, clippy::large_enum_variant, reason = "only its schema is used")]
enum AnyOf<A, B> {
    One(A),
    Last(B),
}

/// A line of `decode`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, clippy::large_enum_variant, reason = "only its schema is used")]
enum Decode<'a> {
    Datagram(decode::DatagramLine<'a>),
    Part(decode::PartLine<'a>),
    Frame(demo::Frame),
    Last(Last<decode::Summary<'a>>),
}

/// The schema of `name`.
pub(super) fn made(name: &str) -> Result<String, Stop> {
    let mut schema = match name {
        "result" => schema_for!(crate::report::RunReport),
        "certificate" => schema_for!(crate::certify::Certificate),
        "run" => schema_for!(AnyOf<crate::report::CaseReport, crate::report::json::LastLine<'static>>),
        "certify" => schema_for!(certify::Line<'static>),
        "mutants" => schema_for!(AnyOf<mutants::Line<'static>, Last<mutants::Summary<'static>>>),
        "compare" => schema_for!(AnyOf<charts::Point, Last<charts::Summary>>),
        "list" => schema_for!(AnyOf<catalogue::Case, Last<list::CasesSummary>>),
        "list-requirements" => schema_for!(AnyOf<list::Row<'static>, Last<list::Summary>>),
        "list-variants" => schema_for!(AnyOf<list::VariantLine, Last<list::VariantsSummary>>),
        "list-words" => schema_for!(AnyOf<words::Word, Last<words::Summary>>),
        "explain" => schema_for!(AnyOf<explain::Line<'static>, Last<list::Summary>>),
        "decode" => schema_for!(Decode<'static>),
        "judge" => schema_for!(AnyOf<observed::Line<'static>, observed::Summary<'static>>),
        _ => return Err(Stop::Usage(format!("no schema `{name}`"))),
    };
    schema.insert(String::from("title"), format!("deltaproof {name}").into());
    if !FILES.contains(&name) {
        let command = name.replace('-', " --");
        schema.insert(String::from("description"), format!("A line of `deltaproof {command} --format json`.").into());
    }
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}
