//! [`Remedy`]: what to change, with its numbers and the setting of the server that it concerns. A remedy is one row in the file of its
//! family: a variant with its words.

mod backends;
mod connections;
mod limits;
mod load;
mod memory;
mod setting;
mod waits;
mod work;

pub use setting::{ServerSetting, SettingName};

use super::backends::Store;
use super::connections::ClosedBy;
use super::keeper::{BoundTo, KeeperKind};
use super::leak::{Leaked, Mended};
use super::pools::{Bounded, More};
use super::sizing::{Brings, Sizing};
use super::work::{CpuWork, Spared};
use ask::kind::Kind;
use backends::backends_rows;
use connections::connections_rows;
use limits::limits_rows;
use load::load_rows;
use memory::memory_rows;
use model::units::{Bytes, Cpus, Seconds};
use say::Say;
use serde::{Deserialize, Serialize};
use setting::{how_to_find_leaks, idle_setting, mebibytes, requests_per_connection};
use waits::waits_rows;
use work::work_rows;

/// Collects the rows of one family after the other, and makes the enum of them.
macro_rules! remedies {
    ([] $($rows:tt)*) => {
        /// What to change.
        #[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
        #[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
        pub enum Remedy { $($rows)* }
    };
    ([$family:ident $($rest:ident)*] $($rows:tt)*) => { $family! { [$($rest)*] $($rows)* } };
}

remedies! { [load_rows connections_rows limits_rows work_rows memory_rows waits_rows backends_rows] }

impl Remedy {
    /// Whether it only accepts what was found.
    pub const fn accepts(&self) -> bool {
        matches!(self, Self::AcceptFullCpu | Self::AcceptSharedCpu | Self::AcceptAnswers)
    }
}

#[cfg(test)]
mod tests;
