//! [`Reply`]: the answer that is being received, whatever frames it: it is compared with what is expected, and kept if somebody looks at it.

use crate::Fault;
use crate::events::{EventArrivals, EventScanner};
use crate::grpc::{GrpcReply, WrongGrpc};
use crate::http1::FirstAnswer;
use model::units::Nanos;
use traffic::grpc::GrpcStatus;
use traffic::plan::Request;

/// The most bytes of a body that are kept.
const MAX_KEPT: usize = 64 << 20;

/// The answer that is being received.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    response: FinishedResponse,
    /// Body bytes so far.
    body_length: u64,
    /// Its events, where it streams.
    events: EventScanner,
    /// The answer itself, if it is kept.
    kept: Option<Box<KeptAnswer>>,
    /// What is known of the last answer of gRPC.
    grpc: GrpcReply,
}

/// What is told about a response that is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FinishedResponse {
    /// Its status code.
    pub status: u16,
    /// True when the connection can carry another request.
    pub keep_alive: bool,
    /// Length of its body in bytes, without framing.
    pub body: u64,
    /// The events of a response that streams, at most `u32::MAX`. Four bytes fit beside the others; eight cost each response a larger copy.
    pub events: u32,
    /// The fault of a response that is not the expected one; `None` for an expected response.
    pub wrong: Option<Fault>,
}

/// An answer that is kept until the next one comes.
#[derive(Debug, Default)]
struct KeptAnswer {
    head: Vec<u8>,
    /// At most [`MAX_KEPT`] bytes.
    body: Vec<u8>,
}

impl KeptAnswer {
    fn begin(&mut self, head: &[u8]) {
        self.head.clear();
        self.head.extend_from_slice(head);
        self.body.clear();
    }

    /// Keeps a whole answer, which ends with `body` bytes of body. Not inlined, because most connections keep nothing, and their answers should
    /// cost one comparison only.
    #[cold]
    #[inline(never)]
    fn replace(&mut self, answer: &[u8], body: usize) {
        let (head, body) = answer.split_at(answer.len() - body);
        self.begin(head);
        self.add(body);
    }

    fn add(&mut self, bytes: &[u8]) {
        let room = MAX_KEPT.saturating_sub(self.body.len()).min(bytes.len());
        self.body.extend_from_slice(&bytes[..room]);
    }
}

impl Reply {
    /// Keeps each answer until the next one.
    pub(crate) fn keeping() -> Self {
        Self { kept: Some(Box::default()), ..Self::default() }
    }

    /// Status line and headers of the last answer, if answers are kept.
    pub(crate) fn kept_head(&self) -> &[u8] {
        self.kept.as_ref().map_or(&[], |kept| &kept.head)
    }

    /// The body of the last answer, without framing, if answers are kept.
    pub(crate) fn kept_body(&self) -> &[u8] {
        self.kept.as_ref().map_or(&[], |kept| &kept.body)
    }

    /// Takes the status of an answer.
    pub(crate) fn begin(&mut self, status: u16, keep_alive: bool, request: &Request) {
        let right = request.status.contains(&status);
        self.response = FinishedResponse {
            status,
            keep_alive,
            wrong: (!right).then_some(Fault::WrongStatus),
            ..FinishedResponse::default()
        };
        self.body_length = 0;
        self.events = EventScanner::default();
    }

    /// Notes that the connection carries no other request, unless this is true.
    pub(crate) fn close_unless(&mut self, keep_alive: bool) {
        self.response.keep_alive &= keep_alive;
    }

    /// Keeps the head of an answer, if answers are kept.
    pub(crate) fn keep_head(&mut self, head: &[u8]) {
        if let Some(kept) = &mut self.kept {
            kept.begin(head);
        }
    }

    /// Keeps an answer that has come as a whole, with `body` bytes of body, if answers are kept.
    #[inline]
    pub(crate) fn keep_whole(&mut self, answer: &[u8], body: usize) {
        if let Some(kept) = &mut self.kept {
            kept.replace(answer, body);
        }
    }

    /// Takes a piece of the body and compares it with the expected bytes.
    pub(crate) fn take_body(&mut self, bytes: &[u8], request: &Request) {
        if let (Some(expected), None) = (&request.body, self.response.wrong) {
            let at = usize::try_from(self.body_length).unwrap_or(usize::MAX);
            let end = at.saturating_add(bytes.len());
            if expected.get(at..end) != Some(bytes) {
                self.response.wrong = Some(Fault::WrongBody);
            }
        }
        if let Some(kept) = &mut self.kept {
            kept.add(bytes);
        }
        if let Some(streaming) = &request.streaming {
            self.events.take(streaming.form, bytes);
        }
        self.body_length += bytes.len() as u64;
    }

    /// Notes that a chunk or a DATA frame has ended.
    pub(crate) fn end_chunk(&mut self, request: &Request) {
        if let Some(streaming) = &request.streaming {
            self.events.end_chunk(streaming.form);
        }
    }

    /// Begins an answer of gRPC with its head. With `end`, the answer has nothing else, so that the head has its status.
    pub(crate) fn begin_grpc(&mut self, head: &[u8], end: bool) {
        self.grpc = GrpcReply::default();
        if end {
            self.grpc.read_status(head);
        }
    }

    /// Takes the trailers of an answer of gRPC.
    pub(crate) fn take_grpc_trailers(&mut self, trailers: &[u8]) {
        self.grpc.read_status(trailers);
    }

    /// Takes a piece of the body of an answer of gRPC. Its messages are events, also where nobody asks for events.
    pub(crate) fn take_messages(&mut self, bytes: &[u8]) {
        self.events.add(self.grpc.take(bytes));
    }

    /// Whether the present answer is one of gRPC with a message that cannot be read.
    pub(crate) const fn has_broken_message(&self, request: &Request) -> bool {
        request.grpc.is_some() && self.grpc.is_broken()
    }

    /// What is wrong with the last answer, if it was one of gRPC.
    pub(crate) fn wrong_grpc(&self, request: &Request) -> Option<WrongGrpc> {
        self.grpc.wrong(request.grpc?, request.streaming.is_some(), self.events.count())
    }

    /// The fault of a complete answer of gRPC; `wrong` is its fault as an answer of HTTP. Without a status of HTTP that is right, nothing else
    /// is looked at, and the number of messages matters only where the call has succeeded.
    pub(crate) fn judge_grpc(&self, wrong: Option<Fault>, request: &Request) -> Option<Fault> {
        match (wrong, self.wrong_grpc(request)) {
            (Some(Fault::WrongStatus), _) => wrong,
            (_, Some(found)) => Some(found.fault()),
            (_, None) => {
                let succeeds = request.grpc.is_some_and(|expected| expected.status == GrpcStatus::Ok);
                wrong.filter(|_| succeeds)
            }
        }
    }

    /// Takes a message of WebSocket, which is an event and, where answers are kept, the body of the answer. `content` is empty where messages are
    /// not kept.
    pub(crate) fn take_message(&mut self, content: &[u8], length: u64) {
        if let Some(kept) = &mut self.kept {
            kept.begin(&[]);
            kept.add(content);
        }
        self.body_length += length;
        self.events.add(1);
    }

    /// Whether as many messages of WebSocket have come as complete an exchange: one, unless its request says how many.
    pub(crate) fn has_all_messages(&self, request: &Request) -> bool {
        let enough = request.streaming.map_or(Some(1), |streaming| streaming.enough_messages());
        enough.is_some_and(|enough| self.events.count() >= enough)
    }

    /// The events that were not told of yet; see [`EventScanner::tell`].
    pub(crate) fn tell_events(
        &mut self,
        request: &Request,
        sent: Nanos,
        arrived: Nanos,
    ) -> Option<EventArrivals> {
        let streaming = request.streaming.as_ref()?;
        self.events.tell(streaming, sent, arrived)
    }

    /// Whether the answer goes on, and has as many events as are read.
    pub(crate) fn has_all_events(&self, request: &Request) -> bool {
        let most = request.streaming.and_then(|streaming| streaming.most_events());
        most.is_some_and(|most| self.events.count() >= most)
    }

    /// Whether an answer whose time is over has enough events to be left.
    pub(crate) fn may_leave(&self, request: &Request) -> bool {
        request.streaming.is_some_and(|streaming| streaming.may_leave(self.events.count()))
    }

    fn counted_events(&self) -> u32 {
        u32::try_from(self.events.count()).unwrap_or(u32::MAX)
    }

    /// What is told about an answer that goes on, and whose rest is not read.
    pub(crate) fn leave(&self) -> FinishedResponse {
        FinishedResponse {
            keep_alive: false,
            body: self.body_length,
            events: self.counted_events(),
            ..self.response
        }
    }

    /// Forgets the events of the answer before.
    pub(crate) fn forget_events(&mut self) {
        self.events = EventScanner::default();
    }

    /// Ends a complete answer, and checks its length.
    pub(crate) fn finish(&mut self, request: &Request, first: &mut FirstAnswer) -> FinishedResponse {
        let mut response = self.response;
        response.body = self.body_length;
        let expected = request.body.as_ref().filter(|_| !request.head);
        if response.wrong.is_none() && expected.is_some_and(|body| body.len() as u64 != self.body_length) {
            response.wrong = Some(Fault::WrongBody);
        }
        if let Some(streaming) = request.streaming.filter(|_| !request.head) {
            self.events.end(streaming.form);
            response.events = self.counted_events();
            if response.wrong.is_none() && !streaming.is_right(self.events.count()) {
                response.wrong = Some(Fault::WrongEvents);
            }
        }
        let first = first.body.get_or_insert(self.body_length);
        if request.same_length && *first != self.body_length {
            response.wrong = Some(match response.wrong {
                Some(Fault::WrongStatus) => Fault::WrongStatusAndBody,
                _ => Fault::WrongBody,
            });
        }
        response
    }

    /// Forgets an answer that will not become complete. What is kept stays until the next one.
    pub(crate) fn reset(&mut self) {
        self.response = FinishedResponse::default();
        self.body_length = 0;
    }
}
