//! What the types of a scenario cannot say of themselves in its JSON Schema.

use schemars::Schema;
use serde_json::{Value, json};

/// Entities are given by one number or one range.
pub(super) fn one_range(schema: &mut Schema) {
    exactly_one(schema, ["entity", "entities"]);
}

/// An outage has one end.
pub(super) fn one_end(schema: &mut Schema) {
    exactly_one(schema, ["for", "until"]);
}

/// A step has one action.
pub(super) fn one_action(schema: &mut Schema) {
    let actions = ["set", "spawn", "remove", "baseline", "stat", "map", "connect", "disconnect", "verb", "verbs"];
    exactly_one(schema, actions);
}

/// A condition is one thing.
pub(super) fn one_condition(schema: &mut Schema) {
    exactly_one(schema, ["sent", "delivered", "lost", "state", "note", "observed"]);
}

/// Exactly one of the keys is given.
pub(super) fn exactly_one<'k>(schema: &mut Schema, keys: impl IntoIterator<Item = &'k str>) {
    let one: Vec<Value> = keys.into_iter().map(|key| json!({ "required": [key] })).collect();
    schema.insert("oneOf".into(), one.into());
}

/// A selection of datagrams as a mapping without unknown keys, or in its short form.
pub(super) fn or_short_selection(schema: &mut Schema) {
    or_text(schema, json!({ "type": "string", "pattern": r"^(s2c|c2s|both) +\d+(\.\.\d+)?$" }));
}

/// An expectation as a mapping without unknown keys, or `pass`.
pub(super) fn or_pass(schema: &mut Schema) {
    schema.insert("required".into(), json!(["finding"]));
    or_text(schema, json!({ "const": "pass" }));
}

fn or_text(schema: &mut Schema, text: Value) {
    schema.insert("additionalProperties".into(), false.into());
    let mut mapping = std::mem::take(schema.ensure_object());
    let description = mapping.remove("description");
    schema.insert("anyOf".into(), json!([text, mapping]));
    if let Some(description) = description {
        schema.insert("description".into(), description);
    }
}
