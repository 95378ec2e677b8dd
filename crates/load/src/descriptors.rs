//! The file descriptors of this process, which all its sessions share.

use crate::error::{Act, Error};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::{Mutex, PoisonError};

/// File descriptors that the process needs besides its connections: epoll, files, pipes.
const OTHERS: u64 = 64;

/// How many descriptors the sessions have reserved that are open now.
static RESERVED: Mutex<u64> = Mutex::new(0);

/// How many connections this process may have open at once; `None` means that there is no limit.
pub fn most_connections() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum.map(|maximum| maximum.saturating_sub(OTHERS))
}

/// Descriptors for the connections of a session, for as long as this exists.
#[derive(Debug)]
pub(crate) struct ReservedDescriptors(u64);

impl ReservedDescriptors {
    /// Reserves descriptors for so many connections beside those of other sessions, and raises the soft limit of this process if need be, as far
    /// as the hard one permits: sessions need not all have their connections open at once.
    ///
    /// # Errors
    ///
    /// [`Error::Descriptors`] when the hard limit is too low for this session alone.
    pub(crate) fn for_connections(connections: usize) -> Result<Self, Error> {
        if let Some(most) = most_connections().filter(|most| *most < connections as u64) {
            return Err(Error::Descriptors { connections, limit: most + OTHERS });
        }
        let mut reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
        let all = *reserved + connections as u64;
        raise_limit(all + OTHERS)?;
        *reserved = all;
        Ok(Self(connections as u64))
    }
}

impl Drop for ReservedDescriptors {
    fn drop(&mut self) {
        let mut reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
        *reserved -= self.0;
    }
}

/// Raises the soft limit of file descriptors to this number, or to the hard limit.
fn raise_limit(needed: u64) -> Result<(), Error> {
    let limit = getrlimit(Resource::Nofile);
    let needed = limit.maximum.map_or(needed, |maximum| needed.min(maximum));
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    let raised = Rlimit { current: Some(needed), maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).map_err(Error::system(Act::RaiseDescriptors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_that_are_open_at_once_have_room_for_all_their_connections() {
        let soft = || getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let most = most_connections().unwrap_or(1 << 20);
        let third = (most / 3).min(1 << 18) as usize;
        let sessions =
            [(); 2].map(|()| ReservedDescriptors::for_connections(third).expect("below the limit"));
        assert!(soft() >= 2 * third as u64 + OTHERS);
        drop(sessions);
        let beyond = most_connections().map(|most| ReservedDescriptors::for_connections(most as usize + 1));
        assert!(matches!(beyond, None | Some(Err(Error::Descriptors { .. }))), "{beyond:?}");
    }
}
