//! The code that fulfils a requirement says so, by its id.

#[test]
fn every_obligation_is_cited_once_where_it_is_fulfilled() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    testkit::citations::check(&[folder], nvs::requirements::REQUIREMENTS, &[]);
}
