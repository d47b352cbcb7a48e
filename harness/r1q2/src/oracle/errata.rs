//! Where engines differ and all of them pass: remarks that say which way was seen. Numbers are those of the README.

use super::context::Context;
use super::model::Frame;
use super::peer::Client;
use super::session::Session;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::frame::MAX_SUPPRESS;
use crate::wire::state::PM_TYPE;

const ANNOUNCES_OWN: &str = "a server announces its own revision and speaks a lesser one, as b8012 (erratum 2)";
const ANNOUNCES_SPOKEN: &str = "a server announces the revision that it speaks, as Q2PRO (erratum 2)";
const COUNT_LIMITED: &str = "a count of frames held back that is too large is sent as 15 (erratum 4)";
const COUNT_CUT: &str = "a count of frames held back that is too large is cut to four bits, as Q2PRO (erratum 4)";
const COUNT_TO_9: &str = "a count of frames held back stops at 9, as the specification has it (erratum 15)";
const HEADER_ON_TOP: &str = "the header comes on top of the length that a client asks for, as Q2PRO (erratum 6)";
const MISSING_IS_MOST: &str = "a missing length is taken for the maximum, as b5183 (erratum 6)";
const IN_ZPACKET: &str = "a frame is in a zpacket, as R1Q2 (erratum 8)";
const WEAPON_APART: &str = "a weapon's offset or angles come without its frame, as Q2PRO (erratum 9)";
const NEW_OMITTED: &str = "the old origin of what is new in view is not sent, as R1Q2 (erratum 12)";
const NEW_SENT: &str = "the old origin of what is new in view is sent (erratum 12)";
const LIVING_SENT: &str = "the living are sent their view angles since revision 1902, too (erratum 17)";

const UNSEEN: &str = "datagrams are missing: they were lost before anybody saw them, and are not judged";
const MIDDLE: &str = "a session was under way already: nothing of it is judged until its client connects";

impl Context<'_> {
    /// A client sends a datagram of its connection.
    pub(super) fn remark_middle(&mut self, client: &Client) {
        if client.sights.iter().any(|sight| sight.remote) && client.sent.is_none() {
            self.report.remark(MIDDLE);
        }
    }

    /// A remote end sends a datagram after so many that nobody saw.
    pub(super) fn remark_unseen(&mut self, unseen: u32) {
        if unseen > 0 {
            self.report.remark(UNSEEN);
        }
    }

    /// A server announces a revision to a client with which it has agreed upon another or the same.
    pub(super) fn remark_revision(&mut self, session: &Session, announced: u16, agreed: u16) {
        // Of a remote server, what it announces is all that is known.
        let newest = if session.server.is_remote() { announced } else { self.options.server_minor };
        if newest != agreed {
            self.report.remark(if announced == agreed { ANNOUNCES_SPOKEN } else { ANNOUNCES_OWN });
        }
    }

    /// A datagram with so many bytes of payload is sent over protocol 35.
    pub(super) fn remark_length(&mut self, session: &Session, payload: usize) {
        match session.connect.asked.max_length {
            Some(asked) if asked > 0 && payload + netchan::HEADER_BYTES > asked as usize => {
                self.report.remark(HEADER_ON_TOP);
            }
            None if payload > DEFAULT_MSGLEN as usize => self.report.remark(MISSING_IS_MOST),
            _ => {}
        }
    }

    /// More frames were held back than the count has bits for.
    pub(super) fn remark_count(&mut self, gap: i64, sent: i64) {
        if gap > i64::from(MOST_SPECIFIED) && sent == i64::from(MOST_SPECIFIED) {
            self.report.remark(COUNT_TO_9);
        } else if gap > i64::from(MAX_SUPPRESS) && gap & i64::from(MAX_SUPPRESS) != i64::from(MAX_SUPPRESS) {
            self.report.remark(if sent == i64::from(MAX_SUPPRESS) { COUNT_LIMITED } else { COUNT_CUT });
        }
    }

    /// A frame is sent over protocol 35.
    pub(super) fn remark_frame(&mut self, frame: &Frame, base: Option<&Frame>, dialect: &Dialect) {
        let (ps, eps) = (u64::from(frame.flags.ps), frame.flags.eps);
        if frame.nesting > 0 {
            self.report.remark(IN_ZPACKET);
        }
        if eps & (EPS_GUNOFFSET | EPS_GUNANGLES) != 0 && ps & PS_WEAPONFRAME == 0 {
            self.report.remark(WEAPON_APART);
        }
        let living = frame.player[PM_TYPE] < PM_DEAD;
        if dialect.has_settings() && living && ps & PS_VIEWANGLES != 0 {
            self.report.remark(LIVING_SENT);
        }
        let Some(base) = base else { return };
        for (number, bits) in frame.entries.iter().filter(|(number, _)| base.entities.get(*number).is_none()) {
            if frame.entities.get(*number).is_some_and(|state| !state.is_beam()) {
                self.report.remark(if bits & U_OLDORIGIN == 0 { NEW_OMITTED } else { NEW_SENT });
            }
        }
    }
}
