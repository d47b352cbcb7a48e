//! Time per entity of the delta codec: a small delta, a reset with everything, and a frame of 16 moving entities.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use fte::delta::{self, ENTITY, EXT_PREDINFO, Entry, UF_FIELDS};
use fte::state::*;
use kit::table::float_bits;
use kit::{Reader, Writer};
use std::hint::black_box;

const GATE: u64 = EXT_PREDINFO;

/// An entity that moved between two frames: position, yaw and animation.
fn moved(step: u32) -> Entity {
    let mut entity = Entity::NULL;
    entity[MODEL] = 7;
    entity[ORIGIN_X] = float_bits(100.0 + step as f32);
    entity[ORIGIN_Y] = float_bits(-50.0 - step as f32);
    entity[YAW] = float_bits(45.0 + 1.5 * step as f32);
    entity[FRAME] = step as i32;
    entity
}

/// An entity all of whose fields differ from the null state, with values that need the wide layouts.
fn everything() -> Entity {
    let mut entity = moved(300);
    for (field, value) in entity.0.iter_mut().enumerate() {
        if *value == Entity::NULL[field] {
            *value = 40 + field as i32;
        }
    }
    entity[EFFECTS] = 0x1_0000;
    entity[DRAWFLAGS] = 7;
    entity
}

/// Appends a frame's entries: what changed between the two states of each entity.
fn write_frame(out: &mut Vec<u8>, old: &[Entity], new: &[Entity]) {
    let mut w = Writer::new(out);
    for (number, (old, new)) in (1..).zip(old.iter().zip(new)) {
        let flags = delta::diff(&ENTITY, old, new, GATE);
        if flags != 0 {
            delta::write_index(&mut w, number, false);
            delta::write_delta(&mut w, &ENTITY, flags, new, GATE);
        }
    }
    w.u16("entity index", 0);
}

/// Applies a frame's entries to entities numbered from 1; how many there were.
fn read_frame(bytes: &[u8], entities: &mut [Entity]) -> usize {
    let (mut r, mut count) = (Reader::new(bytes), 0);
    while let Ok(Entry::Update(number, flags)) = delta::read_entry(&mut r, GATE) {
        let Some(entity) = entities.get_mut(number as usize - 1) else { break };
        if delta::read_delta(&mut r, &delta::ENTITY, flags, &Entity::NULL, entity, GATE).is_err() {
            break;
        }
        count += 1;
    }
    count
}

/// Benchmarks writing and reading one delta of `flags`.
fn one(c: &mut Criterion, name: &str, flags: u64, entity: &Entity) {
    let mut group = c.benchmark_group(name);
    let mut bytes = Vec::new();
    delta::write_delta(&mut Writer::new(&mut bytes), &ENTITY, flags, entity, GATE);
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    let mut out = Vec::with_capacity(256);
    group.bench_function("encode", |b| {
        b.iter(|| {
            out.clear();
            delta::write_delta(&mut Writer::new(&mut out), &ENTITY, black_box(flags), black_box(entity), GATE);
            out.len()
        });
    });
    let mut held = Entity::NULL;
    group.bench_function("decode", |b| {
        b.iter(|| {
            let mut r = Reader::new(black_box(&bytes));
            let flags = delta::read_flags(&mut r, GATE).unwrap_or_default();
            delta::read_delta(&mut r, &delta::ENTITY, flags, &Entity::NULL, &mut held, GATE)
        });
    });
    group.finish();
}

fn codec(c: &mut Criterion) {
    let small = delta::diff(&ENTITY, &moved(1), &moved(2), GATE);
    one(c, "small delta", small, &moved(2));
    one(c, "full reset", UF_RESET | UF_FIELDS, &everything());

    let old: Vec<Entity> = (0..16).map(|number| moved(10 * number)).collect();
    let new: Vec<Entity> = (0..16).map(|number| moved(10 * number + 1)).collect();
    let mut bytes = Vec::with_capacity(1024);
    write_frame(&mut bytes, &old, &new);
    let mut group = c.benchmark_group("frame of 16 entities");
    group.throughput(Throughput::Elements(16));
    let mut out = Vec::with_capacity(1024);
    group.bench_function("diff and encode", |b| {
        b.iter(|| {
            out.clear();
            write_frame(&mut out, black_box(&old), black_box(&new));
            out.len()
        });
    });
    group.bench_function("decode", |b| {
        b.iter_batched_ref(|| old.clone(), |held| read_frame(black_box(&bytes), held), BatchSize::SmallInput);
    });
    assert_eq!(read_frame(&bytes, &mut old.clone()), 16, "the benchmark reads what it thinks it reads");
    group.finish();
}

criterion_group!(benches, codec);
criterion_main!(benches);
