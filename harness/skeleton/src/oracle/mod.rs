//! Judges a run of one server and its clients, whoever wrote them: [`laws`] has what must hold, [`session`] what is known, and
//! here the events of a run become the steps of which the laws speak.

pub mod laws;
pub mod session;

use crate::message::{Snapshot, read_ack};
use crate::state::{Entity, is_possible};
use kit::{
    Arrival, Clients, Command, Court, Event, Fate, HostId, Judge, Oracle, PacketId, Reader, Report, Setup, Time, View,
    Watch, World,
};
use laws::{Known, Skeleton, Step};
use session::Session;

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    let judge = SkeletonJudge {
        world: World::default(),
        sessions: Clients::new(setup, |_| Session::new(setup.vantage)),
        court: Court::new(laws::LAWS, laws::CHECKS, setup),
    };
    Box::new(Watch::new(judge, setup, laws::REQUIREMENTS))
}

/// Judges a run.
struct SkeletonJudge {
    world: World<Entity>,
    sessions: Clients<Session>,
    court: Court<Skeleton>,
}

impl SkeletonJudge {
    /// The session of a client, if it is judged, and who hears of the steps of a host in it.
    fn judged(&mut self, now: Time, client: HostId) -> Option<(&mut Session, impl FnMut(HostId, &Session, Step<'_>))> {
        let SkeletonJudge { world, sessions, court } = self;
        let session = sessions.get_mut(client).filter(|session| !session.indeterminate)?;
        let world = &world.live;
        let hear = move |host: HostId, session: &Session, step: Step<'_>| {
            court.hear(now, host, &Known { session, world }, &step);
        };
        Some((session, hear))
    }

    /// The session of a client to or from which a datagram arrives, if it is judged.
    fn arrival(&mut self, arrival: &Arrival<'_>) -> Option<&mut Session> {
        let session = self.sessions.get_mut(arrival.packet.client)?;
        if !arrival.intact {
            self.court.report.remark("a datagram was delivered damaged: from there on the session is not judged");
            session.indeterminate = true;
        }
        Some(session).filter(|session| !session.indeterminate)
    }
}

impl Judge for SkeletonJudge {
    fn report(&self) -> &Report {
        &self.court.report
    }

    fn server_command(&mut self, now: Time, command: &Command) {
        if is_possible(command) {
            self.world.apply(now, command);
        }
    }

    fn client_command(&mut self, now: Time, client: HostId, command: &Command) {
        if let Some((session, _)) = self.judged(now, client) {
            session.command(command);
        }
    }

    fn server_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], _: Fate) {
        let Some((session, mut hear)) = self.judged(now, packet.client) else { return };
        match session.read(bytes) {
            Ok((Snapshot { number, base }, made)) => {
                hear(HostId::SERVER, session, Step::Writes(Ok(())));
                hear(HostId::SERVER, session, Step::Sends { number, base, makes: made.as_ref() });
                session.sent(number, &made);
            }
            Err(error) => hear(HostId::SERVER, session, Step::Writes(Err(&error))),
        }
    }

    fn client_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], _: Fate) {
        let Some((session, mut hear)) = self.judged(now, packet.client) else { return };
        match read_ack(&mut Reader::new(bytes)) {
            Ok(number) => {
                hear(packet.client, session, Step::Writes(Ok(())));
                // A client that the scenario instructs to misbehave is not to blame.
                if !std::mem::take(&mut session.scripted_ack) {
                    hear(packet.client, session, Step::Acknowledges { number });
                }
            }
            Err(error) => hear(packet.client, session, Step::Writes(Err(&error))),
        }
    }

    fn client_received(&mut self, _: Time, arrival: Arrival<'_>) {
        if let Some(session) = self.arrival(&arrival).filter(|session| session.connected) {
            session.client_received(arrival.bytes);
        }
    }

    fn server_received(&mut self, _: Time, arrival: Arrival<'_>) {
        if let Some(session) = self.arrival(&arrival) {
            session.server_received(arrival.bytes);
        }
    }

    fn event(&mut self, _: Time, _: HostId, _: &Event) {}

    fn settled(&mut self, _: Time, host: HostId) -> bool {
        host != HostId::SERVER
    }

    fn shown(&mut self, now: Time, host: HostId, view: &View) {
        let Some((session, mut hear)) = self.judged(now, host) else { return };
        if session.connected {
            let right = session.right(view.hidden);
            hear(host, session, Step::Shows { view, right: &right, old: session.old });
        }
    }

    fn finish(&mut self, _: Time) {}
}
