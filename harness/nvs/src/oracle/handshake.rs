//! How the versions are agreed upon, and the sign-on around it: the server's side.

use super::blame;
use super::book::{Answer, Book};
use super::coverage::{Point, Report};
use super::expected::{Form, Lines, Write, bytes_of, writes_of};
use super::sent::{Sent, Step, base};
use crate::constants::{
    EXTRA_VERSION_BYTES, LIMIT_BYTES, LIMIT_NVS, LIMIT_REQUEST, NVS_REQUEST, SVC_LIMIT, VERSION_NVS,
};
use crate::options::Options;
use crate::requirements::*;
use crate::tables::Message;
use crate::version::{Version, Versions};
use kit::{HostId, Time};
use netquake::Service;
use netquake::constants::{SVC_CLIENT_DATA, SVC_SET_ANGLE};

/// Of longer sign-on data the rest is not compared.
const MOST_IMAGE_BYTES: usize = 1 << 16;
/// Where its floats begin, and how long each is.
const FLOATS: [usize; 3] = [2, 6, 10];

impl Sent<'_> {
    /// The server tells versions.
    pub(super) fn extra_version(&mut self, rest: &[u8], reliable: bool) -> Option<Step> {
        let host = self.book.host;
        if rest.get(1) != Some(&VERSION_NVS) || rest.len() < EXTRA_VERSION_BYTES {
            let kind = rest.get(1).copied();
            self.find(&HS_02, || format!("to {host}: an answer of type {kind:?} with {} bytes", rest.len()));
            return None;
        }
        if !self.book.asked || self.options.compatibility {
            self.find(&HS_07, || format!("{host} is told versions without having asked an NVS server"));
            return Some(Step { length: EXTRA_VERSION_BYTES, call: None, listed: false });
        } else if !reliable {
            self.find(&HS_02, || format!("{host} is told versions in an unreliable datagram"));
        }
        let floats = FLOATS.map(|at| {
            let bytes = rest.get(at..).and_then(|rest| rest.first_chunk::<4>()).copied().unwrap_or_default();
            f32::from_le_bytes(bytes)
        });
        // No version is so close to 0: bytes in another order, or from another place, are.
        let sane = |float: f32| float == 0.0 || float.abs() > 0.005;
        let read = floats.map(|float| Version::from_f32(float).filter(|_| sane(float)));
        let [Some(ssvc), Some(csvc), Some(cclc)] = read else {
            self.find(&HS_02, || format!("to {host}: {floats:?} are no versions"));
            return Some(Step { length: EXTRA_VERSION_BYTES, call: None, listed: false });
        };
        if let Some(uneven) = floats.into_iter().find(|&float| !Version::has_two_decimals(float)) {
            self.find(&VER_04, || format!("to {host}: {uneven} has more than two decimals"));
        }
        self.told(Versions { ssvc, csvc, cclc });
        Some(Step { length: EXTRA_VERSION_BYTES, call: None, listed: false })
    }

    /// These versions were told.
    fn told(&mut self, told: Versions) {
        let host = self.book.host;
        self.report.saw(Point::Reply);
        self.report.saw_if(self.script.version_tried, Point::VersionChangeTried);
        self.report.saw_if(self.script.ssvc == 0 && self.book.claim() > 0, Point::SwitchedOff);
        // Answers that may stay out are passed over if they are not what this one says.
        let answers = &mut self.book.answers;
        while answers.len() > 1 && answers.front().is_some_and(|owed| owed.optional && owed.versions != told) {
            answers.pop_front();
        }
        // What is told again may be of a level that is over by now: then it is what the client's claim makes of it.
        let claimed = self.book.claimed.unwrap_or_default();
        let by_claim = answer(claimed, self.options, self.script.ssvc, false, self.book.server_level).versions;
        let unchanged = self.book.told.unwrap_or(by_claim);
        let owed = self.book.answers.pop_front().unwrap_or(Answer {
            versions: unchanged,
            claimed: self.book.claimed.unwrap_or_default(),
            optional: true,
            in_game: self.book.spawned.is_some(),
            early: false,
            level: self.book.server_level,
        });
        let wanted = owed.versions;
        if owed.in_game {
            if told != wanted {
                let moved = self.script.version_tried && told.csvc == wanted.csvc && told.cclc == wanted.cclc;
                let requirement = if moved { &VER_05 } else { &HS_09 };
                self.find(requirement, || format!("{host} is told {told:?} in the game, where it had {wanted:?}"));
                self.report.remark("versions changed in the game: from there on the client is not judged (hazard R)");
                self.book.tainted = true;
            }
            return;
        }
        let csvc = owed.claimed.min(told.ssvc);
        let stale = match () {
            () if self.book.negative => Some(&HS_04),
            () if self.book.bare => Some(&HS_05),
            () => None,
        };
        let negative = told.ssvc.0 < 0 || told.csvc.0 < 0 || told.cclc.0 < 0;
        let differs = told.csvc != csvc || told.cclc != wanted.cclc;
        let swapped = told.csvc == wanted.cclc && told.cclc == csvc && csvc != wanted.cclc;
        let requirement = match () {
            () if negative => Some(&HS_04),
            () if told.ssvc != wanted.ssvc && (self.script.version_tried || !self.options.svc_enable) => Some(&VER_05),
            () if told.ssvc != wanted.ssvc => Some(&VER_01),
            () if differs && stale.is_some() => stale,
            () if swapped => Some(&HS_02),
            () if told.csvc != csvc => Some(&VER_02),
            () if told.cclc != wanted.cclc => Some(&VER_03),
            () => None,
        };
        if let Some(requirement) = requirement {
            self.find(requirement, || format!("{host} is told {told:?}; {wanted:?} are right"));
        }
        self.book.told = Some(told);
    }

    /// The server tells its limits.
    pub(super) fn limit(&mut self, rest: &[u8]) -> Option<Step> {
        let host = self.book.host;
        if !self.book.asked && !self.book.asked_limits {
            self.find(&HS_07, || format!("{host} is told limits without having asked for anything"));
        }
        if rest.get(1) == Some(&LIMIT_NVS) && rest.len() >= LIMIT_BYTES {
            return Some(Step { length: LIMIT_BYTES, call: None, listed: true });
        }
        let bytes = rest.len().min(LIMIT_BYTES);
        let requirement = blame::unreadable(self.book, SVC_LIMIT, false);
        self.find(requirement, || format!("to {host}: limits of {bytes} bytes"));
        None
    }

    /// In which form `rest` begins with angles of an answer to spawn, and how long they are: the player's data follow.
    /// Nobody knows the angles of a player whom the scenario did not turn.
    fn spawn_form(&self, rest: &[u8], message: &Message, lines: Lines) -> Option<(Form, usize)> {
        let forms = [Form::Exact].into_iter().chain((0..message.lines.len()).map(Form::Line)).chain([Form::All]);
        let mut found = forms.filter_map(|form| Some((form, unknown_angles(form, rest, message, lines)?)));
        found.find(|(_, length)| {
            let behind = rest.get(*length..).unwrap_or_default();
            behind.first() == Some(&SVC_CLIENT_DATA) && base(behind).is_ok()
        })
    }

    /// Whether angles here belong to the answer to spawn.
    pub(super) fn is_spawn_answer(&self, rest: &[u8]) -> bool {
        let Some(message) = self.script.tables.find(SVC_SET_ANGLE, 0) else {
            let behind = base(rest).ok().and_then(|(length, _)| rest.get(length..));
            return behind.is_some_and(|behind| behind.first() == Some(&SVC_CLIENT_DATA));
        };
        let lines = Lines::of(message, self.script.ssvc, self.book.form_version(true));
        self.spawn_form(rest, message, lines).is_some()
    }

    /// Angles in the answer to spawn.
    pub(super) fn spawn_angles(&mut self, rest: &[u8]) -> Option<Step> {
        let host = self.book.host;
        let Some(message) = self.script.tables.find(SVC_SET_ANGLE, 0).cloned() else {
            let (length, _) = base(rest).ok()?;
            self.answer_turns(rest.get(1..length).unwrap_or_default());
            return Some(Step { length, call: None, listed: false });
        };
        let lines = Lines::of(&message, self.script.ssvc, self.book.form_version(true));
        let (form, length) = self.spawn_form(rest, &message, lines)?;
        self.answer_turns(rest.get(1..length).unwrap_or_default());
        let exact = form == Form::Exact || form == Form::Line(lines.client);
        let fine = lines.client + 1 < message.lines.len();
        if exact {
            self.book.spawn_angles = Some(fine);
            self.report.saw_if(fine, Point::SpawnAngles);
            self.report.saw_if(fine, Point::FineAngles);
            if fine && let Some((at, _, what)) = self.book.doubt.take() {
                self.report.find(&T1_03, at, HostId::SERVER, || what);
            }
            return Some(Step { length, call: None, listed: true });
        }
        let csvc = self.book.csvc();
        let what = format!("to {host}: the answer to spawn has angles in {length} bytes ({form:?}), CSVC {csvc}");
        let call = self.script.angles_call(self.now, host.0);
        let requirement = blame::wrong_form(self.book, self.script, &call, &message, form, true);
        match form {
            Form::Line(index) if index > lines.client && !self.book.negative && !self.book.bare => {
                self.book.doubt = Some((self.now, requirement, what));
            }
            _ => self.find(requirement, || what),
        }
        Some(Step { length, call: None, listed: true })
    }

    /// The answer to spawn turns the view to where the scenario wants it, but for the roll.
    fn answer_turns(&mut self, told: &[u8]) {
        let Some(call) = self.book.angles.and_then(|id| self.script.call(id)) else { return };
        let byte = |at: usize| call.writes.get(at).and_then(|write| write.bytes.first()).copied();
        let near = |at: usize| {
            let (found, wanted) = (told.get(at).copied().unwrap_or_default(), byte(at + 1).unwrap_or_default());
            matches!(found.wrapping_sub(wanted), 0 | 1 | 255)
        };
        let floats = call.writes.iter().skip(4).take(2).flat_map(|write| &write.bytes).copied();
        let same = told.ends_with(&[0; 4]) && told.len() >= 12 && floats.eq(told.iter().copied().take(8));
        if same || (told.len() < 12 && near(0) && near(1)) {
            self.book.angles = None;
        }
    }

    /// A message of protocol 15 was sent.
    pub(super) fn service(&mut self, service: &Service<'_>, bytes: &[u8], reliable: bool) {
        let host = self.book.host;
        match service {
            Service::StuffText { text } if text.starts_with(b"reconnect") => {
                self.book.behind = self.book.behind.saturating_sub(1);
                self.book.begin_level();
            }
            Service::ServerInfo(_) => self.book.begin_level(),
            Service::Print { .. } => self.book.told_in_words = true,
            Service::SpawnBaseline { .. } | Service::SpawnStatic { .. } | Service::SpawnStaticSound { .. }
                if self.book.stage < 2 && self.book.image.len() < MOST_IMAGE_BYTES =>
            {
                self.book.image.extend_from_slice(bytes);
            }
            Service::SignOnNum { stage } if reliable => {
                self.book.stage = *stage;
                match stage {
                    2 => self.signed_on_halfway(),
                    3 => {
                        self.report.saw(Point::SignedOn);
                        self.report.saw_if(self.book.max.is_none(), Point::PlainClient);
                        let plain = self.book.asked && self.options.compatibility;
                        self.report.saw_if(plain, Point::PlainServer);
                    }
                    _ => {}
                }
            }
            Service::Damage { .. } if !reliable => {
                let hurt = !self.book.damages.is_empty();
                self.book.damages.clear();
                self.report.saw_if(hurt, Point::Unlisted);
            }
            Service::Disconnect => {
                let (claimed, required) = (self.book.claimed.unwrap_or_default(), self.options.required);
                if claimed < required && !self.book.told_in_words {
                    self.find(&HS_06, || format!("{host} is sent away without a word"));
                } else if claimed >= required && (self.book.negative || self.book.bare) {
                    let requirement = if self.book.negative { &HS_04 } else { &HS_05 };
                    self.find(requirement, || format!("{host} is sent away for a request that changes nothing"));
                } else if claimed >= required && required > Version::PLAIN {
                    self.find(&HS_06, || format!("{host} is sent away with {claimed}; {required} is required"));
                }
                self.book.dismissed = true;
            }
            _ => {}
        }
    }

    /// Signonnum 2 was sent: what had to come before it has come.
    fn signed_on_halfway(&mut self) {
        if self.book.behind > 0 {
            // Of a level that is over: what the server knew then is not kept here.
            return;
        }
        let host = self.book.host;
        let claimed = self.book.claimed.unwrap_or_default();
        if claimed < self.options.required {
            let required = self.options.required;
            self.find(&HS_06, || format!("{host} is let in with {claimed}; {required} is required"));
        }
        let owed = |answer: &Answer| answer.early && !answer.optional;
        if self.book.answers.iter().any(owed) {
            self.book.answers.retain(|answer| !answer.early);
            self.find(&HS_02, || format!("{host} asked before prespawn, and gets signonnum 2 without an answer"));
        }
        let Some(prespawned) = self.book.prespawned else { return };
        if prespawned < self.script.level_began {
            return;
        }
        let patience = 2 * self.options.tick_us;
        let unseen = self.script.sign_on.iter().skip(self.book.image_calls);
        let due = unseen.filter_map(|&id| self.script.call(id)).find(|call| call.at.after(patience) < prespawned);
        if let Some(what) = due.map(super::sent::named) {
            self.find(&BUF_01, || format!("to {host}: {what} is not among the sign-on data"));
        }
        let image = std::mem::take(&mut self.book.image);
        match &self.script.image {
            Some(known) => {
                let same = *known == image;
                self.report.saw(Point::TwoImages);
                if !same {
                    self.find(&SIG_05, || format!("the sign-on data of {host} differ from those of another client"));
                }
            }
            None => self.script.image = Some(image),
        }
    }
}

/// How long angles of any value are in this form, if `rest` has as much.
fn unknown_angles(form: Form, rest: &[u8], message: &Message, lines: Lines) -> Option<usize> {
    let any: Vec<Write> = message.kinds.iter().map(|kind| Write::exact(&vec![0; kind.bytes()])).collect();
    let length = bytes_of(&writes_of(form, &any, Some(message), lines, &[])?);
    (length > 0 && length <= rest.len()).then_some(length)
}

/// The server receives a line of text from a client.
pub fn text_heard(book: &mut Book, report: &mut Report, options: &Options, ssvc: i32, now: Time, text: &[u8]) {
    let mut words = text.split(|byte| byte.is_ascii_whitespace() || *byte == 0).filter(|word| !word.is_empty());
    let word = words.next().unwrap_or_default();
    let in_game = book.spawned.is_some();
    let early = book.prespawned.is_none();
    let unchanged = Answer {
        versions: book.told.unwrap_or_default(),
        claimed: book.claimed.unwrap_or_default(),
        optional: true,
        in_game,
        early,
        level: book.server_level,
    };
    match word {
        _ if word == NVS_REQUEST => {
            book.asked = true;
            let claimed = words.next().map(Version::from_text);
            report.saw_if(in_game && claimed.is_some(), Point::RequestInGame);
            let level = book.server_level;
            let stored = |book: &Book| answer(book.claimed.unwrap_or_default(), options, ssvc, early, level);
            match claimed {
                _ if in_game => book.owe(unchanged),
                None => {
                    book.bare = true;
                    let owed = Answer { optional: true, ..stored(book) };
                    book.owe(owed);
                }
                Some(claimed) if claimed < Version::PLAIN => {
                    book.negative = true;
                    let owed = Answer { optional: true, ..stored(book) };
                    book.owe(owed);
                }
                Some(claimed) => {
                    book.claimed = Some(claimed);
                    let owed = answer(claimed, options, ssvc, early, level);
                    report.saw_if(owed.optional && !options.compatibility, Point::RequestOfNothing);
                    report.saw_if(claimed < options.required, Point::TooOld);
                    book.owe(owed);
                }
            }
        }
        _ if word == LIMIT_REQUEST => book.asked_limits = true,
        b"prespawn" => {
            book.prespawned.get_or_insert(now);
            let required = options.required;
            report.saw_if(book.claimed.unwrap_or_default() < required, Point::TooOld);
        }
        // One of an earlier level means nothing.
        b"spawn" if book.prespawned.is_some() => {
            book.spawned.get_or_insert(now);
        }
        _ => {}
    }
}

/// The answer to a good request.
fn answer(claimed: Version, options: &Options, ssvc: i32, early: bool, level: u32) -> Answer {
    let ssvc = Version(ssvc);
    let versions = Versions { ssvc, csvc: claimed.min(ssvc), cclc: claimed.min(options.server_max) };
    let zero = versions.ssvc == Version::PLAIN && versions.cclc == Version::PLAIN;
    let optional = zero || options.compatibility || claimed < options.required;
    Answer { versions, claimed, optional, in_game: false, early, level }
}
