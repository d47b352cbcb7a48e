//! Drawings of histories that are made by hand.

use super::{Links, Window, page, svg};
use crate::candidate::{BuiltIn, Candidate};
use crate::finding::FindingReport;
use crate::history::{Arrival, Cause, CauseStage, Datagram, Entry, Fate, Found, History, Packet, Run, What};
use crate::judge::Keep;
use crate::registry::PROTOCOLS;
use crate::scenario::{self, load_built_in};
use kit::{Damage, Direction, HostId, Time};

fn packet(index: u32) -> Packet {
    Packet { client: HostId(1), direction: Direction::ServerToClient, index }
}

fn sent(at_ms: u64, index: u32, fate: Fate, summary: &str) -> Entry {
    let datagram = Datagram {
        packet: packet(index),
        bytes: vec![1, 2, 3],
        fate,
        summary: String::from(summary),
        carries: Vec::new(),
        fields: Vec::new(),
        messages: Vec::new(),
        error: None,
    };
    Entry { at: Time::from_ms(at_ms), hash: 0, what: What::Sent(Box::new(datagram)) }
}

fn delivered(at_ms: u64, index: u32, copy: u8) -> Entry {
    Entry { at: Time::from_ms(at_ms), hash: 0, what: What::Delivered { packet: packet(index), copy, intact: true } }
}

fn at(ms: u64) -> Arrival {
    Arrival { at: Time::from_ms(ms), damage: Damage::None }
}

fn finding(at_ms: u64, index: u32, what: &str) -> Entry {
    let finding = FindingReport {
        requirement: String::from("X-01"),
        others: Vec::new(),
        check: String::from("check"),
        level: String::from("MUST"),
        decided: None,
        role: String::from("client"),
        host: String::from("client1"),
        at_us: at_ms * 1000,
        what: String::from(what),
    };
    let cause = Some(Cause { packet: packet(index), stage: CauseStage::Handled });
    Entry { at: Time::from_ms(at_ms), hash: 0, what: What::Finding(Box::new(Found { finding, cause })) }
}

fn history(entries: Vec<Entry>) -> History {
    let run = Run { case: String::from("p/a@p"), clients: 1, seed: Some(1), ..Run::default() };
    let end = entries.last().map_or(Time::ZERO, |entry| entry.at);
    History { run, entries, end }
}

/// How many elements of the drawing have a class.
fn with_class(history: &History, class: &str) -> usize {
    let drawing = svg(history, &Window::default(), Links::None);
    let classes = drawing.split("<g class=\"").skip(1).filter_map(|rest| rest.split('"').next());
    classes.filter(|classes| classes.split(' ').any(|one| one == class)).count()
}

#[test]
fn each_fate_has_its_looks() {
    let twice = Fate::Arrives(vec![at(50), at(90)]);
    let slow = Fate::Arrives(vec![at(80)]);
    let never = Fate::Arrives(vec![at(900)]);
    let history = history(vec![
        sent(0, 0, Fate::Lost(String::from("random")), "zero"),
        sent(10, 1, twice, "one"),
        sent(20, 2, slow, "two"),
        sent(30, 3, Fate::Arrives(vec![at(60)]), "three"),
        delivered(50, 1, 0),
        delivered(60, 3, 0),
        delivered(80, 2, 0),
        delivered(90, 1, 1),
        sent(95, 4, never, "four"),
    ]);
    assert_eq!(with_class(&history, "s2c"), 6);
    // The second copy of the first comes after the third, too.
    let counts = ["lost", "second", "late", "later", "damaged"].map(|class| with_class(&history, class));
    assert_eq!(counts, [1, 1, 2, 1, 0]);
}

#[test]
fn a_long_run_is_shown_around_its_finding_and_what_is_left_out_is_counted() {
    let mut entries: Vec<Entry> = Vec::new();
    for index in 0..500 {
        entries.push(sent(u64::from(index) * 50, index, Fate::Arrives(vec![at(u64::from(index) * 50 + 20)]), "frame"));
        entries.push(delivered(u64::from(index) * 50 + 20, index, 0));
        if index == 400 {
            entries.push(finding(u64::from(index) * 50 + 20, 400, "wrong"));
        }
    }
    let history = history(entries);
    let drawing = svg(&history, &Window::default(), Links::None);
    for (label, is_there) in [("#370 frame", false), ("#371 frame", true), ("#408 frame", true), ("#409 frame", false)]
    {
        assert_eq!(drawing.contains(label), is_there, "{label}");
    }
    assert!(drawing.contains("… 742 before") && drawing.contains("… 182 more"), "{}", &drawing[drawing.len() - 400..]);
    let until = Window { until: Some(Time::from_ms(5000)), ..Window::default() };
    let drawing = svg(&history, &until, Links::None);
    assert!(drawing.contains("#100 frame") && !drawing.contains("#101 frame"));
}

#[test]
fn texts_stay_texts() {
    let evil = "</script><b>\"x\" & \u{1b}[31m\u{0}";
    let history =
        history(vec![sent(0, 0, Fate::Arrives(vec![at(20)]), evil), delivered(20, 0, 0), finding(20, 0, evil)]);
    for text in [page(&history, &Window::default()), svg(&history, &Window::default(), Links::None)] {
        assert!(!text.contains("<b>") && !text.contains('\u{1b}') && !text.contains('\0'));
        assert!(text.contains("&lt;/script&gt;&lt;b&gt;&quot;x&quot; &amp; \\u{1b}[31m\\u{0}"));
    }
    assert_eq!(page(&history, &Window::default()).matches("</script>").count(), 1);
}

#[test]
fn nothing_to_show_is_no_panic() {
    let empty = History::default();
    assert!(svg(&empty, &Window::default(), Links::None).starts_with("<svg"));
    assert!(page(&empty, &Window::default()).contains("The whole run"));
}

#[test]
fn the_drawing_of_a_failure_is_the_reviewed_one() {
    let scenarios = load_built_in(|id| id == "fte/reset-lost-first").expect("is a scenario");
    let case = scenarios
        .iter()
        .flat_map(scenario::cases)
        .find(|case| case.name() == "fte/reset-lost-first@fte-qw[client_fte2=0x8]");
    let mutant = BuiltIn::all(PROTOCOLS).find(|it| it.variant.name == "reset-never-repaired").map(Candidate::BuiltIn);
    assert!(mutant.is_some());
    let judgement = Candidate::judge(mutant.as_ref(), &case.expect("is a case"), 1, Keep::Fields);
    let window = Window { whole: 0, before: 23, after: 2, until: None };
    let drawing = svg(&judgement.history, &window, Links::None);
    // Not in the message of the test, which nobody could copy.
    let (now, reviewed) =
        (std::env::temp_dir().join("timeline.svg"), include_str!("../../../../../golden/fte/timeline.svg"));
    if drawing != reviewed.trim_end() {
        std::fs::write(&now, drawing + "\n").expect("can be written");
        panic!(
            "golden/fte/timeline.svg is another drawing; look at {}, and copy it there if it is right",
            now.display()
        );
    }
}
