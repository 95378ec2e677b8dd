//! [`JvmOptions`]: what a JVM is told when it starts.

use model::units::Bytes;

/// Options of the JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JvmOptions {
    /// The heap, of fixed size: start size = maximum size.
    pub heap: Bytes,
    /// The garbage collector; `None` lets the JVM choose, which depends on CPUs and memory.
    pub gc: Option<Gc>,
    /// CPUs that the JVM believes to have; `None` lets it look.
    pub processors: Option<u32>,
    /// Further options, in order.
    pub extra: Vec<String>,
}

/// A garbage collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gc {
    /// One thread, everything stops.
    Serial,
    /// Many threads, everything stops.
    Parallel,
    /// The JVM's usual choice on two CPUs and more.
    G1,
    /// Mostly concurrent.
    Z,
}

impl Gc {
    /// The JVM's option for it.
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
    /// This heap and G1: left to itself the JVM silently takes Serial on one CPU, and arms would differ by more than asked.
    pub const fn new(heap: Bytes) -> Self {
        Self {
            heap,
            gc: Some(Gc::G1),
            processors: None,
            extra: Vec::new(),
        }
    }

    /// As arguments of `java`. The caller's own come last, where they override.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = self.heap_arguments();
        arguments.extend(self.gc.map(|gc| gc.option().to_owned()));
        arguments.extend(
            self.processors
                .map(|count| format!("-XX:ActiveProcessorCount={count}")),
        );
        arguments.extend(self.extra.iter().cloned());
        arguments
    }

    /// As arguments of a native image: its collector was chosen when it was compiled.
    pub fn native_arguments(&self) -> Vec<String> {
        let mut arguments = self.heap_arguments();
        arguments.extend(self.extra.iter().cloned());
        arguments
    }

    fn heap_arguments(&self) -> Vec<String> {
        let kib = self.heap.0 / 1024;
        vec![format!("-Xms{kib}k"), format!("-Xmx{kib}k")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_own_options_come_last() {
        let mut options = JvmOptions::new(Bytes(64 << 20));
        options.processors = Some(2);
        options.extra = vec!["-XX:+UseZGC".to_owned()];
        let expected = [
            "-Xms65536k",
            "-Xmx65536k",
            "-XX:+UseG1GC",
            "-XX:ActiveProcessorCount=2",
            "-XX:+UseZGC",
        ];
        assert_eq!(options.arguments(), expected);
    }
}
