//! What the page calls: requests and answers are JSON in linear memory.
//!
//! A caller asks [`input`] for room, writes a request there, calls [`answer`], and reads as many bytes at [`output`]. A request names
//! what it wants by `do`; [`Request`] has all of them. A mistake is an answer, too: `{"error": …}`. There is one caller at a time, as
//! memory of a module without threads has one owner. Nothing is decided here: [`catalogue`], [`play`], [`traffic`] and
//! [`mod@demo`] ask `judging`.

mod catalogue;
mod demo;
mod play;
mod traffic;

use play::Memory;
use serde::Deserialize;
use serde_json::{Value, json};
use std::cell::RefCell;

/// Longest request, in bytes.
const MOST_BYTES: usize = 256 << 20;

/// What can be asked for.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Request {
    /// The protocols with their requirements, mutants, variants and texts, and the scenarios with their cases.
    Catalogue,
    /// One run of a case, with its history drawn.
    Play(play::Play),
    /// What happened last in [`Request::Play`]: one thing, by its place.
    Entry {
        /// From 0.
        place: usize,
    },
    /// What the first client of that run received, as a demo that engines play.
    Demo,
    /// What both ends of a case hold at a moment.
    Held(play::Held),
    /// A case with its own seeds, or with one: the verdict.
    Case(play::Judged),
    /// A run that fails, made smaller: a scenario of its own.
    Shrink(play::Judged),
    /// Recorded traffic, decoded and judged.
    Traffic(traffic::Traffic),
}

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::default());
}

/// The answer to a request.
pub fn answer_to(request: &[u8]) -> Value {
    let request = match serde_json::from_slice(request) {
        Ok(request) => request,
        Err(error) => return json!({ "error": format!("the request cannot be read: {error}") }),
    };
    let answer = MEMORY.with_borrow_mut(|memory| match request {
        Request::Catalogue => catalogue::catalogue(),
        Request::Play(play) => memory.play(&play),
        Request::Entry { place } => memory.entry(place),
        Request::Demo => memory.demo(),
        Request::Held(held) => play::held(&held),
        Request::Case(judged) => play::case(&judged),
        Request::Shrink(judged) => play::smaller(&judged),
        Request::Traffic(traffic) => traffic::traffic(&traffic),
    });
    answer.unwrap_or_else(|error| json!({ "error": error }))
}

/// Room for a request of so many bytes; null for one that is too long.
#[expect(unsafe_code, reason = "a host calls it by this name; nothing else has it")]
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    if bytes > MOST_BYTES {
        return std::ptr::null_mut();
    }
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(bytes, 0);
        input.as_mut_ptr()
    })
}

/// Answers the request that was written there; returns the length of the answer, in bytes.
#[expect(unsafe_code, reason = "a host calls it by this name; nothing else has it")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let request = INPUT.with_borrow_mut(std::mem::take);
    let answer = answer_to(&request).to_string().into_bytes();
    let length = answer.len();
    OUTPUT.set(answer);
    length
}

/// Where the answer is, until the next one.
#[expect(unsafe_code, reason = "a host calls it by this name; nothing else has it")]
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

#[cfg(test)]
mod tests;
