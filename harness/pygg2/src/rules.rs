//! What the seams of both machines have in common. The seams stand with the machines (`session/rules.rs`,
//! `client/rules.rs`), the right answers beside them, the wrong ones beside the mutants that are made of them. What may be
//! chosen freely is in [`Latitude`](crate::latitude::Latitude).

/// Which of two numbers is the newer one.
pub type Newer = fn(u16, u16) -> bool;

/// Makes a difference of bytes and their base, or the bytes of a difference and the base.
pub type Combine = fn(&[u8], &[u8]) -> Vec<u8>;

/// What happens to what cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Nothing.
    Ignored,
    /// What stands before the mistake is taken.
    TakenInPart,
    /// The end stops for good.
    Fatal,
}
