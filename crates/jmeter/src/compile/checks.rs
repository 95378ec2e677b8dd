//! Compiles assertions.

use super::Compiler;
use super::extractors::{first_prologue, prologue_of};
use super::scope::{Scope, is_assertion};
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::Object;
use model::units::Nanos;
use traffic::scenario::{
    AnswerCheck, AnswerPart, AnswerSize, Comparison, DocumentForm, PlanDifference, SessionRequest, Template,
    TextTest,
};

/// The bits of the type of a Response Assertion.
const MATCHES: u32 = 1;
const NOT: u32 = 4;
const EQUALS: u32 = 8;
const SUBSTRING: u32 = 16;
const OR: u32 = 32;

impl<'a> Compiler<'a> {
    /// Adds the assertions in scope to a request.
    pub(super) fn check(&mut self, request: &mut SessionRequest, scope: &Scope<'a>) {
        for element in scope.outer_first(is_assertion) {
            let object = &element.object;
            match object.class.as_str() {
                "ResponseAssertion" => self.response_assertion(object, request),
                "DurationAssertion" => {
                    let most = self.fixed_number(object, "DurationAssertion.duration", 0.0).unwrap_or(0.0);
                    if most > 0.0 {
                        request.checks.push(AnswerCheck::Within(Nanos((most * 1e6) as u64)));
                    }
                }
                "SizeAssertion" => self.size_assertion(object, request),
                "XMLAssertion" => request.checks.push(AnswerCheck::Xml),
                "XPathAssertion" => self.xpath_assertion(object, request),
                "XPath2Assertion" => self.xpath2_assertion(object, request),
                "JSONPathAssertion" => self.json_assertion(object, request),
                _ => request.scripts.extend(self.element_script(object)),
            }
        }
    }

    fn response_assertion(&mut self, object: &Object, request: &mut SessionRequest) {
        if object.text("Assertion.assume_success") == "true" {
            request.statuses = vec![100..=599];
        }
        let part = match object.text("Assertion.scope") {
            "" | "parent" => self.asserted_part(object),
            // Without sub-samples, all samples are the main one.
            "all" => {
                self.differences.insert(PlanDifference::SubSamples);
                self.asserted_part(object)
            }
            "variable" => Some(self.variable_part(object.text("Scope.variable"))),
            _ => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::SubSamples));
                None
            }
        };
        let Some(part) = part else { return };
        let kind: u32 = object.text("Assertion.test_type").trim().parse().unwrap_or(2);
        let test = match kind {
            kind if kind & EQUALS != 0 => TextTest::Equals,
            kind if kind & SUBSTRING != 0 => TextTest::Contains,
            kind if kind & MATCHES != 0 => TextTest::Matches,
            _ => TextTest::Finds,
        };
        let is_regex = matches!(test, TextTest::Matches | TextTest::Finds);
        let mut patterns = Vec::new();
        for text in object.list("Asserion.test_strings") {
            let pattern = if is_regex {
                self.pattern(object, text.text())
            } else {
                Some(self.template(object, text.text()))
            };
            match pattern {
                Some(pattern) => patterns.push(pattern),
                None => return,
            }
        }
        if patterns.is_empty() {
            return;
        }
        request.checks.push(AnswerCheck::Text {
            part,
            test,
            patterns,
            any: kind & OR != 0,
            not: kind & NOT != 0,
        });
    }

    fn asserted_part(&mut self, object: &Object) -> Option<AnswerPart> {
        match object.text("Assertion.test_field") {
            "" | "Assertion.response_data" => Some(AnswerPart::Body),
            "Assertion.response_code" => Some(AnswerPart::Status),
            "Assertion.response_message" => Some(AnswerPart::Reason),
            "Assertion.response_headers" => Some(AnswerPart::Head),
            "Assertion.request_headers" => Some(AnswerPart::RequestHead),
            "Assertion.request_data" => Some(AnswerPart::RequestBody),
            "Assertion.sample_label" => Some(AnswerPart::Url),
            _ => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::Document));
                None
            }
        }
    }

    fn xpath_assertion(&mut self, object: &Object, request: &mut SessionRequest) {
        let is_true = |key: &str| object.text(key) == "true";
        let form = self.form(object.text("XPath.tolerant"));
        if is_true("XPath.validate") {
            return self.refuse(object, ObstacleKind::Setting(Unsupported::Validation));
        }
        let prologue = first_prologue(form, object.text("XPath.namespace"));
        let not = is_true("XPath.negate");
        self.add_xpath_check(object, &prologue, form, not, request);
    }

    fn xpath2_assertion(&mut self, object: &Object, request: &mut SessionRequest) {
        let Some(prologue) = prologue_of(object.text("XPath.namespaces")) else {
            return self.refuse(object, ObstacleKind::Setting(Unsupported::Namespaces));
        };
        let not = object.text("XPath.negate") == "true";
        self.add_xpath_check(object, &prologue, DocumentForm::Xml, not, request);
    }

    fn add_xpath_check(
        &mut self,
        object: &Object,
        prologue: &str,
        form: DocumentForm,
        not: bool,
        request: &mut SessionRequest,
    ) {
        let path = object.text("XPath.xpath");
        let part = match object.text("Assertion.scope") {
            "variable" => self.variable_part(object.text("Scope.variable")),
            "" | "parent" => AnswerPart::Body,
            _ => {
                self.differences.insert(PlanDifference::SubSamples);
                AnswerPart::Body
            }
        };
        if let Some(path) = self.xpath(object, prologue, if path.trim().is_empty() { "/" } else { path }) {
            request.checks.push(AnswerCheck::XPath { part, path, form, not });
        }
    }

    fn size_assertion(&mut self, object: &Object, request: &mut SessionRequest) {
        // The property is called like that of a Response Assertion.
        let of = match object.text("Assertion.test_field").trim_start_matches("SizeAssertion.") {
            "response_data" => AnswerSize::Body,
            "response_headers" => AnswerSize::Head,
            "" | "response_network_size" => AnswerSize::Whole,
            _ => return self.refuse(object, ObstacleKind::Setting(Unsupported::OtherSize)),
        };
        if matches!(object.text("Assertion.scope"), "variable") {
            return self.refuse(object, ObstacleKind::Setting(Unsupported::OtherSize));
        }
        let how = match object.text("SizeAssertion.operator") {
            "2" => Comparison::Unequal,
            "3" => Comparison::Greater,
            "4" => Comparison::Less,
            "5" => Comparison::AtLeast,
            "6" => Comparison::AtMost,
            _ => Comparison::Equal,
        };
        let bytes = self.template(object, object.text("SizeAssertion.size"));
        request.checks.push(AnswerCheck::Size { of, how, bytes });
    }

    fn json_assertion(&mut self, object: &Object, request: &mut SessionRequest) {
        let Some(path) = self.json_path(object, object.text("JSON_PATH")) else {
            return;
        };
        let expected = if object.text("JSONVALIDATION") != "true" {
            None
        } else if object.text("EXPECT_NULL") == "true" {
            Some((TextTest::Equals, Template::literal("null")))
        } else if object.text("ISREGEX") == "false" {
            Some((TextTest::Equals, self.template(object, object.text("EXPECTED_VALUE"))))
        } else {
            let Some(pattern) = self.pattern(object, object.text("EXPECTED_VALUE")) else {
                return;
            };
            Some((TextTest::Matches, pattern))
        };
        request.checks.push(AnswerCheck::Json { path, expected, not: object.text("INVERT") == "true" });
    }
}
