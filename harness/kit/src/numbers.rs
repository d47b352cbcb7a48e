//! Numbers of entities in ascending order, as lists of entities and views have them.

/// Where `number` stands in `numbers`, which ascend.
///
/// # Errors
/// It is not there; it belongs to this place.
#[inline]
pub fn place_of(numbers: &[u32], number: u32) -> Result<usize, usize> {
    // Lists are mostly dense from 1: the entity stands at its number, or just before. New ones mostly come in order.
    let guess = (number as usize).wrapping_sub(1);
    match (numbers.get(guess), numbers.last()) {
        (Some(&at), _) if at == number => Ok(guess),
        (None, Some(&last)) if last < number => Err(numbers.len()),
        _ if numbers.len() <= COUNTED => {
            let below = numbers.iter().filter(|&&other| other < number).count();
            if numbers.get(below) == Some(&number) { Ok(below) } else { Err(below) }
        }
        _ => numbers.binary_search(&number),
    }
}

/// In so few numbers those below another are counted, which takes no decisions, instead of looked for by halves.
const COUNTED: usize = 16;
