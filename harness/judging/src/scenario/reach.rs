//! From `must_reach` to conditions that a run can be counted against.

use super::check::Checker;
use super::diagnostic::Diagnostic;
use super::file;
use super::place::Place;
use super::short::Way;
use kit::{Direction, HostId};

/// Something that has to happen in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    pub what: Target,
    /// At least so often.
    pub at_least: u64,
    /// At most so often.
    pub at_most: Option<u64>,
    /// The condition as a person would say it.
    pub text: String,
    /// The line of the scenario that demands it.
    pub line: usize,
}

/// What has to happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Datagrams are sent, delivered or lost. A datagram delivered twice counts once.
    Packets {
        /// What becomes of them.
        outcome: Outcome,
        /// The ways that count.
        directions: &'static [Direction],
        /// The client at the link's end; all together for none.
        client: Option<HostId>,
        /// What they carry; anything for none.
        carries: Option<sim::Carries>,
    },
    /// A host enters a state of this name.
    State {
        host: HostId,
        /// The state.
        name: String,
    },
    /// A host makes a remark of this name.
    Note {
        host: HostId,
        /// The remark.
        name: String,
    },
    /// The network does at least so much harm, each in parts per million of the datagrams sent.
    Observed {
        /// The ways that count.
        directions: &'static [Direction],
        /// The client at the link's end; all together for none.
        client: Option<HostId>,
        /// Lost.
        loss_ppm: Option<u32>,
        /// Delivered twice.
        duplicate_ppm: Option<u32>,
        /// Overtaken.
        reorder_ppm: Option<u32>,
        /// Held up by a delay spike.
        spike_ppm: Option<u32>,
    },
}

/// What becomes of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Sent,
    /// It is delivered, at least once.
    Delivered,
    Lost,
}

/// Resolves `must_reach`.
pub(super) fn resolve(checker: &Checker<'_>) -> Result<Vec<Reach>, Diagnostic> {
    let list = checker.file.must_reach.iter().enumerate();
    list.map(|(index, item)| reach(checker, index, item)).collect()
}

fn reach(checker: &Checker<'_>, index: usize, item: &file::Reach) -> Result<Reach, Diagnostic> {
    let at = &Place::default().key("must_reach").index(index);
    let name = checker.single(
        at,
        "condition",
        &[
            ("sent", item.sent.is_some()),
            ("delivered", item.delivered.is_some()),
            ("lost", item.lost.is_some()),
            ("state", item.state.is_some()),
            ("note", item.note.is_some()),
            ("observed", item.observed.is_some()),
        ],
    )?;
    let at_least = item.at_least.unwrap_or(u64::from(item.at_most.is_none()));
    if let Some(at_most) = item.at_most.filter(|at_most| *at_most < at_least) {
        return Err(checker.fail(&at.key("at_most"), "here", format!("at least {at_least}, but at most {at_most}")));
    }
    if at_least == 0 && item.at_most.is_none() {
        return Err(checker
            .fail(&at.key("at_least"), "here", "at least 0 is always reached")
            .help(String::from("a condition that cannot fail proves nothing: remove it, or say `at_most`")));
    }
    let inner = at.key(name);
    let (what, mut text) = target(checker, &inner, name, item)?;
    if matches!(what, Target::Observed { .. }) {
        if let Some(key) = item.at_least.map(|_| "at_least").or(item.at_most.map(|_| "at_most")) {
            return Err(checker
                .fail(&at.name(key), "here", format!("`{key}` does not go with `observed`"))
                .help(String::from("the shares that `observed` names are the least that must be seen")));
        }
    } else {
        text.push_str(&match (at_least, item.at_most) {
            (0, Some(0)) => String::from(": never"),
            (0, Some(most)) => format!(": at most {most}"),
            (least, None) => format!(": at least {least}"),
            (least, Some(most)) if least == most => format!(": exactly {least}"),
            (least, Some(most)) => format!(": {least} to {most}"),
        });
    }
    Ok(Reach { what, at_least, at_most: item.at_most, text, line: checker.source.line(at) })
}

fn target(
    checker: &Checker<'_>,
    at: &Place<'_>,
    name: &str,
    item: &file::Reach,
) -> Result<(Target, String), Diagnostic> {
    let named = |named: &file::Named, thing: &str, known: &dyn Fn(HostId) -> Vec<&'static str>| {
        let host = checker.host(&at.key("host"), named.host.0)?;
        checker.index(&at.key("name"), &named.name, &known(host), thing)?;
        Ok((host, named.name.clone()))
    };
    let of_client = |client: Option<u16>| client.map(|client| checker.client(&at.key("client"), client)).transpose();
    let end = |client: Option<HostId>| client.map_or(String::new(), |client| format!(" of {client}"));
    if let Some(item) = &item.state {
        let states = checker.protocol.states;
        let known = |host| if host == HostId::SERVER { states.server } else { states.client }.to_vec();
        let (host, name) = named(item, "state", &known)?;
        let text = format!("{host} enters the state `{name}`");
        return Ok((Target::State { host, name }, text));
    }
    if let Some(item) = &item.note {
        let known = |_| checker.protocol.notes.iter().map(|note| note.name).collect();
        let (host, name) = named(item, "note", &known)?;
        let text = format!("{host} remarks `{name}`");
        return Ok((Target::Note { host, name }, text));
    }
    if let Some(item) = &item.observed {
        let client = of_client(item.client)?;
        return observed(checker, at, item, (client, end(client)));
    }
    let (outcome, packets) = match (&item.sent, &item.delivered, &item.lost) {
        (Some(packets), ..) => (Outcome::Sent, packets),
        (_, Some(packets), _) => (Outcome::Delivered, packets),
        (.., Some(packets)) => (Outcome::Lost, packets),
        // `single` has seen to it that there is one; this is the same mistake.
        _ => return Err(checker.fail(at, "here", format!("{at} has no value"))),
    };
    let client = of_client(packets.client)?;
    let carries = checker.carries(at, packets.carries.as_deref(), packets.entity, packets.number)?;
    let mut content = String::from("datagrams");
    if let Some(mark) = &packets.carries {
        content = format!("datagrams that carry {mark}");
        if let Some(number) = carries.and_then(|carries| carries.number) {
            content.push_str(&format!(" of {number}"));
        }
    }
    let text = format!("{name} {} {content}{}", words(packets.direction), end(client));
    Ok((Target::Packets { outcome, directions: packets.direction.directions(), client, carries }, text))
}

/// Harm that the network has to do on the links of a client, or of all; `end` says of whom.
fn observed(
    checker: &Checker<'_>,
    at: &Place<'_>,
    item: &file::Observed,
    (client, end): (Option<HostId>, String),
) -> Result<(Target, String), Diagnostic> {
    let shares = [("loss", item.loss), ("duplicate", item.duplicate), ("reorder", item.reorder), ("spike", item.spike)];
    let network = &checker.file.network;
    if [&network.both, &network.s2c, &network.c2s].iter().any(|link| link.swarm == Some(true)) {
        return Err(checker
            .fail(at, "here", "`observed` cannot be promised of a network with `swarm`")
            .help(String::from("a seed may draw any of its faults off: leave one of the two out")));
    }
    let list: Vec<String> =
        shares.iter().filter_map(|(name, share)| share.map(|share| format!("{name} of at least {share}"))).collect();
    if list.is_empty() {
        return Err(checker
            .fail(at, "here", "`observed` names no harm")
            .help(String::from("give at least one of `loss`, `duplicate`, `reorder`, `spike`")));
    }
    let text = format!("{} {}{}", words(item.direction), list.join(" and "), end);
    let what = Target::Observed {
        directions: item.direction.directions(),
        client,
        loss_ppm: item.loss.map(|share| share.0),
        duplicate_ppm: item.duplicate.map(|share| share.0),
        reorder_ppm: item.reorder.map(|share| share.0),
        spike_ppm: item.spike.map(|share| share.0),
    };
    Ok((what, text))
}

fn words(way: Way) -> &'static str {
    match way {
        Way::S2c => "s2c",
        Way::C2s => "c2s",
        Way::Both => "s2c and c2s",
    }
}
