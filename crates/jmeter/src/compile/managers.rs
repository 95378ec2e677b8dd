//! Compiles headers, cookies and credentials.

use super::Compiler;
use super::scope::Scope;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::{Element, Object};
use traffic::scenario::{
    Cookie, Cookies, DigestUser, Expr, Function, PlanDifference, SessionRequest, Template,
};

impl<'a> Compiler<'a> {
    /// Returns the headers of all Header Managers in scope; of two with the same name, the nearest manager's counts.
    pub(super) fn headers(&mut self, scope: &Scope<'a>) -> Vec<(Template, Template)> {
        let mut found: Vec<(String, Object)> = Vec::new();
        for manager in scope.nearest_first(|class| class == "HeaderManager") {
            let own = manager.object.objects("HeaderManager.headers");
            let nearer = found.len();
            for header in own {
                let name = header.text("Header.name").trim();
                let taken = found[..nearer].iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
                if !name.is_empty() && !taken && !name.eq_ignore_ascii_case("content-length") {
                    found.push((name.to_owned(), header.clone()));
                }
            }
        }
        let mut headers = Vec::new();
        for (name, header) in found {
            let name = self.template(&header, &name);
            headers.push((name, self.template(&header, header.text("Header.value").trim())));
        }
        headers
    }

    /// Basic authentication is sent at once. JMeter does so, too, if the mechanism is BASIC, and otherwise awaits a challenge. A challenge for
    /// a digest is answered.
    pub(super) fn add_authorization(&mut self, request: &mut SessionRequest, scope: &Scope<'a>) {
        let Some(manager) = scope.outermost(|class| class == "AuthManager") else {
            return;
        };
        let object = &manager.object;
        let entries: Vec<Object> = object.objects("AuthManager.auth_list").cloned().collect();
        let Some(entry) = entries.iter().find(|entry| self.covers(entry, request)) else {
            return;
        };
        let (is_basic, is_digest) = match entry.text("Authorization.mechanism") {
            "BASIC" => (true, false),
            "DIGEST" => (false, true),
            "" | "BASIC_DIGEST" => (true, true),
            "KERBEROS" => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::Kerberos));
                return;
            }
            _ => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::Authentication));
                return;
            }
        };
        if is_basic && is_digest {
            self.differences.insert(PlanDifference::Challenge);
        }
        let name = self.template(object, entry.text("Authorization.username"));
        let password = self.template(object, entry.text("Authorization.password"));
        if is_digest {
            request.digest = Some(DigestUser { name: name.clone(), password: password.clone() });
        }
        if !is_basic {
            return;
        }
        let mut credentials = name;
        credentials.push_literal(":");
        credentials.append(password);
        let mut value = Template::literal("Basic ");
        value.append(Template::call(Function::Base64, vec![credentials]));
        request.headers.push((Template::literal("Authorization"), value));
    }

    /// Returns whether credentials are for a request: credentials without a URL are for all. The URL has to
    /// have the host of the request, unless a URL was given for all requests.
    fn covers(&self, entry: &Object, request: &SessionRequest) -> bool {
        let url = entry.text("Authorization.url");
        let behind = url.find("://").map_or(url, |at| &url[at + 3..]);
        let (authority, path) = behind.split_at(behind.find('/').unwrap_or(behind.len()));
        let path = if path.is_empty() { "/" } else { path };
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        let server = request.server.checked_sub(1);
        if let Some(server) = server.map(|index| &self.program.servers[index])
            && !(host.is_empty() || host.contains("${"))
            && !host.eq_ignore_ascii_case(&server.host)
        {
            return false;
        }
        let begin = request.path.parts().first().and_then(Expr::as_literal).unwrap_or_default();
        path.contains("${") || begin.starts_with(path) || path == "/"
    }

    /// Returns how a group treats cookies, and the cookies that a user has from the start.
    pub(super) fn cookies(
        &mut self,
        group: &'a Element,
        above: &[&'a Element],
        same_user: bool,
    ) -> (Cookies, Vec<Cookie>) {
        let is_manager = |element: &&Element| element.object.class == "CookieManager";
        let in_group: Vec<&Element> =
            group.children.iter().chain(above.iter().copied()).filter(is_manager).collect();
        let below = managers_below(&group.children);
        // When several are at the level of the group, JMeter takes the last.
        let Some(manager) = in_group.last().copied().or_else(|| below.first().copied()) else {
            return (Cookies::Ignored, Vec::new());
        };
        if in_group.is_empty() {
            if below.len() > 1 {
                self.refuse(&below[1].object, ObstacleKind::Setting(Unsupported::SeveralCookieManagers));
            }
            if !all_requests_are_beside(&group.children) {
                self.refuse(&manager.object, ObstacleKind::Setting(Unsupported::PartialCookies));
            }
        }
        let object = &manager.object;
        let is_true = |key: &str| object.text(key) == "true";
        let clears = if is_true("CookieManager.controlledByThreadGroup") {
            !same_user
        } else {
            is_true("CookieManager.clearEachIteration")
        };
        let policy = object.text("CookieManager.policy");
        let cookies = match (policy, clears) {
            ("ignoreCookies", _) => Cookies::Ignored,
            (_, true) => Cookies::PerIteration,
            (_, false) => Cookies::PerUser,
        };
        let entries: Vec<Object> = object.objects("CookieManager.cookies").cloned().collect();
        let mut own = Vec::new();
        for entry in &entries {
            let domain = self.fixed_text(entry, "Cookie.domain").unwrap_or_default();
            // JMeter sends a cookie without a domain to no server.
            if !domain.trim().is_empty() {
                own.push(self.cookie(entry, domain.trim()));
            }
        }
        (cookies, own)
    }

    /// Compiles a listed cookie. A URL that the user gives stands for all servers of the plan, and so for all domains.
    fn cookie(&mut self, entry: &Object, domain: &str) -> Cookie {
        let path = entry.text("Cookie.path");
        let is_given = self.settings.server.is_some();
        Cookie {
            domain: (!is_given).then(|| domain.to_owned()),
            name: entry.name.clone(),
            value: self.template(entry, entry.text("Cookie.value")),
            path: if path.is_empty() { "/".to_owned() } else { path.to_owned() },
        }
    }
}

fn managers_below(children: &[Element]) -> Vec<&Element> {
    let mut found = Vec::new();
    for child in children {
        if child.object.class == "CookieManager" {
            found.push(child);
        }
        found.extend(managers_below(&child.children));
    }
    found
}

/// Returns whether the level with a Cookie Manager has all requests of the group beside or below it.
fn all_requests_are_beside(children: &[Element]) -> bool {
    let has_manager =
        |children: &[Element]| children.iter().any(|child| child.object.class == "CookieManager");
    if has_manager(children) {
        return true;
    }
    let mut with_requests = children.iter().filter(|child| has_requests(child));
    match (with_requests.next(), with_requests.next()) {
        (Some(only), None) => all_requests_are_beside(&only.children),
        _ => false,
    }
}

fn has_requests(element: &Element) -> bool {
    element.object.class == "HTTPSamplerProxy" || element.children.iter().any(has_requests)
}

#[cfg(test)]
mod tests {
    use crate::{Settings, compile};
    use std::collections::BTreeMap;

    /// How many requests of the plan have credentials if these are for a URL.
    fn requests_with_credentials(url: &str) -> usize {
        let plan = include_str!("../../tests/plans/auth.jmx");
        let of_plan = "http://127.0.0.1:${__P(port)}/private";
        assert!(plan.contains(of_plan));
        let settings = Settings {
            properties: BTreeMap::from([("port".to_owned(), "80".to_owned())]),
            ..Settings::default()
        };
        let compiled = compile(&plan.replace(of_plan, url), &settings).expect("a plan");
        assert_eq!(compiled.obstacles, []);
        format!("{:?}", compiled.program).matches("Base64").count()
    }

    #[test]
    fn credentials_go_to_the_host_and_path_that_they_are_for() {
        let all = requests_with_credentials("http://127.0.0.1:80/");
        let private = requests_with_credentials("http://127.0.0.1:80/private");
        assert!(0 < private && private < all, "{private} of {all}");
        assert_eq!(requests_with_credentials("http://LOCALHOST:80/"), 0);
        assert_eq!(requests_with_credentials("http://elsewhere.example/private"), 0);
    }
}
