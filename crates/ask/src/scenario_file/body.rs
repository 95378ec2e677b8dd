//! The bodies of requests: JSON, forms, files and multipart.

use super::Reader;
use crate::node::{Node, Value};
use crate::slip::{Advice, ScenarioSlip};
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

    /// Reads the parts of a multipart body: texts, and files as `{ file = "cat.png", type = "image/png", name = "cat.png" }`.
    pub(super) fn parts(&mut self, node: &Node) -> Vec<BodyPart> {
        let mut parts = Vec::new();
        for (name, value) in self.entries(node, "{ photo = { file = \"cat.png\", type = \"image/png\" } }") {
            let name = Template::literal(name.text().unwrap_or_default());
            let part = match &value.value {
                Value::Table(_) => self.file_part(name, value),
                _ => Some(BodyPart {
                    name,
                    file_name: None,
                    content_type: None,
                    content: RequestBody::Text(self.scalar(value)),
                }),
            };
            parts.extend(part);
        }
        parts
    }

    fn file_part(&mut self, name: Template, node: &Node) -> Option<BodyPart> {
        let mut table = self.open(node, "multipart")?;
        let file = table.get("file");
        let content_type = table.get("type").map(|node| self.template(node));
        let file_name = table.get("name").map(|node| self.template(node));
        table.finish(&mut self.problems);
        let Some(file) = file else {
            self.refuse(node.expected(crate::slip::ExpectedValue::TableLike("{ file = \"cat.png\" }")));
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
