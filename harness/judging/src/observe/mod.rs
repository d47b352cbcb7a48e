//! Sessions of somebody else's server or client, judged by what goes over the wire: recordings and live traffic.
//!
//! [`Observer`] passes what happens on to the oracle and notes at which datagram a finding was made. [`Observation`] is
//! what is reported in the end. [`choose`] finds out which protocol a recording is of, [`follow`] keeps away from the oracle what
//! is said in another, [`recorded`] feeds a recording to an observer, [`played`] a demo while it is read, and [`moved`] tells it who has another port; the runner does it
//! with sockets.

pub mod choose;
pub mod follow;
pub mod moved;
pub mod played;
pub mod recorded;
pub mod sight;

use crate::finding::{FindingReport, standing};
use follow::{Follower, Heard};
use kit::{
    Command, Delivery, Dissection, Endpoint, Fate, Finding, HostId, Knowledge, Knows, Oracle, PacketId, Probe,
    Protocol, Requirement, Setup, Time, TraceEvent, Vantage,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Longest part of a datagram that a finding shows, in bytes.
const SHOWN_BYTES: usize = 2048;

/// A session that covers no more requirements hardly began.
const FEW: usize = 2;

/// A datagram at which a finding was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// Its number among the datagrams of the session, from 1, in the order of recording.
    pub datagram: usize,
    /// The way it went: `s2c` or `c2s`.
    pub direction: String,
    /// The client at the far end.
    pub client: u16,
    /// Its bytes in hex, at most the first 2,048.
    pub hex: String,
}

/// A finding, and where it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Observed {
    /// What was found.
    #[serde(flatten)]
    pub finding: FindingReport,
    /// The datagram that made it certain; `None` at the end of the session.
    pub evidence: Option<Evidence>,
}

/// Why requirements were not judged, and which.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Unjudged {
    /// The reason, in a few words.
    pub why: String,
    /// The ids.
    pub requirements: Vec<String>,
}

/// What one or several sessions put to the proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Coverage {
    /// The requirements that were covered, by id.
    pub covered: Vec<String>,
    /// Those that were not, by reason.
    pub unjudged: Vec<Unjudged>,
}

impl Coverage {
    /// Counts what another session with the same protocol covered, too.
    pub fn join(&mut self, other: &Coverage, protocol: &Protocol) {
        let is_covered = |id: &&str| self.covered.iter().chain(&other.covered).any(|covered| covered == id);
        let ids = protocol.requirements.iter().map(|requirement| requirement.id);
        self.covered = ids.filter(is_covered).map(String::from).collect();
        for group in &mut self.unjudged {
            group.requirements.retain(|id| !self.covered.contains(id));
        }
        self.unjudged.retain(|group| !group.requirements.is_empty());
    }
}

/// What an observed session has shown. Never a certificate: other observations of the same peer can differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Observation {
    /// The profile that was judged.
    pub profile: String,
    /// Datagrams seen.
    pub datagrams: usize,
    /// Clients seen.
    pub clients: u16,
    /// What was found, in the order of finding.
    pub findings: Vec<Observed>,
    /// What was covered, and what not and why.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// Remarks that are no findings.
    pub remarks: Vec<String>,
    /// Datagrams that could not be read, those that are said in the version of a neighbour among them.
    pub unread: usize,
    /// Why nothing, or not all, was judged: `None` where what was found counts.
    pub not_judged: Option<String>,
}

impl Observation {
    /// Counts what another part of the same recording has shown, which comes after this one.
    pub fn join(&mut self, other: Observation, protocol: &Protocol) {
        let before = self.datagrams;
        self.findings.extend(other.findings.into_iter().map(|mut observed| {
            observed.evidence.iter_mut().for_each(|evidence| evidence.datagram += before);
            observed
        }));
        self.datagrams += other.datagrams;
        self.coverage.join(&other.coverage, protocol);
        for remark in other.remarks {
            if !self.remarks.contains(&remark) {
                self.remarks.push(remark);
            }
        }
        self.unread += other.unread;
        self.not_judged = self.not_judged.take().or(other.not_judged);
    }

    /// 1 if a MUST was violated; 2 if it was not judged, so that it says nothing that none was found; 0 otherwise.
    pub fn exit_code(&self) -> u8 {
        match (self.findings.iter().any(|observed| observed.finding.is_must()), &self.not_judged) {
            (true, _) => 1,
            (false, Some(_)) => 2,
            (false, None) => 0,
        }
    }
}

/// Passes what happens on to the oracle, and notes at which datagram a finding was made.
pub struct Observer {
    protocol: &'static Protocol,
    setup: Setup,
    oracle: Box<dyn Oracle>,
    connected: BTreeSet<HostId>,
    /// The highest number of a client that took part.
    clients: u16,
    datagrams: usize,
    found: Vec<Option<Evidence>>,
    follower: Follower,
    dissection: Dissection,
    /// Datagrams that the oracle does not get, each by client, direction and index.
    hidden: BTreeSet<(HostId, usize, u32)>,
    foreign: usize,
    unread: usize,
    /// Datagrams in the version of a neighbour, which count for nothing else.
    elsewhere: usize,
    first_unread: Option<String>,
    /// Since when our ends may be late, and what the others did when cannot be known.
    late_since: Option<Time>,
}

impl Observer {
    /// For a session of `setup`, whose vantage says which ends are remote.
    pub fn new(protocol: &'static Protocol, setup: &Setup) -> Observer {
        Observer {
            protocol,
            setup: setup.clone(),
            oracle: (protocol.oracle)(setup),
            connected: BTreeSet::new(),
            clients: 0,
            datagrams: 0,
            found: Vec::new(),
            follower: Follower::new((protocol.dissector)(Some(setup))),
            dissection: Dissection { marks_only: true, ..Dissection::default() },
            hidden: BTreeSet::new(),
            foreign: 0,
            unread: 0,
            elsewhere: 0,
            first_unread: None,
            late_since: None,
        }
    }

    /// What was found so far.
    pub fn findings(&self) -> &[Finding] {
        self.oracle.findings()
    }

    /// This machine stood still at `since`, and our ends with it: what is found of them afterwards is the machine's, as is what
    /// is found of the others by the time of their datagrams.
    pub fn stood_still(&mut self, since: Time) {
        self.late_since.get_or_insert(since);
    }

    fn is_remote(&self, host: HostId) -> bool {
        match host {
            HostId::SERVER => self.setup.vantage.remote_server,
            _ => self.setup.vantage.remote_clients,
        }
    }

    /// Whether a finding stands although this machine stood still.
    fn is_timely(&self, finding: &Finding) -> bool {
        let late = self.late_since.is_some_and(|since| finding.at >= since);
        !late || self.is_remote(finding.host) && !finding.check.knows.contains(&Knows::Time)
    }

    /// The findings so far that stand, from the one with this number on, and the number of the next one.
    pub fn found_since(&self, number: usize) -> (Vec<Observed>, usize) {
        let (findings, next) = (self.oracle.findings(), self.found.len());
        if number == next {
            return (Vec::new(), next);
        }
        let stand = standing(findings, |host| !self.is_remote(host));
        let all = findings.iter().zip(&self.found).zip(stand).skip(number);
        let standing = all.filter(|((finding, _), stands)| *stands && self.is_timely(finding));
        let observed = standing.map(|((finding, evidence), _)| Observed {
            finding: FindingReport::from(finding),
            evidence: evidence.clone(),
        });
        (observed.collect(), next)
    }

    fn note(&mut self, evidence: impl Fn() -> Option<Evidence>) {
        while self.found.len() < self.oracle.findings().len() {
            self.found.push(evidence());
        }
    }

    /// A remote client cannot be seen to be instructed: what it sends first shows that it was.
    fn connect(&mut self, now: Time, client: HostId) {
        if self.setup.vantage.remote_clients && self.connected.insert(client) {
            self.oracle.on(now, &TraceEvent::Command { host: client, command: &Command::Connect });
        }
    }

    /// Whether the oracle gets this: not what is of no session, nor what is said in a version that is none of the protocol's.
    fn is_heard(&mut self, now: Time, event: &TraceEvent<'_>) -> bool {
        let (packet, bytes) = match *event {
            TraceEvent::Sent { packet, bytes, .. } => (packet, bytes),
            TraceEvent::Delivered { packet, .. } => return !self.hidden.contains(&key(packet)),
            _ => return true,
        };
        self.datagrams += 1;
        self.dissection.clear();
        let heard = self.follower.datagram(packet.client, packet.direction, bytes, &mut self.dissection);
        match heard {
            Heard::Read | Heard::Unlikely => return true,
            Heard::Unreadable => {
                self.unread += 1;
                if let (None, Some(error)) = (&self.first_unread, &self.dissection.error) {
                    self.first_unread = Some(format!("datagram {} ({}): {error}", self.datagrams, packet.direction));
                }
                return true;
            }
            Heard::Foreign => self.foreign += 1,
            Heard::Neighbour | Heard::Stranger => {
                self.elsewhere += 1;
                if self.connected.remove(&packet.client) {
                    let command = &Command::Disconnect;
                    self.oracle.on(now, &TraceEvent::Command { host: packet.client, command });
                }
            }
        }
        self.hidden.insert(key(packet));
        false
    }

    /// Why what the oracle says is not all that there is to say.
    fn not_judged(&self) -> Option<String> {
        match self.follower.others() {
            [] => {}
            others => return Some(format!("{} was agreed", others.join(" and "))),
        }
        let of_sessions = self.datagrams - self.hidden.len();
        (self.unread * choose::READABLE > of_sessions).then(|| {
            let first = self.first_unread.as_deref().unwrap_or_default();
            format!("{} of {of_sessions} datagrams cannot be read; the first is {first}", self.unread)
        })
    }

    /// Ends the session: all that was found.
    pub fn into_findings(mut self, now: Time) -> Vec<Finding> {
        self.oracle.finish(now);
        self.oracle.findings().to_vec()
    }

    /// Ends the session.
    pub fn finish(mut self, now: Time) -> Observation {
        self.oracle.finish(now);
        self.note(|| None);
        let not_judged = self.not_judged();
        let dissector = self.follower.dissector();
        let plain = !dissector.assumptions().is_empty() && dissector.extensions().is_empty();
        let (findings, _) = self.found_since(0);
        let Observer { protocol, setup, oracle, unread, elsewhere, foreign, late_since, .. } = self;
        let mut remarks = oracle.remarks();
        if let Some(since) = late_since {
            remarks
                .push(format!("this machine stood still at {since}: our end and times are not judged from there on"));
        }
        if plain && oracle.covered().len() > FEW {
            let name = protocol.name;
            remarks
                .push(format!("nothing of {name} was agreed upon: an end lacks it, and the protocol below is spoken"));
        }
        if foreign > 0 {
            remarks.push(format!("datagrams of no session, of another protocol: {foreign}"));
        }
        let covered: Vec<String> = oracle.covered().iter().map(|requirement| String::from(requirement.id)).collect();
        Observation {
            profile: String::from(setup.profile.name),
            datagrams: self.datagrams,
            clients: self.clients,
            findings,
            coverage: Coverage { unjudged: unjudged(protocol, &setup, &covered), covered },
            remarks,
            unread: unread + elsewhere,
            not_judged,
        }
    }
}

impl Observer {
    /// Something that must have been said, though nobody recorded it: it counts for nothing.
    pub fn precedes(&mut self, now: Time, packet: PacketId, bytes: &[u8]) {
        let fate = Fate::Once(Delivery::whole(0));
        let counted = self.datagrams;
        self.on(now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
        self.on(now, &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
        self.datagrams = counted;
    }
}

impl Probe for Observer {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        if let TraceEvent::Sent { packet, .. } = event {
            self.clients = self.clients.max(packet.client.0);
        }
        if !self.is_heard(now, event) {
            return;
        }
        if let TraceEvent::Sent { packet, .. } = event {
            self.connect(now, packet.client);
        }
        if let TraceEvent::Command { host, command: Command::Disconnect } = event {
            self.connected.remove(host);
        }
        self.oracle.on(now, event);
        let number = self.datagrams;
        self.note(|| match event {
            TraceEvent::Sent { packet, bytes, .. } | TraceEvent::Delivered { packet, bytes, .. } => Some(Evidence {
                datagram: number,
                direction: packet.direction.to_string(),
                client: packet.client.0,
                hex: bytes.iter().take(SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect(),
            }),
            _ => None,
        });
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.oracle.settled(now, host, endpoint);
        self.note(|| None);
    }
}

/// What tells a datagram apart from all others of a session.
fn key(packet: PacketId) -> (HostId, usize, u32) {
    (packet.client, packet.direction.index(), packet.index)
}

/// The requirements of the profile that a session did not cover, by the reason.
fn unjudged(protocol: &Protocol, setup: &Setup, covered: &[String]) -> Vec<Unjudged> {
    let mut reasons: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let binding = protocol.requirements.iter().filter(|requirement| {
        let counts = requirement.level.is_must() || requirement.level.is_should();
        counts && requirement.untestable.is_none() && requirement.applies_to(setup.profile.name)
    });
    for requirement in binding {
        if !covered.iter().any(|id| id == requirement.id) {
            let why = reason(protocol, requirement, setup.knowledge, setup.vantage);
            reasons.entry(why).or_default().push(String::from(requirement.id));
        }
    }
    reasons.into_iter().map(|(why, requirements)| Unjudged { why: String::from(why), requirements }).collect()
}

/// Why no check judged `requirement`: what all its checks would have to know, or else that nothing called for it.
fn reason(protocol: &Protocol, requirement: &Requirement, knowledge: Knowledge, vantage: Vantage) -> &'static str {
    let mut lacking = None;
    for check in protocol.checks_of(requirement) {
        if knowledge.meets(vantage, check.knows) {
            return "the session did not show what they are about";
        }
        lacking = lacking.or_else(|| check.knows.iter().find(|one| !knowledge.meets(vantage, &[**one])));
    }
    match lacking {
        Some(Knows::World) => "needs the server's world, which only a scenario knows",
        Some(Knows::Limits) => "needs limits of a peer that the wire does not show",
        Some(Knows::Inside) => "needs notes that only the reference makes",
        Some(Knows::ClientShows) => "needs what a client shows its player",
        Some(Knows::ClientTalks) => "needs a client that sends itself",
        Some(Knows::ServerShows) => "needs what a server holds",
        Some(Knows::Silence) => "needs to know that the server has what was sent to it",
        Some(Knows::Time) => "needs the time of each datagram",
        Some(Knows::Headers) => "needs the headers of datagrams, which a demo does not have",
        Some(Knows::ClientSays) => "needs what a client said, which a demo does not have",
        None => "has no check",
    }
}
