//! Compressed services and files.

use super::section::{ZDOWNLOAD, ZPACKET};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{may, must, must_not, should};

pub static ZPKT_01: Requirement =
    must("R1Q2-ZPKT-01", Both, ZPACKET, "wire: zpackets that are sent; state: what came in them")
        .text(
            "svc_zpacket is service 21: the compressed length and the uncompressed length, a ushort each, and as many \
             compressed bytes as the first length states.",
        )
        .errata(
            "R1Q2's client takes the lengths for signed and refuses those above 32767; Q2PRO refuses uncompressed \
             lengths above 32768 (erratum 7).",
        );

pub static ZPKT_02: Requirement =
    must("R1Q2-ZPKT-02", Both, ZPACKET, "wire: zpackets that are sent; state: what came in them")
        .text("The data is raw deflate: neither header nor checksum, but with an end mark.");

pub static ZPKT_03: Requirement = must("R1Q2-ZPKT-03", Client, ZPACKET, "state: against a session without compression")
    .text("The inflated bytes are services like any, frames included.");

pub static ZPKT_04: Requirement = must("R1Q2-ZPKT-04", Client, ZPACKET, "state: a service after a zpacket")
    .text("After a zpacket the services after it in the same datagram are read.")
    .engines("R1Q2 puts the stufftext of precache after the last zpacket of a sign-on.");

pub static ZPKT_05: Requirement = must("R1Q2-ZPKT-05", Client, ZPACKET, "state: a service after a zpacket")
    .text("A zpacket takes as many bytes of its datagram as its compressed length states.");

pub static ZPKT_06: Requirement =
    should("R1Q2-ZPKT-06", Client, ZPACKET, "events: the client gives up; state: unchanged")
        .text(
            "A zpacket that is cut off, empty, no deflate data or of another length than announced ends the session \
             with an error and changes nothing.",
        )
        .errata("Not in the specification, which trusts its servers.");

pub static ZPKT_07: Requirement = may("R1Q2-ZPKT-07", Client, ZPACKET, "-")
    .text("A zpacket inside a zpacket is not read.")
    .errata("The specification's way of parsing nests to any depth.")
    .engines("Q2PRO refuses it; R1Q2 reads it.");

pub static ZPKT_08: Requirement = must_not("R1Q2-ZPKT-08", Server, ZPACKET, "wire: sessions of protocol 34")
    .text("Send svc_zpacket over protocol 34.");

pub static ZPKT_09: Requirement = should("R1Q2-ZPKT-09", Server, ZPACKET, "wire: zpackets that are sent")
    .text("A zpacket is shorter than what it stands for, its five bytes of header counted.")
    .engines("R1Q2 forgets the header when it compresses a sign-on; Q2PRO counts it.");

pub static ZDL_01: Requirement = must("R1Q2-ZDL-01", Both, ZDOWNLOAD, "wire: blocks that are sent; state: the file")
    .text(
        "svc_zdownload is service 22: the compressed length, a short; the percentage, a byte; the uncompressed length, \
         a ushort; the data.",
    );

pub static ZDL_02: Requirement = must("R1Q2-ZDL-02", Client, ZDOWNLOAD, "state: the file")
    .text("The data is raw deflate, and what it stands for continues the file as a plain block would.");

pub static ZDL_03: Requirement = must("R1Q2-ZDL-03", Client, ZDOWNLOAD, "wire: nextdl")
    .text("A client asks for the next block after a compressed one as after a plain one, until the percentage is 100.");

pub static ZDL_04: Requirement = must("R1Q2-ZDL-04", Client, ZDOWNLOAD, "state: the file")
    .text("Plain and compressed blocks may follow each other in one file.")
    .engines(
        "R1Q2 sends a block plain where compression does not pay; b8012 compresses only for a client that asks with \
         udp-zlib. Q2PRO's server never compresses blocks over protocol 35.",
    );

pub static ZDL_05: Requirement = must("R1Q2-ZDL-05", Both, ZDOWNLOAD, "wire: refusals; state: what follows one")
    .text("Length -1 refuses the file: neither an uncompressed length nor data follow.");
