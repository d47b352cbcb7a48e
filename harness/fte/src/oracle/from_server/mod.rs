//! What the server sends: well-formed, present values, complete, nothing else.

pub mod announcement;
pub mod frames;
pub mod listener;
pub mod pending;
pub mod update;

pub use pending::end_tick;

use super::coverage::{Point, Report, checks};
use super::diagnosis::value::{FORMS, misread};
use super::diagnosis::{self, Unreadable};
use super::field::{ALL, EXIST};
use super::header::has_reliable_part;
use super::indeterminate::Indeterminate;
use super::session::Session;
use super::session::forms::Unfamiliar;
use super::session::frames::{Carried, How, REMEMBERED, TRACKABLE};
use super::session::sign_on::SignOn;
use super::session::track::Gone;
use super::truth::Truth;
use crate::constants::field_names::PROTOCOL_VERSION;
use crate::delta::{Coding, Entry};
use crate::dialect::Transport;
use crate::options::Options;
use crate::requirements::*;
use kit::{Check, DecodeError, ErrorKind, Suspects, Time};

checks! {
    DATAGRAMS_CAN_BE_READ = "datagrams-can-be-read", FORMS and: ENT_04, HS_13 [DeltaSession],
        ENT_09 [RemoveAmongOthers] [RemoveDelivered ClientCompared], ENT_10 [Frame],
        ENT_11 [RemoveAllWithEntries ClientCompared], DLT_24 [ManyFields], DLT_34 [PlainDelta], OVF_02 [FullFrame],
        OVF_04 [FullFrame], PRED_09 [NetQuakePredInfoFrame], HS_06, HS_17, HS_18, ENT_03, SVC_01, SVC_03, SVC_05,
        SVC_06, SVC_09, SVC_10, SVC_11;
    DATAGRAMS_FIT = "datagrams-fit" knows Limits: OVF_02;
    ENTITIES_REMOVED_ARE_GONE = "entities-removed-are-gone" knows World: RMV_06 [LostRemoveOfLiving],
        HIST_03 [LossAfterMany] [GapOverOldRemove];
    REMOVE_ALL_COMES_FIRST = "remove-all-comes-first": RMV_11 [RemoveAllWithEntries];
}

/// Bytes before the messages of a datagram.
const HEADER_BYTES: usize = 8;
/// Above the longest update of one entity, in bytes: what leaves as much free was not full.
const ROOM_BYTES: usize = 128;

/// Follows one datagram of the server as it is sent.
pub struct ServerTx<'a> {
    /// The session.
    pub session: &'a mut Session,
    /// The world.
    pub truth: &'a Truth,
    /// Where findings go.
    pub report: &'a mut Report,
    /// When it is sent.
    pub now: Time,
    /// The datagram's number, if it is not reliable alone.
    pub sequence: Option<u32>,
    /// Entity frames in it.
    messages: u32,
    /// The highest entity number in the present message.
    highest: u32,
    entries: u32,
    /// A finding explains what else is wrong with this datagram.
    garbled: bool,
    /// The entry read last, and the one before it.
    newest: [Option<Entry>; 2],
    coding: Coding,
    /// What is new in it.
    unfamiliar: Unfamiliar,
    /// The service being read, and the one before it.
    services: [u8; 2],
    /// The statistic that follows has NetQuake's own form.
    plain_stat: bool,
    /// A statistic in it repeats what was lost, as a server does that waits for nothing, unless this one starts over.
    repairs_stat: bool,
    /// What it does for the sign-on.
    pub sign_on: SignOn,
}

impl<'a> ServerTx<'a> {
    /// For a datagram numbered `sequence`.
    pub fn new(
        session: &'a mut Session,
        truth: &'a Truth,
        report: &'a mut Report,
        now: Time,
        sequence: Option<u32>,
    ) -> ServerTx<'a> {
        end_tick(session, report, Some(now));
        if let Some(sequence) = sequence {
            if session.frames.leaps_to(sequence) {
                let why = "the numbers of the server's datagrams leap";
                session.damaged.get_or_insert(Indeterminate { why });
            }
            session.frames.open(sequence, session.epoch);
        }
        ServerTx {
            session,
            truth,
            report,
            now,
            sequence,
            messages: 0,
            highest: 0,
            entries: 0,
            garbled: false,
            newest: [None; 2],
            coding: Coding::default(),
            unfamiliar: Unfamiliar::default(),
            services: [0; 2],
            plain_stat: false,
            repairs_stat: false,
            sign_on: SignOn::default(),
        }
    }

    /// Adds a finding about the server.
    fn fail(&mut self, check: &'static Check, suspects: impl Into<Suspects>, what: impl FnOnce(&Session) -> String) {
        let frame = self.sequence.map_or(String::from("reliable message"), |sequence| format!("frame {sequence}"));
        let session = &*self.session;
        self.report.fail(check, self.now, kit::HostId::SERVER, suspects, || {
            format!("{frame} to {}: {}", session.host, what(session))
        });
    }

    /// Adds a finding that makes all else in this datagram doubtful.
    fn fail_all(
        &mut self,
        check: &'static Check,
        suspects: impl Into<Suspects>,
        what: impl FnOnce(&Session) -> String,
    ) {
        if !std::mem::replace(&mut self.garbled, true) {
            self.fail(check, suspects, what);
        }
    }

    /// What a misread datagram can mean: where the world is unknown, also what is new in it.
    fn or_misread(&self, suspects: impl Into<Suspects>) -> Suspects {
        let suspects = suspects.into();
        if self.truth.unknown.is_some() { misread(suspects, &self.unfamiliar) } else { suspects }
    }

    /// Whether the datagram may be what is left of one that was cleared as a write did not fit: no frame has begun in it, though there
    /// is more to send than one holds.
    fn is_rest_of_overflow(&self) -> bool {
        self.messages == 0 && self.sequence.is_some() && self.session.frames_for_all(self.truth) > 1
    }

    /// Whether the datagram has an entity frame.
    pub fn has_frame(&self) -> bool {
        self.messages > 0
    }

    /// The datagram could not be read to its end.
    pub fn failed(&mut self, error: &DecodeError) {
        if error.field == PROTOCOL_VERSION
            && let ErrorKind::Unknown { value } = error.kind
            && self.session.options.server_protocol_key == Some(value)
        {
            // The scenario wants it so.
            return;
        }
        let suspects = diagnosis::unreadable(&Unreadable {
            rest_of_overflow: self.is_rest_of_overflow(),
            session: self.session,
            error,
            services: self.services,
            entries: self.newest,
            messages: self.messages,
            big_baselines: self.truth.world.baselines.numbers().last().is_some_and(|&number| number > 0x7fff),
        });
        if self.messages > 0 || self.session.dialect.deltas() {
            self.session.sent = Some(Indeterminate { why: "a datagram of the server cannot be read" });
        }
        let unknown = self.truth.unknown.is_some();
        let big = unknown && self.services[1] == netquake::constants::SVC_SET_VIEW && !self.session.dialect.deltas();
        let suspects = suspects.or_if(big, &ENT_04).or_if(unknown && self.session.extensions_changed, &HS_18);
        let suspects = self.or_misread(suspects);
        self.fail_all(&DATAGRAMS_CAN_BE_READ, suspects, |_| format!("cannot be read to its end: {error}"));
    }

    /// Looks at the size of an unreliable datagram. The bytes that it leaves free, if that is known: beside a reliable
    /// block of QuakeWorld it is unknown.
    pub fn check_size(&mut self, bytes: &[u8]) -> Option<usize> {
        let Options { transport, packet_bytes, datagram_limit, .. } = self.session.options;
        let payload = bytes.len().saturating_sub(HEADER_BYTES);
        let reliable = has_reliable_part(transport, bytes);
        let packet = packet_bytes.saturating_sub(HEADER_BYTES);
        let limit = if reliable { packet.max(datagram_limit) } else { datagram_limit };
        if self.session.vantage.remote_server && payload > limit - ROOM_BYTES {
            // Its limit is higher, nobody knows by how much.
            return None;
        }
        if payload > limit && self.session.dialect.deltas() {
            self.fail(&DATAGRAMS_FIT, &OVF_02, |_| format!("{payload} bytes of messages, the limit is {limit}"));
        }
        (!reliable).then(|| limit.saturating_sub(payload))
    }

    fn remove_all(&mut self) {
        if self.entries > 0 {
            self.fail(&REMOVE_ALL_COMES_FIRST, &RMV_11, |_| {
                String::from("the remove-all comes after entries, and discards them")
            });
        }
        let session = &mut *self.session;
        let sequence = self.sequence.unwrap_or_default();
        if session.unseen.take().is_some() {
            session.judged_from = (session.frames_sent, session.frames_with_room);
        }
        let newest = session.acked_to.and_then(|newest| session.frames.get(newest)).map_or(0, |frame| frame.place);
        if session.resets.asked.is_none() && session.frames_sent > 0 {
            session.unneeded.restarts(session.in_flight());
        }
        if session.resets.asked.is_none() && session.frames_sent > newest + TRACKABLE {
            self.report.remark("with too many frames in flight the server starts over (erratum E6; legal)");
        }
        session.resets.obeyed = Some(session.frames_sent);
        if session.resets.asked.take().is_some() {
            session.resets.needless = 0;
        }
        let mut held = false;
        for (number, track) in session.tracks.iter_mut() {
            // Starting over takes its time.
            track.pending_since = session.frames_sent;
            track.carried(ALL, sequence);
            if !track.in_sent && !track.in_delivered {
                continue;
            }
            held |= track.in_sent;
            track.in_sent = false;
            track.gone = Gone::RemovedWithAll;
            if track.lost != 0 && track.lost_how == How::RemoveAll {
                session.repairs.done += 1;
            }
            track.lost = 0;
            track.fresh = false;
            track.reborn = false;
            track.pending = 0;
            if self.truth.world.live.get(number).is_some() {
                track.pending = EXIST;
                if !std::mem::replace(&mut track.in_unsent, true) {
                    session.unsent.push(number);
                }
            }
        }
        let empty = self.truth.unknown.is_none() && self.truth.world.live.is_empty();
        self.report.saw_if(held && !empty, Point::ResentAfterRemoveAll);
        session.sent = None;
        if let Some(frame) = session.frames.get_mut(sequence) {
            frame.remove_all = true;
        }
    }

    fn remove(&mut self, number: u32) {
        self.unfamiliar.remove(&self.session.written, &self.coding, number);
        let sequence = self.sequence.unwrap_or_default();
        let judged = self.session.judges_truth() && !self.garbled;
        let alive = self.truth.alive(number).unwrap_or(false);
        let track = self.session.tracks.entry(number);
        let repair = track.lost & EXIST != 0;
        self.report.saw_if(track.pending & !EXIST != 0 || track.lost & !EXIST != 0, Point::RemovedWhilePending);
        self.session.repairs.done += u32::from(repair && !track.in_sent);
        if repair && let Some(frame) = self.session.frames.get_mut(track.lost_in) {
            frame.repaired = true;
        }
        track.in_sent = false;
        track.gone = Gone::Removed;
        track.lost = 0;
        track.fresh = false;
        track.reborn = false;
        track.carried(ALL, sequence);
        track.pending = if alive { EXIST } else { 0 };
        if alive {
            track.pending_since = self.session.frames_sent;
            if !std::mem::replace(&mut track.in_unsent, true) {
                self.session.unsent.push(number);
            }
        }
        if let Some(frame) = self.session.frames.get_mut(sequence) {
            frame.entries.push(Carried { number, flags: ALL, how: How::Remove, repair });
        }
        self.session.tidy();
        self.report.saw(Point::Remove);
        if judged && alive {
            let suspects = if self.remove_was_received(number) { &HIST_03 } else { &RMV_06 };
            self.fail(&ENTITIES_REMOVED_ARE_GONE, suspects, |_| {
                format!("entity {number} is removed, but it is in the world")
            });
        }
    }

    /// Whether the entity was removed by earlier frames, and all of these were acknowledged: there is nothing to repeat.
    fn remove_was_received(&self, number: u32) -> bool {
        let session = &self.session;
        let newest = self.sequence.unwrap_or_default();
        let oldest = newest.saturating_sub(REMEMBERED as u32 - 1);
        let frames = (oldest..newest).filter_map(|sequence| session.frames.get(sequence));
        let mut removing = frames
            .filter(|frame| frame.entries.iter().any(|entry| entry.number == number && entry.how == How::Remove))
            .peekable();
        removing.peek().is_some() && removing.all(|frame| frame.acked)
    }
}
