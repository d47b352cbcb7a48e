//! The choices that the reference machines make, as plain values.
//!
//! [`Rules::REFERENCE`] is the reference. Another value makes a *mutant*, which must fail a check. The machines read these
//! values; they know nothing of right and wrong.

use crate::liberties::Liberties;

/// The choices of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What may be done in one way or another.
    pub liberties: Liberties,
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules { liberties: Liberties::NONE };
}
