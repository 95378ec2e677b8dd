//! [`Question`]: the question of an experiment in words, in one language or in two.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, ExpectedValue, RequestSlip, TableName};
use say::{Language, Say, Writer};
use serde::{Deserialize, Serialize};

/// The key of the question in a file.
const KEY: &str = "question";

/// The question of an experiment. Scripts rely on `question` as a string, so the Chinese text has a field of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The text in English, or in the only language that it was asked in.
    #[serde(rename = "question")]
    pub text: String,
    /// The text in Chinese, where there is one in English, too.
    #[serde(rename = "question_zh", default, skip_serializing_if = "Option::is_none")]
    pub chinese: Option<String>,
}

impl Question {
    /// Returns a question in both languages.
    pub fn both(english: impl Into<String>, chinese: impl Into<String>) -> Self {
        Self { text: english.into(), chinese: Some(chinese.into()) }
    }

    /// Returns the text for readers of this language.
    pub fn text_in(&self, language: Language) -> &str {
        let chinese = self.chinese.as_deref().unwrap_or(&self.text);
        language.choose(&self.text, chinese)
    }

    /// Reads a text, or a table with a text for each language.
    pub(crate) fn read(table: &mut Table<'_>, problems: &mut Vec<Diagnostic>) -> Option<Self> {
        let node = table.get(KEY)?;
        if matches!(&node.value, Value::Table(languages) if !languages.is_empty()) {
            return by_language(node, problems);
        }
        table.read(KEY, problems, text).map(Self::from)
    }
}

impl Say for Question {
    fn say(&self, out: &mut Writer) {
        out.value(self.text_in(out.language()));
    }
}

/// Reads a text for each language; readers of a language without one get the other.
fn by_language(node: &Node, problems: &mut Vec<Diagnostic>) -> Option<Question> {
    let mut table = Table::open(node, TableName::Question).ok()?;
    let english = table.read("en", problems, text);
    let chinese = table.read("zh", problems, text);
    table.finish(problems);
    match (english, chinese) {
        (Some(text), chinese) => Some(Question { text, chinese }),
        (None, only) => only.map(Question::from),
    }
}

impl From<String> for Question {
    fn from(text: String) -> Self {
        Self { text, chinese: None }
    }
}

impl From<&str> for Question {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

/// Reads a text that is not blank.
fn text(node: &Node) -> Result<String, Diagnostic> {
    let problem = match &node.value {
        Value::Text(text) if !text.trim().is_empty() => return Ok(text.clone()),
        Value::Text(_) | Value::Table(_) => node.refuse(RequestSlip::NoQuestion),
        _ => node.expected(ExpectedValue::Text),
    };
    Err(problem.hint(Advice::QuestionForms))
}
