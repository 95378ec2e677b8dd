//! Compiles HTML Link Parsers: a request goes to a link of the answer before it, if one fits what the request itself says.

use super::Compiler;
use super::scope::Scope;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::Object;
use traffic::scenario::{
    Action, BinaryOperator, Comparison, Expr, ExtractFrom, Extractor, Found, Function, IfMissing,
    PlanDifference, SessionRequest, Template, UrlInPath, Which,
};

/// A regular expression that fits nothing.
const NEVER: &str = r"[^\s\S]";

/// A request that follows a link.
pub(super) struct LinkFollower {
    /// The slot of the link; its text is empty where the last answer had none.
    link: usize,
    /// The number of its server.
    server: usize,
    path: Template,
    query: Vec<Template>,
}

impl LinkFollower {
    /// Takes a link from the answer of a server. The answer of another server has none.
    fn extractor(&self, server: usize) -> Extractor {
        let path = if server == self.server { self.path.clone() } else { Template::literal(NEVER) };
        Extractor {
            from: ExtractFrom::Links { path, query: self.query.clone() },
            which: Which::Random,
            into: Found::Variable(self.link),
            missing: IfMissing::Default(Template::default()),
        }
    }
}

impl<'a> Compiler<'a> {
    /// Lets a request follow a link of the last answer where an HTML Link Parser is in its scope. `object` is the request with its
    /// defaults. It is refused where only the running load would tell which links fit.
    pub(super) fn follow_link(
        &mut self,
        sampler: &Object,
        object: &Object,
        request: &mut SessionRequest,
        scope: &Scope<'a>,
    ) {
        if scope.outermost(|class| class == "AnchorModifier").is_none() {
            return;
        }
        let is_plain = request.method.as_literal() == Some("GET") && request.url_in_path == UrlInPath::Never;
        let Some((path, names)) = self.wanted_link(object).filter(|_| is_plain) else {
            return self.refuse(sampler, ObstacleKind::Setting(Unsupported::Links));
        };
        // JMeter compares texts first, and takes them for regular expressions where they differ.
        let alternatives = |text: &str, regex: Template, before: &str, behind: &str| {
            let mut both = Template::literal(&format!("{}{behind}|{before}", regex::escape(text)));
            both.append(regex);
            both
        };
        let Some(fitting) = self.pattern(sampler, &path) else { return };
        let fitting = alternatives(&path, fitting, "[/]*", "");
        let mut query = Vec::new();
        for name in &names {
            let Some(found) = self.pattern(sampler, name) else { return };
            query.push(alternatives(name, found, "", "="));
        }
        self.differences.insert(PlanDifference::Forms);
        let link = self.program.variables.define(&format!("link for line {}", sampler.line));
        if !self.followers.iter().any(|known| known.link == link) {
            self.followers.push(LinkFollower { link, server: request.server, path: fitting, query });
        }
        let is_set = Expr::Call(Function::IsSet(link), Vec::new());
        let has_text = Expr::compare(Expr::Variable(link), Comparison::Unequal, Expr::literal(""));
        let has_link = Expr::binary(is_set, BinaryOperator::And, has_text);
        let own = Expr::Text(std::mem::take(&mut request.path));
        let chosen = [has_link, Expr::Variable(link), own].map(Box::new);
        let [has_link, link, own] = chosen;
        request.path = Expr::Choice(has_link, link, own).into();
    }

    /// The path of a request and the names of its arguments, if they are known before the load starts.
    fn wanted_link(&mut self, object: &Object) -> Option<(String, Vec<String>)> {
        let mut fixed = |text: &str| {
            let compound = self.parsed(object, text);
            self.fixed(&compound)
        };
        let path = fixed(object.text("HTTPSampler.path"))?;
        let arguments = object.object("HTTPsampler.Arguments");
        let arguments = arguments.iter().flat_map(|list| list.objects("Arguments.arguments"));
        let names: Option<Vec<String>> = arguments.map(|one| fixed(one.text("Argument.name"))).collect();
        Some((path, names?))
    }

    /// Takes what requests follow from the answers to all requests. What a page embeds is no answer that JMeter looks at.
    pub(super) fn extract_links(&mut self) {
        let (followers, embedded) = (&self.followers, &self.embedded_steps);
        for group in &mut self.program.groups {
            Action::change_requests(&mut group.body, &mut |request| {
                if !embedded.contains(&request.step) {
                    request.extract.extend(followers.iter().map(|one| one.extractor(request.server)));
                }
            });
        }
    }
}
