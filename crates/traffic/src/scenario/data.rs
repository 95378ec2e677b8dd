//! [`DataSource`]: a table of data from which users take rows; [`Rows`]: its content, read from CSV or JSON Lines.

use serde::{Deserialize, Serialize};

/// A table of data from which users take rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataSource {
    /// The name in messages: the file.
    pub name: String,
    /// The slots of the variables that get the values of a row, one for each column.
    pub columns: Vec<usize>,
    pub rows: Rows,
    /// Who takes which row.
    pub sharing: RowSharing,
    /// What happens when all rows were taken.
    pub at_end: AtEnd,
}

/// Who takes which row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowSharing {
    /// Each taking gets the next row, whichever user takes it; over all groups, event loops and load machines, no row is taken
    /// twice before the end.
    #[default]
    Shared,
    /// As `Shared`, within each group of users.
    Group,
    /// Each user takes all rows from the first one on.
    EachUser,
    /// The rows are divided among users: user k of n has rows k, k + n, k + 2n and so on, and no other user ever has them.
    Unique,
    /// Each taking gets a random row.
    Random,
}

/// What happens when all rows were taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AtEnd {
    /// They are taken again from the first one on.
    #[default]
    Recycle,
    /// The user stops.
    Stop,
    /// Its variables get the value `<EOF>`, as in JMeter.
    Mark,
}

/// The rows of a table. All cells lie in one text, so that a table of a million rows is two allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    columns: usize,
    text: String,
    /// Where each cell ends in `text`, row by row.
    ends: Vec<u32>,
}

/// What is wrong with a table of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowsMistake {
    /// There is no row.
    NoRow,
    /// A line has another number of cells than the table has columns.
    Cells {
        /// The number of the line, from 1.
        line: usize,
        /// How many cells it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A quoted cell does not end.
    Quote {
        /// The number of the line in which it begins, from 1.
        line: usize,
    },
    /// A line is not a JSON object.
    NoObject {
        /// The number of the line, from 1.
        line: usize,
    },
    /// It has more than 4 GiB of text.
    TooLarge,
}

impl Rows {
    /// An empty table with this number of columns.
    pub fn new(columns: usize) -> Self {
        Self { columns, ..Self::default() }
    }

    /// Adds a row. Cells that are missing are empty, and cells that are too many are dropped.
    pub fn push<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        let mut cells = cells.into_iter();
        for _ in 0..self.columns {
            self.text.push_str(cells.next().unwrap_or_default());
            self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A cell.
    ///
    /// # Panics
    ///
    /// If there is no such row or column.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        let index = row * self.columns + column;
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[from..self.ends[index] as usize]
    }

    /// Reads CSV (RFC 4180): returns the names of the columns and the rows. Without `names`, the first line has them. Empty lines
    /// are skipped. Cells may be quoted, unless `quoted` is false, which takes quotes as they are.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn parse_csv(
        text: &str,
        separator: char,
        quoted: bool,
        names: Option<Vec<String>>,
    ) -> Result<(Vec<String>, Self), RowsMistake> {
        if text.len() >= u32::MAX as usize {
            return Err(RowsMistake::TooLarge);
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = CsvReader { rest: text, line: 1, separator, quoted };
        let names = match names {
            Some(names) => names,
            None => reader.next_row()?.ok_or(RowsMistake::NoRow)?.1,
        };
        let mut rows = Self::new(names.len());
        while let Some((line, cells)) = reader.next_row()? {
            if cells.len() != names.len() {
                return Err(RowsMistake::Cells { line, found: cells.len(), expected: names.len() });
            }
            rows.push(cells.iter().map(String::as_str));
        }
        if rows.is_empty() {
            return Err(RowsMistake::NoRow);
        }
        Ok((names, rows))
    }

    /// Reads JSON Lines: an object in each line. Without `names`, the first object has the names of the columns. A text is taken
    /// without its quotes, and anything else as JSON; a member that is missing is an empty text.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn parse_json_lines(
        text: &str,
        names: Option<Vec<String>>,
    ) -> Result<(Vec<String>, Self), RowsMistake> {
        let mut table: Option<(Vec<String>, Self)> = None;
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let object: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(line).map_err(|_| RowsMistake::NoObject { line: index + 1 })?;
            let (names, rows) = table.get_or_insert_with(|| {
                let names = names.clone();
                let names = names.unwrap_or_else(|| object.keys().cloned().collect());
                let rows = Self::new(names.len());
                (names, rows)
            });
            let cells: Vec<String> = names.iter().map(|name| cell_of(object.get(name))).collect();
            rows.push(cells.iter().map(String::as_str));
        }
        table.filter(|(_, rows)| !rows.is_empty()).ok_or(RowsMistake::NoRow)
    }
}

fn cell_of(value: Option<&serde_json::Value>) -> String {
    match value {
        None | Some(serde_json::Value::Null) => String::new(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Reads CSV line by line.
struct CsvReader<'a> {
    rest: &'a str,
    /// The number of the next line, from 1.
    line: usize,
    separator: char,
    quoted: bool,
}

impl CsvReader<'_> {
    /// The number of the line and the cells of the next row that is not empty.
    fn next_row(&mut self) -> Result<Option<(usize, Vec<String>)>, RowsMistake> {
        while !self.rest.is_empty() {
            let line = self.line;
            let cells = self.read_row()?;
            if cells.len() > 1 || !cells[0].is_empty() {
                return Ok(Some((line, cells)));
            }
        }
        Ok(None)
    }

    fn read_row(&mut self) -> Result<Vec<String>, RowsMistake> {
        let mut cells = Vec::new();
        loop {
            let mut cell = String::new();
            if let Some(inside) = self.rest.strip_prefix('"').filter(|_| self.quoted) {
                self.read_quoted(inside, &mut cell)?;
            }
            let end = self.rest.find([self.separator, '\n']).unwrap_or(self.rest.len());
            let ends_row = !self.rest[end..].starts_with(self.separator);
            let plain = &self.rest[..end];
            cell.push_str(if ends_row { plain.strip_suffix('\r').unwrap_or(plain) } else { plain });
            cells.push(cell);
            let behind = self.rest[end..].chars().next().map_or(0, char::len_utf8);
            self.rest = &self.rest[end + behind..];
            if ends_row {
                self.line += 1;
                return Ok(cells);
            }
        }
    }

    /// Reads a quoted cell from behind its first quote; `""` is a quote in it.
    fn read_quoted(&mut self, mut inside: &str, cell: &mut String) -> Result<(), RowsMistake> {
        let line = self.line;
        loop {
            let end = inside.find('"').ok_or(RowsMistake::Quote { line })?;
            cell.push_str(&inside[..end]);
            self.line += inside[..end].matches('\n').count();
            inside = &inside[end + 1..];
            match inside.strip_prefix('"') {
                Some(more) => {
                    cell.push('"');
                    inside = more;
                }
                None => break,
            }
        }
        // The text has the reader's lifetime, and `inside` is a part of the text.
        let at = self.rest.len() - inside.len();
        self.rest = &self.rest[at..];
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(text: &str) -> Result<(Vec<String>, Vec<Vec<String>>), RowsMistake> {
        let (names, rows) = Rows::parse_csv(text, ',', true, None)?;
        let row = |row| (0..names.len()).map(|column| rows.cell(row, column).to_owned()).collect();
        let all = (0..rows.len()).map(row).collect();
        Ok((names, all))
    }

    #[test]
    fn cells_may_be_quoted_and_empty_lines_are_skipped() {
        let (names, rows) = csv("\u{feff}user,text\r\nann,\"a, \"\"b\"\"\nc\"\r\n\r\nbob,\n").unwrap();
        assert_eq!(names, ["user", "text"]);
        assert_eq!(rows, [["ann", "a, \"b\"\nc"], ["bob", ""]]);
    }

    #[test]
    fn mistakes_name_their_lines() {
        assert_eq!(csv(""), Err(RowsMistake::NoRow));
        assert_eq!(csv("a,b\n"), Err(RowsMistake::NoRow));
        let cells = |line, found| RowsMistake::Cells { line, found, expected: 2 };
        assert_eq!(csv("a,b\n1,2\n\n3"), Err(cells(4, 1)));
        assert_eq!(csv("a,b\n\"1\n\",2\n3,4,5"), Err(cells(4, 3)));
        assert_eq!(csv("a\n\"x"), Err(RowsMistake::Quote { line: 2 }));
    }

    #[test]
    fn json_lines_are_rows() {
        let text = "{\"b\":\"x\",\"n\":7}\n\n{\"n\":[1],\"more\":0}\n";
        let (names, rows) = Rows::parse_json_lines(text, None).unwrap();
        assert_eq!(names, ["b", "n"]);
        let cells = [0, 1].map(|row| [rows.cell(row, 0), rows.cell(row, 1)]);
        assert_eq!(cells, [["x", "7"], ["", "[1]"]]);
        assert_eq!(Rows::parse_json_lines("{}\n[]", None), Err(RowsMistake::NoObject { line: 2 }));
    }

    #[test]
    fn columns_may_be_named_and_quotes_taken_as_they_are() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let (_, rows) = Rows::parse_csv("\"1\";2", ';', false, Some(names)).unwrap();
        assert_eq!((rows.cell(0, 0), rows.cell(0, 1), rows.len()), ("\"1\"", "2", 1));
    }
}
