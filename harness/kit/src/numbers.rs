//! Numbers of entities in ascending order, as lists of entities and views have them.

/// Where `number` stands in `numbers`, which ascend.
///
/// # Errors
/// It is not there; it belongs to this place.
#[inline]
pub fn place_of(numbers: &[u32], number: u32) -> Result<usize, usize> {
    // Lists are mostly dense from 1, but for a gap. New numbers mostly come in order.
    let Some(last) = numbers.len().checked_sub(1) else { return Err(0) };
    let high = last.min((number as usize).wrapping_sub(1));
    if let Some(beyond) = numbers[high].checked_sub(number) {
        // Each of those before is at least one less.
        let low = high.saturating_sub(beyond as usize);
        if numbers[low] == number {
            return Ok(low);
        }
    } else if high == last {
        return Err(numbers.len());
    }
    numbers.binary_search(&number)
}

/// Numbers in ascending order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    list: Vec<u32>,
    /// The numbers below [`LOW`], a bit each: how many are set below another's is its place.
    low: u64,
}

/// Up to here a bit says whether a number is there.
const LOW: u32 = u64::BITS;

impl Numbers {
    /// None, with memory for so many.
    pub fn with_capacity(count: usize) -> Numbers {
        Numbers { list: Vec::with_capacity(count), low: 0 }
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.list.reserve(more);
    }

    /// Where `number` stands.
    ///
    /// # Errors
    /// It is not there; it belongs to this place.
    #[inline]
    pub fn place_of(&self, number: u32) -> Result<usize, usize> {
        let guess = (number as usize).wrapping_sub(1);
        if self.list.get(guess) == Some(&number) {
            return Ok(guess);
        }
        self.search(number)
    }

    /// The same of one that does not stand where it would without gaps.
    fn search(&self, number: u32) -> Result<usize, usize> {
        if number >= LOW {
            return place_of(&self.list, number);
        }
        let bit = 1 << number;
        let place = (self.low & (bit - 1)).count_ones() as usize;
        if self.low & bit != 0 { Ok(place) } else { Err(place) }
    }

    /// Adds a number that is not there, at the place to which it belongs.
    pub fn insert(&mut self, place: usize, number: u32) {
        self.list.insert(place, number);
        self.low |= bit_of(number);
    }

    /// Takes out the number at a place.
    pub fn remove(&mut self, place: usize) {
        let number = self.list.remove(place);
        self.low &= !bit_of(number);
    }

    /// Keeps those of which this is true, asked in ascending order.
    pub fn retain(&mut self, keep: impl FnMut(&u32) -> bool) {
        self.list.retain(keep);
        self.low = self.list.iter().fold(0, |low, number| low | bit_of(*number));
    }

    /// Takes out all of them.
    pub fn clear(&mut self) {
        self.list.clear();
        self.low = 0;
    }

    /// Makes these the same as `other`, keeping their memory.
    pub fn copy_from(&mut self, other: &Numbers) {
        self.list.clone_from(&other.list);
        self.low = other.low;
    }
}

/// The bit of a number; none from [`LOW`] on.
fn bit_of(number: u32) -> u64 {
    1_u64.checked_shl(number).unwrap_or(0)
}

impl std::ops::Deref for Numbers {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.list
    }
}
