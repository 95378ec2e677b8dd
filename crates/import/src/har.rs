//! Reads HTTP Archives (HAR 1.2), as browsers export them.

use crate::address::{Address, NoAddress};
use crate::exchange::{Answer, Exchange, SentBody, header};
use crate::remark::{Obstacle, Place, Unsupported};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

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
    #[serde(default)]
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
    #[serde(default)]
    headers: Vec<Pair>,
    #[serde(default)]
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default)]
    status: i64,
    #[serde(default)]
    headers: Vec<Pair>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default, rename = "redirectURL")]
    redirect_url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    #[serde(default)]
    mime_type: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostData {
    #[serde(default)]
    mime_type: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    params: Vec<Param>,
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    #[serde(default)]
    value: String,
}

#[derive(Deserialize)]
struct Param {
    name: String,
    #[serde(default)]
    value: Option<String>,
}

/// Reads the requests of an archive, and what is not supported in it.
///
/// # Errors
///
/// What keeps it from being read at all.
pub(crate) fn exchanges(text: &str) -> Result<(Vec<Exchange>, Vec<Obstacle>), Obstacle> {
    let archive: Archive =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| Obstacle {
            place: (error.line() > 0).then_some(Place::Line(error.line())),
            what: Unsupported::Unreadable(error.to_string()),
        })?;
    let mut exchanges = Vec::new();
    let mut obstacles = Vec::new();
    for (index, entry) in archive.log.entries.into_iter().enumerate() {
        let place = Place::Entry(index + 1);
        match Address::parse(&entry.request.url) {
            Ok(url) => exchanges.push(exchange(place, url, entry)),
            // What a page has in itself was never sent.
            Err(NoAddress::Scheme(scheme)) if scheme != "ws" && scheme != "wss" => {}
            Err(NoAddress::Scheme(scheme)) => {
                obstacles.push(Obstacle { place: Some(place), what: Unsupported::Scheme(scheme) })
            }
            Err(NoAddress::Host) => obstacles
                .push(Obstacle { place: Some(place), what: Unsupported::NoAddress(entry.request.url) }),
        }
    }
    Ok((exchanges, obstacles))
}

fn exchange(place: Place, url: Address, entry: Entry) -> Exchange {
    let pairs = |pairs: Vec<Pair>| pairs.into_iter().map(|pair| (pair.name, pair.value)).collect();
    let begun = entry.started_date_time.parse::<jiff::Timestamp>();
    let begun = begun.map_or(0.0, |at| at.as_nanosecond() as f64 / 1e9);
    let mut headers: Vec<(String, String)> = pairs(entry.request.headers);
    let body = match entry.request.post_data {
        Some(data) => {
            if header(&headers, "Content-Type").is_none() && !data.mime_type.is_empty() {
                headers.push(("Content-Type".to_owned(), data.mime_type.clone()));
            }
            sent_body(data)
        }
        None => SentBody::Nothing,
    };
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
        method: entry.request.method.to_ascii_uppercase(),
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
    match (data.text.filter(|text| !text.is_empty()), data.params.is_empty()) {
        (Some(text), _) if data.encoding.as_deref() == Some("base64") => {
            let text = BASE64_STANDARD.decode(text).ok();
            let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
            text.map_or(SentBody::Binary, SentBody::Text)
        }
        (Some(text), _) => SentBody::Text(text),
        (None, false) => {
            let fields = data.params.into_iter();
            SentBody::Fields(fields.map(|param| (param.name, param.value.unwrap_or_default())).collect())
        }
        (None, true) => SentBody::Nothing,
    }
}
