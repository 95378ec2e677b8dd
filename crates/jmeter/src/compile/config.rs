//! What happens at the begin of each pass of a controller: the next row of a CSV file, the next number of a counter, a new random
//! variable.

use super::Compiler;
use super::controllers::user_modulo;
use super::scope::{Role, role};
use crate::compound::Compound;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::{Element, Object, Property};
use std::collections::BTreeSet;
use std::path::Path;
use traffic::scenario::{
    Action, AtEnd, Branches, DataSource, Function, RowSharing, Rows, SharedCounter, Template,
};

impl<'a> Compiler<'a> {
    /// Returns what happens at the begin of each pass. What is below a sampler belongs to the controller above it.
    pub(super) fn begin_of_pass(&mut self, children: &'a [Element]) -> Vec<Action> {
        let mut actions = Vec::new();
        for child in children {
            actions.extend(self.listener(&child.object));
            if role(&child.object.class) == Role::Sampler {
                for inner in &child.children {
                    actions.extend(self.listener(&inner.object));
                }
            }
        }
        actions
    }

    /// Returns what an element does at the begin of a pass.
    pub(super) fn listener(&mut self, object: &Object) -> Vec<Action> {
        let action = match object.class.as_str() {
            "CSVDataSet" => self.csv(object),
            "CounterConfig" => Some(self.count(object)),
            "RandomVariableConfig" => Some(self.random_variable(object)),
            "UserParameters" if object.text("UserParameters.per_iteration") == "true" => {
                self.user_parameters(object)
            }
            _ => None,
        };
        self.marked(object, action.into_iter().collect())
    }

    fn csv(&mut self, object: &Object) -> Option<Action> {
        let path = self.fixed_text(object, "filename")?;
        let Some((names, rows)) = self.table(object, &path) else {
            // What the file would have set is not missing for another reason.
            let names = object.text("variableNames").split(',').map(|name| name.trim().to_owned());
            self.unread.extend(names);
            return None;
        };
        let columns = names.iter().map(|name| self.program.variables.define(name.trim())).collect();
        let source = DataSource {
            name: path,
            columns,
            rows,
            sharing: match object.text("shareMode") {
                "shareMode.thread" | "Current thread" => RowSharing::EachUser,
                "shareMode.group" | "Current thread group" => RowSharing::Group,
                _ => RowSharing::Shared,
            },
            at_end: match (object.text("recycle"), object.text("stopThread")) {
                ("false", "true") => AtEnd::Stop,
                ("false", _) => AtEnd::Mark,
                _ => AtEnd::Recycle,
            },
        };
        let known = self.program.data.iter().position(|known| *known == source);
        let index = known.unwrap_or_else(|| {
            self.program.data.push(source);
            self.program.data.len() - 1
        });
        Some(Action::NextRow(index))
    }

    /// Reads a file of data: the names of its columns and its rows. Without names in the plan the first line has them.
    fn table(&mut self, object: &Object, path: &str) -> Option<(Vec<String>, Rows)> {
        let names = self.fixed_text(object, "variableNames")?;
        let quoted = object.text("quotedData") == "true";
        let delimiter = delimiter(object);
        if quoted && delimiter.chars().count() > 1 {
            self.refuse(object, ObstacleKind::Setting(Unsupported::Delimiter));
            return None;
        }
        let content = self.file_text(object, path.trim())?;
        let mut lines = lines(&content, delimiter, quoted);
        let has_names = names.trim().is_empty();
        let skips = has_names || object.text("ignoreFirstLine") == "true";
        let first = if skips && !lines.is_empty() { lines.remove(0) } else { Vec::new() };
        let names =
            if has_names { first } else { names.split(',').map(|name| name.trim().to_owned()).collect() };
        let mut rows = Rows::new(names.len());
        lines.iter().for_each(|cells| rows.push(cells.iter().map(String::as_str)));
        if rows.is_empty() {
            let path = path.to_owned();
            self.refuse(object, ObstacleKind::Data { path });
            return None;
        }
        Some((names, rows))
    }

    /// Gives hosts the addresses that a DNS Cache Manager lists.
    pub(super) fn add_hosts(&mut self, object: &Object) {
        let hosts: Vec<Object> = object.objects("DNSCacheManager.hosts").cloned().collect();
        for host in &hosts {
            let name = self.fixed_text(host, "StaticHost.Name").unwrap_or_default();
            let addresses = self.fixed_text(host, "StaticHost.Address").unwrap_or_default();
            let address = addresses.split(',').next().unwrap_or_default().trim().to_owned();
            if !name.trim().is_empty() && !address.is_empty() {
                self.program.hosts.push((name.trim().to_owned(), address));
            }
        }
    }

    /// Returns the names that the first lines of data files give their columns, where the plan does not name them. Files that cannot be
    /// read are refused later.
    pub(super) fn find_names_in_files(&mut self, element: &Element) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let object = &element.object;
        if object.class == "CSVDataSet" && object.text("variableNames").trim().is_empty() {
            let path = Compound::parse(object.text("filename")).ok();
            let path = path.and_then(|path| self.fixed(&path)).unwrap_or_default();
            let content = (self.settings.resources.read)(Path::new(path.trim()));
            self.lacks_names |= content.is_err();
            let content = content.unwrap_or_default();
            let content = String::from_utf8_lossy(&content);
            let quoted = object.text("quotedData") == "true";
            let first = lines(&content, delimiter(object), quoted).into_iter().next();
            found.extend(first.unwrap_or_default().iter().map(|name| name.trim().to_owned()));
        }
        for child in &element.children {
            found.extend(self.find_names_in_files(child));
        }
        found
    }

    fn count(&mut self, object: &Object) -> Action {
        let start = self.fixed_number(object, "CounterConfig.start", 0.0).unwrap_or(0.0) as i64;
        let step = self.fixed_number(object, "CounterConfig.incr", 0.0).unwrap_or(1.0) as i64;
        let end = self.fixed_number(object, "CounterConfig.end", f64::INFINITY).filter(|end| end.is_finite());
        // The last value that is not above the end; behind it the counter starts again.
        let end = end.map(|end| match step {
            1.. => start + (end as i64 - start).max(0) / step * step,
            _ => end as i64,
        });
        let counter = self.program.counters.len();
        self.program.counters.push(SharedCounter {
            start,
            step,
            end,
            per_user: object.text("CounterConfig.per_user") == "true",
            restarts: object.text("CounterConfig.reset_on_tg_iteration") == "true",
        });
        let value = self.formatted(object, "CounterConfig.format", |digits| {
            Template::call(Function::Next { counter, digits }, Vec::new())
        });
        let name = object.text("CounterConfig.name").trim().to_owned();
        self.set(&name, value)
    }

    fn random_variable(&mut self, object: &Object) -> Action {
        let least = self.template(object, object.text("minimumValue"));
        let most = self.template(object, object.text("maximumValue"));
        let value = self.formatted(object, "outputFormat", |digits| {
            Template::call(Function::RandomInteger { digits }, vec![least, most])
        });
        let name = object.text("variableName").trim().to_owned();
        self.set(&name, value)
    }

    /// Puts a number into a format of Java's `DecimalFormat`; only fixed text around zeros is known.
    fn formatted(
        &mut self,
        object: &Object,
        property: &str,
        number: impl FnOnce(u8) -> Template,
    ) -> Template {
        let format = object.text(property).replace('\'', "");
        if format.trim().is_empty() {
            return number(0);
        }
        let begin = format.find(['0', '#']).unwrap_or(format.len());
        let digits = format[begin..].trim_start_matches('#');
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        let behind = &digits[zeros..];
        if begin == format.len()
            || format.contains(['$', '{', ';', '%', 'E', '.', ','])
            || behind.contains(['0', '#'])
        {
            self.refuse(object, ObstacleKind::Setting(Unsupported::NumberFormat));
            return number(0);
        }
        let mut value = Template::literal(&format[..begin]);
        value.append(number(zeros as u8));
        value.push_literal(behind);
        value
    }

    /// User k gets the k-th column of values, and the first one again behind the last.
    pub(super) fn user_parameters(&mut self, object: &Object) -> Option<Action> {
        let names: Vec<String> = texts(object.list("UserParameters.names")).collect();
        let columns = object.list("UserParameters.thread_values");
        let mut branches = Vec::new();
        for (index, column) in columns.iter().enumerate() {
            let values: Vec<String> = texts(column.list()).collect();
            let mut body = Vec::new();
            for (name, value) in names.iter().zip(values) {
                let value = self.template(object, &value);
                body.push(self.set(name.trim(), value));
            }
            branches.push((index.to_string(), body));
        }
        if branches.is_empty() {
            return None;
        }
        let value = if branches.len() == 1 { Template::literal("0") } else { user_modulo(branches.len()) };
        Some(Action::Branch(Branches::Switch { value, cases: branches, otherwise: Vec::new() }))
    }
}

fn texts(list: &[Property]) -> impl Iterator<Item = String> {
    list.iter().map(|item| item.text().to_owned())
}

/// Returns what stands between the cells of a file.
fn delimiter(object: &Object) -> &str {
    match object.text("delimiter") {
        "" => ",",
        "\\t" => "\t",
        other => other,
    }
}

/// Splits a file into lines of cells. Cells that are in quotes may contain the delimiter, line breaks and, doubled, quotes.
fn lines(content: &str, delimiter: &str, quoted: bool) -> Vec<Vec<String>> {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    if !quoted {
        let cells = |line: &str| line.split(delimiter).map(ToOwned::to_owned).collect();
        return content.lines().filter(|line| !line.is_empty()).map(cells).collect();
    }
    let (mut lines, mut cells, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut rest = content.chars().peekable();
    let mut within = false;
    while let Some(c) = rest.next() {
        match c {
            '"' if within && rest.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if within || cell.is_empty() => within = !within,
            '\n' if !within => {
                let text = std::mem::take(&mut cell);
                cells.push(text.trim_end_matches('\r').to_owned());
                lines.push(std::mem::take(&mut cells));
            }
            c if delimiter.starts_with(c) && !within => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !cells.is_empty() {
        cells.push(cell);
        lines.push(cells);
    }
    lines.retain(|cells| cells.len() > 1 || !cells[0].is_empty());
    lines
}
