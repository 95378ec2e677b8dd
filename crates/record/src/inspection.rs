//! [`Inspection`]: what a server does under load, seen from inside. It is taken in a start of its own after all measured starts,
//! because to ask costs the server time and memory, and some questions stop every thread.

use model::units::{Bytes, Count, Seconds};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use traffic::scenario::FirstFailure;

/// An inspection of the server of one arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmInspection {
    /// The index of the arm.
    pub arm: usize,
    /// What was seen.
    pub inspection: Inspection,
}

/// One inspection of a server at one level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// The level, its index among the experiment's.
    pub level: usize,
    /// How long it took.
    pub seconds: Seconds,
    /// Right answers in that time.
    pub ok: u64,
    /// Requests that ended in that time without a right answer.
    #[serde(default, skip_serializing_if = "is_none_counted")]
    pub wrong: u64,
    /// The first wrong answer; `None` where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_wrong: Option<FirstFailure>,
    /// Requests that ended in each tenth of a second of that time; empty where they were not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<u64>,
    /// Requests in flight, integrated over that time.
    pub in_flight: Seconds,
    /// Readings of its own counters, ten per second; empty where it has none.
    pub pool: Vec<PoolReading>,
    /// Its threads, in the mean of all dumps; `None` where none was taken.
    pub threads: Option<ThreadsSeen>,
    /// What the JDK Flight Recorder saw; `None` where it was not asked, or is not there.
    pub jfr: Option<JfrFacts>,
    /// The stacks of all threads under load; `None` where there is no JVM.
    pub loaded: Option<ThreadSamples>,
    /// What the threads did shortly before, without any load; what they do then is no request.
    pub idle: Option<ThreadSamples>,
    /// The connections that the server itself has opened, by the address of the other side.
    pub peers: BTreeMap<String, PeerSeen>,
    /// Connections that were opened meanwhile, without those of the load. The kernel counts them in the network namespace of the
    /// server, so that this is an upper limit where other programs share it; `None` where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<u64>,
    /// Connections that it had yet to accept, mean; `None` where the kernel was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<Count>,
    /// The statuses of answers over HTTP that it got, by the address of the program that gave them, as far as the kernel showed them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answered: BTreeMap<String, Answered>,
    /// Its calls of the kernel that read or wrote meanwhile; `None` where the kernel did not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<IoCalls>,
    /// What its databases ran meanwhile; empty where none was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<DatabaseSeen>,
    /// The heap after the last collection; `None` where it is not known.
    pub heap: Option<HeapSeen>,
    /// The stacks on which CPU time was spent; empty where it was not asked.
    pub cpu: Vec<CpuStack>,
    /// What the JVM held before the load, and after it, both times without load; `None` where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_before: Option<Held>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_after: Option<Held>,
    /// The classes with more objects after the load than before, those with most bytes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grown: Vec<ClassObjects>,
    /// What keeps most of the heap after the load; `None` where nothing does, where little of it is live, or where that would have taken long to find
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeper: Option<KeeperSeen>,
    /// How long the load lasted between the two; 0 where it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub load_seconds: Seconds,
    /// Threads that held a lock which other threads waited for: `holds` is the class of the lock, and `threads` how many waited,
    /// summed over all looks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<StackSeen>,
    /// Threads that wait for each other's locks, and so for ever, as the JVM finds them; it finds no virtual threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deadlock: Vec<StuckThread>,
}

/// Thread dumps of a JVM at several moments, with equal stacks put together. Threads without a Java method on their stack are left
/// out: they begin, end, or belong to the JVM.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadSamples {
    /// How many dumps were taken.
    pub dumps: u32,
    /// What threads did, the most frequent first.
    pub stacks: Vec<StackSeen>,
    /// Methods that several threads ran in at the same time, but in fewer than all dumps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crowds: Vec<CrowdSeen>,
}

/// A method that threads ran in, whatever they had called in it, at some moments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrowdSeen {
    pub method: String,
    /// The most threads in it in one dump.
    pub at_once: u64,
    /// In how many dumps a thread was in it.
    pub dumps: u32,
}

/// Threads with the same stack in the same state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StackSeen {
    /// The name of the threads, with `#` for each number in it: `http-nio-#-exec-#`. Empty for unnamed virtual threads.
    pub group: String,
    /// Whether they are virtual threads.
    pub is_virtual: bool,
    /// What the JVM says they do.
    pub state: ThreadState,
    /// The class of the object that they wait for; `None` where the JVM does not tell.
    pub waits_for: Option<String>,
    /// The methods, innermost first, as `package.Class.method`; of more than 80 the 60 innermost and the 20 outermost. Empty for
    /// all rare stacks together, where there are too many different ones.
    pub frames: Vec<String>,
    /// How many threads, summed over all dumps.
    pub threads: u64,
    /// The classes of the objects whose monitors they hold, innermost first. A monitor that they have given back to wait for a
    /// notification is none of them. Empty where the JVM does not tell, as of virtual threads before JDK 25.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<String>,
    /// The lines of the methods in their source files, 0 where it is not known; empty where none is known. Of threads at several
    /// lines of the same methods, the lines at which most of them are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
}

/// The state of a thread as the JVM tells it. A thread that waits in native code, such as for a socket, counts as runnable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ThreadState {
    /// It runs, or waits for a CPU, or is in native code.
    #[default]
    Runnable,
    /// It waits for a monitor (`synchronized`).
    Blocked,
    /// It waits until another thread wakes it up, or for a time.
    Waiting,
    /// The JVM does not tell, as of virtual threads before JDK 25.
    Unknown,
}

/// The connections of a server to one address that it opened itself, as the kernel sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeerSeen {
    /// How often the kernel was asked.
    pub looks: u32,
    /// Connections, summed over looks.
    pub connections: u64,
    /// Connections on which the server sent last and has received nothing since: it waits for an answer. Summed over looks.
    pub awaiting: u64,
    /// The most connections at one look.
    pub most: u64,
    /// The fewest of these on which no answer was awaited, at the looks with the most connections.
    pub fewest_free: u64,
    /// Segments with data that the server sent on them in all the time: about its requests.
    pub sent: u64,
    /// Segments with data that it received: about as many as answers, or more.
    #[serde(default)]
    pub received: u64,
    /// Connections that were not there at the first look. Those that begin and end between two looks are missing.
    #[serde(default)]
    pub fresh: u64,
    /// Bytes that it sent and received.
    pub bytes: [u64; 2],
}

/// Calls of the kernel that read or write, and their bytes, whatever they go to: files, pipes or sockets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoCalls {
    pub reads: u64,
    /// What the reads gave.
    pub read: Bytes,
    pub writes: u64,
    /// What the writes took.
    pub written: Bytes,
}

/// What was seen of the connections that a server has opened itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeersSeen {
    /// By the address of the other side.
    pub by_address: BTreeMap<String, PeerSeen>,
    /// Connections that any program opened meanwhile in the network namespace of the server; `None` where the kernel does not tell.
    pub opened: Option<u64>,
    /// Connections that the server had yet to accept, mean.
    pub queued: Count,
    /// The server's calls of the kernel that read or wrote meanwhile; `None` where the kernel does not count them.
    #[serde(default)]
    pub calls: Option<IoCalls>,
    /// The statuses of answers over HTTP that it got, by the address of the program that gave them.
    #[serde(default)]
    pub answered: BTreeMap<String, Answered>,
    /// What its databases ran meanwhile.
    pub databases: Vec<DatabaseSeen>,
}

/// Statuses of answers over HTTP/1, counted in a sample of what a program sent; nothing that is encrypted is among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// How often each was seen.
    pub statuses: BTreeMap<u16, u64>,
}

/// What a database ran while a server was looked into, as itself tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseSeen {
    /// Its address.
    pub address: String,
    /// How often it was asked.
    pub looks: u32,
    /// Statements that it ran, those that were seen most often first.
    pub statements: Vec<StatementSeen>,
    /// Rows that were read one after another, without an index, by the table.
    pub scanned: BTreeMap<String, u64>,
}

/// A statement of a database, summed over looks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementSeen {
    /// Its text, with `?` for each value.
    pub text: String,
    /// How often it ran.
    pub running: u64,
    /// How often it waited for a lock that another transaction held.
    pub locked: u64,
    /// How often the other transaction was idle then: its client did something else.
    pub holder_idle: u64,
}

impl PeerSeen {
    /// How often the server asked and was answered, counted by segments: who asks and waits for the answer before asking again sends
    /// at least one segment for each question, and receives at least one. What is sent in one piece, such as a pipeline or a batch,
    /// counts once. `None` where both ways carry long segments: a question or its answer may then be many of them.
    pub fn exchanges(&self) -> Option<u64> {
        let is_long = |segments: u64, bytes: u64| segments > 0 && bytes >= LONG_SEGMENT * segments;
        let [to, from] = self.bytes;
        let are_counted = self.sent > 0 && self.received > 0;
        let are_long = is_long(self.sent, to) && is_long(self.received, from);
        (are_counted && !are_long).then_some(self.sent.min(self.received))
    }
}

impl PeerSeen {
    /// How many small segments a question takes, or its answer, whichever takes more: who writes a message in two pieces sends two. `None`
    /// where exchanges were not counted, or these segments are long.
    pub fn pieces(&self) -> Option<Count> {
        let exchanges = self.exchanges()?;
        let [to, from] = self.bytes;
        let (segments, bytes) =
            if self.sent >= self.received { (self.sent, to) } else { (self.received, from) };
        (bytes < LONG_SEGMENT * segments).then(|| Count(segments as f64 / exchanges as f64))
    }
}

/// Mean length in bytes from which on segments may be pieces of something longer. Those of an Ethernet hold 1448 bytes.
const LONG_SEGMENT: u64 = 1000;

/// What a JVM holds at a moment without load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Platform threads.
    pub threads: u64,
    /// Classes loaded.
    pub classes: u64,
    /// What the classes take.
    pub metaspace: Option<Bytes>,
    /// Buffers outside the heap.
    pub direct: Option<Bytes>,
    /// Descriptors of files and sockets.
    pub open_files: Option<u64>,
    /// Objects that are live, after a full collection; `None` where the heap was too large to count them.
    pub live: Option<Bytes>,
}

/// What was seen of a server without load, before an inspection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IdleSeen {
    /// The stacks of its threads; `None` where it gives none.
    pub threads: Option<ThreadSamples>,
    /// What it held; `None` where it was not asked.
    pub held: Option<Held>,
}

/// Objects of a class: how many more there are after a load than before, or how many something keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassObjects {
    pub class: String,
    pub objects: u64,
    /// What these take.
    pub bytes: Bytes,
}

/// The innermost object for which more than half of all live bytes of a heap count: over it they are reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeeperSeen {
    /// The bytes that it keeps, its own among them.
    pub kept: Bytes,
    /// All that live.
    pub live: Bytes,
    /// The fields that lead to it, as `package.Class.field`, or `package.Class[]` for an element of an array; the outermost first.
    pub fields: Vec<String>,
    pub class: String,
    /// The classes of what it keeps, those with most bytes first.
    pub classes: Vec<ClassObjects>,
}

/// A thread of a deadlock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StuckThread {
    /// Its name: `http-nio-8080-exec-7`.
    pub name: String,
    /// The class of the lock that it waits for.
    pub waits_for: String,
    /// The name of the thread that holds the lock.
    pub held_by: String,
    /// The methods on its stack, innermost first.
    pub frames: Vec<String>,
    /// Their lines, 0 where it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
}

/// The heap of a JVM right after its last collection of old objects. Where it has collected young objects only, it is
/// that after the last collection of these, and a part of it may be dead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapSeen {
    /// What was live.
    pub live: Bytes,
    /// What there may be at most.
    pub most: Bytes,
}

/// A stack on which CPU time was spent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuStack {
    /// The methods, outermost first, as `package.Class.method`. Functions of the kernel end with `_[k]`, and functions
    /// of the JVM and of native libraries with `_[n]`. A thread of the JVM itself has the name of its
    /// [`crate::cpu_profile::JvmPart`] instead.
    pub frames: Vec<String>,
    /// CPU time. The times of all stacks add up to what the process used; the least is one sample.
    pub seconds: Seconds,
}

impl CpuStack {
    /// The end of the name of a function of the kernel.
    pub const KERNEL: &'static str = "_[k]";
    /// The end of the name of a function of the JVM or of a native library.
    pub const NATIVE: &'static str = "_[n]";
}

/// A reading of a server's own counters. What is unknown is `None`, never a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolReading {
    /// When, on the wall clock, nanoseconds since the epoch.
    pub at_ns: u64,
    /// Threads that answer requests.
    pub busy: Option<u64>,
    /// All threads of the pool.
    pub threads: Option<u64>,
    /// Requests that wait for a thread.
    pub queued: Option<u64>,
    pub connections: Option<u64>,
}

/// The threads of a JVM at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadsSeen {
    /// Platform threads.
    pub platform: u64,
    /// Virtual threads.
    pub r#virtual: u64,
    /// Platform threads that answer a request, because they are within a servlet.
    pub platform_answering: u64,
    /// Virtual threads that answer a request.
    pub virtual_answering: u64,
}

/// Waits of threads during an inspection that took a millisecond or more, by what the thread waited for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JfrFacts {
    /// Waits for a lock that another thread held (`synchronized`), by the class of its object.
    pub monitors: BTreeMap<String, Waits>,
    /// Waits of virtual threads that did not release their carrier, by the reason, or by the method where the JDK gives no
    /// reason.
    pub pinned: BTreeMap<String, Waits>,
    /// Waits within a request for a lock, a semaphore or a queue, by its class.
    pub parked: BTreeMap<String, Waits>,
    /// Waits within a request for an answer on a socket, by address and port.
    pub sockets: BTreeMap<String, Waits>,
    /// Waits for a write to a file, or until it is on the disk, by the path of the file.
    pub files: BTreeMap<String, Waits>,
    /// Bytes allocated, estimated from samples; `None` where the JDK takes none (before 16).
    pub allocated: Option<f64>,
    /// Sleeps, and waits that end by themselves, by the method of the application or of a library that sleeps.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sleeps: BTreeMap<String, SleepsSeen>,
    /// Threads that ran Java code, or waited for a CPU within it, by stack; `threads` counts samples, of which there are a hundred a
    /// second and a few threads each time. Threads in native methods and in the JVM are not among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<StackSeen>,
    /// Collections that the application has asked for (`System.gc`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedCollections>,
    /// What was allocated, by class and stack, the largest first, estimated from the same samples; empty where the JDK takes none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocations: Vec<AllocationSeen>,
    /// Waits for memory that a concurrent collector has yet to free, by the size class of the page.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stalls: BTreeMap<String, Waits>,
}

/// Sleeps of a millisecond or more in one method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SleepsSeen {
    pub count: u64,
    /// Their length, summed over threads.
    pub seconds: Seconds,
    /// The standard deviation of the times between the ends of two sleeps that follow each other, as a part of their mean: 0 where
    /// they end in step, about 1 where they end at random; absent for fewer than two.
    pub spread: Option<f64>,
}

/// Collections that a method of the application has asked for, itself or by taking direct memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AskedCollections {
    /// The name of its thread, with `#` for each number.
    pub thread: Option<String>,
    /// The method, with its line.
    pub method: Option<String>,
    /// Whether the JDK has asked for them, because no direct memory was left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_direct_memory: bool,
    pub waits: Waits,
}

/// Objects of one class that were allocated on one stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AllocationSeen {
    /// The class: `byte[]`.
    pub class: String,
    /// Bytes, estimated from samples.
    pub bytes: f64,
    /// The methods, innermost first.
    pub frames: Vec<String>,
    /// Their lines, 0 where it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
}

/// Waits for one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waits {
    pub count: u64,
    /// Their length, summed over threads.
    pub seconds: Seconds,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_none_counted(count: &u64) -> bool {
    *count == 0
}

fn is_zero(seconds: &Seconds) -> bool {
    *seconds == Seconds::ZERO
}

impl Inspection {
    /// Right answers while it was under load, counted or not.
    pub fn answers(&self) -> Count {
        let longer = (self.load_seconds / self.seconds.max(Seconds(1e-9))).max(1.0);
        Count(self.ok as f64 * longer)
    }

    /// Returns the mean number of requests in flight.
    pub fn mean_in_flight(&self) -> Count {
        Count(self.in_flight / self.seconds.max(Seconds(1e-9)))
    }

    /// How many threads more than without load had this stack, in the mean of all dumps; less than 0 where there were fewer.
    pub fn threads_by_load(&self, stack: &StackSeen) -> Count {
        let idle = self.idle.as_ref().map_or(0.0, |idle| idle.threads(stack));
        Count(self.threads_under_load(stack).0 - idle)
    }

    /// How many threads had this stack under load, in the mean of all dumps.
    pub fn threads_under_load(&self, stack: &StackSeen) -> Count {
        Count(self.loaded.as_ref().map_or(0.0, |loaded| loaded.threads(stack)))
    }

    /// Returns the largest value of one of the server's counters.
    pub fn most(&self, counter: impl Fn(&PoolReading) -> Option<u64>) -> Option<u64> {
        self.pool.iter().filter_map(counter).max()
    }
}

impl ThreadSamples {
    /// How many threads had this stack, in the mean of all dumps.
    fn threads(&self, stack: &StackSeen) -> f64 {
        let same = self.stacks.iter().filter(|seen| seen.is_same(stack));
        same.map(|seen| seen.threads).sum::<u64>() as f64 / f64::from(self.dumps.max(1))
    }
}

impl StackSeen {
    /// Whether the threads do the same, however many they are.
    pub fn is_same(&self, other: &Self) -> bool {
        let key = |seen: &Self| (seen.is_virtual, seen.state);
        key(self) == key(other) && self.group == other.group && self.frames == other.frames
    }

    /// Whether the threads are within a native method, which has no line; `false` where lines are not known.
    pub fn is_native(&self) -> bool {
        self.lines.first() == Some(&0)
    }

    /// A method of the stack with its line where that is known: `shop.Orders.find:42`. Of several calls of it the innermost counts.
    pub fn place_of(&self, method: &str) -> Option<String> {
        place_of(&self.frames, &self.lines, method)
    }
}

/// A method of a stack with its line where that is known: `shop.Orders.find:42`.
fn place_of(frames: &[String], lines: &[u32], method: &str) -> Option<String> {
    let index = frames.iter().position(|frame| frame == method)?;
    Some(match lines.get(index) {
        Some(line) if *line > 0 => format!("{method}:{line}"),
        _ => method.to_owned(),
    })
}

impl AllocationSeen {
    /// A method of the stack with its line where that is known: `shop.Orders.find:42`. Of several calls of it the innermost counts.
    pub fn place_of(&self, method: &str) -> Option<String> {
        place_of(&self.frames, &self.lines, method)
    }
}

impl StuckThread {
    /// A method of the stack with its line where that is known.
    pub fn place_of(&self, method: &str) -> Option<String> {
        place_of(&self.frames, &self.lines, method)
    }
}

impl JfrFacts {
    /// Returns the length of all waits of one kind together.
    pub fn total(waits: &BTreeMap<String, Waits>) -> Seconds {
        waits.values().map(|wait| wait.seconds).sum()
    }
}
