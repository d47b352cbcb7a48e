//! Recorded or simulated traffic, datagram by datagram, made readable.

use crate::message::{Dialect, Said};
use crate::tap::{Listener, Tap};
use kit::summary::{printable, ranges};
use kit::table::float_value;
use kit::{Direction, Dissection, Dissector, HostId, Mark, Sessions, Setup};
use netquake::fitzquake::Fitz;
use netquake::{ClientCommand, ControlPacket, Packet, Service};
use std::fmt::Write;

kit::marks! {
    /// A connection is asked for.
    CONNECT = 0, "connect";
    /// A connection is accepted; the port.
    ACCEPT = 1, "accept";
    /// A connection is refused.
    REJECT = 2, "reject";
    /// A fragment of the reliable stream, repeated or not; its sequence.
    FRAGMENT = 3, "fragment";
    /// An ack of a fragment; its sequence.
    ACK = 4, "ack";
    /// A map begins; the protocol.
    SERVERINFO = 5, "serverinfo";
    /// A baseline; the entity.
    BASELINE = 6, "baseline";
    /// A static entity.
    STATIC = 7, "static";
    /// A sound that never stops; its number.
    STATIC_SOUND = 8, "static_sound";
    /// A step of the sign-on.
    SIGNON = 9, "signon";
    /// The time of the server; the sequence of the datagram, 0 in the reliable stream.
    TIME = 10, "time";
    /// An update; the entity.
    UPDATE = 11, "update";
    /// The player's own state.
    CLIENTDATA = 12, "clientdata";
    SOUND = 13, "sound";
    /// The player was hurt.
    DAMAGE = 14, "damage";
    /// The view is turned.
    SET_ANGLE = 15, "set_angle";
    /// A burst of particles.
    PARTICLE = 16, "particle";
    /// Text for the player.
    PRINT = 17, "print";
    /// A statistic; its number.
    STAT = 18, "stat";
    /// Text for the client's console.
    STUFFTEXT = 19, "stufftext";
    /// A move; the sequence of the datagram.
    MOVE = 20, "move";
    /// A text command of a client.
    COMMAND = 21, "command";
    /// One end leaves.
    DISCONNECT = 22, "disconnect";
}

/// Characters of a text that a summary shows.
const SHOWN_CHARACTERS: usize = 40;

/// Follows the sessions of a run or a capture.
#[derive(Default)]
pub struct Fitz666Dissector {
    assumed: Option<Dialect>,
    /// A server has said which protocol it speaks.
    announced: bool,
    /// One tap per client, by host.
    taps: Sessions<Tap>,
    /// The headers were made for a demo.
    is_demo: bool,
}

impl Fitz666Dissector {
    /// For the run of `setup`, or for traffic of which nothing is known: what is to be known stands in the traffic.
    pub fn new(setup: Option<&Setup>) -> Fitz666Dissector {
        let is_demo = setup.is_some_and(|setup| setup.vantage.demo.is_some());
        Fitz666Dissector { is_demo, ..Fitz666Dissector::default() }
    }

    fn tap(&mut self, client: HostId) -> Option<&mut Tap> {
        let dialect = self.assumed.unwrap_or(Dialect::PLAIN);
        self.taps.of(client, || Tap::new(dialect))
    }
}

impl Dissector for Fitz666Dissector {
    fn datagram(&mut self, client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) {
        if netquake::datagram::is_of_no_session(direction, bytes, out) {
            return;
        }
        let Some(tap) = self.tap(client) else {
            out.summary.push_str("not followed: too many clients");
            return;
        };
        let mut notes = Notes::default();
        out.error = tap.datagram(direction, bytes, Some(out), &mut notes).err();
        out.messages += notes.messages;
        if let Some(version) = out.error.as_ref().and_then(netquake::version_announced) {
            out.version = Some(version);
        }
        self.announced |= notes.marks.iter().any(|mark| mark.kind == SERVERINFO);
        if !out.marks_only {
            if self.is_demo {
                notes.head.clear();
            }
            notes.summarise(&mut out.summary);
            if out.summary.is_empty() {
                // Cut off before its first field, or no header of this transport.
                out.summary.push_str("nothing that can be read");
            }
        }
        out.marks.append(&mut notes.marks);
    }

    fn extensions(&self) -> Vec<String> {
        // Protocol 15 is what everything begins with: it counts when a server says so.
        let counts = |tap: &&Tap| self.announced || tap.dialect.extended();
        let mut names: Vec<String> = self.taps.iter().filter(counts).map(|tap| tap.dialect.name()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn assumptions(&self) -> &'static [&'static str] {
        &["protocol 666", "protocol 999 flags 0x12", "protocol 999 flags 0x2"]
    }

    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        let Some(dialect) = Dialect::named(extensions) else {
            return Err(format!(
                "`{extensions}` is none of `protocol 15`, `protocol 666` and `protocol 999 flags 0x12` or the like"
            ));
        };
        self.assumed = Some(dialect);
        self.taps.clear();
        Ok(())
    }
}

/// Gathers what a datagram carries.
#[derive(Default)]
struct Notes {
    marks: Vec<Mark>,
    messages: usize,
    sequence: u32,
    /// What the header says.
    head: String,
    texts: Vec<String>,
}

impl Notes {
    fn mark(&mut self, kind: usize, number: u32) {
        self.marks.push(Mark { kind, number });
    }

    /// One line: what the datagram carries.
    fn summarise(&self, line: &mut String) {
        line.push_str(&self.head);
        let entities: Vec<u32> = self.of(UPDATE).collect();
        let baselines: Vec<u32> = self.of(BASELINE).collect();
        let mut parts = self.texts.clone();
        for (name, numbers) in [("baseline", baselines), ("update", entities)] {
            if !numbers.is_empty() {
                parts.push(format!("{name} {}", ranges(&numbers)));
            }
        }
        for (kind, name) in [(STATIC, "static"), (CLIENTDATA, "clientdata"), (PARTICLE, "particle")] {
            match self.of(kind).count() {
                0 => {}
                1 => parts.push(String::from(name)),
                count => parts.push(format!("{count} {name}")),
            }
        }
        if !parts.is_empty() {
            let begins = if self.head.is_empty() { "" } else { ": " };
            let _ = write!(line, "{begins}{}", parts.join(", "));
        }
    }

    fn of(&self, kind: usize) -> impl Iterator<Item = u32> {
        self.marks.iter().filter(move |mark| mark.kind == kind).map(|mark| mark.number)
    }
}

impl Listener for Notes {
    fn control(&mut self, packet: &ControlPacket<'_>) {
        self.messages += 1;
        self.head = match packet {
            ControlPacket::ConnectRequest { game, version, .. } => {
                self.mark(CONNECT, 0);
                format!("connect to {} version {version}", printable(game, SHOWN_CHARACTERS))
            }
            ControlPacket::Accept { port, .. } => {
                self.mark(ACCEPT, *port);
                format!("accept, port {port}")
            }
            ControlPacket::Reject { reason } => {
                self.mark(REJECT, 0);
                format!("reject: {}", printable(reason, SHOWN_CHARACTERS))
            }
            _ => String::from("control"),
        };
    }

    fn packet(&mut self, packet: &Packet<'_>) {
        self.head = match *packet {
            Packet::Data { sequence, end, payload } => {
                self.mark(FRAGMENT, sequence);
                format!("fragment {sequence}{}, {} bytes", if end { " (last)" } else { "" }, payload.len())
            }
            Packet::Ack { sequence } => {
                self.mark(ACK, sequence);
                format!("ack {sequence}")
            }
            Packet::Unreliable { sequence, .. } => {
                self.sequence = sequence;
                format!("unreliable {sequence}")
            }
            Packet::Control(_) => String::new(),
        };
    }

    fn said(&mut self, said: &Said<'_>, _: &Dialect) {
        self.messages += 1;
        match said {
            Said::NetQuake(Service::ServerInfo(info)) => {
                self.mark(SERVERINFO, info.protocol);
                let (models, sounds) = (info.models.len(), info.sounds.len());
                self.texts.push(format!("serverinfo {}, {models} models, {sounds} sounds", info.protocol));
            }
            Said::NetQuake(Service::SpawnBaseline { entity, .. }) | Said::Fitz(Fitz::SpawnBaseline { entity, .. }) => {
                self.mark(BASELINE, (*entity).into());
            }
            Said::NetQuake(Service::SpawnStatic { .. }) | Said::Fitz(Fitz::SpawnStatic { .. }) => self.mark(STATIC, 0),
            Said::NetQuake(Service::SpawnStaticSound { sound, .. }) => self.mark(STATIC_SOUND, (*sound).into()),
            Said::Fitz(Fitz::SpawnStaticSound { sound, .. }) => self.mark(STATIC_SOUND, (*sound).into()),
            Said::NetQuake(Service::SignOnNum { stage }) => {
                self.mark(SIGNON, (*stage).into());
                self.texts.push(format!("signonnum {stage}"));
            }
            Said::NetQuake(Service::Time { time }) => {
                self.mark(TIME, self.sequence);
                self.texts.push(format!("time {:.3}s", float_value(*time)));
            }
            Said::NetQuake(Service::FastUpdate(update)) => self.mark(UPDATE, update.entity.into()),
            Said::NetQuake(Service::ClientData(_)) => self.mark(CLIENTDATA, 0),
            Said::NetQuake(Service::Sound(sound)) => {
                self.mark(SOUND, sound.sound.into());
                self.texts.push(format!("sound {} of {}", sound.sound, sound.entity));
            }
            Said::NetQuake(Service::Damage { armor, blood, .. }) => {
                self.mark(DAMAGE, 0);
                self.texts.push(format!("damage {armor} {blood}"));
            }
            Said::NetQuake(Service::SetAngle { .. }) => {
                self.mark(SET_ANGLE, 0);
                self.texts.push(String::from("setangle"));
            }
            Said::NetQuake(Service::Particle { .. }) => self.mark(PARTICLE, 0),
            Said::NetQuake(Service::Print { text }) => {
                self.mark(PRINT, 0);
                self.texts.push(format!("print {}", printable(text, SHOWN_CHARACTERS)));
            }
            Said::NetQuake(Service::StuffText { text }) => {
                self.mark(STUFFTEXT, 0);
                self.texts.push(format!("stufftext {}", printable(text, SHOWN_CHARACTERS)));
            }
            Said::NetQuake(Service::UpdateStat { stat, value }) => {
                self.mark(STAT, (*stat).into());
                self.texts.push(format!("stat {stat} = {value}"));
            }
            Said::NetQuake(Service::Disconnect) => self.mark(DISCONNECT, 0),
            _ => {}
        }
    }

    fn commanded(&mut self, command: &ClientCommand<'_>) {
        self.messages += 1;
        match command {
            ClientCommand::Nop => {}
            ClientCommand::Disconnect => {
                self.mark(DISCONNECT, 0);
                self.texts.push(String::from("disconnect"));
            }
            ClientCommand::Move(movement) => {
                self.mark(MOVE, self.sequence);
                self.texts.push(format!("move at {:.3}s", float_value(movement.time)));
            }
            ClientCommand::String { text } => {
                self.mark(COMMAND, 0);
                self.texts.push(printable(text, SHOWN_CHARACTERS));
            }
        }
    }
}
