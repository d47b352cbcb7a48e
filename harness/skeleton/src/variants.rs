//! Other ways to conform, which no check may fail.

use crate::oracle::laws::BASE_02;
use crate::rules::Rules;
use crate::server::Server;
use kit::Variant;
use kit::variant::of_server;

/// The variants.
pub static VARIANTS: &[&[Variant]] = &[&[of_server("sends-everything", "sends every snapshot whole", |setup| {
    Box::new(Server::new(setup, Rules { base: |_, _| 0, ..Rules::REFERENCE }))
})
.takes(&BASE_02)]];
