//! Clients that conform in another way than the reference.

use super::{SIGNED_SKINS, forgone};
use crate::constants::PLAYER_SLOTS;
use crate::dialect::Transport;
use crate::latitude::*;
use crate::mutants::{client_with, sends};
use crate::options::Options;
use crate::requirements::*;
use crate::rules::Rules;
use kit::variant::of_client;
use kit::{Again, Twice, Variant};

const REFERENCE: Latitude = Latitude::REFERENCE;

/// The conforming clients.
pub(super) static VARIANTS: &[Variant] = &[
    of_client("acks-before-move", "writes acknowledgements before its move, as QuakeSpasm-Spiked does", |setup| {
        client_with(setup, Rules::with(Latitude { acks_first: true, ..REFERENCE }))
    }),
    of_client("one-ack-per-packet", "sends one acknowledgement per packet, on NetQuake", |setup| {
        // On QuakeWorld the header names the newest frame, and what is left for later would come after it.
        let acks_per_packet = match Options::new(setup).transport {
            Transport::NetQuake => 1,
            Transport::QuakeWorld => usize::MAX,
        };
        client_with(setup, Rules::with(Latitude { acks_per_packet, ..REFERENCE }))
    })
    .forgoes(&[forgone::ACKS_TOGETHER]),
    of_client("no-explicit-acks", "sends no explicit acknowledgements on QuakeWorld", |setup| {
        client_with(setup, Rules::with(Latitude { explicit_acks: false, ..REFERENCE }))
    })
    .waives(&[&ACK_12])
    .takes(&ACK_13)
    .forgoes(&[forgone::EXPLICIT_ACKS]),
    of_client("short-ack-queue", "queues at most 8 acknowledgements and forgets newer ones", |setup| {
        let (ack_queue, too_many_acks) = (8, TooManyAcks::NewestForgotten);
        client_with(setup, Rules::with(Latitude { ack_queue, too_many_acks, ..REFERENCE }))
    }),
    of_client("replacing-ack-queue", "queues at most 8 acknowledgements, of which the last is replaced", |setup| {
        let (ack_queue, too_many_acks) = (8, TooManyAcks::NewestReplaces);
        client_with(setup, Rules::with(Latitude { ack_queue, too_many_acks, ..REFERENCE }))
    }),
    of_client(
        "answers-before-reading",
        "requests a reset again when it receives one, as it decides before it reads",
        |setup| client_with(setup, Rules::with(Latitude { answers: Answers::BeforeReading, ..REFERENCE })),
    )
    .forgoes(&[forgone::ACKED_RESETS]),
    of_client("asks-for-resets", "requests a reset in every 40th packet", |setup| {
        client_with(setup, Rules::with(Latitude { reset_request_every: 40, ..REFERENCE }))
    })
    .forgoes(&[forgone::LONG_FLIGHTS]),
    of_client("unknown-from-null", "starts an unknown entity from the null state (erratum E4)", |setup| {
        client_with(setup, Rules::with(Latitude { unknown: Unknown::FromNull, ..REFERENCE }))
    }),
    of_client("unknown-hidden", "does not show an unknown entity before its RESET (erratum E4)", |setup| {
        client_with(setup, Rules::with(Latitude { unknown: Unknown::Hidden, ..REFERENCE }))
    }),
    of_client("keeps-movement", "keeps movement in updates without a pred block (erratum E17)", |setup| {
        client_with(setup, Rules::with(Latitude { movement: Movement::Kept, ..REFERENCE }))
    }),
    of_client("builds-upon-unsaid", "does not name the frame that it builds on (erratum E2)", |setup| {
        client_with(setup, Rules::with(Latitude { builds_upon: BuildsUpon::Unsaid, ..REFERENCE }))
    }),
    of_client("reads-signed-skins", "reads 8-bit skins with a sign, as specified (erratum E8)", |setup| {
        client_with(setup, Rules { table: &SIGNED_SKINS, ..Rules::REFERENCE })
    }),
    of_client("no-such-slot", "takes a colormap that is no player's slot for 0", |setup| {
        client_with(setup, Rules::with(Latitude { highest_slot: PLAYER_SLOTS.into(), ..REFERENCE }))
    }),
    of_client("asks-for-more", "requests private extensions as well, one with a quoted value", |setup| {
        sends(client_with, setup, |packet| {
            packet.replace_text(b"pext 0x", b"pext 0x4d564431 0x1 0x50524956 \"a b\" 0x");
            packet.replace_text(b"\n0x32455446", b"\n0x4d564431 0x1\n0x50524956 \"a b\"\n0x32455446");
        })
    }),
    of_client("client-sends-twice", "sends what has a number of its own again, beside its next datagram", |setup| {
        Twice::around(client_with(setup, Rules::REFERENCE), Options::new(setup).transport.numbers(), Again::WithTheNext)
    }),
];
