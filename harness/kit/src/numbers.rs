//! Numbers of entities in ascending order, as lists of entities and views have them.

/// Where `number` stands in `numbers`, which ascend.
///
/// # Errors
/// It is not there; it belongs to this place.
#[inline]
pub fn place_of(numbers: &[u32], number: u32) -> Result<usize, usize> {
    // Lists are mostly dense from 1, or up to their last. New numbers mostly come in order.
    let from_first = (number as usize).wrapping_sub(1);
    if numbers.get(from_first) == Some(&number) {
        return Ok(from_first);
    }
    let Some((&last, before)) = numbers.split_last() else { return Err(0) };
    if last < number {
        return Err(numbers.len());
    }
    let from_last = before.len().wrapping_sub((last - number) as usize);
    if numbers.get(from_last) == Some(&number) {
        return Ok(from_last);
    }
    numbers.binary_search(&number)
}
