//! Clients that conform in another way than the reference.

use super::rules;
use crate::machine::liberties::Liberties;
use crate::machine::rules::Rules;
use crate::mutants::client_with;
use crate::requirements::ZPKT_07;
use crate::wire::dialect::Readings;
use crate::wire::usercmd::Compaction;
use kit::Variant;
use kit::variant::of_client;
use netchan::Resend;

const NONE: Liberties = Liberties::NONE;

/// The conforming clients.
pub(super) static VARIANTS: &[Variant] = &[
    of_client("client-resends-at-once", "counts a block as lost one acknowledgement earlier, as Q2PRO", |setup| {
        client_with(setup, rules(Liberties { resend: Resend::AfterCarrier, ..NONE }))
    }),
    of_client("short-speeds", "shortens the speeds of compact user commands, not the angles, as Q2PRO", |setup| {
        client_with(setup, rules(Liberties { compaction: Compaction::Speeds, ..NONE }))
    }),
    of_client("nothing-short", "shortens nothing in compact user commands", |setup| {
        client_with(setup, rules(Liberties { compaction: Compaction::None, ..NONE }))
    }),
    of_client("sends-seldom", "sends a datagram in every third tick", |setup| {
        client_with(setup, rules(Liberties { send_every: 3, ..NONE }))
    }),
    of_client("asks-patiently", "waits three seconds before it asks again, as engines do", |setup| {
        client_with(setup, rules(Liberties { retry_us: 3_000_000, ..NONE }))
    }),
    of_client("asks-the-new-state", "asks an entity's new state whether it is a beam, as Q2PRO", |setup| {
        client_with(setup, Rules { readings: Readings { beam_of_new_state: true }, ..Rules::REFERENCE })
    }),
    of_client("reads-nested", "reads zpackets in zpackets, as R1Q2", |setup| {
        client_with(setup, rules(Liberties { nesting: 4, ..NONE }))
    })
    .takes(&ZPKT_07),
    of_client("splits-over-34", "takes upper bits off the command byte over protocol 34, too, as R1Q2", |setup| {
        client_with(setup, rules(Liberties { splits_original: true, ..NONE }))
    }),
    of_client("one-goodbye", "sends once that it leaves", |setup| {
        client_with(setup, rules(Liberties { goodbyes: 1, ..NONE }))
    }),
    of_client("leaves-silently", "leaves without a message", |setup| {
        client_with(setup, rules(Liberties { goodbyes: 0, ..NONE }))
    }),
    of_client("asks-for-full-frames", "asks for a frame without a base with every fifth move", |setup| {
        client_with(setup, rules(Liberties { nodelta_every: 5, ..NONE }))
    }),
];
