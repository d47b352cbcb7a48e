//! What an oracle checks, as data: a [`Check`] names the requirements that its failure can mean, what a run has to show
//! so that it could have failed, and what it has to know beside the wire.
//!
//! A check decides *that* something is wrong. *Which* requirement was violated is diagnosis: a failure carries the
//! requirements that fit the evidence as [`Suspects`], best first.

use crate::requirement::Requirement;
use std::fmt;

/// Something that a run can show and that a check needs to be able to fail: one of those that
/// [`coverage_points!`](crate::coverage_points) declares for a protocol, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoveragePoint(pub u8);

/// Most coverage points of a protocol.
const MAX_POINTS: usize = 256;

/// Coverage points, a bit for each by its number.
pub type Points = [u64; MAX_POINTS / 64];

/// Declares `Point`, the coverage points of a protocol: a constant for each, and `Point::NAMES`.
#[macro_export]
macro_rules! coverage_points {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The coverage points: what a run can show.
        #[derive(Debug)]
        pub struct Point;

        #[derive(Clone, Copy)]
        enum PointNumber {
            $($name),*
        }

        #[allow(non_upper_case_globals, reason = "a point reads like the variant of an enumeration")]
        impl Point {
            $(
                $(#[$doc])*
                pub const $name: $crate::check::CoveragePoint = $crate::check::CoveragePoint(PointNumber::$name as u8);
            )*

            /// Their names, by number.
            #[allow(dead_code, reason = "tests that declare points have no table of them")]
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];
        }
    };
}

/// What a check has to know beside what goes over the wire, what clients show, and what clients are instructed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knows {
    /// The commands of the scenario to the server: what the world is.
    World,
    /// Numbers that the scenario sets or that a session reveals: tick, rate, size of a datagram.
    Limits,
    /// Notes beyond the written contract, which only the reference emits.
    Inside,
    /// What the clients show: their state, their view, the notes of the written contract.
    ClientShows,
    /// That what the clients send comes of what they show: a codec shows, and another talks beside it.
    ClientTalks,
    /// What the server shows, likewise.
    ServerShows,
    /// What the silence of the server means: it has all that was delivered to it, and would have answered.
    Silence,
    /// When things happened, not only in which order: such a check judges no host that stands still.
    Time,
    /// What stands around the messages: the number, the kind and the length of each datagram, and what it acknowledges.
    Headers,
    /// What the clients say.
    ClientSays,
}

/// Of what a demo is a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoOf {
    /// What one client received.
    Client,
    /// What the server said to all, in a form of its own.
    Server,
}

/// What an oracle knows of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    /// Everything.
    #[default]
    World,
    /// No command to the server: as with a server that somebody else runs.
    Wire,
}

/// From where an oracle sees a run. The default is the simulation, which shows everything when it happens.
///
/// Of a *remote* end, one that somebody else runs, an oracle sees the datagrams alone:
///
/// - The end shows nothing of itself: no view, no event, no command. A [`Command::Connect`](crate::Command::Connect) for a
///   client comes before the first datagram of its address.
/// - `Delivered` to it means that the datagram was given to its network: the end can know it from then on, but may read
///   it later. That it *cannot know before* is exact; that it *must know after* needs slack, and where the end may miss
///   datagrams, evidence from the end itself, such as its acknowledgement.
/// - `Sent` by it are the datagrams that arrived here. A gap in its numbers is a loss that nobody saw, not a fault.
/// - The options of the run say nothing about it: limits are learned from the wire, or unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vantage {
    /// The server is remote.
    pub remote_server: bool,
    /// The clients are remote.
    pub remote_clients: bool,
    /// What was delivered to the server can have been lost after the point of observation.
    pub server_may_miss: bool,
    /// What was delivered to a client can have been lost there.
    pub clients_may_miss: bool,
    /// The times of events give their order, and nothing else: a recording without times.
    pub untimed: bool,
    /// The remote server runs in virtual time: it reads what is delivered to it within [`Vantage::READS_WITHIN_US`], and
    /// nothing that it sends is lost unseen. So its silence means something.
    pub virtual_server: bool,
    /// The clients are codecs: they show what they read, and what is sent to the server is sent by others beside them.
    pub clients_only_read: bool,
    /// The run is a demo: it has what the server said and a client received, in datagrams whose headers were made for it, and
    /// nothing that a client said.
    pub demo: Option<DemoOf>,
}

impl Vantage {
    /// Beside a client of ours: the server is remote, and may miss what is sent to it.
    pub const OF_CLIENT: Vantage = Vantage { remote_server: true, server_may_miss: true, ..Vantage::SIMULATION };
    /// Beside a server of ours: the clients are remote, and may miss what is sent to them.
    pub const OF_SERVER: Vantage = Vantage { remote_clients: true, clients_may_miss: true, ..Vantage::SIMULATION };
    /// Between the two: both are remote, and either may miss what is sent to it.
    pub const BETWEEN: Vantage = Vantage { remote_server: true, server_may_miss: true, ..Vantage::OF_SERVER };
    /// In a simulation with a server that nobody can tell what the world is: it shows nothing, and has what was delivered to it.
    pub const OF_WORLDLESS: Vantage = Vantage { remote_server: true, virtual_server: true, ..Vantage::SIMULATION };
    /// Beside a player of demos: everything that the server said arrived, and its times are those of the game.
    pub const fn of_demo(demo: DemoOf) -> Vantage {
        let demo = Some(demo);
        Vantage {
            remote_server: true,
            remote_clients: true,
            server_may_miss: true,
            untimed: true,
            demo,
            ..Vantage::SIMULATION
        }
    }

    /// So long a server in virtual time may take to read what was delivered to it, in microseconds: some engines look at their
    /// console and their world first, and at a socket every 100 ms.
    pub const READS_WITHIN_US: u64 = 1_000_000;
    /// The default.
    const SIMULATION: Vantage = Vantage {
        remote_server: false,
        remote_clients: false,
        server_may_miss: false,
        clients_may_miss: false,
        untimed: false,
        virtual_server: false,
        clients_only_read: false,
        demo: None,
    };

    /// Whether either end is remote.
    pub const fn is_remote(self) -> bool {
        self.remote_server || self.remote_clients
    }

    /// Whether the silence of the server means something.
    pub const fn knows_silence(self) -> bool {
        !self.remote_server || self.virtual_server
    }
}

impl Knowledge {
    /// Whether a check that has to know `needed` can judge from `vantage`.
    pub fn meets(self, vantage: Vantage, needed: &[Knows]) -> bool {
        let world = self == Knowledge::World;
        needed.iter().all(|needed| match needed {
            Knows::World => world,
            Knows::Limits => !vantage.is_remote(),
            Knows::Inside => world && !vantage.is_remote(),
            Knows::ClientShows => !vantage.remote_clients,
            Knows::ClientTalks => !vantage.clients_only_read,
            Knows::ServerShows => !vantage.remote_server,
            Knows::Silence => vantage.knows_silence(),
            Knows::Time => !vantage.untimed,
            Knows::Headers | Knows::ClientSays => vantage.demo.is_none(),
        })
    }
}

/// One requirement that the failure of a check can mean.
#[derive(Clone, Copy, Debug)]
pub struct Breaks {
    /// The requirement.
    pub requirement: &'static Requirement,
    /// What a run must show so that the check could have failed for this requirement: all points of any row.
    pub needs: &'static [&'static [CoveragePoint]],
}

/// That a failure can mean that `requirement` is violated, in a run that shows all points of any row of `needs`.
pub const fn breaks(requirement: &'static Requirement, needs: &'static [&'static [CoveragePoint]]) -> Breaks {
    Breaks { requirement, needs }
}

/// Declares the checks of a module, and `CHECKS`, the list of them: the name of each, what it has to know beside the wire,
/// and the requirements that its failure can mean. A requirement comes with rows of points, all of any of which a run
/// must show; with `from table`, it is a constant of the module `table` that has them.
#[macro_export]
macro_rules! checks {
    (@ $($(#[$doc:meta])* $vis:vis $name:ident = $text:literal, [$($knows:ident)*], $breaks:expr;)+) => {
        $(
            $(#[$doc])*
            $vis static $name: $crate::Check = $crate::Check::new($text, $breaks).knows(&[$($crate::Knows::$knows),*]);
        )+

        /// The checks made here.
        pub const CHECKS: &[&$crate::Check] = &[$(&$name),+];
    };
    (
        from $table:ident;
        $($(#[$doc:meta])* $vis:vis $name:ident = $text:literal $(knows $($knows:ident)+)?: $($broken:ident)+;)+
    ) => {
        $crate::checks! {
            @ $($(#[$doc])* $vis $name = $text, [$($($knows)+)?], &[$($table::$broken),+];)+
        }
    };
    (
        $($(#[$doc:meta])* $name:ident = $text:literal $(knows $($knows:ident)+)?:
          $($broken:ident $([$($point:ident)+])*),+;)+
    ) => {
        $crate::checks! {
            @ $($(#[$doc])* $name = $text, [$($($knows)+)?],
                &[$($crate::breaks(&$broken, &[$(&[$(Point::$point),+]),*])),+];)+
        }
    };
}

/// A part of a law as it stands in the book, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The steps of which it speaks.
    pub step: &'static str,
    /// Under which condition; empty for none.
    pub when: &'static str,
    /// What then has to hold.
    pub holds: &'static str,
    /// How a breach is told.
    pub told: &'static str,
}

/// `Sends { number, .. } if number > 1: number > newest, else "snapshot {number} follows"`.
impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Clause { step, when, holds, told } = self;
        let condition = if when.is_empty() { "" } else { " if " };
        write!(f, "{step}{condition}{when}: {holds}, else {told}")
    }
}

/// One thing that an oracle checks.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Name, unique in its protocol: what holds, in a few words joined by hyphens.
    pub name: &'static str,
    /// The requirements that a failure can mean.
    pub breaks: &'static [Breaks],
    /// What it has to know beside the wire.
    pub knows: &'static [Knows],
    /// What it compares, if it is a law: the text of that.
    pub clauses: &'static [Clause],
}

impl Check {
    /// A check that knows the wire alone.
    pub const fn new(name: &'static str, breaks: &'static [Breaks]) -> Check {
        Check { name, breaks, knows: &[], clauses: &[] }
    }

    /// The check that a law is.
    pub const fn of_law(name: &'static str, breaks: &'static [Breaks], clauses: &'static [Clause]) -> Check {
        Check { name, breaks, knows: &[], clauses }
    }

    /// That has to know more than the wire.
    pub const fn knows(mut self, knows: &'static [Knows]) -> Check {
        self.knows = knows;
        self
    }

    /// Whether a failure can mean that `requirement` is violated.
    pub fn can_break(&self, requirement: &Requirement) -> bool {
        self.breaks.iter().any(|breaks| breaks.requirement.id == requirement.id)
    }
}

/// Most requirements that one finding names.
pub const MAX_SUSPECTS: usize = 4;

/// The requirements that fit the evidence of one failure, best first: at least one, at most [`MAX_SUSPECTS`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Suspects {
    first: &'static Requirement,
    others: [Option<&'static Requirement>; MAX_SUSPECTS - 1],
}

impl Suspects {
    /// The one that fits best.
    pub const fn first(&self) -> &'static Requirement {
        self.first
    }

    /// All of them, best first.
    pub fn iter(&self) -> impl Iterator<Item = &'static Requirement> {
        std::iter::once(self.first).chain(self.others.into_iter().flatten())
    }

    /// Whether a requirement is among them.
    pub fn contains(&self, requirement: &Requirement) -> bool {
        self.iter().any(|suspect| suspect.id == requirement.id)
    }

    /// And, less likely, another; without effect if it is there already, or if there are [`MAX_SUSPECTS`].
    #[must_use]
    pub fn or(mut self, requirement: &'static Requirement) -> Suspects {
        if !self.contains(requirement)
            && let Some(free) = self.others.iter_mut().find(|other| other.is_none())
        {
            *free = Some(requirement);
        }
        self
    }

    /// And another, if `condition`.
    #[must_use]
    pub fn or_if(self, condition: bool, requirement: &'static Requirement) -> Suspects {
        if condition { self.or(requirement) } else { self }
    }
}

impl From<&'static Requirement> for Suspects {
    fn from(first: &'static Requirement) -> Suspects {
        Suspects { first, others: [None; MAX_SUSPECTS - 1] }
    }
}

/// Such as `[FTE-HIST-02, FTE-HIST-04]`.
impl fmt::Debug for Suspects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.iter().map(|suspect| suspect.id).collect();
        write!(f, "[{}]", ids.join(", "))
    }
}

/// Such as `FTE-HIST-02 (or HIST-04)`: the prefix that all share stands once.
impl fmt::Display for Suspects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = self.first.id.split_inclusive('-').next().unwrap_or_default();
        let others: Vec<&str> =
            self.others.iter().flatten().map(|other| other.id.strip_prefix(prefix).unwrap_or(other.id)).collect();
        f.write_str(self.first.id)?;
        if others.is_empty() { Ok(()) } else { write!(f, " (or {})", others.join(", ")) }
    }
}
