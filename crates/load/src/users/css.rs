//! Finds the elements of a page that a selector of CSS fits, and their texts, as jsoup does.

use roxmltree::{Document, Node};
use traffic::scenario::{AttributeTest, Comparison, CssChain, CssRelation, CssSelector, CssTest};

/// Elements that begin a line of their own.
const BLOCKS: &str = " html head body frameset script noscript style meta link title frame noframes section nav aside hgroup header footer \
    p h1 h2 h3 h4 h5 h6 ul ol pre div blockquote hr address figure figcaption form fieldset ins del dl dt dd li table caption thead \
    tfoot tbody colgroup col tr th td video audio canvas details menu plaintext template article main svg math center dir applet \
    marquee listing ";

/// Returns the elements that fit, in their order.
pub(super) fn select<'a, 'input>(
    selector: &CssSelector,
    document: &'a Document<'input>,
) -> Vec<Node<'a, 'input>> {
    document.descendants().filter(|node| node.is_element() && fits(selector, *node)).collect()
}

fn fits(selector: &CssSelector, node: Node<'_, '_>) -> bool {
    selector.any.iter().any(|chain| fits_chain(chain, node))
}

fn fits_chain(chain: &CssChain, node: Node<'_, '_>) -> bool {
    if !chain.tests.iter().all(|test| passes(test, node)) {
        return false;
    }
    let Some((relation, other)) = &chain.other else {
        return true;
    };
    let fits = |node: Node<'_, '_>| fits_chain(other, node);
    match relation {
        CssRelation::Parent => parent(node).is_some_and(fits),
        CssRelation::Above => std::iter::successors(parent(node), |node| parent(*node)).any(fits),
        CssRelation::JustBefore => node.prev_sibling_element().is_some_and(fits),
        CssRelation::Before => {
            std::iter::successors(node.prev_sibling_element(), |node| node.prev_sibling_element()).any(fits)
        }
    }
}

fn parent<'a, 'input>(node: Node<'a, 'input>) -> Option<Node<'a, 'input>> {
    node.parent().filter(Node::is_element)
}

fn passes(test: &CssTest, node: Node<'_, '_>) -> bool {
    let attribute = |key: &str| node.attribute(key);
    match test {
        CssTest::Name(name) => node.tag_name().name() == name,
        CssTest::Identifier(identifier) => attribute("id") == Some(identifier),
        CssTest::Class(class) => {
            attribute("class").unwrap_or_default().split_whitespace().any(|one| one.to_lowercase() == *class)
        }
        CssTest::Has(key) => attribute(key).is_some(),
        CssTest::Attribute(key, how, value) => {
            let given = attribute(key).map(str::to_lowercase);
            let given = given.as_deref();
            let value = value.as_str();
            match how {
                AttributeTest::Equals => given.is_some_and(|given| given.trim() == value),
                AttributeTest::Differs => given != Some(value),
                AttributeTest::Begins => given.is_some_and(|given| given.starts_with(value)),
                AttributeTest::Ends => given.is_some_and(|given| given.ends_with(value)),
                AttributeTest::Contains => given.is_some_and(|given| given.contains(value)),
            }
        }
        CssTest::Nth { step, offset, from_end, of_type } => {
            let number = place(node, *from_end, *of_type) as i32 - offset;
            if *step == 0 { number == 0 } else { number % step == 0 && number / step >= 0 }
        }
        CssTest::Only { of_type } => place(node, false, *of_type) == 1 && place(node, true, *of_type) == 1,
        CssTest::Index(how, index) => {
            let own = place(node, false, false) - 1;
            match how {
                Comparison::Less => own < *index,
                Comparison::Greater => own > *index,
                _ => own == *index,
            }
        }
        CssTest::Empty => !node.children().any(|child| child.is_element() || child.is_text()),
        CssTest::Root => parent(node).is_none(),
        CssTest::Not(selector) => !fits(selector, node),
        CssTest::Around(selector) => {
            node.descendants().skip(1).any(|below| below.is_element() && fits(selector, below))
        }
        CssTest::Contains(wanted) => text(node).to_lowercase().contains(wanted),
        CssTest::ContainsOwn(wanted) => own_text(node).to_lowercase().contains(wanted),
    }
}

/// The number of an element among its siblings, from 1.
fn place(node: Node<'_, '_>, from_end: bool, of_type: bool) -> usize {
    let mut place = 1;
    let mut sibling = node;
    while let Some(next) =
        if from_end { sibling.next_sibling_element() } else { sibling.prev_sibling_element() }
    {
        place += usize::from(!of_type || next.tag_name() == node.tag_name());
        sibling = next;
    }
    place
}

/// The text of an element and of all below it, with single spaces, and one between blocks.
pub(super) fn text(node: Node<'_, '_>) -> String {
    let mut all = String::new();
    push_text(node, &mut all);
    all.trim().to_owned()
}

fn push_text(node: Node<'_, '_>, into: &mut String) {
    let space = |into: &mut String| {
        if !into.is_empty() && !into.ends_with(' ') {
            into.push(' ');
        }
    };
    let is_block = |node: Node<'_, '_>| BLOCKS.contains(&format!(" {} ", node.tag_name().name()));
    for child in node.children() {
        if let Some(found) = child.text().filter(|_| child.is_text()) {
            push_single_spaced(found, child.ancestors().any(|above| above.has_tag_name("pre")), into);
        } else if child.is_element() && !child.has_tag_name("script") && !child.has_tag_name("style") {
            if is_block(child) || child.has_tag_name("br") {
                space(into);
            }
            push_text(child, into);
            let next = child.next_sibling();
            if is_block(child)
                && next.is_some_and(|next| next.is_text() || (next.is_element() && !is_block(next)))
            {
                space(into);
            }
        }
    }
}

fn own_text(node: Node<'_, '_>) -> String {
    let mut all = String::new();
    for child in node.children() {
        match child.text().filter(|_| child.is_text()) {
            Some(found) => push_single_spaced(found, false, &mut all),
            None if child.has_tag_name("br") && !all.ends_with(' ') => all.push(' '),
            None => {}
        }
    }
    all.trim().to_owned()
}

fn push_single_spaced(text: &str, keeps: bool, into: &mut String) {
    for c in text.chars() {
        match c {
            // Soft hyphens and characters without a width are not shown.
            '\u{ad}' | '\u{200b}' if !keeps => {}
            ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{a0}' if !keeps => {
                if !into.ends_with(' ') && !into.is_empty() {
                    into.push(' ');
                }
            }
            c => into.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::html::{HtmlReading, as_xml};
    use super::*;

    const PAGE: &str = r#"<body><form id=Login class="Big wide"><input name="__Token" value="t-1"><input type=hidden name=other value=""></form>
        <article class="items row"><section>0</section><section> 1 <b>x</b>y</section><section>2<br>b</section></article>
        <table><tr><td>a<td>b<td>c</table><p>One<div>Two</div>Three<script>no</script></body>"#;

    fn found(selector: &str) -> Vec<String> {
        let page = as_xml(PAGE, HtmlReading::AsBrowsers);
        let document = Document::parse(&page).expect("a document");
        let selector = CssSelector::parse(selector).expect("a selector");
        select(&selector, &document)
            .into_iter()
            .map(|node| node.attribute("value").map_or_else(|| text(node), str::to_owned))
            .collect()
    }

    #[test]
    fn selectors_find_elements() {
        assert_eq!(found("input[name=__requestToken], input[name=__token]"), ["t-1"]);
        assert_eq!(found("form#Login.big > input"), ["t-1", ""]);
        assert_eq!(found("form#login input"), [""; 0]);
        assert_eq!(found("article[class=items row] section:nth-child(2n+1)"), ["0", "2 b"]);
        assert_eq!(found("section:not(:first-child):contains(X)"), ["1 xy"]);
        assert_eq!(found("tr td:eq(1)"), ["b"]);
        assert_eq!(found("td:gt(0)"), ["b", "c"]);
        assert_eq!(found("td + td ~ td"), ["c"]);
        assert_eq!(found("article:has(b) > section:last-of-type"), ["2 b"]);
        assert_eq!(found("input[type^=hid][value]"), [""]);
        assert_eq!(found("input[type!=hidden]"), ["t-1"]);
        assert_eq!(found("p, div"), ["One", "Two"]);
        assert_eq!(found("div:only-of-type"), ["Two"]);
        assert_eq!(found("body:root"), [""; 0]);
    }
}
