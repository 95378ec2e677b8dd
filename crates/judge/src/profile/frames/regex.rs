//! What kind of pattern a regular expression is, by the nodes of it that are on a stack (`java.util.regex.Pattern`): data.

use super::matches;
use record::finding::CpuWork::{self, RegexAlternatives, RegexFromEachPlace, RegexInRow, RegexNested};

/// A group that is repeated.
const LOOPS: &[&str] = &[
    "java.util.regex.Pattern$Loop.*",
    "java.util.regex.Pattern$LazyLoop.*",
    "java.util.regex.Pattern$GroupCurly.*",
];
/// A character or a class of characters that is repeated.
const REPEATS: &[&str] = &[
    "java.util.regex.Pattern$Curly.*",
    "java.util.regex.Pattern$CharPropertyGreedy.*",
    "java.util.regex.Pattern$BmpCharPropertyGreedy.*",
];
/// Alternatives.
const BRANCHES: &[&str] = &["java.util.regex.Pattern$Branch.*"];
/// The search for a place where the pattern begins.
const SEARCHES: &[&str] = &["java.util.regex.Pattern$Start.*", "java.util.regex.Pattern$StartS.*"];

/// The kind of the pattern that is matched within these methods; `None` where they do not tell it.
pub(in super::super) fn shape_of<'a>(methods: impl Iterator<Item = &'a str>) -> Option<CpuWork> {
    let (mut loops, mut repeats, mut branches, mut searches) = (0, 0, 0, 0);
    let mut before = "";
    for method in methods {
        let is = |patterns: &[&str]| patterns.iter().any(|pattern| matches(pattern, method));
        loops += usize::from(is(LOOPS));
        // A repetition may call another method of its own class.
        repeats += usize::from(is(REPEATS) && (before == method || class(before) != class(method)));
        branches += usize::from(is(BRANCHES));
        searches += usize::from(is(SEARCHES));
        before = method;
    }
    if loops > 0 {
        let is_nested = repeats > 0;
        is_nested.then_some(RegexNested).or((branches > 0).then_some(RegexAlternatives))
    } else if repeats > 0 && searches > 0 {
        Some(RegexFromEachPlace)
    } else {
        (repeats > 1).then_some(RegexInRow)
    }
}

/// The class of a method.
fn class(method: &str) -> &str {
    method.rsplit_once('.').map_or(method, |(class, _)| class)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(nodes: &[&str]) -> Option<CpuWork> {
        let methods: Vec<String> = nodes.iter().map(|node| format!("java.util.regex.{node}")).collect();
        shape_of(methods.iter().map(String::as_str))
    }

    #[test]
    fn a_pattern_is_known_by_its_nodes() {
        // `(a+)+$`
        let nested = [
            "Pattern$BmpCharPropertyGreedy.match",
            "Pattern$GroupHead.match",
            "Pattern$Loop.match",
            "Pattern$GroupTail.match",
            "Pattern$BmpCharPropertyGreedy.match",
            "Pattern$Prolog.match",
            "Matcher.matches",
        ];
        assert_eq!(shape(&nested), Some(RegexNested));
        let alternatives =
            ["Pattern$Slice.match", "Pattern$Branch.match", "Pattern$GroupHead.match", "Pattern$Loop.match"];
        assert_eq!(shape(&alternatives), Some(RegexAlternatives));
        // `^\\s+|\\s+$`, searched for.
        let ends = [
            "CharPredicates.lambda$union$2",
            "Pattern$CharPropertyGreedy.match",
            "Pattern$Branch.match",
            "Pattern$Start.match",
            "Matcher.search",
            "Matcher.find",
        ];
        assert_eq!(shape(&ends), Some(RegexFromEachPlace));
        // `.*a.*b.*` for the whole text.
        let row = [
            "Pattern$CharPropertyGreedy.match",
            "Pattern$Slice.match",
            "Pattern$CharPropertyGreedy.match",
            "Matcher.matches",
        ];
        assert_eq!(shape(&row), Some(RegexInRow));
    }

    #[test]
    fn a_plain_pattern_has_no_kind() {
        assert_eq!(shape(&["Pattern$Slice.match", "Pattern$Start.match", "Matcher.find"]), None);
        assert_eq!(shape(&["Pattern$Curly.match0", "Pattern$Curly.match", "Matcher.matches"]), None);
        assert_eq!(shape(&[]), None);
    }
}
