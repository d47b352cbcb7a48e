//! What our own recordings say of each datagram: whether it was sent or delivered, and which one it is.

use kit::{Delivery, Direction, Fate, HostId, LossCause, PacketId, Vantage};
use std::fmt;

/// The first word of the comments that we write.
const OURS: &str = "deltaproof";

/// What a datagram of a recording of ours is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Sent {
        packet: PacketId,
        /// What became of it; damage shows at its delivery.
        fate: Fate,
    },
    Delivered {
        packet: PacketId,
        /// Which of its copies, from 0.
        copy: u8,
        /// Whether these are the bytes sent.
        intact: bool,
    },
}

/// `sent c1 s2c #12 lost`, `sent c1 s2c #13 arrives after 30000us`, `delivered c1 s2c #13 copy 0 intact`.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::Sent { packet, fate: Fate::Lost(_) } => write!(f, "sent {packet} lost"),
            Stage::Sent { packet, fate: Fate::Once(one) } => {
                write!(f, "sent {packet} arrives after {}us{}", one.delay_us, one.damage)
            }
            Stage::Sent { packet, fate: Fate::Twice(one, other) } => {
                let [one, other] = [one.delay_us, other.delay_us];
                write!(f, "sent {packet} arrives after {one}us and {other}us")
            }
            Stage::Delivered { packet, copy, intact } => {
                write!(f, "delivered {packet} copy {copy} {}", if *intact { "intact" } else { "damaged" })
            }
        }
    }
}

impl Stage {
    /// Reads what [`Display`](fmt::Display) wrote; lines after the first are for people.
    pub fn parse(comment: &str) -> Option<Stage> {
        let mut words = comment.lines().next()?.split_whitespace();
        let stage = words.next()?;
        let client = HostId(words.next()?.strip_prefix('c')?.parse().ok()?);
        let direction = match words.next()? {
            "s2c" => Direction::ServerToClient,
            "c2s" => Direction::ClientToServer,
            _ => return None,
        };
        let index = words.next()?.strip_prefix('#')?.parse().ok()?;
        let packet = PacketId { client, direction, slot: index, ordinal: 0, index };
        match stage {
            "sent" => {
                let mut delays = words.filter_map(|word| word.strip_suffix("us")?.parse().ok()).map(Delivery::whole);
                let fate = match (delays.next(), delays.next()) {
                    (None, _) => Fate::Lost(LossCause::Script),
                    (Some(one), None) => Fate::Once(one),
                    (Some(one), Some(other)) => Fate::Twice(one, other),
                };
                Some(Stage::Sent { packet, fate })
            }
            "delivered" => {
                words.next().filter(|word| *word == "copy")?;
                let copy = words.next()?.parse().ok()?;
                Some(Stage::Delivered { packet, copy, intact: words.next()? == "intact" })
            }
            _ => None,
        }
    }
}

/// What a recording of ours says of its session as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionNote {
    /// The profile's name.
    pub profile: String,
    /// From where it was seen.
    pub vantage: Vantage,
    /// Options of the two ends that the wire does not show: name and value.
    pub options: Vec<(String, i64)>,
}

/// What stands before the name of an option.
const OPTION: &str = "set.";

/// `deltaproof session profile=fte-nq remote_server=1 … set.sv_maxclients=4`.
impl fmt::Display for SessionNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A recording is none of virtual time, and shows by itself whether it has times.
        let Vantage { remote_server, remote_clients, server_may_miss, clients_may_miss, .. } = self.vantage;
        write!(f, "{OURS} session profile={}", self.profile)?;
        for (name, value) in [
            ("remote_server", remote_server),
            ("remote_clients", remote_clients),
            ("server_may_miss", server_may_miss),
            ("clients_may_miss", clients_may_miss),
        ] {
            write!(f, " {name}={}", u8::from(value))?;
        }
        self.options.iter().try_for_each(|(name, value)| write!(f, " {OPTION}{name}={value}"))
    }
}

impl SessionNote {
    /// Reads what [`Display`](fmt::Display) wrote.
    pub fn parse(comment: &str) -> Option<SessionNote> {
        let rest = comment.strip_prefix(OURS)?.trim_start().strip_prefix("session")?;
        let value = |name: &str| rest.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        let flag = |name: &str| value(name) == Some("1");
        let option = |word: &str| {
            let (name, value) = word.strip_prefix(OPTION)?.split_once('=')?;
            Some((name.to_string(), value.parse().ok()?))
        };
        Some(SessionNote {
            profile: value("profile")?.to_string(),
            vantage: Vantage {
                remote_server: flag("remote_server"),
                remote_clients: flag("remote_clients"),
                server_may_miss: flag("server_may_miss"),
                clients_may_miss: flag("clients_may_miss"),
                ..Vantage::default()
            },
            options: rest.split_whitespace().filter_map(option).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let packet =
            PacketId { client: HostId(3), direction: Direction::ClientToServer, slot: 12, ordinal: 0, index: 12 };
        let [one, other] = [Delivery::whole(5), Delivery::whole(30_000)];
        let fates = [Fate::Lost(LossCause::Script), Fate::Once(one), Fate::Twice(one, other)];
        let sent = fates.map(|fate| Stage::Sent { packet, fate });
        for stage in sent.into_iter().chain([Stage::Delivered { packet, copy: 1, intact: false }]) {
            assert_eq!(Stage::parse(&format!("{stage}\nlasts 5us")), Some(stage));
        }
        let vantage = Vantage { remote_server: true, server_may_miss: true, ..Vantage::default() };
        let options = vec![("server_fte2".to_string(), -3)];
        let note = SessionNote { profile: "fte-nq".to_string(), vantage, options };
        assert_eq!(SessionNote::parse(&note.to_string()), Some(note));
    }

    #[test]
    fn comments_of_others_are_not_ours() {
        assert_eq!(Stage::parse("sent by somebody"), None);
        assert_eq!(Stage::parse("delivered c1 s2c #x"), None);
        assert_eq!(SessionNote::parse("Dumpcap session profile=x"), None);
    }
}
