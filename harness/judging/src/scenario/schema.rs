//! The JSON Schema of scenario files, for editors. Generated from the types that read them.

use super::file::File;
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
