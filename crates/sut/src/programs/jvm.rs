//! [`JvmOptions`]: the options that a JVM is started with.

use model::units::Bytes;
use serde::{Deserialize, Serialize};

/// Options of the JVM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmOptions {
    /// The size of the heap, which is fixed: initial size = maximum size; 0 lets the JVM choose both.
    pub heap: Bytes,
    /// The garbage collector; `None` lets the JVM choose, which depends on CPUs and memory.
    pub gc: Option<Gc>,
    /// The number of CPUs that the JVM assumes; `None` lets it detect them.
    pub processors: Option<u32>,
    /// Further options, in this order.
    pub extra: Vec<String>,
}

/// A garbage collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Gc {
    /// Serial: one thread, and the application stops.
    Serial,
    /// Parallel: many threads, and the application stops.
    Parallel,
    /// G1, the JVM's default on two CPUs and more.
    G1,
    /// ZGC, which is mostly concurrent.
    Z,
}

impl Gc {
    /// The JVM option that chooses it.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Serial => "-XX:+UseSerialGC",
            Self::Parallel => "-XX:+UseParallelGC",
            Self::G1 => "-XX:+UseG1GC",
            Self::Z => "-XX:+UseZGC",
        }
    }
}

impl JvmOptions {
    /// This heap and G1. Without a choice the JVM would silently use Serial on one CPU, and arms would differ
    /// unintentionally.
    pub const fn new(heap: Bytes) -> Self {
        Self { heap, gc: Some(Gc::G1), processors: None, extra: Vec::new() }
    }

    /// The arguments for `java`. The caller's own options come last, where they override the others.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = self.heap_arguments();
        arguments.extend(self.gc.map(|gc| gc.option().to_owned()));
        arguments.extend(self.processors.map(|count| format!("-XX:ActiveProcessorCount={count}")));
        arguments.extend(self.extra.iter().cloned());
        arguments
    }

    /// The arguments for a native image, whose collector was chosen when it was compiled.
    pub fn native_arguments(&self) -> Vec<String> {
        let mut arguments = self.heap_arguments();
        arguments.extend(self.extra.iter().cloned());
        arguments
    }

    fn heap_arguments(&self) -> Vec<String> {
        let kib = self.heap.0 / 1024;
        if kib == 0 {
            return Vec::new();
        }
        vec![format!("-Xms{kib}k"), format!("-Xmx{kib}k")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jvm_that_chooses_for_itself_is_told_nothing() {
        let options = JvmOptions { gc: None, ..JvmOptions::new(Bytes(0)) };
        assert!(options.arguments().is_empty() && options.native_arguments().is_empty());
    }

    #[test]
    fn the_callers_own_options_come_last() {
        let mut options = JvmOptions::new(Bytes(64 << 20));
        options.processors = Some(2);
        options.extra = vec!["-XX:+UseZGC".to_owned()];
        let expected =
            ["-Xms65536k", "-Xmx65536k", "-XX:+UseG1GC", "-XX:ActiveProcessorCount=2", "-XX:+UseZGC"];
        assert_eq!(options.arguments(), expected);
    }
}
