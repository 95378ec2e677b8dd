//! Keys of what users do: scenarios with their steps, data and variables, and JMeter plans.

use super::{DURATION, FileKey, Form, SHARE, TEXT, TEXTS, TRUTH, key, required, whole};
use crate::arm::key::ValueType;
use crate::streaming_keys::MOST_EVENTS;
use crate::values::Notation;
use traffic::grpc::GrpcStatus;
use traffic::streaming::EventForm;

pub(super) const SCALAR: Form = Form::AnyOf(&[TEXT, Form::Number, TRUTH]);

pub(super) const WORKLOAD: &[FileKey] = &[
    required("jmx", TEXT, "The plan; the path begins at this file."),
    key("properties", Form::Named(&TEXT), "Properties of the plan, as JMeter's -J gives them."),
];

pub(super) const DATA: &[FileKey] = &[
    required("file", TEXT, "A file of CSV, or of JSON Lines if it ends in .jsonl."),
    key("columns", TEXTS, "The names of the columns, if the file has no line with them."),
    key("separator", TEXT, "What is between cells; without it a comma."),
    key(
        "rows",
        Form::Plain(ValueType::OneOf(|| vec!["shared", "unique", "each", "random"])),
        "How users share the rows.",
    ),
    key(
        "at_end",
        Form::Plain(ValueType::OneOf(|| vec!["recycle", "stop"])),
        "What happens behind the last row.",
    ),
];

const PAUSE: Form = Form::AnyOf(&[Form::Quantity(Notation::Pause), Form::Plain(ValueType::Table)]);

pub(super) const SCENARIO: &[FileKey] = &[
    key("name", TEXT, "The name of the scenario."),
    key("weight", whole(1, 1_000_000), "Its share of the users; without it 1."),
    key("iterations", whole(1, 1_000_000_000), "How many sessions each user has."),
    key(
        "cookies",
        Form::AnyOf(&[TRUTH, Form::Plain(ValueType::OneOf(|| vec!["keep"]))]),
        "Whether cookies are kept for a session, or with \"keep\" as long as the user exists.",
    ),
    key(
        "on_failure",
        Form::Plain(ValueType::OneOf(|| vec!["next", "stop", "continue"])),
        "What a user does after a failed step: begin the next session, stop, or continue.",
    ),
    key("new_connections", TRUTH, "Whether each session has connections of its own."),
    key("think", PAUSE, "The pause behind each step without its own."),
    key("headers", Form::Named(&SCALAR), "Headers of all steps."),
    required("step", Form::Steps, "What a session does, from the top to the bottom."),
];

/// The keys of a request whose answer comes as a row of events.
pub(super) const STREAM: FileKey = key(
    "stream",
    Form::Plain(ValueType::OneOf(|| EventForm::ALL.map(EventForm::id).to_vec())),
    "The answer streams: what its events are.",
);
pub(super) const EVENTS: FileKey =
    key("events", whole(1, MOST_EVENTS), "How many events a right answer has; without it any number.");
pub(super) const UNTIL: FileKey = key(
    "until",
    Form::Quantity(Notation::ReadUntil),
    "When the rest of an answer is not read: after so many events, or after a time.",
);

/// The status with which a call of gRPC ends.
pub(super) const STATUS_OF_CALL: Form =
    Form::Plain(ValueType::OneOf(|| GrpcStatus::ALL.map(GrpcStatus::name).to_vec()));

/// The keys of a step of a scenario.
pub const STEP: &[FileKey] = &[
    key("get", TEXT, "The path of a GET, with its query."),
    key("post", TEXT, "The path of a POST."),
    key("put", TEXT, "The path of a PUT."),
    key("delete", TEXT, "The path of a DELETE."),
    key("patch", TEXT, "The path of a PATCH."),
    key("head", TEXT, "The path of a HEAD."),
    key("options", TEXT, "The path of an OPTIONS."),
    key("group", TEXT, "The name under which the steps within are measured together."),
    key("step", Form::Steps, "Steps within."),
    key("pause", PAUSE, "Only a pause."),
    key("set", Form::Named(&SCALAR), "Variables and their values."),
    key(
        "ws",
        TEXT,
        "The path at which the user's connection of WebSocket is opened, or a URL with ws:// or wss://.",
    ),
    key("send", TEXT, "The message that is sent on this connection."),
    key("expect", TEXT, "A text that the awaited message on this connection has; an empty one is in each."),
    key("close", TRUTH, "The connection is closed."),
    key("name", TEXT, "The name in reports."),
    key("headers", Form::Named(&SCALAR), "Headers of the request."),
    key("body", TEXT, "The body as a text."),
    key("json", Form::Any, "The body as a value that is sent as JSON."),
    key("form", Form::Named(&Form::Any), "The body as fields of a form."),
    key("body_file", TEXT, "The body as the bytes of a file."),
    key("multipart", Form::Named(&Form::Any), "The body as fields and files of a form."),
    key("bearer", TEXT, "The token of `Authorization`."),
    key("basic", Form::Plain(ValueType::Table), "User and password of `Authorization`."),
    key("redirects", whole(0, 100), "The most redirects that are followed."),
    key("timeout", DURATION, "A failure when the answer is not complete by then."),
    STREAM,
    EVENTS,
    UNTIL,
    key(
        "extract",
        Form::Named(&Form::Plain(ValueType::Table)),
        "What is taken from the answer into variables.",
    ),
    key("check", Form::Plain(ValueType::Table), "What makes the answer right."),
    key("think", PAUSE, "The pause behind the step."),
    key("if", Form::AnyOf(&[TEXT, TRUTH]), "The step is done only if this holds."),
    key("repeat", Form::AnyOf(&[TEXT, Form::Number]), "How often the step is done."),
    key("while", Form::AnyOf(&[TEXT, TRUTH]), "The step is repeated while this holds."),
    key("for_each", Form::Named(&TEXT), "The step is done for each value of a list."),
    key("once", TRUTH, "Only in the first session of a user."),
    key("share", SHARE, "The part of the sessions in which the step is done."),
];
