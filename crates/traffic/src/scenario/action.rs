//! [`Action`]: what a user does, as a tree.

use super::{Expr, SessionRequest, Snippet, Template};
use crate::pace::Think;
use serde::{Deserialize, Serialize};

/// Something that a user does, or a part of its session with a rule for how it is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// Sends a request and awaits the answer.
    Request(Box<SessionRequest>),
    /// Waits. The next request is due when the wait is over.
    Pause(Pause),
    /// Sets a variable.
    Set {
        /// Its slot.
        variable: usize,
        /// Its new value.
        value: Template,
    },
    /// Sets a list.
    SetList {
        /// Its slot among the lists.
        list: usize,
        values: Vec<Template>,
    },
    /// Unsets a variable.
    Unset(usize),
    /// Takes the next number of a counter into a variable.
    Count {
        /// The index of the counter.
        counter: usize,
        /// The slot of the variable.
        into: usize,
        /// The least number of digits; shorter numbers begin with zeros.
        digits: u8,
    },
    /// Takes the next row of a data source into its variables.
    NextRow(usize),
    /// Actions with measures of their own.
    Transaction(Transaction),
    /// Actions that are done several times.
    Loop {
        times: Times,
        /// The slot of a variable that has the number of the pass, from 0; `None` keeps none.
        index: Option<usize>,
        body: Vec<Action>,
    },
    /// Actions that are done while a condition holds; it is looked at before each pass.
    While {
        condition: Expr,
        /// The slot of a variable that has the number of the pass, from 0; `None` keeps none.
        index: Option<usize>,
        body: Vec<Action>,
    },
    /// Actions that are done again and again for a time, see [`Action::HeedRuntime`].
    Runtime {
        /// The number of seconds.
        seconds: Template,
        body: Vec<Action>,
    },
    /// Leaves the loops around this place whose time is over.
    HeedRuntime,
    /// Users wait until so many are here, and go on together.
    Meet(Meeting),
    /// Actions that are done only if a condition holds.
    If {
        /// The condition; it is looked at once, before the first action.
        condition: Expr,
        /// What is done if it holds.
        then: Vec<Action>,
        /// What is done otherwise.
        otherwise: Vec<Action>,
    },
    /// Actions that are done for each value of a list.
    ForEach {
        /// The slot of the list among the lists.
        list: usize,
        /// The slot of the variable that has the value.
        into: usize,
        /// The slot of a variable that has the number of the value, from 1; `None` keeps none.
        index: Option<usize>,
        /// The number of the first value, from 0.
        from: usize,
        /// The number behind the number of the last value; `None` is all.
        to: Option<usize>,
        body: Vec<Action>,
    },
    /// Actions that a user does the first time that it comes here, and never again. (Where they have to be done once
    /// per entry of a loop, the maker of the program moves them before the loop.)
    OnceOnly(Vec<Action>),
    /// Actions that are done in a part of the passes.
    Share {
        of: ShareOf,
        /// Whether all users are counted together; otherwise each user on its own.
        together: bool,
        body: Vec<Action>,
    },
    /// One of several branches, or all of them in another order.
    Branch(Branches),
    /// Runs a script.
    Script(Box<Snippet>),
    /// Stops something.
    Stop(StopWhat),
}

/// Users who wait for each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meeting {
    /// Its number; users meet at all places with the same one.
    pub number: usize,
    /// How many users go on together; 0 is all users of the group.
    pub users: Template,
    /// After so many milliseconds a user goes on alone; 0 is never.
    pub patience: Template,
}

/// Actions with measures of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transaction {
    /// The index of its step.
    pub step: usize,
    /// Whether pauses within it are part of its time.
    pub with_pauses: bool,
    /// Whether the requests within it have no measures of their own.
    pub alone: bool,
    pub body: Vec<Action>,
}

/// How often something is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Times {
    /// So often.
    Fixed(u64),
    /// As often as this number says when the loop is entered; never if it is no number.
    Rendered(Template),
    /// Until something stops it.
    Forever,
}

/// In which passes something is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ShareOf {
    /// In this part of them, percent; spread evenly as JMeter does: in pass n, from 0, if `(100 * done + 50) / (n + 1)` is less.
    Percent(Template),
    /// In the first so many of them.
    Total(Template),
}

/// Branches and the rule by which they are chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Branches {
    /// One is drawn, by weight.
    Random(Vec<(u32, Vec<Action>)>),
    /// All are done, in an order that is drawn each time.
    Shuffled(Vec<Vec<Action>>),
    /// One each time, in turn.
    InTurn {
        branches: Vec<Vec<Action>>,
        /// Whether all users are counted together; otherwise each user on its own.
        together: bool,
    },
    /// The one with this name, or with this number from 0 where none has this name; the last one where none has either. Nothing
    /// is done if there is no default and nothing fits.
    Switch {
        /// The name.
        value: Template,
        /// The branches and their names.
        cases: Vec<(String, Vec<Action>)>,
        /// What is done if nothing fits.
        otherwise: Vec<Action>,
    },
}

/// What is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopWhat {
    /// The present pass of the innermost loop; the next one begins.
    Pass,
    /// The innermost loop.
    Loop,
    /// The present iteration; the user begins its next one.
    Iteration,
    User,
    /// The whole load; requests in flight are awaited.
    Run,
}

/// A wait: the sum of its terms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// What is added up.
    pub terms: Vec<PauseTerm>,
    /// Whether a user whose pause would pass the end of the load stops at once, as in JMeter. Otherwise it waits until the end.
    pub stops_at_end: bool,
}

impl Pause {
    /// A pause with this one term.
    pub fn of(term: PauseTerm) -> Self {
        Self { terms: vec![term], stops_at_end: true }
    }
}

/// A part of a wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PauseTerm {
    /// A length with a distribution that is known from the start.
    Think(Think),
    /// The pause takes this number of milliseconds.
    Milliseconds(Template),
    /// Milliseconds, evenly distributed from 0 to below this.
    Uniform(Template),
    /// Milliseconds, normally distributed around 0 with this standard deviation. With `absolute`, without their sign, as in JMeter.
    Gaussian {
        /// The standard deviation.
        deviation: Template,
        /// Whether the sign is dropped.
        absolute: bool,
    },
    /// Milliseconds, a Poisson number with this mean.
    Poisson(Template),
    /// As long as this pacer, an index into [`super::Program::pacers`], has to delay the user.
    Pace(usize),
}

/// The lists of actions directly within an action, for both kinds of reference: `iter` names the method that gives such references.
macro_rules! bodies_of {
    ($action:expr, $iter:ident) => {
        match $action {
            Self::Transaction(Transaction { body, .. })
            | Self::Loop { body, .. }
            | Self::While { body, .. }
            | Self::ForEach { body, .. }
            | Self::Runtime { body, .. }
            | Self::OnceOnly(body)
            | Self::Share { body, .. } => vec![body],
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Branch(Branches::Random(branches)) => branches.$iter().map(|(_, body)| body).collect(),
            Self::Branch(Branches::Shuffled(branches) | Branches::InTurn { branches, .. }) => {
                branches.$iter().collect()
            }
            Self::Branch(Branches::Switch { cases, otherwise, .. }) => {
                let cases = cases.$iter().map(|(_, body)| body);
                cases.chain([otherwise]).collect()
            }
            Self::Request(_)
            | Self::Pause(_)
            | Self::HeedRuntime
            | Self::Meet(_)
            | Self::Set { .. }
            | Self::SetList { .. }
            | Self::Unset(_)
            | Self::Count { .. }
            | Self::NextRow(_)
            | Self::Script(_)
            | Self::Stop(_) => Vec::new(),
        }
    };
}

impl Action {
    /// Calls `visit` with each of the actions and with all actions within them, the outer ones first.
    pub fn visit_all<'a>(actions: &'a [Self], visit: &mut dyn FnMut(&'a Self)) {
        for action in actions {
            visit(action);
            for body in action.bodies() {
                Self::visit_all(body, visit);
            }
        }
    }

    /// Calls `change` with each request among the actions and within them.
    pub fn change_requests(actions: &mut [Self], change: &mut dyn FnMut(&mut SessionRequest)) {
        for action in actions {
            if let Self::Request(request) = action {
                change(request);
            }
            for body in action.bodies_mut() {
                Self::change_requests(body, change);
            }
        }
    }

    /// The lists of actions directly within this one.
    pub fn bodies(&self) -> Vec<&Vec<Self>> {
        bodies_of!(self, iter)
    }

    /// The lists of actions directly within this one, to be changed.
    fn bodies_mut(&mut self) -> Vec<&mut Vec<Self>> {
        bodies_of!(self, iter_mut)
    }
}
