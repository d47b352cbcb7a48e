//! Moments as lines of JSON. `docs/recordings.md` has the schema.

use super::moment::{Entities, Entity, Happening, Moment, Value};
use kit::{Field, Scene, StatValue, Unit};
use std::io::{self, Write};
use std::ops::Range;

/// What of a moment is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Show {
    /// This entity alone.
    pub entity: Option<u32>,
    /// What is not as it was a moment before, instead of all that is held.
    pub changes: bool,
}

/// Writes moments.
#[derive(Default)]
pub struct Lines {
    line: Vec<u8>,
    /// The entities of the moment as text, and memory for those of the next.
    texts: Texts,
    next: Texts,
    /// The statistics and the player of the moment before.
    stats: Vec<Stat>,
    stats_version: Option<u64>,
    stats_text: Vec<u8>,
    owners: Vec<Owner>,
    player: Vec<(&'static str, StatValue)>,
    part: Option<u16>,
}

/// The statistics of one player, and their text.
struct Owner {
    player: Option<u8>,
    stats: Vec<Stat>,
    text: Vec<u8>,
}

/// Entities as text, one after the other, each with a comma behind it: those that stay as they are are copied together.
#[derive(Default)]
struct Texts {
    /// Their numbers, ascending.
    numbers: Vec<u32>,
    /// Where the text of each ends.
    ends: Vec<usize>,
    text: Vec<u8>,
}

impl Texts {
    fn clear(&mut self) {
        self.numbers.clear();
        self.ends.clear();
        self.text.clear();
    }

    /// Where the text of the entity at this index stands.
    fn range(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        start..self.ends.get(index).copied().unwrap_or(start)
    }

    fn copy(&mut self, text: &[u8], run: &mut Range<usize>) {
        self.text.extend_from_slice(text.get(run.clone()).unwrap_or_default());
        *run = 0..0;
    }
}

impl Lines {
    /// Writes a moment as `show` has it; nothing where it has nothing to show. What is not held by default has its own value in
    /// each part.
    ///
    /// # Errors
    /// `out` takes no more.
    pub fn moment(&mut self, moment: &Moment, scene: &dyn Scene, show: Show, out: &mut dyn Write) -> io::Result<()> {
        let begins = self.part.replace(moment.part) != Some(moment.part);
        if begins {
            self.stats.clear();
            self.stats_version = None;
            self.owners.clear();
            self.player.clear();
        }
        self.refresh(&moment.entities, scene, begins);
        let one = show.entity.and_then(|number| self.place(number));
        let gone = show.entity.is_some() && one.is_none();
        let happened = |it: &&Happening| show.entity.is_none_or(|number| is_about(it, number));
        if gone && !moment.happened.iter().any(|it| happened(&it)) {
            return Ok(());
        }
        self.line.clear();
        self.head(moment);
        self.entities(moment, show, one, out)?;
        if show.entity.is_none() {
            self.stats(moment, scene, show.changes);
        }
        let line = &mut self.line;
        line.extend_from_slice(b",\"events\":[");
        let mut first = true;
        for it in moment.happened.iter().filter(happened) {
            comma(line, &mut first);
            happening(line, it);
        }
        line.push(b']');
        if !moment.unread.is_empty() {
            line.extend_from_slice(b",\"unread\":[");
            let mut first = true;
            for unread in &moment.unread {
                comma(line, &mut first);
                let _ = write!(line, "{{\"byte\":{},\"bytes\":{},\"error\":", unread.place, unread.bytes);
                text(line, unread.error.to_string().as_bytes());
                line.push(b'}');
            }
            line.push(b']');
        }
        line.extend_from_slice(b"}\n");
        out.write_all(line)
    }

    fn place(&self, number: u32) -> Option<usize> {
        self.texts.numbers.binary_search(&number).ok()
    }

    /// Writes the texts of entities anew that changed.
    fn refresh(&mut self, entities: &Entities, scene: &dyn Scene, all: bool) {
        let (fields, defaults) = (scene.fields(), scene.default_entity());
        let Lines { texts, next, .. } = self;
        next.clear();
        // What of the texts before is to be copied, as soon as something else comes.
        let (mut run, mut at) = (0..0, 0);
        for it in entities.iter() {
            while texts.numbers.get(at).is_some_and(|number| *number < it.number) {
                at += 1;
            }
            next.numbers.push(it.number);
            if texts.numbers.get(at) == Some(&it.number) && !it.changed && !all {
                let text = texts.range(at);
                if run.end != text.start {
                    next.copy(&texts.text, &mut run);
                    run.start = text.start;
                }
                run.end = text.end;
            } else {
                next.copy(&texts.text, &mut run);
                entity(&mut next.text, &it, fields, defaults);
                next.text.push(b',');
            }
            next.ends.push(next.text.len() + run.len());
        }
        next.copy(&texts.text, &mut run);
        std::mem::swap(texts, next);
    }

    fn head(&mut self, moment: &Moment) {
        let Moment { number, part, time, messages: (first, last), place, .. } = moment;
        let line = &mut self.line;
        let _ = write!(line, "{{\"frame\":{number},\"part\":{part},\"time_us\":{}", time.us());
        if let Some(frame) = moment.server_frame {
            let _ = write!(line, ",\"server_frame\":{frame}");
        }
        let _ = write!(line, ",\"messages\":[{first},{last}],\"byte\":{place}");
        if moment.is_incomplete {
            line.extend_from_slice(b",\"incomplete\":true");
        }
    }

    fn entities(&mut self, moment: &Moment, show: Show, one: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let Lines { line, texts, .. } = self;
        line.extend_from_slice(b",\"entities\":{");
        if show == Show::default() {
            // Most of a line, which is not copied twice.
            out.write_all(line)?;
            line.clear();
            out.write_all(texts.text.strip_suffix(b",").unwrap_or_default())?;
            line.push(b'}');
            return Ok(());
        }
        let start = line.len();
        for place in 0..texts.numbers.len() {
            let changed = || moment.entities.is_changed(place);
            if show.entity.is_none_or(|_| one == Some(place)) && (!show.changes || changed()) {
                line.extend_from_slice(texts.text.get(texts.range(place)).unwrap_or_default());
            }
        }
        // The last has no comma behind it.
        line.truncate(line.len() - usize::from(line.len() > start));
        line.push(b'}');
        if show.changes && !moment.gone.is_empty() {
            let _ = write!(line, ",\"gone\":{:?}", moment.gone);
        }
        Ok(())
    }

    fn stats(&mut self, moment: &Moment, scene: &dyn Scene, changes: bool) {
        let Lines { line, stats, stats_version, player, stats_text, owners, .. } = self;
        if stats_version.replace(moment.stats_version) != Some(moment.stats_version) {
            stats_text.clear();
            if changes {
                statistics(stats_text, &moment.stats, stats, scene);
                stats.clone_from(&moment.stats);
            } else {
                all_statistics(stats_text, &moment.stats, owners, scene);
            }
        } else if changes {
            stats_text.clear();
            stats_text.extend_from_slice(b",\"stats\":{}");
        }
        line.extend_from_slice(stats_text);
        let mut fresh = moment.player.iter().filter(|it| !changes || !player.contains(it)).peekable();
        if fresh.peek().is_some() {
            line.extend_from_slice(b",\"player\":{");
            let mut first = true;
            for (name, value) in fresh {
                comma(line, &mut first);
                self::name(line, |line| line.extend_from_slice(name.as_bytes()));
                self::value(line, *value);
            }
            line.push(b'}');
        }
        if changes {
            player.clone_from(&moment.player);
        }
    }
}

/// Whose a statistic is in the recording of a server, its number, and its value.
type Stat = (Option<u8>, u8, StatValue);

/// Statistics that are not known: those of the one who recorded, then those of each player.
fn statistics(line: &mut Vec<u8>, stats: &[Stat], known: &[Stat], scene: &dyn Scene) {
    // Both are in the order of owners and numbers.
    let is_known = |it: &Stat| {
        let place = known.binary_search_by_key(&(it.0, it.1), |held| (held.0, held.1));
        place.is_ok_and(|place| known.get(place) == Some(it))
    };
    let fresh = |it: &&Stat| !is_known(it);
    line.extend_from_slice(b",\"stats\":{");
    let mut first = true;
    for (_, stat, value) in stats.iter().filter(|(player, ..)| player.is_none()).filter(fresh) {
        comma(line, &mut first);
        stat_value(line, scene, *stat, *value);
    }
    line.push(b'}');
    let mut owner = None;
    for (player, stat, value) in stats.iter().filter(|(player, ..)| player.is_some()).filter(fresh) {
        line.extend_from_slice(match owner {
            None => b",\"players\":{",
            Some(before) if before == *player => b",",
            Some(_) => b"},",
        });
        if owner != Some(*player) {
            let _ = write!(line, "\"{}\":{{", player.unwrap_or_default());
        }
        owner = Some(*player);
        stat_value(line, scene, *stat, *value);
    }
    if owner.is_some() {
        line.extend_from_slice(b"}}");
    }
}

/// All statistics, as [`statistics`] has them: the texts of players of whom nothing changed are there already.
fn all_statistics(line: &mut Vec<u8>, stats: &[Stat], owners: &mut Vec<Owner>, scene: &dyn Scene) {
    line.extend_from_slice(b",\"stats\":{");
    let mut is_own_open = true;
    for of_one in stats.chunk_by(|a, b| a.0 == b.0) {
        let player = of_one.first().and_then(|it| it.0);
        let place = owners.binary_search_by_key(&player, |owner| owner.player).unwrap_or_else(|place| {
            owners.insert(place, Owner { player, stats: Vec::new(), text: Vec::new() });
            place
        });
        let Some(owner) = owners.get_mut(place) else { continue };
        if owner.stats != of_one {
            owner.stats.clear();
            owner.stats.extend_from_slice(of_one);
            owner.text.clear();
            let mut first = true;
            for (_, stat, value) in of_one {
                comma(&mut owner.text, &mut first);
                stat_value(&mut owner.text, scene, *stat, *value);
            }
        }
        if player.is_none() {
            line.extend_from_slice(&owner.text);
            continue;
        }
        match std::mem::replace(&mut is_own_open, false) {
            true => line.extend_from_slice(b"},\"players\":{"),
            false => line.push(b','),
        }
        name(line, |line| int(line, player.unwrap_or_default().into()));
        line.push(b'{');
        line.extend_from_slice(&owner.text);
        line.push(b'}');
    }
    line.push(b'}');
}

/// The fields that entities have by default, as one entity has its own.
pub fn defaults(scene: &dyn Scene) -> String {
    let (mut line, mut first) = (b"{".to_vec(), true);
    for (field, value) in scene.fields().iter().zip(scene.default_entity()) {
        comma(&mut line, &mut first);
        let _ = write!(line, "\"{}\":", field.name);
        field_value(&mut line, field, *value);
    }
    line.push(b'}');
    String::from_utf8_lossy(&line).into_owned()
}

/// Whether something that happened names this entity.
fn is_about(happening: &Happening, number: u32) -> bool {
    happening.values.iter().any(|(name, values)| {
        let entity = match (*name, values.first()) {
            ("entity", Some(Value::Int(value))) => Some(*value),
            // Both are in one number: the channel has three bits.
            ("entity and channel", Some(Value::Int(value))) => Some(value >> 3 & 0x1fff),
            _ => None,
        };
        entity == Some(i64::from(number))
    })
}

fn comma(line: &mut Vec<u8>, first: &mut bool) {
    if !std::mem::replace(first, false) {
        line.push(b',');
    }
}

/// An entity by its number: the fields that are not as those of one of which nothing was said.
fn entity(line: &mut Vec<u8>, it: &Entity<'_>, fields: &[Field], defaults: &[i32]) {
    name(line, |line| int(line, it.number.into()));
    line.push(b'{');
    let mut first = true;
    for ((field, value), default) in fields.iter().zip(it.fields).zip(defaults) {
        if value != default {
            comma(line, &mut first);
            name(line, |line| line.extend_from_slice(field.name.as_bytes()));
            field_value(line, field, *value);
        }
    }
    line.push(b'}');
}

fn field_value(line: &mut Vec<u8>, field: &Field, bits: i32) {
    match field.unit {
        Unit::Float => float(line, kit::table::float_value(bits)),
        Unit::Int(least, _) if least >= 0 => int(line, u64::from(bits as u32)),
        Unit::Int(..) => signed(line, bits.into()),
    }
}

fn stat_value(line: &mut Vec<u8>, scene: &dyn Scene, stat: u8, value: StatValue) {
    name(line, |line| match scene.stat_name(stat) {
        Some(name) => line.extend_from_slice(name.as_bytes()),
        None => int(line, stat.into()),
    });
    self::value(line, value);
}

fn value(line: &mut Vec<u8>, value: StatValue) {
    match value {
        StatValue::Int(value) => signed(line, value.into()),
        StatValue::Float(value) => float(line, value),
    }
}

/// The name of a member, and what stands between it and its value.
fn name(line: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    line.push(b'"');
    write(line);
    line.extend_from_slice(b"\":");
}

/// A number, in a third of the time that formatting takes.
fn int(line: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return line.extend_from_slice(&digits[at..]);
        }
    }
}

fn signed(line: &mut Vec<u8>, value: i64) {
    if value < 0 {
        line.push(b'-');
    }
    int(line, value.unsigned_abs());
}

/// JSON has no word for what is no number. Eighths, as most places are on the wire, are written in a third of the time.
fn float(line: &mut Vec<u8>, value: f32) {
    if !eighths(line, value.into()) {
        let _ = serde_json::to_writer(line, &value);
    }
}

/// Writes a value that is so many eighths, and not too great; whether it was.
fn eighths(line: &mut Vec<u8>, value: f64) -> bool {
    const EIGHTHS: [&[u8]; 8] = [b".0", b".125", b".25", b".375", b".5", b".625", b".75", b".875"];
    let eighths = value.abs() * 8.0;
    // What is no number or too great becomes another one.
    let whole = eighths as u32;
    if whole >= 800_000 || f64::from(whole) != eighths {
        return false;
    }
    if value.is_sign_negative() {
        line.push(b'-');
    }
    int(line, (whole / 8).into());
    line.extend_from_slice(EIGHTHS[whole as usize % 8]);
    true
}

fn happening(line: &mut Vec<u8>, it: &Happening) {
    let _ = write!(line, "{{\"event\":\"{}\",\"byte\":{}", it.name, it.place);
    let to = it.to.to_string();
    if !to.is_empty() {
        let _ = write!(line, ",\"to\":\"{}\"", to.trim_start_matches("to "));
    }
    for (name, values) in &it.values {
        let _ = write!(line, ",\"{name}\":");
        match values.as_slice() {
            [one] => said(line, one),
            several => {
                line.push(b'[');
                let mut first = true;
                for one in several {
                    comma(line, &mut first);
                    said(line, one);
                }
                line.push(b']');
            }
        }
    }
    line.push(b'}');
}

fn said(line: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Int(value) => signed(line, *value),
        Value::Float(value) => float(line, *value),
        Value::Fraction(value) => {
            if !eighths(line, *value) {
                drop(serde_json::to_writer(line, value));
            }
        }
        Value::Text(bytes) => text(line, bytes),
        Value::Bytes(bytes) => {
            line.push(b'"');
            bytes.iter().for_each(|byte| drop(write!(line, "{byte:02x}")));
            line.push(b'"');
        }
    }
}

/// Text as it is, or byte by byte where it is no UTF-8: games colour letters by their highest bit.
fn text(line: &mut Vec<u8>, bytes: &[u8]) {
    let _ = match std::str::from_utf8(bytes) {
        Ok(text) => serde_json::to_writer(line, text),
        Err(_) => serde_json::to_writer(line, &bytes.iter().map(|byte| char::from(*byte)).collect::<String>()),
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn floats_are_written_as_json_has_them() {
        let near = (0..100_000_u32).map(|it| it as f32 / 8.0 - 6_000.0);
        let odd =
            [0.0, -0.0, 0.1, 99_999.875, 100_000.0, -1e9, 1e-9, f32::MIN_POSITIVE, f32::MAX, f32::NAN, f32::INFINITY];
        for value in near.chain(odd).flat_map(|it| [it, -it, it + 0.01]) {
            let mut written = Vec::new();
            super::float(&mut written, value);
            assert_eq!(String::from_utf8(written).ok(), serde_json::to_string(&value).ok(), "{value}");
            let (mut written, value) = (Vec::new(), f64::from(value));
            super::said(&mut written, &super::Value::Fraction(value));
            assert_eq!(String::from_utf8(written).ok(), serde_json::to_string(&value).ok(), "{value}");
        }
    }
}
