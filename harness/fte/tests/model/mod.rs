//! A server and a client on a wire that is worked by hand, and a simple model of what must hold between them.
//!
//! Used by the state machine test, which draws [`Operation`]s and shrinks them, and by the fuzz target `machines`, which
//! reads them from bytes. Reading order: [`operation`] (what can happen), [`world`] (what there is), [`receiver`] (what a
//! receiver of the wire holds), [`pair`] (the two machines and the checks).

pub mod operation;
pub mod pair;
pub mod receiver;
pub mod world;

pub use operation::{Agreement, End, Operation};
pub use pair::Pair;
pub use world::World;
