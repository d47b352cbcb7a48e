//! Ends that agree wrongly on versions, or break what was agreed.

use super::{client_says, client_with, of_client, of_server, server_says, server_with};
use crate::constants::NVS_REQUEST;
use crate::requirements::*;
use crate::rules::*;
use crate::tables::Tables;
use crate::version::Version;
use kit::{Endpoint, Mutant, Packet, Setup};

/// A version that no float hits.
const UNEVEN: Version = Version(70);

/// The answer's floats, in their order.
const FLOATS: [&str; 3] = ["ssvc", "csvc", "cclc"];

/// Takes a line for newer than the version that it names: so a float nearest to 0.70 compares with a longer number.
fn uneven_lines_are_newer(tables: &mut Tables) {
    let mut messages = tables.messages().to_vec();
    for line in messages.iter_mut().flat_map(|message| &mut message.lines) {
        if line.version == UNEVEN {
            line.version = Version(UNEVEN.0 + 1);
        }
    }
    *tables = Tables::new(messages);
}

/// The server's answers, with the value of each float changed.
fn tells(setup: &Setup, change: fn([u64; 3]) -> [u64; 3]) -> Box<dyn Endpoint> {
    server_says(setup, move |packet| {
        let fields = FLOATS.map(|name| packet.fields(name).next());
        if let [Some(ssvc), Some(csvc), Some(cclc)] = fields {
            let fields = [ssvc, csvc, cclc];
            let changed = change(fields.map(|field| packet.value(field)));
            for (field, value) in fields.into_iter().zip(changed) {
                packet.set(field, value);
            }
        }
    })
}

/// Puts a client's own words in the place of its request.
fn asks(packet: &mut Packet<'_>, words: &[u8]) {
    let request = [NVS_REQUEST, b" 0.99\n"].concat();
    packet.replace_text(&request, words);
}

/// Servers that agree wrongly, and clients.
pub(super) const MUTANTS: &[Mutant] = &[
    of_server(
        "version-of-progs",
        &VER_01,
        "nvs/versions-server-max",
        "takes the version that QuakeC asks for, however new the executable is",
        |setup| server_with(setup, Rules { ssvc: SsvcLimit::Progs, ..Rules::REFERENCE }),
    ),
    of_server(
        "version-of-client",
        &VER_02,
        "nvs/versions-mid-level",
        "tells a client its own maximum as CSVC",
        |setup| server_with(setup, Rules { csvc: CsvcLimit::Maximum, ..Rules::REFERENCE }),
    ),
    of_server("commands-limited-by-progs", &VER_03, "nvs/limits", "limits CCLC by SSVC", |setup| {
        server_with(setup, Rules { cclc: CclcLimit::Ssvc, ..Rules::REFERENCE })
    }),
    of_server(
        "commands-unlimited",
        &VER_03,
        "nvs/versions-old-executable",
        "tells a client its own maximum as CCLC",
        |setup| server_with(setup, Rules { cclc: CclcLimit::Maximum, ..Rules::REFERENCE }),
    ),
    of_server(
        "compares-longer-numbers",
        &VER_04,
        "nvs/versions-uneven",
        "compares 0.70 from the wire with a longer number, and finds it less",
        |setup| server_with(setup, Rules { tables: uneven_lines_are_newer, ..Rules::REFERENCE }),
    ),
    of_client(
        "reads-by-longer-numbers",
        &VER_04,
        "nvs/versions-uneven",
        "compares 0.70 from the wire with a longer number, and finds it less",
        |setup| client_with(setup, Rules { tables: uneven_lines_are_newer, ..Rules::REFERENCE }),
    ),
    of_server("tells-three-decimals", &VER_04, "nvs/limits", "tells versions with a third decimal", |setup| {
        tells(setup, |floats| floats.map(|bits| u64::from((f32::from_bits(bits as u32) + 0.004).to_bits())))
    }),
    of_client("asks-three-decimals", &VER_04, "nvs/limits", "asks for a version with three decimals", |setup| {
        client_says(setup, |packet| asks(packet, &[NVS_REQUEST, b" 0.994\n"].concat()))
    }),
    of_server(
        "version-moves",
        &VER_05,
        "nvs/versions-mid-level",
        "lets QuakeC change the version in mid level",
        |setup| server_with(setup, Rules { mid_level: MidLevel::Obeyed, ..Rules::REFERENCE }),
    ),
    of_server(
        "version-moves-for-newcomers",
        &VER_05,
        "nvs/versions-mid-level-late",
        "lets QuakeC change the version in mid level",
        |setup| server_with(setup, Rules { mid_level: MidLevel::Obeyed, ..Rules::REFERENCE }),
    ),
    of_server(
        "version-unasked",
        &VER_05,
        "nvs/versions-switched-off",
        "takes the version that QuakeC asks for, although that is switched off",
        |setup| server_with(setup, Rules { ssvc: SsvcLimit::BothUnasked, ..Rules::REFERENCE }),
    ),
    of_client("asks-behind-prespawn", &HS_01, "nvs/limits", "asks for versions when it has said prespawn", |setup| {
        client_with(setup, Rules { asks: Asks::BehindPrespawn, ..Rules::REFERENCE })
    }),
    of_client("asks-at-spawn", &HS_01, "nvs/limits", "asks for versions when the sign-on data is there", |setup| {
        client_with(setup, Rules { asks: Asks::AtSpawn, ..Rules::REFERENCE })
    }),
    of_client("asks-for-less", &HS_01, "nvs/limits", "asks for another version than its maximum", |setup| {
        client_says(setup, |packet| asks(packet, &[NVS_REQUEST, b" 0.50\n"].concat()))
    }),
    of_server("answer-swapped", &HS_02, "nvs/limits", "tells CCLC before CSVC", |setup| {
        tells(setup, |[ssvc, csvc, cclc]| [ssvc, cclc, csvc])
    }),
    of_server("answer-big-endian", &HS_02, "nvs/limits", "writes floats with their highest byte first", |setup| {
        tells(setup, |floats| floats.map(|bits| u64::from((bits as u32).swap_bytes())))
    }),
    of_server("answer-of-another-type", &HS_02, "nvs/limits", "answers with a type that nobody knows", |setup| {
        server_says(setup, |packet| {
            let kinds: Vec<_> = packet.fields("extra version").cloned().collect();
            kinds.iter().for_each(|kind| packet.set(kind, 2));
        })
    }),
    of_server("answer-without-ssvc", &HS_02, "nvs/limits", "tells two versions, and not the server's", |setup| {
        server_says(setup, |packet| {
            let fields: Vec<_> = packet.fields("ssvc").cloned().collect();
            fields.iter().for_each(|field| packet.cut(field));
        })
    }),
    of_server("answer-late", &HS_02, "nvs/limits", "answers behind signonnum 2", |setup| {
        server_with(setup, Rules { answered: Answered::BehindSignon, ..Rules::REFERENCE })
    }),
    of_server("answer-unreliable", &HS_02, "nvs/limits", "answers in an unreliable datagram", |setup| {
        server_with(setup, Rules { answered: Answered::Unreliably, ..Rules::REFERENCE })
    }),
    of_server("answers-never", &HS_02, "nvs/limits", "takes what was asked for, and says nothing", |setup| {
        server_with(setup, Rules { answered: Answered::Never, ..Rules::REFERENCE })
    }),
    of_server("negative-stored", &HS_04, "nvs/request-negative", "stores a negative version", |setup| {
        server_with(setup, Rules { negative: Refusal::Stored, ..Rules::REFERENCE })
    }),
    of_server("bare-stored", &HS_05, "nvs/request-bare", "takes a missing version for 0", |setup| {
        server_with(setup, Rules { bare: Refusal::Stored, ..Rules::REFERENCE })
    }),
    of_server(
        "required-of-who-asks",
        &HS_06,
        "nvs/required",
        "compares with the required version only those who ask",
        |setup| server_with(setup, Rules { required: RequiredAt::Request, ..Rules::REFERENCE }),
    ),
    of_server("required-without-a-word", &HS_06, "nvs/required", "sends old clients away without a word", |setup| {
        server_with(setup, Rules { below: Below::Dropped, ..Rules::REFERENCE })
    }),
    of_server(
        "required-and-kept",
        &HS_06,
        "nvs/required",
        "tells old clients that they are, and does not send them away",
        |setup| server_with(setup, Rules { below: Below::Told, ..Rules::REFERENCE }),
    ),
    of_server("tells-unasked", &HS_07, "nvs/limits", "tells versions to clients that never asked", |setup| {
        server_with(setup, Rules { told: Told::Everybody, ..Rules::REFERENCE })
    }),
    of_client(
        "waits-for-the-answer",
        &HS_07,
        "nvs/plain-server",
        "does not go on before it is told versions",
        |setup| {
            client_says(setup, |packet| {
                packet.replace_text(b"\x04prespawn\0", &[]);
            })
        },
    ),
    of_client("assumes-its-maximum", &HS_08, "nvs/request-negative", "goes by its maximum until it is told", |setup| {
        client_with(setup, Rules { until_told: UntilTold::Maximum, ..Rules::REFERENCE })
    }),
    of_server("changes-in-game", &HS_09, "nvs/request-in-game", "changes versions in the game", |setup| {
        server_with(setup, Rules { in_game: crate::rules::InGame::Obeyed, ..Rules::REFERENCE })
    }),
    of_client("moves-by-services", &CLC_01, "nvs/versions-switched-off", "writes moves by CSVC", |setup| {
        client_with(setup, Rules { writes_by: WritesBy::Csvc, ..Rules::REFERENCE })
    }),
    of_client("moves-by-maximum", &CLC_01, "nvs/plain-server", "writes moves by its own maximum", |setup| {
        client_with(setup, Rules { writes_by: WritesBy::Maximum, ..Rules::REFERENCE })
    }),
    of_server("moves-read-by-services", &CLC_02, "nvs/versions-switched-off", "reads moves by CSVC", |setup| {
        server_with(setup, Rules { moves_read: MovesRead::Csvc, ..Rules::REFERENCE })
    }),
    of_server(
        "moves-read-by-executable",
        &CLC_02,
        "nvs/versions-switched-off",
        "reads every client's moves in its newest form",
        |setup| server_with(setup, Rules { moves_read: MovesRead::Executable, ..Rules::REFERENCE }),
    ),
    of_server(
        "keeps-versions",
        &REQ_01,
        "nvs/level-change",
        "goes by the versions of the level before until it is asked again",
        |setup| {
            let rules = Rules { new_level: NewLevel::Versions, until_signon: UntilSignon::AtOnce, ..Rules::REFERENCE };
            server_with(setup, rules)
        },
    )
    .same_bug_as("NVS of 2000-05-01"),
];
