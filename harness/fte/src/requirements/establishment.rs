//! Establishment: handshakes and masks.

use super::section::{BOTH, HACK_ZONE, NQ, QW};
use super::{NETQUAKE, QUAKEWORLD, may, must, must_not, should};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// QW: open with the connectionless challenge request before connecting.
pub static HS_01: Requirement = must(
    "FTE-HS-01",
    Client,
    "QW: open with the connectionless challenge request before connecting.",
    QW,
    "wire: first c2s packet",
)
.only(QUAKEWORLD)
.engines(
    "FTEQW answers a request of 17 bytes, line end included, as QuakeWorld; the 16-byte form without it \
     may get DarkPlaces' reply.",
);

/// QW: answer with c, decimal challenge, NUL, then binary LE key/value longs.
pub static HS_02: Requirement = must(
    "FTE-HS-02",
    Server,
    "QW: answer with c, decimal challenge, NUL, then binary LE key/value longs.",
    QW,
    "wire: parse reply bytes",
)
.only(QUAKEWORLD)
.engines(
    "FTEQW adds pairs of its own (MVD1, FRAG, HUFF, DTLS). All are 8 bytes but `vlen`, which brings its \
     own length.",
);

/// QW: connect line carries version, qport, the received challenge and quoted userinfo, newline ended.
pub static HS_03: Requirement = must(
    "FTE-HS-03",
    Client,
    "QW: connect line carries version, qport, the received challenge and quoted userinfo, newline ended.",
    QW,
    "wire",
)
.only(QUAKEWORLD);

/// QW: each extension mask is one key value line after the connect line, numeric with 0x prefix allowed.
pub static HS_04: Requirement = must(
    "FTE-HS-04",
    Client,
    "QW: each extension mask is one key value line after the connect line, numeric with 0x prefix allowed.",
    QW,
    "wire",
)
.only(QUAKEWORLD)
.errata(
    "The document wants hexadecimal keys and leaves values free; FTEQW writes the fragment size in \
     decimal (E25), which passes.",
);

/// QW: accept a valid connect with j; extensions lines for unknown keys do not prevent that.
pub static HS_05: Requirement = must(
    "FTE-HS-05",
    Server,
    "QW: accept a valid connect with j; extensions lines for unknown keys do not prevent that.",
    QW,
    "wire: reply after unknown line",
)
.only(QUAKEWORLD)
.engines(
    "FTEQW skips lines whose first token it does not know, and answers a repeated connect of the same \
     address once more.",
);

/// Absence of extension data (proxy stripped it) yields a plain session without replacement deltas.
pub static HS_06: Requirement = must(
    "FTE-HS-06",
    Both,
    "Absence of extension data (proxy stripped it) yields a plain session without replacement deltas.",
    QW,
    "wire: no pairs in serverdata, no svc 86",
)
.only(QUAKEWORLD)
.engines("FTEQW asks such a client by `cmd pext`, too, if it shows other signs of being able.");

/// NQ: after connection stuff the text cmd pext to the client before serverinfo.
pub static HS_07: Requirement = must(
    "FTE-HS-07",
    Server,
    "NQ: after connection stuff the text cmd pext to the client before serverinfo.",
    NQ,
    "wire: reliable stufftext",
)
.only(NETQUAKE)
.engines(
    "FTEQW may send `cmd protocols` before it, and leaves the question out in loopback and under \
     `sv_listen_nq 1`.",
);

/// NQ: recognise the stuffed text exactly and replace it by pext plus key/value pairs.
pub static HS_08: Requirement = must(
    "FTE-HS-08",
    Client,
    "NQ: recognise the stuffed text exactly and replace it by pext plus key/value pairs.",
    NQ,
    "wire: c2s string command",
)
.only(NETQUAKE);

/// Every extra/private extension is sent as a pair; never a lone token.
pub static HS_09: Requirement = must(
    "FTE-HS-09",
    Client,
    "Every extra/private extension is sent as a pair; never a lone token.",
    NQ,
    "wire: token count even",
)
.only(NETQUAKE);

/// Keys in the reply are hexadecimal numbers.
pub static HS_10: Requirement = must("FTE-HS-10", Client, "Keys in the reply are hexadecimal numbers.", NQ, "wire")
    .only(NETQUAKE)
    .errata("Engines read decimal keys as well (E25); what a client writes has to be hexadecimal all the same.");

/// Parse pairs whose value is quoted and contains spaces, and skip unknown keys together with their value.
pub static HS_11: Requirement = must(
    "FTE-HS-11",
    Server,
    "Parse pairs whose value is quoted and contains spaces, and skip unknown keys together with their value.",
    NQ,
    "wire: pext 0x1234 \"a b\" 0x32455446 0x8 still negotiates",
)
.only(NETQUAKE)
.engines(
    "FTEQW and QuakeSpasm-Spiked read both halves of a pair in whatever base the prefix says, and skip \
     unknown keys with their values.",
);

/// Offer a mask bit for an extension it does not implement (e.g. float coords).
pub static HS_12: Requirement = must_not(
    "FTE-HS-12",
    Client,
    "Offer a mask bit for an extension it does not implement (e.g. float coords).",
    NQ,
    "wire+state: decode under every echoed bit",
)
.engines(
    "A QuakeSpasm-Spiked client gives up when a bit that it cannot parse is echoed; FTEQW leaves VRINPUTS \
     and LERPTIME, which change other messages, off by default.",
);

/// serverdata/serverinfo order: svc byte, optional FTE1 pair, optional FTE2 pair, then base protocol long.
pub static HS_13: Requirement = must(
    "FTE-HS-13",
    Server,
    "serverdata/serverinfo order: svc byte, optional FTE1 pair, optional FTE2 pair, then base protocol long.",
    BOTH,
    "wire bytes",
)
.errata(
    "More follows the pairs than the document says: NetQuake's serverinfo has flags with protocol 999 and \
     a game directory with PREDINFO, and an MVD1 pair is possible (E18).",
);

/// Read protocol longs in a loop, consuming known pairs until the base protocol value.
pub static HS_14: Requirement = must(
    "FTE-HS-14",
    Client,
    "Read protocol longs in a loop, consuming known pairs until the base protocol value.",
    BOTH,
    "state: accepts 0,1,2 pairs in either order",
);

/// Stop the loop (refuse) on an unrecognised non-extension protocol value.
pub static HS_15: Requirement = must(
    "FTE-HS-15",
    Client,
    "Stop the loop (refuse) on an unrecognised non-extension protocol value.",
    BOTH,
    "state: disconnect, no desync",
);

/// Echoed mask = client's mask AND own support.
pub static HS_16: Requirement = must(
    "FTE-HS-16",
    Server,
    "Echoed mask = client's mask AND own support.",
    BOTH,
    "wire: ask 0xFFFFFFFF, echo must be a subset of advertised",
)
.errata(
    "FTEQW echoes float coords that nobody asked for while `sv_bigcoords` is on, as it is by default now \
     (E24). A client has to follow the echo.",
);

/// Extensions not echoed are not used by either side in that map.
pub static HS_17: Requirement = must(
    "FTE-HS-17",
    Both,
    "Extensions not echoed are not used by either side in that map.",
    BOTH,
    "wire: no svc 86/66/21/ack when bit 8 absent",
);

/// The effective set is re-announced and may differ per map.
pub static HS_18: Requirement = must(
    "FTE-HS-18",
    Both,
    "The effective set is re-announced and may differ per map.",
    BOTH,
    "wire/state across map change",
);

/// Kick a client lacking required extensions, instead of continuing.
pub static HS_19: Requirement = may(
    "FTE-HS-19",
    Server,
    "Kick a client lacking required extensions, instead of continuing.",
    BOTH,
    "wire: disconnect/print",
);

/// Remain able to serve clients without the extension.
pub static HS_20: Requirement =
    should("FTE-HS-20", Server, "Remain able to serve clients without the extension.", BOTH, "wire: plain session");

/// Float coords apply only when echoed (server option), and then change coord to float32 and angle to 16 bit everywhere.
pub static HS_21: Requirement = must(
    "FTE-HS-21",
    Both,
    "Float coords apply only when echoed (server option), and then change coord to float32 and angle to 16 bit everywhere.",
    BOTH,
    "wire: field sizes",
)
.errata("FTEQW echoes float coords that nobody asked for while `sv_bigcoords` is on (E24).");

/// Float-coords and replacement-deltas are otherwise independent; all four combinations work.
pub static HS_22: Requirement = must(
    "FTE-HS-22",
    Both,
    "Float-coords and replacement-deltas are otherwise independent; all four combinations work.",
    BOTH,
    "wire matrix",
);

/// QW with the extension: burst sound/model/prespawn data without waiting for list echoes, except the map checksum.
pub static HS_23: Requirement = should(
    "FTE-HS-23",
    Server,
    "QW with the extension: burst sound/model/prespawn data without waiting for list echoes, except the map checksum.",
    HACK_ZONE,
    "wire: lists follow unasked",
)
.only(QUAKEWORLD)
.engines(
    "FTEQW waits for the echo of its lists from clients without the extension only, and for the map's \
     checksum from all.",
);

/// Cope with burst data: keep order, do not reject lists it did not request.
pub static HS_24: Requirement = must(
    "FTE-HS-24",
    Client,
    "Cope with burst data: keep order, do not reject lists it did not request.",
    HACK_ZONE,
    "state",
)
.only(QUAKEWORLD);

/// Not depend on vanilla stalls (e.g. pausing for downloads must not lose burst data).
pub static HS_25: Requirement = must(
    "FTE-HS-25",
    Client,
    "Not depend on vanilla stalls (e.g. pausing for downloads must not lose burst data).",
    HACK_ZONE,
    "state",
)
.only(QUAKEWORLD)
.untestable(
    "only a client that stops for downloads can lose what comes meanwhile, and nothing is served here to download",
);
