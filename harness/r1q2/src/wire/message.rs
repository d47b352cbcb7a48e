//! Every message of a session, walked in order.
//!
//! What depends on what the reader holds (the fields of entities and of the player) is offered to a [`Listener`], which
//! reads it over the right base; a listener that does not care lets it be skipped.

use crate::wire::command::Command;
use crate::wire::constants::*;
use crate::wire::deflate::{self, MAX_INFLATED_PER_DATAGRAM, MAX_NESTING};
use crate::wire::delta::{self, Entry};
use crate::wire::dialect::Dialect;
use crate::wire::frame::{self, FrameStart};
use crate::wire::player::{self, Flags};
use crate::wire::service::Service;
use crate::wire::state::{Entity, Player};
use kit::{DecodeError, Direction, ErrorKind, Reader, Span, Writer};

/// Where messages came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// The way they went.
    pub direction: Direction,
    /// Whether the datagram has a reliable part; where that ends is not on the wire.
    pub reliable: bool,
    /// The datagram's number.
    pub sequence: u32,
    /// The newest datagram that the sender has received.
    pub acknowledged: u32,
    /// How deep in zpackets: 0 for outside.
    pub nesting: usize,
}

/// Receives what a walk over messages finds. Everything is optional.
pub trait Listener {
    /// A service begins: its number, and the bits beside it in the command byte.
    fn service_begins(&mut self, carrier: &Carrier, service: u8, high_bits: u8) {
        let _ = (carrier, service, high_bits);
    }
    /// A service that is neither frame, baseline nor zpacket.
    fn service(&mut self, carrier: &Carrier, service: &Service<'_>) {
        let _ = (carrier, service);
    }
    /// A serverdata: a map begins, and this is what the server announces; the dialect in force is what comes of it.
    fn session(&mut self, dialect: &Dialect) {
        let _ = dialect;
    }
    /// The baseline of an entity, and the bits that it came with.
    fn baseline(&mut self, carrier: &Carrier, number: u32, bits: u64, state: &Entity) {
        let _ = (carrier, number, bits, state);
    }
    /// A frame begins.
    fn frame(&mut self, carrier: &Carrier, start: &FrameStart<'_>) {
        let _ = (carrier, start);
    }
    /// The player state of a frame. A listener that wants its fields reads them from `r` with [`player::read_fields`]
    /// and returns true; otherwise they are skipped.
    ///
    /// # Errors
    /// Those of reading the fields.
    fn player(
        &mut self,
        carrier: &Carrier,
        flags: Flags,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<bool, DecodeError> {
        let _ = (carrier, flags, r, dialect);
        Ok(false)
    }
    /// An entry of a frame's entity list. A listener that wants an update's fields reads them from `r` with
    /// [`delta::read_fields`] and returns true; otherwise they are skipped.
    ///
    /// # Errors
    /// Those of reading the fields.
    fn entry(
        &mut self,
        carrier: &Carrier,
        entry: Entry,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<bool, DecodeError> {
        let _ = (carrier, entry, r, dialect);
        Ok(false)
    }
    /// A zpacket: its compressed bytes, and what they stand for, which is walked next.
    fn zpacket(&mut self, carrier: &Carrier, packed: &[u8], plain: &[u8]) {
        let _ = (carrier, packed, plain);
    }
    /// A command of a client.
    fn command(&mut self, carrier: &Carrier, command: &Command<'_>) {
        let _ = (carrier, command);
    }
    /// A message ends: it had the bytes after offset `start`, up to where `r` is. The walk goes on.
    fn message_ended(&mut self, carrier: &Carrier, start: usize, r: &Reader<'_>) {
        let _ = (carrier, start, r);
    }
}

/// The bytes of a zpacket, inflated, and their fields.
pub type Inflated = Vec<(Vec<u8>, Vec<Span>)>;

/// A walk over the messages of one datagram.
pub struct Walk<'w> {
    /// What the session has agreed upon; a serverdata changes it for what follows.
    pub dialect: &'w mut Dialect,
    /// The revision that the client has asked for in its connect, if it has.
    pub asked_minor: Option<u16>,
    /// Where the messages come from.
    pub carrier: Carrier,
    /// Who receives what is found.
    pub listener: &'w mut dyn Listener,
    /// Takes the inflated bytes of zpackets and their spans, if they are wanted.
    pub inflated: Option<&'w mut Inflated>,
    /// How deep zpackets are read.
    pub nesting: usize,
    /// Whether the command byte is split over protocol 34, too (erratum 16).
    pub splits_original: bool,
    /// How many bytes zpackets may still stand for.
    room: usize,
}

impl<'w> Walk<'w> {
    /// A walk at its start; what zpackets hold is not wanted, and no connect was seen.
    pub fn new(dialect: &'w mut Dialect, carrier: Carrier, listener: &'w mut dyn Listener) -> Walk<'w> {
        Walk {
            dialect,
            asked_minor: None,
            carrier,
            listener,
            inflated: None,
            nesting: MAX_NESTING,
            splits_original: false,
            room: MAX_INFLATED_PER_DATAGRAM,
        }
    }

    /// Walks the services of a payload, the rest of `r`.
    ///
    /// # Errors
    /// The first field that cannot be read; what came before it was passed on. An error inside a zpacket has its offset in
    /// the inflated bytes.
    pub fn services(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        // R1Q2-CMD-03
        while r.left() > 0 {
            let group = r.begin("service");
            let offset = r.at();
            let command = r.u8("svc")?;
            let number = match self.dialect.is_r1q2() || self.splits_original {
                // R1Q2-CMD-01
                true => command & SVC_MASK,
                // R1Q2-CMD-04
                false => command,
            };
            self.listener.service_begins(&self.carrier, number, command & !SVC_MASK);
            match number {
                SVC_FRAME => self.frame(r, command)?,
                SVC_SPAWNBASELINE => {
                    let (number, bits, state) = delta::read_baseline(r, self.dialect.gate())?;
                    self.listener.baseline(&self.carrier, number, bits, &state);
                }
                SVC_ZPACKET if self.dialect.is_r1q2() => self.zpacket(r)?,
                _ => match Service::read(r, number, self.dialect)? {
                    Some(service) => {
                        self.listener.service(&self.carrier, &service);
                        self.agree(&service);
                    }
                    None => return r.error(offset, "svc", ErrorKind::Unknown { value: command.into() }),
                },
            }
            // R1Q2-ZPKT-04: the next one follows, whatever this one was
            r.end(group);
            self.listener.message_ended(&self.carrier, offset, r);
        }
        Ok(())
    }

    /// A serverdata puts a dialect in force.
    fn agree(&mut self, service: &Service<'_>) {
        let Service::ServerData(data) = service else { return };
        let minor = data.r1q2.map_or(0, |data| Dialect::agreed(data.minor, self.asked_minor));
        *self.dialect = Dialect { protocol: data.protocol, minor, readings: self.dialect.readings };
        self.listener.session(self.dialect);
    }

    fn frame(&mut self, r: &mut Reader<'_>, command: u8) -> Result<(), DecodeError> {
        let dialect = *self.dialect;
        let start = FrameStart::read(r, command, &dialect)?;
        self.listener.frame(&self.carrier, &start);
        let group = r.begin("player state");
        let flags = player::read_flags(r, start.extra, &dialect)?;
        if !self.listener.player(&self.carrier, flags, r, &dialect)? {
            player::read_fields(r, flags, &mut Player::NULL.clone())?;
        }
        r.end(group);
        frame::read_entities_start(r, &dialect)?;
        loop {
            let group = r.begin("entity");
            let entry = delta::read_entry(r)?;
            let taken = self.listener.entry(&self.carrier, entry, r, &dialect)?;
            if let (Entry::Update(_, bits), false) = (entry, taken) {
                delta::read_fields(r, bits, &mut Entity::NULL.clone(), dialect.gate())?;
            }
            r.end(group);
            if entry == Entry::End {
                return Ok(());
            }
        }
    }

    fn zpacket(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        let offset = r.at();
        // R1Q2-ZPKT-01
        let packed_length = usize::from(r.u16("compressed length")?);
        let length_offset = r.at();
        let length = usize::from(r.u16("uncompressed length")?);
        let packed_offset = r.at();
        // R1Q2-ZPKT-05
        let packed = r.bytes("compressed data", packed_length)?;
        if self.carrier.nesting >= self.nesting {
            let why = "a zpacket in a zpacket, which not every engine reads";
            return r.error(offset, "zpacket", ErrorKind::Forbidden { value: packed_length as u32, why });
        }
        let Some(room) = self.room.checked_sub(length) else {
            let kind = ErrorKind::TooLarge {
                value: MAX_INFLATED_PER_DATAGRAM - self.room + length,
                limit: MAX_INFLATED_PER_DATAGRAM,
            };
            return r.error(length_offset, "uncompressed length", kind);
        };
        self.room = room;
        let mut plain = Vec::new();
        if let Err(kind) = deflate::inflate(packed, length, &mut plain) {
            let (offset, field) = match length {
                0 => (length_offset, "uncompressed length"),
                _ => (packed_offset, "compressed data"),
            };
            return r.error(offset, field, kind);
        }
        self.listener.zpacket(&self.carrier, packed, &plain);
        // R1Q2-ZPKT-03
        self.carrier.nesting += 1;
        let walked = match self.inflated.is_some() {
            true => {
                let mut spans = Vec::new();
                let walked = self.services(&mut Reader::with_spans(&plain, &mut spans));
                if let Some(inflated) = &mut self.inflated {
                    inflated.push((plain, spans));
                }
                walked
            }
            false => self.services(&mut Reader::new(&plain)),
        };
        self.carrier.nesting -= 1;
        walked
    }

    /// Walks the commands of a client's payload, the rest of `r`.
    ///
    /// # Errors
    /// The first field that cannot be read; what came before it was passed on.
    pub fn commands(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        while r.left() > 0 {
            let group = r.begin("command");
            let offset = r.at();
            let number = r.u8("clc")?;
            match Command::read(r, number, self.dialect)? {
                Some(command) => self.listener.command(&self.carrier, &command),
                None => return r.error(offset, "clc", ErrorKind::Unknown { value: number.into() }),
            }
            r.end(group);
            self.listener.message_ended(&self.carrier, offset, r);
        }
        Ok(())
    }
}

/// Writes `plain` as a zpacket, if that is worth it: not if that is no shorter, or too long for the lengths.
pub fn write_zpacket(w: &mut Writer<'_>, plain: &[u8]) -> bool {
    let mut packed = Vec::new();
    deflate::deflate(plain, &mut packed);
    let (Ok(packed_length), Ok(length)) = (u16::try_from(packed.len()), u16::try_from(plain.len())) else {
        return false;
    };
    let worth_it = packed.len() + ZPACKET_HEADER_BYTES < plain.len();
    if worth_it {
        w.u8("svc", SVC_ZPACKET);
        w.u16("compressed length", packed_length);
        w.u16("uncompressed length", length);
        w.bytes("compressed data", &packed);
    }
    worth_it
}

/// Appends `plain` as a zpacket, if the protocol has them and it is worth it.
pub fn pack(protocol: u32, plain: &[u8], out: &mut Vec<u8>) -> bool {
    // R1Q2-ZPKT-08
    protocol == PROTOCOL_R1Q2 && write_zpacket(&mut Writer::new(out), plain)
}

/// What a zpacket has in front of its data: the command byte and two lengths, in bytes.
pub const ZPACKET_HEADER_BYTES: usize = 5;
