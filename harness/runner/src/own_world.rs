//! The reference as a server that nobody can tell what the world is: it has one of its own, as an engine that runs a game.

use crate::scenario::{self, BUILT_IN};
use kit::{Command, Endpoint, Event, HostId, PeerId, Protocol, Setup, Time, View};
use std::path::Path;

/// What such a server is told by itself, in the order of time, from the beginning of a map on.
pub type Game = Box<dyn Iterator<Item = (Time, Command)>>;

/// What `build` builds, as such a server: with the world of `serve`, and options and texts that no scenario decides. Without that world
/// it stays empty.
pub fn server(
    build: &dyn Fn(&Setup) -> Box<dyn Endpoint>,
    protocol: &'static Protocol,
    setup: &Setup,
) -> Box<dyn Endpoint> {
    let Setup { seed, clients, .. } = *setup;
    let own = Setup { clients, seed, host: setup.host, ..Setup::new(protocol, setup.profile) };
    let Ok(world) = scenario::world(Path::new(BUILT_IN), protocol, setup.profile) else {
        return Quiet::deaf(build(&own));
    };
    let inner = build(&Setup { options: world.options.clone(), ..own });
    let is_here = move |command: &Command| !matches!(command, Command::Stat { client, .. } if *client > clients);
    let game = move || -> Game {
        let commands = world.commands(seed).filter(|(_, host, _)| *host == HostId::SERVER);
        Box::new(commands.map(|(at, _, command)| (at, command)).filter(move |(_, command)| is_here(command)))
    };
    OwnWorld::around(inner, game)
}

/// A server with a game of its own, which begins again with every map. It takes no instructions but to begin another map.
pub struct OwnWorld {
    inner: Box<dyn Endpoint>,
    make: Box<dyn Fn() -> Game>,
    game: Game,
    /// What is next in the game.
    next: Option<(Time, Command)>,
    /// When the map began; `None` before the first input.
    began: Option<Time>,
}

impl OwnWorld {
    /// `inner` with the game that `make` makes.
    pub fn around(inner: Box<dyn Endpoint>, make: impl Fn() -> Game + 'static) -> Box<dyn Endpoint> {
        let mut game = make();
        let next = game.next();
        Quiet::around(Box::new(OwnWorld { inner, make: Box::new(make), game, next, began: None }))
    }

    /// Carries out what is due.
    fn play(&mut self, now: Time) {
        let began = *self.began.get_or_insert(now);
        while let Some((_, command)) = self.next.filter(|(at, _)| began.after(at.us()) <= now) {
            self.inner.handle_command(now, &command);
            self.next = self.game.next();
        }
    }
}

impl Endpoint for OwnWorld {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.play(now);
        if matches!(command, Command::Map) {
            self.inner.handle_command(now, command);
            (self.game, self.began) = ((self.make)(), Some(now));
            self.next = self.game.next();
            self.play(now);
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.play(now);
        self.inner.handle_datagram(now, from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.play(now);
        if self.inner.poll_timeout().is_some_and(|due| due <= now) {
            self.inner.handle_timeout(now);
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        self.play(now);
        self.inner.poll_transmit(now, out)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.inner.poll_event()
    }

    fn poll_timeout(&self) -> Option<Time> {
        let next = self.next.zip(self.began).map(|((at, _), began)| began.after(at.us()));
        self.inner.poll_timeout().into_iter().chain(next).min()
    }

    fn observe(&self, _: &mut View) {}
}

/// A server that reports nothing and shows nothing.
pub struct Quiet {
    inner: Box<dyn Endpoint>,
    obeys: bool,
}

impl Quiet {
    /// `inner`, of which nothing is seen but its datagrams.
    pub fn around(inner: Box<dyn Endpoint>) -> Box<dyn Endpoint> {
        Box::new(Quiet { inner, obeys: true })
    }

    /// The same, and it does nothing that it is told to.
    pub fn deaf(inner: Box<dyn Endpoint>) -> Box<dyn Endpoint> {
        Box::new(Quiet { inner, obeys: false })
    }
}

impl Endpoint for Quiet {
    kit::pass_on!(inner: handle_datagram handle_timeout poll_transmit poll_timeout);

    fn handle_command(&mut self, now: Time, command: &Command) {
        if self.obeys {
            self.inner.handle_command(now, command);
        }
    }

    fn poll_event(&mut self) -> Option<Event> {
        while self.inner.poll_event().is_some() {}
        None
    }

    fn observe(&self, _: &mut View) {}
}

/// A client that connects and leaves, and does nothing else that it is told to.
pub struct Plain(Box<dyn Endpoint>);

impl Plain {
    /// `inner`, which is given no verbs.
    pub fn around(inner: Box<dyn Endpoint>) -> Box<dyn Endpoint> {
        Box::new(Plain(inner))
    }
}

impl Endpoint for Plain {
    kit::pass_on!(0: handle_datagram handle_timeout poll_transmit poll_event poll_timeout source_port observe);

    fn handle_command(&mut self, now: Time, command: &Command) {
        if !matches!(command, Command::Verb { .. }) {
            self.0.handle_command(now, command);
        }
    }
}
