//! [`Note`]: what a reader has to know before trusting a report.

mod arm;
mod run;

pub use arm::{ArmNote, LeftOut, TunedValue, Unavailable, Untried};
pub use run::{Forecast, Part, PlanAnswer, PriorChange, RunNote, Steadier};
use traffic::load_note::LoadNote;

use say::Say;
use serde::{Deserialize, Serialize};

/// What a reader has to know about a run before trusting its figures.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Note {
    /// About its starts.
    #[say(transparent)]
    Run(RunNote),
    /// About single arms.
    #[say(transparent)]
    Arm(ArmNote),
    /// About what a diagnosis suggests, and was not tried.
    #[say(transparent)]
    Untried(Untried),
    /// About the load.
    #[say(transparent)]
    Load(LoadNote),
}

impl From<RunNote> for Note {
    fn from(note: RunNote) -> Self {
        Self::Run(note)
    }
}

impl From<ArmNote> for Note {
    fn from(note: ArmNote) -> Self {
        Self::Arm(note)
    }
}

impl From<Untried> for Note {
    fn from(note: Untried) -> Self {
        Self::Untried(note)
    }
}

impl From<LoadNote> for Note {
    fn from(note: LoadNote) -> Self {
        Self::Load(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::reason::Reason;

    #[test]
    fn a_note_is_read_back_as_it_was_written_whatever_its_group() {
        let notes: [Note; 4] = [
            RunNote::NotCounted { start: 3, part: Part::Level { users: 8 }, reason: Reason::NoValue }.into(),
            RunNote::SlicesRepeated { repeated: 1, all: 40 }.into(),
            ArmNote::RequirementWithoutArm { arm: "nine".to_owned() }.into(),
            LoadNote::FellBehind.into(),
        ];
        let json = serde_json::to_string(&notes).expect("JSON");
        assert!(
            json.contains(r#"{"code":"slices-repeated","values":{"repeated":1,"all":40}}"#)
                && json.contains(r#"{"code":"fell-behind"}"#),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<[Note; 4]>(&json).expect("notes"), notes);
    }
}
