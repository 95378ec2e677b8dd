//! The statistics of `prony`: numbers in, numbers out.
//!
//! The crate does no I/O, reads no clock and has no hidden randomness: a seed is an argument. Finite input
//! never gives NaN. The order of the rounds does not change a result, and exchanging the arms flips its sign;
//! both hold to the last bit. Where no interval exists, a function returns `None` instead of one. The
//! statistical unit is the *round*, one fresh start of every arm: slices and requests of one start share its
//! luck and are never treated as independent.
//!
//! Comparisons use natural logarithms, `D = ln(arm / baseline)`, with the sign chosen so that **positive means
//! that the arm is better**; a `D` of 0.03 is a difference of about 3 %. A margin is given as a relative
//! difference (0.02 = 2 %) and converted by the function that takes it.
//!
//! | input | result | module |
//! |---|---|---|
//! | slices of one round | the round's `D`, differences of its rows | [`pairing`], [`robust`] |
//! | one value per round of one arm | mean with its interval | [`summary`] |
//! | `D` of every round | better, worse, same, or go on | [`sequential`] ([`spending`], [`moderated`], [`anytime`]), [`sign_flip`] |
//! | `D` of every session, where nothing is started | the same, by as many sessions as their likeness leaves | [`sessions`] |
//! | how the starts of earlier runs differed | the prior of [`moderated`] | [`learnt`] |
//! | several measures or arms | verdicts with the error rate of the whole family controlled | [`multiplicity`] |
//! | spread of the rounds so far | number of rounds needed | [`planning`] |
//! | histograms per second | percentiles with intervals | [`percentile`], [`bootstrap`] |
//! | counts per second, of a single load | shares, quantiles and means with intervals | [`clustered`] |
//! | throughput by number of users | capacity curve and its knee | [`usl`], [`corner`], [`knee`] |
//! | two counts of events and their times | whether their rates differ | [`counts`] |
//! | share of slow answers by rate | highest rate that meets an objective | [`isotonic`] |
//! | one result per night | nights on which the level changed | [`changepoint`] |
//! | a statistic and its parameters | t, normal, beta and binomial probabilities and quantiles | [`distribution`] |

pub mod anytime;
pub mod bootstrap;
pub mod changepoint;
pub mod clustered;
pub mod corner;
pub mod counts;
pub mod distribution;
mod dunnett;
mod interval;
pub mod isotonic;
pub mod knee;
pub mod learnt;
mod least_squares;
pub mod moderated;
pub mod multiplicity;
pub mod pairing;
pub mod percentile;
pub mod planning;
pub mod robust;
pub mod sequential;
pub mod sessions;
pub mod sign_flip;
mod special;
pub mod spending;
pub mod summary;
pub mod usl;

pub use interval::ConfidenceInterval;
