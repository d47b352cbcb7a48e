//! What the preloaded library saw of an engine: one `key value` per line.

use crate::engine::description::{Description, Threads};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// The file that the library writes to, which is removed when this is dropped.
pub(super) struct Report(PathBuf);

impl Report {
    /// A new one; nothing is there yet.
    pub(super) fn new() -> Report {
        Report(std::env::temp_dir().join(format!("deltaproof-report-{:016x}", rand::random::<u64>())))
    }

    /// The variable that names it.
    pub(super) fn variable(&self) -> (String, String) {
        (String::from("DELTAPROOF_ENGINE_REPORT"), self.0.to_string_lossy().into_owned())
    }

    pub(super) fn facts(&self) -> Facts {
        Facts::read(&fs::read_to_string(&self.0).unwrap_or_default())
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// What the library saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// UDP ports, in the order in which they were bound.
    pub udp: Vec<u16>,
    pub waits: BTreeSet<String>,
    /// Virtual milliseconds until it was ready.
    pub booted_ms: Option<u64>,
    /// Whether it read what was typed.
    pub console: bool,
    /// How it ended by itself.
    pub ended: BTreeSet<String>,
    /// What was refused or noticed, with how often: `thread refused`, `syscall NAME`, …
    pub others: BTreeMap<String, u32>,
}

impl Facts {
    fn read(text: &str) -> Facts {
        let mut facts = Facts::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["bound", "udp", port] => {
                    let port = port.parse().ok().filter(|port| *port != 0 && !facts.udp.contains(port));
                    facts.udp.extend(port);
                }
                ["waits", how] => {
                    facts.waits.insert(String::from(*how));
                }
                ["booted", ms] => facts.booted_ms = ms.parse().ok().or(facts.booted_ms),
                ["console", ..] => facts.console = true,
                ["exit" | "signal", _] => {
                    facts.ended.insert(String::from(line));
                }
                [] => {}
                _ => *facts.others.entry(words.join(" ")).or_default() += 1,
            }
        }
        facts
    }

    /// Everything that begins with `key`, without that.
    pub(super) fn of(&self, key: &str) -> Vec<String> {
        let found = self.others.iter().filter_map(|(text, count)| Some((text.strip_prefix(key)?.trim(), count)));
        found
            .map(|(text, count)| if *count > 1 { format!("{text} ({count} times)") } else { String::from(text) })
            .collect()
    }
}

/// How grave something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    Good,
    /// To be known.
    Note,
    /// It has to be mended.
    Bad,
}

impl Grade {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Grade::Good => "ok",
            Grade::Note => "note",
            Grade::Bad => "bad",
        }
    }
}

/// What was seen, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// How grave it is.
    pub grade: Grade,
    /// What was seen.
    pub what: String,
    /// What to do; empty: nothing.
    pub advice: String,
}

impl Line {
    pub(super) fn good(what: impl Into<String>) -> Line {
        Line { grade: Grade::Good, what: what.into(), advice: String::new() }
    }

    /// To be known.
    pub(super) fn note(what: impl Into<String>, advice: impl Into<String>) -> Line {
        Line { grade: Grade::Note, what: what.into(), advice: advice.into() }
    }

    /// It has to be mended.
    pub(super) fn bad(what: impl Into<String>, advice: impl Into<String>) -> Line {
        Line { grade: Grade::Bad, what: what.into(), advice: advice.into() }
    }
}

/// What the library saw, against what the description says.
pub(super) fn lines(facts: &Facts, own: &Description) -> Vec<Line> {
    let mut lines = vec![port(facts, own), threads(facts, own)];
    let waits: Vec<&str> = facts.waits.iter().map(String::as_str).collect();
    lines.push(match waits.is_empty() {
        true => Line::note(
            "it was never seen to wait",
            "it may look at the clock alone: a lower `spin` lets time pass sooner",
        ),
        false => Line::good(format!("it waits by {}", waits.join(", "))),
    });
    let caught = facts.of("syscall");
    lines.push(match caught.is_empty() {
        true => Line::good("no system call got by"),
        false => Line::note(
            format!("system calls that got by the C library, and were caught: {}", caught.join(", ")),
            "one that is refused can make it stop; the others cost time alone",
        ),
    });
    for (key, what, advice) in [
        ("socket", "sockets of other kinds were refused (family, type)", "harmless, unless the game needs one"),
        (
            "process",
            "other processes were refused",
            "harmless, unless the engine waits for one: start its program itself",
        ),
        ("bound tcp", "TCP ports were bound, to which nobody connects", ""),
    ] {
        let found = facts.of(key);
        if !found.is_empty() {
            lines.push(Line::note(format!("{what}: {}", found.join(", ")), advice));
        }
    }
    lines
}

fn port(facts: &Facts, own: &Description) -> Line {
    let list = |ports: &[u16]| ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    let bound = if facts.udp.is_empty() { String::from("no UDP port") } else { format!("UDP {}", list(&facts.udp)) };
    match (own.ports.as_slice(), facts.udp.as_slice()) {
        (_, []) => Line::bad(
            "it bound no UDP port",
            "does it serve at once? arguments may have to say `dedicated`, and a map; DELTAPROOF_ENGINE_LOG=1 shows more",
        ),
        ([], _) => {
            Line::note(format!("it bound {bound}; the first is taken"), format!("say `ports: [{}]`", facts.udp[0]))
        }
        (known, bound_ports) => match known.iter().find(|port| !bound_ports.contains(port)) {
            Some(port) => Line::bad(
                format!("it bound {bound}, and not {port}, which the description has"),
                format!("say `ports: [{}]`, or have the arguments set {{port}}", list(bound_ports)),
            ),
            None => Line::good(format!("it bound {bound}")),
        },
    }
}

fn threads(facts: &Facts, own: &Description) -> Line {
    match (own.threads, facts.of("thread").as_slice()) {
        (Threads::Refuse, []) => Line::good("it starts no threads"),
        (Threads::Allow, []) => Line::note("it starts no threads", "say `threads: refuse`: runs need no boot then"),
        (Threads::Refuse, refused) => Line::note(
            format!("threads: {}", refused.join(", ")),
            "fine, if it does the work itself then; `threads: allow` lets them run, beside virtual time and with a boot for each run",
        ),
        (Threads::Allow, started) => Line::note(
            format!("threads: {}", started.join(", ")),
            "they run in real time, and each run boots anew; look whether an argument does without them",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn own(more: &str) -> Description {
        let text = format!("name: X\nabout: x\nroles: [server]\nprofiles: [fte-qw]\n{more}");
        Description::parse(Path::new("x.yaml"), &text).expect("it is right")
    }

    #[test]
    fn what_the_library_saw_is_told_with_what_to_do() {
        let facts =
            Facts::read("bound udp 27500\nbound udp 0\nthread refused\nthread refused\nsyscall futex\nbooted 3000\n");
        assert_eq!((facts.udp.as_slice(), facts.booted_ms), ([27500].as_slice(), Some(3_000)));
        let told = lines(&facts, &own("ports: [27910]\n"));
        let grades: Vec<Grade> = told.iter().map(|line| line.grade).collect();
        assert_eq!(grades, [Grade::Bad, Grade::Note, Grade::Note, Grade::Note]);
        assert_eq!(told[0].what, "it bound UDP 27500, and not 27910, which the description has");
        assert_eq!(told[0].advice, "say `ports: [27500]`, or have the arguments set {port}");
        assert_eq!(told[1].what, "threads: refused (2 times)");
        let facts = Facts::read("bound udp 27500\nwaits select\nbound tcp 27500 refused\nsocket 1 2 refused\n");
        let told = lines(&facts, &own("ports: [27500]\n"));
        assert!(told[..4].iter().all(|line| line.grade == Grade::Good), "{told:?}");
        assert!(told[4].what.ends_with(": 1 2 refused") && told[5].what.ends_with(": 27500 refused"), "{told:?}");
        assert_eq!(lines(&Facts::default(), &own(""))[0].what, "it bound no UDP port");
    }
}
