//! The arguments of the commands that write and check files.

use super::LanguageArgs;
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// `prony check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The experiment file, or a scenario or JMeter plan of `prony load`; `-` reads it from stdin. `prony catalog --schema` prints a schema for editors.
    pub(crate) file: PathBuf,
    /// Check what `prony run --quick` would run.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Give a property of a JMeter plan a value, as in JMeter: -Jhost=staging; may be repeated.
    #[arg(short = 'J', value_name = "NAME=VALUE")]
    pub(crate) properties: Vec<String>,
    /// The language of everything that is said.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// `prony init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The file to write; one that exists is left alone.
    #[arg(value_name = "FILE", default_value = "experiment.toml")]
    pub(crate) file: PathBuf,
    /// The WAR of your application, which every server deploys.
    #[arg(long, value_name = "FILE", group = "subject")]
    pub(crate) war: Option<PathBuf>,
    /// The executable jar of your application; it is compared with itself under other options of the JVM.
    #[arg(long, value_name = "FILE", group = "subject")]
    pub(crate) jar: Option<PathBuf>,
    /// The address of a server that runs on this machine already; the experiment asks what limits it.
    #[arg(long, value_name = "URL", group = "subject")]
    pub(crate) url: Option<String>,
    /// The servers to compare, as tomcat:9,tomcat:10.1 [default: the newest Tomcats that deploy the WAR]
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with_all = ["jar", "url"])]
    pub(crate) servers: Vec<String>,
    /// With a jar: options of the JVM of a second variant [default: another collector]; "" asks only what limits the first
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, conflicts_with_all = ["war", "url", "servers"])]
    pub(crate) jvm_options: Option<String>,
    /// The path to request [default: that of --url, or /]
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Keep-alive connections; each sends its next request when the previous one is answered.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) connections: Option<u32>,
    /// The language of the questions and of the comments in the file.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// `prony import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The format, if it is not to be found out, and the file; `-` reads it from stdin.
    #[arg(value_names = ["FORMAT", "FILE"], num_args = 1..=2, required = true)]
    pub(crate) source: Vec<String>,
    /// Give a property of a JMeter plan a value, as in JMeter: -Jhost=staging; may be repeated.
    #[arg(short = 'J', value_name = "NAME=VALUE")]
    pub(crate) properties: Vec<String>,
    /// How the scenario is written.
    #[command(flatten)]
    pub(crate) to: ScenarioArgs,
}

/// `prony record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// Where the proxy listens.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8888")]
    pub(crate) listen: SocketAddr,
    /// Open this page in Chromium, with a profile of its own that uses the proxy. The recording ends when the browser is closed.
    #[arg(long, value_name = "URL")]
    pub(crate) browser: Option<String>,
    /// Read https, too: with a certificate authority in this folder, which is made on first use [default: in prony's data folder]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "")]
    pub(crate) ca: Option<PathBuf>,
    /// https: accept any certificate of the servers; on 127.0.0.1 and ::1 every certificate is accepted anyway.
    #[arg(long)]
    pub(crate) insecure: bool,
    /// How the scenario is written.
    #[command(flatten)]
    pub(crate) to: ScenarioArgs,
}

/// Options of what writes a scenario.
#[derive(Debug, Args)]
pub(crate) struct ScenarioArgs {
    /// Write the scenario into this file instead of stdout; one that exists is left alone.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The name of the scenario [default: that of the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Leave out requests for files that do not change: styles, scripts, pictures, fonts.
    #[arg(long)]
    pub(crate) no_static: bool,
    /// Leave passwords, tokens and cookies in the scenario, instead of taking them from the environment.
    #[arg(long)]
    pub(crate) keep_secrets: bool,
    /// Leave out what is not supported, and say so in the file, instead of writing none.
    #[arg(long)]
    pub(crate) skip_unsupported: bool,
    /// The language of comments and messages.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// A format of `prony import`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// Command lines of curl.
    Curl,
    /// An HTTP Archive of a browser.
    Har,
    /// A JMeter plan.
    Jmx,
    /// An OpenAPI document.
    Openapi,
    /// Targets of vegeta.
    Vegeta,
}
