//! [`Past`]: the runs before this night, here and in the team's store.

use crate::decisions::{MOST_RUNS, finished_reports};
use crate::failure::Failure;
use crate::home::Home;
use crate::message;
use crate::stored_run::host_facts;
use crate::team::{self, TeamLine};
use crate::user_config::UserConfig;
use model::machine;
use record::decision::Decision;
use record::outcome::Report;
use say::Language;
use std::collections::{BTreeMap, BTreeSet};
use store::{Store, Team, TeamAccess, TeamAddress, TeamError};

/// The stored runs of this machine and of its team.
pub(super) struct Past {
    store: Store,
    team: Option<TeamAddress>,
    /// The class of this machine.
    class: String,
}

/// What is stored of an experiment, here and by the team.
pub(super) struct PastNights {
    /// The reports of the runs that ended on machines of this class, oldest first.
    pub(super) reports: Vec<Report>,
    /// What was decided about changes; of two decisions about a run, the later one.
    pub(super) decisions: Vec<Decision>,
}

impl Past {
    /// Opens the store of this machine.
    pub(super) fn open() -> Result<Self, Failure> {
        let home = Home::find()?;
        Ok(Self {
            store: Store::open(&home.data)?,
            team: UserConfig::read(&home)?.store,
            class: machine::class(&host_facts()),
        })
    }

    /// The newest run of an experiment on this machine.
    pub(super) fn newest_here(&self, experiment: &str) -> Result<Option<String>, Failure> {
        Ok(self.store.runs(Some(experiment), 1)?.pop().map(|entry| entry.run))
    }

    /// What is stored of an experiment. A store of the team that cannot be used adds nothing: that is told when a run cannot be pushed.
    pub(super) fn of(&self, experiment: &str) -> Result<PastNights, Failure> {
        let of_team = self.of_team(experiment);
        Ok(PastNights {
            reports: self.reports(experiment, of_team.as_ref())?,
            decisions: self.decisions(experiment, of_team.as_ref())?,
        })
    }

    fn reports(&self, experiment: &str, of_team: Option<&Store>) -> Result<Vec<Report>, Failure> {
        let mut entries = self.store.runs(Some(experiment), MOST_RUNS)?;
        let known: BTreeSet<String> = entries.iter().map(|entry| entry.run.clone()).collect();
        let of_team = of_team.and_then(|listing| listing.runs(Some(experiment), MOST_RUNS).ok());
        let of_team = of_team.unwrap_or_default();
        entries.extend(of_team.into_iter().filter(|entry| !known.contains(&entry.run)));
        // Ids begin with the time, and the newest run comes first.
        entries.sort_by(|one, other| other.run.cmp(&one.run));
        let mut reports = finished_reports(entries);
        reports.retain(|report| machine::class(&report.fingerprint) == self.class);
        Ok(reports)
    }

    fn decisions(&self, experiment: &str, of_team: Option<&Store>) -> Result<Vec<Decision>, Failure> {
        let here = self.store.decisions(experiment)?;
        let of_team = of_team.and_then(|listing| listing.decisions(experiment).ok());
        let mut all: BTreeMap<String, Decision> = BTreeMap::new();
        for decision in here.into_iter().chain(of_team.unwrap_or_default()) {
            match all.get(&decision.run) {
                Some(known) if known.at >= decision.at => {}
                _ => drop(all.insert(decision.run.clone(), decision)),
            }
        }
        Ok(all.into_values().collect())
    }

    /// The team's runs of an experiment, without their rounds.
    fn of_team(&self, experiment: &str) -> Option<Store> {
        let mut team = Team::open(self.team.as_ref()?, TeamAccess::Read).ok()?;
        team.listing(Some(experiment), MOST_RUNS).ok()
    }

    /// Pushes what earlier nights could not push. Where that fails, it is told, and the next night tries again.
    pub(super) fn push_what_is_missing(&self, lang: Language) {
        if let Some(Err(error)) = self.team.as_ref().map(|at| self.push_missing(at, lang)) {
            message::tell(&TeamLine::NotPushed { error: &error }, lang);
        }
    }

    fn push_missing(&self, at: &TeamAddress, lang: Language) -> Result<(), TeamError> {
        let mut team = Team::open(at, TeamAccess::Write)?;
        team::push_missing(&mut team, &self.store, lang).map(|_| ())
    }
}
