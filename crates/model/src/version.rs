//! [`Version`]: the version of a server, for comparing; and [`VersionRange`], a set of versions in Maven's notation.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A version as far as its order goes: 9.0.117 comes after 9.0.95, 11.0.0-M20 before 11.0.0, and 10 equals 10.0.0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The numbers before the first letter, without zeros at the end.
    numbers: Vec<u64>,
    /// The words after the numbers, with their own numbers. Words of a pre-release come before all others.
    stage: Stage,
}

/// What follows the numbers of a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// A version for trying out: its word in lower case (`m`, `rc`), and the number after it.
    Before(String, u64),
    /// A release. Words such as `Final` and the date in 9.4.58.v20250814 are part of its name, not of its order.
    Release,
}

/// Words after which a version is a release all the same.
const RELEASE_WORDS: [&str; 5] = ["final", "release", "ga", "sp", "v"];

impl Version {
    /// Reads a version. Every text is one: what cannot be ordered counts as nothing.
    pub fn of(text: &str) -> Self {
        let words_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (numbers, words) = text.split_at(words_at);
        let mut numbers = digits(numbers);
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        Self { numbers, stage: Stage::of(words) }
    }

    /// Returns a version that comes after every version of this line: after each 10.1.x for the line 10.1.
    pub fn end_of_line(line: &str) -> Self {
        let mut numbers = digits(line);
        numbers.push(u64::MAX);
        Self { numbers, stage: Stage::Release }
    }

    /// Whether it is a milestone, a release candidate or another version for trying out.
    pub const fn is_prerelease(&self) -> bool {
        matches!(self.stage, Stage::Before(..))
    }
}

impl Stage {
    fn of(words: &str) -> Self {
        let end = words.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(words.len());
        let word = words[..end].to_lowercase();
        if word.is_empty() || RELEASE_WORDS.contains(&word.as_str()) {
            return Self::Release;
        }
        Self::Before(word, digits(&words[end..]).first().copied().unwrap_or(0))
    }
}

/// Returns the numbers in a text: `[9, 0, 117]` of 9.0.117.
fn digits(text: &str) -> Vec<u64> {
    let parts = text.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// Returns how many numbers a version begins with: 3 for 9.0.117 and for 11.0.0-M20, 2 for 10.1.
pub fn count_numbers(text: &str) -> usize {
    let parts = text.split(['.', '-']);
    parts.take_while(|part| part.parse::<u64>().is_ok()).count()
}

/// Whether a version belongs to a line: 10.1.29 to the line 10.1 and to the line 10, but not to the line 1.
pub fn is_of_line(version: &str, line: &str) -> bool {
    let rest = version.strip_prefix(line);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
}

/// A set of versions in the notation of Maven: `[9.0.76,10),[10.1.10,)`. A bracket includes the version beside it, a
/// parenthesis does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRange {
    text: String,
    intervals: Vec<Interval>,
}

/// An interval of versions; a missing end means that it has no end there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Interval {
    from: Option<Bound>,
    to: Option<Bound>,
}

/// An end of an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bound {
    version: Version,
    is_included: bool,
}

impl VersionRange {
    /// Whether it has this version.
    pub fn contains(&self, version: &Version) -> bool {
        self.intervals.iter().any(|interval| interval.contains(version))
    }
}

impl Interval {
    fn contains(&self, version: &Version) -> bool {
        let above = |bound: &Bound| bound.version < *version || bound.holds(version);
        let below = |bound: &Bound| bound.version > *version || bound.holds(version);
        self.from.as_ref().is_none_or(above) && self.to.as_ref().is_none_or(below)
    }
}

impl Bound {
    /// Whether this is the version of an end that belongs to the interval.
    fn holds(&self, version: &Version) -> bool {
        self.is_included && self.version == *version
    }
}

impl Display for VersionRange {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl FromStr for VersionRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no range of versions: write `[9.0.76,10),[10.1.10,)`");
        let mut intervals = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let end = rest.find([']', ')']).ok_or_else(wrong)?;
            let from_included = match rest.as_bytes()[0] {
                b'[' => true,
                b'(' => false,
                _ => return Err(wrong()),
            };
            let (from, to) = rest[1..end].split_once(',').ok_or_else(wrong)?;
            intervals.push(Interval {
                from: bound(from, from_included),
                to: bound(to, rest[end..].starts_with(']')),
            });
            rest = rest[end + 1..].trim_start_matches([',', ' ']);
        }
        if intervals.is_empty() {
            return Err(wrong());
        }
        Ok(Self { text: text.to_owned(), intervals })
    }
}

fn bound(text: &str, is_included: bool) -> Option<Bound> {
    let text = text.trim();
    (!text.is_empty()).then(|| Bound { version: Version::of(text), is_included })
}

impl<'de> Deserialize<'de> for VersionRange {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_in_the_order_of_their_numbers_and_a_milestone_comes_before_its_release() {
        let ordered = [
            "8.5.100",
            "9.0.12",
            "9.0.117",
            "10.1.0-M5",
            "10.1.0-M17",
            "10.1.0-RC1",
            "10.1.0",
            "10.1.29",
            "11",
        ];
        let versions: Vec<Version> = ordered.iter().map(|text| Version::of(text)).collect();
        assert!(versions.is_sorted_by(|one, next| one < next), "{versions:?}");
        assert_eq!(Version::of("10"), Version::of("10.0.0"));
        assert_eq!(Version::of("2.3.18.Final"), Version::of("2.3.18"));
        assert_eq!(Version::of("9.4.58.v20250814"), Version::of("9.4.58"));
        assert!(Version::end_of_line("10.1") > Version::of("10.1.999"));
        assert!(Version::end_of_line("10.1") < Version::of("10.2"));
        assert!(Version::end_of_line("10") > Version::of("10.1.29"));
    }

    #[test]
    fn milestones_and_candidates_are_no_releases() {
        for version in ["4.0.0-M1", "11.0.0-M20", "3.0.0.Beta1", "3.0.0-RC2", "12.0.0.alpha1"] {
            assert!(Version::of(version).is_prerelease(), "{version}");
        }
        for version in ["9.0.99", "2.3.18.Final", "9.4.58.v20250814", "2.2.1.RELEASE"] {
            assert!(!Version::of(version).is_prerelease(), "{version}");
        }
    }

    #[test]
    fn a_line_has_the_versions_that_begin_with_its_numbers() {
        assert!(is_of_line("10.1.29", "10.1") && is_of_line("10.1.29", "10"));
        assert!(is_of_line("2.3.18.Final", "2.3.18"));
        assert!(!is_of_line("10.1.29", "1") && !is_of_line("10.10.1", "10.1"));
        assert_eq!(count_numbers("10.1"), 2);
        assert_eq!(count_numbers("11.0.0-M20"), 3);
        assert_eq!(count_numbers("9.4.58.v20250814"), 3);
    }

    #[test]
    fn a_range_has_its_ends_as_the_brackets_say() {
        let range: VersionRange =
            "[8.5.90,9),[9.0.76,9.0.94),(9.0.94,10),[10.1.10,)".parse().expect("a range");
        let has = |version| range.contains(&Version::of(version));
        for version in ["8.5.90", "8.5.100", "9.0.76", "9.0.93", "9.0.95", "10.1.10", "12.0.0"] {
            assert!(has(version), "{version}");
        }
        for version in ["8.5.89", "9.0.75", "9.0.94", "10.0.27", "10.1.9", "10.1.0-M2"] {
            assert!(!has(version), "{version}");
        }
        let below: VersionRange = "(,10.1.0-M5)".parse().expect("a range");
        assert!(below.contains(&Version::of("10.1.0-M4")) && !below.contains(&Version::of("10.1.0-M5")));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "9.0", "[9.0]", "[9.0,10", "9.0,10)"] {
            assert!(text.parse::<VersionRange>().is_err(), "{text}");
        }
    }
}
