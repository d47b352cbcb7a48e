use super::*;

fn all(list: &PendingList) -> Vec<(u32, u32)> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some((entity, pending)) = list.next(from) {
        found.push((entity, pending.wire));
        from = entity + 1;
    }
    found
}

#[test]
fn entities_with_something_pending_are_found_in_ascending_order_across_pages() {
    let mut list = PendingList::default();
    for entity in [MAX_ENTITY, 0, 1023, 1024, 63, 64, 65_536, 5] {
        list.add(entity, Pending::flags(entity | 1));
    }
    let numbers: Vec<u32> = all(&list).iter().map(|entry| entry.0).collect();
    assert_eq!(numbers, [0, 5, 63, 64, 1023, 1024, 65_536, MAX_ENTITY]);
    assert_eq!(list.get(65_536), Pending::flags(65_537));
}

#[test]
fn an_entity_of_which_nothing_is_left_is_not_found() {
    let mut list = PendingList::default();
    list.set(7, Pending::GONE);
    list.set(9, Pending::flags(2));
    list.set(7, Pending::NOTHING);
    assert_eq!(all(&list), [(9, 2)]);
    list.clear();
    assert_eq!(all(&list), []);
    list.add(9, Pending::flags(4));
    assert_eq!(all(&list), [(9, 4)]);
}

#[test]
fn a_number_above_22_bits_is_ignored() {
    let mut list = PendingList::default();
    list.set(MAX_ENTITY + 1, Pending::GONE);
    assert_eq!(all(&list), []);
    assert_eq!(list.get(u32::MAX), Pending::NOTHING);
}
