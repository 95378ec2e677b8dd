//! Templates and functions as scenario files write them.

use super::{Refused, Writer};
use crate::address::{encoded, encoded_but};
use crate::remark::PlanPart;
use traffic::scenario::{Expr, Function, ResponsePart, ScriptValue, Template, TimePart};

/// How a text is encoded.
#[derive(Clone, Copy)]
enum Encoding {
    Percent,
    Form,
    Upper,
    Lower,
    Json,
}

impl Encoding {
    const fn function(self) -> &'static str {
        match self {
            Self::Percent => "url",
            Self::Form => "form",
            Self::Upper => "upper",
            Self::Lower => "lower",
            Self::Json => "json",
        }
    }

    fn of(self, text: &str) -> String {
        match self {
            Self::Percent => encoded(text),
            Self::Form => encoded_but(text, b"-._* ").replace(' ', "+"),
            Self::Upper => text.to_uppercase(),
            Self::Lower => text.to_lowercase(),
            Self::Json => {
                let quoted = serde_json::Value::String(text.to_owned()).to_string();
                quoted[1..quoted.len() - 1].to_owned()
            }
        }
    }
}

impl Writer<'_> {
    /// Writes a template.
    pub(super) fn template(&mut self, template: &Template) -> Result<String, Refused> {
        let mut out = String::new();
        for part in template.parts() {
            self.part(part, &mut out)?;
        }
        Ok(out)
    }

    fn part(&mut self, part: &Expr, out: &mut String) -> Result<(), Refused> {
        let text = match part {
            Expr::Constant(ScriptValue::Text(text)) => {
                out.push_str(&crate::draft::literal(text));
                return Ok(());
            }
            Expr::Environment(index) => format!("${{env('{}')}}", self.program.environment[*index].name),
            Expr::Variable(slot) => match self.variable(*slot) {
                Some(name) => format!("${{{name}}}"),
                None => {
                    // JMeter sends a variable that nothing sets as it is written.
                    let name = self.program.variables.name(*slot);
                    out.push_str(&format!("$${{{name}}}"));
                    return Ok(());
                }
            },
            Expr::Item { list, index } => {
                let index = self.argument(index)?;
                if !self.lists.contains(list) || index.starts_with('\'') {
                    return Err(PlanPart::List);
                }
                format!("${{{}[{index}]}}", self.list_name(*list))
            }
            Expr::ListLength(list) => {
                if !self.lists.contains(list) {
                    return Err(PlanPart::List);
                }
                format!("${{{}.length}}", self.list_name(*list))
            }
            Expr::Call(function, arguments) => self.function(function, arguments)?,
            Expr::Script(_) => return Err(PlanPart::Script),
            _ => return Err(PlanPart::Function),
        };
        // A dollar before `${` would make it plain text.
        if out.ends_with('$') && text.starts_with("${") {
            return Err(PlanPart::Dollar);
        }
        out.push_str(&text);
        Ok(())
    }

    /// The name of a variable that is used here; `None` if nothing ever sets it. One that is set later only is defined in `[vars]`.
    pub(super) fn variable(&mut self, slot: usize) -> Option<String> {
        if self.initial(slot).is_none() && !self.changed.contains(&slot) {
            return None;
        }
        self.used.insert(slot);
        if !self.defined.contains(&slot) {
            self.early.insert(slot);
            self.defined.insert(slot);
        }
        Some(self.name(slot))
    }

    /// Writes an argument of a function: a number, a text in quotes or a name.
    fn argument(&mut self, argument: &Expr) -> Result<String, Refused> {
        if let Some(text) = argument.as_literal() {
            let trimmed = text.trim();
            return match trimmed.parse::<f64>() {
                Ok(_) => Ok(trimmed.to_owned()),
                Err(_) if !text.contains('\'') => Ok(format!("'{text}'")),
                Err(_) if !text.contains('"') => Ok(format!("\"{text}\"")),
                Err(_) => Err(PlanPart::Function),
            };
        }
        let slot = argument.only_variable().ok_or(PlanPart::Function)?;
        self.variable(slot).ok_or(PlanPart::Function)
    }

    fn arguments(&mut self, name: &str, all: &[Expr]) -> Result<String, Refused> {
        let mut written = Vec::new();
        for argument in all {
            written.push(self.argument(argument)?);
        }
        Ok(format!("${{{name}({})}}", written.join(", ")))
    }

    /// Writes a function.
    fn function(&mut self, function: &Function, arguments: &[Expr]) -> Result<String, Refused> {
        match (function, arguments) {
            (Function::RandomInteger { digits: 0 | 1 }, _) => self.arguments("random", arguments),
            (Function::RandomText, [length, letters]) => self.random_text(length, letters),
            (Function::RandomText, _) => self.arguments("random_text", arguments),
            (Function::Pick, _) => self.arguments("pick", arguments),
            (Function::Sum, _) => self.arguments("sum", arguments),
            (Function::Uuid, _) => Ok("${uuid()}".to_owned()),
            (Function::UserNumber, _) => Ok("${user()}".to_owned()),
            (Function::Iteration, _) => Ok("${iteration()}".to_owned()),
            (Function::Session, _) => Ok("${session()}".to_owned()),
            (Function::GroupName, _) => Ok("${scenario()}".to_owned()),
            (Function::Response(ResponsePart::Status), _) => Ok("${status()}".to_owned()),
            (Function::Time(format), []) => now(format),
            (Function::Time(format), [shift]) if matches!(shift.as_literal(), Some("" | "0")) => now(format),
            (Function::Next { counter, digits: 0 | 1 }, _) => self.counter(*counter),
            (Function::Percent, [text]) => self.encoded(Encoding::Percent, text),
            (Function::Form, [text]) => self.encoded(Encoding::Form, text),
            (Function::Upper, [text]) => self.encoded(Encoding::Upper, text),
            (Function::Lower, [text]) => self.encoded(Encoding::Lower, text),
            (Function::JsonText, [text]) => self.encoded(Encoding::Json, text),
            (Function::Replace, [text, from, to]) => self.replaced(text, from, to),
            (Function::Base64, _) => self.arguments("base64", arguments),
            _ => Err(PlanPart::Function),
        }
    }

    /// Writes a text with something replaced in it.
    fn replaced(&mut self, text: &Expr, from: &Expr, to: &Expr) -> Result<String, Refused> {
        let written = match text {
            Expr::Call(function, arguments) if stays_as_it_is(function) => {
                return self.function(function, arguments);
            }
            other => {
                let mut written = String::new();
                self.part(other, &mut written)?;
                written
            }
        };
        let inside = written.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
        match inside.filter(|text| !text.contains('}')) {
            Some(inside) => {
                let (from, to) = (self.argument(from)?, self.argument(to)?);
                Ok(format!("${{replace({inside}, {from}, {to})}}"))
            }
            None => Err(PlanPart::Encoded),
        }
    }

    fn random_text(&mut self, length: &Expr, letters: &Expr) -> Result<String, Refused> {
        let length = self.argument(length)?;
        match letters.as_literal() {
            Some("") => Ok(format!("${{random_text({length})}}")),
            // Digits alone are letters here and no number.
            Some(digits) if digits.trim().parse::<f64>().is_ok() => {
                Ok(format!("${{random_text({length}, '{digits}')}}"))
            }
            _ => Ok(format!("${{random_text({length}, {})}}", self.argument(letters)?)),
        }
    }

    /// Writes the next number of a counter.
    pub(super) fn counter(&mut self, index: usize) -> Result<String, Refused> {
        let counter = &self.program.counters[index];
        let is_plain = counter.start == 1 && counter.step == 1 && counter.end.is_none() && !counter.per_user;
        match is_plain {
            true => Ok(format!("${{counter('{}')}}", index + 1)),
            false => Err(PlanPart::Counter),
        }
    }

    /// Writes an encoded text: fixed parts are encoded at once, other parts by a function.
    fn encoded(&mut self, encoding: Encoding, text: &Expr) -> Result<String, Refused> {
        let mut out = String::new();
        for part in text.parts() {
            let text = match part {
                Expr::Constant(ScriptValue::Text(text)) => crate::draft::literal(&encoding.of(text)),
                Expr::Variable(slot) => match self.variable(*slot) {
                    Some(name) => format!("${{{}({name})}}", encoding.function()),
                    None => {
                        let name = self.program.variables.name(*slot);
                        crate::draft::literal(&encoding.of(&format!("${{{name}}}")))
                    }
                },
                Expr::Call(function, arguments) if stays_as_it_is(function) => {
                    self.function(function, arguments)?
                }
                other => {
                    // `${list[1]}` becomes `${url(list[1])}`.
                    let mut text = String::new();
                    self.part(other, &mut text)?;
                    let inside = text.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
                    let inside = inside.filter(|text| !text.contains('}')).ok_or(PlanPart::Encoded)?;
                    format!("${{{}({inside})}}", encoding.function())
                }
            };
            if out.ends_with('$') && text.starts_with("${") {
                return Err(PlanPart::Dollar);
            }
            out.push_str(&text);
        }
        Ok(out)
    }
}

/// Whether what a function gives has only digits, small letters a to f and minus signs, so that no encoding changes it.
fn stays_as_it_is(function: &Function) -> bool {
    matches!(
        function,
        Function::RandomInteger { .. }
            | Function::Next { .. }
            | Function::UserNumber
            | Function::Iteration
            | Function::Session
            | Function::Response(ResponsePart::Status)
    ) || matches!(function, Function::Time(format) if format.is_empty())
}

/// Writes the present time in a pattern of Java.
fn now(format: &[TimePart]) -> Result<String, Refused> {
    let mut pattern = String::new();
    for part in format {
        let (letter, count) = match part {
            TimePart::Literal(text) if text == "'" => {
                return Err(PlanPart::Function);
            }
            TimePart::Literal(text) if text.chars().any(|c| c.is_ascii_alphabetic()) => {
                // The pattern itself stands in quotes of the other kind.
                pattern.push_str(&format!("'{text}'"));
                continue;
            }
            TimePart::Literal(text) => {
                pattern.push_str(text);
                continue;
            }
            TimePart::EpochSeconds => {
                pattern.push_str("/1000");
                continue;
            }
            TimePart::EpochMillis => return Ok("${now()}".to_owned()),
            TimePart::Year => ('y', 4),
            TimePart::ShortYear => ('y', 2),
            TimePart::Month(digits) => ('M', *digits),
            TimePart::MonthName => ('M', 3),
            TimePart::FullMonthName => ('M', 4),
            TimePart::Day(digits) => ('d', *digits),
            TimePart::WeekDay => ('E', 3),
            TimePart::FullWeekDay => ('E', 4),
            TimePart::Hour(digits) => ('H', *digits),
            TimePart::Hour12(digits) => ('h', *digits),
            TimePart::Half => ('a', 1),
            TimePart::Minute(digits) => ('m', *digits),
            TimePart::Second(digits) => ('s', *digits),
            TimePart::Millis(digits) => ('S', *digits),
            TimePart::OffsetHours => ('X', 1),
            TimePart::Offset { z_for_utc: false, .. } => ('Z', 1),
            TimePart::Offset { colon, .. } => ('X', if *colon { 3 } else { 2 }),
        };
        pattern.extend(std::iter::repeat_n(letter, usize::from(count.max(1))));
    }
    Ok(match pattern.as_str() {
        "" => "${now()}".to_owned(),
        pattern if pattern.contains('\'') => format!("${{now(\"{pattern}\")}}"),
        pattern => format!("${{now('{pattern}')}}"),
    })
}
