//! A known slowness for calibration: makes the application `hello` do something that costs time, and reads how much of it the
//! application has counted. The other side is `apps/hello/.../{Burn,Stall,Garbage}.java`.

use crate::error::{Error, FileAct};
use record::calibration::DoseKind;
use std::fs;
use std::path::{Path, PathBuf};

/// What every request of an arm costs beside its work.
#[derive(Clone, Debug)]
pub struct Slowness {
    /// What the application does.
    pub kind: DoseKind,
    /// How much of it, in the unit of its kind; 0 does nothing, but counts the same way.
    pub amount: u32,
    /// Which starts are bad, where not all of them are slow.
    pub seed: u64,
    /// The file to which every start appends its count when it ends.
    pub count: PathBuf,
}

/// What one start has counted of its slowness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartCount {
    /// How much it did, in the unit of its kind; 0 in a good start.
    pub amount: f64,
    /// What that cost: CPU seconds per request, or for stalls the share of time in which all requests waited.
    pub cost: f64,
}

impl Slowness {
    /// The JVM options that turn it on. Their length does not depend on the amount: the length of a command line alone can
    /// change speeds, and two arms must differ by the slowness only.
    pub fn options(&self) -> Vec<String> {
        let name = match self.kind {
            DoseKind::Cpu | DoseKind::Bimodal => "burn",
            DoseKind::Stall => "stall",
            DoseKind::Gc => "garbage",
        };
        let mut options = vec![
            format!("-Dprony.{name}={:09}", self.amount),
            format!("-Dprony.{name}.count={}", self.count.display()),
        ];
        if self.kind == DoseKind::Bimodal {
            options.push(format!("-Dprony.burn.quarter={}", self.seed >> 1));
        }
        options
    }

    /// What each start that has ended has counted, without starts that were too short to count anything.
    pub fn counted(&self) -> Result<Vec<StartCount>, Error> {
        counted(self.kind, &self.count)
    }
}

fn counted(kind: DoseKind, path: &Path) -> Result<Vec<StartCount>, Error> {
    let failed = |error| Error::io(FileAct::Read, path, error);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(failed)?;
    let broken = || failed(std::io::ErrorKind::InvalidData.into());
    let of_line = |line: &str| {
        let fields: Vec<f64> = line.split(' ').filter_map(|field| field.parse().ok()).collect();
        let (amount, cost) = cost(kind, &fields)?;
        Some(StartCount { amount, cost })
    };
    let starts: Option<Vec<StartCount>> = text.lines().map(of_line).collect();
    let starts = starts.ok_or_else(broken)?;
    Ok(starts.into_iter().filter(|start| start.cost.is_finite()).collect())
}

/// Amount and cost of the slowness in a start, from the numbers of its line; not finite where nothing was counted.
fn cost(kind: DoseKind, fields: &[f64]) -> Option<(f64, f64)> {
    match (kind, fields) {
        (DoseKind::Cpu | DoseKind::Bimodal, &[turns, samples, nanos]) => Some((turns, nanos / samples / 1e9)),
        (DoseKind::Stall, &[micros, stalled, lived]) => Some((micros, stalled / lived)),
        (DoseKind::Gc, &[bytes, samples, nanos, requests, collector, _collections, _pauses]) => {
            Some((bytes, (nanos / samples + collector / requests) / 1e9))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slowness(kind: DoseKind, amount: u32, count: PathBuf) -> Slowness {
        let seed = 7;
        Slowness { kind, amount, seed, count }
    }

    #[test]
    fn each_start_is_read_and_a_broken_line_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let burn = slowness(DoseKind::Cpu, 300, folder.path().join("count"));
        assert_eq!(burn.counted().expect("no file"), []);
        fs::write(&burn.count, "300 0 0\n").expect("a file");
        assert_eq!(burn.counted().expect("nothing"), []);
        fs::write(&burn.count, "300 1000 600000\n0 3000 0\n").expect("a file");
        let costs: Vec<(f64, f64)> =
            burn.counted().expect("counts").iter().map(|start| (start.amount, start.cost)).collect();
        assert_eq!(costs, [(300.0, 6e-7), (0.0, 0.0)]);
        fs::write(&burn.count, "300 1000\n").expect("a file");
        assert!(burn.counted().is_err());
    }

    #[test]
    fn stalls_are_a_share_of_the_time_and_garbage_costs_its_collections() {
        let cost = |kind, fields: &[f64]| cost(kind, fields).expect("a cost").1;
        assert!((cost(DoseKind::Stall, &[300_000.0, 6e8, 1e10]) - 0.06).abs() < 1e-12);
        let garbage = [4096.0, 100.0, 100_000.0, 1e6, 2e9, 40.0, 900.0];
        assert!((cost(DoseKind::Gc, &garbage) - 3e-6).abs() < 1e-15);
    }

    #[test]
    fn both_arms_get_equally_long_options() {
        for kind in DoseKind::ALL {
            let length = |amount| slowness(kind, amount, PathBuf::from("/x")).options().concat().len();
            assert_eq!(length(0), length(123_456));
        }
    }
}
