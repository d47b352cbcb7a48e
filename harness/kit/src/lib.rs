//! The vocabulary that every crate of the harness speaks, in reading order:
//!
//! 1. [`time`], [`endpoint`]: what a server or a client is, and how it is driven;
//! 2. [`world`]: entities by number, and what a scenario makes of them;
//! 3. [`reader`], [`writer`], [`table`]: bytes, with every field named; [`tokens`]: the words of a line;
//!    [`named`]: constants with a table of their names;
//! 4. [`fate`]: what the network does with a datagram; [`trace`]: what a run looks like from outside; [`dissect`]: what a
//!    datagram says, and [`summary`], in a line; [`demo`]: what games record of it;
//! 5. [`requirement`]: what is proved; [`check`]: by what, and what that has to know; [`report`]: what an oracle says;
//!    [`oracle`], [`watch`], [`copies`]: who judges; [`law`]: a requirement and its check in one; [`mutant`], [`variant`]: what
//!    a check must catch, and what it must not;
//! 6. [`tamper`]: an endpoint whose datagrams are changed on their way in or out; [`twice`]: one that sends them twice;
//!    [`hidden`], [`hiding`]: one that cannot show everything; [`codec`]: one that only reads, beside one that talks; [`fault`]: what one can do wrong
//!    that runs in a process of its own;
//! 7. [`setup`], [`options`]: what a scenario chose; [`words`]: the names that scenarios and traces use; [`protocol`]: the
//!    one value by which a protocol crate makes itself known.
//!
//! Invariants of absence: this crate knows no clock, no socket, no file, no thread and no randomness,
//! and no protocol.

pub mod check;
pub mod codec;
pub mod copies;
pub mod demo;
pub mod dissect;
pub mod endpoint;
pub mod fate;
pub mod fault;
pub mod hidden;
pub mod hiding;
pub mod law;
pub mod mutant;
pub mod named;
pub mod numbers;
pub mod options;
pub mod oracle;
pub mod pause;
pub mod protocol;
pub mod reader;
pub mod rebind;
pub mod report;
pub mod requirement;
pub mod sessions;
pub mod setup;
pub mod silence;
pub mod summary;
pub mod table;
pub mod tamper;
pub mod time;
pub mod tokens;
pub mod trace;
pub mod twice;
pub mod variant;
pub mod watch;
pub mod words;
pub mod world;
pub mod writer;

pub use check::{Breaks, Check, CoveragePoint, DemoOf, Knowledge, Knows, Points, Suspects, Vantage, breaks};
pub use codec::WithCodec;
pub use copies::Numbering;
pub use demo::{Container, Demo, Scene};
pub use dissect::{Dissection, Dissector, Mark, Version};
pub use endpoint::{Command, Direction, Endpoint, Event, HostId, PeerId, StatValue, View};

pub use fate::{Damage, Delivery, Fate, LossCause};
pub use fault::Fault;
pub use hidden::Hidden;
pub use hiding::Hiding;
pub use law::{Bounds, Court};
pub use mutant::{Mutant, Replacement};
pub use numbers::{Numbers, place_of};
pub use options::Chosen;
pub use oracle::{Finding, Oracle};
pub use pause::Pause;
pub use protocol::{PortChange, Protocol};
pub use reader::{DecodeError, ErrorKind, Form, Reader, Span};
pub use rebind::{KnownBy, Rebind};
pub use report::Report;
pub use requirement::{Level, Requirement, Role};
pub use sessions::Sessions;
pub use setup::{Profile, Setup};
pub use tamper::{Packet, Tampered};
pub use time::Time;
pub use trace::{PacketId, Probe, TraceEvent};
pub use twice::{Again, Twice};
pub use variant::{Forgone, Variant};
pub use watch::{Arrival, Clients, Judge, Watch};
pub use words::{Field, Note, OptionInfo, States, TextInfo, Unit, Verb};
pub use world::{EntityList, Record, World};
pub use writer::Writer;
