//! `engine doctor`: can an engine be run as it is, and what of it cannot be?

use super::super::arguments::EngineTried;
use super::super::output::{BAD, DIM, Format, GOOD, HEAD, Stop, WARN};
use super::report::{Facts, Grade, Line, Report, lines};
use crate::engine::description::{Description, RoleName};
use crate::engine::program::{self, Program};
use crate::engine::{Engine, describe, preload};
use crate::foreign::{Foreign, Form};
use crate::history::What;
use crate::judge::{Judgement, Keep};
use crate::place::Place;
use crate::registry;
use crate::scenario::{self, Case};
use crate::stopwatch::Stopwatch;
use kit::{Direction, HostId, Profile, Protocol};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// A session without a fault, as long as this.
const SECONDS: u64 = 10;
/// A map is begun then.
const MAP_AT: u64 = 6;
/// So many of the last lines that it printed are shown, and so much of its last datagram.
const LAST_WORDS: usize = 6;
const SHOWN: usize = 100;
/// The states of ends of ours that are in the game.
const IN_THE_GAME: [&str; 2] = ["active", "inside"];

/// Tries an engine. Exit code 0, or 3 where something has to be mended.
pub(super) fn doctor(
    tried: &EngineTried,
    protocols: &'static [&'static Protocol],
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let chosen = tried.engine.only(tried.settings.map.as_deref())?;
    let chosen =
        chosen.ok_or_else(|| Stop::Usage(String::from("say which: --engine NAME --program PATH --dir DIR")))?;
    let description = describe(&chosen.name, chosen.describe.as_deref())?;
    let mut teller = Teller { format, out, bad: 0 };
    let path = program::find(&chosen.program);
    let program = match Program::look(&path) {
        Ok(program) => program,
        Err(why) => {
            teller.tell(&Line::bad(format!("the program {}", chosen.program.display()), why.to_string()))?;
            return teller.end();
        }
    };
    teller.tell(&Line::good(format!(
        "the program: {} bits, linked dynamically, build {}",
        program.bits(),
        program.hash
    )))?;
    match preload::library(program.narrow) {
        Ok(library) => {
            let built = if library.fresh { "built now" } else { "built before" };
            teller.tell(&Line::good(format!(
                "the library: {built} by {}, {}",
                library.compiler,
                library.path.display()
            )))?;
        }
        Err(why) => {
            teller.tell(&Line::bad("the library that is preloaded", why))?;
            return teller.end();
        }
    }
    let engine = Engine::new(&chosen)?;
    let forms = match engine.forms(&tried.settings.set, tried.talk.patience(), tried.talk.is_strict()?) {
        Ok(forms) => forms,
        Err(why) => {
            teller.tell(&Line::bad("what scenarios have to say otherwise (`set`)", why))?;
            return teller.end();
        }
    };
    let wanted = |name: &str| tried.profile.as_deref().is_none_or(|profile| profile == name);
    let mut any = false;
    for (protocol, profile) in registry::profiles(protocols).filter(|(_, profile)| wanted(profile.name)) {
        let Some(form) = forms.iter().find(|form| form.profiles.iter().any(|name| name == profile.name)) else {
            continue;
        };
        any = true;
        teller.begin(profile.name)?;
        for role in &description.roles {
            let own = description.of(profile.name);
            Trial { engine: &engine, own: &own, form, protocol, profile, role: *role }.run(&mut teller)?;
        }
    }
    if !any {
        let known = description.profiles.join(", ");
        teller.tell(&Line::bad("no profile was tried", format!("the description has {known}")))?;
    }
    if !description.notes.trim().is_empty() && teller.bad > 0 {
        teller.tell(&Line::note("what its description says", description.notes.trim()))?;
    }
    teller.end()
}

/// Prints lines, and counts what has to be mended.
struct Teller<'a> {
    format: Format,
    out: &'a mut dyn Write,
    bad: usize,
}

impl Teller<'_> {
    fn begin(&mut self, profile: &str) -> Result<(), Stop> {
        if self.format.is_for_people() {
            writeln!(self.out, "{HEAD}{profile}{HEAD:#}")?;
        }
        Ok(())
    }

    fn tell(&mut self, line: &Line) -> Result<(), Stop> {
        let Line { grade, what, advice } = line;
        self.bad += usize::from(*grade == Grade::Bad);
        let json = json!({ "check": what, "grade": grade.word(), "advice": advice });
        self.format.tell(self.out, &json, |out| {
            let style = match grade {
                Grade::Good => GOOD,
                Grade::Note => WARN,
                Grade::Bad => BAD,
            };
            writeln!(out, "{style}{:<4}{style:#}  {what}", grade.word())?;
            for line in advice.lines() {
                writeln!(out, "      {DIM}{line}{DIM:#}")?;
            }
            out.flush()
        })
    }

    fn end(&mut self) -> Result<u8, Stop> {
        let bad = self.bad;
        self.format.tell(self.out, &json!({ "summary": { "bad": bad } }), |out| match bad {
            0 => writeln!(out, "{GOOD}it can be run{GOOD:#}: try `deltaproof run` with `--engine`"),
            _ => writeln!(out, "{BAD}{bad} to be mended{BAD:#}; DELTAPROOF_ENGINE_LOG=1 has the library say more"),
        })?;
        Ok(if bad == 0 { 0 } else { 3 })
    }
}

/// An engine in one profile and role.
struct Trial<'a> {
    engine: &'a Engine,
    own: &'a Description,
    form: &'a Form,
    protocol: &'static Protocol,
    profile: &'static Profile,
    role: RoleName,
}

impl Trial<'_> {
    fn run(&self, teller: &mut Teller<'_>) -> Result<(), Stop> {
        let report = Report::new();
        let clock = Stopwatch::start();
        let foreign = match self.start(&report) {
            Ok(foreign) => foreign,
            Err(why) => {
                let facts = report.facts();
                let advice =
                    "what it printed stands above; try its line without us: does it serve at once, without a question?";
                teller.tell(&Line::bad(format!("it does not get ready: {why}"), advice))?;
                return self.seen(&facts, teller);
            }
        };
        let wall_ms = clock.us() / 1_000;
        let ready = report.facts().booted_ms.map_or(String::new(), |ms| format!(", {ms} ms of virtual time"));
        teller.tell(&Line::good(format!("it boots in {wall_ms} ms{ready}")))?;
        let case = self.case()?;
        let clock = Stopwatch::start();
        let judgement = foreign.judge(&case, 1, Keep::Events);
        // The first run of a case is done twice.
        let speed = 2 * SECONDS * 1_000_000 / clock.us().max(1);
        let facts = report.facts();
        self.seen(&facts, teller)?;
        // Game code of ours takes what would be typed.
        if !self.own.console.is_empty() && foreign.told().is_none() {
            teller.tell(&match facts.console {
                true => Line::good("it reads its console"),
                false => Line::note(
                    "it did not read what was typed at its console",
                    "leave `console` out: cases that need it are unsupported then",
                ),
            })?;
        }
        teller.tell(&self.signed_on(&judgement, &foreign.said()))?;
        teller.tell(&match &judgement.fault {
            Some(fault) => Line::bad(fault.to_string(), "see `harness/shim/PROTOCOL.md`, What can go wrong"),
            None => self.again(&case, &judgement),
        })?;
        teller.tell(&match speed {
            ..20 => Line::note(
                format!("{speed} virtual seconds a second"),
                "slow: a frame rate that it can be given may help",
            ),
            _ => Line::good(format!("{speed} virtual seconds a second")),
        })
    }

    /// What the library saw.
    fn seen(&self, facts: &Facts, teller: &mut Teller<'_>) -> Result<(), Stop> {
        for ended in &facts.ended {
            teller.tell(&Line::bad(format!("it ended by itself: {ended}"), ""))?;
        }
        lines(facts, self.own).iter().try_for_each(|line| teller.tell(line))
    }

    fn start(&self, report: &Report) -> Result<Foreign, String> {
        let mut form = self.form.clone();
        form.launch.env.push(report.variable());
        Foreign::start_engine(vec![form], self.engine.chosen.argument(), Place::named(self.role.name()))
    }

    /// A session without a fault, in which another map begins if the engine can be told that.
    fn case(&self) -> Result<Case, Stop> {
        let map = match self.own.console.contains_key("map") && self.role == RoleName::Server {
            true => format!("timeline:\n  - {{ at: {MAP_AT}s, map: {{}} }}\n"),
            false => String::new(),
        };
        let text = format!(
            "title: A session for the doctor\nwhy: It has no fault.\nprofiles: [any]\nfate_model: 1\nduration: {SECONDS}s\n{map}"
        );
        let path = Path::new("doctor.yaml");
        let scenario = scenario::parse_for_live(self.protocol, self.profile, "doctor", path, &text)?;
        let cases = scenario.map(|scenario| scenario::cases(&Arc::new(scenario))).unwrap_or_default();
        let case = cases.into_iter().find(|case| case.profile == self.profile);
        case.ok_or_else(|| Stop::Harness(String::from("the doctor has no case")))
    }

    /// Whether the two ends got together. `printed`: what the engine wrote for people lately.
    fn signed_on(&self, judgement: &Judgement, printed: &str) -> Line {
        let entries = || judgement.history.entries.iter().map(|entry| (entry.at, &entry.what));
        let (ours, theirs) = match self.role {
            RoleName::Server => (HostId(1), Direction::ServerToClient),
            RoleName::Client => (HostId::SERVER, Direction::ClientToServer),
        };
        let sent = || entries().filter_map(|(_, what)| if let What::Sent(it) = what { Some(it) } else { None });
        let sent = || sent().filter(|it| it.packet.direction == theirs);
        let entered = |what| match what {
            &What::State { host, ref to, .. } if host == ours => Some(to.as_str()),
            _ => None,
        };
        let (count, other) = (sent().count(), self.other());
        if let Some((at, _)) =
            entries().find(|(_, what)| entered(*what).is_some_and(|state| IN_THE_GAME.contains(&state)))
        {
            return Line::good(format!("our {other} is in the game after {at}; the engine sent {count} datagrams"));
        }
        let mut lines: Vec<&str> = printed.trim().lines().rev().take(LAST_WORDS).collect();
        lines.reverse();
        let printed = lines.iter().map(|line| format!("\nit printed: {}", line.trim_end())).collect::<String>();
        let Some(last) = sent().next_back() else {
            let advice = "is `ports` the port of the game? is the map below --dir?";
            return Line::bad(format!("the engine sent nothing to our {other}"), format!("{advice}{printed}"));
        };
        let said: String = last.bytes.escape_ascii().to_string().chars().take(SHOWN).collect();
        let state = entries().filter_map(|(_, what)| entered(what)).next_back().unwrap_or("nothing");
        let advice = "does it speak this profile? does the client need something by `set` (a checksum, extensions)?";
        Line::bad(
            format!("our {other} came no further than `{state}`; the last of {count} datagrams of the engine: {said}"),
            format!("{advice}{printed}"),
        )
    }

    fn other(&self) -> &'static str {
        if self.role == RoleName::Server { "client" } else { "server" }
    }

    /// Whether another process does the same.
    fn again(&self, case: &Case, first: &Judgement) -> Line {
        let report = Report::new();
        let other = match self.start(&report) {
            Ok(other) => other,
            Err(why) => return Line::bad(format!("a second process does not get ready: {why}"), ""),
        };
        let second = other.judge(case, 1, Keep::Verdict);
        match (second.fault, second.trace_hash == first.trace_hash) {
            (Some(fault), _) => Line::bad(format!("in a second process: {fault}"), ""),
            (None, true) => {
                Line::good(format!("the same twice, and in another process: trace {:016x}", first.trace_hash))
            }
            (None, false) => Line::bad(
                format!(
                    "another process does something else: trace {:016x}, then {:016x}",
                    first.trace_hash, second.trace_hash
                ),
                "something of the machine reaches it: threads, files that it writes below --dir, another time",
            ),
        }
    }
}
