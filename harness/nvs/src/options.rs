//! What a scenario can choose about the two ends.

use crate::version::Version;
use kit::{HostId, KnownBy, Profile, options};

/// The profiles, by number.
pub static PROFILES: [Profile; 1] =
    [Profile { name: "nvs", title: "NVS over NetQuake 15", index: 0, udp_port: 26_000, known_by: KnownBy::Port }];

/// How many clients have a maximum of their own; the others share the last one's.
const MAXIMA: usize = 5;

/// No version is greater, in hundredths.
const MAX_VERSION: i32 = 10_000;

options! {
    /// The options of a run, read.
    #[derive(Clone, Copy, Debug)]
    pub struct Options {
        tick_us: u64 = 50_000, 1_000..=1_000_000, "time between server frames, in microseconds";
        client_tick_us: u64 = 50_000, 1_000..=1_000_000,
            "time between client moves, in microseconds";
        server_max: Version => version = 99, 0..=10_000, "newest version of the server's executable, in hundredths";
        progs_version: Version => version = 50, 0..=10_000,
            "the version that QuakeC asks for while a level spawns, in hundredths";
        svc_enable: bool = 1, 0..=1, "1: QuakeC may ask for a version";
        compatibility: bool = 0, 0..=1, "1: the server is plain (sv_compatibility)";
        required = 0, 0..=10_000,
            "clients of a lower maximum are disconnected (nvs_required), in hundredths; a plain server requires none";
        client1_max = 99, -1..=10_000,
            "newest version of client 1, in hundredths; -1: a plain one";
        client2_max = 99, -1..=10_000,
            "newest version of client 2, in hundredths; -1: a plain one";
        client3_max = 99, -1..=10_000,
            "newest version of client 3, in hundredths; -1: a plain one";
        client4_max = 99, -1..=10_000,
            "newest version of client 4, in hundredths; -1: a plain one";
        client5_max = 99, -1..=10_000,
            "newest version of client 5 and later ones, in hundredths; -1: a plain one";
        late_request: bool = 0, 0..=1, "1: clients request versions once more, after prespawn";
        ordered: bool = 0, 0..=1,
            "1: the server keeps the order of calls across ONE and ALL (one list per client)";
    }
    with setup, chosen {
        /// The least maximum that a client must have. A plain server does not know what a client has.
        pub required: Version =
            if chosen.get("compatibility") { Version::PLAIN } else { version(chosen.value("required")) };
        /// The newest versions of the clients; `None` for plain ones.
        maxima: [Option<Version>; MAXIMA] =
            ["client1_max", "client2_max", "client3_max", "client4_max", "client5_max"].map(|name| maximum(chosen.value(name)));
    }
}

/// A version in hundredths.
fn version(hundredths: i64) -> Version {
    Version(hundredths as i32)
}

/// The newest version of a client; `None` for a plain one.
fn maximum(hundredths: i64) -> Option<Version> {
    (hundredths >= 0).then(|| version(hundredths))
}

impl Options {
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
