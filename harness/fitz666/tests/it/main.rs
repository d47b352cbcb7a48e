//! The protocol as its users meet it.
