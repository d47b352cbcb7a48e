//! The words of a protocol that scenarios, traces and reports use: fields, verbs, notes, options, texts.

use crate::Role;

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
    /// Who does it.
    pub to: Role,
    /// The names of its arguments, at most four. What is called `client` is the number of one, or 0 for all.
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
/// the other: `pub static TABLE: [Note]; NAME = "name" ["argument", …], "help";`. A verb also names who does it:
/// `NAME = "name" to Server ["argument", …], "help";`.
#[macro_export]
macro_rules! numbered_table {
    ($(#[$doc:meta])* $table:ident: [$row:ident];
        $($name:ident = $text:literal $(to $role:ident)? [$($arg:literal),*], $help:literal;)*) => {
        $crate::numbered_table!(@number 0; $($name $help,)*);

        $(#[$doc])*
        pub static $table: &[$crate::$row] =
            &[$($crate::$row { name: $text, $(to: $crate::Role::$role,)? args: &[$($arg),*], help: $help }),*];
    };
    (@number $number:expr; $name:ident $help:literal, $($rest:tt)*) => {
        #[doc = $help]
        pub const $name: usize = $number;
        $crate::numbered_table!(@number $number + 1; $($rest)*);
    };
    (@number $number:expr;) => {};
}

/// The names of the states of a protocol's reference, which scenarios can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct States {
    /// Of the server's sessions.
    pub server: &'static [&'static str],
    /// Of clients.
    pub client: &'static [&'static str],
    /// Those of the server's sessions in which the client has left, so that another may have its seat.
    pub left: &'static [&'static str],
}

/// An option of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Name, as in scenarios.
    pub name: &'static str,
    /// The value when a scenario does not say.
    pub default: i64,
    /// The least value.
    pub least: i64,
    /// The greatest value.
    pub most: i64,
    /// What it decides, with its unit.
    pub help: &'static str,
    /// Whether both ends write and read by it, and nothing on the wire says so.
    pub dialect: bool,
}

impl OptionInfo {
    /// By which both ends write and read.
    pub const fn of_dialect(mut self) -> OptionInfo {
        self.dialect = true;
        self
    }

    /// Whether a value is in its range; else what to say.
    ///
    /// # Errors
    /// The value is too small or too great.
    pub fn check(&self, value: i64) -> Result<(), String> {
        if (self.least..=self.most).contains(&value) {
            Ok(())
        } else {
            Err(format!("{value} is out of the range of `{}`, {} to {}", self.name, self.least, self.most))
        }
    }
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
    /// Whether both ends write and read by it, and nothing on the wire says so.
    pub dialect: bool,
}
