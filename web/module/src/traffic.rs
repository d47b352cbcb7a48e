//! Recorded traffic: every field of every datagram, and what an oracle finds in it.

use super::demo;
use judging::capture::{Capture, CaptureDatagram, Options};
use judging::history::What;
use judging::observe::choose::{Choice, sessions};
use judging::observe::recorded::{Recording, SeenAt};
use judging::registry::{PROTOCOLS, profiles};
use kit::Direction;
use serde::Deserialize;
use serde_json::{Value, json};

/// What was recorded, and how to read it.
#[derive(Deserialize)]
pub(crate) struct Traffic {
    /// What to call it.
    name: String,
    /// Text: lines of a text capture, or the hex of a datagram on each line.
    #[serde(default)]
    text: Option<String>,
    /// A file, its bytes in hex.
    #[serde(default)]
    file: Option<String>,
    /// The profile; found from the traffic without one.
    #[serde(default)]
    profile: Option<String>,
    /// The direction of hex: `s2c` or `c2s`.
    #[serde(default)]
    direction: Option<String>,
    /// Where it was recorded: `server`, `client` or `both`.
    #[serde(default)]
    seen_at: Option<String>,
    /// The server's UDP port.
    #[serde(default)]
    port: Option<u16>,
}

/// Datagrams of a recording that are shown in full.
const MOST_SHOWN: usize = 2_000;

pub(crate) fn traffic(traffic: &Traffic) -> Result<Value, String> {
    let mut capture = traffic.open()?;
    if let Some(container) = capture.demo() {
        let forced = traffic.profile.as_deref().map(by_name).transpose()?;
        return demo::judged(capture, container, forced, MOST_SHOWN)
            .or_else(|why| demo::shown(traffic.open()?, container, forced, MOST_SHOWN, &why));
    }
    let datagrams: Vec<CaptureDatagram> =
        capture.by_ref().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let session = capture.session().cloned();
    let wanted = traffic.profile.clone().or_else(|| session.as_ref().map(|session| session.profile.to_string()));
    let (choice, profile, datagrams) = match wanted {
        Some(name) => {
            let choice = by_name(&name)?;
            (choice, choice.profile, datagrams)
        }
        None => {
            let found = sessions(PROTOCOLS, &datagrams, None).map_err(|error| error.to_string())?;
            // Of a recording with several sessions, the longest is shown.
            let longest = found.parts(datagrams).into_iter().max_by_key(|(_, part)| part.len());
            let (reading, part) = longest.ok_or("the recording is empty")?;
            (reading.choice, reading.profile, part)
        }
    };
    let seen_at = match traffic.seen_at.as_deref() {
        Some("server") => SeenAt::Server,
        Some("client") => SeenAt::Client,
        Some("both") => SeenAt::Both,
        _ => SeenAt::Unknown,
    };
    let recording = Recording { protocol: choice.protocol, profile, datagrams, session, options: Vec::new() };
    let history = recording.history(&traffic.name);
    let sent = history.entries.iter().filter(|entry| matches!(entry.what, What::Sent(_)));
    let shown: Vec<_> = sent.clone().take(MOST_SHOWN).collect();
    Ok(json!({
        "all": sent.count(),
        "datagrams": shown,
        "remarks": capture.remarks(),
        "observations": [recording.judge(seen_at)],
    }))
}

/// The profile of this name.
fn by_name(name: &str) -> Result<Choice, String> {
    let found = profiles(PROTOCOLS).find(|(_, profile)| profile.name == name);
    found
        .map(|(protocol, profile)| Choice::of(protocol, profile))
        .ok_or_else(|| format!("there is no profile `{name}`"))
}

impl Traffic {
    fn open(&self) -> Result<Capture, String> {
        let direction = match self.direction.as_deref() {
            Some("c2s") => Direction::ClientToServer,
            _ => Direction::ServerToClient,
        };
        let options = Options { direction, port: self.port };
        let opened = match (&self.file, &self.text) {
            (Some(file), _) => Capture::from_bytes(&self.name, bytes(file).ok_or("the file is no hex")?, &options),
            (None, Some(text)) if text.lines().all(Capture::looks_like_hex) => {
                let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
                Capture::from_hex(1, &lines, &options)
            }
            (None, Some(text)) => Capture::from_bytes(&self.name, text.clone().into_bytes(), &options),
            (None, None) => return Err(String::from("there is nothing to decode")),
        };
        opened.map_err(|error| error.to_string())
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    hex.as_bytes().chunks(2).map(|digits| pair(digits).filter(|_| digits.len() == 2)).collect()
}
