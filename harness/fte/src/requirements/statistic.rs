//! Statistics under PREDINFO.

use super::section::{NOT_UPDATED, PREDINFO};
use super::{NETQUAKE, must, must_not};
use kit::Requirement;
use kit::Role::{Both, Server};

/// PREDINFO: changed stats are sent with entity frames, unreliable, and re-sent when the frame is lost.
pub static STAT_01: Requirement = must(
    "FTE-STAT-01",
    Server,
    "PREDINFO: changed stats are sent with entity frames, unreliable, and re-sent when the frame is lost.",
    PREDINFO,
    "O2 for stats",
)
.errata("FTEQW does so without PREDINFO as well (E19), which passes.")
.engines(
    "FTEQW logged statistics in another place than the frame until c68cbfec2, and over NetQuake still \
     does. QuakeSpasm-Spiked sends more again than it has to.",
);

/// PREDINFO: depend on svc_clientdata; all its data exists as stats.
pub static STAT_02: Requirement = must_not(
    "FTE-STAT-02",
    Server,
    "PREDINFO: depend on svc_clientdata; all its data exists as stats.",
    PREDINFO,
    "wire",
)
.only(NETQUAKE)
.errata("The document's name for it is that of a client's command; the service is meant (E20).");

/// Resent stats have current values.
pub static STAT_03: Requirement = must("FTE-STAT-03", Server, "Resent stats have current values.", PREDINFO, "T1");

/// Stats in overflowed frames stay pending.
pub static STAT_04: Requirement =
    must("FTE-STAT-04", Server, "Stats in overflowed frames stay pending.", PREDINFO, "many stats at once")
        .engines("FTEQW logs 32 per frame; what is beyond stays pending.");

/// Byte, long, float, string stat forms decode to the same stat.
pub static STAT_05: Requirement =
    must("FTE-STAT-05", Both, "Byte, long, float, string stat forms decode to the same stat.", PREDINFO, "state")
        .engines("FTEQW takes the byte for 0 to 255, the long for other integers, and the float for fractions.");

/// After the client restarts or ~0, stats remain consistent (client keeps, server resends if reset by map).
pub static STAT_06: Requirement = must(
    "FTE-STAT-06",
    Server,
    "After the client restarts or ~0, stats remain consistent (client keeps, server resends if reset by map).",
    PREDINFO,
    "state",
);

/// Without PREDINFO, alter NQ stat limits/format.
pub static STAT_07: Requirement =
    must_not("FTE-STAT-07", Server, "Without PREDINFO, alter NQ stat limits/format.", NOT_UPDATED, "wire")
        .only(NETQUAKE);
