//! The JSON Schema of scenario files, for editors. Generated from the types that read them.

use super::file::File;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The schema as text: the same for the same program. Draft 7, because that is what YAML editors understand.
pub fn schema() -> String {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<File>();
    let mut text = format!("{:#}", tidy(schema.to_value()));
    text.push('\n');
    text
}

/// Sorts keys, joins the lines of descriptions, and takes back that an optional key may be null: it is left out.
fn tidy(value: Value) -> Value {
    match value {
        Value::Array(list) => list.into_iter().map(tidy).collect(),
        Value::Object(mapping) => {
            let mut pairs: Vec<(String, Value)> = mapping.into_iter().collect();
            pairs.sort_by(|(first, _), (second, _)| first.cmp(second));
            let tidied = pairs.into_iter().map(|(key, value)| {
                let value = match (key.as_str(), value) {
                    ("description", Value::String(text)) => text.replace('\n', " ").into(),
                    ("type" | "anyOf", Value::Array(list)) => without_null(list),
                    (_, value) => value,
                };
                (key, tidy(value))
            });
            tidied.collect::<serde_json::Map<String, Value>>().into()
        }
        other => other,
    }
}

fn without_null(mut list: Vec<Value>) -> Value {
    list.retain(|item| *item != json!("null") && *item != json!({ "type": "null" }));
    match &list[..] {
        [Value::String(only)] => only.as_str().into(),
        _ => list.into(),
    }
}

/// Entities are given by one number or one range.
pub(super) fn one_range(schema: &mut Schema) {
    exactly_one(schema, &["entity", "entities"]);
}

/// An outage has one end.
pub(super) fn one_end(schema: &mut Schema) {
    exactly_one(schema, &["for", "until"]);
}

/// A fault is one thing.
pub(super) fn one_fault(schema: &mut Schema) {
    exactly_one(schema, &["drop", "deliver", "delay", "duplicate", "truncate", "flip", "outage"]);
}

/// A step has one action.
pub(super) fn one_action(schema: &mut Schema) {
    exactly_one(schema, &["set", "spawn", "remove", "baseline", "stat", "map", "connect", "disconnect", "verb"]);
}

/// A condition is one thing.
pub(super) fn one_condition(schema: &mut Schema) {
    exactly_one(schema, &["sent", "delivered", "lost", "state", "note", "observed"]);
}

fn exactly_one(schema: &mut Schema, keys: &[&str]) {
    let one: Vec<Value> = keys.iter().map(|key| json!({ "required": [key] })).collect();
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
