//! The garbage collection log of a JVM, in the folder of its start. It gives the number of pauses since the start and the
//! longest one, which no counter shows. Every JVM writes it, so that arms stay alike; a line per collection costs nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The name of the log file.
const FILE: &str = "gc.log";
/// The first Java with unified logging (`-Xlog`).
const UNIFIED: u32 = 9;

/// The option with which a JVM of this major version writes the log; `None` where the folder's name would break the
/// option.
pub(crate) fn option(major: u32, folder: &Path) -> Option<String> {
    let path = folder.join(FILE);
    // A colon separates the parts of the option, and a per cent sign begins a placeholder.
    let path = path.to_str().filter(|path| !path.contains([':', '%', '"']))?;
    Some(match major >= UNIFIED {
        true => format!("-Xlog:gc:file={path}"),
        false => format!("-Xloggc:{path}"),
    })
}

/// The pauses since the start, summed up; empty where there is no log or no pause.
pub(crate) fn facts(folder: &Path) -> BTreeMap<String, f64> {
    let log = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let pauses: Vec<Pause> = log.lines().filter_map(pause).collect();
    if pauses.is_empty() {
        return BTreeMap::new();
    }
    let full = pauses.iter().filter(|pause| pause.full).count();
    let for_metaspace = pauses.iter().filter(|pause| pause.for_metaspace).count();
    let longest = pauses.iter().map(|pause| pause.millis).fold(0.0, f64::max);
    let all: f64 = pauses.iter().map(|pause| pause.millis).sum();
    let facts = [
        ("pauses", pauses.len() as f64),
        ("full_collections", full as f64),
        ("longest_pause_ms", longest),
        ("paused_ms", all),
        ("for_metaspace", for_metaspace as f64),
    ];
    facts.map(|(name, value)| (format!("gc.{name}"), value)).into()
}

/// One pause of all threads of the JVM.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pause {
    full: bool,
    millis: f64,
    /// Whether it came because there was no room for more classes.
    for_metaspace: bool,
}

/// What a line says of a pause that came because there was no room for more classes.
const FOR_METASPACE: [&str; 2] = ["(Metadata GC Threshold)", "(Metadata GC Clear Soft References)"];

/// The pause in a line like `[0.51s][info][gc] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 24M->5M(64M) 2.345ms`, of
/// JDK 8 like `0.456: [Full GC (Ergonomics)  33280K->5103K(125952K), 0.0074 secs]`. Concurrent phases are no pauses.
fn pause(line: &str) -> Option<Pause> {
    let for_metaspace = FOR_METASPACE.iter().any(|words| line.contains(words));
    if let Some((_, pause)) = line.split_once(") Pause ") {
        let millis = pause.rsplit(' ').next()?.strip_suffix("ms")?.parse().ok()?;
        let full = pause.starts_with("Full");
        return Some(Pause { full, millis, for_metaspace });
    }
    let old = line.split_once(": [")?.1;
    let full = old.starts_with("Full GC");
    let seconds = old.strip_suffix(" secs]")?.rsplit(", ").next()?;
    let seconds: f64 = seconds.parse().ok()?;
    (full || old.starts_with("GC")).then_some(Pause { full, millis: 1e3 * seconds, for_metaspace })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_read_from_both_forms_of_the_log() {
        let parsed = |line: &str| pause(line).map(|pause| (pause.full, pause.millis));
        let young =
            "[0.512s][info][gc] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 24M->5M(64M) 2.345ms";
        assert_eq!(parsed(young), Some((false, 2.345)));
        let full = "[9.1s][info][gc] GC(70) Pause Full (G1 Compaction Pause) 55M->40M(56M) 31.000ms";
        assert_eq!(parsed(full), Some((true, 31.0)));
        assert_eq!(parsed("[0.6s][info][gc] GC(4) Concurrent Mark Cycle 12.3ms"), None);
        assert_eq!(parsed("[0.006s][info][gc] Using G1"), None);
        let old = "0.456: [GC (Allocation Failure)  33280K->5103K(125952K), 0.0074 secs]";
        assert_eq!(parsed(old), Some((false, 7.4)));
        let old = "1.5: [Full GC (Ergonomics)  5103K->4000K(125952K), 0.5000 secs]";
        assert_eq!(parsed(old), Some((true, 500.0)));
        assert_eq!(parsed("1.6: [GC concurrent-mark-start]"), None);
    }

    #[test]
    fn pauses_for_more_classes_are_told_apart() {
        let is_for_metaspace = |line: &str| pause(line).map(|pause| pause.for_metaspace);
        let classes = "[12.6s][info][gc] GC(41) Pause Young (Concurrent Start) (Metadata GC Threshold) 93M->41M(256M) 7.1ms";
        assert_eq!(is_for_metaspace(classes), Some(true));
        let heap = "[0.5s][info][gc] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 24M->5M(64M) 2.3ms";
        assert_eq!(is_for_metaspace(heap), Some(false));
    }

    #[test]
    fn the_option_depends_on_the_version_of_the_jdk() {
        let folder = Path::new("/srv/gc");
        assert_eq!(option(8, folder).as_deref(), Some("-Xloggc:/srv/gc/gc.log"));
        assert_eq!(option(25, folder).as_deref(), Some("-Xlog:gc:file=/srv/gc/gc.log"));
        assert_eq!(option(25, Path::new("/work:2")), None);
    }
}
