//! The line of `decode` for a frame of a demo. It is written by hand for speed (`scene/lines`): this says what it has, and
//! `schemas::every_line_is_as_its_schema_says` compares.
#![allow(dead_code, reason = "only its schema is used")]

use schemars::JsonSchema;
use std::collections::BTreeMap;

/// What a demo has of one time, and what its player holds after that.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Frame {
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
    events: Vec<Event>,
    /// Messages that cannot be read to their end.
    unread: Option<Vec<Unread>>,
}

#[derive(JsonSchema)]
pub(super) struct Event {
    event: String,
    byte: u64,
    to: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Unread {
    byte: u64,
    bytes: usize,
    error: String,
}
