//! The transport as an observer of both ends sees it: who has received what, and so what each end must
//! acknowledge in its headers.

use netchan::Header;

/// What one end has received, and what it sends.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// The newest datagram that it received.
    pub received: u32,
    /// How often, modulo 2, it received a reliable block.
    pub bit: bool,
    /// The number of the last datagram that it sent; `None` if that is not certain.
    pub sent: Option<u32>,
    /// The reliable block under way: the datagram that carried it last, and that datagram's payload.
    pub under_way: Option<(u32, Vec<u8>)>,
    /// How often, modulo 2, it began to send a block.
    pub begun: bool,
    /// The newest datagram of its own that it knows to have been received, and the echo that came with that.
    known: (u32, bool),
}

/// What is wrong with a header, in words.
#[derive(Clone, Debug)]
pub enum Breach {
    /// Its number does not follow the one before.
    Number(String),
    /// It does not acknowledge what was received.
    Acknowledgement(String),
    /// Its reliable block is not the one that is due.
    Block(String),
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

    /// This end sends a datagram: what is wrong with its header. `certain` is false where what it has received is not
    /// known.
    pub fn sends(&mut self, header: &Header, payload: &[u8], certain: bool) -> Vec<Breach> {
        let mut wrong = Vec::new();
        let sequence = header.sequence;
        if let Some(last) = self.sent.filter(|last| sequence != last.wrapping_add(1)) {
            wrong.push(Breach::Number(format!("datagram {sequence} follows {last}: numbers go up by one")));
        }
        self.sent = Some(sequence);
        let (acknowledged, received) = (header.acknowledged, self.received);
        if certain && acknowledged != received {
            wrong.push(Breach::Acknowledgement(format!(
                "datagram {acknowledged} is acknowledged, {received} was received"
            )));
        } else if certain && header.reliable_acknowledged != self.bit {
            let what = format!("the echo of reliable blocks in datagram {sequence} is not what was received");
            wrong.push(Breach::Acknowledgement(what));
        }
        if header.reliable {
            wrong.extend(self.sends_block(sequence, payload));
        }
        wrong
    }

    fn sends_block(&mut self, sequence: u32, payload: &[u8]) -> Vec<Breach> {
        let mut wrong = Vec::new();
        let repeated = self.under_way.is_some() && self.known.1 != self.begun;
        if let Some((carrier, block)) = self.under_way.as_ref().filter(|_| repeated) {
            let known = self.known.0;
            if known <= *carrier {
                wrong.push(Breach::Block(format!(
                    "datagram {sequence} repeats the block of {carrier} although {known} is the newest acknowledged"
                )));
            }
            // How long the block is, is not on the wire; it has at least its first byte.
            if block.first() != payload.first() {
                wrong.push(Breach::Block(format!(
                    "datagram {sequence} has another block than the one that was not yet acknowledged"
                )));
            }
        } else {
            self.begun = !self.begun;
        }
        self.under_way = Some((sequence, payload.to_vec()));
        wrong
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
