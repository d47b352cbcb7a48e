//! The program `deltaproof`. Everything is in the library: [`deltaproof::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    deltaproof::cli::main(std::env::args_os())
}
