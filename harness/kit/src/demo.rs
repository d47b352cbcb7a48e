//! Demos: how games record what a server said, and what their player comes to hold of it.

use crate::check::DemoOf;
use crate::dissect::Dissection;
use crate::endpoint::StatValue;
use crate::setup::Setup;
use crate::words::Field;

/// How a file holds what a server said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// NetQuake's `.dem`: a line with the track, and messages with the angles of view.
    Dem,
    /// QuakeWorld's `.qwd`: datagrams that a client received, and the commands that it sent.
    Qwd,
    /// QuakeWorld's `.mvd`, which a server writes: what it said to all, and to whom else.
    Mvd,
    /// Quake II's `.dm2`: messages.
    Dm2,
}

impl Container {
    /// All of them.
    pub const ALL: [Container; 4] = [Container::Dem, Container::Qwd, Container::Mvd, Container::Dm2];

    /// Of what it is a recording.
    pub const fn of(self) -> DemoOf {
        match self {
            Container::Mvd => DemoOf::Server,
            Container::Dem | Container::Qwd | Container::Dm2 => DemoOf::Client,
        }
    }

    /// As its files end: `dem`.
    pub const fn name(self) -> &'static str {
        match self {
            Container::Dem => "dem",
            Container::Qwd => "qwd",
            Container::Mvd => "mvd",
            Container::Dm2 => "dm2",
        }
    }
}

/// How engines record sessions of a profile.
#[derive(Clone, Copy, Debug)]
pub struct Demo {
    /// The file of a client.
    pub client: Container,
    /// The file of a server, if it writes one of its own.
    pub server: Option<Container>,
    /// Builds what follows a demo, for a setup whose vantage says which.
    pub scene: fn(&Setup) -> Box<dyn Scene>,
}

impl Demo {
    /// Whether such a file can be one of it.
    pub fn holds(&self, container: Container) -> bool {
        self.client == container || self.server == Some(container)
    }
}

/// What the one who plays a demo holds after what he has read so far: a client, or with the recording of a server everybody.
///
/// It never refuses anything: what cannot be read is skipped, and what is built on something that was not seen counts as
/// [`Scene::is_incomplete`].
pub trait Scene {
    /// Pretends that `extensions` were agreed upon, as [`Dissector::assume`](crate::Dissector::assume) does: for a demo that
    /// begins in the middle of a session.
    ///
    /// # Errors
    /// A sentence that says which names are known.
    fn assume(&mut self, extensions: &str) -> Result<(), String>;
    /// What was agreed upon, as [`Dissector::extensions`](crate::Dissector::extensions) has it.
    fn extensions(&self) -> Vec<String>;
    /// Takes the next datagram of the server, which it said to the players whose bits are set in `to`: its fields, and what
    /// cannot be read, are in `out`, which has been cleared.
    fn datagram(&mut self, to: u32, bytes: &[u8], out: &mut Dissection);
    /// The fields of an entity, by number; another map can have others.
    fn fields(&self) -> &'static [Field];
    /// An entity of which nothing was ever said.
    fn default_entity(&self) -> &'static [i32];
    /// Each entity that is there: its number, ascending, and its fields; floats are bits.
    fn entities(&self, visit: &mut dyn FnMut(u32, &[i32]));
    /// What the player who records is told of himself alone, by name.
    fn player(&self, visit: &mut dyn FnMut(&'static str, StatValue));
    /// Each statistic: whose it is in the recording of a server, its number, ascending, and its value.
    fn stats(&self, visit: &mut dyn FnMut(Option<u8>, u8, StatValue));
    /// A number that is another one whenever [`Scene::stats`] are others; nothing where nobody counts.
    fn stats_version(&self) -> Option<u64> {
        None
    }
    /// The name of a statistic, if it has one.
    fn stat_name(&self, stat: u8) -> Option<&'static str>;
    /// The name of a service of which something happens, by its number as it stands in front of the service; `None` for one that
    /// says what is, which the state shows.
    fn event(&self, service: u8) -> Option<&'static str>;
    /// The server's own number of the newest frame, if its frames have some.
    fn frame(&self) -> Option<u32> {
        None
    }
    /// Whether what is shown is built on something that the demo does not have.
    fn is_incomplete(&self) -> bool;
}
