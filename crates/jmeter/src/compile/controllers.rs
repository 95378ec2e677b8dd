//! Compiles controllers, and elements that do something in the place of a request.

use super::scope::{Role, Scope, role};
use super::{Compiler, DEEPEST};
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::{Element, Object, Property};
use traffic::scenario::{
    Action, BinaryOperator, Branches, Comparison, Dialect, Expr, Function, Pause, PauseTerm, PlanDifference,
    ScriptValue, ShareOf, Snippet, Statement, StopWhat, Template, Times, Transaction,
};

impl<'a> Compiler<'a> {
    /// Compiles an element at this place; nothing for one that only applies to others.
    pub(super) fn element(&mut self, element: &'a Element, scope: &Scope<'a>) -> Vec<Action> {
        let actions = match role(&element.object.class) {
            Role::Sampler => self.sampler(element, &scope.below(element)),
            Role::Controller => self.controller(element, scope),
            _ => Vec::new(),
        };
        self.marked(&element.object, actions)
    }

    fn sampler(&mut self, element: &'a Element, scope: &Scope<'a>) -> Vec<Action> {
        let object = &element.object;
        self.check_level(&element.children.iter().collect::<Vec<_>>());
        let mut actions: Vec<Action> =
            (self.runtimes > 0).then_some(Action::HeedRuntime).into_iter().collect();
        actions.extend(self.before_sample(scope));
        match object.class.as_str() {
            "HTTPSamplerProxy" => actions.extend(self.http_sampler(object, scope)),
            "TestAction" => actions.extend(self.test_action(object)),
            "DebugSampler" => {}
            _ => actions.extend(self.element_script(object).map(|script| Action::Script(Box::new(script)))),
        }
        actions
    }

    fn test_action(&mut self, object: &Object) -> Option<Action> {
        let of_test = object.text("ActionProcessor.target") == "2";
        Some(match object.text("ActionProcessor.action") {
            "1" => {
                let duration = self.template(object, object.text("ActionProcessor.duration"));
                Action::Pause(Pause::of(PauseTerm::Milliseconds(duration)))
            }
            "0" | "2" if of_test => Action::Stop(StopWhat::Run),
            "0" | "2" => Action::Stop(StopWhat::User),
            "3" => Action::Stop(StopWhat::Iteration),
            "4" => Action::Stop(StopWhat::Pass),
            "5" => Action::Stop(StopWhat::Loop),
            _ => return None,
        })
    }

    fn controller(&mut self, element: &'a Element, scope: &Scope<'a>) -> Vec<Action> {
        let object = &element.object;
        let below = scope.below(element);
        self.check_level(&element.children.iter().collect::<Vec<_>>());
        match object.class.as_str() {
            "TestFragmentController" => Vec::new(),
            "LoopController" => {
                let loops = vec![self.loop_controller(element, &below)];
                // JMeter drops such a controller once its passes are over, for all further passes of what is around it.
                let is_dropped = object.text("LoopController.continue_forever") == "false";
                if is_dropped { vec![Action::OnceOnly(loops)] } else { loops }
            }
            "IfController" => self.if_controller(element, &below),
            "WhileController" => self.while_controller(element, &below),
            "ForeachController" => self.for_each(element, &below),
            "RuntimeController" => {
                let seconds = self.template(object, object.text("RunTime.seconds"));
                self.runtimes += 1;
                let body = self.body(&element.children, &below);
                self.runtimes -= 1;
                vec![Action::Runtime { seconds, body }]
            }
            "OnceOnlyController" => vec![Action::OnceOnly(self.body(&element.children, &below))],
            "TransactionController" => vec![self.transaction(element, &below)],
            "ThroughputController" => vec![self.share(element, &below)],
            "InterleaveControl" | "RandomController" => self.one_of(element, &below).into_iter().collect(),
            "RandomOrderController" => {
                let mut actions = self.begin_of_pass(&element.children);
                let branches = self.branches(element, &below);
                actions.push(Action::Branch(Branches::Shuffled(branches)));
                actions
            }
            "SwitchController" => self.switch(element, &below),
            "ModuleController" => self.module(element, scope),
            "HTTP2Controller" => {
                self.differences.insert(PlanDifference::Together);
                self.body(&element.children, &below)
            }
            _ => self.body(&element.children, &below),
        }
    }

    /// Returns the slot that has the number of the pass, if the plan uses it.
    fn index_of(&mut self, object: &Object) -> Option<usize> {
        let name = format!("__jm__{}__idx", object.name);
        self.mentions(&name).then(|| self.program.variables.define(&name))
    }

    fn loop_controller(&mut self, element: &'a Element, below: &Scope<'a>) -> Action {
        let object = &element.object;
        let compound = self.parsed(object, object.text("LoopController.loops"));
        let times = match self.fixed(&compound) {
            Some(text) => match text.trim().parse::<i64>() {
                Ok(count) => u64::try_from(count).map_or(Times::Forever, Times::Fixed),
                Err(_) => Times::Fixed(0),
            },
            None => Times::Rendered(self.compound(object, &compound)),
        };
        let once = |child: &&Element| child.object.class == "OnceOnlyController";
        let mut index = self.index_of(object);
        if element.children.iter().any(|child| once(&child)) {
            let name = format!("pass of line {}", object.line);
            index = index.or_else(|| Some(self.program.variables.define(&name)));
        }
        let mut body = self.begin_of_pass(&element.children);
        for child in &element.children {
            match (once(&child), index) {
                // Here, Once Only is once per entry of the loop.
                (true, Some(index)) => body.push(Action::If {
                    condition: Expr::compare(Expr::Variable(index), Comparison::Equal, Expr::literal("0")),
                    then: self.body(&child.children, &below.below(child)),
                    otherwise: Vec::new(),
                }),
                _ => body.extend(self.element(child, below)),
            }
        }
        Action::Loop { times, index, body }
    }

    fn if_controller(&mut self, element: &'a Element, below: &Scope<'a>) -> Vec<Action> {
        let object = &element.object;
        let condition = self.if_condition(object);
        let of = |then: Vec<Action>| Action::If { condition: condition.clone(), then, otherwise: Vec::new() };
        if object.text("IfController.evaluateAll") != "true" {
            return vec![of(self.body(&element.children, below))];
        }
        let mut parts = vec![self.begin_of_pass(&element.children)];
        for child in &element.children {
            parts.push(self.element(child, below));
        }
        parts.retain(|part| !part.is_empty());
        parts.into_iter().map(of).collect()
    }

    fn while_controller(&mut self, element: &'a Element, below: &Scope<'a>) -> Vec<Action> {
        let (condition, at_begin) = self.while_condition(&element.object);
        let index = self.index_of(&element.object);
        let mut body = self.body(&element.children, below);
        if at_begin {
            return vec![Action::While { condition, index, body }];
        }
        body.push(Action::If { condition, then: Vec::new(), otherwise: vec![Action::Stop(StopWhat::Loop)] });
        let times = Times::Forever;
        vec![Action::Loop { times, index, body }]
    }

    fn for_each(&mut self, element: &'a Element, below: &Scope<'a>) -> Vec<Action> {
        let object = &element.object;
        let input = object.text("ForeachController.inputVal").trim();
        let from = self.fixed_number(object, "ForeachController.startIndex", 0.0).unwrap_or(0.0).max(0.0);
        // A number that is there and empty counts as 0.
        let to = match (object.has("ForeachController.endIndex"), object.text("ForeachController.endIndex")) {
            (true, "") => Some(0.0),
            _ => self.fixed_number(object, "ForeachController.endIndex", f64::INFINITY),
        };
        let to = to.filter(|to| to.is_finite()).map(|to| to.max(0.0) as usize);
        let separator = if object.text("ForeachController.useSeparator") == "false" { "" } else { "_" };
        let list = self.program.lists.find(input).filter(|_| separator == "_");
        let into = self.program.variables.define(object.text("ForeachController.returnVal").trim());
        let index = self.index_of(object);
        if let Some(list) = list.filter(|_| self.trees().any(|tree| self.is_extracted(tree, input))) {
            let body = self.body(&element.children, below);
            return vec![Action::ForEach { list, into, index, from: from as usize, to, body }];
        }
        let counter = self.program.variables.define(&format!("values taken at line {}", object.line));
        let mut name = Template::literal(&format!("{input}{separator}"));
        name.append(successor_of(counter));
        let value = self.named_variable(name.clone(), Template::default());
        let mut body = vec![
            Action::Set { variable: into, value },
            Action::Set { variable: counter, value: successor_of(counter) },
        ];
        body.extend(index.map(|variable| Action::Set { variable, value: Template::variable(counter) }));
        body.extend(self.body(&element.children, below));
        let begin = Template::literal(&(from as usize).to_string());
        vec![
            Action::Set { variable: counter, value: begin },
            Action::While { condition: is_next(name, counter, to), index: None, body },
        ]
    }

    /// Returns whether an extractor takes all matches into this name.
    fn is_extracted(&self, element: &Element, name: &str) -> bool {
        let object = &element.object;
        let names = [
            "RegexExtractor.refname",
            "BoundaryExtractor.refname",
            "HtmlExtractor.refname",
            "JSONPostProcessor.referenceNames",
            "XPathExtractor.refname",
            "XPathExtractor2.refname",
        ];
        let named = names.iter().any(|key| object.text(key).split(';').any(|one| one.trim() == name));
        let named = named || object.class == "JSONPathExtractor" && object.text("VAR").trim() == name;
        named || element.children.iter().any(|child| self.is_extracted(child, name))
    }

    fn transaction(&mut self, element: &'a Element, below: &Scope<'a>) -> Action {
        let object = &element.object;
        let name = self.label(object);
        let group = self.group.clone();
        let step = self.program.step(&name, true, group.as_deref());
        Action::Transaction(Transaction {
            step,
            with_pauses: object.text("TransactionController.includeTimers") != "false",
            alone: object.text("TransactionController.parent") == "true",
            body: self.body(&element.children, below),
        })
    }

    fn share(&mut self, element: &'a Element, below: &Scope<'a>) -> Action {
        let object = &element.object;
        let of = if object.text("ThroughputController.style") == "1" {
            ShareOf::Percent(self.template(object, object.text("ThroughputController.percentThroughput")))
        } else {
            ShareOf::Total(self.template(object, object.text("ThroughputController.maxThroughput")))
        };
        let together = object.text("ThroughputController.perThread") != "true";
        let body = self.body(&element.children, below);
        Action::Share { of, together, body }
    }

    /// Compiles each sampler and controller directly below an element.
    fn branches(&mut self, element: &'a Element, below: &Scope<'a>) -> Vec<Vec<Action>> {
        let mut branches = Vec::new();
        for child in &element.children {
            if matches!(role(&child.object.class), Role::Sampler | Role::Controller) {
                branches.push(self.element(child, below));
            }
        }
        branches
    }

    fn one_of(&mut self, element: &'a Element, below: &Scope<'a>) -> Option<Action> {
        let object = &element.object;
        let inner = |child: &&Element| role(&child.object.class) == Role::Controller && samplers(child) > 1;
        if object.text("InterleaveControl.style") != "1" && element.children.iter().any(|child| inner(&child))
        {
            self.refuse(object, ObstacleKind::Setting(Unsupported::InterleavedControllers));
            return None;
        }
        let branches = self.branches(element, below);
        Some(Action::Branch(if object.class == "RandomController" {
            Branches::Random(branches.into_iter().map(|branch| (1, branch)).collect())
        } else {
            let together = object.text("InterleaveControl.accrossThreads") == "true";
            Branches::InTurn { branches, together }
        }))
    }

    /// The Switch Controller compares names as they stand in the plan; its default is the first element where the value is
    /// empty, and else an element named `default`.
    fn switch(&mut self, element: &'a Element, below: &Scope<'a>) -> Vec<Action> {
        let mut actions = self.begin_of_pass(&element.children);
        let object = &element.object;
        let text = object.text("SwitchController.value");
        let value = if text.trim().is_empty() { Template::literal("0") } else { self.template(object, text) };
        let is_branch =
            |child: &&Element| matches!(role(&child.object.class), Role::Sampler | Role::Controller);
        let names = element.children.iter().filter(is_branch).map(|child| child.object.name.clone());
        let names: Vec<String> = names.collect();
        let cases: Vec<_> = names.into_iter().zip(self.branches(element, below)).collect();
        let default = cases.iter().find(|(name, _)| name.eq_ignore_ascii_case("default"));
        let otherwise = default.or(cases.first()).map(|(_, body)| body.clone()).unwrap_or_default();
        actions.push(Action::Branch(Branches::Switch { value, cases, otherwise }));
        actions
    }

    /// A Module Controller does what another controller of the plan does, in its own scope. What is below it does not count.
    fn module(&mut self, element: &'a Element, scope: &Scope<'a>) -> Vec<Action> {
        let object = &element.object;
        let target = target_of(self.root, object, true);
        let Some(target) = target.filter(|_| self.depth < DEEPEST) else {
            let name = object.list("ModuleController.node_path").last();
            let name = name.map_or("", Property::text).to_owned();
            self.refuse(object, ObstacleKind::NoModule(name));
            return Vec::new();
        };
        self.depth += 1;
        let actions = match target.object.class.as_str() {
            "TestFragmentController" => {
                self.check_level(&target.children.iter().collect::<Vec<_>>());
                self.body(&target.children, &scope.below(target))
            }
            _ => self.element(target, scope),
        };
        self.depth -= 1;
        actions
    }

    /// Returns the name of an element for reports.
    pub(super) fn label(&mut self, object: &Object) -> String {
        let compound = self.parsed(object, &object.name);
        self.fixed(&compound).unwrap_or_else(|| object.name.clone())
    }
}

/// Returns what a Module Controller points to, if it is in the plan. Disabled elements count only where `with_disabled` says so, and
/// where no other element has the names.
fn target_of<'a>(root: &'a Element, module: &Object, with_disabled: bool) -> Option<&'a Element> {
    let path: Vec<&str> = module.list("ModuleController.node_path").iter().map(Property::text).collect();
    let find = |disabled| (0..path.len()).find_map(|skip| follow(root, &path[skip..], disabled));
    find(false).or_else(|| with_disabled.then(|| find(true)).flatten())
}

/// Finds the disabled elements that Module Controllers below an element run, also indirectly.
pub(super) fn find_disabled<'a>(root: &'a Element, below: &'a Element, found: &mut Vec<&'a Element>) {
    for child in &below.children {
        if child.object.class == "ModuleController"
            && target_of(root, &child.object, false).is_none()
            && let Some(target) = target_of(root, &child.object, true)
            && !found.iter().any(|known| std::ptr::eq(*known, target))
        {
            found.push(target);
            find_disabled(root, target, found);
        }
        find_disabled(root, child, found);
    }
}

/// Follows names downwards from an element, through disabled elements only where `with_disabled` says so.
fn follow<'a>(from: &'a Element, path: &[&str], with_disabled: bool) -> Option<&'a Element> {
    let Some((name, rest)) = path.split_first() else {
        return Some(from);
    };
    let disabled: &[Element] = if with_disabled { &from.disabled } else { &[] };
    let below = from.children.iter().chain(disabled);
    let mut named = below.filter(|child| child.object.name == *name);
    named.find_map(|child| follow(child, rest, with_disabled))
}

fn samplers(element: &Element) -> usize {
    let own = usize::from(role(&element.object.class) == Role::Sampler);
    own + element.children.iter().map(samplers).sum::<usize>()
}

/// The number that follows on the number in a variable.
fn successor_of(counter: usize) -> Template {
    let one = Expr::Constant(ScriptValue::Int(1));
    let sum = Expr::binary(Expr::Hole(0), BinaryOperator::Add, one);
    of_groovy(sum, vec![Template::variable(counter)])
}

/// Whether there is a variable of this name, and fewer values than `to` were taken.
fn is_next(name: Template, counter: usize, to: Option<usize>) -> Expr {
    let read = Expr::Call(Function::Variable, vec![Expr::HoleText(0)]);
    let is_there = Expr::compare(read, Comparison::Unequal, Expr::Constant(ScriptValue::Null));
    let holds = match to {
        Some(to) => {
            let most = Expr::Constant(ScriptValue::Integer(to as i64));
            let is_below = Expr::compare(Expr::Hole(1), Comparison::Less, most);
            Expr::binary(is_below, BinaryOperator::And, is_there)
        }
        None => is_there,
    };
    of_groovy(holds, vec![name, Template::variable(counter)]).into()
}

fn of_groovy(value: Expr, holes: Vec<Template>) -> Template {
    let statements = vec![Statement::Value(value)];
    Expr::Script(Box::new(Snippet { dialect: Dialect::Groovy, statements, holes })).into()
}

/// The number of the user within the group, from 0, modulo a count, as text.
pub(super) fn user_modulo(count: usize) -> Template {
    let number = |value: i64| Expr::Constant(ScriptValue::Integer(value));
    let user = Expr::Call(Function::UserNumber, Vec::new());
    let from_zero = Expr::binary(user, BinaryOperator::Subtract, number(1));
    let rest = Expr::binary(from_zero, BinaryOperator::Remainder, number(count as i64));
    of_groovy(rest, Vec::new())
}
