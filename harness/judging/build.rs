//! Compiles the crate again when a scenario was added or taken away: what carries the scenarios along names the files that there were.

fn main() {
    println!("cargo:rerun-if-changed=../../scenarios");
}
