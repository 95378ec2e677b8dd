//! Bytes in scripts: they are kept as the text that they are of, and can only be made a text again, or be encoded.

use super::{Local, Lowered, Lowering, Raw};
use crate::script::kind::DeclaredKind;
use crate::script::syntax::ARRAY;
use traffic::scenario::{Dialect, Expr, Statement};

impl DeclaredKind {
    /// Whether a variable of this kind holds bytes.
    pub(super) const fn is_bytes(self) -> bool {
        matches!(self, Self::Bytes | Self::DecodedBytes)
    }
}

impl Lowering<'_> {
    /// Which bytes an expression gives; `None` where it gives something else.
    pub(super) fn bytes(&self, raw: &Raw) -> Option<DeclaredKind> {
        match raw {
            Raw::Name(name) => match self.local(name) {
                Some(Local::Value(kind)) if kind.is_bytes() => Some(*kind),
                _ => None,
            },
            Raw::Member(of, name) if name == "bytes" && self.dialect == Dialect::Groovy => {
                (!self.is_of_json(of)).then_some(DeclaredKind::Bytes)
            }
            Raw::Call(callee, _) => {
                let Raw::Member(of, method) = &**callee else { return None };
                let path = self.receiver_path(of).map(|path| format!("{path}.{method}"));
                match (path.as_deref(), method.as_str()) {
                    (
                        Some("Base64.getDecoder.decode" | "Base64.decoder.decode" | "Base64.decodeBase64"),
                        _,
                    ) => Some(DeclaredKind::DecodedBytes),
                    (_, "decodeBase64") if self.dialect == Dialect::Groovy => {
                        Some(DeclaredKind::DecodedBytes)
                    }
                    // Base64 consists of characters of one byte.
                    (
                        Some("Base64.getEncoder.encode" | "Base64.encoder.encode" | "Base64.encodeBase64"),
                        _,
                    )
                    | (_, "getBytes") => Some(DeclaredKind::Bytes),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether it is a part of a parsed JSON text, which may have a key of any name.
    fn is_of_json(&self, raw: &Raw) -> bool {
        match raw {
            Raw::Name(name) => matches!(self.local(name), Some(Local::Json(..))),
            Raw::Member(of, _) | Raw::Binary(_, of, _) => self.is_of_json(of),
            _ => false,
        }
    }

    /// Gives a variable bytes; `None` where the value is something else.
    pub(super) fn assigned_bytes(
        &mut self,
        name: &str,
        value: &Raw,
        declared: Option<&str>,
    ) -> Lowered<Option<Statement>> {
        let is_array = declared.is_some_and(|kind| kind.strip_suffix(ARRAY) == Some("byte"));
        match (self.bytes(value), declared) {
            (Some(kind), None | Some("")) => self.with_bytes(name, value, kind).map(Some),
            (Some(kind), Some(_)) if is_array => self.with_bytes(name, value, kind).map(Some),
            (None, Some(_)) if is_array => Err("`byte[]`".to_owned()),
            _ => Ok(None),
        }
    }

    fn with_bytes(&mut self, name: &str, value: &Raw, kind: DeclaredKind) -> Lowered<Statement> {
        let value = self.value(value)?;
        self.declare(name, Local::Value(kind));
        Ok(Statement::Assign(name.to_owned(), value))
    }

    /// Lowers what is encoded: bytes of a text, or a text. Bytes that were decoded may be those of no text.
    pub(super) fn of_bytes(&mut self, raw: &Raw) -> Lowered<Expr> {
        match self.bytes(raw) {
            Some(DeclaredKind::DecodedBytes) => Err("bytes that were decoded".to_owned()),
            _ => self.value(raw),
        }
    }
}
