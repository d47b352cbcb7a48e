//! Packets, read once where they are sent, and kept until they are delivered.

use crate::message::{self, ClientHeader, ClientRecord, ServerHeader, ServerRecords, Stamped};
use crate::snapshot::Declared;
use kit::{DecodeError, Reader};

/// Packets that are kept for each client and direction; one that is under way for longer is read again.
const KEPT: usize = 16;

/// What a packet says.
pub trait Reading: Default {
    /// Becomes what `bytes` say, in the memory that there is.
    fn read(&mut self, bytes: &[u8], declared: Declared);

    /// Of a packet that nobody has kept.
    fn of(bytes: &[u8], declared: Declared) -> Self {
        let mut reading = Self::default();
        reading.read(bytes, declared);
        reading
    }
}

/// A packet of the server's, read.
#[derive(Clone, Debug, Default)]
pub struct ServerReading {
    /// Its header.
    pub header: Option<ServerHeader>,
    /// Its records; what stands before an error is in it, too.
    pub records: ServerRecords,
    /// Why it, or the rest of it, cannot be read.
    pub error: Option<DecodeError>,
}

impl Reading for ServerReading {
    fn read(&mut self, bytes: &[u8], declared: Declared) {
        let mut r = Reader::new(bytes);
        self.header = None;
        let read = ServerHeader::read(&mut r).and_then(|header| {
            self.header = Some(header);
            self.records.read(&mut r, declared)
        });
        self.error = read.err();
    }
}

/// A packet of a client's, read.
#[derive(Clone, Debug, Default)]
pub struct ClientReading {
    /// Its header.
    pub header: Option<ClientHeader>,
    /// Its records; those before an error are in it, too.
    pub records: Vec<Stamped<ClientRecord>>,
    /// Why it, or the rest of it, cannot be read.
    pub error: Option<DecodeError>,
}

impl Reading for ClientReading {
    fn read(&mut self, bytes: &[u8], _: Declared) {
        let mut r = Reader::new(bytes);
        self.header = None;
        self.records.clear();
        let read = ClientHeader::read(&mut r).and_then(|header| {
            self.header = Some(header);
            message::read_client_records(&mut r, &mut self.records)
        });
        self.error = read.err();
    }
}

/// The packets that were read last, of one client in one direction.
#[derive(Debug, Default)]
pub struct Readings<R> {
    /// With the index of the datagram that had exactly these bytes.
    kept: Vec<(Option<u32>, R)>,
}

impl<R: Reading> Readings<R> {
    /// Datagram `index` is sent. Whoever takes it out is to [`put`](Readings::put) it back.
    pub fn sent(&mut self, index: u32, bytes: &[u8], declared: Declared) -> (Option<u32>, R) {
        let (_, mut reading) = self.take(index);
        reading.read(bytes, declared);
        (Some(index), reading)
    }

    /// Datagram `index` is delivered; `intact` if these are the bytes that were sent.
    pub fn delivered(&mut self, index: u32, bytes: &[u8], intact: bool, declared: Declared) -> (Option<u32>, R) {
        let (kept, mut reading) = self.take(index);
        if intact && kept == Some(index) {
            return (kept, reading);
        }
        reading.read(bytes, declared);
        (Some(index).filter(|_| intact), reading)
    }

    /// Puts back what was taken out for datagram `index`.
    pub fn put(&mut self, index: u32, reading: (Option<u32>, R)) {
        if let Some(place) = self.kept.get_mut(index as usize % KEPT) {
            *place = reading;
        }
    }

    fn take(&mut self, index: u32) -> (Option<u32>, R) {
        if self.kept.is_empty() {
            self.kept.resize_with(KEPT, Default::default);
        }
        self.kept.get_mut(index as usize % KEPT).map(std::mem::take).unwrap_or_default()
    }
}
