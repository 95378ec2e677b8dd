//! Where the figures of a run are sent while it lasts.

use clap::Args;

/// `--sink`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SinkArgs {
    /// Send the figures of the run there while it lasts, and its verdicts at its end; may be repeated. FORMAT is influx, prometheus,
    /// otlp, opensearch or statsd, as in influx=http://127.0.0.1:8086/write?db=perf.
    #[arg(long = "sink", value_name = "FORMAT=ADDRESS")]
    // It is parsed later, because clap would quote what it refuses.
    pub(crate) sinks: Vec<String>,
}
