//! Somebody's implementation in the place of an end: processes that speak the shim protocol.

use crate::judge::{Disregarded, Judgement, Keep, is_disregarded, judge_with};
use crate::live::rest::{Rest, Watched};
use crate::place::Place;
use crate::registry::PROTOCOLS;
use crate::scenario::{Alteration, Case, Told};
use crate::settings::Settings;
use crate::worldless;
use kit::{Hidden, Protocol, Replacement, Requirement, Role, Setup, Variant};
use shim::{End, Fault, Hello, Launch, Link, Process};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a process may take for one answer, unless the command line says otherwise.
pub const PATIENCE: Duration = Duration::from_millis(5_000);
/// So often is a process that failed started again; the cases after that share the last one's fate.
const MAX_RESTARTS: u32 = 10;
/// One case of so many is repeated in a fresh process; the others are in the one that they were run in.
const FRESH: u64 = 50;

/// What cannot be judged of a client in a profile.
#[derive(Clone, Debug, Default)]
pub struct Missed {
    /// The requirements that need what is not shown, by id.
    pub skipped: BTreeSet<&'static str>,
    /// Those that a codec alone cannot violate, or not so that it is found.
    pub beyond: BTreeSet<&'static str>,
    /// The checks that need what is not reported.
    pub disregarded: Disregarded,
    /// Those that are covered only where the server can be told what the world is.
    pub of_the_world: BTreeSet<&'static str>,
}

/// The same by profile.
pub type Unseen = BTreeMap<&'static str, Arc<Missed>>;

/// How an implementation runs in some of its profiles.
#[derive(Clone, Debug)]
pub struct Form {
    /// The profiles; none: all of them.
    pub profiles: Vec<String>,
    /// How a process is started.
    pub launch: Launch,
    /// What scenarios have to say otherwise for it.
    pub settings: Settings,
}

/// An implementation that runs in processes of its own, one per case under way.
#[derive(Debug)]
pub struct Foreign {
    /// How it runs; never empty. In profiles that none names, as the first says.
    forms: Vec<Form>,
    /// What chooses it on the command line, if it is no command line of its own.
    chosen: Option<String>,
    /// Whose place it takes.
    pub place: Place,
    /// Who it says to be.
    pub hello: Hello,
    /// What the command line says that scenarios have to say otherwise.
    given: Settings,
    pool: Mutex<Pool>,
    /// What cannot be judged because of what it does not show, in the profiles that were asked for.
    unseen: Mutex<Unseen>,
}

#[derive(Debug, Default)]
struct Pool {
    /// Each with the number of its form.
    idle: Vec<(usize, Process)>,
    failed: u32,
    last: Option<Fault>,
    /// Whether a process is started again however many have failed.
    unlimited: bool,
    /// The cases of which a run was done twice.
    repeated: BTreeSet<String>,
}

impl Foreign {
    /// Starts it, to see who it is. It takes this `place`, or the one that it offers.
    ///
    /// # Errors
    /// It cannot be started, does not speak the shim protocol, or does not say which role it is for.
    pub fn start(launch: Launch, place: Option<Place>) -> Result<Foreign, String> {
        Foreign::of(vec![Form { profiles: Vec::new(), launch, settings: Settings::default() }], None, place)
    }

    /// Starts an engine, to see who it is: `chosen` is what chooses it on the command line.
    ///
    /// # Errors
    /// The same.
    pub fn start_engine(forms: Vec<Form>, chosen: String, place: Option<Place>) -> Result<Foreign, String> {
        Foreign::of(forms, Some(chosen), place)
    }

    fn of(forms: Vec<Form>, chosen: Option<String>, place: Option<Place>) -> Result<Foreign, String> {
        let first = forms.first().ok_or("there is nothing to start")?;
        let process = Process::start(&first.launch).map_err(|fault| fault.to_string())?;
        let hello = process.hello.clone();
        let offered: Vec<Place> = hello.roles.iter().filter_map(|name| Place::named(name)).collect();
        let place = match (place, offered.as_slice()) {
            (Some(place), _) if offered.contains(&place) => place,
            (Some(place), _) => return Err(format!("the shim is no {place}; it offers: {}", hello.roles.join(", "))),
            (None, [place]) => *place,
            (None, []) => {
                return Err(String::from(
                    "the shim offers none of `server`, `client` and `codec` as one of its `roles`",
                ));
            }
            (None, _) => {
                return Err(format!("the shim can be more than one: say --role {}", hello.roles.join(" or --role ")));
            }
        };
        let pool = Mutex::new(Pool { idle: vec![(0, process)], ..Pool::default() });
        if let Some(name) = unknown(&hello.profiles, &hello.not_shown) {
            return Err(format!(
                "the shim's `not_shown` has `{name}`, which is no field, no note after `note `, nor `stats`, `statics` or `prints`; \
                 `deltaproof list --words` lists fields and notes"
            ));
        }
        if let Some(name) = hello.like.iter().find(|name| !variants().any(|(known, _)| known == **name)) {
            return Err(format!(
                "the shim's `like` has `{name}`; `deltaproof list --variants` lists those that there are"
            ));
        }
        Ok(Foreign { forms, chosen, place, hello, given: Settings::default(), pool, unseen: Mutex::default() })
    }

    /// With other options and texts than the scenarios say, and with a control client, as the command line has it. An engine's forms
    /// have its options and texts already.
    #[must_use]
    pub fn with(mut self, given: Settings) -> Foreign {
        for form in &mut self.forms {
            if self.chosen.is_none() {
                form.settings = given.clone();
            }
            form.settings.control = given.control;
        }
        self.given = given;
        self
    }

    /// The number of the form for a profile, and that form.
    fn form(&self, profile: &str) -> (usize, &Form) {
        let number = self.forms.iter().position(|form| form.profiles.iter().any(|name| name == profile)).unwrap_or(0);
        (number, &self.forms[number])
    }

    /// Whether it can take part in a case.
    pub fn takes(&self, case: &Case) -> bool {
        self.speaks(case.profile.name) && self.differs(case).is_none()
    }

    /// The option or text with another value than its own that a case is about, if it is about one.
    pub fn differs(&self, case: &Case) -> Option<&'static str> {
        self.form(case.profile.name).1.settings.differs(case, !self.takes_world())
    }

    /// Why `requirement` is not applicable to it in a profile, if it is not: a codec has nothing to do with it, or it is like a
    /// variant to which it is not.
    pub fn excuses(&self, requirement: &Requirement, profile: &str) -> Option<&'static str> {
        let protocol = PROTOCOLS.iter().find(|protocol| protocol.profiles.iter().any(|it| it.name == profile))?;
        let of_role = variants().filter(|(_, variant)| variant.replacement.role == self.place.role());
        let mut like = of_role.filter(|(name, _)| self.hello.like.contains(name));
        let like = || like.find_map(|(_, variant)| variant.excuses(protocol.checks, requirement, profile));
        self.is_beyond(requirement, profile).or_else(like)
    }

    /// Why a codec can have nothing to do with `requirement` in a profile, if it has not: whatever covers it then is not its.
    pub fn is_beyond(&self, requirement: &Requirement, profile: &str) -> Option<&'static str> {
        let missed = self.missed(profile)?;
        missed
            .beyond
            .contains(requirement.id)
            .then_some("is a codec, and whatever a codec does wrong does not violate it")
    }

    /// Why a requirement of its role cannot be judged in a profile, if it cannot.
    pub fn skips(&self, requirement: &Requirement, profile: &str) -> Option<String> {
        let missed = self.missed(profile)?;
        if !self.takes_world() {
            let by = if self.told().is_some() { "the wire and the world" } else { "the wire" };
            let why = || format!("no mutant of the reference that violates it is found by {by} alone");
            return missed.skipped.contains(requirement.id).then(why);
        }
        let not_shown = || format!("the shim does not show {}", self.hello.not_shown.join(", "));
        missed.skipped.contains(requirement.id).then(not_shown)
    }

    /// Why a requirement of a server that no run covered need not have been in a profile, if it need not.
    pub fn needs_world(&self, requirement: &Requirement, profile: &str) -> Option<String> {
        let missed = self.missed(profile)?;
        let why = || match self.told() {
            Some(_) => String::from("the server's options are its own, and did not make it happen"),
            None => String::from("nobody can tell the server what the world is, and its own did not make it happen"),
        };
        missed.of_the_world.contains(requirement.id).then(why)
    }

    /// Whether it does in all what scenarios say; who is no server need not.
    pub fn takes_world(&self) -> bool {
        self.place != Place::Server || !self.hello.is_of_its_own()
    }

    /// What a server can be told whose options are its own, if it can be told what the world is.
    pub fn told(&self) -> Option<Told> {
        let is_told = self.place == Place::Server && self.hello.takes_world && self.hello.own_options;
        is_told.then(|| Told::but_for(&self.hello.not_taken))
    }

    /// Whether there is something that cannot be judged of it: it does not show everything, or is a codec alone.
    pub fn is_partial(&self) -> bool {
        self.place == Place::Codec || self.place == Place::Client && !self.hello.not_shown.is_empty()
    }

    /// What cannot be judged of it in a profile, if that was found out.
    pub fn missed(&self, profile: &str) -> Option<Arc<Missed>> {
        self.unseen.lock().unwrap_or_else(PoisonError::into_inner).get(profile).cloned()
    }

    /// Keeps what was found out, for [`Self::missed`].
    pub fn miss(&self, unseen: Unseen) {
        self.unseen.lock().unwrap_or_else(PoisonError::into_inner).extend(unseen);
    }

    /// Whether it speaks a profile.
    pub fn speaks(&self, profile: &str) -> bool {
        self.hello.profiles.iter().any(|name| name == profile)
    }

    /// What chooses it on the command line.
    pub fn argument(&self) -> String {
        let Launch { tcp, strict, patience, command, .. } = &self.forms[0].launch;
        let mut talk = String::from(if *tcp && self.chosen.is_none() { " --shim-tcp" } else { "" });
        talk.push_str(if *strict { " --strict-shim" } else { "" });
        if *patience != PATIENCE {
            talk.push_str(&format!(" --shim-timeout {}", patience.as_millis()));
        }
        if let Some(chosen) = &self.chosen {
            return format!("--role {}{talk}{} {chosen}", self.place, self.given.argument());
        }
        let words = command.iter().map(String::as_str);
        let command = shlex::try_join(words).unwrap_or_else(|_| command.join(" "));
        // One word for a shell, whatever quotes are in it.
        let command = shlex::try_quote(&command).map_or_else(|_| command.clone(), |quoted| quoted.into_owned());
        format!("--role {}{talk}{} --shim {command}", self.place, self.given.argument())
    }

    /// Runs a case with it; the first run of each case is done twice, and has to go the same way.
    pub fn judge(&self, case: &Case, seed: u64, keep: Keep) -> Judgement {
        let name = case.name();
        let again = case.alteration == Alteration::default() && self.pool().repeated.insert(name.clone());
        let (number, form) = self.form(case.profile.name);
        let process = match self.lend(case) {
            Ok(process) => process,
            Err(fault) => return Judgement { fault: Some(fault), ..Judgement::default() },
        };
        let (mut judgement, end) = self.run_patiently(case, seed, keep, process, again);
        let Some(process) = end.process else { return judgement };
        if !again || judgement.fault.is_some() {
            self.pool().idle.push((number, process));
            return judgement;
        }
        let link = match is_sample(&name) {
            true => {
                self.pool().idle.push((number, process));
                match Process::start(&form.launch) {
                    Ok(fresh) => Link::comparing(fresh, end.record, "a fresh process"),
                    Err(fault) => return Judgement { fault: Some(fault), ..judgement },
                }
            }
            false => Link::comparing(process, end.record, "the same process"),
        };
        let (second, end) = self.run(case, seed, Keep::Verdict, &link);
        self.pool().idle.extend(end.process.map(|process| (number, process)));
        judgement.fault = second.fault;
        judgement
    }

    /// Runs a case; once more if there was no answer in time, which may be the machine's fault. The answers are recorded or not.
    fn run_patiently(&self, case: &Case, seed: u64, keep: Keep, process: Process, record: bool) -> (Judgement, End) {
        let lend = |process| if record { Link::recording(process) } else { Link::new(process) };
        let (judgement, end) = self.run(case, seed, keep, &lend(process));
        if !matches!(judgement.fault, Some(Fault::Hung { .. })) {
            return (judgement, end);
        }
        let Ok(process) = Process::start(&self.form(case.profile.name).1.launch) else { return (judgement, end) };
        self.pool().failed -= 1;
        self.run(case, seed, keep, &lend(process))
    }

    /// Runs a case with it, and with something else than the reference at its other end.
    pub fn judge_against(&self, case: &Case, seed: u64, other: Replacement) -> Judgement {
        let process = match self.lend(case) {
            Ok(process) => process,
            Err(fault) => return Judgement { fault: Some(fault), ..Judgement::default() },
        };
        let link = Link::new(process);
        let (judgement, end) = self.run_against(case, seed, Keep::Verdict, &link, Some(other));
        let (number, _) = self.form(case.profile.name);
        self.pool().idle.extend(end.process.map(|process| (number, process)));
        judgement
    }

    /// From now on a process is started again however many have failed.
    pub fn keep_starting(&self) {
        self.pool().unlimited = true;
    }

    fn run(&self, case: &Case, seed: u64, keep: Keep, link: &Rc<RefCell<Link>>) -> (Judgement, End) {
        self.run_against(case, seed, keep, link, None)
    }

    fn run_against(
        &self,
        case: &Case,
        seed: u64,
        keep: Keep,
        link: &Rc<RefCell<Link>>,
        other: Option<Replacement>,
    ) -> (Judgement, End) {
        let clients = case.scenario.file.clients + 1;
        let rest = self.form(case.profile.name).1.settings.control.then(|| Rc::new(RefCell::new(Rest::new(clients))));
        let build = |role, setup: &Setup| match role == self.place.role() {
            true => Some(Link::open(link, case.protocol, setup)),
            false => match (other, &rest) {
                (Some(other), _) => Some((other.build)(setup)),
                (None, Some(rest)) => Some(Watched::around((case.protocol.client)(setup), setup.host, rest)),
                (None, None) => None,
            },
        };
        let names = if self.place.role() == Role::Client { self.hello.not_shown.as_slice() } else { &[] };
        let codec = self.place == Place::Codec;
        let worldless = !self.takes_world();
        let settings = &self.form(case.profile.name).1.settings;
        let (hidden, control) = (case.protocol.hidden(names), settings.control);
        let mut case = Case { hidden, codec, worldless, told: self.told(), control, ..case.clone() };
        settings.apply(&mut case);
        let case = &case;
        let mut judgement = judge_with(case, seed, &build, keep);
        if worldless {
            worldless::excuse(case, seed, &mut judgement);
        }
        if let Some(rest) = &rest {
            let compared = rest.borrow().compare(case.protocol);
            judgement.remarks.push(format!("{} entities at rest were compared", compared.entities));
            judgement.remarks.extend(compared.absent);
            judgement.differences = compared.differences;
        }
        if let Some(missed) = self.missed(case.profile.name) {
            judgement.keep_findings(|finding| !is_disregarded(&missed.disregarded, finding));
        }
        let mut end = link.borrow_mut().end();
        debug_assert_eq!(Rc::strong_count(link), 1, "all hosts are closed");
        if let Some((fault, at)) = end.fault.take() {
            let mut pool = self.pool();
            match fault {
                // It goes on, and so do others of its kind.
                Fault::Unsupported { .. } | Fault::Changed { .. } => {}
                _ => {
                    pool.failed += 1;
                    pool.last = Some(fault.clone());
                }
            }
            // What the other end made of its silence says nothing.
            judgement.keep_findings(|finding| finding.at < at);
            judgement.fault = Some(fault);
        } else if let Some(why) = judgement.halted.take() {
            judgement.fault = Some(Fault::Wrong { asked: "step", why: format!("the run cannot go on: {why}") });
        }
        (judgement, end)
    }

    /// What the process that was used last wrote to its standard error lately.
    pub fn said(&self) -> String {
        self.pool().idle.last().map_or(String::new(), |(_, process)| process.said())
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lend(&self, case: &Case) -> Result<Process, Fault> {
        let (number, form) = self.form(case.profile.name);
        let mut pool = self.pool();
        if let Some(place) = pool.idle.iter().rposition(|(of, _)| *of == number) {
            return Ok(pool.idle.remove(place).1);
        }
        match &pool.last {
            Some(last) if pool.failed > MAX_RESTARTS && !pool.unlimited => return Err(last.clone()),
            _ => {}
        }
        drop(pool);
        Process::start(&form.launch)
    }
}

/// Whether a case is one of those that are repeated in a fresh process: by its name, so that every run chooses the same.
fn is_sample(name: &str) -> bool {
    let sum = name.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    sum.is_multiple_of(FRESH)
}

/// The conforming variants of the reference, with their names.
fn variants() -> impl Iterator<Item = (String, &'static Variant)> {
    let of = |protocol: &&'static Protocol| {
        let protocol = *protocol;
        protocol.variants().map(move |variant| (format!("{}/{}", protocol.name, variant.name), variant))
    };
    PROTOCOLS.iter().flat_map(of)
}

/// The first of these names that no protocol of the profiles has.
fn unknown<'a>(profiles: &[String], not_shown: &'a [String]) -> Option<&'a str> {
    let is_spoken =
        |protocol: &&&Protocol| protocol.profiles.iter().any(|it| profiles.iter().any(|name| name == it.name));
    let spoken = PROTOCOLS.iter().filter(is_spoken);
    let known: Vec<String> = spoken.flat_map(|protocol| Hidden::names(protocol.fields, protocol.notes)).collect();
    not_shown.iter().find(|name| !known.contains(name)).map(String::as_str)
}
