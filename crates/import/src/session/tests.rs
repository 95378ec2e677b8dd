//! Sessions as browsers have them.

use super::*;
use crate::address::Address;
use crate::draft::{Authorization, Source, StepBody};
use crate::exchange::SentBody;
use crate::remark::Place;

/// A request at a time, with its answer.
struct Sample {
    at: f64,
    method: &'static str,
    url: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    body: SentBody,
    status: u16,
    answer: Vec<(&'static str, &'static str)>,
    text: &'static str,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            at: 0.0,
            method: "GET",
            url: "http://h:8080/",
            headers: Vec::new(),
            body: SentBody::Nothing,
            status: 200,
            answer: vec![("Content-Type", "text/html; charset=utf-8")],
            text: "",
        }
    }
}

fn exchanges(samples: Vec<Sample>) -> Vec<Exchange> {
    let pairs = |pairs: Vec<(&str, &str)>| {
        let pairs = pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        pairs.collect::<Vec<_>>()
    };
    let exchange = |(index, sample): (usize, Sample)| Exchange {
        place: Place::Entry(index + 1),
        method: sample.method.to_owned(),
        url: Address::parse(sample.url).expect("a URL"),
        headers: pairs(sample.headers),
        body: sample.body,
        answer: (sample.status > 0).then(|| Answer {
            status: sample.status,
            headers: pairs(sample.answer),
            body: Some(sample.text.to_owned()),
        }),
        begun: sample.at,
        ended: sample.at + 0.05,
    };
    samples.into_iter().enumerate().map(exchange).collect()
}

fn options() -> Options {
    Options { name: "shop".to_owned(), leaves_static_out: true, ..Options::default() }
}

/// A login by a form with a hidden field, a redirect, and a call of an API with a token.
fn login() -> Vec<Exchange> {
    exchanges(vec![
        Sample {
            text: r#"<form><input type="hidden" name="_csrf" value="c0ffee-1"><input name="user"></form>"#,
            answer: vec![("Content-Type", "text/html"), ("Set-Cookie", "SID=1; Path=/")],
            url: "http://h:8080/login",
            ..Sample::default()
        },
        Sample {
            at: 0.1,
            url: "http://h:8080/style.css",
            answer: vec![("Content-Type", "text/css")],
            ..Sample::default()
        },
        Sample { at: 0.12, url: "https://fonts.example/a.woff2", ..Sample::default() },
        Sample {
            at: 2.2,
            method: "POST",
            url: "http://h:8080/login",
            headers: vec![
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Cookie", "SID=1; theme=dark"),
                ("User-Agent", "Mozilla/5.0"),
            ],
            body: SentBody::Text("user=anna&password=s3cret%21&_csrf=c0ffee-1".to_owned()),
            status: 302,
            answer: vec![("Location", "/home")],
            ..Sample::default()
        },
        Sample {
            at: 2.3,
            url: "http://h:8080/home",
            answer: vec![("Content-Type", "application/json")],
            text: r#"{"token": "eyJ.abc.def", "orders": [{"id": 7}]}"#,
            ..Sample::default()
        },
        Sample {
            at: 2.4,
            method: "PUT",
            url: "http://h:8080/orders/7?expand=a%20b",
            headers: vec![("Authorization", "Bearer eyJ.abc.def"), ("Content-Type", "application/json")],
            body: SentBody::Text(r#"{"id": 7, "note": "${x}", "n": null}"#.to_owned()),
            status: 200,
            ..Sample::default()
        },
        Sample { at: 2.5, status: 0, ..Sample::default() },
    ])
}

#[test]
fn a_login_becomes_steps_with_variables() {
    let imported = session(&login(), &options());
    assert_eq!(imported.obstacles, []);
    let draft = imported.draft;
    let [page, login, order] = draft.steps.as_slice() else {
        panic!("{:#?}", draft.steps);
    };
    assert_eq!(draft.origin.as_deref(), Some("http://h:8080"));
    assert_eq!((page.path.as_str(), page.think), ("/login", Some(2.0)));
    assert!(matches!(&page.extract[0].from, Source::Regex(pattern) if pattern.contains("_csrf")));
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let form = [field("user", "anna"), field("password", "${password}"), field("_csrf", "${csrf}")];
    assert_eq!(login.body, StepBody::Form(form.into()));
    assert_eq!((login.status, login.redirects), (Some(200), None));
    assert!(login.remarks.contains(&Remark::Redirected { to: "/home".to_owned() }));
    assert_eq!(login.extract.len(), 2, "the token and the id of the order");
    assert_eq!(order.path, "/orders/${id}?expand=a%20b");
    assert_eq!(order.authorization, Some(Authorization::Bearer("${token}".to_owned())));
    assert_eq!(order.body, StepBody::Text(r#"{"id": ${id}, "note": "$${x}", "n": null}"#.to_owned()));
    assert_eq!(draft.variables[0].value, "${env('PASSWORD')}");
    for remark in [
        Remark::StaticLeftOut { count: 1 },
        Remark::Unanswered { count: 1 },
        Remark::OthersLeftOut { hosts: vec![("https://fonts.example".to_owned(), 1)] },
        Remark::CookiesBefore { names: vec!["theme".to_owned()] },
        Remark::HeadersLeftOut { names: vec!["Cookie".to_owned(), "User-Agent".to_owned()] },
    ] {
        assert!(draft.remarks.contains(&remark), "{remark:?} is missing in {:?}", draft.remarks);
    }
}

#[test]
fn files_stay_and_secrets_stay_where_that_is_asked_for() {
    let open = Options { keeps_secrets: true, leaves_static_out: false, ..options() };
    let draft = session(&login(), &open).draft;
    assert_eq!(draft.steps.len(), 4);
    assert_eq!(draft.variables, []);
    assert!(matches!(&draft.steps[2].body, StepBody::Form(fields) if fields[1].1 == "s3cret!"));
}

#[test]
fn what_no_step_can_be_is_an_obstacle() {
    let trace = exchanges(vec![
        Sample::default(),
        Sample { method: "TRACE", ..Sample::default() },
        Sample { method: "POST", body: SentBody::Binary, ..Sample::default() },
    ]);
    let imported = session(&trace, &options());
    let what: Vec<_> = imported.obstacles.iter().map(|obstacle| &obstacle.what).collect();
    assert_eq!(what, [&Unsupported::Method("TRACE".to_owned()), &Unsupported::BinaryBody]);
    assert_eq!(imported.draft.steps.len(), 1);
    assert_eq!(session(&[], &options()).obstacles[0].what, Unsupported::Nothing);
}
