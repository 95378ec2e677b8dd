//! [`XPath`]: the part of XPath 1.0 that plans commonly use: paths of names with predicates, comparisons, and a few functions.

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
        let mut parser = Parser { rest: text.chars().peekable(), depth: 0 };
        let parsed = parser.binary(0)?;
        parser.skip();
        parser.rest.peek().is_none().then_some(parsed)
    }
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    depth: usize,
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
                (_, true) => NodeTest::Attribute(name),
                (_, false) => NodeTest::Element(name),
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
        ] {
            assert!(XPath::parse(text).is_some(), "{text}");
        }
        for text in ["", "//", "a[", "a b", "following-sibling::a", "(//a)[1]", "id('x')", "1 + 1", "count()"]
        {
            assert_eq!(XPath::parse(text), None, "{text}");
        }
    }
}
