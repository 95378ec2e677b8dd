//! Tests of what stops everything at even distances, and of what only looks like that.

use super::profile_tests::waiting;
use super::tests::{NONE, Scene, numbers};
use crate::profile::tests::{Look, POSTGRES};
use model::units::Count;
use record::finding::Remedy;
use record::inspection::{Inspection, StackSeen, ThreadState};

/// The requests that end in each tenth of `tenths` tenths of a second, of 100 each, where nothing ends in a stop of four tenths that begins at
/// these tenths.
fn ended(tenths: usize, stops: &[usize]) -> Vec<u64> {
    let is_still = |tenth: usize| stops.iter().any(|begin| (*begin..begin + 4).contains(&tenth));
    (0..tenths).map(|tenth| if is_still(tenth) { 0 } else { 100 }).collect()
}

/// A scene in which requests take a millisecond, that is looked into for as long as these tenths of a second. Each measured slice of half a
/// second stands still for so many tenths.
fn scene(look: Look, ended: Vec<u64>, still: usize) -> Scene {
    let inspection = Inspection { ended, ..look.inspection() };
    waiting(4).load(4, 2_000, 0.05).looked_at(inspection).slices(move |slice| {
        slice.longest_ns = vec![1_000_000; 5];
        slice.longest_ns[1..=still].fill(0);
        if still > 0 {
            slice.longest_ns[still + 1] = 1_000_000 + 100_000_000 * still as u64;
        }
    })
}

fn running() -> Look {
    Look::at(4.0, 400).in_state(4.0, ThreadState::Runnable, &["shop.Orders.find"])
}

const EVERY_TWO_SECONDS: [usize; 4] = [7, 27, 48, 67];

#[test]
fn stops_at_even_distances_are_named_with_their_period_and_length() {
    let found = scene(running(), ended(80, &EVERY_TWO_SECONDS), 1).first();
    assert_eq!(found.cause().id(), "periodic-stops");
    let stopped = numbers!(found, PeriodicStops);
    assert!((stopped.stops.every.0 - 2.0).abs() < 1e-9, "{stopped:?}");
    assert!((stopped.stops.each.0 - 0.4).abs() < 1e-9, "{stopped:?}");
    assert!((stopped.share.0 - 0.2).abs() < 0.01, "{stopped:?}");
    assert_eq!((stopped.stops.count, stopped.place), (Count(4.0), None));
    assert_eq!(found.remedy, Remedy::FindPeriodic { every: stopped.stops.every });
}

#[test]
fn stops_at_random_and_stops_of_the_look_alone_are_not_named() {
    assert_eq!(scene(running(), ended(80, &[7, 20, 48, 60]), 1).causes(), NONE, "no period");
    assert_eq!(scene(running(), ended(80, &[7, 27]), 1).causes(), NONE, "two are no period");
    assert_eq!(
        scene(running(), ended(80, &EVERY_TWO_SECONDS), 0).causes(),
        NONE,
        "only while it was looked into"
    );
    assert_eq!(scene(running(), ended(80, &[]), 0).causes(), NONE);
    // Users in step: all of them are answered after each half of a second.
    let step: Vec<u64> = (0..80).map(|tenth| if tenth % 5 == 0 { 100 } else { 0 }).collect();
    let slow = scene(running(), step, 1).load(64, 64, 0.05);
    assert!(!slow.causes().contains(&"periodic-stops"), "{:?}", slow.causes());
}

#[test]
fn a_task_that_stops_everything_with_a_lock_is_named_with_its_period() {
    let waits = ["shop.Prices.of", "shop.Basket.doGet"];
    let look = || {
        Look::at(4.0, 400).in_state(0.8, ThreadState::Blocked, &waits).in_state(
            3.2,
            ThreadState::Runnable,
            &POSTGRES,
        )
    };
    let by_task = |ended: Vec<u64>| {
        let mut scene = scene(look(), ended, 1);
        let seen = &mut scene.inspections[0].inspection;
        for stack in seen.loaded.iter_mut().flat_map(|loaded| &mut loaded.stacks) {
            stack.waits_for = (stack.state == ThreadState::Blocked).then(|| "shop.Prices".to_owned());
        }
        seen.owners = vec![StackSeen {
            group: "price-refresh".to_owned(),
            state: ThreadState::Waiting,
            frames: vec!["java.lang.Thread.sleep".to_owned(), "shop.Refresh.run".to_owned()],
            threads: 80,
            holds: vec!["shop.Prices".to_owned()],
            ..StackSeen::default()
        }];
        scene.diagnoses().into_iter().find(|one| one.cause().id() == "lock-contention").expect("the lock")
    };
    let found = by_task(ended(80, &EVERY_TWO_SECONDS));
    let lock = numbers!(found, LockContention);
    let stops = lock.stops.expect("a period");
    assert!((stops.every.0 - 2.0).abs() < 1e-9 && (stops.each.0 - 0.4).abs() < 1e-9, "{stops:?}");
    assert_eq!((lock.thread.as_deref(), found.remedy), (Some("price-refresh"), Remedy::PrepareOutsideLock));
    let always = by_task(ended(80, &[]));
    assert_eq!(numbers!(always, LockContention).stops, None, "it is always held by somebody");
}
