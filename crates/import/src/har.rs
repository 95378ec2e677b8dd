//! Reads HTTP Archives (HAR 1.2), as browsers export them.

use crate::address::{Address, NoAddress, decoded, encoded, form_encoded};
use crate::exchange::{Answer, Exchange, SentBody, header};
use crate::multipart::{self, SentPart};
use crate::remark::{Obstacle, Place, Unsupported};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
struct Archive {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default, deserialize_with = "or_nothing")]
    started_date_time: String,
    /// Milliseconds.
    #[serde(default)]
    time: Option<f64>,
    request: Request,
    #[serde(default)]
    response: Option<Response>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default, deserialize_with = "or_nothing")]
    headers: Vec<Pair>,
    #[serde(default, deserialize_with = "or_nothing")]
    query_string: Vec<Pair>,
    #[serde(default, deserialize_with = "or_nothing")]
    cookies: Vec<Pair>,
    #[serde(default)]
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default, deserialize_with = "or_nothing")]
    status: i64,
    #[serde(default, deserialize_with = "or_nothing")]
    headers: Vec<Pair>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default, rename = "redirectURL", deserialize_with = "or_nothing")]
    redirect_url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    #[serde(default, deserialize_with = "or_nothing")]
    mime_type: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostData {
    #[serde(default, deserialize_with = "or_nothing")]
    mime_type: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default, deserialize_with = "or_nothing")]
    params: Vec<Param>,
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    #[serde(default, deserialize_with = "or_nothing")]
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Param {
    name: String,
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    file_name: Option<String>,
    #[serde(default)]
    content_type: Option<String>,
}

/// Reads a value that some programs write as null where there is none.
fn or_nothing<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads the requests of an archive, and what is not supported in it.
///
/// # Errors
///
/// What keeps it from being read at all.
pub(crate) fn exchanges(text: &str) -> Result<(Vec<Exchange>, Vec<Obstacle>), Obstacle> {
    let archive: Archive = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
        Obstacle::new(Place::line(error.line()), Unsupported::Unreadable(error.to_string()))
    })?;
    let mut exchanges = Vec::new();
    let mut obstacles = Vec::new();
    for (index, entry) in archive.log.entries.into_iter().enumerate() {
        let place = Place::Entry(index + 1);
        let what = match Address::parse(&entry.request.url) {
            Ok(url) => {
                exchanges.push(exchange(place, url, entry));
                continue;
            }
            Err(NoAddress::Scheme(scheme)) if scheme == "ws" || scheme == "wss" => {
                Unsupported::Scheme(scheme)
            }
            // What a page has in itself was never sent.
            Err(NoAddress::Scheme(_)) => continue,
            Err(NoAddress::Host) => Unsupported::NoAddress(entry.request.url),
        };
        obstacles.push(Obstacle::new(Some(place), what));
    }
    Ok((exchanges, obstacles))
}

fn exchange(place: Place, mut url: Address, entry: Entry) -> Exchange {
    let pairs = |pairs: Vec<Pair>| pairs.into_iter().map(|pair| (pair.name, pair.value)).collect();
    let begun = entry.started_date_time.parse::<jiff::Timestamp>();
    let begun = begun.map_or(0.0, |at| at.as_nanosecond() as f64 / 1e9);
    let request = entry.request;
    let mut headers: Vec<(String, String)> = pairs(request.headers);
    if !url.path.contains('?') && !request.query_string.is_empty() {
        let query = written_pairs(pairs(request.query_string), encoded);
        url.path = format!("{}?{query}", url.path);
    }
    if header(&headers, "Cookie").is_none() && !request.cookies.is_empty() {
        let cookies = request.cookies.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value));
        headers.push(("Cookie".to_owned(), cookies.collect::<Vec<_>>().join("; ")));
    }
    let mut body = SentBody::Nothing;
    if let Some(data) = request.post_data {
        if header(&headers, "Content-Type").is_none() && !data.mime_type.is_empty() {
            headers.push(("Content-Type".to_owned(), data.mime_type.clone()));
        }
        body = sent_body(data);
    }
    let answer = entry.response.filter(|response| response.status > 0).map(|response| {
        let mut headers: Vec<(String, String)> = pairs(response.headers);
        let mut add = |name: &str, value: &str| {
            if header(&headers, name).is_none() && !value.is_empty() {
                headers.push((name.to_owned(), value.to_owned()));
            }
        };
        add("Location", &response.redirect_url);
        if let Some(content) = &response.content {
            add("Content-Type", &content.mime_type);
        }
        Answer {
            status: u16::try_from(response.status).unwrap_or_default(),
            headers,
            body: response.content.and_then(text_of),
        }
    });
    Exchange {
        place,
        method: request.method.to_ascii_uppercase(),
        url,
        headers,
        body,
        answer,
        begun,
        ended: begun + entry.time.unwrap_or_default().max(0.0) / 1e3,
    }
}

/// Returns the body of an answer, where it is a text.
fn text_of(content: Content) -> Option<String> {
    let text = content.text?;
    match content.encoding.as_deref() {
        Some("base64") => String::from_utf8(BASE64_STANDARD.decode(text).ok()?).ok(),
        _ => Some(text),
    }
}

fn sent_body(data: PostData) -> SentBody {
    let is_multipart = data.mime_type.to_ascii_lowercase().starts_with("multipart/");
    let text = data.text.filter(|text| !text.is_empty());
    // Where the text has no parts, the list of parameters has them.
    let text = text.filter(|text| {
        data.params.is_empty() || !is_multipart || multipart::parts(&data.mime_type, text).is_some()
    });
    match (text, data.params.is_empty()) {
        (Some(text), _) if data.encoding.as_deref() == Some("base64") => {
            let text = BASE64_STANDARD.decode(text).ok();
            let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
            text.map_or(SentBody::Binary, SentBody::Text)
        }
        (Some(text), _) => SentBody::Text(text),
        (None, false) if is_multipart => {
            let part = |param: Param| SentPart {
                name: param.name,
                file_name: param.file_name,
                path: None,
                media_type: param.content_type.filter(|kind| !kind.is_empty()),
                content: param.value.unwrap_or_default(),
            };
            SentBody::Parts(data.params.into_iter().map(part).collect())
        }
        (None, false) => {
            let params = data.params.into_iter();
            let fields = params.map(|param| (param.name, param.value.unwrap_or_default())).collect();
            SentBody::Text(written_pairs(fields, form_encoded))
        }
        (None, true) => SentBody::Nothing,
    }
}

/// Writes parameters as they were sent. Some browsers list them encoded, and others decoded: they are encoded where none has a character that
/// would have been encoded.
fn written_pairs(pairs: Vec<(String, String)>, encode: fn(&str) -> String) -> String {
    let is_sent = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~*+%!'();:@,/?$[]".contains(&byte);
    let is_encoded = |text: &str| text.bytes().all(is_sent) && encode(&decoded(text, true)) != encode(text);
    let are_plain = pairs.iter().any(|(_, value)| !value.bytes().all(is_sent));
    let write = |text: &str| match !are_plain && text.contains('%') && is_encoded(text) {
        true => text.to_owned(),
        false => encode(text),
    };
    let written = pairs.iter().map(|(name, value)| format!("{}={}", write(name), write(value)));
    written.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(request: &str) -> Exchange {
        let text = format!(r#"{{"log": {{"entries": [{{"request": {request}}}]}}}}"#);
        let (mut exchanges, obstacles) = exchanges(&text).expect("an archive");
        assert_eq!(obstacles, []);
        exchanges.remove(0)
    }

    fn with_params(mime_type: &str, params: &str) -> SentBody {
        let data = format!(r#"{{"mimeType": "{mime_type}", "params": [{params}]}}"#);
        one(&format!(r#"{{"method": "POST", "url": "http://h/", "postData": {data}}}"#)).body
    }

    #[test]
    fn parameters_are_encoded_once() {
        let form = |params| with_params("application/x-www-form-urlencoded", params);
        let text = |text: &str| SentBody::Text(text.to_owned());
        let decoded = r#"{"name": "a", "value": "50% of x y"}, {"name": "b", "value": "a%20b"}"#;
        assert_eq!(form(decoded), text("a=50%25+of+x+y&b=a%2520b"));
        assert_eq!(
            form(r#"{"name": "a", "value": "x%20y"}, {"name": "b", "value": "1"}"#),
            text("a=x%20y&b=1")
        );
        assert_eq!(form(r#"{"name": "a", "value": "a+b"}"#), text("a=a%2Bb"));
    }

    #[test]
    fn parameters_of_a_multipart_form_are_its_parts() {
        let params =
            r#"{"name": "a", "value": "1"}, {"name": "f", "fileName": "c.png", "contentType": "image/png"}"#;
        let SentBody::Parts(parts) = with_params("multipart/form-data; boundary=x", params) else {
            panic!("no parts");
        };
        assert_eq!((parts[0].content.as_str(), parts[1].file_name.as_deref()), ("1", Some("c.png")));
        assert_eq!(parts[1].media_type.as_deref(), Some("image/png"));
    }

    #[test]
    fn null_is_nothing() {
        let text = r#"{"log": {"entries": [{"startedDateTime": null, "time": null, "request": {"method": "GET", "url": "http://h/", "headers": null,
            "queryString": [{"name": "q", "value": null}], "cookies": null, "postData": null}, "response": {"status": null,
            "headers": null, "content": {"mimeType": null, "text": null, "encoding": null}, "redirectURL": null}}]}}"#;
        let (exchanges, obstacles) = exchanges(text).expect("an archive");
        assert_eq!((exchanges.len(), obstacles), (1, Vec::new()));
        assert_eq!(exchanges[0].url.path, "/?q=");
    }

    #[test]
    fn query_and_cookies_may_stand_apart() {
        let exchange =
            one(r#"{"method": "get", "url": "http://h/a", "queryString": [{"name": "q", "value": "x y"}],
            "cookies": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]}"#);
        assert_eq!((exchange.method.as_str(), exchange.url.path.as_str()), ("GET", "/a?q=x%20y"));
        assert_eq!(header(&exchange.headers, "Cookie"), Some("a=1; b=2"));
    }
}
