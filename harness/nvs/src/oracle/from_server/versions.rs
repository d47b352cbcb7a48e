//! How the versions are agreed upon, and the sign-on around it: the server's side.

use super::{FromServer, SIGN_ON_DATA_HAVE_ALL_CALLS, STREAMS_CAN_BE_READ, Step};
use crate::constants::{EXTRA_VERSION_BYTES, LIMIT_BYTES, LIMIT_NVS, MESSAGE_BYTES, VERSION_NVS};
use crate::oracle::coverage::{Point, meaning as m};
use crate::oracle::diagnosis;
use crate::oracle::expectation::{Form, Lines, Write, bytes_of, writes_of};
use crate::oracle::requests::lower;
use crate::oracle::session::{Answer, Session};
use crate::oracle::stream::base;
use crate::oracle::truth::{Call, Truth};
use crate::requirements::*;
use crate::tables::Message;
use crate::version::{Version, Versions};
use kit::table::{float_step, float_value};
use kit::{Check, HostId, Knows, Report, Suspects, Time};
use netquake::Service;
use netquake::constants::*;

/// svc_extra_version has its type, its length, three versions, and is reliable.
pub static ANSWERS_ARE_WELL_FORMED: Check =
    Check::new("answers-are-well-formed", &[m::HS_02, m::VER_04]).knows(&[Knows::ClientSays]);
/// A client is sent neither versions nor limits that it did not ask for.
pub static NOTHING_COMES_UNASKED: Check = Check::new("nothing-comes-unasked", &[m::HS_07]).knows(&[Knows::ClientSays]);
/// The versions sent are what the client asked for, as far as the server goes.
pub static ANSWERS_HAVE_THE_LOWER_VERSIONS: Check = Check::new(
    "answers-have-the-lower-versions",
    &[m::VER_01, m::VER_02, m::VER_03, m::VER_05, m::HS_02, m::HS_03, m::HS_04, m::HS_05],
)
.knows(&[Knows::ClientSays]);
/// They stay as they are when a client asks again in the game.
pub static VERSIONS_STAY_IN_THE_GAME: Check = Check::new("versions-stay-in-the-game", &[m::HS_09, m::VER_05]);
/// A request before prespawn is answered before signonnum 2.
pub static REQUESTS_ARE_ANSWERED_IN_TIME: Check =
    Check::new("requests-are-answered-in-time", &[m::HS_02]).knows(&[Knows::ClientSays]);
/// A client below the required version is sent the reason and disconnected; no other is.
pub static ONLY_OLD_CLIENTS_ARE_DISCONNECTED: Check =
    Check::new("only-old-clients-are-disconnected", &[m::HS_04, m::HS_05, m::HS_06]).knows(&[Knows::Limits]);
/// The answer to spawn turns the view in the form of the client's version.
pub static SPAWN_TURNS_VIEWS_IN_THE_CLIENTS_FORM: Check = Check::new(
    "spawn-turns-views-in-the-clients-form",
    &[
        m::TAB_03,
        m::TAB_06,
        m::TAB_07,
        m::TAB_09,
        m::SEL_01,
        m::SEL_04,
        m::SEL_05,
        m::WR_02,
        m::DES_02,
        m::T1_01,
        m::T1_03,
        m::HS_04,
        m::HS_05,
        m::VER_04,
    ],
)
.knows(&[Knows::ClientSays]);
/// The sign-on data of a level are the same for every client.
pub static SIGN_ON_DATA_ARE_THE_SAME_FOR_ALL: Check = Check::new("sign-on-data-are-the-same-for-all", &[m::SIG_05]);

/// The baselines of a level are sent once each, as they are in the scenario's world.
pub static BASELINES_ARE_THE_WORLDS: Check =
    Check::new("baselines-are-the-worlds", &[m::SIG_01]).knows(&[Knows::Limits]);
/// The messages that begin a level, and those that begin the game, are all sent.
pub static SIGN_ON_IS_COMPLETE: Check = Check::new("sign-on-is-complete", &[m::SIG_01, m::TAB_01]);
/// The server's time in its messages passes as time does.
pub static TIME_PASSES: Check = Check::new("time-passes", &[m::TAB_01]).knows(&[Knows::ServerShows, Knows::Time]);

/// Of longer sign-on data the rest is not compared.
const MOST_IMAGE_BYTES: usize = 1 << 16;
/// Of more baselines some may not have fitted.
const MANY_BASELINES: usize = 400;
/// Where its floats begin, and how long each is.
const FLOATS: [usize; 3] = [2, 6, 10];

impl FromServer<'_> {
    /// The server sends versions.
    pub(super) fn extra_version(&mut self, rest: &[u8], reliable: bool) -> Option<Step> {
        let host = self.session.host;
        if rest.get(1) != Some(&VERSION_NVS) || rest.len() < EXTRA_VERSION_BYTES {
            let kind = rest.get(1).copied();
            self.fail(&ANSWERS_ARE_WELL_FORMED, &HS_02, || {
                format!("to {host}: an answer of type {kind:?} with {} bytes", rest.len())
            });
            return None;
        }
        let unasked = !self.session.asked && !self.session.damaged;
        if unasked || self.options.compatibility && !self.truth.remote_server {
            self.fail(&NOTHING_COMES_UNASKED, &HS_07, || {
                format!("{host} is sent versions without having requested them of an NVS server")
            });
            return Some(Step { length: EXTRA_VERSION_BYTES, call: None, table: None });
        } else if !reliable {
            self.fail(&ANSWERS_ARE_WELL_FORMED, &HS_02, || {
                format!("{host} is sent versions in an unreliable datagram")
            });
        }
        let floats = FLOATS.map(|at| {
            let bytes = rest.get(at..).and_then(|rest| rest.first_chunk::<4>()).copied().unwrap_or_default();
            f32::from_le_bytes(bytes)
        });
        // No version is so close to 0: bytes in another order, or from another place, are.
        let sane = |float: f32| float == 0.0 || float.abs() > 0.005;
        let read = floats.map(|float| Version::from_f32(float).filter(|_| sane(float)));
        let [Some(ssvc), Some(csvc), Some(cclc)] = read else {
            self.fail(&ANSWERS_ARE_WELL_FORMED, &HS_02, || format!("to {host}: {floats:?} are not versions"));
            return Some(Step { length: EXTRA_VERSION_BYTES, call: None, table: None });
        };
        if let Some(uneven) = floats.into_iter().find(|&float| !Version::has_two_decimals(float)) {
            self.fail(&ANSWERS_ARE_WELL_FORMED, &VER_04, || format!("to {host}: {uneven} has more than two decimals"));
        }
        let sent = Versions { ssvc, csvc, cclc };
        if self.truth.remote_server {
            self.learn(sent);
        }
        self.versions_sent(sent);
        Some(Step { length: EXTRA_VERSION_BYTES, call: None, table: None })
    }

    /// A remote server's versions are those that it sends first, as far as they agree with each other; its own maximum may
    /// be below the client's.
    fn learn(&mut self, sent: Versions) {
        let claimed = self.session.answers.front().map(|answer| answer.claimed).or(self.session.claimed);
        let claimed = claimed.unwrap_or_default();
        self.options.compatibility = false;
        if !self.truth.ssvc_sent && sent.ssvc >= Version::PLAIN {
            self.truth.ssvc_sent = true;
            self.truth.ssvc = sent.ssvc.0;
            self.options.progs_version = sent.ssvc;
        }
        let least = claimed.min(sent.ssvc);
        let possible = sent.csvc == least && sent.cclc >= least.max(self.truth.newest_sent) && sent.cclc < claimed;
        if possible && sent.cclc < self.options.server_max {
            self.options.server_max = sent.cclc;
        }
        if sent.csvc == least {
            self.truth.newest_sent = self.truth.newest_sent.max(sent.cclc.min(claimed));
        }
        for pending in self.session.answers.iter_mut().filter(|pending| pending.versions.is_some()) {
            pending.versions = Some(lower(pending.claimed, self.options));
        }
    }

    /// These versions were sent.
    fn versions_sent(&mut self, sent: Versions) {
        let host = self.session.host;
        self.report.saw(Point::Reply);
        self.report.saw_if(self.truth.version_tried, Point::VersionChangeTried);
        self.report.saw_if(self.truth.ssvc == 0 && self.session.claim() > 0, Point::SwitchedOff);
        if self.session.damaged || self.session.is_unsure {
            self.session.answers.pop_front();
            self.session.versions = Some(sent);
            return;
        }
        // Those that hold at this place of the stream: what was sent before it, or what the client's claim makes of them.
        let (before, options) = (self.session.versions, &*self.options);
        let wanted = |answer: &Answer| answer.versions.or(before).unwrap_or_else(|| lower(answer.claimed, options));
        // What was asked for in a level that this place of the stream has not come to is answered later.
        let Session { answers, server_level, behind, .. } = &mut *self.session;
        let level = server_level.saturating_sub(*behind);
        let mut possible = answers.iter().take_while(|answer| answer.level <= level).count();
        // Answers that may stay out are passed over if they are not what this one says.
        while possible > 1 && answers.front().is_some_and(|front| front.optional && wanted(front) != sent) {
            answers.pop_front();
            possible -= 1;
        }
        // Of answers that say the same, the one that may not stay out is this.
        let due = answers.iter().take(possible).position(|answer| !answer.optional);
        let due = due.filter(|&due| wanted(&answers[due]) == sent).unwrap_or_default();
        let expected = if possible > 0 { answers.remove(due) } else { None };
        let Some(expected) = expected.or_else(|| self.unasked()) else {
            self.session.versions = Some(sent);
            return;
        };
        let wanted = wanted(&expected);
        let moved = self.truth.version_tried;
        if expected.versions.is_none() {
            if sent != wanted {
                let by_mod = moved && sent.csvc == wanted.csvc && sent.cclc == wanted.cclc;
                let suspects: Suspects = if by_mod { &VER_05 } else { &HS_09 }.into();
                self.fail(&VERSIONS_STAY_IN_THE_GAME, suspects, || {
                    format!("{host} is sent {sent:?} in the game, where it had {wanted:?}")
                });
                let why = "versions changed in the game: from there on the client is not judged (hazard R)";
                self.session.give_up(self.report, why);
            } else {
                // A level that began behind the request has voided what was agreed upon before.
                self.session.versions = Some(sent);
            }
            return;
        }
        let may_ask = self.options.svc_enable;
        if sent != wanted
            && let Some(suspects) =
                diagnosis::versions(self.session, sent, (expected.claimed, wanted), moved || !may_ask)
        {
            self.fail(&ANSWERS_HAVE_THE_LOWER_VERSIONS, suspects, || {
                format!("{host} is sent {sent:?}, expected {wanted:?}")
            });
        }
        self.session.versions = Some(sent);
    }

    /// What the server may send without a request; `None` if that is of a level that is over, of which nobody knows any
    /// more what was claimed in it.
    fn unasked(&self) -> Option<Answer> {
        let Session { claimed, spawned, versions, behind, server_level, .. } = &*self.session;
        let claimed = claimed.unwrap_or_default();
        let held = versions.or_else(|| (*behind == 0).then(|| lower(claimed, self.options)))?;
        let versions = spawned.is_none().then_some(held);
        Some(Answer { versions, claimed, optional: true, early: false, level: *server_level })
    }

    /// The server sends its limits.
    pub(super) fn limit(&mut self, rest: &[u8]) -> Option<Step> {
        let host = self.session.host;
        if !self.session.asked && !self.session.asked_limits && !self.session.damaged {
            self.fail(&NOTHING_COMES_UNASKED, &HS_07, || {
                format!("{host} is sent limits without having requested anything")
            });
        }
        if rest.get(1) == Some(&LIMIT_NVS) && rest.len() >= LIMIT_BYTES {
            return Some(Step { length: LIMIT_BYTES, call: None, table: None });
        }
        let bytes = rest.len().min(LIMIT_BYTES);
        let suspects = diagnosis::unreadable(self.session, self.truth, rest, false);
        self.fail(&STREAMS_CAN_BE_READ, suspects, || format!("to {host}: limits of {bytes} bytes"));
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
        let Some(message) = self.truth.tables.find(SVC_SET_ANGLE, 0) else {
            let behind = base(rest).ok().and_then(|(length, _)| rest.get(length..));
            return behind.is_some_and(|behind| behind.first() == Some(&SVC_CLIENT_DATA));
        };
        let lines = Lines::of(message, self.truth.ssvc, self.session.form_version(true));
        self.spawn_form(rest, message, lines).is_some()
    }

    /// Angles in the answer to spawn.
    pub(super) fn spawn_angles(&mut self, rest: &[u8]) -> Option<Step> {
        let host = self.session.host;
        let Some(message) = self.truth.tables.find(SVC_SET_ANGLE, 0).cloned() else {
            let (length, _) = base(rest).ok()?;
            self.answer_turns(rest.get(1..length).unwrap_or_default());
            self.session.signed_on_by.insert(SVC_SET_ANGLE);
            return Some(Step { length, call: None, table: None });
        };
        let lines = Lines::of(&message, self.truth.ssvc, self.session.form_version(true));
        let (form, length) = self.spawn_form(rest, &message, lines)?;
        self.answer_turns(rest.get(1..length).unwrap_or_default());
        self.session.signed_on_by.insert(SVC_SET_ANGLE);
        let exact = form == Form::Exact || form == Form::Line(lines.client);
        let fine = lines.client + 1 < message.lines.len();
        if exact {
            self.report.saw_if(fine, Point::SpawnAngles);
            self.report.saw_if(fine, Point::FineAngles);
        } else {
            let csvc = self.session.csvc();
            let call = self.truth.angles_call(self.now, host.0);
            let suspects = diagnosis::spawn_angles(self.evidence(&call, true), &message, form);
            self.fail(&SPAWN_TURNS_VIEWS_IN_THE_CLIENTS_FORM, suspects, || {
                format!("to {host}: the answer to spawn has angles in {length} bytes ({form:?}), CSVC {csvc}")
            });
        }
        Some(Step { length, call: None, table: None })
    }

    /// The answer to spawn turns the view to where the scenario wants it, but for the roll. It may wait long for its turn in
    /// the stream: where the view was turned to since the server made it, a frame has to say.
    fn answer_turns(&mut self, sent: &[u8]) {
        let spawned = self.session.spawned;
        let before = |call: &&Call| call.frame.zip(spawned).is_some_and(|(frame, spawned)| frame < spawned);
        let Some(call) = self.session.angles.and_then(|id| self.truth.call(id)).filter(before) else { return };
        let byte = |at: usize| call.writes.get(at).and_then(|write| write.bytes.first()).copied();
        let near = |at: usize| {
            let (found, wanted) = (sent.get(at).copied().unwrap_or_default(), byte(at + 1).unwrap_or_default());
            matches!(found.wrapping_sub(wanted), 0 | 1 | 255)
        };
        let floats = call.writes.iter().skip(4).take(2).flat_map(|write| &write.bytes).copied();
        let same = sent.ends_with(&[0; 4]) && sent.len() >= 12 && floats.eq(sent.iter().copied().take(8));
        if same || (sent.len() < 12 && near(0) && near(1)) {
            self.session.angles = None;
        }
    }

    /// A message of protocol 15 was sent.
    pub(super) fn service(&mut self, service: &Service<'_>, bytes: &[u8], reliable: bool) {
        if let (Service::Time { time }, false) = (service, reliable) {
            self.clock_shows(float_value(*time));
        }
        self.session.scene.take(service);
        if reliable && self.session.stage < 3 {
            self.session.signed_on_by.extend(bytes.first());
            if let (Some(&svc @ (SVC_UPDATE_NAME | SVC_UPDATE_FRAGS | SVC_UPDATE_COLORS)), Some(&slot)) =
                (bytes.first(), bytes.get(1))
            {
                self.session.scoreboard.insert((svc, slot));
            }
        }
        match service {
            Service::StuffText { text } if text.starts_with(b"reconnect") => {
                if self.truth.is_blind && self.session.behind == 0 {
                    self.truth.begin_level(self.now);
                    self.truth.began_unseen = true;
                    self.session.change_level(self.now, 0);
                    self.session.is_unsure = true;
                }
                self.session.behind = self.session.behind.saturating_sub(1);
                self.session.begin_level();
            }
            Service::ServerInfo(info) => {
                self.session.slots = info.max_clients;
                self.session.scoreboard.clear();
                self.session.greeted = Some(self.now);
                if self.truth.remote_server && self.others.is_empty() {
                    // Nobody saw whether it is the level of an earlier client.
                    self.truth.begin_level(self.now);
                }
                self.session.begin_level();
                self.session.signed_on_by.insert(SVC_SERVER_INFO);
            }
            Service::Print { .. } => self.session.printed = true,
            Service::SpawnBaseline { .. } | Service::SpawnStatic { .. } | Service::SpawnStaticSound { .. }
                if self.session.stage < 2 && self.session.image.len() < MOST_IMAGE_BYTES =>
            {
                self.session.image.extend_from_slice(bytes);
            }
            Service::SignOnNum { stage } if reliable => {
                if *stage != self.session.stage + 1 || *stage > 3 {
                    let before = self.session.stage;
                    self.fail(&SIGN_ON_IS_COMPLETE, &SIG_01, || format!("signonnum {stage} after {before}"));
                }
                self.ends_stage(*stage);
                self.session.stage = *stage;
                match stage {
                    2 if !self.session.is_unsure && !self.session.damaged => self.signed_on_halfway(),
                    3 => {
                        self.becomes_sure();
                        self.report.saw(Point::SignedOn);
                        let asks = self.session.max.is_some() || self.session.remote && self.session.asked;
                        self.report.saw_if(!asks, Point::PlainClient);
                        let plain = self.session.asked && self.options.compatibility;
                        self.report.saw_if(plain, Point::PlainServer);
                    }
                    _ => {}
                }
            }
            Service::Damage { .. } if !reliable => {
                let hurt = !self.session.damages.is_empty();
                self.session.damages.clear();
                self.report.saw_if(hurt, Point::Unlisted);
            }
            Service::Disconnect => self.dismisses(),
            _ => {}
        }
    }

    /// The client has signed on, to the newest level if none is behind. Which of what it asked for until then was answered is not known.
    fn becomes_sure(&mut self) {
        if self.session.is_unsure && self.session.behind == 0 {
            self.session.is_unsure = false;
            self.session.answers.iter_mut().for_each(|answer| answer.optional = true);
        }
    }

    /// The client is disconnected.
    fn dismisses(&mut self) {
        let host = self.session.host;
        let (claimed, required) = (self.session.claimed.unwrap_or_default(), self.options.required);
        let too_old = self.session.too_old.is_some() || self.session.most_claimed.unwrap_or_default() < required;
        let words = self.session.printed;
        let in_vain = self.session.negative || self.session.bare;
        let wrong = too_old && !words || !too_old && (in_vain || required > Version::PLAIN);
        if wrong && !self.session.damaged {
            let suspects = diagnosis::disconnected(self.session, too_old);
            self.fail(&ONLY_OLD_CLIENTS_ARE_DISCONNECTED, suspects, || {
                format!(
                    "{host} is disconnected with {claimed}, with a print that says why: {words}; {required} is required"
                )
            });
        }
        self.session.dismissed = true;
    }

    /// The server shows its time: it passes as time does.
    fn clock_shows(&mut self, time: f32) {
        let (before, at) = *self.session.clock.get_or_insert((time, self.now));
        let (passed, shown) = (self.now.since(at) as f64 / 1e6, f64::from(time) - f64::from(before));
        // A clock can be as wrong as a scenario may make it (0.1 %), and single precision is as coarse as it is after years.
        let slack = 0.1 + 2.0 * self.options.tick_us as f64 / 1e6 + passed / 500.0 + 2.0 * float_step(time.into());
        if (shown - passed).abs() > slack {
            let host = self.session.host;
            self.fail(&TIME_PASSES, &TAB_01, || format!("to {host}: its time goes on by {shown} s in {passed} s"));
        }
    }

    /// Whether the client's version has no message that turns a view.
    fn turns_nobody(&self) -> bool {
        let lines = |message| Lines::of(message, self.truth.ssvc, self.session.form_version(true));
        self.truth.tables.find(SVC_SET_ANGLE, 0).is_some_and(|message| lines(message).leaves_out(message))
    }

    /// A step of the sign-on is complete: it had all its messages.
    fn ends_stage(&mut self, stage: u8) {
        let (wanted, suspect): (&[u8], _) = match stage {
            1 => (&[SVC_SERVER_INFO, SVC_CD_TRACK, SVC_SET_VIEW], &SIG_01),
            3 if self.turns_nobody() => (&[SVC_TIME, SVC_CLIENT_DATA], &TAB_01),
            3 => (&[SVC_TIME, SVC_CLIENT_DATA, SVC_SET_ANGLE], &TAB_01),
            _ => return self.session.signed_on_by.clear(),
        };
        let missing = wanted.iter().copied().find(|svc| !self.session.signed_on_by.contains(svc));
        if let Some(missing) = missing.and_then(service_name) {
            let host = self.session.host;
            self.fail(&SIGN_ON_IS_COMPLETE, suspect, || format!("to {host}: no {missing} before signonnum {stage}"));
        }
        let of_slot = |slot: u8| [SVC_UPDATE_NAME, SVC_UPDATE_FRAGS, SVC_UPDATE_COLORS].map(|svc| (svc, slot));
        let mut due = (0..self.session.slots).filter(|_| stage == 3).flat_map(of_slot);
        if let Some((svc, slot)) = due.find(|part| !self.session.scoreboard.contains(part)) {
            let host = self.session.host;
            let what = service_name(svc).unwrap_or_default();
            self.fail(&SIGN_ON_IS_COMPLETE, &TAB_01, || {
                format!("to {host}: no {what} of slot {slot} before signonnum 3")
            });
        }
    }

    /// The sign-on data have the baselines of the scenario's world, each once.
    fn judge_baselines(&mut self) {
        let Truth { world, is_blind, .. } = &*self.truth;
        let known = !*is_blind && world.baselines.len() < MANY_BASELINES;
        let scene = &self.session.scene;
        let other = known.then(|| scene.other_baseline(&world.baselines)).flatten();
        if let Some(number) = scene.announced_twice.or(other) {
            let host = self.session.host;
            self.fail(&BASELINES_ARE_THE_WORLDS, &SIG_01, || {
                format!("to {host}: the baseline of {number} comes twice, not at all, or not as it is in the world")
            });
        }
    }

    /// Whether all calls for the sign-on data fit beside the rest of them into the buffer of any server: what does not is taken back.
    pub(super) fn sign_on_data_fit(&self) -> bool {
        let bytes = |call: &Call| {
            let message = self.truth.message(call);
            let lines =
                message.map_or(Lines { server: 0, client: 0 }, |message| Lines::of(message, self.truth.ssvc, 0));
            bytes_of(&writes_of(Form::Exact, &call.writes, message, lines))
        };
        let calls = self.truth.sign_on.iter().filter_map(|&id| self.truth.call(id));
        self.session.image.len() + calls.map(bytes).sum::<usize>() <= MESSAGE_BYTES
    }

    /// Signonnum 2 was sent: what had to come before it has come.
    fn signed_on_halfway(&mut self) {
        if self.session.behind > 0 {
            // Of a level that is over: what the server knew then is not kept here.
            return;
        }
        let host = self.session.host;
        let claimed = self.session.best_claim();
        if claimed < self.options.required {
            let required = self.options.required;
            self.fail(&ONLY_OLD_CLIENTS_ARE_DISCONNECTED, &HS_06, || {
                format!("{host} is admitted with {claimed}; {required} is required")
            });
        }
        let expected = |answer: &Answer| answer.early && !answer.optional;
        if self.session.answers.iter().any(expected) {
            self.session.answers.retain(|answer| !answer.early);
            self.fail(&REQUESTS_ARE_ANSWERED_IN_TIME, &HS_02, || {
                format!("{host} asked before prespawn, and gets signonnum 2 without an answer")
            });
        }
        let Some(prespawned) = self.session.prespawned else { return };
        if prespawned < self.truth.level_began {
            return;
        }
        let patience = 2 * self.options.tick_us;
        let unseen = self.truth.sign_on.iter().skip(self.session.image_calls).filter(|&&id| self.truth.is_of_level(id));
        let due = unseen.filter_map(|&id| self.truth.call(id)).find(|call| call.at.after(patience) < prespawned);
        let due = due.filter(|_| self.sign_on_data_fit());
        if let Some(what) = due.map(ToString::to_string) {
            self.fail(&SIGN_ON_DATA_HAVE_ALL_CALLS, &BUF_01, || {
                format!("to {host}: {what} is not among the sign-on data")
            });
        }
        self.judge_baselines();
        let image = std::mem::take(&mut self.session.image);
        match &self.truth.image {
            Some((since, known)) => {
                let same = *known == image;
                self.report.saw(Point::TwoImages);
                if !same && self.truth.is_blind {
                    self.truth.other_image.get_or_insert((*since, self.now, host));
                } else if !same {
                    images_differ(self.report, self.now, host);
                }
            }
            None => self.truth.image = Some((self.now, image)),
        }
    }
}

/// A client got other sign-on data than another one.
pub(in crate::oracle) fn images_differ(report: &mut Report, at: Time, host: HostId) {
    report.fail(&SIGN_ON_DATA_ARE_THE_SAME_FOR_ALL, at, HostId::SERVER, &SIG_05, || {
        format!("the sign-on data of {host} differ from those of another client")
    });
}

/// How long angles of any value are in this form, if `rest` has as much.
fn unknown_angles(form: Form, rest: &[u8], message: &Message, lines: Lines) -> Option<usize> {
    let any: Vec<Write> = message.kinds.iter().map(|kind| Write::exact(&vec![0; kind.bytes()])).collect();
    let length = bytes_of(&writes_of(form, &any, Some(message), lines));
    (length > 0 && length <= rest.len()).then_some(length)
}
