//! Packets: a header, then records; in both directions.

use crate::complete::CompleteUpdate;
use crate::constants::*;
use crate::snapshot::{self, BODY_BYTES, Declared, HEAD_BYTES};
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// Before the records of a packet from the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerHeader {
    /// The packet's number.
    pub sequence: u16,
    /// The packet whose snapshot is the base; the packet's own number for none.
    pub delta_sequence: u16,
    /// The newest packet that the server accepted from this client.
    pub last_acked_sequence: u16,
}

impl ServerHeader {
    /// Writes it.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u16_be("sequence", self.sequence);
        // GG2-SEQ-04
        w.u16_be("delta_sequence", self.delta_sequence);
        w.u16_be("last_acked_sequence", self.last_acked_sequence);
    }

    /// Reads it.
    ///
    /// # Errors
    /// The field that is cut off.
    pub fn read(r: &mut Reader<'_>) -> Result<ServerHeader, DecodeError> {
        Ok(ServerHeader {
            sequence: r.u16_be("sequence")?,
            delta_sequence: r.u16_be("delta_sequence")?,
            last_acked_sequence: r.u16_be("last_acked_sequence")?,
        })
    }

    /// Whether the packet has no base.
    pub fn is_absolute(&self) -> bool {
        self.delta_sequence == self.sequence
    }
}

/// Before the records of a packet from a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientHeader {
    /// The packet's number.
    pub sequence: u16,
    /// The newest packet of the server that the client has applied.
    pub ack_sequence: u16,
}

impl ClientHeader {
    /// Writes it.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u16_be("sequence", self.sequence);
        w.u16_be("ack_sequence", self.ack_sequence);
    }

    /// Reads it.
    ///
    /// # Errors
    /// The field that is cut off.
    pub fn read(r: &mut Reader<'_>) -> Result<ClientHeader, DecodeError> {
        Ok(ClientHeader { sequence: r.u16_be("sequence")?, ack_sequence: r.u16_be("ack_sequence")? })
    }
}

/// The server's answer to a hello that it accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hi {
    /// The server's name.
    pub server: Vec<u8>,
    /// The id of the client's own player.
    pub your_id: u8,
    /// How many players there were before.
    pub num_players: u8,
    /// The map's name.
    pub map: Vec<u8>,
    /// The server's version.
    pub version: u16,
}

/// What a server says reliably.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerEvent {
    /// The answer to a good hello.
    Hi(Hi),
    /// A player joins.
    Join {
        /// Who.
        id: u16,
        /// The player's name.
        name: Vec<u8>,
    },
    /// Everything about everybody.
    Complete(CompleteUpdate),
    /// The hello is refused.
    Refuse {
        /// Why.
        reason: u8,
    },
    /// A player changes team.
    ChangeTeam {
        /// Who.
        id: u16,
        /// The new team.
        team: u8,
    },
    /// A player changes class.
    ChangeClass {
        /// Who.
        id: u16,
        /// The new class.
        class: u8,
    },
    /// A player spawns.
    Spawn {
        /// Who.
        id: u8,
        /// Where.
        x: u32,
        /// Where.
        y: u32,
    },
    /// A player dies.
    Die {
        /// Who.
        id: u8,
    },
    /// A player has left.
    Left {
        /// Who.
        id: u8,
    },
}

/// A snapshot record: the XOR over its base, which the header names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The XORed bytes, as many as the new snapshot has.
    pub xored: Vec<u8>,
    /// Whether runs of zeros are shortened.
    pub runs: bool,
}

/// A record of the server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerRecord {
    /// Reliable.
    Event(ServerEvent),
    /// Not.
    Snapshot(Difference),
}

/// A record with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped<T> {
    /// The sequence of the first packet that could carry it.
    pub created: u16,
    /// The record.
    pub what: T,
}

/// What a client says reliably.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientEvent {
    /// Asks to be admitted.
    Hello {
        /// The player's name.
        name: Vec<u8>,
        /// The password; empty for none.
        password: Vec<u8>,
    },
    /// Changes class.
    ChangeClass {
        /// The new class.
        class: u8,
    },
    /// Jumps.
    Jump {
        /// When, in milliseconds of the client's time.
        time: u32,
    },
    /// Leaves.
    Disconnect,
}

/// What the player does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Which keys are down.
    pub inputstate: u8,
    /// Where the player aims.
    pub aimdirection: u16,
}

/// A record of a client's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientRecord {
    /// Reliable.
    Event(ClientEvent),
    /// Not.
    Input(Input),
}

/// Writes text as a length and `size - 1` bytes, filled with zeros; what does not fit is cut off.
fn write_pascal(w: &mut Writer<'_>, field: &'static str, text: &[u8], size: usize) {
    let room = size.saturating_sub(1);
    let text = text.get(..room).unwrap_or(text);
    let mut bytes = Vec::with_capacity(size);
    bytes.push(text.len() as u8);
    bytes.extend_from_slice(text);
    bytes.resize(size, 0);
    w.bytes(field, &bytes);
}

/// Reads text of `size` bytes with its length; what stands after it is ignored.
fn read_pascal(r: &mut Reader<'_>, field: &'static str, size: usize) -> Result<Vec<u8>, DecodeError> {
    let at = r.at();
    let bytes = r.bytes(field, size)?;
    let length = bytes.first().copied().map_or(0, usize::from);
    match bytes.get(1..1 + length) {
        Some(text) => Ok(text.to_vec()),
        None => r.error(at, field, ErrorKind::TooLarge { value: length, limit: size.saturating_sub(1) }),
    }
}

impl ServerEvent {
    /// The record's id.
    pub fn id(&self) -> u8 {
        match self {
            ServerEvent::Hi(_) => S2C_HI,
            ServerEvent::Join { .. } => S2C_JOIN,
            ServerEvent::Complete(_) => S2C_COMPLETE_UPDATE,
            ServerEvent::Refuse { .. } => S2C_REFUSE,
            ServerEvent::ChangeTeam { .. } => S2C_CHANGETEAM,
            ServerEvent::ChangeClass { .. } => S2C_CHANGECLASS,
            ServerEvent::Spawn { .. } => S2C_SPAWN,
            ServerEvent::Die { .. } => S2C_DIE,
            ServerEvent::Left { .. } => S2C_LEFT,
        }
    }

    /// Writes the record.
    pub fn write(&self, w: &mut Writer<'_>, created: u16) {
        w.u16_be("created", created);
        w.u8("event", self.id());
        match self {
            ServerEvent::Hi(hi) => {
                write_pascal(w, "servername", &hi.server, NAME_BYTES);
                w.u8("your_id", hi.your_id);
                w.u8("numOfPlayers", hi.num_players);
                write_pascal(w, "mapName", &hi.map, MAP_BYTES);
                w.u16_be("version", hi.version);
            }
            ServerEvent::Join { id, name } => {
                w.u16_be("player", *id);
                write_pascal(w, "name", name, NAME_BYTES);
            }
            ServerEvent::Complete(update) => {
                let mut bytes = Vec::new();
                update.write(&mut Writer::new(&mut bytes));
                w.u16_be("length", u16::try_from(bytes.len()).unwrap_or(u16::MAX));
                w.bytes("complete update", &bytes);
            }
            ServerEvent::Refuse { reason } => w.u8("reason", *reason),
            ServerEvent::ChangeTeam { id, team } => {
                w.u16_be("player", *id);
                w.u8("team", *team);
            }
            ServerEvent::ChangeClass { id, class } => {
                w.u16_be("player", *id);
                w.u8("class", *class);
            }
            ServerEvent::Spawn { id, x, y } => {
                w.u8("player", *id);
                w.u32_be("spawn x", *x);
                w.u32_be("spawn y", *y);
            }
            ServerEvent::Die { id } | ServerEvent::Left { id } => w.u8("player", *id),
        }
    }
}

/// Writes a snapshot record.
pub fn write_snapshot(w: &mut Writer<'_>, created: u16, difference: &Difference) {
    w.u16_be("created", created);
    w.u8("event", if difference.runs { S2C_SNAPSHOT_RUNS } else { S2C_SNAPSHOT });
    w.u16_be("length", u16::try_from(difference.xored.len()).unwrap_or(u16::MAX));
    if difference.runs {
        w.bytes("xored", &snapshot::shorten(&difference.xored));
    } else {
        w.bytes("xored", &difference.xored);
    }
}

/// Reads one record of the server's. What is `declared` to stand after bodies only decides where names of fields stand.
///
/// # Errors
/// What is cut off, too long or unknown.
pub fn read_server_record(r: &mut Reader<'_>, declared: Declared) -> Result<Stamped<ServerRecord>, DecodeError> {
    let created = r.u16_be("created")?;
    let at = r.at();
    let event = match r.u8("event")? {
        S2C_HI => ServerEvent::Hi(Hi {
            server: read_pascal(r, "servername", NAME_BYTES)?,
            your_id: r.u8("your_id")?,
            num_players: r.u8("numOfPlayers")?,
            map: read_pascal(r, "mapName", MAP_BYTES)?,
            version: r.u16_be("version")?,
        }),
        S2C_JOIN => ServerEvent::Join { id: r.u16_be("player")?, name: read_pascal(r, "name", NAME_BYTES)? },
        S2C_COMPLETE_UPDATE => ServerEvent::Complete(read_complete(r)?),
        id @ (S2C_SNAPSHOT | S2C_SNAPSHOT_RUNS) => {
            let difference = read_difference(r, declared, id == S2C_SNAPSHOT_RUNS)?;
            return Ok(Stamped { created, what: ServerRecord::Snapshot(difference) });
        }
        S2C_REFUSE => ServerEvent::Refuse { reason: r.u8("reason")? },
        S2C_CHANGETEAM => ServerEvent::ChangeTeam { id: r.u16_be("player")?, team: r.u8("team")? },
        S2C_CHANGECLASS => ServerEvent::ChangeClass { id: r.u16_be("player")?, class: r.u8("class")? },
        S2C_SPAWN => ServerEvent::Spawn { id: r.u8("player")?, x: r.u32_be("spawn x")?, y: r.u32_be("spawn y")? },
        S2C_DIE => ServerEvent::Die { id: r.u8("player")? },
        S2C_LEFT => ServerEvent::Left { id: r.u8("player")? },
        id => return r.error(at, "event", ErrorKind::Unknown { value: id.into() }),
    };
    Ok(Stamped { created, what: ServerRecord::Event(event) })
}

fn read_complete(r: &mut Reader<'_>) -> Result<CompleteUpdate, DecodeError> {
    let length = usize::from(r.u16_be("length")?);
    let at = r.at();
    if r.left() < length {
        return r.error(at, "complete update", ErrorKind::Truncated { need: length, have: r.left() });
    }
    let group = r.begin("complete update");
    let update = CompleteUpdate::read(r)?;
    r.end(group);
    match (r.at() - at).cmp(&length) {
        std::cmp::Ordering::Equal => Ok(update),
        std::cmp::Ordering::Less => {
            let left = length - (r.at() - at);
            r.error(r.at(), "complete update", ErrorKind::Trailing { left })
        }
        std::cmp::Ordering::Greater => {
            r.error(at, "complete update", ErrorKind::TooLarge { value: r.at() - at, limit: length })
        }
    }
}

fn read_difference(r: &mut Reader<'_>, declared: Declared, runs: bool) -> Result<Difference, DecodeError> {
    let length = usize::from(r.u16_be("length")?);
    let group = r.begin(if runs { "snapshot runs" } else { "snapshot" });
    let xored = if runs {
        snapshot::lengthen(r, length)?
    } else {
        let raw = r.around(0).get(..length);
        let one = BODY_BYTES + declared.bytes();
        match raw {
            Some(raw) if r.records_fields() && length >= HEAD_BYTES && (length - HEAD_BYTES).is_multiple_of(one) => {
                snapshot::name_fields(r, (length - HEAD_BYTES) / one, declared)?;
                raw.to_vec()
            }
            _ => r.bytes("xored", length)?.to_vec(),
        }
    };
    r.end(group);
    Ok(Difference { xored, runs })
}

impl ClientEvent {
    /// Writes the record.
    pub fn write(&self, w: &mut Writer<'_>, created: u16) {
        w.u16_be("created", created);
        match self {
            ClientEvent::Hello { name, password } => {
                w.u8("event", C2S_HELLO);
                write_pascal(w, "name", name, NAME_BYTES);
                write_pascal(w, "password", password, NAME_BYTES);
            }
            ClientEvent::ChangeClass { class } => {
                w.u8("event", C2S_CHANGECLASS);
                w.u8("class", *class);
            }
            ClientEvent::Jump { time } => {
                w.u8("event", C2S_JUMP);
                w.u32_be("time", *time);
            }
            ClientEvent::Disconnect => w.u8("event", C2S_DISCONNECT),
        }
    }
}

impl Input {
    /// Writes the record.
    pub fn write(&self, w: &mut Writer<'_>, created: u16) {
        w.u16_be("created", created);
        w.u8("event", C2S_INPUT);
        w.u16_be("length", INPUT_BYTES);
        w.u8("inputstate", self.inputstate);
        w.u16_be("aimdirection", self.aimdirection);
    }
}

/// Reads one record of a client's.
///
/// # Errors
/// What is cut off or unknown.
pub fn read_client_record(r: &mut Reader<'_>) -> Result<Stamped<ClientRecord>, DecodeError> {
    let created = r.u16_be("created")?;
    let at = r.at();
    let event = match r.u8("event")? {
        C2S_HELLO => ClientEvent::Hello {
            name: read_pascal(r, "name", NAME_BYTES)?,
            password: read_pascal(r, "password", NAME_BYTES)?,
        },
        C2S_INPUT => {
            let at = r.at();
            let length = r.u16_be("length")?;
            if length != INPUT_BYTES {
                return r.error(at, "length", ErrorKind::Unknown { value: length.into() });
            }
            let input = Input { inputstate: r.u8("inputstate")?, aimdirection: r.u16_be("aimdirection")? };
            return Ok(Stamped { created, what: ClientRecord::Input(input) });
        }
        C2S_CHANGECLASS => ClientEvent::ChangeClass { class: r.u8("class")? },
        C2S_JUMP => ClientEvent::Jump { time: r.u32_be("time")? },
        C2S_DISCONNECT => ClientEvent::Disconnect,
        id => return r.error(at, "event", ErrorKind::Unknown { value: id.into() }),
    };
    Ok(Stamped { created, what: ClientRecord::Event(event) })
}

/// Reads the records of a packet of the server's, in whatever order they stand, into `records`; those before an error
/// are in it, too.
///
/// # Errors
/// The first record that cannot be read.
pub fn read_server_records(
    r: &mut Reader<'_>,
    declared: Declared,
    records: &mut Vec<Stamped<ServerRecord>>,
) -> Result<(), DecodeError> {
    while r.left() > 0 {
        let group = r.begin("record");
        records.push(read_server_record(r, declared)?);
        r.end(group);
    }
    Ok(())
}

/// What stands after the header of a packet of the server's, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerRecords {
    /// The events.
    pub events: Vec<Stamped<ServerEvent>>,
    /// The snapshot.
    pub difference: Option<Difference>,
    /// Whether nothing stands after the snapshot.
    pub in_order: bool,
}

impl ServerRecords {
    /// Becomes what a packet has, in the memory that there is; what stands before an error is in it, too.
    ///
    /// # Errors
    /// The first record that cannot be read.
    pub fn read(&mut self, r: &mut Reader<'_>, declared: Declared) -> Result<(), DecodeError> {
        self.events.clear();
        (self.difference, self.in_order) = (None, true);
        while r.left() > 0 {
            let Stamped { created, what } = read_server_record(r, declared)?;
            self.in_order &= self.difference.is_none();
            match what {
                ServerRecord::Event(what) => self.events.push(Stamped { created, what }),
                ServerRecord::Snapshot(found) => self.difference = Some(found),
            }
        }
        Ok(())
    }
}

/// Reads the records of a packet of a client's, in whatever order they stand, into `records`; those before an error
/// are in it, too.
///
/// # Errors
/// The first record that cannot be read.
pub fn read_client_records(r: &mut Reader<'_>, records: &mut Vec<Stamped<ClientRecord>>) -> Result<(), DecodeError> {
    while r.left() > 0 {
        let group = r.begin("record");
        records.push(read_client_record(r)?);
        r.end(group);
    }
    Ok(())
}

/// Whether events stand first, and one record that is none stands after them at most.
pub fn in_order<T>(records: &[Stamped<T>], is_event: impl Fn(&T) -> bool) -> bool {
    let events = records.iter().take_while(|record| is_event(&record.what)).count();
    records.len() - events <= 1
}
