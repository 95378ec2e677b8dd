//! `prony record`: a proxy that turns what a browser or another client does into a scenario.

use super::SubCommand;
use super::import::{deliver_recorded, options};
use crate::args::ScenarioArgs;
use crate::call::Call;
use crate::failure::Failure;
use crate::files::refuse_existing;
use crate::home::Home;
use crate::language;
use crate::record::authority::Authority;
use crate::record::browser::Browser;
use crate::record::{Proxy, Recording, Tape, Upstream, serve};
use crate::signals;
use crate::web::CannotListen;
use clap::Args;
use say::Say;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often it is looked whether the recording has ended.
const LOOK: Duration = Duration::from_millis(100);

/// Record a scenario: a proxy that writes down what a browser or another client does.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// Where the proxy listens.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8888")]
    listen: SocketAddr,
    /// Open this page in Chromium, with a profile of its own that uses the proxy. The recording ends when the browser is closed.
    #[arg(long, value_name = "URL")]
    browser: Option<String>,
    /// Read https, too: with a certificate authority in this folder, which is made on first use [default: in prony's data folder]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "")]
    ca: Option<PathBuf>,
    /// https: accept any certificate of the servers; on 127.0.0.1 and ::1 every certificate is accepted anyway.
    #[arg(long)]
    insecure: bool,
    /// How the scenario is written.
    #[command(flatten)]
    to: ScenarioArgs,
}

/// Why nothing can be recorded.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum RecordComplaint {
    /// The certificate authority of `prony record` cannot be used.
    #[say(
        en = "the certificate authority in {folder} is of no use: {source}",
        zh = "无法使用 {folder} 中的证书颁发机构：{source}",
        hint(
            en = "--ca DIR takes another folder, and makes one there",
            zh = "--ca DIR 使用另一个目录，首次使用时会在其中创建"
        )
    )]
    Authority {
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No browser can be opened.
    #[say(
        en = "no browser can be opened: {source}",
        zh = "无法打开浏览器：{source}",
        hint(
            en = "install Chromium, or leave --browser out and set the proxy in yours",
            zh = "请安装 Chromium，或不用 --browser，自行在浏览器中设置代理"
        )
    )]
    NoBrowser {
        /// What the system says.
        source: io::Error,
    },
}

/// A recording that begins.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "{has_browser?recording; close the browser or press Ctrl-C to end|recording at http://{address}; press Ctrl-C to end\n  \
          curl -x http://{address} URL\n  \
          chromium --proxy-server=http://{address} '--proxy-bypass-list=<-loopback>' URL}\n\
          {certificate?https is read by clients that trust {} (curl --cacert {})\n}",
    zh = "{has_browser?正在录制；关闭浏览器或按 Ctrl-C 结束|正在 http://{address} 录制；按 Ctrl-C 结束\n  \
          curl -x http://{address} URL\n  \
          chromium --proxy-server=http://{address} '--proxy-bypass-list=<-loopback>' URL}\n\
          {certificate?客户端信任 {} 后即可录制 https（curl --cacert {}）\n}",
    certificate = authority.filter(|_| !has_browser)
)]
struct Start<'a> {
    /// Where the proxy listens.
    address: SocketAddr,
    /// The certificate that clients have to trust; `None` where https is passed on unread.
    authority: Option<&'a Path>,
    /// Whether a browser was opened.
    has_browser: bool,
}

/// A recording that has ended.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "recorded {count} requests\n{unread?https was passed on unread to {}; --ca reads it\n}",
    zh = "已录制 {count} 个请求\n{unread?对 {} 的 https 未读取，直接转发；加 --ca 可读取\n}",
    count = _0.exchanges.len(),
    unread = unread(_0)
)]
struct Ended<'a>(&'a Recording);

/// The servers whose https was passed on, if there are any.
fn unread(recording: &Recording) -> Option<String> {
    let servers: Vec<&str> = recording.unread.keys().map(String::as_str).collect();
    (!servers.is_empty()).then(|| servers.join(", "))
}

impl SubCommand for RecordArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let lang = language::chosen(&self.to.language);
        // Whoever has recorded for an hour must not learn then that the file cannot be written.
        if let Some(output) = &self.to.output {
            refuse_existing(output)?;
        }
        let authority = authority(self)?;
        let stop = signals::stop_flag()?;
        let tape = Arc::new(Tape::begin());
        let proxy =
            Proxy { tape: Arc::clone(&tape), upstream: Upstream { accepts_any: self.insecure }, authority };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ended = runtime.block_on(async {
            let refused = |source| Failure::usage(CannotListen { address: self.listen, source });
            let listener = tokio::net::TcpListener::bind(self.listen).await.map_err(refused)?;
            let address = listener.local_addr()?;
            let browser = open_browser(self, address, proxy.authority.as_deref())?;
            if !call.quiet {
                let start = Start {
                    address,
                    authority: proxy.authority.as_ref().map(|authority| authority.certificate.as_path()),
                    has_browser: browser.is_some(),
                };
                eprint!("{}", say::text(&start, lang));
            }
            tokio::spawn(serve(listener, proxy));
            wait(browser, &stop).await;
            Ok::<_, Failure>(address)
        });
        let address = ended?;
        drop(runtime);
        let recording = tape.take();
        if !call.quiet {
            eprint!("{}", say::text(&Ended(&recording), lang));
        }
        let stem = self.to.output.as_ref().and_then(|output| output.file_stem());
        let name = stem.map_or_else(|| "recorded".into(), |stem| stem.to_string_lossy());
        let options = options(&self.to, &name);
        let mut imported = import::session(&recording.exchanges, &options);
        imported.obstacles.splice(0..0, recording.obstacles);
        deliver_recorded(imported, &address.to_string(), &self.to)
    }
}

/// Opens the certificate authority of `--ca`.
fn authority(args: &RecordArgs) -> Result<Option<Arc<Authority>>, Failure> {
    let Some(folder) = &args.ca else {
        return Ok(None);
    };
    let folder = match folder.as_os_str().is_empty() {
        true => Home::find()?.data.join("ca"),
        false => folder.clone(),
    };
    let opened = Authority::open(&folder);
    let opened = opened.map_err(|source| Failure::usage(RecordComplaint::Authority { folder, source }));
    opened.map(|authority| Some(Arc::new(authority)))
}

/// Opens the browser of `--browser`.
fn open_browser(
    args: &RecordArgs,
    proxy: SocketAddr,
    authority: Option<&Authority>,
) -> Result<Option<Browser>, Failure> {
    let Some(url) = &args.browser else {
        return Ok(None);
    };
    let opened = Browser::open(url, proxy, authority);
    let opened = opened.map_err(|source| Failure::usage(RecordComplaint::NoBrowser { source }));
    opened.map(Some)
}

/// Waits for Ctrl-C or the end of the browser.
async fn wait(mut browser: Option<Browser>, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) && !browser.as_mut().is_some_and(Browser::is_closed) {
        tokio::time::sleep(LOOK).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{add_lines, assert_golden, check_words};

    #[test]
    fn lines_of_a_recording_keep_their_words() {
        for (has_browser, authority) in
            [(true, None), (false, None), (false, Some(Path::new("Q1"))), (true, Some(Path::new("Q1")))]
        {
            let start = Start { address: ([127, 0, 0, 1], 8080).into(), authority, has_browser };
            add_lines(|lang| say::text(&start, lang));
        }
        let recording = |servers: &[&str]| Recording {
            exchanges: Vec::new(),
            obstacles: Vec::new(),
            unread: servers.iter().map(|server| ((*server).to_owned(), 3)).collect(),
        };
        check_words(&Ended(&recording(&[])));
        check_words(&Ended(&recording(&["Q1", "Q2"])));
        assert_golden("lines_of_a_recording");
    }
}
