//! [`Workload`]: which request is sent next, and with which numbers in it.

use crate::random::Random;
use model::plan::{Fill, Order, Plan, Request};

/// Digits of the largest counter.
const DIGITS: usize = 20;

/// A place in the plan's order: a user's, or that of all in an open model.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// The next request of the present iteration; 0 between two iterations.
    pub(crate) turn: usize,
    /// Iterations begun in this slice.
    pub(crate) iterations: u64,
    /// The number of the present iteration.
    counter: u64,
}

/// Draws requests in the plan's order.
#[derive(Debug)]
pub(crate) struct Workload {
    requests: usize,
    /// Sums of the weights up to each request; empty when requests come in turn.
    sums: Vec<u64>,
    random: Random,
    /// The next iteration's number. Shards count in steps, so that no number is drawn twice.
    counter: u64,
    step: u64,
}

impl Workload {
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
            random: Random::new(plan.seed, u64::MAX - shard as u64),
            counter: shard as u64,
            step: plan.shards as u64,
        }
    }

    /// The next request at that place, and the number of its iteration.
    pub(crate) fn next(&mut self, place: &mut Place) -> (usize, u64) {
        if place.turn == 0 {
            place.counter = self.counter;
            place.iterations += 1;
            self.counter += self.step;
        }
        if let Some(&total) = self.sums.last() {
            let drawn = self.random.below(total);
            return (self.sums.partition_point(|&sum| sum <= drawn), place.counter);
        }
        let request = place.turn;
        place.turn = if request + 1 == self.requests {
            0
        } else {
            request + 1
        };
        (request, place.counter)
    }

    /// Room that the requests take at most that have to be rendered and go out at once.
    pub(crate) fn longest(plan: &Plan) -> usize {
        let length = |request: &Request| match request.inserts.len() {
            0 if plan.pipeline == 1 => 0,
            inserts => request.bytes.len() + inserts * DIGITS,
        };
        plan.pipeline * plan.requests.iter().map(length).max().unwrap_or(0)
    }
}

/// Adds the request with its numbers filled in; takes no memory when `into` has [`Workload::longest`].
pub(crate) fn render(request: &Request, counter: u64, into: &mut Vec<u8>) {
    let mut digits = [0; DIGITS];
    let mut from = 0;
    for insert in &request.inserts {
        into.extend_from_slice(&request.bytes[from..insert.at]);
        from = insert.at;
        let number = match insert.fill {
            Fill::Counter => counter,
            Fill::Length { fixed, counters } => {
                (fixed + counters * decimal(counter, &mut [0; DIGITS]).len()) as u64
            }
        };
        into.extend_from_slice(decimal(number, &mut digits));
    }
    into.extend_from_slice(&request.bytes[from..]);
}

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
    use model::plan::Arrivals;

    fn plan(requests: usize) -> Plan {
        let request = RequestBuilder::new(&Url::parse("localhost").unwrap())
            .build()
            .unwrap();
        let address: std::net::SocketAddr = "127.0.0.1:1".parse().unwrap();
        Plan::new(address, vec![request; requests], Arrivals::Closed { users: 1 })
    }

    #[test]
    fn an_iteration_has_one_number_and_no_other_has_it() {
        let plan = Plan { shards: 2, ..plan(2) };
        let mut workload = Workload::new(&plan, 1);
        let (mut one, mut other) = (Place::default(), Place::default());
        let drawn = [&mut one, &mut other].map(|place| [workload.next(place), workload.next(place)]);
        assert_eq!(drawn, [[(0, 1), (1, 1)], [(0, 3), (1, 3)]]);
        assert_eq!(workload.next(&mut one), (0, 5));
        assert_eq!(one.iterations, 2);
    }

    #[test]
    fn weights_are_kept() {
        let plan = Plan {
            order: Order::Weighted(vec![1, 0, 3]),
            ..plan(3)
        };
        let mut workload = Workload::new(&plan, 0);
        let mut counts = [0_u32; 3];
        (0..40_000).for_each(|_| counts[workload.next(&mut Place::default()).0] += 1);
        assert!(counts[1] == 0 && counts[0].abs_diff(10_000) < 500, "{counts:?}");
    }

    #[test]
    fn numbers_are_filled_in() {
        let url = Url::parse("localhost/item/${n}").unwrap();
        let builder = RequestBuilder::new(&url)
            .method("PUT")
            .body("[${n},${n}]")
            .counters(true);
        let request = builder.build().unwrap();
        let mut bytes = Vec::new();
        for (counter, path, end) in [
            (7, "PUT /item/7 ", "Content-Length: 5\r\n\r\n[7,7]"),
            (123, "PUT /item/123 ", "Content-Length: 9\r\n\r\n[123,123]"),
        ] {
            bytes.clear();
            render(&request, counter, &mut bytes);
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.starts_with(path) && text.ends_with(end), "{text}");
        }
        assert_eq!(decimal(u64::MAX, &mut [0; DIGITS]), b"18446744073709551615");
    }
}
