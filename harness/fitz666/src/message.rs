//! What a datagram says, read with the announced protocol.
