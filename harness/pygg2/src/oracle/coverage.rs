//! What a run can show.

use crate::constants::INPUTSTATE_BITS;
use crate::snapshot::Base;
pub use kit::Report;

kit::coverage_points! {
    /// A client sent a hello.
    HelloSent,
    /// A hello got no answer for a second.
    HelloUnanswered,
    /// A hello of a client that is in was delivered.
    HelloRepeated,
    /// A hello with a wrong password was delivered.
    WrongPassword,
    /// A hello was delivered to a full server.
    FullServer,
    /// Both at once.
    WrongAndFull,
    /// A refusal was delivered.
    RefusalDelivered,
    /// The server sent hi.
    HiSent,
    /// It sent it once more.
    HiRepeated,
    /// The server sent a complete update.
    CompleteSent,
    /// It had a living player.
    CompleteWithLiving,
    /// It had a sentry.
    CompleteWithSentry,
    /// It had a statistic below 0.
    NegativeStat,
    /// It came after a player had left.
    CompleteAfterLeft,
    /// A client got a second snapshot.
    SecondSnapshot,
    /// A snapshot had a body.
    Body,
    /// A body had keys down, not the same from both ends.
    Keys,
    /// A number had different bytes.
    LargeNumber,
    /// A speed was below 0.
    NegativeSpeed,
    /// Class fields or bytes of one's own were declared and sent.
    Extras,
    /// A body had class fields, and others were to be left out as they are not its class's.
    ClassFields,
    /// A snapshot was sent while somebody was dead.
    DeadPlayer,
    /// A snapshot without a base.
    Absolute,
    /// A snapshot with a base.
    Delta,
    /// After snapshots were lost.
    DeltaAfterLoss,
    /// Its base had another length.
    LengthsDiffer,
    /// Its base was a longer one.
    ShorterThanBase,
    /// Events stood beside it.
    DeltaWithEvents,
    /// A base was delivered that was not the newest snapshot of the client.
    OlderBase,
    /// No acknowledgement came for as many packets as are kept.
    AcksAway,
    /// The client acknowledged a packet with events alone.
    EventPacketAcked,
    /// Many snapshots were acknowledged, and deltas sent.
    ManyAcked,
    /// Something happened that is an event.
    GameEvent,
    /// It went to three clients or more.
    ThreeClients,
    /// A packet repeated several events.
    SeveralRepeated,
    /// A packet had events and a snapshot.
    EventsAndSnapshot,
    /// Another client acknowledged, while this one did not.
    OtherAcked,
    /// An acknowledgement left events after.
    AckBetweenEvents,
    /// An event was repeated many times, without any acknowledgement.
    RepeatedLong,
    /// An event was delivered and applied before, and came again.
    RepeatDelivered,
    /// Events and a snapshot came together.
    BothDelivered,
    /// A client event was sent.
    ClientEvent,
    /// A client event came again.
    ClientRepeatDelivered,
    /// A client sent an input update after the handshake.
    Update,
    /// A client sent keys, not the same from both ends.
    KeysSent,
    /// The client received nothing for a while.
    ServerSilent,
    /// A packet of the server came late or twice.
    LateDelivered,
    /// A packet of a client came late or twice.
    LateClientDelivered,
    /// A packet whose base is missing was delivered.
    BaseMissing,
    /// A wrong acknowledgement was delivered.
    BogusAck,
    /// The server's numbers wrapped, and such packets were delivered.
    Wrapped,
    /// A client's numbers wrapped, and such packets were delivered.
    ClientWrapped,
    /// A second client came in.
    SecondClient,
    /// A packet of the server that cannot be read was delivered.
    UnreadableDelivered,
    /// A packet of a client that cannot be read was delivered.
    UnreadableClientDelivered,
    /// A packet without a hello of somebody who is not in was delivered.
    StrayDelivered,
    /// A client left too much unacknowledged.
    Overflow,
    /// A server took a client for gone that was silent.
    ClientGone,
    /// A client had received nothing for so long that the server is gone for it.
    ServerGone,
    /// A client left, and what it sent then was seen to its end.
    Leaving,
    /// A packet without an answer was delivered to a client that asked.
    SessionBefore,
    /// Many snapshots were sent for which there was a base.
    ManyBases,
}

/// The five keys, from the other end.
pub fn mirrored(inputstate: u8) -> u8 {
    (inputstate & INPUTSTATE_BITS).reverse_bits() >> 3
}

/// Whether a number of the base has bytes that are not the same from both ends.
pub fn bytes_differ(base: &Base) -> bool {
    let Base { aimdirection, x, y, hspeed, vspeed, .. } = *base;
    aimdirection != aimdirection.swap_bytes()
        || [x, y].iter().any(|place| *place != place.swap_bytes())
        || [hspeed, vspeed].iter().any(|speed| *speed != speed.swap_bytes())
}
