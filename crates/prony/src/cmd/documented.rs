//! A test that every command of `prony` in the documentation can be typed: the real parser accepts it.

use super::Cli;
use clap::{CommandFactory, Parser};
use std::path::{Path, PathBuf};

/// A command line in the documentation.
struct Documented {
    /// Where it stands: the page and the line.
    place: String,
    words: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns every page of the documentation with its text.
fn pages() -> Vec<(PathBuf, String)> {
    let mut folders =
        ["", "docs", "docs/guide", "docs/posts", "bench"].map(|folder| root().join(folder)).to_vec();
    folders.retain(|folder| folder.is_dir());
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let files = entries.map(|entry| entry.expect("an entry").path());
    let pages = files.filter(|path| path.extension().is_some_and(|end| end == "md"));
    // The blocks of that page are pictures.
    let pages = pages.filter(|path| !path.ends_with("ARCHITECTURE.md"));
    pages.map(|path| (path.clone(), std::fs::read_to_string(path).expect("a page"))).collect()
}

/// Returns the commands in the blocks of code of a page. In a block with prompts, other lines are what the commands print.
fn commands(page: &Path, text: &str) -> Vec<Documented> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let Some(kind) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        let block: Vec<(usize, &str)> =
            lines.by_ref().take_while(|(_, line)| !line.trim_start().starts_with("```")).collect();
        let prompts = block.iter().any(|(_, line)| line.starts_with("$ "));
        for (number, line) in joined(&block) {
            let line = match kind {
                "yaml" => line.split_once("run: ").map(|(_, command)| command.to_owned()),
                "" | "sh" if prompts => line.strip_prefix("$ ").map(str::to_owned),
                "" | "sh" => Some(line),
                _ => None,
            };
            let place = format!("{}:{}", page.file_name().expect("a name").display(), number + 1);
            let each = shell_commands(line.as_deref().unwrap_or_default());
            found.extend(each.into_iter().map(|words| Documented { place: place.clone(), words }));
        }
    }
    found
}

/// Joins lines that end with a backslash.
fn joined(block: &[(usize, &str)]) -> Vec<(usize, String)> {
    let mut whole: Vec<(usize, String)> = Vec::new();
    let mut continued = false;
    for (number, line) in block {
        let (text, more) = line.strip_suffix('\\').map_or((*line, false), |text| (text, true));
        match whole.last_mut().filter(|_| continued) {
            Some((_, before)) => before.push_str(text),
            None => whole.push((*number, text.to_owned())),
        }
        continued = more;
    }
    whole
}

/// Splits a line of shell into commands, and these into words, and returns those commands that are `prony`.
fn shell_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars().chain([' ']) {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ' | '&' | '|' | ';' | '>') => {
                let last = commands.last_mut().expect("one at least");
                last.extend(word.take());
                if letter != ' ' {
                    commands.push(Vec::new());
                }
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    for words in &mut commands {
        let of_environment = |word: &String| word.split_once('=').is_some_and(|(name, _)| is_variable(name));
        let program = words.iter().position(|word| !of_environment(word));
        words.drain(..program.unwrap_or(words.len()));
    }
    commands.retain(|words| matches!(words.first().map(String::as_str), Some("prony" | "./prony")));
    commands
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
}

#[test]
fn every_command_in_a_block_of_the_documentation_can_be_typed() {
    let pages = pages();
    let all: Vec<Documented> = pages.iter().flat_map(|(page, text)| commands(page, text)).collect();
    assert!(all.len() > 50, "only {} commands were found", all.len());
    let refused = all.iter().filter_map(|command| {
        let problem = Cli::try_parse_from(&command.words).err()?;
        Some(format!("{}: {}\n{problem}", command.place, command.words.join(" ")))
    });
    let refused: Vec<String> = refused.collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn every_flag_of_a_command_within_a_sentence_exists() {
    let program = Cli::command();
    let mut unknown = Vec::new();
    let mut seen = 0;
    for (page, text) in pages() {
        let code = text.split('`').skip(1).step_by(2).filter(|code| !code.contains('\n'));
        for code in code.filter(|code| code.starts_with("prony ")) {
            let mut words = code.split_whitespace().skip(1);
            let Some(name) =
                words.next().filter(|name| name.chars().all(|letter| letter.is_ascii_lowercase()))
            else {
                continue;
            };
            seen += 1;
            let Some(command) = program.find_subcommand(name) else {
                unknown.push(format!("{}: {code}: no such command", page.display()));
                continue;
            };
            let known = |flag: &str| {
                // `import` and `calibrate` have sub-commands of their own.
                let below = command.get_subcommands().flat_map(clap::Command::get_arguments);
                let own = command.get_arguments().chain(below).chain(program.get_arguments());
                own.filter_map(clap::Arg::get_long_and_visible_aliases).any(|names| names.contains(&flag))
            };
            let flags = words.filter_map(|word| word.trim_matches(['[', ']']).strip_prefix("--"));
            let flags = flags.map(|flag| flag.split('=').next().unwrap_or(flag));
            let missing = flags.filter(|flag| !flag.is_empty() && *flag != "help" && !known(flag));
            unknown.extend(missing.map(|flag| format!("{}: {code}: no flag --{flag}", page.display())));
        }
    }
    assert!(seen > 50, "only {seen} commands were found");
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn a_line_of_shell_is_split_as_a_shell_does() {
    let split = |line| shell_commands(line).iter().map(|words| words.join("|")).collect::<Vec<_>>();
    assert_eq!(split("rm -r x && A='b c' prony run 'a b' > x # why"), ["prony|run|a b"]);
    assert_eq!(split("echo prony | prony import curl -"), ["prony|import|curl|-"]);
    assert_eq!(split("prony: no command"), Vec::<String>::new());
    let text = "```sh\n$ prony doctor\nprony is fine\n$ prony run \\\n  x\n```\n```toml\nprony x\n```";
    let of_page = commands(Path::new("x.md"), text);
    let words: Vec<String> = of_page.iter().map(|command| command.words.join("|")).collect();
    assert_eq!(words, ["prony|doctor", "prony|run|x"]);
    assert_eq!(of_page[0].place, "x.md:2");
}
