//! Finds calls of curl in a document of Markdown.

/// Whether a text has blocks of code as Markdown writes them.
pub(crate) fn has_code(text: &str) -> bool {
    text.lines().any(|line| is_fence(line.trim_start()))
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Returns the calls of curl in the blocks of code. All other lines are empty, so that each call stands on its line.
pub(super) fn calls(text: &str) -> String {
    let (mut in_code, mut in_call) = (false, false);
    let mut quote = None;
    let mut out = String::new();
    for line in text.lines() {
        let bare = line.trim_start().trim_start_matches("> ");
        if is_fence(bare) {
            in_code = !in_code;
            in_call = false;
            quote = None;
            out.push('\n');
            continue;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        let call = bare.trim_start_matches(['$', '%', '>', '#']).trim_start();
        let begins = call.starts_with("curl ") || call.starts_with("curl.exe ");
        if !in_call && begins && (in_code || is_indented) {
            in_call = true;
            quote = None;
            out.push_str(call);
        } else if in_call {
            out.push_str(line);
        }
        if in_call {
            quote = quote_behind(if begins && quote.is_none() { call } else { line }, quote);
            let goes_on = line.trim_end().ends_with(['\\', '^', '`']) || quote.is_some();
            in_call = goes_on && (in_code || is_indented);
        }
        out.push('\n');
    }
    out
}

/// Returns the quote that is open behind a line.
fn quote_behind(line: &str, mut open: Option<char>) -> Option<char> {
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (c, open) {
            ('\\', Some('"') | None) => _ = characters.next(),
            ('\'' | '"', None) => open = Some(c),
            (c, Some(quote)) if c == quote => open = None,
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_in_blocks_of_code_are_kept() {
        let text = "# Use\ncurl is a tool, it's good.\n\n```sh\n$ curl -d '{\n  \"a\": 1}' \\\n  http://h/\n{\"it's\": 1}\n$ ls\n```\n\n    curl http://h/2\nEnd\n";
        assert!(has_code(text));
        assert_eq!(
            calls(text),
            "\n\n\n\ncurl -d '{\n  \"a\": 1}' \\\n  http://h/\n\n\n\n\ncurl http://h/2\n\n"
        );
        assert!(!has_code("curl http://h/\n"));
    }
}
