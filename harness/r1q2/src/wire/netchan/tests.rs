use super::*;

/// A client and a server on a wire worked by hand.
struct Pair {
    client: Netchan,
    server: Netchan,
}

impl Pair {
    fn new(qport: Qport, resend: Resend) -> Pair {
        Pair {
            client: Netchan::new(Side::Client(qport), 1400, resend),
            server: Netchan::new(Side::Server(qport), 1400, resend),
        }
    }

    /// The server sends; the client takes it if it `arrives`.
    fn down(&mut self, unreliable: &[u8], arrives: bool) -> Vec<u8> {
        let mut datagram = Vec::new();
        self.server.transmit(unreliable, &mut datagram);
        if arrives {
            assert!(matches!(self.client.receive(&datagram), Ok(Some(_))));
        }
        datagram
    }

    /// The client sends an empty datagram, which arrives.
    fn up(&mut self) -> bool {
        let mut datagram = Vec::new();
        self.client.transmit(&[], &mut datagram);
        self.server.receive(&datagram).ok().flatten().is_some_and(|received| received.reliable_delivered)
    }
}

fn is_reliable(datagram: &[u8]) -> bool {
    datagram[3] & 0x80 != 0
}

#[track_caller]
fn check_header(qport: Qport, hex: &[u8]) {
    let header = Header { sequence: 2, reliable: true, acknowledged: 1, reliable_acknowledged: true, qport };
    let mut out = Vec::new();
    header.write(&mut Writer::new(&mut out));
    assert_eq!(out, hex);
    assert_eq!(Header::read(&mut Reader::new(&out), Direction::ClientToServer, qport), Ok(header));
}

#[test]
fn a_header_has_the_number_of_the_client_in_as_many_bytes_as_the_protocol_says() {
    // r1q2_b5183_p34, r1q2_b5183_p35_frames_in_zpackets and r1q2_b8012_zdownload: the client's second datagram each.
    check_header(Qport::Short(0x1234), &[2, 0, 0, 0x80, 1, 0, 0, 0x80, 0x34, 0x12]);
    check_header(Qport::Byte(13), &[2, 0, 0, 0x80, 1, 0, 0, 0x80, 13]);
    check_header(Qport::Absent, &[2, 0, 0, 0x80, 1, 0, 0, 0x80]);
}

#[test]
fn a_connect_tells_the_size_of_the_number() {
    assert_eq!(Qport::announced(34, 0), Qport::Short(0));
    assert_eq!(Qport::announced(34, 4660), Qport::Short(4660));
    assert_eq!(Qport::announced(35, 0), Qport::Absent);
    assert_eq!(Qport::announced(35, 255), Qport::Byte(255));
    assert_eq!(Qport::announced(35, 300), Qport::Absent);
}

#[test]
fn a_datagram_without_a_connection_is_refused() {
    let mut netchan = Netchan::new(Side::Client(Qport::Absent), 1400, Resend::OneLater);
    assert!(netchan.receive(&[0xff; 20]).is_err());
    assert!(netchan.receive(&[1, 0, 0, 0]).is_err());
}

#[test]
fn old_datagrams_and_duplicates_are_dropped() {
    let mut pair = Pair::new(Qport::Absent, Resend::OneLater);
    let first = pair.down(b"a", true);
    let second = pair.down(b"b", false);
    let third = pair.down(b"c", false);
    let dropped = |received: Result<Option<Received<'_>>, DecodeError>| received.ok().flatten().map(|it| it.dropped);
    assert_eq!(dropped(pair.client.receive(&first)), None);
    assert_eq!(dropped(pair.client.receive(&third)), Some(1));
    assert_eq!(dropped(pair.client.receive(&second)), None);
}

#[test]
fn one_block_is_under_way_at_a_time_and_its_echo_frees_the_next() {
    let mut pair = Pair::new(Qport::Byte(1), Resend::OneLater);
    pair.server.queue_reliable(b"first");
    let datagram = pair.down(b"+", true);
    assert_eq!(&datagram[HEADER_BYTES..], b"first+");
    pair.server.queue_reliable(b"second");
    assert!(!is_reliable(&pair.down(b"", true)));
    assert!(pair.up());
    assert_eq!(&pair.down(b"", true)[HEADER_BYTES..], b"second");
    assert!(pair.up() && pair.server.reliable_idle());
}

/// A block is lost in datagram 1; how many datagrams must follow and be acknowledged before it is sent again?
#[track_caller]
fn check_resend(resend: Resend, expected: u32) {
    let mut pair = Pair::new(Qport::Absent, resend);
    pair.server.queue_reliable(b"lost");
    assert!(is_reliable(&pair.down(b"", false)));
    for acknowledged in 1.. {
        assert!(!is_reliable(&pair.down(b"", true)), "{acknowledged}");
        pair.up();
        if pair.server.next_block_bytes() > 0 {
            assert_eq!(acknowledged, expected);
            break;
        }
    }
    let again = pair.down(b"", true);
    assert_eq!(&again[HEADER_BYTES..], b"lost");
    assert!(pair.up());
}

#[test]
fn a_lost_block_is_sent_again_by_either_rule() {
    check_resend(Resend::AfterCarrier, 1);
    check_resend(Resend::OneLater, 2);
}

#[test]
fn an_acknowledgement_of_the_carrier_alone_resends_nothing() {
    let mut pair = Pair::new(Qport::Absent, Resend::AfterCarrier);
    pair.server.queue_reliable(b"block");
    pair.down(b"", false);
    pair.up();
    assert!(!is_reliable(&pair.down(b"", true)));
}

#[test]
fn what_does_not_fit_is_left_out_and_whole_messages_are_packed() {
    let mut netchan = Netchan::new(Side::Server(Qport::Byte(9)), 108, Resend::OneLater);
    netchan.queue_reliable(&[1; 60]);
    netchan.queue_reliable(&[2; 30]);
    netchan.queue_reliable(&[3; 30]);
    assert_eq!(netchan.room(), 10);
    let mut out = Vec::new();
    netchan.transmit(&[9; 11], &mut out);
    assert_eq!(out.len(), HEADER_BYTES + 90);
    assert_eq!((netchan.queued_bytes(), netchan.room()), (120, 100));
}
