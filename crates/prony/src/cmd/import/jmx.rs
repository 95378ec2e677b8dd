//! `prony import jmx`: writes a JMeter plan as a scenario file.

use super::{Head, ImportArgs, obstacle_lines, skip_hint};
use crate::failure::{Code, Failure};
use crate::files::write_new;
use crate::jmx;
use crate::language;
use crate::output::print;
use import::{Format, PlanFile, PlanSource, Remark, WrittenPlan};
use jmeter::tree::Element;
use jmeter::{CompiledPlan, Error, Obstacle, ObstacleKind, Settings};
use say::{Language, Say};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use traffic::load_note::LoadNote;

/// An element that was left out, and why.
#[derive(Say)]
#[say(en = "Left out: {place}: {what}", zh = "略去：{place}：{what}")]
struct LeftOut<'a> {
    place: String,
    what: &'a ObstacleKind,
}

/// Says that an element was left out, and why.
pub(crate) fn left_out(obstacle: &Obstacle, lang: Language) -> String {
    let left_out = LeftOut { place: obstacle.place(), what: &obstacle.what };
    say::text(&left_out, lang)
}

/// Imports the plan with this text from `file`.
pub(super) fn run(args: &ImportArgs, file: &str, text: &str) -> Result<(), Failure> {
    let lang = language::chosen(&args.to.language);
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let (plan, files) = compile(text, args, folder)?;
    let elements = elements(text);
    let source = PlanSource { program: &plan.program, lines: plan.lines, elements: &elements, files: &files };
    let written = import::plan(&source, &|remark| say::text(remark, lang));
    let origin = plan.server.as_ref().map(ToString::to_string);
    let head = Head {
        format: Format::Jmx,
        source: file,
        output: args.to.output.as_deref(),
        origin: origin.as_deref(),
        users: written.users,
        is_mix: false,
    };
    let is_whole = plan.obstacles.is_empty() && written.obstacles.is_empty();
    if written.steps == 0 || !is_whole && !args.to.skip_unsupported {
        return Err(refused(file, plan, &written, lang));
    }
    let mut comments = head.lines(lang);
    comments.extend(told(&plan, &written, lang));
    let text = format!("{}{}", import::comments(&comments), written.text);
    match &args.to.output {
        None => print(&text),
        Some(path) => {
            write_new(path, &text)?;
            eprint!("{}", head.written(written.steps, None, lang));
            Ok(())
        }
    }
}

/// Returns what a reader of the file should know.
fn told(plan: &CompiledPlan, written: &WrittenPlan, lang: Language) -> Vec<String> {
    let remarks = written.remarks.iter().map(|remark| say::text(remark, lang));
    let otherwise = plan
        .program
        .differences
        .iter()
        .map(|difference| say::text(&LoadNote::PlanDiffers(*difference), lang));
    let refused = plan.obstacles.iter().map(|obstacle| left_out(obstacle, lang));
    let unsaid = written.obstacles.iter().cloned().map(Remark::Skipped);
    let unsaid = unsaid.map(|remark| say::text(&remark, lang));
    remarks.chain(otherwise).chain(refused).chain(unsaid).collect()
}

/// Tells everything that keeps a plan from being written.
fn refused(file: &str, plan: CompiledPlan, written: &WrittenPlan, lang: Language) -> Failure {
    if !plan.obstacles.is_empty() {
        let error = Error::Refused { file: file.to_owned(), obstacles: plan.obstacles };
        eprint!("{}", Failure::usage(error).text(lang));
    }
    eprint!("{}", obstacle_lines(&written.obstacles, file, lang));
    if written.steps > 0 && !written.obstacles.is_empty() {
        eprint!("{}", skip_hint(lang));
    }
    Failure::reported(Code::Usage)
}

/// Compiles a plan, and returns the files that it uses, too.
fn compile(text: &str, args: &ImportArgs, folder: &Path) -> Result<(CompiledPlan, Vec<PlanFile>), Failure> {
    let files = RefCell::new(Vec::new());
    let read = |path: &Path| {
        let bytes = std::fs::read(folder.join(path)).map_err(|error| error.to_string())?;
        files.borrow_mut().push(PlanFile {
            name: path.display().to_string(),
            path: as_seen_from(args.to.output.as_deref(), folder, path),
            bytes: bytes.clone(),
        });
        Ok(bytes)
    };
    let settings =
        Settings { marks_lines: true, ..jmx::settings(jmx::properties(&args.properties), None, &read) };
    let compiled = jmeter::compile(text, &settings);
    let plan = compiled.map_err(Failure::usage)?;
    Ok((plan, files.take()))
}

/// Returns how a scenario names a file of a plan: as the plan does where both are in one folder, else with its whole path.
fn as_seen_from(output: Option<&Path>, folder: &Path, path: &Path) -> String {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder_of = |file: &Path| whole(file).parent().map(Path::to_owned);
    let beside = output.is_none_or(|output| folder_of(output) == folder_of(&folder.join("plan")));
    let seen: PathBuf = if beside { path.to_owned() } else { whole(&folder.join(path)) };
    seen.display().to_string()
}

/// The elements of a plan by their lines, each with class and name.
fn elements(text: &str) -> BTreeMap<u32, String> {
    fn add(element: &Element, found: &mut BTreeMap<u32, String>) {
        let object = &element.object;
        found.insert(object.line, format!("{} \"{}\"", object.class, object.name));
        element.children.iter().for_each(|child| add(child, found));
    }
    let mut found = BTreeMap::new();
    if let Ok(root) = Element::parse(text) {
        add(&root, &mut found);
    }
    found
}
