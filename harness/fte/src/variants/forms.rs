//! Servers that write in forms which the reference does not choose.

use super::forgone;
use crate::delta::Forms;
use crate::latitude::{Latitude, Mentions, ResetFields};
use crate::mutants::server_with;
use crate::rules::Rules;
use kit::Variant;
use kit::variant::of_server;

const REFERENCE: Latitude = Latitude::REFERENCE;

/// A server that writes updates in `forms`.
const fn written(forms: Forms) -> Rules {
    Rules::with(Latitude { forms, ..REFERENCE })
}

/// The writers in other forms.
pub(super) static VARIANTS: &[Variant] = &[
    of_server("long-indices", "writes small entity numbers in the extended form, too", |setup| {
        server_with(setup, written(Forms { long_index: true, ..Forms::SHORTEST }))
    }),
    of_server("all-flag-bytes", "always writes four flag bytes, zero ones too", |setup| {
        server_with(setup, written(Forms { all_flag_bytes: true, ..Forms::SHORTEST }))
    }),
    of_server("widest-forms", "writes small values in their wide forms", |setup| {
        server_with(setup, written(Forms { widest: true, ..Forms::SHORTEST }))
    })
    .forgoes(&[forgone::SHORT_FORMS]),
    of_server("explicit-resets", "writes every field with a RESET, also those of the baseline", |setup| {
        server_with(setup, Rules::with(Latitude { reset_fields: ResetFields::All, ..REFERENCE }))
    })
    .forgoes(&[forgone::BASELINES_IN_RESETS]),
    of_server("idle-entries", "sends entities that did not change, without a field", |setup| {
        server_with(setup, Rules::with(Latitude { mentions: Mentions::OneMore, ..REFERENCE }))
    })
    .forgoes(&[forgone::EMPTY_FRAMES]),
];
