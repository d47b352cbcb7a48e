//! Which protocol some traffic is of: the profile that reads it, over the whole recording and by a margin, or none.

use super::follow::{Follower, Heard};
use crate::capture::CaptureDatagram;
use crate::capture::stage::Stage;
use kit::{Container, Dissection, Dissector, HostId, Profile, Protocol, Setup, Vantage};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A part of a recording that is a session of its own has at least so many datagrams.
const FEWEST_OF_SESSION: usize = 4;
/// Of so many datagrams at most one may be unreadable, or it is not said that nothing was found.
pub const READABLE: usize = 100;
/// Of so many at most one in a profile that is not named, if every other reads fewer.
const READABLE_BY_ONE: usize = 10;

/// A protocol, and what is known or guessed of its profile.
#[derive(Clone, Copy)]
pub struct Choice {
    pub protocol: &'static Protocol,
    pub profile: &'static Profile,
    /// The kind of demo that is read, if it is one.
    pub demo: Option<Container>,
}

/// Why traffic cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is of no protocol, or of one that does not know what was said to be agreed.
    #[error("{0}")]
    Input(String),
    /// The harness is at fault.
    #[error("{0}")]
    Own(String),
}

impl Choice {
    /// A profile that was asked for.
    pub const fn of(protocol: &'static Protocol, profile: &'static Profile) -> Choice {
        Choice { protocol, profile, demo: None }
    }

    /// The same for these datagrams, which may be those of a demo.
    pub fn reading(self, datagrams: &[CaptureDatagram]) -> Choice {
        Choice { demo: datagrams.iter().find_map(|datagram| datagram.demo).map(|it| it.container), ..self }
    }

    /// Whether demos of the profile come in such files.
    fn records(&self, container: Container) -> bool {
        (self.protocol.demo)(self.profile).is_some_and(|demo| demo.holds(container))
    }

    /// A dissector at the start of a session, which takes these extensions for agreed.
    ///
    /// # Errors
    /// The protocol does not know them.
    pub fn dissector(&self, assume: Option<&str>) -> Result<Box<dyn Dissector>, Unreadable> {
        let mut setup = Setup::new(self.protocol, self.profile);
        if let Some(demo) = self.demo {
            setup.vantage = Vantage::of_demo(demo.of());
        }
        let mut dissector = (self.protocol.dissector)(Some(&setup));
        if let Some(extensions) = assume {
            dissector.assume(extensions).map_err(|why| Unreadable::Input(format!("--assume {extensions}: {why}")))?;
        }
        Ok(dissector)
    }
}

/// How well a profile reads some traffic.
#[derive(Clone)]
pub struct Reading {
    /// The protocol, and the profile with which it was begun.
    pub choice: Choice,
    /// The profile that the traffic shows.
    pub profile: &'static Profile,
    /// What is assumed of a session whose beginning is missing.
    pub assumed: Option<String>,
    /// Datagrams that are of a session.
    pub datagrams: usize,
    /// Those of them that cannot be read.
    pub unread: usize,
    /// Those that are read if the strange numbers in front of them are some.
    pub unlikely: usize,
    /// Those beside them that are of none.
    foreign: usize,
    /// Those that are said in a version of a neighbour, which nobody reads.
    neighbours: usize,
    /// Extensions that were found.
    extensions: usize,
    /// Other profiles that read it alike.
    pub alike: Vec<&'static str>,
    /// The next best, and how many datagrams it cannot read.
    pub next: Option<(&'static str, usize)>,
    /// Whether these are the first datagrams of more.
    pub goes_on: bool,
}

impl Reading {
    /// Whether it is good enough to be believed without being named, and all of it is in versions that are known.
    fn is_right(&self) -> bool {
        // Of a long session one number may be strange: it began before the recording, and another begins.
        let strange = self.unlikely.saturating_sub(usize::from(self.datagrams > READABLE_BY_ONE));
        self.datagrams > 0 && self.neighbours == 0 && (self.unread + strange) * READABLE <= self.datagrams
    }

    /// Whether somebody has to say which of several profiles it is.
    pub fn is_open(&self) -> bool {
        !self.alike.is_empty() && self.neighbours == 0
    }

    /// Whether it is far from good, yet better than all others: of a session in which an end is broken.
    fn is_alone(&self) -> bool {
        (self.unread + self.unlikely) * READABLE_BY_ONE <= self.datagrams && !self.is_open()
    }

    /// What counts, the best least.
    fn rank(&self) -> (usize, usize, std::cmp::Reverse<usize>) {
        (self.unread + self.unlikely + self.foreign, self.neighbours, std::cmp::Reverse(self.extensions))
    }
}

/// `fitz666, guessed: it reads all 16 datagrams; the next best, r1q2-35, all but 9`.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reading { profile, assumed, datagrams, unread, unlikely, alike, next, goes_on, .. } = self;
        let all = if *goes_on { "the first" } else { "all" };
        let of = |unread: usize| match (unread, *datagrams) {
            (0, 1) => String::from("the datagram"),
            (0, count) => format!("{all} {count} datagrams"),
            (unread, count) => format!("{} of {count} datagrams", count.saturating_sub(unread)),
        };
        write!(f, "{}, guessed: it reads {}", profile.name, of(*unread))?;
        if *unlikely > 0 {
            write!(f, ", of which {unlikely} have strange numbers")?;
        }
        if let Some(assumed) = assumed {
            write!(f, ", whose beginning is missing, if {assumed} was agreed")?;
        }
        if !alike.is_empty() {
            write!(f, "; {} read them alike, and --profile names one", alike.join(", "))?;
        } else if let Some((name, unread)) = next {
            write!(f, "; the next best, {name}, {}", of(*unread))?;
        }
        Ok(())
    }
}

/// The sessions of a recording.
pub struct Sessions {
    /// How each is read.
    pub readings: Vec<Reading>,
    /// For each datagram, the session that it belongs to.
    pub of: Vec<usize>,
}

impl Sessions {
    /// Each session with its datagrams, whose clients are numbered from 1.
    pub fn parts(self, datagrams: Vec<CaptureDatagram>) -> Vec<(Reading, Vec<CaptureDatagram>)> {
        let mut parts: Vec<(Reading, Vec<CaptureDatagram>)> =
            self.readings.into_iter().map(|reading| (reading, Vec::new())).collect();
        let mut numbers: Vec<Vec<HostId>> = vec![Vec::new(); parts.len()];
        for (mut datagram, of) in datagrams.into_iter().zip(self.of) {
            let (Some((_, part)), Some(known)) = (parts.get_mut(of), numbers.get_mut(of)) else { continue };
            // What a recording of ours says of itself has the numbers that it has.
            if datagram.stage.is_none() {
                let place = known.iter().position(|client| *client == datagram.client).unwrap_or_else(|| {
                    known.push(datagram.client);
                    known.len() - 1
                });
                datagram.client = HostId(u16::try_from(place + 1).unwrap_or(u16::MAX));
            }
            part.push(datagram);
        }
        parts
    }
}

/// The sessions of a recording of which no profile was named: one for every protocol that it has.
///
/// # Errors
/// Nothing reads it well, or `assume` is known to no protocol.
pub fn sessions(
    protocols: &[&'static Protocol],
    datagrams: &[CaptureDatagram],
    assume: Option<&str>,
) -> Result<Sessions, Unreadable> {
    let all: Vec<usize> = (0..datagrams.len()).collect();
    let guess = Guess { protocols, datagrams, copies: copies(datagrams), assume };
    let whole = guess.best(&all)?;
    if whole.is_right() {
        return Ok(Sessions { readings: vec![whole], of: vec![0; datagrams.len()] });
    }
    let mut clients: BTreeMap<HostId, Vec<usize>> = BTreeMap::new();
    for (index, datagram) in datagrams.iter().enumerate() {
        clients.entry(datagram.client).or_default().push(index);
    }
    let mut parts: Vec<Part> = Vec::new();
    for part in clients.into_values() {
        let Some(split) = guess.split(part)? else {
            let alone = || Sessions { readings: vec![whole.clone()], of: vec![0; datagrams.len()] };
            return if whole.is_alone() { Ok(alone()) } else { Err(refused(&whole, datagrams)) };
        };
        for (reading, part) in split {
            guess.join(&mut parts, reading, part)?;
        }
    }
    let mut of = vec![0; datagrams.len()];
    for (number, (_, part)) in parts.iter().enumerate() {
        part.iter().for_each(|index| of[*index] = number);
    }
    Ok(Sessions { readings: parts.into_iter().map(|(reading, _)| reading).collect(), of })
}

/// The one that reads `datagrams` best, be it well or not.
///
/// # Errors
/// None reads any of them, or `assume` is known to no protocol.
pub fn best(
    protocols: &[&'static Protocol],
    datagrams: &[CaptureDatagram],
    assume: Option<&str>,
) -> Result<Reading, Unreadable> {
    let all: Vec<usize> = (0..datagrams.len()).collect();
    Guess { protocols, datagrams, copies: copies(datagrams), assume }.best(&all)
}

/// The one that reads these datagrams of one session, be it the first of more that follow, well enough to be judged unasked.
///
/// # Errors
/// As those of [`sessions`].
pub fn good(
    protocols: &[&'static Protocol],
    datagrams: &[CaptureDatagram],
    assume: Option<&str>,
) -> Result<Reading, Unreadable> {
    let best = best(protocols, datagrams, assume)?;
    if best.is_right() || best.is_alone() { Ok(best) } else { Err(refused(&best, datagrams)) }
}

fn refused(best: &Reading, datagrams: &[CaptureDatagram]) -> Unreadable {
    let Reading { profile, datagrams: all, unread, unlikely, .. } = best;
    let first = first_unread(best.choice, best.assumed.as_deref(), datagrams).unwrap_or_default();
    let strange = if *unlikely > 0 { format!(" and {unlikely} have strange numbers") } else { String::new() };
    Unreadable::Input(format!(
        "no protocol reads this well enough to be judged unasked: the best, {}, cannot read {unread} of {all} \
         datagrams{strange}{first}; name a profile with --profile",
        profile.name
    ))
}

/// `, the first is datagram 17 (s2c): protocol at byte 9: …`
fn first_unread(choice: Choice, assume: Option<&str>, datagrams: &[CaptureDatagram]) -> Option<String> {
    let mut follower = Follower::new(choice.dissector(assume).ok()?);
    let mut out = Dissection::default();
    datagrams.iter().zip(1..).find_map(|(datagram, number)| {
        out.clear();
        follower.datagram(datagram.client, datagram.direction, &datagram.bytes, &mut out);
        let error = out.error.as_ref()?;
        Some(format!(", the first is datagram {number} ({}): {error}", datagram.direction))
    })
}

/// The datagrams that an equal one went before: a server or a network may send one twice, and a recorder on the way sees both.
fn copies(datagrams: &[CaptureDatagram]) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let copies = datagrams.iter().enumerate().filter(|(_, datagram)| {
        let delivered = matches!(datagram.stage, Some(Stage::Delivered { .. }));
        delivered || !seen.insert((datagram.client, datagram.direction.index(), &datagram.bytes[..]))
    });
    copies.map(|(index, _)| index).collect()
}

/// How a part of a recording is read, and the numbers of its datagrams.
type Part = (Reading, Vec<usize>);

/// What a guess is made of.
struct Guess<'a> {
    protocols: &'a [&'static Protocol],
    datagrams: &'a [CaptureDatagram],
    copies: BTreeSet<usize>,
    assume: Option<&'a str>,
}

impl Guess<'_> {
    fn choices(&self) -> impl Iterator<Item = Choice> {
        let profiles =
            self.protocols.iter().flat_map(|protocol| protocol.profiles.iter().map(move |it| (*protocol, it)));
        let demo = self.datagrams.iter().find_map(|datagram| datagram.demo).map(|it| it.container);
        let choices = profiles.map(move |(protocol, profile)| Choice { protocol, profile, demo });
        choices.filter(move |choice| demo.is_none_or(|demo| choice.records(demo)))
    }

    /// The best reading of the datagrams with these numbers.
    fn best(&self, part: &[usize]) -> Result<Reading, Unreadable> {
        let mut refused = None;
        let mut readings = Vec::new();
        for choice in self.choices() {
            match self.read(choice, self.assume, part) {
                Ok(reading) => readings.push(reading),
                // Another protocol may know the extension.
                Err(stop) => {
                    refused.get_or_insert(stop);
                }
            }
        }
        if self.assume.is_none() && !readings.iter().any(Reading::is_right) {
            // The beginning may be missing, in which the ends agreed upon what they speak.
            for choice in self.choices() {
                for assumed in choice.dissector(None)?.assumptions() {
                    readings.push(self.read(choice, Some(assumed), part)?);
                }
            }
        }
        let own = || Unreadable::Own(String::from("no protocol is built in"));
        let Some(best) = readings.iter().min_by_key(|reading| reading.rank()) else {
            return Err(refused.unwrap_or_else(own));
        };
        if best.unread >= best.datagrams {
            let names: Vec<&str> = self.choices().map(|choice| choice.profile.name).collect();
            let what = match best.unread {
                0 => String::from("these datagrams, which are of no session"),
                1 => String::from("the datagram"),
                all => format!("any of {all} datagrams"),
            };
            return Err(Unreadable::Input(format!(
                "no protocol can read {what}; to see how far one comes, name its profile with --profile ({})",
                names.join(", ")
            )));
        }
        let mut best = best.clone();
        let mut others: Vec<&Reading> =
            readings.iter().filter(|reading| reading.profile.name != best.profile.name).collect();
        others.sort_by_key(|reading| reading.rank());
        let rank = best.rank();
        for other in others.iter().filter(|other| other.rank() == rank) {
            if !best.alike.contains(&other.profile.name) {
                best.alike.push(other.profile.name);
            }
        }
        best.next = others.first().map(|next| (next.profile.name, next.unread + next.unlikely));
        Ok(best)
    }

    fn read(&self, choice: Choice, assume: Option<&str>, part: &[usize]) -> Result<Reading, Unreadable> {
        let all: Vec<&CaptureDatagram> = part.iter().filter_map(|index| self.datagrams.get(*index)).collect();
        let copies = part.iter().enumerate().filter(|(_, index)| self.copies.contains(index));
        let copies = copies.map(|(place, _)| place).collect();
        read(choice, assume, &all, &copies)
    }

    /// Adds a part to the session of the same protocol that reads it, too, or else as a session of its own.
    fn join(&self, parts: &mut Vec<Part>, reading: Reading, part: Vec<usize>) -> Result<(), Unreadable> {
        for (known, all) in
            parts.iter_mut().filter(|(known, _)| known.choice.protocol.name == reading.choice.protocol.name)
        {
            let mut together: Vec<usize> = all.iter().chain(&part).copied().collect();
            together.sort_unstable();
            let joined = self.read(known.choice, known.assumed.as_deref(), &together)?;
            if joined.is_right() {
                let (alike, next) = (std::mem::take(&mut known.alike), known.next);
                (*known, *all) = (Reading { alike, next, ..joined }, together);
                return Ok(());
            }
        }
        parts.push((reading, part));
        Ok(())
    }

    /// The parts of what one client and its servers said, one after the other: all in one profile, or each in another.
    /// `None` if nothing reads them.
    fn split(&self, part: Vec<usize>) -> Result<Option<Vec<Part>>, Unreadable> {
        let Ok(whole) = self.best(&part) else { return Ok(None) };
        if whole.is_right() {
            return Ok(Some(vec![(whole, part)]));
        }
        let mut longest = 0;
        for choice in self.choices() {
            longest = longest.max(self.readable(choice, &part)?);
        }
        if longest < FEWEST_OF_SESSION || part.len() - longest < FEWEST_OF_SESSION {
            return Ok(None);
        }
        let rest = part[longest..].to_vec();
        let first = self.best(&part[..longest])?;
        if !first.is_right() {
            return Ok(None);
        }
        let Some(others) = self.split(rest)? else { return Ok(None) };
        Ok(Some(std::iter::once((first, part[..longest].to_vec())).chain(others).collect()))
    }

    /// How many datagrams at the beginning of `part` are read well, up to the one from which on all are unread.
    fn readable(&self, choice: Choice, part: &[usize]) -> Result<usize, Unreadable> {
        let mut follower = Follower::new(choice.dissector(self.assume)?);
        let mut out = Dissection::default();
        let (mut unread, mut end, mut heard) = (0, 0, Vec::new());
        for (count, index) in (1..).zip(part) {
            let Some(datagram) = self.datagrams.get(*index) else { continue };
            out.clear();
            let one = follower.datagram(datagram.client, datagram.direction, &datagram.bytes, &mut out);
            unread += usize::from(matches!(one, Heard::Unreadable | Heard::Stranger | Heard::Unlikely));
            heard.push(one);
            if unread * READABLE <= count {
                end = count;
            }
        }
        // A question of the next session, which this one's protocol takes for no part of it, goes with that.
        while end > 0 && heard.get(end - 1).is_some_and(|heard| *heard != Heard::Read) {
            end -= 1;
        }
        Ok(end)
    }
}

/// Reads all `datagrams`; the copies among them do not count.
fn read(
    choice: Choice,
    assume: Option<&str>,
    datagrams: &[&CaptureDatagram],
    copies: &BTreeSet<usize>,
) -> Result<Reading, Unreadable> {
    let mut follower = Follower::new(choice.dissector(assume)?);
    let mut out = Dissection { marks_only: true, ..Dissection::default() };
    let (mut all, mut foreign, mut unread, mut unlikely, mut neighbours) = (0, 0, 0, 0, 0);
    for (place, datagram) in datagrams.iter().enumerate() {
        out.clear();
        let heard = follower.datagram(datagram.client, datagram.direction, &datagram.bytes, &mut out);
        if copies.contains(&place) {
            continue;
        }
        all += usize::from(heard != Heard::Foreign);
        foreign += usize::from(heard == Heard::Foreign);
        unread += usize::from(matches!(heard, Heard::Unreadable | Heard::Stranger));
        unlikely += usize::from(heard == Heard::Unlikely);
        neighbours += usize::from(heard == Heard::Neighbour);
    }
    Ok(Reading {
        choice,
        profile: follower.dissector().profile().unwrap_or(choice.profile),
        assumed: assume.map(String::from),
        datagrams: all,
        unread,
        unlikely,
        foreign,
        neighbours,
        goes_on: false,
        extensions: follower.dissector().extensions().len(),
        alike: Vec::new(),
        next: None,
    })
}
