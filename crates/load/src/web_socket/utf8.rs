//! [`Utf8Check`]: whether a text that comes in pieces is UTF-8. It keeps at most the begin of one character.

/// The most bytes of a character that is not complete.
const LONGEST_BEGIN: usize = 3;

/// A text that comes in pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Utf8Check {
    /// The begin of a character whose end has not come.
    begin: [u8; LONGEST_BEGIN + 1],
    known: usize,
}

impl Utf8Check {
    /// Takes the next bytes. Returns false when they cannot be a part of any text.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> bool {
        while self.known > 0 {
            let Some((&first, rest)) = bytes.split_first() else {
                return true;
            };
            bytes = rest;
            self.begin[self.known] = first;
            self.known += 1;
            match std::str::from_utf8(&self.begin[..self.known]) {
                Ok(_) => self.known = 0,
                Err(error) if error.error_len().is_some() => return false,
                Err(_) => {}
            }
        }
        match std::str::from_utf8(bytes) {
            Ok(_) => true,
            Err(error) if error.error_len().is_some() => false,
            Err(error) => {
                let begin = &bytes[error.valid_up_to()..];
                self.begin[..begin.len()].copy_from_slice(begin);
                self.known = begin.len();
                true
            }
        }
    }

    /// Whether the text may end here.
    pub(super) const fn is_complete(self) -> bool {
        self.known == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether these pieces are a text.
    fn is_text<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> bool {
        let mut check = Utf8Check::default();
        pieces.into_iter().all(|piece| check.take(piece)) && check.is_complete()
    }

    #[test]
    fn characters_may_be_split_and_not_cut() {
        for text in ["", "a", "é", "中", "🦀", "a中é🦀z"] {
            assert!(is_text(text.as_bytes().chunks(1)), "{text}");
            for end in 1..text.len() {
                let cut = &text.as_bytes()[..end];
                assert_eq!(is_text(cut.chunks(1)), std::str::from_utf8(cut).is_ok(), "{text} up to {end}");
            }
        }
        assert!(!is_text([&b"\xed\xa0\x80"[..]]), "a surrogate");
        assert!(!Utf8Check::default().take(b"\xc0"));
    }

    proptest! {
        #[test]
        fn it_says_what_the_library_says(bytes in proptest::collection::vec(any::<u8>(), 0..12), size in 1_usize..5) {
            prop_assert_eq!(is_text(bytes.chunks(size)), std::str::from_utf8(&bytes).is_ok());
        }
    }
}
