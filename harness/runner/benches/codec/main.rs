//! What the codecs cost per entity: `cargo bench --bench codec`; beside the codecs of other engines, which stay outside.
//!
//! A frame has [`frames::ENTITIES`] entities, all of which moved, turned and went on in their animation. `CODEC_PEER_FTE` (and
//! `_FITZ666`, `_R1Q2`, `_NVS`, `_PYGG2`) names a command that does the same with somebody else's codec; [`peer`] has what
//! it is asked and answers. This program is one itself: `codec --peer fte`.

#![allow(missing_docs, reason = "a program has no callers")]

mod frames;
mod peer;

use criterion::{Criterion, Throughput};
use frames::{Codec, ENTITIES};
use std::hint::black_box;
use std::process::ExitCode;

/// Frames that a peer encodes and decodes.
const ROUNDS: u32 = 100_000;

/// The protocols' codecs, by name.
fn codecs() -> [Box<dyn Codec>; 5] {
    [
        Box::new(frames::Fte::new()),
        Box::new(frames::Update::fitz666()),
        Box::new(frames::R1q2::new()),
        Box::new(frames::Update::nvs()),
        Box::new(frames::Pygg2::new()),
    ]
}

fn measure(criterion: &mut Criterion) {
    for mut codec in codecs() {
        let mut group = criterion.benchmark_group(codec.name());
        group.throughput(Throughput::Elements(ENTITIES.into()));
        let mut frame = Vec::with_capacity(1 << 12);
        codec.encode(&mut frame);
        codec.decode(&frame);
        assert_eq!(codec.decoded(), codec.frames()[1], "{}: what was decoded is not what was encoded", codec.name());
        let mut out = Vec::with_capacity(frame.len());
        group.bench_function("encode", |bencher| {
            bencher.iter(|| {
                out.clear();
                codec.encode(black_box(&mut out));
            });
        });
        group.bench_function("decode", |bencher| bencher.iter(|| codec.decode(black_box(&frame))));
        group.finish();
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let mut codecs = codecs().into_iter();
    if let Some(at) = arguments.iter().position(|argument| argument == "--peer") {
        let codec = codecs.find(|codec| arguments.get(at + 1).is_some_and(|name| name == codec.name()));
        return peer::exit(codec.ok_or(String::from("--peer: no such protocol")).and_then(peer::serve));
    }
    let mut criterion = Criterion::default().configure_from_args();
    measure(&mut criterion);
    criterion.final_summary();
    peer::exit(codecs.try_for_each(|codec| peer::compare(codec, ROUNDS)))
}
