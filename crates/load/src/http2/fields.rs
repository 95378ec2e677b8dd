//! The fields that HPACK knows by number: the static table (RFC 7541, appendix A) and [`FieldTable`], the dynamic one.

use super::ProtocolFlaw;
use std::collections::VecDeque;

/// The static table; its first entry has the number 1.
#[rustfmt::skip]
pub(super) const STATIC: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];
/// What an entry takes beside its bytes (RFC 7541 section 4.1).
const OVERHEAD: usize = 32;
/// The largest table that either side makes: the default of HTTP/2.
pub(super) const TABLE: usize = 4096;
/// The most entries of a table.
const MOST_ENTRIES: usize = TABLE / OVERHEAD;

/// The dynamic table of one direction of a connection. Its memory is taken when it is made.
#[derive(Debug)]
pub(super) struct FieldTable {
    /// The entries, the newest first.
    entries: VecDeque<FieldEntry>,
    /// The bytes of the entries, the oldest first. What was evicted is removed when there is no room behind it.
    bytes: Vec<u8>,
    /// By the count of RFC 7541 section 4.1.
    size: usize,
    limit: usize,
    /// Counts all changes.
    generation: u64,
}

#[derive(Clone, Copy, Debug)]
struct FieldEntry {
    start: usize,
    name: usize,
    value: usize,
}

impl Default for FieldTable {
    fn default() -> Self {
        Self {
            entries: VecDeque::with_capacity(MOST_ENTRIES),
            bytes: Vec::with_capacity(2 * TABLE),
            size: 0,
            limit: TABLE,
            generation: 0,
        }
    }
}

impl FieldTable {
    /// Changes with every change of the table.
    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    /// The field with this number, static or dynamic.
    pub(super) fn get(&self, number: usize) -> Result<(&[u8], &[u8]), ProtocolFlaw> {
        if let Some((name, value)) = number.checked_sub(1).and_then(|number| STATIC.get(number)) {
            return Ok((name.as_bytes(), value.as_bytes()));
        }
        let entry = number.checked_sub(STATIC.len() + 1).and_then(|place| self.entries.get(place));
        let FieldEntry { start, name, value } = *entry.ok_or(ProtocolFlaw::Index)?;
        Ok(self.bytes[start..start + name + value].split_at(name))
    }

    /// The number of a field of the dynamic table; `name` may have capital letters.
    pub(super) fn find(&self, name: &[u8], value: &[u8]) -> Option<usize> {
        let has = |entry: &FieldEntry| {
            let at = entry.start + entry.name;
            (entry.name, entry.value) == (name.len(), value.len())
                && self.bytes[at..at + entry.value] == *value
                && self.bytes[entry.start..at].eq_ignore_ascii_case(name)
        };
        self.entries.iter().position(has).map(|place| STATIC.len() + 1 + place)
    }

    /// True when a field fits in without pushing another one out.
    pub(super) fn has_room(&self, name: &[u8], value: &[u8]) -> bool {
        self.size + name.len() + value.len() + OVERHEAD <= self.limit
    }

    /// Inserts a field. Fields are evicted until there is room; one that is larger than the table empties it.
    pub(super) fn insert(&mut self, name: &[u8], value: &[u8]) {
        let length = name.len() + value.len();
        self.evict_to(self.limit.saturating_sub(length + OVERHEAD));
        self.generation += 1;
        if length + OVERHEAD > self.limit {
            return;
        }
        if self.bytes.len() + length > 2 * TABLE {
            let gone = self.entries.back().map_or(self.bytes.len(), |oldest| oldest.start);
            self.bytes.drain(..gone);
            self.entries.iter_mut().for_each(|entry| entry.start -= gone);
        }
        self.entries.push_front(FieldEntry { start: self.bytes.len(), name: name.len(), value: value.len() });
        self.bytes.extend(name.iter().map(u8::to_ascii_lowercase));
        self.bytes.extend_from_slice(value);
        self.size += length + OVERHEAD;
    }

    /// Sets the size that the table may have.
    ///
    /// # Errors
    ///
    /// [`ProtocolFlaw::TableSize`] when that is more than [`TABLE`].
    pub(super) fn resize(&mut self, limit: usize) -> Result<(), ProtocolFlaw> {
        if limit > TABLE {
            return Err(ProtocolFlaw::TableSize);
        }
        self.limit = limit;
        self.evict_to(limit);
        self.generation += 1;
        Ok(())
    }

    pub(super) const fn limit(&self) -> usize {
        self.limit
    }

    /// Evicts the oldest entries until the table is not larger than `most`.
    fn evict_to(&mut self, most: usize) {
        while self.size > most
            && let Some(entry) = self.entries.pop_back()
        {
            self.size -= entry.name + entry.value + OVERHEAD;
        }
    }
}
