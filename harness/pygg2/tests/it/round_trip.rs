//! The codec and the machines against whatever bytes.

use kit::{Command, Direction, Dissection, Dissector, Endpoint, HostId, PeerId, Reader, Setup, Time, Writer};
use proptest::prelude::*;
use pygg2::dissector::Pygg2Dissector;
use pygg2::message::*;
use pygg2::options::PROFILES;
use pygg2::snapshot::{Declared, lengthen, shorten, xor};

fn drained(endpoint: &mut dyn Endpoint, now: Time) -> usize {
    let (mut out, mut count) = (Vec::new(), 0);
    while endpoint.poll_transmit(now, &mut out).is_some() {
        out.clear();
        count += 1;
        assert!(count < 1000, "it never stops sending");
    }
    while endpoint.poll_event().is_some() {}
    count
}

/// A packet whose header is good and whose rest is anything.
fn packet() -> impl Strategy<Value = Vec<u8>> {
    let record = (0u8..16, proptest::collection::vec(any::<u8>(), 0..90)).prop_map(|(id, mut rest)| {
        rest.splice(0..0, [0, 1, id]);
        rest
    });
    let records = proptest::collection::vec(record, 0..4).prop_map(|records| records.concat());
    let whole = (proptest::collection::vec(0u8..4, 6), records).prop_map(|(head, rest)| [head, rest].concat());
    prop_oneof![9 => whole, 1 => proptest::collection::vec(any::<u8>(), 0..6)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_record_that_is_read_is_written_as_it_was_meant(bytes in packet()) {
        let mut r = Reader::new(bytes.get(6..).unwrap_or_default());
        if let Ok(record) = read_server_record(&mut r, Declared::NOTHING) {
            let mut out = Vec::new();
            let mut w = Writer::new(&mut out);
            match &record.what {
                ServerRecord::Event(event) => event.write(&mut w, record.created),
                ServerRecord::Snapshot(difference) => write_snapshot(&mut w, record.created, difference),
            }
            let again = read_server_record(&mut Reader::new(&out), Declared::NOTHING);
            prop_assert_eq!(again, Ok(record));
        }
    }

    #[test]
    fn shortened_zeros_come_back(bytes in proptest::collection::vec(prop_oneof![3 => Just(0u8), 1 => any::<u8>()], 0..2000)) {
        let short = shorten(&bytes);
        prop_assert_eq!(lengthen(&mut Reader::new(&short), bytes.len()), Ok(bytes));
    }

    #[test]
    fn a_difference_over_any_base_comes_back(
        bytes in proptest::collection::vec(any::<u8>(), 0..80),
        base in proptest::collection::vec(any::<u8>(), 0..80),
    ) {
        prop_assert_eq!(xor(&xor(&bytes, &base), &base), bytes);
    }

    #[test]
    fn machines_and_dissector_survive_whatever_arrives(packets in proptest::collection::vec(packet(), 1..20), server in any::<bool>()) {
        let setup = Setup::new(&pygg2::PROTOCOL, &PROFILES[0]);
        let (mut endpoint, from) = match server {
            true => ((pygg2::PROTOCOL.server)(&setup), PeerId::client(1)),
            false => ((pygg2::PROTOCOL.client)(&setup.on(HostId(1))), PeerId::SERVER),
        };
        endpoint.handle_command(Time::ZERO, &Command::Connect);
        let mut dissector = Pygg2Dissector::new(Some(&setup));
        for (index, bytes) in packets.iter().enumerate() {
            let now = Time::from_ms(40 * index as u64);
            endpoint.handle_timeout(now);
            endpoint.handle_datagram(now, from, bytes);
            drained(endpoint.as_mut(), now);
            let mut found = Dissection { want_spans: true, ..Dissection::default() };
            dissector.datagram(HostId(1), Direction::ServerToClient, bytes, &mut found);
            prop_assert!(!found.summary.is_empty());
            prop_assert!(found.spans.iter().all(|span| span.start <= span.end && span.end <= bytes.len()));
        }
    }
}
