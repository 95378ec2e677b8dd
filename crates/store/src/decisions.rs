//! What was decided about changes in the history of an experiment. `prony push` and `prony pull` send
//! decisions along with runs; of two decisions about a run the later stays.

use crate::{Error, Store, StoreAct};
use record::decision::Decision;
use rusqlite::{OptionalExtension, params};

impl Store {
    /// What was decided about changes of an experiment, the oldest run first.
    pub fn decisions(&self, experiment: &str) -> Result<Vec<Decision>, Error> {
        self.read_decisions(Some(experiment))
    }

    /// All decisions of this store, the oldest run first.
    pub fn all_decisions(&self) -> Result<Vec<Decision>, Error> {
        self.read_decisions(None)
    }

    /// The decisions about one experiment or all (`None`), the oldest run first.
    fn read_decisions(&self, experiment: Option<&str>) -> Result<Vec<Decision>, Error> {
        let rows = self.sql(StoreAct::ReadDecisions, |c| {
            let mut select = c.prepare(
                "SELECT run, decision.facts FROM decision JOIN run ON run.id = decision.run \
                 WHERE ?1 IS NULL OR experiment = ?1 ORDER BY run",
            )?;
            let rows = select.query_map(params![experiment], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<(String, String)>, _>>()
        })?;
        rows.iter().map(|(run, facts)| self.parse(run, facts)).collect()
    }

    /// What was decided about the change that begins with a run.
    pub fn decision(&self, run: &str) -> Result<Option<Decision>, Error> {
        let select = "SELECT facts FROM decision WHERE run = ?1";
        let facts = self.sql(StoreAct::ReadDecisions, |c| {
            let found = c.query_row(select, params![run], |row| row.get::<_, String>(0));
            found.optional()
        })?;
        facts.map(|facts| self.parse(run, &facts)).transpose()
    }

    /// Stores what was decided about the change that begins with a stored run; it replaces an earlier decision.
    pub fn decide(&self, decision: &Decision) -> Result<(), Error> {
        let facts = self.to_json(&decision.run, decision)?;
        self.add_decision(&decision.run, &facts)
    }

    /// Stores a decision that was made elsewhere, unless this store has one about the same run that is as late or later. Returns whether it was
    /// stored.
    pub(crate) fn decide_if_later(&self, decision: &Decision) -> Result<bool, Error> {
        let known = self.decision(&decision.run)?;
        let is_later = known.is_none_or(|known| known.at < decision.at);
        if is_later {
            self.decide(decision)?;
        }
        Ok(is_later)
    }

    /// Stores a decision as a row.
    pub(crate) fn add_decision(&self, run: &str, facts: &str) -> Result<(), Error> {
        self.sql(StoreAct::StoreDecision, |c| {
            c.execute("INSERT OR REPLACE INTO decision (run, facts) VALUES (?1, ?2)", params![run, facts])
        })?;
        Ok(())
    }

    /// Removes what was decided about the change that begins with a run. Returns whether there was a decision.
    pub fn withdraw(&self, run: &str) -> Result<bool, Error> {
        let removed = self.sql(StoreAct::StoreDecision, |c| {
            c.execute("DELETE FROM decision WHERE run = ?1", params![run])
        })?;
        Ok(removed > 0)
    }
}
