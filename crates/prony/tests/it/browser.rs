//! Headless Chromium, driven by Playwright: what a page does when it is really looked at.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Fixed, so that a test does not change by itself.
const PLAYWRIGHT: &str = "playwright==1.55.0";

/// Runs a script of `tests/browser` with its arguments, and a folder for pictures as its last argument.
pub(crate) fn drive(script: &str, arguments: &[&str]) {
    let folder = pictures();
    let ran = Command::new("python3")
        .arg("-B")
        .arg(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/browser")
                .join(script),
        )
        .args(arguments)
        .arg(&folder)
        .env("PYTHONPATH", playwright())
        .output()
        .expect("python3 runs");
    let said = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(ran.status.success(), "{script}: {}", said.concat());
}

/// Where pictures go; `PRONY_PICTURES` takes them elsewhere, to the README's for one.
fn pictures() -> PathBuf {
    let usual = || Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    let folder = std::env::var_os("PRONY_PICTURES").map_or_else(usual, PathBuf::from);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::path::absolute(folder).expect("a path")
}

/// Playwright's Python package, fetched on first use; the browser is the system's.
fn playwright() -> PathBuf {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("playwright");
    if !folder.join("playwright/__init__.py").exists() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--target"])
            .arg(&folder)
            .arg(PLAYWRIGHT);
        assert!(
            pip.status().expect("pip runs").success(),
            "pip could not fetch {PLAYWRIGHT}"
        );
    }
    folder
}
