//! [`Call`]: how prony was called, beside the arguments of the sub-command.

use crate::output::Colour;
use crate::repeat::TypedCommand;
use model::patience::Patience;

/// What every sub-command is told beside its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) colour: Colour,
    /// Whether no progress is shown.
    pub(crate) quiet: bool,
    /// How long the processes of a run wait for each other.
    pub(crate) patience: Patience,
    pub(crate) typed: TypedCommand,
}
