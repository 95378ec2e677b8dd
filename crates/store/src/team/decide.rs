//! Decisions of a team about changes.

use super::{Team, TeamError};
use crate::{Error, Store};
use record::decision::Decision;

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
        let facts = self.to_json(decision)?;
        let store = "INSERT INTO prony.decision (run, facts) VALUES ($1, $2) ON CONFLICT (run) DO UPDATE SET facts = $2";
        self.transaction(|transaction| transaction.execute(store, &[&decision.run, &facts])).map(|_| ())
    }

    /// Stores decisions of a machine about runs that the team has. Of two about a run the later stays. Returns how many were stored.
    ///
    /// # Errors
    ///
    /// [`TeamError::Sql`] when this role may only read.
    pub fn push_decisions(&mut self, decisions: &[Decision]) -> Result<usize, TeamError> {
        let store = "INSERT INTO prony.decision (run, facts) SELECT id, $2 FROM prony.run WHERE id = $1 \
                     ON CONFLICT (run) DO UPDATE SET facts = $2 WHERE prony.decision.facts::json->>'at' < $3";
        let all = decisions.iter().map(|decision| self.to_json(decision));
        let all = all.collect::<Result<Vec<String>, Error>>()?;
        let stored = self.transaction(|transaction| {
            let store = transaction.prepare(store)?;
            let mut stored = 0;
            for (decision, facts) in decisions.iter().zip(&all) {
                stored += transaction.execute(&store, &[&decision.run, facts, &decision.at])?;
            }
            Ok(stored)
        })?;
        Ok(usize::try_from(stored).unwrap_or(usize::MAX))
    }

    /// Stores the team's decision about a run on this machine, which has the run. Of two decisions the later one stays. Returns whether it was
    /// stored.
    pub fn pull_decision(&mut self, run: &str, store: &Store) -> Result<bool, TeamError> {
        let mut stored = false;
        for (_, facts) in self.decisions_about(&[run.to_owned()])? {
            stored = store.decide_if_later(&store.parse(run, &facts)?)?;
        }
        Ok(stored)
    }

    fn to_json(&self, decision: &Decision) -> Result<String, Error> {
        serde_json::to_string(decision).map_err(|source| Error::Json {
            path: self.at.to_string().into(),
            run: decision.run.clone(),
            source,
        })
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
        for (run, facts) in self.decisions_about(runs)? {
            store.add_decision(&run, &facts)?;
        }
        Ok(())
    }

    /// The decisions about these runs: the run of each, and the decision as JSON.
    fn decisions_about(&mut self, runs: &[String]) -> Result<Vec<(String, String)>, TeamError> {
        self.transaction(|transaction| {
            let select = "SELECT run, facts FROM prony.decision WHERE run = ANY($1)";
            let rows = transaction.query(select, &[&runs])?;
            let parts = rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
            parts.collect()
        })
    }
}
