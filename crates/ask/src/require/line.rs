//! A requirement on a single load in one line, as the command line takes it: `p95<20ms`, `errors<0.1%`, `checkout: p99<200ms`.

use super::{Requirement, Subject, absolute};
use crate::slip::{NameSlip, RequirementSlip, Slip};
use model::measure::Measure;

/// What can be required of a single load.
fn subjects() -> impl Iterator<Item = Subject> {
    let of_loads = |measure: &Measure| *measure == Measure::Throughput || measure.at_a_rate();
    Measure::ALL.into_iter().filter(of_loads).map(Subject::Measure).chain([Subject::Errors])
}

/// The name of a subject in a line: percentiles are called as in tables.
fn short(subject: Subject) -> &'static str {
    subject.measure().and_then(Measure::percentile).map_or(subject.id(), |percentile| percentile.id())
}

/// Reads a requirement on a load, or on a step of its sessions.
pub fn of_load(text: &str) -> Result<Requirement, Slip> {
    let not_one = || Slip::from(RequirementSlip::NotARequirement(text.to_owned()));
    let at = text.find(['<', '>']).ok_or_else(not_one)?;
    let (about, bound) = text.split_at(at);
    // The name of a step may have a colon, too.
    let (step, name) = match about.rsplit_once(':') {
        Some((step, name)) => (Some(step.trim().to_owned()), name.trim()),
        None => (None, about.trim()),
    };
    let known = |subject: &Subject| short(*subject) == name || subject.id() == name;
    let subject =
        subjects().find(known).ok_or_else(|| Slip::from(NameSlip::NothingToRequire(name.to_owned())))?;
    if step.is_some() && subject == Subject::Measure(Measure::Throughput) {
        return Err(RequirementSlip::ThroughputOfAStep.into());
    }
    Ok(Requirement { arm: None, step, subject, bound: absolute(subject, bound.trim())? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::require::Bound;

    #[test]
    fn a_line_names_what_it_is_about_and_its_bound() {
        let read = |text: &str| of_load(text).expect(text);
        let p95 = read("p95<20ms");
        assert_eq!((p95.subject, p95.bound), (Measure::ResponseP95.into(), Bound::Below(0.02)));
        assert_eq!(read("response_p99.9 < 1s").subject, Measure::ResponseP999.into());
        assert_eq!(read("errors<0.1%").bound, Bound::Below(0.001));
        assert_eq!(read("throughput > 1k").bound, Bound::Above(1000.0));
        let step = read("buyers: pay: p99<200ms");
        assert_eq!((step.step.as_deref(), step.subject), (Some("buyers: pay"), Measure::ResponseP99.into()));
    }

    #[test]
    fn what_cannot_be_required_is_refused() {
        let refused = |text: &str| of_load(text).expect_err(text);
        assert!(matches!(refused("p95"), Slip::Requirement(RequirementSlip::NotARequirement(_))));
        assert!(matches!(refused("p98<1s"), Slip::Name(NameSlip::NothingToRequire(_))));
        assert!(matches!(refused("startup<1s"), Slip::Name(NameSlip::NothingToRequire(_))));
        assert!(matches!(refused("p95>1s"), Slip::Requirement(RequirementSlip::LowerBound(_))));
        assert!(matches!(refused("p95<20"), Slip::Requirement(RequirementSlip::NoUnit(_))));
        assert!(matches!(
            refused("pay: throughput>5"),
            Slip::Requirement(RequirementSlip::ThroughputOfAStep)
        ));
    }
}
