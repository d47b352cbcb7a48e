//! Which protocol some traffic is.

use crate::capture::CaptureDatagram;
use kit::{Dissection, Dissector, Profile, Protocol, Setup};
use std::cmp::Reverse;

/// How many datagrams are tried with every protocol.
pub const PROBE_DATAGRAMS: usize = 64;

/// A protocol, and a profile if one was asked for.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The protocol.
    pub protocol: &'static Protocol,
    profile: Option<&'static Profile>,
}

/// Why traffic cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is of no protocol, or of one that does not know what was said to be agreed.
    #[error("{0}")]
    Input(String),
    /// The harness is at fault.
    #[error("{0}")]
    Own(String),
}

impl Choice {
    /// A profile that was asked for.
    pub const fn of(protocol: &'static Protocol, profile: &'static Profile) -> Choice {
        Choice { protocol, profile: Some(profile) }
    }

    /// The profile asked for, or else that of `datagrams`, the first of a session.
    ///
    /// # Errors
    /// The protocol has no profile.
    pub fn profile(&self, datagrams: &[CaptureDatagram]) -> Result<&'static Profile, Unreadable> {
        if let Some(profile) = self.profile {
            return Ok(profile);
        }
        let mut dissector = self.dissector(None)?;
        let mut dissection = Dissection::default();
        for datagram in datagrams {
            dissection.clear();
            dissector.datagram(datagram.client, datagram.direction, &datagram.bytes, &mut dissection);
        }
        let first = self.protocol.profiles.first();
        dissector.profile().or(first).ok_or_else(|| Unreadable::Own(format!("{} has no profile", self.protocol.name)))
    }

    /// A dissector at the start of a session, which takes these extensions for agreed.
    ///
    /// # Errors
    /// The protocol does not know them.
    pub fn dissector(&self, assume: Option<&str>) -> Result<Box<dyn Dissector>, Unreadable> {
        let setup = self.profile.map(|profile| Setup::new(self.protocol, profile));
        let mut dissector = (self.protocol.dissector)(setup.as_ref());
        if let Some(extensions) = assume {
            dissector.assume(extensions).map_err(|why| Unreadable::Input(format!("--assume {extensions}: {why}")))?;
        }
        Ok(dissector)
    }
}

/// The protocol with the fewest errors in `datagrams`; of equals, the one that finds most extensions in them, as one that
/// others are built upon reads their common part, too; of equals again, the first.
///
/// # Errors
/// None can read any of them.
pub fn by_traffic(
    protocols: &[&'static Protocol],
    datagrams: &[&CaptureDatagram],
    assume: Option<&str>,
) -> Result<Choice, Unreadable> {
    let mut best: Option<(usize, Reverse<usize>, Choice)> = None;
    let mut refused = None;
    for &protocol in protocols {
        let choice = Choice { protocol, profile: None };
        let mut dissector = match choice.dissector(assume) {
            Ok(dissector) => dissector,
            // Another protocol may know the extension.
            Err(stop) => {
                refused.get_or_insert(stop);
                continue;
            }
        };
        let mut dissection = Dissection::default();
        let mut errors = 0;
        for datagram in datagrams {
            dissection.clear();
            dissector.datagram(datagram.client, datagram.direction, &datagram.bytes, &mut dissection);
            errors += usize::from(dissection.error.is_some());
        }
        let found = Reverse(dissector.extensions().len());
        if best.as_ref().is_none_or(|(fewest, most, _)| (errors, found) < (*fewest, *most)) {
            best = Some((errors, found, choice));
        }
    }
    match (best, refused) {
        // With errors everywhere, the first of equals would be no better than any other.
        (Some((errors, ..)), _) if errors == datagrams.len() => {
            let names = protocols.iter().flat_map(|protocol| protocol.profiles).map(|profile| profile.name);
            let names: Vec<&str> = names.collect();
            let what = if errors == 1 { String::from("the datagram") } else { format!("any of {errors} datagrams") };
            Err(Unreadable::Input(format!(
                "no protocol can read {what}; to see how far one comes, name its profile with --profile ({})",
                names.join(", ")
            )))
        }
        (Some((.., choice)), _) => Ok(choice),
        (None, Some(stop)) => Err(stop),
        (None, None) => Err(Unreadable::Own("no protocol is built in".to_string())),
    }
}
