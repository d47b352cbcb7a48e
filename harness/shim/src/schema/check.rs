//! The schemas at work: generated from the messages' types, and checked against messages.

use super::FILES;
use boon::{Compiler, SchemaIndex};
use serde_json::Value;

/// The schema of each file, made from the messages' types.
pub fn generated() -> Vec<(&'static str, String)> {
    use crate::message::{DoneReply, HelloReply, ObserveReply, Request, StepReply};
    let text = |schema: schemars::Schema| serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
    vec![
        ("request", text(schemars::schema_for!(Request))),
        ("hello-reply", text(schemars::schema_for!(HelloReply))),
        ("step-reply", text(schemars::schema_for!(StepReply))),
        ("observe-reply", text(schemars::schema_for!(ObserveReply))),
        ("done-reply", text(schemars::schema_for!(DoneReply))),
    ]
}

/// All of them, ready for use.
pub struct Schemas {
    compiled: boon::Schemas,
    places: Vec<(&'static str, SchemaIndex)>,
}

impl Schemas {
    /// Those that are shipped.
    ///
    /// # Panics
    /// Never: a test reads them all.
    pub fn new() -> Schemas {
        let mut compiled = boon::Schemas::new();
        let mut compiler = Compiler::new();
        let mut places = Vec::new();
        for (name, text) in FILES {
            let place = read(text).ok().and_then(|schema| {
                let address = format!("deltaproof:{name}");
                compiler.add_resource(&address, schema).ok()?;
                compiler.compile(&address, &mut compiled).ok()
            });
            places.push((name, place.unwrap_or_else(|| unreachable!("the schema `{name}` is none"))));
        }
        Schemas { compiled, places }
    }

    /// Checks one of our requests.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn check_request(&self, line: &[u8]) -> Result<(), String> {
        self.check("request", &serde_json::from_slice(line).map_err(|error| error.to_string())?)
    }

    /// Checks the reply to an operation.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn check_reply(&self, asked: &str, text: &str) -> Result<(), String> {
        let name = match asked {
            "hello" => "hello-reply",
            "open" | "step" => "step-reply",
            "observe" => "observe-reply",
            _ => "done-reply",
        };
        self.check(name, &read(text)?)
    }

    fn check(&self, name: &str, message: &Value) -> Result<(), String> {
        let place = self.places.iter().find(|(known, _)| *known == name).map(|(_, place)| *place);
        let place = place.ok_or_else(|| format!("there is no schema `{name}`"))?;
        self.compiled.validate(message, place).map_err(|error| {
            // The innermost errors say what is wrong; those around them only where.
            let mut innermost = &error;
            while let Some(cause) = innermost.causes.first() {
                innermost = cause;
            }
            let at = innermost.instance_location.to_string();
            format!(
                "schema/{name}.schema.json: {}: {}",
                if at.is_empty() { "the message" } else { &at },
                innermost.kind
            )
        })
    }
}

impl Default for Schemas {
    fn default() -> Schemas {
        Schemas::new()
    }
}

fn read(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}
