//! Answers that are documents: finds what XPaths and selectors lead to, and checks them.

use super::answer::{Answer, MatchList, part_of, text_of};
use super::html::{HtmlReading, as_xml};
use super::render::Env;
use super::{css, xml};
use roxmltree::Document;
use std::borrow::Cow;
use traffic::scenario::{AnswerPart, CssSelector, DocumentForm, ExprHost as _, StepFailure, Template, XPath};

/// Returns a text as XML. Of a page a document is made, if that is asked for; of XML there is none then, as JMeter's Tidy finds nothing in it.
fn in_form(text: &str, form: DocumentForm) -> Cow<'_, str> {
    match form {
        DocumentForm::Xml => Cow::Borrowed(text),
        DocumentForm::Tidied if text.starts_with("<?xml ") => Cow::Borrowed(""),
        DocumentForm::Tidied => Cow::Owned(as_xml(text, HtmlReading::AsTidy)),
    }
}

impl Env<'_> {
    /// Finds the values to which an XPath leads; none in what is no document of this form. `whole` asks for the sources of elements.
    pub(super) fn find_in_document(
        &mut self,
        part: &AnswerPart,
        path: &Template,
        form: DocumentForm,
        whole: bool,
        answer: &Answer<'_>,
        matches: &mut MatchList,
    ) {
        let path = self.rendered(path);
        let text = part_of(part, answer, &self.player.variables);
        let text = String::from_utf8_lossy(&text);
        let text = in_form(&text, form);
        if let (Some(path), Ok(document)) = (XPath::parse(&text_of(&path)), xml::parsed(&text)) {
            for value in xml::values(&path, &document, whole) {
                matches.push(value.as_bytes());
            }
        }
        self.keep_buffer(path);
    }

    /// Finds the elements of a page that a selector fits: the values of an attribute, or their texts.
    pub(super) fn find_in_page(
        &mut self,
        part: &AnswerPart,
        selector: &Template,
        attribute: Option<&Template>,
        answer: &Answer<'_>,
        matches: &mut MatchList,
    ) {
        let attribute = attribute.map(|attribute| self.text_of_template(attribute).to_lowercase());
        let selector = self.text_of_template(selector);
        let text = part_of(part, answer, &self.player.variables);
        let page = as_xml(&String::from_utf8_lossy(&text), HtmlReading::AsBrowsers);
        if let (Some(selector), Ok(document)) = (CssSelector::parse(&selector), Document::parse(&page)) {
            for element in css::select(&selector, &document) {
                match &attribute {
                    Some(name) => {
                        matches.push(element.attribute(name.as_str()).unwrap_or_default().as_bytes());
                    }
                    None => matches.push(css::text(element).as_bytes()),
                }
            }
        }
    }

    /// Checks that a text is a document, and that an XPath holds in it if there is one. `not` asks that it does not hold.
    pub(super) fn check_document(
        &mut self,
        part: &AnswerPart,
        path: Option<&Template>,
        form: DocumentForm,
        not: bool,
        answer: &Answer<'_>,
    ) -> Option<StepFailure> {
        let path = path.map(|path| self.text_of_template(path));
        let text = part_of(part, answer, &self.player.variables);
        let text = String::from_utf8_lossy(&text);
        let text = in_form(&text, form);
        let document = match xml::parsed(&text) {
            Ok(document) => document,
            Err(why) => return Some(StepFailure::NoXml(why)),
        };
        let path = path?;
        let holds = XPath::parse(&path).is_some_and(|path| xml::holds(&path, &document));
        (holds == not).then_some(StepFailure::XPath { path, not })
    }

    fn text_of_template(&mut self, template: &Template) -> String {
        let rendered = self.rendered(template);
        let text = text_of(&rendered);
        self.keep_buffer(rendered);
        text
    }
}
