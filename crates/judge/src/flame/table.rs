//! The methods and the packages that differ most.

use super::WORTH;
use super::profile::{Difference, Profile, Sampled, confidence_of_each, difference};
use super::stack::CountedStack;
use model::units::Seconds;
use record::cpu_profile::{FrameDifference, FrameDifferences, JvmPart};
use std::collections::{BTreeMap, BTreeSet};

/// Most rows of a table.
const ROWS: usize = 10;
/// Share of a difference from which on it is "mostly" there.
const MOSTLY: f64 = 0.5;

/// The profiles of baseline and arm.
type Both<'a> = [Vec<Profile<'a>>; 2];

/// The methods that differ most, and the parts of the JVM.
pub(super) fn methods(profiles: &Both<'_>) -> FrameDifferences {
    differences(profiles, |stack| stack.owner.to_owned(), beside_owner)
}

/// The packages that differ most, and the parts of the JVM.
pub(super) fn packages(profiles: &Both<'_>) -> FrameDifferences {
    differences(profiles, |stack| stack.package(), method_of_package)
}

fn beside_owner<'s>(stack: &'s CountedStack<'_>) -> Option<&'s str> {
    stack.beside
}

/// The method that stands for its package; for a part of the JVM the stack's `beside`.
fn method_of_package<'s>(stack: &'s CountedStack<'_>) -> Option<&'s str> {
    match JvmPart::named(stack.owner) {
        None => Some(stack.owner),
        Some(_) => stack.beside,
    }
}

/// The names that differ most. `beside` is what a row may name as the place of its difference.
fn differences(
    profiles: &Both<'_>,
    name: impl Fn(&CountedStack<'_>) -> String,
    beside: impl for<'s> Fn(&'s CountedStack<'_>) -> Option<&'s str>,
) -> FrameDifferences {
    let sums = [0, 1].map(|of| Sampled::by(&profiles[of], &name));
    let compared = worth_comparing(&sums);
    let confidence = confidence_of_each(compared.len());
    let none = [0, 1].map(|of| Sampled::nothing(&profiles[of]));
    let both = |name: &str| [0, 1].map(|of| sums[of].get(name).unwrap_or(&none[of]));
    let all: Vec<(&str, Difference)> =
        compared.iter().map(|&name| (name, difference(both(name), confidence))).collect();
    let resolution = all.iter().map(|(_, difference)| difference.noise).reduce(f64::max);
    let mut shown: Vec<(&str, Difference)> = all.into_iter().filter(|(_, one)| one.is_shown()).collect();
    shown.sort_by(|(a, one), (b, other)| {
        let size = |difference: &Difference| difference.estimate.value.abs();
        size(other).total_cmp(&size(one)).then_with(|| a.cmp(b))
    });
    shown.truncate(ROWS);
    let places = Places::of(profiles, &name, &beside);
    let row = |(name, difference): (&str, Difference)| FrameDifference {
        name: name.to_owned(),
        seconds: both(name).map(Sampled::mean),
        mostly: places.of_most(name, difference.estimate.value),
        difference: difference.estimate,
    };
    FrameDifferences {
        compared: compared.len() as u32,
        resolution: resolution.map(Seconds),
        rows: shown.into_iter().map(row).collect(),
    }
}

/// The names that take a share of the CPU time of one of the arms that is worth a look. It depends on their times, but not on how
/// they differ, so that it favours no difference.
fn worth_comparing(sums: &[BTreeMap<String, Sampled>; 2]) -> Vec<&str> {
    let whole = |sums: &BTreeMap<String, Sampled>| -> Seconds { sums.values().map(Sampled::mean).sum() };
    let least = WORTH * whole(&sums[0]).max(whole(&sums[1]));
    let large = sums.iter().flatten().filter(|(_, sampled)| sampled.mean() >= least);
    let names: BTreeSet<&str> = large.map(|(name, _)| name.as_str()).collect();
    names.into_iter().collect()
}

/// The difference of every name by place.
struct Places(BTreeMap<String, BTreeMap<Option<String>, f64>>);

impl Places {
    fn of(
        profiles: &Both<'_>,
        name: impl Fn(&CountedStack<'_>) -> String,
        beside: impl for<'s> Fn(&'s CountedStack<'_>) -> Option<&'s str>,
    ) -> Self {
        let mut places: BTreeMap<String, BTreeMap<Option<String>, f64>> = BTreeMap::new();
        for (profiles, sign) in profiles.iter().zip([-1.0, 1.0]) {
            for (stack, time) in profiles.iter().flat_map(|profile| &profile.stacks) {
                let of_name = places.entry(name(stack)).or_default();
                let place = beside(stack).map(str::to_owned);
                *of_name.entry(place).or_default() += sign * time.0 / profiles.len() as f64;
            }
        }
        Self(places)
    }

    /// The place that has most of a difference; `None` where no place has, or where it is the thing itself.
    fn of_most(&self, name: &str, difference: f64) -> Option<String> {
        let places = self.0.get(name)?;
        let (place, part) = places.iter().max_by(|(_, a), (_, b)| {
            let towards = |part: f64| part * difference.signum();
            towards(**a).total_cmp(&towards(**b))
        })?;
        place.clone().filter(|_| part / difference >= MOSTLY)
    }
}
