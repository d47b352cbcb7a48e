//! Laws: a requirement and, beside it, the predicate that says whether a step of a run keeps it.
//!
//! A judge that is made of laws turns the events of a run into *steps* and knows the state before each. It gives both to its
//! [`Court`], and then takes the step into the state. A [`Law`] says nothing of a step that is none of its business; of any
//! other, that it is kept, or how it is broken. A requirement is *covered* when its law spoke; a failure means the
//! requirement whose law was broken, so that nothing has to be diagnosed.
//!
//! What an end knows is often not certain: it may have missed what was delivered to it. The state says so with [`Bounds`],
//! of which a permission asks the one end and an obligation the other: no law asks who is remote.

use crate::check::{Check, CoveragePoint, Suspects};
use crate::endpoint::HostId;
use crate::report::Report;
use crate::requirement::Requirement;
use crate::setup::Setup;
use crate::time::Time;
use std::fmt;

/// What a law says of a step: nothing, or that it is kept, or how it is broken.
pub type Word = Option<Result<(), String>>;

/// Kept, if `holds`; the text is made only if it is not.
#[inline]
pub fn kept(holds: bool, what: impl FnOnce() -> String) -> Word {
    Some(if holds { Ok(()) } else { Err(what()) })
}

/// What laws speak of.
pub trait Matter: 'static {
    /// What is known before a step.
    type State<'a>;
    /// Something that happens at once.
    type Step<'a>;
}

/// One requirement, and the predicate that says whether it is kept.
pub struct Law<M: Matter> {
    /// What has to hold.
    pub requirement: &'static Requirement,
    /// The same as a check, of this requirement alone: it could have failed in a run in which the law spoke.
    pub check: &'static Check,
    /// That the law spoke: its number in the book.
    pub spoke: CoveragePoint,
    /// What it says of a step.
    pub word: fn(&M::State<'_>, &M::Step<'_>) -> Word,
}

impl<M: Matter> fmt::Debug for Law<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Law").field(&self.requirement.id).finish()
    }
}

/// The laws that are in force in a run, and what they said.
#[derive(Debug)]
pub struct Court<M: Matter> {
    /// What was found and covered.
    pub report: Report,
    laws: Vec<&'static Law<M>>,
}

impl<M: Matter> Court<M> {
    /// For the run of `setup`; `checks` are those of the laws. A law that would have to know more than the judge does is not
    /// in force.
    pub fn new(laws: &'static [Law<M>], checks: &'static [&'static Check], setup: &Setup) -> Court<M> {
        let report = Report::new(checks, setup.knowledge, setup.vantage).with_pauses(&setup.pauses);
        let laws = laws.iter().filter(|law| report.judges(law.check)).collect();
        Court { report, laws }
    }

    /// A step of `host`, with what is known before it. Whether all laws that speak of it say that it is kept: if not, there is one
    /// finding, which names the broken ones in the order of the book.
    pub fn hear(&mut self, now: Time, host: HostId, state: &M::State<'_>, step: &M::Step<'_>) -> bool {
        let mut broken: Option<(&'static Check, Suspects, String)> = None;
        for law in &self.laws {
            let Some(word) = (law.word)(state, step) else { continue };
            self.report.saw(law.spoke);
            let Err(what) = word else { continue };
            broken = Some(match broken {
                None => (law.check, law.requirement.into(), what),
                Some((check, suspects, what)) => (check, suspects.or(law.requirement), what),
            });
        }
        let Some((check, suspects, what)) = broken else { return true };
        self.report.find(check, now, host, suspects, || what);
        false
    }
}

/// What is between two limits, both inclusive: at `least` what an end must know or have, at `most` what it can. They are the
/// same where nothing is in doubt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds<T> {
    /// What must be.
    pub least: T,
    /// What can be.
    pub most: T,
}

impl<T: Copy + Ord> Bounds<T> {
    /// It is this.
    pub const fn exactly(value: T) -> Bounds<T> {
        Bounds { least: value, most: value }
    }

    /// Whether it can be this.
    pub fn contains(&self, value: T) -> bool {
        (self.least..=self.most).contains(&value)
    }

    /// It can be this much from now on; if it `must`, it is.
    pub fn raise(&mut self, value: T, must: bool) {
        self.most = self.most.max(value);
        if must {
            self.least = self.least.max(value);
        }
    }
}

/// Declares the book of a protocol: each requirement with its level, whom it binds, its id, its source and its text, and
/// what else is to be said of it (`.errata("…")`); then, where it can be judged, what the judge has to know beside the wire,
/// and clauses: for a step, under a condition, what has to hold, and how it is told that it does not. The first clause
/// that fits a step speaks. Clauses that need other knowledge stand behind `+`, with a name of their own: they are another law of the
/// same requirement.
///
/// ```text
/// laws! { Chess, s;
///     MOVE_01 Must Both "CHS-MOVE-01" "Article 1" "Move in turn." {
///         Moves { colour } if s.begun => colour == s.next, "{colour:?} moves, and it is not its turn";
///     }
///     + MOVE_01_SOON [Time] {
///         Thinks { us } => us <= 60_000_000, "nobody moves for {us} us";
///     }
///     MOVE_02 May Both "CHS-MOVE-02" "Article 5" "Resign at any time.";
/// }
/// ```
///
/// Makes a `static` of each requirement, `REQUIREMENTS`, `LAWS`, `CHECKS`, and `POINTS`, the names of the coverage points.
#[macro_export]
macro_rules! laws {
    (@if) => { "" };
    (@if $when:expr) => { stringify!($when) };
    (@law $matter:ty, $s:ident, $requirement:ident, $number:ident, $check:expr, [$($knows:ident)*];
        $($step:pat $(if $when:expr)? => $holds:expr, $($told:expr),+;)+
    ) => {{
        const SPOKE: $crate::CoveragePoint = $crate::CoveragePoint(Number::$number as u8);
        static CHECK: $crate::Check = $crate::Check::of_law(
            $check,
            &[$crate::breaks(&$requirement, &[&[SPOKE]])],
            &[$($crate::check::Clause {
                step: stringify!($step),
                when: $crate::laws!(@if $($when)?),
                holds: stringify!($holds),
                told: stringify!($($told),+),
            }),+],
        ).knows(&[$($crate::Knows::$knows),*]);
        $crate::law::Law {
            requirement: &$requirement,
            check: &CHECK,
            spoke: SPOKE,
            word: |$s, step| match *step {
                $($step $(if $when)? => $crate::law::kept($holds, || format!($($told),+)),)+
                #[allow(unreachable_patterns, reason = "a law can speak of every step")]
                _ => None,
            },
        }
    }};
    ($matter:ty, $s:ident; $(
        $name:ident $level:ident $role:ident $id:literal $source:tt $text:literal $(.$note:ident($($noted:tt)+))*
        $($([$($knows:ident)+])? { $($clauses:tt)+ })? $(+ $also:ident [$($more:ident)+] { $($others:tt)+ })* $(;)?
    )+) => {
        $(
            #[doc = $text]
            pub static $name: $crate::Requirement = $crate::Requirement::new(
                $id, $crate::Role::$role, $crate::Level::$level, $text, $source, "",
            )$(.$note($($noted)+))*;
        )+

        /// The requirements, in the order of the book.
        pub static REQUIREMENTS: &[&$crate::Requirement] = &[$(&$name),+];

        #[allow(non_camel_case_types, dead_code, clippy::upper_case_acronyms, reason = "numbers by name; some are no law's")]
        enum Number { $($name, $($also,)*)+ }

        #[allow(unused_variables, reason = "not every clause asks for what is known")]
        #[doc = "The laws, in the order of the book."]
        pub static LAWS: &[$crate::law::Law<$matter>] = &[$(
            $($crate::laws!(@law $matter, $s, $name, $name, $id, [$($($knows)+)?]; $($clauses)+),)?
            $($crate::laws!(@law $matter, $s, $name, $also, stringify!($also), [$($more)+]; $($others)+),)*
        )+];

        /// What the judge checks: the laws.
        pub static CHECKS: &[&$crate::Check] = &{
            let mut checks = [LAWS[0].check; LAWS.len()];
            let mut at = 0;
            while at < checks.len() {
                checks[at] = LAWS[at].check;
                at += 1;
            }
            checks
        };

        /// The names of the coverage points: of each, that this law spoke.
        pub static POINTS: &[&str] = &[$($id, $(stringify!($also),)*)+];
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Knowledge, Knows, Vantage};

    pub enum Step<'a> {
        Opens { wet: bool, named: &'a str },
        Rains,
    }
    use Step::*;

    pub struct Umbrellas;

    impl Matter for Umbrellas {
        type State<'a> = Bounds<u32>;
        type Step<'a> = Step<'a>;
    }

    crate::laws! { Umbrellas, s;
        OPEN_01 Must Client "U-OPEN-01" "manual" "Open what is there.".errata("It does not say when.") {
            Opens { named, .. } if s.most > 0 => s.least <= 2 && named != "none", "{named} is opened, of {}", s.most;
        }
        OPEN_02 May Client "U-OPEN-02" "manual" "Open several.";
        DRY_01 MustNot Client "U-DRY-01" "manual" "Open one that is wet." [World] {
            Opens { wet, .. } => !wet, "it is wet";
        }
        + DRY_01_RED [ClientShows] {
            Opens { wet, named: "red" } => !wet, "the red one is wet";
        }
    }

    fn court_of(knowledge: Knowledge, vantage: Vantage) -> Court<Umbrellas> {
        static PROFILE: crate::Profile =
            crate::Profile { name: "u", title: "", index: 0, udp_port: 0, known_by: crate::KnownBy::Port };
        let setup = Setup {
            profile: &PROFILE,
            host: HostId::SERVER,
            clients: 1,
            seed: 0,
            options: Vec::new(),
            texts: Vec::new(),
            knowledge,
            vantage,
            pauses: Vec::new(),
            rebinds: Vec::new(),
        };
        Court::new(LAWS, CHECKS, &setup)
    }

    fn covered(court: &Court<Umbrellas>) -> Vec<&'static str> {
        court.report.covered(REQUIREMENTS).iter().map(|requirement| requirement.id).collect()
    }

    #[test]
    fn a_requirement_is_covered_when_its_law_spoke_and_broken_laws_are_one_finding() {
        let mut court = court_of(Knowledge::World, Vantage::default());
        assert!(court.hear(Time::ZERO, HostId(1), &Bounds::exactly(1), &Rains));
        assert_eq!(covered(&court), [""; 0]);
        assert!(court.hear(Time::ZERO, HostId(1), &Bounds::exactly(0), &Opens { wet: false, named: "none" }));
        assert_eq!(covered(&court), ["U-DRY-01"]);
        assert!(!court.hear(Time::ZERO, HostId(1), &Bounds::exactly(3), &Opens { wet: true, named: "red" }));
        assert_eq!(covered(&court), ["U-OPEN-01", "U-DRY-01"]);
        let [finding] = &court.report.findings[..] else { panic!("{:?}", court.report.findings) };
        assert_eq!(
            (finding.suspects.to_string(), &finding.what[..]),
            ("U-OPEN-01 (or DRY-01)".into(), "red is opened, of 3")
        );
    }

    #[test]
    fn a_law_that_would_have_to_know_more_is_not_in_force() {
        let mut court = court_of(Knowledge::Wire, Vantage::OF_SERVER);
        assert!(court.hear(Time::ZERO, HostId(1), &Bounds::exactly(1), &Opens { wet: true, named: "red" }));
        assert_eq!((covered(&court), court.report.findings.len()), (vec!["U-OPEN-01"], 0));
        let mut court = court_of(Knowledge::Wire, Vantage::default());
        assert!(!court.hear(Time::ZERO, HostId(1), &Bounds::exactly(1), &Opens { wet: true, named: "red" }));
        assert_eq!(court.report.findings[0].check.name, "DRY_01_RED");
        assert_eq!(covered(&court), ["U-OPEN-01", "U-DRY-01"]);
    }

    #[test]
    fn the_book_has_permissions_without_a_check_and_its_laws_can_be_read() {
        let ids: Vec<&str> = REQUIREMENTS.iter().map(|requirement| requirement.id).collect();
        assert_eq!(
            (&ids[..], &POINTS[..3], POINTS[3]),
            (&["U-OPEN-01", "U-OPEN-02", "U-DRY-01"][..], &ids[..], "DRY_01_RED")
        );
        assert_eq!(OPEN_01.errata, Some("It does not say when."));
        let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        assert_eq!((&names[..], CHECKS[1].knows), (&["U-OPEN-01", "U-DRY-01", "DRY_01_RED"][..], &[Knows::World][..]));
        let words = CHECKS[0].clauses[0].to_string();
        let right = "Opens { named, .. } if s.most > 0: s.least <= 2 && named != \"none\", else \"{named} is opened, of {}\", s.most";
        assert_eq!(words, right);
        assert!(matches!(LAWS[1].spoke, CoveragePoint(2)));
    }

    #[test]
    fn bounds_widen_by_what_can_be_and_narrow_by_what_must_be() {
        let mut held = Bounds::exactly(4);
        assert!(held.contains(4) && !held.contains(5));
        held.raise(6, false);
        assert_eq!([4, 5, 6, 7].map(|value| held.contains(value)), [true, true, true, false]);
        held.raise(5, true);
        assert_eq!(held, Bounds { least: 5, most: 6 });
    }
}
