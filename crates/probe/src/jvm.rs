//! Totals of a JVM (collections, pauses, heap, compiler), from the performance data that HotSpot keeps in a mapped file.
//!
//! Only the file is read: no call enters the JVM, and none of its threads takes part.

use crate::{Error, PerfDataFlaw, read};
use model::units::{Bytes, Nanos};
pub use record::telemetry::JvmTotals;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};

/// The first bytes of the file.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
/// The most bytes that are read of the file. It has 32 KiB unless `-XX:PerfDataMemorySize` says otherwise.
const LARGEST: u64 = 16 << 20;

/// The performance data of one JVM. The positions of the counters are looked up once, because counters never
/// move. A reading takes one system call per counter, and there are ten to thirty counters.
#[derive(Debug)]
pub struct PerfData {
    path: String,
    file: File,
    layout: Layout,
}

impl PerfData {
    /// Opens the data of process `pid`. `None` when it has none: it is not a HotSpot JVM, has not fully started, or runs
    /// with `-XX:-UsePerfData` or `-XX:+PerfDisableSharedMem`.
    ///
    /// # Errors
    /// [`Error::Proc`] when the process has ended or belongs to another user, [`Error::PerfData`] when the file is not in
    /// the known format.
    pub fn of(pid: u32) -> Result<Option<Self>, Error> {
        let maps = read(&format!("/proc/{pid}/maps"))?;
        let Some((inode, path)) = maps.lines().find_map(mapped_data) else {
            return Ok(None);
        };
        // The path holds in the file system of the JVM, which may run in a container.
        let path = format!("/proc/{pid}/root{path}");
        let failed = |source| Error::Proc { path: path.clone(), source };
        let file = File::open(&path).map_err(failed)?;
        // A file with another inode has replaced the one that the JVM uses.
        if file.metadata().map_err(failed)?.ino() != inode {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        (&file).take(LARGEST).read_to_end(&mut bytes).map_err(failed)?;
        match Layout::parse(&bytes) {
            Ok(layout) => Ok(layout.map(|layout| Self { path, file, layout })),
            Err(flaw) => Err(Error::PerfData { path, flaw }),
        }
    }

    /// The totals since the start of the JVM. After it has ended, they are its last ones.
    ///
    /// # Errors
    /// [`Error::Proc`] when the file was truncated.
    pub fn now(&self) -> Result<JvmTotals, Error> {
        let sum = |offsets: &[u64]| {
            offsets.iter().try_fold(0u64, |sum, at| Ok(sum.wrapping_add(self.counter(*at)?)))
        };
        let one = |offset: Option<u64>| offset.map(|at| self.counter(at)).transpose();
        let known = |offsets: &[u64]| (!offsets.is_empty()).then(|| sum(offsets)).transpose();
        let size = |offsets: &[u64]| Ok::<_, Error>(known(offsets)?.map(Bytes));
        let layout = &self.layout;
        let gc_count = sum(&layout.gc_counts)?;
        Ok(JvmTotals {
            gc_count,
            gc_time: self.time(sum(&layout.gc_times)?),
            jit_time: one(layout.jit_time)?.map(|ticks| self.time(ticks)),
            safepoints: one(layout.safepoints)?,
            safepoint_time: one(layout.safepoint_time)?.map(|ticks| self.time(ticks)),
            // The counter is written at the end of a collection, so it means nothing before the first one.
            heap_used: size(&layout.heap_used)?.filter(|_| gc_count > 0),
            heap_capacity: size(&layout.heap_capacity)?,
            classes: known(&layout.classes)?,
            threads: one(layout.threads)?,
        })
    }

    /// The counter at this position of the file.
    fn counter(&self, at: u64) -> Result<u64, Error> {
        let mut bytes = [0; 8];
        self.file
            .read_exact_at(&mut bytes, at)
            .map_err(|source| Error::Proc { path: self.path.clone(), source })?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// Converts ticks of the JVM's clock to nanoseconds.
    fn time(&self, ticks: u64) -> Nanos {
        let nanos = u128::from(ticks) * 1_000_000_000 / u128::from(self.layout.ticks_per_second);
        Nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// The inode and the path of the performance data, if this line of `/proc/PID/maps` is about it. A JVM maps its own data
/// for writing; `jstat` and similar tools map the data of other JVMs as well, but only for reading.
fn mapped_data(line: &str) -> Option<(u64, &str)> {
    let mut fields = line.splitn(6, ' ');
    let permissions = fields.nth(1)?;
    let inode = fields.nth(2)?.parse().ok()?;
    let path = fields.next()?.trim_start();
    let is_own_data = permissions == "rw-s" && path.contains("/hsperfdata_") && !path.ends_with(" (deleted)");
    is_own_data.then_some((inode, path))
}

/// The positions of the counters, in bytes from the start of the file. Counters in lists are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Layout {
    /// Collections, by collector.
    gc_counts: Vec<u64>,
    /// Ticks in collections, by collector.
    gc_times: Vec<u64>,
    jit_time: Option<u64>,
    safepoints: Option<u64>,
    safepoint_time: Option<u64>,
    heap_used: Vec<u64>,
    heap_capacity: Vec<u64>,
    classes: Vec<u64>,
    threads: Option<u64>,
    ticks_per_second: u64,
}

impl Layout {
    /// Parses performance data of version 2 (JDK: hotspot/share/runtime/perfMemory.hpp, `PerfDataPrologue` and
    /// `PerfDataEntry`). `None` while the JVM is still filling it; an error says how it differs from the format.
    fn parse(bytes: &[u8]) -> Result<Option<Self>, PerfDataFlaw> {
        let (Some(magic), Some(kind)) = (bytes.get(..4), bytes.get(4..8)) else {
            return Err(PerfDataFlaw::Short);
        };
        // The magic number and the last byte, "accessible", are written when the JVM is ready.
        if magic == [0; 4] || (magic == MAGIC && kind[3] == 0) {
            return Ok(None);
        }
        if magic != MAGIC {
            return Err(PerfDataFlaw::OtherFormat);
        }
        if kind[..2] != [u8::from(cfg!(target_endian = "little")), 2] {
            return Err(PerfDataFlaw::OtherVersion);
        }
        let cut = PerfDataFlaw::Cut;
        let mut layout = Self::default();
        let mut at = size(bytes, 24).ok_or(cut)?;
        for _ in 0..size(bytes, 28).ok_or(cut)? {
            let length = size(bytes, at).filter(|length| *length >= 20).ok_or(cut)?;
            let entry = at.checked_add(length).and_then(|end| bytes.get(at..end));
            layout.note(entry.ok_or(cut)?, at).ok_or(cut)?;
            at += length;
        }
        if layout.ticks_per_second == 0 {
            return Err(PerfDataFlaw::NoFrequency);
        }
        Ok(Some(layout))
    }

    /// Notes the position of the value of an entry that begins at `at`, if it is one of the counters that are read. `None`
    /// when the entry contradicts itself.
    fn note(&mut self, entry: &[u8], at: usize) -> Option<()> {
        let name = entry.get(size(entry, 4)?..)?;
        let name = std::str::from_utf8(name.split(|byte| *byte == 0).next()?).ok()?;
        // Other types than a single `long` (J) are not needed.
        if entry[12] != b'J' || size(entry, 8)? != 0 {
            return Some(());
        }
        let value = size(entry, 16)?;
        let bytes = entry.get(value..value.checked_add(8)?)?;
        let offset = (at + value) as u64;
        match name {
            "java.ci.totalTime" => self.jit_time = Some(offset),
            // Classes from the archive that comes with the JDK have a counter of their own.
            "java.cls.loadedClasses" | "java.cls.sharedLoadedClasses" => self.classes.push(offset),
            "java.threads.live" => self.threads = Some(offset),
            "sun.rt.safepoints" => self.safepoints = Some(offset),
            "sun.rt.safepointTime" => self.safepoint_time = Some(offset),
            "sun.os.hrt.frequency" => self.ticks_per_second = u64::from_ne_bytes(bytes.try_into().ok()?),
            _ => self.note_gc(name, offset),
        }
        Some(())
    }

    /// Notes the position of a counter of a collector, as `sun.gc.collector.0.time`, or of a space of a generation, as
    /// `sun.gc.generation.1.space.0.used`.
    fn note_gc(&mut self, name: &str, offset: u64) {
        if let Some(of_collector) = name.strip_prefix("sun.gc.collector.") {
            match of_collector.split_once('.') {
                Some((_, "invocations")) => self.gc_counts.push(offset),
                Some((_, "time")) => self.gc_times.push(offset),
                _ => (),
            }
        } else if let Some(of_generation) = name.strip_prefix("sun.gc.generation.") {
            let of_space = of_generation.split_once(".space.").map(|(_, space)| space);
            match of_space.and_then(|space| space.split_once('.')) {
                Some((_, "used")) => self.heap_used.push(offset),
                Some((_, "capacity")) => self.heap_capacity.push(offset),
                _ => (),
            }
        }
    }
}

/// A field of four bytes with a length, a count or an offset; `None` when it is negative or beyond the end.
fn size(bytes: &[u8], at: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(i32::from_ne_bytes(field.try_into().ok()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Performance data with these counters, in the layout of HotSpot.
    fn data(counters: &[(&str, i64)]) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xc0, 0xc0, u8::from(cfg!(target_endian = "little")), 2, 0, 1];
        bytes.extend([0; 16]);
        bytes.extend(32i32.to_ne_bytes());
        bytes.extend((counters.len() as i32).to_ne_bytes());
        for (name, value) in counters {
            let name_size = (name.len() + 1).next_multiple_of(8) + 4;
            let fields = [20 + name_size as i32 + 8, 20, 0];
            bytes.extend(fields.iter().flat_map(|field| field.to_ne_bytes()));
            bytes.extend([b'J', 0, 3, 2]);
            bytes.extend((20 + name_size as i32).to_ne_bytes());
            bytes.extend(name.bytes());
            bytes.resize(bytes.len() + name_size - name.len(), 0);
            bytes.extend(value.to_ne_bytes());
        }
        bytes
    }

    /// Performance data with all counters that are read, and some that are not.
    fn some() -> Vec<u8> {
        data(&[
            ("sun.os.hrt.frequency", 1_000_000),
            ("sun.gc.collector.0.invocations", 3),
            ("sun.gc.collector.0.time", 30),
            ("sun.gc.collector.0.lastExitTime", 99),
            ("sun.gc.collector.2.invocations", 4),
            ("sun.gc.collector.2.time", 40),
            ("sun.ci.standardTime", 5),
            ("java.ci.totalTime", 7),
            ("sun.rt.safepoints", 8),
            ("sun.rt.safepointTime", 80),
            ("sun.gc.generation.0.space.0.used", 100),
            ("sun.gc.generation.0.space.0.capacity", 1000),
            ("sun.gc.generation.1.space.0.used", 200),
            ("sun.gc.generation.1.space.0.capacity", 2000),
            ("sun.gc.generation.1.capacity", 5000),
            ("java.cls.loadedClasses", 9),
            ("java.cls.sharedLoadedClasses", 400),
            ("java.threads.live", 10),
        ])
    }

    #[test]
    fn counters_are_found_by_name_and_added_up_over_collectors_and_spaces() {
        let layout = Layout::parse(&some()).expect("well formed").expect("filled");
        let path = std::env::temp_dir().join(format!("prony-perf-data-{}", std::process::id()));
        std::fs::write(&path, some()).expect("written");
        let file = File::open(&path).expect("there");
        std::fs::remove_file(&path).expect("ours");
        let data = PerfData { path: String::new(), file, layout };
        let totals = data.now().expect("a reading");
        let micros = |micros: u64| Nanos(micros * 1000);
        let expected = JvmTotals {
            gc_count: 7,
            gc_time: micros(70),
            jit_time: Some(micros(7)),
            safepoints: Some(8),
            safepoint_time: Some(micros(80)),
            heap_used: Some(Bytes(300)),
            heap_capacity: Some(Bytes(3000)),
            classes: Some(409),
            threads: Some(10),
        };
        assert_eq!(totals, expected);
    }

    #[test]
    fn data_that_the_jvm_is_still_filling_is_not_read() {
        let mut filling = some();
        filling[7] = 0;
        assert_eq!(Layout::parse(&filling), Ok(None));
    }

    #[test]
    fn truncated_or_damaged_data_is_refused_without_a_panic() {
        assert!(Layout::parse(b"").is_err());
        assert!(Layout::parse(b"\x7fELF").is_err());
        assert!(Layout::parse(&data(&[("java.ci.totalTime", 7)])).is_err());
        let whole = some();
        for end in 0..whole.len() {
            assert!(Layout::parse(&whole[..end]).is_err(), "cut at {end}");
        }
        // No byte can make it panic; most make it refuse.
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[at] = value;
                let _ = Layout::parse(&changed);
            }
        }
    }

    #[test]
    fn only_data_that_the_process_maps_for_writing_is_its_own() {
        let line =
            |permissions: &str, path: &str| format!("7f00-7f08 {permissions} 00000000 fe:00 42      {path}");
        let mapping = |line: &str| mapped_data(line).map(|(inode, path)| (inode, path.to_owned()));
        let path = "/tmp/hsperfdata_me you/17";
        assert_eq!(mapping(&line("rw-s", path)), Some((42, path.to_owned())));
        assert_eq!(mapping(&line("r--s", path)), None);
        assert_eq!(mapping(&line("rw-s", "/tmp/hsperfdata_me/17 (deleted)")), None);
        assert_eq!(mapping(&line("rw-s", "/usr/lib/libjvm.so")), None);
        assert_eq!(mapping("7f00-7f08 rw-p 00000000 00:00 0"), None);
    }

    #[test]
    fn another_process_has_no_performance_data_and_an_ended_one_is_an_error() {
        assert!(PerfData::of(std::process::id()).expect("our own maps").is_none());
        let mut child = std::process::Command::new("true").spawn().expect("true");
        let pid = child.id();
        child.wait().expect("to reap it");
        assert!(PerfData::of(pid).is_err());
    }
}
