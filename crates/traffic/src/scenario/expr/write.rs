//! Writes the texts of expressions, in memory that is used again.

use super::encode::{base64, base64_decode, decode, digest, form, json_text, percent, xml_text};
use super::evaluate::Evaluator;
use super::{Dialect, Expr, ExprHost, Function, ScriptFailure, ScriptValue, Template};
use crate::scenario::{escape_html, push_number, unescape_html, write_time};

/// The letters of a random text that names none.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// The longest random text.
const LONGEST: u64 = 1 << 20;
/// What stands for an argument that is missing.
const MISSING: &Expr = &Expr::Constant(ScriptValue::Null);

type Written = Result<(), ScriptFailure>;

impl Template {
    /// Appends the text.
    pub fn write<H: ExprHost>(&self, host: &mut H, out: &mut Vec<u8>) {
        let mut evaluator = Evaluator::new(host, Dialect::Text);
        for part in self.parts() {
            // Nothing fails in this dialect.
            evaluator.write(part, out).ok();
        }
    }
}

impl<'a, H: ExprHost> Evaluator<'a, '_, H> {
    /// Appends the text of an expression.
    pub(super) fn write(&mut self, expression: &'a Expr, out: &mut Vec<u8>) -> Written {
        match expression {
            Expr::Constant(ScriptValue::Text(text)) => out.extend_from_slice(text.as_bytes()),
            Expr::Environment(index) => out.extend_from_slice(self.host.environment(*index).as_bytes()),
            Expr::Variable(slot) => self.write_variable(*slot, out),
            Expr::Item { list, index } => {
                let number = self.whole(index)?;
                out.extend_from_slice(self.host.item(*list, number));
            }
            Expr::ListLength(list) => push_number(out, self.host.list_length(*list) as i64, 1),
            Expr::Text(template) => {
                for part in template.parts() {
                    self.write(part, out)?;
                }
            }
            Expr::HoleText(index) => {
                if let Some(hole) = self.holes.get(*index) {
                    hole.write(self.host, out);
                }
            }
            Expr::Choice(condition, then, otherwise) => {
                let chosen = if self.truth(condition)? { then } else { otherwise };
                self.write(chosen, out)?;
            }
            Expr::Script(snippet) => match snippet.run(self.host, None).value {
                Err(_) => {}
                Ok(ScriptValue::Null) if snippet.dialect != Dialect::JavaScript => {}
                Ok(value) => out.extend_from_slice(value.to_text(snippet.dialect).as_bytes()),
            },
            Expr::Call(function, arguments) if function.is_written() => {
                self.write_call(function, arguments, out)?;
            }
            _ => match self.value(expression)? {
                ScriptValue::Null if self.dialect == Dialect::Text => {}
                ScriptValue::Integer(number) => push_number(out, number, 1),
                value => out.extend_from_slice(value.to_text(self.dialect).as_bytes()),
            },
        }
        Ok(())
    }

    /// The text of an expression, in memory that the host takes back.
    pub(super) fn rendered(&mut self, expression: &'a Expr) -> Result<Vec<u8>, ScriptFailure> {
        let mut text = self.host.take_buffer();
        self.write(expression, &mut text)?;
        Ok(text)
    }

    fn write_variable(&mut self, slot: usize, out: &mut Vec<u8>) {
        if let Some(text) = self.host.variable(slot) {
            return out.extend_from_slice(text);
        }
        out.extend_from_slice(b"${");
        out.extend_from_slice(self.host.variable_name(slot).as_bytes());
        out.push(b'}');
    }

    fn write_call(&mut self, function: &Function, arguments: &'a [Expr], out: &mut Vec<u8>) -> Written {
        let argument = |at: usize| arguments.get(at).unwrap_or(MISSING);
        match function {
            Function::RandomInteger { digits } => {
                let (least, most) = (self.whole(argument(0))?, self.whole(argument(1))?);
                let span = most.saturating_sub(least).max(0) as u64;
                let drawn = self.host.below(span.saturating_add(1));
                push_number(out, least.saturating_add(drawn as i64), *digits);
            }
            Function::RandomText => self.random_text(argument(0), argument(1), out)?,
            Function::Pick => {
                let drawn = self.host.below(arguments.len().max(1) as u64);
                self.write(argument(drawn as usize), out)?;
            }
            Function::Uuid => self.uuid(out),
            Function::Time(format) => {
                let millis = self.moment(arguments)?;
                write_time(format, millis, self.host.utc_offset(), out);
            }
            Function::Next { counter, digits } => {
                let number = self.host.next_number(*counter);
                push_number(out, number, *digits);
            }
            Function::GroupName => out.extend_from_slice(self.host.group_name().as_bytes()),
            Function::Keep(slot) => {
                let text = self.rendered(argument(0))?;
                self.host.set_variable(*slot, &text);
                self.host.keep_buffer(text);
                self.write_variable(*slot, out);
            }
            function => {
                let text = self.rendered(argument(0))?;
                encode(function, &text, out);
                self.host.keep_buffer(text);
            }
        }
        Ok(())
    }

    fn random_text(&mut self, length: &'a Expr, letters: &'a Expr, out: &mut Vec<u8>) -> Written {
        let length = (self.whole(length)?.max(0) as u64).min(LONGEST);
        let given = self.rendered(letters)?;
        let given_text = String::from_utf8_lossy(&given);
        let letters: Vec<char> = given_text.chars().collect();
        for _ in 0..length {
            if letters.is_empty() {
                out.push(LETTERS[self.host.below(LETTERS.len() as u64) as usize]);
            } else {
                let letter = letters[self.host.below(letters.len() as u64) as usize];
                out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        drop(given_text);
        self.host.keep_buffer(given);
        Ok(())
    }

    /// A random UUID (RFC 9562 section 5.4).
    fn uuid(&mut self, out: &mut Vec<u8>) {
        let mut bits = u128::from(self.host.below(u64::MAX)) << 64;
        bits |= u128::from(self.host.below(u64::MAX));
        bits = bits & !(0xf << 76) | 4 << 76;
        bits = bits & !(0b11 << 62) | 0b10 << 62;
        for digit in 0..32 {
            if matches!(digit, 8 | 12 | 16 | 20) {
                out.push(b'-');
            }
            out.push(b"0123456789abcdef"[(bits >> (124 - 4 * digit)) as usize & 0xf]);
        }
    }
}

/// Appends what a function makes of one text.
fn encode(function: &Function, text: &[u8], out: &mut Vec<u8>) {
    match function {
        Function::Percent => percent(text, out),
        Function::Form => form(text, out),
        Function::Decode => decode(text, out),
        Function::Base64 => base64(text, out),
        Function::Base64Decode => base64_decode(text, out),
        Function::JsonText => json_text(text, out),
        Function::XmlText => xml_text(text, out),
        Function::HtmlText => escape_html(text, out),
        Function::UnescapeHtml => unescape_html(text, out),
        Function::Digest(algorithm) => digest(*algorithm, text, out),
        _ => {}
    }
}
