//! Tells `prony serve` where a run can be watched: while the run lasts, a file in the folder of the stored runs holds its URL.

use crate::web::access;
use model::url::Url;
use serde::Serialize;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The timeout of a connect to the page of a run. A page on this machine accepts at once, or is gone.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(200);

/// The file; it is removed when this is dropped.
pub(super) struct Notice(PathBuf);

impl Notice {
    /// Writes that `run` can be watched at `url`. Returns `None` if this fails: the run goes on without being listed.
    pub(super) fn post(folder: &Path, run: &str, url: &str) -> Option<Self> {
        let path = notice_path(folder, run);
        std::fs::create_dir_all(path.parent()?).ok()?;
        // The URL may contain a token.
        let mut file =
            std::fs::File::options().create(true).truncate(true).write(true).mode(0o600).open(&path).ok()?;
        file.write_all(url.as_bytes()).ok()?;
        Some(Self(path))
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A run that lasts, as everybody on this machine may see it.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct UnderWay {
    /// Where it can be watched; absent if the URL contains a token, which only the user of the run may pass on.
    url: Option<String>,
}

/// Returns how a run can be watched; `None` if it has ended. A killed run leaves its file behind, which is removed here.
pub(crate) fn find_under_way(folder: &Path, run: &str) -> Option<UnderWay> {
    let path = notice_path(folder, run);
    let url = std::fs::read_to_string(&path).ok()?;
    if is_listening(&url) {
        let url = Some(url).filter(|url| !access::has_token(url));
        return Some(UnderWay { url });
    }
    let _ = std::fs::remove_file(&path);
    None
}

/// Returns the path of the file of a run.
fn notice_path(folder: &Path, run: &str) -> PathBuf {
    folder.join("live").join(run)
}

/// Whether a process listens at a URL. A host name, which stands for all addresses of this machine, is taken for 127.0.0.1.
fn is_listening(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| {
        let address = url.host.parse().unwrap_or(IpAddr::from(Ipv4Addr::LOCALHOST));
        TcpStream::connect_timeout(&(address, url.port).into(), CONNECT_TIMEOUT).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_run_is_listed_while_it_lasts_and_a_killed_run_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("its address"));
        let notice = Notice::post(folder.path(), "one", &url).expect("posted");
        assert_eq!(find_under_way(folder.path(), "one"), Some(UnderWay { url: Some(url) }));
        drop(notice);
        assert_eq!(find_under_way(folder.path(), "one"), None);
        let port = listener.local_addr().expect("its address").port();
        let killed = Notice::post(folder.path(), "two", &format!("http://bench-1:{port}/?token=x"));
        assert_eq!(
            find_under_way(folder.path(), "two"),
            Some(UnderWay { url: None }),
            "the token must not be shown"
        );
        std::mem::forget(killed);
        drop(listener);
        assert_eq!(find_under_way(folder.path(), "two"), None);
        assert!(!notice_path(folder.path(), "two").exists());
    }
}
