//! [`Session`]: runs a plan slice by slice, on connections that stay open between the slices.

use crate::clock;
use crate::descriptors::ReservedDescriptors;
use crate::error::{Error, PlanPart};
use crate::http1::FirstAnswer;
use crate::shard::{ServerLink, Shard};
use crate::slice::{Edge, Interval, Slice};
use crate::users::{Traffic, expected_requests};
use model::units::{Nanos, Rate};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use traffic::plan::{Arrivals, Http, Order, Plan, Reuse, Window};

/// A plan that is run slice by slice. Connections persist between slices.
#[derive(Debug)]
pub struct Session {
    shards: Vec<Shard>,
    /// Is given back when the connections are closed.
    _descriptors: ReservedDescriptors,
}

impl Session {
    /// Checks the plan and takes all memory that it needs; opens no connection yet.
    ///
    /// # Errors
    ///
    /// An [`Error`] says what is wrong with the plan, or what the system refuses.
    pub fn open(mut plan: Plan) -> Result<Self, Error> {
        if let Some(sessions) = &plan.sessions {
            plan.requests = expected_requests(&sessions.program);
        }
        check_plan(&plan)?;
        let descriptors = ReservedDescriptors::for_connections(plan.sockets())?;
        plan.shards = plan.shards.clamp(1, plan.connections());
        let plan = Arc::new(plan);
        let traffic = Traffic::new(&plan)?.map(Arc::new);
        let servers = ServerLink::all(&plan)?;
        let shards = (0..plan.shards)
            .map(|index| Shard::new(Arc::clone(&plan), Arc::clone(&servers), traffic.clone(), index));
        Ok(Self { shards: shards.collect::<Result<_, _>>()?, _descriptors: descriptors })
    }

    /// What the first response to the first shard said; empty before there was one.
    pub fn first_answer(&self) -> Option<&FirstAnswer> {
        self.shards.first().map(Shard::first_answer)
    }

    /// Runs one slice of load. It opens missing connections and begins to send, ignores what ends while the load settles
    /// (`window.settle`), counts what ends in the counted window (`window.counted`), and then stops sending. It waits for
    /// the requests in flight, at most the response timeout, so that the next slice begins without them.
    ///
    /// When `stop` becomes true, the slice ends within 50 ms with what was measured so far. `on_edge` is called in the
    /// event loop of shard 0, which runs on the calling thread: at both edges of the counted window, and after each second
    /// of every shard.
    ///
    /// # Errors
    ///
    /// [`Error::System`] when waiting for events fails.
    pub fn run(
        &mut self,
        window: Window,
        stop: &AtomicBool,
        on_edge: &mut dyn FnMut(Edge<'_>),
    ) -> Result<Slice, Error> {
        self.run_from(clock::now(), window, stop, on_edge)
    }

    /// Waits for the requests in flight after the last slice of a plan whose slices go on with each other ([`Plan::continuous`]).
    ///
    /// # Errors
    ///
    /// [`Error::System`] when waiting for events fails.
    pub fn drain(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        self.shards.iter_mut().try_for_each(|shard| shard.drain(stop))
    }

    /// Like [`Session::run`], for a slice that has begun at `start`, a time of [`now`](crate::now). Sessions that are run
    /// by several threads from one such time have the same edges. Requests that were due since then are sent at once.
    ///
    /// # Errors
    ///
    /// [`Error::System`] when waiting for events fails.
    pub fn run_from(
        &mut self,
        start: Nanos,
        window: Window,
        stop: &AtomicBool,
        on_edge: &mut dyn FnMut(Edge<'_>),
    ) -> Result<Slice, Error> {
        let Some((first, others)) = self.shards.split_first_mut() else {
            return Err(Error::EmptyPlan(PlanPart::Shards));
        };
        if others.is_empty() {
            return first.run(start, window, stop, on_edge);
        }
        let (sender, seconds) = mpsc::channel::<Interval>();
        let mut parts = std::thread::scope(|scope| {
            let threads: Vec<_> = others
                .iter_mut()
                .map(|shard| {
                    let sender = sender.clone();
                    scope.spawn(move || {
                        shard.run(start, window, stop, &mut |edge| {
                            if let Edge::Interval(interval) = edge {
                                sender.send(interval.clone()).ok();
                            }
                        })
                    })
                })
                .collect();
            let mut relay = |edge: Edge<'_>| {
                on_edge(edge);
                seconds.try_iter().for_each(|interval| on_edge(Edge::Interval(&interval)));
            };
            let mut parts = vec![first.run(start, window, stop, &mut relay)];
            parts.extend(threads.into_iter().map(|thread| thread.join().expect("a shard does not panic")));
            parts
        })
        .into_iter();
        seconds.try_iter().for_each(|interval| on_edge(Edge::Interval(&interval)));
        let mut slice = parts.next().expect("shard 0 ran")?;
        for part in parts {
            slice.merge(part?);
        }
        Ok(slice)
    }
}

/// Refuses a plan that would send nothing or whose parts contradict each other.
fn check_plan(plan: &Plan) -> Result<(), Error> {
    if plan.requests.is_empty() {
        return Err(Error::EmptyPlan(PlanPart::Requests));
    }
    if plan.connections() == 0 {
        return Err(Error::EmptyPlan(PlanPart::Connections));
    }
    if plan.limit == Some(0) || plan.users.iterations == Some(0) {
        return Err(Error::EmptyPlan(PlanPart::Requests));
    }
    if let Order::Weighted(weights) = &plan.order
        && (weights.len() != plan.requests.len() || weights.iter().all(|&weight| weight == 0))
    {
        return Err(Error::BadWeights);
    }
    if plan.pipeline == 0 {
        return Err(Error::EmptyPlan(PlanPart::Requests));
    }
    if plan.pipeline > 1 && (plan.arrivals.open() || plan.reuse != Reuse::PerUser) {
        return Err(Error::BadPipeline);
    }
    if let Http::Two { streams } = plan.http
        && (streams == 0 || plan.pipeline > 1 || plan.reuse == Reuse::Never)
    {
        return Err(Error::BadHttp2);
    }
    if plan.http == Http::One && plan.requests.iter().any(|request| request.grpc.is_some()) {
        return Err(Error::GrpcWithoutHttp2);
    }
    check_web_socket(plan)?;
    if plan.sessions.is_some() && (plan.pipeline > 1 || matches!(plan.reuse, Reuse::Pool(_))) {
        return Err(Error::SessionsShare);
    }
    check_rates(plan)
}

/// Refuses messages of WebSocket beside what does not go with them.
fn check_web_socket(plan: &Plan) -> Result<(), Error> {
    let mut are_messages = plan.requests.iter().map(|request| request.web_socket.is_some());
    if plan.http != Http::One && are_messages.clone().any(|is_message| is_message) {
        return Err(Error::WebSocketOverHttp2);
    }
    if plan.opening.is_some() && plan.pipeline > 1 {
        return Err(Error::BadPipeline);
    }
    if plan.sessions.is_none() && are_messages.any(|is_message| is_message != plan.opening.is_some()) {
        return Err(Error::MixedMessages);
    }
    Ok(())
}

/// Refuses rates that are not positive or exceed 10^9 per second. A stage may have a rate of 0, but not all of them.
fn check_rates(plan: &Plan) -> Result<(), Error> {
    let is_valid = |rate: &Rate| rate.0 > 0.0 && rate.0 <= 1e9;
    let bad = match &plan.arrivals {
        Arrivals::Closed { .. } => None,
        Arrivals::Open { rate, .. } => Some(*rate).filter(|rate| !is_valid(rate)),
        Arrivals::Stages { stages, .. } => {
            let rates = || stages.iter().flat_map(|stage| [stage.from, stage.to]);
            if rates().all(|rate| rate.0 == 0.0) {
                return Err(Error::EmptyPlan(PlanPart::Rate));
            }
            rates().find(|rate| rate.0 != 0.0 && !is_valid(rate))
        }
    };
    let bad = bad.or(plan.connect_rate.filter(|rate| !is_valid(rate)));
    bad.map_or(Ok(()), |rate| Err(Error::BadRate(rate.0)))
}
