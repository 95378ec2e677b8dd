//! Decisions of a team about changes.

use super::{Team, TeamError};
use crate::{Error, Store};
use model::decision::Decision;

impl Team {
    /// Whether the role of this connection may store decisions.
    pub fn may_decide(&mut self) -> Result<bool, TeamError> {
        self.transaction(|transaction| {
            let asked =
                "SELECT bool_and(has_table_privilege('prony.decision', what)) FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) what";
            transaction.query_one(asked, &[])?.try_get(0)
        })
    }

    /// Stores what was decided about the change that begins with a run of the team; it replaces an earlier decision.
    ///
    /// # Errors
    ///
    /// [`TeamError::Sql`] when this role may only read.
    pub fn decide(&mut self, decision: &Decision) -> Result<(), TeamError> {
        let facts = serde_json::to_string(decision).map_err(|source| Error::Json {
            path: self.at.to_string().into(),
            run: decision.run.clone(),
            source,
        })?;
        let store = "INSERT INTO prony.decision (run, facts) VALUES ($1, $2) ON CONFLICT (run) DO UPDATE SET facts = $2";
        self.transaction(|transaction| transaction.execute(store, &[&decision.run, &facts]))
            .map(|_| ())
    }

    /// Removes what was decided about the change that begins with a run. Returns whether there was a decision.
    ///
    /// # Errors
    ///
    /// [`TeamError::Sql`] when this role may only read.
    pub fn withdraw(&mut self, run: &str) -> Result<bool, TeamError> {
        let remove = "DELETE FROM prony.decision WHERE run = $1";
        let removed = self.transaction(|transaction| transaction.execute(remove, &[&run]))?;
        Ok(removed > 0)
    }

    /// Copies the decisions about these runs into a store that has the runs.
    pub(super) fn copy_decisions(&mut self, runs: &[String], store: &Store) -> Result<(), TeamError> {
        let rows = self.transaction(|transaction| {
            let select = "SELECT run, facts FROM prony.decision WHERE run = ANY($1)";
            let rows = transaction.query(select, &[&runs])?;
            let parts = rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
            parts.collect::<Result<Vec<(String, String)>, postgres::Error>>()
        })?;
        for (run, facts) in rows {
            store.add_decision(&run, &facts)?;
        }
        Ok(())
    }
}
