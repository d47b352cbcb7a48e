//! The liberties that the protocol leaves to an implementation; the reference takes none of them.
//!
//! Every value here conforms.

/// The liberties of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Liberties {}

impl Liberties {
    /// None.
    pub const NONE: Liberties = Liberties {};
}
