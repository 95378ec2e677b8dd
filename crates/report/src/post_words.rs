//! [`PostWords`]: what the page about a published comparison says that no run can know.

use record::outcome::Report;
use say::Language;
use serde::Deserialize;

/// What the page says that no run can know.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostWords {
    /// The name of its files.
    pub page: String,
    pub title: BothLanguages,
    /// The experiments that repeat the comparison, by name, in the order of the page.
    pub experiments: Vec<String>,
    /// Those of them that repeat a table of the author's.
    pub tables: Vec<String>,
    /// What the author did and concluded.
    pub said: BothLanguages,
    /// What the machine of the runs could not repeat.
    pub not_shown: Vec<BothLanguages>,
}

/// A text in English and in Chinese. What stands between two backticks is code.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BothLanguages {
    pub en: String,
    pub zh: String,
}

impl BothLanguages {
    pub(crate) fn text_in(&self, language: Language) -> &str {
        language.choose(&self.en, &self.zh).trim()
    }
}

impl PostWords {
    /// The words of a page about a single run, which are those of its experiment.
    pub fn of(report: &Report) -> Self {
        let [en, zh] =
            [Language::En, Language::Zh].map(|language| report.question.text_in(language).to_owned());
        let name = report.experiment.clone();
        Self {
            page: name.clone(),
            title: BothLanguages { en, zh },
            experiments: vec![name.clone()],
            tables: vec![name],
            ..Self::default()
        }
    }
}
