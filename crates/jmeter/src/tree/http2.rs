//! The samplers of plug-ins for HTTP/2, whose properties are read under the names of JMeter's own.

use super::Object;

/// A plug-in that sends over HTTP/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Http2Plugin {
    /// BlazeMeter's, since its `HTTP2Sampler` is made like JMeter's own sampler.
    BlazeMeter,
    /// BlazeMeter's before that: `HTTP2Request` awaits its answer only where `sync_request` says so, and uses TLS unless told not to.
    EarlyBlazeMeter,
    /// The plug-in with a client of Netty, which always uses TLS.
    Netty,
}

impl Http2Plugin {
    /// Returns the plug-in of a sampler, by its class with its package.
    pub(super) fn of_sampler(class: &str) -> Option<Self> {
        match class {
            "com.blazemeter.jmeter.http2.sampler.HTTP2Sampler" => Some(Self::BlazeMeter),
            "com.blazemeter.jmeter.http2.sampler.HTTP2Request" => Some(Self::EarlyBlazeMeter),
            "jmeter.plugins.http2.sampler.HTTP2Sampler" => Some(Self::Netty),
            _ => None,
        }
    }
}

impl Object {
    /// Names the protocol of a sampler whose plug-in uses TLS where the plan names none; JMeter's own samplers do not.
    pub fn fill_protocol(&mut self) {
        if matches!(self.http2, Some(Http2Plugin::EarlyBlazeMeter | Http2Plugin::Netty)) {
            self.fill_text("HTTPSampler.protocol", "https");
        }
    }
}

/// Returns the name of JMeter's own sampler for a property of a plug-in; `None` for any other property.
pub(super) fn own_property(name: &str) -> Option<String> {
    let rest = name.strip_prefix("HTTP2Request.").or_else(|| name.strip_prefix("HTTP2Sampler."))?;
    Some(match rest {
        "Arguments" => "HTTPsampler.Arguments".to_owned(),
        rest => format!("HTTPSampler.{rest}"),
    })
}

#[cfg(test)]
mod tests {
    use crate::{CompiledPlan, Settings, compile};
    use traffic::scenario::{Action, PlanDifference, SessionRequest};

    const BLAZE_METER: &str = "com.blazemeter.jmeter.http2.sampler.HTTP2Sampler";

    fn sampler(class: &str, properties: &str) -> String {
        format!("<{class} testname=\"r\">{properties}</{class}><hashTree/>")
    }

    fn compiled(content: &str) -> CompiledPlan {
        let plan = format!(
            r#"<jmeterTestPlan><hashTree><TestPlan/><hashTree><ThreadGroup testname="g"><stringProp name="ThreadGroup.num_threads">1</stringProp></ThreadGroup>
            <hashTree>{content}</hashTree></hashTree></hashTree></jmeterTestPlan>"#
        );
        let compiled = compile(&plan, &Settings::default()).expect("a plan");
        assert_eq!(compiled.obstacles, [], "{plan}");
        compiled
    }

    fn requests(plan: &CompiledPlan) -> Vec<&SessionRequest> {
        let mut found = Vec::new();
        Action::visit_all(&plan.program.groups[0].body, &mut |action| {
            if let Action::Request(request) = action {
                found.push(&**request);
            }
        });
        found
    }

    #[test]
    fn samplers_of_plug_ins_are_requests_over_http2() {
        let of_blaze_meter = r#"<stringProp name="HTTPSampler.domain">shop</stringProp><stringProp name="HTTPSampler.path">/a</stringProp>
            <stringProp name="HTTPSampler.method">DELETE</stringProp>"#;
        let early = r#"<stringProp name="HTTP2Request.domain">shop</stringProp><stringProp name="HTTP2Request.path">/a</stringProp>
            <stringProp name="HTTP2Sampler.method">DELETE</stringProp><boolProp name="HTTP2Request.sync_request">true</boolProp>"#;
        let of_netty = r#"<stringProp name="HTTP2Sampler.domain">shop</stringProp><stringProp name="HTTP2Sampler.path">/a</stringProp>
            <stringProp name="HTTP2Sampler.method">DELETE</stringProp><stringProp name="HTTP2Sampler.port">8443</stringProp>"#;
        for (class, properties, server) in [
            (BLAZE_METER, of_blaze_meter, "http://shop:80"),
            ("com.blazemeter.jmeter.http2.sampler.HTTP2Request", early, "https://shop:443"),
            ("jmeter.plugins.http2.sampler.HTTP2Sampler", of_netty, "https://shop:8443"),
        ] {
            let plan = compiled(&sampler(class, properties));
            assert_eq!(plan.server.as_ref().map(ToString::to_string).as_deref(), Some(server), "{class}");
            assert!(plan.program.http2 && plan.program.differences.is_empty(), "{class}");
            let [request] = requests(&plan)[..] else { panic!("one request of {class}") };
            let fixed = |text: &traffic::scenario::Template| text.as_literal().expect("fixed").to_owned();
            assert_eq!(
                (fixed(&request.method), fixed(&request.path)),
                ("DELETE".to_owned(), "/a".to_owned())
            );
            assert!(request.keep_alive, "a connection is never closed behind an answer");
        }
    }

    #[test]
    fn arguments_and_defaults_have_the_names_of_the_plug_in() {
        let defaults = r#"<ConfigTestElement testname="d"><stringProp name="HTTP2Request.domain">shop</stringProp>
            <stringProp name="HTTP2Request.protocol">http</stringProp></ConfigTestElement><hashTree/>"#;
        let arguments = r#"<elementProp name="HTTP2Request.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments">
            <elementProp name="q" elementType="HTTPArgument"><stringProp name="Argument.name">q</stringProp><stringProp name="Argument.value">1</stringProp><stringProp name="Argument.metadata">=</stringProp></elementProp>
            </collectionProp></elementProp><stringProp name="HTTP2Request.path">/find</stringProp>"#;
        let sampler = sampler("com.blazemeter.jmeter.http2.sampler.HTTP2Request", arguments);
        let plan = compiled(&format!("{defaults}{sampler}"));
        assert_eq!(plan.server.as_ref().map(ToString::to_string).as_deref(), Some("http://shop:80"));
        assert_eq!(requests(&plan)[0].path.as_literal(), Some("/find?q=1"));
        assert_eq!(plan.program.differences, [PlanDifference::Together], "its answer is not awaited");
    }

    #[test]
    fn what_a_load_cannot_do_as_the_plug_in_is_told() {
        let named = r#"<stringProp name="HTTPSampler.domain">shop</stringProp>"#;
        let http2 = sampler(BLAZE_METER, named);
        let http1 = sampler("HTTPSamplerProxy", named);
        let mixed = compiled(&format!("{http1}{http2}"));
        assert!(mixed.program.http2);
        assert_eq!(mixed.program.differences, [PlanDifference::OneVersion]);

        let controller = "com.blazemeter.jmeter.http2.control.HTTP2Controller";
        let together =
            compiled(&format!("<{controller} testname=\"c\"/><hashTree>{http2}{http2}</hashTree>"));
        assert_eq!((requests(&together).len(), together.program.http2), (2, true));
        assert_eq!(together.program.differences, [PlanDifference::Together]);

        let legacy = format!(r#"{named}<stringProp name="HTTP2Sampler.profile">legacy</stringProp>"#);
        let off = format!(
            r#"{named}<stringProp name="HTTP2Sampler.profile">browser-like-custom</stringProp><boolProp name="HTTP2Sampler.enableHttp2">false</boolProp>"#
        );
        for properties in [legacy, off] {
            let plan = compiled(&sampler(BLAZE_METER, &properties));
            assert!(!plan.program.http2 && plan.program.differences.is_empty(), "{properties}");
        }
    }
}
