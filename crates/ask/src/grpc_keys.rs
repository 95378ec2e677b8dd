//! The keys of a request that calls a method of gRPC: `grpc`, `proto` or `descriptors`, `message`, `status` and `deadline`.

use crate::arm::{Arm, HttpVersion};
use crate::diagnostic::Diagnostic;
use crate::grpc::{SchemaFile, Schemas, advice};
use crate::mix_file;
use crate::node::{Node, Table, Value};
use crate::slip::{ExpectedValue, GrpcSlip};
use crate::streaming_keys;
use serde_json::{Map, Number, Value as Json};
use std::path::PathBuf;
use traffic::grpc::{GrpcCall, GrpcExpected, GrpcStatus};
use traffic::mix::{Ask, Mix};
use traffic::streaming::EventForm;

/// The keys that only requests without a call have.
const OF_OTHERS: [&str; 6] = ["path", "method", "body", "expect", "stream", "send"];
/// The keys that only calls have.
const OF_CALLS: [&str; 4] = ["proto", "descriptors", "message", "deadline"];
/// What stands for the number of the iteration in other requests.
const COUNTER: &str = "${n}";

/// Returns the files that describe the methods that the requests of a file call.
pub(crate) fn schema_files(root: &Node) -> Vec<SchemaFile> {
    let requests = root.get("request").map_or(&[][..], Node::items);
    let named = |request: &Node, key: &str| request.get(key)?.text().ok().map(PathBuf::from);
    let mut files: Vec<SchemaFile> = Vec::new();
    for request in requests {
        files.extend(named(request, "proto").map(SchemaFile::Proto));
        files.extend(named(request, "descriptors").map(SchemaFile::Descriptors));
    }
    files.sort();
    files.dedup();
    files
}

/// Reads a request that calls the method that `grpc` names; what is wrong with it is added to `problems`.
pub(crate) fn read(
    table: &mut Table<'_>,
    grpc: &Node,
    schemas: &Schemas,
    problems: &mut Vec<Diagnostic>,
) -> Option<Ask> {
    for key in OF_OTHERS {
        problems.extend(table.get(key).map(|node| refusal(node, GrpcSlip::NotOfACall(key))));
    }
    let headers = table.read("headers", problems, mix_file::headers);
    let status = table.read("status", problems, |node| node.one_of(&GrpcStatus::ALL, GrpcStatus::name));
    let deadline = table.read("deadline", problems, Node::duration);
    let events = ["events", "until"].map(|key| (key, table.get(key)));
    let streaming = streaming_keys::of_form(table, EventForm::Messages, problems);
    let message = table.get("message");
    let json = message.map_or_else(|| Ok("{}".to_owned()), json_of).map_err(|p| problems.push(p)).ok();
    let schema = schema_file(table, grpc, problems)
        .and_then(|(node, file)| schemas.of(&file).map_err(|slip| problems.push(refusal(node, slip))).ok());
    let (json, schema) = (json?, schema?);
    let method = grpc.text().map_err(|problem| problems.push(problem.about("grpc"))).ok()?;
    let call = match schema.call(method, &json) {
        Ok(call) => call,
        Err(slip) => {
            let is_of_message = matches!(slip, GrpcSlip::NotAMessage { .. });
            problems.push(refusal(message.filter(|_| is_of_message).unwrap_or(grpc), slip));
            return None;
        }
    };
    if !call.streams {
        let given = events.into_iter().filter_map(|(key, node)| Some((key, node?)));
        problems.extend(given.map(|(key, node)| refusal(node, GrpcSlip::Unary(key))));
    }
    let expected = GrpcExpected { status: status.unwrap_or_default(), deadline };
    Some(Ask {
        method: "POST".to_owned(),
        path: call.path,
        headers: headers.unwrap_or_default(),
        body: json,
        status: 200..=200,
        expect: None,
        streaming: call.streams.then_some(streaming),
        grpc: Some(GrpcCall { body: call.body, expected }),
        web_socket: None,
    })
}

/// Refuses the keys of calls in a request that is none.
pub(crate) fn refuse(table: &mut Table<'_>, problems: &mut Vec<Diagnostic>) {
    for key in OF_CALLS {
        problems.extend(table.get(key).map(|node| refusal(node, GrpcSlip::OnlyOfACall(key))));
    }
}

/// What is wrong with the calls of an experiment, whose arms have to speak HTTP/2 and to run servers of the user.
pub(crate) fn misfit(requests: &Node, mix: &Mix, arms: &[Arm]) -> Option<Diagnostic> {
    if !mix.has_calls() {
        return None;
    }
    let foreign = arms.iter().find(|arm| !arm.is_the_users());
    let foreign = foreign.map(|arm| GrpcSlip::NoService { arm: arm.name.clone() });
    let old = || arms.iter().find(|arm| arm.settings.http != Some(HttpVersion::Two));
    let slip = foreign.or_else(|| old().map(|arm| GrpcSlip::NeedsHttp2 { arm: arm.name.clone() }))?;
    let call = requests.items().iter().find_map(|request| request.get("grpc"));
    Some(refusal(call.unwrap_or(requests), slip))
}

/// A slip at this place, with what to do about it.
fn refusal(node: &Node, slip: GrpcSlip) -> Diagnostic {
    let hint = advice(&slip);
    node.refuse(slip).hint(hint)
}

/// Reads which file describes the method, and where that is said.
fn schema_file<'a>(
    table: &mut Table<'a>,
    grpc: &Node,
    problems: &mut Vec<Diagnostic>,
) -> Option<(&'a Node, SchemaFile)> {
    let (node, form): (_, fn(PathBuf) -> SchemaFile) = match (table.get("proto"), table.get("descriptors")) {
        (Some(proto), None) => (proto, SchemaFile::Proto),
        (None, Some(descriptors)) => (descriptors, SchemaFile::Descriptors),
        (None, None) => {
            problems.push(refusal(grpc, GrpcSlip::NoSchema));
            return None;
        }
        (Some(_), Some(descriptors)) => {
            problems.push(refusal(descriptors, GrpcSlip::TwoSchemas));
            return None;
        }
    };
    let path = node.text().map_err(|problem| problems.push(problem)).ok()?;
    Some((node, form(path.into())))
}

/// The message as JSON: a table is written as JSON, and a text is JSON already. It is encoded once, so that nothing in it can change.
fn json_of(node: &Node) -> Result<String, Diagnostic> {
    let json = match &node.value {
        Value::Text(text) => text.clone(),
        Value::Table(_) => value_of(node)?.to_string(),
        _ => return Err(node.expected(ExpectedValue::TableLike("{ name = \"Ann\" }")).about("message")),
    };
    if json.contains(COUNTER) {
        return Err(refusal(node, GrpcSlip::Changing(COUNTER)));
    }
    Ok(json)
}

fn value_of(node: &Node) -> Result<Json, Diagnostic> {
    Ok(match &node.value {
        Value::Text(text) => Json::from(text.as_str()),
        Value::Integer(number) => Json::from(*number),
        Value::Float(number) => float(*number),
        Value::Bool(truth) => Json::from(*truth),
        Value::Date => return Err(node.expected(ExpectedValue::Text)),
        Value::List(items) => Json::Array(items.iter().map(value_of).collect::<Result<_, _>>()?),
        Value::Table(entries) => {
            let entry = |(name, value): &(Node, Node)| Ok((name.text()?.to_owned(), value_of(value)?));
            Json::Object(entries.iter().map(entry).collect::<Result<Map<_, _>, Diagnostic>>()?)
        }
    })
}

/// A fraction; JSON has no number for those that are not finite, and protobuf has names for them.
fn float(number: f64) -> Json {
    match Number::from_f64(number) {
        Some(finite) => Json::Number(finite),
        None if number.is_nan() => Json::from("NaN"),
        None if number > 0.0 => Json::from("Infinity"),
        None => Json::from("-Infinity"),
    }
}
