//! [`Finding`]: the cause that limits a load, with the numbers that show it and its words. A run stores these values.
//!
//! A cause is one row in the file of its family, beside the type that holds its numbers:
//!
//! ```text
//! LockContention(LockWait) = "lock-contention", Explains, Application, 350;
//! ```
//!
//! The row has its name, the type of its numbers, its id, where it is named among others ([`Rank`]), where it comes from ([`Origin`]),
//! and its turn among causes that explain as much ([`Cause::turn`]). From all rows follow [`Cause`], [`Finding`], their form in files, and
//! the list of rules in `judge::diagnose`.

mod backends;
mod bursts;
mod client;
mod connections;
mod cpu;
mod jvm;
mod keeper;
mod leak;
mod memory;
mod network;
mod place;
mod pools;
mod quantity;
mod queue;
mod remedy;
mod sizing;
mod stops;
mod streams;
mod stuck;
mod threads;
mod unknown;
mod waits;
mod work;

pub use backends::*;
pub use bursts::*;
pub use client::*;
pub use connections::*;
pub use cpu::*;
pub use jvm::*;
pub use keeper::{Keeper, KeeperKind, KeptObjects};
pub use leak::{Leak, Leaked};
pub use memory::*;
pub use network::*;
pub use place::{DearFrame, Doing, InMethod, RequestPlace};
pub use pools::*;
pub use quantity::{Quantity, Unit};
pub use queue::*;
pub use remedy::{Remedy, ServerSetting, SettingName};
pub use sizing::{SizeBound, Sizing};
pub use stops::*;
pub use streams::*;
pub use stuck::*;
pub use threads::*;
pub use unknown::*;
pub use waits::*;
pub use work::{CpuUse, CpuWork, Pieces};

pub use model::reason::FullLink;
use say::Say;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a cause is named among several that are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// First: the figures are about something else than the server, or about wrong answers.
    Voids,
    /// By how much it explains; what explains little is not named at all.
    Explains,
    /// Last: the cause is expected, may be no more than an effect of another one, or is not known.
    Last,
}

/// Where a cause comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The load, the machine, or what is around the server.
    Outside,
    /// The application, as far as anybody knows.
    Application,
    /// The application, in which something is too small; a file may tell how its size is set.
    Size,
}

/// Gives the rows of all causes to a macro of the caller.
#[macro_export]
macro_rules! every_cause {
    ($then:ident) => {
        $crate::causes_of! {
            $then [backend_causes client_causes connection_causes cpu_causes jvm_causes leak_causes memory_causes network_causes pool_causes queue_causes
                   stop_causes stream_causes stuck_causes thread_causes
                   unknown_causes wait_causes]
        }
    };
}

/// Collects the rows of one family after the other, and gives them to the macro of [`every_cause`].
#[doc(hidden)]
#[macro_export]
macro_rules! causes_of {
    ($then:ident [] $($rows:tt)*) => { $then! { $($rows)* } };
    ($then:ident [$family:ident $($rest:ident)*] $($rows:tt)*) => { $crate::$family! { $then [$($rest)*] $($rows)* } };
}

macro_rules! causes {
    ($($(#[$doc:meta])* $cause:ident($numbers:ident) = $id:literal, $rank:ident, $origin:ident, $turn:literal;)+) => {
        /// What limits a load.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Cause {
            $($(#[$doc])* #[serde(rename = $id)] $cause,)+
        }

        impl Cause {
            /// All variants.
            pub const ALL: &'static [Self] = &[$(Self::$cause),+];

            /// The name in files. Reports and scripts rely on it: it is never changed.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$cause => $id,)+
                }
            }

            /// Where it is usually named among several that are found.
            pub const fn rank(self) -> Rank {
                match self {
                    $(Self::$cause => Rank::$rank,)+
                }
            }

            /// Where it comes from.
            pub const fn origin(self) -> Origin {
                match self {
                    $(Self::$cause => Origin::$origin,)+
                }
            }

            /// Its turn among causes that explain as much: causes that refuse users come first (from 100), then limits (200), waits
            /// inside the server (300), and costs per request (400).
            pub const fn turn(self) -> u16 {
                match self {
                    $(Self::$cause => $turn,)+
                }
            }
        }

        /// A cause that limits a load, with the numbers that its sentence needs.
        #[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
        #[serde(tag = "cause", content = "values")]
        pub enum Finding {
            $($(#[$doc])* #[serde(rename = $id)] #[say(transparent)] $cause($numbers),)+
        }

        impl Finding {
            /// The cause that was found.
            pub const fn cause(&self) -> Cause {
                match self {
                    $(Self::$cause(_) => Cause::$cause,)+
                }
            }

            /// The examples of all causes.
            #[cfg(test)]
            fn examples() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(<$numbers as Examples>::examples().into_iter().map(Self::$cause));)+
                all
            }
        }
    };
}

every_cause!(causes);

impl Cause {
    /// The cause of that [`Cause::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|cause| cause.id() == id)
    }
}

impl fmt::Display for Cause {
    /// Its id.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// Made-up values of a type, one for each form of its sentence. A cause does not compile in tests until its type has them.
#[cfg(test)]
trait Examples: Sized {
    fn examples() -> Vec<Self>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::assertions::assert_said_apart;
    use model::units::Share;
    use say::{Language, text};
    use std::collections::BTreeSet;

    #[test]
    fn every_cause_is_found_by_its_id_and_stored_by_it() {
        for cause in Cause::ALL {
            assert_eq!(Cause::from_id(cause.id()), Some(*cause));
            let stored = serde_json::to_value(cause).expect("JSON");
            assert_eq!(stored, cause.id());
        }
        assert_eq!(Cause::from_id("other"), None);
        let turns: BTreeSet<u16> = Cause::ALL.iter().map(|cause| cause.turn()).collect();
        assert_eq!(turns.len(), Cause::ALL.len(), "each cause has a turn of its own");
    }

    #[test]
    fn a_finding_is_stored_with_its_cause_and_its_numbers() {
        let finding = Finding::JitWarmingUp(Compiling { share: Share(0.5) });
        let stored = serde_json::to_value(&finding).expect("JSON");
        let expected = serde_json::json!({"cause": "jit-warming-up", "values": {"share": 0.5}});
        assert_eq!(stored, expected);
        assert_eq!(serde_json::from_value::<Finding>(stored).expect("a finding"), finding);
    }

    #[test]
    fn every_finding_is_said_in_both_languages_with_its_numbers() {
        let examples = Finding::examples();
        for cause in Cause::ALL {
            assert!(examples.iter().any(|finding| finding.cause() == *cause), "{cause}");
        }
        assert_said_apart(&examples);
    }

    #[test]
    fn every_finding_is_stored_and_read_again() {
        for example in Finding::examples() {
            let stored = serde_json::to_string(&example).expect("JSON");
            assert_eq!(serde_json::from_str::<Finding>(&stored).expect("a finding"), example);
            assert!(stored.starts_with(&format!("{{\"cause\":\"{}\"", example.cause())), "{stored}");
        }
    }

    #[test]
    fn chinese_has_a_space_between_ideographs_and_what_fills_a_gap() {
        let tasks = Finding::ThreadPoolLimit(PoolFull::examples().swap_remove(1));
        assert_eq!(
            text(&tasks, Language::Zh),
            "上限 1950/s = 同时 200 个请求（虚拟线程） / 103 ms：500 个在途请求中有 300 个在排队，而 CPU 使用率为 12 %"
        );
    }

    #[test]
    fn the_documentation_has_a_row_for_each_cause() {
        let page = include_str!("../../../docs/diagnoses.md");
        for cause in Cause::ALL {
            assert!(page.contains(&format!("\n| `{}` | ", cause.id())), "{}", cause.id());
        }
    }
}
