//! What is mutated: the machines and the sending halves of the codecs, by protocol.

/// Whose place a mutant takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The server's.
    Server,
    /// Every client's.
    Client,
}

/// What a file is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Server,
    Client,
    /// Both machines.
    Both,
    /// What both machines write with; what reads is left out, since the machines and the dissector share it.
    Codec,
}

impl Part {
    /// With whom its mutants are run.
    pub fn sides(self) -> &'static [Side] {
        match self {
            Part::Server => &[Side::Server],
            Part::Client => &[Side::Client],
            Part::Both | Part::Codec => &[Side::Server, Side::Client],
        }
    }
}

/// A crate of which a mutated copy is made.
#[derive(Debug)]
pub struct Crate {
    /// Its name, and that of its folder.
    pub name: &'static str,
    /// The files that are mutated, below `src`.
    pub files: &'static [(&'static str, Part)],
}

/// A protocol, and the crates that are mutated together for it; the first is its own.
#[derive(Debug)]
pub struct Target {
    /// Its name in the registry.
    pub protocol: &'static str,
    pub crates: &'static [Crate],
}

/// Functions of a codec that read, or that name what was read, by how their names begin.
pub const DECODERS: &[&str] =
    &["read", "decode", "parse", "walk", "lengthen", "inflate", "from_", "name_", "expect", "skip_", "to_save"];

/// Functions without behaviour that anybody could see: names for traces and messages, by how their names end.
pub const NAMES: &[&str] = &["fmt", "name", "cause", "_name"];

/// Functions by which a scenario makes an end misbehave, by a word in their names: that is not judged.
pub const MISBEHAVIOUR: &[&str] = &["nonsense", "Nonsense", "forge", "malformed"];

use Part::*;

/// Every protocol.
pub const TARGETS: &[Target] = &[
    Target {
        protocol: "pygg2",
        crates: &[Crate {
            name: "pygg2",
            files: &[
                ("server.rs", Server),
                ("session.rs", Server),
                ("session/rules.rs", Server),
                ("client.rs", Client),
                ("game.rs", Client),
                ("message.rs", Codec),
                ("complete.rs", Codec),
                ("snapshot.rs", Codec),
                ("state.rs", Both),
                ("ring.rs", Both),
                ("serial.rs", Both),
            ],
        }],
    },
    Target {
        protocol: "nvs",
        crates: &[Crate {
            name: "nvs",
            files: &[
                ("server.rs", Server),
                ("server/calls.rs", Server),
                ("server/sign_on.rs", Server),
                ("session.rs", Server),
                ("session/rules.rs", Server),
                ("preparation.rs", Server),
                ("preparation/rules.rs", Server),
                ("buffers.rs", Server),
                ("call.rs", Server),
                ("client.rs", Client),
                ("game.rs", Client),
                ("game/rules.rs", Client),
                ("state.rs", Both),
                ("tables/mod.rs", Both),
                ("message.rs", Codec),
                ("version.rs", Codec),
            ],
        }],
    },
    Target {
        protocol: "r1q2",
        crates: &[Crate {
            name: "r1q2",
            files: &[
                ("machine/server.rs", Server),
                ("machine/session.rs", Server),
                ("machine/sender.rs", Server),
                ("machine/admission.rs", Server),
                ("machine/download.rs", Server),
                ("machine/world.rs", Server),
                ("machine/client.rs", Client),
                ("machine/game.rs", Client),
                ("machine/movement.rs", Client),
                ("wire/command.rs", Codec),
                ("wire/deflate.rs", Codec),
                ("wire/delta.rs", Codec),
                ("wire/dialect.rs", Codec),
                ("wire/effect.rs", Codec),
                ("wire/entities.rs", Codec),
                ("wire/frame.rs", Codec),
                ("wire/handshake.rs", Codec),
                ("wire/message.rs", Codec),
                ("wire/player.rs", Codec),
                ("wire/service.rs", Codec),
                ("wire/state.rs", Codec),
                ("wire/usercmd.rs", Codec),
            ],
        }],
    },
    Target {
        protocol: "fitz666",
        crates: &[
            Crate {
                name: "fitz666",
                files: &[
                    ("server.rs", Server),
                    ("session.rs", Server),
                    ("session/datagram.rs", Server),
                    ("session/sign_on.rs", Server),
                    ("session/rules.rs", Server),
                    ("thinking.rs", Server),
                    ("client.rs", Client),
                    ("game.rs", Client),
                    ("game/rules.rs", Client),
                    ("state.rs", Both),
                    ("alpha.rs", Codec),
                    ("message.rs", Codec),
                ],
            },
            // The codec of protocol 666.
            Crate {
                name: "netquake",
                files: &[
                    ("clientdata.rs", Codec),
                    ("command.rs", Codec),
                    ("datagram.rs", Codec),
                    ("effect.rs", Codec),
                    ("fitzquake.rs", Codec),
                    ("primitives.rs", Codec),
                    ("serverinfo.rs", Codec),
                    ("service.rs", Codec),
                    ("update.rs", Codec),
                ],
            },
        ],
    },
    Target {
        protocol: "fte",
        crates: &[Crate {
            name: "fte",
            files: &[
                ("server.rs", Server),
                ("session.rs", Server),
                ("session/sign_on.rs", Server),
                ("sender.rs", Server),
                ("sender/optional.rs", Server),
                ("sender/history.rs", Server),
                ("sender/statistic.rs", Server),
                ("pending.rs", Server),
                ("line.rs", Server),
                ("client.rs", Client),
                ("game.rs", Client),
                ("game/sign_on.rs", Client),
                ("state.rs", Both),
                ("dialect.rs", Both),
                ("extensions.rs", Codec),
                ("delta.rs", Codec),
                ("delta/fields.rs", Codec),
                ("delta/foreign.rs", Codec),
                ("message.rs", Codec),
            ],
        }],
    },
];

/// The target of `protocol`.
pub fn target(protocol: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.protocol == protocol)
}
