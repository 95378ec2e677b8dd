//! `prony record`: a proxy that turns what a browser or another client does into a scenario.

use super::SubCommand;
use super::import::{deliver_recorded, options};
use crate::args::ScenarioArgs;
use crate::call::Call;
use crate::cmd::init::refuse_existing;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::record::authority::Authority;
use crate::record::browser::Browser;
use crate::record::{Proxy, Tape, Upstream, serve};
use crate::say::Complaint;
use crate::say::complaint::WrittenComplaint;
use crate::say::record::{Ended, Start};
use crate::signals;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
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
            let refused = |source| Failure::usage(Complaint::CannotListen { address: self.listen, source });
            let listener = tokio::net::TcpListener::bind(self.listen).await.map_err(refused)?;
            let address = listener.local_addr()?;
            let browser = open_browser(self, address, proxy.authority.as_deref())?;
            if !call.quiet {
                let start = Start {
                    address,
                    authority: proxy.authority.as_ref().map(|authority| authority.certificate.as_path()),
                    has_browser: browser.is_some(),
                };
                eprint!("{}", ::say::text(&start, lang));
            }
            tokio::spawn(serve(listener, proxy));
            wait(browser, &stop).await;
            Ok::<_, Failure>(address)
        });
        let address = ended?;
        drop(runtime);
        let recording = tape.take();
        if !call.quiet {
            eprint!("{}", ::say::text(&Ended(&recording), lang));
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
    let opened = opened.map_err(|source| Failure::usage(WrittenComplaint::Authority { folder, source }));
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
    let opened = opened.map_err(|source| Failure::usage(WrittenComplaint::NoBrowser { source }));
    opened.map(Some)
}

/// Waits for Ctrl-C or the end of the browser.
async fn wait(mut browser: Option<Browser>, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) && !browser.as_mut().is_some_and(Browser::is_closed) {
        tokio::time::sleep(LOOK).await;
    }
}
