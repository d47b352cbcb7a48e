//! Nothing: the comparison is `benches/executors.rs`. `cargo bench` in this folder prints it.
