//! What somebody's code gets when it starts: who it is, what the scenario tells it, and where it shows what it holds.

use kit::{Command, Event, HostId, PeerId, Setup, View};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::rc::Rc;
use tokio::sync::Notify;

/// The port of every server.
pub(crate) const SERVER_PORT: u16 = 27_500;

/// The first port of a client; the numbers of [`PeerId::port`] are added to it.
pub(crate) const CLIENT_PORT: u16 = 30_000;

/// What code under test and the endpoint around it share. Nothing is borrowed while a task waits.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// All instructions so far.
    pub(crate) commands: RefCell<Vec<Command>>,
    pub(crate) news: Notify,
    pub(crate) events: RefCell<VecDeque<Event>>,
    pub(crate) view: RefCell<View>,
    /// How often the code was started.
    pub(crate) starts: Cell<u32>,
}

/// The place of a server or a client in a run, for the code that takes it.
///
/// The code opens a `turmoil::net::UdpSocket`, speaks its protocol over it, and follows [`Seat::command`]. What scenarios judge beyond
/// the datagrams, it puts on [`Seat::show`] and [`Seat::tell`].
#[derive(Debug)]
pub struct Seat {
    /// What the run is made of; its `host` says which one this is.
    pub setup: Setup,
    board: Rc<Board>,
    next: Cell<usize>,
}

impl Seat {
    pub(crate) fn new(setup: Setup, board: Rc<Board>) -> Seat {
        Seat { setup, board, next: Cell::new(0) }
    }

    /// Where to bind the socket: a server at the port that clients know, a client anywhere.
    pub fn address(&self) -> SocketAddr {
        let port = if self.setup.host == HostId::SERVER { SERVER_PORT } else { 0 };
        SocketAddr::from(([0, 0, 0, 0], port))
    }

    /// Where the server is, for a client.
    pub fn server(&self) -> SocketAddr {
        SocketAddr::new(turmoil::lookup(HostId::SERVER.to_string()), SERVER_PORT)
    }

    /// Who sends from an address, for code that names its peers as scenarios do; the server, where nobody is known.
    pub fn peer(&self, from: SocketAddr) -> PeerId {
        let name = turmoil::reverse_lookup(from.ip()).unwrap_or_default();
        let host = name.strip_prefix("client").and_then(|number| number.parse().ok());
        let client = |number| PeerId { host: HostId(number), port: from.port().saturating_sub(CLIENT_PORT) };
        host.map_or(PeerId::SERVER, client)
    }

    /// Where a peer is.
    pub fn address_of(&self, peer: PeerId) -> SocketAddr {
        match peer.host {
            HostId::SERVER => self.server(),
            client => SocketAddr::new(turmoil::lookup(client.to_string()), CLIENT_PORT.saturating_add(peer.port)),
        }
    }

    /// Waits for the next instruction of the scenario. Code that was started again gets all of them again, from the first, as a game
    /// loads its map again.
    pub async fn command(&self) -> Command {
        loop {
            let command = self.board.commands.borrow().get(self.next.get()).copied();
            match command {
                Some(command) => {
                    self.next.set(self.next.get() + 1);
                    return command;
                }
                None => self.board.news.notified().await,
            }
        }
    }

    /// Shows what the code holds now; it stands until the next time.
    pub fn show(&self, view: &View) {
        self.board.view.borrow_mut().clone_from(view);
    }

    /// Tells of something that has happened inside.
    pub fn tell(&self, event: Event) {
        self.board.events.borrow_mut().push_back(event);
    }

    /// How often the code was started before: 0 the first time.
    pub fn restarts(&self) -> u32 {
        self.board.starts.get().saturating_sub(1)
    }
}
