//! What keeps most of what lives in the heap of a server, from a heap dump after the load of the look inside.

use super::evidence::ArmEvidence;
use crate::profile::is_own_class;
use record::finding::{Keeper, KeeperKind, KeptObjects};
use record::inspection::{ClassObjects, KeeperSeen};

/// Smallest share of the heap that is kept by one thing which matters.
const MUCH: f64 = 0.25;
/// The field by which an executor keeps the tasks that it has yet to run.
const TASKS: &str = "ThreadPoolExecutor.workQueue";
/// Beginnings of the fields of the JDK. By its threads and class loaders the JVM keeps everything.
const OF_JDK: [&str; 4] = ["java.", "jdk.", "sun.", "com.sun."];

/// What keeps most of what lives, where that is much of the heap; `None` where it is not known, or is the JVM itself.
pub(super) fn keeper(evidence: &ArmEvidence<'_>) -> Option<Keeper> {
    let inspection = evidence.inspection?;
    let seen = inspection.keeper.as_ref()?;
    let heap = evidence.largest_heap(inspection);
    ((seen.kept.0 as f64) >= MUCH * heap.0 as f64).then_some(())?;
    let field = field(&seen.fields)?;
    Some(Keeper {
        kept: seen.kept,
        live: seen.live,
        field: field.clone(),
        kind: kind(seen, field),
        objects: objects(&seen.classes),
    })
}

/// The field that tells what it is: the innermost of the application, that of the tasks of an executor, or the outermost of a library.
fn field(fields: &[String]) -> Option<&String> {
    let all = || fields.iter().filter(|field| !field.ends_with("[]"));
    let is_of_library = |field: &&String| !OF_JDK.iter().any(|begin| field.starts_with(begin));
    let own = all().rfind(|field| is_own_class(field));
    own.or_else(|| all().find(|field| field.ends_with(TASKS))).or_else(|| all().find(is_of_library))
}

/// What kind of thing it is, by the classes from the field on.
fn kind(seen: &KeeperSeen, field: &str) -> KeeperKind {
    let further = seen.fields.iter().skip_while(|other| *other != field);
    let names: Vec<&String> = further.chain([&seen.class]).collect();
    let has = |part: &str| names.iter().any(|name| name.contains(part));
    if has(TASKS) {
        KeeperKind::ExecutorQueue
    } else if has("ChannelOutboundBuffer") {
        KeeperKind::Outbound
    } else if has("Cache") || has("cache") {
        KeeperKind::Cache
    } else if has("Queue") || has("Deque") {
        KeeperKind::Queue
    } else {
        KeeperKind::Collection
    }
}

/// The objects that tell what is kept: those of the class of the application with most of them, or else of the class with most bytes.
fn objects(classes: &[ClassObjects]) -> Option<KeptObjects> {
    // A task is often a lambda, whose class is named after the one that it is written in.
    let named = |class: &str| is_own_class(class.split("$$Lambda").next().unwrap_or(class));
    let own = classes.iter().filter(|one| named(&one.class));
    let told = own.max_by_key(|one| one.objects).or_else(|| classes.iter().max_by_key(|one| one.bytes))?;
    Some(KeptObjects { count: told.objects, class: told.class.clone() })
}
