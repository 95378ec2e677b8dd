//! [`Spots`]: requests put together by what they do or wait for.

use super::activity::Activity;
use super::frames::{Kind, Owner, Rule, owner};
use model::units::Share;
use record::finding::{Bounded, Doing, InMethod, RequestPlace};
use record::inspection::StackSeen;

/// Requests that do the same, or wait for the same thing.
#[derive(Clone, Debug)]
pub(crate) struct Spot<'a> {
    pub(crate) kind: Kind,
    pub(crate) doing: Doing,
    /// What they wait for, where it has a name: a library, the class of a lock, an address, the threads of a pool.
    pub(crate) what: Option<String>,
    /// The rule of the library that they wait for.
    pub(super) rule: Option<&'static Rule>,
    /// The method of the application in which most of them are.
    pub(crate) method: Option<&'a str>,
    /// The method that called it.
    pub(crate) caller: Option<&'a str>,
    /// Requests, mean.
    pub(crate) requests: f64,
    /// How many there are of what they wait for, where that is known otherwise than by counting its holders.
    pub(crate) slots: Option<f64>,
    /// The stacks of the threads, each with the number of requests.
    pub(super) stacks: Vec<(&'a StackSeen, f64)>,
    /// The number of requests in the largest group with one method.
    pub(super) largest: f64,
}

impl<'a> Spot<'a> {
    /// Requests that have no thread of the server.
    pub(super) fn without_threads(kind: Kind, doing: Doing, what: Option<String>, requests: f64) -> Self {
        Self {
            kind,
            doing,
            what,
            rule: None,
            method: None,
            caller: None,
            requests,
            slots: None,
            stacks: Vec::new(),
            largest: 0.0,
        }
    }

    /// Requests whose threads do this.
    pub(super) fn of(stack: &'a StackSeen, activity: &Activity<'a>, requests: f64) -> Self {
        Self {
            rule: activity.rule,
            method: activity.method,
            caller: activity.caller,
            stacks: vec![(stack, requests)],
            largest: requests,
            ..Self::without_threads(activity.kind, doing(activity.kind), name(stack, activity), requests)
        }
    }

    /// Whether both are for the same thing. What is not bounded is one place, wherever it is asked for; of locks and the like there
    /// are many.
    fn is_same(&self, other: &Self) -> bool {
        let key = |spot: &Self| (spot.kind, spot.doing);
        let thing = match self.kind {
            Kind::Lock | Kind::Pool | Kind::Shared | Kind::Log => self.what == other.what,
            Kind::Permit | Kind::Queue | Kind::Signal | Kind::Limiter => {
                (self.product(), self.method) == (other.product(), other.method)
            }
            _ => true,
        };
        key(self) == key(other) && thing
    }

    /// Adds the requests of another spot.
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        if other.largest > self.largest {
            (self.method, self.caller) = (other.method, other.caller);
            (self.what, self.rule) = (other.what.or(self.what.take()), other.rule.or(self.rule));
            self.largest = other.largest;
        }
        self.stacks.extend(other.stacks);
    }

    /// The library that they wait for, as people call it.
    pub(crate) fn product(&self) -> Option<&'static str> {
        self.rule?.product()
    }

    /// The stacks of their threads.
    pub(crate) fn stacks(&self) -> impl Iterator<Item = &'a StackSeen> {
        self.stacks.iter().map(|(stack, _)| *stack)
    }

    /// The requests with such a method on the stacks of their threads.
    pub(crate) fn requests_within(&self, is_one: impl Fn(&str) -> bool) -> f64 {
        let is_within = |stack: &StackSeen| stack.frames.iter().any(|method| is_one(method));
        let within = self.stacks.iter().filter(|(stack, _)| is_within(stack));
        within.map(|(_, requests)| requests).sum()
    }

    /// Whether its requests wait to write to their connection: within a write, or for the lock of a connection of HTTP/2.
    pub(crate) fn is_at_connection(&self) -> bool {
        let is_of_connection = |stack: &StackSeen| {
            let of_server = stack.frames.iter().find(|method| owner(method) != Owner::Jdk);
            of_server.is_some_and(|method| method.contains(".http2."))
        };
        match self.kind {
            Kind::Client => true,
            Kind::Lock => self.stacks().all(is_of_connection),
            _ => false,
        }
    }

    /// The setting of that library which bounds it.
    pub(crate) fn setting(&self) -> Option<&'static str> {
        self.rule?.setting()
    }

    /// What there is a limited number of; `None` for a place where nobody waits for a turn.
    pub(crate) fn bounded(&self) -> Option<Bounded> {
        let what = || self.what.clone().unwrap_or_default();
        let product = || self.product().unwrap_or_default().to_owned();
        Some(match (self.kind, self.doing) {
            (_, Doing::Thread) => Bounded::Threads { names: what() },
            (Kind::Pool, _) if self.rule.is_none() => Bounded::Client { peer: what() },
            (Kind::Pool, _) => Bounded::Library {
                product: product(),
                lends: self.rule?.lends,
                setting: self.setting().map(str::to_owned),
            },
            (Kind::Shared, _) => Bounded::OneConnection { product: product() },
            (Kind::Queue, _) => Bounded::Queue,
            (Kind::Permit | Kind::Signal, _) => Bounded::Permits,
            _ => return None,
        })
    }

    /// The class of the object that most of their threads wait for.
    pub(crate) fn waits_for(&self) -> Option<&'a str> {
        let most = self.stacks.iter().max_by(|one, other| one.1.total_cmp(&other.1));
        most?.0.waits_for.as_deref()
    }

    /// The method of the application in which most of them are, with its line: `shop.Orders.find:42`.
    pub(crate) fn method_at(&self) -> Option<String> {
        self.at(self.method?)
    }

    /// That method and the one that called it, with their lines.
    pub(crate) fn in_method(&self) -> InMethod {
        InMethod { method: self.method_at(), caller: self.caller.and_then(|caller| self.at(caller)) }
    }

    /// A method with the line at which most threads are in it.
    fn at(&self, method: &str) -> Option<String> {
        let stacks = self.stacks.iter().filter(|(stack, _)| stack.frames.iter().any(|frame| frame == method));
        let most = stacks.max_by(|one, other| one.1.total_cmp(&other.1));
        most.map_or_else(|| Some(method.to_owned()), |(stack, _)| stack.place_of(method))
    }

    /// The place as a part of `all` requests.
    pub(crate) fn place(&self, all: f64) -> RequestPlace {
        RequestPlace {
            doing: self.doing,
            what: self.what.clone(),
            at: self.in_method(),
            share: Share((self.requests / all.max(1e-9)).min(1.0)),
        }
    }
}

/// What a request does whose thread does this.
const fn doing(kind: Kind) -> Doing {
    match kind {
        Kind::Runs => Doing::Runs,
        Kind::Permit | Kind::Queue | Kind::Signal => Doing::Permit,
        Kind::Pool | Kind::Shared => Doing::Pool,
        Kind::Limiter => Doing::Limiter,
        Kind::Lock => Doing::Lock,
        Kind::Answer | Kind::Socket | Kind::Driver => Doing::Answer,
        Kind::Client => Doing::Client,
        Kind::LookUp => Doing::LookUp,
        Kind::Connect => Doing::Connect,
        Kind::OwnClient => Doing::OwnClient,
        Kind::Read | Kind::Write => Doing::File,
        Kind::Sync => Doing::Sync,
        Kind::Log => Doing::Log,
        Kind::Result => Doing::Result,
        Kind::Sleep => Doing::Sleep,
        Kind::Idle | Kind::Events | Kind::Reserved | Kind::Other => Doing::Other,
    }
}

/// The name of what a thread waits for: the library, or a lock's class. A lock of `java.util.concurrent`, or
/// a plain object, says little: then the method that asks for it is added.
fn name(stack: &StackSeen, activity: &Activity<'_>) -> Option<String> {
    let product = activity.rule.and_then(Rule::product).map(str::to_owned);
    if activity.kind != Kind::Lock || product.is_some() {
        return product;
    }
    let class = stack.waits_for.as_deref().unwrap_or("java.lang.Object");
    let says_little = class.starts_with("java.util.concurrent.locks.") || class == "java.lang.Object";
    let short = class.rsplit('.').next().unwrap_or(class);
    let short = short.split('$').next().unwrap_or(short);
    Some(match activity.method.filter(|_| says_little) {
        Some(method) => format!("{short} in {method}"),
        None => class.to_owned(),
    })
}

/// All requests in flight by what they do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spots<'a> {
    pub(crate) all: Vec<Spot<'a>>,
}

impl<'a> Spots<'a> {
    /// Adds requests whose threads have this stack.
    pub(super) fn add(&mut self, stack: &'a StackSeen, activity: &Activity<'a>, requests: f64) {
        self.put(Spot::of(stack, activity, requests));
    }

    /// Adds requests.
    pub(super) fn put(&mut self, spot: Spot<'a>) {
        if spot.requests <= 0.0 {
            return;
        }
        match self.all.iter_mut().find(|other| other.is_same(&spot)) {
            Some(same) => same.add(spot),
            None => self.all.push(spot),
        }
    }

    /// All requests.
    pub(crate) fn requests(&self) -> f64 {
        self.all.iter().map(|spot| spot.requests).sum()
    }

    /// The requests that do this.
    pub(crate) fn doing(&self, kind: Kind) -> f64 {
        let all = self.all.iter().filter(|spot| spot.kind == kind);
        all.map(|spot| spot.requests).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(waits_for: &str, frames: &[&str]) -> StackSeen {
        StackSeen {
            state: record::inspection::ThreadState::Blocked,
            waits_for: Some(waits_for.to_owned()),
            frames: frames.iter().map(|frame| (*frame).to_owned()).collect(),
            ..StackSeen::default()
        }
    }

    fn spots(stacks: &[(StackSeen, f64)]) -> Spots<'_> {
        let mut spots = Spots::default();
        for (stack, requests) in stacks {
            spots.add(stack, &Activity::of(stack), *requests);
        }
        spots
    }

    #[test]
    fn a_lock_is_named_by_its_class_wherever_it_is_asked_for() {
        let stacks = [
            (stack("shop.Tickets", &["shop.Tickets.sell", "shop.Sales.doGet"]), 3.0),
            (stack("shop.Tickets", &["shop.Tickets.count", "shop.Sales.doGet"]), 5.0),
            (stack("shop.Prices", &["shop.Prices.of", "shop.Sales.doGet"]), 1.0),
        ];
        let spots = spots(&stacks);
        assert_eq!(spots.all.len(), 2);
        let tickets = &spots.all[0];
        assert_eq!((tickets.what.as_deref(), tickets.requests), (Some("shop.Tickets"), 8.0));
        assert_eq!(tickets.method, Some("shop.Tickets.count"));
        assert_eq!(tickets.bounded(), None);
    }

    #[test]
    fn a_lock_without_a_telling_class_is_named_by_its_place() {
        let lock = "java.util.concurrent.locks.ReentrantLock$NonfairSync";
        let stacks = [(stack(lock, &["shop.Tickets.sell"]), 3.0)];
        assert_eq!(spots(&stacks).all[0].what.as_deref(), Some("ReentrantLock in shop.Tickets.sell"));
    }
}
