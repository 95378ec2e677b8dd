//! A known slowness for calibration: makes the application `hello` burn CPU in every request, and reads how much it burnt.
//! The other side is `apps/hello/.../Burn.java`.

use crate::error::{Error, FileAct};
use std::fs;
use std::path::{Path, PathBuf};

/// The CPU time that every request of an arm burns.
#[derive(Clone, Debug)]
pub struct Burn {
    /// The iterations of the loop per request; 0 burns nothing, but counts the same way.
    pub turns: u32,
    /// The file to which every start appends its count when it ends.
    pub count: PathBuf,
}

impl Burn {
    /// The JVM options that turn it on. Their length does not depend on the number: the length of a command line alone can
    /// change speeds, and two arms must differ by the loop only.
    pub fn options(&self) -> Vec<String> {
        vec![
            format!("-Dprony.burn={:09}", self.turns),
            format!("-Dprony.burn.count={}", self.count.display()),
        ]
    }

    /// The CPU seconds per request that the loop took in all starts that have ended, by the CPU clock of the server's
    /// threads; `None` while nothing was counted.
    pub fn counted(&self) -> Result<Option<f64>, Error> {
        counted(&self.count)
    }
}

fn counted(path: &Path) -> Result<Option<f64>, Error> {
    let failed = |error| Error::io(FileAct::Read, path, error);
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(path).map_err(failed)?;
    let broken = || failed(std::io::ErrorKind::InvalidData.into());
    let (mut samples, mut nanos) = (0.0, 0.0);
    for line in text.lines() {
        let fields: Vec<f64> = line.split(' ').filter_map(|field| field.parse().ok()).collect();
        let [_turns, n, sum] = fields[..] else {
            return Err(broken());
        };
        samples += n;
        nanos += sum;
    }
    Ok((samples > 0.0).then(|| nanos / samples / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_all_starts_are_pooled_and_a_broken_one_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let burn = Burn {
            turns: 300,
            count: folder.path().join("count"),
        };
        assert_eq!(burn.counted().expect("no file"), None);
        fs::write(&burn.count, "300 0 0\n").expect("a file");
        assert_eq!(burn.counted().expect("nothing"), None);
        fs::write(&burn.count, "300 1000 600000\n300 3000 1400000\n").expect("a file");
        assert!((burn.counted().expect("counts").expect("a value") - 5e-7).abs() < 1e-18);
        fs::write(&burn.count, "300 1000\n").expect("a file");
        assert!(burn.counted().is_err());
    }

    #[test]
    fn both_arms_get_equally_long_options() {
        let length = |turns| {
            let count = PathBuf::from("/x");
            Burn { turns, count }.options().concat().len()
        };
        assert_eq!(length(0), length(123_456));
    }
}
