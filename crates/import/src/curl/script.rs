//! Reads calls of curl in a script of bash: its variables, the answers that it keeps, and the pauses between calls.

use super::call;
use super::shell::{COMMAND_MARKS, Command, commands};
use super::step::steps;
use crate::Options;
use crate::draft::{Extraction, Source};
use crate::marks::{has_variable, marked, resolve, unmarked};
use crate::remark::{Place, Unsupported};
use crate::request::StepMaker;
use std::collections::{BTreeMap, BTreeSet};

/// Commands that change no request.
const IDLE: [&str; 36] = [
    "echo", "printf", "set", "cd", "mkdir", "rm", "true", "false", "exit", "source", ".", "unset", "shopt",
    "trap", "wait", "shift", "cat", "jq", "date", "clear", "chmod", "touch", "ls", "pwd", "popd", "pushd",
    ":", "return", "read", "which", "command", "test", "[", "[[", "head", "tail",
];
/// Words that begin a block, each with the word that ends it.
const BLOCKS: [(&str, &str); 8] = [
    ("for", "done"),
    ("while", "done"),
    ("until", "done"),
    ("select", "done"),
    ("if", "fi"),
    ("case", "esac"),
    ("{", "}"),
    ("(", ")"),
];
/// Words that stand before a command of a block.
const WITHIN: [&str; 4] = ["do", "then", "else", "elif"];

/// Reads a script, and tells whether cookies are kept.
pub(super) fn read(text: &str, options: &Options, maker: &mut StepMaker) -> bool {
    let mut script = Script {
        maker,
        variables: BTreeMap::new(),
        given: BTreeSet::new(),
        taken: BTreeSet::new(),
        open: Vec::new(),
        keeps_cookies: false,
    };
    for (name, value) in &options.variables {
        script.given.insert(name.clone());
        script.variables.insert(name.clone(), value.clone());
    }
    for (command, trouble) in commands(text) {
        let place = Place::Line(command.line);
        match trouble {
            _ if script.block(&command.words, place) => {}
            Some(what) => script.maker.refuse(place, what),
            None => script.command(command),
        }
    }
    let Script { taken, keeps_cookies, .. } = script;
    // A variable that takes a value from an answer belongs to the scenario; any other comes from the environment.
    let value = |name: &str| match taken.contains(name) {
        true => format!("${{{name}}}"),
        false => format!("${{env('{name}')}}"),
    };
    maker.steps.iter_mut().for_each(|step| resolve(step, &value));
    keeps_cookies
}

struct Script<'a> {
    maker: &'a mut StepMaker,
    /// The values of the variables that the script has set.
    variables: BTreeMap<String, String>,
    /// Names of variables whose values were given for this import.
    given: BTreeSet<String>,
    /// Names of variables that are taken from answers.
    taken: BTreeSet<String>,
    /// The words that end the blocks that are open.
    open: Vec<&'static str>,
    keeps_cookies: bool,
}

impl Script<'_> {
    fn command(&mut self, mut command: Command) {
        let place = Place::Line(command.line);
        self.declare(&mut command.words);
        for word in &mut command.words {
            *word = self.known(word);
        }
        command.stdin = command.stdin.as_deref().map(|text| self.known(text));
        if command.words.iter().any(|word| word.contains(COMMAND_MARKS[0])) {
            return self.output(&command, place);
        }
        let assigned = command.words.iter().take_while(|word| assignment(word).is_some()).count();
        if assigned == command.words.len() {
            for (name, value) in command.words.iter().filter_map(|word| assignment(word)) {
                self.assign(name, value);
            }
            return;
        }
        let words = &command.words[assigned..];
        let prompt = usize::from(matches!(words[0].as_str(), "$" | "%" | "#"));
        match words.get(prompt).map(String::as_str) {
            Some(program) if program == "curl" || program.ends_with("/curl") || program == "curl.exe" => {
                self.calls(&words[prompt + 1..], command.stdin.as_deref(), place);
            }
            Some("sleep") => self.sleep(words.get(prompt + 1)),
            Some(program) if IDLE.contains(&program) => {}
            program => {
                let program = program.unwrap_or_default().to_owned();
                self.maker.refuse(place, Unsupported::Command(program));
            }
        }
    }

    /// Follows the blocks of a script; tells whether a command is a part of one. Nothing within a block is imported, because it may happen
    /// several times or not at all.
    fn block(&mut self, words: &[String], place: Place) -> bool {
        let was_open = !self.open.is_empty();
        let mut words = words.iter().map(String::as_str).skip_while(|word| WITHIN.contains(word));
        let (first, second) = (words.next().unwrap_or_default(), words.next());
        let last = words.last().or(second);
        let is_function = first == "function" || first.ends_with("()") || second == Some("()");
        let begun = BLOCKS.iter().find(|(word, _)| *word == first);
        if let Some((word, end)) = begun.or(BLOCKS.iter().find(|(word, _)| is_function && *word == "{")) {
            if !was_open {
                self.maker.refuse(place, Unsupported::ShellBlock((*word).to_owned()));
            }
            if last != Some(end) {
                self.open.push(end);
            }
            return true;
        }
        if self.open.last().is_some_and(|end| *end == first) {
            self.open.pop();
        }
        was_open
    }

    /// Takes the word away that declares variables.
    fn declare(&self, words: &mut Vec<String>) {
        let declares = |word: &String| ["export", "local", "readonly", "declare"].contains(&word.as_str());
        if words.first().is_some_and(declares) {
            words.remove(0);
            words.retain(|word| assignment(word).is_some());
        }
    }

    fn assign(&mut self, name: &str, value: &str) {
        if !self.given.contains(name) {
            self.variables.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Puts the values of variables into a word, as far as they are known.
    fn known(&self, word: &str) -> String {
        if !has_variable(word) {
            return word.to_owned();
        }
        unmarked(word, |written| {
            let (name, usual) = match written.split_once(":-") {
                Some((name, usual)) => (name, Some(usual)),
                None => (written, None),
            };
            match (self.variables.get(name), usual) {
                (Some(value), _) => value.clone(),
                (None, Some(usual)) => usual.to_owned(),
                (None, None) => marked(name),
            }
        })
    }

    /// Reads `NAME=$(curl … | jq -r .path)`: a call whose answer gives a variable.
    fn output(&mut self, command: &Command, place: Place) {
        let inner = match command.words.as_slice() {
            [word] => assignment(word).and_then(|(name, value)| {
                let inner = value.strip_prefix(COMMAND_MARKS[0])?.strip_suffix(COMMAND_MARKS[1])?;
                Some((name, inner))
            }),
            _ => None,
        };
        let refused = Unsupported::Shell("$(".to_owned());
        let Some((name, inner)) = inner else {
            return self.maker.refuse(place, refused);
        };
        let found = commands(inner);
        let [(call, None)] = found.as_slice() else {
            return self.maker.refuse(place, refused);
        };
        let words: Vec<String> = call.words.iter().map(|word| self.known(word)).collect();
        let path = call.pipe.as_deref().and_then(json_path);
        let (Some(path), Some("curl")) = (path, words.first().map(String::as_str)) else {
            return self.maker.refuse(place, refused);
        };
        let stdin = call.stdin.as_deref().map(|text| self.known(text));
        if self.calls(&words[1..], stdin.as_deref(), place) == 1
            && let Some(step) = self.maker.steps.last_mut()
        {
            step.extract.push(Extraction { variable: name.to_owned(), from: Source::Json(path) });
            self.taken.insert(name.to_owned());
            self.variables.remove(name);
        }
    }

    /// Reads the calls of one command, and tells how many steps they become.
    fn calls(&mut self, words: &[String], stdin: Option<&str>, place: Place) -> usize {
        let mut count = 0;
        for words in words.split(|word| word == "--next" || word == "-:") {
            let before = self.maker.obstacles.len();
            let call = call::read(words, stdin, place, self.maker);
            self.keeps_cookies |= call.keeps_cookies;
            if self.maker.obstacles.len() == before {
                count += steps(call, place, self.maker);
            }
        }
        count
    }

    /// A pause between two calls is one of the user.
    fn sleep(&mut self, time: Option<&String>) {
        let seconds = time.and_then(|time| match time.strip_suffix('m') {
            Some(minutes) => minutes.parse::<f64>().ok().map(|minutes| minutes * 60.0),
            None => time.trim_end_matches('s').parse().ok(),
        });
        if let (Some(seconds), Some(step)) = (seconds, self.maker.steps.last_mut()) {
            step.think = Some(step.think.unwrap_or_default() + seconds);
        }
    }
}

/// Splits `NAME=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name =
        !name.is_empty() && name.chars().all(fits) && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then_some((name, value))
}

/// Returns the path of a value that `jq -r .a.b[0]` takes out of an answer.
fn json_path(pipe: &str) -> Option<String> {
    let words: Vec<&str> = pipe.split_whitespace().collect();
    let filter = match words.as_slice() {
        ["jq", "-r" | "--raw-output" | "-er" | "-re", filter] | ["jq", filter, "-r" | "--raw-output"] => {
            filter
        }
        _ => return None,
    };
    let filter = filter.trim_matches(['\'', '"']);
    let fits = |c: char| c.is_ascii_alphanumeric() || "._[]".contains(c);
    let is_path =
        filter.len() > 1 && filter.starts_with('.') && filter.chars().all(fits) && !filter.contains("[]");
    is_path.then(|| format!("${}", filter.replace(".[", "[")))
}
