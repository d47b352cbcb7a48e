//! Which protocol some traffic is.

use super::super::output::Stop;
use crate::capture::CaptureDatagram;
use kit::{Dissection, Dissector, Profile, Protocol, Setup};
use std::cmp::Reverse;

/// How many datagrams are tried with every protocol.
pub(in super::super) const PROBE_DATAGRAMS: usize = 64;

/// A protocol, and a profile if one was asked for.
#[derive(Clone, Copy)]
pub(in super::super) struct Choice {
    pub protocol: &'static Protocol,
    profile: Option<&'static Profile>,
}

impl Choice {
    /// The profile asked for, or else that of `datagrams`, the first of a session.
    pub(in super::super) fn profile(&self, datagrams: &[CaptureDatagram]) -> Result<&'static Profile, Stop> {
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
        dissector.profile().or(first).ok_or_else(|| Stop::Harness(format!("{} has no profile", self.protocol.name)))
    }

    /// A dissector at the start of a session.
    pub(in super::super) fn dissector(&self, assume: Option<&str>) -> Result<Box<dyn Dissector>, Stop> {
        let setup = self.profile.map(|profile| Setup::new(self.protocol, profile));
        let mut dissector = (self.protocol.dissector)(setup.as_ref());
        if let Some(extensions) = assume {
            dissector.assume(extensions).map_err(|why| Stop::Usage(format!("--assume {extensions}: {why}")))?;
        }
        Ok(dissector)
    }
}

/// The profile called `name`.
pub(in super::super) fn by_name(protocols: &[&'static Protocol], name: Option<&str>) -> Result<Option<Choice>, Stop> {
    let Some(name) = name else { return Ok(None) };
    let (protocol, profile) = super::super::profile(protocols, name)?;
    Ok(Some(Choice { protocol, profile: Some(profile) }))
}

/// The protocol with the fewest errors in `datagrams`; of equals, the one that finds most extensions in them, as one that
/// others are built upon reads their common part, too; of equals again, the first.
pub(in super::super) fn by_traffic(
    protocols: &[&'static Protocol],
    datagrams: &[&CaptureDatagram],
    assume: Option<&str>,
) -> Result<Choice, Stop> {
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
            Err(Stop::Usage(format!(
                "no protocol can read {what}; to see how far one comes, name its profile with --profile ({})",
                names.join(", ")
            )))
        }
        (Some((.., choice)), _) => Ok(choice),
        (None, Some(stop)) => Err(stop),
        (None, None) => Err(Stop::Harness("no protocol is built in".to_string())),
    }
}
