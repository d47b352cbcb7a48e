//! What was negotiated, and so how everything is read and written.

use crate::constants::*;
use crate::delta::{ABSLIGHT_FROM_6, ANGLES_AS_DOCUMENTED, NUMBERS_AS_DOCUMENTED, TRAILS_AS_DOCUMENTED};
use crate::effect::Kinds;
use crate::extensions::Extensions;
use kit::Numbering;
use netquake::primitives::{BigEntities, Primitives};

/// The transport under the extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// QuakeWorld: one sequence for everything, acknowledged in each header.
    QuakeWorld,
    /// NetQuake: reliable and unreliable datagrams counted apart.
    NetQuake,
}

impl Transport {
    /// Says what the number of a datagram says of it.
    pub fn numbers(self) -> fn(&[u8]) -> Numbering {
        match self {
            Transport::QuakeWorld => netchan::numbering,
            Transport::NetQuake => netquake::datagram::numbering,
        }
    }
}

/// How ambiguous places are read. Nothing on the wire shows it, so both ends have to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// The bits of regular entity numbers from 32768 stand as the specification has them, not as engines do (erratum E1).
    pub numbers_as_documented: bool,
    /// Abslight follows low drawflags of 6, too, not of 7 alone (erratum E9).
    pub abslight_from_6: bool,
    /// A trail is one short with all its bits, not 14 bits and perhaps another number (erratum E14).
    pub trails_as_documented: bool,
    /// Angles beside a pred block have 16 bits with PREDINFO, too (erratum E15).
    pub angles_as_documented: bool,
    /// QuakeWorld: the server's own recording is read, an `.mvd`, which tells of players in forms of its own.
    pub multi_view: bool,
}

/// What a session has agreed upon. Changes with each serverdata or serverinfo.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// The transport.
    pub transport: Transport,
    /// The extension masks that the server echoed.
    pub extensions: Extensions,
    /// The base protocol: 28 on QuakeWorld; 15, 666 or 999 on NetQuake.
    pub protocol: u32,
    /// Coords, angles and entity numbers.
    pub primitives: Primitives,
    /// The upper bits of a delta's gate (see [`crate::delta`]).
    pub gate: u64,
    /// The effects that the server announced since.
    pub effects: Kinds,
}

impl Dialect {
    /// Before anything was agreed upon, by a reader of these readings.
    pub fn before(transport: Transport, readings: Readings) -> Dialect {
        let mut dialect = Dialect::plain(transport);
        dialect.primitives.multi_view = readings.multi_view;
        dialect
    }

    /// Before anything was agreed upon.
    pub fn plain(transport: Transport) -> Dialect {
        let protocol = match transport {
            Transport::QuakeWorld => PROTOCOL_VERSION_QW,
            Transport::NetQuake => netquake::constants::PROTOCOL_NETQUAKE,
        };
        Dialect::negotiated(transport, Extensions::default(), protocol, 0, Readings::default())
    }

    /// What `extensions` on top of the base `protocol` (with its flags, for protocol 999) make.
    pub fn negotiated(
        transport: Transport,
        extensions: Extensions,
        protocol: u32,
        protocol_flags: u32,
        readings: Readings,
    ) -> Dialect {
        let big_entities = match (extensions.fte2 & PEXT2_REPLACEMENTDELTAS != 0, readings.numbers_as_documented) {
            (false, _) => BigEntities::Plain,    // FTE-ENT-01, FTE-ENT-04
            (true, false) => BigEntities::Built, // FTE-ENT-02
            (true, true) => BigEntities::Seed,
        };
        let float_coords = extensions.fte1 & PEXT_FLOATCOORDS != 0; // FTE-HS-21, FTE-HS-22
        let mut primitives = Primitives::negotiated(protocol, protocol_flags, float_coords, big_entities); // FTE-ENT-03
        primitives.multi_view = readings.multi_view;
        if transport == Transport::QuakeWorld && big_entities == BigEntities::Plain {
            primitives.entity_mask = extensions.fte1 & quakeworld::PEXT_OF_ENTITIES;
        }
        let mut gate = primitives.gate() | extensions.gate();
        if readings.numbers_as_documented {
            gate |= NUMBERS_AS_DOCUMENTED;
        }
        if readings.abslight_from_6 {
            gate |= ABSLIGHT_FROM_6;
        }
        if readings.trails_as_documented {
            gate |= TRAILS_AS_DOCUMENTED;
        }
        if readings.angles_as_documented {
            gate |= ANGLES_AS_DOCUMENTED;
        }
        // FTE-HS-17, FTE-SVC-11
        Dialect { transport, extensions, protocol, primitives, gate, effects: Kinds::NONE }
    }

    /// Whether replacement deltas are on.
    pub fn deltas(&self) -> bool {
        self.extensions.fte2 & PEXT2_REPLACEMENTDELTAS != 0
    }

    /// Whether PREDINFO is on.
    pub fn predinfo(&self) -> bool {
        self.extensions.fte2 & PEXT2_PREDINFO != 0
    }

    /// Whether update messages and moves carry a movement sequence (erratum E3: on NetQuake only).
    pub fn movement_sequence(&self) -> bool {
        // FTE-PRED-09
        self.predinfo() && self.transport == Transport::NetQuake
    }
}
