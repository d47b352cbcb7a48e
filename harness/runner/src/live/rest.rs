//! What a faulty client and a clean one beside it hold when the world rests: with both, a foreign server's truth is known.

use kit::{Command, Endpoint, HostId, PeerId, Protocol, Time, Unit, View};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A resting entity has not changed for so long, in microseconds.
const REST_US: u64 = 1_000_000;
/// Differences that are kept; further ones are counted.
const KEPT: usize = 64;

/// What a comparison with the control client has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// How many entities were compared, in all clients together.
    pub entities: usize,
    /// In what they differ: the server's fault, since the same world was sent to both.
    pub differences: Vec<String>,
    /// Who was not in the game, so that nothing of theirs was compared.
    pub absent: Vec<String>,
}

/// Watches what our clients show.
#[derive(Debug)]
pub struct Rest {
    /// The clients to compare, and the control client last.
    clients: u16,
    shown: BTreeMap<HostId, View>,
    /// When an entity changed last, in any view.
    changed: BTreeMap<u32, Time>,
    /// The clients' own players: each sees its own differently from the others', or not at all.
    own: BTreeSet<u32>,
    now: Time,
    view: View,
}

impl Rest {
    /// For so many clients, of which the last is the control client.
    pub fn new(clients: u16) -> Rest {
        let (shown, changed, own) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Rest { clients, shown, changed, own, now: Time::ZERO, view: View::default() }
    }

    /// A client has acted on an input.
    pub fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.now = now;
        if host == HostId::SERVER {
            return;
        }
        self.view.clear();
        endpoint.observe(&mut self.view);
        self.own.insert(self.view.own_entity);
        let before = self.shown.entry(host).or_default();
        if *before == self.view {
            return;
        }
        let numbers: BTreeSet<u32> = before.numbers.iter().chain(&self.view.numbers).copied().collect();
        for number in numbers {
            if before.entity(number) != self.view.entity(number) {
                self.changed.insert(number, now);
            }
        }
        std::mem::swap(before, &mut self.view);
    }

    /// In what the clients' views differ from the control client's, in entities that rest and are no client's own player.
    pub fn compare(&self, protocol: &Protocol) -> Compared {
        let (mut found, mut entities, mut absent) = (Vec::new(), 0, Vec::new());
        let Some(control) = self.shown.get(&HostId(self.clients)).filter(|view| view.valid) else {
            let absent = vec![String::from("the control client is not in the game")];
            return Compared { absent, ..Compared::default() };
        };
        for host in (1..self.clients).map(HostId) {
            let Some(view) = self.shown.get(&host).filter(|view| view.valid) else {
                absent.push(format!("{host} is not in the game"));
                continue;
            };
            let numbers: BTreeSet<u32> = view.numbers.iter().chain(&control.numbers).copied().collect();
            for number in numbers.into_iter().filter(|number| self.rests(*number)) {
                entities += 1;
                match (view.entity(number), control.entity(number)) {
                    (Some(held), Some(right)) => found.extend(fields(protocol, host, number, held, right)),
                    (Some(_), None) => found.push(format!("{host} shows entity {number}, the control client does not")),
                    (None, _) => found.push(format!("{host} does not show entity {number}, the control client does")),
                }
            }
        }
        let more = found.len().saturating_sub(KEPT);
        if more > 0 {
            found.truncate(KEPT);
            found.push(format!("{more} more differences"));
        }
        Compared { entities, differences: found, absent }
    }

    fn rests(&self, number: u32) -> bool {
        !self.own.contains(&number)
            && self.changed.get(&number).is_none_or(|changed| self.now.since(*changed) >= REST_US)
    }
}

/// A client of ours that is watched for a comparison.
pub struct Watched {
    inner: Box<dyn Endpoint>,
    host: HostId,
    rest: Rc<RefCell<Rest>>,
}

impl Watched {
    /// `inner`, which is `host`.
    pub fn around(inner: Box<dyn Endpoint>, host: HostId, rest: &Rc<RefCell<Rest>>) -> Box<dyn Endpoint> {
        Box::new(Watched { inner, host, rest: Rc::clone(rest) })
    }

    fn settled(&self, now: Time) {
        self.rest.borrow_mut().settled(now, self.host, self.inner.as_ref());
    }
}

impl Endpoint for Watched {
    kit::pass_on!(inner: poll_transmit poll_event poll_timeout source_port observe);

    fn handle_command(&mut self, now: Time, command: &Command) {
        self.inner.handle_command(now, command);
        self.settled(now);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.inner.handle_datagram(now, from, bytes);
        self.settled(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.inner.handle_timeout(now);
        self.settled(now);
    }
}

fn fields(protocol: &Protocol, host: HostId, number: u32, held: &[i32], right: &[i32]) -> Option<String> {
    let shared = protocol.timed_fields.unwrap_or(usize::MAX);
    let mut both = protocol.fields.iter().zip(held.iter().zip(right)).take(shared);
    let (field, (held, right)) = both.find(|(_, (held, right))| held != right)?;
    let value = |value: i32| match field.unit {
        Unit::Float => f32::from_bits(value as u32).to_string(),
        Unit::Int(..) => value.to_string(),
    };
    Some(format!(
        "{host} shows {} of entity {number} as {}, the control client as {}",
        field.name,
        value(*held),
        value(*right)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Event;

    /// A client that shows these entities, each with its fields.
    struct Shows<'a>(u32, &'a [(u32, i32)]);

    impl Endpoint for Shows<'_> {
        fn handle_datagram(&mut self, _: Time, _: PeerId, _: &[u8]) {}
        fn handle_timeout(&mut self, _: Time) {}
        fn handle_command(&mut self, _: Time, _: &Command) {}
        fn poll_transmit(&mut self, _: Time, _: &mut Vec<u8>) -> Option<PeerId> {
            None
        }
        fn poll_event(&mut self) -> Option<Event> {
            None
        }
        fn poll_timeout(&self) -> Option<Time> {
            None
        }
        fn observe(&self, view: &mut View) {
            (view.valid, view.own_entity) = (true, self.0);
            for &(number, value) in self.1 {
                view.numbers.push(number);
                view.fields.extend(skeleton::PROTOCOL.fields.iter().map(|_| value));
            }
        }
    }

    /// What differs at 2 s between a client and the control client, each of which shows this at 0 s and that at its time.
    fn compared(client: [Shows<'_>; 2], control: [Shows<'_>; 2], at: Time) -> Compared {
        let mut rest = Rest::new(2);
        let hosts = [HostId(1), HostId(2)];
        for (now, shown) in [(Time::ZERO, [&client[0], &control[0]]), (at, [&client[1], &control[1]])] {
            hosts.iter().zip(shown).for_each(|(host, shown)| rest.settled(now, *host, shown));
        }
        rest.settled(Time(2_000_000), HostId::SERVER, &Shows(0, &[]));
        rest.compare(&skeleton::PROTOCOL)
    }

    #[test]
    fn an_entity_that_one_client_lacks_or_holds_otherwise_is_a_difference_once_it_rests() {
        let (start, control) = (&[(5, 1), (6, 1), (7, 1)], &[(5, 1), (6, 2), (7, 1)]);
        let then = &[(6, 1), (7, 1), (8, 3)];
        let at = |us| compared([Shows(0, start), Shows(0, then)], [Shows(0, start), Shows(0, control)], Time(us));
        let Compared { entities, differences: found, absent } = at(1_000_000);
        assert_eq!((entities, found.len(), absent.len()), (4, 3, 0), "{found:?}");
        assert_eq!(found[0], "client1 does not show entity 5, the control client does");
        assert!(found[1].ends_with("of entity 6 as 1, the control client as 2"), "{}", found[1]);
        assert_eq!(found[2], "client1 shows entity 8, the control client does not");
        // What changed a moment ago may be under way.
        assert_eq!(at(1_000_001), Compared { entities: 1, ..Compared::default() });
    }

    #[test]
    fn the_players_of_the_clients_themselves_are_not_compared() {
        let (client, control) = (&[(1, 1), (9, 1)], &[(2, 1), (9, 1)]);
        let found = compared([Shows(1, client), Shows(1, client)], [Shows(2, control), Shows(2, control)], Time(0));
        assert_eq!(found, Compared { entities: 1, ..Compared::default() });
    }

    #[test]
    fn what_depends_on_when_a_datagram_arrived_is_not_compared() {
        let protocol = &fitz666::PROTOCOL;
        let first = protocol.timed_fields.expect("the end of an interpolation");
        let (held, mut right) = (vec![0; protocol.fields.len()], vec![0; protocol.fields.len()]);
        right[first..].fill(2);
        assert_eq!(fields(protocol, HostId(1), 4, &held, &right), None);
        right[first - 1] = 2;
        assert!(fields(protocol, HostId(1), 4, &held, &right).is_some());
    }
}
