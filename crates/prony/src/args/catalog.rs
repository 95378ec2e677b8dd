//! The arguments of `prony catalog`.

use clap::Args;

/// `prony catalog`.
#[derive(Debug, Args)]
pub(crate) struct CatalogArgs {
    /// Only this server: every version that Maven knows, and the rules by which prony knows what each can do.
    #[arg(value_name = "SERVER", conflicts_with = "schema")]
    pub(crate) server: Option<String>,
    /// Print the catalog as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the JSON Schema of the arms of an experiment file instead, for use in an editor.
    #[arg(long, conflicts_with = "json")]
    pub(crate) schema: bool,
}
