use super::*;
use std::path::Path;
use traffic::scenario::{AnswerCheck, ExtractFrom, Found, IfMissing, RequestBody, Times};

/// Reads a file with a table `users.csv` beside it.
fn parsed(text: &str) -> Result<Program, Rejected> {
    let read = |path: &Path| match path.to_str() {
        Some("users.csv") => Ok(b"user,password\nann,secret\nbob,hidden\n".to_vec()),
        Some("bad.csv") => Ok(b"user,password\nann\n".to_vec()),
        _ => Err("No such file or directory".to_owned()),
    };
    let resources = Resources { read: &read, environment: &|_| None };
    parse(text, &resources)
}

fn program(text: &str) -> Program {
    parsed(text).unwrap_or_else(|rejected| panic!("{}", rejected.render("f.toml", text, false)))
}

/// A scenario with one step of these lines.
fn step(lines: &str) -> String {
    format!("[[scenario]]\n[[scenario.step]]\n{lines}\n")
}

const LOGIN: &str = r#"
        [[data]]
        file = "users.csv"
        rows = "unique"
        [[scenario]]
        name = "buy"
        weight = 3
        headers = { Accept-Language = "en" }
        [[scenario.step]]
        name = "log in"
        post = "/login"
        form = { user = "${user}", password = "${password}" }
        extract = { token = { json = "$.token" } }
        check = { status = 200, within = "500ms" }
        think = "1s"
        [[scenario.step]]
        group = "checkout"
        [[scenario.step.step]]
        get = "/items?page=${random(1, 10)}"
        bearer = "${token}"
        extract = { ids = { json = "$.items[*].id", match = "all" } }
        [[scenario.step.step]]
        for_each = { id = "ids" }
        put = "/cart/${id}"
        json = { id = "${id}", count = 1 }
        "#;

#[test]
fn a_login_flow_becomes_a_program() {
    let program = program(LOGIN);
    let names: Vec<_> = program.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["log in", "checkout", "GET /items", "PUT /cart/${id}"]);
    let body = &program.groups[0].body;
    let [Action::NextRow(0), Action::Request(login), Action::Pause(_), Action::Transaction(checkout)] =
        &body[..]
    else {
        panic!("{body:?}");
    };
    assert_eq!(login.statuses, [200..=200]);
    assert_eq!(login.checks.len(), 1);
    let content_type =
        (Template::literal("Content-Type"), Template::literal("application/x-www-form-urlencoded"));
    assert!(login.headers.contains(&content_type));
    assert!(matches!(login.extract[0].from, ExtractFrom::Json { .. }));
    assert_eq!(login.extract[0].missing, IfMissing::Fail);
    let [Action::Request(items), Action::ForEach { list: 0, body, .. }] = &checkout.body[..] else {
        panic!("{checkout:?}");
    };
    assert_eq!(items.extract[0].into, Found::List(0));
    let [Action::Request(put)] = &body[..] else { panic!("{body:?}") };
    let RequestBody::Text(json) = &put.body else { panic!("{put:?}") };
    let texts: Vec<_> = json.parts().iter().map(|part| part.as_literal().unwrap_or("…")).collect();
    assert_eq!(texts.concat(), r#"{"id":"…","count":1}"#);
}

#[test]
fn steps_are_wrapped_by_what_decides_about_them() {
    let program = program(&step(
        "get = '/a'\nonce = true\nrepeat = 3\nwhile = \"${state} != 'done'\"\nextract = { state = { regex = 's=(\\w+)' } }",
    ));
    let [Action::OnceOnly(once)] = &program.groups[0].body[..] else { panic!("{program:?}") };
    let [Action::While { body, .. }] = &once[..] else { panic!("{once:?}") };
    let [Action::Loop { times, body, .. }] = &body[..] else { panic!("{body:?}") };
    assert_eq!(*times, Times::Fixed(3));
    assert!(matches!(body[..], [Action::Request(_)]));
}

#[test]
fn checks_are_read() {
    let program = program(&step(
        "get = '/'\ncheck = { status = ['2xx', 404], contains = ['a', 'b'], not_contains = 'x', json = { '$.n' = 3 }, header = { X = 'y' }, size = { min = 1 } }",
    ));
    let requests = program.requests();
    assert_eq!(requests[0].statuses, [200..=299, 404..=404]);
    assert_eq!(requests[0].checks.len(), 5);
    assert!(matches!(&requests[0].checks[0], AnswerCheck::Text { patterns, .. } if patterns.len() == 2));
}

#[test]
fn each_slip_is_named_where_it_stands() {
    for (text, says) in [
        (String::new(), "no scenario is listed"),
        ("[[scenario]]\nname = 'x'".to_owned(), "this scenario has no step"),
        (step("name = 'x'"), "this step does nothing"),
        (step("get = '/'\npost = '/'"), "this one has `get` and `post`"),
        (step("get = '/${id}'"), "f.toml:3:9"),
        (step("get = '/${id}'"), "nothing sets the variable `id`"),
        (step("get = 'x'"), "write \"/x\""),
        (step("gett = '/'"), "did you mean `get`?"),
        (step("get = '/${randm(1,2)}'"), "did you mean `random`?"),
        (step("get = '/${random(1)}'"), "write ${random(1, 100)}"),
        (step("get = '/${env(\"X\")}'"), "`X` of the environment is not set"),
        (step("get = '/'\nif = '${x}'"), "nothing sets the variable `x`"),
        (step("get = '/'\nif = 'a ~ b'"), "no condition from `~ b` on"),
        (step("get = '/'\nextract = { a = { json = '$.b c' } }"), "from `c` on"),
        (step("get = '/'\nextract = { a = { regex = '(' } }"), "unclosed group"),
        (step("get = '/'\nextract = { a = { } }"), "finds something in one way"),
        (step("get = '/'\nfor_each = { a = 'b' }"), "no list is called `b`"),
        (step("get = '/'\nbody = 'x'\njson = 1"), "has `body` and `json`"),
        (step("get = '/'\nbody_file = 'x'"), "cannot read `x`: No such file"),
        (step("get = '/'\ncheck = { staus = 200 }"), "did you mean `status`?"),
        (format!("[[data]]\nfile = 'bad.csv'\n{}", step("get = '/'")), "has 1 cells instead of 2"),
        (format!("[[data]]\n{}", step("get = '/'")), "these data have no `file`"),
        (format!("[vars]\n'a b' = 1\n{}", step("get = '/'")), "`a b` is no name"),
        (format!("load = 1\n{}", step("get = '/'")), "unknown key `load`"),
    ] {
        let rejected = parsed(&text).expect_err(&text);
        let shown = rejected.render("f.toml", &text, false);
        assert!(shown.contains(says), "{text}: {shown}");
    }
}

#[test]
fn all_slips_are_told_at_once() {
    let text = step("get = '/${a}/${b}'\nbody = '${c}'\nextract = { x = { json = '$[' } }");
    let rejected = parsed(&text).expect_err("four slips");
    assert_eq!(rejected.diagnostics.len(), 4, "{}", rejected.render("f.toml", &text, false));
    // A misspelt method is one slip, and not a step that does nothing, too.
    assert_eq!(parsed(&step("gett = '/'")).expect_err("a slip").diagnostics.len(), 1);
}

#[test]
fn only_the_rows_that_a_scenario_uses_are_taken() {
    let program = program(
        "[[data]]\nfile = 'users.csv'\n[[scenario]]\n[[scenario.step]]\nget = '/'\n[[scenario]]\n[[scenario.step]]\nget = '/${user}'",
    );
    let takes = |group: &UserGroup| group.body.contains(&Action::NextRow(0));
    assert_eq!(program.groups.iter().map(takes).collect::<Vec<_>>(), [false, true]);
}
