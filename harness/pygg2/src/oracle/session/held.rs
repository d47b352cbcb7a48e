//! What a server made of a hello that it may have taken for the beginning of a session, or not: only what it sends next shows which.
//! Until then the world goes on, of which the new session was told what it was when the hello came.

use crate::message::ServerEvent;
use crate::state::World;
use kit::Time;

/// Events that are remembered; with more nobody knows what the session has to be sent.
const REMEMBERED: usize = 256;

/// Why an event is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The answer to a hello.
    Hi,
    /// Part of a complete update; the number tells one from the next.
    Complete(u32),
    /// Something in the game.
    Game,
    /// An event of a client.
    Client,
    /// A client is gone; when the server took it for gone among other events, it alone knows.
    Departure,
    /// Of a client that may be gone: it need not come.
    Perhaps,
}

/// The world as it was when such a hello came, and what has happened since.
#[derive(Clone, Debug)]
pub struct Held {
    /// When it came.
    pub at: Time,
    /// The id of the client's player.
    pub player: u32,
    /// The world as it was then, without the client's player.
    pub world: World,
    /// The game mode then.
    pub gamemode: i32,
    /// The client's player alone, as it is now if it joined then.
    pub own: World,
    /// What everybody has been sent of that player since, if so.
    pub own_events: Vec<(Time, ServerEvent)>,
    /// What the client has been sent since, if so; of the others alone.
    pub events: Vec<(Time, ServerEvent, Cause)>,
    /// There was more than is remembered here.
    pub too_much: bool,
}

impl Held {
    /// Remembers an event that the client has to be sent, if it is in.
    pub fn remember(&mut self, at: Time, event: &ServerEvent, cause: Cause) {
        let about = match event {
            ServerEvent::Join { id, .. } | ServerEvent::ChangeClass { id, .. } | ServerEvent::ChangeTeam { id, .. } => {
                Some(u32::from(*id))
            }
            ServerEvent::Spawn { id, .. } | ServerEvent::Die { id } | ServerEvent::Left { id } => Some((*id).into()),
            ServerEvent::Hi(_) | ServerEvent::Complete(_) | ServerEvent::Refuse { .. } => None,
        };
        // A complete update has the player whom the server may or may not have.
        self.too_much |= about.is_none() || self.events.len() >= REMEMBERED;
        if about.is_some_and(|player| player != self.player) && !self.too_much {
            self.events.push((at, event.clone(), cause));
        }
    }
}
