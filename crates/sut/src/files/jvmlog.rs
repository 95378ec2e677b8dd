//! What a JVM says of itself in the log of its server: errors for lack of memory, and that its compilers are off. Nothing else tells why a
//! server has stopped to answer.

use record::finding::{CODE_CACHE_BYTES, CODE_CACHE_FULL, Lacked};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The bytes of a log that are read at most; a server that writes more has said it by then.
const MOST: u64 = 64 << 20;

/// How an error for lack of memory begins.
const ERROR: &str = "java.lang.OutOfMemoryError";

/// The words by which such an error tells what it lacks, in the JDKs from 8 on; without any of them, it is room in the heap.
const WORDS: [(&str, Lacked); 7] = [
    ("Metaspace", Lacked::Metaspace),
    ("Compressed class space", Lacked::Metaspace),
    ("unable to create native thread", Lacked::Threads),
    ("unable to create new native thread", Lacked::Threads),
    ("Direct buffer memory", Lacked::Direct),
    ("of direct buffer memory", Lacked::Direct),
    ("Requested array size exceeds VM limit", Lacked::Array),
];

/// What the JVM says when no room for compiled code is left.
const FULL: &str = "is full. Compiler has been disabled.";
/// What it says behind that.
const SIZE: &str = "size=";

/// What the log of a server tells, as counts by name; empty where it tells nothing of the kind.
pub(crate) fn facts(log: &Path) -> BTreeMap<String, f64> {
    let mut facts = BTreeMap::new();
    let Ok(file) = File::open(log) else { return facts };
    let mut reader = BufReader::new(file.take(MOST));
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        count(&String::from_utf8_lossy(&line), &mut facts);
        line.clear();
    }
    facts
}

/// Counts what a line tells.
fn count(line: &str, facts: &mut BTreeMap<String, f64>) {
    if let Some((_, words)) = line.split_once(ERROR) {
        let lacked = WORDS.iter().find(|(word, _)| words.contains(word));
        let lacked = lacked.map_or(Lacked::Heap, |(_, lacked)| *lacked);
        *facts.entry(lacked.fact().to_owned()).or_default() += 1.0;
    } else if line.contains(FULL) {
        *facts.entry(CODE_CACHE_FULL.to_owned()).or_default() += 1.0;
    } else if let Some(kilobytes) = code_cache_size(line).filter(|_| facts.contains_key(CODE_CACHE_FULL)) {
        facts.entry(CODE_CACHE_BYTES.to_owned()).or_insert(1024.0 * kilobytes);
    }
}

/// The size in a line like `CodeCache: size=4096Kb used=3823Kb max_used=4092Kb free=273Kb`.
fn code_cache_size(line: &str) -> Option<f64> {
    let (_, rest) = line.split_once("CodeCache: ")?;
    rest.strip_prefix(SIZE)?.split_once("Kb")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn of(lines: &str) -> BTreeMap<String, f64> {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(lines.as_bytes()).expect("written");
        facts(file.path())
    }

    #[test]
    fn errors_for_lack_of_memory_are_counted_by_what_is_lacking() {
        let heap = of("Exception in thread \"XNIO-1 I/O-1\" java.lang.OutOfMemoryError: Java heap space\n\
                       \tat shop.Orders.find(Orders.java:42)\n\
                       Exception: java.lang.OutOfMemoryError thrown from the UncaughtExceptionHandler in thread \"main\"\n\
                       java.lang.OutOfMemoryError: GC overhead limit exceeded");
        assert_eq!(heap, [("jvm.out_of_memory.heap".to_owned(), 3.0)].into());
        let threads = of("[4.2s][warning][os,thread] Failed to start thread\n\
                          java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or limits reached\n");
        assert_eq!(threads, [("jvm.out_of_memory.threads".to_owned(), 1.0)].into());
        let classes = of("Caused by: java.lang.OutOfMemoryError: Compressed class space\n");
        assert_eq!(classes, [("jvm.out_of_memory.metaspace".to_owned(), 1.0)].into());
        let direct = of(
            "java.lang.OutOfMemoryError: Cannot reserve 1048576 bytes of direct buffer memory (allocated: 9)\n",
        );
        assert_eq!(direct, [("jvm.out_of_memory.direct".to_owned(), 1.0)].into());
        assert_eq!(of("GET /OutOfMemory 200\nready\n"), BTreeMap::new());
        assert_eq!(facts(Path::new("/nowhere")), BTreeMap::new());
    }

    /// The words of JDK 25 with `-XX:ReservedCodeCacheSize=4m`.
    #[test]
    fn a_full_code_cache_is_told_with_its_size() {
        let full = of("[2.310s][warning][codecache] CodeCache is full. Compiler has been disabled.\n\
                       [2.310s][warning][codecache] Try increasing the code cache size using -XX:ReservedCodeCacheSize=\n\
                       CodeCache: size=4096Kb used=4092Kb max_used=4094Kb free=3Kb\n");
        let told =
            [("jvm.code_cache_bytes".to_owned(), 4_194_304.0), ("jvm.code_cache_full".to_owned(), 1.0)];
        assert_eq!(full, told.into());
        let segment = of(
            "[9s][warning][codecache] CodeHeap 'profiled nmethods' is full. Compiler has been disabled.\n",
        );
        assert_eq!(segment, [("jvm.code_cache_full".to_owned(), 1.0)].into());
        assert_eq!(of("CodeCache: size=245760Kb used=9Kb max_used=9Kb free=9Kb\n"), BTreeMap::new());
    }
}
