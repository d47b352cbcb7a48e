//! What a client's requests have the server answer.

use super::coverage::Point;
use super::session::{Answer, Session};
use crate::constants::{LIMIT_REQUEST, NVS_REQUEST};
use crate::options::Options;
use crate::version::{Version, Versions};
use kit::{Report, Time};

/// The server receives a line of text from a client.
pub fn take_text(session: &mut Session, report: &mut Report, options: &Options, now: Time, text: &[u8]) {
    let mut words = text.split(|byte| byte.is_ascii_whitespace() || *byte == 0).filter(|word| !word.is_empty());
    let word = words.next().unwrap_or_default();
    // What was sent in this level shows what was received in it, though it was received before the level was seen to begin.
    let stage = if session.behind == 0 { session.stage } else { 0 };
    let in_game = session.spawned.is_some() || stage >= 3;
    let early = session.prespawned.is_none() && stage < 2;
    // What is received before a server has sent its level, it may take or not.
    session.is_unsure |= !session.is_level_sent() && session.level_may_be_pending(now, options.tick_us);
    let claimed = session.claimed.unwrap_or_default();
    let unchanged = Answer { versions: None, claimed, optional: true, early, level: session.server_level };
    match word {
        _ if word == NVS_REQUEST => {
            session.asked = true;
            let claimed = words.next().map(Version::from_text);
            report.saw_if(in_game && claimed.is_some(), Point::RequestInGame);
            let level = session.server_level;
            let stored = |session: &Session| answer(session.claimed.unwrap_or_default(), options, early, level);
            match claimed {
                _ if in_game => session.expect_answer(unchanged),
                None => {
                    session.bare = true;
                    let expected = Answer { optional: true, ..stored(session) };
                    session.expect_answer(expected);
                }
                Some(claimed) if claimed < Version::PLAIN => {
                    session.negative = true;
                    let expected = Answer { optional: true, ..stored(session) };
                    session.expect_answer(expected);
                }
                Some(claimed) => {
                    session.claimed = Some(claimed);
                    session.claims(now, claimed, options.required);
                    let expected = answer(claimed, options, early, level);
                    report.saw_if(expected.optional && !options.compatibility, Point::RequestOfNothing);
                    report.saw_if(claimed < options.required, Point::TooOld);
                    session.expect_answer(expected);
                }
            }
        }
        _ if word == LIMIT_REQUEST => session.asked_limits = true,
        b"prespawn" => {
            // Where the server has answered it in this level, this is said once more, and the claim before it may have gone unseen.
            if stage < 2 {
                session.prespawned.get_or_insert(now);
            }
            let claimed = session.claimed.unwrap_or_default();
            session.claims(now, claimed, options.required);
            report.saw_if(claimed < options.required, Point::TooOld);
        }
        // One of an earlier level means nothing.
        b"spawn" if session.prespawned.is_some() || stage >= 2 => {
            session.spawned.get_or_insert(now);
        }
        b"begin" if in_game => {
            session.begun.get_or_insert(now);
        }
        _ => {}
    }
}

/// The versions of a client that claims so much: each is the lower of what two sides know.
pub fn lower(claimed: Version, options: &Options) -> Versions {
    let ssvc = options.ssvc();
    Versions { ssvc, csvc: claimed.min(ssvc), cclc: claimed.min(options.server_max) }
}

/// The answer to a good request, or to one that left `claimed` as it was.
pub fn answer(claimed: Version, options: &Options, early: bool, level: u32) -> Answer {
    let versions = lower(claimed, options);
    let zero = versions.ssvc == Version::PLAIN && versions.cclc == Version::PLAIN;
    let optional = zero || options.compatibility || claimed < options.required;
    Answer { versions: Some(versions), claimed, optional, early, level }
}
