//! The disks of the host, from `/proc/diskstats`.

use crate::read;
use model::units::Nanos;
use record::telemetry::DiskTotals;
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes of a sector in that file, which does not depend on the disk (Linux: Documentation/admin-guide/iostats.rst).
const SECTOR: u64 = 512;

/// The totals of the disks since boot, by name. Partitions, disks in memory and disks without any activity are left out.
pub fn disks() -> BTreeMap<String, DiskTotals> {
    let text = read("/proc/diskstats").unwrap_or_default();
    let whole = |name: &str| Path::new("/sys/block").join(name).exists();
    text.lines()
        .filter_map(disk)
        .filter(|(name, totals)| *totals != DiskTotals::default() && !in_memory(name) && whole(name))
        .collect()
}

/// True for disks that are kept in memory or in a file.
fn in_memory(name: &str) -> bool {
    ["ram", "zram", "loop"].iter().any(|kind| name.starts_with(kind))
}

/// Parses a line of the file: `MAJOR MINOR NAME`, then for reads their number, merged ones, sectors and milliseconds, then
/// these four for writes, then the number in progress, the milliseconds in which the disk was busy, and others.
fn disk(line: &str) -> Option<(String, DiskTotals)> {
    let mut fields = line.split_whitespace().skip(2);
    let name = fields.next()?.to_owned();
    let numbers: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
    let totals = DiskTotals {
        read: numbers.get(2)? * SECTOR,
        written: numbers.get(6)? * SECTOR,
        busy: Nanos::from_millis(*numbers.get(9)?),
    };
    Some((name, totals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_totals_of_a_disk_are_read_from_their_columns() {
        let line = " 254       0 vda 843 12 16 210 330 44 1024 99 0 180 310 0 0 0 0 5 1";
        let totals = DiskTotals { read: 16 * 512, written: 1024 * 512, busy: Nanos::from_millis(180) };
        assert_eq!(disk(line), Some(("vda".to_owned(), totals)));
        assert_eq!(disk(" 254 0 vda 843"), None);
        assert!(in_memory("loop3") && !in_memory("sda"));
        assert!(disks().keys().all(|name| !name.starts_with("loop")));
    }
}
