//! The rounds of a search for a capacity. The first round climbs from the fewest users upwards. All others visit the
//! levels that it reached in random order, because in a climb the end of the warm-up looks like a knee.

use super::RoundMode;
use crate::order;
use crate::round::WARM_USERS;
use ask::experiment::{Experiment, Steps};
use judge::find::capacity;
use rand_chacha::ChaCha8Rng;
use record::rounds::RoundRecord;

impl RoundMode for Steps {
    fn levels(
        &self,
        experiment: &Experiment,
        earlier: &[RoundRecord],
        random: &mut ChaCha8Rng,
    ) -> Vec<usize> {
        match capacity::levels_of_climb(*self, experiment, earlier) {
            Some(reached) => order::permutation(random, reached),
            None => (0..experiment.load.connections.len()).collect(),
        }
    }

    /// A higher level than the first step of the climb, whose load is too low to get code compiled.
    fn warm_level(&self, experiment: &Experiment, _: usize) -> usize {
        let users = experiment.load.connections.iter();
        users.filter(|users| **users <= WARM_USERS).count().saturating_sub(1)
    }

    fn is_enough(&self, experiment: &Experiment, earlier: &[RoundRecord], record: &RoundRecord) -> bool {
        capacity::climb_has_ended(*self, experiment, earlier, record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::testing::{climb as start, climbing};
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn later_rounds_visit_the_levels_of_the_first_valid_round_in_random_order() {
        let experiment = climbing();
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut next = |earlier: &[RoundRecord]| Steps::Chosen.levels(&experiment, earlier, &mut random);
        assert_eq!(next(&[]), (0..12).collect::<Vec<usize>>());
        let mut void = start(1, [8, 8], 4);
        void.void = Some(judge::testing::stolen());
        assert_eq!(next(std::slice::from_ref(&void)).len(), 12, "it climbs again");
        let first = [void, start(2, [8, 8], 10)];
        let mut later = next(&first);
        assert_ne!(later, (0..10).collect::<Vec<usize>>());
        later.sort_unstable();
        assert_eq!(later, (0..10).collect::<Vec<usize>>());
        assert_eq!(experiment.load.connections[Steps::Chosen.warm_level(&experiment, 0)], 16);
    }
}
