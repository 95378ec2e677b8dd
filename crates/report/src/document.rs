//! A report as a document: sections of paragraphs, tables and figures, in the reader's language. Every table is assembled
//! here once; `terminal`, `markdown`, `html` and `comment` only format the document.
//!
//! To add a section, add a module with its name (`ID`) and its content (`section`), and a line in [`SECTIONS`]. Every form
//! then shows it where its list in [`form`] says [`form::REST`]; the list may also name the section to put it elsewhere, or
//! leave it out.

mod answer;
mod asked;
mod block;
mod by_arm;
mod circumstances;
mod conclusion;
mod counts;
mod cpu;
mod details;
mod diagnoses;
mod events;
mod facts;
mod fingerprint;
mod forest;
mod form;
mod found;
mod glance;
mod how;
mod interrupted;
mod legend;
mod load;
mod machines;
mod measures;
mod notes;
mod open;
mod overall;
mod pair;
mod parts;
mod percentiles;
mod plots_by_load;
mod post_page;
mod published;
mod rate_curve;
mod reference;
mod repeat;
mod request_times;
mod required;
mod run;
mod session_steps;
mod settings;
mod shown_as;
mod standing;
mod start_plots;
mod start_ratios;
mod step_verdicts;
mod steps;
mod sure;
mod timeline;
mod times;
mod whole;

pub(crate) use answer::answers;
pub(crate) use block::{
    AnswerSentence, ColumnKind, ContentBlock, Document, Fold, List, ListItem, Region, Section, TableBlock,
    TablePart, Text, TextMark, Tone,
};
pub(crate) use circumstances::circumstances;
pub(crate) use form::{COMMENT, MARKDOWN, PAGE, ReportForm, TERMINAL};
pub(crate) use overall::sentences as overall_sentences;
pub(crate) use pair::pair_document;
pub(crate) use post_page::post_document;
pub(crate) use standing::standing;

use form::{FormLayout, Heading, REST, ShownSection};
use record::outcome::Report;
use record::series::Series;
use say::{Language, Say, text};

/// Every section that a report can have.
const SECTIONS: &[KnownSection] = &[
    entry(answer::ID, answer::section),
    entry(conclusion::ID, conclusion::section),
    entry(glance::ID, glance::section),
    entry(circumstances::ID, circumstances::section),
    entry(sure::ID, sure::section),
    entry(interrupted::ID, interrupted::section),
    entry(load::UNCOMPARED, load::uncompared),
    entry(load::ID, load::section),
    entry(steps::ID, steps::section),
    entry(required::ID, required::section),
    entry(measures::ID, measures::section),
    entry(legend::ID, legend::section),
    entry(step_verdicts::ID, step_verdicts::section),
    entry(standing::ID, standing::section),
    entry(forest::ID, forest::section),
    entry(found::ID, found::section),
    entry(diagnoses::ID, diagnoses::section),
    entry(request_times::PICTURE, request_times::picture),
    entry(request_times::ID, request_times::section),
    entry(cpu::ID, cpu::section),
    entry(notes::ID, notes::section),
    entry(events::ID, events::section),
    entry(parts::ID, parts::section),
    entry(percentiles::ID, percentiles::section),
    entry(plots_by_load::ID, plots_by_load::section),
    entry(rate_curve::ID, rate_curve::section),
    entry(timeline::ID, timeline::section),
    entry(start_plots::ID, start_plots::section),
    entry(whole::ID, whole::section),
    entry(open::ID, open::section),
    entry(reference::ID, reference::section),
    entry(details::ID, details::section),
    entry(how::ID, how::section),
    entry(settings::ID, settings::section),
    entry(asked::ID, asked::section),
    entry(start_ratios::ID, start_ratios::section),
    entry(times::ID, times::section),
    entry(session_steps::ID, session_steps::section),
    entry(counts::ID, counts::section),
    entry(facts::ID, facts::section),
    entry(repeat::ID, repeat::section),
    entry(fingerprint::ID, fingerprint::section),
    entry(run::ID, run::section),
];

/// A section that a report can have.
struct KnownSection {
    id: &'static str,
    build: fn(&SectionInput<'_>) -> Option<Content>,
}

const fn entry(id: &'static str, build: fn(&SectionInput<'_>) -> Option<Content>) -> KnownSection {
    KnownSection { id, build }
}

/// What sections are built from.
struct SectionInput<'a> {
    report: &'a Report,
    /// What plots draw; absent in forms without plots.
    series: Option<&'a Series>,
    language: Language,
    /// The form that shows the section.
    form: &'static ReportForm,
}

impl SectionInput<'_> {
    /// Words in the language of the document.
    fn say(&self, words: &impl Say) -> String {
        text(words, self.language)
    }
}

/// The content of a section.
struct Content {
    /// Its heading; empty where no form shows one.
    heading: String,
    blocks: Vec<ContentBlock>,
}

impl Content {
    /// The content of a section that is left out if it has no blocks.
    fn unless_empty(heading: impl Into<String>, blocks: Vec<ContentBlock>) -> Option<Self> {
        (!blocks.is_empty()).then(|| Self { heading: heading.into(), blocks })
    }

    /// The content of a section that is never empty.
    fn of(heading: impl Into<String>, blocks: impl Into<Vec<ContentBlock>>) -> Option<Self> {
        Some(Self { heading: heading.into(), blocks: blocks.into() })
    }
}

/// The report as this form shows it. Empty sections are left out; without a `series`, so are the plots that need one.
pub(crate) fn build(
    report: &Report,
    series: Option<&Series>,
    language: Language,
    form: &'static ReportForm,
) -> Document {
    let source = SectionInput { report, series, language, form };
    let layout = match report.comparisons.is_empty() {
        true if report.is_of_one_arm() => &form.alone,
        true => &form.single,
        false => &form.compared,
    };
    let title = match layout.titled {
        true => report.question.text_in(source.language).to_owned(),
        false => String::new(),
    };
    let sections = layout.sections.iter().flat_map(|shown| match shown.id {
        REST => rest(layout, form, *shown),
        _ => vec![*shown],
    });
    Document { title, sections: sections.filter_map(|shown| section(&source, shown)).collect() }
}

/// The sections that the form neither names nor leaves out, each shown in the same way as `like`.
fn rest(layout: &FormLayout, form: &ReportForm, like: ShownSection) -> Vec<ShownSection> {
    let ids = SECTIONS.iter().map(|entry| entry.id);
    let unnamed = ids.filter(|id| !layout.names(id) && !form.left_out.contains(id));
    unnamed.map(|id| ShownSection { id, ..like }).collect()
}

fn section(source: &SectionInput<'_>, shown: ShownSection) -> Option<Section> {
    let entry = SECTIONS.iter().find(|entry| entry.id == shown.id)?;
    let Content { heading, mut blocks } = (entry.build)(source)?;
    let heading = match shown.heading {
        Heading::None => None,
        Heading::Section => Some(heading),
        Heading::Subsection => {
            blocks.insert(0, ContentBlock::Heading(heading));
            None
        }
        Heading::Fold => {
            let summary = heading;
            blocks = vec![ContentBlock::Fold(Fold { summary, blocks })];
            None
        }
    };
    Some(Section { id: shown.id, region: shown.region, heading, blocks, spacing: shown.spacing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_names_are_unique_and_forms_name_no_other_section() {
        let mut ids: Vec<&str> = SECTIONS.iter().map(|entry| entry.id).collect();
        for form in [&TERMINAL, &MARKDOWN, &PAGE, &COMMENT, &form::POST] {
            for layout in [&form.compared, &form.alone, &form.single] {
                let named = layout.sections.iter().map(|shown| shown.id);
                let named = named.filter(|id| *id != REST).chain(form.left_out.iter().copied());
                for id in named {
                    assert!(ids.contains(&id), "{id}");
                }
            }
            let both = form.left_out.iter().find(|id| form.compared.names(id));
            assert_eq!(both, None, "shown and left out");
        }
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn a_form_shows_the_sections_that_it_does_not_name() {
        let layout = FormLayout { titled: true, sections: &COMMENT.compared.sections[..1] };
        assert_eq!(layout.sections[0].id, answer::ID);
        let rest = rest(&layout, &COMMENT, TERMINAL.compared.sections[0]);
        let rest: Vec<&str> = rest.iter().map(|shown| shown.id).collect();
        assert_eq!(
            rest,
            [
                conclusion::ID,
                interrupted::ID,
                required::ID,
                measures::ID,
                diagnoses::ID,
                cpu::ID,
                notes::ID,
                repeat::ID,
                run::ID
            ],
            "neither named nor left out, in the order of the list"
        );
    }
}
