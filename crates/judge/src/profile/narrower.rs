//! [`Narrower`]: what a kind of work is more precisely, where more than one method of a stack tells it.

use super::application_methods;
use super::frames::{driver, is_cache, shape_of};
use record::finding::CpuWork;
use record::inspection::{Inspection, StackSeen};
use std::collections::BTreeSet;

/// Beginnings of the names of classes that read values from a cache and make objects of them in one call.
const READERS: [&str; 2] = ["org.springframework.data.redis.", "org.redisson."];

/// What an inspection shows of the work in its stacks.
pub(super) struct Narrower<'a> {
    /// The methods of the application that ask a cache of keys and values.
    asking: BTreeSet<&'a str>,
}

impl<'a> Narrower<'a> {
    pub(super) fn of(inspection: &'a Inspection) -> Self {
        let dumped = inspection.loaded.iter().flat_map(|loaded| &loaded.stacks);
        let sampled = inspection.jfr.iter().flat_map(|jfr| &jfr.samples);
        let asking = dumped.chain(sampled).filter(|stack| asks_cache(stack));
        Self { asking: asking.filter_map(|stack| application_methods(&stack.frames)[0]).collect() }
    }

    /// What work of this kind is more precisely on a stack, where `method` is the application's innermost one.
    pub(super) fn work(&self, work: CpuWork, stack: &StackSeen, method: Option<&str>) -> Option<CpuWork> {
        let within = || stack.frames.iter().map(String::as_str).take_while(|one| Some(*one) != method);
        match work {
            CpuWork::RegexMatch => shape_of(within()),
            CpuWork::Serialisation => {
                let reads = within().any(|one| READERS.iter().any(|begin| one.starts_with(begin)));
                (reads || method.is_some_and(|method| self.asking.contains(method)))
                    .then_some(CpuWork::CachedParse)
            }
            _ => None,
        }
    }
}

/// Whether a thread asks a cache of keys and values.
fn asks_cache(stack: &StackSeen) -> bool {
    let mut products = stack.frames.iter().filter_map(|method| driver(method));
    products.any(is_cache)
}
