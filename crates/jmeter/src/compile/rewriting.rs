//! Compiles HTTP URL Re-writing Modifiers: what identifies the user is taken from each answer, and put into the next URL.

use super::Compiler;
use super::scope::Scope;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::Object;
use traffic::scenario::{
    AnswerPart, Comparison, Expr, ExtractFrom, Extractor, Found, Function, GroupText, IfMissing,
    SessionRequest, Template, Which,
};

/// What one such element does.
struct Rewriting {
    name: String,
    /// Whether the value follows the path behind a semicolon; otherwise it is an argument.
    in_path: bool,
    /// What stands between name and value in a path.
    equals: &'static str,
    /// The slot of what the last answer had.
    last: usize,
    /// The slot of what an answer had before, where a value is kept.
    kept: Option<usize>,
}

impl<'a> Compiler<'a> {
    fn rewriting_of(&mut self, object: &Object) -> Rewriting {
        let name = object.text("argument_name").trim().to_owned();
        let is_true = |key: &str| object.text(key) == "true";
        let last =
            self.program.variables.define(&format!("{name} of the last answer at line {}", object.line));
        let kept = (object.text("cache_value") != "false")
            .then(|| self.program.variables.define(&format!("{name} kept at line {}", object.line)));
        let equals = if is_true("path_extension_no_equals") { "" } else { "=" };
        Rewriting { name, in_path: is_true("path_extension"), equals, last, kept }
    }

    /// Takes what the modifiers of the plan need from the answer to a request.
    pub(super) fn extract_for_rewriting(&mut self, request: &mut SessionRequest) {
        let modifiers: Vec<Object> = self.all_of_class("URLRewritingModifier").into_iter().cloned().collect();
        for object in modifiers {
            let rewriting = self.rewriting_of(&object);
            let name = regex::escape(&rewriting.name);
            // The expressions are JMeter's.
            let question = if object.text("path_extension_no_questionmark") == "true" { "?" } else { "" };
            let (pattern, groups) = match rewriting.in_path {
                true => (format!(r#";{name}{}([^"'<>&\s;{question}]*)"#, rewriting.equals), 1),
                false => {
                    let first = format!(r#"[;?&]{name}=([^"'<>&\s;\\]*)"#);
                    let (named, valued) = (
                        format!(r#"\s(?i:name)\s*=\s*["']{name}["']"#),
                        r#"\s(?i:value)\s*=\s*["']([^"']*)["']"#,
                    );
                    (format!("{first}|{named}[^>]*{valued}|{valued}[^>]*{named}"), 3)
                }
            };
            request.extract.push(Extractor {
                from: ExtractFrom::Regex {
                    part: AnswerPart::Body,
                    pattern: Template::literal(&pattern),
                    text: (1..=groups).map(GroupText::Group).collect(),
                },
                which: Which::Number(1),
                into: Found::Variable(rewriting.last),
                missing: IfMissing::Default(Template::default()),
            });
        }
    }

    /// Adds what modifiers in scope add to the path of a request before its arguments.
    pub(super) fn rewrite_path(&mut self, path: &mut Template, scope: &Scope<'a>) {
        for rewriting in self.rewritings(scope, true) {
            let begin = format!(";{}{}", rewriting.name, rewriting.equals);
            path.push(rewriting.behind(&begin));
        }
    }

    /// Adds what modifiers in scope add to the arguments of a request without a body; one with a body is refused.
    pub(super) fn rewrite_query(
        &mut self,
        sampler: &Object,
        path: &mut Template,
        method: &str,
        scope: &Scope<'a>,
    ) {
        let rewritings = self.rewritings(scope, false);
        if !rewritings.is_empty() && !matches!(method, "GET" | "DELETE" | "OPTIONS") {
            self.refuse(sampler, ObstacleKind::Setting(Unsupported::RewrittenForm));
            return;
        }
        for rewriting in rewritings {
            let has_query = path.parts().iter().filter_map(Expr::as_literal).any(|text| text.contains('?'));
            let begin = format!("{}{}=", if has_query { "&" } else { "?" }, rewriting.name);
            path.push(rewriting.behind(&begin));
        }
    }

    fn rewritings(&mut self, scope: &Scope<'a>, in_path: bool) -> Vec<Rewriting> {
        let modifiers = scope.outer_first(|class| class == "URLRewritingModifier");
        let all: Vec<Rewriting> =
            modifiers.iter().map(|element| self.rewriting_of(&element.object)).collect();
        all.into_iter().filter(|rewriting| rewriting.in_path == in_path).collect()
    }
}

impl Rewriting {
    /// The value with what stands before it; nothing before the first answer.
    fn behind(&self, begin: &str) -> Expr {
        let encoded =
            |value: Expr| Expr::Call(Function::Form, vec![Expr::Call(Function::Decode, vec![value])]);
        let last = Expr::Variable(self.last);
        let value = match self.kept {
            None => last,
            Some(kept) => {
                let is_new = Expr::compare(last.clone(), Comparison::Unequal, Expr::literal(""));
                let was_kept = Expr::Call(Function::IsSet(kept), Vec::new());
                let old = Expr::Choice(
                    Box::new(was_kept),
                    Box::new(Expr::Variable(kept)),
                    Box::new(Expr::literal("")),
                );
                let new = Expr::Call(Function::Keep(kept), vec![last]);
                Expr::Choice(Box::new(is_new), Box::new(new), Box::new(old))
            }
        };
        let mut text = Template::literal(begin);
        text.push(if self.in_path { value } else { encoded(value) });
        let has_answer = Expr::Call(Function::IsSet(self.last), Vec::new());
        Expr::Choice(Box::new(has_answer), Box::new(Expr::Text(text)), Box::new(Expr::literal("")))
    }
}
