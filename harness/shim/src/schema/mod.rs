//! The JSON Schemas of the shim protocol, one per kind of message, as files in `schema/`. `--strict-shim` checks every message
//! against them, ours first: in a program with the feature `schemas`, as what checks them takes longer to build than all the rest of
//! this crate.

#[cfg(feature = "schemas")]
mod check;

#[cfg(feature = "schemas")]
pub use boon;
#[cfg(feature = "schemas")]
pub use check::{Schemas, generated};

/// Whether this program can check messages against their schemas.
pub const AVAILABLE: bool = cfg!(feature = "schemas");

/// What to say where it cannot.
pub const HOW_TO_GET: &str = "this program was built without what checks JSON Schemas; build it with `cargo build --features schemas`, \
     or install it with `cargo install --features schemas`";

/// The schemas by the name of their file, without `.schema.json`.
pub const FILES: [(&str, &str); 5] = [
    ("request", include_str!("../../schema/request.schema.json")),
    ("hello-reply", include_str!("../../schema/hello-reply.schema.json")),
    ("step-reply", include_str!("../../schema/step-reply.schema.json")),
    ("observe-reply", include_str!("../../schema/observe-reply.schema.json")),
    ("done-reply", include_str!("../../schema/done-reply.schema.json")),
];

/// What checks the messages of one process.
#[derive(Default)]
pub(crate) struct Strictness {
    #[cfg(feature = "schemas")]
    schemas: Option<Schemas>,
}

#[cfg(feature = "schemas")]
impl Strictness {
    /// Checks every message, or none.
    pub(crate) fn new(strict: bool) -> Strictness {
        Strictness { schemas: strict.then(Schemas::new) }
    }

    /// Checks one of our requests.
    pub(crate) fn check_request(&self, line: &[u8]) -> Result<(), String> {
        self.schemas.as_ref().map_or(Ok(()), |schemas| schemas.check_request(line))
    }

    /// Checks the reply to an operation.
    pub(crate) fn check_reply(&self, asked: &str, text: &str) -> Result<(), String> {
        self.schemas.as_ref().map_or(Ok(()), |schemas| schemas.check_reply(asked, text))
    }
}

/// Where nothing can be checked: `Launch::strict` is refused before (see [`HOW_TO_GET`]).
#[cfg(not(feature = "schemas"))]
impl Strictness {
    pub(crate) fn new(_: bool) -> Strictness {
        Strictness::default()
    }

    #[allow(clippy::unused_self, reason = "the same form as with the feature")]
    pub(crate) fn check_request(&self, _: &[u8]) -> Result<(), String> {
        Ok(())
    }

    #[allow(clippy::unused_self, reason = "the same form as with the feature")]
    pub(crate) fn check_reply(&self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}
