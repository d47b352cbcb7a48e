//! Checks a scenario against the registry: names, numbers, and what must fit together.

use super::diagnostic::{Diagnostic, suggest};
use super::file::File;
use super::place::Place;
use super::plain::Text;
use super::short::{Duration, Number, Range};
use kit::table::float_bits;
use kit::{Field, HostId, Profile, Protocol, Requirement, Time, Unit};
use sim::FATE_MODEL;
use std::sync::Arc;

/// The highest entity number: what the widest form of the protocols can carry.
pub const MAX_ENTITY: u32 = 4_194_303;

/// At most this many clients.
pub const MAX_CLIENTS: u16 = 8;

/// A run lasts at most a day of virtual time.
pub const MAX_DURATION_US: u64 = 24 * 3600 * 1_000_000;

/// A matrix makes at most this many variants.
pub const MAX_VARIANTS: usize = 256;

/// One checker for one file: the places of mistakes, and the names that it may use.
pub(super) struct Checker<'a> {
    pub source: Text<'a>,
    pub file: &'a File,
    pub protocol: &'static Protocol,
    /// The scenario is for live sessions, whose clients come and go.
    pub is_live: bool,
}

/// What the head of a file names.
pub(super) struct Head {
    pub profiles: Vec<&'static Profile>,
    pub requirements: Vec<&'static Requirement>,
    /// The requirement that the run must find violated.
    pub finding: Option<&'static Requirement>,
    /// Each variant's name and options.
    pub variants: Vec<(String, Vec<i64>)>,
    /// One text per text of the protocol.
    pub texts: Vec<Arc<str>>,
}

/// Finds the protocol of a file's profiles.
pub(super) fn protocol(
    protocols: &[&'static Protocol],
    source: &Text<'_>,
    file: &File,
) -> Result<(&'static Protocol, Vec<&'static Profile>), Diagnostic> {
    let at = Place::default().key("profiles");
    let fail = |at: &Place<'_>, label: &str, message: String| source.fail(at, label, message);
    let mut found: Vec<(&'static Protocol, &'static Profile)> = Vec::new();
    for (index, name) in file.profiles.iter().enumerate() {
        let at = at.index(index);
        let known =
            protocols.iter().flat_map(|protocol| protocol.profiles.iter().map(move |profile| (*protocol, profile)));
        let Some((protocol, profile)) = known.clone().find(|(_, profile)| profile.name == name) else {
            let names: Vec<&str> = known.map(|(_, profile)| profile.name).collect();
            return Err(fail(&at, "no such profile", format!("unknown profile `{name}`")).help(suggest(
                name,
                &names,
                "the profiles are",
            )));
        };
        if found.iter().any(|(_, other)| other.name == profile.name) {
            return Err(fail(&at, "again", format!("duplicate profile `{name}`")));
        }
        if let Some((first, other)) = found.first().filter(|(first, _)| first.name != protocol.name) {
            let message = format!(
                "`{name}` is a profile of {}, `{}` one of {}: a scenario has one protocol",
                protocol.name, other.name, first.name
            );
            return Err(fail(&at, "another protocol", message));
        }
        found.push((protocol, profile));
    }
    match found.first() {
        Some((protocol, _)) => Ok((protocol, found.iter().map(|(_, profile)| *profile).collect())),
        None => Err(fail(&at, "empty", String::from("a scenario needs at least one profile"))),
    }
}

impl<'a> Checker<'a> {
    /// A mistake at `at`.
    pub fn fail(&self, at: &Place<'_>, label: &str, message: impl Into<String>) -> Diagnostic {
        self.source.fail(at, label, message)
    }

    /// The end of the run.
    pub fn end(&self) -> Time {
        self.file.duration.time()
    }

    /// From here on the world stands still.
    pub fn still(&self) -> Time {
        Time(self.file.duration.0.saturating_sub(self.file.settle.0))
    }

    /// Checks everything that concerns the file as a whole. One that is `about` requirements has to name some.
    pub fn head(&self, profiles: Vec<&'static Profile>, about: bool) -> Result<Head, Diagnostic> {
        let (top, file) = (Place::default(), self.file);
        for (key, text) in [("title", &file.title), ("why", &file.why)] {
            if text.trim().is_empty() {
                return Err(self.fail(&top.key(key), "empty", format!("`{key}` says nothing")));
            }
            // They are printed on terminals, which take such characters for commands.
            let control = text.chars().find(|letter| letter.is_control() && *letter != '\n');
            if let Some(letter) = control {
                let message = format!("`{key}` has the control character {letter:?} in it");
                return Err(self.fail(&top.key(key), "not printable", message));
            }
        }
        if file.fate_model != FATE_MODEL {
            let message = format!("fate model {} is not known; this program has {FATE_MODEL}", file.fate_model);
            return Err(self.fail(&top.key("fate_model"), "no such model", message));
        }
        if !(1..=MAX_CLIENTS).contains(&file.clients) {
            let message = format!("{} clients; a scenario has 1 to {MAX_CLIENTS}", file.clients);
            return Err(self.fail(&top.key("clients"), "out of range", message));
        }
        let duration = &file.duration;
        if duration.0 == 0 || duration.0 > MAX_DURATION_US {
            let message = format!("a duration of {duration}; a run lasts more than 0s and at most a day");
            return Err(self.fail(&top.key("duration"), "out of range", message));
        }
        if file.settle >= *duration {
            let message = format!("`settle` is {} of a run of {duration}", file.settle);
            return Err(self
                .fail(&top.key("settle"), "too long", message)
                .help(String::from("`settle` is the last part of `duration`, in which nothing changes any more")));
        }
        let at = top.key("requirements");
        if about && file.requirements.is_empty() {
            let message = "a scenario that covers no requirement proves nothing";
            return Err(self
                .fail(&at, "empty", message)
                .help(String::from("list the ids of the requirements that it is about")));
        }
        let mut requirements: Vec<&'static Requirement> = Vec::new();
        for (index, id) in file.requirements.iter().enumerate() {
            let requirement = self.requirement(&at.index(index), id)?;
            if requirements.iter().any(|other| other.id == requirement.id) {
                return Err(self.fail(&at.index(index), "again", format!("duplicate requirement `{id}`")));
            }
            requirements.push(requirement);
        }
        let finding = match &file.expect.finding {
            Some(id) => Some(self.requirement(&top.key("expect").key("finding"), id)?),
            None => None,
        };
        Ok(Head { profiles, requirements, finding, variants: self.variants()?, texts: self.texts()? })
    }

    fn variants(&self) -> Result<Vec<(String, Vec<i64>)>, Diagnostic> {
        let top = Place::default();
        let mut options: Vec<i64> = self.protocol.options.iter().map(|option| option.default).collect();
        for (name, int) in &self.file.options {
            let option = self.option(&top.key("options").name(name), name)?;
            options[option] = self.option_value(&top.key("options").key(name), option, int.value)?;
        }
        let mut variants = vec![(String::new(), options)];
        let mut varied = Vec::new();
        for (index, axis) in self.file.matrix.iter().enumerate() {
            let at = top.key("matrix").index(index);
            let option = self.option(&at.key("option"), &axis.option)?;
            if self.file.options.contains_key(&axis.option) || varied.contains(&option) {
                let message = format!("the option `{}` has got its value elsewhere", axis.option);
                return Err(self
                    .fail(&at.key("option"), "again", message)
                    .help(String::from("give an option once: under `options`, or in one entry of `matrix`")));
            }
            varied.push(option);
            let at = at.key("values");
            if axis.values.is_empty() {
                return Err(self.fail(&at, "empty", "no values to take in turn"));
            }
            for (place, int) in axis.values.iter().enumerate() {
                if axis.values[..place].iter().any(|other| other.value == int.value) {
                    return Err(self.fail(&at.index(place), "again", format!("duplicate value {int}")));
                }
                self.option_value(&at.index(place), option, int.value)?;
            }
            if variants.len() * axis.values.len() > MAX_VARIANTS {
                return Err(self.fail(&at, "here", format!("the matrix makes more than {MAX_VARIANTS} variants")));
            }
            variants = variants
                .iter()
                .flat_map(|(name, options)| axis.values.iter().map(move |int| (name, options, int)))
                .map(|(name, options, int)| {
                    let comma = if name.is_empty() { "" } else { "," };
                    let mut options = options.clone();
                    options[option] = int.value;
                    (format!("{name}{comma}{}={int}", axis.option), options)
                })
                .collect();
        }
        Ok(variants)
    }

    fn texts(&self) -> Result<Vec<Arc<str>>, Diagnostic> {
        let known = self.protocol.texts;
        let mut texts: Vec<Arc<str>> = known.iter().map(|text| Arc::from(text.default)).collect();
        let names: Vec<&str> = known.iter().map(|text| text.name).collect();
        let top = Place::default();
        for (name, text) in &self.file.texts {
            let index = self.index(&top.key("texts").name(name), name, &names, "text")?;
            if let Err(what) = (known[index].check)(text) {
                let message = format!("the text `{name}`: {what}");
                return Err(self
                    .fail(&top.key("texts").key(name), "this text", message)
                    .help(String::from(known[index].help)));
            }
            texts[index] = Arc::from(text.as_str());
        }
        Ok(texts)
    }

    fn option(&self, at: &Place<'_>, name: &str) -> Result<usize, Diagnostic> {
        let names: Vec<&str> = self.protocol.options.iter().map(|option| option.name).collect();
        self.index(at, name, &names, "option")
    }

    fn option_value(&self, at: &Place<'_>, option: usize, value: i64) -> Result<i64, Diagnostic> {
        let info = &self.protocol.options[option];
        let fail = |message| self.fail(at, "out of range", message).help(format!("{}: {}", info.name, info.help));
        info.check(value).map(|()| value).map_err(fail)
    }

    fn requirement(&self, at: &Place<'_>, id: &str) -> Result<&'static Requirement, Diagnostic> {
        let names: Vec<&str> = self.protocol.requirements.iter().map(|requirement| requirement.id).collect();
        let index = match names.iter().position(|name| *name == id) {
            Some(index) => index,
            None => {
                // The whole catalogue would be no advice; its families are.
                let family =
                    |id: &str| id.rsplit_once('-').map_or(String::from(id), |(family, _)| String::from(family));
                let kin: Vec<&str> = names.iter().filter(|name| family(name) == family(id)).copied().collect();
                let known = if kin.is_empty() { &names } else { &kin };
                let known = if known.len() > 30 { &known[..30] } else { known };
                let message = format!("no requirement `{id}` in the catalogue of {}", self.protocol.name);
                return Err(self.fail(at, "no such requirement", message).help(suggest(
                    id,
                    known,
                    "the catalogue has",
                )));
            }
        };
        Ok(self.protocol.requirements[index])
    }

    /// The index of a name among `names`.
    pub fn index(&self, at: &Place<'_>, name: &str, names: &[&str], thing: &str) -> Result<usize, Diagnostic> {
        names.iter().position(|known| *known == name).ok_or_else(|| {
            let message = format!("{} has no {thing} `{name}`", self.protocol.name);
            self.fail(at, &format!("no such {thing}"), message).help(suggest(name, names, &format!("the {thing}s are")))
        })
    }

    /// The field called `name`; `at` is the place of the name. Where keys share a mapping with fields, `also` has them
    /// for the advice.
    pub fn field(&self, at: &Place<'_>, name: &str, also: &[&str]) -> Result<(usize, &'static Field), Diagnostic> {
        let fields: &'static [Field] = self.protocol.fields;
        let found = fields.iter().enumerate().find(|(_, field)| field.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = fields.iter().map(|field| field.name).chain(also.iter().copied()).collect();
            let message = format!("{} has no field `{name}`", self.protocol.name);
            self.fail(at, "no such field", message).help(suggest(name, &names, "the names here are"))
        })
    }

    /// A field's value as a command carries it.
    pub fn value(&self, at: &Place<'_>, field: &Field, number: Number) -> Result<i32, Diagnostic> {
        match (field.unit, number) {
            (Unit::Float, number) => {
                let value = number.as_f64() as f32;
                if value.is_finite() {
                    Ok(float_bits(value))
                } else {
                    Err(self.fail(at, "out of range", format!("`{}` has no room for {number}", field.name)))
                }
            }
            (Unit::Int(low, high), Number::Int(value)) if (low..=high).contains(&value) => Ok(value as i32),
            (Unit::Int(low, high), Number::Int(value)) => {
                let message = format!("{value} is out of the range of `{}`, {low} to {high}", field.name);
                Err(self.fail(at, "out of range", message))
            }
            (Unit::Int(low, high), Number::Float(value)) => {
                let message = format!("`{}` is an integer from {low} to {high}, not the fraction {value}", field.name);
                Err(self.fail(at, "not an integer", message))
            }
        }
    }

    /// The entities of an `entity` or an `entities` key, of which exactly one must be there, in the mapping at `at`.
    pub fn entities(&self, at: &Place<'_>, entity: Option<u32>, entities: Option<Range>) -> Result<Range, Diagnostic> {
        let (key, range) = match (entity, entities) {
            (Some(entity), None) => ("entity", Range { first: entity, last: entity }),
            (None, Some(range)) => ("entities", range),
            (None, None) => {
                return Err(self
                    .fail(at, "here", format!("{at} says not which entities"))
                    .help(String::from("give `entity: 5` or `entities: 5..9`")));
            }
            (Some(_), Some(_)) => {
                return Err(self
                    .fail(&at.name("entities"), "one too many", "both `entity` and `entities` are given")
                    .help(String::from("keep one of the two")));
            }
        };
        self.range(&at.key(key), range)
    }

    /// A range of entity numbers.
    pub fn range(&self, at: &Place<'_>, range: Range) -> Result<Range, Diagnostic> {
        if range.last > MAX_ENTITY {
            let message = format!("entity {} is beyond the highest number, {MAX_ENTITY}", range.last);
            Err(self.fail(at, "out of range", message))
        } else {
            Ok(range)
        }
    }

    /// A client's number.
    pub fn client(&self, at: &Place<'_>, client: u16) -> Result<HostId, Diagnostic> {
        let clients = self.file.clients;
        if (1..=clients).contains(&client) {
            Ok(HostId(client))
        } else {
            let message = match clients {
                1 => format!("there is no client {client}; this scenario has client 1 alone"),
                _ => format!("there is no client {client}; this scenario has clients 1 to {clients}"),
            };
            Err(self.fail(at, "no such client", message).help(String::from("`clients:` says how many there are")))
        }
    }

    /// A host of the run.
    pub fn host(&self, at: &Place<'_>, host: HostId) -> Result<HostId, Diagnostic> {
        match host {
            HostId::SERVER => Ok(host),
            HostId(client) => self.client(at, client),
        }
    }

    /// Mark and number of a `carries` with its `entity` or `number`, in the mapping at `at`.
    pub fn carries(
        &self,
        at: &Place<'_>,
        carries: Option<&str>,
        entity: Option<u32>,
        number: Option<u32>,
    ) -> Result<Option<sim::Carries>, Diagnostic> {
        if entity.is_some() && number.is_some() {
            return Err(self
                .fail(&at.name("number"), "one too many", "both `entity` and `number` are given")
                .help(String::from("a datagram's content concerns one number: keep one of the two")));
        }
        let Some(name) = carries else {
            return match entity.map(|_| "entity").or(number.map(|_| "number")) {
                Some(key) => Err(self
                    .fail(&at.name(key), "here", format!("`{key}` without `carries`"))
                    .help(format!("say with `carries` what concerns it: `{}`", self.protocol.marks.join("`, `")))),
                None => Ok(None),
            };
        };
        let kind = self.index(&at.key("carries"), name, self.protocol.marks, "mark")?;
        if let Some(entity) = entity {
            self.range(&at.key("entity"), Range { first: entity, last: entity })?;
        }
        Ok(Some(sim::Carries { kind, number: entity.or(number) }))
    }

    /// Two moments in their order, both within the run. `at` is the mapping that holds `from` and `until`.
    pub fn interval(&self, at: &Place<'_>, from: Time, until: Time, key: &'static str) -> Result<(), Diagnostic> {
        if from >= self.end() {
            let message =
                format!("`from` is {}, after the end of the run, {}", Duration::from(from), self.file.duration);
            return Err(self.fail(&at.key("from"), "too late", message));
        }
        if from >= until {
            let message = format!(
                "it begins at {} and ends at {}: nothing is between",
                Duration::from(from),
                Duration::from(until)
            );
            return Err(self
                .fail(&at.key(key), "here", message)
                .help(String::from("the first moment must be before the second")));
        }
        Ok(())
    }

    /// Beginning and end of an outage or a pause, the mapping at `at`.
    pub fn while_lasting(
        &self,
        at: &Place<'_>,
        thing: &str,
        (from, length, until): (Duration, Option<Duration>, Option<Duration>),
    ) -> Result<(Time, Time), Diagnostic> {
        let from = from.time();
        let (key, until) = match (length, until) {
            (Some(length), None) => ("for", from.after(length.0)),
            (None, Some(until)) => ("until", until.time()),
            (Some(_), Some(_)) => {
                return Err(self
                    .fail(&at.name("until"), "one too many", "both `for` and `until` are given")
                    .help(String::from("keep one of the two")));
            }
            (None, None) => {
                return Err(self
                    .fail(at, "here", format!("the {thing} has no end"))
                    .help(String::from("say `for: 3s`, or `until: 5s`")));
            }
        };
        self.interval(at, from, until, key)?;
        if self.file.settle.0 > 0 && until > self.still() {
            let message = format!(
                "the {thing} lasts until {}, but the run settles from {}",
                Duration::from(until),
                Duration::from(self.still())
            );
            return Err(self
                .fail(&at.key(key), "too long", message)
                .help(String::from("nothing settles while nothing gets through")));
        }
        Ok((from, until))
    }

    /// The one action of a step among `given` (name, whether it is there).
    pub fn single(
        &self,
        at: &Place<'_>,
        thing: &str,
        given: &[(&'static str, bool)],
    ) -> Result<&'static str, Diagnostic> {
        let mut there = given.iter().filter(|(_, there)| *there).map(|(name, _)| *name);
        let names: Vec<&str> = given.iter().map(|(name, _)| *name).collect();
        match (there.next(), there.next()) {
            (Some(name), None) => Ok(name),
            (None, _) => Err(self
                .fail(at, "here", format!("{at} has no {thing}"))
                .help(format!("give exactly one of `{}`", names.join("`, `")))),
            (Some(first), Some(second)) => {
                let message = format!("{at} has more than one {thing}: `{first}` and `{second}`");
                Err(self
                    .fail(&at.name(second), "one too many", message)
                    .help(format!("make two entries of it: one {thing} each")))
            }
        }
    }
}
