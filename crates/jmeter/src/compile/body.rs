//! Compiles the arguments and the body of requests.

use super::Compiler;
use crate::tree::Object;
use traffic::scenario::{BodyPart, Function, RequestBody, Template};

/// The arguments of a request, in order.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    all: Vec<Argument>,
}

#[derive(Debug)]
struct Argument {
    name: Template,
    value: Template,
    /// Whether name and value are encoded; otherwise they are sent as they are.
    encode: bool,
    /// What stands between name and value in a query; nothing, where the file does not say. In a form, that is `=`.
    separator: String,
}

impl Arguments {
    /// Their names and values.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Template> {
        self.all.iter().flat_map(|argument| [&argument.name, &argument.value])
    }

    /// Whether there are arguments, and none has a name: then they are the body, one after the other.
    pub(super) fn nameless(&self) -> bool {
        let no_name = |argument: &Argument| argument.name.as_literal() == Some("");
        !self.all.is_empty() && self.all.iter().all(no_name)
    }
}

impl Compiler<'_> {
    pub(super) fn arguments(&mut self, object: &Object) -> Arguments {
        let mut found = Arguments::default();
        let Some(list) = object.object("HTTPsampler.Arguments") else {
            return found;
        };
        for argument in list.objects("Arguments.arguments") {
            found.all.push(Argument {
                name: self.template(object, argument.text("Argument.name")),
                value: self.template(object, argument.text("Argument.value")),
                encode: argument.text("HTTPArgument.always_encode") == "true",
                separator: argument.text("Argument.metadata").to_owned(),
            });
        }
        found
    }

    /// Joins named arguments for a query or a form; `None` if there are none. In a form, what is not to be encoded counts as encoded
    /// already: it is decoded and encoded again.
    pub(super) fn encoded_arguments(&mut self, arguments: &Arguments, form: bool) -> Option<Template> {
        let mut joined: Option<Template> = None;
        for argument in &arguments.all {
            if argument.name.as_literal() == Some("") {
                continue;
            }
            let encode = |text: &Template| match (argument.encode, form) {
                (true, _) => form_encoded(text.clone()),
                (false, true) => form_encoded(decoded(text.clone())),
                (false, false) => text.clone(),
            };
            let so_far = joined.get_or_insert_default();
            if !so_far.parts().is_empty() {
                so_far.push_literal("&");
            }
            so_far.append(encode(&argument.name));
            so_far.push_literal(if form { "=" } else { &argument.separator });
            so_far.append(encode(&argument.value));
        }
        joined
    }

    pub(super) fn request_body(
        &mut self,
        object: &Object,
        arguments: &Arguments,
        method: &str,
    ) -> RequestBody {
        let files = object.object("HTTPsampler.Files");
        let files: Vec<Object> = files
            .iter()
            .flat_map(|files| files.objects("HTTPFileArgs.files"))
            .filter(|file| !file.text("File.path").trim().is_empty())
            .cloned()
            .collect();
        let raw = object.text("HTTPSampler.postBodyRaw") == "true" || arguments.nameless();
        // A DELETE has its arguments in both places.
        let without_form = matches!(method, "GET" | "OPTIONS" | "HEAD" | "TRACE");
        let multipart = object.text("HTTPSampler.DO_MULTIPART_POST") == "true";
        match files.as_slice() {
            [file] if file.text("File.paramname").trim().is_empty() && arguments.all.is_empty() => {
                self.file(object, file)
            }
            _ if method == "POST" && (multipart && !raw || !files.is_empty()) => {
                self.multipart(object, arguments, &files)
            }
            _ if raw => {
                let mut body = Template::default();
                for argument in &arguments.all {
                    body.append(if argument.encode {
                        form_encoded(argument.value.clone())
                    } else {
                        argument.value.clone()
                    });
                }
                match body.as_literal() {
                    Some("") => RequestBody::Nothing,
                    _ => RequestBody::Text(body),
                }
            }
            _ if without_form => RequestBody::Nothing,
            _ => match self.encoded_arguments(arguments, true) {
                Some(form) => RequestBody::Text(form),
                None => RequestBody::Nothing,
            },
        }
    }

    fn file(&mut self, object: &Object, file: &Object) -> RequestBody {
        let path = self.parsed(object, file.text("File.path"));
        let Some(path) = self.fixed(&path) else {
            self.fixed_text(file, "File.path");
            return RequestBody::Nothing;
        };
        match self.file_bytes(object, path.trim()) {
            Some(bytes) => RequestBody::Bytes(bytes),
            None => RequestBody::Nothing,
        }
    }

    fn multipart(&mut self, object: &Object, arguments: &Arguments, files: &[Object]) -> RequestBody {
        let mut parts = Vec::new();
        let charset = self.charset(object).unwrap_or("UTF-8");
        for argument in arguments.all.iter().filter(|argument| argument.name.as_literal() != Some("")) {
            let browser = object.text("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART") == "true";
            parts.push(BodyPart {
                name: argument.name.clone(),
                file_name: None,
                content_type: (!browser)
                    .then(|| Template::literal(&format!("text/plain; charset={charset}"))),
                content: RequestBody::Text(argument.value.clone()),
            });
        }
        for file in files {
            let path = file.text("File.path");
            let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
            let kind = file.text("File.mimetype");
            parts.push(BodyPart {
                name: self.template(object, file.text("File.paramname")),
                file_name: Some(self.template(object, name)),
                content_type: Some(match kind.trim() {
                    "" => Template::literal("application/octet-stream"),
                    kind => self.template(object, kind),
                }),
                content: self.file(object, file),
            });
        }
        RequestBody::Multipart(parts)
    }
}

/// Encodes fixed text now, and the rest when it is rendered.
fn form_encoded(text: Template) -> Template {
    let mut found = Template::default();
    for part in text.parts() {
        match part.as_literal() {
            Some(text) => found.push_literal(&form(text)),
            None => found.append(Template::call(Function::Form, vec![part.clone().into()])),
        }
    }
    found
}

fn decoded(text: Template) -> Template {
    match text.as_literal() {
        Some(fixed) if !fixed.contains(['%', '+']) => text,
        _ => Template::call(Function::Decode, vec![text]),
    }
}

/// Encodes as Java's `URLEncoder` does.
fn form(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => found.push('+'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => {
                found.push(char::from(byte))
            }
            _ => found.push_str(&format!("%{byte:02X}")),
        }
    }
    found
}
