//! [`MavenTrouble`]: why Maven failed, and what to do about it.

use say::Say;

/// Why Maven failed, as far as its output shows; the words are what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum MavenTrouble {
    /// Maven is configured to work offline.
    #[say(
        en = "Maven is set to work offline: take `offline` out of its settings.xml or MAVEN_ARGS for the first run",
        zh = "Maven 处于离线模式：首次运行时请从其 settings.xml 或 MAVEN_ARGS 中去掉 `offline`"
    )]
    Offline,
    /// Maven could not reach a repository.
    #[say(
        en = "the first run needs the network; proxies and mirrors are those of Maven's settings.xml",
        zh = "首次运行需要网络；代理和镜像取自 Maven 的 settings.xml"
    )]
    Network,
    /// The repository in use does not have the artifact.
    #[say(
        en = "the Maven repository in use does not hold it: choose another version, or another mirror in settings.xml",
        zh = "当前使用的 Maven 仓库中没有它：请换一个版本，或在 settings.xml 中换一个镜像"
    )]
    NotHeld,
    /// Maven runs on a JRE.
    #[say(
        en = "Maven needs a full JDK: set JAVA_HOME to one",
        zh = "Maven 需要完整的 JDK：请将 JAVA_HOME 设为一个 JDK"
    )]
    NoJdk,
    /// The output shows none of these.
    #[say(
        en = "run the same with plain mvn to see all of its output",
        zh = "直接用 mvn 执行同样的任务，可看到全部输出"
    )]
    Unknown,
}

impl MavenTrouble {
    /// The trouble that Maven's output shows.
    pub fn in_output(lines: &[String]) -> Self {
        let any = |words: &[&str]| lines.iter().any(|line| words.iter().any(|word| line.contains(word)));
        if any(&["offline mode"]) {
            Self::Offline
        } else if any(&UNREACHABLE) {
            Self::Network
        } else if any(&["Could not find artifact", "was not found in"]) {
            Self::NotHeld
        } else if any(&["No compiler is provided", "JAVA_HOME"]) {
            Self::NoJdk
        } else {
            Self::Unknown
        }
    }
}

/// Words that Maven writes when it cannot reach a repository.
const UNREACHABLE: [&str; 7] = [
    "Unknown host",
    "UnknownHost",
    "Network is unreachable",
    "timed out",
    "refused",
    "transfer artifact",
    "reset",
];

#[cfg(test)]
mod tests {
    #[test]
    fn mavens_troubles_have_their_own_hints() {
        let hint = |line: &str| {
            let trouble = super::MavenTrouble::in_output(&[line.to_owned()]);
            say::text(&trouble, say::Language::En)
        };
        assert!(hint("Could not transfer artifact x from/to central: Unknown host repo").contains("network"));
        assert!(hint("Could not find artifact org.x:y:tar.gz:1 in central").contains("does not hold it"));
        assert!(hint("Cannot access central in offline mode").contains("offline"));
    }
}
