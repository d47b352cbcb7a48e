//! The fewest of some things, and the shortest delay, with which something still holds.

/// Takes things out, in ever smaller groups, as long as `holds` is true of the rest. What is left is 1-minimal: without any
/// single one of them it does not hold. Groups are tried from the end: what is there last matters least.
pub(super) fn minimise<T: Clone>(mut all: Vec<T>, holds: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    let mut size = all.len();
    while size > 0 {
        let mut end = all.len();
        let mut taken = false;
        while end > 0 {
            let start = end.saturating_sub(size);
            let rest: Vec<T> = all[..start].iter().chain(&all[end..]).cloned().collect();
            if holds(&rest) {
                all = rest;
                taken = true;
            }
            end = start;
        }
        // Of single ones, another round: what was needed before may not be any more.
        size = if size == 1 && taken { 1 } else { (size / 2).min(all.len()) };
    }
    all
}

/// Delays are lowered to such steps.
const STEP_US: u64 = 1_000;

/// Lowers a delay as long as `holds` is true of it, to whole steps above `least_us`, and never to that itself.
pub(super) fn lower(least_us: u64, delay_us: u64, holds: &mut dyn FnMut(u64) -> bool) {
    let (mut low, mut high) = (least_us, delay_us);
    while high > low + STEP_US {
        let middle = least_us + (low + (high - low) / 2 - least_us).next_multiple_of(STEP_US);
        if middle >= high {
            return;
        }
        if holds(middle) { high = middle } else { low = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_left_and_nothing_else() {
        let needs = |needed: &'static [u32]| {
            let mut tried = 0;
            let left = minimise((0..1_000).collect(), &mut |rest: &[u32]| {
                tried += 1;
                needed.iter().all(|one| rest.contains(one))
            });
            (left, tried)
        };
        assert_eq!(needs(&[]).0, [0; 0]);
        assert_eq!(needs(&[999]).0, [999]);
        let (left, tried) = needs(&[0, 3, 500, 501, 777]);
        assert_eq!(left, [0, 3, 500, 501, 777]);
        assert!(tried < 120, "{tried}");
    }

    #[test]
    fn one_of_two_is_enough_and_the_first_stays() {
        let left = minimise(vec![1, 2, 3, 4], &mut |rest| rest.contains(&2) || rest.contains(&4));
        assert_eq!(left, [2]);
    }

    #[test]
    fn what_was_needed_only_beside_another_goes_with_it() {
        // 3 is needed while 1 is there.
        let mut holds = |rest: &[u32]| rest.contains(&2) && (!rest.contains(&1) || rest.contains(&3));
        assert_eq!(minimise(vec![1, 2, 3], &mut holds), [2]);
    }
}
