//! Where a run can be seen, for `prony serve` beside it: a file in the folder of the stored runs, for as long as it lasts.

use crate::web::access;
use model::url::Url;
use serde::Serialize;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A page on this machine answers at once, or is gone.
const SOON: Duration = Duration::from_millis(200);

/// The file; it goes when this is dropped.
pub(super) struct Notice(PathBuf);

impl Notice {
    /// Says that `run` can be seen at `url`. A list without it is no reason to end a run.
    pub(super) fn post(folder: &Path, run: &str, url: &str) -> Option<Self> {
        let path = place(folder, run);
        std::fs::create_dir_all(path.parent()?).ok()?;
        // The address may hold a token.
        let mut file = std::fs::File::options()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&path)
            .ok()?;
        file.write_all(url.as_bytes()).ok()?;
        Some(Self(path))
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A run that lasts, for everybody who is on this machine.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct UnderWay {
    /// Where it can be seen; absent where the address holds a token, which is for those alone whom the run's user tells.
    url: Option<String>,
}

/// Whether a run lasts. One that was killed left its file, which is removed.
pub(crate) fn under_way(folder: &Path, run: &str) -> Option<UnderWay> {
    let path = place(folder, run);
    let url = std::fs::read_to_string(&path).ok()?;
    if answers(&url) {
        let url = Some(url).filter(|url| !access::lets_in(url));
        return Some(UnderWay { url });
    }
    let _ = std::fs::remove_file(&path);
    None
}

fn place(folder: &Path, run: &str) -> PathBuf {
    folder.join("live").join(run)
}

/// Whether somebody listens there. A name, which stands for all addresses of this machine, is taken for 127.0.0.1.
fn answers(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| {
        let address = url.host.parse().unwrap_or(IpAddr::from(Ipv4Addr::LOCALHOST));
        TcpStream::connect_timeout(&(address, url.port).into(), SOON).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_run_is_seen_while_it_lasts_and_a_killed_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("its address"));
        let notice = Notice::post(folder.path(), "one", &url).expect("posted");
        assert_eq!(under_way(folder.path(), "one"), Some(UnderWay { url: Some(url) }));
        drop(notice);
        assert_eq!(under_way(folder.path(), "one"), None);
        let port = listener.local_addr().expect("its address").port();
        let killed = Notice::post(folder.path(), "two", &format!("http://bench-1:{port}/?token=x"));
        assert_eq!(
            under_way(folder.path(), "two"),
            Some(UnderWay { url: None }),
            "a token is not for everybody"
        );
        std::mem::forget(killed);
        drop(listener);
        assert_eq!(under_way(folder.path(), "two"), None);
        assert!(!place(folder.path(), "two").exists());
    }
}
