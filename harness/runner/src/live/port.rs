//! Sessions that go on at another port of the server than the one at which they begin.

use kit::PortChange;

/// The port that a server's datagram names, if it does.
pub fn named_port(bytes: &[u8], change: Option<PortChange>) -> Option<u16> {
    change?.named(bytes)
}

/// The datagram with another port in place of the one that it names, if it names one; 0, which stands for the port where
/// the server is called, is replaced in datagrams of a server of `ours`: old clients take it for a number like any other.
pub fn with_port(bytes: &[u8], change: Option<PortChange>, port: u16, ours: bool) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if (ours || named_port(&bytes, change).is_some())
        && let Some(at) = change.and_then(|change| (change.field)(&bytes))
        && let Some(place) = bytes.get_mut(at..at + 4)
    {
        place.copy_from_slice(&u32::from(port).to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_two(bytes: &[u8]) -> Option<usize> {
        (bytes.len() >= 6).then_some(2)
    }

    #[test]
    fn the_port_that_a_server_names_is_read_and_replaced() {
        let after_two = Some(PortChange { field: after_two, is_outside: |_| false });
        let datagram = [1, 2, 0x39, 0x30, 0, 0, 9];
        assert_eq!(named_port(&datagram, after_two), Some(12345));
        assert_eq!(with_port(&datagram, after_two, 0x0102, false), [1, 2, 0x02, 0x01, 0, 0, 9]);
        assert_eq!(with_port(&[1, 2, 3], after_two, 7, true), [1, 2, 3]);
        assert_eq!(with_port(&[1, 2, 0, 0, 0, 0], after_two, 7, false), [1, 2, 0, 0, 0, 0]);
        assert_eq!(with_port(&[1, 2, 0, 0, 0, 0], after_two, 7, true), [1, 2, 7, 0, 0, 0]);
    }
}
