//! The three versions, the handshake that agrees on them, and what a client writes by them.

use super::section::{HANDSHAKE, OURS, PRACTICE, VERSIONING};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{may, must, should};

pub static VER_01: Requirement = must("NVS-VER-01", Server, HANDSHAKE, "reply, first float")
    .text("SSVC is the lower of what the executable and PROGS.DAT can.");

pub static VER_02: Requirement = must("NVS-VER-02", Server, HANDSHAKE, "reply, second float")
    .text("CSVC is the lower of the client's maximum and SSVC.");

pub static VER_03: Requirement = must("NVS-VER-03", Server, HANDSHAKE, "reply, third float, with SSVC 0")
    .text("CCLC is the lower of the client's maximum and the executable's, whatever SSVC is.");

pub static VER_04: Requirement = must(
    "NVS-VER-04",
    Both,
    HANDSHAKE,
    "text of nvs_request, floats of the reply, form of a table line whose version no float hits",
)
.text("Versions have two decimals at most, and both ends order them alike: as hundredths.")
.errata(
    "The text says nothing of how numbers compare. On the wire they are 32-bit floats; a value further than 0.005 from \
     its hundredth is no version.",
)
.engines(
    "The first implementation compares the float with a double constant at one end: for 0.70 its two ends disagree.",
);

pub static VER_05: Requirement =
    must("NVS-VER-05", Server, PRACTICE, "reply, with NVS off and after a change in mid level")
        .text(
            "SSVC is 0 unless it is switched on and PROGS.DAT sets it while the map's entities spawn; from then on it \
         stands.",
        )
        .decided_by(PRACTICE);

pub static HS_01: Requirement = must("NVS-HS-01", Client, PRACTICE, "order of the commands")
    .text(
        "When a map is announced (signonnum 1), the client reliably sends nvs_request with its maximum, and prespawn after \
         it.",
    )
    .engines("The first implementation sends limit_request between the two; a server need not know it.")
    .decided_by(PRACTICE);

pub static HS_02: Requirement = must("NVS-HS-02", Server, PRACTICE, "reply").text(
    "The answer is svc_extra_version, type 1, and SSVC, CSVC, CCLC as little-endian floats: 14 bytes on the reliable \
     stream, before signonnum 2.",
).decided_by(PRACTICE);

pub static HS_03: Requirement = may("NVS-HS-03", Server, PRACTICE, "reply or none")
    .text(
        "A request may stay without an answer when SSVC and CCLC are 0 and the client has not spawned: it holds zeros \
     already.",
    )
    .decided_by(PRACTICE);

pub static HS_04: Requirement = must("NVS-HS-04", Server, PRACTICE, "form of messages after `nvs_request -1`")
    .text("A negative version is refused, and what was stored before stays.")
    .decided_by(PRACTICE);

pub static HS_05: Requirement = must("NVS-HS-05", Server, PRACTICE, "form of messages after a bare nvs_request")
    .text("A request without a version changes nothing.")
    .decided_by(PRACTICE);

pub static HS_06: Requirement = must("NVS-HS-06", Server, PRACTICE, "text, then svc_disconnect")
    .text("A client below the required version is sent a message that says so and is dropped, also one that never asked: at prespawn.")
    .decided_by(PRACTICE);

pub static HS_07: Requirement = must(
    "NVS-HS-07",
    Both,
    VERSIONING,
    "stream of a client that never asked; sign-on at a server that never answers",
)
.text(
    "An NVS server serves plain clients, and an NVS client plays on a plain server: neither is sent what it did \
             not ask for.",
)
.engines("The client's request reaches an unknowing server as an unknown command, which it ignores.");

pub static HS_08: Requirement = must("NVS-HS-08", Client, PRACTICE, "state between serverinfo and the answer")
    .text("Until it is answered, a client's versions are 0.")
    .decided_by(PRACTICE);

pub static HS_09: Requirement = should("NVS-HS-09", Both, OURS, "reply to a request in the game")
    .text("Versions do not change once the client has spawned.")
    .errata(
        "Nothing forbids it; yet unreliable messages change their form at once, while the answer may have to be sent \
         again (hazard R). The reference answers with unchanged versions.",
    )
    .engines("The first implementation negotiates again at any time.")
    .decided_by(OURS);

pub static CLC_01: Requirement = must("NVS-CLC-01", Client, PRACTICE, "length of clc_move")
    .text("From CCLC 0.50 on, clc_move has three floats for angles, 25 bytes in all; below, three bytes, 16 in all.")
    .decided_by(PRACTICE);

pub static CLC_02: Requirement = must("NVS-CLC-02", Server, PRACTICE, "view angles that the server holds")
    .text("The server reads clc_move in the form of that client's CCLC.")
    .decided_by(PRACTICE);
