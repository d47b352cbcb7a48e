//! The code that fulfils a requirement names it, by its id.

/// Obligations that no line fulfils, and why.
const WITHOUT_A_PLACE: [(&str, &str); 2] =
    [("R1Q2-SD-06", "clients of those revisions are not here"), ("R1Q2-GEN-02", "it is all of protocol 34")];

#[test]
fn every_obligation_is_cited_once_where_it_is_fulfilled() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    testkit::citations::check(&[folder], r1q2::requirements::REQUIREMENTS, &WITHOUT_A_PLACE);
}
