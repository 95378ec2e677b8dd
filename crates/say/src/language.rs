//! [`Language`].

/// A language of reports and messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Language {
    /// The language of a locale, in the form of `LANG` (`zh_CN.UTF-8`) or of a browser's request, whose first language counts
    /// (`zh-CN,zh;q=0.9`). Every locale that is not Chinese gets English.
    pub fn of_locale(locale: &str) -> Self {
        let language = locale.split(['_', '-', '.', '@', ',', ';']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("zh") { Self::Zh } else { Self::En }
    }

    /// What belongs to the language: of words, the English or the Chinese ones.
    pub const fn choose<T: Copy>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }

    /// Its language tag in HTML.
    pub const fn tag(self) -> &'static str {
        self.choose("en", "zh-CN")
    }
}
