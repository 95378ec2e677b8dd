//! Templates as scenario files write them: `${name}` is a variable, `${list[2]}` a value of a list, `${random(1, 6)}` a function,
//! and `$${` stands for `${` as plain text.

use std::collections::BTreeSet;
use traffic::scenario::{Expr, Function, Program, ResponsePart, SharedCounter, Slots, Template, TimePart};

/// What is wrong in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TemplateMistake {
    /// A `${` without its `}`.
    Unclosed,
    /// `${}`.
    NoName,
    /// A variable that nothing defines before it is used.
    Unknown(String),
    /// A function that there is not.
    UnknownFunction(String),
    /// A function with arguments that it cannot take; the text shows how it is written.
    Arguments(&'static str),
    /// A variable of the environment that is not set.
    NoEnvironment(String),
}

/// A mistake and its place, in bytes from the begin of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MistakeInTemplate {
    /// The bytes from `${` to `}`, or to the end where that is missing.
    pub(super) place: std::ops::Range<usize>,
    /// What is wrong there.
    pub(super) mistake: TemplateMistake,
}

/// What a template can name, while a file is read.
pub(super) struct Names<'a> {
    /// The program so far; its variables and lists are those that are defined before the template.
    pub(super) program: &'a mut Program,
    /// The names of the counters, in the order in which the program has the counters.
    pub(super) counters: &'a mut Slots,
    /// The value of a variable of the environment.
    pub(super) environment: &'a dyn Fn(&str) -> Option<String>,
    /// The slots of the variables that templates name.
    pub(super) used: &'a mut BTreeSet<usize>,
}

/// Compiles a text.
///
/// # Errors
///
/// All mistakes in the text, in their order.
pub(super) fn compile(text: &str, names: &mut Names<'_>) -> Result<Template, Vec<MistakeInTemplate>> {
    let mut template = Template::default();
    let mut mistakes = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("${") {
        let start = at + found;
        if text[at..start].ends_with('$') {
            template.push_literal(&text[at..start - 1]);
            template.push_literal("${");
            at = start + 2;
            continue;
        }
        template.push_literal(&text[at..start]);
        let end = closing_brace(&text[start + 2..]).map_or(text.len(), |length| start + 2 + length + 1);
        match part(&text[start..end], names) {
            Ok(part) => template.push(part),
            Err(mistake) => mistakes.push(MistakeInTemplate { place: start..end, mistake }),
        }
        at = end;
    }
    template.push_literal(&text[at..]);
    if mistakes.is_empty() { Ok(template) } else { Err(mistakes) }
}

/// The place of the `}` that ends an expression; one in quotes does not.
fn closing_brace(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) if text[..at].contains('(') => quote = Some(c),
            ('}', None) => return Some(at),
            _ => {}
        }
    }
    None
}

/// What is written as `${…}`.
fn part(written: &str, names: &mut Names<'_>) -> Result<Expr, TemplateMistake> {
    let inside = written.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let inside = inside.ok_or(TemplateMistake::Unclosed)?.trim();
    if inside.is_empty() {
        return Err(TemplateMistake::NoName);
    }
    if let Some((name, arguments)) = inside.split_once('(') {
        let arguments = arguments.strip_suffix(')').ok_or(TemplateMistake::Unclosed)?;
        return function(name.trim(), arguments, names);
    }
    named(inside, names)
}

/// A variable, a value of a list, or the length of a list.
fn named(name: &str, names: &mut Names<'_>) -> Result<Expr, TemplateMistake> {
    let program = &names.program;
    if let Some(slot) = program.variables.find(name) {
        names.used.insert(slot);
        return Ok(Expr::Variable(slot));
    }
    let unknown = || TemplateMistake::Unknown(name.to_owned());
    if let Some((list, index)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        let list = program.lists.find(list).ok_or_else(unknown)?;
        let index = match index.parse::<u32>() {
            Ok(number) => Expr::literal(&number.to_string()),
            Err(_) => Expr::Variable(program.variables.find(index).ok_or_else(unknown)?),
        };
        return Ok(Expr::Item { list, index: Box::new(index) });
    }
    let list = name.strip_suffix(".length").and_then(|list| program.lists.find(list));
    list.map(Expr::ListLength).ok_or_else(unknown)
}

/// Every function and how it is written.
pub(super) const FUNCTIONS: [(&str, &str); 20] = [
    ("random", "${random(1, 100)}"),
    ("random_text", "${random_text(8)} or ${random_text(8, 'abc')}"),
    ("pick", "${pick('red', 'green')}"),
    ("uuid", "${uuid()}"),
    ("now", "${now()} or ${now('yyyy-MM-dd')}"),
    ("counter", "${counter()} or ${counter('name')}"),
    ("user", "${user()}"),
    ("iteration", "${iteration()}"),
    ("session", "${session()}"),
    ("scenario", "${scenario()}"),
    ("status", "${status()}"),
    ("env", "${env('NAME')}"),
    ("url", "${url(name)}"),
    ("form", "${form(name)}"),
    ("base64", "${base64(name)}"),
    ("upper", "${upper(name)}"),
    ("lower", "${lower(name)}"),
    ("json", "${json(name)}"),
    ("sum", "${sum(name, 1)}"),
    ("replace", "${replace(name, ' ', '%20')}"),
];

/// What a function gives: the value of a variable of the environment, or a new text each time.
fn function(name: &str, arguments: &str, names: &mut Names<'_>) -> Result<Expr, TemplateMistake> {
    let known = FUNCTIONS.iter().find(|(known, _)| *known == name);
    let &(_, form) = known.ok_or_else(|| TemplateMistake::UnknownFunction(name.to_owned()))?;
    let arguments = split(arguments, names)?;
    let wrong = || TemplateMistake::Arguments(form);
    let first = || arguments.first().map_or(Some(""), Template::as_literal).ok_or_else(wrong);
    let function = match (name, arguments.len()) {
        ("random", 2) => Function::RandomInteger { digits: 0 },
        ("random_text", 1 | 2) => Function::RandomText,
        ("pick", 1..) => Function::Pick,
        ("sum", 1..) => Function::Sum,
        ("uuid", 0) => Function::Uuid,
        ("user", 0) => Function::UserNumber,
        ("iteration", 0) => Function::Iteration,
        ("session", 0) => Function::Session,
        ("scenario", 0) => Function::GroupName,
        ("status", 0) => Function::Response(ResponsePart::Status),
        ("url", 1) => Function::Percent,
        ("form", 1) => Function::Form,
        ("base64", 1) => Function::Base64,
        ("upper", 1) => Function::Upper,
        ("lower", 1) => Function::Lower,
        ("json", 1) => Function::JsonText,
        ("replace", 3) => Function::Replace,
        ("now", 0 | 1) => {
            let format = TimePart::parse(first()?).map_err(|_| wrong())?;
            return Ok(Expr::Call(Function::Time(format), Vec::new()));
        }
        ("counter", 0 | 1) => {
            let counter = counter(first()?, names);
            return Ok(Expr::Call(Function::Next { counter, digits: 0 }, Vec::new()));
        }
        ("env", 1) => return environment(first()?, names),
        _ => return Err(wrong()),
    };
    Ok(Expr::Call(function, arguments.into_iter().map(Expr::from).collect()))
}

fn environment(name: &str, names: &mut Names<'_>) -> Result<Expr, TemplateMistake> {
    match (names.environment)(name) {
        Some(value) => Ok(names.program.environment_part(name, value)),
        None => Err(TemplateMistake::NoEnvironment(name.to_owned())),
    }
}

/// The counter of this name, which counts from 1 and is shared by all users.
fn counter(name: &str, names: &mut Names<'_>) -> usize {
    let index = names.counters.define(name);
    if index == names.program.counters.len() {
        names.program.counters.push(SharedCounter {
            start: 1,
            step: 1,
            end: None,
            per_user: false,
            restarts: false,
        });
    }
    index
}

/// The arguments: numbers, texts in quotes, and names.
fn split(arguments: &str, names: &mut Names<'_>) -> Result<Vec<Template>, TemplateMistake> {
    let mut found = Vec::new();
    let mut rest = arguments.trim();
    while !rest.is_empty() {
        let (argument, behind) = argument(rest, names)?;
        found.push(argument);
        rest = behind.trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if rest.is_empty() => {}
            None => return Err(TemplateMistake::Unclosed),
        }
    }
    Ok(found)
}

/// The first argument, and what stands behind it.
fn argument<'a>(text: &'a str, names: &mut Names<'_>) -> Result<(Template, &'a str), TemplateMistake> {
    if let Some(quote) = text.chars().next().filter(|&c| c == '\'' || c == '"') {
        let end = text[1..].find(quote).ok_or(TemplateMistake::Unclosed)?;
        return Ok((Template::literal(&text[1..=end]), &text[end + 2..]));
    }
    if let Some(end) = end_of_call(text) {
        let mut template = Template::default();
        template.push(part(&format!("${{{}}}", &text[..end]), names)?);
        return Ok((template, &text[end..]));
    }
    let end = text.find(',').unwrap_or(text.len());
    let word = text[..end].trim();
    if word.parse::<f64>().is_ok() {
        return Ok((Template::literal(word), &text[end..]));
    }
    let mut template = Template::default();
    template.push(named(word, names)?);
    Ok((template, &text[end..]))
}

/// The place behind the parenthesis that closes a call of a function, if the text begins with one; one in quotes does not close it.
fn end_of_call(text: &str) -> Option<usize> {
    let name = text.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    if name == 0 || !text[name..].starts_with('(') {
        return None;
    }
    let (mut depth, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(c),
            ('(', None) => depth += 1,
            (')', None) if depth == 1 => return Some(at + 1),
            (')', None) => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compiles with the variables `id` and `token` and the list `ids`.
    fn compiled(text: &str) -> Result<Template, Vec<MistakeInTemplate>> {
        let mut program = Program::default();
        program.variables.define("id");
        program.variables.define("token");
        program.lists.define("ids");
        let mut names = Names {
            program: &mut program,
            counters: &mut Slots::default(),
            environment: &|name| (name == "HOME").then(|| "/root".to_owned()),
            used: &mut BTreeSet::new(),
        };
        compile(text, &mut names)
    }

    #[test]
    fn variables_become_numbers_of_slots() {
        assert_eq!(
            compiled("/posts/${id}?t=${token}").unwrap().parts(),
            [Expr::literal("/posts/"), Expr::Variable(0), Expr::literal("?t="), Expr::Variable(1)]
        );
        let plain = compiled("costs $5, {id}, $${id}").unwrap();
        assert_eq!(plain.as_literal(), Some("costs $5, {id}, ${id}"));
        assert_eq!(
            compiled("in ${env('HOME')}").unwrap().parts(),
            [Expr::literal("in "), Expr::Environment(0)]
        );
        let index = Box::new(Expr::literal("2"));
        assert_eq!(
            compiled("${ids[2]}${ids.length}").unwrap().parts(),
            [Expr::Item { list: 0, index }, Expr::ListLength(0)]
        );
    }

    #[test]
    fn functions_take_numbers_texts_and_names() {
        let call = |function, arguments| Ok(Template::call(function, arguments));
        let random = Function::RandomInteger { digits: 0 };
        assert_eq!(
            compiled("${random(1, id)}"),
            call(random, vec![Template::literal("1"), Template::variable(0)])
        );
        assert_eq!(
            compiled("${pick('a, }', \"b\")}"),
            call(Function::Pick, vec![Template::literal("a, }"), Template::literal("b")])
        );
        assert_eq!(compiled("${uuid()}"), call(Function::Uuid, vec![]));
    }

    #[test]
    fn a_function_takes_what_another_gives() {
        let text = compiled("${url(now('HH:mm'))}").expect("a template");
        let [Expr::Call(Function::Percent, inner)] = text.parts() else {
            panic!("{text:?}");
        };
        assert!(matches!(inner.as_slice(), [Expr::Call(Function::Time(_), _)]));
        assert!(compiled("${url(no_function(1))}").is_err());
    }

    #[test]
    fn all_mistakes_are_told_with_their_places() {
        let mistake = |place, mistake| MistakeInTemplate { place, mistake };
        assert_eq!(
            compiled("/${user}/${}/${id}/${rnd(1)}${random(1)}${token"),
            Err(vec![
                mistake(1..8, TemplateMistake::Unknown("user".to_owned())),
                mistake(9..12, TemplateMistake::NoName),
                mistake(19..28, TemplateMistake::UnknownFunction("rnd".to_owned())),
                mistake(28..40, TemplateMistake::Arguments("${random(1, 100)}")),
                mistake(40..47, TemplateMistake::Unclosed),
            ])
        );
    }

    proptest! {
        #[test]
        fn text_without_variables_stays_as_it_is(text in "[^$]*") {
            let template = compiled(&text).unwrap();
            prop_assert_eq!(template.as_literal(), Some(text.as_str()));
        }

        #[test]
        fn any_text_compiles_or_has_mistakes_within_it(text in "([${}(),']|id|uuid|é)*") {
            for found in compiled(&text).err().into_iter().flatten() {
                let begins = text.get(found.place).is_some_and(|part| part.starts_with("${"));
                prop_assert!(begins);
            }
        }
    }
}
