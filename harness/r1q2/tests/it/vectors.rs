//! Golden bytes of the codec: what is written and read wrongly in both directions round-trips, so every row of the
//! tables, every width and every flag is pinned by bytes that an engine sent or that were worked out by hand from the
//! layout.

mod entity;
mod frame;
mod moves;
mod player;
mod service;

use kit::Span;
use testkit::bytes::{check_cuts, check_recorded};

/// Where the bytes of a vector come from.
#[derive(Clone, Copy, Debug)]
enum Evidence {
    /// An engine sent them: the recording, and the datagram in it.
    Recorded(&'static str, &'static str),
    /// Worked out by hand, for this reason.
    Hand(&'static str),
}

impl Evidence {
    /// Whether the bytes stand where they should, and a hand gives a reason.
    #[track_caller]
    fn check(self, hex: &str) {
        match self {
            Evidence::Hand(reason) => assert!(!reason.is_empty(), "{hex}"),
            Evidence::Recorded(file, datagram) => {
                check_recorded(&format!("r1q2/{file}"), datagram, hex);
            }
        }
    }
}

/// The fields among spans: groups are not.
fn fields(spans: Vec<Span>) -> Vec<Span> {
    spans.into_iter().filter(|span| span.form != kit::Form::Group).collect()
}

/// The value of a float field.
const fn f(value: f32) -> i32 {
    value.to_bits() as i32
}
