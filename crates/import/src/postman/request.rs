//! Requests of a collection.

use super::{media_type, text};
use crate::address::{Address, NoAddress, encoded, encoded_but};
use crate::exchange::{SentBody, header};
use crate::marks::first_variable;
use crate::multipart::SentPart;
use crate::names::Names;
use crate::remark::Unsupported;
use serde_json::Value as Json;

/// A request as Postman sends it.
pub(super) struct Read {
    pub(super) method: String,
    pub(super) origin: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: SentBody,
    pub(super) auth: Auth,
}

/// How a request authenticates itself, beside its headers.
pub(super) enum Auth {
    Nothing,
    Basic(String, String),
    Bearer(String),
}

/// Characters of a query and of a path that stay as they are; all others are encoded.
const OF_QUERY: &[u8] = b"-._~!$()*+,/:;=?@[\\]^`{|}%";
const OF_PATH: &[u8] = b"-._~!$&'()*+,/:;=@[\\]^|%";

/// The methods without a body, unless a request says otherwise.
const BODILESS: [&str; 5] = ["GET", "HEAD", "COPY", "PURGE", "UNLOCK"];

/// Reads a request; `auth` is how those authenticate themselves that do not say it.
///
/// # Errors
///
/// What prony cannot send.
pub(super) fn read(
    node: &Json,
    auth: Option<&Json>,
    keeps_body: bool,
    names: &mut Names,
) -> Result<Read, Unsupported> {
    // A request may be its address alone.
    let method = node.get("method").map(text).unwrap_or_default().to_ascii_uppercase();
    let method = if method.is_empty() { "GET".to_owned() } else { method };
    let mut headers = headers(node.get("header"), names)?;
    let url = node.get("url").unwrap_or(node);
    let (mut address, mut query) = address(url, names)?;
    let own = node.get("auth").filter(|auth| !auth.is_null());
    let auth = auth_of(own.or(auth), names, &mut headers, &mut query)?;
    let is_pruned = !keeps_body && BODILESS.contains(&method.as_str());
    let (body, content_type) = match node.get("body").filter(|body| !is_pruned && !body.is_null()) {
        Some(body) => self::body(body, names)?,
        None => (SentBody::Nothing, None),
    };
    if let (Some(kind), None) = (content_type, header(&headers, "Content-Type")) {
        headers.push(("Content-Type".to_owned(), kind));
    }
    if !query.is_empty() {
        let separator = if address.path.contains('?') { '&' } else { '?' };
        address.path.push(separator);
        address.path.push_str(&query.join("&"));
    }
    let origin = address.origin();
    Ok(Read { method, origin, path: address.path, headers, body, auth })
}

/// The entries of a list that are not switched off.
fn enabled(list: Option<&Json>) -> impl Iterator<Item = &Json> {
    let entries = list.and_then(Json::as_array).into_iter().flatten();
    entries.filter(|entry| entry.get("disabled") != Some(&Json::Bool(true)))
}

fn field(entry: &Json, key: &str, names: &mut Names) -> Result<String, Unsupported> {
    names.resolved(&entry.get(key).map(text).unwrap_or_default())
}

/// Reads the headers. Of several with one name, Postman sends the last.
fn headers(list: Option<&Json>, names: &mut Names) -> Result<Vec<(String, String)>, Unsupported> {
    let mut headers: Vec<(String, String)> = Vec::new();
    if let Some(Json::String(lines)) = list {
        for (name, value) in lines.lines().filter_map(|line| line.split_once(':')) {
            headers.push((name.trim().to_owned(), names.resolved(value.trim())?));
        }
    }
    for entry in enabled(list) {
        let (name, value) = (field(entry, "key", names)?, field(entry, "value", names)?);
        if !name.is_empty() {
            headers.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
            headers.push((name, value));
        }
    }
    Ok(headers)
}

/// Reads an address. The query is apart where the collection lists it.
fn address(url: &Json, names: &mut Names) -> Result<(Address, Vec<String>), Unsupported> {
    let parts = |key: &str, joint: &str| match url.get(key)? {
        Json::Array(parts) => {
            let part = |part: &Json| text(part.get("value").unwrap_or(part));
            Some(parts.iter().map(part).collect::<Vec<_>>().join(joint))
        }
        Json::String(text) => Some(text.trim_start_matches('/').to_owned()),
        _ => None,
    };
    let mut query = Vec::new();
    for entry in enabled(url.get("query")) {
        let name = encoded_but(&field(entry, "key", names)?, OF_QUERY);
        query.push(match entry.get("value").filter(|value| !value.is_null()) {
            Some(value) => format!("{name}={}", encoded_but(&names.resolved(&text(value))?, OF_QUERY)),
            None => name,
        });
    }
    let raw = match (parts("host", "."), url) {
        (Some(host), _) if !host.is_empty() => {
            let scheme = url.get("protocol").map(text).filter(|scheme| !scheme.is_empty());
            let scheme = scheme.map(|scheme| format!("{scheme}://")).unwrap_or_default();
            let port = url.get("port").map(text).filter(|port| !port.is_empty());
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            format!("{scheme}{host}{port}/{}", parts("path", "/").unwrap_or_default())
        }
        (_, Json::String(raw)) => raw.clone(),
        _ => {
            let raw = url.get("raw").map(text).unwrap_or_default();
            if query.is_empty() { raw } else { raw.split('?').next().unwrap_or_default().to_owned() }
        }
    };
    let raw = with_path_variables(&raw, url, names)?;
    let resolved = names.resolved(&raw)?;
    let (path, raw_query) = match resolved.split_once('?') {
        Some((path, raw_query)) => (path.to_owned(), Some(raw_query.to_owned())),
        None => (resolved, None),
    };
    let mut address = Address::parse(&path).map_err(|why| match why {
        NoAddress::Scheme(scheme) => Unsupported::Scheme(scheme),
        NoAddress::Host => Unsupported::NoAddress(raw.clone()),
    })?;
    if let Some(expression) = first_variable(&address.host) {
        let name = expression.strip_prefix("env('").and_then(|rest| rest.strip_suffix("')"));
        return Err(Unsupported::ServerVariable(name.unwrap_or(expression).to_owned()));
    }
    address.path = encoded_but(&address.path, OF_PATH);
    if let Some(raw_query) = raw_query {
        address.path =
            format!("{}?{}", address.path, encoded_but(&raw_query, b"-._~!$&()*+,/:;=?@[\\]^`{|}%"));
    }
    Ok((address, query))
}

/// Puts the values of `:id` into a path.
fn with_path_variables(raw: &str, url: &Json, names: &mut Names) -> Result<String, Unsupported> {
    let mut values = Vec::new();
    for variable in enabled(url.get("variable")) {
        let name = variable.get("key").or_else(|| variable.get("id")).map(text).unwrap_or_default();
        values.push((name, field(variable, "value", names)?));
    }
    let value = |part: &str| {
        let name = part.strip_prefix(':')?;
        let (_, value) = values.iter().find(|(known, value)| known == name && !value.is_empty())?;
        Some(encoded_but(value, b"-._~!$&'()*+,:;=@[\\]^|%"))
    };
    let (path, query) = raw.split_at(raw.find('?').unwrap_or(raw.len()));
    let parts = path.split('/').map(|part| value(part).unwrap_or_else(|| part.to_owned()));
    Ok(format!("{}{query}", parts.collect::<Vec<_>>().join("/")))
}

/// Reads how a request authenticates itself; a key becomes a header or a part of the query.
fn auth_of(
    auth: Option<&Json>,
    names: &mut Names,
    headers: &mut Vec<(String, String)>,
    query: &mut Vec<String>,
) -> Result<Auth, Unsupported> {
    let Some(auth) = auth else {
        return Ok(Auth::Nothing);
    };
    let kind = auth.get("type").map(text).unwrap_or_default();
    let mut value = |key: &str| {
        let details = auth.get(&kind);
        let found = match details {
            Some(Json::Array(list)) => {
                list.iter().find(|entry| entry.get("key").map(text).as_deref() == Some(key))
            }
            _ => None,
        };
        let found = found.and_then(|entry| entry.get("value")).or_else(|| details?.get(key));
        names.resolved(&found.map(text).unwrap_or_default())
    };
    match kind.as_str() {
        "noauth" | "" => Ok(Auth::Nothing),
        "basic" => Ok(Auth::Basic(value("username")?, value("password")?)),
        "bearer" => Ok(Auth::Bearer(value("token")?)),
        "oauth2" if !value("accessToken")?.is_empty() => Ok(Auth::Bearer(value("accessToken")?)),
        "apikey" => {
            let (key, secret) = (value("key")?, value("value")?);
            match value("in")?.as_str() {
                "query" => {
                    query.push(format!("{}={}", encoded_but(&key, OF_QUERY), encoded_but(&secret, OF_QUERY)))
                }
                _ => headers.push((key, secret)),
            }
            Ok(Auth::Nothing)
        }
        kind => Err(Unsupported::Authorization(kind.to_owned())),
    }
}

/// Reads a body, and tells the media type that goes with it.
fn body(body: &Json, names: &mut Names) -> Result<(SentBody, Option<String>), Unsupported> {
    let mode = body.get("mode").map(text).unwrap_or_default();
    let own = body.get(&mode);
    match mode.as_str() {
        "raw" => {
            let raw = names.resolved(&own.map(text).unwrap_or_default())?;
            if raw.is_empty() {
                return Ok((SentBody::Nothing, None));
            }
            let kind = match body.pointer("/options/raw/language").map(text).as_deref() {
                Some("json") => "application/json",
                Some("xml") => "application/xml",
                Some("html") => "text/html",
                Some("javascript") => "application/javascript",
                _ => "text/plain",
            };
            Ok((SentBody::Text(raw), Some(kind.to_owned())))
        }
        "urlencoded" => {
            let mut pairs = Vec::new();
            for entry in enabled(own) {
                let (name, value) = (field(entry, "key", names)?, field(entry, "value", names)?);
                pairs.push(format!("{}={}", encoded(&name), encoded(&value)));
            }
            Ok((SentBody::Text(pairs.join("&")), Some(crate::request::FORM.to_owned())))
        }
        "formdata" => {
            let mut parts = Vec::new();
            for entry in enabled(own) {
                parts.extend(self::parts(entry, names)?);
            }
            Ok((SentBody::Parts(parts), None))
        }
        "graphql" => {
            let query =
                names.resolved(&own.and_then(|own| own.get("query")).map(text).unwrap_or_default())?;
            let variables = own.and_then(|own| own.get("variables")).map(text).unwrap_or_default();
            let variables =
                if variables.trim().is_empty() { "{}".to_owned() } else { names.resolved(&variables)? };
            let operation =
                own.and_then(|own| own.get("operationName")).map(text).filter(|name| !name.is_empty());
            let operation = operation.map(|name| format!("\"operationName\":{},", Json::String(name)));
            let text = format!(
                "{{{}\"query\":{},\"variables\":{variables}}}",
                operation.unwrap_or_default(),
                Json::String(query)
            );
            Ok((SentBody::Text(text), Some("application/json".to_owned())))
        }
        "file" => {
            let path = own.and_then(|file| file.get("src")).map(text).filter(|path| !path.is_empty());
            let path = path.ok_or_else(|| Unsupported::NamelessFile("body".to_owned()))?;
            let kind = media_type::of(&path).to_owned();
            Ok((SentBody::File { path, joins_lines: false }, Some(kind)))
        }
        _ => Ok((SentBody::Nothing, None)),
    }
}

/// Reads a field of a form, which may be several files.
fn parts(entry: &Json, names: &mut Names) -> Result<Vec<SentPart>, Unsupported> {
    let name = field(entry, "key", names)?;
    let media_type = entry.get("contentType").map(text).filter(|kind| !kind.is_empty());
    let part = SentPart { name: name.clone(), media_type, ..SentPart::default() };
    if entry.get("type").map(text).as_deref() != Some("file") {
        return Ok(vec![SentPart { content: field(entry, "value", names)?, ..part }]);
    }
    let files: Vec<String> = match entry.get("src") {
        Some(Json::Array(files)) => files.iter().map(text).collect(),
        file => file.map(text).into_iter().filter(|file| !file.is_empty()).collect(),
    };
    if files.is_empty() {
        return Err(Unsupported::NamelessFile(name));
    }
    let file = |path: String| SentPart {
        file_name: path.rsplit(['/', '\\']).next().map(str::to_owned),
        media_type: part.media_type.clone().or_else(|| Some(media_type::of(&path).to_owned())),
        path: Some(path),
        ..part.clone()
    };
    Ok(files.into_iter().map(file).collect())
}
