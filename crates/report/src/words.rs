//! All texts of reports, in one file for each language. A text that is missing in one of them does not compile, and a test checks
//! that both languages fill in the same values.

mod en;
pub(crate) mod history;
pub(crate) mod pages;
pub(crate) mod pair;
mod zh;

use ask::question::Question;
use model::machine::GeneratorPriority;
use model::measure::Measure;
use record::outcome::Verdict;
use record::series::TrackId;
use say::Language;
use std::fmt::Display;

/// The texts of a language.
pub(crate) const fn of(lang: Language) -> &'static Words {
    match lang {
        Language::En => &en::WORDS,
        Language::Zh => &zh::WORDS,
    }
}

/// Fills a template in: `{name}` becomes the value of that name. Braces in values have no meaning.
pub(crate) fn fill(template: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut out = String::with_capacity(2 * template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        let value = values.iter().find(|(known, _)| *known == name);
        debug_assert!(value.is_some(), "`{name}` of `{template}` is not given");
        out.extend(value.map(|(_, value)| value.to_string()));
        rest = behind;
    }
    out.push_str(rest);
    out
}

macro_rules! words {
    ($($name:ident)*) => {
        /// Every text by its name; `{…}` is filled in ([`fill`]).
        pub(crate) struct Words {
            pub(crate) lang: Language,
            $(pub(crate) $name: &'static str,)*
        }

        impl Words {
            /// All texts with their names.
            pub(crate) fn all(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

words! {
    // Verdicts.
    passes fails same_within
    // Measures, loads, and how they are combined.
    service_p50 service_p99
    at_load each_start at_the_fixed_rate fixed_rate fixed_rate_together rate_from one_connection connections no_load
    too_few_starts too_wide measure_at
    // The answer.
    differences answer_pass answer_fail answer_open answer_shown answer_same answer_inconclusive answer_invalid
    overall_one_way overall_same overall_mixed overall_in_part overall_open overall_verdicts overall_part overall_with_effort
    overall_same_in overall_same_part overall_open_in overall_invalid_in
    // The circumstances of a run.
    connection_each think_time run_named list_and_last profile cpus cpus_split start_each starts_each separator minutes
    // The progress of a run.
    progress_headline progress_tail progress_tail_or progress_planned progress_at_most progress_about progress_usual progress_unlimited progress_waits progress_start progress_start_of
    progress_inspections progress_startups progress_profiles progress_step progress_left progress_left_about progress_void progress_measured progress_at progress_ended progress_stored progress_resume
    // Requirements.
    required required_heading required_of required_at required_with required_not_worse required_line measured errors
    // A comment on a pull request.
    comment_none comment_failed comment_open comment_passed comment_measures
    // The table.
    all_measures still_open jvms_differ no_further_option jdk_is compiled_by label legend legend_overall legend_intervals cap until_sure group_sequential anytime_valid gate
    ranking_none ranking times calibration false_call false_calls difference verdict measure
    // Published figures.
    the_post reference_heading reference_none reference_title standing open_title open_not_here open_nothing here arm connections_column figure
    // Settings.
    asked asked_says what_ran read_off unknown none no_jvm server protocol_handler max_threads virtual_threads max_connections accept_count jdk
    collector heap tls memory_limit cpu_limit cpus_worth limited_by generator_lag generator_cpu
    // Counts.
    times_by_load counted load requests right faults connects beside_load beside_load_says every_start every_start_says
    arm_and_measure notes to_repeat fingerprint host this_machine processor kernel round_trip link_rate host_clock fact value run not_estimable seen_needs seen_only level
    // What limited the arms.
    why why_heading why_also why_line why_marked why_try why_cpu why_cpu_arm why_cpu_next why_tried why_in_vain
    why_marked_in_vain why_not_measured
    // What limits an arm that ran alone.
    conclusion_rate conclusion_not_measured conclusion_knee conclusion_growing conclusion_limit conclusion_expected
    conclusion_no_limit conclusion_try conclusion_tried conclusion_in_vain conclusion_also steps_heading
    // The result of a search.
    found_heading found_capacity found_alone found_knee found_knee_corner found_knee_steps found_no_knee found_limiter found_no_limiter found_curve
    found_no_curve found_peak found_no_peak found_rate found_rate_beyond found_beyond found_no_beyond found_no_rate found_kept found_never
    // A single load.
    load_users load_user load_connection load_sessions step_heading step_verdicts step_group requests_counted sessions_counted steps_counted groups_counted step_title step_ended step_wrong step_longest step_first_failure
    load_closed load_open right_answers wrong_answers tls_line handshakes received generator generator_line generator_at priority_raised
    priority_at_rates priority_real_time priority_usual send_delay send_delays send_delay_p50 send_delay_p99 generator_sent
    invalid_load response_time_open service_time_open service_time_closed load_intervals worst_seen
    // Stored runs.
    history_run history_experiment history_verdicts history_at history_interrupted history_not_finished history_load history_limiter history_no_limiter history_unreadable history_against
    history_rate history_other_rates history_runs history_first history_last history_drift history_differs history_too_few history_no_change history_change
    history_changes history_changed history_confirmed history_suspected history_legend
    // A calibration.
    calibrate_truth calibrate_no_truth calibrate_took calibrate_burnt calibrate_also calibrate_twice
    calibrate_stalled calibrate_bad calibrate_stalls calibrate_garbage calibrate_bimodal calibrate_bias calibrate_measured calibrate_off
    calibrate_slowed calibrate_runs calibrate_posts calibrate_class calibrate_class_calls calibrate_bounds
    calibrate_of calibrate_false calibrate_at_most calibrate_any calibrate_promised calibrate_slower
    calibrate_at_least calibrate_faster calibrate_covered calibrate_uniform calibrate_p calibrate_takes
    calibrate_mean calibrate_invalid calibrate_post
    // Annotations and test cases for build servers.
    ci_interrupted ci_measured ci_inconclusive ci_right ci_remark ci_compared ci_not_valid ci_no_start ci_no_verdict ci_not_finished ci_required
    // Plots.
    plot_difference plot_percentiles_rate plot_percentiles_users plot_solid_response plot_dashed_service
    plot_percentiles_below plot_levels plot_levels_below plot_levels_fitted plot_rates plot_rates_below
    rate_curve_heading rate_curve_note rate_curve_late rate_curve_below
    // Where the CPU time goes.
    flame_heading flame_whole flame_method flame_package flame_mostly flame_by flame_row flame_row_mostly flame_none flame_one_start flame_says
    flame_offer flame_title flame_widths flame_width flame_cheaper flame_costlier flame_all flame_figures flame_not_shown flame_search flame_found
    flame_keys
    // The page.
    page_sure page_sure_until page_sure_overall page_stricter page_interrupted page_interrupted_early page_verdicts page_forest page_percentiles page_percentiles_says page_levels
    page_timeline page_timeline_says page_timeline_each page_timeline_script page_reset page_all_arms page_all_starts
    page_all_loads page_starts page_starts_says page_starts_more page_whole page_diagnoses page_diagnoses_says page_try
    page_evidence page_how page_seed page_made_by page_no_verdict page_curves_more
    how_question how_question_overall how_start how_interval how_verdicts how_margin how_clocks how_percentile how_closed how_trust
    // Tracks of the time line.
    track_throughput track_p50 track_p99 track_cpu track_gc track_jit track_steal track_run_queue track_accept_queue track_busy track_threads
    track_generator
}

impl Words {
    /// How to read a report, in plain words.
    /// How to read a report; its headline is one measure, or several if it is `overall`.
    pub(crate) fn how(&'static self, overall: bool) -> [&'static str; 9] {
        [
            match overall {
                true => self.how_question_overall,
                false => self.how_question,
            },
            self.how_start,
            self.how_interval,
            self.how_verdicts,
            self.how_margin,
            self.how_clocks,
            self.how_percentile,
            self.how_closed,
            self.how_trust,
        ]
    }

    /// A priority of the generator.
    pub(crate) fn generator_priority(&self, priority: GeneratorPriority) -> String {
        match priority {
            GeneratorPriority::Raised { nice } => fill(self.priority_raised, &[("nice", &nice)]),
            GeneratorPriority::RealTimeAtRates { priority, nice } => {
                fill(self.priority_at_rates, &[("priority", &priority), ("nice", &nice)])
            }
            GeneratorPriority::RealTime { priority } => {
                fill(self.priority_real_time, &[("priority", &priority)])
            }
            GeneratorPriority::Usual { nice } => fill(self.priority_usual, &[("nice", &nice)]),
        }
    }

    /// A measure's name.
    pub(crate) const fn measure(&self, measure: Measure) -> &'static str {
        measure.name(self.lang)
    }

    /// A verdict in a word.
    pub(crate) const fn verdict(&self, verdict: Verdict) -> &'static str {
        verdict.word(self.lang)
    }

    /// The name of a track of the time line, with its unit.
    pub(crate) fn track(&self, id: TrackId) -> &'static str {
        match id {
            TrackId::Throughput => self.track_throughput,
            TrackId::P50 => self.track_p50,
            TrackId::P99 => self.track_p99,
            TrackId::Cpu => self.track_cpu,
            TrackId::Gc => self.track_gc,
            TrackId::Jit => self.track_jit,
            TrackId::Steal => self.track_steal,
            TrackId::RunQueue => self.track_run_queue,
            TrackId::AcceptQueue => self.track_accept_queue,
            TrackId::Busy => self.track_busy,
            TrackId::Threads => self.track_threads,
            TrackId::Generator => self.track_generator,
        }
    }

    /// The question of an experiment, in this language if it was asked in it.
    pub(crate) fn question<'a>(&self, question: &'a Question) -> &'a str {
        question.text_in(self.lang)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    pub(super) fn holes(text: &str) -> BTreeSet<&str> {
        let behind = text.split('{').skip(1);
        behind.filter_map(|part| Some(part.split_once('}')?.0)).collect()
    }

    #[test]
    fn both_languages_say_everything_and_fill_in_the_same() {
        for ((name, english), (_, chinese)) in of(Language::En).all().into_iter().zip(of(Language::Zh).all())
        {
            assert!(!english.is_empty() && !chinese.is_empty(), "{name}");
            assert_eq!(holes(english), holes(chinese), "{name}");
        }
    }

    #[test]
    fn no_text_says_that_there_is_no_difference() {
        for (name, text) in of(Language::En).all().into_iter().chain(of(Language::Zh).all()) {
            let text = text.to_lowercase();
            let forbidden = ["no difference", "no significant", "没有差异", "无差异"];
            // One text explains that `inconclusive` does not mean this.
            let found = forbidden.iter().any(|words| text.contains(words));
            assert!(!found || name == "how_verdicts", "{name}: {text}");
        }
    }

    #[test]
    fn values_are_filled_in_and_braces_in_them_have_no_meaning() {
        assert_eq!(fill("{a} and {b}", &[("a", &"{b}"), ("b", &2)]), "{b} and 2");
        assert_eq!(fill("50 % {", &[]), "50 % {");
    }
}
