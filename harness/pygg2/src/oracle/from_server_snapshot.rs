//! The snapshots of a server: which base, which bytes, and whether they say what is.

use super::coverage::{Point, Report, bytes_differ, mirrored};
use super::diagnosis;
use super::from_server::ServerPacket;
use crate::constants::*;
use crate::message::{self, ServerHeader, ServerRecord, Stamped};
use crate::requirements::*;
use crate::serial::age;
use crate::snapshot::{self, BODY_BYTES, Base, Body, ClassFields, HEAD_BYTES, Snapshot};
use crate::state::*;
use kit::{DecodeError, Reader, Time};

kit::checks! {
    BASE_NAMED = "delta-sequence-names-the-base": DLT_02 [Delta Body], DLT_06 [Absolute], DLT_10 [EventPacketAcked];
    BASE_ACKED = "bases-are-acknowledged": DLT_03 [DeltaAfterLoss], ACK_07 [BogusAck];
    BASE_YOUNG = "bases-are-young": DLT_05 [AcksAway];
    BASE_FOLLOWS = "bases-follow-acknowledgements": ACK_05 [ManyAcked];
    DIFFERENCES = "differences-are-sent-where-there-is-a-base": DLT_11 [ManyBases];
    SNAPSHOT_READABLE = "snapshots-can-be-read": DLT_01 [Delta Body], DLT_08 [LengthsDiffer], SNAP_03 [Body],
        CLS_02 [ClassFields];
    LIVING = "bodies-are-those-of-the-living": SNAP_03 [Body], SNAP_04 [DeadPlayer];
    SPARE_BITS = "spare-bits-of-bodies-are-zero": BASE_03 [Body];
    BODIES = "bodies-are-right" knows World: SNAP_03 [Body], BASE_01 [Body LargeNumber], BASE_02 [Keys],
        BASE_04 [NegativeSpeed], TYPE_02 [LargeNumber], DLT_01 [Delta Body],
        SEQ_03 [LateDelivered] [LateClientDelivered];
    CLASS_FIELDS = "class-fields-are-right" knows World: CLS_02 [ClassFields], TYPE_02 [LargeNumber];
}

/// After so many acknowledged snapshots a server that uses deltas has used a second base.
const MANY_BASES: u32 = 64;

/// A clock may be fast or slow by so many milliseconds in a second.
const CLOCK_RATE_MS: u32 = 1;

/// The times of two snapshots of a remote server may differ by so many milliseconds from those of their arrival.
const CLOCK_MS: u32 = 2_000;

impl ServerPacket<'_> {
    /// The ids of those who live, in order; without those of whom nobody knows.
    fn living(&self) -> impl Iterator<Item = u8> {
        let known = self.truth.known;
        let of_world = self.truth.world.live.iter().filter(move |(_, player)| known && player.is(ALIVE));
        let announced = self.server.players.iter().filter(move |(_, lives)| !known && **lives);
        let all = of_world.map(|(id, _)| id as u8).chain(announced.map(|(id, _)| *id));
        let truth = self.truth;
        all.filter(move |id| !truth.is_unsure(*id))
    }

    /// Whether `bodies` are those who live, in any order.
    fn are_living(&self, bodies: &[Body]) -> bool {
        let ids = bodies.iter().map(|body| body.id).filter(|id| !self.truth.is_unsure(*id));
        ids.clone().eq(self.living()) || {
            let mut ids: Vec<u8> = ids.collect();
            ids.sort_unstable();
            ids.into_iter().eq(self.living())
        }
    }

    /// Whether a body, with this base, is as the world says; what is declared to stand after it is left out.
    fn is_true(&self, body: &Body, base: &Base) -> bool {
        let same = |player: &Player| {
            player.base() == *base && player.0[AMMO] as u8 == body.ammo && player.is(CLOAKED) == body.cloaked
        };
        !self.truth.known
            || self.truth.is_unsure(body.id)
            || self.truth.world.live.get(body.id.into()).is_some_and(same)
    }

    /// Whether a snapshot is of what is; and by how many milliseconds its time differs from what it should be, by the
    /// snapshot before.
    fn is_right(&self, snapshot: &Snapshot) -> Option<u32> {
        let due = |(time, at): (u32, Time)| time.wrapping_add((self.now.since(at) / 1000) as u32);
        let error = self.server.clock.map_or(0, |clock| snapshot.time.abs_diff(due(clock)));
        let is_true = |body: &Body| self.is_true(body, &body.base);
        (self.are_living(&snapshot.bodies) && snapshot.bodies.iter().all(is_true)).then_some(error)
    }

    /// The same of bytes that may be a snapshot.
    fn are_right(&self, bytes: &[u8]) -> Option<u32> {
        self.is_right(&self.decode(bytes).ok()?)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Snapshot, DecodeError> {
        Snapshot::decode(bytes, self.truth.options.declared)
    }

    /// The acknowledged base that makes better sense of the bytes than `found` does.
    fn better(&self, xored: &[u8], found: Option<u32>) -> Option<u16> {
        // When a server looked at its clock is not known in real time: what makes sense is what was meant. Otherwise two
        // times that are cut to milliseconds can differ by one, and by what a clock gains or loses in between.
        let passed = self.server.clock.map_or(0, |(_, at)| (self.now.since(at) / 1_000_000) as u32);
        let slack = if self.truth.vantage.is_remote() { CLOCK_MS } else { 2 + CLOCK_RATE_MS * passed };
        if found.is_some_and(|error| error < slack) {
            return None;
        }
        let errors =
            self.bases().filter_map(|(base, bytes)| Some((self.are_right(&snapshot::xor(xored, bytes))?, base)));
        errors.min().filter(|(error, _)| found.is_none_or(|found| *error < found)).map(|(_, base)| base)
    }

    /// The acknowledged snapshots that are young enough.
    fn bases(&self) -> impl Iterator<Item = (u16, &[u8])> {
        let young = |base: &&u16| age(self.header.sequence, **base) < BUFFERED;
        self.server.bases.iter().rev().filter(young).filter_map(|&base| {
            let packet = self.server.packet(base)?;
            Some((base, packet.snapshot.as_deref()?))
        })
    }

    /// Judges a snapshot; its bytes without XOR, where they are known.
    pub(super) fn judge_snapshot(&mut self, xored: &[u8]) -> Option<Vec<u8>> {
        self.follow_bases(xored.len());
        if self.server.forged > 0 {
            self.server.forged -= 1;
            return None;
        }
        if self.header.is_absolute() {
            self.report.saw(Point::Absolute);
            let decoded = self.decode(xored);
            if let Some(base) = self.better(xored, decoded.as_ref().ok().and_then(|snapshot| self.is_right(snapshot))) {
                self.fail(&BASE_NAMED, &DLT_02, || format!("names no base, and is made over {base}"));
                return None;
            }
            let unused = self.server.usable >= MANY_BASES && self.server.first_base.is_none();
            if unused {
                self.fail(&DIFFERENCES, &DLT_11, || format!("follows {MANY_BASES} others that could have had a base"));
            }
            self.bodies(decoded, xored.len(), false);
            return Some(xored.to_vec());
        }
        let (bytes, base_length) = self.over_base_named(xored)?;
        self.report.saw(Point::Delta);
        let delta_sequence = self.header.delta_sequence;
        let decoded = self.decode(&bytes);
        let found = decoded.as_ref().ok().and_then(|snapshot| self.is_right(snapshot));
        if let Some(other) = self.better(xored, found).filter(|other| *other != delta_sequence) {
            self.fail(&BASE_NAMED, &DLT_02, || format!("has base {delta_sequence}, and is made over {other}"));
            return None;
        }
        if !self.server.bases.contains(&delta_sequence) {
            let bogus = self.server.bogus.contains(&delta_sequence);
            let suspect = if bogus { &ACK_07 } else { &DLT_03 };
            self.fail(&BASE_ACKED, suspect, || format!("has base {delta_sequence}, which is not acknowledged"));
        }
        let old = age(self.header.sequence, delta_sequence);
        if old >= BUFFERED {
            self.fail(&BASE_YOUNG, &DLT_05, || format!("has base {delta_sequence}, which is {old} packets old"));
            return None;
        }
        self.base_used(delta_sequence);
        self.report.saw_if(base_length != bytes.len(), Point::LengthsDiffer);
        self.report.saw_if(base_length > bytes.len(), Point::ShorterThanBase);
        if !self.report.has_seen(Point::DeltaAfterLoss) {
            let lost = self.server.sent.iter().rev().take(usize::from(BUFFERED)).any(|packet| packet.lost);
            self.report.saw_if(lost, Point::DeltaAfterLoss);
        }
        self.bodies(decoded, bytes.len(), true);
        Some(bytes)
    }

    /// The snapshot of a packet that is not judged, without XOR.
    pub(super) fn plain_snapshot(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut r = Reader::new(bytes);
        let header = ServerHeader::read(&mut r).ok()?;
        let mut records = Vec::new();
        message::read_server_records(&mut r, self.truth.options.declared, &mut records).ok()?;
        let Some(Stamped { what: ServerRecord::Snapshot(difference), .. }) = records.pop() else { return None };
        if header.is_absolute() {
            return Some(difference.xored);
        }
        let base = self.server.packet(header.delta_sequence)?.snapshot.as_ref()?;
        Some(snapshot::xor(&difference.xored, base))
    }

    /// What `xored` is over the snapshot that `delta_sequence` names, and how long that is.
    fn over_base_named(&mut self, xored: &[u8]) -> Option<(Vec<u8>, usize)> {
        let delta_sequence = self.header.delta_sequence;
        let packet = self.server.packet(delta_sequence);
        if let Some(base) = packet.and_then(|packet| packet.snapshot.as_ref()) {
            return Some((snapshot::xor(xored, base), base.len()));
        }
        let plain = self.are_right(xored);
        let (suspect, what) = match packet {
            Some(_) if plain.is_none() && self.better(xored, None).is_some() => (&DLT_02, "is not the one used"),
            Some(_) => (&DLT_10, "had no snapshot"),
            None if plain.is_some() => (&DLT_06, "was never sent"),
            None => (&DLT_02, "was never sent"),
        };
        self.fail(&BASE_NAMED, suspect, || format!("has packet {delta_sequence} as its base, which {what}"));
        None
    }

    /// Follows which bases are used.
    fn base_used(&mut self, base: u16) {
        let server = &mut *self.server;
        let (first, then) = *server.first_base.get_or_insert((base, server.bases_in_all));
        server.other_base |= first != base;
        self.report.saw_if(server.bases_in_all - then >= MANY_BASES, Point::ManyAcked);
    }

    /// Judges whether the bases follow the acknowledgements, up to a snapshot of `length` bytes.
    fn follow_bases(&mut self, length: usize) {
        let server = &*self.server;
        let away = server.acked.is_some_and(|acked| age(self.header.sequence, acked) >= BUFFERED);
        self.report.saw_if(away, Point::AcksAway);
        self.report.saw_if(self.truth.options.declared.bytes() > 0 && length > HEAD_BYTES, Point::Extras);
        self.report.saw_if(server.players.values().any(|lives| !lives), Point::DeadPlayer);
        let usable = self.bases().next().is_some();
        self.server.usable += u32::from(usable);
        let server = &*self.server;
        self.report.saw_if(server.usable >= MANY_BASES, Point::ManyBases);
        if let Some((first, then)) = server.first_base
            && !server.other_base
            && server.bases_in_all - then >= MANY_BASES
        {
            let what = || format!("follows others with no other base than {first}, though others are acknowledged");
            self.fail(&BASE_FOLLOWS, &ACK_05, what);
        }
    }

    /// Compares the bodies of a snapshot of this length, a delta or not, with those that are.
    fn bodies(&mut self, decoded: Result<Snapshot, DecodeError>, length: usize, delta: bool) {
        let snapshot = match decoded {
            Ok(snapshot) => snapshot,
            Err(error) => {
                let right = HEAD_BYTES + self.living().count() * (BODY_BYTES + self.truth.options.declared.bytes());
                let suspects = diagnosis::unreadable_snapshot(length, right, delta);
                self.fail(&SNAPSHOT_READABLE, suspects, || format!("has a snapshot that cannot be read: {error}"));
                return;
            }
        };
        self.time(snapshot.time);
        self.server.clock = Some((snapshot.time, self.now));
        if snapshot.bodies.iter().map(|body| body.id).eq(self.living()) {
            snapshot.bodies.iter().for_each(|body| self.body(body, delta));
            return;
        }
        let living: Vec<u8> = self.living().collect();
        for &id in &living {
            match snapshot.body(id) {
                None => self.fail(&LIVING, &SNAP_03, || format!("lacks the body of player {id}")),
                Some(body) => self.body(body, delta),
            }
        }
        let truth = self.truth;
        let known = snapshot.bodies.iter().filter(|body| !truth.is_unsure(body.id));
        for body in known.filter(|body| !living.contains(&body.id)) {
            self.fail(&LIVING, &SNAP_04, || format!("has a body of player {}, who is dead", body.id));
        }
    }

    /// Compares the body of somebody who lives.
    fn body(&mut self, body: &Body, delta: bool) {
        let Body { id, base, .. } = body;
        let truth = self.truth;
        show_body(self.report, base);
        if base.inputstate & !INPUTSTATE_BITS != 0 {
            self.fail(&SPARE_BITS, &BASE_03, || format!("has inputstate {:#04x} of player {id}", base.inputstate));
        }
        let known = truth.known && !truth.is_unsure(*id);
        let Some(player) = truth.world.live.get((*id).into()).filter(|_| known) else { return };
        let masked = base.masked();
        if !self.is_true(body, &masked) {
            let right = player.body(*id);
            self.fail(&BODIES, diagnosis::wrong_body(&right.base, &masked, delta), || {
                format!("has {base:?} and {} ammo of player {id}, expected {right:?}", body.ammo)
            });
            return;
        }
        let Some(found) = body.class else { return };
        let (all, right) = (player.class_fields(), player.class_fields().of_class(player.0[CLASS]));
        self.report.saw_if(right != ClassFields::default() && right != all, Point::ClassFields);
        if found != right {
            let suspects = diagnosis::wrong_class_fields(&right, &found);
            self.fail(&CLASS_FIELDS, suspects, || format!("has {found:?} of player {id}, expected {right:?}"));
        }
    }
}

/// What a body shows of the coverage points.
fn show_body(report: &mut Report, base: &Base) {
    report.saw(Point::Body);
    report.saw_if(base.hspeed < 0 || base.vspeed < 0, Point::NegativeSpeed);
    if !report.has_seen(Point::LargeNumber) {
        report.saw_if(bytes_differ(base), Point::LargeNumber);
    }
    if !report.has_seen(Point::Keys) {
        report.saw_if(mirrored(base.inputstate) != base.inputstate, Point::Keys);
    }
}
