//! Servers that say nothing of something in one situation: wherever a message has to go, somebody forgets to send it.

use crate::endpoint::HostId;
use crate::reader::Span;
use crate::tamper::Packet;
use std::collections::BTreeMap;

/// When a server says nothing of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// To every client but the first.
    ToOthers,
    /// Beside another one in the same datagram.
    Again,
    /// Once it has said it as often as a byte can count.
    AfterMany,
    /// In the first datagrams of a map.
    MapIsNew,
    /// In the client's second session, and later ones.
    Reconnected,
    /// In a datagram that is long already.
    Full,
}

/// Datagrams that a map is new for, once it was announced.
const NEW_DATAGRAMS: u32 = 40;
/// From how many bytes on a datagram is long.
const LONG_BYTES: usize = 600;

/// What a datagram begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// Nothing.
    Nothing,
    /// The client is accepted.
    Session,
    /// A map is announced.
    Map,
}

/// What is known of a client.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    sessions: u32,
    said: u32,
    since_map: u32,
}

/// Who says nothing.
#[derive(Debug)]
pub struct Silence {
    when: When,
    clients: BTreeMap<HostId, Seen>,
}

impl Silence {
    /// One that begins now.
    pub fn new(when: When) -> Silence {
        Silence { when, clients: BTreeMap::new() }
    }

    /// Of `messages`, which stand in a datagram, those that are left out.
    pub fn left_out<'a>(&mut self, packet: &Packet<'_>, begins: Begins, messages: Vec<&'a Span>) -> Vec<&'a Span> {
        let seen = self.clients.entry(packet.client).or_default();
        seen.since_map += 1;
        match begins {
            Begins::Nothing => {}
            Begins::Session => seen.sessions += 1,
            Begins::Map => seen.since_map = 0,
        }
        let before = seen.said;
        seen.said += messages.len() as u32;
        let silent = match self.when {
            When::ToOthers => packet.client.0 > 1,
            When::Again => return messages.into_iter().skip(1).collect(),
            When::AfterMany => before > u8::MAX.into(),
            When::MapIsNew => seen.since_map < NEW_DATAGRAMS,
            When::Reconnected => seen.sessions > 1,
            When::Full => packet.bytes.len() > LONG_BYTES,
        };
        if silent { messages } else { Vec::new() }
    }
}

/// The mutants of a server that say nothing of something: of each message its name, its number and the requirement, then each
/// situation with the scenario that shows it. `$build` makes the server from a setup, the number and the situation.
#[macro_export]
macro_rules! silences {
    ($build:path; $($what:literal $number:expr, $requirement:expr => { $($when:ident in $scenario:literal),* $(,)? })*) => {
        &[$($($crate::mutant::of_server(
            concat!("no-", $what, "-", $crate::silences!(@name $when)),
            $requirement,
            $scenario,
            concat!("says nothing of a ", $what, " ", $crate::silences!(@text $when)),
            |setup| $build(setup, $number, $crate::silence::When::$when),
        )),*),*]
    };
    (@name ToOthers) => { "to-others" };
    (@name Again) => { "beside-another" };
    (@name AfterMany) => { "after-many" };
    (@name MapIsNew) => { "on-a-new-map" };
    (@name Reconnected) => { "after-a-reconnect" };
    (@name Full) => { "when-long" };
    (@text ToOthers) => { "to any client but the first" };
    (@text Again) => { "beside another one in the same datagram" };
    (@text AfterMany) => { "once there were 256 of them" };
    (@text MapIsNew) => { "in the first datagrams of a map" };
    (@text Reconnected) => { "to a client that has connected again" };
    (@text Full) => { "in a datagram that is long already" };
}
