//! The pages of stored runs: the list, the report of each run, and two runs side by side. Everything is read when it is requested, so
//! the list includes runs that have just ended.

mod history;
mod list;
mod source;

use super::files;
use super::server::{Address, PageServer};
use crate::decisions::DecisionError;
use crate::failure::Failure;
use crate::run_source::RunSource;
use axum::Json;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use model::patience::Patience;
use record::outcome::Report;
use record::pair::RunPair;
use say::Language;
use source::Wanted;
use std::sync::Arc;
use store::{Store, TeamError};

/// The maximum number of runs in the list.
const MAX_LISTED: u32 = 200;

/// The maximum size of a decision with its comment, in bytes.
const MAX_DECISION: usize = 16 * 1024;

/// The pages of stored runs; they end when this is dropped.
pub(crate) struct StoredPages {
    server: PageServer,
}

/// Where the stored runs are, and who can see them.
struct StoredRuns {
    source: RunSource,
    /// Whether only this machine can connect. Runs that last are listed only then, because their page can stop them.
    is_local: bool,
}

/// Why a request cannot be answered.
enum RequestError {
    /// No stored run has this id.
    Unknown(String),
    /// The run has neither a report nor a record to compute one from.
    NoReport(String),
    /// The store of this machine cannot be read.
    Store(store::Error),
    /// The store of the team cannot be read.
    Team(TeamError),
    /// The history shows no such change, or the decision cannot be stored.
    Decision(DecisionError),
    /// The reading thread has panicked.
    ReaderFailed,
}

impl StoredPages {
    /// Starts to serve the pages of the runs of `source`.
    pub(crate) fn start(address: Address, patience: Patience, source: RunSource) -> Result<Self, Failure> {
        let router = files::routes(&files::STORED)
            .route("/api/runs", get(runs))
            .route("/api/pair/{one}/{other}", get(pair))
            .route("/api/history/{experiment}", get(history::read))
            .route("/api/decide", post(history::decide).layer(DefaultBodyLimit::max(MAX_DECISION)))
            .route("/run/{run}", get(page))
            .route("/run/{run}/report.md", get(markdown))
            .route("/run/{run}/report.json", get(json))
            .with_state(Arc::new(StoredRuns {
                source,
                is_local: address.listen.is_none_or(|listen| listen.ip().is_loopback()),
            }));
        let server = PageServer::start(address, patience, router, std::future::ready(()))?;
        Ok(Self { server })
    }

    /// Returns the URL to open in a browser.
    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }
}

/// Reads on a thread that answers no requests, so that a large report does not delay other requests.
async fn read<T: Send + 'static>(
    stored: Arc<StoredRuns>,
    wanted: Wanted,
    act: impl FnOnce(&Store) -> Result<T, RequestError> + Send + 'static,
) -> Result<T, RequestError> {
    let reading = tokio::task::spawn_blocking(move || act(&stored.source.open(&wanted)?));
    reading.await.unwrap_or(Err(RequestError::ReaderFailed))
}

/// Returns the report of the run with exactly this id. For a run that did not end, it is computed from the rounds that are stored.
fn report(store: &Store, run: &str) -> Result<Report, RequestError> {
    let entry = store.find(run)?.filter(|entry| entry.run == run);
    let entry = entry.ok_or_else(|| RequestError::Unknown(run.to_owned()))?;
    if let Some(report) = entry.report? {
        return Ok(report);
    }
    let record = store.record(run)?.ok_or_else(|| RequestError::NoReport(run.to_owned()))?;
    Ok(judge::report(&record, &store.rounds(run)?.0))
}

/// Sends the list of runs.
async fn runs(State(stored): State<Arc<StoredRuns>>) -> Result<Json<list::RunList>, RequestError> {
    let shared = Arc::clone(&stored);
    // One run more than is listed shows whether there are older ones.
    let wanted = Wanted::Newest(MAX_LISTED + 1);
    let listed = read(stored, wanted, move |store| {
        let live_folder = shared.source.folder().filter(|_| shared.is_local);
        let entries = store.runs(None, MAX_LISTED + 1)?;
        let runs = entries.iter().take(MAX_LISTED as usize);
        Ok(list::RunList {
            runs: runs.map(|entry| list::ListedRun::new(entry, live_folder)).collect(),
            more: entries.len() > MAX_LISTED as usize,
        })
    });
    Ok(Json(listed.await?))
}

/// Sends two runs side by side.
async fn pair(
    State(stored): State<Arc<StoredRuns>>,
    Path((one, other)): Path<(String, String)>,
) -> Result<Json<RunPair>, RequestError> {
    let wanted = Wanted::Runs(vec![one.clone(), other.clone()]);
    let pair =
        read(stored, wanted, move |store| Ok(judge::pair(&report(store, &one)?, &report(store, &other)?)));
    Ok(Json(pair.await?))
}

/// Returns the language in the URL (`?lang=zh`), else the language that the reader's browser prefers.
fn lang(uri: &Uri, headers: &HeaderMap) -> Language {
    let mut asked = uri.query().unwrap_or_default().split('&');
    let asked = asked.find_map(|pair| pair.strip_prefix("lang="));
    let preferred = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Language::of_locale(asked.or(preferred).unwrap_or_default())
}

/// Sends the report as a page. The page has its own policy, which names its scripts.
async fn page(
    State(stored): State<Arc<StoredRuns>>,
    Path(run): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, RequestError> {
    let lang = lang(&uri, &headers);
    let page = read(stored, Wanted::run(&run), move |store| {
        let report = report(store, &run)?;
        let series = crate::stored_run::series(store, &run)?;
        Ok(report::html::text(&report, &series, lang))
    });
    // A policy inside a page cannot forbid framing; only this header can.
    let policy = format!("{}; frame-ancestors 'none'", report::html::policy());
    Ok(([(CONTENT_SECURITY_POLICY, policy)], Html(page.await?)).into_response())
}

/// Sends the report as Markdown.
async fn markdown(
    State(stored): State<Arc<StoredRuns>>,
    Path(run): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, RequestError> {
    let lang = lang(&uri, &headers);
    let text =
        read(stored, Wanted::run(&run), move |store| Ok(report::markdown::text(&report(store, &run)?, lang)))
            .await?;
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// Sends the report as `report.json`.
async fn json(
    State(stored): State<Arc<StoredRuns>>,
    Path(run): Path<String>,
) -> Result<Response, RequestError> {
    let text = read(stored, Wanted::run(&run), move |store| Ok(report::json(&report(store, &run)?)));
    let text = text.await?;
    Ok(([(CONTENT_TYPE, "application/json")], text).into_response())
}

impl From<store::Error> for RequestError {
    fn from(error: store::Error) -> Self {
        match error {
            // Here a run is named by its whole id only.
            store::Error::Ambiguous { prefix, .. } => Self::Unknown(prefix),
            other => Self::Store(other),
        }
    }
}

impl From<TeamError> for RequestError {
    fn from(error: TeamError) -> Self {
        match error {
            TeamError::Unknown { run, .. } => Self::Unknown(run),
            other => Self::Team(other),
        }
    }
}

impl IntoResponse for RequestError {
    fn into_response(self) -> Response {
        let (status, why) = match self {
            Self::Unknown(run) => (StatusCode::NOT_FOUND, format!("there is no stored run `{run}`\n")),
            Self::NoReport(run) => {
                (StatusCode::NOT_FOUND, format!("run {run} was not finished and has no report\n"))
            }
            Self::Store(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
            Self::Team(error) => (StatusCode::BAD_GATEWAY, format!("{error}\n")),
            Self::Decision(error) => history::refusal(error),
            Self::ReaderFailed => {
                (StatusCode::INTERNAL_SERVER_ERROR, "the store could not be read\n".to_owned())
            }
        };
        (status, why).into_response()
    }
}
