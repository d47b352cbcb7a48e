//! What is said beside frames: static entities, views, sounds, and entities of the game's own code.
//!
//! The scenario says what the server is to say, and clients note what they make of it; a client that notes nothing is
//! not judged.

use super::book::Book;
use super::client_held::DeliveryEar;
use super::coverage::{Point, Report};
use super::field::ALL;
use super::server_sent::ServerEar;
use crate::constants::*;
use crate::dialect::{Dialect, Transport};
use crate::notes;
use crate::requirements::*;
use crate::state::{Entity, FIELDS};
use kit::{Requirement, Time, View};
use std::collections::VecDeque;

/// What is remembered of a kind; more is not followed.
const REMEMBERED: usize = 64;
/// The first regular entity number that has two codings.
const BIG_NUMBER: u32 = 0x8000;

/// What is said beside frames in one session.
#[derive(Debug, Default)]
pub struct Asides {
    /// Views that the scenario asked for and the server has not announced.
    views: VecDeque<u32>,
    /// Entities of the game's own code that it is to call gone.
    gone: VecDeque<u32>,
    /// Static entities announced in this map.
    statics_sent: usize,
    /// Those that the map had when it began; whether a later one is announced depends on the sign-on's progress.
    statics_due: usize,
    /// Delivered, and not yet noted by the client.
    heard_views: VecDeque<u32>,
    heard_gone: VecDeque<u32>,
    heard_sounds: VecDeque<u32>,
    /// Static entities delivered in this map.
    heard_statics: Vec<Entity>,
    /// There are new ones: the client must be looked at.
    look_statics: bool,
    /// The player is in the game, as delivered.
    playing: bool,
    /// The client has noted something: it is one that does.
    notes: bool,
}

impl Asides {
    /// A map with so many static entities begins, as sent.
    pub fn begin_map(&mut self, statics: usize) {
        self.views.clear();
        self.gone.clear();
        self.statics_sent = 0;
        self.statics_due = statics;
    }

    /// A map begins, as delivered.
    pub fn map_heard(&mut self) {
        self.heard_views.clear();
        self.heard_gone.clear();
        self.heard_sounds.clear();
        self.heard_statics.clear();
        self.look_statics = false;
        self.playing = false;
    }

    /// The scenario tells the server to let the client look through an entity's eyes.
    pub fn view_asked(&mut self, entity: u32) {
        push(&mut self.views, entity);
    }

    /// The scenario tells the server that an entity of the game's own code is gone.
    pub fn gone_asked(&mut self, entity: u32) {
        push(&mut self.gone, entity);
    }

    /// The player enters the game, as delivered.
    pub fn begin_playing(&mut self) {
        self.playing = true;
    }
}

fn push(queue: &mut VecDeque<u32>, number: u32) {
    if queue.len() < REMEMBERED {
        queue.push_back(number);
    }
}

/// What a wrong announcement breaks: services 21 and 66 have a form of their own under PEXT_SPAWNSTATIC2, which
/// replacement deltas overrule.
pub fn announcement(dialect: &Dialect, service: u8) -> &'static Requirement {
    match service {
        _ if dialect.extensions.fte1 & PEXT_SPAWNSTATIC2 != 0 => &SVC_10,
        SVC_SPAWNSTATIC2 => &SVC_05,
        _ => &SVC_06,
    }
}

/// Whether extensions are on that replacement deltas make obsolete, beside that of [`announcement`].
pub fn obsolete(dialect: &Dialect) -> bool {
    dialect.deltas() && dialect.extensions.fte1 & PEXT_OBSOLETE & !PEXT_SPAWNSTATIC2 != 0
}

/// Which duty a wrong regular entity number breaks.
fn numbering(dialect: &Dialect) -> &'static Requirement {
    if dialect.deltas() { &ENT_03 } else { &ENT_04 }
}

/// Takes `number` and what is before it out of what was asked for. What was asked for instead, if it was not this.
fn answered(queue: &mut VecDeque<u32>, number: u32) -> Option<u32> {
    match queue.iter().position(|&asked| asked == number) {
        Some(index) => {
            queue.drain(..=index);
            None
        }
        None => queue.pop_front(),
    }
}

impl ServerEar<'_> {
    /// The server lets the client look through an entity's eyes.
    pub fn view_sent(&mut self, entity: u32) {
        let dialect = self.book.dialect;
        let own = u32::from(self.book.host.0);
        let big = self.book.asides.views.front().is_some_and(|&asked| asked >= BIG_NUMBER);
        self.report.saw_if(big && !dialect.deltas(), Point::BigNumberPlain);
        if entity != own
            && let Some(asked) = answered(&mut self.book.asides.views, entity)
        {
            self.find(numbering(&dialect), |_| format!("the view is that of entity {entity}; it should be {asked}"));
        }
    }

    /// The server plays a sound.
    pub fn sound_sent(&mut self, sound: u16) {
        let narrow = self.book.dialect.protocol == netquake::constants::PROTOCOL_NETQUAKE;
        self.report.saw_if(narrow && self.book.dialect.deltas(), Point::SoundSent);
        if narrow && sound > 0xff {
            self.find(&SVC_14, |_| format!("sound {sound}; over protocol 15 there are 256"));
        }
    }

    /// The server calls an entity of the game's own code gone.
    pub fn csqc_gone_sent(&mut self, number: u32) {
        self.report.saw(Point::CsqcGoneSent);
        if let Some(asked) = answered(&mut self.book.asides.gone, number) {
            self.find(&SVC_09, |_| format!("CSQC entity {number} is called gone; it should be {asked}"));
        }
    }

    /// The server announces a static entity.
    pub fn static_sent(&mut self, state: &Entity) {
        self.book.asides.statics_sent += 1;
        if !self.book.judges_truth() {
            return;
        }
        let known = self.world.statics.iter().any(|truth| self.book.grain.differing(ALL, state, truth) == 0);
        if !known {
            let requirement = announcement(&self.book.dialect, SVC_SPAWNSTATIC2);
            self.find(requirement, |_| String::from("a static entity is announced that is none of the map's"));
        }
    }

    /// The first frame of a map is sent: by now all static entities of its beginning were announced.
    pub fn check_statics(&mut self) {
        let (sent, due) = (self.book.asides.statics_sent, self.book.asides.statics_due);
        let most = self.world.statics.len();
        // A QuakeWorld packet that was lost takes its reliable part along, which is sent again, and counted again.
        let repeats = self.book.options.transport == Transport::QuakeWorld && sent > most;
        if !repeats && self.book.judges_truth() && !(due..=most).contains(&sent) {
            let requirement = announcement(&self.book.dialect, SVC_SPAWNSTATIC2);
            self.find(requirement, |_| format!("{sent} static entities were announced; the map has {most}"));
        }
    }
}

impl DeliveryEar<'_> {
    /// The client is told through whose eyes it looks.
    pub fn view_heard(&mut self, entity: u32) {
        let asides = &mut self.book.asides;
        if asides.playing {
            push(&mut asides.heard_views, entity);
        }
    }

    /// The client is told to play a sound.
    pub fn sound_heard(&mut self, sound: u16) {
        let asides = &mut self.book.asides;
        if asides.playing {
            push(&mut asides.heard_sounds, sound.into());
        }
    }

    /// The client is told that an entity of the game's own code is gone.
    pub fn csqc_gone_heard(&mut self, number: u32) {
        let asides = &mut self.book.asides;
        if asides.playing {
            push(&mut asides.heard_gone, number);
        }
    }

    /// The client is told of a static entity.
    pub fn static_heard(&mut self, state: &Entity) {
        let asides = &mut self.book.asides;
        asides.heard_statics.push(*state);
        asides.look_statics = true;
        self.book.look = true;
    }
}

/// The client notes what it was told.
pub fn noted(book: &mut Book, report: &mut Report, now: Time, what: &str, value: i64) {
    let dialect = book.heard_dialect;
    let sound_is_short = dialect.deltas() && dialect.transport == Transport::NetQuake;
    let (queue, requirement): (_, &'static Requirement) = match what {
        notes::VIEW_CHANGED => (&mut book.asides.heard_views, numbering(&dialect)),
        notes::SOUND_PLAYED => (&mut book.asides.heard_sounds, &SVC_14),
        notes::CSQC_GONE => (&mut book.asides.heard_gone, &SVC_09),
        _ => return,
    };
    let Some(told) = queue.pop_front() else { return };
    book.asides.notes = true;
    match what {
        notes::VIEW_CHANGED => report.saw_if(told >= BIG_NUMBER && !dialect.deltas(), Point::BigNumberPlainNoted),
        notes::SOUND_PLAYED => report.saw_if(sound_is_short, Point::SoundNoted),
        _ => report.saw(Point::CsqcGoneNoted),
    }
    if value != i64::from(told) && !book.tainted {
        report.find(requirement, now, book.host, || format!("{what}: the client notes {value}; it was told {told}"));
    }
}

/// The run is over: a client that notes what it is told has noted all of it.
pub fn finish(book: &mut Book, report: &mut Report, now: Time) {
    let asides = &book.asides;
    if !asides.notes || book.tainted {
        return;
    }
    let queues: [(_, _, &'static Requirement); 3] = [
        (notes::VIEW_CHANGED, asides.heard_views.front(), numbering(&book.heard_dialect)),
        (notes::SOUND_PLAYED, asides.heard_sounds.front(), &SVC_14),
        (notes::CSQC_GONE, asides.heard_gone.front(), &SVC_09),
    ];
    for (what, told, requirement) in queues {
        if let Some(told) = told {
            report.find(requirement, now, book.host, || format!("{what}: the client does not note {told}"));
        }
    }
}

/// Looks at the client's static entities after it was told of more.
pub fn look_at_statics(book: &mut Book, report: &mut Report, now: Time, view: &View) {
    if !std::mem::take(&mut book.asides.look_statics) {
        return;
    }
    report.saw(Point::StaticCompared);
    let told = &book.asides.heard_statics;
    let shown = view.statics.chunks_exact(FIELDS);
    let same = |(shown, told): (&[i32], &Entity)| {
        let shown: Option<[i32; FIELDS]> = shown.try_into().ok();
        shown.is_some_and(|shown| book.grain.differing(ALL, &Entity(shown), told) == 0)
    };
    if shown.len() != told.len() || !shown.zip(told).all(same) {
        let (count, told) = (view.statics.len() / FIELDS, told.len());
        report.find(announcement(&book.heard_dialect, SVC_SPAWNSTATIC2), now, book.host, || {
            format!("the client shows {count} static entities, not the {told} that it was told of")
        });
    }
}
