//! A tokio driver around an endpoint, as a game would ship one.

use deltaproof_turmoil::turmoil::{self, net::UdpSocket};
use deltaproof_turmoil::{AsyncHost, Outage, Seat};
use kit::{Endpoint, Setup, Time, View};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The longest datagram that the driver can take.
const MAX_DATAGRAM_BYTES: usize = 65_536;

/// Drives `end` over a socket: what comes first of an instruction, a datagram and the timer is handled, then everything is sent that
/// it has to send.
pub async fn drive(mut end: Box<dyn Endpoint>, seat: Seat) -> turmoil::Result {
    let socket = UdpSocket::bind(seat.address()).await?;
    let start = Instant::now();
    let mut buffer = vec![0; MAX_DATAGRAM_BYTES];
    let (mut out, mut view) = (Vec::new(), View::default());
    loop {
        let due = end.poll_timeout().map(|at| start + Duration::from_micros(at.us()));
        let timer = async {
            match due {
                Some(due) => sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            command = seat.command() => end.handle_command(now(start), &command),
            received = socket.recv_from(&mut buffer) => {
                let (length, from) = received?;
                end.handle_datagram(now(start), seat.peer(from), &buffer[..length]);
            }
            () = timer => end.handle_timeout(now(start)),
        }
        while let Some(to) = end.poll_transmit(now(start), &mut out) {
            socket.send_to(&out, seat.address_of(to)).await?;
            out.clear();
        }
        while let Some(event) = end.poll_event() {
            seat.tell(event);
        }
        view.clear();
        end.observe(&mut view);
        seat.show(&view);
    }
}

fn now(start: Instant) -> Time {
    Time((Instant::now() - start).as_micros() as u64)
}

/// `build`, driven by [`drive`], as an endpoint that takes the reference's place; stopped and started again in each of `outages`.
pub fn hosted(setup: &Setup, outages: &[Outage], build: fn(&Setup) -> Box<dyn Endpoint>) -> Box<dyn Endpoint> {
    AsyncHost::boxed(setup, outages, move |seat| drive(build(&seat.setup), seat))
}
