//! Compiles HTTP requests.

use super::Compiler;
use super::body::Arguments;
use super::scope::Scope;
use super::servers::RequestServer;
use crate::compound::Compound;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::{Http2Plugin, Object};
use model::units::Nanos;
use traffic::scenario::{
    Action, BinaryOperator, Expr, ExtractFrom, Extractor, Found, Function, IfMissing, PlanDifference,
    RequestBody, Server, SessionRequest, Template, UrlInPath, Which, java_path,
};

/// JMeter follows at most this many redirects.
const MOST_REDIRECTS: u32 = 20;

/// Where a request goes.
struct Place {
    /// The number of its server; 0 if a URL was given for all requests.
    server: usize,
    /// Path and query.
    path: Template,
    url_in_path: UrlInPath,
}

/// Encodings with the characters of ASCII, as Java names them.
const ENCODINGS: [&str; 10] = [
    "ISO-8859-1",
    "ISO-8859-15",
    "US-ASCII",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "GBK",
    "GB2312",
    "Big5",
    "EUC-KR",
];

impl<'a> Compiler<'a> {
    /// Compiles a request with all that applies to it; what cannot be sent is refused and left out.
    pub(super) fn http_sampler(&mut self, sampler: &Object, scope: &Scope<'a>) -> Vec<Action> {
        let object = self.with_defaults(sampler, scope);
        let is_http2 = self.note_version(&object);
        let obstacles_before = self.obstacles.len();
        self.check_settings(&object);
        let place = self.place(sampler, &object, scope);
        let (method, method_template) = self.method(&object);
        let has_query = matches!(method.as_str(), "GET" | "DELETE" | "OPTIONS");
        // What else cannot run is found out for a request that cannot be sent, too.
        let is_sent = !(has_query && self.refuses_query(&object)) && place.is_some();
        let Place { server, mut path, url_in_path } =
            place.unwrap_or(Place { server: 0, path: Template::default(), url_in_path: UrlInPath::Never });
        let arguments = self.arguments(&object);
        let headers = self.headers(scope);
        self.rewrite_path(&mut path, scope);
        if has_query {
            self.add_query(&mut path, &arguments);
        }
        self.rewrite_query(sampler, &mut path, &method, scope);
        let body = self.request_body(&object, &arguments, &method);
        let name = self.label(sampler);
        let group = self.group.clone();
        let step = self.program.step(&name, false, group.as_deref());
        // JMeter sends no URL with a value that is no part of one, such as the name of a variable that an answer did not give.
        let strict_url = path.as_literal().is_none();
        if let (Some(fixed), UrlInPath::Never) = (path.as_literal(), url_in_path) {
            path = Template::literal(&java_path(fixed));
        }
        let mut request = SessionRequest::new(step, "GET", path);
        request.method = method_template;
        request.strict_url = strict_url;
        request.server = server;
        request.url_in_path = url_in_path;
        request.headers = headers;
        self.add_authorization(&mut request, scope);
        let headers = request.headers.clone();
        self.add_content_type(&mut request, &object, &body, &method);
        request.body = body;
        let follows = object.text("HTTPSampler.follow_redirects") == "true"
            || object.text("HTTPSampler.auto_redirects") == "true";
        request.redirects = if follows { MOST_REDIRECTS } else { 0 };
        request.repeats_bodies = false;
        request.keep_alive = is_http2 || object.text("HTTPSampler.use_keepalive") == "true";
        self.add_timeout(&mut request, &object, scope);
        // A request is never sent without a part that it has in the plan.
        let is_whole = self.obstacles.len() == obstacles_before;
        let embedded = match object.text("HTTPSampler.image_parser") {
            "true" => self.embedded(&object, &name, &mut request, headers),
            _ => Vec::new(),
        };
        let mut after = self.extract(&mut request, scope);
        self.check(&mut request, scope);
        self.follow_link(sampler, &object, &mut request, scope);
        if !is_sent || !is_whole {
            return Vec::new();
        }
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
        self.embedded_steps.insert(step);
        let mut request = SessionRequest::new(step, "GET", Template::variable(into));
        request.server = page.server;
        request.headers = headers;
        request.redirects = page.redirects;
        request.keep_alive = page.keep_alive;
        request.timeout = page.timeout;
        request.computed_timeout.clone_from(&page.computed_timeout);
        request.digest.clone_from(&page.digest);
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
        object.fill_protocol();
        object
    }

    /// Notes over which version of HTTP a sampler sends, and returns whether it is HTTP/2.
    fn note_version(&mut self, object: &Object) -> bool {
        let is_off = match object.text("HTTPSampler.profile") {
            "legacy" => true,
            "browser-like-custom" => object.text("HTTPSampler.enableHttp2") == "false",
            _ => false,
        };
        let is_http2 = object.http2.is_some() && !is_off;
        match is_http2 {
            true => self.samplers.http2 += 1,
            false => self.samplers.http1 += 1,
        }
        if object.http2 == Some(Http2Plugin::EarlyBlazeMeter)
            && object.text("HTTPSampler.sync_request") != "true"
        {
            self.differences.insert(PlanDifference::Together);
        }
        is_http2
    }

    fn check_settings(&mut self, object: &Object) {
        let mut refuse = |setting| self.refuse(object, ObstacleKind::Setting(setting));
        if !object.text("HTTPSampler.ipSource").trim().is_empty() {
            refuse(Unsupported::SourceAddress);
        }
        if !object.text("HTTPSampler.proxyHost").trim().is_empty() {
            refuse(Unsupported::Proxy);
        }
        if self.charset(object).is_none() {
            self.refuse(object, ObstacleKind::Setting(Unsupported::Encoding));
        }
    }

    /// The name of the encoding in which arguments are sent; `None` for one that is not followed. What is sent has to be the same in UTF-8: where
    /// an encoding has the characters of ASCII alone in common with it, texts have no others, and a note tells what becomes of variables.
    pub(super) fn charset(&mut self, object: &Object) -> Option<&'static str> {
        let compound = self.parsed(object, object.text("HTTPSampler.contentEncoding").trim());
        let encoding = self.fixed(&compound).unwrap_or_default();
        let known = ENCODINGS.into_iter().find(|known| encoding.trim().eq_ignore_ascii_case(known));
        match (encoding.trim().to_ascii_lowercase().as_str(), known) {
            ("" | "utf-8" | "utf8", _) => return Some("UTF-8"),
            (_, None) => return None,
            _ => {}
        }
        let arguments = self.arguments(object);
        let parts = || arguments.texts().flat_map(|text| text.parts());
        if parts().any(|part| part.as_literal().is_some_and(|text| !text.is_ascii())) {
            return None;
        }
        if parts().any(|part| part.as_literal().is_none()) {
            self.differences.insert(PlanDifference::Encoding);
        }
        known
    }

    /// Returns where a request goes. A path that begins with a scheme names the server, too; `object` is the request with its defaults.
    fn place(&mut self, sampler: &Object, object: &Object, scope: &Scope<'a>) -> Option<Place> {
        let owner = self.owner(sampler, scope, "HTTPSampler.path");
        let compound = self.parsed(&owner, object.text("HTTPSampler.path"));
        if self.refuses_path(&owner, &compound) {
            return None;
        }
        let path = self.compound(object, &compound);
        let begin = path.parts().first().and_then(Expr::as_literal);
        let begin = begin.unwrap_or_default().trim_start().to_owned();
        if begin.starts_with("http://") || begin.starts_with("https://") {
            return self.full_url(&owner, &compound, &path, &begin);
        }
        let is_rendered = path.parts().first().is_some_and(|first| first.as_literal().is_none());
        let (server, url) = match (&self.settings.server, is_rendered) {
            (Some(_), false) => (0, None),
            (Some(_), true) => return Some(Self::rendered_path(0, &path, UrlInPath::Loaded)),
            (None, true) => match self.add_servers_of_path(&owner, &compound) {
                Some(server) if object.text("HTTPSampler.domain").is_empty() => {
                    return Some(Self::rendered_path(server, &path, UrlInPath::Named));
                }
                // A link of an answer mostly leads to a server that other requests name.
                None if object.text("HTTPSampler.domain").is_empty() && !self.program.servers.is_empty() => {
                    return Some(Self::rendered_path(1, &path, UrlInPath::Named));
                }
                _ => self.requested_server(sampler, object, scope)?,
            },
            (None, false) => self.requested_server(sampler, object, scope)?,
        };
        if is_rendered && url.is_none() {
            return Some(Self::rendered_path(server, &path, UrlInPath::Named));
        }
        let rooted = begin.starts_with('/') || path.as_literal() == Some("");
        let mut below = if is_rendered {
            slash_unless_rooted(&path)
        } else {
            Template::literal(if rooted { "" } else { "/" })
        };
        below.append(encoded(&path));
        match url {
            None => Some(Place { server, path: below, url_in_path: UrlInPath::Never }),
            Some(mut url) => {
                url.append(below);
                Some(Place { server, path: url, url_in_path: UrlInPath::Named })
            }
        }
    }

    /// A path that may be a whole URL when it is rendered.
    fn rendered_path(server: usize, path: &Template, url_in_path: UrlInPath) -> Place {
        let mut whole = slash_unless_rooted(path);
        whole.append(encoded(path));
        Place { server, path: whole, url_in_path }
    }

    /// Returns the number of the server that a request names, and its URL where it is known only when the request is sent.
    fn requested_server(
        &mut self,
        sampler: &Object,
        object: &Object,
        scope: &Scope<'a>,
    ) -> Option<(usize, Option<Template>)> {
        match self.server(sampler, scope)? {
            RequestServer::Fixed(server) => Some((self.count_request(object, &server)?, None)),
            RequestServer::OneOf(servers, url) => {
                let mut first = None;
                for server in &servers {
                    let number = self.count_request(object, server)?;
                    first = first.or(Some(number));
                }
                Some((first?, Some(url)))
            }
        }
    }

    fn full_url(
        &mut self,
        owner: &Object,
        compound: &Compound,
        path: &Template,
        begin: &str,
    ) -> Option<Place> {
        let behind_scheme = begin.find("://").map_or(0, |at| at + 3);
        let end = begin[behind_scheme..].find(['/', '?']).map_or(begin.len(), |at| behind_scheme + at);
        if end == begin.len() && path.as_literal().is_none() {
            if self.settings.server.is_some() {
                return Some(Place { server: 0, path: encoded(path), url_in_path: UrlInPath::Loaded });
            }
            if let Some(server) = self.add_servers_of_path(owner, compound) {
                return Some(Place { server, path: encoded(path), url_in_path: UrlInPath::Named });
            }
            let (property, text) = ("HTTPSampler.path".to_owned(), owner.text("HTTPSampler.path").to_owned());
            self.refuse(owner, ObstacleKind::NoFixedServer { property, text });
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
            None => self.count_request(owner, &server)?,
        };
        let mut rest = Template::literal(&begin[end..]);
        path.parts().iter().skip(1).for_each(|part| rest.push(part.clone()));
        let mut whole = Template::literal(if begin[end..].starts_with('/') { "" } else { "/" });
        whole.append(encoded(&rest));
        Some(Place { server, path: whole, url_in_path: UrlInPath::Never })
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

    fn add_timeout(&mut self, request: &mut SessionRequest, object: &Object, scope: &Scope<'a>) {
        let own = self.parsed(object, object.text("HTTPSampler.response_timeout"));
        let limits = scope.outer_first(|class| class == "SampleTimeout");
        if self.fixed(&own).is_none() && limits.is_empty() {
            request.computed_timeout = Some(self.compound(object, &own));
            return;
        }
        let own = self.fixed_number(object, "HTTPSampler.response_timeout", 0.0).unwrap_or(0.0);
        let mut least = if own > 0.0 { own } else { f64::INFINITY };
        for limit in limits {
            let limit = self.fixed_number(&limit.object, "InterruptTimer.timeout", 0.0).unwrap_or(0.0);
            if limit > 0.0 {
                least = least.min(limit);
            }
        }
        request.timeout = least.is_finite().then_some(Nanos((least * 1e6) as u64));
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
        // JMeter sends a GET with an empty raw body as one with a body.
        let has_empty = *body == RequestBody::Nothing
            && (matches!(method, "POST" | "PUT" | "PATCH" | "DELETE") || raw && method == "GET");
        if (has_empty || matches!(body, RequestBody::Text(_))) && !named {
            let kind = if raw { "text/plain" } else { "application/x-www-form-urlencoded" };
            let charset = self.charset(object).unwrap_or("UTF-8");
            let kind = Template::literal(&format!("{kind}; charset={charset}"));
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

/// The slash with which a path begins whose begin is known only when it is rendered. A URL gets none.
fn slash_unless_rooted(path: &Template) -> Template {
    let is_rooted = Expr::binary(path.clone(), BinaryOperator::Finds, Expr::literal("^(/|https?://)"));
    let choice = [is_rooted, Expr::literal(""), Expr::literal("/")].map(Box::new);
    let [is_rooted, nothing, slash] = choice;
    Expr::Choice(is_rooted, nothing, slash).into()
}

/// Encodes the spaces of a path, as JMeter does.
fn encoded(path: &Template) -> Template {
    let mut found = Template::default();
    for (at, part) in path.parts().iter().enumerate() {
        match part.as_literal() {
            Some(text) => {
                let text = if at == 0 { text.trim_start() } else { text };
                found.push_literal(&text.replace(' ', "%20").replace(['\r', '\n', '\t'], ""));
            }
            None => {
                let [space, code] = [" ", "%20"].map(Template::literal);
                found.append(Template::call(Function::Replace, vec![part.clone().into(), space, code]));
            }
        }
    }
    found
}
