//! The bodies of requests.

use super::{FORM, SentRequest, StepMaker};
use crate::address::{form_encoded, form_fields};
use crate::draft::{Part, StepBody, literal};
use crate::exchange::SentBody;
use crate::headers::Author;
use crate::json_text;
use crate::multipart::{self, SentPart};
use crate::remark::{Place, Remark, Unsupported};
use crate::vary::Slot;

impl StepMaker {
    /// Returns the body of a step; `None` if it cannot be one.
    pub(super) fn body(&mut self, sent: &SentRequest<'_>, content_type: &str) -> Option<StepBody> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        match sent.body {
            SentBody::Nothing => Some(StepBody::Nothing),
            SentBody::Fields(fields) => Some(self.form(fields)),
            SentBody::Parts(parts) => self.parts(sent.place, parts.clone()),
            SentBody::File { path, joins_lines } => {
                Some(StepBody::File { path: path.clone(), joins_lines: *joins_lines })
            }
            SentBody::Binary => {
                self.refuse(sent.place, Unsupported::BinaryBody);
                None
            }
            SentBody::Text(text) if media_type.eq_ignore_ascii_case("multipart/form-data") => {
                self.multipart(sent, content_type, text)
            }
            SentBody::Text(text) if media_type.eq_ignore_ascii_case(FORM) => {
                Some(match written_fields(text) {
                    Some(fields) => self.form(&fields),
                    None => StepBody::Text(self.pairs(text)),
                })
            }
            SentBody::Text(text) => Some(StepBody::Text(self.text(text))),
        }
    }

    fn form(&mut self, fields: &[(String, String)]) -> StepBody {
        let field = |(name, value): &(String, String)| {
            let value = match value.is_empty() {
                true => String::new(),
                false => self.value(value, Slot::Named(name)),
            };
            (name.clone(), value)
        };
        StepBody::Form(fields.iter().map(field).collect())
    }

    /// Returns the template of a text; one of JSON gets variables.
    fn text(&mut self, text: &str) -> String {
        let Some(leaves) = json_text::leaves(text) else {
            return literal(text);
        };
        let mut out = String::new();
        let mut end = 0;
        for leaf in leaves {
            let value = self.value(&leaf.value, Slot::Named(&leaf.name));
            if value == literal(&leaf.value) || leaf.value.is_empty() {
                continue;
            }
            out.push_str(&literal(&text[end..leaf.place.start]));
            let is_escaped = leaf.is_text && text[leaf.place.clone()] != leaf.value;
            out.push_str(&match is_escaped {
                true => value.replacen("${", "${json(", 1).replacen('}', ")}", 1),
                false => value,
            });
            end = leaf.place.end;
        }
        out + &literal(&text[end..])
    }

    /// Returns the body of a multipart form. What somebody wrote stays as it is, unless it lacks the content of a file, as what a browser
    /// copies does.
    fn multipart(&mut self, sent: &SentRequest<'_>, content_type: &str, text: &str) -> Option<StepBody> {
        let parts = multipart::parts(content_type, text);
        let lacks = |part: &SentPart| part.file_name.is_some() && part.content.is_empty();
        let is_whole = parts.as_ref().is_none_or(|parts| !parts.iter().any(lacks));
        match parts {
            _ if sent.author == Author::Hand && is_whole => Some(StepBody::Text(literal(text))),
            Some(parts) => self.parts(sent.place, parts),
            None => {
                self.refuse(sent.place, Unsupported::BinaryBody);
                None
            }
        }
    }

    /// Returns the body of a multipart form. A scenario names the parts of one name together.
    fn parts(&mut self, place: Place, sent: Vec<SentPart>) -> Option<StepBody> {
        let mut parts: Vec<(String, Part)> = Vec::new();
        let mut files = Vec::new();
        for part in sent {
            let is_known = parts.iter().any(|(name, _)| *name == part.name);
            if is_known && parts.last().is_none_or(|(last, _)| *last != part.name) {
                self.refuse(place, Unsupported::RepeatedPart(part.name));
                return None;
            }
            let text = |maker: &mut Self| maker.value(&part.content, Slot::Named(&part.name));
            let content = match (part.file_name, part.media_type) {
                (None, None) => Part::Text(text(self)),
                (None, Some(media_type)) => Part::TypedText { text: text(self), media_type },
                (Some(sent), media_type) => {
                    let path = part.path.unwrap_or_else(|| base_name(&sent).to_owned());
                    if path.is_empty() {
                        self.refuse(place, Unsupported::NamelessFile(part.name));
                        return None;
                    }
                    files.push(path.clone());
                    let name = (base_name(&path) != sent).then_some(sent);
                    Part::File { path, media_type, name }
                }
            };
            parts.push((part.name, content));
        }
        if !files.is_empty() {
            self.remarks.push(Remark::Files { names: files });
        }
        Some(StepBody::Multipart(parts))
    }
}

/// Returns the fields of a form that prony would encode as they were written; `None` for any other.
fn written_fields(text: &str) -> Option<Vec<(String, String)>> {
    let fields = form_fields(text)?;
    let pair = |(name, value): &(String, String)| format!("{}={}", form_encoded(name), form_encoded(value));
    let written = fields.iter().map(pair).collect::<Vec<_>>().join("&");
    let comes_back = |at: usize| {
        let name = &fields[at].0;
        at > 0 && fields[at - 1].0 != *name && fields[..at].iter().any(|(other, _)| other == name)
    };
    (written == text && !(0..fields.len()).any(comes_back)).then_some(fields)
}

/// The last part of a path.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
