//! `prony home`: says in which folders prony keeps what.

use super::SubCommand;
use crate::args::LanguageArgs;
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output::print;
use clap::Args;
use say::Say;
use std::path::Path;

/// Say in which folders prony keeps downloads, runs and settings.
#[derive(Debug, Args)]
pub(crate) struct HomeArgs {
    /// Print only the folder of downloads, for scripts.
    #[arg(long)]
    downloads: bool,
    /// The language of the list.
    #[command(flatten)]
    language: LanguageArgs,
}

/// The folders of this user.
#[derive(Say)]
#[say(
    en = "downloads: {cache}\nruns: {data}\nsettings: {config}\n",
    zh = "下载内容：{cache}\n运行记录：{data}\n设置：{config}\n"
)]
struct Folders<'a> {
    cache: &'a Path,
    data: &'a Path,
    config: &'a Path,
}

impl SubCommand for HomeArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let home = Home::find()?;
        if self.downloads {
            return print(&format!("{}\n", home.cache.display()));
        }
        let folders = Folders { cache: &home.cache, data: &home.data, config: &home.config };
        print(&say::text(&folders, language::chosen(&self.language)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::Lang;

    #[test]
    fn every_folder_is_named_in_both_languages() {
        let [cache, data, config] = ["Q1", "Q2", "Q3"].map(Path::new);
        let text = |lang| say::text(&Folders { cache, data, config }, lang);
        assert_eq!(text(Lang::En), "downloads: Q1\nruns: Q2\nsettings: Q3\n");
        assert_eq!(text(Lang::Zh), "下载内容：Q1\n运行记录：Q2\n设置：Q3\n");
    }
}
