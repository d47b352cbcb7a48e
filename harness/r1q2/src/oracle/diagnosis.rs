//! Which requirements fit the evidence of a failure, best first. That something is wrong was decided elsewhere; nothing
//! here decides that, or changes anything.

use super::compare::{Mismatch, Sent};
use super::model::{Frame, FrameHead, Message};
use super::session::{ConnectSeen, Session, Taken};
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::frame::{MAX_SUPPRESS, high_bits};
use crate::wire::state::*;
use kit::{DecodeError, ErrorKind, Requirement, Suspects};
use netchan::{HEADER_BYTES, Qport};

/// What the command byte is called by readers.
const COMMAND_BYTE: &str = "svc";

/// A server that does not read what a client sends.
pub fn commands_unread(connect: &ConnectSeen) -> Suspects {
    Suspects::from(if connect.is_unnumbered() { &QPORT_04 } else { &QPORT_02 })
}

/// A client whose number is not as its connect says.
pub fn number_differs(qport: Qport, fell_back: bool, dialect: &Dialect) -> Suspects {
    Suspects::from(match qport {
        _ if fell_back => &SD_04,
        Qport::Absent => &QPORT_03,
        Qport::Byte(_) if dialect.is_r1q2() => &QPORT_08,
        _ => &GEN_02,
    })
}

/// A client whose datagrams make no sense after a number of the size that its connect asks for.
pub fn commands_unreadable(qport: Qport, fell_back: bool) -> Suspects {
    Suspects::from(match qport {
        Qport::Absent => &QPORT_03,
        Qport::Byte(_) => &QPORT_01,
        Qport::Short(_) if fell_back => &SD_04,
        Qport::Short(_) => &GEN_02,
    })
    .or(&GEN_02)
}

/// A client that does not acknowledge the datagram that it took last.
pub fn datagram_lost(session: &Session) -> Suspects {
    let long = session.last_taken.bytes > MAX_MSGLEN_ORIGINAL && session.delivered_dialect.is_r1q2();
    Suspects::from(if long { &LEN_01 } else { &GEN_02 })
}

/// Services that cannot be read.
pub struct Unreadable<'a> {
    /// The dialect.
    pub dialect: Dialect,
    /// The service that cannot be read, or with which the message begins that cannot.
    pub service: Option<u8>,
    /// The message before it.
    pub before: Option<&'a Message>,
    /// The frame that began first, if one did.
    pub frame: Option<FrameHead>,
    /// What cannot be read.
    pub error: &'a DecodeError,
}

/// A server that sends services that cannot be read.
pub fn unreadable(evidence: &Unreadable<'_>) -> Suspects {
    if !evidence.dialect.is_r1q2() {
        return unreadable_original(evidence);
    }
    if let Some(head) = &evidence.frame {
        return misplaced(head).unwrap_or_else(|| unreadable_frame(head, evidence.error));
    }
    match (evidence.service.map(|byte| byte & SVC_MASK), evidence.before) {
        (Some(SVC_FRAME), _) => Suspects::from(&FRM_07).or(&FRM_10),
        (Some(SVC_ZPACKET), _) if matches!(evidence.error.kind, ErrorKind::Forbidden { .. }) => {
            Suspects::from(&ZPKT_02).or(&ZPKT_01)
        }
        (Some(SVC_ZPACKET), _) | (_, Some(Message::Zpacket(..))) => Suspects::from(&ZPKT_01),
        (Some(SVC_ZDOWNLOAD), _) => Suspects::from(&ZDL_01),
        (_, Some(Message::Block(None, ..))) => Suspects::from(&ZDL_05),
        (_, Some(Message::Block(..))) => Suspects::from(&ZDL_01),
        (_, Some(Message::ServerData { .. })) => Suspects::from(&SD_01),
        _ => Suspects::from(&GEN_02),
    }
}

fn unreadable_original(evidence: &Unreadable<'_>) -> Suspects {
    Suspects::from(match (evidence.service, evidence.before) {
        (Some(SVC_ZPACKET), _) => &ZPKT_08,
        (_, Some(Message::ServerData { .. })) => &SD_05,
        (Some(SVC_FRAME), _) => match evidence.error.field {
            "svc_playerinfo" => &FRM_08,
            "svc_packetentities" => &FRM_09,
            _ => &PS_07,
        },
        _ => &GEN_02,
    })
}

/// Whether more frames were held back before one than its count has bits for: the rest may stand in the flags.
fn runs_over(head: &FrameHead) -> bool {
    head.before.is_some_and(|before| i64::from(head.number) - i64::from(before) > i64::from(MAX_SUPPRESS) + 1)
}

/// An entry of a frame is not one that can stand there: a count of frames held back that has run over may be why.
pub fn entry_is_odd(frame: &Frame) -> Suspects {
    let gap = frame.before.map_or(0, |before| i64::from(frame.number) - i64::from(before));
    Suspects::from(&GEN_02).or_if(gap > i64::from(MAX_SUPPRESS) + 1, &FRM_05)
}

/// A frame over protocol 35 of which something is where protocol 34 has it, or that counts more frames than there were.
fn misplaced(head: &FrameHead) -> Option<Suspects> {
    let gap = head.before.map_or(i64::MAX, |before| i64::from(head.number) - i64::from(before) - 1);
    let ps = head.flags.ps as u8;
    if i64::from(head.suppress) > gap.max(0) || runs_over(head) {
        Some(Suspects::from(&FRM_05).or(&FRM_10))
    } else if head.first_of_entities.is_some() && ps == SVC_PLAYERINFO {
        Some(Suspects::from(&FRM_08).or(&PS_08))
    } else if head.first_of_entities == Some(SVC_PACKETENTITIES) {
        Some(Suspects::from(&FRM_09).or(&PS_08))
    } else {
        None
    }
}

/// The parts that protocol 35 splits off, each with the flag of the whole.
static SPLIT: [(u64, u8, &Requirement); 4] = [
    (PS_M_ORIGIN, EPS_PMOVE_ORIGIN2, &PS_02),
    (PS_M_VELOCITY, EPS_PMOVE_VELOCITY2, &PS_03),
    (PS_VIEWANGLES, EPS_VIEWANGLE2, &PS_04),
    (PS_WEAPONFRAME, EPS_GUNOFFSET, &PS_05),
];

/// A frame over protocol 35 that is not as long as its flags say: what comes with a part that is not split off, what
/// comes without a flag, or flags in the wrong place.
fn unreadable_frame(head: &FrameHead, error: &DecodeError) -> Suspects {
    if error.field == "extraflags" {
        return Suspects::from(&FRM_07).or(&FRM_05);
    }
    let (ps, eps) = (u64::from(head.flags.ps), head.flags.eps);
    let mut suspects = None;
    let mut suspect = |requirement: &'static Requirement| {
        suspects = Some(suspects.map_or(Suspects::from(requirement), |found: Suspects| found.or(requirement)));
    };
    if high_bits(eps) != 0 && eps & EPS_STATS == 0 {
        suspect(&FRM_07);
    }
    for (whole, part, requirement) in SPLIT {
        // It may have come with the whole, and not with its flag.
        if (ps & whole != 0) != (eps & part != 0) {
            suspect(requirement);
        }
    }
    if eps & EPS_STATS == 0 {
        suspect(&PS_06);
    }
    suspect(&PS_08);
    suspects.unwrap_or(Suspects::from(&PS_08))
}

/// A server that sends a frame that is not of the world. `wrong` is not empty.
pub fn frame_differs(sent: &Sent<'_>, head: Option<FrameHead>, wrong: &[Mismatch], port_alone: bool) -> Suspects {
    let Sent { frame, base, dialect, .. } = *sent;
    let field = |mismatch: &Mismatch| match mismatch {
        Mismatch::Player(field, _) => Some(*field),
        _ => None,
    };
    let fields: Vec<usize> = wrong.iter().filter_map(field).collect();
    let own = match wrong.first() {
        Some(Mismatch::Player(..)) => player_field(&fields, frame, dialect),
        Some(Mismatch::Entity(_, field, _)) if OLD_ORIGIN.contains(field) => Suspects::from(&ENT_04),
        _ => Suspects::from(&GEN_02),
    };
    if dialect.is_r1q2() && head.as_ref().is_some_and(runs_over) {
        return Suspects::from(&FRM_05).or(own.first());
    }
    if frame.base.is_some_and(|base| frame.number - base >= UPDATE_BACKUP as i32) && dialect.is_r1q2() {
        return Suspects::from(&FRM_04);
    }
    if port_alone {
        return Suspects::from(&QPORT_06);
    }
    // What was there before is missing in a frame without a base: it may be a change of something, at distance 31.
    let lacks = |mismatch: &Mismatch| matches!(mismatch, Mismatch::Missing(_));
    if frame.base.is_none() && frame.before.is_some() && dialect.is_r1q2() && wrong.iter().any(lacks) {
        return Suspects::from(&FRM_02).or(&FRM_04).or(own.first());
    }
    // What is wrong is what was not sent: it may have been left out as a change of another state.
    let taken = base.map_or(&Player::NULL, |base| &base.player);
    let omitted = fields.iter().all(|&field| taken[field] == frame.player[field]);
    if fields.len() == wrong.len() && omitted && frame.base != frame.before {
        return Suspects::from(&PS_09).or(own.first());
    }
    if let Some(suspects) = head.filter(|_| dialect.is_r1q2()).and_then(|head| misplaced(&head)) {
        return suspects;
    }
    // Several fields are wrong, a part that protocol 35 splits off among them: they may not be in their order.
    let split = fields.iter().any(|field| [PM_ORIGIN_Z, PM_VELOCITY_Z, VIEW_ROLL].contains(field));
    if split && wrong.len() > 1 { Suspects::from(&PS_08).or(own.first()) } else { own }
}

/// Fields of the player that are not as they should be; the first one decides.
pub fn player_field(fields: &[usize], frame: &Frame, dialect: &Dialect) -> Suspects {
    let original = !dialect.is_r1q2();
    let both =
        [GUNOFFSET_X..=GUNOFFSET_Z, GUN_PITCH..=GUN_ROLL].iter().all(|part| fields.iter().any(|it| part.contains(it)));
    Suspects::from(match fields.first().copied().unwrap_or_default() {
        PM_ORIGIN_Z | PM_VELOCITY_Z | VIEW_ROLL | GUNFRAME.. if original => &PS_07,
        PM_ORIGIN_Z => &PS_02,
        PM_VELOCITY_Z => &PS_03,
        VIEW_ROLL => &PS_04,
        GUNOFFSET_X..=GUN_ROLL if both => return Suspects::from(&PS_01).or(&PS_05),
        GUNFRAME..=GUN_ROLL => &PS_05,
        STATS.. => &PS_06,
        _ if frame.base.is_none() => &PS_09,
        _ => &GEN_02,
    })
}

/// A server whose frame builds on one that it should not build on: `sent` if that was sent at all.
pub fn base_unacknowledged(sent: bool, none_due: bool, dialect: &Dialect) -> Suspects {
    if !dialect.is_r1q2() {
        Suspects::from(&GEN_02)
    } else if !sent {
        // Where there is no such frame, the distance may have been read wrongly.
        Suspects::from(&FRM_01).or(if none_due { &FRM_02 } else { &FRM_04 })
    } else {
        Suspects::from(if none_due { &FRM_02 } else { &FRM_04 })
    }
}

/// A client that does not print or note what it received in a datagram of so many bytes.
pub fn not_applied(session: &Session, bytes: usize, nesting: usize, behind: bool) -> Suspects {
    Suspects::from(match nesting {
        _ if bytes > MAX_MSGLEN_ORIGINAL && session.delivered_dialect.is_r1q2() => &LEN_01,
        0 if behind => &ZPKT_04,
        0 => &GEN_02,
        _ => &ZPKT_03,
    })
}

/// A client that notes what it did not receive.
pub fn not_received(session: &Session) -> Suspects {
    Suspects::from(if session.last_taken.behind { &ZPKT_05 } else { &GEN_02 })
}

/// A client that refuses what can be read.
pub fn refused(session: &Session, error: &DecodeError) -> Suspects {
    let taken = session.last_taken;
    let r1q2 = session.delivered_dialect.is_r1q2();
    if error.offset + HEADER_BYTES >= taken.bytes && error.field == COMMAND_BYTE && r1q2 {
        return Suspects::from(&CMD_03);
    }
    Suspects::from(match taken {
        _ if session.connect.fell_back => &SD_04,
        Taken { bytes, .. } if bytes > MAX_MSGLEN_ORIGINAL => &LEN_01,
        Taken { enhanced: true, .. } => &SD_02,
        Taken { behind: true, .. } => &ZPKT_05,
        Taken { zpacket: true, .. } => &ZPKT_03,
        Taken { zdownload: true, .. } => &ZDL_02,
        Taken { upper_bits: true, .. } => &CMD_01,
        _ if !r1q2 => &PS_07,
        _ => &GEN_02,
    })
}

/// A client that does not show the newest valid frame. `instead` is the frame that it shows, if it was received.
pub fn frame_not_shown(session: &Session, frame: &Frame, instead: Option<&Frame>, nothing: bool) -> Suspects {
    let r1q2 = session.delivered_dialect.is_r1q2();
    Suspects::from(match frame {
        _ if r1q2 && instead.is_some_and(|instead| !instead.valid) => &FRM_03,
        _ if session.connect.fell_back => &SD_04,
        _ if session.last_taken.bytes > MAX_MSGLEN_ORIGINAL && r1q2 => &LEN_01,
        Frame { nesting: 1.., .. } => &ZPKT_03,
        _ if !r1q2 => &GEN_02,
        _ if instead.is_none() && !nothing => &FRM_01,
        Frame { base: None, .. } => &FRM_02,
        _ if high_bits(frame.flags.eps) != 0 => return Suspects::from(&CMD_01).or(&FRM_03),
        _ => &FRM_03,
    })
}

/// A client that shows other entities than those of a frame.
pub fn entities_differ(session: &Session, frame: &Frame) -> Suspects {
    Suspects::from(match frame.base {
        _ if session.connect.fell_back => &SD_04,
        None if frame.before.is_some() && session.delivered_dialect.is_r1q2() => &FRM_02,
        Some(_) if session.has_older_base(frame) => &FRM_03,
        _ => &GEN_02,
    })
}

/// A client that shows another old origin.
pub fn old_origin_differs(session: &Session, frame: &Frame, base: Option<&Frame>, entity: u32) -> Suspects {
    let beam = base.and_then(|base| base.entities.get(entity)).is_some_and(|before| before.is_beam());
    let own = match (session.delivered_dialect.is_r1q2(), beam) {
        (false, _) => &ENT_03,
        (true, true) => &ENT_02,
        (true, false) => &ENT_01,
    };
    if session.has_older_base(frame) { Suspects::from(&FRM_03).or(own) } else { own.into() }
}

/// A client that shows a wrong player: the fields, and whether the first is as it was shown before.
pub fn player_differs(session: &Session, fields: &[usize], kept: bool, frame: &Frame) -> Suspects {
    let dialect = &session.delivered_dialect;
    let own = player_field(fields, frame, dialect);
    let eps = frame.flags.eps;
    match fields.first().copied().unwrap_or_default() {
        _ if session.connect.fell_back => Suspects::from(&SD_04),
        _ if frame.base.is_none() && kept => Suspects::from(&PS_09).or(own.first()),
        _ if kept && session.has_older_base(frame) => Suspects::from(&FRM_03).or(own.first()),
        _ if !dialect.is_r1q2() => Suspects::from(&PS_07),
        // In these alone the command byte has flags of its own.
        VIEW_ROLL if eps & EPS_VIEWANGLE2 != 0 => Suspects::from(&PS_04).or(&FRM_07),
        STATS.. if eps & EPS_STATS != 0 => Suspects::from(&FRM_07).or(&PS_06),
        _ => own,
    }
}
