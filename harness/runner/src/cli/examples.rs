//! Examples, as `--help` and the man pages end with. Every one of them is a command line that the program takes.

pub(super) const LIST: &str = "\
Examples:
  deltaproof list
  deltaproof list reset --format json
  deltaproof list --requirements FTE-RST
  deltaproof list --words r1q2";
pub(super) const RUN: &str = "\
Examples:
  deltaproof run
  deltaproof run fte/ storm
  deltaproof run reset-lost-first --profile fte-nq --seeds 1..1000
  deltaproof run fte/ --server reset-never-repaired --reports reports
  deltaproof run fte/ --profile fte-nq --role client --shim my-shim/my_shim
  deltaproof run --format junit";
pub(super) const SWEEP: &str = "\
Examples:
  deltaproof sweep --time 10m
  deltaproof sweep fte/ --seeds 1..10000";
pub(super) const REPORT: &str = "\
Examples:
  deltaproof report reports/latest/result.json
  deltaproof report mine=a/latest/result.json theirs=b/latest/result.json --out comparison.html
  deltaproof report reports/latest/result.json --kills kills.jsonl --blind blind.jsonl";
pub(super) const SITE: &str = "\
Examples:
  deltaproof site site
  deltaproof site site --result Q2PRO=q2pro/latest/result.json --play web/dist/index.html";
pub(super) const COMPARE: &str = "\
Examples:
  deltaproof compare
  deltaproof compare --entities 12 --runs 20 --out charts
  deltaproof compare --format json";
pub(super) const CERTIFY: &str = "\
Examples:
  deltaproof certify --profile fte-nq --role client --out certificate -- my-shim/my_shim
  deltaproof certify --profile fte-nq --role client --expect known.yaml -- my-shim/my_shim
  deltaproof certify --verify certificate/certificate.json -- my-shim/my_shim";
pub(super) const EXPLORE: &str = "\
Examples:
  deltaproof explore --profile fte-nq
  deltaproof explore --profile fte-nq --faults 3 --out explored
  deltaproof explore fte/map-change-clean --profile fte-nq --at map --datagrams 60 --faults 1
  deltaproof explore --profile pygg2 --server overwritten-base --search guided --evidence evidence
  deltaproof explore compare --most 50";
pub(super) const SHRINK: &str = "\
Examples:
  deltaproof shrink fte/delta-loss@fte-nq --seed 1 --client delta-refused-after-gap
  deltaproof shrink evidence/fte-delta-loss-fte-nq-seed-1
  deltaproof shrink --mutants --most 10";
pub(super) const MUTANTS: &str = "\
Examples:
  deltaproof mutants
  deltaproof mutants FTE-RST --profile fte-nq
  deltaproof mutants --scenario fte/reset-lost-first
  deltaproof mutants --knowledge wire --format json";
pub(super) const REPLAY: &str = "\
Examples:
  deltaproof replay fte/reset-lost-first@fte-qw --seed 1
  deltaproof replay fte/reset-lost-first --seed 1 --server reset-never-repaired --last 40";
pub(super) const DIFF: &str = "\
Examples:
  deltaproof diff 'fte/delta-loss@fte-nq --seed 1' 'fte/delta-loss@fte-nq --seed 2'
  deltaproof diff mine.jsonl theirs.jsonl
  deltaproof diff mine.dem theirs.dem";
pub(super) const DECODE: &str = "\
Examples:
  deltaproof decode game.pcapng --quiet
  deltaproof decode ffffffff6765746368616c6c656e67650a
  deltaproof decode golden/r1q2/vectors/q2pro_p35_bigmap.txt --format json
  deltaproof decode game.mvd --format json --at 63.2s";
pub(super) const JUDGE: &str = "\
Examples:
  deltaproof judge game.pcapng --seen-at server
  deltaproof judge golden/r1q2/vectors/q2pro_p35_bigmap.txt --profile r1q2-1905";
pub(super) const PROBE: &str = "\
Examples:
  deltaproof probe clean loss-30 --profile fte-qw --to 127.0.0.1:27500
  deltaproof probe --profile r1q2-35 --to 127.0.0.1:27910 --control";
pub(super) const SERVE: &str = "\
Examples:
  deltaproof serve --profile fte-qw --listen 127.0.0.1:27500";
pub(super) const PROXY: &str = "\
Examples:
  deltaproof proxy --profile fte-qw --listen 127.0.0.1:27501 --upstream 127.0.0.1:27500 --network probe/loss-5";
pub(super) const EXPLAIN: &str = "\
Examples:
  deltaproof explain FTE-RST-07
  deltaproof explain r1q2-frm-04 --format json";
pub(super) const ENGINE: &str = "\
Examples:
  deltaproof engine list
  deltaproof engine show q2pro > mine.yaml
  deltaproof engine data ./ours --game quake2
  deltaproof engine doctor --engine q2pro --program ./q2proded --dir ./q2";
pub(super) const SHIM: &str = "\
Examples:
  deltaproof shim new --lang c --profile fte-nq --role client my-shim
  deltaproof shim doctor -- my-shim/my_shim
  deltaproof shim talk -- my-shim/my_shim";
pub(super) const SCENARIOS: &str = "\
Examples:
  deltaproof scenarios export my-scenarios";
pub(super) const SCHEMA: &str = "\
Examples:
  deltaproof schema > scenario.schema.json
  deltaproof schema --of run";
pub(super) const MAN: &str = "\
Examples:
  deltaproof man man1";
pub(super) const COMPLETIONS: &str = "\
Examples:
  deltaproof completions bash > deltaproof.bash";

#[cfg(test)]
mod tests {
    use super::super::arguments::Arguments;
    use clap::{CommandFactory, Parser};

    #[test]
    fn every_command_ends_with_examples_that_it_takes() {
        for command in Arguments::command().get_subcommands().filter(|command| command.get_name() != "help") {
            let name = command.get_name();
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let mut lines = help.lines();
            assert_eq!(lines.next(), Some("Examples:"), "{name}");
            let lines: Vec<&str> = lines.map(str::trim).collect();
            assert!(!lines.is_empty(), "{name}");
            for line in lines {
                assert!(line.starts_with(&format!("deltaproof {name}")), "{line}");
                let words = shlex::split(line.split(" > ").next().unwrap_or_default()).expect(line);
                if let Err(error) = Arguments::try_parse_from(words) {
                    panic!("{line}: {error}");
                }
            }
        }
    }
}
