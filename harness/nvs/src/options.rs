//! What a scenario can choose about the two ends.

use crate::version::Version;
use kit::options::option;
use kit::{Chosen, HostId, KnownBy, OptionInfo, Profile, Setup};

/// The profiles, by number.
pub static PROFILES: [Profile; 1] =
    [Profile { name: "nvs", title: "NVS over NetQuake 15", index: 0, udp_port: 26_000, known_by: KnownBy::Port }];

/// How many clients have a maximum of their own; the others share the last one's.
const MAXIMA: usize = 5;

/// No version is greater, in hundredths.
const MAX_VERSION: i32 = 10_000;

/// The options, by number.
pub static OPTIONS: [OptionInfo; 14] = [
    option("tick_us", 50_000, 1_000..=1_000_000, "time between server frames, in microseconds"),
    option("client_tick_us", 50_000, 1_000..=1_000_000, "time between client moves, in microseconds"),
    option("server_max", 99, 0..=10_000, "newest version of the server's executable, in hundredths"),
    option("progs_version", 50, 0..=10_000, "the version that QuakeC asks for while a level spawns, in hundredths"),
    option("svc_enable", 1, 0..=1, "1: QuakeC may ask for a version"),
    option("compatibility", 0, 0..=1, "1: the server is plain (sv_compatibility)"),
    option(
        "required",
        0,
        0..=10_000,
        "clients of a lower maximum are disconnected (nvs_required), in hundredths; a plain server requires none",
    ),
    option("client1_max", 99, -1..=10_000, "newest version of client 1, in hundredths; -1: a plain one"),
    option("client2_max", 99, -1..=10_000, "newest version of client 2, in hundredths; -1: a plain one"),
    option("client3_max", 99, -1..=10_000, "newest version of client 3, in hundredths; -1: a plain one"),
    option("client4_max", 99, -1..=10_000, "newest version of client 4, in hundredths; -1: a plain one"),
    option("client5_max", 99, -1..=10_000, "newest version of client 5 and later ones, in hundredths; -1: a plain one"),
    option("late_request", 0, 0..=1, "1: clients request versions once more, after prespawn"),
    option("ordered", 0, 0..=1, "1: the server keeps the order of calls across ONE and ALL (one list per client)"),
];

/// The options of a run, read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Time between server frames, in microseconds.
    pub tick_us: u64,
    /// Time between client moves, in microseconds.
    pub client_tick_us: u64,
    /// Newest version of the server's executable.
    pub server_max: Version,
    /// What QuakeC asks for while a level spawns.
    pub progs_version: Version,
    /// Whether QuakeC may ask.
    pub svc_enable: bool,
    /// Whether the server is plain.
    pub compatibility: bool,
    /// The least maximum that a client must have.
    pub required: Version,
    /// Whether clients ask once more, after prespawn.
    pub late_request: bool,
    /// Whether the server keeps the order of calls across ONE and ALL.
    pub ordered: bool,
    /// The newest versions of the clients; `None` for plain ones.
    maxima: [Option<Version>; MAXIMA],
}

impl Options {
    /// Reads a setup's options; values out of range are clamped.
    pub fn new(setup: &Setup) -> Options {
        let chosen = Chosen::new(&OPTIONS, setup);
        let version = |name: &str| Version(chosen.value(name).clamp(0, MAX_VERSION.into()) as i32);
        let maximum = |name: &str| (chosen.value(name) >= 0).then(|| version(name));
        Options {
            tick_us: chosen.tick_us("tick_us", 10_000_000),
            client_tick_us: chosen.tick_us("client_tick_us", 10_000_000),
            server_max: version("server_max"),
            progs_version: version("progs_version"),
            svc_enable: chosen.is_on("svc_enable"),
            compatibility: chosen.is_on("compatibility"),
            // A plain server does not know what a client has.
            required: if chosen.is_on("compatibility") { Version::PLAIN } else { version("required") },
            late_request: chosen.is_on("late_request"),
            ordered: chosen.is_on("ordered"),
            maxima: ["client1_max", "client2_max", "client3_max", "client4_max", "client5_max"].map(maximum),
        }
    }

    /// Of a remote server nothing is known until it sends versions: it may be a plain one.
    pub fn of_remote_server(self) -> Options {
        Options {
            server_max: Version(MAX_VERSION),
            progs_version: Version::PLAIN,
            svc_enable: true,
            compatibility: true,
            required: Version::PLAIN,
            ..self
        }
    }

    /// The newest version of a client; `None` for a plain one, which never asks.
    pub fn client_max(&self, client: HostId) -> Option<Version> {
        let index = usize::from(client.0).saturating_sub(1).min(MAXIMA - 1);
        self.maxima[index]
    }

    /// The server's version in a level: what QuakeC asks for as far as the executable goes; 0 if it may not ask.
    pub fn ssvc(&self) -> Version {
        // NVS-VER-01
        if self.svc_enable && !self.compatibility { self.progs_version.min(self.server_max) } else { Version::PLAIN }
    }
}
