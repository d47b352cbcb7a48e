//! How a protocol crate makes itself known: one `static` of type [`Protocol`].
//!
//! The runner knows no protocol; it finds everything, names included, in this value.

use crate::check::{Check, Knowledge};
use crate::endpoint::{Endpoint, HostId};
use crate::mutant::Mutant;
use crate::reader::{DecodeError, Span};
use crate::requirement::{Oracle, Requirement};
use crate::trace::Direction;
use crate::variant::Variant;
use std::sync::Arc;

/// One protocol.
#[derive(Debug)]
pub struct Protocol {
    /// Short name: the crate's, and the folder of its scenarios and goldens.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub title: &'static str,
    /// The forms of it that can be tested separately.
    pub profiles: &'static [Profile],
    /// The fields of an entity, by number.
    pub fields: &'static [Field],
    /// The protocol's own verbs.
    pub verbs: &'static [Verb],
    /// The numbers of the verbs by which a scenario makes an end misbehave: what such a run finds is right.
    pub misbehaviour: &'static [usize],
    /// What its endpoints report of themselves, beside what they show: with [`View`](crate::View) the contract of what an
    /// implementation has to show.
    pub notes: &'static [Note],
    /// The options of a scenario.
    pub options: &'static [OptionInfo],
    /// What a scenario can give as text.
    pub texts: &'static [TextInfo],
    /// The kinds of content that a datagram can carry, for scripted faults and `must_reach`.
    pub marks: &'static [&'static str],
    /// The requirement catalogue, in document order.
    pub requirements: &'static [&'static Requirement],
    /// What the oracle checks.
    pub checks: &'static [&'static Check],
    /// The names of the coverage points that its checks need, by number.
    pub points: &'static [&'static str],
    /// The broken twins, in groups.
    pub mutants: &'static [&'static [Mutant]],
    /// Other ways to conform than the reference's, by file.
    pub variants: &'static [&'static [Variant]],
    /// Builds the reference server.
    pub server: fn(&Setup) -> Box<dyn Endpoint>,
    /// Builds a reference client.
    pub client: fn(&Setup) -> Box<dyn Endpoint>,
    /// Builds the oracle for a run.
    pub oracle: fn(&Setup) -> Box<dyn Oracle>,
    /// Builds a dissector; `None` finds the profile from the first datagram.
    pub dissector: fn(Option<&Setup>) -> Box<dyn Dissector>,
}

impl Protocol {
    /// The broken twins.
    pub fn mutants(&self) -> impl Iterator<Item = &'static Mutant> {
        self.mutants.iter().copied().flatten()
    }

    /// The checks whose failure can mean that `requirement` is violated.
    pub fn checks_of(&self, requirement: &Requirement) -> impl Iterator<Item = &'static Check> {
        self.checks.iter().copied().filter(move |check| check.can_break(requirement))
    }

    /// All conforming variants.
    pub fn variants(&self) -> impl Iterator<Item = &'static Variant> {
        self.variants.iter().copied().flatten()
    }
}

/// A form of a protocol, such as `fte-nq`.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// Name, as in scenarios and on the command line.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub title: &'static str,
    /// The protocol's own number for it.
    pub index: usize,
}

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

/// How to build an endpoint, an oracle or a dissector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The profile.
    pub profile: &'static Profile,
    /// The host that the endpoint is (its address in the network).
    pub host: HostId,
    /// Number of clients in the run.
    pub clients: u16,
    /// The endpoint's only source of randomness.
    pub seed: u64,
    /// One value per [`Protocol::options`] entry.
    pub options: Vec<i64>,
    /// One text per [`Protocol::texts`] entry.
    pub texts: Vec<Arc<str>>,
    /// What the oracle is told.
    pub knowledge: Knowledge,
}

impl Setup {
    /// A setup with every option at its default.
    pub fn new(protocol: &Protocol, profile: &'static Profile) -> Setup {
        let options = protocol.options.iter().map(|option| option.default).collect();
        let texts = protocol.texts.iter().map(|text| Arc::from(text.default)).collect();
        Setup { profile, host: HostId::SERVER, clients: 1, seed: 0, options, texts, knowledge: Knowledge::World }
    }

    /// The same run, seen by another host.
    pub fn on(&self, host: HostId) -> Setup {
        Setup { host, ..self.clone() }
    }
}

/// Something that a datagram carries, such as a reset of entity 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Index into [`Protocol::marks`].
    pub kind: usize,
    /// The entity, frame or sequence that it concerns; 0 where there is none.
    pub number: u32,
}

/// What a dissector found in one datagram. Reused between datagrams.
#[derive(Clone, Debug, Default)]
pub struct Dissection {
    /// Whether to record spans; the dissector leaves `spans` empty otherwise.
    pub want_spans: bool,
    /// The fields of the datagram, offsets relative to it.
    pub spans: Vec<Span>,
    /// Messages that this datagram completed but which are longer than it: reassembled bytes and their fields.
    pub assembled: Vec<(Vec<u8>, Vec<Span>)>,
    /// What it carries.
    pub marks: Vec<Mark>,
    /// One line for a person: what the datagram says.
    pub summary: String,
    /// Number of messages decoded (services, commands, control packets).
    pub messages: usize,
    /// Why the rest of the datagram could not be decoded, if so.
    pub error: Option<DecodeError>,
}

impl Dissection {
    /// Empties the dissection, keeping its memory and `want_spans`.
    pub fn clear(&mut self) {
        self.spans.clear();
        self.assembled.clear();
        self.marks.clear();
        self.summary.clear();
        self.messages = 0;
        self.error = None;
    }
}

/// Decodes the traffic of one run or capture, datagram by datagram in the order of sending, following the
/// handshake to know what was negotiated.
pub trait Dissector {
    /// Decodes the next datagram between the server and `client`.
    ///
    /// `out` has been cleared. What cannot be decoded is reported in `out.error`; what was found before the error is
    /// in `out` too, and the dissector stays usable.
    fn datagram(&mut self, client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection);

    /// The extensions that the sessions seen so far have negotiated, as text.
    fn extensions(&self) -> Vec<String>;

    /// Pretends that `extensions` (as [`Dissector::extensions`] prints them) were negotiated: for captures that begin
    /// in the middle of a session.
    ///
    /// # Errors
    /// A sentence that says which names are known.
    fn assume(&mut self, extensions: &str) -> Result<(), String>;
}
