//! Tells what a text is, by what only texts of its kind have.

use crate::access_log;
use crate::curl::has_code;
use crate::remark::Format;
use say::Say;
use serde_json::Value as Json;

/// What a text was found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognized {
    /// A format that is imported.
    Readable(Format),
    /// A format of another tool that is not imported.
    Other(OtherFormat),
    Unknown,
}

/// A format of another tool that is not imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum OtherFormat {
    #[say(
        en = "this is an export of Insomnia",
        zh = "这是 Insomnia 的导出文件",
        hint(
            en = "export it as HAR: Application menu, Data, Export, HAR; prony imports that",
            zh = "请导出为 HAR（应用菜单 → 数据 → 导出 → HAR），prony 可以导入"
        )
    )]
    Insomnia,
    #[say(
        en = "this is an environment of Postman, without requests",
        zh = "这是 Postman 的环境文件，其中没有请求",
        hint(
            en = "prony import COLLECTION --env FILE takes its values",
            zh = "prony import COLLECTION --env FILE 使用其中的值"
        )
    )]
    PostmanEnvironment,
    #[say(
        en = "this is a file of environments for .http files, without requests",
        zh = "这是 .http 文件的环境文件，其中没有请求",
        hint(
            en = "prony import FILE.http --env NAME takes its values",
            zh = "prony import FILE.http --env NAME 使用其中的值"
        )
    )]
    HttpEnvironment,
    #[say(
        en = "this is a package.json, without requests",
        zh = "这是 package.json，其中没有请求",
        hint(
            en = "prony load URL loads a server; prony record makes a scenario of what a client does",
            zh = "prony load URL 对服务器加压；prony record 把客户端的操作录成场景"
        )
    )]
    PackageJson,
    #[say(
        en = "this is a script of k6, and scripts do not run",
        zh = "这是 k6 脚本，而脚本不会运行",
        hint(
            en = "run it through prony record, k6 run -e HTTP_PROXY=…, or write its requests as steps: docs/guide/traffic.md; stages are --stages",
            zh = "请通过 prony record 代理运行它，或把其中的请求写成步骤：docs/guide/traffic.md；stages 对应 --stages"
        )
    )]
    K6,
    #[say(
        en = "this is a simulation of Gatling, which is a program",
        zh = "这是 Gatling 模拟，它是程序",
        hint(
            en = "run it through prony record (its protocol has .proxy), or write its requests as steps: docs/guide/traffic.md",
            zh = "请通过 prony record 代理运行它（协议有 .proxy），或把其中的请求写成步骤：docs/guide/traffic.md"
        )
    )]
    Gatling,
    #[say(
        en = "this is a script in Lua, as wrk runs them",
        zh = "这是 Lua 脚本（wrk 所用）",
        hint(
            en = "prony wrk takes wrk's options; what the script varies is said by a scenario: docs/guide/traffic.md",
            zh = "prony wrk 接受 wrk 的选项；脚本所变化的内容请用场景表达：docs/guide/traffic.md"
        )
    )]
    Lua,
    #[say(
        en = "this is a program of Locust, in Python",
        zh = "这是 Locust 的 Python 程序",
        hint(
            en = "run it through prony record, or write its tasks as scenarios with weights: docs/guide/traffic.md",
            zh = "请通过 prony record 代理运行它，或把其任务写成带权重的场景：docs/guide/traffic.md"
        )
    )]
    Locust,
    #[say(
        en = "this is a script of Artillery",
        zh = "这是 Artillery 脚本",
        hint(
            en = "write its flow as steps, and its phases as --stages: docs/guide/traffic.md",
            zh = "请把 flow 写成步骤，把 phases 写成 --stages：docs/guide/traffic.md"
        )
    )]
    Artillery,
    #[say(
        en = "this is a request of Bruno",
        zh = "这是 Bruno 的请求",
        hint(
            en = "export the collection for Postman; prony imports that",
            zh = "请把集合导出为 Postman 格式，prony 可以导入"
        )
    )]
    Bruno,
    #[say(
        en = "this is a file of Hurl",
        zh = "这是 Hurl 文件",
        hint(
            en = "hurlfmt --out curl writes it as calls of curl, which prony imports",
            zh = "hurlfmt --out curl 可写成 curl 调用，prony 可以导入"
        )
    )]
    Hurl,
    #[say(
        en = "this is a project of SoapUI",
        zh = "这是 SoapUI 项目",
        hint(
            en = "run it through prony record, which makes a scenario",
            zh = "请通过 prony record 代理运行它，得到场景"
        )
    )]
    SoapUi,
    #[say(
        en = "this is an experiment or a scenario of prony already",
        zh = "这已经是 prony 的实验或场景",
        hint(
            en = "prony check FILE says what it does, and prony run or prony load runs it",
            zh = "prony check FILE 说明它做什么，prony run 或 prony load 运行它"
        )
    )]
    Prony,
    #[say(
        en = "this is JSON without requests that prony knows",
        zh = "这是 JSON，其中没有 prony 认识的请求",
        hint(
            en = "prony imports HAR, collections of Postman, OpenAPI, and targets of vegeta with one object a line",
            zh = "prony 导入 HAR、Postman 集合、OpenAPI，以及每行一个对象的 vegeta 目标"
        )
    )]
    Json,
    #[say(
        en = "this is a page of HTML",
        zh = "这是 HTML 页面",
        hint(
            en = "save the file itself, and not the page that shows it",
            zh = "请保存文件本身，而不是显示它的页面"
        )
    )]
    Html,
}

/// Tells what a text is. The name of its file decides only between formats that have the same texts.
pub fn recognize(text: &str, file: &str) -> Recognized {
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    let is_named = |ends: &[&str]| ends.iter().any(|end| file.to_ascii_lowercase().ends_with(end));
    if text.contains("<jmeterTestPlan") {
        return Recognized::Readable(Format::Jmx);
    }
    let is_json = begin.starts_with('{') && !begin.starts_with("{{")
        || begin.starts_with('[') && !begin.starts_with("[[");
    if is_json {
        let of_lines = || begin.lines().next().and_then(|line| serde_json::from_str::<Json>(line).ok());
        return match serde_json::from_str::<Json>(begin).ok().or_else(of_lines) {
            Some(json) => of_json(&json, file),
            None => of_broken_json(begin),
        };
    }
    if let Some(other) = other(begin, file) {
        return Recognized::Other(other);
    }
    // A document may be indented as a whole.
    let begins =
        |line: &str, key: &str| line.trim_start_matches(' ').starts_with(key) && !line.starts_with("    ");
    let has_line = |key: &str| text.lines().any(|line| begins(line, key));
    if has_line("openapi:") || has_line("swagger:") || has_line("\"openapi\":") || has_line("'openapi':") {
        return Recognized::Readable(Format::OpenApi);
    }
    // A method and an address begin a request, of curl only if it is called.
    // Headings of Markdown look like separators.
    let is_markdown = is_named(&[".md", ".markdown"]) || has_code(text);
    let is_http = match is_named(&[".http", ".rest"]) {
        true => !is_of_vegeta(text),
        false => !is_markdown && has_marks_of_http(text),
    };
    if is_http && has_request(text) {
        return Recognized::Readable(Format::Http);
    }
    let calls = ["curl ", "curl.exe ", "invoke-webrequest ", "invoke-restmethod "];
    let is_call = |line: &str| {
        let line = line.trim_start().trim_start_matches(['$', '%', '>', '#', ' ']).to_ascii_lowercase();
        let is_in_line =
            |call: &&str| line.contains(&format!("$({call}")) || line.contains(&format!("= {call}"));
        calls.iter().any(|call| line.starts_with(call) || is_in_line(call))
    };
    if text.lines().any(is_call) {
        return Recognized::Readable(Format::Curl);
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(20);
    if lines.clone().filter(|line| access_log::is_line(line)).count() * 2 > lines.clone().count() {
        return Recognized::Readable(Format::AccessLog);
    }
    if is_of_vegeta(text) {
        return Recognized::Readable(Format::Vegeta);
    }
    Recognized::Unknown
}

fn of_json(json: &Json, file: &str) -> Recognized {
    let has = |key: &str| json.get(key).is_some();
    let inner = json.get("collection").unwrap_or(json);
    let is_collection = inner.get("item").is_some() && inner.get("info").is_some();
    let is_old = has("requests") && has("order");
    let is_environments = |json: &Json| {
        let values = json.as_object().filter(|entries| !entries.is_empty());
        values.is_some_and(|entries| {
            entries.values().all(|value| {
                value.as_object().is_some_and(|values| {
                    values.values().all(|value| !value.is_object() && !value.is_array())
                })
            })
        })
    };
    // A HAR without entries is one without requests.
    let is_har = json.pointer("/log/entries").is_some() || file.ends_with(".har") && has("log");
    let format = if is_har {
        Format::Har
    } else if has("openapi") || has("swagger") {
        Format::OpenApi
    } else if is_collection || is_old {
        Format::Postman
    } else if has("method") && has("url") {
        Format::Vegeta
    } else {
        return Recognized::Other(if has("_type") && (has("resources") || has("__export_format")) {
            OtherFormat::Insomnia
        } else if has("values") && (has("_postman_variable_scope") || has("name")) {
            OtherFormat::PostmanEnvironment
        } else if has("dependencies")
            || has("devDependencies")
            || has("name") && has("version") && has("scripts")
        {
            OtherFormat::PackageJson
        } else if is_environments(json) {
            OtherFormat::HttpEnvironment
        } else {
            OtherFormat::Json
        });
    };
    Recognized::Readable(format)
}

/// Tells what JSON with a mistake is meant to be, so that the mistake is told and nothing else.
fn of_broken_json(text: &str) -> Recognized {
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    if has("log") && has("entries") {
        Recognized::Readable(Format::Har)
    } else if has("openapi") || has("swagger") {
        Recognized::Readable(Format::OpenApi)
    } else if has("info") && has("item") {
        Recognized::Readable(Format::Postman)
    } else if text.lines().next().is_some_and(|line| line.contains("\"method\"") && line.contains("\"url\""))
    {
        Recognized::Readable(Format::Vegeta)
    } else {
        Recognized::Other(OtherFormat::Json)
    }
}

/// Tells what a text of another tool is.
fn other(text: &str, file: &str) -> Option<OtherFormat> {
    let has = |word: &str| text.contains(word);
    let has_line = |begin: &str| text.lines().any(|line| line.trim_start().starts_with(begin));
    let found = if has("from 'k6") || has("from \"k6") || has("require('k6") || has("require(\"k6") {
        OtherFormat::K6
    } else if has("io.gatling") || has("extends Simulation") {
        OtherFormat::Gatling
    } else if has("wrk.method")
        || has("wrk.format(")
        || has("wrk.body")
        || has("wrk.headers")
        || file.ends_with(".lua")
    {
        OtherFormat::Lua
    } else if has("from locust") || has("import locust") {
        OtherFormat::Locust
    } else if has_line("scenarios:") && has_line("config:") && has("target:") {
        OtherFormat::Artillery
    } else if has_line("type: collection.insomnia") || has("insomnia.rest") && has_line("_type:") {
        OtherFormat::Insomnia
    } else if has_line("meta {") && (has_line("get {") || has_line("post {") || has("url:")) {
        OtherFormat::Bruno
    } else if file.ends_with(".hurl") || has_line("[Asserts]") || has_line("[Captures]") {
        OtherFormat::Hurl
    } else if has("soapui-project") {
        OtherFormat::SoapUi
    } else if has_line("[[scenario") || has_line("[[request]]") || has_line("arms = ") {
        OtherFormat::Prony
    } else if text.to_ascii_lowercase().starts_with("<!doctype html") || text.starts_with("<html") {
        OtherFormat::Html
    } else {
        return None;
    };
    Some(found)
}

/// Whether a line begins a request: a method in capitals and an address.
fn is_request(line: &str) -> bool {
    line.split_once(' ').is_some_and(|(method, url)| {
        let is_method = method.len() > 2 && method.bytes().all(|byte| byte.is_ascii_uppercase());
        let url = url.trim();
        is_method
            && (url.starts_with("http://")
                || url.starts_with("https://")
                || url.starts_with("{{")
                || url.starts_with('/'))
    })
}

fn has_request(text: &str) -> bool {
    let is_address =
        |line: &str| line.starts_with("http://") || line.starts_with("https://") || line.starts_with("{{");
    text.lines().map(str::trim).any(|line| is_request(line) || is_address(line))
}

/// Whether a text has what only `.http` files have: separators, variables, versions, scripts.
fn has_marks_of_http(text: &str) -> bool {
    let is_marked = |line: &str| {
        line.starts_with("### ")
            || line == "###"
            || line.starts_with("# @name")
            || line.starts_with("> {%")
            || line.starts_with("{{")
            || is_request(line) && (line.contains(" HTTP/") || line.contains("{{"))
    };
    text.lines().map(str::trim_end).any(is_marked)
}

/// Whether a text is a list of targets: requests, headers and files of bodies, and nothing else.
fn is_of_vegeta(text: &str) -> bool {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_header = |line: &str| line.split_once(':').is_some_and(|(name, _)| crate::headers::is_name(name));
    let fits =
        |line: &str| is_request(line) || line.starts_with('@') && !line.contains('=') || is_header(line);
    let requests = lines().filter(|line| is_request(line)).count();
    // One line that is none is a mistake in targets; many show that it is something else.
    let strange = lines().filter(|line| !fits(line)).count();
    requests > 0 && strange <= 1 + lines().count() / 10 && !has_marks_of_http(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_what_they_are() {
        use Recognized::{Other, Readable, Unknown};
        for (text, file, found) in [
            ("{\"log\": {\"entries\": []}}", "", Readable(Format::Har)),
            ("{\"log\": {}}", "a.har", Readable(Format::Har)),
            ("{\"openapi\": \"3.1.0\"}", "", Readable(Format::OpenApi)),
            ("{\"swagger\": \"2.0\", \"paths\": {\"/url\": {}}}", "", Readable(Format::OpenApi)),
            (
                "{\"method\": \"GET\", \"url\": \"http://h/\"}\n{\"method\": \"GET\", \"url\": \"http://h/\"}",
                "",
                Readable(Format::Vegeta),
            ),
            ("{\"info\": {}, \"item\": [{\"request\": {\"url\": \"x\"}}]}", "", Readable(Format::Postman)),
            (
                "{\"_type\": \"export\", \"resources\": [{\"url\": \"http://h\"}]}",
                "",
                Other(OtherFormat::Insomnia),
            ),
            (
                "{\"name\": \"x\", \"repository\": {\"url\": \"y\"}, \"dependencies\": {}}",
                "",
                Other(OtherFormat::PackageJson),
            ),
            ("{\"url\": \"x\"}", "", Other(OtherFormat::Json)),
            ("{\"dev\": {\"host\": \"x\"}}", "", Other(OtherFormat::HttpEnvironment)),
            ("GET http://h/\nA: b\n\nPOST http://h/\n@f\n", "a.http", Readable(Format::Vegeta)),
            ("GET http://h/\n\n### b\nGET http://h/\n", "", Readable(Format::Http)),
            ("POST http://h/\n\n{\"a\": 1,\n\"b\": 2,\n\"c\": 3}\n", "a.rest", Readable(Format::Http)),
            ("@h = x\nGET {{h}}/a\n", "", Readable(Format::Http)),
            ("# API\n```sh\n$ curl http://h\n```\n", "README.md", Readable(Format::Curl)),
            ("### GET\n```http\nGET /a?b={{c}}\n```\n", "README.md", Unknown),
            ("---\n  swagger: \"2.0\"\n", "", Readable(Format::OpenApi)),
            ("$r = Invoke-WebRequest -Uri \"http://h\"\n", "a.ps1", Readable(Format::Curl)),
            ("Invoke-WebRequest -Uri \"http://h\"\n", "", Readable(Format::Curl)),
            (
                "h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1\n",
                "",
                Readable(Format::AccessLog),
            ),
            ("import http from 'k6/http';\nhttp.get('http://h');\n", "", Other(OtherFormat::K6)),
            ("class A extends Simulation {}", "", Other(OtherFormat::Gatling)),
            ("wrk.method = \"POST\"\n", "", Other(OtherFormat::Lua)),
            ("[[scenario]]\n", "", Other(OtherFormat::Prony)),
            ("hello", "", Unknown),
            ("See GET http://h/ and GET http://i/.\nMore text.\nAnd more.\nEven more.", "", Unknown),
            ("", "", Unknown),
        ] {
            assert_eq!(recognize(text, file), found, "{text}");
        }
    }
}
