//! The images, scripts, style sheets and frames that an HTML page embeds, as JMeter finds them in it.

use super::answer::{Answer, MatchList};
use super::render::Env;
use super::servers::Servers;
use memchr::memmem;
use traffic::scenario::{ExprHost as _, Template};

/// Elements whose content is text and no markup.
const RAW: [&[u8]; 4] = [b"script", b"style", b"textarea", b"title"];

/// The types of answers in which JMeter looks for embedded resources.
const PAGES: [&[u8]; 4] = [b"text/html", b"application/xhtml+xml", b"application/xml", b"text/xml"];

impl Env<'_> {
    /// Finds what a page embeds, as paths below the base path of all requests. A page to which a redirect from another server led has
    /// nothing of the server that is asked for it.
    pub(super) fn find_resources(
        &mut self,
        only: Option<&Template>,
        never: Option<&Template>,
        answer: &Answer<'_>,
        matches: &mut MatchList,
    ) {
        let shared = self.shared;
        let sending = &self.player.sending;
        let server = shared.flat.requests[sending.request].request.server;
        if !is_page(answer) || sending.server != server {
            return;
        }
        let authority = shared.servers.authority(server);
        let base = shared.base_path(server);
        let page = Page { path: answer.request_line().1, servers: &shared.servers, server };
        for path in resources(answer.body, page) {
            let is_wanted = only.is_none_or(|only| self.fits(only, authority, &path))
                && !never.is_some_and(|never| self.fits(never, authority, &path));
            if let Some(below) = path.strip_prefix(base.as_bytes()).filter(|_| is_wanted) {
                matches.push(below);
            }
        }
    }

    /// Whether a regular expression fits a whole URL. One for the other scheme of HTTP fits, too: the plan may name a server that
    /// another one takes the place of.
    fn fits(&mut self, pattern: &Template, authority: &str, path: &[u8]) -> bool {
        let pattern = self.rendered(pattern);
        let regex = self.world.patterns.whole_regex(&String::from_utf8_lossy(&pattern));
        let fits = regex.is_some_and(|regex| {
            let mut schemes = ["http", "https"].into_iter();
            schemes
                .any(|scheme| regex.is_match(&[format!("{scheme}://{authority}").as_bytes(), path].concat()))
        });
        self.keep_buffer(pattern);
        fits
    }
}

/// Whether an answer is a page.
fn is_page(answer: &Answer<'_>) -> bool {
    let content_type = answer.header("content-type").next().unwrap_or_default();
    let plain = content_type.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    (200..300).contains(&answer.status) && PAGES.iter().any(|page| plain.eq_ignore_ascii_case(page))
}

/// Where a page is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    pub(super) path: &'a [u8],
    pub(super) servers: &'a Servers,
    /// The number of its server.
    pub(super) server: usize,
}

/// The paths of what a page embeds from its own server, in their order and each once.
fn resources(text: &[u8], page: Page<'_>) -> Vec<Vec<u8>> {
    let mut base = page.path.to_vec();
    let mut paths: Vec<Vec<u8>> = Vec::new();
    for tag in Tags::new(text) {
        if tag.name.eq_ignore_ascii_case(b"base") {
            let href = tag.attribute("href").and_then(|href| resolved(href, &base, page));
            base = href.unwrap_or(base);
            continue;
        }
        for address in tag.addresses() {
            if let Some(path) = resolved(&address, &base, page)
                && !paths.contains(&path)
            {
                paths.push(path);
            }
        }
    }
    paths
}

/// The path of an address in a page; `None` if it leads to another server, or is no address of HTTP.
pub(super) fn resolved(address: &[u8], base: &[u8], page: Page<'_>) -> Option<Vec<u8>> {
    let address = address.trim_ascii();
    let scheme = address.iter().position(|byte| !byte.is_ascii_alphanumeric());
    let has_scheme = scheme.is_some_and(|at| at > 0 && address[at] == b':');
    let is_http = ["http://", "https://"].iter().any(|scheme| {
        address.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme.as_bytes()))
    });
    if address.is_empty() || (has_scheme && !is_http) {
        return None;
    }
    let place = page.servers.place_of(address, base, page.server)?;
    (place.server == page.server).then(|| escaped(&without_dots(&place.path)))
}

/// The path without `.` and `..`.
fn without_dots(path: &[u8]) -> Vec<u8> {
    let end = path.iter().position(|&byte| byte == b'?').unwrap_or(path.len());
    let (plain, query) = path.split_at(end);
    let mut kept: Vec<&[u8]> = Vec::new();
    let parts: Vec<&[u8]> = plain.split(|&byte| byte == b'/').skip(1).collect();
    for (index, part) in parts.iter().enumerate() {
        let is_last = index + 1 == parts.len();
        match *part {
            b"." | b".." => {
                if *part == b".." {
                    kept.pop();
                }
                if is_last {
                    kept.push(b"");
                }
            }
            part => kept.push(part),
        }
    }
    let mut whole = b"/".to_vec();
    whole.extend_from_slice(&kept.join(&b'/'));
    whole.extend_from_slice(query);
    whole
}

/// The path with what may not stand in a request line percent-encoded.
fn escaped(path: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(path.len());
    for &byte in path {
        match byte {
            b'!'..=b'~' if !b"\"<>\\^`{|}".contains(&byte) => escaped.push(byte),
            _ => escaped.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    escaped
}

/// An opening tag.
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    attributes: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Tag<'a> {
    pub(super) fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        let mut all = self.attributes.iter();
        all.find(|(given, _)| given.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| *value)
    }

    /// Whether an attribute has one of these values.
    fn is(&self, attribute: &str, values: &[&str]) -> bool {
        let value = self.attribute(attribute).unwrap_or_default().trim_ascii();
        values.iter().any(|one| value.eq_ignore_ascii_case(one.as_bytes()))
    }

    /// The addresses of what the element embeds.
    fn addresses(&self) -> Vec<Vec<u8>> {
        let name = self.name.to_ascii_lowercase();
        let keys: &[&str] = match name.as_slice() {
            b"img" | b"script" | b"frame" | b"iframe" | b"embed" | b"bgsound" => &["src"],
            b"input" if self.is("type", &["image"]) => &["src"],
            b"link" if self.is("rel", &["stylesheet", "icon", "shortcut icon"]) => &["href"],
            b"input" | b"link" => &[],
            b"object" => &["codebase", "data"],
            b"applet" => &["code"],
            _ => &["background"],
        };
        let own = keys.iter().filter_map(|key| self.attribute(key)).map(unescaped);
        let style = self.attribute("style").map(unescaped).unwrap_or_default();
        own.chain(addresses_of_style(&style)).collect()
    }
}

/// The addresses in `url('…')` of a style.
fn addresses_of_style(style: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let lower = style.to_ascii_lowercase();
    for at in memmem::find_iter(&lower, b"url(") {
        let inside = style[at + 4..].trim_ascii_start();
        let Some((&quote, inside)) = inside.split_first().filter(|(first, _)| matches!(first, b'\'' | b'"'))
        else {
            continue;
        };
        if let Some(end) = memchr::memchr(quote, inside) {
            found.push(inside[..end].to_vec());
        }
    }
    found
}

/// A value with the entities replaced that XML has.
pub(super) fn unescaped(value: &[u8]) -> Vec<u8> {
    const ENTITIES: [(&[u8], u8); 5] =
        [(b"&amp;", b'&'), (b"&quot;", b'"'), (b"&apos;", b'\''), (b"&lt;", b'<'), (b"&gt;", b'>')];
    let mut text = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some(&byte) = rest.first() {
        let entity = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let (length, byte) = entity.map_or((1, byte), |(entity, byte)| (entity.len(), *byte));
        text.push(byte);
        rest = &rest[length..];
    }
    text
}

/// The opening tags of a page, in their order; comments and the content of scripts and styles have none.
pub(super) struct Tags<'a> {
    rest: &'a [u8],
}

impl<'a> Tags<'a> {
    pub(super) const fn new(page: &'a [u8]) -> Self {
        Self { rest: page }
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let at = memchr::memchr(b'<', self.rest)?;
            self.rest = &self.rest[at + 1..];
            match self.rest.first()? {
                b'!' if self.rest.starts_with(b"!--") => self.skip_past(b"-->"),
                b'!' | b'?' | b'/' => self.skip_past(b">"),
                first if first.is_ascii_alphabetic() => {
                    let tag = self.tag();
                    if RAW.iter().any(|raw| tag.name.eq_ignore_ascii_case(raw)) {
                        self.skip_content(tag.name);
                    }
                    return Some(tag);
                }
                _ => {}
            }
        }
    }
}

impl<'a> Tags<'a> {
    fn skip_past(&mut self, mark: &[u8]) {
        let end = memmem::find(self.rest, mark).map_or(self.rest.len(), |at| at + mark.len());
        self.rest = &self.rest[end..];
    }

    /// Goes to the closing tag of an element whose content is no markup.
    fn skip_content(&mut self, name: &[u8]) {
        let closes = |at: &usize| {
            let behind = &self.rest[at + 2..];
            behind.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
        };
        let end = memmem::find_iter(self.rest, b"</").find(closes);
        self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
    }

    /// Takes what fits from the rest.
    fn take(&mut self, fits: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|&byte| !fits(byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Reads a tag behind its `<`.
    fn tag(&mut self) -> Tag<'a> {
        let name = self.take(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'>' | b'/'));
        let mut attributes = Vec::new();
        loop {
            self.take(|byte| byte.is_ascii_whitespace() || byte == b'/');
            match self.rest.first() {
                None => break,
                Some(b'>') => {
                    self.rest = &self.rest[1..];
                    break;
                }
                Some(_) => attributes.push(self.attribute()),
            }
        }
        Tag { name, attributes }
    }

    fn attribute(&mut self) -> (&'a [u8], &'a [u8]) {
        // A name has one byte at least, so that each call goes on.
        let end = self.rest[1..]
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'=' | b'>' | b'/'));
        let (name, rest) = self.rest.split_at(end.map_or(self.rest.len(), |end| end + 1));
        self.rest = rest;
        self.take(|byte| byte.is_ascii_whitespace());
        if self.rest.first() != Some(&b'=') {
            return (name, b"");
        }
        self.rest = &self.rest[1..];
        self.take(|byte| byte.is_ascii_whitespace());
        let value = match self.rest.first() {
            Some(&quote @ (b'"' | b'\'')) => {
                self.rest = &self.rest[1..];
                let value = self.take(|byte| byte != quote);
                self.rest = self.rest.get(1..).unwrap_or_default();
                value
            }
            _ => self.take(|byte| !byte.is_ascii_whitespace() && byte != b'>'),
        };
        (name, value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::servers::servers;
    use super::*;

    fn found(page: &str) -> Vec<String> {
        let servers = servers(&["http://localhost:8080", "http://cdn"]);
        let at = Page { path: b"/shop/cart?x=1", servers: &servers, server: 0 };
        let paths = resources(page.as_bytes(), at);
        paths.into_iter().map(|path| String::from_utf8(path).unwrap()).collect()
    }

    #[test]
    fn what_a_page_embeds_is_found_once_and_in_order() {
        let page = r#"<!DOCTYPE html><html><head><LINK REL="stylesheet" href='/a.css'><link rel=next href=/next>
            <script src="app.js">document.write("<img src=no.png>")</script><style>b { background: url('no.png') }</style>
            <!-- <img src="no.png"> --></head><body background=back.png>
            <img alt="a > b" src = "img/1.png?a=1&amp;b=2"/><img src=/a.css><input type=image src=go.png><input src=no.png>
            <td style="background: URL( 'x.png' )"><a href="no"><iframe src="../frame"></iframe>
            <object data="./o.swf"></object><img><img src=""></body>"#;
        let expected = [
            "/a.css",
            "/shop/app.js",
            "/shop/back.png",
            "/shop/img/1.png?a=1&b=2",
            "/shop/go.png",
            "/shop/x.png",
            "/frame",
            "/shop/o.swf",
        ];
        assert_eq!(found(page), expected);
    }

    #[test]
    fn what_is_on_another_server_is_left_out_and_a_base_counts() {
        let page = r#"<base href="http://localhost:8080/static/"><img src=1.png><img src=//cdn/2.png><img src=https://cdn/3.png>
            <img src="data:image/png;base64,AA=="><img src="a b.png#c"><script src=javascript:x></script>"#;
        assert_eq!(found(page), ["/static/1.png", "/static/a%20b.png"]);
    }

    #[test]
    fn any_bytes_are_read_to_their_end() {
        let page = r#"<img src="1.png" <img a='b><script x = "y" src=2.js></scri"#;
        for end in 0..page.len() {
            found(&page[..end]);
        }
        for text in ["<", "<a =", "<a ===>", "<a/='", "<!--", "<script", "<img src='", "< img src=x>"] {
            assert!(found(text).is_empty(), "{text}");
        }
    }
}
