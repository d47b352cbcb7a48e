//! Broken handshakes and sign-ons, at both ends.

use super::{client_says, of_client};
use crate::requirements::*;
use kit::Mutant;

/// The broken handshakes.
pub(super) static MUTANTS: &[Mutant] = &[of_client(
    "key-by-name",
    &HS_10,
    "fte/movement-wrap",
    "names its extensions by the name of the key, not by its number",
    |setup| {
        client_says(setup, |packet| {
            packet.replace_text(b"0x32455446", b"FTE2");
        })
    },
)];
