//! What of an arm's options may not do what its user means. None of it keeps a run from beginning.

use crate::bench::release;
use crate::jdks;
use ask::arm::Arm;
use ask::experiment::Experiment;
use ask::kind::is_set_by_prony;
use say::Say;
use std::sync::atomic::AtomicBool;
use sut::{Pins, Site};

/// What may not do what its user means.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum Doubt {
    /// The JDK of the arm warns, in its own words.
    #[say(en = "its JDK says: {0}", zh = "其 JDK 提示：{0}")]
    Jdk(String),
    /// No shell sees it.
    #[say(
        en = "no shell expands `{0}`: it reaches the program as it is written",
        zh = "没有 shell 会展开 `{0}`：程序收到的就是原样文本"
    )]
    Unexpanded(String),
    /// Where the server listens is for prony to say.
    #[say(
        en = "`{0}` has no effect: prony says where a server listens",
        zh = "`{0}` 不起作用：服务器在何处监听由 prony 决定"
    )]
    ListensElsewhere(String),
    /// The heap is of fixed size.
    #[say(
        en = "`{0}` has no effect: the heap has the fixed size of the arm's `heap`",
        zh = "`{0}` 不起作用：堆的大小固定为对象的 `heap`"
    )]
    HeapShare(String),
}

/// Parts of the JVM options that size the heap by the memory of the machine, which a fixed size overrides.
const HEAP_SHARES: [&str; 4] = ["RAMPercentage=", "RAMFraction=", "MaxRAM=", "UseContainerSupport"];
/// Shells, which expand variables.
const SHELLS: [&str; 3] = ["sh", "bash", "dash"];

/// Returns what is doubtful in the options of each arm, by its name. Of arms that `is_known` does not accept, by index, the JDK is not
/// asked.
pub fn doubts(
    experiment: &Experiment,
    site: &Site,
    is_known: impl Fn(usize) -> bool,
) -> Vec<(String, Doubt)> {
    let mut found = Vec::new();
    for (index, arm) in experiment.arms.iter().enumerate() {
        let mut doubts = of_options(arm);
        if is_known(index) {
            doubts.extend(of_jdk(arm, site));
        }
        found.extend(doubts.into_iter().map(|doubt| (arm.name.clone(), doubt)));
    }
    found
}

/// What the JDK of an arm warns of; what it refuses is an obstacle.
fn of_jdk(arm: &Arm, site: &Site) -> Vec<Doubt> {
    let release = release(arm, &Pins::default()).ok().flatten();
    let warnings = jdks::check(arm, release.as_ref(), site, &AtomicBool::new(false));
    warnings.unwrap_or_default().into_iter().map(Doubt::Jdk).collect()
}

/// What no JDK has to be asked about.
fn of_options(arm: &Arm) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let options = &arm.jvm_options;
    doubts.extend(options.iter().filter_map(|option| unexpanded(option, option.starts_with("-D"))));
    let words = arm.jar.iter().flat_map(|jar| &jar.arguments);
    doubts.extend(words.filter_map(|word| unexpanded(word, true)));
    doubts.extend(arm.command.iter().flat_map(|command| in_command(&command.command)));
    let listens = |option: &&String| {
        let property = option.strip_prefix("-D").or_else(|| option.strip_prefix("--"));
        let name = property.and_then(|property| property.split('=').next());
        name.is_some_and(is_set_by_prony) && !option.contains("{port}") && !option.contains("{host}")
    };
    let words = arm.jar.iter().flat_map(|jar| &jar.arguments);
    doubts.extend(options.iter().chain(words).filter(listens).cloned().map(Doubt::ListensElsewhere));
    let is_share =
        |option: &&String| option.starts_with("-XX:") && HEAP_SHARES.iter().any(|part| option.contains(part));
    doubts.extend(options.iter().filter(is_share).cloned().map(Doubt::HeapShare));
    doubts
}

/// Variables in the words of a command that is no shell's.
fn in_command(words: &[String]) -> Vec<Doubt> {
    let program = words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
    if SHELLS.contains(&program) {
        return Vec::new();
    }
    words.iter().filter_map(|word| unexpanded(word, false)).collect()
}

/// The word, if it has a variable as a shell expands it. Frameworks expand `${NAME}` in their properties themselves.
fn unexpanded(word: &str, is_property: bool) -> Option<Doubt> {
    let is_name = |text: &str| {
        let name: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        name.len() > 1
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    let mut after = word.match_indices('$').map(|(at, _)| &word[at + 1..]);
    let found = after.any(|rest| match rest.strip_prefix('{') {
        Some(inner) => !is_property && is_name(inner),
        None => is_name(rest),
    });
    found.then(|| Doubt::Unexpanded(word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::command::OwnCommand;
    use judge::testing::experiment;

    fn of(options: &[&str]) -> Vec<Doubt> {
        let mut arm = experiment().arms[0].clone();
        arm.jvm_options = options.iter().map(|option| (*option).to_owned()).collect();
        of_options(&arm)
    }

    #[test]
    fn variables_that_nobody_expands_are_doubtful() {
        for option in ["-Xss$STACK", "-Dlog=$HOME/log", "-XX:HeapDumpPath=${DUMPS}/a"] {
            assert_eq!(of(&[option]), [Doubt::Unexpanded(option.to_owned())]);
        }
        // A framework expands the first; the others are no variables of a shell.
        for option in ["-Durl=${DB_URL}", "-Dpassword=a$b", "-Dprice=$5", "-Da=$"] {
            assert_eq!(of(&[option]), [], "{option}");
        }
        let command = |words: &[&str]| {
            let mut arm = experiment().arms[0].clone();
            let command = words.iter().map(|word| (*word).to_owned()).collect();
            arm.command = Some(OwnCommand { command, ..OwnCommand::default() });
            of_options(&arm).len()
        };
        assert_eq!(command(&["java", "-cp", "$CP", "Main", "{port}"]), 1);
        assert_eq!(command(&["/bin/sh", "-c", "java -cp $CP Main {port}"]), 0);
    }

    #[test]
    fn options_that_prony_overrides_are_doubtful() {
        let port = "-Dserver.port=8080";
        assert_eq!(of(&[port]), [Doubt::ListensElsewhere(port.to_owned())]);
        let share = "-XX:MaxRAMPercentage=75";
        assert_eq!(of(&[share, "-Xmn64m", "-Dshop.port=1"]), [Doubt::HeapShare(share.to_owned())]);
    }
}
