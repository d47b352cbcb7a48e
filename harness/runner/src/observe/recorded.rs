//! A recording, judged.

use super::{Observation, Observer};
use crate::capture::CaptureDatagram;
use crate::capture::stage::{SessionNote, Stage};
use kit::{Delivery, Fate, HostId, Knowledge, PacketId, Probe, Profile, Protocol, Setup, Time, TraceEvent, Vantage};

/// Where a recording was made: which datagrams it shows to have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeenAt {
    /// Nobody says: either end may have missed what was sent to it.
    #[default]
    Unknown,
    /// At the server: what is there for the server arrived.
    Server,
    /// At the client: what is there for a client arrived.
    Client,
    /// Nothing was lost between the recording and either end, as on one machine.
    Both,
}

impl SeenAt {
    fn vantage(self, untimed: bool) -> Vantage {
        Vantage {
            remote_server: true,
            remote_clients: true,
            server_may_miss: matches!(self, SeenAt::Unknown | SeenAt::Client),
            clients_may_miss: matches!(self, SeenAt::Unknown | SeenAt::Server),
            untimed,
        }
    }
}

/// Time between datagrams of a recording without times, in microseconds. Nothing is judged by it.
const STEP_US: u64 = 1_000;

/// Judges the datagrams of one recording, in their order. Of one of ours, `session` says what `seen_at` would.
///
/// Nobody shows what the ends hold: both are remote, whatever they were when it was recorded.
pub fn judge(
    protocol: &'static Protocol,
    profile: &'static Profile,
    datagrams: &[CaptureDatagram],
    seen_at: SeenAt,
    session: Option<&SessionNote>,
) -> Observation {
    let clients = datagrams.iter().map(|datagram| datagram.client.0).max().unwrap_or(1).max(1);
    let untimed = datagrams.iter().any(|datagram| datagram.time.is_none());
    let vantage = match session {
        Some(session) => Vantage { remote_server: true, remote_clients: true, ..session.vantage },
        None => seen_at.vantage(untimed),
    };
    let setup = Setup { clients, knowledge: Knowledge::Wire, vantage, ..Setup::new(protocol, profile) };
    let mut observer = Observer::new(protocol, &setup);
    let mut next = vec![[0_u32; 2]; usize::from(clients) + 1];
    let mut now = Time::ZERO;
    for (number, datagram) in datagrams.iter().enumerate() {
        // A recorder can stamp datagrams out of order; their order is what it wrote.
        now = datagram.time.filter(|_| !untimed).unwrap_or(Time(number as u64 * STEP_US)).max(now);
        let bytes = &datagram.bytes;
        match datagram.stage {
            Some(Stage::Sent { packet, fate }) => {
                observer.on(now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
                continue;
            }
            Some(Stage::Delivered { packet, copy, intact }) => {
                observer.on(now, &TraceEvent::Delivered { packet, copy, bytes, intact });
                continue;
            }
            None => {}
        }
        let packet = name(datagram, &mut next);
        let fate = Fate::Once(Delivery::whole(0));
        observer.on(now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
        observer.on(now, &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
    }
    observer.finish(now)
}

fn name(datagram: &CaptureDatagram, next: &mut [[u32; 2]]) -> PacketId {
    let CaptureDatagram { client: HostId(client), direction, .. } = *datagram;
    let mut index = 0;
    if let Some(next) = next.get_mut(usize::from(client)) {
        index = next[direction.index()];
        next[direction.index()] += 1;
    }
    PacketId { client: HostId(client), direction, slot: index, ordinal: 0, index }
}
