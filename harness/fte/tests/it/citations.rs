//! Every obligation is named at the line that fulfils it, once.

/// Obligations that no line of this crate fulfils, and why.
const ELSEWHERE: [(&str, &str); 5] = [
    ("FTE-HS-15", "the crates of the base protocols read what a session announces"),
    ("FTE-HS-25", "no client here stops for downloads"),
    ("FTE-PRED-12", "no client here predicts"),
    ("FTE-PRED-14", "no server here computes a ping"),
    ("FTE-PRED-17", "no client here projects movement"),
];

#[test]
fn every_obligation_is_cited_once() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    testkit::citations::check(&[folder], fte::requirements::REQUIREMENTS, &ELSEWHERE);
}
