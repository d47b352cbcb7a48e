//! Judges a run of one server and its clients, whoever wrote them. Here is the wiring alone: [`session`] and [`truth`] are
//! what is known, [`from_server`], [`from_client`] and [`shown`] what is checked, [`diagnosis`] what a failure means.

pub(crate) mod coverage;
mod diagnosis;
mod from_client;
mod from_server;
mod session;
mod shown;
mod truth;

use crate::requirements::REQUIREMENTS;
use kit::{
    Arrival, Check, Clients, Command, Event, Fate, HostId, Judge, Oracle, PacketId, Report, Setup, Time, Vantage, View,
    Watch,
};
use session::Session;
use truth::Truth;

/// The checks, by module.
pub static CHECKS: &[&Check] = &[
    &from_server::SNAPSHOTS_ARE_READABLE,
    &from_server::NUMBERS_GROW,
    &from_server::BASES_ARE_ACKNOWLEDGED,
    &from_server::SNAPSHOTS_ARE_THE_WORLD,
    &from_client::ACKS_ARE_READABLE,
    &from_client::ACKS_ARE_OF_WHAT_IS_SHOWN,
    &shown::CLIENTS_SHOW_THE_NEWEST,
];

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    let judge = SkeletonOracle {
        truth: Truth::default(),
        clients: Clients::new(setup, |_| Session::default()),
        vantage: setup.vantage,
        report: Report::new(CHECKS, setup.knowledge, setup.vantage).with_pauses(&setup.pauses),
    };
    Box::new(Watch::new(judge, setup, REQUIREMENTS))
}

/// Judges a run.
struct SkeletonOracle {
    truth: Truth,
    clients: Clients<Session>,
    /// Which ends are remote: of them the oracle sees the datagrams alone.
    vantage: Vantage,
    report: Report,
}

impl SkeletonOracle {
    /// What the judgement of a client needs, if it is judged.
    fn judged(&mut self, client: HostId) -> Option<(&mut Session, &Truth, &mut Report)> {
        let session = self.clients.get_mut(client).filter(|session| session.indeterminate.is_none())?;
        Some((session, &self.truth, &mut self.report))
    }

    /// The same, when a datagram arrives, which may be damaged.
    fn arrival(&mut self, arrival: &Arrival<'_>) -> Option<(&mut Session, &Truth, &mut Report)> {
        if !arrival.intact {
            let why = "a datagram was delivered damaged: from there on the session is not judged";
            self.report.remark(why);
            self.clients.get_mut(arrival.packet.client)?.indeterminate = Some(why);
        }
        self.judged(arrival.packet.client)
    }
}

impl Judge for SkeletonOracle {
    fn report(&self) -> &Report {
        &self.report
    }

    fn server_command(&mut self, now: Time, command: &Command) {
        self.truth.command(now, command);
    }

    fn client_command(&mut self, _: Time, client: HostId, command: &Command) {
        if let Some((session, ..)) = self.judged(client) {
            session.command(command);
        }
    }

    fn server_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], _: Fate) {
        if let Some((session, truth, report)) = self.judged(packet.client) {
            from_server::sent(session, truth, report, now, bytes);
        }
    }

    fn client_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], _: Fate) {
        let vantage = self.vantage;
        if let Some((session, _, report)) = self.judged(packet.client) {
            from_client::sent(session, vantage, report, now, packet.client, bytes);
        }
    }

    fn client_received(&mut self, _: Time, arrival: Arrival<'_>) {
        if let Some((session, _, report)) = self.arrival(&arrival) {
            shown::received(session, report, arrival.bytes);
        }
    }

    fn server_received(&mut self, _: Time, arrival: Arrival<'_>) {
        let vantage = self.vantage;
        if let Some((session, ..)) = self.arrival(&arrival) {
            from_client::received(session, vantage, arrival.bytes);
        }
    }

    fn event(&mut self, _: Time, _: HostId, _: &Event) {}

    fn settled(&mut self, _: Time, host: HostId) -> bool {
        host != HostId::SERVER
    }

    fn shown(&mut self, now: Time, host: HostId, view: &View) {
        if let Some((session, _, report)) = self.judged(host) {
            shown::shown(session, report, now, host, view);
        }
    }

    fn finish(&mut self, _: Time) {}
}
