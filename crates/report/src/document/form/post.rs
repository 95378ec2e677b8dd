//! The page about a comparison that somebody else published.

use super::{FormLayout, MARKDOWN, ReportForm, bare, headed};
use crate::document::shown_as::Diagnoses;
use crate::document::{
    answer, asked, circumstances, conclusion, counts, cpu, details, diagnoses, facts, fingerprint, forest,
    found, glance, how, interrupted, legend, load, measures, notes, open, parts, percentiles, plots_by_load,
    rate_curve, reference, repeat, request_times, required, run, session_steps, settings, standing,
    start_plots, start_ratios, step_verdicts, steps, sure, timeline, times, whole,
};

/// The page about a comparison that somebody else published (`[reference]`).
pub(crate) const POST: ReportForm = ReportForm {
    compared: POST_LAYOUT,
    alone: POST_LAYOUT,
    single: POST_LAYOUT,
    left_out: &[
        glance::ID,
        parts::ID,
        request_times::ID,
        request_times::PICTURE,
        answer::ID,
        circumstances::ID,
        measures::ID,
        legend::ID,
        required::ID,
        notes::ID,
        sure::ID,
        load::UNCOMPARED,
        load::ID,
        steps::ID,
        standing::ID,
        forest::ID,
        found::ID,
        cpu::ID,
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
        step_verdicts::ID,
        session_steps::ID,
        counts::ID,
        facts::ID,
        fingerprint::ID,
        run::ID,
    ],
    row_remarks: false,
    fold_open: true,
    diagnoses: Diagnoses::Beginnings,
    ..MARKDOWN
};

/// The layout of such a page: what answers the questions that were left open, both figures, and where limits begin; everything else is folded
/// away.
const POST_LAYOUT: FormLayout = FormLayout {
    titled: true,
    sections: &[
        headed(open::ID),
        bare(conclusion::ID),
        bare(interrupted::ID),
        headed(reference::ID),
        headed(diagnoses::ID),
        bare(details::ID),
        headed(repeat::ID),
    ],
};
