//! [`CpuDifference`]: why a request of one arm needs more CPU time than one of another, from profiles of both; and [`FlameTree`],
//! the same by call, for the flame graph.

use crate::estimate::Estimate;
use model::load::Load;
use model::units::{Seconds, Share};
use say::{Say, Writer};
use serde::{Deserialize, Serialize};

/// Starts of each arm that `--profile` adds. With fewer, the spread between starts is hardly known, and only large differences
/// can be shown.
pub const PROFILED_STARTS: u32 = 5;

/// What a frame of a CPU profile is that is no Java method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JvmPart {
    /// The operating system's kernel, on behalf of the server.
    #[say(en = "(kernel)", zh = "（内核）")]
    Kernel,
    /// Threads that compile methods.
    #[say(en = "(JIT compiler)", zh = "（即时编译器）")]
    Compiler,
    /// Threads that collect garbage.
    #[say(en = "(garbage collector)", zh = "（垃圾收集器）")]
    Collector,
    /// Other threads of the JVM.
    #[say(en = "(other threads of the JVM)", zh = "（JVM 的其他线程）")]
    Machine,
    /// Threads that run no Java, such as the threads of a native library.
    #[say(en = "(native threads)", zh = "（本地线程）")]
    Native,
    /// Stacks that the profiler could not read.
    #[say(en = "(unreadable stacks)", zh = "（无法读取的栈）")]
    Unknown,
}

impl JvmPart {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Kernel, Self::Compiler, Self::Collector, Self::Machine, Self::Native, Self::Unknown];

    /// Its name in profiles; no method has such a name.
    pub const fn frame(self) -> &'static str {
        match self {
            Self::Kernel => "[kernel]",
            Self::Compiler => "[compiler]",
            Self::Collector => "[collector]",
            Self::Machine => "[JVM]",
            Self::Native => "[native]",
            Self::Unknown => "[unknown]",
        }
    }

    /// The part with this name; `None` for the name of a method or a function.
    pub fn named(frame: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.frame() == frame)
    }
}

/// The name of a frame in a sentence: a method or a function as it is, a part of the JVM in words.
#[derive(Clone, Copy, Debug)]
pub struct FrameName<'a>(pub &'a str);

impl Say for FrameName<'_> {
    fn say(&self, out: &mut Writer) {
        match JvmPart::named(self.0) {
            Some(part) => part.say(out),
            None => out.value(self.0),
        }
    }
}

/// The CPU time of a request of an arm against the baseline at one load, by method and by package. Times are CPU
/// seconds per right answer; differences are arm minus baseline. Only methods that differ are listed, but the times of
/// all methods add up to the whole, and so do the times of the packages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuDifference {
    /// The arm compared with.
    pub baseline: String,
    pub arm: String,
    pub level: Load,
    /// Starts that were profiled: of the baseline, and of the arm.
    pub starts: [u32; 2],
    /// CPU time of a request: of the baseline, and of the arm; means over the profiled starts.
    pub seconds: [Seconds; 2],
    /// Its difference, with a 95 % interval over the starts.
    pub difference: Estimate,
    /// The methods that differ most, with intervals that hold together with 95 %.
    pub methods: FrameDifferences,
    /// What differs by package.
    pub packages: FrameDifferences,
}

/// What differs most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameDifferences {
    /// Those that were shown to differ, the largest difference first; with one start of an arm, those whose samples differ by more
    /// than chance explains.
    pub rows: Vec<FrameDifference>,
    /// How many were compared: those that take a share of the CPU time that is worth a look.
    pub compared: u32,
    /// A difference of this size would have been shown in any of them; absent where nothing was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Seconds>,
}

/// A method or a package that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameDifference {
    /// A method (`package.Class.method`), a package, or the name of a [`JvmPart`].
    pub name: String,
    /// CPU time per request: of the baseline, and of the arm.
    pub seconds: [Seconds; 2],
    /// The difference; without an interval where an arm has one start.
    pub difference: Estimate,
    /// Where most of the difference is: for a method what it calls (of the JDK, or native), for a part of the JVM or the kernel the
    /// method that it works for. Absent where it is the method itself, or many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mostly: Option<String>,
}

/// The CPU time of a request of two arms, call by call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlameTree {
    /// The arm compared with, its index in the report.
    pub baseline: usize,
    pub arm: usize,
    pub load: Load,
    /// The calls, each before the calls that it makes; the first stands for all of them. Small ones are left out.
    pub nodes: Vec<FlameNode>,
}

/// A call within a [`FlameTree`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlameNode {
    /// The method, the function, or the name of a [`JvmPart`].
    pub name: String,
    /// How many calls lead to it; 0 for the first node.
    pub depth: usize,
    /// CPU time per request with all that it calls: of the baseline, and of the arm.
    pub seconds: [Seconds; 2],
    /// Whether they were shown to differ.
    pub differs: bool,
}

/// A method of an arm with its CPU time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameCost {
    /// The method, or the name of a [`JvmPart`].
    pub name: String,
    /// CPU time per request.
    pub seconds: Seconds,
    /// Its share of the arm's CPU time.
    pub share: Share,
}

#[cfg(test)]
mod tests {
    use super::*;
    use say::{Language, text};

    #[test]
    fn a_part_is_found_by_its_name_and_a_method_is_none() {
        for part in JvmPart::ALL {
            assert_eq!(JvmPart::named(part.frame()), Some(part));
        }
        assert_eq!(JvmPart::named("java.lang.Thread.run"), None);
    }

    #[test]
    fn parts_of_the_jvm_have_words_and_methods_their_names() {
        assert_eq!(text(&FrameName("shop.Cart.total"), Language::Zh), "shop.Cart.total");
        for language in [Language::En, Language::Zh] {
            for part in JvmPart::ALL {
                assert_eq!(text(&FrameName(part.frame()), language), text(&part, language));
                assert_ne!(text(&part, language), part.frame());
            }
        }
    }
}
