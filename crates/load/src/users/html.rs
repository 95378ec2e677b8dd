//! Makes a well-formed document of an HTML page, so that it can be searched as XML can.

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

/// How a page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HtmlReading {
    /// As browsers and jsoup do.
    AsBrowsers,
    /// About as Tidy does: it knows the elements of HTML 4 alone, adds no `tbody`, and makes spaces of texts single.
    AsTidy,
}

/// Elements without content.
const VOID: [&str; 15] = [
    "area", "base", "basefont", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param",
    "source", "wbr",
];

/// Elements that belong into the head while there is no body.
const HEAD: [&str; 7] = ["title", "meta", "link", "base", "script", "style", "noscript"];

/// Elements that end a paragraph where they begin.
const ENDS_PARAGRAPH: [&str; 37] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "ul",
];

/// Elements that an end tag does not close if it belongs to an element around them.
const BORDERS: [&str; 8] = ["html", "body", "table", "td", "th", "caption", "button", "template"];

/// What ends where an element begins: the names of open elements, and the elements at which the search for them ends.
const ENDED: [(&[&str], &[&str], &[&str]); 9] = [
    (&["li"], &["li"], &["ul", "ol", "menu", "dir"]),
    (&["dt", "dd"], &["dt", "dd"], &["dl"]),
    (&["option", "optgroup"], &["option"], &["select", "datalist"]),
    (&["optgroup"], &["optgroup"], &["select"]),
    (&["td", "th"], &["td", "th"], &["tr", "table"]),
    (&["tr", "thead", "tbody", "tfoot"], &["tr"], &["table"]),
    (&["thead", "tbody", "tfoot"], &["thead", "tbody", "tfoot"], &["table"]),
    (&["tr", "thead", "tbody", "tfoot"], &["caption", "colgroup"], &["table"]),
    (&["colgroup"], &["caption", "colgroup"], &["table"]),
];

/// The elements of HTML 4 with content, and a few that Tidy knows beside them.
const HTML4: &str = " a abbr acronym address applet b bdo big blink blockquote body button caption center cite code colgroup comment dd \
    del dfn dir div dl dt em fieldset font form frameset h1 h2 h3 h4 h5 h6 head html i iframe ilayer ins kbd label layer legend li \
    listing map marquee menu multicol nobr noembed noframes nolayer noscript object ol optgroup option p plaintext pre q rb rbc rp rt \
    rtc ruby s samp script select server servlet small span strike strong style sub sup table tbody td textarea tfoot th thead title \
    tr tt u ul var xml xmp ";

/// Elements whose text stays as it is.
const KEEPS_SPACES: [&str; 4] = ["pre", "textarea", "script", "style"];

/// Elements that stand in lines, so that spaces before and behind them count.
const INLINE: &str = " a abbr acronym applet b bdo big br button cite code del dfn em font i iframe img input ins kbd label map nobr \
    object q s samp select small span strike strong sub sup textarea tt u var ";

/// Makes a well-formed document of a page.
pub(super) fn as_xml(page: &str, reading: HtmlReading) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut document =
        PageWriter { out: String::new(), open: Vec::new(), reading, had_head: false, ends_blank: true };
    for Ok(token) in Tokenizer::new_with_emitter(page, emitter) {
        match token {
            Token::StartTag(tag) => document.begin(&tag),
            Token::EndTag(tag) => document.end(&text(&tag.name)),
            Token::String(found) => document.text(&text(&found)),
            _ => {}
        }
    }
    document.body();
    document.close_to(0);
    document.out
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

struct PageWriter {
    out: String,
    /// The elements that are open, the outermost first.
    open: Vec<String>,
    reading: HtmlReading,
    had_head: bool,
    /// Whether a space behind what was written is left out by Tidy.
    ends_blank: bool,
}

impl PageWriter {
    fn has(&self, name: &str) -> bool {
        self.open.iter().any(|open| open == name)
    }

    fn begin(&mut self, tag: &StartTag<()>) {
        let name = text(&tag.name);
        let is_void = VOID.contains(&name.as_str());
        let is_known = is_void || HTML4.contains(&format!(" {name} "));
        if !is_name(&name) || (self.reading == HtmlReading::AsTidy && !is_known) {
            return;
        }
        match name.as_str() {
            "html" | "head" | "body" | "frameset" if self.has("body") || self.has("frameset") => return,
            "html" => {
                return if self.open.is_empty() {
                    self.write(tag, &name, false)
                };
            }
            "head" if self.had_head => return,
            "head" => {
                self.root();
                self.had_head = true;
            }
            "body" | "frameset" => self.behind_head(),
            _ if HEAD.contains(&name.as_str()) && !self.has("body") => {
                self.root();
                if !self.had_head {
                    self.had_head = true;
                    self.plain("head");
                }
            }
            _ if self.has("frameset") => {}
            _ => self.body(),
        }
        self.end_what_cannot_hold(&name);
        self.write(tag, &name, is_void);
    }

    /// Ends elements that cannot go on where this one begins, and begins those that have to be around it.
    fn end_what_cannot_hold(&mut self, name: &str) {
        if ENDS_PARAGRAPH.contains(&name) {
            self.end_up_to(&["p"], &BORDERS);
        }
        let is_heading =
            |name: &str| name.len() == 2 && name.starts_with('h') && name.as_bytes()[1].is_ascii_digit();
        if is_heading(name) && self.open.last().is_some_and(|open| is_heading(open)) {
            self.close_to(self.open.len() - 1);
        }
        if matches!(name, "a" | "button" | "nobr") {
            self.end_up_to(&[name], &BORDERS);
        }
        for (beginning, ended, borders) in ENDED {
            if beginning.contains(&name) {
                self.end_up_to(ended, borders);
            }
        }
        match name {
            "tr" if self.ends_with(&["table"]) => self.begin_rows(),
            "td" | "th" if self.ends_with(&["table"]) => {
                self.begin_rows();
                self.plain("tr");
            }
            "td" | "th" if self.ends_with(&["tbody", "thead", "tfoot"]) => self.plain("tr"),
            _ => {}
        }
    }

    /// Whether the innermost open element has one of these names.
    fn ends_with(&self, names: &[&str]) -> bool {
        self.open.last().is_some_and(|last| names.contains(&last.as_str()))
    }

    fn begin_rows(&mut self) {
        if self.reading == HtmlReading::AsBrowsers {
            self.plain("tbody");
        }
    }

    /// Ends the innermost element of one of these names, with all that is in it, if it is not behind one of the borders.
    fn end_up_to(&mut self, names: &[&str], borders: &[&str]) -> bool {
        for at in (0..self.open.len()).rev() {
            let open = self.open[at].as_str();
            if names.contains(&open) {
                self.close_to(at);
                return true;
            }
            if borders.contains(&open) {
                return false;
            }
        }
        false
    }

    fn end(&mut self, name: &str) {
        match name {
            // What stands behind the end of the body belongs to it.
            "html" | "body" => {}
            "head" => self.behind_head(),
            "br" => {
                self.body();
                self.out.push_str("<br/>");
            }
            "p" => {
                if !self.end_up_to(&["p"], &BORDERS) && self.reading == HtmlReading::AsBrowsers {
                    self.body();
                    self.out.push_str("<p></p>");
                }
            }
            "table" => {
                self.end_up_to(&[name], &["html"]);
            }
            "tr" | "td" | "th" | "tbody" | "thead" | "tfoot" | "caption" | "colgroup" => {
                self.end_up_to(&[name], &["table", "html"]);
            }
            _ => {
                self.end_up_to(&[name], &BORDERS);
            }
        }
    }

    fn text(&mut self, text: &str) {
        let is_blank = text.trim().is_empty();
        let is_in_body = self.has("body") || self.has("frameset");
        let in_head_element = self.open.last().is_some_and(|open| HEAD.contains(&open.as_str()));
        if !is_in_body && !in_head_element {
            if is_blank {
                return;
            }
            self.body();
        }
        let keeps = self.open.iter().any(|open| KEEPS_SPACES.contains(&open.as_str()));
        if self.reading == HtmlReading::AsBrowsers || keeps {
            escape(text, &mut self.out);
            self.ends_blank = false;
            return;
        }
        for part in text.split_inclusive([' ', '\t', '\n', '\r']) {
            let word = part.trim_end_matches([' ', '\t', '\n', '\r']);
            escape(word, &mut self.out);
            self.ends_blank &= word.is_empty();
            if word.len() < part.len() && !self.ends_blank {
                self.out.push(' ');
                self.ends_blank = true;
            }
        }
    }

    /// Begins the root unless it is there.
    fn root(&mut self) {
        if self.open.is_empty() {
            self.plain("html");
        }
    }

    fn behind_head(&mut self) {
        self.root();
        if !self.had_head {
            self.had_head = true;
            self.plain("head");
        }
        self.close_to(1);
    }

    /// Begins the body unless it is there.
    fn body(&mut self) {
        if !self.has("body") && !self.has("frameset") {
            self.behind_head();
            self.plain("body");
        }
    }

    fn plain(&mut self, name: &str) {
        self.at_border(name);
        self.out.push_str(&format!("<{name}>"));
        self.open.push(name.to_owned());
    }

    fn write(&mut self, tag: &StartTag<()>, name: &str, is_void: bool) {
        self.at_border(name);
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in &tag.attributes {
            let key = text(key);
            // A prefix would need a namespace.
            if is_name(&key) && key != "xmlns" {
                self.out.push_str(&format!(" {key}=\""));
                escape(&text(value), &mut self.out);
                self.out.push('"');
            }
        }
        if is_void {
            self.out.push_str("/>");
        } else {
            self.out.push('>');
            self.open.push(name.to_owned());
        }
    }

    /// Tidy drops spaces at the begin and at the end of elements that do not stand in lines.
    fn at_border(&mut self, name: &str) {
        if self.reading == HtmlReading::AsTidy && !INLINE.contains(&format!(" {name} ")) {
            if self.out.ends_with(' ') {
                self.out.pop();
            }
            self.ends_blank = true;
        }
    }

    /// Ends all open elements from this number on.
    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            if let Some(name) = self.open.pop() {
                self.at_border(&name);
                self.out.push_str(&format!("</{name}>"));
            }
        }
    }
}

/// Whether XML allows a name without a prefix.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Writes a text as XML has it; characters that XML does not allow are left out.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gets_what_it_left_out() {
        let page = "<!DOCTYPE html><title>a&amp;b</title><P class=x>one<p>two<ul><li>a<li>b</ul><img src='1.png' alt>\
            <table><tr><td>1<td>2<tr><th>3</table><br></div><a href=\"?a=1&b=2\" @click=no>x</a></body> tail";
        assert_eq!(
            as_xml(page, HtmlReading::AsBrowsers),
            "<html><head><title>a&amp;b</title></head><body><p class=\"x\">one</p><p>two</p><ul><li>a</li><li>b</li></ul>\
            <img alt=\"\" src=\"1.png\"/><table><tbody><tr><td>1</td><td>2</td></tr><tr><th>3</th></tr></tbody></table><br/>\
            <a href=\"?a=1&amp;b=2\">x</a> tail</body></html>"
        );
    }

    #[test]
    fn tidy_knows_html4_and_single_spaces() {
        let page = "<html><body>\n <main><div>\n a\n  b <b>c </b> d\n</div></main><table><tr><td> x </td></tr></table></body></html>\n";
        assert_eq!(
            as_xml(page, HtmlReading::AsTidy),
            "<html><head></head><body><div>a b <b>c </b>d</div><table><tr><td>x</td></tr></table></body></html>"
        );
    }

    #[test]
    fn any_page_becomes_a_document() {
        let page = "<<a><svg:b x:y='1'><script>if (a<b && c) {}</script></p></td><select><option>1<option>2</select>\u{1}<form><input \
            name=x value='<'></table><frameset><body a=b></html>&nbsp;&#0;<textarea> a</textarea><dl><dt>a<dd>b</dl><h1>a<h2>b";
        for end in (0..=page.len()).filter(|end| page.is_char_boundary(*end)) {
            for reading in [HtmlReading::AsBrowsers, HtmlReading::AsTidy] {
                let made = as_xml(&page[..end], reading);
                assert!(roxmltree::Document::parse(&made).is_ok(), "{made}");
            }
        }
    }
}
