//! Dates and times in scripts: a moment is a number of milliseconds since 1970 here, and can only be moved, written or taken as this number.

use super::lower::{Local, Lowered, Lowering, path};
use super::syntax::Raw;
use traffic::scenario::{BinaryOperator, Dialect, Expr, Function, ScriptValue, TimePart};

/// Which of Java's classes writes a time by its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateStyle {
    /// `SimpleDateFormat`.
    Simple,
    /// `DateTimeFormatter`.
    Formatter,
}

/// Returns a pattern that is known and means the same here; the error names it.
pub(super) fn checked(pattern: Expr, style: DateStyle) -> Lowered<Expr> {
    let unknown = || "this pattern of a date".to_owned();
    let text = pattern.as_literal().ok_or_else(unknown)?;
    let parts = TimePart::parse(text).map_err(|_| format!("the pattern `{text}` of a date"))?;
    let means_same = |part: &TimePart| match part {
        // The letter S counts milliseconds in one class, and digits of the fraction of the second in the other.
        TimePart::Millis(digits) => style == DateStyle::Simple || *digits == 3,
        _ => true,
    };
    let other_letters = style == DateStyle::Simple && text.contains(['u', 'L']);
    if parts.is_empty() || other_letters || !parts.iter().all(means_same) {
        return Err(format!("the pattern `{text}` of a date"));
    }
    Ok(pattern)
}

/// The milliseconds by which a method moves a moment for each unit; `None` for other methods.
fn step_of(method: &str) -> Option<i64> {
    Some(match method {
        "plusDays" => 86_400_000,
        "plusWeeks" => 7 * 86_400_000,
        "plusHours" => 3_600_000,
        "plusMinutes" => 60_000,
        "plusSeconds" => 1000,
        "plusMillis" => 1,
        "minusDays" => -86_400_000,
        "minusWeeks" => -7 * 86_400_000,
        "minusHours" => -3_600_000,
        "minusMinutes" => -60_000,
        "minusSeconds" => -1000,
        "minusMillis" => -1,
        _ => return None,
    })
}

impl Lowering<'_> {
    /// Returns a moment as its milliseconds since 1970; `None` for what is no moment.
    pub(super) fn moment(&mut self, raw: &Raw) -> Lowered<Option<Expr>> {
        let now = || Some(Expr::Call(Function::Time(Vec::new()), Vec::new()));
        match raw {
            Raw::Name(name) if matches!(self.local(name), Some(Local::Moment)) => {
                Ok(Some(Expr::Local(name.clone())))
            }
            Raw::New(class, arguments) if class == "Date" => match arguments.as_slice() {
                [] => Ok(now()),
                [millis] => match self.moment(millis)? {
                    Some(moment) => Ok(Some(moment)),
                    None => Ok(Some(self.expression(millis)?)),
                },
                _ => Ok(None),
            },
            Raw::Call(callee, arguments) => {
                let now_of = ["LocalDateTime.now", "LocalDate.now", "Instant.now", "ZonedDateTime.now"];
                if arguments.is_empty() && path(callee).is_some_and(|name| now_of.contains(&name.as_str())) {
                    return Ok(now());
                }
                let Raw::Member(of, method) = &**callee else {
                    return Ok(None);
                };
                let Some(moment) = self.moment(of)? else {
                    return Ok(None);
                };
                match (step_of(method), method.as_str(), arguments.as_slice()) {
                    (Some(step), _, [count]) => {
                        let step = Expr::Constant(ScriptValue::Integer(step));
                        let by = Expr::binary(self.expression(count)?, BinaryOperator::Multiply, step);
                        Ok(Some(Expr::binary(moment, BinaryOperator::Add, by)))
                    }
                    (None, "toInstant", []) => Ok(Some(moment)),
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// Methods of a moment that give a value.
    pub(super) fn of_moment(&mut self, of: &Raw, method: &str, arguments: &[Raw]) -> Lowered<Option<Expr>> {
        let Some(moment) = self.moment(of)? else {
            return Ok(None);
        };
        let written =
            |pattern: Expr| Ok(Some(Expr::Call(Function::FormatTime, vec![pattern, moment.clone()])));
        match (method, arguments) {
            ("getTime" | "toEpochMilli" | "getTimeInMillis", []) => Ok(Some(moment)),
            (part, []) if self.dialect == Dialect::JavaScript && part_of_date(part).is_some() => {
                let (pattern, less) = part_of_date(part).unwrap_or_default();
                let text = Expr::Call(Function::FormatTime, vec![Expr::literal(pattern), moment]);
                let number = Expr::Call(Function::ToInteger, vec![text]);
                let less = Expr::Constant(ScriptValue::Integer(less));
                Ok(Some(Expr::binary(number, BinaryOperator::Subtract, less)))
            }
            ("toString", []) if is_date(of) => written(Expr::literal("yyyy-MM-dd")),
            ("format", [pattern]) => match self.object(pattern)? {
                Some(Local::TimeFormat(pattern)) => written(pattern),
                _ => {
                    let pattern = self.expression(pattern)?;
                    written(checked(pattern, DateStyle::Simple)?)
                }
            },
            _ => Err(format!("`.{method}` of a date")),
        }
    }
}

/// The pattern of a part of a date in JavaScript, and by how much JavaScript's number is less.
fn part_of_date(method: &str) -> Option<(&'static str, i64)> {
    Some(match method {
        "getDate" => ("d", 0),
        "getMonth" => ("M", 1),
        "getFullYear" => ("yyyy", 0),
        "getHours" => ("H", 0),
        "getMinutes" => ("m", 0),
        "getSeconds" => ("s", 0),
        _ => return None,
    })
}

/// Whether a moment is a date without a time.
fn is_date(raw: &Raw) -> bool {
    match raw {
        Raw::Call(callee, _) => {
            path(callee).as_deref() == Some("LocalDate.now")
                || matches!(&**callee, Raw::Member(of, _) if is_date(of))
        }
        _ => false,
    }
}
