//! What an observer sees of an endpoint.

use kit::{Hidden, StatValue, View};

fn check(numbers: &[u32], fields: &[i32], entity: u32, expected: Option<&[i32]>) {
    let view = View { numbers: numbers.to_vec(), fields: fields.to_vec(), ..View::default() };
    assert_eq!(view.entity(entity), expected);
}

#[test]
fn an_entity_is_found_by_its_number() {
    check(&[1, 5, 9], &[10, 11, 50, 51, 90, 91], 1, Some(&[10, 11]));
    check(&[1, 5, 9], &[10, 11, 50, 51, 90, 91], 5, Some(&[50, 51]));
    check(&[1, 5, 9], &[10, 11, 50, 51, 90, 91], 9, Some(&[90, 91]));
}

#[test]
fn an_entity_that_is_not_there_has_no_fields() {
    check(&[1, 5, 9], &[10, 11, 50, 51, 90, 91], 4, None);
    check(&[1, 5, 9], &[10, 11, 50, 51, 90, 91], 10, None);
    check(&[], &[], 0, None);
}

#[test]
fn a_protocol_without_fields_still_has_entities() {
    check(&[3], &[], 3, Some(&[]));
}

#[test]
fn a_cleared_view_is_empty_and_keeps_its_memory() {
    let mut view = View {
        state: "active",
        server_time: 1.5f32.to_bits(),
        valid: true,
        own_entity: 2,
        numbers: vec![1, 2],
        fields: vec![1, 2, 3, 4],
        statics: vec![5, 6],
        stats: vec![(0, StatValue::Int(100)), (3, StatValue::Float(0.5))],
        hidden: Hidden::from_names(&[], &[], &[String::from("stats")]),
    };
    let capacity = view.fields.capacity();
    view.clear();
    assert_eq!(view, View::default());
    assert_eq!(view.fields.capacity(), capacity);
}
