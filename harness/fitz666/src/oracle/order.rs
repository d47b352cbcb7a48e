//! Values by number, in order, in memory that is kept.

use kit::Numbers;

/// A map from numbers, ascending. It allocates only where it grows beyond what it ever held.
#[derive(Clone, Debug)]
pub struct Ordered<T> {
    numbers: Numbers,
    values: Vec<T>,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered { numbers: Numbers::default(), values: Vec::new() }
    }
}

impl<T> Ordered<T> {
    /// The value of a number.
    pub fn get(&self, number: u32) -> Option<&T> {
        let place = self.numbers.place_of(number).ok()?;
        self.values.get(place)
    }

    /// Whether the number has a value.
    pub fn has(&self, number: u32) -> bool {
        self.numbers.place_of(number).is_ok()
    }

    /// Gives a number a value, instead of the one that it has.
    pub fn insert(&mut self, number: u32, value: T) {
        match self.numbers.place_of(number) {
            Ok(place) => self.values[place] = value,
            Err(place) => {
                self.numbers.insert(place, number);
                self.values.insert(place, value);
            }
        }
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.values.clear();
    }

    /// The numbers, ascending.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The number at a place, and its value.
    pub fn at(&self, place: usize) -> Option<(u32, &T)> {
        Some((*self.numbers.get(place)?, self.values.get(place)?))
    }

    /// Numbers and values, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.numbers.iter().copied().zip(&self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_comes_out_in_order() {
        let mut map = Ordered::default();
        for (number, value) in [(7, 'a'), (3, 'b'), (900, 'c'), (7, 'd')] {
            map.insert(number, value);
        }
        assert_eq!(map.iter().collect::<Vec<_>>(), [(3, &'b'), (7, &'d'), (900, &'c')]);
        assert_eq!((map.get(7), map.get(8), map.has(900)), (Some(&'d'), None, true));
        map.clear();
        assert_eq!(map.iter().count(), 0);
    }
}
