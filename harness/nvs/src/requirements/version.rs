//! The three versions, the handshake that agrees on them, and what a client writes by them.

use super::section::{HANDSHAKE, OURS, PRACTICE, VERSIONING};
use super::{may, must, should};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// SSVC is the lower of what the executable and PROGS.DAT can.
pub static VER_01: Requirement = must(
    "NVS-VER-01",
    Server,
    "SSVC is the lower of what the executable and PROGS.DAT can.",
    HANDSHAKE,
    "reply, first float",
);

/// CSVC is the lower of the client's maximum and SSVC.
pub static VER_02: Requirement =
    must("NVS-VER-02", Server, "CSVC is the lower of the client's maximum and SSVC.", HANDSHAKE, "reply, second float");

/// CCLC is the lower of the client's maximum and the executable's, whatever SSVC is.
pub static VER_03: Requirement = must(
    "NVS-VER-03",
    Server,
    "CCLC is the lower of the client's maximum and the executable's, whatever SSVC is.",
    HANDSHAKE,
    "reply, third float, with SSVC 0",
);

/// Versions have two decimals at most, and both ends order them alike: as hundredths.
pub static VER_04: Requirement = must("NVS-VER-04", Both, "Versions have two decimals at most, and both ends order them alike: as hundredths.", HANDSHAKE, "text of nvs_request, floats of the reply, form of a table line whose version no float hits")
.errata("The text says nothing of how numbers compare. On the wire they are 32-bit floats; a value further than 0.005 from its hundredth is no version.")
.engines("The first implementation compares the float with a double constant at one end: for 0.70 its two ends disagree.");

/// SSVC is 0 unless it is switched on and PROGS.DAT sets it while the map's entities spawn; from then on it stands.
pub static VER_05: Requirement = must(
    "NVS-VER-05",
    Server,
    "SSVC is 0 unless it is switched on and PROGS.DAT sets it while the map's entities spawn; from then on it stands.",
    PRACTICE,
    "reply, with NVS off and after a change in mid level",
);

/// When told of a map (signonnum 1), the client reliably sends nvs_request with its maximum, and prespawn after it.
pub static HS_01: Requirement = must(
    "NVS-HS-01",
    Client,
    "When told of a map (signonnum 1), the client reliably sends nvs_request with its maximum, and prespawn after it.",
    PRACTICE,
    "order of the commands",
)
.engines("The first implementation sends limit_request between the two; a server need not know it.");

/// The answer is svc_extra_version, type 1, and SSVC, CSVC, CCLC as little-endian floats: 14 bytes on the reliable stream, before signonnum 2.
pub static HS_02: Requirement = must(
    "NVS-HS-02",
    Server,
    "The answer is svc_extra_version, type 1, and SSVC, CSVC, CCLC as little-endian floats: 14 bytes on the reliable stream, before signonnum 2.",
    PRACTICE,
    "reply",
);

/// A request may stay without an answer when SSVC and CCLC are 0 and the client has not spawned: it holds zeros already.
pub static HS_03: Requirement = may(
    "NVS-HS-03",
    Server,
    "A request may stay without an answer when SSVC and CCLC are 0 and the client has not spawned: it holds zeros already.",
    PRACTICE,
    "reply or none",
);

/// A negative version is refused, and what was stored before stays.
pub static HS_04: Requirement = must(
    "NVS-HS-04",
    Server,
    "A negative version is refused, and what was stored before stays.",
    PRACTICE,
    "form of messages after `nvs_request -1`",
);

/// A request without a version changes nothing.
pub static HS_05: Requirement = must(
    "NVS-HS-05",
    Server,
    "A request without a version changes nothing.",
    PRACTICE,
    "form of messages after a bare nvs_request",
);

/// A client below the required version is told so and dropped, also one that never asked: at prespawn.
pub static HS_06: Requirement = must(
    "NVS-HS-06",
    Server,
    "A client below the required version is told so and dropped, also one that never asked: at prespawn.",
    PRACTICE,
    "text, then svc_disconnect",
);

/// An NVS server serves plain clients, and an NVS client plays on a plain server: neither hears what it did not ask for.
pub static HS_07: Requirement = must("NVS-HS-07", Both, "An NVS server serves plain clients, and an NVS client plays on a plain server: neither hears what it did not ask for.", VERSIONING, "stream of a client that never asked; sign-on at a server that never answers")
.engines("The client's request reaches an unknowing server as an unknown command, which it ignores.");

/// Until it is answered, a client's versions are 0.
pub static HS_08: Requirement = must(
    "NVS-HS-08",
    Client,
    "Until it is answered, a client's versions are 0.",
    PRACTICE,
    "state between serverinfo and the answer",
);

/// Versions do not change once the client has spawned.
pub static HS_09: Requirement = should("NVS-HS-09", Both, "Versions do not change once the client has spawned.", OURS, "reply to a request in the game")
.errata("Nothing forbids it; yet unreliable messages change their form at once, while the answer may have to be sent again (hazard R). The reference answers with unchanged versions.")
.engines("The first implementation agrees anew at any time.");

/// From CCLC 0.50 on, clc_move has three floats for angles, 25 bytes in all; below, three bytes, 16 in all.
pub static CLC_01: Requirement = must(
    "NVS-CLC-01",
    Client,
    "From CCLC 0.50 on, clc_move has three floats for angles, 25 bytes in all; below, three bytes, 16 in all.",
    PRACTICE,
    "length of clc_move",
);

/// The server reads clc_move in the form of that client's CCLC.
pub static CLC_02: Requirement = must(
    "NVS-CLC-02",
    Server,
    "The server reads clc_move in the form of that client's CCLC.",
    PRACTICE,
    "view angles that the server holds",
);
