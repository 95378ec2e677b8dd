//! The history of an experiment, as its page gets it, and the decisions that come from there.

use super::source::Wanted;
use super::{RequestError, StoredRuns};
use crate::decisions::{self, DecisionError, MOST_RUNS, WantedDecision, finished_reports};
use crate::stored_run::foreign_series;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use model::measure::Measure;
use record::decision::DecisionKind;
use record::history::History;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::TeamTrouble;

/// The history of an experiment.
#[derive(Serialize)]
pub(super) struct HistoryPage {
    experiment: String,
    /// The measures that decide, as they are in the newest run.
    headline: BTreeSet<Measure>,
    /// Whether this viewer may store decisions.
    may_decide: bool,
    #[serde(flatten)]
    history: History,
}

/// A decision as the page sends it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedDecision {
    experiment: String,
    run: String,
    /// Absent, it takes an earlier decision back.
    kind: Option<DecisionKind>,
    #[serde(default)]
    comment: String,
}

/// Sends the history of an experiment.
pub(super) async fn read(
    State(stored): State<Arc<StoredRuns>>,
    Path(experiment): Path<String>,
) -> Result<Json<HistoryPage>, RequestError> {
    let shared = Arc::clone(&stored);
    let wanted = Wanted::NewestOf(experiment.clone(), MOST_RUNS);
    let page = super::read(stored, wanted, move |store| {
        let reports = finished_reports(store.runs(Some(&experiment), MOST_RUNS)?);
        let decisions = store.decisions(&experiment)?;
        let found = judge::sequence(&reports, &decisions);
        let measures = found.drift.iter().map(|series| series.measure);
        let newest = reports.last();
        let decides = |measure: &Measure| newest.is_some_and(|newest| newest.design.has_headline(*measure));
        Ok(HistoryPage {
            headline: measures.filter(decides).collect(),
            may_decide: shared.source.may_decide()?,
            history: History {
                runs: Vec::new(),
                drift: found.drift,
                left_out: found.left_out,
                facts: found.facts,
                decisions,
                foreign: foreign_series(store, &experiment)?,
                gate: Some(found.gate),
            },
            experiment,
        })
    });
    Ok(Json(page.await?))
}

/// Stores a decision. That it comes from our own page was checked for every request that is no `GET`.
pub(super) async fn decide(
    State(stored): State<Arc<StoredRuns>>,
    Json(asked): Json<AskedDecision>,
) -> Result<StatusCode, RequestError> {
    let deciding = tokio::task::spawn_blocking(move || {
        let wanted = WantedDecision {
            experiment: &asked.experiment,
            run: &asked.run,
            kind: asked.kind,
            comment: &asked.comment,
        };
        decisions::decide(&stored.source, &wanted).map_err(RequestError::Decision)
    });
    deciding.await.unwrap_or(Err(RequestError::ReaderFailed))?;
    Ok(StatusCode::NO_CONTENT)
}

/// How a decision is refused.
pub(super) fn refusal(error: DecisionError) -> (StatusCode, String) {
    match error {
        DecisionError::Refused(complaint) => {
            let text = complaint.to_string();
            (StatusCode::UNPROCESSABLE_ENTITY, format!("{text}\n"))
        }
        DecisionError::Store(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
        DecisionError::Team(error) => {
            let status = match error.trouble() {
                Some(TeamTrouble::NotAllowed) => StatusCode::FORBIDDEN,
                _ => StatusCode::BAD_GATEWAY,
            };
            (status, format!("{error}\n"))
        }
    }
}
