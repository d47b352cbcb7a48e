//! Servers whose buffers lose, repeat or mix up what is in them.

use super::*;
use crate::buffers::Share;
use crate::constants::{DATAGRAM_BYTES, MSG_BROADCAST};
use crate::preparation::{Init, Parties, Preparation, Terms};
use crate::requirements::*;
use kit::Time;
use netquake::constants::SVC_NOP;

/// Later than the end of any run.
const NEVER: Time = Time(3_600_000_000);

/// Prepares a message that is for all clients, whomever it names, if its destination is BROADCAST and it is listed, or
/// not.
fn broadcast_to_all<const LISTED: bool>(
    preparation: &mut Preparation,
    init: Init,
    terms: &Terms<'_>,
    parties: &mut dyn Parties,
) {
    let listed = terms.tables.index(init.svc, init.sub).is_some();
    let only = init.only.filter(|_| init.dest != MSG_BROADCAST || listed != LISTED);
    prepare(preparation, Init { only, ..init }, terms, parties);
}

/// Nobody gets a message for which one client has no room.
fn all_or_none(preparation: &mut Preparation, init: Init, terms: &Terms<'_>, parties: &mut dyn Parties) {
    prepare(preparation, init, terms, parties);
    let mut full = false;
    parties.each(&mut |party| full |= party.outlet.share == Share::NoRoom);
    if full {
        parties.each(&mut |party| party.outlet.share = Share::Nothing);
    }
}

/// Copies as much as there is room for.
fn copy_as_fits(payload: &mut Vec<u8>, buffer: &[u8], limit: usize) {
    let left = limit.saturating_sub(payload.len());
    payload.extend_from_slice(buffer.get(..left).unwrap_or(buffer));
}

/// Repeats the broadcasts of every other frame.
fn repeats(setup: &Setup) -> Box<dyn Endpoint> {
    let mut kept: BTreeMap<HostId, Vec<u8>> = BTreeMap::new();
    server_says(setup, move |packet| {
        if !is_frame(packet) {
            return;
        }
        let end = packet.bytes.len();
        match kept.remove(&packet.client) {
            Some(broadcasts) if !broadcasts.is_empty() => packet.replace(end..end, &broadcasts),
            _ => {
                let names = ["svc_particle", "svc_temp_entity"];
                let groups = names.iter().flat_map(|name| packet.fields(name));
                kept.insert(packet.client, groups.flat_map(|group| packet.raw(group)).copied().collect());
            }
        }
    })
}

/// Leaves a print for all out, for every client but the first, if nothing else is in the reliable message.
fn leaves_lone_prints_out(setup: &Setup) -> Box<dyn Endpoint> {
    let mut sent: BTreeSet<Vec<u8>> = BTreeSet::new();
    server_says(setup, move |packet| {
        for print in numbered_prints(packet) {
            let for_all = !sent.insert(packet.raw(print).to_vec());
            let alone = packet.spans.iter().all(|span| span.start >= print.start || span.end <= print.start);
            if for_all && alone && print.end == packet.bytes.len() && !is_frame(packet) {
                packet.replace(print.start..print.end, &[SVC_NOP]);
            }
        }
    })
}

/// Which buffer, how full, and when it is emptied.
pub static MUTANTS: &[Mutant] = &[
    of_server(
        "stops-when-full",
        &BUF_03,
        "nvs/flood",
        "adds broadcasts without a look at the room, and stops when one does not fit",
        |setup| {
            server_with(setup, |rules| {
                rules.preparation.fits = |_, _| true;
                rules.when_full = |_| NEVER;
            })
        },
    ),
    of_server(
        "unchecked-broadcast",
        &BUF_04,
        "nvs/flood",
        "adds broadcasts without a look at the room, and loses all of them when one does not fit",
        |setup| server_with(setup, |rules| rules.preparation.fits = |_, _| true),
    ),
    of_server(
        "common-room",
        &BUF_04,
        "nvs/edge-particles",
        "checks a broadcast's room in the buffer that all clients share",
        |setup| server_with(setup, |rules| rules.preparation.fits = |_, bytes| bytes <= DATAGRAM_BYTES),
    ),
    of_server("strict-room", &BUF_05, "nvs/edge-explosions", "wants a byte to be free after a broadcast", |setup| {
        server_with(setup, |rules| rules.preparation.fits = |buffer, bytes| buffer.has_room(bytes + 1))
    }),
    of_server(
        "copies-what-fits",
        &BUF_06,
        "nvs/flood-again",
        "copies as much of a client's unreliable buffer into its datagram as fits, be it half a message",
        |setup| server_with(setup, |rules| rules.copy = copy_as_fits),
    ),
    of_server(
        "full-for-one-full-for-all",
        &BUF_07,
        "nvs/one-full",
        "keeps a broadcast from all clients when one has no room for it",
        |setup| server_with(setup, |rules| rules.preparation.prepare = all_or_none),
    ),
    of_server(
        "named-broadcast-for-all",
        &BUF_08,
        "nvs/scripted-forms",
        "sends an unreliable message that names a client to all",
        |setup| server_with(setup, |rules| rules.preparation.prepare = broadcast_to_all::<true>),
    ),
    of_server(
        "named-print-for-all",
        &BUF_08,
        "nvs/three-messages",
        "sends an unlisted unreliable message that names a client to all",
        |setup| server_with(setup, |rules| rules.preparation.prepare = broadcast_to_all::<false>),
    ),
    of_server(
        "repeats-the-last-frame",
        &BUF_09,
        "nvs/three-messages",
        "empties the clients' unreliable buffers before every other frame only",
        repeats,
    ),
    of_server(
        "all-after-one-only",
        &BUF_10,
        "nvs/mixed-clients",
        "appends what is for ALL only to buffers that have something already",
        leaves_lone_prints_out,
    ),
];
