//! [`Op`]: what users do, as a list with jumps instead of a tree, so that the place of a user is one number.

use traffic::scenario::{
    Action, Branches, Expr, Meeting, OnFailure, Pause, Program, SessionRequest, ShareOf, Snippet, StopWhat,
    Template, Times, Transaction,
};

/// A place in the list of operations.
pub(crate) type Place = usize;

/// One operation. `state` is an index into the numbers that a user keeps for its controllers.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Sends the request of this index and awaits its answer.
    Request(usize),
    Pause(Pause),
    Set(usize, Template),
    SetList(usize, Vec<Template>),
    Unset(usize),
    Count {
        counter: usize,
        into: usize,
        digits: u8,
    },
    NextRow(usize),
    Script(Box<Snippet>),
    /// A transaction begins.
    Begin {
        step: usize,
        with_pauses: bool,
        alone: bool,
    },
    /// The innermost transaction ends.
    End,
    /// A loop begins; its passes are counted from 0.
    EnterLoop {
        state: usize,
        times: Times,
    },
    /// A pass begins, or the loop is left. The passes left are in `state`, the number of the next pass in `state + 1`.
    NextPass {
        state: usize,
        index: Option<usize>,
        exit: Place,
    },
    /// Sets this state to 0.
    Reset(usize),
    /// A pass of a loop with a condition begins, or the loop is left. The number of the pass is in `state`.
    WhilePass {
        condition: Expr,
        state: usize,
        index: Option<usize>,
        exit: Place,
    },
    /// A loop that lasts so many seconds begins. When it ends is in `state`.
    EnterRuntime {
        state: usize,
        seconds: Template,
    },
    /// Leaves the loop if its time is over.
    LeaveAfter {
        state: usize,
        exit: Exit,
    },
    /// Waits for other users.
    Meet(Meeting),
    /// The next value of a list is taken, or the loop is left. The number of values taken is in `state`.
    NextValue {
        state: usize,
        values: ForEach,
        exit: Place,
    },
    /// Goes on elsewhere if the condition does not hold.
    Unless(Expr, Place),
    /// Goes on elsewhere if the user was here before.
    Once {
        state: usize,
        exit: Place,
    },
    /// Goes on elsewhere in some of the passes. It counts the passes of the user or of all users.
    Share {
        of: ShareOf,
        counts: Counting,
        exit: Place,
    },
    /// Goes on at one of these places, drawn by weight. The weights are cumulative.
    Draw(Vec<(u64, Place)>),
    /// Draws an order of so many branches into the states after `state`, which counts the branches taken.
    Shuffle {
        state: usize,
        branches: usize,
    },
    /// Goes on at the next of these places in the order that was drawn, or at the exit.
    NextShuffled {
        state: usize,
        places: Vec<Place>,
        exit: Place,
    },
    /// Goes on at these places in turn.
    InTurn {
        counts: Counting,
        places: Vec<Place>,
    },
    /// Goes on at the place with this name or number.
    Switch {
        value: Template,
        cases: Vec<(String, Place)>,
        otherwise: Place,
    },
    Jump(Place),
    /// Goes on elsewhere, after ending transactions until so many are open.
    Leave(Exit),
    /// The iteration ends.
    EndIteration,
    StopUser,
    StopRun,
}

/// The values that a loop takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForEach {
    pub(crate) list: usize,
    pub(crate) into: usize,
    pub(crate) index: Option<usize>,
    pub(crate) from: usize,
    pub(crate) to: Option<usize>,
}

/// Where something is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counting {
    /// In this and the next state of each user.
    User(usize),
    /// In this and the next number that all users of an event loop share.
    Together(usize),
}

/// Where a user goes on that leaves something, and how many transactions are open there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) place: Place,
    pub(crate) open: usize,
}

/// What a user does when its request has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterFailure {
    Continue,
    Leave(Exit),
    StopUser,
    StopRun,
}

/// A request with its place.
#[derive(Clone, Debug)]
pub(crate) struct PlacedRequest {
    pub(crate) request: SessionRequest,
    pub(crate) after_failure: AfterFailure,
}

/// All that users do.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlatProgram {
    pub(crate) ops: Vec<Op>,
    pub(crate) requests: Vec<PlacedRequest>,
    /// Where each group begins.
    pub(crate) entries: Vec<Place>,
    /// How many numbers each user keeps.
    pub(crate) states: usize,
    /// How many numbers all users of an event loop share.
    pub(crate) shared: usize,
}

/// A loop that is being written.
struct OpenLoop {
    /// The state that has the moment when it ends, where it lasts for a time.
    deadline: Option<usize>,
    /// Where its next pass begins.
    next: Place,
    /// Operations that leave the loop, whose place is not known yet.
    exits: Vec<ExitSite>,
    open: usize,
}

/// An operation or a request that leaves the loop.
enum ExitSite {
    Op(usize),
    Request(usize),
}

/// Writes the list.
struct Writer {
    flat: FlatProgram,
    loops: Vec<OpenLoop>,
    /// Transactions around the present place.
    open: usize,
    on_failure: OnFailure,
    /// Operations and requests that go to the end of the iteration.
    to_end: Vec<ExitSite>,
}

/// A place that is not known yet.
const UNKNOWN: Exit = Exit { place: usize::MAX, open: 0 };

impl FlatProgram {
    /// The places where users wait for each other.
    pub(crate) fn meetings(&self) -> std::ops::Range<usize> {
        let numbers = self.ops.iter().filter_map(|op| match op {
            Op::Meet(meeting) => Some(meeting.number + 1),
            _ => None,
        });
        0..numbers.max().unwrap_or(0)
    }

    /// Writes the groups of a program one behind the other.
    pub(crate) fn new(program: &Program) -> Self {
        let mut writer = Writer {
            flat: Self::default(),
            loops: Vec::new(),
            open: 0,
            on_failure: OnFailure::Continue,
            to_end: Vec::new(),
        };
        for group in &program.groups {
            writer.flat.entries.push(writer.here());
            writer.on_failure = group.on_failure;
            writer.all(&group.body);
            let end = Exit { place: writer.here(), open: 0 };
            writer.push(Op::EndIteration);
            for site in std::mem::take(&mut writer.to_end) {
                writer.set_exit(&site, end);
            }
        }
        writer.flat
    }
}

impl Writer {
    fn here(&self) -> Place {
        self.flat.ops.len()
    }

    fn push(&mut self, op: Op) -> usize {
        self.flat.ops.push(op);
        self.flat.ops.len() - 1
    }

    fn states(&mut self, count: usize) -> usize {
        self.flat.states += count;
        self.flat.states - count
    }

    fn counting(&mut self, together: bool) -> Counting {
        if together {
            self.flat.shared += 2;
            Counting::Together(self.flat.shared - 2)
        } else {
            Counting::User(self.states(2))
        }
    }

    fn all(&mut self, actions: &[Action]) {
        actions.iter().for_each(|action| self.one(action));
    }

    fn one(&mut self, action: &Action) {
        match action {
            Action::Request(request) => self.request(request),
            Action::Pause(pause) => _ = self.push(Op::Pause(pause.clone())),
            Action::Set { variable, value } => _ = self.push(Op::Set(*variable, value.clone())),
            Action::SetList { list, values } => _ = self.push(Op::SetList(*list, values.clone())),
            Action::Unset(variable) => _ = self.push(Op::Unset(*variable)),
            &Action::Count { counter, into, digits } => {
                self.push(Op::Count { counter, into, digits });
            }
            Action::NextRow(source) => _ = self.push(Op::NextRow(*source)),
            Action::Script(snippet) => _ = self.push(Op::Script(snippet.clone())),
            Action::Transaction(transaction) => self.transaction(transaction),
            Action::HeedRuntime => self.check_deadlines(),
            Action::Meet(meeting) => _ = self.push(Op::Meet(meeting.clone())),
            Action::Loop { .. } | Action::While { .. } | Action::ForEach { .. } | Action::Runtime { .. } => {
                self.repeated(action);
            }
            Action::If { condition, then, otherwise } => self.choice(condition, then, otherwise),
            Action::OnceOnly(body) => {
                let state = self.states(1);
                let once = self.push(Op::Once { state, exit: 0 });
                self.all(body);
                self.patch(once);
            }
            Action::Share { of, together, body } => {
                let (of, counts) = (of.clone(), self.counting(*together));
                let share = self.push(Op::Share { of, counts, exit: 0 });
                self.all(body);
                self.patch(share);
            }
            Action::Branch(branches) => self.branches(branches),
            Action::Stop(what) => self.stop(*what),
        }
    }

    fn request(&mut self, request: &SessionRequest) {
        let index = self.flat.requests.len();
        let after_failure = match self.on_failure {
            OnFailure::Continue => AfterFailure::Continue,
            OnFailure::StopUser => AfterFailure::StopUser,
            OnFailure::StopRun => AfterFailure::StopRun,
            OnFailure::NextIteration => {
                self.to_end.push(ExitSite::Request(index));
                AfterFailure::Leave(UNKNOWN)
            }
            OnFailure::NextPass => match self.loops.last() {
                Some(innermost) => AfterFailure::Leave(Exit { place: innermost.next, open: innermost.open }),
                None => {
                    self.to_end.push(ExitSite::Request(index));
                    AfterFailure::Leave(UNKNOWN)
                }
            },
            OnFailure::LeaveLoop => {
                self.leave_loop(ExitSite::Request(index));
                AfterFailure::Leave(UNKNOWN)
            }
        };
        self.flat.requests.push(PlacedRequest { request: request.clone(), after_failure });
        self.push(Op::Request(index));
    }

    fn transaction(&mut self, transaction: &Transaction) {
        self.push(Op::Begin {
            step: transaction.step,
            with_pauses: transaction.with_pauses,
            alone: transaction.alone,
        });
        self.open += 1;
        self.all(&transaction.body);
        self.open -= 1;
        self.push(Op::End);
    }

    /// Writes a loop: what is done before its first pass, the operation at which each pass begins, the body, and the way back.
    fn repeated(&mut self, action: &Action) {
        let Some((head, body)) = self.loop_head(action) else {
            return;
        };
        let deadline = match &head {
            Op::LeaveAfter { state, .. } => Some(*state),
            _ => None,
        };
        let next = self.push(head);
        let exits = deadline.map(|_| ExitSite::Op(next)).into_iter().collect();
        self.loops.push(OpenLoop { deadline, next, exits, open: self.open });
        self.all(body);
        self.push(Op::Jump(next));
        self.patch(next);
        let exit = Exit { place: self.here(), open: self.open };
        for site in self.loops.pop().map(|closed| closed.exits).unwrap_or_default() {
            self.set_exit(&site, exit);
        }
    }

    /// Leaves the loops around the present place whose time is over.
    fn check_deadlines(&mut self) {
        for at in 0..self.loops.len() {
            if let Some(state) = self.loops[at].deadline {
                let op = self.push(Op::LeaveAfter { state, exit: UNKNOWN });
                self.loops[at].exits.push(ExitSite::Op(op));
            }
        }
    }

    /// Writes what is done before the first pass of a loop. Returns the operation at which each pass begins, and the body.
    fn loop_head<'a>(&mut self, action: &'a Action) -> Option<(Op, &'a [Action])> {
        let exit = 0; // not known yet
        match action {
            Action::Loop { times, index, body } => {
                let (state, times) = (self.states(2), times.clone());
                self.push(Op::EnterLoop { state, times });
                let index = *index;
                Some((Op::NextPass { state, index, exit }, body))
            }
            Action::While { condition, index, body } => {
                let (state, condition) = (self.states(1), condition.clone());
                self.push(Op::Reset(state));
                let head = Op::WhilePass { condition, state, index: *index, exit };
                Some((head, body))
            }
            Action::Runtime { seconds, body } => {
                let (state, seconds) = (self.states(1), seconds.clone());
                self.push(Op::EnterRuntime { state, seconds });
                Some((Op::LeaveAfter { state, exit: UNKNOWN }, body))
            }
            Action::ForEach { list, into, index, from, to, body } => {
                let state = self.states(1);
                self.push(Op::Reset(state));
                let values = ForEach { list: *list, into: *into, index: *index, from: *from, to: *to };
                Some((Op::NextValue { state, values, exit }, body))
            }
            _ => None,
        }
    }

    fn choice(&mut self, condition: &Expr, then: &[Action], otherwise: &[Action]) {
        let unless = self.push(Op::Unless(condition.clone(), 0));
        self.all(then);
        if otherwise.is_empty() {
            return self.patch(unless);
        }
        let behind = self.push(Op::Jump(0));
        self.patch(unless);
        self.all(otherwise);
        self.patch(behind);
    }

    fn branches(&mut self, branches: &Branches) {
        match branches {
            Branches::Random(branches) => {
                let head = self.push(Op::Draw(Vec::new()));
                let bodies: Vec<_> = branches.iter().map(|(_, body)| body.as_slice()).collect();
                let places = self.bodies(&bodies, None);
                let mut sum = 0;
                let sums = branches.iter().zip(places).map(|((weight, _), place)| {
                    sum += u64::from(*weight);
                    (sum, place)
                });
                self.flat.ops[head] = Op::Draw(sums.collect());
            }
            Branches::Shuffled(branches) => {
                let state = self.states(branches.len() + 1);
                self.push(Op::Shuffle { state, branches: branches.len() });
                let head = self.push(Op::Jump(0));
                let bodies: Vec<_> = branches.iter().map(Vec::as_slice).collect();
                let places = self.bodies(&bodies, Some(head));
                let exit = self.here();
                self.flat.ops[head] = Op::NextShuffled { state, places, exit };
            }
            Branches::InTurn { branches, together } => {
                let counts = self.counting(*together);
                let head = self.push(Op::Jump(0));
                let bodies: Vec<_> = branches.iter().map(Vec::as_slice).collect();
                let places = self.bodies(&bodies, None);
                self.flat.ops[head] = Op::InTurn { counts, places };
            }
            Branches::Switch { value, cases, otherwise } => {
                let head = self.push(Op::Jump(0));
                let mut bodies: Vec<_> = cases.iter().map(|(_, body)| body.as_slice()).collect();
                bodies.push(otherwise);
                let mut places = self.bodies(&bodies, None);
                let otherwise = places.pop().unwrap_or_default();
                let names = cases.iter().map(|(name, _)| name.clone());
                self.flat.ops[head] =
                    Op::Switch { value: value.clone(), cases: names.zip(places).collect(), otherwise };
            }
        }
    }

    /// Writes branches; each goes on at `back`, or behind all of them. Returns where each begins.
    fn bodies(&mut self, bodies: &[&[Action]], back: Option<Place>) -> Vec<Place> {
        let mut ends = Vec::new();
        let mut places = Vec::new();
        for body in bodies {
            places.push(self.here());
            self.all(body);
            ends.push(self.push(Op::Jump(back.unwrap_or(0))));
        }
        if back.is_none() {
            ends.into_iter().for_each(|end| self.patch(end));
        }
        places
    }

    fn stop(&mut self, what: StopWhat) {
        match (what, self.loops.last()) {
            (StopWhat::User, _) => _ = self.push(Op::StopUser),
            (StopWhat::Run, _) => _ = self.push(Op::StopRun),
            (StopWhat::Pass, Some(innermost)) => {
                let exit = Exit { place: innermost.next, open: innermost.open };
                self.push(Op::Leave(exit));
            }
            (StopWhat::Loop, Some(_)) => {
                let op = self.push(Op::Leave(UNKNOWN));
                self.leave_loop(ExitSite::Op(op));
            }
            (StopWhat::Pass | StopWhat::Loop | StopWhat::Iteration, _) => {
                let op = self.push(Op::Leave(UNKNOWN));
                self.to_end.push(ExitSite::Op(op));
            }
        }
    }

    /// Remembers that something leaves the innermost loop, or the iteration where there is none.
    fn leave_loop(&mut self, site: ExitSite) {
        match self.loops.last_mut() {
            Some(innermost) => innermost.exits.push(site),
            None => self.to_end.push(site),
        }
    }

    fn set_exit(&mut self, site: &ExitSite, exit: Exit) {
        match *site {
            ExitSite::Op(op) => match &mut self.flat.ops[op] {
                Op::LeaveAfter { exit: known, .. } => *known = exit,
                op => *op = Op::Leave(exit),
            },
            ExitSite::Request(request) => {
                self.flat.requests[request].after_failure = AfterFailure::Leave(exit);
            }
        }
    }

    /// Lets an operation that was written go on here.
    fn patch(&mut self, op: usize) {
        let here = self.here();
        match &mut self.flat.ops[op] {
            Op::NextPass { exit, .. }
            | Op::WhilePass { exit, .. }
            | Op::NextValue { exit, .. }
            | Op::Once { exit, .. }
            | Op::Share { exit, .. }
            | Op::Unless(_, exit)
            | Op::Jump(exit) => *exit = here,
            _ => {}
        }
    }
}
