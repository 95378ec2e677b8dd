//! Writes a JMeter plan, once it is compiled to a [`Program`], as a scenario file.
//!
//! Parts of a program that a scenario file cannot say are obstacles; each has the line of its element in the plan.

mod answer;
mod condition;
mod request;
mod steps;
mod template;

use crate::remark::{Obstacle, Place, PlanPart, PlanRemark, Remark, Unsupported, Wave};
use crate::write::{comment, duration, key, quoted};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use traffic::scenario::{
    AtEnd, Cookies, DataSource, GroupArrivals, GroupPhase, OnFailure, Program, RowSharing, Rows, UserGroup,
};

/// A plan that is to be written down.
#[derive(Debug)]
pub struct PlanSource<'a> {
    /// What the plan does.
    pub program: &'a Program,
    /// The slot of the variable that is set to the line of the plan before each part of the program.
    pub lines: Option<usize>,
    /// The names of the plan's elements, by their lines.
    pub elements: &'a BTreeMap<u32, String>,
    /// The files that the plan uses, with the names under which the scenario finds them. Data sources have the plan's own names.
    pub files: &'a [PlanFile],
}

/// A file that a plan uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    /// As the plan names it.
    pub name: String,
    /// As the scenario names it.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// A plan as the text of a scenario file.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenPlan {
    /// Everything behind the comments at the top of the file.
    pub text: String,
    /// What a reader of the file should know.
    pub remarks: Vec<Remark>,
    /// What a scenario file cannot say; it is left out of the text.
    pub obstacles: Vec<Obstacle>,
    /// The number of requests in the file.
    pub steps: usize,
    /// The number of users that the plan has.
    pub users: u64,
}

/// Writes a plan as a scenario file. `say` puts a remark into words.
pub fn plan(source: &PlanSource<'_>, say: &dyn Fn(&Remark) -> String) -> WrittenPlan {
    let mut writer = Writer::new(source);
    writer.settle_initial();
    let mut body = String::new();
    for (index, group) in source.program.groups.iter().enumerate() {
        writer.group(index, group, &mut body, say);
    }
    let mut text = writer.vars_text();
    text.push_str(&writer.data_text());
    text.push_str(&body);
    let Writer { mut remarks, mut obstacles, steps, users, .. } = writer;
    if users > 0 {
        remarks.insert(0, Remark::Plan(PlanRemark::Users(users)));
    }
    if source.program.http2 {
        remarks.push(Remark::Plan(PlanRemark::Http2));
    }
    obstacles.dedup();
    WrittenPlan { text, remarks, obstacles, steps, users }
}

/// Writes a plan, and keeps what was found out on the way.
struct Writer<'a> {
    source: &'a PlanSource<'a>,
    program: &'a Program,
    /// The line of the element whose actions are written.
    line: u32,
    /// Slots of variables that something sets after the start.
    changed: BTreeSet<usize>,
    /// Slots of variables that the text above the present place defines.
    defined: BTreeSet<usize>,
    /// Slots of lists that the text above the present place defines.
    lists: BTreeSet<usize>,
    /// Slots of variables that are used before anything sets them; `[vars]` gives them what JMeter sends for an unset variable.
    early: BTreeSet<usize>,
    /// Slots of variables that something tests for being set, with the line.
    asked: Vec<(usize, u32)>,
    /// Slots that the present group uses.
    used: BTreeSet<usize>,
    /// The lines of `[vars]` from the plan's own variables.
    vars: Vec<String>,
    /// The data sources that are written, with their forms.
    data: BTreeMap<usize, String>,
    remarks: Vec<Remark>,
    obstacles: Vec<Obstacle>,
    steps: usize,
    users: u64,
}

/// Why a part cannot be written.
type Refused = PlanPart;

impl<'a> Writer<'a> {
    fn new(source: &'a PlanSource<'a>) -> Self {
        Self {
            source,
            program: source.program,
            line: 0,
            changed: steps::changed(source.program),
            defined: BTreeSet::new(),
            lists: BTreeSet::new(),
            early: BTreeSet::new(),
            asked: Vec::new(),
            used: BTreeSet::new(),
            vars: Vec::new(),
            data: BTreeMap::new(),
            remarks: Vec::new(),
            obstacles: Vec::new(),
            steps: 0,
            users: 0,
        }
    }

    /// Notes what cannot be written.
    fn refuse(&mut self, part: PlanPart) {
        let place = (self.line > 0).then_some(Place::Line(self.line as usize));
        self.obstacles.push(Obstacle::new(place, Unsupported::Plan(part)));
    }

    /// Adds a remark once.
    fn remark(&mut self, remark: PlanRemark) {
        let remark = Remark::Plan(remark);
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Writes the values that variables have from the start.
    fn settle_initial(&mut self) {
        for (slot, value) in &self.program.initial {
            match self.template(value) {
                Ok(text) => {
                    let name = self.name(*slot);
                    self.vars.push(format!("{} = {}", key(&name), quoted(&text)));
                    self.defined.insert(*slot);
                }
                Err(part) => {
                    self.refuse(part);
                    self.defined.insert(*slot);
                    self.early.insert(*slot);
                }
            }
        }
    }

    fn vars_text(&mut self) -> String {
        let asked: Vec<u32> =
            self.asked.iter().filter(|(slot, _)| self.early.contains(slot)).map(|(_, line)| *line).collect();
        for line in asked {
            self.line = line;
            self.refuse(PlanPart::SetTest);
        }
        if self.vars.is_empty() && self.early.is_empty() {
            return String::new();
        }
        let mut out = String::from("\n[vars]\n");
        for slot in self.early.clone() {
            // JMeter sends a variable that is not set yet as it is written.
            let name = self.name(slot);
            let _ = writeln!(out, "{} = {}", key(&name), quoted(&format!("$${{{name}}}")));
        }
        for line in &self.vars {
            let _ = writeln!(out, "{line}");
        }
        out
    }

    fn data_text(&self) -> String {
        self.data.values().map(|form| format!("\n{form}")).collect()
    }

    /// The name of a variable as templates can write it.
    fn name(&self, slot: usize) -> String {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let plain = |name: &str| -> String { name.chars().map(|c| if fits(c) { c } else { '_' }).collect() };
        let variables = &self.program.variables;
        let own = variables.name(slot);
        let mut name = plain(own);
        if name.is_empty() {
            name = "variable".to_owned();
        }
        // Two variables must not become one.
        while name != own && variables.find(&name).is_some() {
            name.push('_');
        }
        name
    }

    fn list_name(&self, list: usize) -> &'a str {
        self.program.lists.name(list)
    }

    /// Writes a group of users as `[[scenario]]`.
    fn group(&mut self, index: usize, group: &UserGroup, out: &mut String, say: &dyn Fn(&Remark) -> String) {
        self.line = 0;
        self.used.clear();
        if group.phase != GroupPhase::Main {
            return self.refuse_group(group, PlanPart::Phase);
        }
        let users = self.arrivals(group);
        let mut lines = vec![format!("name = {}", quoted(&group.name))];
        if self.program.groups.len() > 1 && users != 1 {
            lines.push(format!("weight = {}", users.clamp(1, 1_000_000)));
        }
        lines.extend(group.iterations.map(|times| format!("iterations = {times}")));
        match group.cookies {
            Cookies::PerIteration => {}
            Cookies::Ignored => lines.push("cookies = false".to_owned()),
            Cookies::PerUser => lines.push("cookies = \"keep\"".to_owned()),
        }
        match group.on_failure {
            OnFailure::Continue => lines.push("on_failure = \"continue\"".to_owned()),
            OnFailure::NextIteration => {}
            OnFailure::StopUser => lines.push("on_failure = \"stop\"".to_owned()),
            OnFailure::NextPass | OnFailure::LeaveLoop | OnFailure::StopRun => {
                self.refuse_group(group, PlanPart::OnFailure);
            }
        }
        if !group.keeps_connections {
            lines.push("new_connections = true".to_owned());
        }
        if !group.own_cookies.is_empty() {
            self.refuse_group(group, PlanPart::OwnCookies);
        }
        if self.program.serial && index == 1 {
            self.refuse_group(group, PlanPart::Serial);
        }
        let body = self.body(group);
        if body.is_empty() {
            return;
        }
        out.push_str("\n[[scenario]]\n");
        lines.iter().for_each(|line| {
            let _ = writeln!(out, "{line}");
        });
        steps::write(&body, "scenario.step", out, &mut |out, remark| {
            comment(out, &say(remark));
        });
    }

    /// Refuses something of a group, at its own line.
    fn refuse_group(&mut self, group: &UserGroup, part: PlanPart) {
        let quoted = format!("\"{}\"", group.name);
        let is_group = |text: &str| text.contains("ThreadGroup") && text.ends_with(&quoted);
        let found = self.source.elements.iter().find(|(_, text)| is_group(text));
        self.line = found.map_or(0, |(line, _)| *line);
        self.refuse(part);
    }

    /// Tells how the users of a group come, which a scenario leaves to the load; returns their number.
    fn arrivals(&mut self, group: &UserGroup) -> u64 {
        let waves = match &group.arrivals {
            GroupArrivals::Users(waves) => waves,
            GroupArrivals::Weight(weight) => return u64::from(*weight),
            GroupArrivals::Sessions { .. } => {
                self.refuse_group(group, PlanPart::Arrivals);
                return 1;
            }
        };
        for wave in waves {
            self.remark(PlanRemark::Wave(Wave {
                group: group.name.clone(),
                users: wave.users,
                delay: duration(wave.delay.as_secs_f64()),
                ramp: duration(wave.ramp.as_secs_f64()),
                duration: wave.duration.map(|time| duration(time.as_secs_f64())),
            }));
        }
        let users = group.arrivals.users();
        self.users += users;
        users
    }

    /// Writes `[[data]]` for a source whose rows a group takes.
    fn data_source(&mut self, index: usize) -> Result<(), Refused> {
        let source = &self.program.data[index];
        if self.data.contains_key(&index) {
            return Ok(());
        }
        if source.at_end == AtEnd::Mark {
            return Err(PlanPart::EndMark);
        }
        let file = self.source.files.iter().find(|file| file.name == source.name.trim());
        let form = file.and_then(|file| self.table_form(source, file));
        self.data.insert(index, form.ok_or(PlanPart::Table)?);
        self.defined.extend(source.columns.iter().copied());
        Ok(())
    }

    /// Finds out how a scenario has to name a file so that it reads the same table from it.
    fn table_form(&self, source: &DataSource, file: &PlanFile) -> Option<String> {
        let text = String::from_utf8_lossy(&file.bytes);
        let names: Vec<String> = source.columns.iter().map(|slot| self.name(*slot)).collect();
        for separator in [',', ';', '\t', '|'] {
            for columns in [None, Some(names.clone())] {
                let read = Rows::parse_csv(&text, separator, true, columns.clone());
                let Ok((found, rows)) = read else { continue };
                let found: Vec<&str> = found.iter().map(|name| name.trim()).collect();
                if rows != source.rows || found != names {
                    continue;
                }
                let mut form = format!("[[data]]\nfile = {}\n", quoted(&file.path));
                if columns.is_some() {
                    let list: Vec<String> = names.iter().map(|name| quoted(name)).collect();
                    let _ = writeln!(form, "columns = [{}]", list.join(", "));
                }
                if separator != ',' {
                    let _ = writeln!(form, "separator = {}", quoted(&separator.to_string()));
                }
                if source.sharing == RowSharing::EachUser {
                    form.push_str("rows = \"each\"\n");
                }
                if source.at_end == AtEnd::Stop {
                    form.push_str("at_end = \"stop\"\n");
                }
                return Some(form);
            }
        }
        None
    }
}
