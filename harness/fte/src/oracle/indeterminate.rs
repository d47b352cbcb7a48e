//! The one way to stop judging.

use crate::extensions::{Extensions, FTE2_OF_CLIENT};
use kit::Vantage;

/// From here on, or until something definite comes, a state follows from no rule: nothing about it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indeterminate {
    /// The cause.
    pub why: &'static str,
}

/// A scenario can have our client ask for bits that nobody knows, and somebody else's server may have them: what our client sends then
/// is not what was agreed upon, and the server cannot read it.
pub fn is_unwritten(agreed: Extensions, vantage: Vantage) -> Option<Indeterminate> {
    let theirs = agreed.fte2 & !FTE2_OF_CLIENT != 0;
    (theirs && vantage.remote_server && !vantage.remote_clients).then_some(Indeterminate {
        why: "the server has extensions that our client asks for and cannot write: the session is not judged",
    })
}
