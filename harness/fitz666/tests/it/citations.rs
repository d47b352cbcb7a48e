//! The code that fulfils a requirement says so, by its id; that of the codec is NetQuake's.

/// Obligations that no line fulfils, and why.
const WITHOUT_A_PLACE: [(&str, &str); 1] = [("FITZ-VER-04", "it is all of protocol 15")];

#[test]
fn every_obligation_is_cited_once_where_it_is_fulfilled() {
    let folders =
        [concat!(env!("CARGO_MANIFEST_DIR"), "/src"), concat!(env!("CARGO_MANIFEST_DIR"), "/../netquake/src")];
    testkit::citations::check(&folders, fitz666::requirements::REQUIREMENTS, &WITHOUT_A_PLACE);
}
