//! The links and frames of an HTML page. JMeter's HTML Link Parser follows one of them.

use super::answer::{Answer, MatchList};
use super::render::Env;
use super::resources::{Page, Tags, resolved, unescaped};
use percent_encoding::percent_decode;
use traffic::scenario::{ExprHost as _, Template};

impl Env<'_> {
    /// Finds the links of a page to its own server, as paths below the base path of all requests. A page to which a redirect from another
    /// server led has none.
    pub(super) fn find_links(
        &mut self,
        path: &Template,
        query: &[Template],
        answer: &Answer<'_>,
        matches: &mut MatchList,
    ) {
        let shared = self.shared;
        let sending = &self.player.sending;
        let server = shared.flat.requests[sending.request].request.server;
        if sending.server != server {
            return;
        }
        let base = shared.base_path(server).as_bytes();
        let page = Page { path: answer.request_line().1, servers: &shared.servers, server };
        for link in links(answer.body, page) {
            if let Some(below) = link.strip_prefix(base)
                && self.is_wanted(below, path, query)
            {
                matches.push(below);
            }
        }
    }

    fn is_wanted(&mut self, link: &[u8], path: &Template, query: &[Template]) -> bool {
        let (plain, asked) = link.split_at(link.iter().position(|&byte| byte == b'?').unwrap_or(link.len()));
        let spaced: Vec<u8> = asked.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }).collect();
        let decoded: Vec<u8> = percent_decode(&spaced).collect();
        self.pattern_fits(path, plain, true)
            && query.iter().all(|one| self.pattern_fits(one, &decoded, false))
    }

    /// Whether a regular expression fits a whole text, or is found in it.
    fn pattern_fits(&mut self, pattern: &Template, text: &[u8], whole: bool) -> bool {
        let rendered = self.rendered(pattern);
        let written = String::from_utf8_lossy(&rendered);
        let patterns = &mut self.world.patterns;
        let regex = if whole { patterns.whole_regex(&written) } else { patterns.regex(&written) };
        let fits = regex.is_some_and(|regex| regex.is_match(text));
        drop(written);
        self.keep_buffer(rendered);
        fits
    }
}

/// The addresses of the links and frames of a page on its own server. One that stands in it several times is there as often.
fn links(text: &[u8], page: Page<'_>) -> Vec<Vec<u8>> {
    let address = |base: &[u8], written: &[u8]| {
        let written = unescaped(written);
        match written.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii() {
            // A link to a place in the page leads to the page.
            b"" => Some(base.to_vec()),
            address => resolved(address, base, page),
        }
    };
    let mut bases = Tags::new(text).filter(|tag| tag.name.eq_ignore_ascii_case(b"base"));
    let base = bases.find_map(|tag| address(page.path, tag.attribute("href")?));
    let base = base.unwrap_or_else(|| page.path.to_vec());
    let of_kind = |name: &'static str, key: &'static str| {
        Tags::new(text)
            .filter(move |tag| tag.name.eq_ignore_ascii_case(name.as_bytes()))
            .filter_map(move |tag| tag.attribute(key))
    };
    let all = of_kind("a", "href").chain(of_kind("frame", "src"));
    all.filter_map(|found| address(&base, found)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::servers::servers;
    use super::*;

    #[test]
    fn links_and_frames_to_the_own_server_are_found() {
        let servers = servers(&["http://localhost:8080", "http://cdn"]);
        let at = Page { path: b"/shop/cart?x=1", servers: &servers, server: 0 };
        let found = |page: &str| -> Vec<String> {
            links(page.as_bytes(), at).into_iter().map(|link| String::from_utf8(link).unwrap()).collect()
        };
        let page = r#"<A HREF="item?id=1&amp;n=2">1</a><!-- <a href="/no"> --><a name=x><a href='#top'>
            <a href="javascript:go()"><a href="mailto:a@b"><a href="//cdn/x"><a href="item?id=1&amp;n=2">
            <frame src="/top"><a href=http://localhost:8080/y#z>"#;
        let expected = ["/shop/item?id=1&n=2", "/shop/cart?x=1", "/shop/item?id=1&n=2", "/y", "/top"];
        assert_eq!(found(page), expected);
        assert_eq!(found("<base href='/a/b'><a href=c>"), ["/a/c"]);
    }
}
