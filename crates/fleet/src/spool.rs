//! [`Spool`]: the deltas of an agent that the coordinator does not have yet.

use std::collections::VecDeque;

/// Messages in order, each kept until it is acknowledged.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    waiting: VecDeque<(u64, Vec<u8>)>,
}

impl Spool {
    /// Adds a message with its number, greater than all before.
    pub(crate) fn push(&mut self, seq: u64, bytes: Vec<u8>) {
        self.waiting.push_back((seq, bytes));
    }

    /// The oldest message that is not acknowledged.
    pub(crate) fn oldest(&self) -> Option<&(u64, Vec<u8>)> {
        self.waiting.front()
    }

    /// Forgets the messages up to this number.
    pub(crate) fn acknowledge(&mut self, seq: u64) {
        while self.waiting.front().is_some_and(|(oldest, _)| *oldest <= seq) {
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_kept_until_it_is_acknowledged() {
        let mut spool = Spool::default();
        (1..=3).for_each(|seq| spool.push(seq, vec![seq as u8]));
        assert_eq!(spool.oldest(), Some(&(1, vec![1])));
        spool.acknowledge(0);
        assert_eq!(spool.oldest(), Some(&(1, vec![1])));
        spool.acknowledge(2);
        assert_eq!(spool.oldest(), Some(&(3, vec![3])));
        spool.acknowledge(3);
        assert_eq!(spool.oldest(), None);
    }
}
