//! The codec, the machines and the dissector against whatever bytes.

use kit::{Command, Direction, Dissection, Dissector, HostId, PeerId, Reader, Time, Writer};
use proptest::prelude::*;
use skeleton::PROTOCOL;
use skeleton::dissector::SkeletonDissector;
use skeleton::message::Change;
use testkit::DIRECTIONS;
use testkit::session::drain;

/// A datagram whose first byte is mostly right.
fn datagram() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(prop_oneof![3 => 0u8..8, 1 => any::<u8>()], 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_change_that_is_read_is_written_as_it_was(bytes in datagram()) {
        let mut r = Reader::new(&bytes);
        if let Ok(change) = Change::read(&mut r) {
            let mut out = Vec::new();
            change.write(&mut Writer::new(&mut out));
            prop_assert_eq!(&out[..], &bytes[..r.at()]);
        }
    }

    #[test]
    fn machines_and_dissector_survive_whatever_arrives(datagrams in proptest::collection::vec(datagram(), 1..20)) {
        let setup = testkit::setup(&PROTOCOL, 0, &[]);
        let (mut server, mut client) = ((PROTOCOL.server)(&setup), (PROTOCOL.client)(&setup.on(HostId(1))));
        client.handle_command(Time::ZERO, &Command::Connect);
        for (index, bytes) in datagrams.iter().enumerate() {
            let now = Time::from_ms(60 * index as u64);
            for (host, from) in [(&mut server, PeerId::client(1)), (&mut client, PeerId::SERVER)] {
                host.handle_datagram(now, from, bytes);
                host.handle_timeout(now);
                prop_assert!(drain(now, host.as_mut()).len() <= 1);
            }
            for direction in DIRECTIONS {
                let mut found = Dissection { want_spans: true, ..Dissection::default() };
                SkeletonDissector.datagram(HostId(1), direction, bytes, &mut found);
                prop_assert!(!found.summary.is_empty());
                prop_assert!(found.spans.iter().all(|span| span.start <= span.end && span.end <= bytes.len()));
            }
        }
    }
}

#[test]
fn what_a_snapshot_carries_is_marked_by_name() {
    let mut found = Dissection::default();
    let bytes = [1, 7, 0, 0, 0, 6, 0, 0, 0, 5, 1, 1, 0, 9, 0x80];
    SkeletonDissector.datagram(HostId(1), Direction::ServerToClient, &bytes, &mut found);
    let marks: Vec<(&str, u32)> = found.marks.iter().map(|mark| (PROTOCOL.marks[mark.kind], mark.number)).collect();
    assert_eq!(marks, [("snapshot", 7), ("delta", 6), ("update", 5), ("remove", 9)]);
    assert_eq!(found.summary, "snapshot 7: 2 changes of 6");
}
