//! [`Activity`]: what a thread does, by its state and its stack.

use super::frames::{self, Kind, Owner, Rule, owner};
use record::inspection::{StackSeen, ThreadState};

/// How many of the innermost methods tell that a virtual thread of an unknown state is parked.
const TOP: usize = 8;
/// Beginnings of the names of methods in which a virtual thread is parked.
const PARKED: [&str; 3] = [
    "java.lang.VirtualThread.park",
    "java.lang.VirtualThread.yieldContinuation",
    "jdk.internal.vm.Continuation.yield",
];
/// A thread waits for work or for events if at most so many methods of libraries are within the one that tells so: further out
/// the same methods are on the stack of a thread that works.
const NEAR: usize = 3;

/// What a thread does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Activity<'a> {
    pub(super) kind: Kind,
    /// The rule of a library that says so.
    pub(super) rule: Option<&'static Rule>,
    /// The innermost method of the application.
    pub(super) method: Option<&'a str>,
    /// The next method of the application further out.
    pub(super) caller: Option<&'a str>,
}

impl<'a> Activity<'a> {
    /// What the threads with this stack do.
    pub(super) fn of(stack: &'a StackSeen) -> Self {
        let all = &stack.frames;
        let is_ours = |method: &String| owner(method) == Owner::Application;
        let opening = all.iter().position(|method| frames::opening(method).is_some());
        // What looks a name up for the application may be a class of its own, within the JDK's.
        let from = opening.unwrap_or(0);
        let place = all[from..].iter().position(is_ours).map(|place| from + place);
        let within = &all[..place.map_or(all.len(), |place| place + 1)];
        let method = place.map(|place| all[place].as_str());
        let outer = all.iter().skip(within.len()).filter(|method| is_ours(method));
        let caller = outer.map(String::as_str).find(|other| Some(*other) != method);
        let base = base_kind(stack, within);
        let refined = refined_kind(base, within);
        let told = all.iter().any(|method| frames::is_inspection(method));
        let (kind, rule) = match refined {
            _ if told => (Kind::Idle, None),
            _ if opening.is_some() => (frames::opening(&all[from]).unwrap_or(base), None),
            Some((kind, rule)) => (kind, Some(rule)),
            None => (base, None),
        };
        Self { kind, rule, method, caller }
    }

    /// Whether a request may be within it, or a thread that works for one.
    pub(super) fn is_work(&self) -> bool {
        !matches!(self.kind, Kind::Idle | Kind::Events | Kind::Reserved)
    }
}

/// Whether the JVM says that the thread waits.
fn waits(stack: &StackSeen) -> bool {
    let is_parked = |method: &String| PARKED.iter().any(|begin| method.starts_with(begin));
    match stack.state {
        ThreadState::Blocked | ThreadState::Waiting => true,
        ThreadState::Runnable => false,
        ThreadState::Unknown => stack.frames.iter().take(TOP).any(is_parked),
    }
}

/// What the state and the methods of the JDK at the top of the stack say.
fn base_kind(stack: &StackSeen, within: &[String]) -> Kind {
    let waits = waits(stack);
    let of_jdk = within.iter().take_while(|method| owner(method) == Owner::Jdk);
    let rules = of_jdk.filter_map(|method| frames::of_jdk(method));
    let outermost = rules.filter(|rule| frames::applies(rule, waits)).last();
    match (outermost.map(|rule| rule.kind), stack.state) {
        // A thread that writes to a file of the JDK waits for other writers, even if for their lock.
        (Some(kind @ (Kind::Sync | Kind::Write)), ThreadState::Blocked) => kind,
        (_, ThreadState::Blocked) => Kind::Lock,
        (Some(kind), _) => kind,
        (None, _) if waits => Kind::Other,
        (None, _) => Kind::Runs,
    }
}

/// The kind that the innermost method of a library shows, with the rule that has its name. Methods are passed over
/// whose kind does not fit to the kind that the JDK shows.
fn refined_kind(base: Kind, within: &[String]) -> Option<(Kind, &'static Rule)> {
    let mut beyond = 0;
    let mut found = None;
    for (index, method) in within.iter().enumerate() {
        let rule = frames::of_library(method);
        let kind = rule.and_then(|rule| Some((frames::refined(rule, base)?, rule)));
        let no_work = [Kind::Idle, Kind::Events, Kind::Reserved];
        let is_far = |kind| no_work.contains(&kind) && beyond >= NEAR;
        if let Some((kind, rule)) = kind.filter(|(kind, _)| !is_far(*kind)) {
            found = Some((index, kind, rule));
            break;
        }
        beyond += usize::from(owner(method) != Owner::Jdk);
    }
    let (index, kind, inner) = found?;
    if let Some(pool) = pool_of_client(inner, base, &within[index..]) {
        return Some((Kind::Pool, pool));
    }
    // A pool on top of another one is the one that people know.
    let outer = within[index..].iter().rev();
    let outer = outer.filter_map(|method| frames::of_library(method));
    let named = outer.filter(|rule| rule.kind == Kind::Pool).find(|_| kind == Kind::Pool);
    Some((kind, named.unwrap_or(inner)))
}

/// The rule that says that a client waits for one of its connections, which it does in classes that it uses for answers, too.
fn pool_of_client(inner: &Rule, base: Kind, further: &[String]) -> Option<&'static Rule> {
    let all = further.iter().filter_map(|method| frames::of_library(method));
    let pools = all.filter(|rule| rule.kind == Kind::Pool && rule.product() == inner.product());
    let mut fits = pools.filter(|rule| inner.kind == Kind::Driver && frames::refined(rule, base).is_some());
    fits.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread in this state with these methods, innermost first.
    fn kind(state: ThreadState, frames: &[&str]) -> Kind {
        let stack = stack(state, frames);
        Activity::of(&stack).kind
    }

    fn stack(state: ThreadState, frames: &[&str]) -> StackSeen {
        StackSeen {
            state,
            frames: frames.iter().map(|frame| (*frame).to_owned()).collect(),
            ..StackSeen::default()
        }
    }

    const SERVLET: [&str; 2] = ["shop.Checkout.doGet", "javax.servlet.http.HttpServlet.service"];

    fn with_servlet<'a>(inner: &[&'a str]) -> Vec<&'a str> {
        inner.iter().copied().chain(SERVLET).collect()
    }

    #[test]
    fn a_permit_is_waited_for_by_the_method_that_asked_for_it() {
        let inner = [
            "jdk.internal.misc.Unsafe.park",
            "java.util.concurrent.locks.LockSupport.park",
            "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire",
            "java.util.concurrent.Semaphore.acquire",
            "shop.Pool.take",
        ];
        let stack = stack(ThreadState::Waiting, &with_servlet(&inner));
        let activity = Activity::of(&stack);
        assert_eq!(activity.kind, Kind::Permit);
        assert_eq!((activity.method, activity.caller), (Some("shop.Pool.take"), Some("shop.Checkout.doGet")));
    }

    #[test]
    fn a_pool_is_named_by_its_library_and_not_by_the_queue_within_it() {
        let inner = [
            "java.util.concurrent.locks.LockSupport.park",
            "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await",
            "org.apache.commons.pool2.impl.LinkedBlockingDeque.takeFirst",
            "org.apache.commons.pool2.impl.GenericObjectPool.borrowObject",
            "org.apache.commons.dbcp2.PoolingDataSource.getConnection",
            "org.apache.commons.dbcp2.BasicDataSource.getConnection",
        ];
        let stack = stack(ThreadState::Waiting, &with_servlet(&inner));
        let activity = Activity::of(&stack);
        assert_eq!(activity.kind, Kind::Pool);
        assert_eq!(activity.rule.and_then(Rule::product), Some("DBCP"));
        assert_eq!(activity.method, Some("shop.Checkout.doGet"));
    }

    #[test]
    fn a_client_waits_for_its_connections_in_classes_that_it_uses_for_answers_too() {
        let lease = [
            "java.util.concurrent.locks.LockSupport.parkNanos",
            "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await",
            "org.apache.hc.core5.concurrent.BasicFuture.get",
            "org.apache.hc.core5.pool.StrictConnPool$1.get",
            "org.apache.hc.client5.http.impl.classic.InternalExecRuntime.acquireEndpoint",
            "org.apache.hc.client5.http.impl.classic.CloseableHttpClient.execute",
        ];
        assert_eq!(kind(ThreadState::Waiting, &with_servlet(&lease)), Kind::Pool);
        assert_eq!(kind(ThreadState::Waiting, &with_servlet(&lease[..3])), Kind::Answer);
    }

    #[test]
    fn a_worker_without_work_is_idle_whatever_its_queue_is() {
        let pool = [
            "java.util.concurrent.locks.LockSupport.park",
            "java.util.concurrent.LinkedBlockingQueue.take",
            "org.apache.tomcat.util.threads.TaskQueue.take",
            "java.util.concurrent.ThreadPoolExecutor.getTask",
            "java.util.concurrent.ThreadPoolExecutor.runWorker",
            "java.lang.Thread.run",
        ];
        assert_eq!(kind(ThreadState::Waiting, &pool), Kind::Idle);
        let jetty = [
            "java.util.concurrent.locks.LockSupport.parkNanos",
            "org.eclipse.jetty.util.BlockingArrayQueue.poll",
            "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll",
            "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.run",
        ];
        assert_eq!(kind(ThreadState::Waiting, &jetty), Kind::Idle);
        let netty = ["io.netty.channel.epoll.Native.epollWait", "io.netty.channel.epoll.EpollEventLoop.run"];
        assert_eq!(kind(ThreadState::Runnable, &netty), Kind::Events);
    }

    #[test]
    fn a_thread_in_native_code_waits_though_the_jvm_calls_it_runnable() {
        let read = ["sun.nio.ch.SocketDispatcher.read0", "sun.nio.ch.NioSocketImpl.read", "shop.Stock.ask"];
        assert_eq!(kind(ThreadState::Runnable, &with_servlet(&read)), Kind::Socket);
        let older =
            ["sun.nio.ch.FileDispatcherImpl.read0", "sun.nio.ch.SocketDispatcher.read", "shop.Stock.ask"];
        assert_eq!(kind(ThreadState::Runnable, &older), Kind::Socket);
        let force =
            ["sun.nio.ch.UnixFileDispatcherImpl.force0", "sun.nio.ch.FileChannelImpl.force", "shop.Log.add"];
        assert_eq!(kind(ThreadState::Runnable, &force), Kind::Sync);
        let own =
            ["sun.net.httpserver.Request$ReadStream.read", "sun.net.httpserver.ServerImpl$Exchange.run"];
        assert_eq!(kind(ThreadState::Runnable, &own), Kind::Client);
        let computes = ["java.util.HashMap.get", "shop.Prices.of"];
        assert_eq!(kind(ThreadState::Runnable, &computes), Kind::Runs);
        let passes = ["java.util.concurrent.Semaphore.release", "shop.Pool.give"];
        assert_eq!(kind(ThreadState::Runnable, &passes), Kind::Runs);
    }

    #[test]
    fn a_driver_waits_for_an_answer_or_for_the_connection_that_all_share() {
        let answer = [
            "sun.nio.ch.SocketDispatcher.read0",
            "org.postgresql.core.VisibleBufferedInputStream.readMore",
            "shop.Orders.find",
        ];
        assert_eq!(kind(ThreadState::Runnable, &answer), Kind::Answer);
        let locked = ["org.postgresql.core.v3.QueryExecutorImpl.execute", "shop.Orders.find"];
        assert_eq!(kind(ThreadState::Blocked, &locked), Kind::Shared);
        assert_eq!(kind(ThreadState::Runnable, &locked), Kind::Runs);
    }

    #[test]
    fn limiters_and_logs_are_named_as_such() {
        let guava = [
            "java.lang.Thread.sleep",
            "java.util.concurrent.TimeUnit.sleep",
            "com.google.common.util.concurrent.Uninterruptibles.sleepUninterruptibly",
            "com.google.common.util.concurrent.RateLimiter.acquire",
            "sms.Carrier.send",
        ];
        assert_eq!(kind(ThreadState::Waiting, &guava), Kind::Limiter);
        let own = ["java.lang.Thread.sleep", "sms.CarrierRateLimiter.acquire", "sms.Carrier.send"];
        assert_eq!(kind(ThreadState::Waiting, &own), Kind::Limiter);
        let plain = ["java.lang.Thread.sleep", "sms.Carrier.send"];
        assert_eq!(kind(ThreadState::Waiting, &plain), Kind::Sleep);
        let log =
            ["org.apache.logging.log4j.core.appender.OutputStreamManager.writeBytes", "edi.Partner.log"];
        assert_eq!(kind(ThreadState::Blocked, &log), Kind::Log);
        assert_eq!(kind(ThreadState::Runnable, &log), Kind::Runs);
    }

    #[test]
    fn a_virtual_thread_of_an_unknown_state_waits_if_it_is_parked() {
        let parked = [
            "java.lang.VirtualThread.park",
            "java.util.concurrent.locks.LockSupport.park",
            "java.util.concurrent.Semaphore.acquire",
            "shop.Pool.take",
        ];
        assert_eq!(kind(ThreadState::Unknown, &parked), Kind::Permit);
        assert_eq!(kind(ThreadState::Unknown, &parked[2..]), Kind::Runs);
    }

    #[test]
    fn our_own_questions_are_no_request() {
        let ours = [
            "sun.management.ThreadImpl.dumpThreads0",
            "com.sun.jmx.mbeanserver.MXBeanIntrospector.invokeM",
            "sun.rmi.transport.tcp.TCPTransport$ConnectionHandler.run",
        ];
        assert_eq!(kind(ThreadState::Runnable, &ours), Kind::Idle);
    }
}
