//! [`CssSelector`]: the selectors by which plans find elements of a page, with the meaning that jsoup gives them: names, classes and values
//! are compared whatever the case of their letters.

use super::Comparison;

/// What leads to elements of a page, such as `form#login > input[name=token], a.next`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CssSelector {
    /// An element has to fit one of these.
    pub any: Vec<CssChain>,
}

/// What an element has to be, and what another element before it or around it has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CssChain {
    pub tests: Vec<CssTest>,
    pub other: Option<(CssRelation, Box<CssChain>)>,
}

/// Where the other element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CssRelation {
    /// Somewhere around it.
    Above,
    /// Directly around it.
    Parent,
    /// Directly before it.
    JustBefore,
    /// Somewhere before it, below the same parent.
    Before,
}

/// What an element has to be. Names and texts are in lower case, but for that of an identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CssTest {
    Name(String),
    Identifier(String),
    Class(String),
    /// It has an attribute.
    Has(String),
    /// The value of an attribute.
    Attribute(String, AttributeTest, String),
    /// The element is the one of number `step * n + offset` for some n from 0.
    Nth {
        step: i32,
        offset: i32,
        from_end: bool,
        of_type: bool,
    },
    /// It has no sibling (of its name).
    Only {
        of_type: bool,
    },
    /// Its number among its siblings, from 0.
    Index(Comparison, usize),
    /// It has neither elements nor text.
    Empty,
    /// It is the root of the page.
    Root,
    Not(CssSelector),
    /// An element below it fits.
    Around(CssSelector),
    /// Its text has this one.
    Contains(String),
    /// The text directly in it has this one.
    ContainsOwn(String),
}

/// How the value of an attribute is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeTest {
    Equals,
    /// It is another one, or there is none.
    Differs,
    Begins,
    Ends,
    Contains,
}

/// Selectors within selectors are nested at most this deep.
const DEEPEST: usize = 10;

impl CssSelector {
    /// Parses a selector. `None` for one that is wrong or not supported.
    pub fn parse(text: &str) -> Option<Self> {
        Self::nested(text, 0)
    }

    fn nested(text: &str, depth: usize) -> Option<Self> {
        let mut parser = Parser { rest: text.trim(), depth };
        let mut any = vec![parser.chain()?];
        while parser.takes(",") {
            parser.skip();
            any.push(parser.chain()?);
        }
        (parser.rest.is_empty() && depth <= DEEPEST).then_some(Self { any })
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn takes(&mut self, wanted: &str) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => self.rest = rest,
            None => return false,
        }
        true
    }

    fn chain(&mut self) -> Option<CssChain> {
        let mut chain = CssChain { tests: self.tests()?, other: None };
        loop {
            let had_blank = self.rest.starts_with(char::is_whitespace);
            self.skip();
            let relation = if self.takes(">") {
                CssRelation::Parent
            } else if self.takes("+") {
                CssRelation::JustBefore
            } else if self.takes("~") {
                CssRelation::Before
            } else if had_blank && !self.rest.is_empty() && !self.rest.starts_with(',') {
                CssRelation::Above
            } else {
                return Some(chain);
            };
            self.skip();
            let tests = self.tests()?;
            chain = CssChain { tests, other: Some((relation, Box::new(chain))) };
        }
    }

    /// What stands together without a blank; at least one test.
    fn tests(&mut self) -> Option<Vec<CssTest>> {
        let mut tests = Vec::new();
        if self.takes("*") {
            tests.push(CssTest::Not(CssSelector { any: Vec::new() }));
        } else if self.rest.starts_with(is_name) {
            tests.push(CssTest::Name(self.name()?.to_lowercase()));
        }
        loop {
            tests.push(if self.takes("#") {
                CssTest::Identifier(self.name()?)
            } else if self.takes(".") {
                CssTest::Class(self.name()?.to_lowercase())
            } else if self.takes("[") {
                let inside = self.until(']')?;
                attribute(inside)?
            } else if self.takes(":") {
                self.pseudo()?
            } else {
                // A bar stands between a namespace and a name.
                return (!tests.is_empty() && !self.rest.starts_with('|')).then_some(tests);
            });
        }
    }

    fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            let escaped = self.takes("\\");
            match self.rest.chars().next() {
                Some(c) if escaped || is_name(c) => {
                    name.push(c);
                    self.rest = &self.rest[c.len_utf8()..];
                }
                _ => return (!name.is_empty() && !escaped).then_some(name),
            }
        }
    }

    /// Takes what stands before a closing mark that is neither in quotes nor within other brackets.
    fn until(&mut self, close: char) -> Option<&'a str> {
        let (mut quote, mut depth, mut escaped) = (None, 0, false);
        for (at, c) in self.rest.char_indices() {
            match (c, quote) {
                _ if escaped => escaped = false,
                ('\\', _) => escaped = true,
                (c, Some(open)) if c == open => quote = None,
                (_, Some(_)) => {}
                ('"' | '\'', None) => quote = Some(c),
                (c, None) if c == close && depth == 0 => {
                    let inside = &self.rest[..at];
                    self.rest = &self.rest[at + c.len_utf8()..];
                    return Some(inside);
                }
                ('(' | '[', None) => depth += 1,
                (')' | ']', None) => depth -= 1,
                _ => {}
            }
        }
        None
    }

    fn pseudo(&mut self) -> Option<CssTest> {
        let name = self.name()?.to_lowercase();
        let argument = if self.takes("(") { Some(self.until(')')?.trim()) } else { None };
        let nth = |step, offset, from_end, of_type| Some(CssTest::Nth { step, offset, from_end, of_type });
        let Some(argument) = argument else {
            return match name.as_str() {
                "first-child" => nth(0, 1, false, false),
                "last-child" => nth(0, 1, true, false),
                "first-of-type" => nth(0, 1, false, true),
                "last-of-type" => nth(0, 1, true, true),
                "only-child" => Some(CssTest::Only { of_type: false }),
                "only-of-type" => Some(CssTest::Only { of_type: true }),
                "empty" => Some(CssTest::Empty),
                "root" => Some(CssTest::Root),
                _ => None,
            };
        };
        let inner = || CssSelector::nested(argument, self.depth + 1);
        let index = |how| argument.parse().ok().map(|index| CssTest::Index(how, index));
        match name.as_str() {
            "not" => inner().map(CssTest::Not),
            "has" if !argument.starts_with(['>', '+', '~']) => inner().map(CssTest::Around),
            "eq" => index(Comparison::Equal),
            "lt" => index(Comparison::Less),
            "gt" => index(Comparison::Greater),
            "contains" => Some(CssTest::Contains(argument.replace('\\', "").to_lowercase())),
            "containsown" => Some(CssTest::ContainsOwn(argument.replace('\\', "").to_lowercase())),
            "nth-child" | "nth-last-child" | "nth-of-type" | "nth-last-of-type" => {
                let (step, offset) = steps(argument)?;
                nth(step, offset, name.contains("last"), name.ends_with("type"))
            }
            _ => None,
        }
    }
}

/// Reads what stands in square brackets.
fn attribute(text: &str) -> Option<CssTest> {
    let text = text.trim();
    let end = text.find(|c: char| !is_name(c) && c != ':').unwrap_or(text.len());
    let (key, rest) = (text[..end].to_lowercase(), text[end..].trim_start());
    let known = [
        ("!=", AttributeTest::Differs),
        ("^=", AttributeTest::Begins),
        ("$=", AttributeTest::Ends),
        ("*=", AttributeTest::Contains),
        ("=", AttributeTest::Equals),
    ];
    if key.is_empty() {
        return None;
    }
    if rest.is_empty() {
        return Some(CssTest::Has(key));
    }
    let (how, value) = known.into_iter().find_map(|(mark, how)| Some((how, rest.strip_prefix(mark)?)))?;
    let value = value.trim();
    let unquoted = ['"', '\''].into_iter().find_map(|c| value.strip_prefix(c)?.strip_suffix(c));
    let value = unquoted.unwrap_or(value).trim().replace('\\', "").to_lowercase();
    (!value.is_empty()).then_some(CssTest::Attribute(key, how, value))
}

/// Reads `2n+1`, `odd`, `even` or a number.
fn steps(text: &str) -> Option<(i32, i32)> {
    let text: String = text.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    match text.as_str() {
        "odd" => return Some((2, 1)),
        "even" => return Some((2, 0)),
        _ => {}
    }
    let Some((step, offset)) = text.split_once('n') else {
        return text.parse().ok().map(|offset| (0, offset));
    };
    let step = match step {
        "" | "+" => 1,
        "-" => -1,
        step => step.parse().ok()?,
    };
    let offset = if offset.is_empty() { 0 } else { offset.parse().ok()? };
    Some((step, offset))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_read_from_the_right() {
        let parsed = CssSelector::parse("FORM#Login.big > input[name=_csrf]").expect("a selector");
        let [chain] = parsed.any.as_slice() else { panic!("{parsed:?}") };
        let csrf = CssTest::Attribute("name".to_owned(), AttributeTest::Equals, "_csrf".to_owned());
        assert_eq!(chain.tests, [CssTest::Name("input".to_owned()), csrf]);
        let Some((CssRelation::Parent, form)) = &chain.other else { panic!("{chain:?}") };
        let identifier = CssTest::Identifier("Login".to_owned());
        assert_eq!(
            form.tests,
            [CssTest::Name("form".to_owned()), identifier, CssTest::Class("big".to_owned())]
        );
    }

    #[test]
    fn what_is_known_is_read_and_the_rest_is_refused() {
        for text in [
            "*",
            "a, b > c",
            "div p + a ~ b",
            "a[href^='/x y'], [data-a]:not(.b):has(> c), i",
            "td:nth-child(2n+1):eq(0)",
            "li:contains(a (b) c):first-child",
            "a\\.b#c:last-of-type",
            "article[class=esh-orders-items row]",
        ] {
            let is_known = !text.contains("(> c)");
            assert_eq!(CssSelector::parse(text).is_some(), is_known, "{text}");
        }
        for text in [
            "",
            "a,",
            "a >",
            "svg|a",
            "a[b~=x.*]",
            "a:hover",
            "a[",
            "a[=b]",
            ":nth-child(x)",
            "a b,",
            "a:not()",
        ] {
            assert_eq!(CssSelector::parse(text), None, "{text}");
        }
        assert_eq!(steps("-n + 3"), Some((-1, 3)));
    }
}
