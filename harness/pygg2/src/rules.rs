//! The choices of the machines. The reference's are right; of the others some are wrong, and broken twins are made of
//! them. What may be chosen freely is in [`Liberties`].

use crate::liberties::Liberties;
use crate::serial;
use crate::snapshot;

/// Which of two numbers is the newer one.
pub type Newer = fn(u16, u16) -> bool;

/// Makes a difference of a snapshot and its base, or a snapshot of a difference and the base.
pub type Combine = fn(&[u8], &[u8]) -> Vec<u8>;

/// When a server sends a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapshots {
    /// In every tick.
    Always,
    /// When it differs from the one before.
    WhenChanged,
}

/// How speeds are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speeds {
    /// As they are.
    Signed,
    /// Without their sign.
    Magnitude,
}

/// When a server forgets an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// When the client acknowledges a packet that had it.
    Covered,
    /// When any client acknowledges.
    ByAnybody,
    /// When the client acknowledges anything.
    All,
    /// So long after it happened, in microseconds.
    After(u64),
    /// Never.
    Never,
}

/// Which events a packet repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// All that are not acknowledged.
    All,
    /// The newest.
    Newest,
    /// None: every event is sent once.
    None,
}

/// Which snapshot is the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseRule {
    /// One that the client has acknowledged.
    Acknowledged,
    /// The first that the client acknowledged, as long as it is young enough.
    First,
    /// The one sent last.
    LastSent,
    /// What the client acknowledged last, also a packet without a snapshot, which counts as an empty one.
    AnyPacket,
    /// One that the client has acknowledged, whatever its age; its place holds a younger one by then.
    OfAnyAge,
}

/// What delta_sequence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseName {
    /// The base; the packet's own number without one.
    Right,
    /// The base; 0 without one.
    ZeroForNone,
    /// The packet sent last, if there is a base.
    LastSent,
}

/// What happens to what cannot be read, or must not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Nothing.
    Ignored,
    /// What stands before the mistake is taken.
    TakenInPart,
    /// The end stops for good.
    Fatal,
}

/// What happens to a packet that is not newer than the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// Nothing.
    Dropped,
    /// It is taken like any other.
    Taken,
    /// It is dropped, but acknowledged.
    Acknowledged,
}

/// How packets for events alone are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Each packet has a number of its own.
    PerPacket,
    /// Packets without a snapshot repeat the number before.
    Repeated,
    /// All clients share one count.
    Shared,
}

/// What ack_sequence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckRule {
    /// The newest packet that was applied.
    Newest,
    /// How many packets were applied.
    Counted,
    /// The newest packet, once; nothing until it changes.
    OnChange,
}

/// What happens to a packet whose base is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseless {
    /// Nothing.
    Ignored,
    /// Its events are applied.
    EventsApplied,
    /// It is acknowledged.
    Acknowledged,
}

/// How hellos are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusals {
    /// A wrong password is answered.
    pub tells_password: bool,
    /// The password is looked at first.
    pub password_first: bool,
    /// A full server is answered.
    pub tells_full: bool,
    /// So many players more than the maximum are let in.
    pub spare: usize,
    /// Who is refused is told so, and let in.
    pub lets_in: bool,
}

/// The rules of a server.
#[derive(Clone, Copy, Debug)]
pub struct ServerRules {
    /// When it sends a snapshot.
    pub snapshots: Snapshots,
    /// A snapshot has the receiver's own body.
    pub own_body: bool,
    /// A snapshot has the bodies of the dead.
    pub dead_bodies: bool,
    /// How speeds are written.
    pub speeds: Speeds,
    /// A body has the class fields of its player's class alone.
    pub fields_of_class: bool,
    /// Bytes behind every body that nobody declared.
    pub undeclared: usize,
    /// Negative statistics are written as 0.
    pub clamped_stats: bool,
    /// Ticks that an event waits.
    pub event_delay_ticks: u32,
    /// When an event is forgotten.
    pub forgotten: Forgotten,
    /// Which events are repeated.
    pub repeats: Repeats,
    /// An event is sent to the player who caused it.
    pub to_originator: bool,
    /// Client events are taken once.
    pub takes_once: bool,
    /// Which base.
    pub base: BaseRule,
    /// What delta_sequence says.
    pub base_name: BaseName,
    /// Acknowledgements of what was never sent, and old ones, are ignored.
    pub checks_acks: bool,
    /// Makes the difference.
    pub combine: Combine,
    /// Snapshots longer than the base are cut to its length.
    pub cut_to_base: bool,
    /// Events are XORed as well.
    pub xors_events: bool,
    /// Who has which numbers.
    pub numbering: Numbering,
    /// Compares the numbers of a client's packets.
    pub newer: Newer,
    /// Compares the numbers of events with acknowledgements.
    pub event_newer: Newer,
    /// What happens to packets that are not newer.
    pub late: Late,
    /// What happens to what cannot be read.
    pub unreadable: Unreadable,
    /// How hellos are refused.
    pub refusals: Refusals,
    /// Hi and the complete update are repeated.
    pub repeats_hi: bool,
    /// A hello of a client that is in makes a new player.
    pub second_hello_counts: bool,
    /// A packet of a stranger makes a player.
    pub admits_strangers: bool,
    /// A client that leaves too much unacknowledged is thrown out.
    pub kicks: bool,
}

/// The rules of a client.
#[derive(Clone, Copy, Debug)]
pub struct ClientRules {
    /// The hello is repeated.
    pub repeats_hello: bool,
    /// The hello has the password.
    pub sends_password: bool,
    /// A refusal ends it.
    pub obeys_refusal: bool,
    /// Compares the numbers of packets.
    pub newer: Newer,
    /// Compares the numbers of events with that of the last packet.
    pub event_newer: Newer,
    /// What happens to packets that are not newer.
    pub late: Late,
    /// Events are applied once.
    pub applies_once: bool,
    /// Events are applied before the snapshot.
    pub events_first: bool,
    /// What ack_sequence says.
    pub ack: AckRule,
    /// What happens to a packet whose base is missing.
    pub baseless: Baseless,
    /// What happens to what cannot be read.
    pub unreadable: Unreadable,
    /// Most snapshots that it keeps.
    pub most_buffered: usize,
    /// Makes a snapshot of the difference.
    pub combine: Combine,
    /// Events are repeated until they are acknowledged.
    pub repeats_events: bool,
    /// Inputs are sent by its own clock, and not in answer to packets.
    pub own_clock: bool,
    /// Packets have a new number only when the input changes.
    pub numbers_changes: bool,
}

/// Choices of both ends.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The server's.
    pub server: ServerRules,
    /// The client's.
    pub client: ClientRules,
    /// What may be chosen freely.
    pub liberties: Liberties,
}

impl ServerRules {
    /// What the concept and its profile ask for.
    pub const REFERENCE: ServerRules = ServerRules {
        snapshots: Snapshots::Always,
        own_body: true,
        dead_bodies: false,
        speeds: Speeds::Signed,
        fields_of_class: true,
        undeclared: 0,
        clamped_stats: false,
        event_delay_ticks: 0,
        forgotten: Forgotten::Covered,
        repeats: Repeats::All,
        to_originator: true,
        takes_once: true,
        base: BaseRule::Acknowledged,
        base_name: BaseName::Right,
        checks_acks: true,
        combine: snapshot::xor,
        cut_to_base: false,
        xors_events: false,
        numbering: Numbering::PerPacket,
        newer: serial::newer,
        event_newer: serial::newer,
        late: Late::Dropped,
        unreadable: Unreadable::Ignored,
        refusals: Refusals { tells_password: true, password_first: true, tells_full: true, spare: 0, lets_in: false },
        repeats_hi: true,
        second_hello_counts: false,
        admits_strangers: false,
        kicks: true,
    };
}

impl ClientRules {
    /// What the concept and its profile ask for.
    pub const REFERENCE: ClientRules = ClientRules {
        repeats_hello: true,
        sends_password: true,
        obeys_refusal: true,
        newer: serial::newer,
        event_newer: serial::newer,
        late: Late::Dropped,
        applies_once: true,
        events_first: true,
        ack: AckRule::Newest,
        baseless: Baseless::Ignored,
        unreadable: Unreadable::Ignored,
        most_buffered: usize::MAX,
        combine: snapshot::xor,
        repeats_events: true,
        own_clock: true,
        numbers_changes: false,
    };
}

impl Rules {
    /// What the concept and its profile ask for.
    pub const REFERENCE: Rules =
        Rules { server: ServerRules::REFERENCE, client: ClientRules::REFERENCE, liberties: Liberties::NONE };

    /// The reference but for the server's rules.
    pub const fn of_server(server: ServerRules) -> Rules {
        Rules { server, ..Rules::REFERENCE }
    }

    /// The reference but for the client's rules.
    pub const fn of_client(client: ClientRules) -> Rules {
        Rules { client, ..Rules::REFERENCE }
    }

    /// The reference but for its liberties.
    pub const fn with(liberties: Liberties) -> Rules {
        Rules { liberties, ..Rules::REFERENCE }
    }
}
