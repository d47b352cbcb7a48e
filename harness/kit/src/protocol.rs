//! How a protocol crate makes itself known: one `static` of type [`Protocol`].
//!
//! The runner knows no protocol; it finds everything, names included, in this value.

use crate::check::{Check, Knowledge, Vantage};
use crate::demo::Demo;
use crate::dissect::Dissector;
use crate::endpoint::{Endpoint, HostId};
use crate::hidden::Hidden;
use crate::mutant::Mutant;
use crate::oracle::Oracle;
use crate::requirement::Requirement;
use crate::setup::{Profile, Setup};
use crate::variant::Variant;
use crate::words::{Field, Note, OptionInfo, States, TextInfo, Verb};
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
    /// From which field on two conforming clients can show an entity differently, because it depends on when a datagram
    /// arrived.
    pub timed_fields: Option<usize>,
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
    /// The mutants, in groups.
    pub mutants: &'static [&'static [Mutant]],
    /// Other ways to conform than the reference's, by file.
    pub variants: &'static [&'static [Variant]],
    /// How sessions move to another port of the server, if they can.
    pub port_change: Option<PortChange>,
    /// How engines record sessions of a profile; `None` if none does.
    pub demo: fn(&Profile) -> Option<Demo>,
    /// Most clients that the reference server takes at a time.
    pub max_clients: u16,
    /// The states of its reference.
    pub states: States,
    /// Builds the reference server.
    pub server: fn(&Setup) -> Box<dyn Endpoint>,
    /// Builds a reference client.
    pub client: fn(&Setup) -> Box<dyn Endpoint>,
    /// Builds the oracle for a run.
    pub oracle: fn(&Setup) -> Box<dyn Oracle>,
    /// Builds a dissector; `None` finds the profile from the first datagram.
    pub dissector: fn(Option<&Setup>) -> Box<dyn Dissector>,
}

/// A server can accept a client at one port and go on with it at another.
#[derive(Clone, Copy, Debug)]
pub struct PortChange {
    /// Where a datagram of the server names the port with which the session goes on: the offset of a 32-bit little-endian
    /// number.
    pub field: fn(&[u8]) -> Option<usize>,
    /// Whether a datagram belongs to no session, so that it goes to the port where all sessions begin.
    pub is_outside: fn(&[u8]) -> bool,
}

impl PortChange {
    /// The port that a server's datagram names, if it does; 0 stands for the one where all sessions begin.
    pub fn named(&self, bytes: &[u8]) -> Option<u16> {
        let at = (self.field)(bytes)?;
        let port = bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)?;
        u16::try_from(port).ok().filter(|port| *port != 0)
    }
}

impl Protocol {
    /// What these names stand for, of what a client shows: see [`Hidden::from_names`].
    pub fn hidden(&self, names: &[String]) -> Hidden {
        Hidden::from_names(self.fields, self.notes, names)
    }

    /// The mutants.
    pub fn mutants(&self) -> impl Iterator<Item = &'static Mutant> {
        self.mutants.iter().copied().flatten()
    }

    /// The mutants that the check of `requirement` has to catch.
    pub fn mutants_of(&self, requirement: &Requirement) -> impl Iterator<Item = &'static Mutant> {
        self.mutants().filter(move |mutant| mutant.caught_by.id == requirement.id)
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

impl Setup {
    /// A setup with every option at its default.
    pub fn new(protocol: &Protocol, profile: &'static Profile) -> Setup {
        let options = protocol.options.iter().map(|option| option.default).collect();
        let texts = protocol.texts.iter().map(|text| Arc::from(text.default)).collect();
        Setup {
            profile,
            host: HostId::SERVER,
            clients: 1,
            seed: 0,
            options,
            texts,
            knowledge: Knowledge::World,
            vantage: Vantage::default(),
            pauses: Vec::new(),
            rebinds: Vec::new(),
        }
    }
}
