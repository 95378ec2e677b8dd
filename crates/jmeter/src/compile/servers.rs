//! Where requests go: servers that are known before the load starts, and servers that a file of data names.

use super::Compiler;
use super::scope::Scope;
use crate::compound::{Compound, Piece};
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::{Element, Object, Property};
use std::collections::{BTreeMap, BTreeSet};
use traffic::scenario::{DataSource, Server, Template};

/// The properties of a request that name its server.
const PROTOCOL: &str = "HTTPSampler.protocol";
const DOMAIN: &str = "HTTPSampler.domain";
const PORT: &str = "HTTPSampler.port";

/// Values of several variables are combined at most in so many ways.
const MOST_WAYS: usize = 4096;

/// The server of a request.
pub(super) enum RequestServer {
    /// It is always the same.
    Fixed(Server),
    /// It is one of several, and this text is its URL.
    OneOf(Vec<Server>, Template),
}

impl<'a> Compiler<'a> {
    /// Returns the element that gives a request this property: the request itself, or HTTP Request Defaults.
    pub(super) fn owner(&self, sampler: &Object, scope: &Scope<'a>, key: &str) -> Object {
        if !sampler.text(key).is_empty() {
            return sampler.clone();
        }
        let defaults = scope.nearest_first(|class| class == "ConfigTestElement");
        let owner = defaults.iter().find(|defaults| !defaults.object.text(key).is_empty());
        let mut owner = owner.map_or_else(|| sampler.clone(), |owner| owner.object.clone());
        owner.fill_protocol();
        owner
    }

    /// Returns the server that a request names; one that names none is refused.
    pub(super) fn server(&mut self, sampler: &Object, scope: &Scope<'a>) -> Option<RequestServer> {
        let owners = [PROTOCOL, DOMAIN, PORT].map(|key| (self.owner(sampler, scope, key), key));
        let parts = owners.each_ref().map(|(owner, key)| self.parsed(owner, owner.text(key)));
        let fixed = parts.each_ref().map(|part| self.fixed(part));
        if let [Some(protocol), Some(host), Some(port)] = &fixed {
            return self.server_of(&owners[1].0, protocol, host, port).map(RequestServer::Fixed);
        }
        let Some(ways) = self.ways(&parts) else {
            for (part, (owner, key)) in fixed.iter().zip(&owners) {
                let names = owner.text(key);
                let is_unread = self.unread.iter().any(|name| names.contains(&format!("${{{name}}}")));
                if part.is_none() && !self.lacks_names && !is_unread {
                    let text = owner.text(key).to_owned();
                    self.refuse(owner, ObstacleKind::NoFixedServer { property: (*key).to_owned(), text });
                }
            }
            return None;
        };
        let mut servers = Vec::new();
        for [protocol, host, port] in ways {
            let server = self.server_of(&owners[1].0, &protocol, &host, &port)?;
            if !servers.contains(&server) {
                servers.push(server);
            }
        }
        let [protocol, host, port] = parts.each_ref().map(|part| self.compound(sampler, part));
        let mut url = protocol;
        url.push_literal("://");
        url.append(host);
        url.push_literal(":");
        url.append(port);
        Some(RequestServer::OneOf(servers, url))
    }

    fn server_of(&mut self, object: &Object, protocol: &str, host: &str, port: &str) -> Option<Server> {
        let tls = match protocol.trim().to_ascii_lowercase().as_str() {
            "" | "http" => false,
            "https" => true,
            _ => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::Protocol));
                return None;
            }
        };
        let host = host.trim();
        if host.is_empty() {
            self.refuse(object, ObstacleKind::NoServer);
            return None;
        }
        let port = port.trim();
        let number: i64 = if port.is_empty() { 0 } else { port.parse().unwrap_or(-1) };
        if number < 0 {
            let what = ObstacleKind::NoNumber { property: PORT.to_owned(), text: port.to_owned() };
            self.refuse(object, what);
            return None;
        }
        let default = if tls { 443 } else { 80 };
        Some(Server {
            tls,
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: u16::try_from(number).ok().filter(|port| *port > 0).unwrap_or(default),
        })
    }

    /// Returns every value that several texts can have while the load runs; `None` where the values of a variable are not known.
    fn ways<const N: usize>(&self, texts: &[Compound; N]) -> Option<BTreeSet<[String; N]>> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for piece in texts.iter().flat_map(|text| &text.pieces) {
            match piece {
                Piece::Variable(name) if !self.fixed.contains_key(name) => _ = names.insert(name),
                Piece::Call(call) => _ = self.fixed_call(call)?,
                _ => {}
            }
        }
        let mut ways: Vec<BTreeMap<&str, String>> = vec![BTreeMap::new()];
        while let Some(name) = names.first().copied() {
            let rows = self.values_with(name, &mut names)?;
            ways = ways
                .iter()
                .flat_map(|way| {
                    rows.iter().map(|row| {
                        way.iter().chain(row).map(|(name, value)| (*name, value.clone())).collect()
                    })
                })
                .collect();
            if ways.is_empty() || ways.len() > MOST_WAYS {
                return None;
            }
        }
        let rendered = |way: &BTreeMap<&str, String>| {
            texts.each_ref().map(|text| {
                let piece = |piece: &Piece| match piece {
                    Piece::Literal(text) => text.clone(),
                    Piece::Variable(name) => {
                        way.get(name.as_str()).or_else(|| self.fixed.get(name)).cloned().unwrap_or_default()
                    }
                    Piece::Call(call) => self.fixed_call(call).unwrap_or_default(),
                };
                text.pieces.iter().map(piece).collect::<String>()
            })
        };
        Some(ways.iter().map(rendered).collect())
    }

    /// Returns the values of a variable, with those that other variables have at the same time, which leave `names` with it. Files of data,
    /// User Parameters and ForEach Controllers are looked at; `None` if something else sets the variable.
    fn values_with<'n>(
        &self,
        name: &'n str,
        names: &mut BTreeSet<&'n str>,
    ) -> Option<Vec<BTreeMap<&'n str, String>>> {
        names.remove(name);
        if self.is_set_by_script(name) {
            return None;
        }
        let slot = self.program.variables.find(name);
        let mut sources =
            self.program.data.iter().filter(|data| slot.is_some_and(|slot| data.columns.contains(&slot)));
        let mut others = self.values_of_parameters(name)?;
        others.extend(self.values_of_loops(name)?);
        match (sources.next(), sources.next(), others.is_empty()) {
            (Some(data), None, true) => Some(self.rows_of(data, name, names)),
            (None, _, false) => {
                Some(others.into_iter().map(|value| BTreeMap::from([(name, value)])).collect())
            }
            _ => None,
        }
    }

    /// The rows of a file, as far as they are of these variables.
    fn rows_of<'n>(
        &self,
        data: &DataSource,
        name: &'n str,
        names: &mut BTreeSet<&'n str>,
    ) -> Vec<BTreeMap<&'n str, String>> {
        let column = |name: &str| {
            let slot = self.program.variables.find(name)?;
            data.columns.iter().position(|column| *column == slot)
        };
        let all = std::iter::once(name).chain(names.iter().copied());
        let of_file: Vec<(&'n str, usize)> = all.filter_map(|name| Some((name, column(name)?))).collect();
        of_file.iter().for_each(|(name, _)| _ = names.remove(name));
        let row = |row: usize| -> BTreeMap<&'n str, String> {
            of_file.iter().map(|(name, column)| (*name, data.rows.cell(row, *column).to_owned())).collect()
        };
        let rows: BTreeSet<_> = (0..data.rows.len()).map(row).collect();
        rows.into_iter().collect()
    }

    /// The values that User Parameters give a variable; `None` if one is not known.
    fn values_of_parameters(&self, name: &str) -> Option<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for parameters in self.all_of_class("UserParameters") {
            let names = parameters.list("UserParameters.names");
            let Some(at) = names.iter().position(|one| one.text() == name) else { continue };
            for values in parameters.list("UserParameters.thread_values") {
                let text = values.list().get(at).map_or("", Property::text);
                found.insert(self.fixed(&Compound::parse(text).ok()?)?);
            }
        }
        Some(found)
    }

    /// The values that ForEach Controllers give a variable; `None` if one is not known.
    fn values_of_loops(&self, name: &str) -> Option<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for controller in self.all_of_class("ForeachController") {
            if controller.text("ForeachController.returnVal").trim() != name {
                continue;
            }
            let input = controller.text("ForeachController.inputVal").trim();
            let separator =
                if controller.text("ForeachController.useSeparator") == "false" { "" } else { "_" };
            let numbered = |number: usize| self.fixed.get(&format!("{input}{separator}{number}")).cloned();
            let values: Vec<String> = (1..).map_while(numbered).collect();
            if values.is_empty() {
                return None;
            }
            found.extend(values);
        }
        Some(found)
    }

    /// All elements of a class that are enabled or that a Module Controller runs.
    pub(super) fn all_of_class(&self, class: &str) -> Vec<&'a Object> {
        fn visit<'e>(element: &'e Element, class: &str, found: &mut Vec<&'e Object>) {
            if element.object.class == class {
                found.push(&element.object);
            }
            element.children.iter().for_each(|child| visit(child, class, found));
        }
        let mut found: Vec<&'a Object> = Vec::new();
        self.trees().for_each(|tree| visit(tree, class, &mut found));
        found
    }

    /// Adds the servers that the begin of a path can name where it is rendered as a URL. Returns whether all that it can be is known.
    pub(super) fn add_servers_of_path(&mut self, object: &Object, path: &Compound) -> Option<usize> {
        let ways = self.ways(&[until_path(path)])?;
        let mut first = None;
        for [url] in ways {
            let (tls, rest) = match (url.trim().strip_prefix("https://"), url.trim().strip_prefix("http://"))
            {
                (Some(rest), _) => (true, rest),
                (None, Some(rest)) => (false, rest),
                (None, None) => continue,
            };
            let authority = rest.split(['/', '?']).next().unwrap_or_default();
            let (host, port) = authority.rsplit_once(':').unwrap_or((authority, ""));
            let protocol = if tls { "https" } else { "http" };
            let server = self.server_of(object, protocol, host, port)?;
            let number = self.count_request(object, &server)?;
            first = first.or(Some(number));
        }
        first
    }
}

/// The begin of a path up to where the path of a URL begins.
fn until_path(path: &Compound) -> Compound {
    let mut begin = Compound::default();
    let mut seen = String::new();
    for piece in &path.pieces {
        let Piece::Literal(text) = piece else {
            begin.push(piece.clone());
            seen.push('x');
            continue;
        };
        let behind = match seen.find("://") {
            Some(_) => 0,
            None if seen.is_empty() => text.find("://").map_or(0, |at| at + 3),
            None if text.starts_with("://") => 3,
            None => 0,
        };
        match text[behind..].find(['/', '?']) {
            Some(end) => {
                begin.push(Piece::Literal(text[..behind + end].to_owned()));
                return begin;
            }
            None => begin.push(piece.clone()),
        }
        seen.push_str(text);
    }
    begin
}
