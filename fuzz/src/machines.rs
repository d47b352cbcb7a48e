//! A server, a client and a lossy wire between them, worked by bytes.

use super::input::Input;
use fte::rules::Rules;
use fte::state::{FIELD_TABLE, FIELDS};
use kit::Unit;
use model::operation::Setting;
use model::world::{NUMBERS, STATS};
use model::{Agreement, End, Operation, Pair, World};

#[path = "../../harness/fte/tests/model/mod.rs"]
pub mod model;

/// Most operations of an input.
const MAX_OPERATIONS: usize = 400;

/// What the bytes mean: an [`Operation`], or damage.
enum Step {
    Operation(Operation),
    /// A datagram under way arrives with this byte changed.
    Flip(End, usize, usize, u8),
    /// A datagram under way arrives cut.
    Cut(End, usize, usize),
    /// A datagram under way arrives with bytes inserted.
    Insert(End, usize, usize, Vec<u8>),
}

/// Reads a step.
fn step(input: &mut Input<'_>) -> Step {
    let number = |byte: u8| NUMBERS[usize::from(byte) % NUMBERS.len()];
    let code = input.u8();
    let end = if code & 0x80 == 0 { End::Client } else { End::Server };
    Step::Operation(match code & 0x7f {
        0..=9 => Operation::Spawn(number(code)),
        10..=31 => {
            let field = usize::from(input.u8()) % FIELDS;
            let value = match (FIELD_TABLE[field].unit, input.i32()) {
                (Unit::Int(least, most), value) => i64::from(value).clamp(least, most) as i32,
                // Coords of all codings hold these.
                (Unit::Float, value) => kit::table::float_bits((value % 65_536) as f32 / 16.0),
            };
            Operation::Set(number(code), Setting { field, value })
        }
        32..=37 => Operation::Remove(number(code)),
        38..=41 => Operation::Stat(STATS[usize::from(input.u8()) % STATS.len()], input.i32()),
        42 => Operation::Map,
        43 => Operation::AskReset,
        44 => Operation::Nops(input.u8() % 4),
        45..=63 => Operation::Tick,
        64..=71 => Operation::Deliver(end, usize::from(code & 7)),
        72..=75 => Operation::Duplicate(end, usize::from(code & 3)),
        76..=83 => Operation::Lose(end, usize::from(code & 7)),
        84..=103 => Operation::Round,
        104..=106 => Operation::OneWayOutage(end, u32::from(input.u8() % 140)),
        107..=109 => Operation::Outage(u32::from(input.u8() % 140)),
        110..=112 => Operation::Settle,
        113..=116 => return Step::Flip(end, usize::from(code & 3), input.u16().into(), input.u8()),
        117..=118 => return Step::Cut(end, usize::from(code & 1), input.u16().into()),
        119..=120 => {
            let (at, length) = (input.u16().into(), usize::from(input.u8()));
            return Step::Insert(end, usize::from(code & 1), at, input.bytes(length).to_vec());
        }
        _ => Operation::Round,
    })
}

/// The first byte says what the session agrees upon, the others what happens. Until a datagram is damaged the step
/// invariant holds; afterwards the two have to stay alive.
pub fn run(bytes: &[u8]) {
    let mut input = Input(bytes);
    let choice = input.u8();
    let agreement = Agreement {
        quakeworld: choice & 1 != 0,
        predinfo: choice & 2 != 0,
        floatcoords: choice & 4 != 0,
        datagram_limit: if choice & 8 != 0 { 256 } else { 1024 },
    };
    let mut world = World::new(agreement);
    let mut operations = Vec::new();
    if let Err(fault) = play(&mut world, &mut input, &mut operations) {
        panic!("{fault}\n{agreement:?}\n{operations:#?}");
    }
}

fn play(world: &mut World, input: &mut Input<'_>, operations: &mut Vec<Operation>) -> Result<(), String> {
    let mut pair = Pair::new(world.agreement, Rules::REFERENCE)?;
    for _ in 0..MAX_OPERATIONS {
        if input.0.is_empty() {
            break;
        }
        match step(input) {
            Step::Operation(operation) => {
                if world.allows(&operation) {
                    operations.push(operation);
                    world.apply(&operation);
                    pair.apply(&operation, world)?;
                }
            }
            Step::Flip(end, nth, at, mask) => pair.damage(end, nth, |bytes| {
                let length = bytes.len().max(1);
                bytes.iter_mut().skip(at % length).take(1).for_each(|byte| *byte ^= mask);
            })?,
            Step::Cut(end, nth, at) => pair.damage(end, nth, |bytes| bytes.truncate(at))?,
            Step::Insert(end, nth, at, inserted) => pair.damage(end, nth, |bytes| {
                let at = at % (bytes.len() + 1);
                bytes.splice(at..at, inserted);
            })?,
        }
    }
    pair.settle(world)
}
