//! How a client is let in.

use super::section::{HANDSHAKE, OURS};
use super::{P1, must, should};
use kit::Requirement;
use kit::Role::{Client, Server};

/// A hello has the player's name, and the password if there is one.
pub static HS_01: Requirement =
    must("GG2-HS-01", Client, "A hello has the player's name, and the password if there is one.", HANDSHAKE, "hello");

/// A hello is repeated until it is answered.
pub static HS_02: Requirement =
    must("GG2-HS-02", Client, "A hello is repeated until it is answered.", HANDSHAKE, "lost hellos");

/// Whoever has a wrong password is told so, and not let in.
pub static HS_03: Requirement = must(
    "GG2-HS-03",
    Server,
    "Whoever has a wrong password is told so, and not let in.",
    HANDSHAKE,
    "hello with a wrong password",
)
.engines("The program that came of it says nothing.");

/// Where there are as many players as may be, nobody else is let in, and told so.
pub static HS_04: Requirement = must(
    "GG2-HS-04",
    Server,
    "Where there are as many players as may be, nobody else is let in, and told so.",
    HANDSHAKE,
    "a full server",
)
.engines("The program that came of it never looks.");

/// The password is looked at before the number of players.
pub static HS_05: Requirement = must(
    "GG2-HS-05",
    Server,
    "The password is looked at before the number of players.",
    HANDSHAKE,
    "a wrong password at a full server",
)
.decided_by(P1)
.errata("It is the order in which the concept lists the two; that the order binds is the profile's decision.");

/// hi has the server's name, the number of players, the map's name and the version; and the id of the client's player.
pub static HS_06: Requirement = must(
    "GG2-HS-06",
    Server,
    "hi has the server's name, the number of players, the map's name and the version; and the id of the client's player.",
    HANDSHAKE,
    "hi",
)
.errata("The id is the profile's: without it no client finds its own player.");

/// The complete update follows hi.
pub static HS_07: Requirement =
    must("GG2-HS-07", Server, "The complete update follows hi.", HANDSHAKE, "the order of the first events");

/// hi and the complete update are reliable.
pub static HS_08: Requirement =
    must("GG2-HS-08", Server, "hi and the complete update are reliable.", HANDSHAKE, "losses of the first packets");

/// A repeated hello makes no second player.
pub static HS_09: Requirement =
    must("GG2-HS-09", Server, "A repeated hello makes no second player.", OURS, "a lost hi").decided_by(P1);

/// A client that was refused stops asking.
pub static HS_10: Requirement =
    should("GG2-HS-10", Client, "A client that was refused stops asking.", OURS, "after a refusal").decided_by(P1);
