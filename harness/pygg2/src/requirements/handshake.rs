//! How a client is admitted.

use super::P1;
use super::section::{HANDSHAKE, OURS};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{must, should};

pub static HS_01: Requirement = must("GG2-HS-01", Client, HANDSHAKE, "hello")
    .text("A hello has the player's name, and the password if there is one.");

pub static HS_02: Requirement =
    must("GG2-HS-02", Client, HANDSHAKE, "lost hellos").text("A hello is repeated until it is answered.");

pub static HS_03: Requirement = must("GG2-HS-03", Server, HANDSHAKE, "hello with a wrong password")
    .text("A client with a wrong password is sent a refusal that says so, and is not accepted.")
    .engines("The program that came of it says nothing.");

pub static HS_04: Requirement = must("GG2-HS-04", Server, HANDSHAKE, "a full server")
    .text("When the server is full, further clients are sent a refusal that says so.")
    .engines("The program that came of it never looks.");

pub static HS_05: Requirement = must("GG2-HS-05", Server, HANDSHAKE, "a wrong password at a full server")
    .text("The password is looked at before the number of players.")
    .decided_by(P1)
    .errata("It is the order in which the concept lists the two; that the order binds is the profile's decision.");

pub static HS_06: Requirement = must("GG2-HS-06", Server, HANDSHAKE, "hi")
    .text("hi has the server's name, the number of players, the map's name and the version.")
    .errata(
        "The number is, by the profile, that of the players without the newcomer, with it, or the most there may be; the \
         version is 1.",
    );

pub static HS_07: Requirement =
    must("GG2-HS-07", Server, HANDSHAKE, "the order of the first events").text("The complete update follows hi.");

pub static HS_08: Requirement = must("GG2-HS-08", Server, HANDSHAKE, "losses of the first packets")
    .text("hi and the complete update are reliable.");

pub static HS_09: Requirement =
    must("GG2-HS-09", Server, OURS, "a lost hi").text("A repeated hello makes no second player.").decided_by(P1);

pub static HS_10: Requirement =
    should("GG2-HS-10", Client, OURS, "after a refusal").text("A client that was refused stops asking.").decided_by(P1);

pub static HS_11: Requirement = must("GG2-HS-11", Both, OURS, "hi")
    .text("hi has the id of the client's player, which the client takes for its own.")
    .decided_by(P1);

pub static HS_12: Requirement = must("GG2-HS-12", Client, OURS, "packets of the session before, after a new hello")
    .text("To a client that asks, a packet without hi or refuse is none of its own.")
    .decided_by(P1);

pub static HS_13: Requirement = must("GG2-HS-13", Client, OURS, "a client that leaves")
    .text("A client that leaves says so in its updates of half a second, and nothing after them.")
    .decided_by(P1);
