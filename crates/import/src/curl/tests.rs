//! Command lines of curl.

use super::*;
use crate::remark::Obstacle;

fn imported(text: &str) -> Imported {
    let options = Options { name: "calls".to_owned(), ..Options::default() };
    import(text, &options)
}

/// Imports one call without obstacles.
fn one(text: &str) -> Step {
    let imported = imported(text);
    assert_eq!(imported.obstacles, [], "{text}");
    assert_eq!(imported.draft.steps.len(), 1, "{text}");
    imported.draft.steps[0].clone()
}

/// As Chrome copies a request.
const COPIED: &str = r#"curl 'http://localhost:8080/api/items?page=2' \
  -H 'Accept: application/json, text/plain, */*' \
  -H 'Accept-Language: en-US,en;q=0.9' \
  -H 'Authorization: Bearer abc.def' \
  -H 'Connection: keep-alive' \
  -H 'Content-Type: application/json' \
  -b 'JSESSIONID=1234' \
  -H 'Origin: http://localhost:8080' \
  -H 'sec-ch-ua: "Chromium";v="140"' \
  --data-raw $'{"name":"it\'s","price":1.5}' \
  --compressed --insecure
"#;

#[test]
fn a_call_that_a_browser_copied_becomes_a_step() {
    let imported = imported(COPIED);
    assert_eq!(imported.obstacles, []);
    let draft = imported.draft;
    let step = &draft.steps[0];
    assert_eq!((step.method.as_str(), step.path.as_str()), ("POST", "/api/items?page=2"));
    assert_eq!(step.body, StepBody::Text("{\"name\":\"it's\",\"price\":1.5}".to_owned()));
    assert_eq!(step.authorization, Some(Authorization::Bearer("${token}".to_owned())));
    let names: Vec<&str> = step.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Accept", "Content-Type", "Cookie"]);
    assert_eq!(step.headers[2].1, "${cookie}");
    assert!(step.remarks.contains(&Remark::Insecure));
    let values: Vec<&str> = draft.variables.iter().map(|variable| variable.value.as_str()).collect();
    assert_eq!(values, ["${env('TOKEN')}", "${env('COOKIE')}"]);
    assert_eq!(step.redirects, Some(0), "curl follows no redirect without -L");
}

#[test]
fn data_makes_the_body_as_curl_does() {
    let form = |fields: &[(&str, &str)]| {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        StepBody::Form(fields.collect())
    };
    let u = "http://h/";
    for (text, body) in [
        (format!("curl -d a=1 -d 'b=x y' {u}"), form(&[("a", "1"), ("b", "x y")])),
        (format!("curl --data-urlencode 'q=a&b' {u}"), form(&[("q", "a&b")])),
        (format!("curl --data-raw '@home' {u}"), StepBody::Text("@home".to_owned())),
        (format!("curl -d @body.txt {u}"), StepBody::File("body.txt".to_owned())),
        (format!("curl --data-binary=@b.bin {u}"), StepBody::File("b.bin".to_owned())),
        (format!("curl --json '{{\"a\":1}}' {u}"), StepBody::Text("{\"a\":1}".to_owned())),
        (format!("curl -d 'a=${{x}}' {u}"), form(&[("a", "$${x}")])),
    ] {
        let step = one(&text);
        assert_eq!((step.method.as_str(), &step.body), ("POST", &body), "{text}");
    }
    let get = one("curl -G -d a=1 --data-urlencode 'b=x y' http://h/s?z=0");
    assert_eq!((get.method.as_str(), get.path.as_str()), ("GET", "/s?z=0&a=1&b=x%20y"));
    let put = one("curl -T cat.png http://h/cat");
    assert_eq!((put.method.as_str(), &put.body), ("PUT", &StepBody::File("cat.png".to_owned())));
}

#[test]
fn forms_have_files() {
    let step = one("curl -F title=cat -F 'photo=@cat.png;type=image/png' http://h/");
    let StepBody::Multipart(parts) = step.body else {
        panic!("{step:?}");
    };
    assert_eq!(parts[0].1, Part::Text("cat".to_owned()));
    let file =
        Part::File { path: "cat.png".to_owned(), media_type: Some("image/png".to_owned()), name: None };
    assert_eq!(parts[1].1, file);
}

#[test]
fn options_of_a_user_are_kept() {
    let step = one("curl -sSLXDELETE -m 2.5 --max-redirs 3 -u anna:pw -A mine -r 0-9 http://h/a");
    assert_eq!((step.method.as_str(), step.timeout, step.redirects), ("DELETE", Some(2.5), Some(3)));
    let basic = Authorization::Basic { user: "anna".to_owned(), password: "${password}".to_owned() };
    assert_eq!(step.authorization, Some(basic));
    let headers: Vec<&str> = step.headers.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(headers, ["bytes=0-9", "mine"]);
    assert_eq!(one("curl -I h").method, "HEAD");
    assert_eq!(one("curl -L h").redirects, None);
}

#[test]
fn variables_of_the_shell_come_from_the_environment() {
    let step = one(
        "HOST=x curl -H \"X-Api-Key: $KEY\" \"http://h/${ITEM}\" -d '{\"a\":1}' -H 'Content-Type: application/json'",
    );
    assert_eq!(step.path, "/${env('ITEM')}");
    let key = step.headers.iter().find(|(name, _)| name == "X-Api-Key").expect("the header");
    assert_eq!(key.1, "${env('KEY')}");
}

#[test]
fn calls_with_the_same_headers_share_them() {
    let draft = imported("curl -H 'A: 1' -H 'B: 2' h/1\ncurl -H 'A: 1' h/2 --next h/3 -H 'A: 1'\n").draft;
    assert_eq!(draft.headers, [("A".to_owned(), "1".to_owned())]);
    assert_eq!(draft.steps.len(), 3);
    assert_eq!(draft.steps[0].headers.len(), 1);
}

#[test]
fn each_mistake_is_told_with_its_line() {
    for (text, line, what) in [
        ("curl --nonsense h", 1, Unsupported::UnknownOption("--nonsense".to_owned())),
        ("curl h\ncurl -% h", 2, Unsupported::UnknownOption("-%".to_owned())),
        ("curl --digest -u a:b h", 1, Unsupported::Option("--digest".to_owned())),
        ("curl -x proxy:1 h", 1, Unsupported::Option("-x".to_owned())),
        ("curl h -H", 1, Unsupported::NoValue("-H".to_owned())),
        ("curl -d @- h", 1, Unsupported::Stdin),
        ("curl 'http://h/[1-3]'", 1, Unsupported::Globbing("http://h/[1-3]".to_owned())),
        ("curl ftp://h/", 1, Unsupported::Scheme("ftp".to_owned())),
        ("curl -s", 1, Unsupported::NoAddress("curl".to_owned())),
        ("curl -F 'a=<b' h", 1, Unsupported::FieldFromFile("a".to_owned())),
        ("curl -X PROPFIND h", 1, Unsupported::Method("PROPFIND".to_owned())),
        ("wget h", 1, Unsupported::Command("wget".to_owned())),
        (
            "curl http://a/\ncurl http://b/",
            2,
            Unsupported::OtherServer { server: "http://b".to_owned(), first: "http://a".to_owned() },
        ),
    ] {
        let expected = Obstacle { place: Some(Place::Line(line)), what };
        assert_eq!(imported(text).obstacles, [expected], "{text}");
    }
    assert_eq!(imported("# nothing\n").obstacles[0].what, Unsupported::Nothing);
}
