//! `[quick]`: the same question with fewer arms, levels or starts, for a first look.

use super::{Design, Experiment, Find, LoadProfile, Profile, design, find, load};
use crate::diagnostic::{Diagnostic, near_or};
use crate::node::{Node, Table};
use crate::slip::{Advice, DesignSlip, Hint, Listing, NameSlip, Owner, ShapeSlip, TableName};

/// The profile that the table describes.
pub(super) struct Quick {
    /// Names of arms; the baseline stays in any case.
    arms: Option<Vec<String>>,
    load: LoadProfile,
    design: Design,
}

/// Reads `[quick]` whichever profile is asked for, so that a mistake in it shows before it is used.
pub(super) fn read(
    node: Option<&Node>,
    names: &[&str],
    problems: &mut Vec<Diagnostic>,
    load: &LoadProfile,
    design: &Design,
) -> Option<Quick> {
    let mut table = Table::open_or_tell(node?, TableName::Key("[quick]"), problems)?;
    let mut quick = Quick {
        arms: table.read("arms", problems, |node| arms(node, names)),
        load: load.clone(),
        design: design.clone(),
    };
    if let Some(node) = table.get("load") {
        let find;
        (quick.load, find) = load::read(node, problems, quick.load, design.find);
        if let Some(http) = node.get("http") {
            problems.push(http.refuse(DesignSlip::OtherHttpInQuick).hint(Hint::LeaveOut("http")));
        }
        let kind = |find: Option<Find>| find.map(|find| find.id());
        if kind(find) != kind(design.find) {
            let problem = node.entry("find").refuse(DesignSlip::OtherFindInQuick);
            problems.push(problem.hint(Hint::WriteIn { key: "`find`".to_owned(), table: "[load]" }));
        }
        quick.design.find = find;
    }
    if let Some(node) = table.get("design") {
        if let Some(find) = quick.design.find {
            find::refuse_fixed_rate(node, find, problems);
        }
        quick.design = design::file::read(node, names, problems, quick.design);
    }
    let budget = table.read("budget", problems, design::file::duration_between(1.0, 1e6));
    quick.design.budget = budget.or(quick.design.budget);
    table.finish(problems);
    Some(quick)
}

fn arms(node: &Node, names: &[&str]) -> Result<Vec<String>, Diagnostic> {
    let name = |node: &Node| {
        let name = node.text()?;
        if names.contains(&name) {
            return Ok(name.to_owned());
        }
        let all = || names.iter().copied();
        let hint = near_or(name, all(), || Hint::listed(Listing::Arms, all()));
        Err(node.refuse(NameSlip::UnknownArm(name.to_owned())).hint(hint))
    };
    node.list()?.iter().map(name).collect()
}

/// Returns the quick profile of an experiment.
pub(super) fn apply(
    full: Experiment,
    quick: Option<Quick>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Experiment> {
    let Some(quick) = quick else {
        if problems.is_empty() {
            let slip = ShapeSlip::Lacks { owner: Owner::Experiment, key: "[quick]" };
            problems.push(Diagnostic::new(0..0, slip).hint(Advice::NoQuickFlag));
        }
        return None;
    };
    let mut experiment =
        Experiment { load: quick.load, design: quick.design, profile: Profile::Quick, ..full };
    if let Some(arms) = &quick.arms {
        experiment.keep(arms);
    }
    Some(experiment)
}
