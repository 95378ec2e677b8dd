//! Tables of data.

use super::Reader;
use crate::diagnostic::Diagnostic;
use crate::node::Node;
use crate::slip::{ExpectedValue, Owner, ScenarioSlip, ShapeSlip};
use traffic::scenario::{AtEnd, DataSource, RowSharing, Rows, RowsMistake};

impl Reader<'_> {
    /// Reads `[[data]]`.
    pub(super) fn read_data(&mut self, node: &Node) {
        match node.list() {
            Ok(list) => list.iter().for_each(|node| self.source(node)),
            Err(problem) => self.refuse(problem),
        }
    }

    fn source(&mut self, node: &Node) {
        let Some(mut table) = self.open(node, "[[data]]") else {
            return;
        };
        let file = table.get("file");
        let columns = self.read(&mut table, "columns", columns);
        let separator = self.read(&mut table, "separator", separator);
        let sharing = self.read(&mut table, "rows", sharing);
        let at_end = self.read(&mut table, "at_end", at_end);
        table.finish(&mut self.problems);
        let Some(file) = file else {
            let slip = ShapeSlip::Lacks { owner: Owner::DataSource, key: "file" };
            return self.refuse(node.refuse(slip));
        };
        let Some(bytes) = self.file(file) else { return };
        let path = file.text().unwrap_or_default().to_owned();
        let text = String::from_utf8_lossy(&bytes);
        let is_json = path.ends_with(".jsonl") || path.ends_with(".ndjson");
        let read = match is_json {
            true => Rows::parse_json_lines(&text, columns),
            false => Rows::parse_csv(&text, separator.unwrap_or(','), true, columns),
        };
        let (names, rows) = match read {
            Ok(read) => read,
            Err(mistake) => return self.refuse(file.refuse(slip(path, mistake))),
        };
        let slots = names.iter().map(|name| self.program.variables.define(name.trim()));
        let columns = slots.collect();
        self.program.data.push(DataSource {
            name: path,
            columns,
            rows,
            sharing: sharing.unwrap_or_default(),
            at_end: at_end.unwrap_or_default(),
        });
    }
}

fn columns(node: &Node) -> Result<Vec<String>, Diagnostic> {
    let list = node.list()?;
    if list.is_empty() {
        return Err(node.expected(ExpectedValue::Values(1000)));
    }
    list.iter().map(|name| name.text().map(str::to_owned)).collect()
}

fn separator(node: &Node) -> Result<char, Diagnostic> {
    let text = node.text()?;
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(separator), None) if separator != '"' && separator != '\n' => Ok(separator),
        _ if text == "\\t" => Ok('\t'),
        _ => Err(node.unknown_word(text, &[",", ";", "\\t", "|"])),
    }
}

fn sharing(node: &Node) -> Result<RowSharing, Diagnostic> {
    const ALL: [RowSharing; 4] =
        [RowSharing::Shared, RowSharing::Unique, RowSharing::EachUser, RowSharing::Random];
    node.one_of(&ALL, |sharing| match sharing {
        RowSharing::Shared | RowSharing::Group => "shared",
        RowSharing::Unique => "unique",
        RowSharing::EachUser => "each",
        RowSharing::Random => "random",
    })
}

fn at_end(node: &Node) -> Result<AtEnd, Diagnostic> {
    node.one_of(&[AtEnd::Recycle, AtEnd::Stop], |at_end| match at_end {
        AtEnd::Recycle | AtEnd::Mark => "recycle",
        AtEnd::Stop => "stop",
    })
}

fn slip(path: String, mistake: RowsMistake) -> ScenarioSlip {
    match mistake {
        RowsMistake::NoRow => ScenarioSlip::NoRows { path },
        RowsMistake::Cells { line, found, expected } => ScenarioSlip::Cells { path, line, found, expected },
        RowsMistake::Quote { line } => ScenarioSlip::Quote { path, line },
        RowsMistake::NoObject { line } => ScenarioSlip::NotAnObject { path, line },
        RowsMistake::TooLarge => ScenarioSlip::TooLarge { path },
    }
}
