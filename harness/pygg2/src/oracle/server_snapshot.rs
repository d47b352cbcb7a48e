//! The snapshots of a server: which base, which bytes, and whether they say what is.

use super::coverage::{Point, Report};
use super::link::Link;
use super::truth::Truth;
use crate::constants::*;
use crate::message::{Difference, Input, ServerHeader};
use crate::requirements::*;
use crate::serial::age;
use crate::snapshot::{self, BODY_BYTES, Body, ClassFields, Declared, HEAD_BYTES, Snapshot};
use crate::state::*;
use kit::{HostId, Requirement, Time};

/// After so many acknowledged snapshots a server that uses deltas has used a second base.
const MANY_BASES: u32 = 64;

/// A snapshot, looked at.
pub struct Sight<'a> {
    /// The client and all that is known of it.
    pub link: &'a mut Link,
    /// What is.
    pub truth: &'a Truth,
    /// Where findings go.
    pub report: &'a mut Report,
    /// When the packet was sent.
    pub now: Time,
    /// Its header.
    pub header: ServerHeader,
}

impl Sight<'_> {
    fn find(&mut self, requirement: &'static Requirement, what: impl FnOnce() -> String) {
        let (sequence, host) = (self.header.sequence, self.link.host);
        self.report.find(requirement, self.now, HostId::SERVER, || format!("packet {sequence} to {host}: {}", what()));
    }

    /// The living, as they are.
    fn living(&self) -> Vec<Body> {
        let living = self.truth.world.live.iter().filter(|(_, player)| player.is(ALIVE));
        living.map(|(id, player)| player.body(id as u8)).collect()
    }

    /// Whether `bytes` are a snapshot of what is; and by how many milliseconds its time differs from what it should be, by
    /// the snapshot before.
    fn is_right(&self, bytes: &[u8]) -> Option<u32> {
        let mut snapshot = Snapshot::decode(bytes, self.truth.options.declared).ok()?;
        snapshot.bodies.sort_by_key(|body| body.id);
        snapshot.bodies.iter_mut().for_each(strip);
        let due = |(time, at): (u32, Time)| time.wrapping_add((self.now.since(at) / 1000) as u32);
        let error = self.link.clock.map_or(0, |clock| snapshot.time.abs_diff(due(clock)));
        (snapshot.bodies == self.living()).then_some(error)
    }

    /// The acknowledged base that makes better sense of the bytes than `found` does.
    fn better(&self, xored: &[u8], found: Option<u32>) -> Option<u16> {
        if found == Some(0) {
            return None;
        }
        let errors =
            self.bases().filter_map(|(base, bytes)| Some((self.is_right(&snapshot::xor(xored, bytes))?, base)));
        errors.min().filter(|(error, _)| found.is_none_or(|found| *error < found)).map(|(_, base)| base)
    }

    /// Judges a snapshot; its bytes without XOR, where they are known.
    pub fn judge(mut self, difference: &Difference) -> Option<Vec<u8>> {
        let xored = &difference.xored;
        let ServerHeader { sequence, delta_sequence, .. } = self.header;
        self.see(xored.len());
        if self.link.forged > 0 {
            self.link.forged -= 1;
            return None;
        }
        if self.header.is_absolute() {
            self.report.saw(Point::Absolute);
            if let Some(base) = self.better(xored, self.is_right(xored)) {
                self.find(&DLT_02, || format!("names no base, and is made over {base}"));
                return None;
            }
            self.bodies(xored, None);
            return Some(xored.clone());
        }
        let plain = self.is_right(xored);
        let named = self.link.packet(delta_sequence).map(|packet| packet.snapshot.clone());
        let base = match named {
            Some(Some(base)) => base,
            Some(None)
                if plain.is_none()
                    && let Some(other) = self.better(xored, None) =>
            {
                self.find(&DLT_02, || format!("has packet {delta_sequence} as its base, and is made over {other}"));
                return None;
            }
            Some(None) => {
                self.find(&DLT_10, || format!("has packet {delta_sequence} as its base, which had no snapshot"));
                return None;
            }
            None => {
                let requirement = if plain.is_some() { &DLT_06 } else { &DLT_02 };
                self.find(requirement, || format!("has packet {delta_sequence} as its base, which was never sent"));
                return None;
            }
        };
        self.report.saw(Point::Delta);
        let bytes = snapshot::xor(xored, &base);
        let right = self.is_right(&bytes);
        if let Some(other) = self.better(xored, right).filter(|other| *other != delta_sequence) {
            self.find(&DLT_02, || format!("has packet {delta_sequence} as its base, and is made over {other}"));
            return None;
        }
        let acknowledged = self.link.bases.contains(&delta_sequence);
        if !acknowledged {
            let bogus = self.link.bogus.contains(&delta_sequence);
            let requirement = if bogus { &ACK_07 } else { &DLT_03 };
            self.find(requirement, || format!("has packet {delta_sequence} as its base, which is not acknowledged"));
        }
        let old = age(sequence, delta_sequence);
        if old >= BUFFERED {
            self.find(&DLT_05, || format!("has packet {delta_sequence} as its base, which is {old} packets old"));
            return None;
        }
        self.choose(delta_sequence);
        self.report.saw_if(base.len() != bytes.len(), Point::LengthsDiffer);
        self.report.saw_if(base.len() > bytes.len(), Point::ShorterThanBase);
        let lost = self.link.sent.iter().rev().take(usize::from(BUFFERED)).any(|packet| packet.lost);
        self.report.saw_if(lost, Point::DeltaAfterLoss);
        if right.is_none() && self.is_right(&added(xored, &base)).is_some() {
            self.find(&DLT_01, || format!("is a difference that is not XOR over packet {delta_sequence}"));
            return Some(added(xored, &base));
        }
        self.bodies(&bytes, Some(&base));
        Some(bytes)
    }

    /// The acknowledged snapshots that are young enough.
    fn bases(&self) -> impl Iterator<Item = (u16, &[u8])> {
        let young = |base: &&u16| age(self.header.sequence, **base) < BUFFERED;
        self.link.bases.iter().rev().filter(young).filter_map(|&base| {
            let packet = self.link.packet(base)?;
            Some((base, packet.snapshot.as_deref()?))
        })
    }

    /// Follows which bases are used.
    fn choose(&mut self, base: u16) {
        let link = &mut *self.link;
        match link.first_base {
            None => (link.first_base, link.bases_then) = (Some(base), link.bases_in_all),
            Some(first) => link.other_bases |= first != base,
        }
        let since = link.bases_in_all - link.bases_then;
        self.report.saw_if(since >= MANY_BASES, Point::ManyAcked);
    }

    /// Notes what there is to see.
    fn see(&mut self, length: usize) {
        let link = &*self.link;
        let away = link.acked.is_some_and(|acked| age(self.header.sequence, acked) >= BUFFERED);
        self.report.saw_if(away, Point::AcksAway);
        let declared = self.truth.options.declared;
        self.report.saw_if(declared.bytes() > 0 && length > snapshot::HEAD_BYTES, Point::Extras);
        if link.first_base.is_some() && !link.other_bases && link.bases_in_all - link.bases_then >= MANY_BASES {
            let first = link.first_base.unwrap_or_default();
            self.find(&ACK_05, || format!("has used no other base than {first}, though others were acknowledged"));
        }
        for (_, player) in self.truth.world.live.iter() {
            let report = &mut *self.report;
            report.saw_if(!player.is(ALIVE), Point::DeadPlayer);
            if player.is(ALIVE) {
                let base = player.base();
                report.saw(Point::Body);
                report.saw_if(base.hspeed < 0 || base.vspeed < 0, Point::NegativeSpeed);
                report.saw_if(base.swapped() != base, Point::LargeNumber);
                report.saw_if(reversed(base.inputstate) != base.inputstate, Point::Keys);
                let (all, own) = (player.class_fields(), player.class_fields().of_class(player.0[CLASS]));
                let both = declared.class_fields && own != ClassFields::default() && own != all;
                report.saw_if(both, Point::ClassFields);
            }
        }
    }

    /// Compares the bodies of a snapshot with those that are.
    fn bodies(&mut self, bytes: &[u8], base: Option<&[u8]>) {
        let snapshot = match Snapshot::decode(bytes, self.truth.options.declared) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                let cut = base.is_some_and(|base| base.len() == bytes.len());
                let requirement = match () {
                    () if self.undeclared(bytes) => &CLS_02,
                    () if cut => &DLT_08,
                    () => &SNAP_03,
                };
                self.find(requirement, || format!("a snapshot that cannot be read: {error}"));
                return;
            }
        };
        self.link.clock = Some((snapshot.time, self.now));
        let living = self.living();
        for right in &living {
            match snapshot.body(right.id) {
                None => self.find(&SNAP_03, || format!("lacks the body of player {}", right.id)),
                Some(body) => self.body(right, body),
            }
        }
        for body in snapshot.bodies.iter().filter(|body| living.iter().all(|right| right.id != body.id)) {
            self.find(&SNAP_04, || format!("has a body of player {}, who does not live", body.id));
        }
    }

    /// Whether `bytes` are right but for how many stand behind each body.
    fn undeclared(&self, bytes: &[u8]) -> bool {
        let living = self.living();
        let each = bytes.len().saturating_sub(HEAD_BYTES).checked_div(living.len()).unwrap_or_default();
        let Some(extras) = each.checked_sub(BODY_BYTES) else { return false };
        let Ok(mut snapshot) = Snapshot::decode(bytes, Declared { class_fields: false, extras }) else { return false };
        snapshot.bodies.sort_by_key(|body| body.id);
        snapshot.bodies.iter_mut().for_each(strip);
        snapshot.bodies == living
    }

    /// Compares class fields.
    fn class(&mut self, body: &Body) {
        let Some(player) = self.truth.world.live.get(body.id.into()) else { return };
        let right = player.class_fields().of_class(player.0[CLASS]);
        let Some(found) = body.class.filter(|found| *found != right) else { return };
        let turned = ClassFields { ubercharge: right.ubercharge.swap_bytes(), ..right };
        let requirement = if found == turned { &TYPE_02 } else { &CLS_02 };
        let id = body.id;
        self.find(requirement, || format!("has {found:?} of player {id}, where {right:?} is right"));
    }

    fn body(&mut self, right: &Body, body: &Body) {
        let (wanted, found) = (right.base, body.base);
        if found.inputstate & !INPUTSTATE_BITS != 0 {
            self.find(&BASE_03, || format!("has inputstate {:#04x} of player {}", found.inputstate, body.id));
        }
        let mut same = Body { base: found.masked(), ..body.clone() };
        strip(&mut same);
        if same == *right {
            self.class(body);
            return;
        }
        let turned = found.hspeed.to_be_bytes();
        let moved = [[turned[1], found.vspeed.to_be_bytes()[0]], [found.vspeed.to_be_bytes()[1], found.hp]];
        let shifted = turned[0] == wanted.hp && moved.map(i16::from_be_bytes) == [wanted.hspeed, wanted.vspeed];
        let late =
            self.link.late_inputs.contains(&Input { inputstate: found.inputstate, aimdirection: found.aimdirection });
        let requirement = if shifted {
            &BASE_01
        } else if late && u16::from(body.id) == self.link.host.0 {
            &SEQ_03
        } else if reversed(wanted.inputstate) == found.inputstate && wanted.inputstate != found.inputstate {
            &BASE_02
        } else if one_swapped(&wanted, &found) {
            &TYPE_02
        } else if (wanted.hspeed, wanted.vspeed) != (found.hspeed, found.vspeed)
            && (wanted.hspeed < 0 || wanted.vspeed < 0)
        {
            &BASE_04
        } else {
            &SNAP_03
        };
        self.find(requirement, || {
            format!("has {found:?} and {} ammo of player {}, where {right:?} is right", body.ammo, body.id)
        });
    }
}

/// Takes from a body what is declared to stand behind it.
fn strip(body: &mut Body) {
    body.class = None;
    body.extras.clear();
}

/// Whether at least one number has its bytes the wrong way round, and the others are right.
fn one_swapped(wanted: &snapshot::Base, found: &snapshot::Base) -> bool {
    let turned = wanted.swapped();
    let each = [
        (wanted.aimdirection.into(), turned.aimdirection.into(), u32::from(found.aimdirection)),
        (wanted.x, turned.x, found.x),
        (wanted.y, turned.y, found.y),
        (wanted.hspeed as u16 as u32, turned.hspeed as u16 as u32, found.hspeed as u16 as u32),
        (wanted.vspeed as u16 as u32, turned.vspeed as u16 as u32, found.vspeed as u16 as u32),
    ];
    wanted != found
        && each.iter().all(|(wanted, turned, found)| found == wanted || found == turned)
        && (wanted.inputstate, wanted.hp) == (found.inputstate, found.hp)
}

/// The five keys, from the other end.
pub fn reversed(inputstate: u8) -> u8 {
    (inputstate & INPUTSTATE_BITS).reverse_bits() >> 3
}

/// `bytes` and the base, added byte by byte.
fn added(bytes: &[u8], base: &[u8]) -> Vec<u8> {
    let base = base.iter().copied().chain(std::iter::repeat(0));
    bytes.iter().zip(base).map(|(byte, base)| byte.wrapping_add(base)).collect()
}
