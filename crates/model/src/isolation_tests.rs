//! Isolation on the topologies of real machines.

use super::*;
use crate::cpus::LEAST;
use crate::units::Cpus;

/// Cores in order, each with so many hardware threads; Linux numbers all threads of a hybrid machine core by core.
fn core_by_core(threads: &[usize], class: fn(usize) -> usize) -> Vec<Cpu> {
    let mut cpus = Vec::new();
    for (index, threads) in threads.iter().enumerate() {
        let core = cpus.len();
        cpus.extend((core..core + threads).map(|number| Cpu {
            number,
            core,
            class: class(index),
            ..Cpu::default()
        }));
    }
    cpus
}

/// Two sockets, each a NUMA node, numbered as Linux does: first threads of the first socket, of the second, then second threads.
fn two_sockets(cores: usize) -> Vec<Cpu> {
    let cpus = 0..4 * cores;
    let cpu = |number: usize| {
        let core = number % (2 * cores);
        let package = core / cores;
        Cpu { number, core, package, node: package, class: 0 }
    };
    cpus.map(cpu).collect()
}

fn plain(cpus: std::ops::Range<usize>) -> Vec<Cpu> {
    let cpu = |number| Cpu { number, core: number, ..Cpu::default() };
    cpus.map(cpu).collect()
}

const ONE_LOOP: IsolationRequest =
    IsolationRequest { loops: 1, shared: false, obstacle: None, limit: Cpus(0.0) };

/// How the CPUs are divided between so many loops and the servers, or why they are not.
fn isolated(cpus: &[Cpu], loops: usize) -> String {
    let isolation = isolate(IsolationRequest { loops, ..ONE_LOOP }, cpus, 0, LEAST);
    match (isolation.split, isolation.shared) {
        (Some(split), None) => split.to_string(),
        (None, Some(why)) => why.to_string(),
        both => format!("{both:?}"),
    }
}

#[test]
fn machines_with_equal_cores_keep_hardware_threads_together() {
    assert_eq!(isolated(&plain(0..2), 1), "usable CPUs: 2 of 2");
    assert_eq!(isolated(&plain(0..4), 1), "0-2; generator 3");
    assert_eq!(isolated(&plain(0..4), 3), "event loops on CPUs: 3 of 4");
    // A cloud machine with eight vCPUs on four cores, numbered core by core.
    let cloud = core_by_core(&[2; 4], |_| 0);
    assert_eq!(isolated(&cloud, 1), "0-5; generator 6");
    assert_eq!(isolated(&cloud, 2), "0-5; generator 6-7");
    assert_eq!(isolated(&cloud, 3), "0-3; generator 6,4,7");
}

#[test]
fn servers_stay_on_nodes_without_the_generator() {
    let sockets = two_sockets(8);
    assert_eq!(isolated(&sockets, 1), "0-7,16-23; generator 15");
    assert_eq!(isolated(&sockets, 8), "0-7,16-23; generator 15,14,13,12,31,30,29,28");
    // Half of the machine would not be left, were the generator on both nodes.
    assert_eq!(isolated(&sockets, 17), "event loops on CPUs: 17 of 32");
}

#[test]
fn slow_cores_are_for_the_generator_and_servers_have_fast_ones_only() {
    // A laptop with four performance cores of two threads and eight efficiency cores.
    let class = |core: usize| usize::from(core >= 4);
    let laptop = core_by_core(&[2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1], class);
    assert_eq!(isolated(&laptop, 1), "0-7; generator 15");
    assert_eq!(isolated(&laptop, 2), "0-7; generator 15,14");
    // More loops than efficiency cores: the servers get what is left of both kinds, and it has to be half.
    assert_eq!(isolated(&laptop, 9), "event loops on CPUs: 9 of 16");
    // Two performance cores, eight efficiency cores: the four fast CPUs are enough for servers.
    let light = core_by_core(&[2, 2, 1, 1, 1, 1, 1, 1, 1, 1], |core| usize::from(core >= 2));
    assert_eq!(isolated(&light, 1), "0-3; generator 11");
    // An Arm board with one fast core and three slow ones: too few fast ones, so servers get both kinds.
    let board = core_by_core(&[1; 4], |core| usize::from(core >= 1));
    assert_eq!(isolated(&board, 1), "0-2; generator 3");
}

#[test]
fn a_restricted_prony_divides_what_it_may_use_and_says_what_it_may_not() {
    // A container on CPUs 2-5 of eight, which are two cores of two threads each.
    let all = core_by_core(&[2; 4], |_| 0);
    assert_eq!(isolated(&all[2..6], 1), "2-3; generator 4");
    let isolation = isolate(ONE_LOOP, &all[2..5], 8, LEAST);
    let why = isolation.shared.expect("too few");
    assert_eq!(why, NotSeparated::FewCpus { usable: 3, online: 8 });
}

#[test]
fn what_speaks_against_dividing_is_told_and_a_wish_to_share_is_not() {
    let cpus = plain(0..4);
    let because = |request| isolate(request, &cpus, 4, LEAST).shared;
    let limit = |limit| IsolationRequest { limit, ..ONE_LOOP };
    assert_eq!(because(limit(Cpus(3.0))), None);
    let left = Some(NotSeparated::Limit { allowed: Cpus(3.5), left: 3 });
    assert_eq!(because(limit(Cpus(3.5))), left);
    let obstacle = Some(NotSeparated::Link);
    assert_eq!(because(IsolationRequest { obstacle, ..ONE_LOOP }), obstacle);
    let shared = IsolationRequest { shared: true, obstacle, ..ONE_LOOP };
    assert_eq!(isolate(shared, &cpus, 4, LEAST), Isolation::default());
}

/// The split that a file asks for, or why it cannot be had, and what both sides share nevertheless.
fn asked(generator: &str, servers: &str, cpus: &[Cpu], loops: usize) -> String {
    let list = |text: &str| crate::cpus::parse(text).unwrap_or_default();
    let asked = MachineCpus { generator: list(generator), servers: list(servers) };
    match asked_isolation(&asked, cpus, loops) {
        Ok(Isolation { split, shared }) => {
            let shared = shared.map(|why| format!(" ({why})")).unwrap_or_default();
            format!("{}{shared}", split.expect("a split"))
        }
        Err(refused) => refused.to_string(),
    }
}

#[test]
fn a_file_divides_cpus_as_it_likes_and_a_side_that_it_leaves_out_gets_the_rest() {
    let cpus = plain(0..4);
    assert_eq!(asked("0", "1", &cpus[..2], 1), "1; generator 0");
    assert_eq!(asked("0-1", "2-3", &cpus, 1), "2-3; generator 0-1");
    assert_eq!(asked("0", "", &cpus, 1), "1-3; generator 0");
    assert_eq!(asked("", "0-1", &cpus, 1), "0-1; generator 3");
    let cloud = core_by_core(&[2; 2], |_| 0);
    assert_eq!(asked("0", "", &cloud, 1), "2-3; generator 0");
    assert_eq!(asked("0", "", &cloud[..2], 1), "1; generator 0 (one core, generator and server: 0 of 1)");
}

#[test]
fn cpus_that_cannot_be_had_are_refused_by_number() {
    let cpus = plain(2..6);
    for (generator, servers, loops, refused) in [
        ("0", "3", 1, "the CPU 0 was asked for, and prony may use 2-5 only"),
        ("2", "7", 1, "the CPU 7 was asked for, and prony may use 2-5 only"),
        ("2-5", "", 1, "no CPU is left for the servers"),
        ("", "2-5", 1, "no CPU is left for the generator"),
        ("2", "", 2, "the generator has 2 event loops, and 1 CPU of its own"),
        ("2-3", "3-4", 1, "the CPU 3 cannot belong to both the generator and the servers"),
    ] {
        assert_eq!(asked(generator, servers, &cpus, loops), refused);
    }
}

#[test]
fn the_fact_is_read_as_it_was_written() {
    let all = [
        NotSeparated::FewCpus { usable: 2, online: 8 },
        NotSeparated::FewCores { loops: 3, usable: 4 },
        NotSeparated::Limit { allowed: Cpus(3.5), left: 3 },
        NotSeparated::Link,
        NotSeparated::RanAlready,
        NotSeparated::OneCore { generator: 0, server: 1 },
    ];
    for why in all {
        let facts = BTreeMap::from([(format!("arm/a/{}", NotSeparated::FACT), why.to_string())]);
        assert_eq!(NotSeparated::of(&facts), Some(why));
    }
    let asked = BTreeMap::from([("asked/load/shared_cpus".to_owned(), "true".to_owned())]);
    assert_eq!(NotSeparated::of(&asked), None);
}
