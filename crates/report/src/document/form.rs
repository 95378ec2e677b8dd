//! The forms of a report: which sections each form shows, in which order, and everything else in which the forms differ, except
//! how each formats a block.
//!
//! Markdown and page show everything, each as far as it can. These are the differences, and their reasons:
//!
//! - Markdown has no plots and no script: the sections of plots are on the page only.
//! - The terminal is read right after a run. It shows what answers the question in 80 columns; configuration, counts, figures by
//!   load, the steps of a search and evidence are in the stored report. Its table of requirements would be too wide, so it has
//!   sentences.
//! - The terminal and a comment do not repeat causes and verdicts as answers to questions of the source of published figures.
//! - A comment stands among others on a pull request. It shows the answer, the requirements, all measures, the first diagnosis of
//!   each arm in a line, the notes and the command that repeats the run. Everything else is in the report that the build keeps.
//!   A single load in a comment has no answer, and so little but its notes.
//! - The page about a published comparison shows our answer, what answers the questions that its author left open, and both figures.
//!   Whatever else was measured is in the report.
//! - The page shows causes, errors and the slowest steps at a glance below the answer, then the picture of the differences. Secondary
//!   measures that are open are folded into a line there and on the page of a post. On the page, response times, ranking and calibration are unfolded
//!   by a click, because each is a long line.
//! - The page repeats a remark below the answer that it belongs to, because the table with all remarks is further down. The
//!   terminal does not say what the confidence of the intervals means, because its legend gives the level.
//! - Methods that differ in CPU time are points of a list on the terminal, because names are long. The flame graph is on the page and
//!   among the plots.
//! - An arm that ran alone has no verdicts. Its answer is a paragraph on what limits it: the last thing on the terminal, where one
//!   reads from the end, and the first in all other forms.
//! - A single load has neither verdicts nor a configuration that prony chose, so its layout leaves out what rests on these.

mod post;

use super::block::{Region, Spacing};
use super::shown_as::{CpuRows, Diagnoses, References, Requirements};
use super::{
    answer, asked, circumstances, conclusion, counts, cpu, details, diagnoses, events, facts, fingerprint,
    forest, found, glance, how, interrupted, legend, load, measures, notes, open, parts, percentiles,
    plots_by_load, rate_curve, reference, repeat, request_times, required, run, session_steps, settings,
    standing, start_plots, start_ratios, step_verdicts, steps, sure, timeline, times, whole,
};

pub(crate) use post::POST;

/// A form of the report.
pub(crate) struct ReportForm {
    /// Its layout for arms that were compared.
    pub(super) compared: FormLayout,
    /// Its layout for an arm that ran alone.
    pub(super) alone: FormLayout,
    /// Its layout for a single load.
    pub(super) single: FormLayout,
    /// Sections that are not among the [`REST`] of its layouts.
    pub(super) left_out: &'static [&'static str],
    /// Each answer about a single load is followed by the remarks on its verdict.
    pub(super) answer_remarks: bool,
    /// The circumstances end with the name of the run.
    pub(super) run_in_circumstances: bool,
    /// The remarks on an arm's verdicts are listed below its table.
    pub(super) row_remarks: bool,
    /// Secondary measures that are open are folded into a line below the table of an arm.
    pub(super) fold_open: bool,
    /// Verdicts are bold.
    pub(super) strong_verdicts: bool,
    /// How requirements are shown.
    pub(super) requirements: Requirements,
    /// The throughput of every step of a search for the capacity is listed.
    pub(super) capacity_steps: bool,
    /// How diagnoses are shown.
    pub(super) diagnoses: Diagnoses,
    /// How methods and packages are shown whose CPU time differs.
    pub(super) cpu_rows: CpuRows,
    /// Which published figures are shown.
    pub(super) reference: References,
    /// Ranking, response times and calibrations are listed with the notes.
    pub(super) standing_in_notes: bool,
    /// The settings of the experiment are preceded by an explanation.
    pub(super) asked_explained: bool,
    /// The name of the run is shown with its seed and the version of the program that made the report.
    pub(super) signed: bool,
}

/// The sections of a form, in order.
#[derive(Clone, Copy)]
pub(super) struct FormLayout {
    /// The question is the title of the document.
    pub(super) titled: bool,
    pub(super) sections: &'static [ShownSection],
}

/// A section in a form.
#[derive(Clone, Copy)]
pub(super) struct ShownSection {
    /// The section's name, or [`REST`].
    pub(super) id: &'static str,
    /// How its heading is shown.
    pub(super) heading: Heading,
    /// The part of the form in which it is shown.
    pub(super) region: Region,
    /// How a terminal separates it from other sections.
    pub(super) spacing: Spacing,
}

/// How the heading of a section is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Heading {
    /// It is not shown, and the section continues the one before.
    None,
    /// It is shown above the section.
    Section,
    /// It is shown as a heading within the section before.
    Subsection,
    /// The section is a folded part of the one before, and its heading is the line that unfolds it.
    Fold,
}

/// The place in a layout at which every section follows that the layout does not name and the form does not leave out, in the
/// order of [`super::SECTIONS`].
pub(super) const REST: &str = "";

/// At most 80 columns of text.
pub(crate) const TERMINAL: ReportForm = ReportForm {
    compared: FormLayout {
        titled: true,
        sections: &[
            bare(circumstances::ID),
            bare(measures::ID).indented(),
            bare(required::ID).line_after().indented(),
            bare(legend::ID).line_after(),
            bare(answer::ID),
            bare(sure::ID),
            bare(interrupted::ID),
            bare(standing::ID),
            bare(notes::ID),
            bare(found::ID).line_before(),
            headed(diagnoses::ID).indented(),
            headed(request_times::ID).indented(),
            headed(cpu::ID).indented(),
            bare(reference::ID).line_before().indented(),
            headed(REST).indented(),
        ],
    },
    alone: FormLayout {
        titled: true,
        sections: &[
            bare(circumstances::ID),
            bare(steps::ID).line_before(),
            bare(required::ID).line_before().indented(),
            bare(interrupted::ID).line_before(),
            bare(found::ID).line_before(),
            bare(notes::ID),
            headed(diagnoses::ID).indented(),
            headed(request_times::ID).indented(),
            bare(conclusion::ID).line_before(),
        ],
    },
    single: FormLayout {
        titled: false,
        sections: &[bare(load::ID), bare(required::ID).line_before(), bare(interrupted::ID)],
    },
    left_out: &[
        glance::ID,
        request_times::PICTURE,
        forest::ID,
        events::ID,
        parts::ID,
        percentiles::ID,
        plots_by_load::ID,
        rate_curve::ID,
        timeline::ID,
        start_plots::ID,
        whole::ID,
        how::ID,
        settings::ID,
        asked::ID,
        start_ratios::ID,
        times::ID,
        session_steps::ID,
        counts::ID,
        facts::ID,
        open::ID,
        details::ID,
        repeat::ID,
        fingerprint::ID,
        run::ID,
    ],
    answer_remarks: false,
    run_in_circumstances: false,
    row_remarks: true,
    fold_open: false,
    strong_verdicts: false,
    requirements: Requirements::Sentences,
    capacity_steps: false,
    diagnoses: Diagnoses::Sentences,
    cpu_rows: CpuRows::Points,
    reference: References::MeasuredHere,
    standing_in_notes: false,
    asked_explained: false,
    signed: false,
};

/// `report.md`.
pub(crate) const MARKDOWN: ReportForm = ReportForm {
    compared: FormLayout {
        titled: true,
        sections: &[
            bare(answer::ID),
            bare(sure::ID),
            bare(interrupted::ID),
            bare(circumstances::ID),
            bare(required::ID),
            bare(measures::ID),
            bare(legend::ID),
            bare(standing::ID),
            headed(found::ID),
            headed(diagnoses::ID),
            headed(request_times::ID),
            headed(cpu::ID),
            headed(open::ID),
            headed(reference::ID),
            headed(settings::ID),
            headed(start_ratios::ID),
            headed(rate_curve::ID),
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
    alone: FormLayout {
        titled: true,
        sections: &[
            bare(conclusion::ID),
            bare(interrupted::ID),
            bare(circumstances::ID),
            bare(required::ID),
            headed(steps::ID),
            headed(found::ID),
            headed(diagnoses::ID),
            headed(request_times::ID),
            headed(settings::ID),
            headed(events::ID),
            headed(parts::ID),
            headed(counts::ID),
            headed(facts::ID),
            headed(notes::ID),
            headed(repeat::ID),
            folded(asked::ID),
            folded(fingerprint::ID),
        ],
    },
    single: FormLayout {
        titled: true,
        sections: &[
            bare(interrupted::ID),
            bare(required::ID),
            bare(load::ID),
            headed(session_steps::ID),
            headed(found::ID),
            headed(diagnoses::ID),
            headed(events::ID),
            headed(parts::ID),
            headed(request_times::ID),
            headed(reference::ID),
            headed(repeat::ID),
            folded(asked::ID),
            folded(fingerprint::ID),
        ],
    },
    left_out: &[
        glance::ID,
        request_times::PICTURE,
        forest::ID,
        percentiles::ID,
        plots_by_load::ID,
        timeline::ID,
        start_plots::ID,
        whole::ID,
        details::ID,
        run::ID,
    ],
    answer_remarks: false,
    run_in_circumstances: true,
    row_remarks: true,
    fold_open: false,
    strong_verdicts: true,
    requirements: Requirements::Table,
    capacity_steps: true,
    diagnoses: Diagnoses::Points,
    cpu_rows: CpuRows::Tables,
    reference: References::All,
    standing_in_notes: false,
    asked_explained: false,
    signed: false,
};

/// `report.html`.
pub(crate) const PAGE: ReportForm = ReportForm {
    compared: FormLayout {
        titled: true,
        sections: &[
            bare(answer::ID).at(Region::Top),
            bare(interrupted::ID).at(Region::Top),
            bare(circumstances::ID).at(Region::Top),
            headed(glance::ID),
            bare(sure::ID),
            headed(forest::ID),
            headed(measures::ID),
            bare(legend::ID),
            folded(standing::ID),
            headed(required::ID),
            headed(found::ID),
            headed(diagnoses::ID),
            headed(request_times::PICTURE),
            bare(request_times::ID),
            headed(cpu::ID),
            headed(notes::ID),
            headed(events::ID),
            headed(parts::ID),
            headed(percentiles::ID),
            headed(plots_by_load::ID),
            folded(rate_curve::ID),
            headed(timeline::ID),
            headed(start_plots::ID),
            folded(start_ratios::ID),
            headed(whole::ID),
            headed(open::ID),
            headed(reference::ID),
            headed(how::ID),
            headed(settings::ID),
            folded(asked::ID),
            subheaded(times::ID),
            subheaded(counts::ID),
            subheaded(facts::ID),
            headed(REST),
            headed(repeat::ID),
            folded(fingerprint::ID),
            bare(run::ID).at(Region::End),
        ],
    },
    alone: FormLayout {
        titled: true,
        sections: &[
            bare(conclusion::ID).at(Region::Top),
            bare(circumstances::ID).at(Region::Top),
            bare(interrupted::ID).at(Region::Top),
            headed(glance::ID),
            headed(steps::ID),
            headed(required::ID),
            headed(found::ID),
            headed(diagnoses::ID),
            headed(request_times::PICTURE),
            bare(request_times::ID),
            headed(notes::ID),
            headed(events::ID),
            headed(parts::ID),
            headed(percentiles::ID),
            headed(plots_by_load::ID),
            headed(timeline::ID),
            headed(settings::ID),
            folded(asked::ID),
            subheaded(counts::ID),
            subheaded(facts::ID),
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
            bare(load::UNCOMPARED).at(Region::Top),
            headed(glance::ID),
            headed(required::ID),
            bare(load::ID),
            headed(session_steps::ID),
            headed(found::ID),
            headed(diagnoses::ID),
            headed(events::ID),
            headed(parts::ID),
            headed(request_times::PICTURE),
            bare(request_times::ID),
            headed(percentiles::ID),
            headed(timeline::ID),
            headed(reference::ID),
            headed(repeat::ID),
            folded(asked::ID),
            folded(fingerprint::ID),
            bare(run::ID).at(Region::End),
        ],
    },
    left_out: &[details::ID],
    answer_remarks: true,
    run_in_circumstances: false,
    row_remarks: true,
    fold_open: true,
    strong_verdicts: false,
    requirements: Requirements::TableWithVerdictHeading,
    capacity_steps: true,
    diagnoses: Diagnoses::Cards,
    cpu_rows: CpuRows::Tables,
    reference: References::All,
    standing_in_notes: false,
    asked_explained: true,
    signed: true,
};

/// `comment.md`.
pub(crate) const COMMENT: ReportForm = ReportForm {
    compared: COMMENT_LAYOUT,
    alone: COMMENT_LAYOUT,
    single: COMMENT_LAYOUT,
    left_out: &[
        glance::ID,
        events::ID,
        parts::ID,
        request_times::ID,
        request_times::PICTURE,
        circumstances::ID,
        sure::ID,
        load::UNCOMPARED,
        load::ID,
        steps::ID,
        legend::ID,
        standing::ID,
        forest::ID,
        found::ID,
        percentiles::ID,
        plots_by_load::ID,
        rate_curve::ID,
        timeline::ID,
        start_plots::ID,
        whole::ID,
        open::ID,
        reference::ID,
        details::ID,
        how::ID,
        settings::ID,
        asked::ID,
        start_ratios::ID,
        times::ID,
        step_verdicts::ID,
        session_steps::ID,
        counts::ID,
        facts::ID,
        fingerprint::ID,
    ],
    answer_remarks: false,
    run_in_circumstances: false,
    row_remarks: false,
    fold_open: false,
    strong_verdicts: false,
    requirements: Requirements::Table,
    capacity_steps: false,
    diagnoses: Diagnoses::FirstOfEachArm,
    cpu_rows: CpuRows::Tables,
    reference: References::All,
    standing_in_notes: true,
    asked_explained: false,
    signed: false,
};

/// The layout of a comment, for compared arms, an arm alone and a single load.
const COMMENT_LAYOUT: FormLayout = FormLayout {
    titled: true,
    sections: &[
        bare(answer::ID).at(Region::Top),
        bare(conclusion::ID).at(Region::Top),
        bare(interrupted::ID).at(Region::Top),
        bare(required::ID).at(Region::Top),
        bare(diagnoses::ID),
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

const fn shown(id: &'static str, heading: Heading) -> ShownSection {
    let spacing = Spacing {
        // Without an empty line above it, a heading would not stand out.
        line_before: matches!(heading, Heading::Section),
        line_after: false,
        list_indent: 0,
    };
    ShownSection { id, heading, region: Region::Body, spacing }
}

/// Shows a section without its heading.
const fn bare(id: &'static str) -> ShownSection {
    shown(id, Heading::None)
}

/// Shows a section below its heading.
const fn headed(id: &'static str) -> ShownSection {
    shown(id, Heading::Section)
}

/// Shows a section as a part of the one before, below a heading.
const fn subheaded(id: &'static str) -> ShownSection {
    shown(id, Heading::Subsection)
}

/// Shows a section as a folded part of the one before.
const fn folded(id: &'static str) -> ShownSection {
    shown(id, Heading::Fold)
}

impl ShownSection {
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
