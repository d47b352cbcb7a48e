//! Steps of the sign-on.

/// What a datagram of the server does for the sign-on.
#[derive(Clone, Copy, Debug, Default)]
pub struct SignOn {
    /// A session begins in it.
    pub began: bool,
    /// It asks for the client's extensions.
    pub asks: bool,
    /// NetQuake: it says that the client knows the session now.
    pub invites: bool,
    /// It has a part of the list of sounds, and of that of models.
    pub lists: [bool; 2],
    /// It has the end of that of sounds, and of that of models.
    pub ended_lists: [bool; 2],
    /// It answers a step of the client's.
    pub goes_on: bool,
    /// QuakeWorld: it has the client sign on again, to another map.
    pub again: bool,
    /// It ends the session.
    pub ends: bool,
}

impl SignOn {
    /// Whether the client has reason to go on.
    pub fn answers(&self) -> bool {
        self.invites || self.goes_on || self.lists != [false; 2]
    }
}

/// The last steps of the sign-on of a map.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spawn {
    /// The client has asked to enter.
    pub asked: bool,
    /// The server has answered that, so that all that is missing is `begin`.
    pub answered: bool,
    /// Frames were sent since.
    pub entered: bool,
}

/// A step of a client's sign-on, to which the server invites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It asks for the baselines.
    Prespawn,
    /// It asks for what is left.
    Spawn,
}

/// Whether text stuffed into a client's console asks for its extensions.
pub fn asks_for_extensions(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| line == b"cmd pext")
}
