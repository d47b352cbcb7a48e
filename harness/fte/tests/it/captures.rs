//! Recorded sessions of real engines: everything is decoded to its last byte, the states come out plausible, and what
//! was decoded is encoded to the engine's own bytes.

use fte::delta::{self, ENTITY, Entry};
use fte::dialect::{Dialect, Readings, Transport};
use fte::dissector::{FteDissector, MARKS};
use fte::message::{Carrier, Listener, UpdateStart};
use fte::state::*;
use fte::state::{Entity, EntityList, FIELD_TABLE, FIELDS};
use fte::tap::Tap;
use kit::{DecodeError, Dissection, Dissector, HostId, Reader, Writer};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use testkit::bytes::{Datagram, cover, datagrams};

/// Dissects a recording: no error, a name for every byte, and these numbers of marks.
fn check_dissection(name: &str, extensions: &[&str], expected: &str) {
    let mut dissector = FteDissector::new(None);
    let mut out = Dissection { want_spans: true, ..Dissection::default() };
    let (mut marks, mut messages, mut bytes_read, mut count) = ([0; MARKS.len()], 0, 0, 0);
    for Datagram { direction, place, bytes } in datagrams(name) {
        out.clear();
        dissector.datagram(HostId(1), direction, &bytes, &mut out);
        let place = format!("{name}: {place}");
        assert_eq!(out.error, None, "{place}: {}", out.summary);
        assert!(cover(&out.spans, &bytes), "{place}: {:?}", out.spans);
        for (bytes, spans) in &out.assembled {
            assert!(cover(spans, bytes), "{place}, put together: {spans:?}");
        }
        assert!(!out.summary.is_empty(), "{place}");
        count += 1;
        messages += out.messages;
        bytes_read += bytes.len();
        out.marks.iter().for_each(|mark| marks[mark.kind] += 1);
    }
    let mut seen = format!("{count} datagrams, {bytes_read} bytes, {messages} messages");
    for (name, count) in MARKS.iter().zip(marks).filter(|(_, count)| *count > 0) {
        let _ = write!(seen, ", {count} {name}");
    }
    assert_eq!(seen, expected, "{name}");
    assert_eq!(dissector.extensions(), extensions, "{name}");
}

/// What a client holds that applies everything, and how its bytes compare with those of our encoder.
#[derive(Default)]
struct Replay {
    /// The datagram that is being read.
    bytes: Vec<u8>,
    baselines: EntityList,
    entities: EntityList,
    frames: usize,
    /// Updates read, and those of them that our encoder, given the fields, writes with the same bytes.
    updates: usize,
    same_bytes: usize,
    /// Resets, and those of them whose flags are exactly the fields that differ from the baseline.
    resets: usize,
    exact_resets: usize,
    /// Every flag that an update had.
    flags: u64,
    /// The fields in which entities were seen to differ from their baselines, over the whole recording.
    changed: BTreeMap<u32, BTreeSet<usize>>,
    /// The first difference of bytes.
    difference: Option<String>,
}

impl Listener for Replay {
    fn session(&mut self, _: &Dialect) {
        self.baselines.clear();
        self.entities.clear();
    }

    fn baseline(&mut self, number: u32, state: &Entity) {
        *self.baselines.entry(number, state) = *state;
    }

    fn update(&mut self, _: &Carrier, _: &UpdateStart) {
        self.frames += 1;
    }

    fn entry(
        &mut self,
        carrier: &Carrier,
        entry: Entry,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<bool, DecodeError> {
        match entry {
            Entry::End => return Ok(true),
            Entry::RemoveAll => self.entities.clear(),
            Entry::Remove(number) => drop(self.entities.remove(number)),
            Entry::Update(number, flags) => {
                let baseline = *self.baselines.get(number).unwrap_or(&Entity::NULL);
                let entity = self.entities.entry(number, &baseline);
                delta::read_delta(r, &delta::ENTITY, flags, &baseline, entity, dialect.gate)?;
                self.updates += 1;
                self.flags |= flags;
                let differing = (0..FIELDS).filter(|&field| entity[field] != baseline[field]);
                self.changed.entry(number).or_default().extend(differing);

                let effects = if flags & UF_EFFECTS2 != 0 { UF_EFFECTS } else { 0 };
                let given = flags & (delta::UF_FIELDS | UF_RESET) | effects;
                let mut out = Vec::new();
                let mut w = Writer::new(&mut out);
                delta::write_index(&mut w, number, false);
                delta::write_delta(&mut w, &ENTITY, given, entity, dialect.gate);
                let engine = &self.bytes[..r.at()];
                match engine.ends_with(&out) {
                    true => self.same_bytes += 1,
                    false => {
                        let engine = &engine[engine.len().saturating_sub(out.len() + 8)..];
                        self.difference.get_or_insert_with(|| {
                            format!("frame {} entity {number}: {engine:02x?} / {out:02x?}", carrier.sequence)
                        });
                    }
                }
                if flags & UF_RESET != 0 {
                    let differing = delta::diff(&ENTITY, &baseline, entity, dialect.gate);
                    self.resets += 1;
                    self.exact_resets += usize::from(given & !UF_RESET == differing);
                }
            }
        }
        Ok(true)
    }
}

/// The flags that the recordings know.
const RECORDED: u64 = UF_FRAME
    | UF_ORIGINXY
    | UF_ORIGINZ
    | UF_ANGLESXZ
    | UF_ANGLESY
    | UF_EFFECTS
    | UF_RESET
    | UF_16BIT
    | UF_MODEL
    | UF_SKIN
    | UF_COLORMAP
    | UF_SOLID
    | UF_FLAGS
    | UF_ALPHA
    | UF_SCALE
    | UF_COLORMOD;

/// Numbers with runs joined: `1 3..5`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|low, high| low + 1 == *high).map(|run| match run {
        [.., last] if run.len() > 1 => format!("{}..{last}", run[0]),
        _ => run[0].to_string(),
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// The fields in which entities were seen to differ from their baselines, a line per run of entities.
fn roles(changed: &BTreeMap<u32, BTreeSet<usize>>) -> String {
    let changed: Vec<_> = changed.iter().collect();
    let runs = changed.chunk_by(|(low, fields), (high, more)| *low + 1 == **high && fields == more).map(|run| {
        let numbers: Vec<u32> = run.iter().map(|(number, _)| **number).collect();
        let fields: Vec<&str> = run[0].1.iter().map(|&field| FIELD_TABLE[field].name).collect();
        format!("{}: {}\n", ranges(&numbers), fields.join(" "))
    });
    runs.collect()
}

/// Applies a recording: the numbers of what was read, the entities that are there at its end, and the fields in which
/// entities were seen to change. A layout read wrongly shows in fields that the recorded map never touches.
///
/// Our encoder, given the fields of each update, writes every update with the engine's own bytes, without an exception:
/// the engines choose widths and EXTEND flags as we do. The recordings say nothing about the flags that no update in
/// them has, pred blocks and wide effects among them; those rest on the hand-made vectors.
///
/// The flags of every reset are exactly the fields that differ from the recorded baseline. (That holds for
/// QuakeSpasm-Spiked, too, whose every reset has scale and colormod: its baselines say that both are 0.)
fn check_replay(name: &str, numbers: &str, held: &str, changed: &str) {
    let transport = if name.contains("_qw_") { Transport::QuakeWorld } else { Transport::NetQuake };
    let (mut tap, mut replay) = (Tap::new(transport, Readings::default()), Replay::default());
    for Datagram { direction, place, bytes } in datagrams(name) {
        replay.bytes.clone_from(&bytes);
        let read = tap.datagram(direction, &bytes, None, &mut replay);
        assert!(read.is_ok(), "{name}: {place}: {read:?}");
    }
    let Replay { frames, updates, same_bytes, resets, exact_resets, .. } = replay;
    assert_eq!((same_bytes, replay.difference), (updates, None), "{name}");
    assert_eq!(exact_resets, resets, "{name}");
    assert_eq!(replay.flags & !RECORDED, 0, "{name}");
    assert_eq!(format!("{frames} frames, {updates} updates, {resets} resets"), numbers, "{name}");
    assert_eq!(ranges(replay.entities.numbers()), held, "{name}");
    assert_eq!(roles(&replay.changed), changed, "{name}");
}

/// The roles on FTEQW's map: its players, then an entity per field, those that spin and fly, those that come and go.
fn fteqw_roles(players: &str, visitors: &str) -> String {
    format!(
        "{players}: origin_z solid flags
33: origin_x
34: origin_z
35: yaw
36: pitch
37..38: frame
39: skin
40: effects
41: alpha
42: scale
43: colormap
44: origin_x origin_y origin_z model flags
45: model
46..56: frame origin_x origin_y origin_z pitch yaw roll effects skin
{visitors}: origin_x origin_y origin_z model flags
"
    )
}

/// The roles on the map of QuakeSpasm-Spiked.
const QSS_ROLES: &str = "\
1: origin_z scale colormod_r colormod_g colormod_b
9: origin_x flags scale colormod_r colormod_g colormod_b
10: origin_z flags scale colormod_r colormod_g colormod_b
11: yaw flags scale colormod_r colormod_g colormod_b
12: pitch flags scale colormod_r colormod_g colormod_b
13..14: frame flags scale colormod_r colormod_g colormod_b
15: skin flags scale colormod_r colormod_g colormod_b
16: effects flags scale colormod_r colormod_g colormod_b
17: flags alpha scale colormod_r colormod_g colormod_b
18: flags scale colormod_r colormod_g colormod_b
19: colormap flags scale colormod_r colormod_g colormod_b
20: origin_x origin_y origin_z model flags scale colormod_r colormod_g colormod_b
21: model flags scale colormod_r colormod_g colormod_b
22..32: frame origin_x origin_y origin_z pitch yaw roll effects skin flags scale colormod_r colormod_g colormod_b
35..36: origin_x origin_y origin_z model flags scale colormod_r colormod_g colormod_b
";

#[test]
fn sessions_without_the_extension_are_read_to_the_last_byte() {
    check_dissection(
        "netquake/qss_protocol15",
        &[],
        "120 datagrams, 4123 bytes, 193 messages, 99 move, 1 session, 4 stat, 6 text, 2 connectionless",
    );
    check_dissection(
        "netquake/qss_fitz666",
        &[],
        "214 datagrams, 38960 bytes, 4262 messages, 42 move, 1 session, 4 stat, 6 text, 2 connectionless",
    );
}

#[test]
fn fteqw_over_quakeworld_is_read_to_the_last_byte() {
    check_dissection(
        "fte/fteqw_qw_deltas",
        &["PEXT2_REPLACEMENTDELTAS"],
        "448 datagrams, 15997 bytes, 869 messages, \
         216 frame, 695 update, 32 reset, 6 remove, 1 remove_all, 55 baseline, 1 session, 7 stat, 6 text, 4 connectionless",
    );
}

#[test]
fn fteqw_over_quakeworld_is_applied_and_written_anew() {
    check_replay(
        "fte/fteqw_qw_deltas",
        "216 frames, 695 updates, 32 resets",
        "1..2 33..43 45..56 59",
        &fteqw_roles("1..2", "59..60"),
    );
}

#[test]
fn fteqw_over_quakeworld_with_predinfo_is_read_to_the_last_byte() {
    check_dissection(
        "fte/fteqw_qw_deltas_predinfo",
        &["PEXT2_PREDINFO", "PEXT2_REPLACEMENTDELTAS"],
        "449 datagrams, 16012 bytes, 870 messages, \
         216 frame, 695 update, 32 reset, 6 remove, 1 remove_all, 55 baseline, 1 session, 7 stat, 6 text, 4 connectionless",
    );
}

#[test]
fn fteqw_over_quakeworld_with_predinfo_is_applied_and_written_anew() {
    check_replay(
        "fte/fteqw_qw_deltas_predinfo",
        "216 frames, 695 updates, 32 resets",
        "1 3 33..43 45..56 59",
        &fteqw_roles("1: origin_z solid flags\n3", "59..60"),
    );
}

#[test]
fn fteqw_over_quakeworld_with_float_coords_is_read_to_the_last_byte() {
    check_dissection(
        "fte/fteqw_qw_floatcoords",
        &["PEXT2_PREDINFO", "PEXT2_REPLACEMENTDELTAS", "PEXT_FLOATCOORDS"],
        "307 datagrams, 13938 bytes, 665 messages, \
         144 frame, 459 update, 29 reset, 4 remove, 1 remove_all, 55 baseline, 1 session, 7 stat, 6 text, 4 connectionless",
    );
}

#[test]
fn fteqw_over_quakeworld_with_float_coords_is_applied_and_written_anew() {
    check_replay(
        "fte/fteqw_qw_floatcoords",
        "144 frames, 459 updates, 29 resets",
        "1 33..43 45..56 59",
        &fteqw_roles("1", "59..60"),
    );
}

#[test]
fn fteqw_over_netquake_with_predinfo_is_read_to_the_last_byte() {
    check_dissection(
        "fte/fteqw_nq_deltas_predinfo",
        &["PEXT2_PREDINFO", "PEXT2_REPLACEMENTDELTAS"],
        "320 datagrams, 15095 bytes, 606 messages, \
         141 frame, 605 update, 55 reset, 4 remove, 2 remove_all, 139 ack, 145 move, 55 baseline, 1 session, 10 stat, 9 text, 3 connectionless",
    );
}

#[test]
fn fteqw_over_netquake_with_predinfo_is_applied_and_written_anew() {
    check_replay(
        "fte/fteqw_nq_deltas_predinfo",
        "141 frames, 605 updates, 55 resets",
        "2 33..56 59",
        &fteqw_roles("2", "59..60"),
    );
}

#[test]
fn fteqw_over_netquake_with_a_reset_on_demand_is_read_to_the_last_byte() {
    check_dissection(
        "fte/fteqw_nq_ack_minus1",
        &["PEXT2_REPLACEMENTDELTAS"],
        "486 datagrams, 22952 bytes, 977 messages, \
         193 frame, 884 update, 81 reset, 6 remove, 3 remove_all, 191 ack, 1 ack_reset, 217 move, 55 baseline, 1 session, 10 stat, 20 text, 3 connectionless",
    );
}

#[test]
fn fteqw_over_netquake_with_a_reset_on_demand_is_applied_and_written_anew() {
    check_replay("fte/fteqw_nq_ack_minus1", "193 frames, 884 updates, 81 resets", "1 33..56", &fteqw_roles("1", "59"));
}

#[test]
fn quakespasm_spiked_over_netquake_is_read_to_the_last_byte() {
    check_dissection(
        "fte/qss_nq_deltas_predinfo",
        &["PEXT2_PREDINFO", "PEXT2_REPLACEMENTDELTAS"],
        "206 datagrams, 14343 bytes, 292 messages, \
         39 frame, 571 update, 52 reset, 4 remove, 1 remove_all, 39 ack, 145 move, 37 baseline, 1 session, 6 stat, 6 text, 2 connectionless",
    );
}

#[test]
fn quakespasm_spiked_over_netquake_is_applied_and_written_anew() {
    check_replay("fte/qss_nq_deltas_predinfo", "39 frames, 571 updates, 52 resets", "1 9..19 21..32 36", QSS_ROLES);
}
