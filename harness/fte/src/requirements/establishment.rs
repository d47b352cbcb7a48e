//! Establishment: handshakes and masks.

use super::section::{BOTH, HACK_ZONE, NETCHAN, NQ, QW};
use super::{NETQUAKE, QUAKEWORLD};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{may, must, must_not, should, should_not};

pub static HS_01: Requirement = must("FTE-HS-01", Client, QW, "wire: first c2s packet")
    .text("QW: open with the connectionless challenge request before connecting.")
    .only(QUAKEWORLD)
    .engines(
        "FTEQW answers a request of 17 bytes, line end included, as QuakeWorld; the 16-byte form without it may get \
         DarkPlaces' reply.",
    );

pub static HS_02: Requirement = must("FTE-HS-02", Server, QW, "wire: parse reply bytes")
    .text("QW: answer with c, decimal challenge, NUL, then binary LE key/value longs.")
    .only(QUAKEWORLD)
    .engines(
        "FTEQW adds pairs of its own (MVD1, FRAG, HUFF, DTLS). All are 8 bytes but `vlen`, which brings its own \
         length.",
    );

pub static HS_03: Requirement = must("FTE-HS-03", Client, QW, "wire")
    .text("QW: connect line carries version, qport, the received challenge and quoted userinfo, newline ended.")
    .only(QUAKEWORLD);

pub static HS_04: Requirement = must("FTE-HS-04", Client, QW, "wire")
    .text("QW: each extension mask is one line after the connect line, with a hexadecimal key and a value.")
    .only(QUAKEWORLD)
    .errata(
        "The specification wants hexadecimal keys and leaves values free; FTEQW writes the fragment size in decimal \
         (E25), which passes.",
    );

pub static HS_05: Requirement = must("FTE-HS-05", Server, QW, "wire: reply after unknown line")
    .text("QW: accept a valid connect with j; extensions lines for unknown keys do not prevent that.")
    .only(QUAKEWORLD)
    .engines(
        "FTEQW skips lines whose first token it does not know, and ignores a repeated connect of a client that it \
         accepted and from which it has received nothing since.",
    );

pub static HS_06: Requirement = must("FTE-HS-06", Both, QW, "wire: no pairs in serverdata, no svc 86")
    .text("Absence of extension data (proxy stripped it) yields a plain session without replacement deltas.")
    .only(QUAKEWORLD)
    .engines("FTEQW asks such a client by `cmd pext`, too, if it shows other signs of being able.");

pub static HS_07: Requirement = must("FTE-HS-07", Server, NQ, "wire: reliable stufftext")
    .text("NQ: after connection stuff the text cmd pext to the client before serverinfo.")
    .only(NETQUAKE)
    .engines(
        "FTEQW may send `cmd protocols` before it, and leaves the question out in loopback and under `sv_listen_nq 1`.",
    );

pub static HS_08: Requirement = must("FTE-HS-08", Client, NQ, "wire: c2s string command")
    .text("NQ: recognise the stuffed text exactly and replace it by pext plus key/value pairs.")
    .only(NETQUAKE);

pub static HS_09: Requirement = must("FTE-HS-09", Client, NQ, "wire: token count even")
    .text("Every extra/private extension is sent as a pair; never a lone token.")
    .only(NETQUAKE);

pub static HS_10: Requirement = must("FTE-HS-10", Client, NQ, "wire")
    .text("Keys in the reply are hexadecimal numbers.")
    .only(NETQUAKE)
    .errata("Engines read decimal keys as well (E25); what a client writes has to be hexadecimal nevertheless.");

pub static HS_11: Requirement =
    must("FTE-HS-11", Server, NQ, "wire: pext 0x1234 \"a b\" 0x32455446 0x8 still negotiates")
        .text("Parse pairs whose value is quoted and contains spaces, and skip unknown keys together with their value.")
        .only(NETQUAKE)
        .engines(
            "FTEQW and QuakeSpasm-Spiked read both halves of a pair in whatever base the prefix says, and skip unknown \
             keys with their values.",
        );

pub static HS_12: Requirement = must_not("FTE-HS-12", Client, NQ, "wire+state: decode under every echoed bit")
    .text("Offer a mask bit for an extension it does not implement (e.g. float coords).")
    .engines(
        "A QuakeSpasm-Spiked client gives up when a bit that it cannot parse is echoed; FTEQW leaves VRINPUTS and \
         LERPTIME, which change other messages, off by default.",
    );

pub static HS_13: Requirement = must("FTE-HS-13", Server, BOTH, "wire bytes")
    .text("serverdata/serverinfo order: svc byte, optional FTE1 pair, optional FTE2 pair, then base protocol long.")
    .errata(
        "More follows the pairs than the specification says: NetQuake's serverinfo has flags with protocol 999 and a \
         game directory with PREDINFO, and an MVD1 pair is possible (E18).",
    );

pub static HS_14: Requirement = must("FTE-HS-14", Client, BOTH, "state: accepts 0,1,2 pairs in either order")
    .text("Read protocol longs in a loop, consuming known pairs until the base protocol value.");

pub static HS_15: Requirement = must("FTE-HS-15", Client, BOTH, "state: disconnect, no desync")
    .text("Stop the loop (refuse) on an unrecognised non-extension protocol value.");

pub static HS_16: Requirement =
    must("FTE-HS-16", Server, BOTH, "wire: ask 0xFFFFFFFF, echo must be a subset of advertised")
        .text("Echoed mask = client's mask AND own support.")
        .errata(
            "FTEQW echoes float coords that were not requested while `sv_bigcoords` is on, as it is by default now \
             (E24). A client has to follow the echo.",
        );

pub static HS_17: Requirement = must("FTE-HS-17", Both, BOTH, "wire: no svc 86/66/21/ack when bit 8 absent")
    .text("Extensions not echoed are not used by either side in that map.");

pub static HS_18: Requirement = must("FTE-HS-18", Both, BOTH, "wire/state across map change")
    .text("The effective set is re-announced and may differ per map.");

pub static HS_19: Requirement = may("FTE-HS-19", Server, BOTH, "wire: disconnect/print")
    .text("Kick a client lacking required extensions, instead of continuing.");

pub static HS_20: Requirement = should("FTE-HS-20", Server, BOTH, "wire: plain session")
    .text("Remain able to serve clients without the extension.");

pub static HS_21: Requirement = must("FTE-HS-21", Both, BOTH, "wire: field sizes")
    .text(
        "Float coords apply only when echoed (server option), and then change coord to float32 and angle to 16 bit \
         everywhere.",
    )
    .errata("FTEQW echoes float coords that were not requested while `sv_bigcoords` is on (E24).");

pub static HS_22: Requirement = must("FTE-HS-22", Both, BOTH, "wire matrix")
    .text("Float-coords and replacement-deltas are otherwise independent; all four combinations work.");

pub static HS_23: Requirement = should("FTE-HS-23", Server, HACK_ZONE, "wire: lists follow unasked")
    .text(
        "QW with the extension: burst sound/model/prespawn data without waiting for list echoes, except the map \
         checksum.",
    )
    .only(QUAKEWORLD)
    .engines(
        "FTEQW waits for the echo of its lists from clients without the extension only, and for the map's checksum \
         from all.",
    );

pub static HS_24: Requirement = must("FTE-HS-24", Client, HACK_ZONE, "state")
    .text("Cope with burst data: keep order, do not reject lists it did not request.")
    .only(QUAKEWORLD);

pub static HS_25: Requirement = must("FTE-HS-25", Client, HACK_ZONE, "state")
    .text("Not depend on vanilla stalls (e.g. pausing for downloads must not lose burst data).")
    .only(QUAKEWORLD)
    .untestable(
        "only a client that stops for downloads can lose what comes meanwhile, and nothing is served here to download",
    );

pub static HS_26: Requirement = should_not("FTE-HS-26", Server, HACK_ZONE, "wire: lists wait for their request")
    .text("QW without the extension: burst lists that the client has not requested.")
    .only(QUAKEWORLD)
    .engines("FTEQW sends the lists to clients without the extension as they ask for them, one part after the other.");

pub static HS_27: Requirement = must("FTE-HS-27", Both, BOTH, "liveness")
    .text(
        "Both ends go on: a client asks to be accepted, takes each step, acknowledges and moves; a server answers each \
         step, and sends frames.",
    )
    .errata(
        "The specification describes the steps, not how long they may take: a second, beside ticks and delays. A server \
         that has nothing new to send may be silent.",
    );

pub static HS_28: Requirement = should("FTE-HS-28", Server, NETCHAN, "state: the client's port changes in mid-session")
    .text(
        "QW: a client is known by its address without the port and by its qport. When its port changes the session goes on, \
         and the server's replies go to the new port.",
    )
    .only(QUAKEWORLD)
    .errata(
        "The specification leaves the transport to QuakeWorld, whose net_chan.c says in its head what the qport is for: \
         address translators that change a client's port in the middle of a game.",
    )
    .engines("QuakeWorld and FTEQW compare address and qport, and take over the port.");

pub(super) const ALL: &[&Requirement] = &[
    &HS_01, &HS_02, &HS_03, &HS_04, &HS_05, &HS_06, &HS_07, &HS_08, &HS_09, &HS_10, &HS_11, &HS_12, &HS_13, &HS_14,
    &HS_15, &HS_16, &HS_17, &HS_18, &HS_19, &HS_20, &HS_21, &HS_22, &HS_23, &HS_24, &HS_25, &HS_26, &HS_27, &HS_28,
];
