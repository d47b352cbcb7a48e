//! NVS, the Network Versioning System: NetQuake's protocol 15 whose messages have versions, so that one server serves
//! old and new clients at once.
//!
//! Reading order: [`constants`], [`version`] (what is negotiated), [`tables`] (which messages have versions, as data),
//! [`call`] (what a mod or the engine asks to be sent), [`preparation`] (who gets which writes of a message: the heart
//! of the protocol) and [`buffers`], [`session`] and [`server`], [`game`] and [`client`]. Around them: [`message`] (how
//! messages are read), [`dissector`] and [`oracle`] (reading along and judging).

pub mod buffers;
pub mod call;
pub mod client;
pub mod constants;
pub mod dissector;
pub mod game;
pub mod liberties;
pub mod message;
pub mod mutants;
pub mod options;
pub mod oracle;
pub mod preparation;
pub mod requirements;
pub mod rules;
pub mod server;
pub mod session;
pub mod state;
pub mod tables;
pub mod variants;
pub mod version;

use kit::protocol::TextInfo;
use kit::{Protocol, Verb};
use rules::Rules;

/// Verb of the server, QuakeC: prepares a message (the builtin that NVS adds).
pub const VERB_QC_INIT: usize = 0;
/// Verb of the server, QuakeC: one of the ordinary Write builtins.
pub const VERB_QC_WRITE: usize = 1;
/// Verb of the server, engine: turns a client's view.
pub const VERB_SET_ANGLE: usize = 2;
/// Verb of the server, engine: a burst of particles.
pub const VERB_PARTICLE: usize = 3;
/// Verb of the server, QuakeC: an explosion.
pub const VERB_EXPLOSION: usize = 4;
/// Verb of the server: a numbered print, which no table lists.
pub const VERB_PRINT: usize = 5;
/// Verb of the server, engine: a client is hurt.
pub const VERB_DAMAGE: usize = 6;
/// Verb of the server, engine: an unlisted message, unreliable, to one client.
pub const VERB_BROADCAST_ONE: usize = 7;
/// Verb of the server: QuakeC tries to change the server's version in mid level.
pub const VERB_SET_VERSION: usize = 8;
/// Verb of a client: asks for versions.
pub const VERB_REQUEST: usize = 9;
/// Verb of a client: asks for versions, and leaves the argument out.
pub const VERB_REQUEST_BARE: usize = 10;
/// Verb of a client: looks elsewhere.
pub const VERB_LOOK: usize = 11;
/// Verb of a client: asks for the server's limits.
pub const VERB_LIMIT: usize = 12;

/// The protocol's own verbs, by number.
///
/// Calls of the server queue up, and are executed in order at the physics step of its next frame.
pub static VERBS: [Verb; 13] = [
    Verb {
        name: "qc_init",
        args: &["dest", "svc", "sub", "client"],
        help: "to the server, QuakeC: prepare a message; dest 0 BROADCAST, 1 ONE, 2 ALL, 3 INIT; client 0 for all",
    },
    Verb {
        name: "qc_write",
        args: &["kind", "dest", "value", "client"],
        help: "to the server, QuakeC: write 0 byte, 1 char, 2 short, 3 long, 4 float (value/1000), 5 coord (value/8), \
               6 angle (value/100 degrees), 7 the string \"text <value>\", 8 entity",
    },
    Verb {
        name: "set_angle",
        args: &["client", "pitch", "yaw", "roll"],
        help: "to the server: turn a client's view, in hundredths of a degree; before its spawn, in the reply to that",
    },
    Verb {
        name: "particle",
        args: &["entity", "count", "color", "up"],
        help: "to the server, engine: broadcast particles from an entity, that go up by so many hundredths",
    },
    Verb {
        name: "explosion",
        args: &["entity", "color", "client"],
        help: "to the server, QuakeC: broadcast an explosion at an entity; color is four bytes, red lowest, in eighths",
    },
    Verb {
        name: "print",
        args: &["dest", "client", "number"],
        help: "to the server, QuakeC: print \"line <number>\" to dest (0 BROADCAST, 1 ONE, 2 ALL, 3 INIT)",
    },
    Verb { name: "damage", args: &["client", "armor", "blood"], help: "to the server, engine: a client is hurt" },
    Verb {
        name: "broadcast_one",
        args: &["client", "number"],
        help: "to the server, engine: print \"line <number>\" to one client, unreliably",
    },
    Verb {
        name: "set_version",
        args: &["hundredths"],
        help: "to the server, QuakeC: try to change the server's version in mid level, which must have no effect",
    },
    Verb { name: "request", args: &["hundredths"], help: "to a client: send nvs_request now, with this maximum" },
    Verb { name: "request_bare", args: &[], help: "to a client: send nvs_request now, without its argument" },
    Verb {
        name: "look",
        args: &["pitch", "yaw", "roll"],
        help: "to a client: look there from now on, in hundredths of a degree",
    },
    Verb { name: "limit", args: &[], help: "to a client: send limit_request now" },
];

/// Note of an endpoint: an instruction made no sense to it.
pub const COMMAND_IGNORED: &str = "command ignored";
/// Note of the server: the version that QuakeC's world entity shows, in hundredths, when it changes.
pub const WORLD_SVC: &str = "world nvs_svc";
/// Note of the server: the version that QuakeC's entity of a player shows, when it changes: `client << 32 | hundredths`.
pub const PLAYER_SVC: &str = "player nvs_svc";
/// Notes of the server: a view angle that a client's move changed: `client << 32 | the bits of an f32`.
pub const VIEW_ANGLES: [&str; 3] = ["view pitch", "view yaw", "view roll"];
/// Note of the server: bytes did not fit into a buffer; the number of the buffer's client, 0 for a common one.
pub const OVERFLOW: &str = "overflow";

/// Note of the server: a BROADCAST that a table lists had room in a client's unreliable buffer:
/// `client << 32 | the bytes in it before`.
pub const BROADCAST_FITS: &str = "broadcast fits";
/// Note of the server: such a BROADCAST had no room, and that client does without; the number is as for
/// [`BROADCAST_FITS`].
pub const BROADCAST_DROPPED: &str = "broadcast dropped";

/// Note of a client: the server's version, in hundredths, when it is told.
pub const TOLD_SSVC: &str = "ssvc";
/// Note of a client: its version of services, in hundredths, when it is told.
pub const TOLD_CSVC: &str = "csvc";
/// Note of a client: its version of commands, in hundredths, when it is told.
pub const TOLD_CCLC: &str = "cclc";
/// Note of a client: the limits that it was told: `edicts | statics << 16 | temporaries << 32`.
pub const TOLD_LIMITS: &str = "limit";
/// Notes of a client: its view was turned; the bits of an `f32` each.
pub const SET_ANGLES: [&str; 3] = ["set angle pitch", "set angle yaw", "set angle roll"];
/// Note of a client: how many explosions it has seen in this connection.
pub const EXPLOSION: &str = "explosion";
/// Note of a client: where the explosion was: `x | y << 16 | z << 32`, each the low 16 bits of eighths of a unit.
pub const EXPLOSION_ORIGIN: &str = "explosion origin";
/// Note of a client: the explosion's colour, if it came: red, green, blue, alpha, 16 bits each, red lowest, in eighths.
pub const EXPLOSION_COLOR: &str = "explosion color";
/// Note of a client: how many bursts of particles it has seen in this connection.
pub const PARTICLES: &str = "particles";
/// Note of a client: where the burst was, as [`EXPLOSION_ORIGIN`].
pub const PARTICLES_ORIGIN: &str = "particles origin";
/// Note of a client: what the burst looks like: direction x, y, z, count, colour, 8 bits each, x lowest.
pub const PARTICLES_LOOK: &str = "particles look";
/// Note of a client: another temporary entity than an explosion; its number.
pub const TEMP_ENTITY: &str = "temp entity";
/// Note of a client: it was hurt: `armor | blood << 8`.
pub const DAMAGE: &str = "damage";
/// Note of a client: a message that a table lists and that has no note of its own: `service << 8 | sub`.
pub const LISTED: &str = "listed message";
/// Note of a client: a value of such a message, in the order of the message: the bits of an `f32` for floats, coords and
/// angles, a number otherwise, the length of a string.
pub const LISTED_VALUE: &str = "listed value";
/// Note of a client: another message of the game's than those above, and no part of the sign-on; its service number.
pub const SERVICE: &str = "service";

/// Statistic of a view: the server's version, in hundredths; at the server, what QuakeC's world entity shows.
pub const STAT_SSVC: u8 = 200;
/// Statistic of a client's view: its version of services, in hundredths.
pub const STAT_CSVC: u8 = 201;
/// Statistic of a client's view: its version of commands, in hundredths.
pub const STAT_CCLC: u8 = 202;
/// Statistic of a client's view: pitch; yaw and roll follow. Floats, in degrees.
pub const STAT_ANGLES: u8 = 203;

/// NVS.
pub static PROTOCOL: Protocol = Protocol {
    name: "nvs",
    title: "Network Versioning System over NetQuake 15",
    profiles: &options::PROFILES,
    fields: &state::FIELD_TABLE,
    verbs: &VERBS,
    options: &options::OPTIONS,
    texts: &[TextInfo {
        name: tables::TEXT_NAME,
        default: tables::RELEASED,
        help: "the messages that have versions; the form is that of harness/nvs/src/tables/default.txt",
        check: |text| tables::Tables::parse(text).map(drop),
    }],
    marks: &dissector::MARKS,
    requirements: requirements::REQUIREMENTS,
    checks: oracle::checks::CHECKS,
    points: oracle::coverage::Point::NAMES,
    misbehaviour: &[],
    notes: &[],
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    server: |setup| Box::new(server::Server::new(setup, Rules::REFERENCE)),
    client: |setup| Box::new(client::Client::new(setup, Rules::REFERENCE)),
    oracle: oracle::oracle,
    dissector: |setup| Box::new(dissector::NvsDissector::new(setup)),
};
