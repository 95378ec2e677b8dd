//! One JVM: its garbage collections and its compiler, from the performance data that HotSpot keeps in a file it has mapped.
//! The file is read and nothing else: no call enters the JVM, and no thread of it takes part.

use crate::{Error, read};
use model::units::Nanos;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};

/// How the file begins.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
/// Larger than any such file: `-XX:PerfDataMemorySize` is 32 KiB unless somebody asks for more.
const LARGEST: u64 = 16 << 20;

/// The performance data of a JVM. Where each counter lies is found once, for counters never move; a reading is one system
/// call a counter, of which there are three to seven.
#[derive(Debug)]
pub struct PerfData {
    path: String,
    file: File,
    layout: Layout,
}

/// What a JVM has counted since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JvmTotals {
    /// Collections, as its collectors count them: ZGC and the concurrent part of G1 count each pause.
    pub gc_count: u64,
    /// Time in them. The application stands still in it, but for Shenandoah, which counts its whole cycles.
    pub gc_time: Nanos,
    /// Time of its compilers, summed over their threads and counted as each compilation ends; it contains waiting for a
    /// CPU. `None` with `-Xint`.
    pub jit_time: Option<Nanos>,
}

impl PerfData {
    /// The data of process `pid`. `None` when it has none: it is no HotSpot JVM, is not fully started, or runs with
    /// `-XX:-UsePerfData` or `-XX:+PerfDisableSharedMem`.
    ///
    /// # Errors
    /// The process is gone or not ours to look at, or the file is not in the format known here.
    pub fn of(pid: u32) -> Result<Option<Self>, Error> {
        let maps = read(&format!("/proc/{pid}/maps"))?;
        let Some((inode, path)) = maps.lines().find_map(mapped_data) else {
            return Ok(None);
        };
        // The path is what the JVM calls it, which may run in a container.
        let path = format!("/proc/{pid}/root{path}");
        let failed = |source| Error::Proc {
            path: path.clone(),
            source,
        };
        let file = File::open(&path).map_err(failed)?;
        // Not a file that took the name of the one in use.
        if file.metadata().map_err(failed)?.ino() != inode {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        (&file).take(LARGEST).read_to_end(&mut bytes).map_err(failed)?;
        match Layout::parse(&bytes) {
            Ok(layout) => Ok(layout.map(|layout| Self { path, file, layout })),
            Err(what) => Err(Error::PerfData { path, what }),
        }
    }

    /// The totals until now; after the JVM has ended, those at its end.
    ///
    /// # Errors
    /// The file was cut short.
    pub fn now(&self) -> Result<JvmTotals, Error> {
        let sum = |offsets: &[u64]| {
            offsets
                .iter()
                .try_fold(0u64, |sum, at| Ok(sum.wrapping_add(self.counter(*at)?)))
        };
        let jit = self.layout.jit_time.map(|at| self.counter(at)).transpose()?;
        Ok(JvmTotals {
            gc_count: sum(&self.layout.gc_counts)?,
            gc_time: self.time(sum(&self.layout.gc_times)?),
            jit_time: jit.map(|ticks| self.time(ticks)),
        })
    }

    fn counter(&self, at: u64) -> Result<u64, Error> {
        let mut bytes = [0; 8];
        self.file
            .read_exact_at(&mut bytes, at)
            .map_err(|source| Error::Proc {
                path: self.path.clone(),
                source,
            })?;
        Ok(u64::from_ne_bytes(bytes))
    }

    fn time(&self, ticks: u64) -> Nanos {
        let nanos = u128::from(ticks) * 1_000_000_000 / u128::from(self.layout.ticks_per_second);
        Nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// Inode and path of the data, when this line of /proc/PID/maps is of it. Only its own JVM maps it for writing; `jstat` and
/// its like map those of others too.
fn mapped_data(line: &str) -> Option<(u64, &str)> {
    let mut fields = line.splitn(6, ' ');
    let permissions = fields.nth(1)?;
    let inode = fields.nth(2)?.parse().ok()?;
    let path = fields.next()?.trim_start();
    let ours = permissions == "rw-s" && path.contains("/hsperfdata_") && !path.ends_with(" (deleted)");
    ours.then_some((inode, path))
}

/// Where the counters lie, bytes from the start of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Layout {
    gc_counts: Vec<u64>,
    gc_times: Vec<u64>,
    jit_time: Option<u64>,
    ticks_per_second: u64,
}

impl Layout {
    /// Reads version 2 of the format: hotspot/share/runtime/perfMemory.hpp, `PerfDataPrologue` and `PerfDataEntry`. `None`
    /// while the JVM is still filling it.
    fn parse(bytes: &[u8]) -> Result<Option<Self>, &'static str> {
        let (Some(magic), Some(kind)) = (bytes.get(..4), bytes.get(4..8)) else {
            return Err("it is too short");
        };
        // The magic number and the last byte, "accessible", are written when the JVM is ready.
        if magic == [0; 4] || (magic == MAGIC && kind[3] == 0) {
            return Ok(None);
        }
        if magic != MAGIC {
            return Err("it does not begin as performance data does");
        }
        if kind[..2] != [u8::from(cfg!(target_endian = "little")), 2] {
            return Err("its version or its byte order is not known here");
        }
        let cut = "an entry reaches beyond its end";
        let mut layout = Self::default();
        let mut at = size(bytes, 24).ok_or(cut)?;
        for _ in 0..size(bytes, 28).ok_or(cut)? {
            let length = size(bytes, at).filter(|length| *length >= 20).ok_or(cut)?;
            let entry = at.checked_add(length).and_then(|end| bytes.get(at..end));
            layout.note(entry.ok_or(cut)?, at).ok_or(cut)?;
            at += length;
        }
        if layout.ticks_per_second == 0 {
            return Err("it does not tell the frequency of its clock");
        }
        Ok(Some(layout))
    }

    /// Keeps where the value of `entry` lies, if it is one that we read; `None` when the entry contradicts itself.
    fn note(&mut self, entry: &[u8], at: usize) -> Option<()> {
        let name = entry.get(size(entry, 4)?..)?;
        let name = std::str::from_utf8(name.split(|byte| *byte == 0).next()?).ok()?;
        // Type J, and no vector of them.
        if entry[12] != b'J' || size(entry, 8)? != 0 {
            return Some(());
        }
        let value = size(entry, 16)?;
        let bytes = entry.get(value..value.checked_add(8)?)?;
        let offset = (at + value) as u64;
        match name {
            "java.ci.totalTime" => self.jit_time = Some(offset),
            "sun.os.hrt.frequency" => self.ticks_per_second = u64::from_ne_bytes(bytes.try_into().ok()?),
            _ if !name.starts_with("sun.gc.collector.") => (),
            _ if name.ends_with(".invocations") => self.gc_counts.push(offset),
            _ if name.ends_with(".time") => self.gc_times.push(offset),
            _ => (),
        }
        Some(())
    }
}

/// A field that holds a length, a count or an offset.
fn size(bytes: &[u8], at: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(i32::from_ne_bytes(field.try_into().ok()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Performance data with these counters, laid out as HotSpot does.
    fn data(counters: &[(&str, i64)]) -> Vec<u8> {
        let mut bytes = vec![
            0xca,
            0xfe,
            0xc0,
            0xc0,
            u8::from(cfg!(target_endian = "little")),
            2,
            0,
            1,
        ];
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
        ])
    }

    #[test]
    fn counters_are_found_by_name_and_summed_over_the_collectors() {
        let layout = Layout::parse(&some()).expect("well formed").expect("filled");
        let path = std::env::temp_dir().join(format!("prony-perf-data-{}", std::process::id()));
        std::fs::write(&path, some()).expect("written");
        let file = File::open(&path).expect("there");
        std::fs::remove_file(&path).expect("ours");
        let data = PerfData {
            path: String::new(),
            file,
            layout,
        };
        let totals = data.now().expect("a reading");
        let micros = |micros: u64| Nanos(micros * 1000);
        assert_eq!(
            (totals.gc_count, totals.gc_time, totals.jit_time),
            (7, micros(70), Some(micros(7)))
        );
    }

    #[test]
    fn data_that_is_being_filled_is_none_yet() {
        let mut filling = some();
        filling[7] = 0;
        assert_eq!(Layout::parse(&filling), Ok(None));
    }

    #[test]
    fn what_is_not_such_data_is_refused_wherever_it_is_cut_or_changed() {
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
    fn only_the_mapping_of_the_jvm_itself_counts() {
        let line =
            |permissions: &str, path: &str| format!("7f00-7f08 {permissions} 00000000 fe:00 42      {path}");
        let found = |line: &str| mapped_data(line).map(|(inode, path)| (inode, path.to_owned()));
        let path = "/tmp/hsperfdata_me you/17";
        assert_eq!(found(&line("rw-s", path)), Some((42, path.to_owned())));
        assert_eq!(found(&line("r--s", path)), None);
        assert_eq!(found(&line("rw-s", "/tmp/hsperfdata_me/17 (deleted)")), None);
        assert_eq!(found(&line("rw-s", "/usr/lib/libjvm.so")), None);
        assert_eq!(found("7f00-7f08 rw-p 00000000 00:00 0"), None);
    }

    #[test]
    fn a_process_that_is_no_jvm_has_none_and_a_dead_one_is_an_error() {
        assert!(PerfData::of(std::process::id()).expect("our own maps").is_none());
        let mut child = std::process::Command::new("true").spawn().expect("true");
        let pid = child.id();
        child.wait().expect("to reap it");
        assert!(PerfData::of(pid).is_err());
    }
}
