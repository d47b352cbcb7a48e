//! What each operator makes of a small source, and what is left alone.

use super::{Operator, find};
use crate::schema::Source;
use crate::targets::Part;
use std::collections::BTreeSet;

/// The mutants of a source: operator, what stands there and what instead.
fn made(text: &str, part: Part) -> Vec<(Operator, String, String)> {
    let found = find(text, part).expect("a source");
    let changes = found.places.into_iter().flat_map(|place| place.changes);
    changes.map(|change| (change.operator, change.old, change.new)).collect()
}

/// Of the mutants of a function with this `body`, those of one operator.
#[track_caller]
fn check(operator: Operator, body: &str, expected: &[(&str, &str)]) {
    let text = format!("fn f(&mut self) {{ {body} }}").replace("&mut self", "");
    let all = made(&text, Part::Server);
    let of: Vec<(&str, &str)> =
        all.iter().filter(|(of, ..)| *of == operator).map(|(_, old, new)| (&old[..], &new[..])).collect();
    assert_eq!(of, expected, "{body}");
}

#[test]
fn comparisons_get_another_boundary_and_their_opposite() {
    let both = [("a < b", "(a) <= (b)"), ("a < b", "(a) >= (b)")];
    check(Operator::Comparison, "let c = a < b;", &both);
    check(Operator::Comparison, "if a < b { g() }", &both);
    check(Operator::Comparison, "let c = a == b;", &[("a == b", "(a) != (b)")]);
    check(Operator::NegatedCondition, "if a < b || a == b { g() }", &[("a < b || a == b", "!(a < b || a == b)")]);
}

#[test]
fn conditions_say_the_opposite_but_what_binds_stays() {
    check(Operator::NegatedCondition, "if s.ready() { g() }", &[("s.ready()", "!(s.ready())")]);
    check(Operator::NegatedCondition, "while !s.ready() { g() }", &[("!s.ready()", "(s.ready())")]);
    check(Operator::NegatedCondition, "if let Some(a) = b && a.c() { g() }", &[("a.c()", "!(a.c())")]);
    check(Operator::Logic, "if let Some(a) = b && a.c() { g() }", &[]);
    check(Operator::Logic, "let a = b && c;", &[("b && c", "(b) || (c)")]);
    check(Operator::NegatedCondition, "match a { Some(b) if b.c() => {} _ => {} }", &[("b.c()", "!(b.c())")]);
    check(Operator::NegatedCondition, "a.retain(|b| b.c());", &[("b.c()", "!(b.c())")]);
    check(Operator::NegatedCondition, "let a = matches!(b, C);", &[("matches!(b, C)", "!matches!(b, C)")]);
}

#[test]
fn arithmetic_and_what_wraps() {
    check(Operator::Arithmetic, "let a = b + c;", &[("b + c", "(b) - (c)")]);
    check(Operator::Arithmetic, "a |= b << c;", &[("a |= b << c", "a &= b << c"), ("b << c", "(b) >> (c)")]);
    check(Operator::NoWrap, "let a = b.wrapping_add(c);", &[("b.wrapping_add(c)", "b.saturating_add(c)")]);
    check(Operator::NoWrap, "let a = b & 0x3f;", &[("b & 0x3f", "(b)")]);
    check(Operator::NoWrap, "let a = b & 0x40;", &[]);
    check(Operator::NoWrap, "let a = b % c;", &[("b % c", "(b)")]);
}

#[test]
fn integers_and_named_constants_are_one_more_and_one_less() {
    check(Operator::Constant, "g(5u8);", &[("g(5u8)", "g(6u8)"), ("g(5u8)", "g(4u8)")]);
    check(Operator::Constant, "g(0x10);", &[("g(0x10)", "g(0x11)"), ("g(0x10)", "g(0xf)")]);
    check(Operator::Constant, "g(0);", &[("g(0)", "g(1)")]);
    check(Operator::Constant, "g(500_000);", &[("g(500_000)", "g(1000000)"), ("g(500_000)", "g(250000)")]);
    let named = [("g(ID)", "g(ID.wrapping_add(1))"), ("g(ID)", "g(ID.wrapping_sub(1))")];
    check(Operator::Constant, "g(ID);", &named);
    check(Operator::Constant, "g(LAG_US);", &[("g(LAG_US)", "g((LAG_US * 2))"), ("g(LAG_US)", "g((LAG_US / 2))")]);
    check(Operator::Constant, "let [a, 5] = b else { g([c; 4]) }; const C: u8 = 7; h::<3>();", &[]);
}

#[test]
fn statements_are_left_out_and_resets_apart() {
    check(
        Operator::RemovedStatement,
        "a.push(b); a += c; return;",
        &[("a.push(b);", ""), ("a += c;", ""), ("return;", "")],
    );
    check(Operator::RemovedStatement, "let a = b; if c { d() } let Some(e) = f else { return; };", &[]);
    check(
        Operator::StaleState,
        "a.b = None; a.c = C::new(); d.clear(); a.e = e;",
        &[("a.b = None;", ""), ("a.c = C::new();", ""), ("d.clear();", "")],
    );
    let begins = made("fn begin_map() { a.b = c; }", Part::Server);
    assert!(begins.contains(&(Operator::StaleState, "a.b = c;".into(), String::new())));
}

#[test]
fn arguments_clients_and_options() {
    let swapped = [("g(a, b, c)", "g(b, a, c)"), ("g(a, b, c)", "g(a, c, b)")];
    check(Operator::SwappedArguments, "g(a, b, c);", &swapped);
    check(Operator::SwappedArguments, "s.g(a, a);", &[]);
    check(Operator::SomeToNone, "let a = Some(b);", &[("Some(b)", "None")]);
    check(
        Operator::OtherClient,
        "let a = self.sessions[i];",
        &[("self.sessions[i]", "self.sessions[0]"), ("self.sessions[i]", "self.sessions[(i) ^ 1]")],
    );
    check(Operator::OtherClient, "g(now, index);", &[("g(now, index)", "g(now, 0)")]);
    check(
        Operator::OtherClient,
        "let a = b.iter().find(|s| s.peer() == peer);",
        &[("s.peer() == peer", "(s.peer()) != (peer)")],
    );
}

#[test]
fn functions_return_early_what_knows_nothing() {
    let returns = |signature: &str| {
        let all = made(&format!("impl T {{ {signature} {{ self.a.b() }} }}"), Part::Server);
        let early = all.into_iter().filter(|(of, ..)| *of == Operator::EarlyReturn);
        early.map(|(_, _, new)| new).collect::<Vec<_>>()
    };
    assert_eq!(returns("fn f(&self)"), ["return;"]);
    assert_eq!(returns("fn f(&self) -> bool"), ["return true;", "return false;"]);
    assert_eq!(returns("fn f(&self) -> u16"), ["return 0;", "return 1;"]);
    assert_eq!(returns("fn f(&self) -> Option<u8>"), ["return None;"]);
    assert_eq!(returns("fn f(&self) -> Result<(), E>"), ["return Ok(());"]);
    assert_eq!(returns("fn f(&self) -> Vec<u8>"), ["return Default::default();"]);
    assert!(returns("fn f(&self) -> T").is_empty());
    assert!(returns("fn f(&self) -> impl Iterator<Item = u8>").is_empty());
}

#[test]
fn tests_names_formats_and_constants_are_left_alone() {
    let alone = "const A: u8 = 1 + 2; static B: [u8; 3] = [1; 3];\n\
                 #[cfg(test)] mod tests { fn f() { a += 1; } }\n\
                 #[test] fn g() { a += 1; }\n\
                 impl fmt::Display for T { fn fmt(&self) { a += 1; } }\n\
                 impl T { fn name(&self) -> &str { \"b\" } }\n\
                 macro_rules! m { () => { a += 1; } }";
    assert_eq!(made(alone, Part::Server), []);
    let decodes = "fn read(r: &mut R) { a += 1; } fn f(r: &mut Reader<'_>) { a += 1; }";
    assert_eq!(made(decodes, Part::Codec), []);
    assert!(!made(decodes, Part::Client).is_empty());
}

#[test]
fn a_source_with_its_mutants_is_a_source_and_without_them_unchanged() {
    let text = "impl S {\n    const fn age(a: u16) -> u16 { a.wrapping_sub(5) & 0xff }\n    fn f(&mut self, x: usize) {\n        \
                for a in 0..x { self.v[a] = (x + 1) * 2; }\n        if x > 3 && self.ready() { return; }\n        \
                self.g(Some(x), 4); // After.\n    }\n}\n";
    let source = Source::new("kit", "s.rs", Part::Server, text.to_string(), 1).expect("a source");
    let all: BTreeSet<u32> = source.mutants().map(|mutant| mutant.number).collect();
    assert_eq!(all, (1..=source.len() as u32).collect());
    let schema = source.schema(&BTreeSet::new());
    syn::parse_file(&schema.text).expect("a source with all its mutants");
    assert!(schema.text.contains("     fn age"), "what asks at run time is no constant: {}", schema.text);
    assert!(schema.text.contains("for a in (match"), "{}", schema.text);
    assert_eq!(schema.text.lines().count(), text.lines().count(), "lines stay where they are");
    let unchanged = source.schema(&all).text.replace(" ::mutagen_rt::tick();", "");
    assert_eq!(unchanged, text);
    // Whatever is dropped, the rest is a source.
    for number in all {
        let schema = source.schema(&BTreeSet::from([number]));
        syn::parse_file(&schema.text).expect("a source");
        let code = |(range, piece): &(std::ops::Range<usize>, _)| (schema.text.get(range.clone()).is_some(), *piece);
        assert!(schema.pieces.iter().map(code).all(|(there, _)| there));
    }
    assert_eq!(source.in_constant("age").len(), 9);
}
