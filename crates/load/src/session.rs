//! [`Session`]: a plan under load, slice after slice, on connections that stay open in between.

use crate::Error;
use crate::clock::Clock;
use crate::http1::FirstAnswer;
use crate::shard::Shard;
use crate::slice::{Edge, Interval, Slice, Window};
use crate::tls;
use model::plan::{Arrivals, Order, Plan, Reuse};
use model::units::Rate;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;

/// Descriptors of the process that are not connections: epoll, files, pipes, the other side of a test.
const OTHER_DESCRIPTORS: u64 = 64;

/// A plan under load. Connections persist between slices.
#[derive(Debug)]
pub struct Session {
    shards: Vec<Shard>,
}

impl Session {
    /// Checks the plan and takes all memory it needs; nothing is connected yet.
    pub fn open(mut plan: Plan) -> Result<Self, Error> {
        check(&plan)?;
        plan.shards = plan.shards.clamp(1, plan.connections());
        let plan = Arc::new(plan);
        let tls = plan.tls.as_ref().map(tls::Config::new).transpose()?.map(Arc::new);
        let shards = (0..plan.shards).map(|index| Shard::new(Arc::clone(&plan), tls.clone(), index));
        Ok(Self {
            shards: shards.collect::<Result<_, _>>()?,
        })
    }

    /// What the first shard was answered first, in any slice so far.
    pub fn first_answer(&self) -> Option<&FirstAnswer> {
        self.shards.first().map(Shard::first_answer)
    }

    /// One slice of load: connects what is missing, sends, discards what ends during `settle`, counts what ends in the
    /// `counted` window, then stops sending and waits for stragglers, at most the response timeout, so that the next
    /// slice starts clean.
    ///
    /// `stop` is looked at every turn of the loop and ends the slice at once, with what was measured so far. `on_edge` is
    /// called within shard 0's loop, which is the calling thread's: at the very edges of the counted window, and after
    /// each second of each shard.
    pub fn run(
        &mut self,
        window: Window,
        stop: &AtomicBool,
        on_edge: &mut dyn FnMut(Edge<'_>),
    ) -> Result<Slice, Error> {
        let start = Clock::now();
        let Some((first, others)) = self.shards.split_first_mut() else {
            return Err(Error::EmptyPlan("shards"));
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
                seconds
                    .try_iter()
                    .for_each(|interval| on_edge(Edge::Interval(&interval)));
            };
            let mut parts = vec![first.run(start, window, stop, &mut relay)];
            parts.extend(
                threads
                    .into_iter()
                    .map(|thread| thread.join().expect("a shard does not panic")),
            );
            parts
        })
        .into_iter();
        seconds
            .try_iter()
            .for_each(|interval| on_edge(Edge::Interval(&interval)));
        let mut slice = parts.next().expect("shard 0 ran")?;
        for part in parts {
            slice.merge(part?);
        }
        Ok(slice)
    }
}

fn check(plan: &Plan) -> Result<(), Error> {
    if plan.requests.is_empty() {
        return Err(Error::EmptyPlan("requests"));
    }
    if plan.connections() == 0 {
        return Err(Error::EmptyPlan("connections"));
    }
    if plan.limit == Some(0) || plan.users.iterations == Some(0) {
        return Err(Error::EmptyPlan("requests"));
    }
    if let Order::Weighted(weights) = &plan.order
        && (weights.len() != plan.requests.len() || weights.iter().all(|&weight| weight == 0))
    {
        return Err(Error::BadWeights);
    }
    if plan.pipeline == 0 {
        return Err(Error::EmptyPlan("requests"));
    }
    if plan.pipeline > 1 && (plan.arrivals.open() || plan.reuse != Reuse::PerUser) {
        return Err(Error::BadPipeline);
    }
    check_rates(plan)?;
    check_descriptors(plan.connections())
}

fn check_rates(plan: &Plan) -> Result<(), Error> {
    let right = |rate: &Rate| rate.0 > 0.0 && rate.0 <= 1e9;
    let bad = match &plan.arrivals {
        Arrivals::Closed { .. } => None,
        Arrivals::Open { rate, .. } => Some(*rate).filter(|rate| !right(rate)),
        Arrivals::Stages { stages, .. } => {
            let rates = || stages.iter().flat_map(|stage| [stage.from, stage.to]);
            if rates().all(|rate| rate.0 == 0.0) {
                return Err(Error::EmptyPlan("rate"));
            }
            rates().find(|rate| rate.0 != 0.0 && !right(rate))
        }
    };
    let bad = bad.or(plan.connect_rate.filter(|rate| !right(rate)));
    bad.map_or(Ok(()), |rate| Err(Error::BadRate(rate.0)))
}

/// Raises the soft limit of descriptors as far as the plan needs and the hard limit allows.
fn check_descriptors(connections: usize) -> Result<(), Error> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let needed = connections as u64 + OTHER_DESCRIPTORS;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    if let Some(maximum) = limit.maximum.filter(|&maximum| maximum < needed) {
        return Err(Error::Descriptors {
            connections,
            limit: maximum,
        });
    }
    let raised = Rlimit {
        current: Some(needed),
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).map_err(Error::system("raise the limit of file descriptors"))
}
