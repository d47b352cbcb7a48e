//! What a server announces of a map before the game: baselines, static entities and static sounds, against the world.

use super::updates::FARTHEST;
use super::{FromServer, Next};
use crate::constants::MAX_ENTITY;
use crate::oracle::coverage::{Point, means};
use crate::oracle::diagnosis::{self, misreadings};
use crate::oracle::failure::{Failure, failure};
use crate::oracle::grammar::{FIRST_NEW_SERVICE, Grammar, service_end};
use crate::oracle::layout::*;
use crate::oracle::look::{Look, Rounding, apart};
use crate::oracle::truth::{Codes, Truth, WantedStaticSound};
use crate::requirements::*;
use crate::state::*;
use kit::{Check, Requirement};

kit::checks! {
    from means;
    /// Every message of protocol 666 can be read to its end, and is sent over protocol 666 alone.
    pub NEW_MESSAGES_CAN_BE_READ = "new-messages-can-be-read": BASE_02 STAT_01 STAT_02 DEF_04 VER_01 VER_04;
    /// Baselines are those of the world, in the form that they need.
    pub BASELINES_TELL_THE_WORLD = "baselines-tell-the-world" knows World: BASE_01 BASE_02 BASE_03 BASE_04 BASE_05
        ALPHA_01 ALPHA_02 ALPHA_06 ALPHA_07 VER_04 DEF_04;
    /// Static entities are those of the world, in the form that they need.
    pub STATICS_TELL_THE_WORLD = "statics-tell-the-world" knows World: STAT_01 BASE_02 BASE_03 BASE_04 BASE_05
        ALPHA_01 ALPHA_02 ALPHA_06 ALPHA_07 VER_04 DEF_04;
    /// Static sounds are those of the world, in the form that they need.
    pub STATIC_SOUNDS_TELL_THE_WORLD = "static-sounds-tell-the-world" knows World: STAT_02 VER_04 DEF_04;
}

/// What the world says of a message of the sign-on.
struct Compared {
    /// What is wrong.
    failure: Option<Failure>,
    /// Which static entity or static sound it is.
    place: Option<usize>,
}

/// The check of messages of this kind.
fn check_of(kind: Kind) -> &'static Check {
    match kind {
        Kind::Static | Kind::Static2 => &STATICS_TELL_THE_WORLD,
        Kind::StaticSound | Kind::StaticSound2 => &STATIC_SOUNDS_TELL_THE_WORLD,
        _ => &BASELINES_TELL_THE_WORLD,
    }
}

impl<'a> FromServer<'a> {
    /// Judges the baseline, static entity or static sound that begins at `at`.
    pub(super) fn sign(&mut self, bytes: &[u8], at: usize, svc: u8) -> Next {
        let extended = self.sent.extended();
        let of_666 = netquake::fitzquake::service_name(svc);
        if let Some(name) = of_666.filter(|_| !extended) {
            let what = || format!("{name} ({svc}) is sent, though protocol 15 was announced");
            self.fail(&NEW_MESSAGES_CAN_BE_READ, &VER_01, what);
            return Next::Unknown;
        }
        if of_666.is_none() && svc >= FIRST_NEW_SERVICE && !extended {
            return self.stray(bytes, at, svc);
        }
        let Some(kind) = Kind::of(svc) else {
            let end = service_end(bytes, at, svc, extended);
            return end.map_or_else(|| self.stray(bytes, at, svc), Next::At);
        };
        if let Some(raw) = self.led_astray(kind, bytes, at) {
            self.announced(kind, &raw);
            return Next::At(raw.end);
        }
        let raw = kind.read(bytes, at).filter(|raw| raw.bits & !kind.known(extended) == 0);
        let compared = raw.and_then(|raw| self.compared(kind, &raw, Rounding::Any));
        let reads = |at: usize| Grammar::new(extended).reads(bytes, at);
        let wrong = match (&raw, &compared) {
            (None, _) => true,
            (Some(_), Some(compared)) => compared.failure.is_some(),
            (Some(raw), None) => kind.is_new() && self.truth.is_some() && !reads(raw.end),
        };
        if wrong && let Some(raw) = self.explained_sign(kind, bytes, at) {
            self.announced(kind, &raw);
            return Next::At(raw.end);
        }
        let Some(raw) = raw else {
            let what = || format!("message {svc} ends early, or has undefined flags");
            self.fail(&NEW_MESSAGES_CAN_BE_READ, diagnosis::unreadable_sign(kind), what);
            return Next::Unknown;
        };
        self.sign_by_the_wire(kind, &raw);
        self.announced(kind, &raw);
        if let Some(compared) = compared {
            self.take(kind, compared.place);
            if let Some(Failure { check, suspects, what }) = compared.failure {
                let stray = kind.is_new() && !reads(raw.end);
                self.fail(check, suspects.or_if(stray, &DEF_04), || what);
            }
        }
        Next::At(raw.end)
    }

    /// Whether another layout explains a message that is not right; the message, read so.
    fn explained_sign(&mut self, kind: Kind, bytes: &[u8], at: usize) -> Option<Raw> {
        let extended = self.sent.extended();
        let compared = |raw: &Raw| self.compared(kind, raw, Rounding::Nearest).filter(|found| found.failure.is_none());
        let explained = misreadings::explain(kind, bytes, at, extended, &|raw| compared(raw).is_some())?;
        let place = compared(&explained.raw).and_then(|compared| compared.place);
        self.take(kind, place);
        self.fail(check_of(kind), explained.suspects, || format!("a message of kind {kind:?} {}", explained.what));
        Some(explained.raw)
    }

    /// A static entity or a static sound of the world was announced.
    fn take(&mut self, kind: Kind, place: Option<usize>) {
        let sound = matches!(kind, Kind::StaticSound | Kind::StaticSound2);
        let announced = &mut self.sent.announced;
        if sound { &mut announced.sounds } else { &mut announced.statics }.extend(place);
    }

    /// The baselines are done: static entities that can be seen, and static sounds, were announced.
    pub(super) fn all_is_announced(&mut self) {
        let Some(truth) = self.truth.filter(|_| self.current) else { return };
        let extended = self.sent.extended();
        let announced = &self.sent.announced;
        let fits = |number: u32| extended || number <= 0xff;
        let sound = |place: &usize| {
            fits(truth.static_sounds.get(*place).map_or(0, |wanted| wanted.sound)) && !announced.sounds.contains(place)
        };
        let fixed = |place: &usize| {
            // What protocol 15 has no room for need not be shown in another form.
            let seen = |fixed: &Entity| {
                !Codes::of(fixed.float(ALPHA)).has(1) && fits(fixed[MODEL] as u32) && fits(fixed[FRAME] as u32)
            };
            let seen = truth.world.statics.get(*place).is_some_and(seen);
            seen && !announced.statics.contains(place)
        };
        let sound = (0..truth.static_sounds.len()).find(sound);
        let fixed = (0..truth.world.statics.len()).find(fixed);
        if let Some(place) = sound {
            let wanted = truth.static_sounds.get(place).map_or(0, |wanted| wanted.sound);
            let row = if wanted > 0xff { &STAT_02 } else { &VER_04 };
            self.fail(&STATIC_SOUNDS_TELL_THE_WORLD, row, || format!("static sound {wanted} is not announced"));
        }
        let announced =
            |number: u32, base: &Entity| base[MODEL] == 0 || !fits(base[MODEL] as u32) || self.sent.bases.has(number);
        let mut bases = truth.world.baselines.iter();
        let seats = self.seats();
        let base = bases.find(|(number, base)| (seats + 1..=MAX_ENTITY).contains(number) && !announced(*number, base));
        if let Some((number, _)) = base {
            self.fail(&BASELINES_TELL_THE_WORLD, &VER_04, || {
                format!("the baseline of entity {number} is not announced")
            });
        }
        if fixed.is_some() {
            self.fail(&STATICS_TELL_THE_WORLD, &VER_04, || String::from("a static entity is not announced"));
        }
    }

    fn announced(&mut self, kind: Kind, raw: &Raw) {
        self.sign_is_read(kind, raw);
        if matches!(kind, Kind::Baseline | Kind::Baseline2) {
            self.sent.bases.insert(raw.value(Part::Entity), Look::of(raw));
            self.sent.right.forget();
        }
    }

    /// Compares a message with the world; `None` if nothing is known of what it announces.
    fn compared(&self, kind: Kind, raw: &Raw, rounding: Rounding) -> Option<Compared> {
        let truth = self.truth.filter(|_| self.current)?;
        let player = |entity: u32| entity <= self.seats();
        if matches!(kind, Kind::Baseline | Kind::Baseline2) {
            let entity = raw.value(Part::Entity);
            let baseline = truth.world.baselines.get(entity)?;
            let failure = self.contradicts(kind, raw, baseline, player(entity), rounding);
            return Some(Compared { failure, place: None });
        }
        let sound = matches!(kind, Kind::StaticSound | Kind::StaticSound2);
        let (announced, count) = match sound {
            true => (&self.sent.announced.sounds, truth.static_sounds.len()),
            false => (&self.sent.announced.statics, truth.world.statics.len()),
        };
        let failure = |place: usize| match sound {
            true => self.sound_contradicts(raw, truth.static_sounds.get(place)?, kind.is_new()),
            false => self.contradicts(kind, raw, truth.world.statics.get(place)?, false, rounding),
        };
        // The first of those that are still to come which it agrees with; else it is taken for the first of all.
        let places: Vec<usize> = (0..count).filter(|place| !announced.contains(place)).collect();
        let Some(&first) = places.first() else {
            let failure = crate::oracle::failure::failure(
                check_of(kind),
                &VER_04,
                String::from("a static entity or sound that is not in the world, or once more than it is there"),
            );
            return Some(Compared { failure, place: None });
        };
        let right = places.iter().copied().find(|&place| failure(place).is_none());
        Some(Compared { failure: if right.is_some() { None } else { failure(first) }, place: right.or(Some(first)) })
    }

    /// The first part, in the order of the wire, in which a baseline or static entity is not as `truth` has it.
    fn contradicts(&self, kind: Kind, raw: &Raw, truth: &Entity, player: bool, rounding: Rounding) -> Option<Failure> {
        let extended = self.sent.extended();
        let fixed = matches!(kind, Kind::Static | Kind::Static2);
        let wrong = |row: &'static Requirement, what: String| failure(check_of(kind), row, what);
        let look = Look::of(raw);
        let misused = if fixed { &STAT_01 } else { &BASE_01 };
        let name = if fixed { "static entity" } else { "baseline" };
        if self.remote && !fixed && look.model == 0 && truth[MODEL] == 0 {
            // An engine makes no baseline of what has no model, and announces an empty one once it has.
            return None;
        }
        let codes = Codes::of(truth.float(ALPHA));
        let opaque = codes.has(0) || player;
        for (field, seen, row) in [(MODEL, look.model, &BASE_03), (FRAME, look.frame, &BASE_04)] {
            let right = truth[field] as u32;
            // Which model players have is the server's choice; and protocol 15 has a byte for a number.
            let unknown = player && field == MODEL || !extended && right > 0xff;
            if seen != right && !unknown {
                let row = match kind.is_new() {
                    true => row,
                    false if right > 0xff => misused,
                    false => &VER_04,
                };
                let field = FIELD_TABLE[field].name;
                return wrong(row, format!("{name}: {field} {seen}, should be {right}"));
            }
        }
        let slot = player && raw.has(Part::Entity) && look.colormap == raw.value(Part::Entity);
        // What a baseline is made of beside its model, frame, skin and place is an engine's choice, and no update is the worse for it.
        let slot = slot || self.remote && look.colormap == 0;
        for (field, seen, right) in [(COLORMAP, look.colormap, slot), (SKIN, look.skin, false)] {
            if seen != truth[field] as u32 & 0xff && !right {
                let field = FIELD_TABLE[field].name;
                return wrong(&VER_04, format!("{name}: {field} {seen}"));
            }
        }
        for axis in 0..3 {
            let right = f64::from(truth.float(ORIGIN_X + axis));
            if right.abs() <= FARTHEST && (look.coord(axis) - right).abs() > rounding.coord() {
                let what = format!("{name}: origin {} on axis {axis}, should be {right}", look.coord(axis));
                return wrong(&VER_04, what);
            }
            let right = f64::from(truth.float(PITCH + axis));
            if apart(look.angle(axis), right) > rounding.angle() {
                let what = format!("{name}: angle {} on axis {axis}, should be {right}", look.angle(axis));
                return wrong(&VER_04, what);
            }
        }
        if !extended || codes.has(look.alpha) || (player || self.remote) && look.alpha == 0 {
            return None;
        }
        let row = diagnosis::alpha_announced(kind, raw, truth.float(ALPHA), opaque, self.options.progs_alpha);
        failure(check_of(kind), row, format!("{name}: alpha has code {}, should have {}", look.alpha, codes.0))
    }

    fn sound_contradicts(&self, raw: &Raw, wanted: &WantedStaticSound, wide: bool) -> Option<Failure> {
        let wrong = |row: &'static Requirement, what: String| failure(&STATIC_SOUNDS_TELL_THE_WORLD, row, what);
        for (axis, part) in ORIGINS.into_iter().enumerate() {
            let (seen, right) = (f64::from(raw.coord(part)) / 8.0, f64::from(wanted.origin[axis]));
            if right.abs() <= FARTHEST && (seen - right).abs() > Rounding::Any.coord() {
                return wrong(&VER_04, format!("static sound: {part:?} {seen}, should be {right}"));
            }
        }
        let (sound, right) = (raw.value(Part::Sound), wanted.sound);
        if sound != right && (self.sent.extended() || right <= 0xff) {
            let row = if wide || right > 0xff { &STAT_02 } else { &VER_04 };
            return wrong(row, format!("static sound: number {sound}, should be {right}"));
        }
        let row = if wide { &STAT_02 } else { &VER_04 };
        for (part, right) in [(Part::Volume, wanted.volume), (Part::Attenuation, wanted.attenuation)] {
            let seen = raw.value(part);
            if seen != right & 0xff {
                return wrong(row, format!("static sound: {part:?} {seen}, should be {right}"));
            }
        }
        None
    }

    /// What a message of the sign-on shows.
    fn sign_is_read(&mut self, kind: Kind, raw: &Raw) {
        let mapped = |truth: &Truth| {
            truth.world.baselines.get(raw.value(Part::Entity)).is_some_and(|base| base.float(ALPHA) != 0.0)
        };
        let of_map = kind == Kind::Baseline2 && !self.options.progs_alpha && self.truth.is_some_and(mapped);
        let bits = if self.current { raw.bits } else { 0 };
        let seen = [
            (kind == Kind::Baseline2, Point::WideBaseline),
            (bits & B_LARGEMODEL != 0, Point::LargeModelBaseline),
            (bits & B_LARGEFRAME != 0, Point::LargeFrameBaseline),
            (bits & B_ALPHA != 0, Point::AlphaBaseline),
            (kind == Kind::Static2, Point::WideStatic),
            (kind == Kind::StaticSound2, Point::WideStaticSound),
            (of_map, Point::AlphaOfTheMap),
        ];
        seen.into_iter().for_each(|(seen, point)| self.report.saw_if(seen, point));
    }
}
