//! Recorded or simulated traffic, datagram by datagram, made readable.
//!
//! Every message stands in a group of its service's name; a write that a table lists has the name that
//! [`crate::message::field_name`] gives it.

use crate::constants::*;
use crate::message::{Message, Reading, move_form, read_message};
use crate::tables::Tables;
use crate::version::{Version, Versions};
use kit::summary::printable;
use kit::{DecodeError, Direction, Dissection, Dissector, ErrorKind, HostId, Mark, Reader, Sessions, Setup, Time};
use netquake::constants::*;
use netquake::effect::TempEntity;
use netquake::{Channel, ClientCommand, ControlPacket, Incoming, MoveForm, Packet, Service, read_command};

kit::marks! {
    /// A client asks to be admitted.
    CONNECT = 0, "connect";
    /// The server lets it in.
    ACCEPT = 1, "accept";
    /// A client asks for versions; its number is what it claims, in hundredths.
    REQUEST = 2, "nvs_request";
    /// The server sent versions; its number is that for services, in hundredths.
    REPLY = 3, "nvs_reply";
    /// A client asks for limits.
    LIMIT_ASKED = 4, "limit_request";
    /// The server sent its limits.
    LIMIT = 5, "limit";
    /// A level begins.
    SERVER_INFO = 6, "serverinfo";
    /// A stage of the sign-on; its number.
    SIGN_ON_NUM = 7, "signonnum";
    /// A client asks for the sign-on data.
    PRESPAWN = 8, "prespawn";
    /// A client asks to be spawned.
    SPAWN = 9, "spawn";
    /// A client begins to play.
    BEGIN = 10, "begin";
    /// A client's input.
    MOVE = 11, "move";
    /// A client's view is turned.
    SET_ANGLE = 12, "setangle";
    /// Particles; their number is their count.
    PARTICLE = 13, "particle";
    /// An explosion; its number is 1 if it has a colour.
    EXPLOSION = 14, "explosion";
    /// Another temporary entity; its number is `TE_*`.
    TEMP_ENTITY = 15, "temp_entity";
    /// A client is hurt.
    DAMAGE = 16, "damage";
    /// A print; its number is the one that it ends with.
    PRINT = 17, "print";
    /// A baseline; its number is the entity's.
    BASELINE = 18, "baseline";
    /// The state of an entity; its number.
    UPDATE = 19, "update";
    /// One end leaves, or disconnects the other.
    DISCONNECT = 20, "disconnect";
    /// Another message that a table lists; its number is the service's.
    LISTED = 21, "listed";
    /// A frame of the game.
    FRAME = 22, "frame";
}

/// Follows the sessions of a run or a capture.
pub struct NvsDissector {
    tables: Tables,
    assumed: Option<Versions>,
    /// One session per client, by host.
    sessions: Sessions<Session>,
}

/// What is known of one client's session.
struct Session {
    versions: Versions,
    /// The version of commands that the client goes by: the old one, until it asks for a new level's sign-on data.
    client_cclc: Version,
    signon: u8,
    /// Somebody left: the next accept begins a new connection.
    ended: bool,
    /// A receiver per direction, by [`Direction::index`].
    channels: [Channel; 2],
    unsent: Vec<u8>,
}

impl Session {
    fn new(assumed: Option<Versions>) -> Session {
        let channel = || Channel::new(MAX_FRAGMENT_BYTES);
        let versions = assumed.unwrap_or_default();
        Session {
            versions,
            client_cclc: versions.cclc,
            // Who says what was agreed upon speaks of a game under way.
            signon: if assumed.is_some() { 4 } else { 0 },
            ended: false,
            channels: [channel(), channel()],
            unsent: Vec::new(),
        }
    }
}

impl NvsDissector {
    /// For the run of `setup`, or for traffic of which nothing is known.
    pub fn new(setup: Option<&Setup>) -> NvsDissector {
        let tables = setup.map_or_else(Tables::released, Tables::of);
        NvsDissector { tables, assumed: None, sessions: Sessions::default() }
    }
}

impl Dissector for NvsDissector {
    fn datagram(&mut self, client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) {
        if netquake::datagram::is_of_no_session(direction, bytes, out) {
            return;
        }
        let NvsDissector { tables, assumed, sessions } = self;
        let Some(session) = sessions.of(client, || Session::new(*assumed)) else {
            out.summary.push_str("not followed: too many clients");
            return;
        };
        let mut notes = Notes::default();
        let read = session.datagram(tables, direction, bytes, out, &mut notes);
        out.messages += notes.messages;
        out.marks.append(&mut notes.marks);
        if notes.texts.is_empty() {
            notes.texts.push(String::from(match (&read, notes.messages) {
                (Ok(false), _) => "acknowledges, or repeats what is known",
                (_, 0) => "empty",
                _ => "other messages",
            }));
        }
        out.summary.push_str(&notes.texts.join(", "));
        out.error = read.err();
        if let Some(version) = out.error.as_ref().and_then(netquake::version_announced) {
            out.version = Some(version);
        }
    }

    fn extensions(&self) -> Vec<String> {
        let held = self.sessions.iter().map(|session| session.versions);
        let mut names: Vec<String> = held
            .filter(|versions| *versions != Versions::default())
            .map(|Versions { ssvc, csvc, cclc }| format!("ssvc={ssvc} csvc={csvc} cclc={cclc}"))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    fn assumptions(&self) -> &'static [&'static str] {
        &["ssvc=0.99 csvc=0.50 cclc=0.99", "ssvc=0.50 csvc=0.50 cclc=0.50"]
    }

    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        let mut versions = Versions::default();
        for word in extensions.split([',', '+', ' ']).filter(|word| !word.is_empty()) {
            let value = |text: &str| {
                let sound = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
                sound.then(|| Version::from_text(text.as_bytes()))
            };
            let known = word.split_once('=').and_then(|(name, text)| Some((name, value(text)?)));
            match known {
                Some(("ssvc", version)) => versions.ssvc = version,
                Some(("csvc", version)) => versions.csvc = version,
                Some(("cclc", version)) => versions.cclc = version,
                _ => return Err(format!("`{word}` is none of ssvc=0.50, csvc=0.50, cclc=0.99")),
            }
        }
        self.assumed = Some(versions);
        self.sessions.clear();
        Ok(())
    }
}

/// Gathers what a datagram carries.
#[derive(Default)]
struct Notes {
    marks: Vec<Mark>,
    messages: usize,
    texts: Vec<String>,
}

impl Notes {
    fn mark(&mut self, kind: usize, number: u32) {
        self.marks.push(Mark { kind, number });
    }

    fn say(&mut self, kind: usize, number: u32, text: String) {
        self.mark(kind, number);
        self.texts.push(text);
    }
}

impl Session {
    /// Reads a datagram. Whether it had something new.
    fn datagram(
        &mut self,
        tables: &Tables,
        direction: Direction,
        bytes: &[u8],
        out: &mut Dissection,
        notes: &mut Notes,
    ) -> Result<bool, DecodeError> {
        let mut parts = out.parts();
        let mut r = parts.reader(bytes);
        if netquake::is_control(bytes) {
            self.control(ControlPacket::read(&mut r)?, notes);
            return Ok(true);
        }
        Packet::read(&mut r)?;
        let Session { channels, unsent, .. } = self;
        let [to_client, to_server] = channels;
        let channel = if direction == Direction::ServerToClient { to_client } else { to_server };
        // A dissector acknowledges nothing; the acknowledgements of its channel would pile up.
        unsent.clear();
        while channel.poll_transmit(Time::ZERO, unsent) {
            unsent.clear();
        }
        let state = State {
            versions: &mut self.versions,
            client_cclc: &mut self.client_cclc,
            signon: &mut self.signon,
            ended: &mut self.ended,
        };
        match channel.receive(Time::ZERO, bytes)? {
            Incoming::Unreliable { payload, .. } => {
                parts.receive(payload);
                r.rewind(HEADER_BYTES);
                state.walk(&mut r, tables, direction, notes)?;
            }
            Incoming::Reliable { message } => {
                parts.receive(message);
                let Some(assembled) = parts.assembled else {
                    return state.walk(&mut Reader::new(message), tables, direction, notes).map(|()| true);
                };
                let mut spans = Vec::new();
                let walked = state.walk(&mut Reader::with_spans(message, &mut spans), tables, direction, notes);
                assembled.push((message.to_vec(), spans));
                walked?;
            }
            Incoming::Nothing | Incoming::Stale { .. } => return Ok(false),
        }
        Ok(true)
    }

    fn control(&mut self, packet: ControlPacket<'_>, notes: &mut Notes) {
        notes.messages += 1;
        match packet {
            ControlPacket::ConnectRequest { .. } => notes.say(CONNECT, 0, String::from("connect")),
            ControlPacket::Accept { .. } => {
                notes.say(ACCEPT, 0, String::from("accept"));
                if self.ended {
                    *self = Session::new(None);
                }
            }
            ControlPacket::Reject { reason } => notes.texts.push(format!("reject {}", printable(reason, 40))),
            _ => notes.texts.push(String::from("control")),
        }
    }
}

/// What a session's messages change.
struct State<'s> {
    versions: &'s mut Versions,
    client_cclc: &'s mut Version,
    signon: &'s mut u8,
    ended: &'s mut bool,
}

impl State<'_> {
    fn walk(
        mut self,
        r: &mut Reader<'_>,
        tables: &Tables,
        direction: Direction,
        notes: &mut Notes,
    ) -> Result<(), DecodeError> {
        while r.left() > 0 {
            match direction {
                Direction::ServerToClient => {
                    let version = if *self.signon < 2 { Version::PLAIN } else { self.versions.csvc };
                    let message = read_message(r, &Reading { tables, version })?;
                    self.message(&message, notes);
                }
                Direction::ClientToServer => self.command(r, notes)?,
            }
            notes.messages += 1;
        }
        Ok(())
    }

    fn message(&mut self, message: &Message<'_>, notes: &mut Notes) {
        match message {
            Message::Versions(versions) => {
                *self.versions = *versions;
                *self.client_cclc = versions.cclc;
                let Versions { ssvc, csvc, cclc } = versions;
                notes.say(REPLY, csvc.0 as u32, format!("versions ssvc {ssvc} csvc {csvc} cclc {cclc}"));
            }
            Message::Limits([edicts, statics, temporaries]) => {
                notes.say(LIMIT, 0, format!("limits {edicts} {statics} {temporaries}"));
            }
            Message::Listed(listed) => {
                let values: Vec<String> = listed
                    .values()
                    .map(|value| match value {
                        crate::message::WireValue::Number(number) => number.to_string(),
                        crate::message::WireValue::Float(bits) => kit::table::float_value(bits).to_string(),
                        crate::message::WireValue::Text(text) => printable(text, 20),
                    })
                    .collect();
                let (kind, number, name) = match (listed.svc, listed.sub) {
                    (SVC_SET_ANGLE, _) => (SET_ANGLE, 0, "setangle"),
                    (SVC_PARTICLE, _) => (PARTICLE, listed.number(7).unwrap_or_default() as u32, "particle"),
                    (SVC_TEMP_ENTITY, Some(TE_EXPLOSION)) => {
                        (EXPLOSION, u32::from(listed.float(5).is_some()), "explosion")
                    }
                    (SVC_LIMIT, _) => (LIMIT, 0, "limits"),
                    (svc, _) => (LISTED, svc.into(), crate::message::service_name(svc)),
                };
                notes.say(kind, number, format!("{name} {}", values.join(" ")));
            }
            Message::Plain(service) => self.service(service, notes),
        }
    }

    fn service(&mut self, service: &Service<'_>, notes: &mut Notes) {
        match service {
            Service::Time { time } => notes.say(FRAME, 0, format!("at {:.3}s", kit::table::float_value(*time))),
            Service::ServerInfo(_) => {
                // What was agreed upon is void; the client's moves are in the old form until it knows.
                *self.versions = Versions::default();
                *self.signon = 0;
                notes.say(SERVER_INFO, 0, String::from("serverinfo"));
            }
            Service::SignOnNum { stage } => {
                *self.signon = *stage;
                notes.say(SIGN_ON_NUM, (*stage).into(), format!("signon {stage}"));
            }
            Service::StuffText { text } => notes.texts.push(format!("stufftext {}", printable(text, 40))),
            Service::SetAngle { .. } => notes.say(SET_ANGLE, 0, String::from("setangle")),
            Service::Particle { count, .. } => notes.say(PARTICLE, (*count).into(), String::from("particle")),
            Service::TempEntity(TempEntity::Point { kind: TE_EXPLOSION, .. }) => {
                notes.say(EXPLOSION, 0, String::from("explosion"));
            }
            Service::TempEntity(effect) => {
                let kind = match effect {
                    TempEntity::Point { kind, .. } | TempEntity::Beam { kind, .. } => *kind,
                    TempEntity::ColoredExplosion { .. } => TE_EXPLOSION2,
                };
                notes.say(TEMP_ENTITY, kind.into(), format!("temp entity {kind}"));
            }
            Service::Damage { armor, blood, .. } => notes.say(DAMAGE, 0, format!("damage {armor} {blood}")),
            Service::Print { text } => {
                notes.say(PRINT, last_number(text), format!("print {}", printable(text, 40)));
            }
            Service::SpawnBaseline { entity, .. } => notes.mark(BASELINE, (*entity).into()),
            Service::FastUpdate(update) => notes.mark(UPDATE, update.entity.into()),
            Service::Disconnect => {
                *self.ended = true;
                notes.say(DISCONNECT, 0, String::from("disconnect"));
            }
            _ => {}
        }
    }

    fn command(&mut self, r: &mut Reader<'_>, notes: &mut Notes) -> Result<(), DecodeError> {
        let group = r.begin(r.peek().and_then(command_name).unwrap_or("command"));
        let read = self.read_command(r);
        r.end(group);
        match read? {
            ClientCommand::Move(_) => notes.say(MOVE, 0, String::from("move")),
            ClientCommand::Disconnect => {
                *self.ended = true;
                notes.say(DISCONNECT, 0, String::from("disconnect"));
            }
            ClientCommand::Nop => {}
            ClientCommand::String { text } => {
                notes.texts.push(printable(text, 40));
                let mut words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
                match words.next().unwrap_or_default() {
                    NVS_REQUEST => {
                        notes.mark(REQUEST, words.next().map_or(0, |word| Version::from_text(word).0) as u32);
                    }
                    LIMIT_REQUEST => notes.mark(LIMIT_ASKED, 0),
                    b"prespawn" => {
                        *self.client_cclc = self.versions.cclc;
                        notes.mark(PRESPAWN, 0);
                    }
                    b"spawn" => notes.mark(SPAWN, 0),
                    b"begin" => notes.mark(BEGIN, 0),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn read_command<'a>(&self, r: &mut Reader<'a>) -> Result<ClientCommand<'a>, DecodeError> {
        let offset = r.at();
        let clc = r.u8("clc")?;
        let form: MoveForm = move_form(*self.client_cclc);
        match read_command(r, clc, &form)? {
            Some(command) => Ok(command),
            None => r.error(offset, "clc", ErrorKind::Unknown { value: clc.into() }),
        }
    }
}

/// The number that a text ends with.
fn last_number(text: &[u8]) -> u32 {
    let end = text.iter().rposition(u8::is_ascii_digit).map_or(0, |last| last + 1);
    let digits = text.iter().take(end).rev().take_while(|byte| byte.is_ascii_digit()).count().min(9);
    text.iter().take(end).skip(end - digits).fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0'))
}
