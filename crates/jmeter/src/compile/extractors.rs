//! Compiles post-processors: what is taken from answers into variables, and scripts.

use super::Compiler;
use super::scope::{Scope, is_post_processor, is_script_listener};
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::regex::translated;
use crate::tree::Object;
use traffic::scenario::{
    Action, AnswerPart, CssSelector, DocumentForm, Expr, ExtractFrom, Extractor, Found, GroupText, IfMissing,
    JsonPath, NAMESPACES_OF_DOCUMENT, NO_DEFAULT_NAMESPACE, PlanDifference, SessionRequest, StopWhat,
    Template, Which, XPath, declared_namespace,
};

impl<'a> Compiler<'a> {
    /// Adds the post-processors in scope to a request; returns what happens behind it.
    pub(super) fn extract(&mut self, request: &mut SessionRequest, scope: &Scope<'a>) -> Vec<Action> {
        let mut after = Vec::new();
        self.extract_for_rewriting(request);
        for element in scope.outer_first(is_post_processor) {
            let object = &element.object;
            match object.class.as_str() {
                "RegexExtractor" => self.regex_extractor(object, request),
                "BoundaryExtractor" => self.boundary_extractor(object, request),
                "JSONPostProcessor" => {
                    if !self.json_extractor(object, request) {
                        // JMeter raises an exception, and runs no post-processor behind this one.
                        break;
                    }
                }
                "XPathExtractor" | "XPath2Extractor" => self.xpath_extractor(object, request),
                "HtmlExtractor" => self.css_extractor(object, request),
                "JSONPathExtractor" => self.json_path_extractor(object, request),
                "ResultAction" => after.extend(on_failure(object)),
                _ => request.scripts.extend(self.element_script(object)),
            }
        }
        for element in scope.outer_first(is_script_listener) {
            if self.changes_something(&element.object) {
                let script = self.element_script(&element.object);
                after.extend(script.map(|script| Action::Script(Box::new(script))));
            }
        }
        after
    }

    /// Whether the script of a listener gives variables or properties values that are read elsewhere. Any other one only reports.
    fn changes_something(&mut self, listener: &Object) -> bool {
        let mut code = listener.text("script").to_owned();
        let file = self.parsed(listener, listener.text("filename").trim());
        if let Some(path) = self.fixed(&file).filter(|path| !path.is_empty()) {
            let read = (self.settings.resources.read)(std::path::Path::new(&path));
            code += &String::from_utf8_lossy(&read.unwrap_or_default());
        }
        ["vars.put", "vars.remove", "props.put", "setProperty"].iter().any(|change| code.contains(change))
    }

    /// Returns which part of the answer an extractor looks at.
    fn part(&mut self, object: &Object, header_key: &str) -> Option<AnswerPart> {
        match object.text("Sample.scope") {
            "" | "parent" => {}
            // The main sample comes first among all.
            "all" => {
                self.differences.insert(PlanDifference::SubSamples);
            }
            "variable" => return Some(self.variable_part(object.text("Scope.variable"))),
            _ => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::SubSamples));
                return None;
            }
        }
        match object.text(header_key) {
            "" | "false" => Some(AnswerPart::Body),
            "unescaped" => Some(AnswerPart::UnescapedBody),
            "true" => Some(AnswerPart::Head),
            "request_headers" => Some(AnswerPart::RequestHead),
            "URL" => Some(AnswerPart::Url),
            "code" => Some(AnswerPart::Status),
            "message" => Some(AnswerPart::Reason),
            _ => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::Document));
                None
            }
        }
    }

    pub(super) fn variable_part(&mut self, name: &str) -> AnswerPart {
        AnswerPart::Variable(self.program.variables.define(name.trim()))
    }

    /// Returns which match is taken: an empty number is a random one, and a negative one is all.
    fn which(&mut self, object: &Object, text: &str) -> Option<Which> {
        let compound = self.parsed(object, text.trim());
        let number = self.fixed(&compound).and_then(|text| match text.trim() {
            "" => Some(0),
            text => text.parse::<i64>().ok(),
        });
        match number {
            Some(0) => Some(Which::Random),
            Some(number @ 1..) => Some(Which::Number(u32::try_from(number).unwrap_or(u32::MAX))),
            Some(_) => Some(Which::All),
            None => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::MatchNumber));
                None
            }
        }
    }

    /// Returns where something is put; all matches go into a list.
    fn found(&mut self, name: &str, which: Which) -> Found {
        match which {
            Which::All => Found::List(self.program.lists.define(name)),
            _ => Found::Variable(self.program.variables.define(name)),
        }
    }

    fn regex_extractor(&mut self, object: &Object, request: &mut SessionRequest) {
        let Some(part) = self.part(object, "RegexExtractor.useHeaders") else {
            return;
        };
        let Some(which) = self.which(object, object.text("RegexExtractor.match_number")) else {
            return;
        };
        let Some(pattern) = self.pattern(object, object.text("RegexExtractor.regex")) else {
            return;
        };
        let name = object.text("RegexExtractor.refname").trim();
        let Some(template) = self.fixed_text(object, "RegexExtractor.template") else {
            return;
        };
        let missing = self.missing(object, "RegexExtractor");
        let mut add = |name: &str, text: Vec<GroupText>, missing: IfMissing| {
            let into = self.found(name, which);
            request.extract.push(Extractor {
                from: ExtractFrom::Regex { part: part.clone(), pattern: pattern.clone(), text },
                which,
                into,
                missing,
            });
        };
        add(name, groups(&template), missing);
        for group in 0..10 {
            let group_name = format!("{name}_g{group}");
            if self.mentions(&format!("{{{group_name}}}")) || self.mentions(&format!("\"{group_name}\"")) {
                let into = self.found(&group_name, which);
                request.extract.push(Extractor {
                    from: ExtractFrom::Regex {
                        part: part.clone(),
                        pattern: pattern.clone(),
                        text: vec![GroupText::Group(group)],
                    },
                    which,
                    into,
                    missing: IfMissing::Keep,
                });
            }
        }
    }

    /// Without a default, the variable keeps its value.
    fn missing(&mut self, object: &Object, class: &str) -> IfMissing {
        let text = object.text(&format!("{class}.default"));
        if text.is_empty() && object.text(&format!("{class}.default_empty_value")) != "true" {
            return IfMissing::Keep;
        }
        IfMissing::Default(self.template(object, text))
    }

    /// Compiles a regular expression; one that is not supported is refused.
    pub(super) fn pattern(&mut self, object: &Object, text: &str) -> Option<Template> {
        let template = self.template(object, text);
        match translated(&template) {
            Ok(pattern) => Some(pattern),
            Err(why) => {
                let pattern = text.to_owned();
                self.refuse(object, ObstacleKind::Regex { pattern, why });
                None
            }
        }
    }

    fn boundary_extractor(&mut self, object: &Object, request: &mut SessionRequest) {
        let Some(part) = self.part(object, "BoundaryExtractor.useHeaders") else {
            return;
        };
        let Some(which) = self.which(object, object.text("BoundaryExtractor.match_number")) else {
            return;
        };
        let from = ExtractFrom::Between {
            part,
            left: self.template(object, object.text("BoundaryExtractor.lboundary")),
            right: self.template(object, object.text("BoundaryExtractor.rboundary")),
        };
        let missing = self.missing(object, "BoundaryExtractor");
        let into = self.found(object.text("BoundaryExtractor.refname").trim(), which);
        request.extract.push(Extractor { from, which, into, missing });
    }

    /// Names, paths and defaults are lists of the same length; if they are not, JMeter sets nothing. The default is always
    /// written where there is no match. Returns false for lists of different lengths.
    fn json_extractor(&mut self, object: &Object, request: &mut SessionRequest) -> bool {
        let list = |key: &str| -> Vec<String> {
            let text = object.text(&format!("JSONPostProcessor.{key}"));
            let text = text.trim_end_matches(';');
            text.split(';').map(ToOwned::to_owned).collect()
        };
        let (names, paths, defaults) = (list("referenceNames"), list("jsonPathExprs"), list("defaultValues"));
        let numbers = list("match_numbers");
        if names.len() != paths.len() || names.len() != defaults.len() {
            return false;
        }
        let part = match object.text("Sample.scope") {
            "" | "parent" => AnswerPart::Body,
            "all" => {
                self.differences.insert(PlanDifference::SubSamples);
                AnswerPart::Body
            }
            "variable" => self.variable_part(object.text("Scope.variable")),
            _ => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::SubSamples));
                return true;
            }
        };
        for (index, ((name, path), default)) in names.iter().zip(&paths).zip(&defaults).enumerate() {
            let number = numbers.get(index).map(String::as_str).unwrap_or_default();
            let Some(which) = self.which(object, number) else {
                return true;
            };
            let Some(path) = self.json_path(object, path) else {
                return true;
            };
            let missing = IfMissing::Default(self.template(object, default));
            let mut add = |into: Found, which: Which| {
                request.extract.push(Extractor {
                    from: ExtractFrom::Json { part: part.clone(), path: path.clone() },
                    which,
                    into,
                    missing: missing.clone(),
                });
            };
            let into = self.found(name.trim(), which);
            add(into, which);
            let joined = format!("{}_ALL", name.trim());
            if object.text("JSONPostProcessor.compute_concatenation") == "true" && self.mentions(&joined) {
                add(Found::Variable(self.program.variables.define(&joined)), Which::All);
            }
        }
        true
    }

    /// With a negative match number, the variable has the first match beside the list. Without a match, it gets the default.
    fn xpath_extractor(&mut self, object: &Object, request: &mut SessionRequest) {
        let is_second = object.class == "XPath2Extractor";
        let prefix = if is_second { "XPathExtractor2" } else { "XPathExtractor" };
        let text = |key: &str| object.text(&format!("{prefix}.{key}"));
        let form = self.form(text("tolerant"));
        let prologue = match is_second {
            true => prologue_of(text("namespaces")),
            false => Some(first_prologue(form, text("namespace"))),
        };
        let Some(prologue) = prologue else {
            return self.refuse(object, ObstacleKind::Setting(Unsupported::Namespaces));
        };
        let Some(part) = self.part(object, "no header") else {
            return;
        };
        let number = if object.has(&format!("{prefix}.matchNumber")) { text("matchNumber") } else { "-1" };
        let Some(which) = self.which(object, number) else {
            return;
        };
        let Some(path) = self.xpath(object, &prologue, text("xpathQuery")) else {
            return;
        };
        let name = text("refname").trim();
        let whole = text("fragment") == "true";
        let missing = match text("default") {
            "" => IfMissing::Keep,
            default => IfMissing::Default(self.template(object, default)),
        };
        let mut add = |which: Which, into: Found| {
            request.extract.push(Extractor {
                from: ExtractFrom::XPath { part: part.clone(), path: path.clone(), form, whole },
                which,
                into,
                missing: missing.clone(),
            });
        };
        let variable = Found::Variable(self.program.variables.define(name));
        match which {
            Which::All => {
                add(Which::Number(1), variable);
                add(Which::All, Found::List(self.program.lists.define(name)));
            }
            which => add(which, variable),
        }
    }

    /// Returns which texts XPaths are evaluated in. `tolerant` tells whether they may be HTML.
    pub(super) fn form(&mut self, tolerant: &str) -> DocumentForm {
        if tolerant != "true" {
            return DocumentForm::Xml;
        }
        self.differences.insert(PlanDifference::Tidy);
        DocumentForm::Tidied
    }

    /// A CSS Selector Extractor.
    fn css_extractor(&mut self, object: &Object, request: &mut SessionRequest) {
        let text = |key: &str| object.text(&format!("HtmlExtractor.{key}"));
        if text("extractor_impl") == "JODD" {
            return self.refuse(object, ObstacleKind::Setting(Unsupported::Jodd));
        }
        let (Some(part), Some(which)) =
            (self.part(object, "no header"), self.which(object, text("match_number")))
        else {
            return;
        };
        let selector = self.template(object, text("expr").trim());
        if selector.as_literal().is_some_and(|fixed| CssSelector::parse(fixed).is_none()) {
            return self.refuse(object, ObstacleKind::Css(text("expr").trim().to_owned()));
        }
        let attribute = text("attribute").trim();
        let attribute = (!attribute.is_empty()).then(|| self.template(object, attribute));
        let missing = self.missing(object, "HtmlExtractor");
        let into = self.found(text("refname").trim(), which);
        let from = ExtractFrom::Css { part, selector, attribute };
        request.extract.push(Extractor { from, which, into, missing });
    }

    /// Compiles an XPath behind its prologue; one that is not supported is refused.
    pub(super) fn xpath(&mut self, object: &Object, prologue: &str, text: &str) -> Option<Template> {
        let path = self.template(object, text.trim());
        let Some(fixed) = path.as_literal() else {
            let mut whole = Template::literal(prologue);
            whole.append(path);
            return Some(whole);
        };
        let fixed = format!("{prologue}{fixed}");
        if XPath::parse(&fixed).is_none() {
            self.refuse(object, ObstacleKind::XPath(text.trim().to_owned()));
            return None;
        }
        Some(Template::literal(&fixed))
    }

    /// Compiles a JSONPath; one that is not supported is refused.
    pub(super) fn json_path(&mut self, object: &Object, text: &str) -> Option<Template> {
        // The library that JMeter uses puts this before a path without a root.
        let text = text.trim();
        let text = if text.starts_with(['$', '@']) { text.to_owned() } else { format!("$.{text}") };
        let path = self.template(object, &text);
        if let Some(fixed) = path.as_literal()
            && JsonPath::parse(fixed).is_err()
        {
            self.refuse(object, ObstacleKind::JsonPath(text));
            return None;
        }
        Some(path)
    }

    /// The extractor of the plug-in "JSON Plugins".
    fn json_path_extractor(&mut self, object: &Object, request: &mut SessionRequest) {
        let text = object.text("JSONPATH");
        let name = object.text("VAR").trim();
        let is_list = gives_list(object);
        // The plug-in spreads a list over several variables; the one of the name itself has the list as JSON.
        let unknown = if is_list {
            let quoted = ["&quot;", "&apos;"].map(|quote| format!("{quote}{name}{quote}"));
            let in_call = ["\"", "'"].map(|quote| format!("({quote}{name}{quote}"));
            [[format!("${{{name}}}")].as_slice(), &quoted, &in_call].concat()
        } else {
            [format!("{name}_matchNr"), format!("{name}_1")].to_vec()
        };
        if unknown.iter().any(|used| self.mentions(used)) {
            self.refuse(object, ObstacleKind::JsonPath(text.trim().to_owned()));
            return;
        }
        let Some(path) = self.json_path(object, text) else {
            return;
        };
        let part = match object.text("SUBJECT") {
            "VAR" => self.variable_part(object.text("VARIABLE")),
            _ => AnswerPart::Body,
        };
        let which = if is_list { Which::All } else { Which::Number(1) };
        let into = self.found(name, which);
        request.extract.push(Extractor {
            from: ExtractFrom::Json { part, path },
            which,
            into,
            missing: IfMissing::Default(self.template(object, object.text("DEFAULT"))),
        });
    }
}

/// Whether the path of an extractor of the plug-in "JSON Plugins" may lead to several values.
pub(super) fn gives_list(object: &Object) -> bool {
    let text = object.text("JSONPATH");
    text.contains("..") || text.contains('*') || text.contains("[?")
}

/// A Result Status Action Handler.
fn on_failure(object: &Object) -> Option<Action> {
    let what = match object.text("OnError.action") {
        "1" => StopWhat::User,
        "2" | "3" => StopWhat::Run,
        "4" => StopWhat::Iteration,
        "5" => StopWhat::Pass,
        "6" => StopWhat::Loop,
        _ => return None,
    };
    Some(Action::If { condition: Expr::last_ok(), then: Vec::new(), otherwise: vec![Action::Stop(what)] })
}

/// Parses the template of a regular expression's groups, such as `$1$-$2$`.
fn groups(template: &str) -> Vec<GroupText> {
    let (mut found, mut literal) = (Vec::new(), String::new());
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        let behind = &rest[at + 1..];
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        literal.push_str(&rest[..at]);
        match behind[..digits].parse() {
            Ok(group) if behind[digits..].starts_with('$') => {
                if !literal.is_empty() {
                    found.push(GroupText::Literal(std::mem::take(&mut literal)));
                }
                found.push(GroupText::Group(group));
                rest = &behind[digits + 1..];
            }
            _ => {
                literal.push('$');
                rest = behind;
            }
        }
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        found.push(GroupText::Literal(literal));
    }
    found
}

/// The prologue of an XPath of the first kind, where the element says that namespaces count: prefixes mean what the document declares.
/// Tidy knows no namespaces.
pub(super) fn first_prologue(form: DocumentForm, namespace: &str) -> String {
    match (form, namespace) {
        (DocumentForm::Xml, "true") => format!("{NO_DEFAULT_NAMESPACE}{NAMESPACES_OF_DOCUMENT}"),
        _ => String::new(),
    }
}

/// The prologue of an XPath of the second kind, which always looks at namespaces: each line is a prefix and what it means. `None` for lines
/// that mean nothing.
pub(super) fn prologue_of(namespaces: &str) -> Option<String> {
    let lines = namespaces.lines().filter(|line| !line.is_empty());
    let declared = lines.map(|line| {
        let (prefix, uri) = line.split_once('=').filter(|_| !line.contains("${"))?;
        declared_namespace(prefix, uri)
    });
    Some(NO_DEFAULT_NAMESPACE.to_owned() + &declared.collect::<Option<String>>()?)
}
