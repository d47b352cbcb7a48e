//! What comes first, and what a probe sees of it.

use crate::hosts::{Lines, Talker, boxed, run};
use kit::{Command, Endpoint, Event, HostId, PeerId, Time, View};
use sim::{Action, Link, Network, Rule, Select};

const SPEAK: Command = Command::Spawn { entity: 0 };

fn check(
    hosts: Vec<Box<dyn Endpoint>>,
    link: &Link,
    commands: &[(Time, HostId, Command)],
    until_us: u64,
    expected: &str,
) {
    let mut lines = Lines::default();
    let clients = hosts.len() - 1;
    let outcome = run(hosts, &Network::uniform(1, clients, link), commands, Time(until_us), &mut lines);
    assert_eq!(lines.0.join("\n"), expected.trim_end());
    assert_eq!((outcome.halted, outcome.end), (None, Time(until_us)));
}

#[test]
fn a_host_takes_commands_before_datagrams_before_its_timer() {
    let hosts = boxed(vec![Talker::new(&[], 500, 4), Talker::new(&[PeerId::SERVER], 0, 4)]);
    let commands = [(Time(0), HostId(1), SPEAK), (Time(500), HostId(0), Command::Map), (Time(500), HostId(0), SPEAK)];
    check(
        hosts,
        &Link::clean(500),
        &commands,
        600,
        "\
0 server timeout
  server settled
0 client1 command
  send c1 c2s #0
  client1 settled
500 server command
  server event
  server settled
500 server command
  server settled
500 deliver c1 c2s #0 copy 0
  server settled
500 server timeout
  server settled
",
    );
}

#[test]
fn hosts_act_in_the_order_of_their_numbers_whatever_the_order_of_commands() {
    let hosts = boxed(vec![Talker::default(), Talker::default(), Talker::default()]);
    let commands = [2, 0, 1, 0].map(|host| (Time(7), HostId(host), SPEAK));
    check(
        hosts,
        &Link::default(),
        &commands,
        10,
        "\
7 server command
  server settled
7 server command
  server settled
7 client1 command
  client1 settled
7 client2 command
  client2 settled
",
    );
}

#[test]
fn datagrams_of_one_instant_come_by_client_then_in_order_of_sending() {
    let client = || Talker::new(&[PeerId::SERVER], 0, 4);
    let hosts = boxed(vec![Talker::default(), client(), client()]);
    let commands = [(Time(1), HostId(2), SPEAK), (Time(2), HostId(1), SPEAK), (Time(3), HostId(1), SPEAK)];
    let at = |index, by_us| Rule {
        select: Select {
            index: Some((index, index)),
            time: Some((Time(index as u64 + 2), Time(9))),
            ..Select::default()
        },
        action: Action::Delay { by_us },
    };
    // Client 1's datagrams arrive together, client 2's first one with them.
    let link = Link { latency_us: 50, script: vec![at(0, 1)], ..Link::default() };
    let mut network = Network::uniform(1, 2, &link);
    network.links[1][1] = Link::clean(52);
    let mut lines = Lines::default();
    run(hosts, &network, &commands, Time(100), &mut lines);
    let delivered: Vec<&String> = lines.0.iter().filter(|line| line.contains("deliver")).collect();
    assert_eq!(
        delivered,
        ["53 deliver c1 c2s #0 copy 0", "53 deliver c1 c2s #1 copy 0", "53 deliver c2 c2s #0 copy 0"]
    );
}

#[test]
fn answers_are_sent_before_events_and_the_host_settles_last() {
    let hosts = boxed(vec![Talker::echo(), Talker::new(&[PeerId::SERVER], 0, 4)]);
    let rule = Rule { select: Select::default(), action: Action::Duplicate { after_us: 5 } };
    let link = Link { latency_us: 10, script: vec![rule], ..Link::default() };
    check(
        hosts,
        &link,
        &[(Time(0), HostId(1), SPEAK)],
        22,
        "\
0 client1 command
  send c1 c2s #0
  client1 settled
10 deliver c1 c2s #0 copy 0
  send c1 s2c #0
  server settled
15 deliver c1 c2s #0 copy 1
  send c1 s2c #1
  server settled
20 deliver c1 s2c #0 copy 0
  client1 settled
",
    );
}

#[test]
fn inputs_at_the_end_are_taken_and_later_ones_are_not() {
    let hosts = boxed(vec![Talker::new(&[], 10, 4)]);
    let expected = "0 server timeout\n  server settled\n10 server timeout\n  server settled\n";
    check(hosts, &Link::default(), &[(Time(11), HostId(0), SPEAK)], 10, expected);
}

#[test]
fn a_command_out_of_order_is_carried_out_with_the_one_before_it() {
    let hosts = boxed(vec![Talker::default()]);
    let commands = [(Time(5), HostId(0), SPEAK), (Time(3), HostId(0), SPEAK)];
    let expected = "5 server command\n  server settled\n5 server command\n  server settled\n";
    check(hosts, &Link::default(), &commands, 10, expected);
}

/// Wants to be called as long after a command as its entity's number says; a removal takes the wish back.
struct Alarm(Option<Time>);

impl Endpoint for Alarm {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.0 = match command {
            Command::Spawn { entity } => Some(now.after(u64::from(*entity))),
            _ => None,
        };
    }
    fn handle_datagram(&mut self, _: Time, _: PeerId, _: &[u8]) {}
    fn handle_timeout(&mut self, _: Time) {
        self.0 = None;
    }
    fn poll_transmit(&mut self, _: Time, _: &mut Vec<u8>) -> Option<PeerId> {
        None
    }
    fn poll_event(&mut self) -> Option<Event> {
        None
    }
    fn poll_timeout(&self) -> Option<Time> {
        self.0
    }
    fn observe(&self, _: &mut View) {}
}

/// The times at which an alarm goes off that is set at each of `commands`.
fn check_alarm(commands: &[(u64, Command)], expected: &[&str]) {
    let commands: Vec<_> = commands.iter().map(|(at, command)| (Time(*at), HostId(0), *command)).collect();
    let mut lines = Lines::default();
    let alarm: Vec<Box<dyn Endpoint>> = vec![Box::new(Alarm(None))];
    let outcome = run(alarm, &Network::default(), &commands, Time(1_000), &mut lines);
    let fired: Vec<&String> = lines.0.iter().filter(|line| line.contains("timeout")).collect();
    assert_eq!(fired, expected);
    assert_eq!(outcome.inputs as usize, commands.len() + expected.len(), "stale timers are no inputs");
}

#[test]
fn a_postponed_timer_fires_once_at_its_last_time() {
    let set = |us| Command::Spawn { entity: us };
    check_alarm(&[(0, set(100)), (50, set(100)), (120, set(100))], &["220 server timeout"]);
}

#[test]
fn a_timer_moved_forward_fires_once_at_the_earlier_time() {
    let set = |us| Command::Spawn { entity: us };
    check_alarm(&[(0, set(300)), (50, set(10)), (100, set(500))], &["60 server timeout", "600 server timeout"]);
}

#[test]
fn a_timer_taken_back_does_not_fire() {
    check_alarm(&[(0, Command::Spawn { entity: 300 }), (50, Command::Remove { entity: 0 })], &[]);
}
