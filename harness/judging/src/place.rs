//! What an implementation under test takes the place of.

use kit::Role;
use std::fmt;

/// An end, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Server,
    Client,
    /// What reads the server's datagrams in all clients, and nothing else: the reference's clients talk.
    Codec,
}

impl Place {
    /// All of them.
    pub const ALL: [Place; 3] = [Place::Server, Place::Client, Place::Codec];

    /// By its name.
    pub fn named(name: &str) -> Option<Place> {
        Place::ALL.into_iter().find(|place| place.name() == name)
    }

    /// Its name: on the command line, in `hello` and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Server => "server",
            Place::Client => "client",
            Place::Codec => "codec",
        }
    }

    /// The end whose requirements bind it.
    pub const fn role(self) -> Role {
        match self {
            Place::Server => Role::Server,
            Place::Client | Place::Codec => Role::Client,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
