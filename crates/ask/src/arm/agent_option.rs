//! Options of the JVM that load an agent from a file.

use std::path::Path;

const AGENTS: [&str; 2] = ["-javaagent:", "-agentpath:"];

/// Returns the file of the agent that an option of the JVM names; `None` for any other option.
pub fn agent_file(option: &str) -> Option<&Path> {
    let agent = AGENTS.iter().find_map(|prefix| option.strip_prefix(prefix))?;
    Some(Path::new(agent.split('=').next().unwrap_or(agent)))
}

/// Makes the file of an agent start from this folder: the JVM runs in another one.
pub(super) fn relative_to(option: &mut String, folder: &Path) {
    let Some(file) = agent_file(option).filter(|file| file.is_relative() && !file.as_os_str().is_empty())
    else {
        return;
    };
    let (written, whole) = (file.display().to_string(), folder.join(file).display().to_string());
    *option = option.replacen(&written, &whole, 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_a_file_beside_the_experiment() {
        for (option, whole) in [
            ("-javaagent:agent.jar=port=1,a=agent.jar", "-javaagent:/e/agent.jar=port=1,a=agent.jar"),
            ("-agentpath:/opt/p.so", "-agentpath:/opt/p.so"),
            ("-Xmx1g", "-Xmx1g"),
        ] {
            let mut option = option.to_owned();
            relative_to(&mut option, Path::new("/e"));
            assert_eq!(option, whole);
        }
        assert_eq!(agent_file("-agentlib:jdwp"), None);
    }
}
