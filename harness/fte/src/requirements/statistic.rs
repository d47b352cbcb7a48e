//! Statistics under PREDINFO.

use super::NETQUAKE;
use super::section::{NOT_UPDATED, PREDINFO};
use kit::Requirement;
use kit::Role::{Both, Server};
use kit::requirement::{must, must_not};

pub static STAT_01: Requirement = must("FTE-STAT-01", Server, PREDINFO, "O2 for stats")
    .text("PREDINFO: changed stats are sent with entity frames, unreliable, and re-sent when the frame is lost.")
    .errata("FTEQW does so without PREDINFO as well (E19), which passes.")
    .engines(
        "FTEQW logged statistics in another place than the frame until c68cbfec2, and over NetQuake still does. \
         QuakeSpasm-Spiked sends more again than it has to.",
    );

pub static STAT_02: Requirement = must_not("FTE-STAT-02", Server, PREDINFO, "wire")
    .text("PREDINFO: depend on svc_clientdata; health, items, weapon and ammunition travel as statistics.")
    .only(NETQUAKE)
    .errata(
        "The specification's name for it is that of a client's command; the service is meant \
         (E20). The view's height, punch and pitch are statistics of engines without a number in the specification.",
    );

pub static STAT_03: Requirement = must("FTE-STAT-03", Server, PREDINFO, "T1").text("Resent stats have current values.");

pub static STAT_04: Requirement = must("FTE-STAT-04", Server, PREDINFO, "many stats at once")
    .text("Stats in overflowed frames stay pending.")
    .engines("FTEQW logs 32 per frame; what is beyond stays pending.");

pub static STAT_05: Requirement = must("FTE-STAT-05", Both, PREDINFO, "state")
    .text("Byte, long, float, string stat forms decode to the same stat.")
    .engines("FTEQW takes the byte for 0 to 255, the long for other integers, and the float for fractions.");

pub static STAT_06: Requirement = must("FTE-STAT-06", Server, PREDINFO, "state")
    .text("After the client restarts or ~0, stats remain consistent (client keeps, server resends if reset by map).");

pub static STAT_07: Requirement = must_not("FTE-STAT-07", Server, NOT_UPDATED, "wire")
    .text("Without PREDINFO, alter NQ stat limits/format.")
    .only(NETQUAKE);

pub(super) const ALL: &[&Requirement] = &[&STAT_01, &STAT_02, &STAT_03, &STAT_04, &STAT_05, &STAT_06, &STAT_07];
