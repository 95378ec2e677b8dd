//! Compiles HTTP requests.

use super::Compiler;
use super::body::Arguments;
use super::scope::Scope;
use crate::compound::Piece;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::Object;
use model::units::Nanos;
use traffic::scenario::{
    Action, BinaryOperator, Expr, ExtractFrom, Extractor, Found, IfMissing, PlanDifference, RequestBody,
    Server, SessionRequest, Template, Which,
};

/// JMeter follows at most this many redirects.
const MOST_REDIRECTS: u32 = 20;

/// Where a request goes.
struct Place {
    /// The number of its server; 0 if a URL was given for all requests.
    server: usize,
    /// Path and query.
    path: Template,
}

impl<'a> Compiler<'a> {
    /// Compiles a request with all that applies to it; what cannot be sent is refused and left out.
    pub(super) fn http_sampler(&mut self, sampler: &Object, scope: &Scope<'a>) -> Vec<Action> {
        let object = self.with_defaults(sampler, scope);
        let before = self.obstacles.len();
        self.check_settings(&object);
        let Some(Place { server, mut path }) = self.place(&object) else {
            return Vec::new();
        };
        let (method, method_template) = self.method(&object);
        let arguments = self.arguments(&object);
        let headers = self.headers(scope);
        if matches!(method.as_str(), "GET" | "DELETE" | "OPTIONS") {
            self.add_query(&mut path, &arguments);
        }
        let body = self.request_body(&object, &arguments, &method);
        let name = self.label(sampler);
        let group = self.group.clone();
        let step = self.program.step(&name, false, group.as_deref());
        let mut request = SessionRequest::new(step, "GET", path);
        request.method = method_template;
        request.server = server;
        request.headers = headers;
        self.add_authorization(&mut request, scope);
        let headers = request.headers.clone();
        self.add_content_type(&mut request, &object, &body, &method);
        request.body = body;
        let follows = object.text("HTTPSampler.follow_redirects") == "true"
            || object.text("HTTPSampler.auto_redirects") == "true";
        request.redirects = if follows { MOST_REDIRECTS } else { 0 };
        request.repeats_bodies = false;
        request.keep_alive = object.text("HTTPSampler.use_keepalive") == "true";
        request.timeout = self.timeout(&object, scope);
        let embedded = match object.text("HTTPSampler.image_parser") {
            "true" => self.embedded(&object, &name, &mut request, headers),
            _ => Vec::new(),
        };
        let mut after = self.extract(&mut request, scope);
        self.check(&mut request, scope);
        // What was refused is left out as a whole if the request itself cannot be sent.
        debug_assert!(self.obstacles.len() >= before);
        let mut actions = vec![Action::Request(Box::new(request))];
        actions.extend(embedded);
        actions.append(&mut after);
        actions
    }

    /// Returns the requests for what a page embeds. They follow one after another, and are counted in a step of their own.
    fn embedded(
        &mut self,
        object: &Object,
        name: &str,
        page: &mut SessionRequest,
        headers: Vec<(Template, Template)>,
    ) -> Vec<Action> {
        self.differences.insert(PlanDifference::Resources);
        let list = self.program.lists.define("embedded resources");
        let into = self.program.variables.define("embedded resource");
        let only = self.url_pattern(object, "HTTPSampler.embedded_url_re");
        let never = self.url_pattern(object, "HTTPSampler.embedded_url_exclude_re");
        page.extract.push(Extractor {
            from: ExtractFrom::Resources { only, never },
            which: Which::All,
            into: Found::List(list),
            missing: IfMissing::Default(Template::default()),
        });
        let group = self.group.clone();
        let step = self.program.step(&format!("{name}: embedded"), false, group.as_deref());
        let mut request = SessionRequest::new(step, "GET", Template::variable(into));
        request.server = page.server;
        request.headers = headers;
        request.redirects = page.redirects;
        request.keep_alive = page.keep_alive;
        request.timeout = page.timeout;
        let fetch = Action::ForEach {
            list,
            into,
            index: None,
            from: 0,
            to: None,
            body: vec![Action::Request(Box::new(request))],
        };
        // A page that does not come the next time has nothing to be fetched.
        let forget = Action::SetList { list, values: Vec::new() };
        vec![fetch, forget]
    }

    /// A regular expression for URLs; `None` where the plan has none.
    fn url_pattern(&mut self, object: &Object, key: &str) -> Option<Template> {
        let text = object.text(key).trim();
        (!text.is_empty()).then(|| self.pattern(object, text))?
    }

    /// Fills in what HTTP Request Defaults say, the nearest first.
    fn with_defaults(&mut self, sampler: &Object, scope: &Scope<'a>) -> Object {
        let mut object = sampler.clone();
        for defaults in scope.nearest_first(|class| class == "ConfigTestElement") {
            for (key, text) in defaults.object.texts() {
                if key.starts_with("HTTPSampler.") {
                    object.fill_text(key, text);
                }
            }
            object.add_items_of("HTTPsampler.Arguments", "Arguments.arguments", &defaults.object);
        }
        object
    }

    fn check_settings(&mut self, object: &Object) {
        let mut refuse = |setting| self.refuse(object, ObstacleKind::Setting(setting));
        if !object.text("HTTPSampler.ipSource").trim().is_empty() {
            refuse(Unsupported::SourceAddress);
        }
        if !object.text("HTTPSampler.proxyHost").trim().is_empty() {
            refuse(Unsupported::Proxy);
        }
        let encoding = object.text("HTTPSampler.contentEncoding").trim();
        if !encoding.is_empty()
            && !encoding.contains("${")
            && !encoding.eq_ignore_ascii_case("utf-8")
            && !encoding.eq_ignore_ascii_case("utf8")
        {
            refuse(Unsupported::Encoding);
        }
    }

    /// Returns where a request goes. A path that begins with a scheme names the server, too.
    fn place(&mut self, object: &Object) -> Option<Place> {
        let compound = self.parsed(object, object.text("HTTPSampler.path"));
        for piece in &compound.pieces {
            if let Piece::Variable(name) = piece
                && !self.is_ever_set(name)
            {
                self.refuse(object, ObstacleKind::NeverSet(name.clone()));
                return None;
            }
        }
        let path = self.compound(object, &compound);
        let begin = path.parts().first().and_then(Expr::as_literal);
        let begin = begin.unwrap_or_default().trim_start().to_owned();
        if begin.starts_with("http://") || begin.starts_with("https://") {
            return self.full_url(object, &path, &begin);
        }
        let server = match self.settings.server {
            Some(_) => 0,
            None => {
                let server = self.server(object)?;
                self.count_request(object, &server)?
            }
        };
        let rooted = begin.starts_with('/') || path.as_literal() == Some("");
        let mut whole = match path.parts().first() {
            Some(first) if first.as_literal().is_none() => slash_unless_rooted(&path),
            _ => Template::literal(if rooted { "" } else { "/" }),
        };
        whole.append(encoded(&path));
        Some(Place { server, path: whole })
    }

    fn full_url(&mut self, object: &Object, path: &Template, begin: &str) -> Option<Place> {
        let behind_scheme = begin.find("://").map_or(0, |at| at + 3);
        let end = begin[behind_scheme..].find(['/', '?']).map_or(begin.len(), |at| behind_scheme + at);
        if end == begin.len() && path.as_literal().is_none() {
            let (property, text) =
                ("HTTPSampler.path".to_owned(), object.text("HTTPSampler.path").to_owned());
            self.refuse(object, ObstacleKind::NotFixed { property, text });
            return None;
        }
        let authority = &begin[behind_scheme..end];
        let tls = begin.starts_with("https");
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().ok()),
            None => (authority, Some(if tls { 443 } else { 80 })),
        };
        let server = Server { tls, host: host.to_owned(), port: port.unwrap_or(80) };
        let server = match self.settings.server {
            Some(_) => 0,
            None => self.count_request(object, &server)?,
        };
        let mut rest = Template::literal(&begin[end..]);
        path.parts().iter().skip(1).for_each(|part| rest.push(part.clone()));
        let mut whole = Template::literal(if begin[end..].starts_with('/') { "" } else { "/" });
        whole.append(encoded(&rest));
        Some(Place { server, path: whole })
    }

    /// Returns the server that a request names; one that names none is refused.
    fn server(&mut self, object: &Object) -> Option<Server> {
        let protocol = self.fixed_text(object, "HTTPSampler.protocol")?;
        let tls = match protocol.trim().to_ascii_lowercase().as_str() {
            "" | "http" => false,
            "https" => true,
            _ => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::Protocol));
                return None;
            }
        };
        let host = self.fixed_text(object, "HTTPSampler.domain")?;
        let host = host.trim();
        if host.is_empty() {
            self.refuse(object, ObstacleKind::NoServer);
            return None;
        }
        let default = if tls { 443.0 } else { 80.0 };
        let port = self.fixed_number(object, "HTTPSampler.port", default)?;
        let port = if (1.0..=65_535.0).contains(&port) { port } else { default };
        Some(Server {
            tls,
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: port as u16,
        })
    }

    /// Returns the method, as far as it is known before the load starts, and as it is sent.
    fn method(&mut self, object: &Object) -> (String, Template) {
        let text = match object.text("HTTPSampler.method") {
            "" => "GET",
            text => text,
        };
        let compound = self.parsed(object, text);
        let fixed = self.fixed(&compound).unwrap_or_else(|| "POST".to_owned());
        (fixed, self.compound(object, &compound))
    }

    fn timeout(&mut self, object: &Object, scope: &Scope<'a>) -> Option<Nanos> {
        let own = self.fixed_number(object, "HTTPSampler.response_timeout", 0.0).unwrap_or(0.0);
        let limits = scope.outer_first(|class| class == "SampleTimeout");
        let mut least = if own > 0.0 { own } else { f64::INFINITY };
        for limit in limits {
            let limit = self.fixed_number(&limit.object, "InterruptTimer.timeout", 0.0).unwrap_or(0.0);
            if limit > 0.0 {
                least = least.min(limit);
            }
        }
        least.is_finite().then_some(Nanos((least * 1e6) as u64))
    }

    fn add_query(&mut self, path: &mut Template, arguments: &Arguments) {
        let Some(query) = self.encoded_arguments(arguments, false) else {
            return;
        };
        let mut literals = path.parts().iter().filter_map(Expr::as_literal);
        let has_query = literals.any(|text| text.contains('?'));
        path.push_literal(if has_query { "&" } else { "?" });
        path.append(query);
    }

    /// A form, even an empty one, and a raw body have types unless a header says otherwise; a file gets none.
    fn add_content_type(
        &mut self,
        request: &mut SessionRequest,
        object: &Object,
        body: &RequestBody,
        method: &str,
    ) {
        let raw = object.text("HTTPSampler.postBodyRaw") == "true" || self.arguments(object).nameless();
        let named = request
            .headers
            .iter()
            .any(|(name, _)| name.as_literal().is_some_and(|name| name.eq_ignore_ascii_case("content-type")));
        let empty_form =
            *body == RequestBody::Nothing && !raw && matches!(method, "POST" | "PUT" | "PATCH" | "DELETE");
        if (empty_form || matches!(body, RequestBody::Text(_))) && !named {
            let kind = if raw { "text/plain" } else { "application/x-www-form-urlencoded" };
            let kind = Template::literal(&format!("{kind}; charset=UTF-8"));
            request.headers.push((Template::literal("Content-Type"), kind));
        }
        if matches!(body, RequestBody::Multipart(_)) {
            // The type of a multipart body names its boundary, which only the generator knows.
            request.headers.retain(|(name, _)| {
                !name.as_literal().is_some_and(|name| name.eq_ignore_ascii_case("content-type"))
            });
        }
    }
}

/// The slash with which a path begins whose begin is known only when it is rendered.
fn slash_unless_rooted(path: &Template) -> Template {
    let is_rooted = Expr::binary(path.clone(), BinaryOperator::Finds, Expr::literal("^/"));
    let choice = [is_rooted, Expr::literal(""), Expr::literal("/")].map(Box::new);
    let [is_rooted, nothing, slash] = choice;
    Expr::Choice(is_rooted, nothing, slash).into()
}

/// Encodes spaces in the fixed parts of a path, which would end the path.
fn encoded(path: &Template) -> Template {
    let mut found = Template::default();
    for (at, part) in path.parts().iter().enumerate() {
        match part.as_literal() {
            Some(text) => {
                let text = if at == 0 { text.trim_start() } else { text };
                found.push_literal(&text.replace(' ', "%20").replace(['\r', '\n', '\t'], ""));
            }
            None => found.push(part.clone()),
        }
    }
    found
}
