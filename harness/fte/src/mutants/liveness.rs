//! Ends that stop, or never start.

use crate::mutants::is_unreliable;
use kit::{Mutant, Packet};

/// Nothing is sent from the `count`th datagram of the game on.
fn quiet_after(count: u32) -> impl FnMut(&mut Packet<'_>) {
    let mut sent = 0;
    move |packet| {
        sent += u32::from(is_unreliable(packet));
        if sent >= count {
            packet.discard();
        }
    }
}

/// From the `count`th frame on there is none, but everything else goes on.
fn no_frames_after(count: u32) -> impl FnMut(&mut Packet<'_>) {
    let mut sent = 0;
    move |packet| {
        let frame = packet.fields("service").find(|service| packet.inside(service).any(|it| it.field == "servertime"));
        if let Some(frame) = frame.copied() {
            sent += 1;
            if sent >= count {
                packet.cut(&frame);
            }
        }
    }
}

/// A text command reaches the server with its first letter changed.
fn misheard(word: &'static [u8]) -> impl FnMut(&mut Packet<'_>) {
    move |packet| {
        if let Some(at) = packet.bytes.windows(word.len()).position(|window| window == word) {
            packet.replace(at..at + 1, b"X");
        }
    }
}

/// The silent ends.
pub(super) static MUTANTS: &[Mutant] = mutants! {
    client "never-connects" HS_27 "fte/delta-clean": sends |packet| packet.discard(), "sends nothing at all";
    client "client-falls-silent" HS_27 "fte/delta-clean": sends quiet_after(30), "stops sending in the middle of the game";
    server "answers-nobody" HS_27 "fte/delta-clean": sends |packet| packet.discard(), "sends nothing at all";
    server "server-falls-silent" HS_27 "fte/delta-clean": sends quiet_after(30), "stops sending in the middle of the game";
    server "frames-cease" HS_27 "fte/delta-clean": sends no_frames_after(30), "sends no entity frames after the thirtieth";
    server "never-signs-on" HS_27 "fte/delta-clean":
        receives misheard(b"prespawn"), "does not answer when a client asks for the baselines";
};
