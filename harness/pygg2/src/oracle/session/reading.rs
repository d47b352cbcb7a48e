//! Packets of the server's, read once where they are sent, and kept until they are delivered.

use crate::message::{ServerHeader, ServerRecords};
use crate::snapshot::Declared;
use kit::{DecodeError, Reader};

/// Packets that are kept for each client; one that is under way for longer is read again.
const KEPT: usize = 16;

/// A packet of the server's, read.
#[derive(Clone, Debug, Default)]
pub struct ServerReading {
    /// The index of the datagram that had exactly these bytes.
    index: Option<u32>,
    /// Its header.
    pub header: Option<ServerHeader>,
    /// Its records; what stands before an error is in it, too.
    pub records: ServerRecords,
    /// Why it, or the rest of it, cannot be read.
    pub error: Option<DecodeError>,
}

impl ServerReading {
    /// Of a packet that nobody has kept.
    pub fn of(bytes: &[u8], declared: Declared) -> ServerReading {
        let mut reading = ServerReading::default();
        reading.read(bytes, declared);
        reading
    }

    /// Becomes what `bytes` say, in the memory that there is.
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

/// The packets to one client that were read last.
#[derive(Debug, Default)]
pub struct Readings {
    kept: Vec<ServerReading>,
}

impl Readings {
    /// Datagram `index` is sent. Whoever takes it out is to [`put`](Readings::put) it back.
    pub fn sent(&mut self, index: u32, bytes: &[u8], declared: Declared) -> ServerReading {
        let mut reading = self.take(index);
        reading.read(bytes, declared);
        reading.index = Some(index);
        reading
    }

    /// Datagram `index` is delivered; `intact` if these are the bytes that were sent.
    pub fn delivered(&mut self, index: u32, bytes: &[u8], intact: bool, declared: Declared) -> ServerReading {
        let mut reading = self.take(index);
        if !intact || reading.index != Some(index) {
            reading.read(bytes, declared);
            reading.index = Some(index).filter(|_| intact);
        }
        reading
    }

    /// Puts back what was taken out for datagram `index`.
    pub fn put(&mut self, index: u32, reading: ServerReading) {
        if let Some(place) = self.kept.get_mut(index as usize % KEPT) {
            *place = reading;
        }
    }

    fn take(&mut self, index: u32) -> ServerReading {
        self.kept.resize_with(KEPT, ServerReading::default);
        self.kept.get_mut(index as usize % KEPT).map(std::mem::take).unwrap_or_default()
    }
}
