//! Sentences of the laboratory in Chinese. A report holds them in English; each is recognised by its template and filled in
//! anew, as gettext does with whole messages. One without a template stays as it is.

mod causes;
mod run;

use super::fill;

/// What is translated again where it stands inside another sentence; it may hold several, or be missing.
const NESTED: [&str; 17] = [
    "why", "reason", "aim", "measure", "row", "time", "faults", "of", "phases", "whole", "slower", "waited",
    "groups", "more", "slots", "what", "how",
];

/// All that can be told apart, the earlier of two that fit first.
fn pairs() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    [run::PAIRS, causes::PAIRS, causes::NUMBERS].into_iter().flatten()
}

/// The sentence in Chinese, part by part where it has several.
pub(super) fn chinese(english: &str) -> String {
    if let Some(whole) = one(english) {
        return whole;
    }
    let parts: Vec<&str> = english.split("; ").collect();
    if parts.len() < 2 {
        return english.to_owned();
    }
    let said = parts
        .into_iter()
        .map(|part| one(part).unwrap_or_else(|| part.to_owned()));
    said.collect::<Vec<_>>().join("；")
}

fn one(english: &str) -> Option<String> {
    pairs().find_map(|(template, chinese)| {
        let found = holes(template, english)?;
        let values: Vec<(&str, String)> = found
            .into_iter()
            .map(|(name, value)| {
                let nested = NESTED.contains(&name);
                (
                    name,
                    if nested {
                        self::chinese(value)
                    } else {
                        value.to_owned()
                    },
                )
            })
            .collect();
        let values: Vec<(&str, &dyn std::fmt::Display)> = values
            .iter()
            .map(|(name, value)| (*name, value as &dyn std::fmt::Display))
            .collect();
        Some(spaced(&fill(chinese, &values)))
    })
}

/// With a space between ideographs and what is written in Latin letters, as in all texts here: what fills a gap may begin or
/// end with either.
fn spaced(text: &str) -> String {
    let ideograph = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let latin = |c: char| c.is_ascii_alphanumeric() || c == '`';
    let mut spaced = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        if (ideograph(before) && latin(c)) || (latin(before) && ideograph(c)) {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    spaced
}

/// What stands in a sentence where its template has `{…}`; `None` where it is another sentence.
fn holes<'a, 'b>(template: &'a str, text: &'b str) -> Option<Vec<(&'a str, &'b str)>> {
    let mut parts = template.split('{');
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    for part in parts {
        let (name, literal) = part.split_once('}')?;
        let last = template.ends_with(part);
        let end = match literal {
            "" => rest.len(),
            literal if last => rest
                .len()
                .checked_sub(literal.len())
                .filter(|_| rest.ends_with(literal))?,
            literal => rest.find(literal)?,
        };
        let value = &rest[..end];
        if (value.is_empty() || value.contains("; ")) && !NESTED.contains(&name) {
            return None;
        }
        found.push((name, value));
        rest = &rest[end + literal.len()..];
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::tests::holes as names;
    use super::*;
    use std::path::Path;

    #[test]
    fn a_sentence_is_recognised_with_its_numbers_and_what_is_inside_it() {
        let said = "start 2 did not count at 500 connections: noisy-neighbour: the hypervisor took 12 % of the CPU time (limit 10 %)";
        assert_eq!(
            chinese(said),
            "第 2 次启动在 500 个连接下未计入：邻居干扰：虚拟机管理程序占用了 12 % 的 CPU 时间（上限 10 %）"
        );
        let two = "about 14 more min would tell 3 % from nothing; decided after 5 of 9 starts";
        assert_eq!(
            chinese(two),
            "约再需 14 分钟即可分辨 3 % 的差异；在 9 次启动中的第 5 次后即已判定"
        );
        let planned = "after 6 starts: CPU per request needs about 3 hours to tell 3.0 % from nothing; the time planned tells 5 %";
        assert!(
            chinese(planned).starts_with("6 次启动之后：每请求 CPU 约需 3 小时才能分辨 3.0 % 的差异；计划"),
            "{}",
            chinese(planned)
        );
        let full = "the CPU is full: the server uses 1.42 of 2 CPUs (60 % application, 32 % kernel, 5.0 % JIT, 3.0 % GC) at 24.0 µs a request, the generator 0.40";
        assert_eq!(
            chinese(full),
            "CPU 已满：服务器用了 2 个 CPU 中的 1.42 个（应用 60 %，内核 32 %，JIT 5.0 %，GC 3.0 %），每请求 24.0 µs，压测端 0.40 个"
        );
        let raise = "raise the Connector's `maxThreads` to 550 (`threads = 550`)";
        assert_eq!(
            chinese(raise),
            "将 Connector 的 `maxThreads` 提高到 550（`threads = 550`）"
        );
        let slow = "at 8 connections a request takes 1.00 s: slices of 3.0 s, of which 2.0 s count, 6 pairs a start; 40 s in all";
        assert!(
            chinese(slow).ends_with("，每次启动 6 对；共 40 s"),
            "{}",
            chinese(slow)
        );
        let silent = "nine: in 2 of 3 starts the objective was kept at the highest rate that was tried";
        assert_eq!(
            chinese(silent),
            "nine：在 3 次启动中的 2 次，在试过的最高速率下仍满足要求"
        );
        assert_eq!(chinese("something new; and more"), "something new；and more");
        assert_eq!(chinese("something new"), "something new");
    }

    #[test]
    fn both_sides_have_the_same_numbers() {
        for (english, chinese) in pairs() {
            let spare = |name: &&str| *name != "times";
            let of = |text: &&'static str| names(text).into_iter().filter(spare).collect::<Vec<_>>();
            assert_eq!(of(english), of(chinese), "{english}");
        }
    }

    /// A sentence that changes where it is made would no longer be recognised.
    #[test]
    fn what_is_translated_is_still_said() {
        let sources = sources(&["lab/src", "load/src", "model/src", "sut/src"]).replace("\\\"", "\"");
        for (english, _) in pairs() {
            let literals = english.split(['{', '}']).step_by(2).map(str::trim);
            for literal in literals.filter(|literal| literal.len() > 12) {
                assert!(sources.contains(literal), "`{literal}` of `{english}`");
            }
        }
    }

    /// Parts of sentences that are translated with the whole of which they are parts, and what stands in no sentence.
    const PARTS: [&str; 10] = [
        "ran already",
        "started by `{}`",
        "there is a stage",
        ", for {} at the longest",
        "{says}; {ruled_out}",
        "link-saturated: ",
        "Spring Boot",
        "Does {} get more throughput {}?",
        "requests at once on virtual threads",
        "requests at once, its default on virtual threads",
    ];

    /// What a run is refused with stays in English, as all errors do; the others serve tests.
    const ERRORS_AND_TESTS: [&str; 4] = ["error.rs", "setup.rs", "acceptance.rs", "testing.rs"];

    #[test]
    fn every_sentence_that_the_laboratory_says_is_translated() {
        let laboratory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/src");
        let inside = std::fs::read_dir(laboratory).expect("the laboratory");
        let names = inside.map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        });
        let spoken: Vec<String> = names
            .filter(|name| !ERRORS_AND_TESTS.contains(&name.as_str()))
            .map(|name| format!("lab/src/{name}"))
            .collect();
        let spoken: Vec<&str> = spoken.iter().map(String::as_str).collect();
        assert!(translated(&["lab/src/diagnose"]) > 100);
        assert!(translated(&spoken) > 200, "{}", translated(&spoken));
    }

    /// How many sentences these sources hold; each has to have a translation.
    fn translated(places: &[&str]) -> usize {
        let sources = sources(places);
        let is_said = |text: &String| {
            let letters = text.split(['{', '}']).step_by(2).collect::<String>();
            let letters = letters.chars().filter(|c| c.is_alphabetic()).count();
            text.contains(' ') && letters > 8 && !PARTS.contains(&text.as_str())
        };
        let said: Vec<String> = strings(&sources).into_iter().filter(is_said).collect();
        for english in &said {
            let sized = english.replace("{bytes}", "7 MiB").replace("{percent}", "7 %");
            let filled = sized.split(['{', '}']).step_by(2).collect::<Vec<_>>().join("7");
            let chinese = chinese(&filled);
            let untranslated = chinese
                .split('；')
                .find(|part| !part.is_empty() && part.is_ascii());
            assert_eq!(untranslated, None, "{english}");
        }
        said.len()
    }

    /// The strings of a program, as they are when it runs.
    fn strings(source: &str) -> Vec<String> {
        let mut all = Vec::new();
        let mut chars = source.chars();
        while let Some(c) = chars.next() {
            if c != '"' {
                continue;
            }
            let mut text = String::new();
            while let Some(c) = chars.next().filter(|c| *c != '"') {
                text.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
            }
            all.push(text);
        }
        all
    }

    /// All that these folders and files hold but for comments and tests, with a string that goes on in the next line as one.
    fn sources(folders: &[&str]) -> String {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut sources = String::new();
        for folder in folders {
            gather(&crates.join(folder), &mut sources);
        }
        let joined: Vec<&str> = sources.split("\\\n").map(str::trim_start).collect();
        joined.join("")
    }

    fn gather(place: &Path, sources: &mut String) {
        let inside = match place.is_dir() {
            true => std::fs::read_dir(place)
                .expect("a folder of sources")
                .map(|entry| entry.expect("an entry").path())
                .collect(),
            false => vec![place.to_owned()],
        };
        for path in inside {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                gather(&path, sources);
            } else if !name.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                let program = text.split("#[cfg(test)]").next().unwrap_or_default();
                let code = program
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"));
                code.for_each(|line| sources.extend([line, "\n"]));
            }
        }
    }
}
