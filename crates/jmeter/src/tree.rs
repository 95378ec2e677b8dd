//! [`Element`]: the tree of a plan's elements, as JMeter reads it from a file.

mod http2;
mod tolerant;

pub use http2::Http2Plugin;

use crate::error::Error;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;

/// A plan nests elements at most this deep; JMeter's own window cannot show more.
const DEEPEST: usize = 200;

/// An element of a plan with all that is below it. A disabled element does nothing, nor does what is below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The element's own values.
    pub object: Object,
    /// What is below the element and enabled, in the order of the file.
    pub children: Vec<Element>,
    /// What is below the element and disabled. Only a Module Controller can have it run, which is how old plans keep fragments.
    pub disabled: Vec<Element>,
}

/// The values of an element, or of a part of one, such as a header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    /// The class without its package, under its present name.
    pub class: String,
    /// The package of the class; empty where the file does not name it.
    pub package: String,
    /// The plug-in, of a sampler that sends over HTTP/2; its class is `HTTPSamplerProxy`, like that of JMeter's own sampler.
    pub http2: Option<Http2Plugin>,
    /// The class of its window, which tells the kinds of elements of plug-ins.
    pub window: String,
    /// The file, if it is not the plan itself but one that the plan includes.
    pub file: Option<String>,
    /// The name that the user gave it.
    pub name: String,
    /// The line of the file, from 1.
    pub line: u32,
    properties: BTreeMap<String, Property>,
}

/// The value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// A text, number or truth value, as it stands in the file.
    Text(String),
    /// Several values.
    List(Vec<Property>),
    /// A value with values of its own.
    Object(Object),
}

impl Property {
    /// Returns the text, or nothing for another kind of value.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }

    /// Returns the value with values of its own, if it is one.
    pub fn object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the values of a list; nothing for another kind of value.
    pub fn list(&self) -> &[Property] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }
}

impl Object {
    /// Returns a text as it stands in the file; empty where the property is absent.
    pub fn text(&self, key: &str) -> &str {
        self.properties.get(key).map_or("", Property::text)
    }

    /// Returns whether a property is in the file.
    pub fn has(&self, key: &str) -> bool {
        self.properties.contains_key(key)
    }

    /// Returns the values of a list.
    pub fn list(&self, key: &str) -> &[Property] {
        self.properties.get(key).map_or(&[], Property::list)
    }

    /// Returns a value with values of its own.
    pub fn object(&self, key: &str) -> Option<&Object> {
        self.properties.get(key).and_then(Property::object)
    }

    /// Returns the items of a list that have values of their own.
    pub fn objects(&self, key: &str) -> impl Iterator<Item = &Object> {
        self.list(key).iter().filter_map(Property::object)
    }

    /// Fills in a text that is absent or empty here, which is how JMeter applies defaults.
    pub fn fill_text(&mut self, key: &str, text: &str) {
        if self.text(key).is_empty() && !text.is_empty() {
            self.properties.insert(key.to_owned(), Property::Text(text.to_owned()));
        }
    }

    /// Adds the items of a list within a value of this name that `other` has, behind its own.
    pub fn add_items_of(&mut self, key: &str, list: &str, other: &Self) {
        let items: Vec<Property> =
            other.object(key).map(|found| found.list(list).to_vec()).unwrap_or_default();
        if items.is_empty() {
            return;
        }
        let own = self.properties.entry(key.to_owned()).or_insert_with(|| Property::Object(Self::default()));
        if let Property::Object(own) = own {
            let mut all = own.list(list).to_vec();
            all.extend(items);
            own.properties.insert(list.to_owned(), Property::List(all));
        }
    }

    /// Returns the texts by name.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.properties.iter().filter_map(|(key, value)| match value {
            Property::Text(text) => Some((key.as_str(), text.as_str())),
            _ => None,
        })
    }
}

impl Element {
    /// Reads a plan from the text of its file. The result is the root, whose children are the test plan (and in old files a
    /// workbench, which JMeter does not run).
    ///
    /// # Errors
    ///
    /// [`Error::NoXml`] and [`Error::Xml`] for text that is no XML, [`Error::NoPlan`] for XML that is no plan, [`Error::TooDeep`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = tolerant::with_allowed_characters(text.trim_start_matches('\u{feff}').trim_start());
        if !text.starts_with('<') {
            return Err(Error::NoXml {
                begin: text.chars().take_while(|c| !c.is_control()).take(30).collect(),
            });
        }
        if let Some(root) = tolerant::other_root(&text) {
            return Err(Error::NoPlan { root: root.to_owned() });
        }
        let parsed = |text| {
            let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
            Document::parse_with_options(text, options)
        };
        let cut;
        let document = match (parsed(&text), tolerant::without_rest(&text)) {
            (Ok(document), _) => Ok(document),
            (Err(error), Some(read)) => {
                cut = read;
                parsed(&cut).map_err(|_| error)
            }
            (Err(error), None) => Err(error),
        };
        let document = document.map_err(|error| Error::Xml {
            line: error.pos().row,
            column: error.pos().col,
            what: error.to_string(),
        })?;
        let root = document.root_element();
        let tree = elements(root).find(|node| node.has_tag_name("hashTree"));
        let (true, Some(tree)) = (root.has_tag_name("jmeterTestPlan"), tree) else {
            return Err(Error::NoPlan { root: root.tag_name().name().to_owned() });
        };
        let mut root = Self::new(Object::default());
        root.read_children(tree, 0)?;
        Ok(root)
    }

    fn new(object: Object) -> Self {
        Self { object, children: Vec::new(), disabled: Vec::new() }
    }

    /// Notes the file of an element and of all below it.
    pub fn set_file(&mut self, file: &str) {
        self.object.file = Some(file.to_owned());
        for below in self.children.iter_mut().chain(&mut self.disabled) {
            below.set_file(file);
        }
    }

    /// Reads pairs of an element and the `hashTree` with what is below it.
    fn read_children(&mut self, tree: Node<'_, '_>, depth: usize) -> Result<(), Error> {
        if depth > DEEPEST {
            return Err(Error::TooDeep { line: line(tree) });
        }
        let mut is_disabled = false;
        for node in elements(tree) {
            if !node.has_tag_name("hashTree") {
                is_disabled = node.attribute("enabled") == Some("false");
            }
            let siblings = if is_disabled { &mut self.disabled } else { &mut self.children };
            if !node.has_tag_name("hashTree") {
                siblings.push(Self::new(object(node)));
            } else if let Some(last) = siblings.last_mut() {
                last.read_children(node, depth + 1)?;
            }
        }
        Ok(())
    }
}

fn elements<'a, 'input>(node: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(Node::is_element)
}

fn line(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// Reads an element's own values. The tag, or an attribute `class`, names the class; `testclass` does not count.
fn object(node: Node<'_, '_>) -> Object {
    let tag = node.tag_name().name();
    let class = match tag {
        "elementProp" => node.attribute("elementType").unwrap_or_default(),
        _ => node.attribute("class").unwrap_or(tag),
    };
    let properties = elements(node).filter_map(property);
    let http2 = Http2Plugin::of_sampler(class);
    Object {
        class: if http2.is_some() { "HTTPSamplerProxy" } else { present_class(class) }.to_owned(),
        http2,
        package: class.rsplit_once('.').map(|(package, _)| package.to_owned()).unwrap_or_default(),
        window: node.attribute("guiclass").unwrap_or_default().to_owned(),
        file: None,
        name: node.attribute("testname").unwrap_or_default().to_owned(),
        line: line(node),
        properties: properties.collect(),
    }
}

/// Returns the class without its package, under the name that it has today.
fn present_class(class: &str) -> &str {
    let short = class.rsplit('.').next().unwrap_or_default();
    match short {
        "HTTPSampler" | "HTTPSampler2" | "HTTPSamplerFull" | "HTTPSampler_" | "HTTPSampler2_" => {
            "HTTPSamplerProxy"
        }
        "Assertion" => "ResponseAssertion",
        "RunTime" => "RuntimeController",
        other => other,
    }
}

/// Reads a property with its name; `None` for a node without one.
fn property(node: Node<'_, '_>) -> Option<(String, Property)> {
    // Numbers with a point and objects are written with their name and value as elements of their own.
    let part = |tag: &str| elements(node).find(|part| part.has_tag_name(tag));
    let named = || part("name").map(|name| content(name));
    let name = node.attribute("name").map(ToOwned::to_owned).or_else(named)?;
    let value = match node.tag_name().name() {
        "doubleProp" | "floatProp" | "FloatProperty" | "DoubleProperty" | "objProp" => {
            Property::Text(part("value").map(content).unwrap_or_default())
        }
        _ => value(node),
    };
    Some((present_property(name), value))
}

/// Returns the name that a property has today.
fn present_property(name: String) -> String {
    match name.as_str() {
        "ConstantThroughputTimer.throughput" => "throughput".to_owned(),
        "TestElement.name" => "Header.name".to_owned(),
        other => http2::own_property(other).unwrap_or(name),
    }
}

fn value(node: Node<'_, '_>) -> Property {
    match node.tag_name().name() {
        "collectionProp" | "mapProp" => Property::List(elements(node).map(value).collect()),
        "elementProp" => Property::Object(object(node)),
        _ => Property::Text(content(node)),
    }
}

/// Returns all text below a node, which may come in several pieces around CDATA sections and comments.
fn content(node: Node<'_, '_>) -> String {
    let texts = node.descendants().filter_map(|part| part.is_text().then(|| part.text()).flatten());
    texts.flat_map(str::chars).map(tolerant::as_written).collect()
}
