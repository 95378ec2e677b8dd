//! Opens pages in headless Chromium, driven by Playwright.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The version of Playwright, fixed so that tests do not change by themselves.
const PLAYWRIGHT: &str = "playwright==1.55.0";

/// Runs a script of `tests/browser` with these arguments and, as the last one, a folder for pictures.
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
    let output = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(ran.status.success(), "{script}: {}", output.concat());
}

/// Returns the folder for pictures; `PRONY_PICTURES` sets another one, such as that of the README.
fn pictures() -> PathBuf {
    let usual = || Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    let folder = std::env::var_os("PRONY_PICTURES").map_or_else(usual, PathBuf::from);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::path::absolute(folder).expect("a path")
}

/// Returns the folder of Playwright's Python package, which is fetched on first use. The browser is that of the system.
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
