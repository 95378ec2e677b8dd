//! Steps on the user's connection of WebSocket: `ws` opens it, `send` and `expect` are its messages, `close` closes it.

use super::Reader;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table};
use crate::slip::{Hint, ScenarioSlip, WebSocketSlip};
use traffic::scenario::{RequestBody, SessionRequest, Template};
use traffic::web_socket::{Awaited, MessageForm, WebSocketStep};

/// What stands in the place of a method in the name of a step that opens a connection.
pub(super) const OPENING: &str = "WS";
/// The status of every answer on such a connection.
const SWITCHED: u16 = 101;
/// The keys of requests that a step which opens a connection does not have.
const NOT_OF_OPENING: [&str; 9] =
    ["body", "json", "form", "body_file", "multipart", "stream", "events", "until", "redirects"];
/// The keys of requests that messages do not have.
const NOT_OF_MESSAGES: [&str; 12] = [
    "headers",
    "bearer",
    "basic",
    "body",
    "json",
    "form",
    "body_file",
    "multipart",
    "stream",
    "events",
    "until",
    "redirects",
];

impl Reader<'_> {
    /// Reads a step that opens the user's connection.
    pub(super) fn opening(&mut self, path: &Node, table: &mut Table<'_>) -> Option<SessionRequest> {
        self.refuse_keys(table, &NOT_OF_OPENING, WebSocketSlip::NotOfOpening);
        let usual = SessionRequest::new(0, OPENING, Template::default()).statuses;
        let mut request = self.request(OPENING, path, table)?;
        request.method = Template::literal("GET");
        request.redirects = 0;
        request.web_socket = Some(WebSocketStep::Connect);
        if request.statuses == usual {
            request.statuses = vec![SWITCHED..=SWITCHED];
        }
        self.opened = Some(request.server);
        Some(request)
    }

    /// Reads a step that sends a message, awaits one, or both.
    pub(super) fn message(
        &mut self,
        send: Option<&Node>,
        expect: Option<&Node>,
        table: &mut Table<'_>,
    ) -> Option<SessionRequest> {
        let content = send.map(|node| self.template(node));
        let awaits = match expect {
            Some(node) => Awaited::Containing(self.template(node)),
            None => Awaited::Nothing,
        };
        let (sends, usual) = match send {
            Some(_) => (Some(MessageForm::Text), "send"),
            None => (None, "expect"),
        };
        let step = WebSocketStep::Message { sends, awaits };
        let awaits_nothing = step.awaits_nothing();
        let mut request = self.exchange(send.or(expect)?, usual, step, table)?;
        request.body = content.map_or(RequestBody::Nothing, RequestBody::Text);
        if awaits_nothing {
            self.refuse_keys(table, &["extract", "check"], WebSocketSlip::NothingAwaited);
            return Some(request);
        }
        if let Some(extract) = table.get("extract") {
            request.extract = self.extractors(extract);
        }
        if let Some(check) = table.get("check") {
            self.checks(check, &mut request);
        }
        Some(request)
    }

    /// Reads a step that closes the connection.
    pub(super) fn closing(&mut self, node: &Node, table: &mut Table<'_>) -> Option<SessionRequest> {
        if !self.text_of_truth(node)? {
            self.refuse(node.refuse(ScenarioSlip::IdleStep).hint(Hint::write("close = true")));
        }
        self.refuse_keys(table, &["extract", "check"], WebSocketSlip::NothingAwaited);
        let request = self.exchange(node, "close", WebSocketStep::Close, table);
        self.opened = None;
        request
    }

    /// Reads what all steps on an open connection have; `usual` is the name of the step where it has none.
    fn exchange(
        &mut self,
        node: &Node,
        usual: &str,
        step: WebSocketStep<Template>,
        table: &mut Table<'_>,
    ) -> Option<SessionRequest> {
        self.refuse_keys(table, &NOT_OF_MESSAGES, WebSocketSlip::NotOfAMessage);
        let name = self.read(table, "name", |node| node.text().map(str::to_owned));
        let timeout = self.read(table, "timeout", Node::duration);
        let Some(server) = self.opened else {
            let hint = Hint::for_example("{ ws = \"/echo\" }");
            self.refuse(node.refuse(WebSocketSlip::NotOpened).hint(hint));
            return None;
        };
        let group = self.several.then(|| self.scenario.clone());
        let number = self.program.step(name.as_deref().unwrap_or(usual), false, group.as_deref());
        let mut request = SessionRequest::new(number, OPENING, Template::default());
        request.server = server;
        request.timeout = timeout;
        request.statuses = vec![SWITCHED..=SWITCHED];
        request.web_socket = Some(step);
        Some(request)
    }

    fn text_of_truth(&mut self, node: &Node) -> Option<bool> {
        node.boolean().map_err(|problem| self.refuse(problem)).ok()
    }

    /// Refuses those of these keys that a step has.
    fn refuse_keys(
        &mut self,
        table: &mut Table<'_>,
        keys: &[&'static str],
        slip: fn(&'static str) -> WebSocketSlip,
    ) {
        for &key in keys {
            let refused: Option<Diagnostic> =
                table.get(key).map(|node| node.refuse(slip(key)).hint(Hint::LeaveOut(key)));
            self.problems.extend(refused);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario_file::parse;
    use traffic::scenario::{Action, Resources};

    /// The requests of a scenario with these steps, or what is wrong with it.
    fn requests(steps: &[&str]) -> Result<Vec<SessionRequest>, String> {
        let steps: Vec<String> = steps.iter().map(|step| format!("[[scenario.step]]\n{step}\n")).collect();
        let text = format!("[[scenario]]\n{}", steps.concat());
        let program = parse(&text, &Resources::NONE).map_err(|wrong| wrong.render("x", &text, false))?;
        let mut found = Vec::new();
        Action::visit_all(&program.groups[0].body, &mut |action| {
            if let Action::Request(request) = action {
                found.push((**request).clone());
            }
        });
        Ok(found)
    }

    #[test]
    fn a_user_opens_a_connection_sends_awaits_and_closes() {
        let steps = [
            "ws = \"wss://chat.example.com/room?a=1\"\nheaders = { Origin = \"https://x\" }",
            "send = \"hello\"",
            "expect = \"\"\nname = \"welcome\"\nextract = { id = { json = \"$.id\" } }",
            "send = \"${id}\"\nexpect = \"bye\"\ntimeout = \"1s\"",
            "close = true",
        ];
        let found = requests(&steps).unwrap();
        let [open, send, expect, both, close] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((open.method.as_literal(), open.server, open.redirects), (Some("GET"), 1, 0));
        assert_eq!(
            (open.path.as_literal(), &open.web_socket),
            (Some("/room?a=1"), &Some(WebSocketStep::Connect))
        );
        assert_eq!(open.statuses, [101..=101]);
        let message = |sends: bool, awaits: Awaited<Template>| {
            Some(WebSocketStep::Message { sends: sends.then_some(MessageForm::Text), awaits })
        };
        let containing = |text: &str| Awaited::Containing(Template::literal(text));
        assert_eq!(send.web_socket, message(true, Awaited::Nothing));
        assert_eq!(send.body, RequestBody::Text(Template::literal("hello")));
        assert_eq!((&expect.body, expect.extract.len()), (&RequestBody::Nothing, 1));
        assert_eq!(both.web_socket, message(true, containing("bye")));
        assert!(both.timeout.is_some() && both.server == 1);
        assert_eq!(close.web_socket, Some(WebSocketStep::Close));
    }

    #[test]
    fn each_slip_of_a_step_is_named() {
        let open = "ws = \"/echo\"";
        for (steps, says) in [
            (&["send = \"x\""][..], "no step before this one opens a WebSocket"),
            (&[open, "close = true", "expect = \"x\""], "no step before this one opens a WebSocket"),
            (&[open, "close = false"], "this step does nothing"),
            (&[open, "send = \"x\"\ncheck = { contains = \"y\" }"], "`check` looks at a message"),
            (&[open, "send = \"x\"\nheaders = { a = \"b\" }"], "a message of WebSocket has no `headers`"),
            (&["ws = \"/echo\"\nbody = \"x\""], "`body` is no part of opening a WebSocket"),
            (&[open, "send = \"x\"\nget = \"/\""], "a step does one thing"),
            (&["ws = \"echo\""], "a path begins with a slash"),
            (&["get = \"ws://a/\""], "a path begins with a slash"),
        ] {
            let said = requests(steps).unwrap_err();
            assert!(said.contains(says), "{steps:?}: {said}");
        }
        let refusal = requests(&["ws = \"/echo\"\ncheck = { status = 403 }"]).unwrap();
        assert_eq!(refusal[0].statuses, [403..=403]);
    }
}
