//! What a run can show.

pub use kit::Report;

kit::coverage_points! {
    /// QuakeWorld: a client asked for a challenge.
    ChallengeAsked,
    /// QuakeWorld: the server sent a challenge.
    ChallengeSent,
    /// QuakeWorld: a client asked to connect.
    ConnectSent,
    /// QuakeWorld: with extensions.
    ConnectWithExtensions,
    /// QuakeWorld: the server received a good connect.
    ConnectDelivered,
    /// NetQuake: the server asked for extensions.
    PextAsked,
    /// NetQuake: the client heard it.
    PextHeard,
    /// NetQuake: the client answered with pairs.
    PextAnswered,
    /// NetQuake: a pair's value was quoted.
    PextQuoted,
    /// The client asked for more than the server supports.
    AskedTooMuch,
    /// Extension data was removed on the way.
    Stripped,
    /// The client asked for float coords and did not get them.
    FloatCoordsRefused,
    /// A session without replacement deltas began.
    PlainSession,
    /// A session with them began.
    DeltaSession,
    /// A second map began.
    SecondMap,
    /// With other extensions.
    ExtensionsChanged,
    /// Float coords were agreed upon.
    FloatCoords,
    /// Together with replacement deltas.
    FloatCoordsWithDeltas,
    /// Replacement deltas were agreed upon without float coords.
    DeltasAlone,
    /// A baseline was announced.
    Baseline,
    /// In a second map.
    BaselineOfSecondMap,
    /// With a number from 32768.
    BigBaseline,
    /// A static entity was sent.
    StaticEntity,
    /// The client was compared after one was delivered.
    StaticCompared,
    /// Replacement deltas were agreed upon together with PEXT_SPAWNSTATIC2.
    SpawnStatic2Deltas,
    /// Together with other extensions that they make obsolete.
    ObsoleteDeltas,
    /// An entity number from 32768 was sent without them.
    BigNumberPlain,
    /// And noted by the client.
    BigNumberPlainNoted,
    /// NetQuake: the server was to play a sound whose number needs two bytes.
    WideSoundAsked,
    /// NetQuake: a sound was sent.
    SoundSent,
    /// NetQuake: and noted by the client.
    SoundNoted,
    /// An entity of the game's own code was called gone.
    CsqcGoneSent,
    /// And noted by the client.
    CsqcGoneNoted,
    /// A session with a protocol that nobody knows was delivered.
    StrangeProtocol,
    /// An entity frame was sent.
    Frame,
    /// On QuakeWorld.
    QuakeWorldFrame,
    /// On NetQuake.
    NetQuakeFrame,
    /// On NetQuake, with PREDINFO.
    NetQuakePredInfoFrame,
    /// A frame had several entries.
    SeveralEntries,
    /// A frame had a remove and other entries.
    RemoveAmongOthers,
    /// A frame had a remove-all and entries.
    RemoveAllWithEntries,
    /// An entity was removed.
    Remove,
    /// With a number from 16384.
    BigRemove,
    /// While changes of it were pending.
    RemovedWhilePending,
    /// Entities known were sent anew after a remove-all.
    ResentAfterRemoveAll,
    /// A new entity was sent.
    NewEntity,
    /// It had been there before.
    Returned,
    /// A new entity was sent for the second time.
    SecondUpdate,
    /// A RESET left fields to the baseline and carried others.
    ResetWithFields,
    /// Another entity took a known number between two frames.
    Reborn,
    /// An update left known fields out.
    PlainDelta,
    /// An update had two flag bytes.
    TwoFlagBytes,
    /// An update had three flag bytes.
    ThreeFlagBytes,
    /// An update had four flag bytes.
    FourFlagBytes,
    /// An update had many fields.
    ManyFields,
    /// A number from 16384 was updated.
    ExtendedNumber,
    /// A number from 65536 was updated.
    HugeNumber,
    /// An attachment to an entity below 32768.
    SmallTag,
    /// To one from 16384.
    MiddleTag,
    /// To one from 32768.
    BigTag,
    /// A frame of 8 bits.
    Frame8,
    /// A frame of 16 bits.
    Frame16,
    /// A value at the edge of a width.
    Boundary,
    /// A position's x and y.
    OriginXY,
    /// A position's z.
    OriginZ,
    /// A change of x or y alone.
    OneOfXY,
    /// Pitch and roll.
    AnglesXZ,
    /// Yaw.
    AnglesY,
    /// Angles beside a pred block.
    AnglesWithPredInfo,
    /// Effects of 8 bits.
    Effects8,
    /// Effects of 16 bits.
    Effects16,
    /// Effects of 32 bits.
    Effects32,
    /// Effects whose width shrank.
    EffectsShrank,
    /// An update with 16BIT.
    Wide,
    /// An update with 16BIT and a field that alone would not need it.
    WideForAnother,
    /// An update of such a field without 16BIT.
    Narrow,
    /// A model.
    Model,
    /// A negative skin.
    NegativeSkin,
    /// A colormap.
    Colormap,
    /// A size.
    Solid,
    /// Flags.
    Flags,
    /// The flag that makes a colormap two colours.
    DirectColours,
    /// Alpha.
    Alpha,
    /// Scale.
    Scale,
    /// Drawflags with absolute light.
    AbsLight,
    /// Drawflags without.
    NoAbsLight,
    /// A light.
    Light,
    /// A trail.
    Trail,
    /// Colour modulation.
    ColorMod,
    /// Glow.
    Glow,
    /// Fatness.
    Fatness,
    /// A second model of 8 bits.
    Model2Narrow,
    /// A second model of 16 bits.
    Model2Wide,
    /// Gravity.
    Gravity,
    /// A small number with a high byte was delivered.
    LongIndexDelivered,
    /// A flag byte of zero was delivered.
    ZeroFlagByteDelivered,
    /// A flag that nobody defines was delivered.
    UndefinedFlagDelivered,
    /// A field changed to zero.
    ChangedToZero,
    /// A pred block.
    PredBlock,
    /// Velocity in it.
    Velocity,
    /// A long weaponframe in it.
    LongWeaponFrame,
    /// View angles in it.
    ViewAngles,
    /// What was lost was sent again, changed.
    ResentAfterChange,
    /// What was known was sent again for no reason that the wire shows.
    Redundant,
    /// A frame had no room for more.
    FullFrame,
    /// Changes waited for room.
    PendingWhenFull,
    /// A new entity waited for room.
    NewWhenFull,
    /// A remove waited for room.
    RemoveWhenFull,
    /// Statistics waited for room.
    StatsWhenFull,
    /// Several frames were sent at one moment.
    SeveralFramesPerTick,
    /// Datagrams without a frame came between frames.
    GapBeforeFrame,
    /// A datagram without a frame has the place in a history of 64 frames that a remove had, of an entity that is back.
    GapOverOldRemove,
    /// A statistic was sent again after its loss.
    StatResent,
    /// A statistic in its float form.
    FloatStat,
    /// In its byte form.
    ByteStat,
    /// In its long form.
    LongStat,
    /// The weaponframe as a statistic.
    WeaponFrameStat,
    /// A statistic without PREDINFO.
    PlainStat,
    /// Over NetQuake, with a value above 255 or below 0.
    LargePlainStat,
    /// Statistics were not zero when frames of a second map had room for them.
    StatsInSecondMap,
    /// A statistic was delivered.
    StatDelivered,
    /// A movement sequence was echoed.
    MoveEchoed,
    /// A move of PREDINFO was sent over protocol 15.
    MoveOnPlainProtocol,
    /// A movement sequence wrapped.
    MoveWrapped,
    /// A move came late or twice.
    MoveOutOfOrder,
    /// The server knew that a frame was lost.
    Loss,
    /// With 32 or more frames sent since.
    LossAfterMany,
    /// With more than 64.
    LossBeyondHistory,
    /// Of several sent at one moment.
    LossOfSibling,
    /// After datagrams without a frame.
    LossAfterGap,
    /// With very many entries.
    LossOfManyEntries,
    /// By QuakeWorld's header alone.
    LossKnownByHeader,
    /// The newest carrier of a field was lost.
    LostDelta,
    /// Of movetype or weaponframe.
    LostPredInfo,
    /// The newest RESET of an entity was lost.
    LostReset,
    /// The newest remove was lost.
    LostRemove,
    /// A remove was lost of an entity that is back.
    LostRemoveOfLiving,
    /// An update was lost of an entity that is gone.
    LostUpdateOfDead,
    /// A remove-all was lost.
    LostRemoveAll,
    /// A repair was lost.
    LostRepair,
    /// The newest carrier of a statistic was lost.
    LostStat,
    /// It was sent before the server was asked for a reset.
    LostStatBeforeReset,
    /// The server was asked for a reset.
    ResetAsked,
    /// The server was told of a frame never sent.
    FutureAck,
    /// The server was told twice, or late.
    StaleAck,
    /// Frame 0 was acknowledged.
    FrameZeroAcked,
    /// A frame was acknowledged while newer ones were on their way.
    AckWithNewerInFlight,
    /// A frame of the map before was acknowledged.
    OldAckInNewMap,
    /// One packet acknowledged several frames.
    SeveralAcksDelivered,
    /// One packet acknowledged explicitly and by its header.
    ExplicitAndHeader,
    /// The client acknowledged.
    AckSent,
    /// The second time.
    SecondAck,
    /// After frames were lost.
    AckAfterLoss,
    /// QuakeWorld: several frames came between two packets.
    SeveralFramesSinceSend,
    /// A frame came late or twice.
    StaleFrame,
    /// The client was compared.
    ClientCompared,
    /// A frame came to a client without a usable state.
    ClientWithoutState,
    /// A frame left a known entity out.
    UnmentionedEntity,
    /// A delta was delivered.
    DeltaDelivered,
    /// After a loss.
    DeltaAfterLoss,
    /// Of an entity unknown to the client.
    UnknownDeltaDelivered,
    /// A known entity was reset, and that changed it.
    ResetDelivered,
    /// A RESET of an entity with a baseline was delivered.
    ResetOnBaselineDelivered,
    /// A RESET relied on a field that its baseline leaves out, and that of the map before had.
    BaselineShrankDelivered,
    /// A removed entity came back.
    ReturnDelivered,
    /// A remove was delivered.
    RemoveDelivered,
    /// Of an entity unknown to the client.
    UnknownRemoveDelivered,
    /// A remove-all was delivered to a client with entities.
    RemoveAllDelivered,
    /// A pred block of a known entity was delivered.
    PredInfoDelivered,
    /// One snapshot was delivered in parts.
    SplitSnapshotDelivered,
    /// Of frames that were never lost, some were acknowledged alone, some together.
    SeveralAcksJudged,
    /// The same on QuakeWorld, explicitly and by the header.
    ExplicitJudged,
    /// Nothing was lost while entries were on their way, with and without news of the client.
    NewerJudged,
    /// Nothing was lost, and more frames were in flight than half of the document's history.
    ManyInFlight,
    /// The rate limit left a tick out while something was pending.
    Choked,
    /// The run ended with a quiet time, long enough to converge.
    Quiescent,
}
