//! The forms of a report: which sections each shows, in which order, and everything else in which the forms differ. There
//! is no other place where they do, but for how each writes a block.

use super::block::{Region, Spacing};
use super::{
    answer, asked, circumstances, counts, diagnoses, facts, fingerprint, forest, found, how, interrupted,
    legend, load, measures, notes, percentiles, plots_by_load, reference, repeat, required, run, settings,
    standing, start_plots, start_ratios, sure, timeline, times, whole,
};

/// A form of the report.
pub(crate) struct Form {
    /// What it shows of arms that were compared.
    pub(super) compared: FormLayout,
    /// What it shows of a single load.
    pub(super) single: FormLayout,
    /// Sections that it does not show, although it shows all that it does not know ([`REST`]).
    pub(super) left_out: &'static [&'static str],
    /// Each answer is followed by what it leaves open, if it speaks of one load.
    pub(super) answer_remarks: bool,
    /// The circumstances end with the name of the run.
    pub(super) run_in_circumstances: bool,
    /// The remarks of an arm's verdicts are listed below its table.
    pub(super) row_remarks: bool,
    /// Verdicts are set in bold letters.
    pub(super) strong_verdicts: bool,
    /// How requirements are shown.
    pub(super) requirements: Requirements,
    /// The throughput of every step of a search for the capacity is listed.
    pub(super) capacity_steps: bool,
    /// How diagnoses are shown.
    pub(super) diagnoses: Diagnoses,
    /// Which figures of somebody else are shown.
    pub(super) reference: References,
    /// The ranking and what else holds for all verdicts is listed with the notes.
    pub(super) standing_in_notes: bool,
    /// What was asked is preceded by how to read it.
    pub(super) asked_explained: bool,
    /// The name of the run stands with its seed and the version of the program that made the report.
    pub(super) signed: bool,
}

/// How requirements are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirements {
    /// Arm by arm in sentences.
    Sentences,
    /// As a table.
    Table,
    /// As a table that has a heading above the verdicts too.
    TableWithVerdictHeading,
}

/// How diagnoses are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Diagnoses {
    /// A sentence and what to try, without the evidence.
    Sentences,
    /// A point of a list with its evidence in brackets.
    Points,
    /// A card with its evidence as a table.
    Cards,
}

/// Which figures of somebody else are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum References {
    /// Those that were measured here too, with arm and load in front of each.
    MeasuredHere,
    /// All of them, arm and load in columns of their own.
    All,
}

/// Sections in order.
#[derive(Clone, Copy)]
pub(super) struct FormLayout {
    /// The question stands above all.
    pub(super) titled: bool,
    /// The sections.
    pub(super) sections: &'static [Shown],
}

/// A section in a form.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    /// The section's name, or [`REST`].
    pub(super) id: &'static str,
    /// What becomes of its heading.
    pub(super) heading: Heading,
    /// Where it stands in a form that is divided.
    pub(super) region: Region,
    /// How a terminal sets it apart.
    pub(super) spacing: Spacing,
}

/// What becomes of the heading of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Heading {
    /// It is left out: the section continues the one before.
    None,
    /// It stands above the section.
    Section,
    /// It is a heading within the section before.
    Subsection,
    /// The section is folded away below it, and continues the one before.
    Fold,
}

/// Where a form shows every section that its list does not name and that it does not leave out, in the order of
/// [`super::SECTIONS`].
pub(super) const REST: &str = "";

/// At most 80 columns of text.
pub(crate) const TERMINAL: Form = Form {
    compared: FormLayout {
        titled: true,
        sections: &[
            bare(circumstances::ID),
            bare(measures::ID).indented(),
            bare(required::ID).line_after().indented(),
            bare(legend::ID).line_after(),
            bare(answer::ID),
            bare(standing::ID),
            bare(notes::ID),
            bare(found::ID).line_before(),
            headed(diagnoses::ID).indented(),
            bare(reference::ID).line_before().indented(),
            headed(REST).indented(),
        ],
    },
    single: FormLayout {
        titled: false,
        sections: &[bare(load::ID)],
    },
    left_out: &[
        sure::ID,
        interrupted::ID,
        forest::ID,
        percentiles::ID,
        plots_by_load::ID,
        timeline::ID,
        start_plots::ID,
        whole::ID,
        how::ID,
        settings::ID,
        asked::ID,
        start_ratios::ID,
        times::ID,
        counts::ID,
        facts::ID,
        repeat::ID,
        fingerprint::ID,
        run::ID,
    ],
    answer_remarks: false,
    run_in_circumstances: false,
    row_remarks: true,
    strong_verdicts: false,
    requirements: Requirements::Sentences,
    capacity_steps: false,
    diagnoses: Diagnoses::Sentences,
    reference: References::MeasuredHere,
    standing_in_notes: false,
    asked_explained: false,
    signed: false,
};

/// `report.md`.
pub(crate) const MARKDOWN: Form = Form {
    compared: FormLayout {
        titled: true,
        sections: &[
            bare(answer::ID),
            bare(sure::ID),
            bare(circumstances::ID),
            bare(required::ID),
            bare(measures::ID),
            bare(legend::ID),
            bare(standing::ID),
            headed(found::ID),
            headed(diagnoses::ID),
            headed(reference::ID),
            headed(settings::ID),
            headed(start_ratios::ID),
            headed(times::ID),
            headed(counts::ID),
            headed(facts::ID),
            headed(REST),
            headed(notes::ID),
            folded(how::ID),
            headed(repeat::ID),
            folded(asked::ID),
            folded(fingerprint::ID),
        ],
    },
    single: FormLayout {
        titled: true,
        sections: &[
            bare(load::ID),
            headed(repeat::ID),
            folded(asked::ID),
            folded(fingerprint::ID),
        ],
    },
    left_out: &[
        interrupted::ID,
        forest::ID,
        percentiles::ID,
        plots_by_load::ID,
        timeline::ID,
        start_plots::ID,
        whole::ID,
        run::ID,
    ],
    answer_remarks: false,
    run_in_circumstances: true,
    row_remarks: true,
    strong_verdicts: true,
    requirements: Requirements::Table,
    capacity_steps: true,
    diagnoses: Diagnoses::Points,
    reference: References::All,
    standing_in_notes: false,
    asked_explained: false,
    signed: false,
};

/// `report.html`.
pub(crate) const PAGE: Form = Form {
    compared: FormLayout {
        titled: true,
        sections: &[
            bare(answer::ID).at(Region::Top),
            bare(circumstances::ID).at(Region::Top),
            bare(sure::ID).at(Region::Top),
            bare(interrupted::ID).at(Region::Top),
            headed(measures::ID),
            bare(legend::ID),
            bare(standing::ID),
            headed(required::ID),
            headed(forest::ID),
            headed(found::ID),
            headed(diagnoses::ID),
            headed(notes::ID),
            headed(percentiles::ID),
            headed(plots_by_load::ID),
            headed(timeline::ID),
            headed(start_plots::ID),
            headed(whole::ID),
            headed(reference::ID),
            headed(how::ID),
            headed(settings::ID),
            folded(asked::ID),
            subheaded(counts::ID),
            subheaded(facts::ID),
            headed(REST),
            headed(repeat::ID),
            folded(fingerprint::ID),
            bare(run::ID).at(Region::End),
        ],
    },
    single: FormLayout {
        titled: true,
        sections: &[
            bare(circumstances::ID).at(Region::Top),
            bare(interrupted::ID).at(Region::Top),
            bare(load::UNCOMPARED),
            bare(load::ID),
            headed(found::ID),
            headed(diagnoses::ID),
            headed(percentiles::ID),
            headed(timeline::ID),
            headed(reference::ID),
            headed(repeat::ID),
            folded(fingerprint::ID),
            bare(run::ID).at(Region::End),
        ],
    },
    left_out: &[start_ratios::ID, times::ID],
    answer_remarks: true,
    run_in_circumstances: false,
    row_remarks: true,
    strong_verdicts: false,
    requirements: Requirements::TableWithVerdictHeading,
    capacity_steps: false,
    diagnoses: Diagnoses::Cards,
    reference: References::All,
    standing_in_notes: false,
    asked_explained: true,
    signed: true,
};

/// `comment.md`.
pub(crate) const COMMENT: Form = Form {
    compared: COMMENT_LAYOUT,
    single: COMMENT_LAYOUT,
    left_out: &[
        circumstances::ID,
        sure::ID,
        interrupted::ID,
        load::UNCOMPARED,
        load::ID,
        legend::ID,
        standing::ID,
        forest::ID,
        found::ID,
        diagnoses::ID,
        percentiles::ID,
        plots_by_load::ID,
        timeline::ID,
        start_plots::ID,
        whole::ID,
        reference::ID,
        how::ID,
        settings::ID,
        asked::ID,
        start_ratios::ID,
        times::ID,
        counts::ID,
        facts::ID,
        fingerprint::ID,
    ],
    answer_remarks: false,
    run_in_circumstances: false,
    row_remarks: false,
    strong_verdicts: false,
    requirements: Requirements::Table,
    capacity_steps: false,
    diagnoses: Diagnoses::Points,
    reference: References::All,
    standing_in_notes: true,
    asked_explained: false,
    signed: false,
};

/// What a comment shows, of a single load too.
const COMMENT_LAYOUT: FormLayout = FormLayout {
    titled: true,
    sections: &[
        bare(answer::ID).at(Region::Top),
        bare(required::ID).at(Region::Top),
        bare(measures::ID),
        bare(notes::ID),
        headed(REST),
        bare(repeat::ID),
        bare(run::ID),
    ],
};

impl FormLayout {
    /// Whether the list names this section.
    pub(super) fn names(&self, id: &str) -> bool {
        self.sections.iter().any(|shown| shown.id == id)
    }
}

const fn shown(id: &'static str, heading: Heading) -> Shown {
    let spacing = Spacing {
        // A heading without an empty line above it is not seen.
        line_before: matches!(heading, Heading::Section),
        line_after: false,
        list_indent: 0,
    };
    Shown {
        id,
        heading,
        region: Region::Body,
        spacing,
    }
}

/// A section without its heading.
const fn bare(id: &'static str) -> Shown {
    shown(id, Heading::None)
}

/// A section below its heading.
const fn headed(id: &'static str) -> Shown {
    shown(id, Heading::Section)
}

/// A section as a part of the one before, below a heading.
const fn subheaded(id: &'static str) -> Shown {
    shown(id, Heading::Subsection)
}

/// A section as a folded part of the one before.
const fn folded(id: &'static str) -> Shown {
    shown(id, Heading::Fold)
}

impl Shown {
    const fn at(mut self, region: Region) -> Self {
        self.region = region;
        self
    }

    const fn line_before(mut self) -> Self {
        self.spacing.line_before = true;
        self
    }

    const fn line_after(mut self) -> Self {
        self.spacing.line_after = true;
        self
    }

    const fn indented(mut self) -> Self {
        self.spacing.list_indent = 2;
        self
    }
}
