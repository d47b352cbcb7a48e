//! NetQuake: the datagram layer and the messages of protocol 15 that other protocols build upon.
//!
//! Reading order: [`constants`], [`primitives`] (coords, angles, entity numbers), [`datagram`] (headers and control
//! packets), [`channel`] (reliable and unreliable delivery), [`service`] with its parts [`serverinfo`],
//! [`clientdata`], [`update`] and [`effect`] (server to client), [`command`] (client to server); [`neighbours`]: services that it does
//! not have; [`scene`]: what a client holds of it all; [`level`]: the map that a server
//! announces.

pub mod channel;
pub mod clientdata;
pub mod command;
pub mod constants;
pub mod datagram;
pub mod effect;
pub mod fitzquake;
pub mod level;
pub mod neighbours;
pub mod primitives;
pub mod scene;
pub mod serverinfo;
pub mod service;
pub mod update;

pub use channel::{Channel, Incoming};
pub use command::{ClientCommand, Move, MoveForm, read_command};
pub use datagram::{ControlPacket, Packet, is_control, is_foreign, version_announced, version_asked_for};
pub use level::Level;
pub use primitives::{BigEntities, Primitives};
pub use serverinfo::ServerInfo;
pub use service::{Service, has_reconnect, read_service};
