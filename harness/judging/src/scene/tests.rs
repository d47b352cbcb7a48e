//! Small demos, made by hand.

use super::diff::first_difference;
use super::lines::{Lines, Show};
use super::parts::{Ask, Frames, Parts};
use crate::capture::{Capture, Options};
use crate::registry::PROTOCOLS;

/// Protocol 15: a map with two models and a baseline of entity 3.
fn sign_on() -> Vec<u8> {
    let info = [&[11, 15, 0, 0, 0, 1, 0][..], b"A map\0maps/a.bsp\0progs/b.mdl\0\0\0"].concat();
    // Entity 3: model 2, frame 1, at 8 0 -8.
    let baseline = [22, 3, 0, 2, 1, 0, 0, 64, 0, 0, 0, 0, 0, 0xc0, 0xff, 0];
    [&info[..], &baseline, &[25, 1]].concat()
}

/// A frame at so many seconds, with a health, a frame of entity 3, and perhaps a sound.
fn frame(time: f32, health: u8, of_entity: Option<u8>, sound: bool) -> Vec<u8> {
    let mut message = [&[7][..], &time.to_le_bytes()].concat();
    // Bits: items and a weapon as always, and nothing else.
    message.extend([15, 0, 0x42, 1, 0, 0, 0, 0, health, 0, 9, 1, 2, 3, 4, 1]);
    // The frame alone, or nothing: U_MOREBITS is not needed.
    message.extend(of_entity.map_or(vec![0x80, 3], |frame| vec![0xc0, 3, frame]));
    if sound {
        // Entity 3, channel 1, sound 5, at the origin.
        message.extend([6, 0, 25, 0, 5, 0, 0, 0, 0, 0, 0]);
    }
    message
}

fn dem(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut demo = b"-1\n".to_vec();
    for message in messages {
        demo.extend((message.len() as u32).to_le_bytes());
        demo.extend([0; 12]);
        demo.extend(message);
    }
    demo
}

fn capture(bytes: &[u8]) -> Capture {
    Capture::from_bytes("a.dem", bytes.to_vec(), &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

const ASK: Ask<'static> = Ask { protocols: PROTOCOLS, forced: None, assume: None, strict: false };

fn lines(bytes: &[u8], show: Show) -> Vec<String> {
    let mut capture = capture(bytes);
    let mut frames = Frames::new(Parts::new(&mut capture, ASK));
    let (mut lines, mut out) = (Lines::default(), Vec::new());
    while frames.advance().expect("a profile reads it") {
        let (moment, scene, _) = frames.shown().expect("a moment");
        lines.moment(moment, scene, show, &mut out).expect("writes to memory");
    }
    let text = String::from_utf8(out).expect("is text");
    text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect(line).to_string()).collect()
}

fn game() -> Vec<u8> {
    dem(&[sign_on(), frame(1.0, 100, None, false), frame(1.5, 90, Some(7), true), frame(2.0, 90, Some(7), false)])
}

#[test]
fn a_frame_has_what_the_client_holds_and_what_happened() {
    let all = lines(&game(), Show::default());
    assert_eq!(all.len(), 4, "{all:#?}");
    let second: serde_json::Value = serde_json::from_str(&all[2]).expect("JSON");
    let expected = serde_json::json!({ "model": 2, "frame": 7, "origin_x": 8.0, "origin_z": -8.0 });
    assert_eq!(second["entities"]["3"], expected);
    assert_eq!((&second["stats"]["health"], &second["player"]["server_time"]), (&90.into(), &1.5.into()));
    assert_eq!(second["time_us"], 500_000);
    let sound = &second["events"][0];
    assert_eq!((&sound["event"], &sound["sound"]), (&"svc_sound".into(), &5.into()));
    let place = sound["byte"].as_u64().expect("a place") as usize;
    assert_eq!(game()[place..place + 5], [6, 0, 25, 0, 5], "the place in the file is the sound's");
}

#[test]
fn changes_leave_out_what_is_as_it_was_and_one_entity_is_shown_alone() {
    let changes = lines(&game(), Show { changes: true, entity: None });
    let last: serde_json::Value = serde_json::from_str(&changes[3]).expect("JSON");
    assert_eq!((&last["entities"], &last["stats"]), (&serde_json::json!({}), &serde_json::json!({})));
    let gone = dem(&[sign_on(), frame(1.0, 1, None, false), frame(2.0, 1, None, false)[..21].to_vec()]);
    let changes = lines(&gone, Show { changes: true, entity: None });
    assert!(changes[2].contains("\"gone\":[3]"), "{}", changes[2]);
    assert_eq!(lines(&game(), Show { changes: false, entity: Some(4) }).len(), 0);
    assert_eq!(lines(&game(), Show { changes: false, entity: Some(3) }).len(), 3);
}

#[track_caller]
fn parted(a: &[u8], b: &[u8]) -> super::diff::Parted {
    let (mut a, mut b) = (capture(a), capture(b));
    let (mut a, mut b) = (Frames::new(Parts::new(&mut a, ASK)), Frames::new(Parts::new(&mut b, ASK)));
    first_difference(&mut a, &mut b).expect("both are read")
}

#[test]
fn two_demos_part_where_a_value_differs_or_one_ends() {
    assert!(!parted(&game(), &game()).parts());
    let other = |frame_of: u8, health: u8, sound: bool| {
        dem(&[sign_on(), frame(1.0, 100, None, false), frame(1.5, health, Some(frame_of), sound)])
    };
    let [only] = &parted(&game(), &other(8, 90, true)).differences[..] else { panic!("one field differs") };
    assert_eq!((&only.of[..], &only.field[..]), ("entity 3", "frame"));
    assert_eq!((only.a.as_deref(), only.b.as_deref()), (Some("7"), Some("8")));
    assert_eq!(game()[only.byte_a as usize], 7, "the message begins with its time");
    let [only] = &parted(&game(), &other(7, 91, true)).differences[..] else { panic!("one statistic differs") };
    assert_eq!((&only.of[..], &only.field[..], only.a.as_deref()), ("statistic", "health", Some("90")));
    let silent = parted(&game(), &other(7, 90, false));
    let [only] = &silent.differences[..] else { panic!("one event is in one alone") };
    assert_eq!((only.a.as_deref(), only.b.as_deref()), (Some("svc_sound"), None));
    assert_eq!((silent.same, silent.a.map(|it| it.frame)), (2, Some(3)));
    let shorter = parted(&game(), &other(7, 90, true));
    assert_eq!((shorter.same, shorter.a.is_some(), shorter.b.is_some()), (3, true, false));
}

#[test]
fn frames_that_one_demo_alone_has_are_passed_over() {
    // One was begun later.
    let missing = dem(&[sign_on(), frame(1.5, 90, Some(7), true), frame(2.0, 90, Some(7), false)]);
    let parted = parted(&game(), &missing);
    assert_eq!((parted.parts(), parted.only_a, parted.only_b), (false, 1, 0));
}
