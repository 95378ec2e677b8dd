//! Compiles JMeter's functions of dates and times.

use super::Compiler;
use crate::compound::FunctionCall;
use crate::tree::Object;
use traffic::scenario::{
    BinaryOperator, Dialect, Expr, Function, ScriptValue, Snippet, Statement, Template, TimePart, read_time,
    write_time,
};

const DAY: i64 = 86_400_000;
/// The pattern of dates where the function names none.
const DATE: &str = "yyyy-MM-dd";

impl Compiler<'_> {
    /// Compiles a function of dates and times; `None` for other functions, and `Some(None)` for arguments that are not supported.
    pub(super) fn time_function(&mut self, object: &Object, call: &FunctionCall) -> Option<Option<Template>> {
        match call.name.as_str() {
            "__time" => Some(self.present_time(object, call)),
            "__timeShift" => Some(self.shifted_time(object, call)),
            "__dateTimeConvert" => Some(self.converted_date(object, call)),
            "__RandomDate" => Some(self.random_date(object, call)),
            _ => None,
        }
    }

    /// Returns the fixed text of an argument; empty where there is none, and `None` for one that is not known before the load starts.
    fn fixed_argument(&self, call: &FunctionCall, at: usize) -> Option<String> {
        call.arguments.get(at).map_or(Some(String::new()), |argument| self.fixed(argument))
    }

    fn present_time(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let pattern = self.fixed_argument(call, 0)?;
        // The properties time.YMD and so on name patterns.
        let named = self.settings.properties.get(&format!("time.{pattern}")).cloned();
        let pattern = named.unwrap_or_else(|| match pattern.as_str() {
            "YMD" => "yyyyMMdd".to_owned(),
            "HMS" => "HHmmss".to_owned(),
            "YMDHMS" => "yyyyMMdd-HHmmss".to_owned(),
            _ => pattern,
        });
        let value = match pattern.as_str() {
            "USER1" | "USER2" => Template::default(),
            "" => Template::call(Function::Time(Vec::new()), Vec::new()),
            "/1000" => Template::call(Function::Time(vec![TimePart::EpochSeconds]), Vec::new()),
            pattern => Template::call(Function::Time(pattern_of(pattern)?), Vec::new()),
        };
        Some(self.kept(object, call, 1, value))
    }

    /// `__timeShift(pattern, date, shift, locale, variable)`; where there are four arguments, the last one is the variable.
    fn shifted_time(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let variable = match call.arguments.len() {
            4 => 3,
            5 => 4,
            _ => return None,
        };
        let shift = iso_duration(self.fixed_argument(call, 2)?.trim())?;
        if variable == 4 && !is_english(&self.fixed_argument(call, 3)?) {
            return None;
        }
        let pattern = self.fixed_argument(call, 0)?;
        let date = self.fixed_argument(call, 1)?;
        let parts = if pattern.is_empty() { Vec::new() } else { pattern_of(&pattern)? };
        let value = if date.trim().is_empty() {
            Template::call(Function::Time(parts), vec![Template::literal(&shift.to_string())])
        } else {
            let date = match parts.is_empty() {
                true => date.trim().parse().ok()?,
                false => read_time(&parts, date.trim())?,
            };
            Template::literal(&written(&parts, date + shift))
        };
        Some(self.kept(object, call, variable, value))
    }

    /// `__dateTimeConvert(date, its pattern, the wanted pattern, variable)`.
    fn converted_date(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let (date, from, to) =
            (self.fixed_argument(call, 0)?, self.fixed_argument(call, 1)?, self.fixed_argument(call, 2)?);
        // A number of milliseconds is written in the time zone of the machine that loads.
        let date = read_time(&pattern_of(&from)?, &date)?;
        let value = Template::literal(&written(&pattern_of(&to)?, date));
        Some(self.kept(object, call, 3, value))
    }

    /// `__RandomDate(pattern, from, to, locale, variable)`: a day from the first one up to but without the last one.
    fn random_date(&mut self, object: &Object, call: &FunctionCall) -> Option<Template> {
        let or = |text: String, default: &str| if text.trim().is_empty() { default.to_owned() } else { text };
        let parts = pattern_of(&or(self.fixed_argument(call, 0)?, DATE))?;
        if !is_english(&self.fixed_argument(call, 3)?) {
            return None;
        }
        let today = written(&parts, self.settings.now);
        let from = read_time(&parts, or(self.fixed_argument(call, 1)?, &today).trim())?;
        let to = read_time(&parts, or(self.fixed_argument(call, 2)?, &today).trim())?;
        let days = (to - from) / DAY;
        if days < 1 || parts.iter().any(|part| matches!(part, TimePart::Hour(_) | TimePart::Hour12(_))) {
            return None;
        }
        // Noon is on the same day in the time zones of nearly all places.
        let number = |value: i64| Expr::Constant(ScriptValue::Integer(value));
        let drawn = Expr::Call(Function::RandomBetween, vec![number(0), number(days)]);
        let moment = Expr::binary(
            Expr::binary(drawn, BinaryOperator::Multiply, number(DAY)),
            BinaryOperator::Add,
            number(from + DAY / 2),
        );
        let pattern = Expr::literal(&or(self.fixed_argument(call, 0)?, DATE));
        let value = Expr::Call(Function::FormatTime, vec![pattern, moment]);
        let statements = vec![Statement::Value(value)];
        let value =
            Expr::Script(Box::new(Snippet { dialect: Dialect::Groovy, statements, holes: Vec::new() }));
        Some(self.kept(object, call, 4, value.into()))
    }
}

/// Parses a pattern of Java's `DateTimeFormatter` that means the same here.
fn pattern_of(pattern: &str) -> Option<Vec<TimePart>> {
    let parts = TimePart::parse(pattern).ok()?;
    let is_same = |part: &TimePart| !matches!(part, TimePart::Millis(digits) if *digits != 3);
    (!pattern.starts_with('/') && parts.iter().all(is_same)).then_some(parts)
}

fn written(parts: &[TimePart], date: i64) -> String {
    let mut text = Vec::new();
    write_time(parts, date, 0, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Whether the names of months and days are English in a locale.
fn is_english(locale: &str) -> bool {
    let locale = locale.trim();
    locale.is_empty() || locale == "en" || locale.starts_with("en_")
}

/// Parses a duration of ISO 8601 in days, hours, minutes and seconds, such as `P1DT2H` or `-PT30S`: milliseconds. An empty text is
/// no shift.
fn iso_duration(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (mut total, mut number, mut time) = (0f64, String::new(), false);
    for c in text.strip_prefix(['P', 'p'])?.chars() {
        let unit = match c.to_ascii_uppercase() {
            'T' => {
                time = true;
                continue;
            }
            'D' => 86_400.0,
            'H' if time => 3600.0,
            'M' if time => 60.0,
            'S' if time => 1.0,
            c if c.is_ascii_digit() || c == '.' || c == '-' => {
                number.push(c);
                continue;
            }
            _ => return None,
        };
        total += std::mem::take(&mut number).parse::<f64>().ok()? * unit;
    }
    number.is_empty().then(|| sign * (total * 1000.0) as i64)
}
