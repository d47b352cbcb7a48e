//! The one way to stop judging.

/// From here on, or until something definite comes, a state follows from no rule: nothing about it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indeterminate {
    /// The cause.
    pub why: &'static str,
}
