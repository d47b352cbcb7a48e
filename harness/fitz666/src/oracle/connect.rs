//! How a connection is made.

use super::coverage::{Point, Report, means};
use crate::constants::REPEAT_US;
use crate::requirements::*;
use kit::{HostId, PeerId, Reader, Time};
use netquake::ControlPacket;
use netquake::constants::{GAME_NAME, NET_PROTOCOL_VERSION};

kit::checks! {
    from means;
    /// Good requests are accepted, repeated ones with the same bytes, and nothing else is.
    pub GOOD_REQUESTS_ARE_ACCEPTED = "good-requests-are-accepted": NET_08;
    /// The client goes on with the port that it was given.
    pub THE_ACCEPTED_PORT_IS_USED = "the-accepted-port-is-used": NET_09;
}

/// A good request is answered within this, in microseconds.
const ANSWER_US: u64 = 1_000_000;
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
    /// The port of the ACCEPT that the client received last, while nothing else has happened to it.
    port: Option<u16>,
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
    /// The connection that there is goes on.
    Again,
}

impl Requests {
    /// Before the first.
    pub fn new(client: HostId) -> Requests {
        Requests { client, accepted: None, waiting: None, port: None }
    }

    fn fail(&self, report: &mut Report, now: Time, what: String) {
        let client = self.client;
        let what = || format!("to {client}: {what}");
        report.fail(&GOOD_REQUESTS_ARE_ACCEPTED, now, HostId::SERVER, &NET_08, what);
    }

    /// The connection is over.
    pub fn closed(&mut self) {
        self.accepted = None;
    }

    /// The server receives a control packet.
    pub fn server_received(&mut self, bytes: &[u8], report: &mut Report, now: Time) -> Asked {
        let Ok(ControlPacket::ConnectRequest { game, version, .. }) = ControlPacket::read(&mut Reader::new(bytes))
        else {
            return Asked::Nothing;
        };
        if game != GAME_NAME || version != NET_PROTOCOL_VERSION {
            return Asked::Nothing;
        }
        let Some((_, since)) = &self.accepted else {
            self.waiting = Some(self.waiting.unwrap_or(now));
            return Asked::Nothing;
        };
        let passed = now.since(*since);
        if passed + BORDER_US < REPEAT_US {
            report.saw(Point::RequestRepeated);
            self.waiting = Some(self.waiting.unwrap_or(now));
            return Asked::Again;
        }
        if passed < REPEAT_US + BORDER_US {
            return Asked::Unclear;
        }
        self.accepted = None;
        Asked::Over
    }

    /// The server sends a control packet.
    pub fn server_answers(&mut self, bytes: &[u8], report: &mut Report, now: Time) -> Answered {
        match ControlPacket::read(&mut Reader::new(bytes)) {
            Ok(ControlPacket::Accept { .. }) => {
                let asked = self.waiting.take().is_some();
                if !asked {
                    self.fail(report, now, String::from("accepts what was no good request"));
                }
                if let Some((first, _)) = &self.accepted {
                    if first != bytes {
                        let what = String::from("accepts a repeated request in other words");
                        self.fail(report, now, what);
                    }
                    return Answered::Again;
                }
                report.saw(Point::Accepted);
                self.accepted = Some((bytes.to_vec(), now));
                Answered::Opened
            }
            Ok(ControlPacket::Reject { reason }) if self.waiting.take().is_some() => {
                let reason = String::from_utf8_lossy(reason).into_owned();
                self.fail(report, now, format!("refuses a good request: {reason:?}"));
                Answered::Nothing
            }
            Ok(_) => Answered::Nothing,
            Err(error) => {
                self.fail(report, now, format!("an answer cannot be read: {error}"));
                Answered::Nothing
            }
        }
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

    /// Time has passed: what is overdue?
    pub fn overdue(&mut self, report: &mut Report, now: Time) {
        if self.waiting.is_some_and(|since| now.since(since) > ANSWER_US) {
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
    const ACCEPT: &[u8] = b"\x80\0\0\x09\x81\0\0\0\0";
    const ELSEWHERE: &[u8] = b"\x80\0\0\x09\x81\x01\0\0\0";

    /// The server receives and answers so at these times: what is found.
    fn check(story: &[(u64, bool, &[u8])], end: u64, expected: &[&str]) {
        let mut requests = Requests::new(HostId(1));
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
        let elsewhere = [(0, true, CONNECT), (1, false, ACCEPT), (600, true, CONNECT), (601, false, ELSEWHERE)];
        check(&elsewhere, 5000, &["FITZ-NET-08"]);
        check(&[(0, true, CONNECT), (1, false, ACCEPT), (600, true, CONNECT)], 5000, &["FITZ-NET-08"]);
    }

    #[test]
    fn a_late_repetition_may_end_the_connection() {
        check(&[(0, true, CONNECT), (1, false, ACCEPT), (2600, true, CONNECT)], 5000, &[]);
        let again = [(0, true, CONNECT), (1, false, ACCEPT), (2600, true, CONNECT), (5100, true, CONNECT)];
        check(&again, 9000, &["FITZ-NET-08"]);
    }
}
