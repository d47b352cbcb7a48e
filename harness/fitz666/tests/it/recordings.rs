//! Recorded sessions of QuakeSpasm-Spiked with a plain client, and of QuakeSpasm with itself, read to their last byte.

use fitz666::dissector::{BASELINE, CLIENTDATA, Fitz666Dissector, MARKS, MOVE, SIGNON, TIME, UPDATE};
use kit::{Dissection, Dissector, HostId};
use testkit::bytes::{Datagram, datagrams};

/// How often each mark is found in a recording; errors by their text.
fn read(recording: &str) -> ([usize; MARKS.len()], Vec<String>, Vec<String>) {
    let (mut dissector, mut counts, mut errors) = (Fitz666Dissector::new(None), [0; MARKS.len()], Vec::new());
    let mut out = Dissection { want_spans: true, ..Dissection::default() };
    for Datagram { direction, bytes, .. } in datagrams(recording) {
        out.clear();
        dissector.datagram(HostId(1), direction, &bytes, &mut out);
        out.marks.iter().for_each(|mark| counts[mark.kind] += 1);
        errors.extend(out.error.as_ref().map(ToString::to_string));
        assert!(!out.summary.is_empty());
        // Spans of fields cover a datagram without gaps, but for what is assembled from several.
        let covered: usize = out.spans.iter().filter(|span| span.depth == 0).map(|span| span.end - span.start).sum();
        assert!(covered <= bytes.len() && (out.error.is_some() || covered == bytes.len()), "{}", out.summary);
    }
    errors.dedup();
    (counts, errors, dissector.extensions())
}

/// A recording has these counts of times, updates, clientdata, baselines, steps of the sign-on and moves.
fn check(recording: &str, expected: [usize; 6], errors: &[&str], extensions: &[&str]) {
    let (counts, found, agreed) = read(recording);
    assert_eq!([TIME, UPDATE, CLIENTDATA, BASELINE, SIGNON, MOVE].map(|kind| counts[kind]), expected);
    assert_eq!(
        (found, agreed),
        (errors.iter().map(ToString::to_string).collect(), extensions.iter().map(ToString::to_string).collect())
    );
}

#[test]
fn a_session_of_protocol_666_is_read_to_its_last_byte() {
    check("netquake/qss_fitz666", [155, 3845, 155, 36, 3, 42], &[], &["protocol 666"]);
}

#[test]
fn a_session_of_protocol_15_is_read_to_its_last_byte_though_its_moves_are_those_of_666() {
    // The recording client sends the moves of protocol 666, for which the server turns it out; their length shows that.
    check("netquake/qss_protocol15", [2, 24, 2, 36, 3, 99], &[], &["protocol 15"]);
}

#[test]
fn sessions_of_quakespasm_with_its_own_client_are_read_to_their_last_byte() {
    check("netquake/quakespasm_fitz666", [29, 1348, 29, 57, 3, 26], &[], &["protocol 666"]);
    check("netquake/quakespasm_fitz666_large", [27, 1722, 27, 75, 3, 18], &[], &["protocol 666"]);
    check("netquake/quakespasm_protocol15", [26, 1208, 26, 57, 3, 19], &[], &["protocol 15"]);
    check("netquake/quakespasm_protocol999", [25, 1157, 25, 57, 3, 20], &[], &["protocol 999 flags 0x82"]);
}
