//! The transport as somebody sees it who reads along at both ends: who has received what, and so what each end must say
//! of it in its headers.

use super::coverage::Report;
use crate::requirements::*;
use kit::{HostId, Requirement, Time};
use netchan::Header;

/// What one end has received, and what it sends.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// The newest datagram that it received.
    pub received: u32,
    /// How often, modulo 2, it received a reliable block.
    pub bit: bool,
    /// The number of the last datagram that it sent.
    pub sent: Option<u32>,
    /// The reliable block under way: the datagram that carried it last, and that datagram's payload.
    pub under_way: Option<(u32, Vec<u8>)>,
    /// How often, modulo 2, it began to send a block.
    pub begun: bool,
    /// The newest datagram of its own that it knows to have been received, and the echo that came with that.
    known: (u32, bool),
}

/// What arrived, to the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is older than one before, or the same.
    Stale,
    /// It was taken; so many before it were lost.
    Taken {
        /// How many datagrams were lost since the last.
        lost: u32,
    },
}

impl End {
    /// Before its first datagram, which has number 1.
    pub fn first() -> End {
        End { sent: Some(0), ..End::default() }
    }

    /// Judges the header of a datagram that this end, `host`, sends. `received` is false where what it has received is
    /// not certain. Whether a block begins with it, rather than being repeated.
    #[allow(clippy::too_many_arguments, reason = "what a header is judged by, each of another owner")]
    pub fn sends(
        &mut self,
        header: &Header,
        payload: &[u8],
        received: bool,
        blame: &'static Requirement,
        host: HostId,
        now: Time,
        report: &mut Report,
    ) -> bool {
        if let Some(last) = self.sent {
            let expected = last.wrapping_add(1);
            if header.sequence != expected {
                report.find(&GEN_02, now, host, || {
                    format!("datagram {} follows {last}: numbers go up by one", header.sequence)
                });
            }
        }
        self.sent = Some(header.sequence);
        if received && header.acknowledged != self.received {
            let (told, is) = (header.acknowledged, self.received);
            report.find(blame, now, host, || format!("datagram {told} is acknowledged, {is} was received"));
        } else if received && header.reliable_acknowledged != self.bit {
            let sequence = header.sequence;
            report.find(blame, now, host, || {
                format!("the echo of reliable blocks in datagram {sequence} is not what was received")
            });
        }
        if !header.reliable {
            return false;
        }
        let repeated = self.under_way.is_some() && self.known.1 != self.begun;
        if let Some((carrier, block)) = self.under_way.as_mut().filter(|_| repeated) {
            // How long the block is, is not on the wire; it has at least its first byte.
            if self.known.0 <= *carrier {
                let (known, carrier, sequence) = (self.known.0, *carrier, header.sequence);
                report.find(&GEN_02, now, host, || {
                    format!(
                        "datagram {sequence} repeats the block of {carrier} although {known} is the newest that was \
                         acknowledged"
                    )
                });
            }
            if block.first() != payload.first() {
                let sequence = header.sequence;
                report.find(&GEN_02, now, host, || {
                    format!("datagram {sequence} has another block than the one that was not yet acknowledged")
                });
            }
            (*carrier, *block) = (header.sequence, payload.to_vec());
            return false;
        }
        self.begun = !self.begun;
        self.under_way = Some((header.sequence, payload.to_vec()));
        true
    }

    /// This end receives a datagram of the other.
    pub fn receives(&mut self, header: &Header) -> Arrival {
        if header.sequence <= self.received {
            return Arrival::Stale;
        }
        let lost = header.sequence - self.received - 1;
        self.received = header.sequence;
        self.bit ^= header.reliable;
        self.known = (header.acknowledged, header.reliable_acknowledged);
        if self.under_way.is_some() && self.known.1 == self.begun {
            self.under_way = None;
        }
        Arrival::Taken { lost }
    }
}
