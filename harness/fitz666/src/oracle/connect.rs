//! How a connection is made.

use super::coverage::{Point, Report, means};
use super::vantage::End;
use crate::constants::{CHALLENGE_CONNECT, REPEAT_US};
use crate::requirements::*;
use kit::{HostId, PeerId, Reader, Time};
use netquake::ControlPacket;
use netquake::constants::{GAME_NAME, NET_PROTOCOL_VERSION};

kit::checks! {
    from means;
    /// Good requests are accepted, repeated ones with the same bytes, and nothing else is.
    pub GOOD_REQUESTS_ARE_ACCEPTED = "good-requests-are-accepted" knows ClientSays: NET_08;
    /// The client goes on with the port that it was given.
    pub THE_ACCEPTED_PORT_IS_USED = "the-accepted-port-is-used" knows ClientShows: NET_09;
}

/// A good request is answered within this, in microseconds.
const ANSWER_US: u64 = 1_000_000;
/// The network can double a request and its answer: so many answers of a remote server in the same words can follow the first.
const COPIES: u32 = 3;
/// So near to the two seconds after which a request means something else, nothing is expected, in microseconds.
const BORDER_US: u64 = 200_000;

/// The requests of one client, and the server's answers.
#[derive(Debug)]
pub struct Requests {
    client: HostId,
    /// The ACCEPT that began the connection, and when it was sent.
    accepted: Option<(Vec<u8>, Time)>,
    /// A good request that the server has received and not answered.
    waiting: Option<Time>,
    /// Requests of any version that were delivered to the server and not answered.
    unanswered: u32,
    /// A request of whatever kind was seen: without one, a recording begins after it.
    asked: bool,
    /// Good requests delivered to a remote server that it can still answer.
    open: u32,
    /// Answers in the same words, beyond those asked for, since the newest request.
    copies: u32,
    /// How long the server took to answer what it accepted, in microseconds.
    took_us: u64,
    /// Whether the client has to prove that it is where it says.
    challenge: Challenge,
    /// The server, as the oracle sees it.
    server: End,
    /// What is wrong is not found: nothing is known of the connection any more.
    pub silent: bool,
    /// The port of the ACCEPT that the client received last, while nothing else has happened to it.
    port: Option<u16>,
}

/// Some servers accept a client, ask it to repeat a number, and then accept it once more, with counters that start over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Challenge {
    None,
    /// The server asked.
    Asked,
    /// It received the answer.
    Answered,
}

/// Whether a message has the command by which a server has a client repeat a number.
fn challenges(message: &[u8]) -> bool {
    message.windows(CHALLENGE_CONNECT.len()).any(|window| window == CHALLENGE_CONNECT)
}

/// What a request that the server receives means for the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// The connection goes on.
    Again,
    /// The connection is over.
    Over,
    /// The connection goes on, or is over: it came about when the one becomes the other.
    Unclear,
}

/// What the server answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Nothing that matters.
    Nothing,
    /// A connection begins.
    Opened,
    /// The connection begins once more, as the client answered the server's challenge.
    Restarted,
    /// The connection that there is goes on.
    Again,
}

impl Requests {
    /// Before the first.
    pub fn new(client: HostId, server: End) -> Requests {
        let (accepted, waiting, port) = (None, None, None);
        let (open, copies, took_us, unanswered) = (0, 0, 0, 0);
        let (challenge, silent, asked) = (Challenge::None, false, false);
        Requests {
            client,
            accepted,
            waiting,
            unanswered,
            asked,
            open,
            copies,
            took_us,
            challenge,
            server,
            silent,
            port,
        }
    }

    /// The server sends an unreliable message.
    pub fn server_says(&mut self, message: &[u8]) {
        if challenges(message) {
            self.challenge = Challenge::Asked;
        }
    }

    /// The server receives a message or a part of one.
    pub fn server_hears(&mut self, message: &[u8]) {
        if self.challenge == Challenge::Asked && challenges(message) {
            self.challenge = Challenge::Answered;
        }
    }

    /// Whether a message of the client is the answer to a challenge, which nobody acknowledges until it is accepted.
    pub fn is_challenged(&self) -> bool {
        self.challenge != Challenge::None
    }

    fn fail(&self, report: &mut Report, now: Time, what: String) {
        let client = self.client;
        let what = || format!("to {client}: {what}");
        if !self.silent {
            report.fail(&GOOD_REQUESTS_ARE_ACCEPTED, now, HostId::SERVER, &NET_08, what);
        }
    }

    /// The connection is over.
    pub fn closed(&mut self) {
        self.accepted = None;
        self.challenge = Challenge::None;
    }

    /// The server receives a control packet.
    pub fn server_received(&mut self, bytes: &[u8], report: &mut Report, now: Time) -> Asked {
        let Ok(ControlPacket::ConnectRequest { game, version, .. }) = ControlPacket::read(&mut Reader::new(bytes))
        else {
            return Asked::Nothing;
        };
        self.asked = true;
        if game != GAME_NAME {
            return Asked::Nothing;
        }
        self.unanswered = self.unanswered.saturating_add(1);
        if version != NET_PROTOCOL_VERSION {
            return Asked::Nothing;
        }
        self.open = self.open.saturating_add(1);
        self.copies = 0;
        let Some((_, since)) = &self.accepted else {
            self.waiting = Some(self.waiting.unwrap_or(now));
            return Asked::Nothing;
        };
        if self.challenge != Challenge::None {
            // It has no session yet: it accepts the client as often as it is asked, and asks it again.
            return Asked::Nothing;
        }
        if self.server.untimed {
            return Asked::Unclear;
        }
        // A remote server accepted the client before that was seen here, and reads this later.
        let passed = now.since(*since) + if self.server.remote { 2 * self.took_us } else { 0 };
        if passed + BORDER_US < REPEAT_US {
            report.saw(Point::RequestRepeated);
            self.waiting = Some(self.waiting.unwrap_or(now));
            return Asked::Again;
        }
        if passed < REPEAT_US + BORDER_US && !self.server.remote {
            return Asked::Unclear;
        }
        self.accepted = None;
        Asked::Over
    }

    /// The server sends a control packet.
    pub fn server_answers(&mut self, bytes: &[u8], report: &mut Report, now: Time) -> Answered {
        let asked = self.unanswered > 0;
        self.unanswered = self.unanswered.saturating_sub(1);
        match ControlPacket::read(&mut Reader::new(bytes)) {
            Ok(ControlPacket::Accept { .. }) if self.challenge == Challenge::Answered => {
                self.challenge = Challenge::None;
                self.accepted = Some((bytes.to_vec(), now));
                Answered::Restarted
            }
            Ok(ControlPacket::Accept { .. }) => {
                let waited = self.waiting.take();
                self.took_us = waited.map_or(self.took_us, |since| now.since(since));
                // A remote server may answer late, and one that closed a connection or challenges a client is asked again.
                let freely = (self.server.remote || self.challenge == Challenge::Asked) && self.open > 0;
                self.open = self.open.saturating_sub(1);
                let before = self.server.remote && !self.asked;
                if waited.is_none() && !freely && !before && !self.is_copy(bytes) {
                    self.fail(report, now, String::from("accepts an invalid request"));
                }
                if self.challenge == Challenge::Asked {
                    return Answered::Again;
                }
                if let Some((first, _)) = &self.accepted {
                    if first != bytes {
                        let what = String::from("accepts a repeated request with a different reply");
                        self.fail(report, now, what);
                    }
                    return Answered::Again;
                }
                report.saw(Point::Accepted);
                self.accepted = Some((bytes.to_vec(), now));
                Answered::Opened
            }
            Ok(ControlPacket::Reject { .. }) if self.server.remote => {
                // It is full, or lets nobody in: which it is does not show.
                self.waiting = None;
                Answered::Nothing
            }
            Ok(ControlPacket::Reject { reason }) if self.waiting.take().is_some() => {
                let reason = String::from_utf8_lossy(reason).into_owned();
                self.fail(report, now, format!("refuses a good request: {reason:?}"));
                Answered::Nothing
            }
            Ok(ControlPacket::Reject { .. }) if !asked => {
                self.fail(report, now, String::from("refuses a client that sent no request"));
                Answered::Nothing
            }
            Ok(_) => Answered::Nothing,
            Err(error) => {
                self.fail(report, now, format!("an answer cannot be read: {error}"));
                Answered::Nothing
            }
        }
    }

    /// Whether an ACCEPT that nobody asked for can have come from the network.
    fn is_copy(&mut self, bytes: &[u8]) -> bool {
        let same = self.accepted.as_ref().is_some_and(|(accepted, _)| accepted == bytes);
        self.copies += u32::from(same);
        self.server.remote && same && self.copies <= COPIES
    }

    /// The client receives a control packet. Whether it is an ACCEPT.
    pub fn client_received(&mut self, bytes: &[u8]) -> bool {
        match ControlPacket::read(&mut Reader::new(bytes)) {
            Ok(ControlPacket::Accept { port, .. }) => {
                self.port = Some(port as u16);
                true
            }
            _ => false,
        }
    }

    /// Something else happens to the client.
    pub fn client_goes_on(&mut self) {
        self.port = None;
    }

    /// The client says with whom it goes on.
    pub fn client_moves(&mut self, peer: PeerId, report: &mut Report, now: Time) {
        let Some(port) = self.port.take() else { return };
        report.saw_if(port != PeerId::SERVER.port, Point::PortGiven);
        if peer.port != port {
            let host = self.client;
            let what = || format!("was given port {port}, and goes on with {}", peer.port);
            report.fail(&THE_ACCEPTED_PORT_IS_USED, now, host, &NET_09, what);
        }
    }

    /// The server reads nothing now: what it has not answered it reads later.
    pub fn put_off(&mut self, now: Time) {
        self.waiting = self.waiting.map(|_| now);
    }

    /// Time has passed: what is overdue?
    pub fn overdue(&mut self, report: &mut Report, now: Time) {
        // That a server over a real network does not answer shows in nothing that it sends.
        if self.server.is_silence_known()
            && self.waiting.is_some_and(|since| self.server.is_overdue(since, ANSWER_US, None, now))
        {
            self.waiting = None;
            self.fail(report, now, String::from("does not accept a good request"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // As the transport's description has them: flags with length, command, then the name and 3, or a port.
    const CONNECT: &[u8] = b"\x80\0\0\x0c\x01QUAKE\0\x03";
    const OTHER: &[u8] = b"\x80\0\0\x0c\x01OTHER\0\x03";
    const OLDER: &[u8] = b"\x80\0\0\x0c\x01QUAKE\0\x02";
    const REJECT: &[u8] = b"\x80\0\0\x07\x82N\0";
    const ACCEPT: &[u8] = b"\x80\0\0\x09\x81\0\0\0\0";
    const ELSEWHERE: &[u8] = b"\x80\0\0\x09\x81\x01\0\0\0";

    /// The server receives and answers so at these times: what is found.
    fn check(story: &[(u64, bool, &[u8])], end: u64, expected: &[&str]) {
        check_of(End::default(), story, end, expected);
    }

    fn check_of(server: End, story: &[(u64, bool, &[u8])], end: u64, expected: &[&str]) {
        let mut requests = Requests::new(HostId(1), server);
        let mut report = Report::new(crate::oracle::CHECKS, kit::Knowledge::World, kit::Vantage::default());
        for &(ms, received, bytes) in story {
            if received {
                requests.server_received(bytes, &mut report, Time::from_ms(ms));
            } else {
                requests.server_answers(bytes, &mut report, Time::from_ms(ms));
            }
        }
        requests.overdue(&mut report, Time::from_ms(end));
        let found: Vec<&str> = report.findings.iter().map(|finding| finding.requirement().id).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn good_requests_are_accepted_in_the_same_words() {
        check(&[(0, true, CONNECT), (1, false, ACCEPT), (600, true, CONNECT), (601, false, ACCEPT)], 5000, &[]);
        check(&[(0, true, CONNECT)], 5000, &["FITZ-NET-08"]);
        check(&[(0, true, OTHER)], 5000, &[]);
        check(&[(0, true, OTHER), (1, false, ACCEPT)], 5000, &["FITZ-NET-08"]);
        check(&[(0, true, OLDER), (1, false, REJECT)], 5000, &[]);
        check(&[(0, true, OLDER), (1, false, REJECT), (2, false, REJECT)], 5000, &["FITZ-NET-08"]);
        let elsewhere = [(0, true, CONNECT), (1, false, ACCEPT), (600, true, CONNECT), (601, false, ELSEWHERE)];
        check(&elsewhere, 5000, &["FITZ-NET-08"]);
        check(&[(0, true, CONNECT), (1, false, ACCEPT), (600, true, CONNECT)], 5000, &["FITZ-NET-08"]);
    }

    #[test]
    fn a_remote_server_may_answer_late_and_the_network_more_than_once() {
        let far = End { remote: true, ..End::default() };
        check_of(far, &[(0, true, CONNECT), (1600, false, ACCEPT)], 9000, &[]);
        check_of(far, &[(0, true, CONNECT)], 60_000, &[]);
        let twice = [(0, true, CONNECT), (2500, true, CONNECT), (2600, false, ACCEPT), (2601, false, ACCEPT)];
        check_of(far, &twice, 9000, &[]);
        check_of(far, &[(0, true, OTHER), (1, false, ACCEPT)], 5000, &["FITZ-NET-08"]);
        // The network can bring an answer more than once, but not so often, and not with another port.
        let copied = |words: &'static [u8], times: usize| {
            let copies = std::iter::repeat_n((2, false, words), times);
            [(0, true, CONNECT), (1, false, ACCEPT)].into_iter().chain(copies).collect::<Vec<_>>()
        };
        check_of(far, &copied(ACCEPT, 3), 5000, &[]);
        check_of(far, &copied(ACCEPT, 4), 5000, &["FITZ-NET-08"]);
        check_of(far, &copied(ELSEWHERE, 1), 5000, &["FITZ-NET-08", "FITZ-NET-08"]);
        check(&copied(ACCEPT, 1), 5000, &["FITZ-NET-08"]);
        let elsewhere = [(0, true, CONNECT), (1, false, ACCEPT), (600, true, CONNECT), (601, false, ELSEWHERE)];
        check_of(far, &elsewhere, 5000, &["FITZ-NET-08"]);
        // Asked again when it may have closed the connection.
        let later = [(0, true, CONNECT), (1, false, ACCEPT), (2500, true, CONNECT), (2501, false, ELSEWHERE)];
        check_of(far, &later, 5000, &[]);
    }

    #[test]
    fn a_server_that_challenges_a_client_accepts_it_once_more() {
        let mut requests = Requests::new(HostId(1), End::default());
        let mut report = Report::new(crate::oracle::CHECKS, kit::Knowledge::World, kit::Vantage::default());
        requests.server_received(CONNECT, &mut report, Time::ZERO);
        assert_eq!(requests.server_answers(ACCEPT, &mut report, Time::ZERO), Answered::Opened);
        requests.server_says(b"\x09cmd challengeconnect 5\n\0");
        // The challenge was lost: it is asked again.
        requests.server_received(CONNECT, &mut report, Time::from_ms(5000));
        assert_eq!(requests.server_answers(ACCEPT, &mut report, Time::from_ms(5000)), Answered::Again);
        requests.server_hears(b"\x04challengeconnect 5\0");
        assert_eq!(requests.server_answers(ELSEWHERE, &mut report, Time::from_ms(5100)), Answered::Restarted);
        assert!(report.findings.is_empty());
        // And not once more.
        requests.server_answers(ELSEWHERE, &mut report, Time::from_ms(5200));
        assert_eq!(report.findings.len(), 1);
    }

    #[test]
    fn a_late_repetition_may_end_the_connection() {
        check(&[(0, true, CONNECT), (1, false, ACCEPT), (2600, true, CONNECT)], 5000, &[]);
        let again = [(0, true, CONNECT), (1, false, ACCEPT), (2600, true, CONNECT), (5100, true, CONNECT)];
        check(&again, 9000, &["FITZ-NET-08"]);
    }
}
