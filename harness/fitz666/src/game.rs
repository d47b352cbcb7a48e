//! A client's game: what it makes of what it is told.
