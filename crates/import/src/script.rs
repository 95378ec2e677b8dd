//! Reads what the scripts beside requests do, of Postman and of `.http` files: which variables they set, and which status is right. Other tests
//! do not change what is sent.

use crate::draft::Source;

/// Calls that set a variable.
const SETS: [&str; 9] = [
    "pm.environment.set(",
    "pm.collectionVariables.set(",
    "pm.globals.set(",
    "pm.variables.set(",
    "postman.setEnvironmentVariable(",
    "postman.setGlobalVariable(",
    "client.global.set(",
    "client.variables.global.set(",
    "request.variables.set(",
];
/// What a script can do to requests beside that.
const CHANGES: [&str; 9] = [
    "setNextRequest(",
    "pm.sendRequest(",
    "skipRequest(",
    "runRequest(",
    "pm.request.headers.",
    "pm.request.url",
    "pm.request.body",
    "pm.request.method =",
    "request.body =",
];
/// What the body of an answer is called.
const BODIES: [&str; 5] = [
    "pm.response.json()",
    "JSON.parse(responseBody)",
    "JSON.parse(pm.response.text())",
    "JSON.parse(response.body)",
    "response.body",
];
/// What asks for a status.
const STATUSES: [&str; 6] = [
    "to.have.status(",
    "pm.response.code).to.eql(",
    "pm.response.code).to.equal(",
    "pm.response.code).to.be.equal(",
    "response.status === ",
    "response.status == ",
];

/// A value that a script gives a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Text(String),
    From(Source),
    /// In a way that is not read.
    Unknown,
}

/// What a script does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deeds {
    pub(crate) sets: Vec<(String, Given)>,
    /// The status that it asks for.
    pub(crate) status: Option<u16>,
    /// What it does to requests that cannot be read.
    pub(crate) change: Option<&'static str>,
}

/// Reads a script.
pub(crate) fn read(code: &str) -> Deeds {
    let code = without_comments(code);
    let aliases = aliases(&code);
    let mut sets = Vec::new();
    for call in SETS {
        for (at, _) in code.match_indices(call) {
            let (name, value) = arguments(&code[at + call.len()..]);
            match text_of(name) {
                Some(name) => sets.push((at, name, given(value, &aliases))),
                None => return Deeds { change: Some(call), ..Deeds::default() },
            }
        }
    }
    sets.sort_by_key(|(at, ..)| *at);
    let statuses =
        STATUSES.iter().flat_map(|asks| code.match_indices(asks).map(|(at, asks)| at + asks.len()));
    let number = |at: usize| code[at..].split(|c: char| !c.is_ascii_digit()).next()?.parse::<u16>().ok();
    let statuses: Vec<u16> = statuses.filter_map(number).collect();
    Deeds {
        sets: sets.into_iter().map(|(_, name, given)| (name, given)).collect(),
        status: statuses.first().copied().filter(|first| statuses.iter().all(|other| other == first)),
        change: CHANGES.into_iter().find(|change| code.contains(change)),
    }
}

fn without_comments(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some((before, behind)) = rest.split_once("/*") {
        out.push_str(before);
        rest = behind.split_once("*/").map_or("", |(_, behind)| behind);
    }
    out.push_str(rest);
    // The slashes of an address are no comment.
    let line = |line: &str| match line.trim_start().starts_with("//") {
        true => String::new(),
        false => line.split(" //").next().unwrap_or_default().to_owned(),
    };
    out.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the names that a script gives to parts of the answer, each with what it stands for.
fn aliases(code: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for statement in code.split([';', '\n']) {
        let statement = statement.trim();
        let declares = ["var ", "let ", "const "].iter().find_map(|word| statement.strip_prefix(word));
        let Some((name, value)) = declares.unwrap_or(statement).split_once('=') else {
            continue;
        };
        let name = name.trim();
        if !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !value.starts_with('=')
        {
            found.push((name.to_owned(), value.trim().to_owned()));
        }
    }
    found
}

/// Splits the arguments of a call at the first comma.
fn arguments(behind: &str) -> (&str, &str) {
    let (mut depth, mut quote, mut comma) = (0, None, None);
    for (at, c) in behind.char_indices() {
        match (c, quote) {
            ('\'' | '"' | '`', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('(' | '[' | '{', None) => depth += 1,
            (')', None) if depth == 0 => {
                let comma = comma.unwrap_or(at);
                return (behind[..comma].trim(), behind[(comma + 1).min(at)..at].trim());
            }
            (')' | ']' | '}', None) => depth -= 1,
            (',', None) if depth == 0 && comma.is_none() => comma = Some(at),
            _ => {}
        }
    }
    ("", "")
}

/// Returns a text that is written in quotes.
fn text_of(value: &str) -> Option<String> {
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains([quote, '\\'])).then(|| inner.to_owned())
}

/// Reads a value.
fn given(value: &str, aliases: &[(String, String)]) -> Given {
    if let Some(text) = text_of(value) {
        return Given::Text(text);
    }
    if value.parse::<f64>().is_ok() {
        return Given::Text(value.to_owned());
    }
    for reads in ["pm.response.headers.get(", "response.headers.valueOf(", "postman.getResponseHeader("] {
        if let Some(name) = value.strip_prefix(reads).and_then(|rest| text_of(rest.strip_suffix(')')?.trim()))
        {
            return Given::From(Source::Header(name));
        }
    }
    json_path(value, aliases, 0).map_or(Given::Unknown, |path| Given::From(Source::Json(path)))
}

/// Returns the path of a part of the answer: `pm.response.json().data[0].id`.
fn json_path(value: &str, aliases: &[(String, String)], depth: usize) -> Option<String> {
    // What stands in for a part that is not there.
    let value = value.split(" || ").next()?.split(" ?? ").next()?.trim();
    let body = BODIES.iter().find(|body| value.starts_with(**body));
    let (mut path, rest) = match body {
        Some(body) => ("$".to_owned(), &value[body.len()..]),
        None => {
            let end = value.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(value.len());
            let (_, stands_for) =
                aliases.iter().rev().find(|(name, _)| *name == value[..end] && depth < 5)?;
            (json_path(stands_for, aliases, depth + 1)?, &value[end..])
        }
    };
    let rest = rest.trim_end_matches(".toString()").replace("?.", ".").replace('"', "'");
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.[]'-".contains(c);
    if !rest.chars().all(fits) || !rest.is_empty() && !rest.starts_with(['.', '[']) {
        return None;
    }
    path.push_str(&rest);
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_script_sets_is_read() {
        let code = "// pm.environment.set('no', 1)\nconst body = pm.response.json();\nlet u = body.data || {};\n\
                    pm.test(\"ok\", function () { pm.response.to.have.status(201); });\npm.environment.set(\"token\", u.token);\n\
                    pm.collectionVariables.set('id', pm.response.json().items[0].id); pm.globals.set('n', 'x, y');\n\
                    pm.variables.set('tag', pm.response.headers.get('ETag')); pm.globals.set('odd', a(1, 2));";
        let deeds = read(code);
        let json = |path: &str| Given::From(Source::Json(path.to_owned()));
        let sets: Vec<(&str, &Given)> =
            deeds.sets.iter().map(|(name, given)| (name.as_str(), given)).collect();
        assert_eq!(
            sets,
            [
                ("token", &json("$.data.token")),
                ("id", &json("$.items[0].id")),
                ("n", &Given::Text("x, y".to_owned())),
                ("tag", &Given::From(Source::Header("ETag".to_owned()))),
                ("odd", &Given::Unknown),
            ]
        );
        assert_eq!((deeds.status, deeds.change), (Some(201), None));
        let jetbrains = read(
            "client.global.set(\"id\", response.body.id); client.test('a', () => { client.assert(response.status === 200, 'x') })",
        );
        assert_eq!((jetbrains.sets[0].1.clone(), jetbrains.status), (json("$.id"), Some(200)));
        assert_eq!(read("postman.setNextRequest('x')").change, Some("setNextRequest("));
        assert!(read("pm.environment.set(name, 1)").change.is_some());
    }
}
