//! Opens pages in headless Chromium, driven by Playwright.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The versions of Playwright and of the rules of accessibility, fixed so that tests do not change by themselves.
const PACKAGES: [&str; 2] = ["playwright==1.55.0", "axe-playwright-python==0.1.8"];

/// Runs a script of `tests/browser` with these arguments and, as the last one, a folder for pictures.
pub(crate) fn drive(script: &str, arguments: &[&str]) {
    let folder = pictures();
    let ran = Command::new("python3")
        .arg("-B")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script))
        .args(arguments)
        .arg(&folder)
        .env("PYTHONPATH", playwright())
        .output()
        .expect("python3 runs");
    let output = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(ran.status.success(), "{script}: {}", output.concat());
}

/// Returns the folder for pictures; `PRONY_PICTURES` sets another one, such as the folder of the README.
fn pictures() -> PathBuf {
    let usual = || Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    let folder = std::env::var_os("PRONY_PICTURES").map_or_else(usual, PathBuf::from);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::path::absolute(folder).expect("a path")
}

/// Returns the folder of Playwright's Python packages, which are fetched on first use. The system provides the browser.
fn playwright() -> PathBuf {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("playwright");
    // The package that is installed last.
    if !folder.join("axe_playwright_python/__init__.py").exists() {
        let _ = std::fs::remove_dir_all(&folder);
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(&folder).args(PACKAGES);
        assert!(pip.status().expect("pip runs").success(), "pip could not fetch {PACKAGES:?}");
    }
    folder
}
