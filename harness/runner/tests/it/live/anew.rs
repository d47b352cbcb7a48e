//! A server that has closed a session in the middle of its sign-on, and says nothing of it.

use super::*;
use std::time::Duration;

/// Datagrams of the server that the first session lets through.
const FIRST: usize = 3;

/// Stands between a client and the server at `upstream` until `with` returns. Once the first session is closed, what its client asks for
/// as at its beginning comes from another address, so that it is a session of its own for the server.
fn while_closing_the_first(upstream: SocketAddr, with: impl FnOnce(SocketAddr)) {
    let bind = || {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
        socket.set_read_timeout(Some(Duration::from_millis(2))).expect("a time-out");
        socket
    };
    let front = bind();
    let address = front.local_addr().expect("it is bound");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _ends = Ends(&done);
        let done = &done;
        scope.spawn(move || {
            let (mut back, mut client, mut passed) = (bind(), None, 0);
            let (mut buffer, mut request, mut second) = ([0; 4096], Vec::new(), false);
            while !done.load(Ordering::Relaxed) {
                if let Ok((length, from)) = front.recv_from(&mut buffer) {
                    if client.replace(from).is_none() {
                        request = buffer[..length].to_vec();
                    }
                    if passed >= FIRST && request == buffer[..length] {
                        (back, second) = (bind(), true);
                    }
                    back.send_to(&buffer[..length], upstream).expect("loopback takes it");
                }
                if let (Ok((length, _)), Some(client)) = (back.recv_from(&mut buffer), client)
                    && (second || passed < FIRST)
                {
                    passed += 1;
                    // An acceptance of NetQuake names the server's port: the client is to stay with this one.
                    if let [0x80, 0, 0, 9, 0x81, port @ ..] = &mut buffer[..9] {
                        port.fill(0);
                    }
                    front.send_to(&buffer[..length], client).expect("loopback takes it");
                }
            }
        });
        with(address);
    });
}

#[test]
fn a_sign_on_that_the_server_has_closed_is_begun_anew() {
    at_the_same_time(&["fte-nq", "fte-qw", "fitz666", "nvs", "r1q2-1905"], |name| {
        let of = profile(name);
        let case = stimulus(of.0, of.1, "clean");
        while_serving(of, None, |upstream| {
            while_closing_the_first(upstream, |server| {
                let target = Target {
                    server,
                    client: None,
                    learned: None,
                    control: false,
                    length_us: 500_000,
                    sign_on_us: 20_000_000,
                };
                let live = probe_to(&case, &target, None);
                assert!(live.outcome.active.is_some(), "{name}: {:?}", live.outcome.moves);
                assert!(live.outcome.active.is_some_and(|at| at.us() > 4_000_000), "{name}: nothing was closed");
                assert_eq!(found(&live), [] as [String; 0], "{name}");
            });
        });
    });
}
