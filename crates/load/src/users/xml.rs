//! Evaluates XPaths in answers.

use roxmltree::{Attribute, Document, Node, ParsingOptions};
use traffic::scenario::{NodeTest, Space, XPath, XPathFunction, XPathOperator, XPathStep};

/// Parses an answer. The error says why it is no XML.
pub(super) fn parsed(text: &str) -> Result<Document<'_>, String> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text.trim_start_matches('\u{feff}').trim_start(), options)
        .map_err(|error| error.to_string())
}

/// The value of an expression.
#[derive(Clone, Debug)]
enum Value<'a, 'input> {
    Nodes(Vec<Found<'a, 'input>>),
    Text(String),
    Number(f64),
    Bool(bool),
}

/// A node, or an attribute of one.
#[derive(Clone, Copy, Debug)]
enum Found<'a, 'input> {
    Node(Node<'a, 'input>),
    Attribute(Node<'a, 'input>, Attribute<'a, 'input>),
}

/// Where an expression is evaluated.
#[derive(Clone, Copy)]
struct Here<'a, 'input> {
    node: Found<'a, 'input>,
    /// The place of the node among those that are left, from 1, and their number.
    position: usize,
    last: usize,
}

impl<'a, 'input> Here<'a, 'input> {
    fn root(document: &'a Document<'input>) -> Self {
        Self { node: Found::Node(document.root()), position: 1, last: 1 }
    }
}

/// Whether an expression holds in a document: it is true, or leads to something.
pub(super) fn holds(path: &XPath, document: &Document<'_>) -> bool {
    value(path, Here::root(document)).is_true()
}

/// Returns the values to which an expression leads, as JMeter writes them: of an element the text with which it begins, or its source.
pub(super) fn values(path: &XPath, document: &Document<'_>, whole: bool) -> Vec<String> {
    match value(path, Here::root(document)) {
        Value::Nodes(nodes) => nodes.iter().map(|node| node.shown(whole)).collect(),
        other => vec![other.text()],
    }
}

impl Found<'_, '_> {
    /// The text of a node and of all below it.
    fn text(&self) -> String {
        match self {
            Self::Attribute(_, attribute) => attribute.value().to_owned(),
            Self::Node(node) if node.is_element() || node.is_root() => {
                node.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect()
            }
            Self::Node(node) => node.text().unwrap_or_default().to_owned(),
        }
    }

    fn shown(&self, whole: bool) -> String {
        match self {
            Self::Node(node) if node.is_element() && whole => {
                node.document().input_text()[node.range()].to_owned()
            }
            Self::Node(node) if node.is_element() => {
                let first = node.first_child().filter(Node::is_text);
                first.and_then(|text| text.text()).unwrap_or_default().to_owned()
            }
            other => other.text(),
        }
    }

    /// The name with its prefix, as it stands in the document.
    fn name(&self) -> &str {
        match self {
            Self::Node(node) if node.is_element() => {
                let source = &node.document().input_text()[node.range()][1..];
                let end = source.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
                &source[..end.unwrap_or(source.len())]
            }
            Self::Node(_) => "",
            Self::Attribute(node, attribute) => &node.document().input_text()[attribute.range_qname()],
        }
    }
}

impl Value<'_, '_> {
    fn is_true(&self) -> bool {
        match self {
            Self::Nodes(nodes) => !nodes.is_empty(),
            Self::Text(text) => !text.is_empty(),
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Bool(value) => *value,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Nodes(nodes) => nodes.first().map(Found::text).unwrap_or_default(),
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Bool(value) => value.to_string(),
        }
    }

    fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Bool(value) => f64::from(u8::from(*value)),
            other => number_of(&other.text()),
        }
    }
}

fn number_of(text: &str) -> f64 {
    text.trim().parse().unwrap_or(f64::NAN)
}

fn value<'a, 'input>(path: &XPath, here: Here<'a, 'input>) -> Value<'a, 'input> {
    match path {
        XPath::Number(number) => Value::Number(*number),
        XPath::Text(text) => Value::Text(text.clone()),
        XPath::Path { absolute, steps } => Value::Nodes(nodes(*absolute, steps, here)),
        XPath::Call(function, arguments) => call(*function, arguments, here),
        XPath::Binary(XPathOperator::Or, left, right) => {
            Value::Bool(value(left, here).is_true() || value(right, here).is_true())
        }
        XPath::Binary(XPathOperator::And, left, right) => {
            Value::Bool(value(left, here).is_true() && value(right, here).is_true())
        }
        XPath::Binary(operator, left, right) => {
            Value::Bool(compare(*operator, &value(left, here), &value(right, here)))
        }
    }
}

/// Compares two values. Of several nodes it is enough that one fits.
fn compare(operator: XPathOperator, left: &Value<'_, '_>, right: &Value<'_, '_>) -> bool {
    let equality = matches!(operator, XPathOperator::Equal | XPathOperator::Unequal);
    match (left, right) {
        (Value::Bool(_), other) | (other, Value::Bool(_)) if equality => {
            let both = if matches!(left, Value::Bool(_)) { left.is_true() } else { right.is_true() };
            (both == other.is_true()) == (operator == XPathOperator::Equal)
        }
        (Value::Nodes(nodes), other) => {
            nodes.iter().any(|node| compare(operator, &Value::Text(node.text()), other))
        }
        (other, Value::Nodes(nodes)) => {
            nodes.iter().any(|node| compare(operator, other, &Value::Text(node.text())))
        }
        (Value::Text(left), Value::Text(right)) if equality => {
            (left == right) == (operator == XPathOperator::Equal)
        }
        _ => {
            let (left, right) = (left.number(), right.number());
            match operator {
                XPathOperator::Equal => left == right,
                XPathOperator::Unequal => left != right,
                XPathOperator::Less => left < right,
                XPathOperator::AtMost => left <= right,
                XPathOperator::Greater => left > right,
                _ => left >= right,
            }
        }
    }
}

fn call<'a, 'input>(
    function: XPathFunction,
    arguments: &[XPath],
    here: Here<'a, 'input>,
) -> Value<'a, 'input> {
    let argument = |at: usize| match arguments.get(at) {
        Some(argument) => value(argument, here),
        None => Value::Nodes(vec![here.node]),
    };
    let text = |at: usize| argument(at).text();
    match function {
        XPathFunction::Count => Value::Number(match argument(0) {
            Value::Nodes(nodes) => nodes.len() as f64,
            _ => f64::NAN,
        }),
        XPathFunction::String => Value::Text(text(0)),
        XPathFunction::Number => Value::Number(argument(0).number()),
        XPathFunction::Boolean => Value::Bool(argument(0).is_true()),
        XPathFunction::Not => Value::Bool(!argument(0).is_true()),
        XPathFunction::Contains => Value::Bool(text(0).contains(&text(1))),
        XPathFunction::StartsWith => Value::Bool(text(0).starts_with(&text(1))),
        XPathFunction::NormalizeSpace => {
            Value::Text(text(0).split_whitespace().collect::<Vec<_>>().join(" "))
        }
        XPathFunction::StringLength => Value::Number(text(0).chars().count() as f64),
        XPathFunction::Concat => Value::Text((0..arguments.len()).map(text).collect()),
        XPathFunction::Name => Value::Text(here.node.name().to_owned()),
        XPathFunction::LocalName => {
            let name = here.node.name();
            Value::Text(name.rsplit(':').next().unwrap_or_default().to_owned())
        }
        XPathFunction::Position => Value::Number(here.position as f64),
        XPathFunction::Last => Value::Number(here.last as f64),
        XPathFunction::True => Value::Bool(true),
        XPathFunction::False => Value::Bool(false),
    }
}

fn nodes<'a, 'input>(absolute: bool, steps: &[XPathStep], here: Here<'a, 'input>) -> Vec<Found<'a, 'input>> {
    let mut found = vec![match (absolute, here.node) {
        (true, Found::Node(node) | Found::Attribute(node, _)) => Found::Node(node.document().root()),
        (false, node) => node,
    }];
    for step in steps {
        let mut next: Vec<Found<'a, 'input>> = Vec::new();
        for node in &found {
            let Found::Node(node) = *node else { continue };
            let bases: Vec<Node<'a, 'input>> = match step.deep {
                true => node.descendants().collect(),
                false => vec![node],
            };
            for base in bases {
                let taken = filtered(step, tested(&step.test, base));
                next.extend(
                    taken
                        .into_iter()
                        .filter(|one| !next.iter().any(|known| is_same(known, one)))
                        .collect::<Vec<_>>(),
                );
            }
        }
        found = next;
    }
    found
}

fn is_same(one: &Found<'_, '_>, other: &Found<'_, '_>) -> bool {
    match (one, other) {
        (Found::Node(one), Found::Node(other)) => one == other,
        (Found::Attribute(one, name), Found::Attribute(other, other_name)) => {
            one == other && name == other_name
        }
        _ => false,
    }
}

/// The nodes that a step takes from one node.
fn tested<'a, 'input>(test: &NodeTest, node: Node<'a, 'input>) -> Vec<Found<'a, 'input>> {
    let fits = |wanted: &str, found: &Found<'_, '_>| wanted == "*" || found.name() == wanted;
    match test {
        NodeTest::Itself => vec![Found::Node(node)],
        NodeTest::Parent => node.parent().into_iter().map(Found::Node).collect(),
        NodeTest::Attribute(name) => {
            let attributes = node.attributes().map(|attribute| Found::Attribute(node, attribute));
            attributes.filter(|attribute| fits(name, attribute)).collect()
        }
        NodeTest::ElementIn(space, local) => {
            let fits = |element: &Node<'_, '_>| {
                let name = element.tag_name();
                is_named(space, local, (name.namespace(), name.name()), node.document())
            };
            node.children().filter(|child| child.is_element() && fits(child)).map(Found::Node).collect()
        }
        NodeTest::AttributeIn(space, local) => {
            let fits = |attribute: &Attribute<'_, '_>| {
                is_named(space, local, (attribute.namespace(), attribute.name()), node.document())
            };
            node.attributes().filter(fits).map(|attribute| Found::Attribute(node, attribute)).collect()
        }
        NodeTest::Text => node.children().filter(Node::is_text).map(Found::Node).collect(),
        NodeTest::Node => node.children().map(Found::Node).collect(),
        NodeTest::Element(name) => {
            let elements = node.children().filter(Node::is_element).map(Found::Node);
            elements.filter(|element| fits(name, element)).collect()
        }
    }
}

/// Whether a name of the document, in this namespace, is the wanted one.
fn is_named(space: &Space, local: &str, name: (Option<&str>, &str), document: &Document<'_>) -> bool {
    let wanted = match space {
        Space::Uri(uri) => Some(uri.as_str()).filter(|uri| !uri.is_empty()),
        Space::OfDocument(prefix) => {
            let Some(uri) = document.root_element().lookup_namespace_uri(Some(prefix)) else { return false };
            Some(uri)
        }
    };
    // `xmlns=""` takes an element out of all namespaces.
    let of_name = name.0.filter(|uri| !uri.is_empty());
    (of_name, name.1) == (wanted, local)
}

/// Those for which all predicates of a step hold.
fn filtered<'a, 'input>(step: &XPathStep, mut nodes: Vec<Found<'a, 'input>>) -> Vec<Found<'a, 'input>> {
    for predicate in &step.predicates {
        let last = nodes.len();
        let holds = |(index, node): (usize, Found<'a, 'input>)| {
            let here = Here { node, position: index + 1, last };
            let is_left = match value(predicate, here) {
                Value::Number(place) => place == here.position as f64,
                other => other.is_true(),
            };
            is_left.then_some(node)
        };
        nodes = nodes.into_iter().enumerate().filter_map(holds).collect();
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: &str = r#"<?xml version="1.0"?>
        <s:shop xmlns:s="urn:shop" open="yes"><item id="1"><name>pen</name> <price>2.5</price></item>
        <item id="2"><name><![CDATA[ink & pad]]></name><price>7</price></item><empty/></s:shop>"#;

    fn found(path: &str) -> Vec<String> {
        values(&XPath::parse(path).expect("an XPath"), &parsed(SHOP).expect("XML"), false)
    }

    #[test]
    fn paths_lead_to_values() {
        assert_eq!(found("//item/name"), ["pen", "ink & pad"]);
        assert_eq!(found("/s:shop/item[2]/name/text()"), ["ink & pad"]);
        assert_eq!(found("//item[@id='2']/price"), ["7"]);
        assert_eq!(found("//item[price>5]/@id"), ["2"]);
        assert_eq!(found("//@open"), ["yes"]);
        assert_eq!(found("//*[local-name()='shop']/@open"), ["yes"]);
        assert_eq!(found("//name[contains(.,'pe')]/../@id"), ["1"]);
        assert_eq!(found("//item[last()]/name"), ["ink & pad"]);
        assert_eq!(found("count(//item)"), ["2"]);
        assert_eq!(found("//nothing"), [""; 0]);
        assert_eq!(found("//empty"), [""]);
        let whole =
            values(&XPath::parse("//price[.='7']").expect("an XPath"), &parsed(SHOP).expect("XML"), true);
        assert_eq!(whole, ["<price>7</price>"]);
    }

    #[test]
    fn namespaces_count_where_a_prologue_says_so() {
        const SOAP: &str = r#"<soap:Envelope xmlns:soap="urn:soap" xmlns="urn:shop" xmlns:x="urn:x"><soap:Body>
            <order x:id="7" id="8"><price>2</price><free xmlns="">yes</free></order></soap:Body></soap:Envelope>"#;
        let found =
            |path: &str| values(&XPath::parse(path).expect("an XPath"), &parsed(SOAP).expect("XML"), false);
        let declared = "declare default element namespace '';declare namespace e='urn:soap';declare namespace s='urn:shop';";
        let with = |path: &str| found(&format!("{declared}{path}"));
        assert_eq!(with("/e:Envelope/e:Body/s:order/s:price"), ["2"]);
        assert_eq!(with("//s:order/@id"), ["8"]);
        assert_eq!(with("//order"), [""; 0], "a name without a prefix is in no namespace");
        assert_eq!(with("//s:Body"), [""; 0]);
        assert_eq!(with("//free"), ["yes"]);
        let own = "declare default element namespace '';declare namespaces of document;";
        assert_eq!(found(&format!("{own}//soap:Body/*/@x:id")), ["7"]);
        assert_eq!(found(&format!("{own}//other:Body")), [""; 0]);
        assert_eq!(found("//price"), ["2"], "without a prologue, names are as they stand");
    }

    #[test]
    fn conditions_hold_or_not() {
        let document = parsed(SHOP).expect("XML");
        for (path, expected) in [
            ("//item", true),
            ("//none", false),
            ("count(//item) = 2 and //name = 'pen'", true),
            ("not(//item[@id='3'])", true),
            ("//price > 7", false),
            ("//empty = ''", true),
            ("normalize-space(//name) != 'pen' or false()", false),
            ("string-length(//name) = 3", true),
        ] {
            let path_of = XPath::parse(path).expect("an XPath");
            assert_eq!(holds(&path_of, &document), expected, "{path}");
        }
        assert!(parsed("<a><b></a>").is_err());
    }
}
