//! Which mutants a sample has. A mutant is drawn by what it changes and not by its number or line, so that an edit elsewhere
//! leaves the sample as it is, and a larger sample has all mutants of a smaller one.

use crate::schema::Mutant;
use std::collections::BTreeMap;

/// The numbers of `sample` of `mutants`, ascending; each `offset` has others, until all were drawn.
pub fn draw<'a>(mutants: impl IntoIterator<Item = &'a Mutant>, sample: usize, offset: usize) -> Vec<u32> {
    let mut alike: BTreeMap<String, u32> = BTreeMap::new();
    let mut ranked: Vec<([u8; 32], u32)> = mutants
        .into_iter()
        .map(|mutant| {
            let Mutant { number, file, function, operator, old, new, .. } = mutant;
            let what = format!("{file}\n{function}\n{operator}\n{old}\n{new}");
            // Several places of a function may be changed alike: they are distinguished by their order.
            let before = alike.entry(what.clone()).or_default();
            *before += 1;
            (*blake3::hash(format!("{what}\n{before}").as_bytes()).as_bytes(), *number)
        })
        .collect();
    ranked.sort_unstable();
    let start = offset.saturating_mul(sample) % ranked.len().max(1);
    let mut drawn: Vec<u32> =
        ranked.iter().cycle().skip(start).take(sample.min(ranked.len())).map(|&(_, number)| number).collect();
    drawn.sort_unstable();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::Operator;

    /// Two hundred mutants, whose functions `of` gives.
    fn mutants(of: impl Fn(u32) -> u32) -> Vec<Mutant> {
        (1..=200)
            .map(|number| Mutant {
                number,
                file: "a.rs".into(),
                line: number as usize,
                column: 1,
                function: format!("f{}", of(number)),
                operator: Operator::Constant,
                old: "1".into(),
                new: "2".into(),
            })
            .collect()
    }

    #[test]
    fn an_edit_elsewhere_leaves_the_sample_as_it_is() {
        let all = mutants(|number| number);
        let drawn = draw(&all, 50, 0);
        assert_eq!(drawn.len(), 50);
        let mut edited = all.clone();
        let left_out = (1..=200).find(|number| !drawn.contains(number)).expect("most are not drawn");
        edited.retain(|mutant| mutant.number != left_out);
        edited.iter_mut().for_each(|mutant| mutant.line += 100);
        assert_eq!(draw(&edited, 50, 0), drawn);
    }

    #[test]
    fn a_larger_sample_has_the_smaller_one_and_the_offsets_share_nothing() {
        let all = mutants(|number| number / 7);
        let (small, large, next) = (draw(&all, 40, 0), draw(&all, 120, 0), draw(&all, 40, 1));
        assert!(small.iter().all(|number| large.contains(number)));
        assert!(next.iter().all(|number| !small.contains(number) && large.contains(number)));
        assert_eq!(draw(&all, 500, 3), (1..=200).collect::<Vec<_>>());
        assert!(draw(&[], 40, 1).is_empty());
    }
}
