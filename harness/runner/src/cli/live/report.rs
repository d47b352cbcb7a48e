//! What came of a live session: through or not, and why not; then what the oracle saw.

use super::super::observed::{self, counted};
use super::super::output::{Answer, BAD, DIM, GOOD, HEAD, Stop, WARN, json_line};
use super::Live;
use crate::live::rest::Compared;
use crate::observe::sight;
use serde_json::json;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;

/// The last words of a server that are shown.
const LAST_WORDS: usize = 6;

/// Which session is shown.
pub(super) struct Shown<'a> {
    pub name: &'a str,
    pub seed: u64,
    pub record: &'a Path,
    /// The server that was probed, if one was.
    pub server: Option<SocketAddr>,
    /// Whether what was covered is said for all sessions together, in the end.
    pub one_of_many: bool,
}

/// A session: got through or not and why, what the oracle saw, and how to see it again.
pub(super) struct Told<'a> {
    pub shown: &'a Shown<'a>,
    pub live: &'a Live,
}

impl Answer for Told<'_> {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        human(self.shown, self.live, out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let Shown { name, seed, record, .. } = *self.shown;
        let Live { outcome, missing, control, observation, .. } = self.live;
        let traffic: Vec<String> = outcome.sent.iter().map(u64::to_string).collect();
        json_line(
            out,
            &json!({
                "session": name, "seed": seed, "recording": record,
                "through_at_us": outcome.active.map(kit::Time::us), "said": outcome.prints, "last_answer": outcome.last_answer,
                "sent": traffic, "ended": outcome.ended, "held_back": outcome.held_back, "refused": outcome.refused,
                "lateness_us": outcome.lateness_us, "missing": missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "differences": control.as_ref().map(|it| &it.differences), "compared": control.as_ref().map(|it| it.entities),
            }),
        )?;
        observed::Session { name, guess: None, observation }.json(out)
    }
}

fn human(shown: &Shown<'_>, live: &Live, out: &mut dyn Write) -> Result<(), Stop> {
    let Shown { name, seed, record, server, one_of_many } = *shown;
    let Live { outcome, missing, control, .. } = live;
    if let Some(server) = server {
        through(name, live, server, out)?;
    }
    if one_of_many {
        // What was found stands above, together with what the other sessions found.
        if live.observation.not_judged.is_some() {
            observed::verdict(&live.observation, out)?;
        }
    } else {
        observed::found(name, &live.observation, out)?;
        observed::coverage(&live.observation.coverage, out)?;
        observed::verdict(&live.observation, out)?;
    }
    for line in missing {
        writeln!(out, "  {WARN}did not happen:{WARN:#} {line}")?;
    }
    if let Some(Compared { entities, differences, absent }) = control {
        let style = if differences.is_empty() { DIM } else { BAD };
        let found = counted(differences.len(), "difference");
        let compared = if *entities == 1 { String::from("1 entity") } else { format!("{entities} entities") };
        writeln!(out, "  {style}{found}{style:#} from the control client in {compared} at rest")?;
        for line in differences.iter().chain(absent) {
            writeln!(out, "    {line}")?;
        }
    }
    if outcome.held_back > 0 {
        writeln!(
            out,
            "  {WARN}held back:{WARN:#} {} above the rate limit",
            counted(outcome.held_back as usize, "datagram")
        )?;
    }
    if outcome.refused > 0 {
        let refused = counted(outcome.refused as usize, "datagram");
        writeln!(out, "  {WARN}refused:{WARN:#} {refused} of clients for which there was no seat")?;
    }
    if !one_of_many {
        can_see(&live.observation.profile, out)?;
    }
    if one_of_many && outcome.active.is_some() && live.observation.not_judged.is_none() && control.is_none() {
        return Ok(());
    }
    let [s2c, c2s] = outcome.sent;
    let late = outcome.lateness_us / 1000;
    writeln!(
        out,
        "  {DIM}seed {seed}, {s2c} datagrams s2c, {c2s} c2s, at most {late} ms late; real time: another run differs{DIM:#}"
    )?;
    writeln!(out, "  {DIM}recorded: {}; `deltaproof judge` and `decode` read it{DIM:#}\n", record.display())?;
    Ok(())
}

/// How much of what can be wrong an oracle sees that has the wire only.
pub(super) fn can_see(profile: &str, out: &mut dyn Write) -> Result<(), Stop> {
    if let Some((killed, all)) = sight::killed_blind(profile) {
        let percent = 100 * killed / all.max(1);
        writeln!(
            out,
            "  {DIM}what the wire shows: of {all} faults that our mutants have, this oracle finds {killed} ({percent} %){DIM:#}"
        )?;
    }
    Ok(())
}

/// Whether the client got into the game, and if not, what is known of the reason.
fn through(name: &str, live: &Live, server: SocketAddr, out: &mut dyn Write) -> Result<(), Stop> {
    let outcome = &live.outcome;
    let ended = outcome.ended.iter();
    match outcome.active {
        Some(at) => {
            writeln!(out, "{GOOD}got through{GOOD:#} {HEAD}{name}{HEAD:#}: in the game after {at}")?;
            for line in ended {
                writeln!(out, "  {WARN}ended early:{WARN:#} {line}")?;
            }
        }
        None if outcome.sent[0] == 0 => {
            writeln!(
                out,
                "{BAD}no answer{BAD:#} {HEAD}{name}{HEAD:#}: nothing came from {server}; is a server running there?"
            )?;
        }
        None => {
            writeln!(out, "{BAD}not through{BAD:#} {HEAD}{name}{HEAD:#}")?;
            for line in ended {
                writeln!(out, "  {line}")?;
            }
            writeln!(out, "  the server's last answer: {}", outcome.last_answer)?;
        }
    }
    let last = outcome.prints.len().saturating_sub(LAST_WORDS);
    let is_over = outcome.active.is_none() || !outcome.ended.is_empty();
    for print in outcome.prints.iter().skip(last).filter(|_| is_over) {
        writeln!(out, "  the server said: {print}")?;
    }
    Ok(())
}
