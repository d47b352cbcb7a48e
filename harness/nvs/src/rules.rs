//! The choices that the reference machines make, as plain values.
//!
//! [`Rules::REFERENCE`] is the reference. Another value makes either a *conforming variant*, which must pass every
//! check, or a *mutant*, which must fail one. The machines read these values; they know nothing of right and wrong.

/// The choices of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Rules {}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {};
}
