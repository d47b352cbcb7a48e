//! What a run can show, and what of it each requirement needs that several checks can find violated.

use crate::requirements as req;
use kit::{Breaks, breaks};

kit::coverage_points! {
    /// A client over protocol 35 with a number sent a datagram of its connection.
    NumberedDatagram,
    /// A client over protocol 35 without a number did.
    UnnumberedDatagram,
    /// The server answered commands of a client with a number.
    NumberedAnswered,
    /// The server answered commands of a client over protocol 35 without a number.
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
    ZpacketApplied,
    /// Services after a zpacket were delivered.
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
    ZDownloadDelivered,
    /// A file was delivered to its end, with compressed blocks.
    FileDelivered,
    /// A file was delivered to its end, with compressed and plain blocks.
    MixedFileDelivered,
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
    /// A frame without a base after other frames was compared at a client.
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
    /// A beam was in a frame without its far end, over protocol 35.
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
    MalformedDelivered,
    /// A client received a zpacket in a zpacket.
    NestedDelivered,
    /// A client received a frame with upper bits over protocol 34.
    StrayBitDelivered,
    /// A server built on a frame that the scenario made it not send.
    UnsentBase,
    /// A session took place.
    Session,
}

/// The requirements that several checks can find violated.
#[allow(missing_docs, reason = "each is called like its requirement")]
pub mod can_break {
    use super::{Breaks, Point, breaks, req};

    pub const QPORT_06: Breaks = breaks(&req::QPORT_06, &[&[Point::TwoUnnumbered]]);
    pub const QPORT_08: Breaks = breaks(&req::QPORT_08, &[&[Point::ConnectR1q2, Point::NumberedDatagram]]);
    pub const QPORT_01: Breaks = breaks(&req::QPORT_01, &[&[Point::NumberedDatagram]]);
    pub const QPORT_03: Breaks = breaks(&req::QPORT_03, &[&[Point::UnnumberedDatagram]]);
    pub const ZPKT_03: Breaks = breaks(&req::ZPKT_03, &[&[Point::ZpacketApplied], &[Point::FrameInZpacket]]);
    pub const ZPKT_04: Breaks = breaks(&req::ZPKT_04, &[&[Point::BehindZpacket]]);
    pub const ZPKT_05: Breaks = breaks(&req::ZPKT_05, &[&[Point::BehindZpacket]]);
    pub const ZDL_01: Breaks = breaks(&req::ZDL_01, &[&[Point::ZDownload]]);
    pub const ZDL_02: Breaks = breaks(&req::ZDL_02, &[&[Point::FileDelivered]]);
    pub const CMD_01: Breaks = breaks(&req::CMD_01, &[&[Point::UpperBits]]);
    pub const FRM_01: Breaks = breaks(&req::FRM_01, &[&[Point::FrameR1q2]]);
    pub const FRM_02: Breaks = breaks(&req::FRM_02, &[&[Point::NoDeltaAnswered]]);
    pub const FRM_03: Breaks = breaks(
        &req::FRM_03,
        &[&[Point::FrameShownR1q2, Point::OlderBaseShown], &[Point::FrameShownR1q2, Point::InvalidFrame]],
    );
    pub const FRM_04: Breaks = breaks(&req::FRM_04, &[&[Point::DeltaFrame, Point::FrameR1q2]]);
    pub const FRM_05: Breaks = breaks(&req::FRM_05, &[&[Point::HeldBack]]);
    pub const FRM_07: Breaks = breaks(&req::FRM_07, &[&[Point::UpperBits, Point::FrameShownR1q2]]);
    pub const FRM_08: Breaks = breaks(&req::FRM_08, &[&[Point::FrameR1q2]]);
    pub const FRM_09: Breaks = breaks(&req::FRM_09, &[&[Point::FrameR1q2]]);
    pub const FRM_10: Breaks = breaks(&req::FRM_10, &[&[Point::FrameR1q2]]);
    pub const PS_01: Breaks = breaks(&req::PS_01, &[&[Point::WeaponMoved]]);
    pub const PS_02: Breaks = breaks(&req::PS_02, &[&[Point::HeightAlone]]);
    pub const PS_03: Breaks = breaks(&req::PS_03, &[&[Point::FallAlone]]);
    pub const PS_04: Breaks = breaks(&req::PS_04, &[&[Point::Roll]]);
    pub const PS_05: Breaks = breaks(&req::PS_05, &[&[Point::WeaponMoved]]);
    pub const PS_06: Breaks = breaks(&req::PS_06, &[&[Point::Statistics, Point::StatisticsStay]]);
    pub const PS_07: Breaks = breaks(&req::PS_07, &[&[Point::SplitOriginal]]);
    pub const PS_08: Breaks = breaks(&req::PS_08, &[&[Point::SplitTogether]]);
    pub const PS_09: Breaks = breaks(&req::PS_09, &[&[Point::FullFrameShown]]);
    pub const SD_01: Breaks = breaks(&req::SD_01, &[&[Point::ServerDataR1q2]]);
    pub const SD_03: Breaks = breaks(&req::SD_03, &[&[Point::OtherRevision]]);
    pub const SD_04: Breaks = breaks(&req::SD_04, &[&[Point::FellBack]]);
    pub const LEN_01: Breaks = breaks(&req::LEN_01, &[&[Point::LongDatagram]]);
    pub const GEN_02: Breaks = breaks(&req::GEN_02, &[&[Point::Session]]);
}
