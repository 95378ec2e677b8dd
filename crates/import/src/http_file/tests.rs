//! Files as both clients have them.

use super::*;
use crate::draft::{Authorization, Part, Step, StepBody};

fn imported(text: &str, options: &Options) -> Imported {
    let files = |name: &str| match name {
        "http-client.env.json" => Ok(r#"{"dev": {"host": "http://dev", "n": 7}, "prod": {}}"#.to_owned()),
        "item.json" => Ok("{\"id\": \"{{id}}\"}".to_owned()),
        name => Err(format!("no {name}")),
    };
    import(text, options, &files)
}

fn steps(text: &str) -> Vec<Step> {
    let imported = imported(text, &Options::default());
    assert_eq!(imported.obstacles, [], "{text}");
    imported.draft.steps
}

#[test]
fn requests_have_their_parts() {
    let text = "@host = http://h:8\n@id=5\n\n### first one\n# @no-redirect\nGET {{host}}/a\n    ?x=1\n    &y={{id}} HTTP/1.1\nAccept: text/html\n\
                # a comment\nIf-None-Match: \"v\"\n\n###\nPOST {{host}}/b\nContent-Type: application/x-www-form-urlencoded\n\nuser=a\n&q=b c\n\n\
                ###\nPUT {{host}}/c\nContent-Type: application/json\n\n{\n  \"id\": {{id}}\n}\n\n> {% client.test('a', () => {}) %}\n\n###\n{{host}}/d\n\n\
                ###\nPOST {{host}}/e\n\n< ./big.bin\n\n###\nPOST {{host}}/f\n\n<@ item.json\n";
    let steps = steps(text);
    assert_eq!(
        (steps[0].path.as_str(), steps[0].redirects, steps[0].name.as_deref()),
        ("/a?x=1&y=5", Some(0), Some("first one"))
    );
    assert_eq!(steps[0].headers.len(), 2);
    assert_eq!(steps[1].body, StepBody::Text("user=a&q=b%20c".to_owned()));
    assert_eq!(steps[2].body, StepBody::Text("{\n  \"id\": 5\n}".to_owned()));
    assert_eq!((steps[3].method.as_str(), steps[3].path.as_str()), ("GET", "/d"));
    assert_eq!(steps[4].body, StepBody::file("./big.bin"));
    assert_eq!(steps[5].body, StepBody::Text("{\"id\": \"5\"}".to_owned()));
}

#[test]
fn values_come_from_answers() {
    let text = "# @name login\nPOST http://h/login\nAuthorization: Basic u p\n\n###\nGET http://h/a/{{login.response.body.$.id}}\n\
                Authorization: Bearer {{token}}\n\n> {% client.global.set(\"next\", response.body.next); %}\n\n###\nGET http://h/{{next}}?e={{$processEnv E}}&u={{$uuid}}\n";
    let imported = imported(text, &Options::default());
    assert_eq!(imported.obstacles, []);
    let steps = imported.draft.steps;
    assert_eq!(
        steps[0].authorization,
        Some(Authorization::Basic { user: "u".to_owned(), password: "${password}".to_owned() })
    );
    assert_eq!(steps[0].extract[0].from, Source::Json("$.id".to_owned()));
    assert_eq!(steps[1].path, format!("/a/${{{}}}", steps[0].extract[0].variable));
    assert_eq!(steps[1].authorization, Some(Authorization::Bearer("${env('token')}".to_owned())));
    assert_eq!(steps[2].path, "/${next}?e=${env('E')}&u=${uuid()}");
}

#[test]
fn environments_give_values() {
    let options = |name: &str| Options { environment: Some(name.to_owned()), ..Options::default() };
    let text = "GET {{host}}/{{n}}\n";
    let draft = imported(text, &options("dev")).draft;
    assert_eq!((draft.origin.as_deref(), draft.steps[0].path.as_str()), (Some("http://dev"), "/7"));
    let missing = imported(text, &options("test")).obstacles;
    let why = Unsupported::NoEnvironment { file: "test".to_owned(), why: "dev, prod".to_owned() };
    assert_eq!(missing[0].what, why);
    let unknown = imported("GET {{host}}/1\n###\nGET {{host}}/2\n", &Options::default()).obstacles;
    assert_eq!(unknown.len(), 1, "one variable without a value is one mistake: {unknown:?}");
    assert_eq!(unknown[0].what, Unsupported::ServerVariable("host".to_owned()));
}

#[test]
fn forms_have_files() {
    let text = "POST http://h/\nContent-Type: multipart/form-data; boundary=x\n\n--x\nContent-Disposition: form-data; name=\"a\"\n\n1\n--x\n\
                Content-Disposition: form-data; name=\"f\"; filename=\"c.png\"\nContent-Type: image/png\n\n< ./d/c.png\n--x--\n";
    let StepBody::Multipart(parts) = &steps(text)[0].body else {
        panic!("no form");
    };
    assert_eq!(parts[0].1, Part::Text("1".to_owned()));
    assert_eq!(
        parts[1].1,
        Part::File { path: "./d/c.png".to_owned(), media_type: Some("image/png".to_owned()), name: None }
    );
}

#[test]
fn what_is_no_body_is_not_sent_as_one() {
    let text = "GET http://h/a\n\n# a comment\n\n###\nPOST http://h/b\n\n{}\n\n# -----\n###\nPOST http://h/c\n\na\n# b\n";
    let bodies: Vec<StepBody> = steps(text).into_iter().map(|step| step.body).collect();
    let body = |text: &str| StepBody::Text(text.to_owned());
    assert_eq!(bodies, [StepBody::Nothing, body("{}"), body("a\n# b")]);
    let odd = imported("GET http://h/\n\nAccept: text/html\n", &Options::default()).obstacles;
    assert_eq!(odd[0].what, Unsupported::OddBody("GET".to_owned()));
}
