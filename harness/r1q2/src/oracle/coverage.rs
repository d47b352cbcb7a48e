//! What a run can show.

pub use kit::Report;

kit::coverage_points! {
    /// A client over protocol 35 with a number sent a datagram of its connection.
    NumberedDatagram,
    /// A client over protocol 35 without a number did.
    UnnumberedDatagram,
    /// The server answered what a client with a number said.
    NumberedAnswered,
    /// The server answered what a client over protocol 35 without a number said.
    UnnumberedAnswered,
    /// Two clients of one address and without numbers were in the game at once.
    TwoUnnumbered,
    /// A connect over protocol 35 was sent.
    ConnectR1q2,
    /// A connect over protocol 34 was sent.
    ConnectOriginal,
    /// A connect over protocol 35 without a length was delivered.
    ConnectWithoutLength,
    /// A connect with length 0 was delivered.
    ConnectWithZero,
    /// A connect whose length the scenario leaves to the client was sent.
    ConnectWithDefault,
    /// A zpacket was sent.
    Zpacket,
    /// A zpacket was delivered, and the client shows or answers what it held.
    ZpacketHeard,
    /// Services behind a zpacket were delivered.
    BehindZpacket,
    /// A frame in a zpacket was delivered.
    FrameInZpacket,
    /// Services were sent over protocol 34.
    ServicesOriginal,
    /// Services were sent over protocol 35.
    ServicesR1q2,
    /// A compressed block of a file was sent.
    ZDownload,
    /// A compressed block that is not the last was delivered.
    ZDownloadHeard,
    /// A file was delivered to its end, with compressed blocks.
    FileHeard,
    /// A file was delivered to its end, with compressed and plain blocks.
    MixedFileHeard,
    /// A refusal of a file was sent.
    Refused,
    /// A frame with bits beside its service was delivered.
    UpperBits,
    /// A frame was sent over protocol 35.
    FrameR1q2,
    /// A frame was compared at a client over protocol 35.
    FrameShownR1q2,
    /// A frame was compared at a client over protocol 34.
    FrameShownOriginal,
    /// A client showed a datagram that ended with its last service.
    MessageEnded,
    /// A client asked for a frame without a base, and a frame was sent.
    NoDeltaAnswered,
    /// A frame without a base behind other frames was compared at a client.
    FullFrameShown,
    /// A frame with a base was sent.
    DeltaFrame,
    /// A frame with a base that was not the newest frame was compared at a client.
    OlderBaseShown,
    /// Frames were held back over protocol 35 before one was sent.
    HeldBack,
    /// A frame that builds on what the client does not have was delivered.
    InvalidFrame,
    /// Offset and angles of a weapon changed.
    WeaponMoved,
    /// Height alone changed.
    HeightAlone,
    /// Vertical velocity alone changed.
    FallAlone,
    /// Roll was sent.
    Roll,
    /// Statistics changed.
    Statistics,
    /// A frame without statistics followed one with some, over protocol 35.
    StatisticsStay,
    /// Split parts were sent over protocol 34.
    SplitOriginal,
    /// What was split off came with what it was split from.
    SplitTogether,
    /// An entity that is no beam moved, over protocol 35.
    MovedR1q2,
    /// An entity moved over protocol 34.
    MovedOriginal,
    /// A beam was in a frame that did not tell its far end, over protocol 35.
    BeamRests,
    /// A beam was sent.
    BeamSent,
    /// A client showed an entity whose old origin depends on who is asked whether it is a beam.
    BecameBeam,
    /// A serverdata was sent over protocol 35.
    ServerDataR1q2,
    /// A serverdata was sent over protocol 34.
    ServerDataOriginal,
    /// An enhanced game was announced.
    Enhanced,
    /// Another revision than the client's was announced to one that falls back.
    OtherRevision,
    /// A client that fell back spoke protocol 34.
    FellBack,
    /// A datagram longer than protocol 34 allows was compared at a client.
    LongDatagram,
    /// Spectators moved over protocol 35.
    SpectatorR1q2,
    /// Spectators moved over protocol 34 beside one over protocol 35.
    SpectatorOriginal,
    /// A client whose port had changed went on.
    Rebound,
    /// A prediction for a spectator was compared.
    Predicted,
    /// A client received a malformed zpacket.
    MalformedHeard,
    /// A client received a zpacket in a zpacket.
    NestedHeard,
    /// A client received a frame with upper bits over protocol 34.
    StrayBitHeard,
    /// A server built on a frame that the scenario made it not send.
    UnsentBase,
    /// A session took place.
    Session,
}
