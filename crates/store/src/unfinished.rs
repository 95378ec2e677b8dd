//! A round in which its run was interrupted: its complete levels are kept, so that a continued run measures only the rest.

use crate::{Error, Store, StoreAct};
use record::rounds::{RoundRecord, SliceRecord};
use rusqlite::params;

impl Store {
    /// The complete levels of the round in which a run was interrupted, with their slices; `None` where its last round has ended, or has no
    /// complete level.
    pub fn unfinished_round(&self, run: &str) -> Result<Option<RoundRecord>, Error> {
        let last = self.all_rounds(run)?.pop().filter(|round| round.unfinished);
        let Some(mut round) = last else {
            return Ok(None);
        };
        let slices = self.slices(run)?.into_iter();
        round.slices = slices.filter(|slice| is_kept(slice, &round)).collect();
        Ok(Some(round))
    }

    /// Removes the slices of an unfinished round that are of no complete level: these are measured again.
    pub fn drop_incomplete_levels(&self, run: &str, round: &RoundRecord) -> Result<(), Error> {
        let rows = self.sql(StoreAct::ReadSlices, |c| {
            let mut select = c.prepare("SELECT rowid, facts FROM slice WHERE run = ?1 AND round = ?2")?;
            let rows = select.query_map(params![run, round.round], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<(i64, String)>, _>>()
        })?;
        for (rowid, facts) in rows {
            if !is_kept(&self.parse(run, &facts)?, round) {
                self.sql(StoreAct::RemovePart, |c| {
                    c.execute("DELETE FROM slice WHERE rowid = ?1", params![rowid])
                })?;
            }
        }
        Ok(())
    }
}

/// Whether a slice is of a complete level of this round.
fn is_kept(slice: &SliceRecord, round: &RoundRecord) -> bool {
    slice.round == round.round && slice.rate.is_none() && round.level(slice.level).is_some()
}
