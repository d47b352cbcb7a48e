//! A dissector that minds which version is spoken: what is said in another one is not read.

use kit::{Direction, Dissection, Dissector, HostId, Version};
use std::collections::BTreeMap;

/// What a datagram is to the protocol whose dissector reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It was read, or so much of it as can be.
    Read,
    /// It was read, if the strange number in front of it is one.
    Unlikely,
    /// It is of no session.
    Foreign,
    /// It is said in a version of a neighbour, which cannot be read.
    Neighbour,
    /// It asks for a version of quite another protocol, or comes after such a request.
    Stranger,
    /// It cannot be read.
    Unreadable,
}

/// Follows sessions, and knows which of them speak a version that is not the protocol's.
pub struct Follower {
    dissector: Box<dyn Dissector>,
    others: BTreeMap<HostId, Version>,
    /// The versions that were ever spoken and are not the protocol's, in words.
    named: Vec<String>,
}

impl Follower {
    /// With this dissector, at the start of a session.
    pub fn new(dissector: Box<dyn Dissector>) -> Follower {
        Follower { dissector, others: BTreeMap::new(), named: Vec::new() }
    }

    /// Reads the next datagram into `out`, which has been cleared.
    pub fn datagram(&mut self, client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) -> Heard {
        self.dissector.datagram(client, direction, bytes, out);
        self.judge(client, out)
    }

    /// What a datagram is that somebody else's dissector, which heard the same, has read into `out`.
    pub fn judge(&mut self, client: HostId, out: &mut Dissection) -> Heard {
        match out.version.take() {
            Some(Version::Known) => drop(self.others.remove(&client)),
            Some(other @ (Version::Neighbour(_) | Version::Foreign(_))) => {
                let (Version::Neighbour(name) | Version::Foreign(name)) = &other else { return Heard::Read };
                if !self.named.contains(name) {
                    self.named.push(name.clone());
                }
                self.others.insert(client, other);
            }
            None => {}
        }
        if let Some(Version::Neighbour(name) | Version::Foreign(name)) = self.others.get(&client)
            && !out.foreign
            && out.error.take().is_some()
        {
            out.summary = format!("in {name}, which cannot be read");
        }
        match self.others.get(&client) {
            Some(Version::Neighbour(_)) => Heard::Neighbour,
            Some(Version::Foreign(_)) => Heard::Stranger,
            _ if out.foreign => Heard::Foreign,
            _ if out.error.is_some() => Heard::Unreadable,
            _ if out.unlikely => Heard::Unlikely,
            _ => Heard::Read,
        }
    }

    /// The versions that were spoken and are not the protocol's, in the order of appearance, such as `Q2PRO's protocol 36`.
    pub fn others(&self) -> &[String] {
        &self.named
    }

    pub fn dissector(&self) -> &dyn Dissector {
        self.dissector.as_ref()
    }
}
