//! The lines of `--format json`, as types from which their schemas are made. Most commands write their lines without them; that
//! both agree is what `schemas::every_line_is_as_its_schema_says` holds, with real output.
#![allow(dead_code, clippy::large_enum_variant, reason = "only their schemas are used")]

use crate::certify::Certificate;
use crate::observe::{Observation, Observed};
use crate::report::{CaseReport, Tally};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// A line of `run`: a case, or the summary after all of them.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Run {
    Case(CaseReport),
    Last(Last<RunSummary>),
}

/// The last line.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Last<T> {
    summary: T,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct RunSummary {
    /// The numbers in a line.
    headline: String,
    /// A hash over every trace.
    root_hash: String,
    profiles: Vec<ProfileSummary>,
    /// Vacuous cases.
    vacuous: u32,
    findings: u32,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ProfileSummary {
    profile: String,
    role: String,
    must: Tally,
    should: Tally,
    /// What the profile adds where the specification is silent.
    decided_must: Tally,
    decided_should: Tally,
}

/// The line of `certify`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Certify {
    certificate: Certificate,
}

/// A line of `mutants`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Mutants {
    Mutant(Mutant),
    Last(Last<MutantsSummary>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Mutant {
    mutant: String,
    profile: String,
    role: String,
    /// What it breaks.
    requirement: String,
    killed: bool,
    /// The requirement that was found violated, its own or another.
    killed_by: Option<String>,
    scenario: String,
    cases: usize,
    /// The engine that had the same bug.
    same_bug_as: Option<String>,
    /// Of a killed one, all that the finding can mean.
    suspects: Option<Vec<String>>,
    seed: Option<u64>,
    findings: Option<usize>,
    /// Of one that is alive, the case in which it is.
    case: Option<String>,
    /// What was found there instead.
    instead: Option<Vec<Instead>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Instead {
    requirement: String,
    what: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct MutantsSummary {
    total: usize,
    killed: usize,
    killed_elsewhere: usize,
    alive: usize,
    profiles: Vec<ProfileKills>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ProfileKills {
    profile: String,
    total: usize,
    killed: usize,
    /// Killed by a finding that names the requirement first.
    named_first: usize,
    /// Requirements that all those findings name.
    suspects: usize,
    /// Which MUST requirements have a mutant; of a selection of mutants it is not known.
    must: Option<Cover>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Cover {
    with: usize,
    without: Vec<String>,
    not_applicable: usize,
    untestable: usize,
}

/// A line of `compare`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Compare {
    Point(Point),
    Last(Last<CompareSummary>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Point {
    protocol: String,
    profile: String,
    /// `loss` or `latency`.
    varied: String,
    loss_percent: u32,
    latency_ms: u32,
    /// In thousandths of a byte.
    bytes_per_frame_milli: u64,
    /// The mean; nothing where no run recovered.
    recovery_us: Option<u64>,
    longest_recovery_us: Option<u64>,
    runs: u64,
    not_recovered: u64,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct CompareSummary {
    points: usize,
    entities: u32,
    seeds: u64,
}

/// A line of `list`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Cases {
    Case(Case),
    Last(Last<CasesSummary>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Case {
    case: String,
    scenario: String,
    profile: String,
    variant: String,
    title: String,
    requirements: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct CasesSummary {
    cases: usize,
}

/// A line of `list --requirements`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Requirements {
    Requirement(Requirement),
    Last(Last<RequirementsSummary>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Requirement {
    id: String,
    role: String,
    level: String,
    /// `covered`, `uncovered` or `untestable`.
    status: String,
    untestable: Option<String>,
    profiles: Vec<String>,
    decided: Option<String>,
    text: String,
    scenarios: Vec<String>,
    named_by: Vec<String>,
    mutants: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct RequirementsSummary {
    requirements: usize,
}

/// A line of `list --variants`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Variants {
    Variant(Variant),
    Last(Last<VariantsSummary>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Variant {
    variant: String,
    role: String,
    allows: String,
    /// Recommendations that it does not follow.
    waives: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct VariantsSummary {
    variants: usize,
}

/// A line of `list --words`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Words {
    Word(Word),
    Last(Last<WordsSummary>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Word {
    protocol: String,
    kind: String,
    word: String,
    args: Vec<String>,
    means: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct WordsSummary {
    words: usize,
}

/// A line of `explain`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Explain {
    Explained(Explained),
    Last(Last<RequirementsSummary>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Explained {
    id: String,
    protocol: String,
    level: String,
    role: String,
    text: String,
    source: String,
    observed: String,
    profiles: Vec<String>,
    errata: Option<String>,
    engines: Option<String>,
    untestable: Option<String>,
    decided: Option<String>,
    variants: Vec<ExplainedVariant>,
    checks: Vec<String>,
    law: Vec<String>,
    scenarios: Option<Vec<String>>,
    mutants: Vec<ExplainedMutant>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ExplainedVariant {
    name: String,
    allows: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ExplainedMutant {
    name: String,
    role: String,
    differs: String,
    scenario: String,
    same_bug_as: Option<String>,
}

/// A line of `decode`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Decode {
    Datagram(Datagram),
    Part(DemoPart),
    Frame(DemoFrame),
    Last(Last<DecodeSummary>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Datagram {
    /// Its number, from 1.
    n: usize,
    /// Of a demo: when, in microseconds since it began.
    time_us: Option<u64>,
    /// Of an `.mvd`: the players to whom alone it is said.
    audience: Option<String>,
    /// `s2c` or `c2s`.
    direction: String,
    client: u16,
    bytes: usize,
    summary: String,
    messages: usize,
    marks: Vec<Mark>,
    fields: Vec<Field>,
    /// Messages that this datagram completes.
    assembled: Vec<Assembled>,
    error: Option<Undecodable>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Mark {
    kind: String,
    number: u32,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Field {
    offset: usize,
    field: String,
    length: usize,
    value: String,
    depth: u8,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Assembled {
    bytes: usize,
    fields: Vec<Field>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Undecodable {
    offset: usize,
    field: String,
    kind: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct DecodeSummary {
    datagrams: usize,
    /// Of demos that were shown frame by frame.
    frames: Option<usize>,
    messages: usize,
    undecoded_bytes: usize,
    errors: usize,
    extensions: Vec<String>,
    /// The profiles that were guessed; none where one was given.
    guessed: Vec<String>,
    remarks: Vec<String>,
}

/// The first line of each part of a demo.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct DemoPart {
    /// Its number, from 1.
    part: u16,
    /// `dem`, `qwd`, `mvd` or `dm2`.
    container: String,
    profile: String,
    extensions: Vec<String>,
    /// What is taken for agreed, where the beginning is missing.
    assumed: Option<String>,
    /// The fields of an entity of which nothing was said.
    defaults: BTreeMap<String, f64>,
}

/// What a demo has of one time, and what its player holds after that.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct DemoFrame {
    /// Its number, from 1.
    frame: usize,
    part: u16,
    /// When, in microseconds since the demo began.
    time_us: u64,
    /// The server's own number of it.
    server_frame: Option<u32>,
    /// The first and the last message, by number from 1.
    messages: [usize; 2],
    /// Where the first stands in the file, in bytes.
    byte: u64,
    /// Whether it builds on something that the demo does not have.
    incomplete: Option<bool>,
    /// Entities by number: the fields that are not as by default.
    entities: BTreeMap<String, BTreeMap<String, Option<f64>>>,
    /// With `--changes`: the entities that were there a frame before.
    gone: Option<Vec<u32>>,
    /// Statistics of the player who recorded, by name or number.
    stats: Option<BTreeMap<String, Option<f64>>>,
    /// The same of each player, in the recording of a server.
    players: Option<BTreeMap<String, BTreeMap<String, Option<f64>>>>,
    /// What the player who recorded is told of himself alone.
    player: Option<BTreeMap<String, Option<f64>>>,
    /// What happened, in order: the service, its place, to whom alone it was said, and its fields by name.
    events: Vec<DemoEvent>,
    /// Messages that cannot be read to their end.
    unread: Option<Vec<DemoUnread>>,
}

#[derive(JsonSchema)]
pub(super) struct DemoEvent {
    event: String,
    byte: u64,
    to: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct DemoUnread {
    byte: u64,
    bytes: usize,
    error: String,
}

/// A line of `judge`.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Judge {
    Finding(SessionFinding),
    Last(SessionSummary),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SessionFinding {
    /// The recording.
    session: String,
    finding: Observed,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SessionSummary {
    /// The recording.
    session: String,
    /// Which profile was guessed and how well it reads the recording, if none was named.
    guess: Option<String>,
    summary: Observation,
}
