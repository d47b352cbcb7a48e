//! The schemas that the program carries.

/// A row per schema: its name.
macro_rules! shipped {
    ($($name:literal)*) => {
        /// What there is a schema of beside `scenario`. Of a command: any of its lines.
        pub(in super::super) const SCHEMAS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../schema/", $name, ".schema.json"))),)*];
    };
}

shipped! {
    "result" "certificate" "run" "certify" "mutants" "compare" "list" "list-requirements" "list-variants" "list-words" "explain" "decode" "judge"
}

/// What can be asked for, `scenario` first.
pub(in super::super) fn names() -> Vec<&'static str> {
    std::iter::once("scenario").chain(SCHEMAS.iter().map(|(name, _)| *name)).collect()
}
