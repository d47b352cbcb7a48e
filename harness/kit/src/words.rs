//! The words of a protocol that scenarios, traces and reports use: fields, verbs, notes, options, texts.

/// What the value of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// An integer within the inclusive range.
    Int(i64, i64),
    /// A float; stored as the bits of an `f32`.
    Float,
}

/// One field of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, as in scenarios and reports.
    pub name: &'static str,
    /// Its range.
    pub unit: Unit,
}

/// A verb of a protocol's own, for scenario timelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verb {
    /// Name, as in scenarios.
    pub name: &'static str,
    /// The names of its arguments, at most four.
    pub args: &'static [&'static str],
    /// What it does, in a sentence.
    pub help: &'static str,
}

/// Something that an endpoint reports of itself, such as `snapshot applied`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// Name, as in scenarios and traces.
    pub name: &'static str,
    /// The names of its arguments, at most four.
    pub args: &'static [&'static str],
    /// When it is reported, in a sentence.
    pub help: &'static str,
}

/// Declares a table of [`Verb`] or [`Note`] values and a constant for the number of each, so that neither can go without
/// the other: `pub static TABLE: [Note]; NAME = "name" ["argument", …], "help";`.
#[macro_export]
macro_rules! numbered_table {
    ($(#[$doc:meta])* $table:ident: [$row:ident]; $($name:ident = $text:literal [$($arg:literal),*], $help:literal;)*) => {
        $crate::numbered_table!(@number 0; $($name $help,)*);

        $(#[$doc])*
        pub static $table: &[$crate::$row] =
            &[$($crate::$row { name: $text, args: &[$($arg),*], help: $help }),*];
    };
    (@number $number:expr; $name:ident $help:literal, $($rest:tt)*) => {
        #[doc = $help]
        pub const $name: usize = $number;
        $crate::numbered_table!(@number $number + 1; $($rest)*);
    };
    (@number $number:expr;) => {};
}

/// An option of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Name, as in scenarios.
    pub name: &'static str,
    /// The value when a scenario does not say.
    pub default: i64,
    /// What it decides, with its unit.
    pub help: &'static str,
}

/// Something that a scenario gives as text because numbers cannot say it, such as a table of the protocol.
#[derive(Clone, Copy, Debug)]
pub struct TextInfo {
    /// Name, as in scenarios.
    pub name: &'static str,
    /// The text when a scenario gives none.
    pub default: &'static str,
    /// What it decides, and its form.
    pub help: &'static str,
    /// Checks a text; the sentence says where in it, and what is wrong.
    pub check: fn(&str) -> Result<(), String>,
}
