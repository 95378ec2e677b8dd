//! [`RunContext`]: what a run needs beside its experiment.

use crate::args::{ExecutionArgs, OutputArgs};
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::lock_file::LockFile;
use crate::message;
use crate::progress::{RunProgress, Viewers};
use crate::repeat::TypedCommand;
use crate::signals;
use crate::sinks::Sinks;
use crate::user_config::UserConfig;
use crate::web::Address;
use crate::web::live::{LivePage, RunHeader};
use ask::experiment::Experiment;
use model::patience::Patience;
use record::outcome::Report;
use record::rounds::RunRecord;
use say::{Language, Say};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use store::Store;

/// This user's folders and stored runs, the flag that stops a run, and who watches it in which language.
pub(crate) struct RunContext {
    pub(crate) home: Home,
    pub(crate) store: Store,
    /// Raised by Ctrl-C, SIGTERM and the button of the live page.
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) quiet: bool,
    /// How long the run and the other processes of it wait for each other.
    pub(crate) patience: Patience,
    /// The lock file of the experiment, if it has one.
    pub(crate) lock: Option<LockFile>,
    /// The command line of the run.
    pub(crate) typed: TypedCommand,
    /// What the user sets for all runs.
    pub(crate) config: UserConfig,
    /// Who gets the figures of the run while it lasts.
    pub(crate) sinks: Sinks,
    /// The language of progress and messages.
    lang: Language,
    /// The live page of the run, if it has one.
    page: Option<LivePage>,
    /// Whether results are also written to a folder. Then a history that cannot be written does not end the run.
    has_out_folder: bool,
    /// Why the history cannot be written. Runs then go into a store in memory.
    pub(crate) store_error: Option<store::Error>,
}

/// A line about what surrounds a run.
#[derive(Debug, Say)]
pub(crate) enum ContextLine<'a> {
    /// The page of a run is served.
    #[say(en = "live at {url}", zh = "实时页面：{url}")]
    PageServed {
        /// Where.
        url: &'a str,
    },
    /// The run begins and will not be stored.
    #[say(en = "this run will not be stored: {error}", zh = "本次运行将不会保存：{error}")]
    WillNotBeStored {
        /// Why.
        error: &'a store::Error,
    },
}

impl RunContext {
    /// The language of progress and messages.
    pub(crate) const fn lang(&self) -> Language {
        self.lang
    }

    /// Opens the user's folders and stored runs. From now on Ctrl-C stops what runs in this context.
    pub(crate) fn open(call: &Call) -> Result<Self, Failure> {
        let home = Home::find()?;
        let store = Store::open(&home.data)?;
        Self::new(home, store, call)
    }

    /// Like `open`, but a history that cannot be written ends the run only if the results are not written to a folder either.
    pub(crate) fn open_for(output: &OutputArgs, call: &Call) -> Result<Self, Failure> {
        let home = Home::find()?;
        let has_out_folder = output.out.is_some();
        let writable = |store: Store| store.check_writable().map(|()| store);
        let (store, store_error) = match Store::open(&home.data).and_then(writable) {
            Err(error) if has_out_folder => {
                message::tell(
                    &ContextLine::WillNotBeStored { error: &error },
                    language::chosen(&output.language),
                );
                (Store::in_memory()?, Some(error))
            }
            opened => (opened?, None),
        };
        Ok(Self { has_out_folder, store_error, ..Self::new(home, store, call)? })
    }

    fn new(home: Home, store: Store, call: &Call) -> Result<Self, Failure> {
        Ok(Self {
            home,
            store,
            stop: signals::stop_flag()?,
            quiet: call.quiet,
            patience: call.patience,
            lock: None,
            typed: call.typed.clone(),
            config: UserConfig::default(),
            sinks: Sinks::default(),
            lang: language::from_locale(),
            page: None,
            has_out_folder: false,
            store_error: None,
        })
    }

    /// Sets the language of the user, reads the user's configuration, and opens the live page, if the user asks for one.
    pub(crate) fn with_viewers(mut self, args: &ExecutionArgs) -> Result<Self, Failure> {
        self.lang = language::chosen(&args.output.language);
        self.config = UserConfig::read(&self.home)?;
        self.sinks = Sinks::start(&args.live.sinks.sinks, &self.config.sinks)?;
        if args.live.live {
            let address =
                Address { listen: args.live.listen, lang: language::for_pages(&args.output.language) };
            let (stop, folder) = (Arc::clone(&self.stop), self.home.data.clone());
            let page = LivePage::start(address, self.patience, stop, folder)?;
            // Even with --quiet, because nobody could guess the address.
            message::tell(&ContextLine::PageServed { url: page.url() }, self.lang);
            self.page = Some(page);
        }
        Ok(self)
    }

    /// Stores that a run begins. The history was writable when the run was asked for, but a download may have filled the disk
    /// since: then a run whose results are written to a folder goes on unstored, and the error is returned.
    pub(crate) fn store_begin(
        &self,
        record: &RunRecord,
        source: &str,
    ) -> Result<Option<store::Error>, Failure> {
        match self.store.begin(record, source) {
            Err(error) if self.has_out_folder => {
                message::tell(&ContextLine::WillNotBeStored { error: &error }, self.lang);
                Ok(Some(error))
            }
            begun => Ok(begun.map(|()| None)?),
        }
    }

    /// Begins to show the progress of a run, on stderr and on its live page.
    pub(crate) fn progress(&self, run: &str, experiment: &Experiment) -> RunProgress<'_> {
        let page = self.page.as_ref();
        let sender = page.map(|page| page.sender(RunHeader::new(run, experiment)));
        let viewers = Viewers { page: sender, sinks: self.sinks.sender(run, experiment) };
        RunProgress::new(&self.store, run, experiment, self.quiet, self.lang, viewers)
    }

    /// Shows the results on the live page.
    pub(crate) fn show_results(&self, report: &Report) {
        if let Some(page) = &self.page {
            page.show_results(report);
        }
    }
}
