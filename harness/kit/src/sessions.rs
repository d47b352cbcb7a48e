//! What a dissector knows of each client.

use crate::endpoint::HostId;

/// More clients than any scenario has; a capture with more is not followed further.
const MAX_CLIENTS: usize = 4096;

/// One session per client, begun when its first datagram comes.
#[derive(Debug)]
pub struct Sessions<T>(Vec<Option<T>>);

impl<T> Default for Sessions<T> {
    fn default() -> Sessions<T> {
        Sessions(Vec::new())
    }
}

impl<T> Sessions<T> {
    /// That of `client`, which `begin` begins; `None`: too many clients.
    pub fn of(&mut self, client: HostId, begin: impl FnOnce() -> T) -> Option<&mut T> {
        let index = usize::from(client.0);
        if index >= MAX_CLIENTS {
            return None;
        }
        if index >= self.0.len() {
            self.0.resize_with(index + 1, || None);
        }
        Some(self.0[index].get_or_insert_with(begin))
    }

    /// All of them, by client.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
