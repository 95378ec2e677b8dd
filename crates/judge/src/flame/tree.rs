//! The CPU time of two arms call by call.

use super::WORTH;
use super::profile::{Profile, Sampled, confidence_of_each, difference};
use model::units::Seconds;
use record::cpu_profile::FlameNode;
use std::collections::BTreeMap;

/// Most calls of a tree: a drawing with more is slow to open, and nobody sees them.
const MOST: usize = 1500;
/// Share of the CPU time of a request below which a call is left out.
const LEAST: f64 = 0.001;

/// A call while the tree is built.
struct Call<'a> {
    name: &'a str,
    /// The calls that it makes, by name.
    calls: BTreeMap<&'a str, usize>,
    /// Its time with all that it calls: of the baseline, and of the arm.
    sampled: [Sampled; 2],
}

impl Call<'_> {
    /// Its mean times.
    fn seconds(&self) -> [Seconds; 2] {
        [self.sampled[0].mean(), self.sampled[1].mean()]
    }

    /// The larger one. A call is at least as large as each call that it makes.
    fn size(&self) -> Seconds {
        let [baseline, arm] = self.seconds();
        baseline.max(arm)
    }
}

/// The calls of baseline and arm, each before the calls that it makes, the largest first.
pub(super) fn nodes(profiles: &[Vec<Profile<'_>>; 2]) -> Vec<FlameNode> {
    let calls = calls(profiles);
    let least = smallest_shown(&calls);
    let worth = WORTH * calls[0].size();
    let compared = calls.iter().filter(|call| call.size() >= worth).count();
    let confidence = confidence_of_each(compared);
    let mut nodes = Vec::new();
    let mut left = vec![(0, 0)];
    while let Some((index, depth)) = left.pop() {
        let call = &calls[index];
        let [baseline, arm] = &call.sampled;
        nodes.push(FlameNode {
            name: call.name.to_owned(),
            depth,
            seconds: call.seconds(),
            differs: call.size() >= worth && difference([baseline, arm], confidence).is_shown(),
        });
        let shown = call.calls.values().copied();
        let mut shown: Vec<usize> = shown.filter(|call| calls[*call].size() >= least).collect();
        // The last one is taken first.
        shown.sort_by(|a, b| calls[*a].size().total_cmp(&calls[*b].size()));
        left.extend(shown.into_iter().map(|call| (call, depth + 1)));
    }
    nodes
}

/// All calls; the first stands for all of them.
fn calls<'a>(profiles: &'a [Vec<Profile<'a>>; 2]) -> Vec<Call<'a>> {
    let call = |name: &'a str| Call {
        name,
        calls: BTreeMap::new(),
        sampled: [0, 1].map(|of| Sampled::nothing(&profiles[of])),
    };
    let mut calls = vec![call("")];
    for (of, profiles) in profiles.iter().enumerate() {
        for (start, profile) in profiles.iter().enumerate() {
            for (stack, seconds) in &profile.stacks {
                let mut at = 0;
                calls[at].sampled[of].add(start, *seconds);
                for &name in &stack.calls {
                    let next = calls.len();
                    at = *calls[at].calls.entry(name).or_insert(next);
                    if at == next {
                        calls.push(call(name));
                    }
                    calls[at].sampled[of].add(start, *seconds);
                }
            }
        }
    }
    calls
}

/// The size from which on a call is shown.
fn smallest_shown(calls: &[Call<'_>]) -> Seconds {
    let mut sizes: Vec<Seconds> = calls.iter().map(Call::size).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let beyond = sizes.get(MOST).copied().unwrap_or_default();
    // Just above, so that many calls of one size are all left out.
    (LEAST * calls[0].size()).max(beyond * (1.0 + 1e-9))
}
