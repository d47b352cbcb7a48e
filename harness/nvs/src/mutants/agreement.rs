//! Ends that agree wrongly on versions, or break what was agreed.

use super::sign_on::keep_versions;
use super::*;
use crate::constants::{NVS_REQUEST, NVS_REQUEST_USAGE, SVC_EXTRA_VERSION, VERSION_NVS};
use crate::message::write_versions;
use crate::options::Options;
use crate::requirements::*;
use crate::tables::Tables;
use crate::version::{Version, Versions};
use kit::Writer;

/// A version that no float hits.
const UNEVEN: Version = Version(70);

/// The answer's floats, in their order.
const FLOATS: [&str; 3] = ["ssvc", "csvc", "cclc"];

/// What a client asks for.
const REQUEST: &[u8] = b"\x04nvs_request 0.99\n\0";
const PRESPAWN: &[u8] = b"\x04prespawn\0";
const SPAWN: &[u8] = b"\x04spawn\0";

/// Takes a line for newer than the version that it names: so a float nearest to 0.70 compares with a longer number.
fn uneven_lines_are_newer(tables: &mut Tables) {
    let lines = tables.messages_mut().iter_mut().flat_map(|message| &mut message.lines);
    lines.filter(|line| line.version == UNEVEN).for_each(|line| line.version = Version(UNEVEN.0 + 1));
}

/// What QuakeC asks for, however new the executable is.
fn of_progs(options: &Options) -> Version {
    if options.svc_enable && !options.compatibility { options.progs_version } else { Version::PLAIN }
}

/// The server's answers, with the value of each float changed.
fn answers(setup: &Setup, change: fn([u64; 3]) -> [u64; 3]) -> Box<dyn Endpoint> {
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

/// Keeps the server's answers back until a packet has a place for them.
fn answers_later(setup: &Setup, place: fn(&Packet<'_>) -> Option<usize>) -> Box<dyn Endpoint> {
    let mut waiting: BTreeMap<HostId, Vec<u8>> = BTreeMap::new();
    server_says(setup, move |packet| {
        for answer in packet.fields("svc_extra_version") {
            packet.cut(answer);
            waiting.insert(packet.client, packet.raw(answer).to_vec());
        }
        if let Some(at) = place(packet)
            && let Some(answer) = waiting.remove(&packet.client)
        {
            packet.replace(at..at, &answer);
        }
    })
}

/// Sends versions to clients, at the end of the sign-on data, that have not been sent any.
fn answers_everybody(setup: &Setup) -> Box<dyn Endpoint> {
    let mut answered: BTreeSet<HostId> = BTreeSet::new();
    server_says(setup, move |packet| {
        if packet.fields("svc_extra_version").next().is_some() {
            answered.insert(packet.client);
        }
        if let Some(end) = end_of_stage(packet, 2)
            && answered.insert(packet.client)
        {
            let mut bytes = vec![SVC_EXTRA_VERSION, VERSION_NVS];
            bytes.resize(14, 0);
            packet.replace(end.start..end.start, &bytes);
        }
    })
}

/// Changes CSVC in answers to clients in the game.
fn answers_change_in_game(setup: &Setup) -> Box<dyn Endpoint> {
    let mut in_game: BTreeSet<HostId> = BTreeSet::new();
    server_says(setup, move |packet| {
        if in_game.contains(&packet.client) {
            packet.fields("csvc").for_each(|field| packet.set(field, 0));
        } else if end_of_stage(packet, 3).is_some() {
            in_game.insert(packet.client);
        }
    })
}

/// Puts a client's own words in the place of its request.
fn asks(packet: &mut Packet<'_>, words: &[u8]) {
    let request = [NVS_REQUEST, b" 0.99\n"].concat();
    packet.replace_text(&request, words);
}

/// Holds the newest versions from the beginning of a level on.
fn assumes_its_maximum(packet: &mut Packet<'_>) {
    if let Some(end) = end_of_stage(packet, 1) {
        let newest = Versions { ssvc: Version::NEWEST, csvc: Version::NEWEST, cclc: Version::NEWEST };
        let mut bytes = Vec::new();
        write_versions(&mut Writer::new(&mut bytes), &newest);
        packet.replace(end.end..end.end, &bytes);
    }
}

/// Servers that agree wrongly, and clients.
pub(super) const MUTANTS: &[Mutant] = &[
    of_server(
        "version-of-progs",
        &VER_01,
        "nvs/versions-server-max",
        "takes the version that QuakeC asks for, however new the executable is",
        |setup| server_with(setup, |rules| rules.ssvc = of_progs),
    ),
    of_server(
        "version-of-client",
        &VER_02,
        "nvs/versions-mid-level",
        "sends a client the client's own maximum as CSVC",
        |setup| {
            server_with(setup, |rules| {
                rules.versions = |wanted, ssvc, options| Versions { csvc: wanted, ..versions(wanted, ssvc, options) }
            })
        },
    ),
    of_server("commands-limited-by-progs", &VER_03, "nvs/limits", "limits CCLC by SSVC", |setup| {
        server_with(setup, |rules| {
            rules.versions =
                |wanted, ssvc, options| Versions { cclc: wanted.min(ssvc), ..versions(wanted, ssvc, options) }
        })
    }),
    of_server(
        "commands-unlimited",
        &VER_03,
        "nvs/versions-old-executable",
        "sends a client the client's own maximum as CCLC",
        |setup| {
            server_with(setup, |rules| {
                rules.versions = |wanted, ssvc, options| Versions { cclc: wanted, ..versions(wanted, ssvc, options) }
            })
        },
    ),
    of_server(
        "compares-longer-numbers",
        &VER_04,
        "nvs/versions-uneven",
        "compares 0.70 from the wire with a longer number, and finds it less",
        |setup| server_with(setup, |rules| rules.tables = uneven_lines_are_newer),
    ),
    of_client(
        "reads-by-longer-numbers",
        &VER_04,
        "nvs/versions-uneven",
        "compares 0.70 from the wire with a longer number, and finds it less",
        |setup| client_with(setup, |rules| rules.tables = uneven_lines_are_newer),
    ),
    of_server("sends-three-decimals", &VER_04, "nvs/limits", "sends versions with a third decimal", |setup| {
        answers(setup, |floats| floats.map(|bits| u64::from((f32::from_bits(bits as u32) + 0.004).to_bits())))
    }),
    of_client("asks-three-decimals", &VER_04, "nvs/limits", "asks for a version with three decimals", |setup| {
        client_says(setup, |packet| asks(packet, &[NVS_REQUEST, b" 0.994\n"].concat()))
    }),
    of_server(
        "version-moves",
        &VER_05,
        "nvs/versions-mid-level",
        "lets QuakeC change the version in mid level",
        |setup| server_with(setup, |rules| rules.mid_level = |_, wanted| wanted),
    ),
    of_server(
        "version-moves-for-newcomers",
        &VER_05,
        "nvs/versions-mid-level-late",
        "lets QuakeC change the version in mid level",
        |setup| server_with(setup, |rules| rules.mid_level = |_, wanted| wanted),
    ),
    of_server(
        "version-unasked",
        &VER_05,
        "nvs/versions-switched-off",
        "takes the version that QuakeC asks for, although that is switched off",
        |setup| server_with(setup, |rules| rules.ssvc = |options| options.progs_version.min(options.server_max)),
    ),
    of_client("asks-after-prespawn", &HS_01, "nvs/limits", "asks for versions when it has said prespawn", |setup| {
        client_says(setup, |packet| {
            packet.replace_text(REQUEST, &[]);
            packet.replace_text(PRESPAWN, &[PRESPAWN, REQUEST].concat());
        })
    }),
    of_client("asks-at-spawn", &HS_01, "nvs/limits", "asks for versions when the sign-on data is there", |setup| {
        client_says(setup, |packet| {
            packet.replace_text(REQUEST, &[]);
            packet.replace_text(SPAWN, &[REQUEST, SPAWN].concat());
        })
    }),
    of_client("asks-for-less", &HS_01, "nvs/limits", "asks for another version than its maximum", |setup| {
        client_says(setup, |packet| asks(packet, &[NVS_REQUEST, b" 0.50\n"].concat()))
    }),
    of_server("answer-swapped", &HS_02, "nvs/limits", "sends CCLC before CSVC", |setup| {
        answers(setup, |[ssvc, csvc, cclc]| [ssvc, cclc, csvc])
    }),
    of_server("answer-big-endian", &HS_02, "nvs/limits", "writes floats with their highest byte first", |setup| {
        answers(setup, |floats| floats.map(|bits| u64::from((bits as u32).swap_bytes())))
    }),
    of_server("answer-of-another-type", &HS_02, "nvs/limits", "answers with an unknown type", |setup| {
        server_says(setup, |packet| {
            let kinds: Vec<_> = packet.fields("extra version").cloned().collect();
            kinds.iter().for_each(|kind| packet.set(kind, 2));
        })
    }),
    of_server("answer-without-ssvc", &HS_02, "nvs/limits", "sends two versions, without the server's", |setup| {
        server_says(setup, |packet| {
            let fields: Vec<_> = packet.fields("ssvc").cloned().collect();
            fields.iter().for_each(|field| packet.cut(field));
        })
    }),
    of_server("answer-late", &HS_02, "nvs/limits", "answers after signonnum 2", |setup| {
        answers_later(setup, |packet| end_of_stage(packet, 2).map(|end| end.end))
    }),
    of_server("answer-unreliable", &HS_02, "nvs/limits", "answers in an unreliable datagram", |setup| {
        answers_later(setup, |packet| {
            let data = packet.fields("svc_clientdata").next();
            data.filter(|_| is_frame(packet)).map(|data| data.start)
        })
    }),
    of_server("answers-never", &HS_02, "nvs/limits", "takes what was asked for, and says nothing", |setup| {
        server_says(setup, |packet| cut_all(packet, "svc_extra_version"))
    }),
    of_server("negative-stored", &HS_04, "nvs/request-negative", "stores a negative version", |setup| {
        server_with(setup, |rules| rules.asked = |argument| argument.map(Version::from_text).ok_or(NVS_REQUEST_USAGE))
    }),
    of_server("bare-stored", &HS_05, "nvs/request-bare", "takes a missing version for 0", |setup| {
        server_with(setup, |rules| rules.asked = |argument| asked(argument.or(Some(b"0"))))
    }),
    of_server(
        "required-of-who-asks",
        &HS_06,
        "nvs/required",
        "compares only clients that request versions with the required version",
        |setup| server_with(setup, |rules| rules.lets_in = |_, _| true),
    ),
    of_server("required-without-a-word", &HS_06, "nvs/required", "disconnects old clients without a print", |setup| {
        server_says(setup, |packet| {
            if packet.fields("svc_disconnect").next().is_some() {
                cut_all(packet, "svc_print");
            }
        })
    }),
    of_server(
        "required-and-kept",
        &HS_06,
        "nvs/required",
        "sends clients below the required version the message, and does not disconnect them",
        |setup| server_says(setup, |packet| cut_all(packet, "svc_disconnect")),
    ),
    of_server("sends-unasked", &HS_07, "nvs/limits", "sends versions to clients that never asked", |setup| {
        answers_everybody(setup)
    }),
    of_client(
        "waits-for-the-answer",
        &HS_07,
        "nvs/plain-server",
        "does not continue the sign-on before it receives versions",
        |setup| {
            client_says(setup, |packet| {
                packet.replace_text(b"\x04prespawn\0", &[]);
            })
        },
    ),
    of_client(
        "assumes-its-maximum",
        &HS_08,
        "nvs/request-negative",
        "uses its maximum until it receives the versions",
        |setup| client_receives(setup, assumes_its_maximum),
    ),
    of_server("changes-in-game", &HS_09, "nvs/request-in-game", "changes versions in the game", |setup| {
        answers_change_in_game(setup)
    }),
    of_client("moves-by-services", &CLC_01, "nvs/versions-switched-off", "writes moves by CSVC", |setup| {
        client_with(setup, |rules| rules.moves = |versions| versions.csvc)
    }),
    of_client("moves-by-maximum", &CLC_01, "nvs/plain-server", "writes moves by its own maximum", |setup| {
        client_with(setup, |rules| rules.moves = |_| Version::NEWEST)
    }),
    of_server("moves-read-by-services", &CLC_02, "nvs/versions-switched-off", "reads moves by CSVC", |setup| {
        server_with(setup, |rules| rules.moves = |versions| versions.csvc)
    }),
    of_server(
        "moves-read-by-executable",
        &CLC_02,
        "nvs/versions-switched-off",
        "reads every client's moves in its newest form",
        |setup| server_with(setup, |rules| rules.moves = |_| Version::NEWEST),
    ),
    of_server(
        "keeps-versions",
        &REQ_01,
        "nvs/level-change",
        "goes by the versions of the level before until it is asked again",
        |setup| server_with(setup, keep_versions),
    )
    .same_bug_as("NVS of 2000-05-01"),
];
