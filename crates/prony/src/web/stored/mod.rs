//! Stored runs in the browser: the list of them, each one's report, two side by side. Everything is read when it is asked
//! for, so a run that ends shows up by itself.

mod list;
mod pair;

use super::files;
use super::server::{Address, Server};
use crate::failure::Failure;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use model::outcome::Report;
use report::Lang;
use std::path::PathBuf;
use std::sync::Arc;
use store::Store;

/// Runs that are listed, the newest first.
const LISTED: u32 = 200;

/// The pages of stored runs; they end when this is dropped.
pub(crate) struct Stored {
    server: Server,
}

/// Where the stored runs are, and who sees them.
struct Place {
    folder: PathBuf,
    /// Only who is on this machine: a run under way is shown to them alone, for its page can end it.
    here: bool,
}

type Shared = Arc<Place>;

/// Why a request has no answer.
enum Trouble {
    /// No stored run is called so.
    Unknown(String),
    /// Stored by an early prony that was killed: there is nothing to compute a report from.
    Nothing(String),
    Store(store::Error),
    /// The thread that was to read ended.
    Lost,
}

impl Stored {
    /// Opens the pages of the runs in `folder`.
    pub(crate) fn start(address: Address, folder: PathBuf) -> Result<Self, Failure> {
        let router = files::routes(&files::STORED)
            .route("/api/runs", get(runs))
            .route("/api/pair/{one}/{other}", get(two))
            .route("/run/{run}", get(shown))
            .route("/run/{run}/report.md", get(markdown))
            .route("/run/{run}/report.json", get(json))
            .with_state(Arc::new(Place {
                folder,
                here: address.listen.is_none_or(|listen| listen.ip().is_loopback()),
            }));
        let server = Server::start(address, router, std::future::ready(()))?;
        Ok(Self { server })
    }

    /// What to type into a browser.
    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }
}

/// Reads beside the thread that answers, so that a large report keeps nobody waiting.
async fn read<T: Send + 'static>(
    place: Shared,
    act: impl FnOnce(&Store) -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    let reading = tokio::task::spawn_blocking(move || act(&Store::open(&place.folder)?));
    reading.await.unwrap_or(Err(Trouble::Lost))
}

/// The report of the run of exactly this id; of one that did not end, what can be said so far.
fn report(store: &Store, run: &str) -> Result<Report, Trouble> {
    let found = store.find(run)?.filter(|entry| entry.run == run);
    let entry = found.ok_or_else(|| Trouble::Unknown(run.to_owned()))?;
    if let Some(report) = entry.report? {
        return Ok(report);
    }
    let record = store
        .record(run)?
        .ok_or_else(|| Trouble::Nothing(run.to_owned()))?;
    Ok(judge::report(&record, &store.rounds(run)?.0))
}

async fn runs(State(place): State<Shared>) -> Result<Json<list::Listed>, Trouble> {
    let shared = Arc::clone(&place);
    let listed = read(place, move |store| {
        // One more tells whether there are more.
        let entries = store.runs(None, LISTED + 1)?;
        let runs = entries.iter().take(LISTED as usize);
        Ok(list::Listed {
            runs: runs
                .map(|entry| list::Line::of(entry, shared.here.then_some(&shared.folder)))
                .collect(),
            more: entries.len() > LISTED as usize,
        })
    });
    Ok(Json(listed.await?))
}

async fn two(
    State(place): State<Shared>,
    Path((one, other)): Path<(String, String)>,
) -> Result<Json<pair::Pair>, Trouble> {
    let pair = read(place, move |store| {
        Ok(pair::Pair::of(&report(store, &one)?, &report(store, &other)?))
    });
    Ok(Json(pair.await?))
}

/// The language of the address (`?lang=zh`), else the one that the reader's browser prefers.
fn lang(uri: &Uri, headers: &HeaderMap) -> Lang {
    let mut asked = uri.query().unwrap_or_default().split('&');
    let asked = asked.find_map(|pair| pair.strip_prefix("lang="));
    let preferred = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Lang::of_locale(asked.or(preferred).unwrap_or_default())
}

/// The report as a page; it brings a policy that names its own scripts.
async fn shown(
    State(place): State<Shared>,
    Path(run): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Trouble> {
    let lang = lang(&uri, &headers);
    let page = read(place, move |store| {
        let report = report(store, &run)?;
        let series = crate::cmd::report::series(store, &run)?;
        Ok(report::html::text(&report, &series, lang))
    });
    // A page cannot itself forbid to be framed.
    let policy = format!("{}; frame-ancestors 'none'", report::html::policy());
    Ok(([(CONTENT_SECURITY_POLICY, policy)], Html(page.await?)).into_response())
}

async fn markdown(
    State(place): State<Shared>,
    Path(run): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Trouble> {
    let lang = lang(&uri, &headers);
    let text = read(place, move |store| {
        Ok(report::markdown::text(&report(store, &run)?, lang))
    })
    .await?;
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

async fn json(State(place): State<Shared>, Path(run): Path<String>) -> Result<Response, Trouble> {
    let text = read(place, move |store| Ok(report::json(&report(store, &run)?))).await?;
    Ok(([(CONTENT_TYPE, "application/json")], text).into_response())
}

impl From<store::Error> for Trouble {
    fn from(error: store::Error) -> Self {
        match error {
            // Only a whole id is the name of a run here.
            store::Error::Ambiguous { prefix, .. } => Self::Unknown(prefix),
            other => Self::Store(other),
        }
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let (status, why) = match self {
            Self::Unknown(run) => (
                StatusCode::NOT_FOUND,
                format!("no stored run is called `{run}`\n"),
            ),
            Self::Nothing(run) => (
                StatusCode::NOT_FOUND,
                format!("run {run} was not finished, and has no report\n"),
            ),
            Self::Store(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
            Self::Lost => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "the store could not be read\n".to_owned(),
            ),
        };
        (status, why).into_response()
    }
}
