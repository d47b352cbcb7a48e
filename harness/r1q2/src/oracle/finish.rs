//! What is missing at the end of a run whose last disturbance is long ago.

use super::context::Context;
use super::coverage::{Point, can_break};
use super::diagnosis;
use super::from_client::OTHER_REVISIONS_ARE_LEFT;
use super::session::{Client, ConnectSeen, Session};
use crate::requirements::*;
use kit::{Check, Knows, Suspects, Time, breaks};

/// What did not come within this time of quiescence is missing.
const PATIENCE_US: u64 = 4_000_000;

/// A remote client may take this long to load a map.
const LOADING_US: u64 = 20_000_000;
/// So many datagrams to a remote server are not lost one after the other.
const ENOUGH_DATAGRAMS: usize = 20;
/// So many connects to a remote server are not lost one after the other.
const ENOUGH_CONNECTS: u32 = 3;

/// A connect is answered, whatever length it has.
pub static CONNECTS_ARE_ANSWERED: Check = Check::new(
    "connects-are-answered",
    &[breaks(&CON_03, &[&[Point::ConnectWithoutLength]]), breaks(&LEN_05, &[&[Point::ConnectWithZero]])],
);
/// A client's commands are read behind its number, if it has one.
pub static COMMANDS_ARE_ANSWERED: Check = Check::new(
    "commands-are-answered",
    &[breaks(&QPORT_02, &[&[Point::NumberedAnswered]]), breaks(&QPORT_04, &[&[Point::UnnumberedAnswered]])],
);
/// A client begins the map at the end of its sign-on.
pub static SIGN_ON_ENDS: Check = Check::new("sign-on-ends", &[can_break::ZPKT_04, can_break::GEN_02]);
/// A client in the game is sent frames.
pub static FRAMES_COME: Check = Check::new("frames-come", &[can_break::GEN_02]).knows(&[Knows::World]);
/// A client asks for the rest of a file.
pub static NEXT_BLOCK_IS_ASKED_FOR: Check =
    Check::new("next-block-is-asked-for", &[breaks(&ZDL_03, &[&[Point::ZDownloadDelivered]]), can_break::GEN_02]);
/// A client whose port has changed stays in the game.
pub static NEW_PORTS_ARE_TAKEN: Check =
    Check::new("new-ports-are-taken", &[breaks(&QPORT_05, &[&[Point::Rebound]])]).knows(&[Knows::World]);

impl Context<'_> {
    /// The run is over.
    pub(super) fn finish(&mut self, client: &Client) {
        if self.now.since(client.last_disturbance) <= PATIENCE_US {
            return;
        }
        self.other_revision_is_left(client.other_revision, client);
        let Some(session) = &client.session else { return self.connect_is_answered(client) };
        // A server that never says anything has not lost so many datagrams.
        let silent = session.asked_unread.filter(|_| session.unread_by_server.len() >= ENOUGH_DATAGRAMS);
        let asked = session.asked_at.or(silent).filter(|_| !session.answered && session.indeterminate.is_none());
        if let Some(asked) = asked.filter(|asked| self.is_overdue(*asked)) {
            let what = || format!("{} asked for the map at {asked}, and was sent no serverdata", client.host);
            self.server_fails(&COMMANDS_ARE_ANSWERED, diagnosis::commands_unread(&session.connect), what);
        }
        if session.indeterminate.is_some() || session.provoked.gives_up.is_some() {
            return;
        }
        self.other_revision_is_left(session.other_revision, client);
        self.client_goes_on(session);
        self.server_goes_on(session);
        self.reliable_messages(session, PATIENCE_US);
    }

    fn is_overdue(&self, since: Time) -> bool {
        self.now.since(since) > PATIENCE_US
    }

    fn other_revision_is_left(&mut self, other_revision: Option<Time>, client: &Client) {
        if let Some(sent) = other_revision.filter(|sent| self.is_overdue(*sent)) {
            let what = || format!("was sent another revision at {sent}, and has not come back");
            self.client_fails(&OTHER_REVISIONS_ARE_LEFT, client.host, &SD_03, what);
        }
    }

    fn connect_is_answered(&mut self, client: &Client) {
        let enough = !client.sights.iter().any(|sight| sight.may_miss) || client.unanswered >= ENOUGH_CONNECTS;
        // With another challenge it may have been turned away for that.
        let fair = |arrived: &ConnectSeen| client.challenges.contains(&arrived.challenge) && !client.turned_away;
        let overdue =
            |arrived: &ConnectSeen| self.is_overdue(arrived.at) && arrived.is_r1q2() && enough && fair(arrived);
        let arrived = client.arrived.filter(overdue);
        let requirement = match arrived.map(|arrived| arrived.tail.max_length) {
            Some(None) => &CON_03,
            Some(Some(0)) => &LEN_05,
            _ => return,
        };
        let what = || format!("the connect of {} has no answer", client.host);
        self.server_fails(&CONNECTS_ARE_ANSWERED, requirement, what);
    }

    fn client_goes_on(&mut self, session: &Session) {
        let host = session.host;
        // Somebody else's client may have a map to load, or be gone without a word.
        let remote = session.client.is_remote();
        let loading = if remote { LOADING_US } else { 0 };
        if remote && self.is_overdue(session.heard) {
            return;
        }
        let is_overdue = |since: Time| self.is_overdue(since) && self.now.since(since) > loading;
        let precached = session.precached.filter(|(since, _)| is_overdue(*since) && !session.begins);
        if let Some((since, behind)) = precached {
            let suspects = Suspects::from(if behind { &ZPKT_04 } else { &GEN_02 });
            self.client_fails(&SIGN_ON_ENDS, host, suspects, || format!("could begin since {since}, and has not"));
        }
        if let Some((since, compressed)) = session.file.open.filter(|(since, _)| self.is_overdue(*since)) {
            let suspects = Suspects::from(if compressed { &ZDL_03 } else { &GEN_02 });
            let what = || format!("has not asked for the next block since {since}");
            self.client_fails(&NEXT_BLOCK_IS_ASKED_FOR, host, suspects, what);
        }
    }

    fn server_goes_on(&mut self, session: &Session) {
        let host = session.host;
        let entities = self.truth.since(self.now, 0).first().map_or(0, |world| world.live.len());
        let none = session.last_frame.is_none() && session.frame_fits(entities);
        if let Some(begun) = session.begun.filter(|begun| self.is_overdue(*begun) && none) {
            let what = || format!("no frame for {host}, in the game since {begun}");
            self.server_fails(&FRAMES_COME, &GEN_02, what);
        }
        let numbered = !session.connect.is_unnumbered();
        if let Some(rebound) = session.rebound.filter(|rebound| self.is_overdue(*rebound) && numbered) {
            self.report.saw_if(session.delivered_dialect.is_r1q2(), Point::Rebound);
            if self.is_overdue(session.acknowledged_at) {
                let what = || {
                    format!(
                        "{host} has another port since {rebound}, and none of its datagrams was acknowledged recently"
                    )
                };
                self.server_fails(&NEW_PORTS_ARE_TAKEN, &QPORT_05, what);
            }
        }
    }
}
