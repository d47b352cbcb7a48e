//! Servers that write in forms which the reference does not choose.

use crate::delta::Forms;
use crate::mutants::server_with;
use crate::rules::{Mentions, ResetFields, Rules};
use kit::Variant;
use kit::variant::of_server;

/// The writers in other forms.
pub(super) static VARIANTS: &[Variant] = &[
    of_server("long-indices", "gives small entity numbers a high byte, too, which readers take", |setup| {
        server_with(setup, Rules { forms: Forms { long_index: true, ..Forms::SHORTEST }, ..Rules::REFERENCE })
    }),
    of_server("all-flag-bytes", "writes four flag bytes always: one of zero is legal", |setup| {
        server_with(setup, Rules { forms: Forms { all_flag_bytes: true, ..Forms::SHORTEST }, ..Rules::REFERENCE })
    }),
    of_server("widest-forms", "gives small values their wide forms, which flags announce", |setup| {
        server_with(setup, Rules { forms: Forms { widest: true, ..Forms::SHORTEST }, ..Rules::REFERENCE })
    }),
    of_server("explicit-resets", "writes every field beside a RESET, also those of the baseline", |setup| {
        server_with(setup, Rules { reset_fields: ResetFields::All, ..Rules::REFERENCE })
    }),
    of_server("idle-entries", "mentions entities of which nothing changed, without a flag", |setup| {
        server_with(setup, Rules { mentions: Mentions::OneMore, ..Rules::REFERENCE })
    }),
];
