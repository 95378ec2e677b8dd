//! [`BilingualText`]: a text without values, in both languages.

use crate::words::Lang;

/// A text without values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BilingualText {
    /// In English.
    pub(crate) en: &'static str,
    /// In Chinese.
    pub(crate) zh: &'static str,
}

impl BilingualText {
    /// The text in that language.
    pub(crate) const fn to(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Zh => self.zh,
        }
    }
}
