//! Reads an `.mvd` with `quakeworld` and `mvdparser`, and what `deltaproof decode --format json` says of it, and compares them value by
//! value: texts, sounds, statistics, and where every player and every entity is in every frame.
//!
//! Usage: `compare-demos FILE.mvd FILE.json`. Ends with 1 where they differ and no known fault of the crates explains it.

use quakeworld::mvd::{Mvd, MvdTarget};
use quakeworld::protocol::types::{DemoCommand, Packetentity, Playerinfo, ServerMessage};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// What there is at one time: entities by number, each with its fields.
type Frame = BTreeMap<u32, BTreeMap<&'static str, f64>>;

/// What one reader makes of a demo.
#[derive(Default)]
struct Read {
    prints: Vec<(u64, Vec<u8>)>,
    /// Entity, channel, sound, origin.
    sounds: Vec<[f64; 6]>,
    /// By player and statistic: the values that it had, in order.
    stats: BTreeMap<(u64, u64), Vec<i64>>,
    /// By microseconds.
    frames: BTreeMap<u64, Frame>,
}

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [demo, lines] = paths.as_slice() else {
        eprintln!("usage: compare-demos FILE.mvd FILE.json");
        return ExitCode::from(2);
    };
    let bytes = std::fs::read(demo).expect("the demo is readable");
    let ours = ours(&std::fs::read_to_string(lines).expect("the lines are readable"));
    let copy = bytes.clone();
    let Ok(theirs) = std::panic::catch_unwind(|| theirs(copy)) else {
        println!("quakeworld panics, as it does at a packet of more than 64 entities: nothing is compared");
        return ExitCode::SUCCESS;
    };
    let mut failed = 0;
    let mut compare = |what: &str, same: usize, different: usize, example: Option<String>| {
        println!(
            "{what}: {same} equal, {different} not{}",
            example.map_or(String::new(), |it| format!("; the first: {it}"))
        );
        failed += different;
    };
    let (same, example) = common(&ours.prints, &theirs.prints);
    compare("quakeworld, texts", same, ours.prints.len().max(theirs.prints.len()) - same, example);
    let (same, example) = common(&ours.sounds, &theirs.sounds);
    compare("quakeworld, sounds", same, ours.sounds.len().max(theirs.sounds.len()) - same, example);
    let (same, different, signed, example) = statistics(&ours, &theirs);
    compare("quakeworld, statistics", same, different, example);
    if signed > 0 {
        println!("  explained: {signed} statistics that it reads as bytes with a sign, which have none");
    }
    let Places { same, different, rounded, swapped, example } = places(&ours, &theirs);
    compare("quakeworld, fields of players and entities", same, different, example);
    if rounded > 0 {
        println!("  explained: {rounded} angles, of which it has 65535 to the circle, not 65536, and none below 0");
    }
    if swapped > 0 {
        println!("  explained: {swapped} places of entities, of which it puts y where z belongs in a delta");
    }
    let (same, different, example) = texts(&ours, &bytes);
    compare("mvdparser, texts", same, different, example);
    ExitCode::from(u8::from(failed > 0))
}

/// How many are equal from the beginning, and the first that are not.
fn common<T: PartialEq + std::fmt::Debug>(a: &[T], b: &[T]) -> (usize, Option<String>) {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let example =
        (same < a.len().max(b.len())).then(|| format!("number {same}: {:?}, theirs {:?}", a.get(same), b.get(same)));
    (same, example)
}

fn statistics(ours: &Read, theirs: &Read) -> (usize, usize, usize, Option<String>) {
    let (mut same, mut different, mut signed, mut example) = (0, 0, 0, None);
    for key in ours.stats.keys().chain(theirs.stats.keys().filter(|key| !ours.stats.contains_key(key))) {
        let none = Vec::new();
        let (a, b) = (ours.stats.get(key).unwrap_or(&none), theirs.stats.get(key).unwrap_or(&none));
        match (a.last(), b.last()) {
            (a, b) if a == b => same += 1,
            // A byte of 128 and more.
            (Some(a), Some(b)) if *b < 0 && a - 256 == *b => signed += 1,
            // What was never said is nothing to us, and what is zero is not shown.
            (None, Some(0)) | (Some(0), None) => same += 1,
            (a, b) => {
                different += 1;
                example.get_or_insert_with(|| format!("{key:?}: {a:?}, theirs {b:?}"));
            }
        }
    }
    (same, different, signed, example)
}

/// Whether an angle of theirs is ours, as they count it.
fn is_rounded(name: &str, mine: f64, theirs: f64) -> bool {
    let turned = (mine - theirs).rem_euclid(360.0);
    ["pitch", "yaw", "roll"].contains(&name) && turned.min(360.0 - turned) < 0.01
}

#[derive(Default)]
struct Places {
    same: usize,
    different: usize,
    rounded: usize,
    swapped: usize,
    example: Option<String>,
}

fn places(ours: &Read, theirs: &Read) -> Places {
    /// The last entity that is a player.
    const PLAYERS: u32 = 32;
    let Places { mut same, mut different, mut rounded, mut swapped, mut example } = Places::default();
    for (time, frame) in &theirs.frames {
        let Some(held) = ours.frames.get(time) else {
            different += 1;
            example.get_or_insert_with(|| format!("no frame at {time} us"));
            continue;
        };
        for (number, fields) in frame {
            for (name, value) in fields {
                let mine = held.get(number).and_then(|fields| fields.get(name)).copied();
                if mine == Some(*value) {
                    same += 1;
                } else if mine.is_some_and(|mine| is_rounded(name, mine, *value)) {
                    rounded += 1;
                } else if *number > PLAYERS && (["origin_y", "origin_z"].contains(name) && mine.is_some()) {
                    swapped += 1;
                } else {
                    different += 1;
                    example.get_or_insert_with(|| format!("{name} of {number} at {time} us: {mine:?}, theirs {value}"));
                }
            }
        }
        for number in held.keys().filter(|number| !frame.contains_key(number)) {
            different += 1;
            example.get_or_insert_with(|| format!("entity {number} at {time} us is ours alone"));
        }
    }
    Places { same, different, rounded, swapped, example }
}

/// `mvdparser` has the texts with which a block begins, each once where it is repeated, and drops the highest bits: all of them must be
/// among ours, in their order.
fn texts(ours: &Read, bytes: &[u8]) -> (usize, usize, Option<String>) {
    let plain =
        |text: &[u8]| text.iter().map(|byte| byte & 0x7f).filter(u8::is_ascii_alphanumeric).collect::<Vec<u8>>();
    let mine: Vec<Vec<u8>> = ours.prints.iter().map(|(_, text)| plain(text)).collect();
    let (mut at, mut same, mut different, mut example) = (0, 0, 0, None);
    for print in mvdparser::prints(bytes) {
        let text = plain(&print.content);
        match mine.get(at..).and_then(|rest| rest.iter().position(|it| *it == text)) {
            Some(place) => (at, same) = (at + place + 1, same + 1),
            None => {
                different += 1;
                example.get_or_insert_with(|| String::from_utf8_lossy(&print.content).into_owned());
            }
        }
    }
    (same, different, example)
}

/// The names of the fields that both have.
const FIELDS: [&str; 12] = [
    "model",
    "frame",
    "colormap",
    "skin",
    "effects",
    "origin_x",
    "origin_y",
    "origin_z",
    "pitch",
    "yaw",
    "roll",
    "weaponframe",
];

fn ours(lines: &str) -> Read {
    let mut read = Read::default();
    const STATS: [&str; 17] = [
        "health",
        "frags",
        "weapon",
        "ammo",
        "armor",
        "weaponframe",
        "shells",
        "nails",
        "rockets",
        "cells",
        "activeweapon",
        "totalsecrets",
        "totalmonsters",
        "secrets",
        "monsters",
        "items",
        "viewheight",
    ];
    let number =
        |name: &str| STATS.iter().position(|it| *it == name).map_or_else(|| name.parse().unwrap_or(99), |at| at as u64);
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let Some(time) = line["time_us"].as_u64() else { continue };
        for event in line["events"].as_array().into_iter().flatten() {
            match event["event"].as_str() {
                Some("svc_print") => {
                    let text: Vec<u8> = event["text"].as_str().unwrap_or_default().chars().map(|it| it as u8).collect();
                    read.prints.push((event["level"].as_u64().unwrap_or(99), text));
                }
                Some("svc_sound") => {
                    let both = event["entity and channel"].as_u64().unwrap_or_default();
                    let origin: Vec<f64> =
                        event["origin"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
                    let [x, y, z] = origin[..] else { panic!("a sound has a place: {event}") };
                    let sound = event["sound"].as_f64().unwrap_or(-1.0);
                    read.sounds.push([(both >> 3 & 0x3ff) as f64, (both & 7) as f64, sound, x, y, z]);
                }
                _ => {}
            }
        }
        let none = Map::new();
        for (player, stats) in line["players"].as_object().unwrap_or(&none) {
            for (name, value) in stats.as_object().into_iter().flatten() {
                let key = (player.parse().unwrap_or(99), number(name));
                read.stats.entry(key).or_default().push(value.as_i64().unwrap_or_default());
            }
        }
        let mut frame = Frame::new();
        for (entity, said) in line["entities"].as_object().unwrap_or(&none) {
            let fields = FIELDS.iter().map(|name| (*name, said[*name].as_f64().unwrap_or_default()));
            frame.insert(entity.parse().unwrap_or_default(), fields.collect());
        }
        read.frames.insert(time, frame);
    }
    read
}

fn nothing() -> BTreeMap<&'static str, f64> {
    FIELDS.iter().map(|name| (*name, 0.0)).collect()
}

fn theirs(bytes: Vec<u8>) -> Read {
    let mut read = Read::default();
    let mut baselines = Frame::new();
    let mut entities = Frame::new();
    let mut players = Frame::new();
    let mut recorded = Frame::new();
    let mut mvd = Mvd::new(bytes, None, false).expect("a demo");
    let mut millis = 0_u64;
    loop {
        let frame = match mvd.parse_frame() {
            Ok(frame) => frame,
            Err(why) => {
                if mvd.message.position < mvd.size {
                    println!("quakeworld stops at byte {} of {}: {why:?}", mvd.message.position, mvd.size);
                }
                break;
            }
        };
        let step = (frame.time * 1000.0).round() as u64 - millis;
        millis += step;
        let to: Vec<u64> = match mvd.last {
            MvdTarget { command: DemoCommand::Single | DemoCommand::Stats, to } => vec![to.into()],
            MvdTarget { command: DemoCommand::Multiple, to } => (0..32).filter(|bit| to & 1 << bit != 0).collect(),
            _ => (0..32).collect(),
        };
        let mut told = false;
        for message in &frame.messages {
            match message {
                ServerMessage::Print(print) => read.prints.push((print.from.into(), print.message.bytes.clone())),
                ServerMessage::Sound(it) => read.sounds.push([
                    // It leaves the entity in the channel.
                    it.entity.into(),
                    (it.channel & 7).into(),
                    it.index.into(),
                    it.origin.x.into(),
                    it.origin.y.into(),
                    it.origin.z.into(),
                ]),
                ServerMessage::Updatestat(it) => {
                    to.iter().for_each(|to| read.stats.entry((*to, it.stat.into())).or_default().push(it.value.into()));
                }
                ServerMessage::Updatestatlong(it) => {
                    to.iter().for_each(|to| read.stats.entry((*to, it.stat.into())).or_default().push(it.value.into()));
                }
                ServerMessage::Spawnbaseline(it) => {
                    let mut fields = nothing();
                    fields.extend([
                        ("model", it.model_index.into()),
                        ("frame", it.model_frame.into()),
                        ("colormap", it.colormap.into()),
                        ("skin", it.skinnum.into()),
                        ("origin_x", it.origin.x.into()),
                        ("origin_y", it.origin.y.into()),
                        ("origin_z", it.origin.z.into()),
                        ("pitch", it.angle.x.into()),
                        ("yaw", it.angle.y.into()),
                        ("roll", it.angle.z.into()),
                    ]);
                    baselines.insert(it.index.into(), fields);
                }
                ServerMessage::Playerinfo(Playerinfo::PlayerinfoMvdT(it)) => {
                    if !std::mem::replace(&mut told, true) {
                        players.clear();
                    }
                    let number = u32::from(it.player_number) + 1;
                    let fields = recorded.entry(number).or_insert_with(nothing);
                    fields.insert("frame", it.frame.into());
                    if let Some(origin) = &it.origin {
                        put(fields, ["origin_x", "origin_y", "origin_z"], [origin.x, origin.y, origin.z]);
                    }
                    if let Some(angle) = &it.angle {
                        put(fields, ["pitch", "yaw", "roll"], [angle.x, angle.y, angle.z]);
                    }
                    for (name, value) in [
                        ("model", it.model),
                        ("skin", it.skinnum),
                        ("effects", it.effects),
                        ("weaponframe", it.weaponframe),
                    ] {
                        fields.extend(value.map(|value| (name, f64::from(value))));
                    }
                    players.insert(number, fields.clone());
                }
                ServerMessage::Packetentities(it) => {
                    entities.clear();
                    it.entities.iter().for_each(|it| entity(&mut entities, &baselines, it));
                }
                ServerMessage::Deltapacketentities(it) => {
                    it.entities.iter().for_each(|it| entity(&mut entities, &baselines, it));
                }
                _ => {}
            }
        }
        let mut all = entities.clone();
        all.extend(players.clone());
        read.frames.insert(millis * 1000, all);
    }
    read
}

fn entity(entities: &mut Frame, baselines: &Frame, it: &Packetentity) {
    let number = u32::from(it.entity_index);
    if it.remove {
        entities.remove(&number);
        return;
    }
    let fields = entities.entry(number).or_insert_with(|| baselines.get(&number).cloned().unwrap_or_else(nothing));
    fields.extend(it.model.map(|value| ("model", f64::from(value))));
    for (name, value) in [("frame", it.frame), ("colormap", it.colormap), ("skin", it.skin), ("effects", it.effects)] {
        fields.extend(value.map(|value| (name, f64::from(value))));
    }
    if let Some(origin) = &it.origin {
        put(fields, ["origin_x", "origin_y", "origin_z"], [origin.x, origin.y, origin.z]);
    }
    if let Some(angle) = &it.angle {
        put(fields, ["pitch", "yaw", "roll"], [angle.x, angle.y, angle.z]);
    }
}

fn put(fields: &mut BTreeMap<&'static str, f64>, names: [&'static str; 3], values: [Option<f32>; 3]) {
    fields.extend(names.into_iter().zip(values).filter_map(|(name, value)| Some((name, f64::from(value?)))));
}
