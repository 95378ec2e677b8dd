//! What no report may say.

use std::fs;
use std::path::Path;

/// What would say that two arms do not differ, which no measurement shows.
const FORBIDDEN: [&str; 4] = ["no difference", "no significant", "没有差异", "无差异"];

/// Returns the lines of the sources in a folder that say something forbidden.
fn claims(folder: &Path) -> Vec<String> {
    let mut claims = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        // One text explains that `inconclusive` does not mean this.
        if path.ends_with("document/how.rs") {
            continue;
        }
        if path.is_dir() {
            claims.extend(self::claims(&path));
            continue;
        }
        let source = fs::read_to_string(&path).expect("a source").to_lowercase();
        let lines = source.lines().filter(|line| FORBIDDEN.iter().any(|claim| line.contains(claim)));
        claims.extend(lines.map(|line| format!("{}: {line}", path.display())));
    }
    claims
}

#[test]
fn no_text_says_that_there_is_no_difference() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["report", "record"] {
        assert_eq!(claims(&crates.join(name).join("src")), Vec::<String>::new());
    }
}

#[test]
fn a_claim_is_found() {
    let folder = std::env::temp_dir().join(format!("claims-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("a.rs"), "fn f() {}\n\"No difference.\"\n").expect("a source");
    let found = claims(&folder);
    fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(found.len(), 1, "{found:?}");
}
