//! What an engine sent over protocol 15, read as a client of NVS reads it: a plain client's stream, every byte of it.

use kit::{Direction, Dissection, Dissector, HostId};
use nvs::dissector::NvsDissector;
use testkit::bytes;

#[test]
fn a_recorded_game_over_protocol_15_reads_as_that_of_a_plain_client() {
    let mut dissector = NvsDissector::new(None);
    let (mut datagrams, mut messages) = (0, 0);
    for sent in
        bytes::datagrams("netquake/qss_protocol15").iter().filter(|it| it.direction == Direction::ServerToClient)
    {
        let mut out = Dissection::default();
        dissector.datagram(HostId(1), sent.direction, &sent.bytes, &mut out);
        assert_eq!(out.error, None, "{}", sent.place);
        datagrams += 1;
        messages += out.messages;
    }
    assert!(datagrams > 10 && messages > datagrams, "{datagrams} datagrams, {messages} messages");
    assert!(dissector.extensions().is_empty(), "nobody sent versions");
}
