//! [`Draft`]: a scenario before it is written. Its texts are templates, as scenario files have them: `${name}` stands for a variable.

use crate::remark::Remark;

/// A scenario with what a reader should know of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The name of the scenario.
    pub name: String,
    /// Scheme, host and port of the server: `http://localhost:8080`; `None` where the source names none.
    pub origin: Option<String>,
    /// What is told at the top of the file.
    pub remarks: Vec<Remark>,
    /// The variables that are set before the load.
    pub variables: Vec<Variable>,
    /// Headers that every step sends.
    pub headers: Vec<(String, String)>,
    /// Whether the steps do not depend on each other, so that a failed one does not end the session.
    pub is_independent: bool,
    /// Whether cookies that answers set are not sent back, because the source did not.
    pub drops_cookies: bool,
    /// The steps, at least one unless there are `users` or a `mix`.
    pub steps: Vec<Step>,
    /// Scenarios in the place of the steps, one for each user.
    pub users: Vec<UserSteps>,
    /// Single requests in the place of the steps.
    pub mix: Vec<Weighted>,
}

/// What one user does, once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserSteps {
    pub name: String,
    /// The pause before the first step, in seconds.
    pub delay: f64,
    pub steps: Vec<Step>,
}

/// A request of a mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighted {
    pub method: String,
    /// Path and query; no template.
    pub path: String,
    /// The status of a right answer; `None` accepts 200 to 399.
    pub status: Option<u16>,
    /// How often it is sent, in proportion to the others.
    pub weight: u64,
}

impl Draft {
    /// The number of steps or requests.
    pub fn count(&self) -> usize {
        let of_users: usize = self.users.iter().map(|user| user.steps.len()).sum();
        self.steps.len() + of_users + self.mix.len()
    }
}

/// A variable that is set before the load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub value: String,
    /// Why it is a variable.
    pub remark: Remark,
}

/// A request with what is done with its answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// What is told above it.
    pub remarks: Vec<Remark>,
    /// What reports call it; `None` for its method and path.
    pub name: Option<String>,
    /// The method, in capitals.
    pub method: String,
    /// Scheme, host and port of its server, where that is not the draft's.
    pub server: Option<String>,
    /// Path and query.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub authorization: Option<Authorization>,
    pub body: StepBody,
    /// The most redirects that are followed; `None` for the usual number.
    pub redirects: Option<u32>,
    /// A limit of its time, in seconds.
    pub timeout: Option<f64>,
    /// What is taken from its answer.
    pub extract: Vec<Extraction>,
    /// The status of a right answer; `None` accepts 200 to 399.
    pub status: Option<u16>,
    /// The pause behind it, in seconds.
    pub think: Option<f64>,
}

/// How a step authenticates itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authorization {
    /// A token.
    Bearer(String),
    /// A user with a password.
    Basic { user: String, password: String },
}

/// The body of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StepBody {
    /// None.
    #[default]
    Nothing,
    Text(String),
    /// Fields, which the generator encodes.
    Form(Vec<(String, String)>),
    /// The content of a file.
    File {
        /// Relative to the scenario.
        path: String,
        /// Whether line breaks are left out, as curl does.
        joins_lines: bool,
    },
    /// Parts of a multipart form.
    Multipart(Vec<(String, Part)>),
}

/// A part of a multipart form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// A text with its media type.
    TypedText {
        text: String,
        media_type: String,
    },
    /// A file.
    File {
        /// Its path, relative to the scenario.
        path: String,
        /// Its media type; `None` for the usual one.
        media_type: Option<String>,
        /// The name that is sent; `None` for the file's name.
        name: Option<String>,
    },
}

/// A value that is taken from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    /// The variable that gets it.
    pub variable: String,
    pub from: Source,
}

/// Where in an answer a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In JSON, by its path.
    Json(String),
    /// In the text, by a regular expression.
    Regex(String),
    /// In a header.
    Header(String),
}

/// Returns a text as a template in which it stands for itself.
pub fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

impl StepBody {
    /// The content of a file as it is.
    #[cfg(test)]
    pub(crate) fn file(path: &str) -> Self {
        Self::File { path: path.to_owned(), joins_lines: false }
    }
}
