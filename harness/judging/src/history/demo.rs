//! A history as a demo: what one client received, as its engine would have recorded it, for engines to play.
//!
//! A `.dem` has the messages with the view angles of the player's last move; a `.qwd` has them behind their sequence numbers,
//! and the player's moves; a `.dm2` has the messages alone. What belongs to no connection, and what a client throws away (late,
//! double, not whole), is not in a demo. Layouts: as NetQuake, QuakeWorld and Quake II write them.

use super::{Datagram, History, Packet, What};
use kit::{Container, Direction, Dissection, Dissector, HostId, Protocol, Setup, Span, Time};
use std::collections::BTreeMap;

/// What stands before the messages of a `.dem`: no track of the CD.
const NO_TRACK: &[u8] = b"-1\n";
/// A player leaves, by which a `.dem` ends.
const SVC_DISCONNECT: u8 = 2;
/// What a record of a `.qwd` is: a move, a datagram, the sequence numbers.
const DEM_CMD: u8 = 0;
const DEM_READ: u8 = 1;
const DEM_SET: u8 = 2;
/// How long the header of a datagram of QuakeWorld's server is, in bytes: the numbers of both directions.
const QUAKEWORLD_HEADER_BYTES: usize = 8;
/// The bits of a sequence number that count.
const SEQUENCE: u32 = !(1 << 31);
/// What ends a `.dm2` in the place of a length.
const END: i32 = -1;
/// The field of a serverdata that says that nobody plays: as in every recorded one.
const ATTRACTLOOP: &str = "attractloop";

/// The demo of what `client` received in the run, and how names of such files end.
///
/// # Errors
/// A sentence: no engine records the protocol, there is no such client, or it received nothing.
pub fn demo(
    history: &History,
    protocols: &[&'static Protocol],
    client: HostId,
) -> Result<(Vec<u8>, &'static str), String> {
    let run = &history.run;
    let (protocol, profile) = crate::registry::profiles(protocols)
        .find(|(_, profile)| profile.name == run.profile)
        .ok_or_else(|| format!("there is no profile `{}`", run.profile))?;
    let form = (protocol.demo)(profile).ok_or_else(|| format!("no engine records demos of {}", protocol.title))?.client;
    if client == HostId::SERVER || client.0 > run.clients {
        return Err(format!("the run has no client {}: it has {}", client.0, run.clients));
    }
    let dissector = (protocol.dissector)(Some(&Setup::new(protocol, profile)));
    let mut recorder = Recorder::new(form, dissector, client);
    let mut sent: BTreeMap<Packet, &Datagram> = BTreeMap::new();
    let mut bytes = Vec::new();
    for entry in &history.entries {
        match &entry.what {
            What::Sent(datagram) if datagram.packet.client == client => {
                sent.insert(datagram.packet, datagram);
                if datagram.packet.direction == Direction::ClientToServer {
                    recorder.sent(entry.at, &datagram.bytes);
                }
            }
            What::Delivered { packet, copy, .. } if packet.receiver() == client => {
                let Some(datagram) = sent.get(packet) else { continue };
                datagram.arrived(*copy, &mut bytes);
                recorder.received(entry.at, &bytes);
            }
            _ => {}
        }
    }
    match recorder.finish() {
        Some(demo) => Ok((demo, form.name())),
        None => Err(format!("client {} received no message", client.0)),
    }
}

/// Records as the engine of one client does.
struct Recorder {
    form: Container,
    client: HostId,
    dissector: Box<dyn Dissector>,
    out: Dissection,
    /// View angles of the player's last move, in degrees.
    angles: [f32; 3],
    messages: usize,
    demo: Vec<u8>,
}

impl Recorder {
    fn new(form: Container, dissector: Box<dyn Dissector>, client: HostId) -> Recorder {
        let out = Dissection { want_spans: true, want_message: true, ..Dissection::default() };
        let demo = if form == Container::Dem { NO_TRACK.to_vec() } else { Vec::new() };
        Recorder { form, client, dissector, out, angles: [0.0; 3], messages: 0, demo }
    }

    /// The client sends a datagram.
    fn sent(&mut self, now: Time, bytes: &[u8]) {
        self.out.clear();
        self.dissector.datagram(self.client, Direction::ClientToServer, bytes, &mut self.out);
        let names: &[&str] =
            if self.form == Container::Qwd { &["angle1", "angle2", "angle3"] } else { &["view angle"] };
        let seen: Vec<f32> =
            self.out.spans.iter().filter(|span| names.contains(&span.field)).map(|s| angle(s, bytes)).collect();
        if let Some(angles) = seen.last_chunk() {
            self.angles = *angles;
        }
        let Some(sequence) = number(bytes, 0).filter(|_| self.form == Container::Qwd && self.out.message.is_some())
        else {
            return;
        };
        if self.demo.is_empty() {
            self.stamp(now, DEM_SET);
            self.demo.extend_from_slice(&(sequence & SEQUENCE).to_le_bytes());
            self.demo.extend_from_slice(&0u32.to_le_bytes());
        }
        self.stamp(now, DEM_CMD);
        // How long the move took, in milliseconds, and three bytes that mean nothing.
        let field = |name: &str| self.out.spans.iter().rev().find(|span| span.field == name).map(|s| value(s, bytes));
        let [msec, forward, side, up, buttons, impulse] =
            ["msec", "forward", "side", "up", "buttons", "impulse"].map(|name| field(name).unwrap_or(0));
        self.demo.extend_from_slice(&[msec as u8, 0, 0, 0]);
        self.angles();
        for speed in [forward, side, up] {
            self.demo.extend_from_slice(&(speed as i16).to_le_bytes());
        }
        self.demo.extend_from_slice(&[buttons as u8, impulse as u8]);
        self.angles();
    }

    /// The client receives a datagram.
    fn received(&mut self, now: Time, bytes: &[u8]) {
        self.out.clear();
        self.dissector.datagram(self.client, Direction::ServerToClient, bytes, &mut self.out);
        let Some(mut message) = self.out.message.take().filter(|message| !message.is_empty()) else { return };
        self.messages += 1;
        match self.form {
            Container::Dem => self.block(&message),
            // A client records no `.mvd`.
            Container::Qwd | Container::Mvd => {
                self.stamp(now, DEM_READ);
                self.length(QUAKEWORLD_HEADER_BYTES + message.len());
                self.demo.extend_from_slice(&bytes[..QUAKEWORLD_HEADER_BYTES.min(bytes.len())]);
                self.demo.extend_from_slice(&message);
            }
            Container::Dm2 => {
                let header = bytes.len().saturating_sub(message.len());
                for span in self.out.spans.iter().filter(|span| span.field == ATTRACTLOOP) {
                    if let Some(byte) = span.start.checked_sub(header).and_then(|at| message.get_mut(at)) {
                        *byte = 1;
                    }
                }
                self.length(message.len());
                self.demo.extend_from_slice(&message);
            }
        }
    }

    /// The demo, if anything is in it.
    fn finish(mut self) -> Option<Vec<u8>> {
        match self.form {
            Container::Dem => self.block(&[SVC_DISCONNECT]),
            Container::Dm2 => self.demo.extend_from_slice(&END.to_le_bytes()),
            Container::Qwd | Container::Mvd => {}
        }
        (self.messages > 0).then_some(self.demo)
    }

    fn block(&mut self, message: &[u8]) {
        self.length(message.len());
        self.angles();
        self.demo.extend_from_slice(message);
    }

    fn length(&mut self, length: usize) {
        self.demo.extend_from_slice(&(length as u32).to_le_bytes());
    }

    fn angles(&mut self) {
        self.demo.extend(self.angles.iter().flat_map(|angle| angle.to_le_bytes()));
    }

    fn stamp(&mut self, now: Time, what: u8) {
        self.demo.extend_from_slice(&((now.0 as f64 / 1e6) as f32).to_le_bytes());
        self.demo.push(what);
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

/// A whole number that a span was made over.
fn value(span: &Span, bytes: &[u8]) -> i64 {
    span.value(bytes).parse().unwrap_or(0)
}

/// An angle in degrees, of which a byte or a short holds the circle.
fn angle(span: &Span, bytes: &[u8]) -> f32 {
    let circle = if span.end - span.start == 1 { 256.0 } else { 65_536.0 };
    value(span, bytes) as f32 * 360.0 / circle
}
