//! Whether a broadcast fits a client's unreliable buffer: what the server decided, where it shows that. On the wire it
//! cannot be seen: a buffer that is nearly full travels in no datagram, since that has other messages, too.

use super::book::Book;
use super::coverage::{Point, Report};
use super::expected::Lines;
use super::script::{Call, Class, Origin, Script};
use crate::constants::CLIENT_DATAGRAM_BYTES;
use crate::requirements::*;
use crate::tables::Message;
use kit::{HostId, Requirement, Time};

/// The margin that the old check leaves for particles.
const OLD_MARGIN: usize = 16;

/// Judges the decisions of a frame: per client in the order of calls. Nothing is known of frames that no client got.
pub fn judge(books: &[&Book], script: &Script, fits: &[(u16, usize, bool)], report: &mut Report, now: Time) {
    let of_frame = |call: &&Call| call.frame == Some(now);
    let first = script.calls.iter().position(|call| call.frame == Some(now)).unwrap_or(script.calls.len());
    for book in books.iter().filter(|book| book.is_judged() && book.framed == Some(now)) {
        let host = book.host.0;
        let calls = script.calls.iter().skip(first).take_while(of_frame);
        let calls = calls.filter(|call| call.class() == Class::Own && call.is_for(host) && !call.writes.is_empty());
        let due = calls.filter_map(|call| Some((call, script.message(call)?)));
        let due = due.filter(|(_, message)| !lines(message, script, book).leaves_out(message));
        let shown = fits.iter().filter(|shown| shown.0 == host);
        let due: Vec<_> = due.collect();
        // A server that shows more or less than was asked for shows something else.
        if due.len() != shown.clone().count() {
            continue;
        }
        for ((call, message), &(_, held, fitted)) in due.into_iter().zip(shown) {
            report.saw(Point::FitShown);
            check(book, script, call, message, held, fitted, report, now);
        }
    }
}

fn lines(message: &Message, script: &Script, book: &Book) -> Lines {
    Lines::of(message, script.ssvc, book.csvc())
}

#[expect(clippy::too_many_arguments, reason = "one decision, and where it belongs")]
fn check(
    book: &Book,
    script: &Script,
    call: &Call,
    message: &Message,
    held: usize,
    fitted: bool,
    report: &mut Report,
    now: Time,
) {
    let line = lines(message, script, book).client;
    let size = message.lines.get(line).map_or(0, |line| line.bytes);
    let largest = message.lines.iter().map(|line| line.bytes).max().unwrap_or(size);
    let strings = message.kinds.contains(&crate::tables::Kind::String);
    let particles = call.origin == Origin::Particles || call.svc() == netquake::constants::SVC_PARTICLE;
    let (after, largest_after) = (held + size, held + largest);
    let fits = after <= CLIENT_DATAGRAM_BYTES;
    let tight = largest_after > CLIENT_DATAGRAM_BYTES;
    report.saw_if(after == CLIENT_DATAGRAM_BYTES && !particles, Point::ExactFit);
    report.saw_if(fits && tight && after < CLIENT_DATAGRAM_BYTES, Point::FitOfTwoForms);
    if fits == fitted || strings {
        return;
    }
    let margin = particles && held + OLD_MARGIN > CLIENT_DATAGRAM_BYTES;
    let requirement: &Requirement = match () {
        () if fitted => &BUF_04,
        () if margin => return,
        () if after == CLIENT_DATAGRAM_BYTES => &BUF_05,
        () if tight => &TAB_05,
        () if particles => &T2_01,
        () => &BUF_04,
    };
    let (host, verdict) = (book.host, if fitted { "fits" } else { "does not fit" });
    report.find(requirement, now, HostId::SERVER, || {
        format!("finds that {size} bytes {verdict} behind {held} in the buffer of {host}")
    });
}
