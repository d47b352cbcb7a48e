//! What is proved: the requirements of a specification.

use std::fmt;

/// How binding a requirement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// An obligation.
    Must,
    /// A prohibition. Counts as a MUST.
    MustNot,
    /// A recommendation.
    Should,
    /// A recommendation against. Counts as a SHOULD.
    ShouldNot,
    /// A liberty: listed so that no check fails it.
    May,
}

impl Level {
    /// Whether a violation makes an implementation non-conforming.
    pub const fn is_must(self) -> bool {
        matches!(self, Level::Must | Level::MustNot)
    }

    /// Whether a violation is reported as a warning.
    pub const fn is_should(self) -> bool {
        matches!(self, Level::Should | Level::ShouldNot)
    }
}

/// `MUST`, `MUST NOT`, `SHOULD`, `SHOULD NOT` or `MAY`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Level::Must => "MUST",
            Level::MustNot => "MUST NOT",
            Level::Should => "SHOULD",
            Level::ShouldNot => "SHOULD NOT",
            Level::May => "MAY",
        })
    }
}

/// Whom a requirement binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The server.
    Server,
    /// The client.
    Client,
    /// Both.
    Both,
}

impl Role {
    /// Whether a requirement with this role binds an endpoint that plays `role`.
    pub fn binds(self, role: Role) -> bool {
        self == role || self == Role::Both || role == Role::Both
    }
}

/// `server`, `client` or `both`.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Role::Server => "server",
            Role::Client => "client",
            Role::Both => "both",
        })
    }
}

/// One statement that an implementation has to fulfil.
#[derive(Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Stable name, such as `FTE-RST-02`. Never renumbered.
    pub id: &'static str,
    /// Whom it binds.
    pub role: Role,
    /// How binding it is.
    pub level: Level,
    /// What must hold, in our own words.
    pub text: &'static str,
    /// The section of the source document that it comes from.
    pub source: &'static str,
    /// How a violation shows: on the wire, or in observed state.
    pub observed: &'static str,
    /// Where the source document and what was built from it disagree, and which readings pass.
    pub errata: Option<&'static str>,
    /// What engines in use do about it.
    pub engines: Option<&'static str>,
    /// Why no run can show a violation: the requirement is neither passed nor failed, and counted apart.
    pub untestable: Option<&'static str>,
    /// The names of the profiles that it binds, where those are not all of its protocol.
    pub profiles: Option<&'static [&'static str]>,
    /// The profile whose decision it is, where the source document is silent: a violation is one of that profile, and
    /// says nothing of conformance to the document.
    pub decided: Option<&'static str>,
}

impl Requirement {
    /// A statement of a source document.
    pub const fn new(
        id: &'static str,
        role: Role,
        level: Level,
        text: &'static str,
        source: &'static str,
        observed: &'static str,
    ) -> Requirement {
        Requirement {
            id,
            role,
            level,
            text,
            source,
            observed,
            errata: None,
            engines: None,
            untestable: None,
            profiles: None,
            decided: None,
        }
    }

    /// What is known beside its text, each with what it is: where it comes from, whose decision it is, how a violation shows, and so on.
    pub fn notes(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let notes = [
            ("source", Some(self.source)),
            ("decided by", self.decided),
            ("observed", Some(self.observed).filter(|observed| !observed.is_empty())),
            ("errata", self.errata),
            ("engines", self.engines),
            ("untestable", self.untestable),
        ];
        notes.into_iter().filter_map(|(what, text)| Some((what, text?)))
    }

    /// With what must hold, in our own words: what [`must`] and the others leave open.
    pub const fn text(mut self, text: &'static str) -> Requirement {
        self.text = text;
        self
    }

    /// With a note on what the document leaves open or has wrong.
    pub const fn errata(mut self, errata: &'static str) -> Requirement {
        self.errata = Some(errata);
        self
    }

    /// With a note on what engines in use do.
    pub const fn engines(mut self, engines: &'static str) -> Requirement {
        self.engines = Some(engines);
        self
    }

    /// That no run can cover, and why.
    pub const fn untestable(mut self, why: &'static str) -> Requirement {
        self.untestable = Some(why);
        self
    }

    /// That binds in these profiles alone; elsewhere it has no meaning, and is not counted.
    pub const fn only(mut self, profiles: &'static [&'static str]) -> Requirement {
        self.profiles = Some(profiles);
        self
    }

    /// That a profile decides, because the source document does not say.
    pub const fn decided_by(mut self, profile: &'static str) -> Requirement {
        self.decided = Some(profile);
        self
    }

    /// Whether it binds in the profile called `profile`.
    pub fn applies_to(&self, profile: &str) -> bool {
        self.profiles.is_none_or(|profiles| profiles.contains(&profile))
    }
}

/// An obligation; its [`Requirement::text`] follows.
pub const fn must(id: &'static str, role: Role, source: &'static str, observed: &'static str) -> Requirement {
    Requirement::new(id, role, Level::Must, "", source, observed)
}

/// A prohibition; see [`must`].
pub const fn must_not(id: &'static str, role: Role, source: &'static str, observed: &'static str) -> Requirement {
    Requirement::new(id, role, Level::MustNot, "", source, observed)
}

/// A recommendation; see [`must`].
pub const fn should(id: &'static str, role: Role, source: &'static str, observed: &'static str) -> Requirement {
    Requirement::new(id, role, Level::Should, "", source, observed)
}

/// A recommendation against something; see [`must`].
pub const fn should_not(id: &'static str, role: Role, source: &'static str, observed: &'static str) -> Requirement {
    Requirement::new(id, role, Level::ShouldNot, "", source, observed)
}

/// What an implementation is free to do; see [`must`].
pub const fn may(id: &'static str, role: Role, source: &'static str, observed: &'static str) -> Requirement {
    Requirement::new(id, role, Level::May, "", source, observed)
}
