//! How times, hosts, directions, datagrams and levels are printed, and what the small values around them compute.

use kit::{Damage, Delivery, Direction, HostId, Level, PacketId, PeerId, Role, Time};
use std::fmt::Display;

/// Prints as `text`, and keeps to a column of 16 in both alignments.
fn check(value: impl Display, text: &str) {
    assert_eq!(value.to_string(), text);
    assert_eq!(format!("{value:<16}|"), format!("{text:<16}|"));
    assert_eq!(format!("{value:>16}|"), format!("{text:>16}|"));
}

#[test]
fn times_have_six_digits_of_a_second() {
    check(Time::ZERO, "0.000000s");
    check(Time(1), "0.000001s");
    check(Time(12_345_678), "12.345678s");
    check(Time::from_ms(1500), "1.500000s");
}

#[test]
fn hosts_are_the_server_or_a_numbered_client() {
    check(HostId::SERVER, "server");
    check(HostId(1), "client1");
    check(HostId(40), "client40");
}

#[test]
fn directions_are_short() {
    check(Direction::ServerToClient, "s2c");
    check(Direction::ClientToServer, "c2s");
}

#[test]
fn datagrams_are_named_by_link_direction_and_index() {
    let id = |client, direction, index| PacketId { client: HostId(client), direction, slot: 7, ordinal: 3, index };
    check(id(1, Direction::ServerToClient, 12), "c1 s2c #12");
    check(id(3, Direction::ClientToServer, 0), "c3 c2s #0");
}

#[test]
fn levels_and_roles_are_the_words_of_the_catalogue() {
    check(Level::Must, "MUST");
    check(Level::MustNot, "MUST NOT");
    check(Level::Should, "SHOULD");
    check(Level::ShouldNot, "SHOULD NOT");
    check(Level::May, "MAY");
    check(Role::Server, "server");
    check(Role::Client, "client");
    check(Role::Both, "both");
}

#[test]
fn a_prohibition_counts_as_an_obligation() {
    let classes = [Level::Must, Level::MustNot, Level::Should, Level::ShouldNot, Level::May]
        .map(|level| (level.is_must(), level.is_should()));
    assert_eq!(classes, [(true, false), (true, false), (false, true), (false, true), (false, false)]);
}

#[test]
fn a_role_binds_itself_and_both_bind_everyone() {
    assert!(Role::Server.binds(Role::Server) && Role::Both.binds(Role::Client) && Role::Client.binds(Role::Both));
    assert!(!Role::Server.binds(Role::Client) && !Role::Client.binds(Role::Server));
}

#[test]
fn time_adds_and_subtracts_without_overflow() {
    assert_eq!(Time(5).after(10), Time(15));
    assert_eq!(Time(u64::MAX).after(1), Time(u64::MAX));
    assert_eq!(Time(15).since(Time(5)), 10);
    assert_eq!(Time(5).since(Time(15)), 0);
    assert_eq!(Time::from_ms(3).us(), 3000);
    assert_eq!(Time(1_500_000).as_seconds(), 1.5);
    assert_eq!(Time(50_000).as_seconds(), 0.05, "the same float as the decimal fraction");
}

#[test]
fn a_delivery_is_intact_unless_it_is_cut_or_flipped() {
    let (cut, flipped) = (Damage::Truncated { keep_bytes: 4 }, Damage::Flipped { bit: 0 });
    assert!(Delivery::whole(10).intact());
    for damage in [cut, flipped] {
        assert!(!Delivery { delay_us: 10, damage }.intact());
    }
    assert_eq!(format!("{}{cut}{flipped}", Damage::None), " cut to 4 bytes with bit 0 flipped");
}

#[test]
fn the_server_is_host_zero_and_directions_index_from_it() {
    assert_eq!(PeerId::SERVER.host, HostId::SERVER);
    assert_eq!(PeerId::client(2), PeerId { host: HostId(2), port: 0 });
    assert_eq!((Direction::ServerToClient.index(), Direction::ClientToServer.index()), (0, 1));
}
