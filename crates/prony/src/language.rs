//! In which language prony speaks: the language of `--lang`, else the language of the locale.

use crate::args::{LangArg, LanguageArgs};
use crate::repeat::TypedCommand;
use say::Language;

/// Returns the language of `--lang`, else the language of the locale.
pub(crate) fn chosen(language: &LanguageArgs) -> Language {
    language.lang.map_or_else(from_locale, Language::from)
}

/// Returns the language of what build servers read: English, unless `--lang` asks for another one. Scripts look for words in
/// it, so the locale of the machine must not change them.
pub(crate) fn for_build_servers(language: &LanguageArgs) -> Language {
    language.lang.map_or(Language::En, Language::from)
}

/// Returns the language in which a page opens: the language of `--lang`, or Chinese if the locale is Chinese. With
/// `None` the reader's browser decides.
pub(crate) fn for_pages(language: &LanguageArgs) -> Option<Language> {
    let of_locale = || Some(from_locale()).filter(|lang| *lang == Language::Zh);
    language.lang.map(Language::from).or_else(of_locale)
}

/// Returns the language of the locale.
pub(crate) fn from_locale() -> Language {
    // In the order of POSIX: the first variable that is set decides.
    let variables = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let mut values = variables.filter_map(std::env::var_os).filter(|value| !value.is_empty());
    values.next().map_or(Language::En, |locale| Language::of_locale(&locale.to_string_lossy()))
}

/// Returns the language in which a command reports its errors: the language of its `--lang`, else the language of the
/// locale. The help texts and the messages of clap are always in English, because clap has no translations.
pub(crate) fn of_command(typed: &TypedCommand) -> Language {
    typed.argument::<LangArg>("lang").map_or_else(from_locale, |lang| (*lang).into())
}

impl From<LangArg> for Language {
    fn from(lang: LangArg) -> Self {
        match lang {
            LangArg::En => Self::En,
            LangArg::Zh => Self::Zh,
        }
    }
}
