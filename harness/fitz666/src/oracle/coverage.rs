//! What a run can show.

pub use kit::Report;

kit::coverage_points! {
    /// Protocol 666 was announced.
    Extended,
    /// Protocol 15 was announced.
    Plain,
    /// A protocol that nobody knows was announced, and heard.
    StrangeHeard,
    /// More than 255 models or sounds were to be announced.
    ManyNames,
    /// The second step of a sign-on was sent.
    SignedOn,
    /// Over protocol 666, a baseline had protocol 15's form.
    PlainBaseline,
    /// A baseline had protocol 666's form.
    WideBaseline,
    /// With a wide model; static entities, too.
    LargeModelBaseline,
    /// With a wide frame; static entities, too.
    LargeFrameBaseline,
    /// With alpha; static entities, too.
    AlphaBaseline,
    /// A static entity had protocol 666's form.
    WideStatic,
    /// A static sound had protocol 666's form.
    WideStaticSound,
    /// An unreliable datagram had a time.
    TimedDatagram,
    /// Somebody visible was not mentioned in a datagram that was full.
    Full,
    /// Entities were mentioned, or not, so often that it tells something.
    Mentions,
    /// An update over protocol 15.
    PlainUpdate,
    /// An entity had a model above 255.
    WideModel,
    /// A frame above 255 was told.
    WideFrame,
    /// An update had a third byte of bits.
    ExtendedUpdate,
    /// Alpha was told.
    AlphaTold,
    /// An entity for which nothing gives alpha was told.
    NoAlpha,
    /// Negative alpha was told.
    NegativeAlpha,
    /// Alpha was told after the game changed it.
    AlphaChanged,
    /// Alpha of the map was told though the game knows none.
    AlphaOfTheMap,
    /// An entity with alpha was told after its game was loaded.
    AlphaLoaded,
    /// Alpha was told that differs from the baseline's as code 0 from 255.
    AlphaAlike,
    /// Alpha was told behind the third axis of the origin.
    AlphaBehindOrigin,
    /// Alpha and the frame's high byte.
    AlphaAndFrame2,
    /// The frame's and the model's high bytes.
    Frame2AndModel2,
    /// The model's high byte and a hint.
    Model2AndHint,
    /// A hint was told.
    Hint,
    /// A think was a tenth of a second away when it was set.
    TenthSet,
    /// A think was more than a second away.
    LongThink,
    /// An entity above 255 was mentioned.
    LongEntity,
    /// An axis of an origin was told.
    OriginTold,
    /// An entity at its baseline was mentioned.
    AtBaseline,
    /// A clientdata was sent.
    Clientdata,
    /// With a third byte of bits.
    ThirdByte,
    /// With a fourth.
    FourthByte,
    /// With the high byte of the weapon.
    Weapon2,
    /// Of the armour.
    Armor2,
    /// Of the ammunition in hand.
    Ammo2,
    /// Of the shells.
    Shells2,
    /// Of the nails.
    Nails2,
    /// Of the rockets.
    Rockets2,
    /// Of the cells.
    Cells2,
    /// Of the weapon's frame.
    WeaponFrame2,
    /// With the weapon's alpha.
    WeaponAlpha,
    /// No weapon in hand, numbered as in mission packs.
    MissionPackNoWeapon,
    /// A sound was sent.
    SoundSent,
    /// With LARGEENTITY.
    LargeEntitySound,
    /// With a number above 255.
    LargeSound,
    /// What a client shows was compared.
    Compared,
    /// After a stale datagram.
    StaleCompared,
    /// An entity mentioned before was not mentioned any more, and not shown.
    Vanished,
    /// An entity over protocol 15 was shown.
    PlainShown,
    /// An entity of an update with a third byte of bits was shown.
    ExtendedShown,
    /// With a wide model.
    WideModelShown,
    /// With a wide frame.
    WideFrameShown,
    /// A narrow frame over a baseline with a wide one.
    NarrowOverWide,
    /// The wide frame of a baseline.
    WideFrameOfBase,
    /// Alpha went back to the baseline's.
    AlphaReverted,
    /// Another field went back to the baseline's.
    Reverted,
    /// A hint was heeded.
    HintShown,
    /// An earlier hint was forgotten.
    HintForgotten,
    /// An opacity of its own.
    OpacityShown,
    /// Water of default alpha, with a setting of the client's.
    DefaultWater,
    /// Water of alpha 255, with a setting of the client's.
    OpaqueWater,
    /// An entity whose baseline has no alpha.
    PlainBaseShown,
    /// The wide model of a baseline.
    LargeModelShown,
    /// The wide frame of a baseline, as its flag has it.
    LargeFrameShown,
    /// The alpha of a baseline.
    AlphaBaseShown,
    /// Alpha 255 over a baseline of 0.
    AlikeShown,
    /// Statistics above 255 were shown.
    WideStatShown,
    /// Statistics that were not told went back to their defaults.
    DefaultsShown,
    /// The weapon of a transparent player was opaque, as nothing else was told.
    OpaqueWeaponShown,
    /// Statistics of a clientdata with four bytes of bits.
    FourthByteShown,
    /// A sound was played.
    SoundPlayed,
    /// With a large form.
    LargeSoundPlayed,
    /// Of an entity from 32768.
    HighEntityPlayed,
    /// A line that the scenario asked for was printed.
    Printed,
    /// A fragment was sent.
    FragmentSent,
    /// A fragment was sent again.
    FragmentRepeated,
    /// A fragment was received again.
    FragmentAgain,
    /// The next fragment was sent.
    NextFragment,
    /// A message came in several fragments.
    SeveralFragments,
    /// An ack of another fragment came, and the next was sent only after the right one.
    OldAckIgnored,
    /// An ack was sent.
    AckSent,
    /// A stale unreliable datagram was received.
    Stale,
    /// A client was accepted.
    Accepted,
    /// A request was repeated within two seconds.
    RequestRepeated,
    /// A request was no good one.
    BadRequest,
    /// A port was given.
    PortGiven,
    /// A client that has to sent moves.
    MovesBegan,
    /// A move over protocol 666.
    Move,
    /// A move over protocol 15.
    PlainMove,
    /// A move with an angle half way between two codes.
    HalfStep,
    /// A client in the game got a message with a bit that nobody defines.
    ReservedBit,
    /// A move over protocol 666 was applied.
    MoveApplied,
}
