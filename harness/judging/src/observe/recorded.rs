//! A recording, judged.

use super::moved::Moved;
use super::played::{Played, name};
use super::{Observation, Observer};
use crate::capture::CaptureDatagram;
use crate::capture::stage::{SessionNote, Stage};
use crate::history::{self, Detail, History, Recorder, Run};
use kit::{
    Container, Delivery, Dissection, Dissector, Fate, HostId, Knowledge, Probe, Profile, Protocol, Rebind, Setup, Time,
    TraceEvent, Vantage,
};

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
            server_may_miss: matches!(self, SeenAt::Unknown | SeenAt::Client),
            clients_may_miss: matches!(self, SeenAt::Unknown | SeenAt::Server),
            untimed,
            ..Vantage::BETWEEN
        }
    }
}

/// The host of a finding about a server.
const SERVER: &str = "server";

/// Time between datagrams of a recording without times, in microseconds. Nothing is judged by it.
const STEP_US: u64 = 1_000;

/// A recording, read.
#[derive(Debug)]
pub struct Recording {
    pub protocol: &'static Protocol,
    pub profile: &'static Profile,
    /// Its datagrams, in the order of recording.
    pub datagrams: Vec<CaptureDatagram>,
    /// What it says of itself, if it is one of ours.
    pub session: Option<SessionNote>,
    /// Values of options that the wire does not show: index and value.
    pub options: Vec<(usize, i64)>,
}

impl Recording {
    /// Judges it. Of a recording of ours, what it says of itself counts in place of `seen_at`.
    ///
    /// Nobody shows what the ends hold: both are remote, whatever they were when it was recorded.
    ///
    /// Of a demo each part is judged alone: it may be of another game than the one before.
    pub fn judge(&self, seen_at: SeenAt) -> Observation {
        let Some(container) = self.demo() else { return self.judge_session(seen_at) };
        let mut whole: Option<Observation> = None;
        for of_part in self.datagrams.chunk_by(|one, next| one.client == next.client) {
            let mut part = Played::new(self.protocol, self.profile, &self.options, container);
            of_part.iter().for_each(|datagram| part.message(datagram));
            match &mut whole {
                Some(whole) => whole.join(part.finish(), self.protocol),
                None => whole = Some(part.finish()),
            }
        }
        whole.unwrap_or_else(|| self.judge_session(seen_at))
    }

    fn judge_session(&self, seen_at: SeenAt) -> Observation {
        let vantage = match &self.session {
            Some(session) => Vantage { remote_server: true, remote_clients: true, ..session.vantage },
            None => seen_at.vantage(self.is_untimed()),
        };
        let (hosts, rebinds) = self.hosts();
        let setup = Setup { knowledge: Knowledge::Wire, vantage, rebinds, ..self.setup() };
        let mut observer = Observer::new(self.protocol, &setup);
        let end = self.play(&hosts, &mut observer);
        let mut observation = observer.finish(end);
        // A client of ours did what its scenario made it do, of which a recording says nothing: it tests the server.
        if self.session.as_ref().is_some_and(|session| session.vantage.remote_server && !session.vantage.remote_clients)
        {
            let all = observation.findings.len();
            observation.findings.retain(|observed| observed.finding.host == SERVER);
            let left_out = all - observation.findings.len();
            if left_out > 0 {
                let remark = "findings about the client of the probe, whose scenario is to blame, are left out";
                observation.remarks.push(format!("{remark}: {left_out}"));
            }
        }
        observation
    }

    /// Its history, every field of every datagram; `name` is the recording's. Of a demo what is found stands where it is found.
    pub fn history(&self, name: &str) -> History {
        let setup = self.setup();
        let run = Run {
            case: String::from(name),
            protocol: String::from(self.protocol.name),
            profile: String::from(self.profile.name),
            clients: setup.clients,
            server_port: self.profile.udp_port,
            options: history::options(self.protocol, &setup.options),
            ..Run::default()
        };
        let mut recording = Followed {
            recorder: Recorder::new(self.protocol, run, Detail::Fields),
            dissector: (self.protocol.dissector)(Some(&setup)),
            dissection: Dissection { want_spans: true, ..Dissection::default() },
        };
        let end = match self.demo() {
            Some(container) => self.play_demo(container, &mut recording),
            None => self.play(&self.hosts().0, &mut recording),
        };
        recording.recorder.into_history(end)
    }

    /// Gives a demo to `recording`, with what is found in each of its parts; returns when it ended.
    fn play_demo(&self, container: Container, recording: &mut Followed) -> Time {
        let mut next = vec![[0_u32; 2]; usize::from(self.clients()) + 1];
        let (mut end, mut before) = (Time::ZERO, Vec::new());
        for of_part in self.datagrams.chunk_by(|one, next| one.client == next.client) {
            let mut part = Played::new(self.protocol, self.profile, &self.options, container);
            let mut found = before.clone();
            for datagram in of_part {
                end = datagram.time.unwrap_or_default().max(end);
                let packet = name(datagram.direction, datagram.client, &mut next);
                let (bytes, fate) = (&datagram.bytes[..], Fate::Once(Delivery::whole(0)));
                recording.on(end, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
                let delivered = TraceEvent::Delivered { packet, copy: 0, bytes, intact: true };
                recording.on(end, &delivered);
                part.message(datagram);
                found.extend_from_slice(part.findings().get(found.len() - before.len()..).unwrap_or_default());
                recording.recorder.find(end, &found, Some(&delivered));
            }
            before.extend(part.into_findings());
            recording.recorder.find(end, &before, None);
        }
        end
    }

    fn clients(&self) -> u16 {
        self.datagrams.iter().map(|datagram| datagram.client.0).max().unwrap_or(1).max(1)
    }

    fn setup(&self) -> Setup {
        let clients = self.clients();
        let mut setup = Setup { clients, ..Setup::new(self.protocol, self.profile) };
        setup.give(&self.options);
        if let Some(demo) = self.demo() {
            setup.vantage = Vantage::of_demo(demo.of());
        }
        setup
    }

    /// The kind of demo that it is, if it is one.
    pub fn demo(&self) -> Option<Container> {
        self.datagrams.iter().find_map(|datagram| datagram.demo).map(|it| it.container)
    }

    fn is_untimed(&self) -> bool {
        self.datagrams.iter().any(|datagram| datagram.time.is_none())
    }

    /// The datagrams, each with the moment that counts.
    fn timed(&self) -> impl Iterator<Item = (Time, &CaptureDatagram)> {
        let untimed = self.is_untimed();
        self.datagrams.iter().enumerate().scan(Time::ZERO, move |now, (number, datagram)| {
            // A recorder can stamp datagrams out of order; their order is what it wrote.
            *now = datagram.time.filter(|_| !untimed).unwrap_or(Time(number as u64 * STEP_US)).max(*now);
            Some((*now, datagram))
        })
    }

    /// Whose each datagram is, whatever its port, and who got another port when.
    fn hosts(&self) -> (Vec<HostId>, Vec<Rebind>) {
        let mut moved = Moved::new(self.profile);
        let host = |(now, datagram): (Time, &CaptureDatagram)| match datagram.stage {
            Some(_) => datagram.client,
            None => moved.client(now, datagram.direction, datagram.client, &datagram.bytes),
        };
        let hosts = self.timed().map(host).collect();
        (hosts, moved.rebinds)
    }

    /// Gives what happened to `probe`, each datagram as one of its client among `hosts`; returns when it ended.
    fn play(&self, hosts: &[HostId], probe: &mut impl Probe) -> Time {
        let mut next = vec![[0_u32; 2]; usize::from(self.clients()) + 1];
        let mut end = Time::ZERO;
        for ((now, datagram), client) in self.timed().zip(hosts) {
            end = now;
            let bytes = &datagram.bytes;
            match datagram.stage {
                Some(Stage::Sent { packet, fate }) => {
                    probe.on(now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
                }
                Some(Stage::Delivered { packet, copy, intact }) => {
                    probe.on(now, &TraceEvent::Delivered { packet, copy, bytes, intact });
                }
                None => {
                    let packet = name(datagram.direction, *client, &mut next);
                    let fate = Fate::Once(Delivery::whole(0));
                    probe.on(now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
                    probe.on(now, &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
                }
            }
        }
        end
    }
}

/// Writes down what a recording has.
struct Followed {
    recorder: Recorder,
    dissector: Box<dyn Dissector>,
    dissection: Dissection,
}

impl Probe for Followed {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        let TraceEvent::Sent { packet, bytes, fate, .. } = *event else { return self.recorder.on(now, event) };
        self.dissection.clear();
        self.dissector.datagram(packet.client, packet.direction, bytes, &mut self.dissection);
        let dissection = Some(&self.dissection);
        self.recorder.on(now, &TraceEvent::Sent { packet, bytes, fate, dissection });
    }
}
