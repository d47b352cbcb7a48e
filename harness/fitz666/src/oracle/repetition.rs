//! What was right is right again: the same bytes of an update in a world that has not changed since. Most datagrams repeat
//! most of what the one before said.

/// Most bytes of what is remembered: no update has more.
const MOST_BYTES: usize = 31;

/// The bytes of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateBytes {
    length: u8,
    bytes: [u8; MOST_BYTES],
}

impl UpdateBytes {
    /// Of these bytes, unless there are too many.
    pub fn new(update: &[u8]) -> Option<UpdateBytes> {
        let mut bytes = [0; MOST_BYTES];
        bytes.get_mut(..update.len())?.copy_from_slice(update);
        Some(UpdateBytes { length: update.len() as u8, bytes })
    }

    /// The bytes.
    pub fn get(&self) -> &[u8] {
        self.bytes.get(..self.length.into()).unwrap_or_default()
    }
}

/// An update, or a clientdata, that was judged right.
#[derive(Clone, Copy, Debug)]
pub struct RightUpdate {
    /// Its bytes.
    pub bytes: UpdateBytes,
    /// The entity that it mentions; 0 for a clientdata.
    pub entity: u32,
}

/// The updates of the newest datagram that has any, in their order, its clientdata among them: those that were right whatever the
/// time is.
#[derive(Debug, Default)]
pub struct RightUpdates {
    /// The version of the world with which they were compared.
    version: u64,
    updates: Vec<Option<RightUpdate>>,
    next: usize,
}

impl RightUpdates {
    /// Another datagram begins.
    pub fn rewind(&mut self) {
        self.next = 0;
    }

    /// What was compared with has changed.
    pub fn forget(&mut self) {
        self.updates.clear();
        self.next = 0;
    }

    /// The update with which `rest` begins, if it was right in this version of the world, at the same place.
    pub fn again(&mut self, version: u64, rest: &[u8]) -> Option<RightUpdate> {
        if self.version != version {
            self.updates.clear();
            self.version = version;
        }
        let known = self.updates.get(self.next)?.filter(|known| rest.starts_with(known.bytes.get()))?;
        self.next += 1;
        Some(known)
    }

    /// The update at this place was judged; it was right whatever the time is, or nothing is to be remembered.
    pub fn judged(&mut self, update: Option<RightUpdate>) {
        match self.updates.get_mut(self.next) {
            Some(place) => *place = update,
            None => self.updates.push(update),
        }
        self.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(bytes: &[u8]) -> Option<RightUpdate> {
        Some(RightUpdate { bytes: UpdateBytes::new(bytes)?, entity: bytes[1].into() })
    }

    #[test]
    fn the_same_bytes_are_known_again_at_their_place_and_in_the_same_world() {
        let mut right = RightUpdates::default();
        let check = |right: &mut RightUpdates, version: u64, rest: &[u8], entity: Option<u32>| {
            assert_eq!(right.again(version, rest).map(|known| known.entity), entity, "{rest:?} in version {version}");
        };
        check(&mut right, 1, &[0x80, 7], None);
        right.judged(update(&[0x80, 7]));
        // One that depends on the time.
        right.judged(None);
        right.judged(update(&[0x80, 9]));
        right.rewind();
        check(&mut right, 1, &[0x80, 7, 0x80, 8], Some(7));
        check(&mut right, 1, &[0x80, 8, 0x80, 9], None);
        right.judged(None);
        check(&mut right, 1, &[0x80, 9], Some(9));
        right.rewind();
        check(&mut right, 1, &[0x80], None);
        check(&mut right, 2, &[0x80, 7], None);
        check(&mut right, 1, &[0x80, 7], None);
    }

    #[test]
    fn an_update_that_is_too_long_is_not_remembered() {
        assert_eq!(UpdateBytes::new(&[1; MOST_BYTES]).map(|update| update.get().len()), Some(MOST_BYTES));
        assert_eq!(UpdateBytes::new(&[1; MOST_BYTES + 1]), None);
    }
}
