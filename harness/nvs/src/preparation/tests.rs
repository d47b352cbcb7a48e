//! The document's three test cases, byte by byte, for every pair of versions; and the rules of selection and writing.
//!
//! The bytes were worked out by hand from the tables' text: a pitch of 12.5 degrees is 8 of 256 parts (8.88, cut off), a
//! yaw of -90 is -64 (0xc0); as IEEE singles 12.5 is 0x41480000 and -90 is 0xc2b40000. The origin (100, -50.5, 24.25) is
//! 800, -404, 194 in eighths: 0x0320, 0xfe6c, 0x00c2. The colour (1, 0.5, 0.25, 0.875) is 8, 4, 2, 7.

use super::*;
use crate::call::Rounding;
use crate::call::{Value, encode};
use crate::constants::*;
use netquake::constants::{SVC_SET_ANGLE, SVC_TEMP_ENTITY, TE_EXPLOSION};

const ANGLE_OLD: &[u8] = &[0x0a, 0x08, 0xc0, 0x00];
const ANGLE_NEW: &[u8] = &[0x0a, 0x00, 0x00, 0x48, 0x41, 0x00, 0x00, 0xb4, 0xc2, 0x00, 0x00, 0x00, 0x00];
const PARTICLE: &[u8] = &[0x12, 0x20, 0x03, 0x6c, 0xfe, 0xc2, 0x00, 0x00, 0x00, 0x10, 0x14, 0x49];
const EXPLOSION_OLD: &[u8] = &[0x17, 0x03, 0x20, 0x03, 0x6c, 0xfe, 0xc2, 0x00];
const EXPLOSION_NEW: &[u8] =
    &[0x17, 0x03, 0x20, 0x03, 0x6c, 0xfe, 0xc2, 0x00, 0x08, 0x00, 0x04, 0x00, 0x02, 0x00, 0x07, 0x00];

const SET_ANGLE: Init = Init { dest: MSG_ONE, svc: SVC_SET_ANGLE, sub: 0, only: Some(HostId(1)), apart: false };
const PARTICLES: Init = Init { dest: MSG_BROADCAST, svc: SVC_PARTICLE, sub: 0, only: None, apart: false };
const EXPLODE: Init = Init { dest: MSG_BROADCAST, svc: SVC_TEMP_ENTITY, sub: TE_EXPLOSION, only: None, apart: false };

/// Clients of these versions.
struct Clients(Vec<(Version, Outlet)>);

impl Clients {
    fn of(versions: &[i32]) -> Clients {
        Clients(versions.iter().map(|&version| (Version(version), Outlet::default())).collect())
    }

    /// With so many bytes in the unreliable buffer of client `n` (from 1).
    fn filled(mut self, n: usize, bytes: usize) -> Clients {
        self.0[n - 1].1.datagram.push(&vec![1; bytes]);
        self
    }

    fn datagram(&self, n: usize) -> &[u8] {
        self.0[n - 1].1.datagram.bytes()
    }

    fn message(&self, n: usize) -> &[u8] {
        self.0[n - 1].1.message.bytes()
    }
}

impl Parties for Clients {
    fn each(&mut self, visit: &mut dyn FnMut(Party<'_>)) {
        for (index, (csvc, outlet)) in self.0.iter_mut().enumerate() {
            let versions = Versions { csvc: *csvc, ..Versions::default() };
            visit(Party { host: HostId(index as u16 + 1), versions, outlet });
        }
    }
}

/// A server with its sign-on data.
struct Bench {
    tables: Tables,
    ssvc: Version,
    signon: Buffer,
    preparation: Preparation,
}

impl Bench {
    fn new(ssvc: i32) -> Bench {
        Bench {
            tables: Tables::released(),
            ssvc: Version(ssvc),
            signon: Buffer::new(SIGNON_BYTES),
            preparation: Preparation::default(),
        }
    }

    fn init(&mut self, init: Init, clients: &mut Clients) {
        let Bench { tables, ssvc, signon, preparation } = self;
        let terms = Terms { rules: &PreparationRules::REFERENCE, particle_margin: 0, tables, ssvc: *ssvc };
        preparation.init(init, &terms, signon.len(), clients);
    }

    fn write(&mut self, bytes: &[u8], clients: &mut Clients) -> bool {
        let Bench { tables, ssvc, signon, preparation } = self;
        let terms = Terms { rules: &PreparationRules::REFERENCE, particle_margin: 0, tables, ssvc: *ssvc };
        let mut common = Common { signon, apart: None };
        preparation.write(bytes, &terms, &mut common, clients)
    }

    /// Sends a message of these values: as many as the server has to write.
    fn send(&mut self, init: Init, values: &[f32], clients: &mut Clients) {
        self.init(init, clients);
        let kinds = self.preparation.listed(&self.tables).expect("a listed message").kinds.clone();
        let due = self.preparation.due(&self.tables, 0);
        for (kind, value) in kinds.iter().zip(values).take(due) {
            let mut bytes = Vec::new();
            encode(*kind, Value::Float(*value), Rounding::CutOff, &mut bytes);
            self.write(&bytes, clients);
        }
        assert_eq!(self.preparation.remaining(), 0);
    }

    fn set_angle(&mut self, init: Init, clients: &mut Clients) {
        self.send(init, &[10.0, 12.5, -90.0, 0.0, 12.5, -90.0, 0.0], clients);
    }

    fn particle(&mut self, clients: &mut Clients) {
        self.send(PARTICLES, &[18.0, 100.0, -50.5, 24.25, 0.0, 0.0, 16.0, 20.0, 73.0], clients);
    }

    fn explosion(&mut self, init: Init, clients: &mut Clients) {
        self.send(init, &[23.0, 3.0, 100.0, -50.5, 24.25, 1.0, 0.5, 0.25, 0.875], clients);
    }
}

/// What a client of `csvc` gets of the three messages from a server of `ssvc`.
fn check(ssvc: i32, csvc: i32, angle: &[u8], explosion: &[u8]) {
    let mut clients = Clients::of(&[csvc]);
    let mut bench = Bench::new(ssvc);
    bench.set_angle(SET_ANGLE, &mut clients);
    assert_eq!(clients.message(1), angle, "set angle, {ssvc} to {csvc}");
    bench.particle(&mut clients);
    assert_eq!(clients.datagram(1), PARTICLE, "particle, {ssvc} to {csvc}");
    let mut clients = Clients::of(&[csvc]);
    bench.explosion(EXPLODE, &mut clients);
    assert_eq!(clients.datagram(1), explosion, "explosion, {ssvc} to {csvc}");
}

#[test]
fn every_pair_of_versions_has_the_bytes_of_the_document() {
    for ssvc in [0, 49] {
        // The server has nothing newer to write; a client whose version is stale gets what is written, too.
        for csvc in [0, 49, 50, 75, 99] {
            check(ssvc, csvc, ANGLE_OLD, EXPLOSION_OLD);
        }
    }
    for ssvc in [50, 75, 99] {
        for csvc in [0, 49] {
            check(ssvc, csvc, ANGLE_OLD, EXPLOSION_OLD);
        }
        for csvc in [50, 75, 99] {
            check(ssvc, csvc, ANGLE_NEW, EXPLOSION_NEW);
        }
    }
}

#[test]
fn one_call_serves_clients_of_all_versions() {
    let mut clients = Clients::of(&[50, 0, 99, 49]);
    Bench::new(50).explosion(EXPLODE, &mut clients);
    let expected = [EXPLOSION_NEW, EXPLOSION_OLD, EXPLOSION_NEW, EXPLOSION_OLD];
    assert_eq!([1, 2, 3, 4].map(|n| clients.datagram(n)), expected);
}

#[test]
fn a_message_to_one_client_reaches_no_other_one() {
    let mut clients = Clients::of(&[50, 50]);
    let mut bench = Bench::new(50);
    bench.set_angle(SET_ANGLE, &mut clients);
    bench.explosion(Init { only: Some(HostId(2)), ..EXPLODE }, &mut clients);
    assert_eq!((clients.message(1), clients.message(2)), (ANGLE_NEW, &[][..]));
    assert_eq!((clients.datagram(1), clients.datagram(2)), (&[][..], EXPLOSION_NEW));
}

#[test]
fn one_and_all_go_into_the_reliable_buffers_in_the_order_of_the_calls() {
    let mut clients = Clients::of(&[50, 0]);
    let mut bench = Bench::new(50);
    bench.explosion(Init { dest: MSG_ALL, ..EXPLODE }, &mut clients);
    bench.set_angle(SET_ANGLE, &mut clients);
    assert_eq!(clients.message(1), [EXPLOSION_NEW, ANGLE_NEW].concat());
    assert_eq!(clients.message(2), EXPLOSION_OLD);
}

#[test]
fn the_sign_on_data_has_the_plain_form() {
    let mut clients = Clients::of(&[99]);
    let mut bench = Bench::new(99);
    bench.explosion(Init { dest: MSG_INIT, ..EXPLODE }, &mut clients);
    bench.set_angle(Init { dest: MSG_INIT, only: None, ..SET_ANGLE }, &mut clients);
    assert_eq!(bench.signon.bytes(), [EXPLOSION_OLD, ANGLE_OLD].concat());
    assert!(clients.message(1).is_empty() && clients.datagram(1).is_empty());
}

#[test]
fn a_broadcast_that_fits_exactly_is_accepted_and_one_byte_less_is_not() {
    for (bytes, fits) in [(1012, true), (1013, false)] {
        let mut clients = Clients::of(&[99]).filled(1, bytes);
        Bench::new(99).particle(&mut clients);
        assert_eq!(clients.datagram(1).len(), if fits { 1024 } else { bytes }, "{bytes}");
    }
    for (csvc, bytes, fits) in [(50, 1008, true), (50, 1009, false), (0, 1016, true), (0, 1017, false)] {
        let mut clients = Clients::of(&[csvc]).filled(1, bytes);
        Bench::new(50).explosion(EXPLODE, &mut clients);
        let size = if csvc == 0 { 8 } else { 16 };
        assert_eq!(clients.datagram(1).len(), if fits { bytes + size } else { bytes }, "{csvc} {bytes}");
    }
}

#[test]
fn a_client_without_room_does_without_and_others_get_the_message() {
    let mut clients = Clients::of(&[50, 0]).filled(1, 1009).filled(2, 1016);
    Bench::new(50).explosion(EXPLODE, &mut clients);
    assert_eq!((clients.datagram(1).len(), clients.datagram(2).len()), (1009, 1024));
    assert_eq!(&clients.datagram(2)[1016..], EXPLOSION_OLD);
}

#[test]
fn eighty_five_of_a_hundred_particles_fit() {
    let mut clients = Clients::of(&[50]);
    let mut bench = Bench::new(50);
    (0..100).for_each(|_| bench.particle(&mut clients));
    assert_eq!(clients.datagram(1).len(), 1020);
}

#[test]
fn a_text_longer_than_its_table_assumes_leaves_no_half_message() {
    let text = "message svc_centerprint: byte string\n 0.00 writes 2 bytes 18 TT\n";
    let mut bench = Bench { tables: Tables::parse(text).expect("sound tables"), ..Bench::new(50) };
    let mut clients = Clients::of(&[50, 50]).filled(1, 1000);
    let init = Init { dest: MSG_BROADCAST, svc: 26, sub: 0, only: None, apart: false };
    bench.init(init, &mut clients);
    assert!(bench.write(&[26], &mut clients));
    assert!(!bench.write(&[b'x'; 60], &mut clients), "it did not fit in at one client");
    assert_eq!((clients.datagram(1).len(), clients.datagram(2).len()), (1000, 61));
}

#[test]
fn a_message_that_does_not_exist_in_a_clients_version_leaves_it_out() {
    let text = "message 40: byte short\n 0.50 writes 2 bytes 3 TT\n 0.00 writes 0 bytes 0 FF\n";
    let mut bench = Bench { tables: Tables::parse(text).expect("sound tables"), ..Bench::new(50) };
    let mut clients = Clients::of(&[50, 49]);
    bench.send(Init { dest: MSG_ALL, svc: 40, sub: 0, only: None, apart: false }, &[40.0, 7.0], &mut clients);
    assert_eq!((clients.message(1), clients.message(2)), (&[40, 7, 0][..], &[][..]));
}

#[test]
fn an_unlisted_message_goes_out_whole_and_has_no_writes_to_count() {
    let mut bench = Bench::new(99);
    let mut clients = Clients::of(&[99, 0]);
    bench.init(Init { dest: MSG_ONE, svc: SVC_TEMP_ENTITY, sub: 0, only: Some(HostId(2)), apart: false }, &mut clients);
    assert_eq!(bench.preparation.remaining(), 0);
    bench.write(&[23, 0], &mut clients);
    assert_eq!((clients.message(1), clients.message(2)), (&[][..], &[23, 0][..]));
}

#[test]
fn writes_behind_the_last_one_go_to_everybody_whom_the_message_was_for() {
    let mut bench = Bench::new(50);
    let mut clients = Clients::of(&[50, 0]);
    bench.explosion(EXPLODE, &mut clients);
    bench.write(&[9], &mut clients);
    assert_eq!(clients.datagram(1), [EXPLOSION_NEW, &[9]].concat());
    assert_eq!(clients.datagram(2), [EXPLOSION_OLD, &[9]].concat());
}

#[test]
fn a_client_that_joins_between_preparing_and_writing_gets_nothing() {
    let mut bench = Bench::new(50);
    let mut clients = Clients::of(&[50]);
    bench.init(Init { dest: MSG_ALL, ..EXPLODE }, &mut clients);
    clients.0.push((Version(50), Outlet::default()));
    bench.write(&[23], &mut clients);
    assert_eq!((clients.message(1), clients.message(2)), (&[23][..], &[][..]));
}

#[test]
fn the_limits_have_the_bytes_of_the_document() {
    let mut bench = Bench::new(50);
    let mut clients = Clients::of(&[50]);
    let init = Init { dest: MSG_ONE, svc: SVC_LIMIT, sub: LIMIT_NVS, only: Some(HostId(1)), apart: false };
    bench.send(init, &[126.0, 1.0, 600.0, 128.0, 64.0], &mut clients);
    assert_eq!(clients.message(1), [0x7e, 0x01, 0x58, 0x02, 0x80, 0x00, 0x40, 0x00]);
}
