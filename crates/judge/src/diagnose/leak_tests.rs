//! Tests of what is called a leak, and of what only looks like one.

use super::tests::{NONE, Scene, numbers};
use crate::profile::tests::{IDLE, Look};
use model::units::{Bytes, Count, Seconds};
use record::finding::{Leak, Leaked, Remedy};
use record::inspection::{
    AskedCollections, ClassObjects, HeapSeen, Held, Inspection, JfrFacts, ThreadState, Waits,
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
