//! The messages of the houses beside FTE: what arbitrary bytes are read as, and nothing more.

use super::input::Input;
use super::targets::check_error;
use fitz666::message::{Dialect, walk_commands, walk_services};
use kit::Reader;
use nvs::message::{Reading, read_message};
use nvs::tables::Tables;
use nvs::version::Version;
use pygg2::message::{ClientHeader, ServerHeader, ServerRecord, read_client_records, read_server_records};
use pygg2::snapshot::{Declared, Snapshot};

/// A payload of protocol 15 or 666, as messages of both directions: no more are read than there are bytes.
pub fn fitz666_messages(bytes: &[u8]) {
    let mut input = Input(bytes);
    let mut dialect = Dialect::announced(if input.u8() & 1 == 0 { 666 } else { 15 });
    let payload = input.0;
    let mut read = 0;
    let mut r = Reader::new(payload);
    let commands = walk_commands(&mut r, &dialect.move_form(), &mut |_| read += 1);
    assert!(read <= payload.len() && (commands.is_err() || r.left() == 0));
    let mut read = 0;
    let mut r = Reader::new(payload);
    let services = walk_services(&mut r, &mut dialect, &mut |_, _| read += 1);
    assert!(read <= payload.len() && (services.is_err() || r.left() == 0));
    for error in [commands.err(), services.err()].into_iter().flatten() {
        check_error(&error, payload.len());
    }
}

/// A payload as a client of any version reads it.
pub fn nvs_messages(bytes: &[u8]) {
    let mut input = Input(bytes);
    let tables = Tables::released();
    let reading = Reading { tables: &tables, version: Version(i32::from(input.u8() % 100)) };
    let payload = input.0;
    let mut r = Reader::new(payload);
    while r.left() > 0 {
        let before = r.at();
        match read_message(&mut r, &reading) {
            Ok(_) => assert!(r.at() > before),
            Err(error) => return check_error(&error, payload.len()),
        }
    }
}

/// A text of tables: tables that hold together, or a sentence that says where they do not.
pub fn nvs_tables(bytes: &[u8]) {
    match Tables::parse(&String::from_utf8_lossy(bytes)) {
        Ok(tables) => {
            for message in tables.messages() {
                let last = message.lines.last().expect("a message has lines");
                assert_eq!(last.version, Version(0), "every version has a line");
            }
        }
        Err(what) => assert!(!what.is_empty()),
    }
}

/// Packets of both directions.
pub fn pygg2_packets(bytes: &[u8]) {
    let (mut server, mut client) = (Vec::new(), Vec::new());
    let class_fields = bytes.first().is_some_and(|byte| byte & 1 == 1);
    let declared = Declared { class_fields, extras: bytes.len() % 3 };
    let mut r = Reader::new(bytes);
    let from_server = ServerHeader::read(&mut r).and_then(|_| read_server_records(&mut r, declared, &mut server));
    for record in &server {
        let ServerRecord::Snapshot(difference) = &record.what else { continue };
        match Snapshot::decode(&difference.xored, declared) {
            // Spare bits of the flags are not kept.
            Ok(snapshot) => assert_eq!(snapshot.encode().len(), difference.xored.len()),
            Err(error) => check_error(&error, difference.xored.len()),
        }
    }
    let mut r = Reader::new(bytes);
    let from_client = ClientHeader::read(&mut r).and_then(|_| read_client_records(&mut r, &mut client));
    assert!(server.len() <= bytes.len() && client.len() <= bytes.len());
    for error in [from_server.err(), from_client.err()].into_iter().flatten() {
        check_error(&error, bytes.len());
    }
}
