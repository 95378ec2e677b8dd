//! [`XPath`]: the part of XPath 1.0 that plans commonly use: paths of names with predicates, comparisons, and a few functions.
//!
//! Names are compared as they stand in the document, with their prefixes, unless a prologue says that namespaces count: [`NO_DEFAULT_NAMESPACE`], by
//! which names without a prefix are in no namespace, and then [`declared_namespace`] for each prefix, or [`NAMESPACES_OF_DOCUMENT`].

use std::iter::Peekable;
use std::str::Chars;

/// An expression of XPath.
#[derive(Clone, Debug, PartialEq)]
pub enum XPath {
    Number(f64),
    Text(String),
    /// Nodes, from the root of the document if `absolute`, else from the present node.
    Path {
        absolute: bool,
        steps: Vec<XPathStep>,
    },
    /// A function with its arguments.
    Call(XPathFunction, Vec<XPath>),
    /// A comparison or connection of two values.
    Binary(XPathOperator, Box<XPath>, Box<XPath>),
}

/// The begin of a prologue: names without a prefix are in no namespace.
pub const NO_DEFAULT_NAMESPACE: &str = "declare default element namespace '';";
/// A line of a prologue: prefixes mean what the outermost element of the document declares.
pub const NAMESPACES_OF_DOCUMENT: &str = "declare namespaces of document;";

/// A line of a prologue: what a prefix means. `None` for a name that cannot be written.
pub fn declared_namespace(prefix: &str, uri: &str) -> Option<String> {
    let is_prefix = !prefix.is_empty() && prefix.chars().all(|c| is_name(c) && c != ':');
    (is_prefix && !uri.contains('\'')).then(|| format!("declare namespace {prefix}='{uri}';"))
}

/// Where a name with a prefix belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Space {
    /// In the namespace with this URI; in none if it is empty.
    Uri(String),
    /// In the one for which the outermost element of the document has this prefix.
    OfDocument(String),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct XPathStep {
    /// Whether nodes at all depths below count, and not children alone.
    pub deep: bool,
    pub test: NodeTest,
    /// What must hold for a node; a number stands for its place among those that are left, from 1.
    pub predicates: Vec<XPath>,
}

/// Which nodes a step takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeTest {
    /// Elements of this name, with its prefix; `*` is every element.
    Element(String),
    /// The attribute of this name; `*` is every attribute.
    Attribute(String),
    /// Elements of this name in a namespace.
    ElementIn(Space, String),
    /// The attribute of this name in a namespace.
    AttributeIn(Space, String),
    /// Texts.
    Text,
    /// All nodes.
    Node,
    /// The node itself.
    Itself,
    /// The node above.
    Parent,
}

/// An operator of XPath.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XPathOperator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A function of XPath.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XPathFunction {
    Count,
    String,
    Number,
    Boolean,
    Not,
    Contains,
    StartsWith,
    NormalizeSpace,
    StringLength,
    Concat,
    Name,
    LocalName,
    Position,
    Last,
    True,
    False,
}

/// The names of functions, and the least and the most arguments of each.
const FUNCTIONS: [(&str, XPathFunction, usize, usize); 16] = [
    ("count", XPathFunction::Count, 1, 1),
    ("string", XPathFunction::String, 0, 1),
    ("number", XPathFunction::Number, 0, 1),
    ("boolean", XPathFunction::Boolean, 1, 1),
    ("not", XPathFunction::Not, 1, 1),
    ("contains", XPathFunction::Contains, 2, 2),
    ("starts-with", XPathFunction::StartsWith, 2, 2),
    ("normalize-space", XPathFunction::NormalizeSpace, 0, 1),
    ("string-length", XPathFunction::StringLength, 0, 1),
    ("concat", XPathFunction::Concat, 2, 99),
    ("name", XPathFunction::Name, 0, 0),
    ("local-name", XPathFunction::LocalName, 0, 0),
    ("position", XPathFunction::Position, 0, 0),
    ("last", XPathFunction::Last, 0, 0),
    ("true", XPathFunction::True, 0, 0),
    ("false", XPathFunction::False, 0, 0),
];

/// Expressions are nested at most this deep.
const DEEPEST: usize = 50;

impl XPath {
    /// Parses an expression. `None` for one that is wrong or not supported.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser { rest: text.chars().peekable(), depth: 0, spaces: None };
        parser.prologue()?;
        let parsed = parser.binary(0)?;
        parser.skip();
        parser.rest.peek().is_none().then_some(parsed)
    }
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    depth: usize,
    /// What prefixes mean; `None` where namespaces do not count.
    spaces: Option<Spaces>,
}

/// What prefixes mean.
#[derive(Debug, Default)]
struct Spaces {
    declared: Vec<(String, String)>,
    of_document: bool,
}

impl Spaces {
    /// Where a prefix leads; `None` for one that is not declared.
    fn of(&self, prefix: &str) -> Option<Space> {
        let declared = self.declared.iter().rfind(|(known, _)| known == prefix);
        match declared {
            Some((_, uri)) => Some(Space::Uri(uri.clone())),
            None if self.of_document => Some(Space::OfDocument(prefix.to_owned())),
            None => None,
        }
    }
}

/// Operators by how tightly they bind, the loosest first.
const LEVELS: [&[(&str, XPathOperator)]; 4] = [
    &[("or", XPathOperator::Or)],
    &[("and", XPathOperator::And)],
    &[("=", XPathOperator::Equal), ("!=", XPathOperator::Unequal)],
    &[
        ("<=", XPathOperator::AtMost),
        (">=", XPathOperator::AtLeast),
        ("<", XPathOperator::Less),
        (">", XPathOperator::Greater),
    ],
];

impl Parser<'_> {
    fn skip(&mut self) {
        while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
    }

    /// Takes these characters if they are next.
    fn takes(&mut self, wanted: &str) -> bool {
        self.skip();
        let mut ahead = self.rest.clone();
        if !wanted.chars().all(|c| ahead.next() == Some(c)) {
            return false;
        }
        let is_word = wanted.chars().all(char::is_alphabetic);
        if is_word && ahead.peek().is_some_and(|c| is_name(*c) || *c == '(') {
            return false;
        }
        self.rest = ahead;
        true
    }

    /// Reads the prologue, if there is one.
    fn prologue(&mut self) -> Option<()> {
        if !self.takes(NO_DEFAULT_NAMESPACE) {
            return Some(());
        }
        let mut spaces = Spaces { of_document: self.takes(NAMESPACES_OF_DOCUMENT), ..Spaces::default() };
        while self.takes("declare namespace ") {
            let prefix = self.name();
            if !self.takes("='") {
                return None;
            }
            let uri = self.rest.by_ref().take_while(|c| *c != '\'').collect();
            if !self.takes(";") {
                return None;
            }
            spaces.declared.push((prefix, uri));
        }
        self.spaces = Some(spaces);
        Some(())
    }

    /// The test for an element or attribute of this name; `None` for a prefix that means nothing.
    fn named(&self, name: String, is_attribute: bool) -> Option<NodeTest> {
        let (Some(spaces), false) = (&self.spaces, name == "*") else {
            return Some(if is_attribute { NodeTest::Attribute(name) } else { NodeTest::Element(name) });
        };
        let (space, local) = match name.split_once(':') {
            Some((prefix, local)) => (spaces.of(prefix)?, local.to_owned()),
            None => (Space::Uri(String::new()), name),
        };
        Some(if is_attribute {
            NodeTest::AttributeIn(space, local)
        } else {
            NodeTest::ElementIn(space, local)
        })
    }

    fn binary(&mut self, level: usize) -> Option<XPath> {
        let Some(operators) = LEVELS.get(level) else {
            return self.primary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(name, _)| self.takes(name)) {
            left = XPath::Binary(*operator, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Some(left)
    }

    fn primary(&mut self) -> Option<XPath> {
        self.depth += 1;
        self.skip();
        let c = *self.rest.peek()?;
        let found = match c {
            _ if self.depth > DEEPEST => None,
            '"' | '\'' => {
                self.rest.next();
                let text: String = self.rest.by_ref().take_while(|next| *next != c).collect();
                Some(XPath::Text(text))
            }
            '0'..='9' | '-' => {
                let mut digits = String::new();
                while let Some(c) = self.rest.next_if(|c| c.is_ascii_digit() || matches!(c, '.' | '-')) {
                    digits.push(c);
                }
                digits.parse().ok().map(XPath::Number)
            }
            '(' => {
                self.rest.next();
                let inner = self.binary(0)?;
                // A step behind parentheses counts in another order.
                (self.takes(")") && !self.takes("[") && !self.takes("/")).then_some(inner)
            }
            _ => self.call().or_else(|| self.path()),
        };
        self.depth -= 1;
        found
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(|c| is_name(*c)) {
            name.push(c);
        }
        name
    }

    /// A function of a known name; nothing is taken for anything else.
    fn call(&mut self) -> Option<XPath> {
        let before = self.rest.clone();
        let name = self.name();
        let known = FUNCTIONS.iter().find(|(known, ..)| *known == name);
        let Some((_, function, least, most)) = known.filter(|_| self.takes("(")) else {
            self.rest = before;
            return None;
        };
        let mut arguments = Vec::new();
        while !self.takes(")") {
            arguments.push(self.binary(0)?);
            if !self.takes(",") && self.rest.peek() != Some(&')') {
                return None;
            }
        }
        (*least..=*most).contains(&arguments.len()).then_some(XPath::Call(*function, arguments))
    }

    fn path(&mut self) -> Option<XPath> {
        let mut deep = self.takes("//");
        let absolute = deep || self.takes("/");
        let mut steps = Vec::new();
        if absolute && !deep && self.rest.peek().is_none() {
            return Some(XPath::Path { absolute, steps });
        }
        loop {
            steps.push(self.step(deep)?);
            deep = self.takes("//");
            if !deep && !self.takes("/") {
                return Some(XPath::Path { absolute, steps });
            }
        }
    }

    fn step(&mut self, deep: bool) -> Option<XPathStep> {
        self.skip();
        let test = if self.takes("..") {
            NodeTest::Parent
        } else if self.takes(".") {
            NodeTest::Itself
        } else {
            let attribute = self.takes("@") || self.takes("attribute::");
            let name = if self.takes("*") { "*".to_owned() } else { self.name() };
            match (name.as_str(), attribute) {
                ("", _) => return None,
                // Of the axes, only the attribute's is known.
                (name, _) if name.contains("::") => return None,
                ("text", false) if self.takes("()") => NodeTest::Text,
                ("node", false) if self.takes("()") => NodeTest::Node,
                _ => self.named(name, attribute)?,
            }
        };
        if self.takes("(") {
            return None;
        }
        let mut predicates = Vec::new();
        while self.takes("[") {
            predicates.push(self.binary(0)?);
            if !self.takes("]") {
                return None;
            }
        }
        Some(XPathStep { deep, test, predicates })
    }
}

/// Whether a character belongs to a name with its prefix.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_steps_with_predicates() {
        let parsed = XPath::parse("//item[@id='7'][2]/name/text()").expect("a path");
        let XPath::Path { absolute: true, steps } = parsed else { panic!("{parsed:?}") };
        assert!(steps[0].deep && !steps[1].deep);
        assert_eq!(steps[0].test, NodeTest::Element("item".to_owned()));
        assert_eq!(steps[0].predicates[1], XPath::Number(2.0));
        assert_eq!(steps[2].test, NodeTest::Text);
    }

    #[test]
    fn functions_and_comparisons_are_parsed() {
        for text in [
            "count(//a) > 2 and not(/b/@c = \"x\")",
            "boolean(//soap:Body)",
            "/",
            "//*[local-name()='order' or contains(., 'x')]/@id",
            "normalize-space(//title)",
            "//order",
            "../a/./b",
            "declare default element namespace '';declare namespace s='urn:s';//s:a[b]/@s:c",
            "declare default element namespace '';declare namespaces of document;//s:a",
        ] {
            assert!(XPath::parse(text).is_some(), "{text}");
        }
        let unknown = "declare default element namespace '';//s:a";
        for text in [
            "",
            "//",
            "a[",
            "a b",
            "following-sibling::a",
            "(//a)[1]",
            "id('x')",
            "1 + 1",
            "count()",
            unknown,
        ] {
            assert_eq!(XPath::parse(text), None, "{text}");
        }
    }
}
