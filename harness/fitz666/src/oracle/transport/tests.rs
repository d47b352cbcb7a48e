//! Streams that one end or the other handles rightly or wrongly.

use super::*;

const HERE: [End; 2] = [End { remote: false, virtual_time: false, untimed: false }; 2];
const SENDER: HostId = HostId::SERVER;
const RECEIVER: HostId = HostId(1);

fn data(sequence: u32, payload: &[u8]) -> Packet<'_> {
    Packet::Data { sequence, end: true, payload }
}

/// What was found, as requirement and host.
fn found(report: &Report) -> Vec<(&'static str, HostId)> {
    report.findings.iter().map(|finding| (finding.requirement().id, finding.host)).collect()
}

/// Sends fragment 0, plays `then`, and expects these findings.
fn check(then: impl FnOnce(&mut Stream, &mut Report), expected: &[(&'static str, HostId)]) {
    check_between(HERE, then, expected);
}

fn check_between(ends: [End; 2], then: impl FnOnce(&mut Stream, &mut Report), expected: &[(&'static str, HostId)]) {
    let mut stream = Stream::new(SENDER, RECEIVER, ends);
    let mut report = Report::new(crate::oracle::CHECKS, kit::Knowledge::World, kit::Vantage::default());
    assert_eq!(stream.sent(&data(0, b"a"), &mut report, Time::ZERO), Said::Reliable(b"a".to_vec()));
    then(&mut stream, &mut report);
    assert_eq!(found(&report), expected);
}

#[test]
fn a_sender_that_waits_and_repeats_is_right() {
    check(
        |stream, report| {
            stream.sent(&data(0, b"a"), report, Time(1_000_000));
            stream.ack_delivered(0, Time(1_050_000));
            stream.sent(&data(1, b"b"), report, Time(1_100_000));
        },
        &[],
    );
}

#[test]
fn a_late_copy_of_what_a_remote_end_sent_before_is_the_networks() {
    const REMOTE: [End; 2] = [End { remote: true, virtual_time: false, untimed: false }; 2];
    let then = |late: &'static [u8]| {
        move |stream: &mut Stream, report: &mut Report| {
            stream.ack_delivered(0, Time(50_000));
            stream.sent(&data(1, b"b"), report, Time(60_000));
            stream.sent(&data(0, late), report, Time(100_000));
        }
    };
    check_between(REMOTE, then(b"a"), &[]);
    // Other bytes are no copy, and an end of ours sends none.
    check_between(REMOTE, then(b"c"), &[("FITZ-NET-04", SENDER)]);
    check(then(b"a"), &[("FITZ-NET-04", SENDER)]);
}

#[test]
fn each_wrong_fragment_has_its_own_requirement() {
    let at = Time(1_000_000);
    check(|stream, report| drop(stream.sent(&data(1, b"a"), report, at)), &[("FITZ-NET-04", SENDER)]);
    check(|stream, report| drop(stream.sent(&data(0, b"b"), report, at)), &[("FITZ-NET-04", SENDER)]);
    check(|stream, report| drop(stream.sent(&data(1, b"b"), report, at)), &[("FITZ-NET-05", SENDER)]);
    check(|stream, report| stream.overdue(report, Time(3_600_000)), &[("FITZ-NET-04", SENDER)]);
    check(
        |stream, report| {
            stream.ack_delivered(7, Time(500_000));
            stream.sent(&data(1, b"b"), report, at);
        },
        &[("FITZ-NET-07", SENDER)],
    );
    check(
        |stream, report| {
            stream.ack_delivered(0, Time(1_050_000));
            stream.sent(&data(1, b"b"), report, at);
            stream.asked_again();
            stream.sent(&data(0, b"a"), report, at);
        },
        &[("FITZ-NET-08", SENDER)],
    );
}

#[test]
fn every_fragment_is_acknowledged_once_for_each_time_that_it_came() {
    check(
        |stream, report| {
            assert_eq!(stream.delivered(&data(0, b"a"), report, Time::ZERO), Brought::Reliable(b"a".to_vec()));
            assert_eq!(stream.delivered(&data(0, b"a"), report, Time::ZERO), Brought::Nothing);
            stream.ack_sent(0, report, Time::ZERO);
            stream.ack_sent(0, report, Time::ZERO);
            stream.overdue(report, Time(2_000_000));
        },
        &[],
    );
    check(
        |stream, report| {
            stream.delivered(&data(0, b"a"), report, Time::ZERO);
            stream.overdue(report, Time(1_100_000));
        },
        &[("FITZ-NET-03", RECEIVER)],
    );
    check(|stream, report| stream.ack_sent(1, report, Time::ZERO), &[("FITZ-NET-03", RECEIVER)]);
}

#[test]
fn a_receiver_that_gave_up_needs_not_acknowledge_what_it_received_and_can() {
    let abandoned = |acks: &'static [u32]| {
        move |stream: &mut Stream, report: &mut Report| {
            stream.ack_delivered(0, Time::ZERO);
            stream.delivered(&data(0, b"a"), report, Time::ZERO);
            stream.abandoned();
            acks.iter().for_each(|&sequence| stream.ack_sent(sequence, report, Time(20_000)));
            stream.overdue(report, Time(9_000_000));
        }
    };
    check(abandoned(&[]), &[]);
    check(abandoned(&[0]), &[]);
    check(abandoned(&[0, 0]), &[("FITZ-NET-03", RECEIVER)]);
    check(abandoned(&[1]), &[("FITZ-NET-03", RECEIVER)]);
}

/// A receiver somewhere else acknowledges what it reads, when it reads it; not once in twelve seconds, it is at fault.
#[test]
fn a_remote_receiver_may_be_late_or_miss_a_fragment_but_not_all_of_several() {
    let far = [HERE[0], End { remote: true, virtual_time: false, untimed: false }];
    let story = |times: u64, acks: u64| {
        move |stream: &mut Stream, report: &mut Report| {
            stream.ack_delivered(0, Time::ZERO);
            for second in 0..times {
                stream.delivered(&data(0, b"a"), report, Time(second * 1_000_000));
            }
            for _ in 0..acks {
                stream.ack_sent(0, report, Time(13_000_000));
            }
            stream.speaks(1, Time(13_500_000));
            stream.overdue(report, Time(13_500_000));
        }
    };
    check_between(far, story(1, 0), &[]);
    check_between(far, story(1, 1), &[]);
    check_between(far, story(6, 3), &[]);
    check_between(far, story(6, 0), &[("FITZ-NET-03", RECEIVER)]);
    check_between(far, story(9, 1), &[]);
    // The network can bring an ack twice, but not one of a fragment that never came.
    check_between(far, story(1, 2), &[]);
    check_between(far, |stream, report| stream.ack_sent(1, report, Time::ZERO), &[("FITZ-NET-03", RECEIVER)]);
}

/// A sender somewhere else gets an ack after it was given to the network; what it sends again meanwhile is no fault.
#[test]
fn a_remote_sender_is_at_fault_if_it_goes_on_and_does_not_repeat() {
    let far = [End { remote: true, virtual_time: false, untimed: false }, HERE[1]];
    check_between(far, |stream, report| stream.overdue(report, Time(60_000_000)), &[]);
    let goes_on = |stream: &mut Stream, report: &mut Report| {
        stream.speaks(0, Time(20_000_000));
        stream.overdue(report, Time(20_000_000));
    };
    check_between(far, goes_on, &[("FITZ-NET-04", SENDER)]);
    let repeats = |stream: &mut Stream, report: &mut Report| {
        stream.ack_delivered(0, Time(100_000));
        stream.sent(&data(0, b"a"), report, Time(1_000_000));
        stream.speaks(0, Time(20_000_000));
        stream.overdue(report, Time(20_000_000));
    };
    check_between(far, repeats, &[]);
}
