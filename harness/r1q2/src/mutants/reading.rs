//! Clients that read player states wrongly.

use super::player::exchanged;
use super::wire::frame_of;
use super::{client_receives, of_client};
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::frame::{extra_flags, high_bits};
use kit::{Endpoint, Mutant, Packet, Setup};

/// The extra flags of a frame over protocol 35 that is not in a zpacket, and its other flags.
fn flags(packet: &Packet<'_>) -> Option<(u8, u64)> {
    let [command, _, suppress] = frame_of(packet)?;
    let ps = packet.fields("PS flags").find(|span| span.start >= suppress.end)?;
    Some((extra_flags(packet.value(command) as u8, packet.value(suppress) as u8), packet.value(ps)))
}

/// Gives a frame other extra flags.
fn set_extra(packet: &mut Packet<'_>, flags: u8) {
    let Some([command, _, suppress]) = frame_of(packet) else { return };
    let count = packet.value(suppress) as u8 & 0xf;
    packet.set(command, (SVC_FRAME | high_bits(flags)).into());
    packet.set(suppress, (count | flags << 4).into());
}

/// A client that takes what an extra flag stands for only with a flag of the player state, and passes over it otherwise.
fn only_with(setup: &Setup, ps: u64, eps: u8, fields: &'static [&'static str]) -> Box<dyn Endpoint> {
    client_receives(setup, move |packet| {
        let alone = flags(packet).filter(|(extra, with)| extra & eps != 0 && with & ps == 0);
        let Some((extra, _)) = alone else { return };
        set_extra(packet, extra & !eps);
        for field in fields {
            packet.fields(field).for_each(|span| packet.cut(span));
        }
    })
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_client(
        "reads-weapon-flags-exchanged",
        &PS_01,
        "r1q2/player",
        "takes the flags of the weapon's offset and angles for each other",
        |setup| {
            client_receives(setup, |packet| {
                if let Some((extra, _)) = flags(packet) {
                    set_extra(packet, exchanged(extra));
                }
            })
        },
    ),
    of_client("reads-height-with-place", &PS_02, "r1q2/player", "skips a height without x and y", |setup| {
        only_with(setup, PS_M_ORIGIN, EPS_PMOVE_ORIGIN2, &["pm_origin[2]"])
    }),
    of_client("reads-fall-with-velocity", &PS_03, "r1q2/player", "skips a fall without x and y", |setup| {
        only_with(setup, PS_M_VELOCITY, EPS_PMOVE_VELOCITY2, &["pm_velocity[2]"])
    }),
    of_client("reads-roll-with-angles", &PS_04, "r1q2/player", "skips roll without pitch and yaw", |setup| {
        only_with(setup, PS_VIEWANGLES, EPS_VIEWANGLE2, &["viewangles[2]"])
    }),
    of_client(
        "reads-offset-with-frame",
        &PS_05,
        "r1q2/player",
        "skips the weapon's offset without its frame",
        |setup| only_with(setup, PS_WEAPONFRAME, EPS_GUNOFFSET, &["gunoffset[0]", "gunoffset[1]", "gunoffset[2]"]),
    ),
    of_client(
        "no-statistics-are-zero",
        &PS_06,
        "r1q2/player",
        "takes statistics that are not sent for zeroes",
        |setup| {
            client_receives(setup, |packet| {
                let Some((extra, _)) = flags(packet).filter(|(extra, _)| extra & EPS_STATS == 0) else { return };
                set_extra(packet, extra | EPS_STATS);
                if let Some(state) = packet.fields("player state").next() {
                    packet.replace(state.end..state.end, &[[0xff; 4].as_slice(), &[0; 2 * MAX_STATS]].concat());
                }
            })
        },
    ),
    of_client("no-height-over-34", &PS_07, "r1q2/player", "takes no height over protocol 34", |setup| {
        client_receives(setup, |packet| {
            if packet.fields("svc_playerinfo").next().is_some() {
                packet.fields("pm_origin[2]").for_each(|span| packet.set(span, 0));
            }
        })
    }),
];
