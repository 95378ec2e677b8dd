//! The bodies of requests: JSON, forms, files and multipart.

use super::Reader;
use crate::node::{Node, Value};
use crate::slip::{Advice, ExpectedValue, ScenarioSlip};
use std::path::Path;
use traffic::scenario::{BodyPart, Function, RequestBody, Template};

impl Reader<'_> {
    /// Writes a TOML value as JSON. In texts, variables are replaced by their values, escaped as JSON has it.
    pub(super) fn json(&mut self, node: &Node) -> Template {
        let mut out = Template::default();
        self.write_json(node, &mut out);
        out
    }

    fn write_json(&mut self, node: &Node, out: &mut Template) {
        match &node.value {
            Value::Integer(_) | Value::Float(_) | Value::Bool(_) => out.append(self.scalar(node)),
            Value::Text(_) | Value::Date => {
                out.push_literal("\"");
                for part in self.template(node).parts() {
                    match part.as_literal() {
                        Some(text) => out.push_literal(&escaped(text)),
                        None => out.append(Template::call(Function::JsonText, vec![part.clone().into()])),
                    }
                }
                out.push_literal("\"");
            }
            Value::List(items) => {
                out.push_literal("[");
                for (index, item) in items.iter().enumerate() {
                    out.push_literal(if index > 0 { "," } else { "" });
                    self.write_json(item, out);
                }
                out.push_literal("]");
            }
            Value::Table(entries) => {
                out.push_literal("{");
                for (index, (name, value)) in entries.iter().enumerate() {
                    out.push_literal(if index > 0 { "," } else { "" });
                    let name = escaped(name.text().unwrap_or_default());
                    out.push_literal(&format!("\"{name}\":"));
                    self.write_json(value, out);
                }
                out.push_literal("}");
            }
        }
    }

    /// Reads the fields of a form; a list is a field several times.
    pub(super) fn form(&mut self, node: &Node) -> Template {
        let mut form = Template::default();
        for (name, value) in self.entries(node, "{ user = \"${user}\" }") {
            let name = name.text().unwrap_or_default().to_owned();
            let values = match &value.value {
                Value::List(values) => values.iter().collect(),
                _ => vec![value],
            };
            for value in values {
                if !form.parts().is_empty() {
                    form.push_literal("&");
                }
                let value = self.scalar(value);
                form.append(Template::call(Function::Form, vec![Template::literal(&name)]));
                form.push_literal("=");
                form.append(Template::call(Function::Form, vec![value]));
            }
        }
        form
    }

    /// Reads a file that is named relative to the scenario.
    pub(super) fn file(&mut self, node: &Node) -> Option<Vec<u8>> {
        let path = self.text_of(node)?;
        match (self.resources.read)(Path::new(&path)) {
            Ok(bytes) => Some(bytes),
            Err(why) => {
                let slip = ScenarioSlip::File { path, why };
                self.refuse(node.refuse(slip).hint(Advice::RelativePaths));
                None
            }
        }
    }

    /// Reads the file of a body: its name, or `{ file = "item.json", line_breaks = false }`, which leaves out line breaks.
    pub(super) fn body_file(&mut self, node: &Node) -> Option<Vec<u8>> {
        if !matches!(node.value, Value::Table(_)) {
            return self.file(node);
        }
        let mut table = self.open(node, "body_file")?;
        let file = table.get("file");
        let keeps_lines = self.read(&mut table, "line_breaks", Node::boolean).unwrap_or(true);
        table.finish(&mut self.problems);
        let Some(file) = file else {
            self.refuse(node.expected(ExpectedValue::TableLike("{ file = \"item.json\" }")));
            return None;
        };
        let mut bytes = self.file(file)?;
        bytes.retain(|byte| keeps_lines || !matches!(byte, b'\r' | b'\n'));
        Some(bytes)
    }

    /// Reads the parts of a multipart body: texts, texts with a type as `{ text = "{}", type = "application/json" }`, and files as
    /// `{ file = "cat.png", type = "image/png", name = "cat.png" }`. A list is several parts of one name.
    pub(super) fn parts(&mut self, node: &Node) -> Vec<BodyPart> {
        let mut parts = Vec::new();
        for (name, value) in self.entries(node, "{ photo = { file = \"cat.png\", type = \"image/png\" } }") {
            let name = Template::literal(name.text().unwrap_or_default());
            let values = match &value.value {
                Value::List(values) => values.iter().collect(),
                _ => vec![value],
            };
            for value in values {
                let part = match &value.value {
                    Value::Table(_) => self.described_part(name.clone(), value),
                    _ => Some(text_part(name.clone(), None, self.scalar(value))),
                };
                parts.extend(part);
            }
        }
        parts
    }

    fn described_part(&mut self, name: Template, node: &Node) -> Option<BodyPart> {
        let mut table = self.open(node, "multipart")?;
        let file = table.get("file");
        let text = if file.is_none() { table.get("text") } else { None };
        let content_type = table.get("type").map(|node| self.template(node));
        if let Some(text) = text {
            table.finish(&mut self.problems);
            return Some(text_part(name, content_type, self.scalar(text)));
        }
        let file_name = table.get("name").map(|node| self.template(node));
        table.finish(&mut self.problems);
        let Some(file) = file else {
            self.refuse(node.expected(ExpectedValue::TableLike("{ file = \"cat.png\" }")));
            return None;
        };
        let bytes = self.file(file)?;
        let path = file.text().unwrap_or_default();
        let last = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path);
        Some(BodyPart {
            name,
            file_name: Some(file_name.unwrap_or_else(|| Template::literal(last))),
            content_type: Some(content_type.unwrap_or_else(|| Template::literal("application/octet-stream"))),
            content: RequestBody::Bytes(bytes),
        })
    }
}

/// A part that is no file.
const fn text_part(name: Template, content_type: Option<Template>, text: Template) -> BodyPart {
    BodyPart { name, file_name: None, content_type, content: RequestBody::Text(text) }
}

/// A text as it stands between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}
