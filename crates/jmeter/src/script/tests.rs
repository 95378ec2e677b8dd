use super::*;
use std::collections::BTreeMap;
use traffic::scenario::{ExprHost, ScriptValue, Snippet, Template};

/// A script behind an answer, and no variable of the environment.
const ANSWERED: Surroundings<'static> =
    Surroundings { has_environment: &|_| false, answer: KnownAnswer::Whole };

/// Variables by name; the variables of templates are their names.
#[derive(Default)]
struct Host {
    variables: BTreeMap<String, String>,
    names: Vec<String>,
    failed: Option<String>,
    slept: u64,
    properties: Vec<String>,
    drawn: u64,
}

impl ExprHost for Host {
    fn variable(&self, slot: usize) -> Option<&[u8]> {
        self.variables.get(&self.names[slot]).map(String::as_bytes)
    }
    fn variable_name(&self, slot: usize) -> &str {
        &self.names[slot]
    }
    fn named_variable(&mut self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }
    fn put_named(&mut self, name: &str, value: Option<String>) {
        match value {
            Some(value) => self.variables.insert(name.to_owned(), value),
            None => self.variables.remove(name),
        };
    }
    fn property(&mut self, name: &str) -> Option<String> {
        (name == "known").then(|| "7".to_owned())
    }
    fn put_property(&mut self, name: &str, value: String) {
        self.properties.push(format!("{name}={value}"));
    }
    fn last_status(&mut self) -> Option<u16> {
        Some(200)
    }
    fn last_ok(&mut self) -> bool {
        true
    }
    fn below(&mut self, bound: u64) -> u64 {
        self.drawn =
            self.drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.drawn % bound
    }
    fn now(&mut self) -> i64 {
        1_700_000_000_000
    }
    fn user_number(&mut self) -> u64 {
        3
    }
    fn regex(&mut self, pattern: &str, text: &[u8], whole: bool) -> Option<bool> {
        let text = std::str::from_utf8(text).expect("a text");
        Some(if whole { text == pattern } else { text.contains(pattern) })
    }
}

/// Runs a script with `n` = 5, `name` = `ann`, `ok` = `true`, `last` = `10`.
fn run(dialect: Dialect, text: &str) -> (Result<ScriptValue, String>, Host) {
    let script = Compound::parse(text).expect("a text");
    let parsed = parse(&script, dialect, &ANSWERED).unwrap_or_else(|unknown| panic!("{text}: {unknown:?}"));
    let mut host = Host::default();
    let mut variable = |hole: &Compound| match hole.pieces.as_slice() {
        [crate::compound::Piece::Variable(name)] => {
            host.names.push(name.clone());
            Template::variable(host.names.len() - 1)
        }
        other => panic!("{other:?}"),
    };
    let holes = parsed.holes.iter().map(&mut variable).collect();
    let snippet = Snippet { dialect, statements: parsed.statements, holes };
    for (name, value) in [("n", "5"), ("name", "ann"), ("ok", "true"), ("last", "10")] {
        host.variables.insert(name.to_owned(), value.to_owned());
    }
    let run = snippet.run(&mut host, None);
    let failed = run.effects.verdict.filter(|(success, _)| !success);
    host.failed = failed.map(|(_, message)| message);
    host.slept = run.effects.sleep.0 / 1_000_000;
    (run.value.map_err(|failure| failure.0), host)
}

fn holds(dialect: Dialect, text: &str) -> bool {
    run(dialect, text).0 == Ok(ScriptValue::Bool(true))
}

#[test]
fn conditions_follow_the_rules_of_their_language() {
    use Dialect::{Groovy, JavaScript, Jexl};
    for (dialect, text, expected) in [
        (Jexl, r#""${name}" == "ann" && ${n} < 10"#, true),
        (Jexl, r#""${n}" == 5"#, true),
        (Groovy, r#""${n}" == 5"#, false),
        (JavaScript, r#""${n}" == 5"#, true),
        (JavaScript, r#""${n}" === 5"#, false),
        (JavaScript, r#""${last}" < "9""#, true),
        (JavaScript, r#"${last} < 9"#, false),
        (Groovy, r#"vars.get("n").toInteger() % 2 == 1"#, true),
        (Groovy, r#"vars["name"].contains("nn") ?: false"#, true),
        (Groovy, r#"(vars.get("n") as int) >= 5 && !vars.get("missing")"#, true),
        (Jexl, r#""${name}" eq "bob" or not (${n} gt 6)"#, true),
        (Jexl, r#"empty("${name}")"#, false),
        (JavaScript, r#""${missing}" == "\${missing}""#, true),
        (Groovy, "${ok}", true),
        (Groovy, r#"prev.getResponseCode() as int == 200"#, true),
        (Groovy, "prev.responseCode == '200'", true),
        (JavaScript, r#"parseInt(vars.get("n")) + 1 == 6"#, true),
        (Groovy, r#""${name}" =~ /nn/ ? true : false"#, true),
    ] {
        assert_eq!(holds(dialect, text), expected, "{dialect:?}: {text}");
    }
}

#[test]
fn what_would_raise_an_exception_fails() {
    for (dialect, text) in [
        (Dialect::Groovy, "${missing} == 1"),
        (Dialect::Groovy, r#"vars.get("name") > 3"#),
        (Dialect::Groovy, r#"vars.get("name").toInteger() == 3"#),
        (Dialect::Groovy, r#"vars.get("missing").length() == 3"#),
        (Dialect::Jexl, "1 / 0 == 1"),
    ] {
        assert!(run(dialect, text).0.is_err(), "{text}");
    }
}

#[test]
fn scripts_change_variables_and_properties() {
    let text = r#"
        import java.util.UUID;
        // A comment with "quotes".
        def next = (vars.get("n") as Integer) + 1
        int twice = next * 2;
        vars.put("next", next.toString())
        vars.put("sum", "${name}-$next-${twice}")
        vars.put('id', UUID.randomUUID().toString())
        vars.put("half", String.valueOf(next / 4))
        if (next > 5) { vars.put("big", "yes") } else vars.put("big", "no");
        for (int i = 0; i < 3; i++) { vars.put("i", "" + i) }
        props.put("shared", vars.get("n"))
        log.info("nothing ${next}" + somethingUnknown())
        Thread.sleep(250)
        vars.remove("ok")
        vars.put("when", new Date().format("yyyy-MM-dd"))
    "#;
    let (value, host) = run(Dialect::Groovy, text);
    assert_eq!(value, Ok(ScriptValue::Null));
    let variable = |name: &str| host.variables.get(name).map(String::as_str);
    assert_eq!(variable("next"), Some("6"));
    assert_eq!(variable("sum"), Some("ann-6-12"));
    assert_eq!(variable("half"), Some("1.5"));
    assert_eq!(variable("big"), Some("yes"));
    assert_eq!(variable("i"), Some("2"));
    assert_eq!(variable("ok"), None);
    assert_eq!(variable("when"), Some("2023-11-14"));
    assert_eq!(host.properties, ["shared=5"]);
    assert_eq!(host.slept, 250);
    let id = variable("id").expect("an id");
    assert!(id.len() == 36 && id.as_bytes()[14] == b'4', "{id}");
}

#[test]
fn random_numbers_stay_within_their_bounds() {
    let text = r#"def random = new Random(); vars.put("r", (random.nextInt(10 - 3 + 1) + 3).toString());
        vars.put("m", Math.floor(Math.random() * 10).intValue().toString()); vars.put("l", org.apache.commons.lang3.RandomStringUtils.randomAlphabetic(8))"#;
    let (_, host) = run(Dialect::Groovy, text);
    let number = |name: &str| host.variables[name].parse::<i64>().expect("a number");
    assert!((3..=10).contains(&number("r")) && (0..10).contains(&number("m")));
    assert_eq!(host.variables["l"].len(), 8);
}

#[test]
fn assertions_fail_the_answer() {
    let (_, host) = run(Dialect::Groovy, "assert prev.getResponseCode() as int == 201 : 'no'");
    assert_eq!(host.failed.as_deref(), Some("no"));
    let (_, host) =
        run(Dialect::BeanShell, "Failure = ResponseCode.equals(\"500\"); FailureMessage = \"x\";");
    assert_eq!(host.failed, None);
}

#[test]
fn what_cannot_run_here_is_named() {
    for (text, named) in [
        (
            "def page = new groovy.util.XmlSlurper().parseText(prev.getResponseDataAsString())",
            "`new XmlSlurper().parseText`",
        ),
        ("new File('x').text", "`new File().text`"),
        ("sampler.addArgument('a', 'b')", "`sampler.addArgument`"),
        ("try { x() } catch (e) { }", "`x`"),
        ("def f = { it }", "`{`"),
        ("vars.put('a', user${n})", "a variable that is a part of a name or number"),
    ] {
        let script = Compound::parse(text).expect("a text");
        let unknown = parse(&script, Dialect::Groovy, &ANSWERED).expect_err(text);
        assert_eq!(unknown.0, named, "{text}");
    }
}

#[test]
fn bytes_are_made_a_text_or_encoded_and_nothing_else() {
    use Dialect::{Groovy, JavaScript};
    for (dialect, text, expected) in [
        (
            Groovy,
            "import org.apache.commons.codec.binary.Base64;\nbyte[] user = Base64.encodeBase64((\"\" + vars.get('name') + \":x\").getBytes());\n\
             new String(user)",
            "YW5uOng=",
        ),
        (
            Groovy,
            "def user = 'ann:x'.getBytes('UTF-8')\nBase64.getEncoder().encodeToString(user)",
            "YW5uOng=",
        ),
        (Groovy, "byte[] read = Base64.getDecoder().decode('YW5u')\nnew String(read, 'UTF-8')", "ann"),
        (Groovy, "new String(Base64.decodeBase64(Base64.encodeBase64('ann'.bytes)))", "ann"),
        (Groovy, "'a{b}a{b}'.replace('{b}', '')", "aa"),
        (JavaScript, "'a{b}a{b}'.replace('{b}', '')", "aa{b}"),
    ] {
        assert_eq!(run(dialect, text).0, Ok(ScriptValue::Text(expected.to_owned())), "{text}");
    }
    for (dialect, text) in [
        (Groovy, "'Basic ' + 'ann'.getBytes()"),
        (Groovy, "byte[] user = 'ann'.bytes\nvars.put('user', user)"),
        (Groovy, "def read = Base64.decodeBase64('/w==')\nBase64.encodeBase64String(read)"),
        (Groovy, "byte[] read = [1, 2]"),
        (Groovy, "def user = 'ann'.bytes\n\"of $user\""),
        (JavaScript, "'a.b'.replace(/a.b/, '')"),
        (JavaScript, "'ab'.replace('a', '$&')"),
    ] {
        let script = Compound::parse(text).expect("a text");
        assert!(parse(&script, dialect, &ANSWERED).is_err(), "{text}");
    }
}
