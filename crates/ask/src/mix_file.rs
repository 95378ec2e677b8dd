//! Reads the requests of a [`Mix`], from a file of their own or from an experiment.

use crate::diagnostic::{Diagnostic, Rejected};
use crate::grpc::{ReadFile, Schemas};
use crate::grpc_keys;
use crate::node::{self, Node, Table, Value};
use crate::slip::{ExpectedValue, Hint, Owner, RequestSlip, TableName};
use crate::streaming_keys;
use crate::web_socket_keys;
use traffic::mix::{Ask, Mix};

/// Reads a file with a `[[request]]` for each kind: `path`, and where wanted `method` (GET), `headers` (a table), `body`,
/// `status` (200 to 399), `expect` (the exact body), `stream` with `events` or `until` (an answer that comes as a row of events) and `weight`
/// (1 where another request has one). A request with `grpc` calls a method instead; `read_file` gives the file that describes it. One with
/// `send` is a message of WebSocket.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn parse(text: &str, read_file: &ReadFile<'_>) -> Result<Mix, Rejected> {
    let mut problems = Vec::new();
    let mix = node::parse(text)
        .and_then(|root| {
            let schemas = Schemas::read(grpc_keys::schema_files(&root), read_file);
            read(&root, &schemas, &mut problems)
        })
        .map_err(|problem| problems.push(problem));
    match mix {
        Ok(mix) if problems.is_empty() => Ok(mix),
        _ => Err(Rejected { diagnostics: problems }),
    }
}

fn read(root: &Node, schemas: &Schemas, problems: &mut Vec<Diagnostic>) -> Result<Mix, Diagnostic> {
    let mut table = Table::open(root, TableName::Mix)?;
    let requests = table.get("request");
    table.finish(problems);
    match requests {
        Some(requests) => listed(requests, schemas, problems),
        None => Err(problems.pop().unwrap_or_else(nothing)),
    }
}

fn nothing() -> Diagnostic {
    Diagnostic::new(0..0, RequestSlip::NoRequest)
        .hint(Hint::WriteTable { head: "[[request]]", below: &["path = \"/\""] })
}

/// Reads a list of requests, in a file of their own or in an experiment.
pub(crate) fn listed(
    node: &Node,
    schemas: &Schemas,
    problems: &mut Vec<Diagnostic>,
) -> Result<Mix, Diagnostic> {
    let read: Vec<_> = node
        .list()?
        .iter()
        .filter_map(|node| ask(node, schemas, problems).map_err(|problem| problems.push(problem)).ok()?)
        .collect();
    let (asks, weights): (Vec<Ask>, Vec<Option<u32>>) = read.into_iter().unzip();
    let weighted = weights.iter().any(Option::is_some);
    let weights = weighted.then(|| weights.into_iter().map(|weight| weight.unwrap_or(1)).collect());
    if asks.is_empty() && problems.is_empty() {
        return Err(nothing());
    }
    let mix = Mix { asks, weights };
    if problems.is_empty() {
        problems.extend(web_socket_keys::misfits(node, &mix));
    }
    Ok(mix)
}

/// Reads a request; `None` where what is wrong with it was added to `problems`.
fn ask(
    node: &Node,
    schemas: &Schemas,
    problems: &mut Vec<Diagnostic>,
) -> Result<Option<(Ask, Option<u32>)>, Diagnostic> {
    let mut table = Table::open(node, TableName::Request)?;
    let ask = match (table.get("grpc"), table.get("send")) {
        (Some(grpc), _) => grpc_keys::read(&mut table, grpc, schemas, problems),
        (None, Some(send)) => web_socket_keys::read(&mut table, send, problems),
        (None, None) => request(&mut table, problems),
    };
    let weight = table.read("weight", problems, |node| node.integer(1..=1_000_000));
    table.finish(problems);
    if ask.is_none() && problems.is_empty() {
        let hint = Hint::for_example("path = \"/cart/${n}\"");
        return Err(node.lacks(Owner::Request, "path").hint(hint));
    }
    Ok(ask.map(|ask| (ask, weight.map(|weight| weight as u32))))
}

/// Reads a request of HTTP that is no call of gRPC; `None` where it has no path.
fn request(table: &mut Table<'_>, problems: &mut Vec<Diagnostic>) -> Option<Ask> {
    let path = table.read("path", problems, path);
    let method = table.read("method", problems, method);
    let headers = table.read("headers", problems, headers);
    let body = table.read("body", problems, Node::owned_text);
    let status = table.read("status", problems, |node| node.integer(200..=599));
    let expect = table.read("expect", problems, Node::owned_text);
    let streaming = streaming_keys::read(table, problems);
    grpc_keys::refuse(table, problems);
    Some(Ask {
        method: method.unwrap_or_else(|| "GET".to_owned()),
        path: path?,
        headers: headers.unwrap_or_default(),
        body: body.unwrap_or_default(),
        status: status.map_or(200..=399, |status| status as u16..=status as u16),
        expect,
        streaming,
        grpc: None,
        web_socket: None,
    })
}

pub(crate) fn path(node: &Node) -> Result<String, Diagnostic> {
    let path = node.text()?;
    if path.starts_with('/') {
        return Ok(path.to_owned());
    }
    Err(node.refuse(RequestSlip::NoSlash).hint(Hint::write(format!("\"/{path}\""))))
}

fn method(node: &Node) -> Result<String, Diagnostic> {
    let method = node.text()?;
    if !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(method.to_ascii_uppercase());
    }
    Err(node.refuse(RequestSlip::NotAMethod(method.to_owned())).hint(Hint::for_example("\"POST\"")))
}

pub(crate) fn headers(node: &Node) -> Result<Vec<(String, String)>, Diagnostic> {
    let Value::Table(entries) = &node.value else {
        return Err(node.expected(ExpectedValue::TableLike("{ Accept = \"text/html\" }")));
    };
    let header = |(name, value): &(Node, Node)| Ok((name.text()?.to_owned(), value.text()?.to_owned()));
    entries.iter().map(header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;
    use traffic::grpc::{GrpcCall, GrpcExpected, GrpcStatus};
    use traffic::streaming::{EventForm, ReadUntil, Streaming};
    use traffic::web_socket::{Awaited, MessageForm, WebSocketStep};

    const SHOP: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order { string item = 1; double price = 2; }\n\
                        service Orders { rpc Place(Order) returns (Order); rpc Watch(Order) returns (stream Order); }\n";

    /// Reads a file beside which there is one `.proto` file.
    fn parse(text: &str) -> Result<Mix, Rejected> {
        super::parse(text, &|path| match path.to_str() {
            Some("shop.proto") => Ok(SHOP.into()),
            _ => Err("no such file".to_owned()),
        })
    }

    #[test]
    fn a_mix_has_weights_when_one_request_has() {
        let text = r#"
            [[request]]
            method = "put"
            path = "/cart/${n}"
            headers = { Content-Type = "application/json" }
            body = '{"id": ${n}}'
            status = 201
            weight = 3
            [[request]]
            path = "/cart"
            expect = "[]"
        "#;
        let mix = parse(text).expect("a mix");
        assert_eq!(mix.weights, Some(vec![3, 1]));
        let put = &mix.asks[0];
        assert_eq!((put.method.as_str(), put.path.as_str()), ("PUT", "/cart/${n}"));
        assert_eq!(put.headers, [("Content-Type".to_owned(), "application/json".to_owned())]);
        assert_eq!((put.body.as_str(), put.status.clone()), ("{\"id\": ${n}}", 201..=201));
        assert_eq!(mix.asks[1].expect.as_deref(), Some("[]"));
        let in_turn = parse("[[request]]\npath = '/'").expect("a mix");
        assert_eq!(in_turn.weights, None);
    }

    #[test]
    fn an_answer_may_stream() {
        let streaming = |keys: &str| {
            let mix = parse(&format!("[[request]]\npath = '/'\n{keys}")).expect(keys);
            mix.asks[0].streaming.expect(keys)
        };
        let plain = Streaming::new(EventForm::Events);
        assert_eq!(streaming("stream = 'events'"), plain);
        let ten = Streaming { events: Some(10), ..Streaming::new(EventForm::Lines) };
        assert_eq!(streaming("stream = 'lines'\nevents = 10"), ten);
        let until = |until| Streaming { until: Some(until), ..Streaming::new(EventForm::Chunks) };
        assert_eq!(streaming("stream = 'chunks'\nuntil = 10"), until(ReadUntil::Events(10)));
        let two_seconds = ReadUntil::Time(Nanos::from_secs(2));
        assert_eq!(streaming("stream = 'chunks'\nuntil = '2s'"), until(two_seconds));
    }

    #[test]
    fn a_request_may_call_a_method_of_grpc() {
        let call = |keys: &str| {
            let text = format!("[[request]]\nproto = 'shop.proto'\n{keys}");
            let mut mix =
                parse(&text).unwrap_or_else(|wrong| panic!("{}", wrong.render("mix", &text, false)));
            mix.asks.remove(0)
        };
        let placed = call("grpc = 'shop.Orders/Place'\nmessage = { item = 'tea' }\ndeadline = '1s'");
        assert_eq!(
            (placed.title().as_str(), placed.path.as_str()),
            ("gRPC shop.Orders/Place", "/shop.Orders/Place")
        );
        let expected = GrpcExpected { status: GrpcStatus::Ok, deadline: Some(Nanos::from_secs(1)) };
        let body = traffic::grpc::prefixed(b"\x0a\x03tea");
        assert_eq!(placed.grpc, Some(GrpcCall { body: body.clone(), expected }));
        assert_eq!((placed.streaming, placed.body.as_str()), (None, r#"{"item":"tea"}"#));
        let text = call(
            "grpc = 'shop.Orders/Watch'\nmessage = '{\"item\": \"tea\"}'\nstatus = 'NOT_FOUND'\nevents = 3",
        );
        let found = text.grpc.expect("a call");
        assert_eq!((found.body, found.expected.status), (body, GrpcStatus::NotFound));
        let three = Streaming { events: Some(3), ..Streaming::new(EventForm::Messages) };
        assert_eq!(text.streaming, Some(three));
        assert_eq!(call("grpc = 'shop.Orders/Place'").grpc.expect("a call").body, [0; 5]);
        let infinite = call("grpc = 'shop.Orders/Place'\nmessage = { price = inf }").grpc.expect("a call");
        assert_eq!(infinite.body.len(), 5 + 9);
    }

    #[test]
    fn a_request_may_be_a_message_of_websocket() {
        let asked = |keys: &str| {
            let text = format!("[[request]]\npath = '/echo'\nsend = 'hello ${{n}}'\n{keys}");
            parse(&text)
                .unwrap_or_else(|wrong| panic!("{}", wrong.render("mix", &text, false)))
                .asks
                .remove(0)
        };
        let message = |awaits| Some(WebSocketStep::Message { sends: Some(MessageForm::Text), awaits });
        let echo = asked("");
        assert_eq!((echo.title().as_str(), echo.body.as_str()), ("WebSocket /echo", "hello ${n}"));
        assert_eq!((echo.web_socket, echo.streaming, echo.status), (message(Awaited::Echo), None, 101..=101));
        let other = asked("expect = 'bye'\nheaders = { Origin = 'https://x' }");
        assert_eq!(other.web_socket, message(Awaited::Containing("bye".to_owned())));
        let ten = asked("events = 10");
        assert_eq!(ten.web_socket, message(Awaited::Containing(String::new())));
        assert_eq!(
            ten.streaming,
            Some(Streaming { events: Some(10), ..Streaming::new(EventForm::Messages) })
        );
        let (one, two) = ("[[request]]\npath = '/a'\nsend = 'x'\n", "[[request]]\npath = '/a'\nsend = 'y'\n");
        assert_eq!(parse(&format!("{one}{two}")).expect("two messages").asks.len(), 2);
        for (text, says) in [
            (format!("{one}method = 'POST'"), "a message of WebSocket has no `method`"),
            (format!("{one}grpc = 'a.B/C'"), "a call of gRPC has no `send`"),
            (format!("{one}deadline = '1s'"), "`deadline` is for a call of gRPC"),
            (format!("{one}[[request]]\npath = '/'"), "here are both"),
            (format!("{one}[[request]]\npath = '/b'\nsend = 'x'"), "another path or other headers"),
            ("[[request]]\nsend = 'x'".to_owned(), "this request has no `path`"),
        ] {
            let shown = parse(&text).expect_err(&text).render("mix.toml", &text, false);
            assert!(shown.contains(says), "{text}: {shown}");
        }
    }

    #[test]
    fn each_slip_of_a_call_is_named_where_it_stands() {
        let place = "grpc = 'shop.Orders/Place'";
        for (keys, says) in [
            (place, "neither `proto` nor `descriptors`"),
            ("grpc = 'shop.Orders/Place'\nproto = 'none.proto'", "cannot read `none.proto`"),
            ("grpc = 'shop.Orders/Place'\nproto = 'shop.proto'\ndescriptors = 'x'", "here are two"),
            ("grpc = 'shop.Orders/Plac'\nproto = 'shop.proto'", "did you mean `Place`?"),
            ("grpc = 'shop.Orders/Place'\nproto = 'shop.proto'\npath = '/'", "a call of gRPC has no `path`"),
            ("grpc = 'shop.Orders/Place'\nproto = 'shop.proto'\nmessage = 5", "expected a table"),
            (
                "grpc = 'shop.Orders/Place'\nproto = 'shop.proto'\nmessage = { itm = 5 }",
                "the message is no shop.Order",
            ),
            (
                "grpc = 'shop.Orders/Place'\nproto = 'shop.proto'\nmessage = { item = '${n}' }",
                "the same in all calls",
            ),
            ("grpc = 'shop.Orders/Place'\nproto = 'shop.proto'\nuntil = 5", "answers with one message"),
            (
                "grpc = 'shop.Orders/Place'\nproto = 'shop.proto'\nstatus = 'NOTFOUND'",
                "did you mean \"NOT_FOUND\"?",
            ),
            (
                "grpc = 'shop.Orders/Watch'\nproto = 'shop.proto'\nevents = 5\nuntil = 5",
                "how many events are read",
            ),
            ("path = '/'\nmessage = 'x'", "`message` is for a call of gRPC"),
        ] {
            let text = format!("[[request]]\n{keys}");
            let shown = parse(&text).expect_err(keys).render("mix.toml", &text, false);
            assert!(shown.contains(says), "{keys}: {shown}");
        }
    }

    #[test]
    fn each_slip_is_named_where_it_stands() {
        for (text, says) in [
            ("", "no request is listed"),
            ("request = []", "no request is listed"),
            ("[[request]]\nmethod = 'GET'", "this request has no `path`"),
            ("[[request]]\npath = 'cart'", "a path begins with a slash"),
            ("[[request]]\npath = '/'\nmethod = 'G T'", "`G T` is not a method"),
            ("[[request]]\npath = '/'\nstaus = 200", "did you mean `status`?"),
            ("[[request]]\npath = '/'\nstatus = 20", "expected an integer from 200 to 599"),
            ("[[request]]\npath = '/'\nheaders = 'x'", "expected a table"),
            ("[[request]]\npath = '/'\nstream = 'event'", "did you mean \"events\"?"),
            ("[[request]]\npath = '/'\nevents = 3", "`events` and `until` are for an answer that streams"),
            (
                "[[request]]\npath = '/'\nstream = 'lines'\nevents = 3\nuntil = 4",
                "`until` says already how many events are read",
            ),
            ("[[request]]\npath = '/'\nstream = 'lines'\nuntil = 'x'", "write for example `10` or `5s`"),
            ("requests = []", "did you mean `request`?"),
        ] {
            let rejected = parse(text).expect_err(text);
            let shown = rejected.render("mix.toml", text, false);
            assert!(shown.contains(says), "{text}: {shown}");
        }
    }
}
