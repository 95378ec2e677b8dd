//! Starts a browser that uses the proxy, with a profile of its own.

use super::authority::Authority;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The names of Chromium and its relatives.
const PROGRAMS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// A browser. It ends when this value is dropped, and its profile is removed.
pub(crate) struct Browser {
    child: Child,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Opens a page in a browser that sends everything through the proxy, also what is for this machine.
    pub(crate) fn open(url: &str, proxy: SocketAddr, authority: Option<&Authority>) -> io::Result<Self> {
        let program = find().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let profile = tempfile::Builder::new().prefix("prony-record-").tempdir()?;
        let mut command = Command::new(program);
        command
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("--proxy-server=http://{proxy}"))
            .args([
                "--proxy-bypass-list=<-loopback>",
                "--no-first-run",
                "--no-default-browser-check",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ]);
        if let Some(authority) = authority {
            command.arg(format!("--ignore-certificate-errors-spki-list={}", authority.key_hash()));
        }
        // Root has no sandbox.
        if rustix::process::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        let child =
            command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Self { child, _profile: profile })
    }

    /// Whether the user has closed it.
    pub(crate) fn is_closed(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the first of these browsers that is installed.
fn find() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let mut all = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.find(|path: &PathBuf| Path::is_file(path))
}
