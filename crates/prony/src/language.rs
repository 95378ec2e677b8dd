//! In which language prony speaks: the one of `--lang`, else that of the locale.

use crate::args::{Command, LangArg, LanguageArgs};
use report::Lang;

/// Returns the language of `--lang`, else that of the locale.
pub(crate) fn chosen(language: &LanguageArgs) -> Lang {
    language.lang.map_or_else(from_locale, Lang::from)
}

/// Returns the language of what build servers read: English, unless `--lang` asks for another one. Scripts look for words in
/// it, so the locale of the machine must not change them.
pub(crate) fn for_build_servers(language: &LanguageArgs) -> Lang {
    language.lang.map_or(Lang::En, Lang::from)
}

/// Returns the language in which a page opens: that of `--lang`, or Chinese if the locale is Chinese. With `None` the reader's
/// browser decides.
pub(crate) fn for_pages(language: &LanguageArgs) -> Option<Lang> {
    let of_locale = || Some(from_locale()).filter(|lang| *lang == Lang::Zh);
    language.lang.map(Lang::from).or_else(of_locale)
}

/// Returns the language of the locale.
pub(crate) fn from_locale() -> Lang {
    // In the order of POSIX: the first variable that is set decides.
    let variables = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let mut values = variables.filter_map(std::env::var_os).filter(|value| !value.is_empty());
    values.next().map_or(Lang::En, |locale| Lang::of_locale(&locale.to_string_lossy()))
}

/// Returns the language in which a command reports its errors. The help texts and the messages of clap are always in English,
/// because clap has no translations.
pub(crate) fn of_command(command: &Command) -> Lang {
    let language = match command {
        Command::Run(args) => Some(&args.execution.output.language),
        Command::Check(args) => Some(&args.language),
        Command::Init(args) => Some(&args.language),
        Command::Import(args) => Some(&args.to.language),
        Command::Record(args) => Some(&args.to.language),
        Command::Compare(args) => Some(&args.execution.output.language),
        Command::Why(args) => Some(&args.output.language),
        Command::Load(args) => Some(&args.output.language),
        Command::Agent(args) => Some(&args.language),
        Command::Report(args) => Some(&args.language),
        Command::History(args) => Some(&args.language),
        Command::Nightly(args) => Some(&args.language),
        Command::Push(args) => Some(&args.language),
        Command::Pull(args) => Some(&args.language),
        Command::Prune(args) => Some(&args.language),
        Command::Dump(args) => Some(&args.language),
        Command::Diff(args) => Some(&args.language),
        Command::Serve(args) => Some(&args.language),
        Command::Wrk(_)
        | Command::Ab(_)
        | Command::Calibrate(_)
        | Command::Catalog(_)
        | Command::Doctor
        | Command::Clean(_)
        | Command::Host { .. }
        | Command::OrderedAgent { .. }
        | Command::Pages { .. }
        | Command::Guard { .. } => None,
    };
    language.map_or_else(from_locale, chosen)
}

impl From<LangArg> for Lang {
    fn from(lang: LangArg) -> Self {
        match lang {
            LangArg::En => Self::En,
            LangArg::Zh => Self::Zh,
        }
    }
}
