//! Why a cell of the matrix of stimuli cannot be.

use std::collections::BTreeSet;

/// A reason: of which cells, by names, where an empty one stands for all, and a name that ends with `*` for those that begin so.
#[derive(Debug)]
pub struct Excuse {
    /// The protocol.
    pub protocol: &'static str,
    /// The profile.
    pub profile: &'static str,
    /// The row.
    pub row: &'static str,
    /// The column.
    pub column: &'static str,
    /// Why.
    pub why: &'static str,
    /// The scenarios in which the row happens all the same, where the reason is that it has those of its own.
    pub shown_in: &'static [&'static str],
}

const fn excuse(
    protocol: &'static str,
    profile: &'static str,
    row: &'static str,
    column: &'static str,
    why: &'static str,
) -> Excuse {
    Excuse { protocol, profile, row, column, why, shown_in: &[] }
}

/// Of rows that have scenarios of their own: these, and why they have.
const fn elsewhere(
    protocol: &'static str,
    row: &'static str,
    why: &'static str,
    shown_in: &'static [&'static str],
) -> Excuse {
    Excuse { protocol, profile: "", row, column: "", why, shown_in }
}

/// What is told to make the network's work happen at a moment of choice.
const TOOL: &str = "stands for what a network does, at the moment that a scenario of its own chooses";
/// What is part of a sign-on.
const SIGN_ON: &str = "is told before anybody comes: what a server makes of it later is its own choice";
/// Values that the wire does not have.
const COORD: &str = "a coord has thirteen bits before its point, and comes round";
const CIRCLE: &str = "an angle is of one circle";
const OF_ONE: &str = "is of 1";
const SHOWN: &str = "is what a client shows, and no server is told";
const ELSEWHERE: &str = "nothing that is told here makes an end send it: scenarios of its own do";
const NO_END: &str = "no end of ours sends it: it is for the traffic of others";
const ONE_MAP: &str = "there is one map";

/// The reasons. The first that fits counts.
pub const EXCUSES: &[Excuse] = &[
    excuse("fte", "", "", "agreements", "the masks of a scenario are those of all clients"),
    excuse("fitz666", "", "", "agreements", "the server announces one protocol to all clients"),
    excuse("pygg2", "", "", "agreements", "what is declared is declared by all ends"),
    excuse("pygg2", "", "", "map", ONE_MAP),
    excuse("pygg2", "", "", "after-map", ONE_MAP),
    excuse("pygg2", "", "map", "", ONE_MAP),
    elsewhere("fitz666", "verb static*", SIGN_ON, &["fitz666/baselines"]),
    elsewhere("fte", "verb static", SIGN_ON, &["fte/announcements"]),
    elsewhere("fte", "verb support", SIGN_ON, &["fte/extensions-change"]),
    elsewhere("fitz666", "verb request_again", TOOL, &["fitz666/requests-repeated"]),
    elsewhere("fitz666", "verb repeat_move", TOOL, &["fitz666/moves-again"]),
    elsewhere("fitz666", "verb hello", TOOL, &["fitz666/requests-repeated"]),
    elsewhere("fitz666", "verb poke_ack", TOOL, &["fitz666/stale-acks"]),
    elsewhere(
        "nvs",
        "verb request*",
        "has two right answers while a level begins: scenarios of its own choose the moment",
        &["nvs/asks-for-less", "nvs/request-bare"],
    ),
    elsewhere("fte", "verb nop_datagrams", TOOL, &["fte/ack-numbering-gaps"]),
    elsewhere("fte", "verb repeat_move", TOOL, &["fte/movement-repeated"]),
    excuse("fte", "", "field origin*", "32767", COORD),
    excuse("nvs", "", "field origin*", "32767", COORD),
    excuse("fitz666", "", "field origin*", "32767", COORD),
    excuse("r1q2", "", "field origin*", "32767", COORD),
    excuse("r1q2", "", "field old_origin*", "32767", COORD),
    excuse("fte", "", "field pitch", "32767", CIRCLE),
    excuse("fte", "", "field yaw", "32767", CIRCLE),
    excuse("fte", "", "field roll", "32767", CIRCLE),
    excuse("nvs", "", "field pitch", "32767", CIRCLE),
    excuse("nvs", "", "field yaw", "32767", CIRCLE),
    excuse("nvs", "", "field roll", "32767", CIRCLE),
    excuse("fitz666", "", "field pitch", "32767", CIRCLE),
    excuse("fitz666", "", "field yaw", "32767", CIRCLE),
    excuse("fitz666", "", "field roll", "32767", CIRCLE),
    excuse("r1q2", "", "field pitch", "32767", CIRCLE),
    excuse("r1q2", "", "field yaw", "32767", CIRCLE),
    excuse("r1q2", "", "field roll", "32767", CIRCLE),
    excuse("fitz666", "", "field alpha", "127", OF_ONE),
    excuse("fitz666", "", "field alpha", "255", OF_ONE),
    excuse("fitz666", "", "field alpha", "32767", OF_ONE),
    excuse("fitz666", "", "field lerpfinish", "", SHOWN),
    excuse("fitz666", "", "field opacity", "", SHOWN),
    excuse("fitz666", "", "field water_opacity", "", SHOWN),
    excuse("fitz666", "", "field nextthink", "32767", "a map does not last nine hours"),
    elsewhere(
        "fitz666",
        "verb reload",
        "starts its map, as a new map does, in scenarios of its own",
        &["fitz666/save-and-load"],
    ),
    elsewhere(
        "fte",
        "verb csqc_gone",
        "needs an extension by which the other scenarios would be others",
        &["fte/csqc-gone"],
    ),
    elsewhere("fitz666", "carries reject", ELSEWHERE, &["fitz666/request-wrong"]),
    elsewhere("fitz666", "carries static*", ELSEWHERE, &["fitz666/baselines"]),
    elsewhere("pygg2", "carries refuse", ELSEWHERE, &["pygg2/full-server"]),
    elsewhere("pygg2", "carries unreadable", ELSEWHERE, &["pygg2/nonsense"]),
    elsewhere("nvs", "carries temp_entity", ELSEWHERE, &["nvs/directions"]),
    elsewhere("nvs", "carries listed", ELSEWHERE, &["nvs/two-effects"]),
    excuse("r1q2", "r1q2-35", "carries setting", "", "is of revision 1902 and later ones"),
    excuse("fte", "fte-qw", "carries move", "", "is a mark of NetQuake's moves alone"),
    excuse("r1q2", "", "carries stale", "", NO_END),
    excuse("r1q2", "", "carries userinfo", "", NO_END),
];

/// Whether a name is one of those that a reason gives.
fn fits(given: &str, name: &str) -> bool {
    match given.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => given.is_empty() || given == name,
    }
}

impl Excuse {
    /// Whether it is of this row.
    pub fn is_of(&self, row: &str) -> bool {
        fits(self.row, row)
    }

    /// Whether it claims that the row has scenarios of its own.
    pub fn claims_others(&self) -> bool {
        !self.shown_in.is_empty()
            || ["scenario of its own", "scenarios of its own"].iter().any(|own| self.why.contains(own))
    }
}

/// The reason why a cell cannot be, if there is one, and its number.
pub fn of(protocol: &str, profile: &str, row: &str, column: &str) -> Option<(usize, &'static Excuse)> {
    EXCUSES.iter().enumerate().find(|(_, excuse)| {
        fits(excuse.protocol, protocol)
            && fits(excuse.profile, profile)
            && fits(excuse.row, row)
            && fits(excuse.column, column)
    })
}

/// What stands for a reason.
pub fn letter(why: &str) -> String {
    let before = EXCUSES.iter().map(|excuse| excuse.why).take_while(|other| *other != why);
    let place = before.collect::<BTreeSet<_>>().len();
    let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
    if place < 26 { letter(place).to_string() } else { format!("{}{}", letter(place / 26 - 1), letter(place)) }
}
