//! Tests of what is called a leak, and of what only looks like one.

use super::tests::{NONE, Scene, numbers};
use crate::profile::tests::{IDLE, Look};
use model::units::{Bytes, Count, Seconds};
use record::finding::{Keeper, KeeperKind, Leak, Leaked, Remedy};
use record::inspection::{
    AskedCollections, ClassObjects, HeapSeen, Held, Inspection, JfrFacts, KeeperSeen, ThreadState, Waits,
};
use record::outcome::JvmChoices;

const BEFORE: Held = Held {
    threads: 40,
    classes: 9000,
    metaspace: Some(Bytes(60 << 20)),
    direct: Some(Bytes(1 << 20)),
    open_files: Some(90),
    live: Some(Bytes(30 << 20)),
};

/// 10 000 requests in a second, after which the server holds this.
fn after(held: Held, inspection: Inspection) -> Scene {
    let grown =
        |class: &str, bytes| ClassObjects { class: class.to_owned(), objects: 10_000, bytes: Bytes(bytes) };
    let inspection = Inspection {
        held_before: Some(BEFORE),
        held_after: Some(held),
        heap: Some(HeapSeen { live: Bytes(100 << 20), most: Bytes(256 << 20) }),
        load_seconds: Seconds(1.0),
        grown: vec![
            grown("byte[]", 12 << 20),
            grown("java.util.HashMap$Node", 8 << 20),
            grown("shop.Session", 1 << 20),
        ],
        ..inspection
    };
    Scene::healthy().looked_at(inspection)
}

fn quiet() -> Inspection {
    Look::at(4.0, 10_000).inspection()
}

#[test]
fn what_requests_leave_in_the_heap_is_named_with_its_classes() {
    let scene = after(Held { live: Some(Bytes(50 << 20)), ..BEFORE }, quiet());
    let found = scene.first();
    assert_eq!(found.cause().id(), "resource-leak");
    assert_eq!(found.remedy, Remedy::MendLeak { what: Leaked::Heap });
    let Leak::Heap { each, classes, live, full_in, .. } = numbers!(found, ResourceLeak) else {
        panic!("{found:?}")
    };
    assert_eq!((each, live), (Bytes(2097), Bytes(50 << 20)));
    assert_eq!(classes, ["shop.Session", "byte[]", "java.util.HashMap$Node"]);
    assert!(full_in.is_some_and(|full| full > Seconds(1.0) && full < Seconds(60.0)), "{full_in:?}");
}

#[test]
fn a_cache_that_is_full_is_no_leak() {
    assert_eq!(after(BEFORE, quiet()).causes(), NONE);
    let few =
        Held { live: Some(Bytes(33 << 20)), threads: 60, open_files: Some(120), classes: 9300, ..BEFORE };
    assert_eq!(
        after(few, quiet()).causes(),
        NONE,
        "3 MiB, 20 threads, 30 descriptors and 300 classes are nothing"
    );
    // 300 users: pools of threads, connections and their buffers have grown.
    let grown = Held {
        threads: 340,
        open_files: Some(690),
        direct: Some(Bytes(30 << 20)),
        live: Some(Bytes(60 << 20)),
        ..BEFORE
    };
    let mut scene = after(grown, quiet());
    scene.experiment.load.connections = vec![300];
    assert!(!scene.causes().contains(&"resource-leak"), "{:?}", scene.causes());
    // 500 connections keep 100 KiB each.
    let mut scene = after(Held { live: Some(Bytes(80 << 20)), ..BEFORE }, quiet());
    scene.experiment.load.connections = vec![500];
    assert!(!scene.causes().contains(&"resource-leak"), "{:?}", scene.causes());
}

/// The look into a heap of 256 MiB, in which these fields lead to an object of this class. The object keeps this number of MiB.
fn kept(mebibytes: u64, fields: &[&str], class: &str) -> Inspection {
    let objects =
        |class: &str, objects, bytes| ClassObjects { class: class.to_owned(), objects, bytes: Bytes(bytes) };
    let keeper = KeeperSeen {
        kept: Bytes(mebibytes << 20),
        live: Bytes(231 << 20),
        fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        class: class.to_owned(),
        classes: vec![objects("byte[]", 37_100, mebibytes << 20), objects("shop.Article", 37_000, 1 << 20)],
    };
    Inspection {
        keeper: Some(keeper),
        heap: Some(HeapSeen { live: Bytes(231 << 20), most: Bytes(256 << 20) }),
        ..quiet()
    }
}

const CACHE: [&str; 4] = [
    "java.lang.Thread.contextClassLoader",
    "shop.Main.articles",
    "shop.Articles.byNumber",
    "com.github.benmanes.caffeine.cache.BoundedLocalCache.data",
];

/// The server collects for 40 % of the time.
fn collecting(inspection: Inspection) -> Scene {
    let scene = Scene::healthy().looked_at(inspection);
    scene.slices(|slice| (slice.gc_count, slice.gc_ms) = (Some(20), Some(200.0)))
}

#[test]
fn what_fills_the_heap_is_told_with_its_field_and_is_bounded() {
    let full = collecting(kept(215, &CACHE, "java.util.concurrent.ConcurrentHashMap"));
    assert_eq!(full.causes(), ["heap-nearly-full", "gc-pressure"]);
    let found = full.first();
    assert!(
        matches!(found.remedy, Remedy::BoundKeeper { kind: KeeperKind::Cache, to: Some(_) }),
        "{:?}",
        found.remedy
    );
    let Keeper { field, kind, objects, .. } = numbers!(found, HeapNearlyFull).keeper.expect("a keeper");
    assert_eq!((field.as_str(), kind), ("shop.Articles.byNumber", KeeperKind::Cache));
    let objects = objects.expect("its articles");
    assert_eq!((objects.count, objects.class.as_str()), (37_000, "shop.Article"));
    let collections = full.diagnoses().remove(1);
    assert!(numbers!(collections, GcPressure).keeper.is_some());
}

#[test]
fn what_grows_with_requests_is_told_apart_from_what_is_full() {
    let mut grows = kept(215, &CACHE, "java.util.HashMap");
    grows.held_before = Some(BEFORE);
    grows.held_after = Some(Held { live: Some(Bytes(50 << 20)), ..BEFORE });
    grows.load_seconds = Seconds(1.0);
    let found = collecting(grows).first();
    assert_eq!(found.remedy, Remedy::BoundKeeper { kind: KeeperKind::Cache, to: None });
    let Leak::Heap { keeper, .. } = numbers!(found, ResourceLeak) else { panic!("no leak") };
    assert_eq!(keeper.expect("a keeper").field, "shop.Articles.byNumber");
}

#[test]
fn a_keeper_is_known_by_the_classes_that_lead_to_it() {
    let kind = |fields: &[&str], class: &str| {
        let found = collecting(kept(120, fields, class)).first();
        numbers!(found, HeapNearlyFull).keeper.map(|keeper| (keeper.field, keeper.kind))
    };
    let tasks = "java.util.concurrent.ThreadPoolExecutor.workQueue";
    let queue = "java.util.concurrent.LinkedBlockingQueue";
    let told = |field: &str, kind| Some((field.to_owned(), kind));
    assert_eq!(kind(&["java.lang.Thread.target", tasks], queue), told(tasks, KeeperKind::ExecutorQueue));
    let own = "shop.Mails.sender";
    assert_eq!(kind(&[own, tasks], queue), told(own, KeeperKind::ExecutorQueue));
    assert_eq!(kind(&["shop.Mails.open"], queue), told("shop.Mails.open", KeeperKind::Queue));
    assert_eq!(
        kind(&["shop.Mails.all"], "java.util.HashMap"),
        told("shop.Mails.all", KeeperKind::Collection)
    );
    let netty = "io.netty.channel.AbstractChannel$AbstractUnsafe.outboundBuffer";
    assert_eq!(kind(&[netty], "io.netty.channel.ChannelOutboundBuffer"), told(netty, KeeperKind::Outbound));
}

#[test]
fn tasks_that_are_lambdas_tell_whose_they_are() {
    let mut tasks = kept(120, &["java.util.concurrent.ThreadPoolExecutor.workQueue"], "java.util.HashMap");
    let keeper = tasks.keeper.as_mut().expect("a keeper");
    keeper.classes[1].class = "shop.Mails$$Lambda".to_owned();
    let objects =
        numbers!(collecting(tasks).first(), HeapNearlyFull).keeper.and_then(|keeper| keeper.objects);
    assert_eq!(objects.map(|objects| objects.class).as_deref(), Some("shop.Mails$$Lambda"));
}

#[test]
fn the_jvm_itself_and_what_is_little_of_the_heap_are_no_keepers() {
    let keeper = |inspection| numbers!(collecting(inspection).first(), HeapNearlyFull).keeper;
    assert_eq!(keeper(kept(40, &CACHE, "java.util.HashMap")), None, "a sixth of the heap");
    let loader = ["java.lang.Thread.contextClassLoader", "java.lang.ClassLoader.classes"];
    assert_eq!(keeper(kept(120, &loader, "java.util.ArrayList")), None);
    let found = collecting(kept(120, &loader, "java.util.ArrayList")).first();
    assert!(matches!(found.remedy, Remedy::EnlargeHeap { .. }), "{:?}", found.remedy);
}

#[test]
fn threads_that_requests_leave_are_named_before_the_memory_that_they_take() {
    let idle =
        Look::at(4.0, 10_000).threads(300.0, "pool-#-thread-#", ThreadState::Waiting, &IDLE).inspection();
    let scene = after(Held { threads: 640, live: Some(Bytes(50 << 20)), ..BEFORE }, idle);
    let Leak::Counted { what, more, requests, now, names } = numbers!(scene.first(), ResourceLeak) else {
        panic!("no threads")
    };
    assert_eq!((what, more, requests, now), (Leaked::Threads, Count(600.0), 10_000, Count(640.0)));
    assert_eq!(names.as_deref(), Some("pool-#-thread-#"));
}

#[test]
fn a_leak_comes_before_the_collections_that_it_causes() {
    let scene = after(Held { live: Some(Bytes(50 << 20)), ..BEFORE }, quiet())
        .slices(|slice| (slice.gc_count, slice.gc_ms) = (Some(20), Some(200.0)));
    assert_eq!(scene.causes(), ["resource-leak", "gc-pressure"]);
    let direct = Held { direct: Some(Bytes(40 << 20)), ..BEFORE };
    let found = after(direct, quiet()).first();
    assert_eq!(found.remedy, Remedy::MendLeak { what: Leaked::Direct });
}

#[test]
fn a_heap_that_the_jvm_has_sized_itself_is_told_by_its_flag() {
    let collecting = |chosen: Option<JvmChoices>| {
        let scene = Scene::healthy().running(move |effective| {
            (effective.chosen, effective.gc) = (chosen, Some("Serial".to_owned()));
            effective.heap = Some(Bytes(128 << 20));
        });
        scene.slices(|slice| (slice.gc_count, slice.gc_ms) = (Some(20), Some(200.0))).first()
    };
    let small = JvmChoices { heap: true, collector: true, memory: Bytes(500 << 20), processors: 1 };
    let Remedy::SizeHeap { percent: 70, to, collector, parallel: None, .. } = collecting(Some(small)).remedy
    else {
        panic!("no flag")
    };
    assert_eq!((to, collector.as_deref()), (Bytes(350 << 20), Some("Serial")));
    let two = collecting(Some(JvmChoices { processors: 2, ..small }));
    assert!(matches!(two.remedy, Remedy::SizeHeap { parallel: Some(2), .. }), "{:?}", two.remedy);
    let one_thread = numbers!(two, GcPressure).one_thread.expect("it chose Serial");
    assert_eq!((one_thread.processors, one_thread.memory), (Count(2.0), Bytes(500 << 20)));
    let set = collecting(Some(JvmChoices { heap: false, processors: 2, ..small }));
    assert!(matches!(set.remedy, Remedy::EnlargeHeap { .. }), "its heap was set");
    assert!(numbers!(set, GcPressure).one_thread.is_some());
    assert!(matches!(collecting(None).remedy, Remedy::EnlargeHeap { .. }), "its heap was set");
}

#[test]
fn collections_that_the_application_asks_for_are_not_cured_by_a_larger_heap() {
    let asking = |seconds: f64, for_direct_memory: bool| {
        let asked = AskedCollections {
            thread: Some("cache-refresh".to_owned()),
            method: Some("shop.Cache.refresh:26".to_owned()),
            for_direct_memory,
            waits: Waits { count: 2, seconds: Seconds(seconds) },
        };
        let inspection =
            Inspection { jfr: Some(JfrFacts { asked: vec![asked], ..JfrFacts::default() }), ..quiet() };
        let scene = Scene::healthy().looked_at(inspection);
        scene.slices(|slice| (slice.gc_count, slice.gc_ms) = (Some(2), Some(150.0))).first()
    };
    let found = asking(0.28, false);
    assert_eq!(found.remedy, Remedy::StopAskingForCollections);
    let asked = numbers!(found, GcPressure).asked.expect("asked for");
    assert_eq!((asked.every, asked.thread.as_deref()), (Seconds(0.5), Some("cache-refresh")));
    assert_eq!(asking(0.28, true).remedy, Remedy::ReuseDirectBuffers);
    assert!(matches!(asking(0.05, false).remedy, Remedy::EnlargeHeap { .. }), "others stop it for longer");
}
