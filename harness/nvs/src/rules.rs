//! The choices that the reference machines make, as plain values.
//!
//! [`Rules::REFERENCE`] is the reference. Another value makes either a *conforming variant*, which must pass every
//! check, or a *mutant*, which must fail one. The machines read these values; they know nothing of right and wrong.

use crate::liberties::Liberties;
use crate::tables::Tables;
use netquake::channel::Conduct;

/// The choices of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What the server makes of the tables that it is given.
    pub tables: fn(&mut Tables),
    /// How the entry of a message is found.
    pub lookup: Lookup,
    /// Which line says what the server writes.
    pub server_line: ServerLine,
    /// Which line says what a client gets.
    pub client_line: ClientLine,
    /// By which version a client's line is chosen.
    pub form_by: FormBy,
    /// How a line's flags decide what a client gets.
    pub flags: Flags,
    /// How many writes belong to a message.
    pub counted: Counted,
    /// What a client gets of a message that does not exist in its version.
    pub absent: Absent,
    /// How often a message is prepared.
    pub prepared: Prepared,
    /// What a client gets of messages that were written before it joined.
    pub newcomer: Newcomer,
    /// Whom a reliable message to one client reaches.
    pub one: Reach,
    /// Whom an unreliable message to one client reaches.
    pub broadcast_one: Reach,
    /// Whom an unlisted message of the engine to one client reaches.
    pub unlisted_one: Reach,
    /// Which of QuakeC's writes go through NVS.
    pub diverted: Diverted,
    /// Into which buffer a prepared message to ALL goes.
    pub all_into: Into,
    /// Into which buffer a prepared BROADCAST goes.
    pub broadcast_into: Into,
    /// When a BROADCAST fits.
    pub fit: Fit,
    /// What the server does when a buffer is full.
    pub full: Full,
    /// By whose line the size of a BROADCAST is known.
    pub sized: Sized,
    /// Who does without a BROADCAST that does not fit.
    pub without_room: WithoutRoom,
    /// How a client's unreliable buffer gets into its datagram.
    pub copied: Copied,
    /// When a client's unreliable buffer is emptied.
    pub emptied: Emptied,
    /// Which clients get the common reliable buffer of a frame.
    pub appended: Appended,
    /// In which form an enhanced message joins the sign-on data.
    pub signon_form: SignonForm,
    /// What a client's form is until it has the sign-on data.
    pub until_signon: UntilSignon,
    /// Where the server turns a view.
    pub angles: Angles,
    /// What QuakeC's world entity shows.
    pub world_shows: WorldShows,
    /// In which order the calls of a frame are executed.
    pub calls: Calls,
    /// What limits the server's version.
    pub ssvc: SsvcLimit,
    /// What limits a client's version of services.
    pub csvc: CsvcLimit,
    /// What limits a client's version of commands.
    pub cclc: CclcLimit,
    /// What a mod's wish for another version does in mid level.
    pub mid_level: MidLevel,
    /// What a request of a negative version does.
    pub negative: Refusal,
    /// What a request without a version does.
    pub bare: Refusal,
    /// When a client's maximum is compared with the required one.
    pub required: RequiredAt,
    /// What becomes of a client below the required version.
    pub below: Below,
    /// Who is told versions.
    pub told: Told,
    /// When a request is answered.
    pub answered: Answered,
    /// What a request in the game does.
    pub in_game: InGame,
    /// What a new level leaves of a client's versions.
    pub new_level: NewLevel,
    /// In which form the server reads moves.
    pub moves_read: MovesRead,
    /// By which version a client reads services.
    pub reads_by: ReadsBy,
    /// From which sign-on stage on it does.
    pub reads_from: u8,
    /// By which version a client writes moves.
    pub writes_by: WritesBy,
    /// When a client asks for versions.
    pub asks: Asks,
    /// What a client makes of an angle that it is told.
    pub takes_angles: TakesAngles,
    /// What a client holds until it is told.
    pub until_told: UntilTold,
    /// How the ends of a connection transport messages.
    pub transport: Conduct,
    /// What may be done in one way or another.
    pub liberties: Liberties,
}

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $value:ident,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$each])* $value,)*
        }
    )* };
}

choices! {
    /// How the entry of a message is found.
    Lookup {
        /// In the table of its sub messages if the service has such, by the sub byte; else in the general one, by the
        /// service.
        Apart,
        /// In the general table, by the sub byte if there is one.
        GeneralBySub,
        /// Any entry of the same service.
        AnySub,
    }

    /// Which line says what the server writes.
    ServerLine {
        /// The first that is not newer than the server's version.
        NotNewer,
        /// The first that is older.
        Older,
        /// The one of just this version; else the last.
        Exact,
        /// The first.
        Newest,
    }

    /// Which line says what a client gets.
    ClientLine {
        /// The first, from the server's on, that is not newer than the client's version.
        FromServerLine,
        /// The first of all that is not newer than the client's version.
        FromTop,
        /// The first, from the server's on, that is older than the client's version.
        Older,
        /// The one of just this version; else the last.
        Exact,
        /// The server's.
        ServerLine,
    }

    /// By which version a client's line is chosen.
    FormBy {
        /// Its version of services.
        Csvc,
        /// The maximum that it claimed.
        Maximum,
    }

    /// How a line's flags decide what a client gets.
    Flags {
        /// Write by write.
        PerWrite,
        /// The first one decides for all.
        PerMessage,
        /// As many writes, from the first, as a server of that version issues.
        Prefix,
        /// Write by write, but not in a message to ALL, which goes out whole.
        AllIsWhole,
    }

    /// How many writes belong to a message.
    Counted {
        /// As many as a server of its version issues.
        ServerLine,
        /// Without the sub byte.
        WithoutSub,
        /// As many as the newest version has.
        NewestLine,
    }

    /// What a client gets of a message that does not exist in its version.
    Absent {
        /// Nothing.
        Nothing,
        /// The command byte.
        CommandByte,
    }

    /// How often a message is prepared.
    Prepared {
        /// Every time.
        Always,
        /// Once in a frame; what comes behind it goes to whom the first one went.
        OncePerFrame,
    }

    /// What a client gets of messages that were written before it joined.
    Newcomer {
        /// Nothing.
        Nothing,
        /// What was written into its slot while nobody was there.
        OfItsSlot,
    }

    /// Whom a message to one client reaches.
    Reach {
        /// That client.
        Named,
        /// All.
        All,
    }

    /// Which of QuakeC's writes go through NVS.
    Diverted {
        /// Those that belong to the message prepared last.
        WhileCounted,
        /// None.
        Never,
        /// All, once a message was prepared.
        Always,
    }

    /// A buffer of a client.
    Into {
        /// The reliable one.
        Message,
        /// The unreliable one.
        Datagram,
    }

    /// What the server does when a buffer is full.
    Full {
        /// It does without what does not fit.
        GoesOn,
        /// It stops.
        Stops,
    }

    /// When a BROADCAST fits.
    Fit {
        /// When it fits into the client's buffer, to the last byte.
        Exact,
        /// When a byte is left behind it.
        Strict,
        /// When it fits into the buffer that all share.
        Common,
        /// Always.
        Unchecked,
    }

    /// By whose line the size of a BROADCAST is known.
    Sized {
        /// The client's.
        ClientLine,
        /// The server's.
        ServerLine,
    }

    /// Who does without a BROADCAST that does not fit.
    WithoutRoom {
        /// The client that has no room.
        ThatClient,
        /// All.
        Everybody,
    }

    /// How a client's unreliable buffer gets into its datagram.
    Copied {
        /// Whole, or not at all.
        Whole,
        /// As far as it fits.
        AsFits,
    }

    /// When a client's unreliable buffer is emptied.
    Emptied {
        /// Before every frame.
        EveryFrame,
        /// Before every other frame.
        EveryOther,
    }

    /// Which clients get the common reliable buffer of a frame.
    Appended {
        /// All.
        Always,
        /// Those to whom something else is to be sent reliably.
        BehindOthers,
    }

    /// In which form an enhanced message joins the sign-on data.
    SignonForm {
        /// That of 0.00.
        Plain,
        /// The server's.
        ServerLine,
        /// Two images, one in the server's form, of which a client gets the one of its version.
        PerVersion,
    }

    /// What a client's form is until it has the sign-on data.
    UntilSignon {
        /// That of 0.00.
        Plain,
        /// The one of its version, from the request on.
        AtOnce,
    }

    /// Where the server turns a view.
    Angles {
        /// In the reply to spawn, and in datagrams.
        Both,
        /// In the reply to spawn alone.
        SpawnOnly,
    }

    /// What QuakeC's world entity shows.
    WorldShows {
        /// The server's version.
        Ssvc,
        /// That of the first client.
        FirstClient,
    }

    /// In which order the calls of a frame are executed.
    Calls {
        /// As they came.
        InOrder,
        /// The other way round.
        Reversed,
    }

    /// What limits the server's version.
    SsvcLimit {
        /// What QuakeC asks for, and the executable's newest.
        Both,
        /// What QuakeC asks for.
        Progs,
        /// What QuakeC asks for, though it may not ask, and the executable's newest.
        BothUnasked,
    }

    /// What limits a client's version of services.
    CsvcLimit {
        /// Its maximum, and the server's version.
        Both,
        /// Its maximum.
        Maximum,
    }

    /// What limits a client's version of commands.
    CclcLimit {
        /// Its maximum, and the executable's newest.
        Executable,
        /// Its maximum, and the server's version.
        Ssvc,
        /// Its maximum.
        Maximum,
    }

    /// What a mod's wish for another version does in mid level.
    MidLevel {
        /// Nothing.
        Nothing,
        /// It is fulfilled.
        Obeyed,
    }

    /// What a request that asks for no version does.
    Refusal {
        /// Nothing.
        Nothing,
        /// It is taken at its word.
        Stored,
    }

    /// When a client's maximum is compared with the required one.
    RequiredAt {
        /// When it asks, and at prespawn.
        Both,
        /// When it asks.
        Request,
    }

    /// What becomes of a client below the required version.
    Below {
        /// It is told, and sent away.
        ToldAndDropped,
        /// It is sent away.
        Dropped,
        /// It is told.
        Told,
    }

    /// Who is told versions.
    Told {
        /// Who asks.
        WhoAsks,
        /// Every client, before the sign-on data.
        Everybody,
    }

    /// When a request is answered.
    Answered {
        /// At once, and so before the sign-on data.
        AtOnce,
        /// Behind the sign-on data.
        BehindSignon,
        /// In the next unreliable datagram.
        Unreliably,
        /// Never.
        Never,
    }

    /// What a request in the game does.
    InGame {
        /// The versions stay, and are told again.
        Nothing,
        /// The versions change at once, and are told.
        Obeyed,
    }

    /// What a new level leaves of a client's versions.
    NewLevel {
        /// Nothing; the client asks again.
        Nothing,
        /// All.
        Versions,
    }

    /// In which form the server reads moves.
    MovesRead {
        /// In that of the client's version of commands.
        Cclc,
        /// In that of the client's version of services.
        Csvc,
        /// In that of the executable's newest version.
        Executable,
    }

    /// By which version a client reads services.
    ReadsBy {
        /// The one that it was told for services.
        Csvc,
        /// The server's.
        Ssvc,
        /// Its own maximum.
        Maximum,
    }

    /// By which version a client writes moves.
    WritesBy {
        /// The one that it was told for commands.
        Cclc,
        /// The one that it was told for services.
        Csvc,
        /// Its own maximum.
        Maximum,
    }

    /// When a client asks for versions.
    Asks {
        /// Before it asks for the sign-on data.
        BeforePrespawn,
        /// Behind that.
        BehindPrespawn,
        /// When the sign-on data is there.
        AtSpawn,
    }

    /// What a client makes of an angle that it is told.
    TakesAngles {
        /// It takes it as it is.
        AsTold,
        /// It rounds it to one of 256.
        Rounded,
    }

    /// What a client holds until it is told.
    UntilTold {
        /// That all versions are 0.
        Plain,
        /// Its own maximum.
        Maximum,
    }
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {
        tables: |_| {},
        lookup: Lookup::Apart,
        server_line: ServerLine::NotNewer,
        client_line: ClientLine::FromServerLine,
        form_by: FormBy::Csvc,
        flags: Flags::PerWrite,
        counted: Counted::ServerLine,
        absent: Absent::Nothing,
        prepared: Prepared::Always,
        newcomer: Newcomer::Nothing,
        one: Reach::Named,
        broadcast_one: Reach::Named,
        unlisted_one: Reach::Named,
        diverted: Diverted::WhileCounted,
        all_into: Into::Message,
        broadcast_into: Into::Datagram,
        fit: Fit::Exact,
        full: Full::GoesOn,
        sized: Sized::ClientLine,
        without_room: WithoutRoom::ThatClient,
        copied: Copied::Whole,
        emptied: Emptied::EveryFrame,
        appended: Appended::Always,
        signon_form: SignonForm::Plain,
        until_signon: UntilSignon::Plain,
        angles: Angles::Both,
        world_shows: WorldShows::Ssvc,
        calls: Calls::InOrder,
        ssvc: SsvcLimit::Both,
        csvc: CsvcLimit::Both,
        cclc: CclcLimit::Executable,
        mid_level: MidLevel::Nothing,
        negative: Refusal::Nothing,
        bare: Refusal::Nothing,
        required: RequiredAt::Both,
        below: Below::ToldAndDropped,
        told: Told::WhoAsks,
        answered: Answered::AtOnce,
        in_game: InGame::Nothing,
        new_level: NewLevel::Nothing,
        moves_read: MovesRead::Cclc,
        reads_by: ReadsBy::Csvc,
        reads_from: 2,
        writes_by: WritesBy::Cclc,
        asks: Asks::BeforePrespawn,
        takes_angles: TakesAngles::AsTold,
        until_told: UntilTold::Plain,
        // Engines wait a second before they send a fragment again.
        transport: Conduct { resend_us: 1_000_000, ..Conduct::REFERENCE },
        liberties: Liberties::NONE,
    };
}
