//! One client's connection at the server.
