//! Which requirements fit the evidence of a failure, best first. Pure: nothing here decides whether something is wrong.

pub mod value;

use super::field::{FIELDS_OF, PRED};
use super::session::Session;
use super::session::frames::{Frame, How, TRACKABLE, USUAL_ENTRIES};
use super::session::movement::WrongEcho;
use super::session::track::{Gone, Track};
use crate::constants::field_names::*;
use crate::constants::*;
use crate::delta::Entry;
use crate::dialect::{Dialect, Transport};
use crate::requirements::*;
use crate::state::*;
use kit::{DecodeError, ErrorKind, Requirement, StatValue, Suspects};
use netquake::constants::{SVC_SET_VIEW, SVC_SOUND, SVC_TEMP_ENTITY};
use quakeworld::{SVC_DELTAPACKETENTITIES, SVC_PACKETENTITIES, SVC_PLAYERINFO};

/// What a wrong announcement violates: services 21 and 66 have a form of their own under PEXT_SPAWNSTATIC2, which
/// replacement deltas overrule.
pub fn announcement(dialect: &Dialect, service: u8) -> &'static Requirement {
    match service {
        _ if dialect.extensions.fte1 & PEXT_SPAWNSTATIC2 != 0 => &SVC_10,
        SVC_SPAWNSTATIC2 => &SVC_05,
        _ => &SVC_06,
    }
}

/// Which requirement a wrong regular entity number violates.
pub fn numbering(dialect: &Dialect) -> &'static Requirement {
    if dialect.deltas() { &ENT_03 } else { &ENT_04 }
}

/// Something that was lost and not sent again.
pub struct LostContent<'a> {
    /// The session.
    pub session: &'a Session,
    /// The newest lost carrier, if it is remembered.
    pub frame: Option<&'a Frame>,
    /// The entity.
    pub track: &'a Track,
    /// Its number.
    pub number: u32,
    /// The flags in which the client differs.
    pub wrong: u32,
    /// Resets, removes or statistics were lost, too, in any session.
    pub other_kinds_lost: bool,
}

/// What a server violates that does not send again what was lost.
pub fn not_resent(lost: &LostContent<'_>) -> Suspects {
    let LostContent { session, frame, track, .. } = *lost;
    let age = |frame: &Frame| track.lost_since.0 - frame.place.min(track.lost_since.0);
    // What else the frame carried was sent again: the loss was noticed, but the log did not have all.
    let noticed = frame.is_some_and(|frame| frame.repaired);
    let suspects = if session.odd_acks.future {
        Suspects::from(&ACK_20)
    } else if frame.is_none_or(|frame| age(frame) >= TRACKABLE) {
        Suspects::from(&HIST_06)
    } else {
        match track.lost_how {
            How::Reset => Suspects::from(&RST_07).or_if(noticed, &HIST_05),
            How::Remove => Suspects::from(&RMV_05).or_if(noticed, &HIST_05),
            How::RemoveAll => Suspects::from(&RMV_10),
            How::Delta => delta_not_resent(lost),
        }
    };
    // Perhaps it was sent again, under what 16 bits leave of the number.
    if lost.number > 0xffff { Suspects::from(&ENT_12).or(suspects.first()) } else { suspects }
}

fn delta_not_resent(lost: &LostContent<'_>) -> Suspects {
    let LostContent { session, frame, track, number, wrong, other_kinds_lost } = *lost;
    let behind = |frame: &Frame| frame.entries.iter().position(|entry| entry.number == number) >= Some(USUAL_ENTRIES);
    // Nothing was ever sent again, of no kind: the server does not look for losses at all.
    let never_repairs = session.repairs.done == 0 && (session.repairs.losses >= 8 || other_kinds_lost);
    let by_header = frame.is_some_and(|frame| frame.lost_by_header);
    if wrong & !PRED == 0 {
        Suspects::from(&PRED_06)
    } else if frame.is_some_and(behind) {
        Suspects::from(&HIST_13)
    } else if frame.is_some_and(|frame| frame.sibling) {
        Suspects::from(&HIST_09)
    } else if frame.is_some_and(|frame| frame.after_gap) {
        Suspects::from(&HIST_08).or_if(never_repairs, &ACK_09)
    } else if track.lost_repair {
        Suspects::from(&HIST_11)
    } else if never_repairs {
        Suspects::from(if by_header { &ACK_14 } else { &ACK_09 }).or(&ACK_09)
    } else if session.odd_acks.stale {
        Suspects::from(&ACK_18)
    } else if by_header && !session.frames.is_header_obeyed() {
        Suspects::from(&ACK_14).or(&HIST_04).or(&HIST_02)
    } else if frame.is_some_and(|frame| frame.repaired) {
        Suspects::from(&HIST_01).or(&HIST_02).or(&HIST_04)
    } else {
        Suspects::from(&HIST_04).or(&HIST_02)
    }
}

/// A server's datagram that cannot be read to its end.
pub struct Unreadable<'a> {
    /// It may be what is left of a datagram that was cleared as a write did not fit.
    pub rest_of_overflow: bool,
    /// The session.
    pub session: &'a Session,
    /// What cannot be read.
    pub error: &'a DecodeError,
    /// The service being read, and the one before it.
    pub services: [u8; 2],
    /// The entry read last, and the one before it.
    pub entries: [Option<Entry>; 2],
    /// Entity frames in it.
    pub messages: u32,
    /// The world has baselines with numbers that need the long form.
    pub big_baselines: bool,
}

/// What a server violates with a datagram that cannot be read to its end.
pub fn unreadable(datagram: &Unreadable<'_>) -> Suspects {
    let Unreadable { rest_of_overflow, session, error, services, entries: [newest, before], messages, big_baselines } =
        *datagram;
    let dialect = &session.dialect;
    let deltas = dialect.deltas();
    let unknown = match error.kind {
        ErrorKind::Unknown { value } if error.field == SVC => Some(value as u8),
        _ => None,
    };
    let truncated = matches!(error.kind, ErrorKind::Truncated { .. });
    // The service that was misread, or after which what follows could not be read.
    let misread = if unknown.is_some() { services[1] } else { services[0] };
    let announced = deltas && matches!(misread, SVC_SPAWNBASELINE2 | SVC_SPAWNSTATIC2);
    let before_frames = messages == 0 && session.frames_sent == 0 && !session.baselines.is_empty();
    let removed = |entry: Option<Entry>| matches!(entry, Some(Entry::Remove(_)));
    let requirement: &'static Requirement = match (unknown, error.field) {
        (Some(SVC_UPDATEENTITIES | SVC_SPAWNBASELINE2 | SVC_SPAWNSTATIC2 | SVC_CSQCENTITIES), _) if !deltas => {
            if session.options.proxy_strips {
                &HS_06
            } else {
                &HS_17
            }
        }
        (Some(SVC_PLAYERINFO | SVC_PACKETENTITIES | SVC_DELTAPACKETENTITIES), _) if deltas => &SVC_01,
        _ if before_frames && deltas && big_baselines => &ENT_03,
        (Some(_), _) if newest == Some(Entry::End) && !announced && !has_obsolete_extensions(dialect) => {
            if removed(before) {
                &ENT_09
            } else if before.is_none() && session.frames_sent == 0 {
                &ENT_11
            } else {
                &ENT_10
            }
        }
        (_, PROTOCOL_VERSION | EXTENSION_MASK) => &HS_13,
        (_, ENTITY_NUMBER) => &ENT_03,
        _ if announced => announcement(dialect, misread),
        _ if deltas && matches!(misread, SVC_SET_VIEW | SVC_SOUND | SVC_TEMP_ENTITY) => &ENT_03,
        _ if deltas && misread == SVC_CSQCENTITIES => &SVC_09,
        _ if has_obsolete_extensions(dialect) => &SVC_11,
        (Some(_), _) if deltas && rest_of_overflow => return Suspects::from(&OVF_02).or(&HS_13),
        (_, UPDATE_FLAGS) => match error.kind {
            ErrorKind::Forbidden { value, .. } if value & UF_UNUSED18 as u32 != 0 => &DLT_24,
            _ => &DLT_34,
        },
        (_, MOVEMENT_SEQUENCE) => &PRED_09,
        (_, SERVER_TIME) => &SVC_03,
        (_, ENTITY_INDEX) if truncated => &OVF_04,
        _ if removed(newest) => &ENT_09,
        _ if session.extensions_changed => &HS_18,
        _ if truncated || messages > 0 => &OVF_02,
        _ => &HS_13,
    };
    Suspects::from(requirement)
}

/// Whether extensions are on that replacement deltas make obsolete, beside that of [`announcement`].
pub fn has_obsolete_extensions(dialect: &Dialect) -> bool {
    dialect.deltas() && dialect.extensions.fte1 & PEXT_OBSOLETE & !PEXT_SPAWNSTATIC2 != 0
}

/// An update of an entity that is not in the world.
pub struct Unfounded<'a> {
    /// The session.
    pub session: &'a Session,
    /// The world.
    pub world: &'a World,
    /// The entity's number, as read.
    pub number: u32,
    /// The client was sent the entity before.
    pub known: bool,
}

/// What a server violates that updates an entity that is not in the world.
pub fn unfounded(update: &Unfounded<'_>) -> Suspects {
    let Unfounded { session, world, number, known } = *update;
    let low = |number: u32| number & u32::from(INDEX_NUMBER);
    let large = |real: u32| real > u32::from(INDEX_NUMBER);
    let similar = world.live.iter().any(|(real, _)| large(real) && low(real) == low(number));
    let leaving = low(number);
    let held = if leaving == number { known } else { session.tracks.get(leaving).is_some_and(|track| track.in_sent) };
    if similar {
        // Another entity's number, wrongly coded.
        Suspects::from(&ENT_06).or(&ENT_07).or(&ENT_12)
    } else if held && leaving > 0 && world.live.get(leaving).is_none() {
        Suspects::from(&ENT_05).or(&RMV_07)
    } else if session.previous_map.binary_search(&number).is_ok() {
        Suspects::from(&HIST_14)
    } else {
        Suspects::from(&RMV_07)
    }
}

/// An entity of which not everything was sent.
pub struct Unsent<'a> {
    /// The session.
    pub session: &'a Session,
    /// The entity.
    pub track: &'a Track,
    /// As it is, if it is in the world.
    pub truth: Option<&'a Entity>,
    /// The flags in which what was sent differs.
    pub open: u32,
    /// It was in the map before.
    pub old: bool,
}

/// What a server violates that had room and did not send what changed.
pub fn not_sent(unsent: &Unsent<'_>) -> Suspects {
    let Unsent { session, track, truth, open, old } = *unsent;
    let since = track.pending_since;
    let was_full = session.last.full > since;
    if session.last.choke > since {
        return Suspects::from(&OVF_09);
    }
    if session.last.gap > since {
        return Suspects::from(&HIST_10);
    }
    match truth {
        None => Suspects::from(if was_full { &OVF_06 } else { &RMV_01 }),
        Some(_) if track.in_sent && was_full => Suspects::from(&OVF_01).or(&OVF_07),
        Some(_) if track.in_sent && track.reborn => Suspects::from(&RST_09),
        // Perhaps not even looked at, since a frame was full.
        Some(_) if track.in_sent && session.last.full > 0 => Suspects::from(&OVF_07).or(&DLT_39),
        Some(truth) if track.in_sent => unchanged(session, open, &track.sent, truth),
        Some(_) if was_full => Suspects::from(&OVF_05),
        Some(_) => new_entity(track.gone, old, false),
    }
}

/// What a server violates that does not introduce an entity as a new one.
pub fn new_entity(gone: Gone, old: bool, waited: bool) -> Suspects {
    match gone {
        Gone::Never if old => Suspects::from(&HIST_14),
        Gone::RemovedWithAll => Suspects::from(&RMV_09).or_if(waited, &OVF_05),
        Gone::Removed => Suspects::from(&RST_08).or_if(waited, &OVF_05),
        Gone::Never if waited => Suspects::from(&OVF_05).or(&RST_02),
        Gone::Never => Suspects::from(&RST_02),
    }
}

/// A change was not sent although there was room.
fn unchanged(session: &Session, open: u32, sent: &Entity, truth: &Entity) -> Suspects {
    let same = |field: usize| session.quantiser.same(field, sent[field], truth[field]);
    let bit = open.trailing_zeros() as usize;
    let field = FIELDS_OF.get(bit).and_then(|fields| fields.iter().copied().find(|&field| !same(field)));
    match field {
        Some(ORIGIN_X | ORIGIN_Y) if same(ORIGIN_X) != same(ORIGIN_Y) => Suspects::from(&DLT_07),
        Some(MODELINDEX2) => Suspects::from(&DLT_32),
        Some(field) if truth[field] == 0 => Suspects::from(&DLT_41).or(&DLT_39),
        _ => Suspects::from(&DLT_39),
    }
}

/// What a server violates that had room and did not send a statistic; `crowded` is whether many others were to be sent.
pub fn stat_not_sent(session: &Session, stat: u8, sent: Option<StatValue>, since: u32, crowded: bool) -> Suspects {
    Suspects::from(if session.last.full > since || crowded {
        &STAT_04
    } else if sent.is_none() && session.epoch > 1 {
        &STAT_06
    } else if stat == STAT_WEAPONFRAME {
        &PRED_08
    } else if sent.is_none() && CLIENTDATA_STATS.contains(&stat) && session.dialect.transport == Transport::NetQuake {
        &STAT_02
    } else {
        &STAT_01
    })
}

/// What a server violates that echoes a wrong movement sequence.
pub fn wrong_echo(echo: &WrongEcho) -> &'static Requirement {
    if echo.late {
        &PRED_18
    } else if echo.wrapped {
        &PRED_11
    } else {
        &PRED_10
    }
}

/// What a client violates with a packet that cannot be read to its end: `left` bytes were not read, acknowledgements and
/// a move before the error were.
pub fn unreadable_packet(error: &DecodeError, left: usize, acks: bool, moved_last: bool, predinfo: bool) -> Suspects {
    /// Command and number.
    const ACK_BYTES: usize = 5;
    let unknown = matches!(error.kind, ErrorKind::Unknown { .. }) && error.field == CLC;
    Suspects::from(match error.field {
        FRAME_NUMBER => &ACK_03,
        MOVEMENT_SEQUENCE => &PRED_09,
        // A move of another length would leave another rest than acknowledgements under another command.
        _ if unknown && !acks && left.is_multiple_of(ACK_BYTES) => &SVC_13,
        _ if moved_last && predinfo => &PRED_15,
        _ if unknown && !acks => &SVC_13,
        _ if unknown => &ACK_03,
        _ => &PRED_15,
    })
}
