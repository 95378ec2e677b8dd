//! What is wrong in a scenario.

use crate::scenario::Server;

/// What is wrong in a scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioSlip {
    #[error("no scenario is listed")]
    NoScenario,
    #[error("this scenario has no step")]
    NoStep,
    #[error("this step does nothing")]
    IdleStep,
    #[error("a step does one thing, and this one has `{0}` and `{1}`")]
    TwoDeeds(&'static str, &'static str),
    #[error("a request has one body, and this one has `{0}` and `{1}`")]
    TwoBodies(&'static str, &'static str),
    #[error("nothing sets the variable `{0}` before it is used here")]
    UnknownVariable(String),
    #[error("no list is called `{0}`")]
    UnknownList(String),
    #[error("`${{` has no `}}`")]
    Unclosed,
    #[error("`${{}}` names no variable")]
    NoName,
    #[error("there is no function `{0}`")]
    UnknownFunction(String),
    #[error("the function has other arguments")]
    Arguments,
    #[error("the variable `{0}` of the environment is not set")]
    NoEnvironment(String),
    #[error("this is no condition from `{0}` on")]
    Condition(String),
    #[error("this is no JSONPath that prony knows, from `{0}` on")]
    JsonPath(String),
    #[error("this is no regular expression: {0}")]
    Regex(String),
    #[error("cannot read `{path}`: {why}")]
    File { path: String, why: String },
    #[error("`{path}` has no rows")]
    NoRows { path: String },
    #[error("line {line} of `{path}` has {found} cells instead of {expected}")]
    Cells {
        path: String,
        line: usize,
        found: usize,
        expected: usize,
    },
    #[error("line {line} of `{path}` has a quote that does not end")]
    Quote { path: String, line: usize },
    #[error("line {line} of `{path}` is no JSON object")]
    NotAnObject { path: String, line: usize },
    #[error("`{path}` is larger than 4 GiB")]
    TooLarge { path: String },
    #[error("`{0}` is no name for a variable")]
    BadName(String),
    #[error("an experiment sends requests or plays scenarios, and this one does both")]
    RequestsToo,
    #[error(
        "a step goes to {0}, and in an experiment all requests go to the server of the arm; `prony load` loads several servers"
    )]
    OtherServer(Server),
    #[error("`{0}` is for single requests, and this experiment plays scenarios")]
    OfRequests(&'static str),
    #[error("the JMeter plan cannot be used: {0}")]
    Plan(String),
    #[error(
        "the JMeter plan has groups that run before or after the others, which the repeated starts of an experiment leave no place for"
    )]
    PlanPhases,
    #[error("properties are a table of texts, such as {{ users = \"20\" }}")]
    PlanProperties,
    #[error("an extractor finds something in one way")]
    Extractor,
}
