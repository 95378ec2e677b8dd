//! Compiles texts with variables and functions to templates, and finds out which variables a plan has.

use super::Compiler;
use crate::compound::{Compound, FunctionCall, Piece, misspelt};
use crate::obstacle::ObstacleKind;
use crate::tree::{Element, Object};
use traffic::scenario::{Expr, Function, PlanDifference, Template, TimePart};

/// The properties that name variables which an element sets, by its class.
const SETTERS: [(&str, &str); 11] = [
    ("XPathExtractor", "XPathExtractor.refname"),
    ("XPath2Extractor", "XPathExtractor2.refname"),
    ("CSVDataSet", "variableNames"),
    ("CounterConfig", "CounterConfig.name"),
    ("RandomVariableConfig", "variableName"),
    ("RegexExtractor", "RegexExtractor.refname"),
    ("BoundaryExtractor", "BoundaryExtractor.refname"),
    ("JSONPostProcessor", "JSONPostProcessor.referenceNames"),
    ("JSONPathExtractor", "VAR"),
    ("ForeachController", "ForeachController.returnVal"),
    ("ForeachController", "ForeachController.inputVal"),
];

impl<'a> Compiler<'a> {
    /// Compiles the text of a property.
    pub(super) fn template(&mut self, object: &Object, text: &str) -> Template {
        let compound = self.parsed(object, text);
        self.compound(object, &compound)
    }

    /// Parses the text of a property. A text that JMeter would refuse is taken as it is.
    pub(super) fn parsed(&mut self, object: &Object, text: &str) -> Compound {
        Compound::parse(text).unwrap_or_else(|unclosed| {
            self.refuse(object, ObstacleKind::Unclosed(unclosed.function));
            Compound::literal(text)
        })
    }

    /// Compiles a text that was parsed.
    pub(super) fn compound(&mut self, object: &Object, compound: &Compound) -> Template {
        let mut template = Template::default();
        for piece in &compound.pieces {
            match piece {
                Piece::Literal(text) => template.push_literal(text),
                Piece::Variable(name) => template.append(self.variable(name)),
                Piece::Call(call) => template.append(self.call(object, call)),
            }
        }
        template
    }

    /// Compiles the call of a function.
    fn call(&mut self, object: &Object, call: &FunctionCall) -> Template {
        if let Some((name, value)) = self.environment(call) {
            return self.program.environment_part(&name, value).into();
        }
        match self.fixed_call(call) {
            Some(text) => Template::literal(&text),
            None => self.function(object, call),
        }
    }

    /// Returns the value of a variable.
    pub(super) fn variable(&mut self, name: &str) -> Template {
        if misspelt(name).is_some() {
            self.differences.insert(PlanDifference::Misspelt);
        }
        match self.fixed.get(name) {
            Some(value) if !self.from_environment.contains(name) => return Template::literal(value),
            _ => {}
        }
        match name {
            "JMeterThread.last_sample_ok" => return Expr::last_ok().into(),
            "START.MS" | "TESTSTART.MS" => return Template::literal(&self.settings.now.to_string()),
            "START.YMD" => return self.start("yyyyMMdd"),
            "START.HMS" => return self.start("HHmmss"),
            _ => {}
        }
        if self.is_item(name) {
            // Unlike an item of a list, a variable that is not set is sent as its own text.
            let missing = Template::literal(&format!("${{{name}}}"));
            return self.named_variable(Template::literal(name), missing);
        }
        self.variable_or_length(name).into()
    }

    fn is_item(&self, name: &str) -> bool {
        name.rsplit_once('_').is_some_and(|(list, number)| {
            !number.is_empty()
                && number.chars().all(|c| c.is_ascii_digit())
                && self.program.lists.find(list).is_some()
                && self.program.variables.find(name).is_none()
        })
    }

    /// Whether anything gives the variable a value.
    pub(super) fn is_ever_set(&self, name: &str) -> bool {
        let initial = |slot: usize| self.program.initial.iter().any(|(known, _)| *known == slot);
        let list = name.rsplit_once('_').is_some_and(|(list, _)| self.program.lists.find(list).is_some());
        list || self.program.variables.find(name).is_some_and(initial) || self.is_set_later(name)
    }

    /// Whether a variable may have a value when it is read: something sets it, or a script sets variables whose names it computes.
    pub(super) fn may_be_set(&self, name: &str) -> bool {
        let base = name.rsplit_once('_').map_or("", |(base, _)| base);
        let own =
            name.starts_with("__jm__") || name.starts_with("START.") || name.starts_with("JMeterThread.");
        own || self.fixed.contains_key(name)
            || self.is_ever_set(name)
            || !base.is_empty() && self.is_ever_set(base)
            || name == "TESTSTART.MS"
            || self.computes_names()
    }

    /// Whether a script or function of the plan sets variables whose names are not written down.
    fn computes_names(&self) -> bool {
        let mut puts = self.text.split("vars.put").skip(1);
        let is_computed = |behind: &str| {
            let argument = behind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim_start();
            let argument = argument.strip_prefix('(').unwrap_or_default().trim_start();
            let literal = argument.starts_with(['"', '\''])
                || argument.starts_with("&quot;")
                || argument.starts_with("&apos;");
            !literal
        };
        puts.any(is_computed)
            || ["__split(", "__regexFunction(", "__CSVRead("].iter().any(|name| self.mentions(name))
    }

    fn variable_or_length(&mut self, name: &str) -> Expr {
        if let Some(list) = name.strip_suffix("_matchNr")
            && let Some(list) = self.program.lists.find(list)
        {
            return Expr::ListLength(list);
        }
        Expr::Variable(self.program.variables.define(name))
    }

    /// When the test started, which all users see alike.
    fn start(&mut self, pattern: &str) -> Template {
        let slot = self.program.variables.define(&format!("START {pattern}"));
        if !self.program.initial.iter().any(|(known, _)| *known == slot) {
            let format = TimePart::parse(pattern).unwrap_or_default();
            let value = Template::call(Function::Time(format), Vec::new());
            self.program.initial.push((slot, value));
        }
        Template::variable(slot)
    }

    /// Defines the lists: what extractors take all matches into, and what loops go through.
    pub(super) fn define_lists(&mut self, element: &Element) {
        let object = &element.object;
        let all = |property: &str| object.text(property).trim().starts_with('-');
        let name = match object.class.as_str() {
            "RegexExtractor" if all("RegexExtractor.match_number") => object.text("RegexExtractor.refname"),
            "BoundaryExtractor" if all("BoundaryExtractor.match_number") => {
                object.text("BoundaryExtractor.refname")
            }
            "HtmlExtractor" if all("HtmlExtractor.match_number") => object.text("HtmlExtractor.refname"),
            "JSONPathExtractor" if super::extractors::gives_list(object) => object.text("VAR"),
            "XPathExtractor" if all("XPathExtractor.matchNumber") => object.text("XPathExtractor.refname"),
            "XPath2Extractor" if all("XPathExtractor2.matchNumber") => object.text("XPathExtractor2.refname"),
            "JSONPostProcessor" => {
                let names = object.text("JSONPostProcessor.referenceNames").split(';');
                let numbers = object.text("JSONPostProcessor.match_numbers").split(';');
                for (name, number) in names.zip(numbers) {
                    if number.trim().starts_with('-') {
                        self.program.lists.define(name.trim());
                    }
                }
                ""
            }
            _ => "",
        };
        if !name.is_empty() {
            self.program.lists.define(name.trim());
        }
        for child in &element.children {
            self.define_lists(child);
        }
    }

    /// Gives User Defined Variables their values, wherever they stand: they are set once, before any user starts.
    pub(super) fn define_variables(&mut self, plan: &'a Element) {
        if let Some(arguments) = plan.object.object("TestPlan.user_defined_variables") {
            self.define_all(arguments);
        }
        self.define_below(plan);
        for module in self.from_disabled.clone() {
            self.define_below(module);
        }
    }

    fn define_below(&mut self, element: &'a Element) {
        for child in &element.children {
            if child.object.class == "Arguments" {
                self.define_all(&child.object);
            }
            self.define_below(child);
        }
    }

    /// The variables of one element do not see each other.
    fn define_all(&mut self, arguments: &Object) {
        let before = self.fixed.clone();
        let known: Vec<usize> = self.program.initial.iter().map(|(slot, _)| *slot).collect();
        let mut defined = Vec::new();
        for argument in arguments.objects("Arguments.arguments") {
            let name = argument.text("Argument.name").trim();
            if name.is_empty() {
                continue;
            }
            let mut value = self.parsed(argument, argument.text("Argument.value"));
            for piece in &mut value.pieces {
                let own = |other: &str| {
                    arguments.objects("Arguments.arguments").any(|one| one.text("Argument.name") == other)
                };
                if let Piece::Variable(other) = piece
                    && own(other)
                    && !before.contains_key(other)
                    && !self.program.variables.find(other).is_some_and(|slot| known.contains(&slot))
                {
                    *piece = Piece::Literal(format!("${{{other}}}"));
                }
            }
            let fixed = self.fixed(&value);
            let is_secret = self.uses_environment(&value);
            let template = self.compound(arguments, &value);
            defined.push((name.to_owned(), fixed.filter(|_| !self.is_set_later(name)), template, is_secret));
        }
        for (name, fixed, template, is_secret) in defined {
            let slot = self.program.variables.define(&name);
            self.program.initial.push((slot, template));
            match is_secret {
                true => self.from_environment.insert(name.clone()),
                false => self.from_environment.remove(&name),
            };
            match fixed {
                Some(text) => self.fixed.insert(name, text),
                None => self.fixed.remove(&name),
            };
        }
    }

    /// Returns whether a script or function in the plan sets the variable.
    pub(super) fn is_set_by_script(&self, name: &str) -> bool {
        let quotes = ["\"", "'", "&quot;", "&apos;"];
        let is_put = |quote: &&str| {
            let puts = [format!("put({quote}{name}{quote}"), format!("put( {quote}{name}{quote}")];
            puts.iter().any(|put| self.mentions(put))
        };
        let by_function = self.mentions(&format!(",{name})}}")) || self.mentions(&format!(", {name})}}"));
        by_function || quotes.iter().any(is_put)
    }

    /// Returns whether anything in the plan sets the variable while it runs.
    fn is_set_later(&self, name: &str) -> bool {
        let by_script = self.is_set_by_script(name);
        let by_file = self.names_in_files.contains(name);
        by_script || by_file || self.trees().any(|tree| sets(tree, name))
    }
}

/// Returns whether an element, or one below it, sets the variable.
fn sets(element: &Element, name: &str) -> bool {
    let object = &element.object;
    let names = |text: &str| text.split([',', ';', '\t']).any(|one| one.trim() == name);
    let by_setter =
        SETTERS.iter().any(|(class, property)| object.class == *class && names(object.text(property)));
    let by_parameters = object.class == "UserParameters"
        && object.list("UserParameters.names").iter().any(|one| one.text() == name);
    by_setter || by_parameters || element.children.iter().any(|child| sets(child, name))
}
