//! What of an arm's options may not do what its user means. None of it keeps a run from beginning.

use crate::bench::release;
use crate::jdks;
use ask::arm::{Arm, largest_heap};
use ask::experiment::Experiment;
use ask::kind::is_set_by_prony;
use model::units::Bytes;
use say::Say;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use sut::{Pins, Setenv, Site};

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
    /// The script of the user's configuration chooses another JDK.
    #[say(
        en = "its setenv.sh sets JAVA_HOME to {0}, which has no effect: the JDK is that of the arm (`jdk`)",
        zh = "其 setenv.sh 将 JAVA_HOME 设为 {0}，但不起作用：JDK 由对象的 `jdk` 决定"
    )]
    OtherJdk(PathBuf),
    /// Servers of several arms, which run at once, would listen on one port.
    #[say(
        en = "{arms:commas} have `{option}`, and only one of them can listen there while all run at once",
        zh = "{arms:commas} 都带有 `{option}`，而它们同时运行时只有一个能在此端口监听"
    )]
    SharedPort { option: String, arms: Vec<String> },
    /// The kernel would kill the server as soon as its heap has filled.
    #[say(
        en = "`{option}` of its setenv.sh leaves no room beside the heap in `memory`, {memory}",
        zh = "其 setenv.sh 中的 `{option}` 在 `memory`（{memory}）之内没有给堆以外的部分留出空间"
    )]
    HeapFillsMemory { option: String, memory: Bytes },
}

/// Parts of options that make a JVM listen on a port beside the server's.
const PORTS: [&str; 4] = ["jmxremote.port=", "jmxremote.rmi.port=", "jdwp", "debug.port="];

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
    let mut ports: Vec<(String, Vec<String>)> = Vec::new();
    for (index, arm) in experiment.arms.iter().enumerate() {
        let mut doubts = of_options(arm);
        let mut options = arm.jvm_options.clone();
        if is_known(index) {
            let (of_jdk, set) = of_jdk(arm, site);
            doubts.extend(of_jdk);
            options.extend(set);
        }
        for option in options.into_iter().filter(|option| PORTS.iter().any(|part| option.contains(part))) {
            match ports.iter_mut().find(|(known, _)| *known == option) {
                Some((_, arms)) => arms.push(arm.name.clone()),
                None => ports.push((option, vec![arm.name.clone()])),
            }
        }
        found.extend(doubts.into_iter().map(|doubt| (arm.name.clone(), doubt)));
    }
    let shared = ports.into_iter().filter(|(_, arms)| arms.len() > 1);
    found.extend(shared.map(|(option, arms)| (arms[0].clone(), Doubt::SharedPort { option, arms })));
    found
}

/// What the JDK of an arm warns of, with what is doubtful in the options of its own `setenv.sh`, and these; what is refused is an obstacle.
fn of_jdk(arm: &Arm, site: &Site) -> (Vec<Doubt>, Vec<String>) {
    let release = release(arm, &Pins::default()).ok().flatten();
    let checked = jdks::check(arm, release.as_ref(), site, &AtomicBool::new(false));
    let (warnings, set) = checked.unwrap_or_default();
    let mut doubts: Vec<Doubt> = warnings.into_iter().map(Doubt::Jdk).collect();
    doubts.extend(of_setenv(arm, &set));
    (doubts, set.options)
}

/// What is doubtful in what the arm's own `setenv.sh` sets.
fn of_setenv(arm: &Arm, set: &Setenv) -> Vec<Doubt> {
    let jdk = set.other_jdk.clone().map(Doubt::OtherJdk);
    let largest = largest_heap(&set.options);
    let memory = arm.surroundings.limits.memory.filter(|memory| largest.is_some_and(|heap| heap >= *memory));
    let heap = memory.and_then(|memory| {
        let option =
            set.options.iter().rfind(|option| largest_heap(std::slice::from_ref(option)).is_some())?;
        Some(Doubt::HeapFillsMemory { option: option.clone(), memory })
    });
    jdk.into_iter().chain(heap).collect()
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

    #[test]
    fn a_script_that_contradicts_its_arm_is_doubtful() {
        let mut arm = experiment().arms[0].clone();
        let set = Setenv {
            options: vec!["-Xmx1g".to_owned(), "-Da=b".to_owned()],
            other_jdk: Some("/other".into()),
        };
        assert_eq!(of_setenv(&arm, &set), [Doubt::OtherJdk("/other".into())]);
        arm.surroundings.limits.memory = Some(Bytes(1 << 30));
        let heap = Doubt::HeapFillsMemory { option: "-Xmx1g".to_owned(), memory: Bytes(1 << 30) };
        assert_eq!(of_setenv(&arm, &set)[1], heap);
    }

    #[test]
    fn arms_that_run_at_once_share_no_port() {
        let mut asked = experiment();
        let port = "-Dcom.sun.management.jmxremote.port=9010";
        asked.arms[0].jvm_options = vec![port.to_owned()];
        let of_both = |asked: &Experiment| doubts(asked, &Site::new("/nowhere"), |_| false);
        assert_eq!(of_both(&asked), []);
        asked.arms[1].jvm_options = vec![port.to_owned()];
        let arms: Vec<String> = asked.arms.iter().map(|arm| arm.name.clone()).collect();
        let shared = Doubt::SharedPort { option: port.to_owned(), arms: arms.clone() };
        assert_eq!(of_both(&asked), [(arms[0].clone(), shared)]);
    }
}
