//! What a run put to the test follows from the situations that it showed.

use kit::{Level, Requirement, Role, put_to_the_test};

const fn must(id: &'static str) -> Requirement {
    Requirement::new(id, Role::Server, Level::Must, "Hold.", "Section 1", "wire")
}

static ONE: Requirement = must("ONE");
static TWO: Requirement = must("TWO");
static THREE: Requirement = must("THREE");
static CATALOGUE: [&Requirement; 3] = [&ONE, &TWO, &THREE];

/// By number of the situation; out of the catalogue's order, and in one of two ways for the second.
const TESTED_BY: [(&Requirement, &[u8]); 4] = [(&THREE, &[3]), (&TWO, &[1, 2]), (&TWO, &[4]), (&ONE, &[1])];

fn check(showed: &[u8], expected: &[&str]) {
    let tested = put_to_the_test(&CATALOGUE, &TESTED_BY, |situation| showed.contains(&situation));
    assert_eq!(tested.iter().map(|requirement| requirement.id).collect::<Vec<_>>(), expected, "{showed:?}");
}

#[test]
fn a_row_asks_for_all_its_situations_and_a_requirement_for_one_of_its_rows() {
    check(&[], &[]);
    check(&[2], &[]);
    check(&[1], &["ONE"]);
    check(&[1, 2], &["ONE", "TWO"]);
    check(&[4], &["TWO"]);
    check(&[2, 4], &["TWO"]);
}

#[test]
fn what_was_put_to_the_test_comes_once_and_in_the_order_of_the_catalogue() {
    check(&[1, 2, 3, 4], &["ONE", "TWO", "THREE"]);
}
