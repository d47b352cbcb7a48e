//! What the tests of several protocols share. Only tests depend on it, so it may panic: a panic is a failed test.
//!
//! | module | for |
//! |---|---|
//! | [`bytes`] | hexadecimal digits, recordings of engines, spans that cover what they should |
//! | [`citations`] | requirements cited in the code that fulfils them |
//! | [`explore`] | the state machine tests: cases, and the shortest counterexample |
//! | [`wire`] | datagrams under way between two ends, delivered, duplicated and lost by hand |
//! | [`session`] | a server and its clients, over a simulated network or none |
//! | [`allocation`] | `tests/allocation.rs`: the most that is allocated at once |
//! | [`memory`] | `tests/memory.rs`: allocations counted, and memory held over a long run |

pub mod allocation;
pub mod bytes;
pub mod citations;
pub mod explore;
pub mod memory;
#[path = "../../../fuzz/src/mutate.rs"]
pub mod mutate;
pub mod session;
pub mod wire;

use kit::{Direction, Protocol, Setup};

/// The two ways a datagram goes.
pub const DIRECTIONS: [Direction; 2] = [Direction::ServerToClient, Direction::ClientToServer];

/// The setup of a profile, by its index, with other values for these options.
///
/// # Panics
/// The protocol has no such profile or option.
pub fn setup(protocol: &Protocol, profile: usize, options: &[(&str, i64)]) -> Setup {
    let mut setup = Setup::new(protocol, &protocol.profiles[profile]);
    for &(name, value) in options {
        let index = protocol.options.iter().position(|option| option.name == name);
        setup.options[index.unwrap_or_else(|| panic!("no option is called {name}"))] = value;
    }
    setup
}
