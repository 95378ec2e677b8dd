//! Command lines of curl.

use super::*;
use crate::draft::{Authorization, Part, Step, StepBody};
use crate::remark::{Place, Remark, Unsupported};

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
    let sent = [
        "Accept",
        "Accept-Language",
        "Connection",
        "Content-Type",
        "Origin",
        "sec-ch-ua",
        "Accept-Encoding",
        "Cookie",
    ];
    assert_eq!(names, sent, "what is written is sent");
    assert_eq!(step.headers[7].1, "${cookie}");
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
        (format!("curl -d a=1 -d 'b=x y' {u}"), StepBody::Text("a=1&b=x y".to_owned())),
        (format!("curl -d a=1 -d b=x%2By {u}"), form(&[("a", "1"), ("b", "x+y")])),
        (format!("curl -d a=1 -d b=2 -d a=3 {u}"), StepBody::Text("a=1&b=2&a=3".to_owned())),
        (format!("curl --data-urlencode 'q=a&b' {u}"), form(&[("q", "a&b")])),
        (format!("curl --data-raw '@home' {u}"), StepBody::Text("@home".to_owned())),
        (format!("curl -d @body.txt {u}"), StepBody::File { path: "body.txt".to_owned(), joins_lines: true }),
        (format!("curl --data-binary=@b.bin {u}"), StepBody::file("b.bin")),
        (format!("curl --json '{{\"a\":1}}' {u}"), StepBody::Text("{\"a\":1}".to_owned())),
        (format!("curl -d 'a=${{x}}' {u}"), StepBody::Text("a=$${x}".to_owned())),
    ] {
        let step = one(&text);
        assert_eq!((step.method.as_str(), &step.body), ("POST", &body), "{text}");
    }
    let get = one("curl -G -d a=1 --data-urlencode 'b=x y' http://h/s?z=0");
    assert_eq!((get.method.as_str(), get.path.as_str()), ("GET", "/s?z=0&a=1&b=x+y"));
    let put = one("curl -T cat.png http://h/cat");
    assert_eq!((put.method.as_str(), &put.body), ("PUT", &StepBody::file("cat.png")));
    let post = one("curl -X POST -T d.json http://h/in/");
    assert_eq!((post.method.as_str(), post.path.as_str(), post.headers.len()), ("POST", "/in/d.json", 0));
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
    assert_eq!(headers, ["mine", "bytes=0-9"]);
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
        ("curl -X post h", 1, Unsupported::Method("post".to_owned())),
        ("curl -d a -d @b h", 1, Unsupported::MixedBody),
        ("curl -H @b h", 1, Unsupported::HeaderFile("b".to_owned())),
        ("curl -H 'Transfer-Encoding: chunked' -d a h", 1, Unsupported::Chunks),
        ("curl http://$A/\ncurl http://$A/b", 1, Unsupported::ServerVariable("A".to_owned())),
        (
            "for i in 1 2; do\n curl http://h/$i\n if x; then curl h; fi\ndone\ncurl h",
            1,
            Unsupported::ShellBlock("for".to_owned()),
        ),
        ("curl $(cat x)", 1, Unsupported::Shell("$(".to_owned())),
        ("wget h", 1, Unsupported::Command("wget".to_owned())),
    ] {
        let found = imported(text).obstacles;
        let found: Vec<_> = found.iter().map(|obstacle| (obstacle.place, &obstacle.what)).collect();
        assert_eq!(found, [(Some(Place::Line(line)), &what)], "{text}");
    }
    assert_eq!(imported("# nothing\n").obstacles[0].what, Unsupported::Nothing);
}

#[test]
fn what_is_written_by_hand_is_sent() {
    let written = [
        ("If-None-Match", "\"v17\""),
        ("Host", "tenant-a.example.com"),
        ("Origin", "http://o"),
        ("Referer", "http://r"),
        ("Cache-Control", "no-cache"),
        ("Pragma", "no-cache"),
        ("User-Agent", "mine"),
        ("Expect", "100-continue"),
        ("Connection", "close"),
        ("Accept-Encoding", "br"),
        ("Upgrade-Insecure-Requests", "1"),
        ("X", ""),
        ("Two", "1"),
        ("Two", "2"),
    ];
    let options = written.map(|(name, value)| match value {
        "" => format!("-H '{name};'"),
        value => format!("-H '{name}: {value}'"),
    });
    let step = one(&format!("curl {} 'http://h/a;jsessionid=7'", options.join(" ")));
    let headers: Vec<(&str, &str)> = step.headers.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(headers, written);
    assert_eq!(step.path, "/a;jsessionid=7");
    assert_eq!(one("curl -H 'Content-Type:' -d a=1 h").headers, [], "a header that is taken away");
    assert!(
        one("curl -H 'Accept:' h")
            .remarks
            .contains(&Remark::HeadersTaken { names: vec!["Accept".to_owned()] })
    );
}

#[test]
fn a_script_gives_its_variables_values() {
    let text = "#!/bin/sh\nset -e\nBASE=http://h:8/api\nexport NAME=\"a b\"\nT=${T:-5}\nTOKEN=$(curl -s -X POST $BASE/login -d u=1 | jq -r .data.token)\n\
                echo hi\nsleep 2\ncurl -H \"Authorization: Bearer $TOKEN\" \"$BASE/x?t=$T&n=${OTHER}\"\n";
    let imported = imported(text);
    assert_eq!(imported.obstacles, []);
    let [login, get] = imported.draft.steps.as_slice() else {
        panic!("{imported:?}");
    };
    assert_eq!((login.path.as_str(), login.think), ("/api/login", Some(2.0)));
    assert_eq!(
        (login.extract[0].variable.as_str(), &login.extract[0].from),
        ("TOKEN", &crate::Source::Json("$.data.token".to_owned()))
    );
    assert_eq!(get.path, "/api/x?t=5&n=${env('OTHER')}");
    assert_eq!(get.authorization, Some(Authorization::Bearer("${TOKEN}".to_owned())));
    let options =
        Options { variables: vec![("BASE".to_owned(), "http://other".to_owned())], ..Options::default() };
    assert_eq!(import(text, &options).draft.origin.as_deref(), Some("http://other"));
}

#[test]
fn other_servers_are_named_by_their_steps() {
    let draft = imported("curl http://a/1\ncurl https://b:8/2\ncurl http://a/3").draft;
    let servers: Vec<Option<&str>> = draft.steps.iter().map(|step| step.server.as_deref()).collect();
    assert_eq!((draft.origin.as_deref(), servers), (Some("http://a"), vec![None, Some("https://b:8"), None]));
}

#[test]
fn calls_for_windows_and_in_documents_are_read() {
    let cmd = "curl ^\"http://h/?a=1^&b=2^\" ^\r\n  -H ^\"Origin: http://o^\" ^\r\n  --data-raw ^\"^{^\\^\"a^\\^\":1^}^\"\r\n";
    let step = one(cmd);
    assert_eq!((step.path.as_str(), &step.body), ("/?a=1&b=2", &StepBody::Text("{\"a\":1}".to_owned())));
    assert_eq!(one("# API\n```\n$ curl http://h/1 \\\n  -X DELETE\n{\"ok\": 1}\n```\n").method, "DELETE");
    let copied = "$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession\n$session.UserAgent = \"Mozilla\"\n\
        $session.Cookies.Add((New-Object System.Net.Cookie(\"a\", \"1\", \"/\", \"h\")))\n\
        Invoke-WebRequest -UseBasicParsing -Uri \"http://h/x\" `\n-Method \"POST\" `\n-WebSession $session `\n-Headers @{\n\"Origin\"=\"http://o\"\n  \"B\"=\"`\"q`\"\"\n} `\n\
        -ContentType \"application/json\" `\n-Body \"{`\"a`\":1}\"\n";
    let query = "$body = @{\n  a = \"b c\"\n}\n$r = Invoke-WebRequest -Uri \"http://h/x\" -Body $body\n";
    assert_eq!(one(query).path, "/x?a=b+c");
    let step = one(copied);
    assert_eq!((step.method.as_str(), &step.body), ("POST", &StepBody::Text("{\"a\":1}".to_owned())));
    let names: Vec<&str> = step.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["User-Agent", "Origin", "B", "Content-Type", "Cookie"]);
}
