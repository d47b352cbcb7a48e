//! What a run can show, and which of it a check must have seen so that it could have failed for a requirement.

use crate::requirements;
use kit::{Breaks, breaks};

kit::coverage_points! {
    /// The server sent a client its versions.
    Reply,
    /// A client with a maximum that asks was sent a map.
    Invited,
    /// It sent a request of its own.
    RequestSent,
    /// A request was delivered that may stay without an answer.
    RequestOfNothing,
    /// A message with a table was compared at a client whose negative request was delivered.
    NegativeJudged,
    /// The same, with a request that had no argument.
    BareJudged,
    /// QuakeC tried to change the version in mid level, and a version was sent or used since.
    VersionChangeTried,
    /// The server's version is 0, and a client that can more was sent that or a message.
    SwitchedOff,
    /// A client below the required version asked, or went on without having asked.
    TooOld,
    /// A client that never asks signed on.
    PlainClient,
    /// A client that asks signed on to a server that never answers.
    PlainServer,
    /// A client's state was looked at between the map's beginning and the answer.
    NoVersions,
    /// A client asked again in the game.
    RequestInGame,
    /// A client that was sent a CCLC from 0.50 on sent a move.
    FineMove,
    /// A client without one sent a move.
    PlainMove,
    /// The server took a move, and showed what it read.
    MoveRead,
    /// A message without a table was written to a client.
    Unlisted,
    /// Such an effect, to a client of an older version than the server's.
    OtherEffect,
    /// To a client between two lines, a message with a table was written.
    BetweenLines,
    /// A message with a table was followed by another in the same packet.
    Followed,
    /// A message with a table was written to a client of version 0, while the server writes more.
    LowestVersion,
    /// A message in whose new form writes take the place of older ones was written.
    Replacing,
    /// A client was left out of a message that its version does not know.
    LeftOut,
    /// A message with a table was written at SSVC 0.
    ListedAtZero,
    /// An effect with a table, other than explosions, was written.
    OtherEffectListed,
    /// An effect with a table was written whose number is also that of a service with one.
    SameNumber,
    /// With SSVC exactly at a line.
    ServerAtLine,
    /// With CSVC exactly at a line, SSVC above it.
    ClientAtLine,
    /// With a line whose version no float hits.
    UnevenLine,
    /// Two different messages with tables were written in one packet.
    TwoListed,
    /// A message with a table went to MSG_ALL, and clients had different forms.
    ListedToAll,
    /// A new form was written that is longer than the old.
    Appended,
    /// A view was turned in a frame while other clients were in the game.
    FrameAnglesAmongOthers,
    /// A message to one client was written while others were there.
    OneAmongOthers,
    /// A client came when messages had been written already.
    LateJoiner,
    /// A message without a table was written to a plain client while the server writes more.
    UnlistedAtPlain,
    /// A message with three or more lines was written to a client below the newest.
    ManyLines,
    /// One call was written in different forms to different clients.
    Mixed,
    /// A message that QuakeC prepared was written.
    Prepared,
    /// The server showed QuakeC's world.
    WorldShown,
    /// Writes of QuakeC without preparation were written.
    Written,
    /// A reliable call was written, and a datagram of the reliable stream was lost.
    ReliableLost,
    /// A datagram with a broadcast was lost.
    BroadcastLost,
    /// Broadcasts of a frame were more than a buffer holds.
    Flood,
    /// The server showed how it decided whether a broadcast fits.
    FitShown,
    /// A broadcast filled the buffer exactly.
    ExactFit,
    /// At clients of different versions, near the buffer's end.
    FitOfTwoForms,
    /// A frame's broadcasts did not fit its datagram.
    DatagramFull,
    /// A broadcast reached one client while another's buffer was full.
    OneFull,
    /// An unreliable message was written to one client among others.
    Named,
    /// A frame followed one with broadcasts.
    FrameAfterBroadcast,
    /// A plain MSG_ALL was written.
    PlainAll,
    /// Two calls of one class were written in order.
    TwoOfClass,
    /// MSG_ONE and MSG_ALL were written in order, as the server claims.
    Ordered,
    /// A client signed on as far as the game.
    SignedOn,
    /// A reliable message with a table was delivered below signon 2 to a client that was sent more.
    OldFormDelivered,
    /// A reliable message with a table was written between the answer and signonnum 2.
    InWindow,
    /// The same between a level's beginning and the answer, to a client that was sent more in the level before.
    InNewLevel,
    /// A message with a table was part of the sign-on data, at a server that writes more.
    InitListed,
    /// The sign-on data of a level was written to two clients.
    TwoImages,
    /// A message with a table was delivered, and the client showed what it read.
    ListedRead,
    /// Float angles were written.
    FineAngles,
    /// And read.
    FineAnglesRead,
    /// Angles were written in an answer to spawn.
    SpawnAngles,
    /// Angles were written in a frame.
    FrameAngles,
    /// Particles were written.
    Particles,
    /// An explosion was written at SSVC 0 to a client that claims more.
    ExplosionAtZero,
    /// An explosion was written at a server that writes its colour.
    Explosion,
    /// An explosion was delivered, and the client showed what it read.
    ExplosionRead,
}

macro_rules! meanings {
    ($($requirement:ident: $([$($point:ident),*])*;)*) => {
        /// What the failure of a check can mean, by requirement, with the coverage points that it needs.
        pub mod meaning {
            use super::*;

            $(
                #[doc = stringify!($requirement)]
                pub const $requirement: Breaks =
                    breaks(&requirements::$requirement, &[$(&[$(Point::$point),*]),*]);
            )*
        }
    };
}

meanings! {
    VER_01: [Reply];
    VER_02: [Reply];
    VER_03: [Reply];
    VER_04: [RequestSent, Reply] [UnevenLine];
    VER_05: [VersionChangeTried] [SwitchedOff];
    HS_01: [Invited];
    HS_02: [Reply];
    HS_03: [RequestOfNothing];
    HS_04: [NegativeJudged];
    HS_05: [BareJudged];
    HS_06: [TooOld];
    HS_07: [PlainClient] [PlainServer];
    HS_08: [NoVersions];
    HS_09: [RequestInGame];
    CLC_01: [FineMove] [PlainMove];
    CLC_02: [MoveRead];
    TAB_01: [Unlisted];
    TAB_02: [OtherEffect];
    TAB_03: [BetweenLines];
    TAB_04: [Followed];
    TAB_05: [FitOfTwoForms];
    TAB_06: [Replacing];
    TAB_07: [LowestVersion];
    TAB_08: [LowestVersion];
    TAB_09: [LeftOut];
    SEL_01: [ListedAtZero];
    SEL_02: [OtherEffectListed];
    SEL_03: [SameNumber];
    SEL_04: [ServerAtLine];
    SEL_05: [ClientAtLine];
    WR_01: [TwoListed];
    WR_02: [ListedToAll];
    WR_03: [Appended];
    WR_04: [FrameAnglesAmongOthers];
    WR_05: [OneAmongOthers];
    WR_06: [LateJoiner];
    WR_07: [Followed];
    DES_01: [UnlistedAtPlain];
    DES_02: [ManyLines];
    DES_03: [Mixed];
    QC_01: [Prepared];
    QC_02: [WorldShown];
    QC_03: [Written];
    BUF_01: [ReliableLost];
    BUF_02: [BroadcastLost];
    BUF_03: [Flood];
    BUF_04: [Flood, FitShown];
    BUF_05: [ExactFit];
    BUF_06: [DatagramFull];
    BUF_07: [OneFull];
    BUF_08: [Named];
    BUF_09: [FrameAfterBroadcast];
    BUF_10: [PlainAll];
    BUF_11: [Named];
    ORD_01: [TwoOfClass];
    ORD_02: [Ordered];
    SIG_01: [SignedOn];
    SIG_02: [OldFormDelivered];
    SIG_03: [InitListed];
    SIG_04: [InWindow];
    SIG_05: [TwoImages];
    REQ_01: [InNewLevel];
    CL_01: [ListedRead];
    T1_01: [FineAngles];
    T1_02: [FineAnglesRead];
    T1_03: [SpawnAngles, FrameAngles];
    T2_01: [Particles];
    T3_01: [ExplosionAtZero];
    T3_02: [Explosion];
    T3_03: [ExplosionRead];
}
