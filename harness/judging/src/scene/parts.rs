//! The parts of a demo, each a session of its own, and the profile that reads it: found from its first messages.

use super::moment::{Moment, Moments};
use crate::capture::{CaptureDatagram, CaptureError};
use crate::observe::choose::{self, Choice, Reading, Unreadable};
use crate::observe::follow::Follower;
use kit::{Dissection, HostId, Profile, Protocol, Scene, Setup, Time, Vantage};
use std::collections::VecDeque;

/// So many messages at the beginning of a part decide which profile it is of.
const WINDOW: usize = 400;
/// So many bytes of them at most; where a part leaves it open, as many messages of the next are looked at.
const WINDOW_BYTES: usize = 4 << 20;

/// A part of a demo, which begins.
#[derive(Clone)]
pub struct Part {
    /// Its number, from 1.
    pub number: u16,
    /// The protocol that reads it.
    pub choice: Choice,
    pub profile: &'static Profile,
    /// How it was found, if none was given.
    pub reading: Option<Reading>,
    /// What is taken for agreed.
    pub assumed: Option<String>,
    /// Versions of neighbours in which its first messages are, and which cannot be read.
    pub others: Vec<String>,
}

impl Part {
    /// What follows it.
    ///
    /// # Errors
    /// What is assumed is nothing that the protocol knows.
    pub fn scene(&self) -> Result<Box<dyn Scene>, Unreadable> {
        let Choice { protocol, demo, .. } = self.choice;
        let recorded = (protocol.demo)(self.profile);
        let Some((recorded, container)) = recorded.zip(demo) else {
            let title = protocol.title;
            return Err(Unreadable::Input(format!("no engine records demos of {title}")));
        };
        let setup = Setup { vantage: Vantage::of_demo(container.of()), ..Setup::new(protocol, self.profile) };
        let mut scene = (recorded.scene)(&setup);
        if let Some(extensions) = &self.assumed {
            scene.assume(extensions).map_err(|why| Unreadable::Input(format!("--assume {extensions}: {why}")))?;
        }
        Ok(scene)
    }
}

/// How the profile of a part is found.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    pub protocols: &'a [&'static Protocol],
    /// The profile that was asked for.
    pub forced: Option<Choice>,
    /// What is to be taken for agreed.
    pub assume: Option<&'a str>,
    /// Whether one has to read a part well: to be judged, not only to be shown.
    pub strict: bool,
}

/// What comes next in a demo.
pub enum Next {
    /// A part begins.
    Part(Box<Part>),
    /// A message of the part that began last.
    Message(Box<CaptureDatagram>),
}

/// Reads a demo part by part. At most the window that decides is held.
pub struct Parts<'a> {
    source: &'a mut dyn Iterator<Item = Result<CaptureDatagram, CaptureError>>,
    ask: Ask<'a>,
    ahead: VecDeque<CaptureDatagram>,
    part: Option<HostId>,
    /// The profile of the part before.
    before: Option<(Choice, &'static Profile)>,
    fault: Option<CaptureError>,
}

impl<'a> Parts<'a> {
    /// Of what `source` has, which is one demo.
    pub fn new(source: &'a mut dyn Iterator<Item = Result<CaptureDatagram, CaptureError>>, ask: Ask<'a>) -> Parts<'a> {
        Parts { source, ask, ahead: VecDeque::new(), part: None, before: None, fault: None }
    }

    /// What is wrong with the file, if it ended with that.
    pub fn fault(&mut self) -> Option<CaptureError> {
        self.fault.take()
    }

    /// What comes next; `None` at the end.
    ///
    /// # Errors
    /// Nothing reads a part.
    pub fn next_of_demo(&mut self) -> Result<Option<Next>, Unreadable> {
        if self.ahead.is_empty() {
            self.fetch();
        }
        let Some(first) = self.ahead.front() else { return Ok(None) };
        let client = first.client;
        if self.part == Some(client) {
            return Ok(self.ahead.pop_front().map(|message| Next::Message(Box::new(message))));
        }
        let part = self.begin(client)?;
        self.part = Some(client);
        Ok(Some(Next::Part(Box::new(part))))
    }

    /// The profile of the part after this one, if it is one of those that read this one alike.
    fn next_part(&mut self, client: HostId, open: &Reading) -> Option<(Choice, &'static Profile)> {
        while self.ahead.len() < 2 * WINDOW && self.fetch() {}
        let next = self.ahead.iter().map(|it| it.client).find(|next| *next != client)?;
        let window: Vec<CaptureDatagram> = self.ahead.iter().filter(|it| it.client == next).cloned().collect();
        let reading = choose::best(self.ask.protocols, &window, self.ask.assume).ok()?;
        let is_one = reading.alike.is_empty()
            && (reading.profile.name == open.profile.name || open.alike.contains(&reading.profile.name));
        is_one.then_some((reading.choice, reading.profile))
    }

    fn fetch(&mut self) -> bool {
        match self.source.next() {
            Some(Ok(message)) => self.ahead.push_back(message),
            Some(Err(fault)) => {
                self.fault = Some(fault);
                return false;
            }
            None => return false,
        }
        true
    }

    /// Finds out what the part of this number is.
    fn begin(&mut self, client: HostId) -> Result<Part, Unreadable> {
        let mut bytes = 0;
        while self.ahead.len() < WINDOW
            && bytes < WINDOW_BYTES
            && self.ahead.back().is_some_and(|it| it.client == client)
        {
            if !self.fetch() {
                break;
            }
            bytes += self.ahead.back().map_or(0, |message| message.bytes.len());
        }
        let goes_on = self.ahead.len() >= WINDOW || bytes >= WINDOW_BYTES;
        let window: Vec<CaptureDatagram> = self.ahead.iter().filter(|it| it.client == client).cloned().collect();
        let Ask { protocols, forced, assume, strict } = self.ask;
        let number = client.0;
        if let Some(choice) = forced {
            let choice = choice.reading(&window);
            let assumed = assume.map(String::from);
            let others = others(&choice, assume, &window)?;
            return Ok(Part { number, choice, profile: choice.profile, reading: None, assumed, others });
        }
        let find = if strict { choose::good } else { choose::best };
        let mut reading = find(protocols, &window, assume)?;
        reading.goes_on = goes_on;
        let (mut choice, mut profile) = (reading.choice, reading.profile);
        if let Some((before, known)) = self.before.filter(|(_, known)| reading.alike.contains(&known.name)) {
            // It can be as the part before.
            (choice, profile) = (before, known);
            reading.alike.clear();
            (reading.choice, reading.profile, reading.next) = (before, known, None);
        }
        if !reading.alike.is_empty()
            && let Some((next, known)) = self.next_part(client, &reading)
        {
            // Of a part that hardly began, such as a question before the game, the next one tells.
            (choice, profile) = (next, known);
            reading.alike.clear();
            (reading.choice, reading.profile, reading.next) = (next, known, None);
        }
        self.before = Some((choice, profile));
        let assumed = assume.map(String::from).or_else(|| reading.assumed.clone());
        choice.profile = profile;
        let others = others(&choice, assumed.as_deref(), &window)?;
        Ok(Part { number, choice, profile, reading: Some(reading), assumed, others })
    }
}

/// The versions of neighbours in which these messages are.
fn others(choice: &Choice, assume: Option<&str>, messages: &[CaptureDatagram]) -> Result<Vec<String>, Unreadable> {
    let mut follower = Follower::new(choice.dissector(assume)?);
    let mut out = Dissection { marks_only: true, ..Dissection::default() };
    for message in messages {
        out.clear();
        follower.datagram(message.client, message.direction, &message.bytes, &mut out);
    }
    Ok(follower.others().to_vec())
}

/// The moments of a demo, one after the other.
pub struct Frames<'a> {
    parts: Parts<'a>,
    part: Option<Box<Part>>,
    /// A part that begins when what is shown was seen.
    coming: Option<Box<Part>>,
    moments: Option<Moments>,
    /// What was read so far.
    pub counted: Counted,
}

/// What was read of a demo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub messages: usize,
    /// Those of them that cannot be read to their end.
    pub unread: usize,
    /// Bytes of those that are not read.
    pub unread_bytes: usize,
    /// Services in them.
    pub services: usize,
    pub moments: usize,
    /// How long it goes on.
    pub length: Time,
}

impl<'a> Frames<'a> {
    /// Of these parts.
    pub fn new(parts: Parts<'a>) -> Frames<'a> {
        Frames { parts, part: None, coming: None, moments: None, counted: Counted::default() }
    }

    /// What is wrong with the file, if it ended with that.
    pub fn fault(&mut self) -> Option<CaptureError> {
        self.parts.fault()
    }

    /// Goes on to the next moment: whether there is one.
    ///
    /// # Errors
    /// Nothing reads a part.
    pub fn advance(&mut self) -> Result<bool, Unreadable> {
        loop {
            if let Some(part) = self.coming.take() {
                self.moments = Some(Moments::new(part.scene()?, self.counted.moments));
                self.part = Some(part);
            }
            let complete = match self.parts.next_of_demo()? {
                None => {
                    let found = self.moments.as_mut().is_some_and(|moments| moments.finish().is_some());
                    self.count(found);
                    return Ok(found);
                }
                Some(Next::Part(part)) => {
                    self.coming = Some(part);
                    self.moments.as_mut().is_some_and(|moments| moments.finish().is_some())
                }
                Some(Next::Message(message)) => {
                    self.counted.messages += 1;
                    self.counted.length = message.time.unwrap_or_default().max(self.counted.length);
                    self.moments.as_mut().is_some_and(|moments| moments.message(&message).is_some())
                }
            };
            if complete {
                self.count(true);
                return Ok(true);
            }
        }
    }

    fn count(&mut self, found: bool) {
        let Some(moment) = self.shown().map(|shown| shown.0).filter(|_| found) else { return };
        let (unread, bytes) = (moment.unread.len(), moment.unread.iter().map(|unread| unread.bytes).sum::<usize>());
        let services = moment.services;
        self.counted.moments += 1;
        self.counted.services += services;
        self.counted.unread += unread;
        self.counted.unread_bytes += bytes;
    }

    /// The moment that [`Frames::advance`] went to, what followed it, and the part that it is of.
    pub fn shown(&self) -> Option<(&Moment, &dyn Scene, &Part)> {
        let (moments, part) = self.moments.as_ref().zip(self.part.as_ref())?;
        Some((moments.complete(), moments.scene(), part))
    }
}
