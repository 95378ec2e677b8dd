//! [`RequestPicker`]: picks the requests of a plan in its order; [`render`] writes the number of the iteration into
//! their bytes.

use crate::random::RandomStream;
use traffic::plan::{Fill, Order, Plan, Request};

/// The most decimal digits of a `u64`.
const DIGITS: usize = 20;

/// A position in the plan's order of requests. Each user of a closed model has one; an open model has one in all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OrderPosition {
    /// The index of the next request of the present iteration; 0 between two iterations.
    pub(crate) turn: usize,
    /// Number of iterations begun in this slice.
    pub(crate) iterations: u64,
    /// The number of the present iteration, unique over all users and shards.
    iteration: u64,
}

/// A request that was picked to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PickedRequest {
    /// Its index among the plan's requests.
    pub(crate) request: usize,
    /// The number of its iteration, which is inserted into its bytes where the plan says so.
    pub(crate) iteration: u64,
}

/// Picks requests in the plan's order: in turn, or at random by their weights.
#[derive(Debug)]
pub(crate) struct RequestPicker {
    /// Number of requests of the plan.
    requests: usize,
    /// For each request the sum of the weights up to and including it; empty when requests come in turn.
    sums: Vec<u64>,
    random: RandomStream,
    /// The number of the next iteration.
    next_iteration: u64,
    /// The number of shards times the number of machines. Each shard counts in steps of it, so that no two
    /// iterations have the same number.
    step: u64,
}

impl RequestPicker {
    /// A picker for one shard of the plan.
    pub(crate) fn new(plan: &Plan, shard: usize) -> Self {
        let mut sum = 0;
        let mut add = |&weight: &u32| {
            sum += u64::from(weight);
            sum
        };
        let sums = match &plan.order {
            Order::InTurn => Vec::new(),
            Order::Weighted(weights) => weights.iter().map(&mut add).collect(),
        };
        Self {
            requests: plan.requests.len(),
            sums,
            random: RandomStream::new(plan.seed, u64::MAX - shard as u64),
            next_iteration: plan.share.index + plan.share.of * shard as u64,
            step: plan.share.of * plan.shards as u64,
        }
    }

    /// Picks the request at this position and advances the position. With weights, every request is an iteration.
    pub(crate) fn next(&mut self, position: &mut OrderPosition) -> PickedRequest {
        if position.turn == 0 {
            position.iteration = self.next_iteration;
            position.iterations += 1;
            self.next_iteration += self.step;
        }
        if let Some(&total) = self.sums.last() {
            let drawn = self.random.below(total);
            return PickedRequest {
                request: self.sums.partition_point(|&sum| sum <= drawn),
                iteration: position.iteration,
            };
        }
        let request = position.turn;
        position.turn = if request + 1 == self.requests { 0 } else { request + 1 };
        PickedRequest { request, iteration: position.iteration }
    }

    /// The most bytes that one connection renders at a time; 0 when the plan's requests are sent as they are.
    pub(crate) fn longest_rendering(plan: &Plan) -> usize {
        let length = |request: &Request| match request.inserts.len() {
            0 if plan.pipeline == 1 => 0,
            inserts => request.bytes.len() + inserts * DIGITS,
        };
        plan.pipeline * plan.requests.iter().map(length).max().unwrap_or(0)
    }
}

/// Appends the bytes of a request to `into`, with the number of the iteration inserted. Allocates nothing when `into` has
/// room for [`RequestPicker::longest_rendering`].
pub(crate) fn render(request: &Request, iteration: u64, into: &mut Vec<u8>) {
    let mut digits = [0; DIGITS];
    let mut from = 0;
    for insert in &request.inserts {
        into.extend_from_slice(&request.bytes[from..insert.at]);
        from = insert.at;
        let number = match insert.fill {
            Fill::Counter => iteration,
            Fill::Length { fixed, counters } => {
                (fixed + counters * decimal(iteration, &mut [0; DIGITS]).len()) as u64
            }
        };
        into.extend_from_slice(decimal(number, &mut digits));
    }
    into.extend_from_slice(&request.bytes[from..]);
}

/// The decimal digits of a number, written into `digits`.
fn decimal(mut number: u64, digits: &mut [u8; DIGITS]) -> &[u8] {
    let mut at = DIGITS;
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RequestBuilder, Url};
    use traffic::plan::Arrivals;

    fn plan(requests: usize) -> Plan {
        let request = RequestBuilder::new(&Url::parse("localhost").unwrap()).build().unwrap();
        let address: std::net::SocketAddr = "127.0.0.1:1".parse().unwrap();
        Plan::new(address, vec![request; requests], Arrivals::Closed { users: 1 })
    }

    #[test]
    fn every_iteration_has_a_number_of_its_own() {
        let plan = Plan { shards: 2, ..plan(2) };
        let mut picker = RequestPicker::new(&plan, 1);
        let (mut one, mut other) = (OrderPosition::default(), OrderPosition::default());
        let mut pick = |position: &mut OrderPosition| {
            let picked = picker.next(position);
            (picked.request, picked.iteration)
        };
        let picked = [&mut one, &mut other].map(|position| [pick(position), pick(position)]);
        assert_eq!(picked, [[(0, 1), (1, 1)], [(0, 3), (1, 3)]]);
        assert_eq!(pick(&mut one), (0, 5));
        assert_eq!(one.iterations, 2);
    }

    #[test]
    fn no_two_machines_give_an_iteration_the_same_number() {
        let numbers = |index, shards| {
            let connections = None;
            let share = traffic::plan::LoadPart { index, of: 3, connections };
            let plan = Plan { shards, share, ..plan(1) };
            (0..shards).flat_map(move |shard| {
                let mut picker = RequestPicker::new(&plan, shard);
                (0..10).map(move |_| picker.next(&mut OrderPosition::default()).iteration)
            })
        };
        let all: Vec<u64> = (0..3).flat_map(|index| numbers(index, index as usize + 1)).collect();
        let distinct: std::collections::BTreeSet<u64> = all.iter().copied().collect();
        assert_eq!((all.len(), distinct.len()), (60, 60));
    }

    #[test]
    fn requests_are_picked_as_often_as_their_weights_say() {
        let plan = Plan { order: Order::Weighted(vec![1, 0, 3]), ..plan(3) };
        let mut picker = RequestPicker::new(&plan, 0);
        let mut counts = [0_u32; 3];
        (0..40_000).for_each(|_| counts[picker.next(&mut OrderPosition::default()).request] += 1);
        assert!(counts[1] == 0 && counts[0].abs_diff(10_000) < 500, "{counts:?}");
    }

    #[test]
    fn the_number_of_the_iteration_is_inserted_into_path_and_body() {
        let url = Url::parse("localhost/item/${n}").unwrap();
        let builder = RequestBuilder::new(&url).method("PUT").body("[${n},${n}]").counters(true);
        let request = builder.build().unwrap();
        let mut bytes = Vec::new();
        for (iteration, path, end) in [
            (7, "PUT /item/7 ", "Content-Length: 5\r\n\r\n[7,7]"),
            (123, "PUT /item/123 ", "Content-Length: 9\r\n\r\n[123,123]"),
        ] {
            bytes.clear();
            render(&request, iteration, &mut bytes);
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.starts_with(path) && text.ends_with(end), "{text}");
        }
        assert_eq!(decimal(u64::MAX, &mut [0; DIGITS]), b"18446744073709551615");
    }
}
