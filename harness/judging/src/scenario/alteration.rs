//! A case with another network: without its faults, with other links, or with a fault more.

use super::setting::Setting;
use kit::{Direction, Fate};
use sim::FateKey;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What a case's network does otherwise than its scenario says. Its text stands after the case's name: nothing, `+faultless`,
/// `+loss-5` or `+drop-s2c-7`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alteration {
    /// The links lose, repeat, reorder, damage and delay nothing.
    pub faultless: bool,
    /// What all links do otherwise.
    pub settings: Vec<Setting>,
    /// What happens to single datagrams of the first client.
    pub faults: Vec<OneFault>,
    /// What becomes of these datagrams; the links lose, repeat, reorder, damage and delay no other. It has no text of its own.
    pub fates: Option<Arc<BTreeMap<FateKey, Fate>>>,
}

impl Alteration {
    /// Another network without a fault.
    pub fn faultless() -> Alteration {
        Alteration { faultless: true, ..Alteration::default() }
    }

    /// Splits the text after a case's name off, and reads it. `None`: it is none.
    pub fn split(name: &str) -> Option<(&str, Alteration)> {
        let mut parts = name.split('+');
        let (name, mut alteration) = (parts.next()?, Alteration::default());
        for part in parts {
            match part {
                "faultless" => alteration.faultless = true,
                other => match Setting::parse(other) {
                    Some(setting) => alteration.settings.push(setting),
                    None => alteration.faults.push(OneFault::parse(other)?),
                },
            }
        }
        Some((name, alteration))
    }

    /// The scenario's links, altered.
    pub fn links(&self, links: &[[sim::Link; 2]]) -> Vec<[sim::Link; 2]> {
        let clean = |pair: &[sim::Link; 2]| pair.each_ref().map(|link| sim::Link::clean(link.latency_us));
        let mut links =
            if self.faultless || self.fates.is_some() { links.iter().map(clean).collect() } else { links.to_vec() };
        // What settings and faults do is in the fates, if there are some.
        if self.fates.is_some() {
            return links;
        }
        for setting in &self.settings {
            links.iter_mut().flatten().for_each(|link| setting.apply(link));
        }
        if let Some(first) = links.first_mut() {
            for fault in &self.faults {
                first[fault.direction.index()].script.push(fault.rule());
            }
        }
        links
    }

    /// The fates that stand for what the links do.
    pub fn fates(&self) -> BTreeMap<FateKey, Fate> {
        self.fates.as_deref().cloned().unwrap_or_default()
    }
}

impl fmt::Display for Alteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.faultless {
            f.write_str("+faultless")?;
        }
        self.settings.iter().try_for_each(|setting| write!(f, "+{setting}"))?;
        self.faults.iter().try_for_each(|fault| write!(f, "+{fault}"))
    }
}

/// What happens to one datagram. Its text is `drop-s2c-7`: the kind, the direction, and the datagram's place from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneFault {
    pub kind: FaultKind,
    /// Which way the datagram goes.
    pub direction: Direction,
    /// Its place among those of the first client that go there, from 0.
    pub index: u32,
}

/// What can happen to one datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It is lost.
    Drop,
    /// It comes twice.
    Duplicate,
    /// It comes late, after others.
    Delay,
}

impl FaultKind {
    /// All of them, with the name of each.
    pub const ALL: [(FaultKind, &'static str); 3] =
        [(FaultKind::Drop, "drop"), (FaultKind::Duplicate, "duplicate"), (FaultKind::Delay, "delay")];
}

impl OneFault {
    /// How much later a late datagram or a second copy comes, in microseconds: some ticks of the shortest of usual ticks.
    const LATER_US: u64 = 170_000;

    fn rule(self) -> sim::Rule {
        let action = match self.kind {
            FaultKind::Drop => sim::Action::Drop,
            FaultKind::Duplicate => sim::Action::Duplicate { after_us: OneFault::LATER_US },
            FaultKind::Delay => sim::Action::Delay { by_us: OneFault::LATER_US },
        };
        let select = sim::Select { index: Some((self.index, self.index)), ..sim::Select::default() };
        sim::Rule { select, action }
    }

    /// Reads its text.
    pub fn parse(text: &str) -> Option<OneFault> {
        let (kind, rest) = text.split_once('-')?;
        let (direction, index) = rest.split_once('-')?;
        let (kind, _) = FaultKind::ALL.into_iter().find(|(_, name)| *name == kind)?;
        let direction = [Direction::ServerToClient, Direction::ClientToServer]
            .into_iter()
            .find(|known| known.to_string() == direction)?;
        Some(OneFault { kind, direction, index: index.parse().ok()? })
    }
}

impl fmt::Display for OneFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = FaultKind::ALL.iter().find(|(kind, _)| *kind == self.kind).map_or("", |(_, name)| name);
        write!(f, "{kind}-{}-{}", self.direction, self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_behind_a_name_is_read_as_it_is_written() {
        for text in ["", "+faultless", "+drop-s2c-7", "+faultless+loss-5+outage-2000-500+duplicate-c2s-0+delay-s2c-39"]
        {
            let name = format!("fte/reset-lost@fte-nq[client_fte2=0x28]{text}");
            let (case, alteration) = Alteration::split(&name).expect(text);
            assert_eq!(format!("{case}{alteration}"), name);
            assert_eq!(case, "fte/reset-lost@fte-nq[client_fte2=0x28]");
        }
        for wrong in ["a+", "a+drop", "a+drop-s2c", "a+drop-up-1", "a+lose-s2c-1", "a+drop-s2c-x"] {
            assert_eq!(Alteration::split(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn links_without_faults_keep_their_latency_alone() {
        let bad = sim::Link { loss_ppm: 5, jitter_us: 7, ..sim::Link::clean(900) };
        let links = Alteration::faultless().links(&[[bad.clone(), bad]]);
        assert_eq!(links, [[sim::Link::clean(900), sim::Link::clean(900)]]);
    }

    #[test]
    fn a_fault_more_is_one_rule_of_the_first_client() {
        let fault = OneFault { kind: FaultKind::Drop, direction: Direction::ClientToServer, index: 3 };
        let clean = [sim::Link::clean(900), sim::Link::clean(900)];
        let links = Alteration { faults: vec![fault], ..Alteration::default() }.links(&[clean.clone(), clean.clone()]);
        let rule = sim::Rule {
            select: sim::Select { index: Some((3, 3)), ..sim::Select::default() },
            action: sim::Action::Drop,
        };
        assert_eq!(links[0][Direction::ClientToServer.index()].script, [rule]);
        assert_eq!((&links[0][Direction::ServerToClient.index()], &links[1]), (&clean[0], &clean));
    }
}
