//! How client and server agree, and whether they keep to it.

use super::coverage::{Point, Report, checks};
use super::diagnosis::announcement;
use super::indeterminate::Indeterminate;
use super::session::Session;
use super::session::sign_on::{SignOn, Step};
use crate::constants::*;
use crate::dialect::Transport;
use crate::extensions::Extensions;
use crate::requirements::*;
use kit::{Check, HostId, Reader, Suspects, Time};
use quakeworld::handshake::{ClientPacket, Connect, ServerPacket, Tokens};

checks! {
    CONNECT_ANSWERS_A_CHALLENGE = "connect-answers-a-challenge" knows ClientSays: HS_01 [ChallengeAsked], HS_03 [ConnectSent];
    CONNECT_LISTS_EXTENSIONS = "connect-lists-extensions" knows Limits: HS_04 [ConnectWithExtensions];
    CLIENTS_ASK_FOR_WHAT_THEY_CAN = "clients-ask-for-what-they-can" knows Limits: HS_12 [DeltaSession ClientCompared];
    CHALLENGE_OFFERS_EXTENSIONS = "challenge-offers-extensions" knows Limits: HS_02 [ChallengeSent];
    GOOD_CONNECTS_ARE_ACCEPTED = "good-connects-are-accepted" knows Time: HS_05 [ConnectDelivered];
    PEXT_PRECEDES_SERVERINFO = "pext-precedes-serverinfo" knows ClientSays: HS_07 [PextAsked];
    PEXT_IS_ANSWERED = "pext-is-answered" knows ClientSays: HS_08 [PextDelivered];
    PEXT_ANSWER_IS_PAIRS = "pext-answer-is-pairs" knows ClientSays: HS_09 [PextAnswered], HS_10 [PextAnswered];
    ECHO_IS_NO_MORE_THAN_AGREED = "echo-is-no-more-than-agreed" knows ClientSays: HS_16 [AskedTooMuch], HS_06, HS_18;
    ECHO_IS_NO_LESS_THAN_AGREED = "echo-is-no-less-than-agreed" knows Limits: HS_11 [PextQuoted], HS_05;
    MASKS_ARE_ANNOUNCED_IN_ORDER = "masks-are-announced-in-order": HS_13;
    SIGN_ON_GOES_ON = "sign-on-goes-on" knows ClientShows Time: HS_14 [ClientCompared], HS_24 [QuakeWorldFrame ClientCompared], HS_18,
        SVC_06, SVC_10;
    UNKNOWN_PROTOCOLS_END_THE_SIGN_ON = "unknown-protocols-end-the-sign-on" knows ClientSays: HS_15 [StrangeProtocol];
    PLAIN_CLIENTS_ARE_SERVED = "plain-clients-are-served" knows Time: HS_20 [PlainSession];
    LISTS_WAIT_FOR_PLAIN_CLIENTS = "lists-wait-for-plain-clients" knows ClientSays: HS_26 [PlainSession ListsAsked];
    LISTS_COME_UNASKED = "lists-come-unasked" knows Time: HS_23 [QuakeWorldFrame];
}

/// Challenges remembered: a server may change its mind.
const CHALLENGES: usize = 8;
/// A good connect must be accepted within this time.
const ACCEPT_US: u64 = 1_000_000;
/// The sign-on goes on within this time, and within that of so many round trips: reliable messages wait for each other's
/// acknowledgements.
const PROGRESS_US: u64 = 1_000_000;
const ROUND_TRIPS: u64 = 4;

/// How far client and server have come.
#[derive(Debug, Default)]
pub struct Establishment {
    asked_challenge: bool,
    /// Challenges that the client received, and what was offered with the last.
    challenges: Vec<i32>,
    /// Those that it received at another port than it has now: a server may tell the two apart.
    elsewhere: Vec<i32>,
    /// So is the next.
    next_elsewhere: bool,
    pub offered: Extensions,
    /// When the server received a good connect that it has not answered.
    connect: Option<Time>,
    /// What the client asked for, as the server received it; `None` before.
    pub asked: Option<Extensions>,
    /// What it asked for had a value in quotes.
    quoted: bool,
    /// A connect that the server received had a line that only its sender understands.
    private: bool,
    /// What the newest session echoed.
    echoed: Option<Extensions>,
    /// When the client had all that it needs for a step of its sign-on, until it takes it.
    invited: Option<(Time, Step)>,
    /// The challenge of the connect that the server received last.
    connected_with: Option<i32>,
    /// The challenge of the connect that it accepted last.
    accepted: Option<i32>,
    /// Or that is not known, as what the server received was not read.
    accepted_unread: bool,
    /// It asked for lists that it was given.
    asked_lists: bool,
    /// The server received its request for the list of sounds, and for that of models, in this map.
    lists_requested: [bool; 2],
    /// When it received one that it has not answered.
    lists_asked: [Option<Time>; 2],
    /// When the server received a step of the sign-on that it has not answered.
    step_asked: Option<Time>,
    /// When the server sent a session with deltas whose lists it has not sent, and which of them it has.
    lists_due: Option<(Time, [bool; 2])>,
    /// It was sent a protocol that nobody knows.
    strange: bool,
    pext_asked: bool,
    pext_delivered: bool,
    pext_answered: bool,
    /// When the server sent a datagram of the session last.
    spoke: Time,
}

impl Establishment {
    /// The client connects: nothing of what it did before counts, but its server may go on with the session that it had; `unread`
    /// if that was not judged in the end.
    pub fn connects(&mut self, unread: bool) {
        let (accepted, accepted_unread) = (self.accepted, self.accepted_unread || unread);
        *self = Establishment { accepted, accepted_unread, ..Establishment::default() };
    }

    /// The session is over, or the client is gone: nothing is to be answered any more.
    pub fn ends(&mut self) {
        self.connect = None;
        self.invited = None;
        self.step_asked = None;
        self.lists_asked = [None; 2];
        self.lists_due = None;
    }

    /// Whether the client has asked for a challenge, or has one.
    pub fn has_challenge(&self) -> bool {
        self.asked_challenge || !self.challenges.is_empty()
    }

    /// The client has a challenge that it did not receive here.
    pub fn brings_challenge(&mut self, challenge: i32) {
        self.asked_challenge = true;
        if !self.challenges.contains(&challenge) {
            self.receives_challenge(challenge);
        }
    }

    fn receives_challenge(&mut self, challenge: i32) {
        if self.challenges.len() == CHALLENGES {
            self.challenges.remove(0);
        }
        self.challenges.push(challenge);
        if std::mem::take(&mut self.next_elsewhere) {
            self.rebound();
        }
    }

    /// The client's port has changed since all challenges so far were sent.
    pub fn rebound(&mut self) {
        self.elsewhere.clone_from(&self.challenges);
    }

    /// The client receives a challenge that was sent to the port that it had before.
    pub fn distrust_next(&mut self) {
        self.next_elsewhere = true;
    }

    /// A client that somebody else runs is accepted, perhaps once more: what led to that counts, and nothing of an earlier
    /// session does.
    pub fn begin_anew(&mut self, transport: Transport) {
        let before = std::mem::take(self);
        if transport == Transport::QuakeWorld {
            let Establishment { asked_challenge, challenges, accepted, offered, asked, quoted, private, .. } = before;
            *self = Establishment {
                asked_challenge,
                challenges,
                accepted,
                offered,
                asked,
                quoted,
                private,
                ..Establishment::default()
            };
        }
    }
}

/// Both ends of the session of a client.
pub struct Ends<'a> {
    /// The session.
    pub session: &'a mut Session,
    /// How it came about.
    pub establishment: &'a mut Establishment,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The time.
    pub now: Time,
}

impl Ends<'_> {
    fn fail(
        &mut self,
        check: &'static Check,
        suspects: impl Into<Suspects>,
        host: HostId,
        what: impl FnOnce() -> String,
    ) {
        self.report.fail(check, self.now, host, suspects, what);
    }

    /// QuakeWorld: a client sends a datagram outside of any connection.
    pub fn client_sent_packet(&mut self, bytes: &[u8]) {
        let host = self.session.host;
        match ClientPacket::read(&mut Reader::new(bytes)) {
            Ok(ClientPacket::GetChallenge) => {
                self.establishment.asked_challenge = true;
                self.report.saw(Point::ChallengeAsked);
            }
            Ok(ClientPacket::Connect(connect)) => self.check_connect(bytes, &connect),
            Ok(ClientPacket::Other { .. }) => {}
            Err(error) => self.fail(&CONNECT_ANSWERS_A_CHALLENGE, &HS_03, host, || format!("cannot be read: {error}")),
        }
    }

    fn check_connect(&mut self, bytes: &[u8], connect: &Connect<'_>) {
        let host = self.session.host;
        self.report.saw(Point::ConnectSent);
        if !self.establishment.asked_challenge || self.establishment.challenges.is_empty() {
            return self
                .fail(&CONNECT_ANSWERS_A_CHALLENGE, &HS_01, host, || String::from("connects without a challenge"));
        }
        let text = bytes.get(4..).unwrap_or_default();
        let mut lines = text.split(|&byte| byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let ended = first.len() < text.len();
        let quotes = first.iter().filter(|&&byte| byte == b'"').count();
        let challenge = connect.challenge;
        if !self.establishment.challenges.contains(&challenge) {
            let last = self.establishment.challenges.last().copied().unwrap_or_default();
            self.fail(&CONNECT_ANSWERS_A_CHALLENGE, &HS_03, host, || {
                format!("connects with challenge {challenge}; it received {last}")
            });
        } else if connect.version != PROTOCOL_VERSION_QW || quotes != 2 || !ended {
            self.fail(&CONNECT_ANSWERS_A_CHALLENGE, &HS_03, host, || {
                let line = String::from_utf8_lossy(first).into_owned();
                format!("the connect line is not `connect 28 qport challenge \"userinfo\"` with a line end: {line:?}")
            });
        }
        let lone = lines.filter(|line| line.iter().any(|&byte| byte > b' ')).find(|line| {
            let mut tokens = Tokens::new(line);
            let number = tokens.next().is_some_and(is_hexadecimal);
            !number || tokens.next().is_none() || tokens.next().is_some()
        });
        let wanted = self.session.options.client_extensions.mask(self.establishment.offered);
        let asked = Extensions::of(&connect.entries);
        self.report.saw_if(asked != Extensions::default(), Point::ConnectWithExtensions);
        if let Some(line) = lone {
            let line = String::from_utf8_lossy(line).into_owned();
            self.fail(&CONNECT_LISTS_EXTENSIONS, &HS_04, host, || {
                format!("{line:?} is not a hexadecimal key with a value")
            });
        } else if wanted.fte2 != 0 && asked.fte2 == 0 {
            self.fail(&CONNECT_LISTS_EXTENSIONS, &HS_04, host, || {
                format!("supports {wanted}, but the connect has no line for it")
            });
        }
        self.check_mask(asked);
    }

    /// A client asks only for what it can.
    fn check_mask(&mut self, asked: Extensions) {
        let can = self.session.options.client_extensions;
        if asked.fte1 & !can.fte1 != 0 || asked.fte2 & !can.fte2 != 0 {
            let host = self.session.host;
            self.fail(&CLIENTS_ASK_FOR_WHAT_THEY_CAN, &HS_12, host, || format!("requests {asked}; it supports {can}"));
        }
    }

    /// QuakeWorld: the server receives a datagram outside of any connection.
    pub fn server_received_packet(&mut self, bytes: &[u8]) {
        let Ok(ClientPacket::Connect(connect)) = ClientPacket::read(&mut Reader::new(bytes)) else { return };
        let sure = !self.session.vantage.server_may_miss && connect.version == PROTOCOL_VERSION_QW;
        if sure && self.establishment.challenges.contains(&connect.challenge) {
            // A server may ignore a connect of a client that it has accepted.
            let Establishment { accepted, accepted_unread, elsewhere, .. } = &self.establishment;
            let repeats = *accepted_unread || *accepted == Some(connect.challenge);
            if !repeats && !elsewhere.contains(&connect.challenge) {
                self.establishment.connect.get_or_insert(self.now);
            }
            self.report.saw(Point::ConnectDelivered);
        }
        if sure {
            self.establishment.connected_with = Some(connect.challenge);
        }
        self.establishment.private = connect.entries.private.is_some();
        self.note_request(Extensions::of(&connect.entries), false);
    }

    fn note_request(&mut self, asked: Extensions, quoted: bool) {
        let options = &self.session.options;
        self.establishment.asked = Some(asked);
        self.establishment.quoted = quoted;
        let server = options.server_extensions;
        let too_much = asked.fte1 & !server.fte1 != 0 || asked.fte2 & !server.fte2 != 0;
        self.report.saw_if(too_much, Point::AskedTooMuch);
        self.report.saw_if(options.proxy_strips, Point::Stripped);
        self.report.saw_if(asked.float_coords() && !server.float_coords(), Point::FloatCoordsRefused);
        self.report.saw_if(quoted, Point::PextQuoted);
    }

    /// QuakeWorld: the server sends a datagram outside of any connection. Whether it accepts the client.
    pub fn server_sent_packet(&mut self, bytes: &[u8]) -> bool {
        match ServerPacket::read(&mut Reader::new(bytes)) {
            Ok(ServerPacket::Challenge { entries, .. }) => {
                self.report.saw(Point::ChallengeSent);
                let supported = self.session.options.server_extensions;
                let offers = Extensions::of(&entries).fte2 != 0;
                if supported.fte2 != 0 && !offers && !self.session.options.proxy_strips {
                    self.fail(&CHALLENGE_OFFERS_EXTENSIONS, &HS_02, HostId::SERVER, || {
                        format!("the challenge does not offer {supported} as binary keys and values")
                    });
                }
            }
            Ok(ServerPacket::Accept) => {
                self.establishment.connect = None;
                self.establishment.accepted = self.establishment.connected_with;
                self.establishment.accepted_unread = false;
                return true;
            }
            // Somebody else's server can be full.
            Ok(ServerPacket::Print { .. }) if self.session.vantage.remote_server => self.establishment.connect = None,
            Ok(ServerPacket::Print { .. }) => {}
            Err(error) => {
                self.fail(&CHALLENGE_OFFERS_EXTENSIONS, &HS_02, HostId::SERVER, || format!("cannot be read: {error}"))
            }
        }
        false
    }

    /// QuakeWorld: the client receives a datagram outside of any connection.
    /// The challenge in it.
    pub fn client_received_packet(&mut self, bytes: &[u8]) -> Option<i32> {
        let Ok(ServerPacket::Challenge { challenge, entries }) = ServerPacket::read(&mut Reader::new(bytes)) else {
            return None;
        };
        self.establishment.receives_challenge(challenge);
        self.establishment.offered = Extensions::of(&entries);
        Some(challenge)
    }

    /// The server asks for extensions; `delivered` when the client receives it.
    pub fn pext_asked(&mut self, delivered: bool) {
        self.establishment.pext_asked = true;
        self.establishment.pext_delivered |= delivered;
        self.report.saw(Point::PextAsked);
        self.report.saw_if(delivered, Point::PextDelivered);
    }

    /// The client sends a text command.
    pub fn client_sent_text(&mut self, text: &[u8]) {
        let host = self.session.host;
        let netquake = self.session.options.transport == Transport::NetQuake;
        let mut tokens = Tokens::new(text);
        let word = tokens.next().unwrap_or_default();
        match word {
            b"prespawn" if self.establishment.strange => {
                self.fail(&UNKNOWN_PROTOCOLS_END_THE_SIGN_ON, &HS_15, host, || {
                    String::from("goes on with a session of an unknown protocol")
                });
                let why = "the sign-on of an unknown protocol went on";
                self.session.damaged.get_or_insert(Indeterminate { why });
            }
            b"prespawn" | b"spawn" | b"begin" => self.establishment.invited = None,
            b"soundlist" | b"modellist" => self.establishment.asked_lists = true,
            _ => {}
        }
        if word != b"pext" {
            // Engines ask for protocols and for their challenge first, and are answered in turn.
            let first = matches!(word, b"protocols" | b"challengeconnect");
            if netquake && self.establishment.pext_delivered && !self.establishment.pext_answered && !first {
                self.establishment.pext_answered = true;
                self.fail(&PEXT_IS_ANSWERED, &HS_08, host, || {
                    let text = String::from_utf8_lossy(text).into_owned();
                    format!("`cmd pext` was received; the client sends {text:?} without having answered it")
                });
            }
            return;
        }
        self.establishment.pext_answered = true;
        let wanted = self.session.options.client_extensions;
        let words: Vec<&[u8]> = tokens.collect();
        self.report.saw_if(!words.is_empty(), Point::PextAnswered);
        let keys_are_numbers = words.iter().step_by(2).all(|key| is_hexadecimal(key));
        let shown = || String::from_utf8_lossy(text).into_owned();
        if words.is_empty() && self.session.vantage.remote_clients {
            // What it can is unknown.
            self.report.remark("a client answers `cmd pext` with a bare `pext`: it has no extension (legal)");
        } else if words.is_empty() && wanted != Extensions::default() {
            self.fail(&PEXT_IS_ANSWERED, &HS_08, host, || String::from("answers `cmd pext` with a bare `pext`"));
        } else if !words.len().is_multiple_of(2) {
            self.fail(&PEXT_ANSWER_IS_PAIRS, &HS_09, host, || format!("{:?} has a key without a value", shown()));
        } else if !keys_are_numbers {
            self.fail(&PEXT_ANSWER_IS_PAIRS, &HS_10, host, || {
                format!("{:?} has a key that is not a hexadecimal number", shown())
            });
        }
        let asked = Extensions::read_pext(text).unwrap_or_default();
        // What else the scenario would have it ask for, a client of somebody else's need not know.
        let own = Extensions { fte1: 0, fte2: PEXT2_REPLACEMENTDELTAS | PEXT2_PREDINFO };
        let missing = wanted.mask(own).without(asked);
        if missing != Extensions::default() && !words.is_empty() && !self.session.vantage.remote_clients {
            self.fail(&PEXT_IS_ANSWERED, &HS_08, host, || format!("{:?} does not ask for {missing}", shown()));
        }
        self.check_mask(asked);
    }

    /// The server receives a text command; `stale` if that is of the map before, as the client is to sign on again.
    pub fn server_received_text(&mut self, text: &[u8], stale: bool) {
        for (list, word) in [b"soundlist", b"modellist"].into_iter().enumerate() {
            if text.starts_with(word) {
                self.establishment.lists_requested[list] = true;
                if !stale {
                    self.establishment.lists_asked[list].get_or_insert(self.now);
                }
            }
        }
        // After the last step of this map come those of the map before.
        let step = text.starts_with(b"prespawn") || text.starts_with(b"spawn");
        if step {
            // It has its lists, or does without.
            self.establishment.lists_asked = [None; 2];
        }
        if step && !self.session.spawn.answered && !stale {
            self.establishment.step_asked.get_or_insert(self.now);
        }
        if let (Some(asked), None) = (Extensions::read_pext(text), self.establishment.asked) {
            self.note_request(asked, text.contains(&b'"'));
        }
    }

    /// The server sends a session. `bytes` is the datagram that it was completed by.
    fn session_sent(&mut self, bytes: &[u8]) {
        let echoed = self.session.dialect.extensions;
        let remote = self.session.vantage.remote_server;
        // Of a remote server the request may have been missed.
        let missed = if remote { self.session.options.server_extensions } else { Extensions::default() };
        let asked = self.establishment.asked.unwrap_or(missed);
        // The scenario may change what the server supports from one map to the next.
        let unknown = self.session.truth.is_some() && self.session.epoch > 1;
        let supported = if unknown { echoed } else { self.session.options.server_extensions };
        let netquake = self.session.options.transport == Transport::NetQuake;
        let before = self.establishment.echoed.replace(echoed);
        // A remote server that neither asks nor echoes lacks the extension.
        let lacks = remote && echoed == Extensions::default();
        if netquake && !lacks && !self.establishment.pext_asked {
            self.fail(&PEXT_PRECEDES_SERVERINFO, &HS_07, HostId::SERVER, || "a serverinfo, but no `cmd pext`".into());
        }
        if self.session.options.proxy_strips && echoed != Extensions::default() {
            self.fail(&ECHO_IS_NO_MORE_THAN_AGREED, &HS_06, HostId::SERVER, || {
                format!("echoes {echoed}, although the client's request did not arrive")
            });
        } else if echoed.fte2 & !(asked.fte2 & supported.fte2) != 0
            || echoed.fte1 & !supported.fte1 != 0
            || echoed.fte1 & !(asked.fte1 | PEXT_FLOATCOORDS) != 0
        {
            let kept = self.session.epoch > 1 && before == Some(echoed);
            let suspects = if kept { &HS_18 } else { &HS_16 };
            self.fail(&ECHO_IS_NO_MORE_THAN_AGREED, suspects, HostId::SERVER, || {
                format!("echoes {echoed}; requested was {asked}, supported is {supported}")
            });
        } else if self.establishment.quoted
            && asked.mask(supported).replacement_deltas()
            && !echoed.replacement_deltas()
        {
            self.fail(&ECHO_IS_NO_LESS_THAN_AGREED, &HS_11, HostId::SERVER, || {
                format!("does not echo {asked}, which stands after a quoted value")
            });
        } else if self.establishment.private
            && asked.mask(supported).replacement_deltas()
            && !echoed.replacement_deltas()
        {
            self.fail(&ECHO_IS_NO_LESS_THAN_AGREED, &HS_05, HostId::SERVER, || {
                format!("does not echo {asked}, which stands after an unknown line")
            });
        }
        if echoed.float_coords() && !asked.float_coords() {
            self.report.remark("the server enables float coords that were not requested (erratum E24; legal)");
        }
        let key = |key: u32| bytes.windows(4).position(|window| window == key.to_le_bytes());
        if let (Some(first), Some(second)) = (key(PROTOCOL_VERSION_FTE), key(PROTOCOL_VERSION_FTE2))
            && second < first
        {
            self.fail(&MASKS_ARE_ANNOUNCED_IN_ORDER, &HS_13, HostId::SERVER, || {
                String::from("the FTE2 pair comes before the FTEX pair")
            });
        }
        self.session.agrees(echoed, self.report);
    }

    /// The client has all that it needs for a step of its sign-on.
    pub fn invited(&mut self, step: Step) {
        self.establishment.invited = Some((self.now, step));
        self.establishment.asked_lists = false;
    }

    /// The client receives a session whose protocol nobody knows.
    pub fn strange_session_delivered(&mut self) {
        self.establishment.strange = true;
        self.report.saw(Point::StrangeProtocol);
    }

    /// The server sends a datagram that says so much of the sign-on; `bytes` is the datagram that it was completed by.
    pub fn server_signs_on(&mut self, sign_on: SignOn, bytes: &[u8]) {
        self.establishment.spoke = self.now;
        if sign_on.asks {
            self.pext_asked(false);
        }
        if sign_on.began {
            self.session_sent(bytes);
            self.establishment.step_asked = None;
            self.establishment.lists_requested = [false; 2];
            self.establishment.lists_asked = [None; 2];
            let plain = !self.session.dialect.deltas();
            self.establishment.lists_due = (!plain).then_some((self.now, [false; 2]));
        }
        if sign_on.lists != [false; 2] {
            let [sounds, models] = sign_on.ended_lists;
            let due = self.establishment.lists_due.map(|(since, sent)| (since, [sent[0] | sounds, sent[1] | models]));
            self.establishment.lists_due = due.filter(|(_, sent)| *sent != [true; 2]);
            self.check_lists(sign_on.lists);
        }
        if sign_on.goes_on || sign_on.again {
            self.establishment.step_asked = None;
        }
        if sign_on.again {
            self.establishment.lists_asked = [None; 2];
        }
        if sign_on.ends {
            self.establishment.ends();
        }
    }

    /// The server sends lists: to a client without the extension, when that asks for them.
    fn check_lists(&mut self, sent: [bool; 2]) {
        if self.session.dialect.deltas() || self.session.epoch == 0 {
            return;
        }
        self.report.saw(Point::ListsAsked);
        for (list, _) in sent.into_iter().enumerate().filter(|(_, sent)| *sent) {
            self.establishment.lists_asked[list] = None;
            if !self.establishment.lists_requested[list] {
                let host = self.session.host;
                self.fail(&LISTS_WAIT_FOR_PLAIN_CLIENTS, &HS_26, HostId::SERVER, || {
                    format!("{host} has no extension and is sent a list that it did not ask for")
                });
            }
        }
    }

    /// Whether the server had time enough since then. One that somebody else runs may have ended the session without a word:
    /// what it sends shows that it has not.
    fn passed(&self, since: Time) -> bool {
        let remote = self.session.vantage.remote_server;
        let until = if remote { self.establishment.spoke } else { self.now };
        let leisure = self.session.leisure();
        let passed_us = until.since(since.max(self.session.last_disturbance));
        let round_us: u64 = self.session.delay_us.iter().sum();
        self.session.damaged.is_none() && passed_us >= leisure * PROGRESS_US + ROUND_TRIPS * round_us
    }

    /// The run is over: a client that was sent a map signs on.
    pub fn check_progress(&mut self) {
        let host = self.session.host;
        let Establishment { step_asked, lists_asked: [sounds, models], .. } = &self.establishment;
        let unanswered = [*step_asked, *sounds, *models].into_iter().flatten().min();
        if unanswered.is_some_and(|since| self.passed(since)) && !self.session.dialect.deltas() {
            self.fail(&PLAIN_CLIENTS_ARE_SERVED, &HS_20, HostId::SERVER, || {
                format!("the sign-on of {host}, which has no extension, is not answered")
            });
        }
        if self.session.options.transport == Transport::QuakeWorld
            && self.establishment.lists_due.is_some_and(|(since, _)| self.passed(since))
            && !self.establishment.asked_lists
        {
            self.fail(&LISTS_COME_UNASKED, &HS_23, HostId::SERVER, || {
                format!("{host} was sent a session and is not sent the lists of sounds and models")
            });
        }
        let Some((since, step)) = self.establishment.invited else { return };
        // What a client says next waits for the acknowledgement of what it said last, and a server that is silent gives none.
        let is_silent = self.session.acks.spoke.since(self.establishment.spoke) > PROGRESS_US;
        if is_silent || !self.passed(since) {
            return;
        }
        let (suspects, what) = match step {
            Step::Prespawn if self.establishment.asked_lists => {
                (&HS_24, "requests lists that it was sent, and does not go on")
            }
            Step::Prespawn => (&HS_14, "was sent a map, and does not ask for its baselines"),
            Step::Spawn if self.session.delivered_changed => (&HS_18, "was sent the baselines, and does not go on"),
            Step::Spawn => (
                announcement(&self.session.delivered_dialect, SVC_SPAWNBASELINE2),
                "was sent the baselines, and does not go on",
            ),
        };
        self.fail(&SIGN_ON_GOES_ON, suspects, host, || String::from(what));
    }

    /// The run is over.
    pub fn finish(&mut self) {
        let late_us = self.session.leisure() * ACCEPT_US;
        if self.establishment.connect.is_some_and(|since| self.now.since(since) > late_us)
            && self.session.damaged.is_none()
        {
            self.fail(&GOOD_CONNECTS_ARE_ACCEPTED, &HS_05, HostId::SERVER, || {
                String::from("a good connect was received and not accepted")
            });
        }
    }
}

/// Whether a key is a hexadecimal number, as `%#x` prints it.
fn is_hexadecimal(key: &[u8]) -> bool {
    let digits = key.strip_prefix(b"0x").or(key.strip_prefix(b"0X"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit))
}
