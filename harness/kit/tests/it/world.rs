//! Entities by number, and the world that commands make of them.

use kit::{Command, EntityList, Numbers, Record, Time, World, place_of};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair([i32; 2]);

impl Record for Pair {
    const NULL: Pair = Pair([0, 16]);

    fn field_mut(&mut self, field: usize) -> Option<&mut i32> {
        self.0.get_mut(field)
    }
}

fn apply(world: &mut World<Pair>, at: u64, commands: &[Command]) -> Vec<bool> {
    commands.iter().map(|command| world.apply(Time(at), command)).collect()
}

#[test]
fn entities_are_found_by_number_however_sparse_and_listed_in_ascending_order() {
    let mut list = EntityList::default();
    for number in [70_000, 2, 1, 4_000_000, 3, 9] {
        list.entry(number, &Pair([number as i32, 0]));
    }
    assert_eq!(list.numbers(), [1, 2, 3, 9, 70_000, 4_000_000]);
    assert!(list.iter().all(|(number, state)| state.0[0] == number as i32));
    assert_eq!(list.get(9), Some(&Pair([9, 0])));
    assert_eq!((list.remove(8), list.remove(2)), (false, true));
    assert_eq!((list.get(8), list.get(2)), (None, None));
    assert_eq!(list.entry(3, &Pair::NULL), &Pair([3, 0]));
}

#[test]
fn numbers_are_found_in_short_lists_and_long_ones_or_belong_where_it_says() {
    for step in [1, 3] {
        for count in [0, 1, 2, 15, 16, 17, 40] {
            for first in [1, 2, 7] {
                let numbers: Vec<u32> = (0..count).map(|index| first + index * step).collect();
                for number in 0..first + count * step + 2 {
                    assert_eq!(place_of(&numbers, number), numbers.binary_search(&number), "{number} in {numbers:?}");
                }
            }
        }
    }
}

/// Whether all numbers up to 80 are found in `numbers`, or belong where the library says.
#[track_caller]
fn check_places(numbers: &Numbers) {
    for number in 0..80 {
        assert_eq!(numbers.place_of(number), numbers.binary_search(&number), "{number} in {numbers:?}");
    }
}

#[test]
fn numbers_that_come_and_go_are_found_where_they_are() {
    let mut numbers = Numbers::default();
    for number in [63, 64, 1, 0, 40, 2, 70, 65, 39] {
        let place = numbers.place_of(number).unwrap_err();
        numbers.insert(place, number);
        check_places(&numbers);
    }
    let mut copy = Numbers::with_capacity(4);
    copy.copy_from(&numbers);
    assert_eq!(copy, numbers);
    for number in [63, 0, 64] {
        numbers.remove(numbers.place_of(number).unwrap());
        check_places(&numbers);
    }
    numbers.retain(|number| number % 2 == 0);
    assert_eq!(*numbers, [2, 40, 70]);
    check_places(&numbers);
    copy.clear();
    check_places(&copy);
}

#[test]
fn an_entity_is_put_where_it_belongs_or_in_the_place_of_the_one_before() {
    let mut list = EntityList::with_capacity(2);
    for (number, value) in [(7, 1), (3, 2), (7, 3), (5, 4)] {
        list.put(number, Pair([value, 0]));
    }
    let values: Vec<(u32, i32)> = list.iter().map(|(number, state)| (number, state.0[0])).collect();
    assert_eq!(values, [(3, 2), (5, 4), (7, 3)]);
}

#[test]
fn an_entity_is_born_with_its_baseline_and_changes_by_field() {
    let mut world = World::default();
    let baseline = Command::Baseline { entity: 5, field: 0, value: 7 };
    let set = Command::Set { entity: 5, field: 1, value: 8 };
    assert_eq!(apply(&mut world, 0, &[baseline, Command::Spawn { entity: 5 }, set]), [true; 3]);
    assert_eq!(world.live.get(5), Some(&Pair([7, 8])));
}

#[test]
fn a_baseline_changed_later_holds_from_the_next_map_on() {
    let mut world = World::default();
    apply(&mut world, 0, &[Command::Baseline { entity: 5, field: 0, value: 7 }]);
    assert!(world.apply(Time(1), &Command::Baseline { entity: 5, field: 0, value: 9 }));
    assert_eq!(world.baselines.get(5), Some(&Pair([7, 16])));
    apply(&mut world, 2, &[Command::Spawn { entity: 5 }, Command::Map]);
    assert_eq!((world.baselines.get(5), world.live.len(), world.maps), (Some(&Pair([9, 16])), 0, 1));
}

#[test]
fn a_baseline_that_is_the_null_state_again_is_none_from_the_next_map_on() {
    let mut world = World::default();
    apply(&mut world, 0, &[Command::Baseline { entity: 5, field: 0, value: 7 }]);
    apply(&mut world, 1, &[Command::Baseline { entity: 5, field: 0, value: 0 }, Command::Map]);
    assert_eq!(world.baselines.get(5), None);
    apply(&mut world, 2, &[Command::Spawn { entity: 5 }]);
    assert_eq!(world.live.get(5), Some(&Pair::NULL));
}

#[test]
fn commands_that_make_no_sense_change_nothing() {
    let mut world: World<Pair> = World::default();
    let senseless = [
        Command::Set { entity: 1, field: 0, value: 1 },
        Command::Remove { entity: 1 },
        Command::Spawn { entity: 0 },
        Command::Baseline { entity: 1, field: 2, value: 1 },
        Command::Connect,
    ];
    assert_eq!(apply(&mut world, 0, &senseless), [false; 5]);
    assert!(world.live.is_empty() && world.baselines.is_empty());
    apply(&mut world, 1, &[Command::Spawn { entity: 1 }]);
    assert_eq!(apply(&mut world, 1, &[Command::Spawn { entity: 1 }]), [false]);
}
