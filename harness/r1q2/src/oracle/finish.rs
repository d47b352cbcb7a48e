//! What is missing at the end of a run whose last disturbance is long ago.

use super::context::Context;
use super::coverage::{Point, can_break};
use super::diagnosis;
use super::from_client::{self, OTHER_REVISIONS_ARE_LEFT};
use super::peer::{Client, Handshake};
use super::session::{ConnectSeen, Session};
use crate::requirements::*;
use crate::wire::constants::MAX_PAYLOAD;
use kit::{Check, Knows, Suspects, Time, breaks};
use netchan::is_out_of_band;

/// A client that asks for shorter payloads may be refused, as Q2PRO does, in bytes.
const LEAST_ASKED: u32 = 512;

/// What did not come within this time of quiescence is missing.
const PATIENCE_US: u64 = 4_000_000;

/// Nor is a frame late before so many ticks: a rate may hold back ten.
const PATIENCE_TICKS: u64 = 40;
/// Who leaves may have so much on its way out.
const GRACE_US: u64 = 500_000;
/// A server may send so long to a client that has left: engines keep its place for two seconds.
const LET_GO_US: u64 = 4_000_000;
/// A remote client may take this long to load a map.
const LOADING_US: u64 = 20_000_000;
/// So many datagrams to a remote server are not lost one after the other.
const ENOUGH_DATAGRAMS: usize = 20;
/// So many connects to a remote server are not lost one after the other.
const ENOUGH_CONNECTS: u32 = 3;

/// A connect is answered, whatever length it has.
pub static CONNECTS_ARE_ANSWERED: Check = Check::new(
    "connects-are-answered",
    &[
        breaks(&CON_03, &[&[Point::ConnectWithoutLength]]),
        breaks(&LEN_05, &[&[Point::ConnectWithZero]]),
        can_break::GEN_02,
    ],
)
.knows(&[Knows::ClientSays]);
/// A client's commands are read after its number, if it has one.
pub static COMMANDS_ARE_ANSWERED: Check = Check::new(
    "commands-are-answered",
    &[breaks(&QPORT_02, &[&[Point::NumberedAnswered]]), breaks(&QPORT_04, &[&[Point::UnnumberedAnswered]])],
)
.knows(&[Knows::ClientSays]);
/// A client begins the map at the end of its sign-on.
pub static SIGN_ON_ENDS: Check =
    Check::new("sign-on-ends", &[can_break::ZPKT_04, can_break::GEN_02]).knows(&[Knows::ClientSays]);
/// A client in the game is sent frames, to the end.
pub static FRAMES_COME: Check = Check::new("frames-come", &[can_break::GEN_02]).knows(&[Knows::Silence]);
/// A client asks for the rest of a file.
pub static NEXT_BLOCK_IS_ASKED_FOR: Check =
    Check::new("next-block-is-asked-for", &[breaks(&ZDL_03, &[&[Point::ZDownloadDelivered]]), can_break::GEN_02])
        .knows(&[Knows::ClientSays]);
/// A server answers who asks for a challenge.
pub static CHALLENGES_ARE_GIVEN: Check =
    Check::new("challenges-are-given", &[can_break::GEN_02]).knows(&[Knows::Silence]);
/// A server answers nobody who has not asked.
pub static ANSWERS_WERE_ASKED_FOR: Check =
    Check::new("answers-were-asked-for", &[can_break::GEN_02]).knows(&[Knows::Limits]);
/// A client that is to connect does, step by step, and sends moves once it is in the game.
pub static CLIENTS_GO_ON: Check = Check::new("clients-go-on", &[can_break::GEN_02]).knows(&[Knows::ClientShows]);
/// A client that has left sends nothing more.
pub static WHO_LEFT_IS_SILENT: Check =
    Check::new("who-left-is-silent", &[can_break::GEN_02]).knows(&[Knows::ClientShows]);
/// A server sends nothing more to a client that has disconnected.
pub static WHO_LEFT_IS_LET_GO: Check =
    Check::new("who-left-is-let-go", &[can_break::GEN_02]).knows(&[Knows::ClientSays]);
/// A server brings a sign-on to its end.
pub static SIGN_ONS_ARE_SENT: Check = Check::new("sign-ons-are-sent", &[can_break::GEN_02]).knows(&[Knows::Silence]);
/// A server answers a client that asks for a file, or for its next block.
pub static FILES_ARE_SENT: Check = Check::new("files-are-sent", &[can_break::GEN_02]).knows(&[Knows::ServerShows]);
/// A client does what the scenario has it do.
pub static CLIENTS_OBEY: Check = Check::new("clients-obey", &[can_break::GEN_02]).knows(&[Knows::ClientShows]);
/// A client whose port has changed stays in the game.
pub static NEW_PORTS_ARE_TAKEN: Check =
    Check::new("new-ports-are-taken", &[breaks(&QPORT_05, &[&[Point::Rebound]])]).knows(&[Knows::Time]);

impl Context<'_> {
    /// The run is over.
    pub(super) fn finish(&mut self, client: &Client) {
        if self.now.since(client.last_disturbance) <= PATIENCE_US {
            return;
        }
        self.other_revision_is_left(client.other_revision, client);
        self.handshake_goes_on(client);
        let Some(session) = &client.session else { return self.connect_is_answered(client) };
        self.connect_is_answered_again(client, session);
        // A server that never says anything has not lost so many datagrams.
        let silent = session.asked_unread.filter(|_| session.unread_by_server.len() >= ENOUGH_DATAGRAMS);
        let asked = session.asked_at.or(silent).filter(|_| !session.answered && session.indeterminate.is_none());
        if let Some(asked) = asked.filter(|asked| self.is_overdue(*asked)) {
            let what = || format!("{} asked for the map at {asked}, and was sent no serverdata", client.host);
            self.server_fails(&COMMANDS_ARE_ANSWERED, diagnosis::commands_unread(&session.connect), what);
        }
        if session.over && client.wants {
            self.other_revision_is_left(session.other_revision, client);
        }
        if session.indeterminate.is_some() || session.provoked.gives_up.is_some() {
            return;
        }
        self.other_revision_is_left(session.other_revision, client);
        self.client_goes_on(session);
        self.client_moves(session);
        self.sign_on_is_sent(session);
        self.server_goes_on(session);
        self.new_port_is_taken(session);
        // They go with frames, which a server may hold back; and a client that says nothing acknowledges nothing.
        let patience = if session.pauses { self.frames_patience_us() } else { PATIENCE_US };
        self.reliable_messages(session, patience + self.now.since(session.last_received));
    }

    /// So long a client in the game may go without a frame, in microseconds.
    fn frames_patience_us(&self) -> u64 {
        PATIENCE_US.max(PATIENCE_TICKS * self.options.tick_us)
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
        // With another challenge it may have been refused for that.
        let fair = |arrived: &ConnectSeen| client.challenges.contains(&arrived.challenge) && !client.turned_away;
        let overdue = |arrived: &ConnectSeen| self.is_overdue(arrived.at) && enough && fair(arrived);
        let Some(arrived) = client.arrived.filter(overdue) else { return };
        if client.is_spoiled {
            // A damaged connect may have used its challenge up.
            return;
        }
        let requirement = match arrived.tail.max_length {
            None if arrived.is_r1q2() => &CON_03,
            Some(0) if arrived.is_r1q2() => &LEN_05,
            // A length that nobody can have is none to be admitted with.
            Some(asked) if arrived.is_r1q2() && !(LEAST_ASKED..=MAX_PAYLOAD).contains(&asked) => return,
            // There are other reasons to turn a client away, and of a remote server nobody knows all. One that took it before,
            // and says nothing at all, has none.
            _ if client.handshake.answered || !client.silence_is_wrong() => return,
            _ => &GEN_02,
        };
        let what = || format!("the connect of {} has no answer", client.host);
        self.server_fails(&CONNECTS_ARE_ANSWERED, requirement, what);
    }

    /// A client whose acceptance was lost connects again, and is answered again.
    fn connect_is_answered_again(&mut self, client: &Client, session: &Session) {
        let silent = !session.accepted && session.server.received == 0 && session.indeterminate.is_none();
        let again = client.unanswered >= ENOUGH_CONNECTS && !client.handshake.answered;
        if silent && again && client.wants && !client.is_spoiled && client.silence_is_wrong() {
            let what = || format!("{} connected again, and has no answer", client.host);
            self.server_fails(&CONNECTS_ARE_ANSWERED, &GEN_02, what);
        }
    }

    /// The server sends something that belongs to no connection.
    pub(super) fn answer_is_sent(&mut self, client: &mut Client) {
        match client.handshake.requests.checked_sub(1) {
            Some(left) => client.handshake.requests = left,
            None => {
                let what = || format!("answers {}, which has sent no request", client.host);
                self.server_fails(&ANSWERS_WERE_ASKED_FOR, &GEN_02, what);
            }
        }
    }

    /// The server sends anything at all: nothing of a connection whose client has disconnected.
    pub(super) fn who_left_is_let_go(&mut self, client: &mut Client, bytes: &[u8]) {
        let overdue = |disconnect: &Time| !is_out_of_band(bytes) && self.now.since(*disconnect) > LET_GO_US;
        if client.handshake.disconnect.take_if(|disconnect| overdue(disconnect)).is_some() {
            let what = || format!("goes on sending to {}, which has disconnected", client.host);
            self.server_fails(&WHO_LEFT_IS_LET_GO, &GEN_02, what);
        }
    }

    /// A client sends anything at all.
    pub(super) fn anything_is_sent(&mut self, client: &mut Client, bytes: &[u8]) {
        let out_of_band = is_out_of_band(bytes);
        // Outside of a session, only a request is a step towards one; but a damaged connect can have been accepted.
        if out_of_band || client.session.is_some() || client.indeterminate.is_some() {
            client.handshake.instructed = None;
        }
        if !out_of_band {
            client.handshake.accepted = None;
        }
        if client.handshake.left.take_if(|left| self.now.since(*left) > GRACE_US).is_some() {
            self.client_fails(&WHO_LEFT_IS_SILENT, client.host, &GEN_02, || String::from("goes on after it left"));
        }
        if out_of_band {
            client.handshake.gone = None;
        } else if from_client::is_disconnect(bytes) {
            client.handshake.gone.get_or_insert(self.now);
        } else if client.handshake.gone.take_if(|gone| self.now.since(*gone) > GRACE_US).is_some() {
            let what = || String::from("goes on after it sent its disconnect");
            self.client_fails(&WHO_LEFT_IS_SILENT, client.host, &GEN_02, what);
        }
    }

    /// What comes before a connection: who is asked answers.
    fn handshake_goes_on(&mut self, client: &Client) {
        let host = client.host;
        let overdue = |since: Option<Time>| since.filter(|since| self.is_overdue(*since));
        let Handshake { instructed, asked, challenged, accepted, .. } = client.handshake;
        let [instructed, asked, challenged, accepted] = [instructed, asked, challenged, accepted].map(overdue);
        if let Some(since) = asked {
            let what = || format!("has not answered {host}, which asked for a challenge at {since}");
            self.server_fails(&CHALLENGES_ARE_GIVEN, &GEN_02, what);
        }
        let steps = [
            (instructed, "requests no challenge, although it was instructed to connect"),
            (challenged, "does not connect with the challenge that it received"),
            (accepted, "sends nothing, although it was accepted"),
        ];
        for (since, what) in steps {
            if let Some(since) = since.filter(|_| client.wants) {
                self.client_fails(&CLIENTS_GO_ON, host, &GEN_02, || format!("{what} at {since}"));
            }
        }
    }

    /// A client in the game sends moves.
    fn client_moves(&mut self, session: &Session) {
        let in_game = session.playing.filter(|_| session.begins && session.other_revision.is_none());
        let since = in_game.map(|since| since.max(session.moved_at));
        if let Some(since) = since.filter(|since| self.is_overdue(*since)) {
            let what = || format!("is in the game, and has sent no move since {since}");
            self.client_fails(&CLIENTS_GO_ON, session.host, &GEN_02, what);
        }
    }

    /// A server sends the whole of a sign-on.
    fn sign_on_is_sent(&mut self, session: &Session) {
        // A remote client may be gone without a word.
        let there = !session.client.is_remote() || !self.is_overdue(session.last_received);
        let since = session.map_at.map(|map| map.max(session.block_at));
        let since = since.filter(|_| session.precached.is_none() && there);
        if let Some(since) = since.filter(|since| self.is_overdue(*since) && session.other_revision.is_none()) {
            let what = || format!("has sent {} no more of its sign-on since {since}", session.host);
            self.server_fails(&SIGN_ONS_ARE_SENT, &GEN_02, what);
        }
    }

    fn client_goes_on(&mut self, session: &Session) {
        let host = session.host;
        // Somebody else's client may have a map to load, or be gone without a word.
        let remote = session.client.is_remote();
        let loading = if remote { LOADING_US } else { 0 };
        if remote && self.is_overdue(session.last_received) {
            return;
        }
        let now = self.now;
        if let Some(since) = session.wants_file.filter(|since| self.is_overdue(*since)) {
            self.client_fails(&CLIENTS_OBEY, host, &GEN_02, || format!("has not asked for a file since {since}"));
        }
        if let Some(since) = session.new_due.filter(|since| self.is_overdue(*since) && session.client.sent != Some(0)) {
            self.client_fails(&CLIENTS_GO_ON, host, &GEN_02, || format!("has not asked for a map since {since}"));
        }
        let is_overdue = |since: Time| now.since(since) > PATIENCE_US.max(loading);
        if let Some((since, (index, value))) = session.setting_due.filter(|(since, _)| now.since(*since) > PATIENCE_US)
        {
            let what = || format!("has not set {index} to {value} since {since}");
            self.client_fails(&CLIENTS_OBEY, host, &GEN_02, what);
        }
        let on_the_way = !session.begins && !session.left;
        let precached = session.precached.filter(|(since, _)| is_overdue(*since) && on_the_way);
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
        let patience = self.frames_patience_us();
        // Whether a server goes on with a client at another port, another check says.
        // Frames of a server that uses no base can all be too long.
        // Beside reliable blocks there is room for short frames alone.
        let crowded = session.long && !self.is_overdue(session.block_at);
        let due = session.rebound.is_none() && !session.forgoes_bases && !crowded && !session.recalled;
        let begun = session.begun.filter(|_| due);
        let frames = begun.map(|begun| (begun, session.frame_at.map_or(begun, |frame| frame.max(begun))));
        if let Some((begun, last)) = frames.filter(|(_, last)| self.now.since(*last) > patience) {
            let what = || format!("no frame for {host} since {last}, in the game since {begun}");
            self.server_fails(&FRAMES_COME, &GEN_02, what);
        }
        let due = session.ordered.as_ref().and_then(|ordered| ordered.due);
        if let Some(since) = due.filter(|since| self.is_overdue(*since)) {
            let what = || format!("{host} waits for a block of its file, or a refusal, since {since}");
            self.server_fails(&FILES_ARE_SENT, &GEN_02, what);
        }
    }

    /// A server goes on with a client whose port has changed.
    fn new_port_is_taken(&mut self, session: &Session) {
        let host = session.host;
        let Some(rebound) = session.rebound.filter(|rebound| self.is_overdue(*rebound)) else { return };
        if session.server.may_miss() {
            // What comes from the new port can be lost on its way.
            return;
        }
        self.report.saw_if(session.delivered_dialect.is_r1q2(), Point::Rebound);
        if self.is_overdue(session.acknowledged_at) {
            let what = || {
                format!("{host} has another port since {rebound}, and none of its datagrams was acknowledged recently")
            };
            self.server_fails(&NEW_PORTS_ARE_TAKEN, &QPORT_05, what);
        }
    }
}
