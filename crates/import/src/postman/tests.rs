//! Collections as Postman writes them.

use super::*;
use crate::draft::{Source, StepBody};

fn imported(items: &str) -> Imported {
    let text = format!(
        r#"{{"info": {{"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}},
            "auth": {{"type": "bearer", "bearer": [{{"key": "token", "value": "{{{{tok}}}}"}}]}},
            "variable": [{{"key": "base", "value": "http://h:8"}}, {{"key": "tok", "value": "T"}}], "item": [{items}]}}"#
    );
    let files = |name: &str| match name {
        "env.json" => {
            Ok(r#"{"values": [{"key": "base", "value": "http://env", "enabled": true}]}"#.to_owned())
        }
        name => Err(format!("no {name}")),
    };
    let environment = items.contains("\"env\"").then(|| "env.json".to_owned());
    import(&text, &Options { environment, ..Options::default() }, &files)
}

fn one(request: &str) -> Step {
    let imported = imported(&format!(r#"{{"name": "n", "request": {request}}}"#));
    assert_eq!(imported.obstacles, [], "{request}");
    imported.draft.steps[0].clone()
}

#[test]
fn requests_have_their_parts() {
    let step = one(
        r#"{"method": "GET", "header": [{"key": "A", "value": "{{tok}}"}, {"key": "Off", "value": "1", "disabled": true}],
        "url": {"host": ["{{base}}"], "path": ["a", ":id", "b"], "query": [{"key": "q", "value": "a b"}, {"key": "n", "value": null}, {"key": "s", "value": "a+b&c#"}],
        "variable": [{"key": "id", "value": "7 8"}]}}"#,
    );
    assert_eq!(step.path, "/a/7%208/b?q=a%20b&n&s=a+b%26c%23");
    assert_eq!(
        (step.headers.as_slice(), step.name.as_deref()),
        (&[("A".to_owned(), "T".to_owned())][..], Some("n"))
    );
    assert_eq!(step.authorization, Some(Authorization::Bearer("${token}".to_owned())));
    let raw = one(
        r#"{"method": "POST", "url": "{{base}}/x", "body": {"mode": "raw", "raw": "{\"a\": 1}", "options": {"raw": {"language": "json"}}}}"#,
    );
    assert_eq!(
        (raw.body, raw.headers[0].1.as_str()),
        (StepBody::Text("{\"a\": 1}".to_owned()), "application/json")
    );
    let form = one(
        r#"{"method": "POST", "url": "{{base}}/x", "body": {"mode": "urlencoded", "urlencoded": [{"key": "a", "value": "1 2"}]}}"#,
    );
    assert_eq!(form.body, StepBody::Text("a=1%202".to_owned()), "as Postman encodes it");
    let get = one(r#"{"method": "GET", "url": "{{base}}/x", "body": {"mode": "raw", "raw": "x"}}"#);
    assert_eq!(get.body, StepBody::Nothing);
}

#[test]
fn values_come_from_scripts_and_environments() {
    let items = r#"{"name": "env", "item": [{"name": "login", "request": {"method": "POST", "auth": {"type": "noauth"}, "url": "{{base}}/login"},
            "event": [{"listen": "test", "script": {"exec": ["var d = pm.response.json();", "pm.environment.set('tok', d.token);"]}}]},
        {"name": "get", "request": "{{base}}/{{other}}"}]}"#;
    let imported = imported(
        &format!("{items}, {{\"name\": \"env\", \"request\": \"{{{{base}}}}/x\"}}")
            .replace("\"env\"", "\"env\""),
    );
    assert_eq!(imported.obstacles, []);
    let draft = imported.draft;
    assert_eq!(draft.origin.as_deref(), Some("http://env"));
    assert_eq!(draft.steps[0].extract[0].from, Source::Json("$.token".to_owned()));
    assert_eq!(draft.steps[1].authorization, Some(Authorization::Bearer("${tok}".to_owned())));
    assert_eq!(draft.steps[1].path, "/${env('other')}");
    assert!(draft.remarks.contains(&Remark::Environment { names: vec!["other".to_owned()] }));
    assert_eq!(draft.steps[0].name.as_deref(), Some("env / login"));
}

#[test]
fn what_cannot_be_sent_is_left_out_whole() {
    let imported = imported(
        r#"{"name": "a", "request": {"url": "{{host}}/1"}}, {"name": "b", "request": {"url": "{{host}}/2"}},
        {"name": "c", "request": {"auth": {"type": "digest"}, "url": "{{base}}/3"}}, {"name": "d", "request": "{{base}}/4"},
        {"name": "e", "event": [{"listen": "prerequest", "script": {"exec": "pm.sendRequest('x')"}}], "request": "{{base}}/5"}"#,
    );
    let what: Vec<_> =
        imported.obstacles.iter().map(|obstacle| (obstacle.request.as_deref(), &obstacle.what)).collect();
    assert_eq!(
        what,
        [
            (Some("a"), &Unsupported::ServerVariable("host".to_owned())),
            (Some("c"), &Unsupported::Authorization("digest".to_owned())),
            (Some("e"), &Unsupported::Script("pm.sendRequest".to_owned())),
        ]
    );
    assert_eq!(imported.draft.steps.len(), 1);
}
