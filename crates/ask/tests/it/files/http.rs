//! The version of HTTP that arms are loaded with.

use super::{assert_stored, parsed, refused};
use ask::arm::Http2Way;

#[test]
fn arms_speak_the_http_of_the_load_or_their_own() {
    let text = r#"
arms = [
  { name = "one", server = "tomcat:10.1.29", http = "1.1" },
  { name = "two", server = "tomcat:10.1.29", tls = "jsse", max_streams = 50 },
  "tomcat:10.1.29,http=2",
]
[load]
connections = [10, 1000]
http = "2"
streams = 100
"#;
    let experiment = parsed(text);
    let ways: Vec<Option<Http2Way>> = experiment.arms.iter().map(|arm| arm.settings.http2_way()).collect();
    assert_eq!(ways, [None, Some(Http2Way::Alpn), Some(Http2Way::PriorKnowledge)]);
    let connections = |level| {
        let arms = experiment.arms.iter();
        arms.map(|arm| experiment.load.connections_at(level, arm.settings.http)).collect::<Vec<_>>()
    };
    assert_eq!([connections(0), connections(1)], [[10, 1, 1], [1000, 10, 10]]);
    let asked = experiment.asked();
    assert_eq!((asked["load/streams"].as_str(), asked["arm/one/http"].as_str()), ("100", "1.1"));
    assert_eq!((asked["arm/two/http"].as_str(), asked["arm/two/max_streams"].as_str()), ("2", "50"));
    assert_stored(&experiment);
}

/// What is said about a file with this arm and this load.
fn said(arm: &str, load: &str) -> String {
    refused(&[format!("arms = [\"tomcat:10.1.29\", {arm}]\n{load}")])
}

#[test]
fn what_a_release_does_not_speak_is_refused_with_its_source() {
    let clear = said("{ server = \"tomcat:9.0.95\", http = \"2\" }", "");
    assert!(clear.contains("tomcat:9.0.95 does not speak HTTP/2 over clear text"), "{clear}");
    assert!(clear.contains("take one of tomcat:10.1.29; see the changelog of 10"), "{clear}");
    let encrypted = said("{ server = \"tomcat:9.0.95\", http = \"2\", tls = \"jsse\" }", "");
    assert!(encrypted.contains("does not speak HTTP/2 over TLS"), "{encrypted}");
    let all = said("\"tomcat:9.0.95\"", "[load]\nhttp = \"2\"");
    assert!(all.contains("does not speak HTTP/2 over clear text"), "{all}");
    let third = said("{ name = \"b\", server = \"tomcat:10.1.29\", http = \"3\" }", "");
    assert!(third.contains("`3` is not known here"), "{third}");
    let streams = said("{ name = \"b\", server = \"tomcat:10.1.29\", max_streams = 50 }", "");
    assert!(
        streams.contains("only HTTP/2 has streams") && streams.contains("write http = \"2\""),
        "{streams}"
    );
    let old =
        said("{ name = \"b\", server = \"tomcat:10.1.29\", http = \"2\", tls = \"jsse\", jdk = 8 }", "");
    assert!(old.contains("needs JDK 11 or newer"), "{old}");
}

#[test]
fn streams_share_connections_that_no_load_closes() {
    let two = "\"tomcat:10.1.29,http=2\"";
    let closing = said(two, "[load]\nkeepalive = false");
    assert!(closing.contains("the load speaks HTTP/2 with tomcat:10.1.29,http=2"), "{closing}");
    assert!(closing.contains("take out `keepalive`") && closing.contains(":3:"), "{closing}");
    let quick = said(two, "[quick]\nload = { http = \"1.1\" }");
    assert!(quick.contains("[quick] cannot speak another version of HTTP"), "{quick}");
    let number = said(two, "[load]\nhttp = 1.1");
    assert!(number.contains("`http`: expected a string"), "{number}");
}
