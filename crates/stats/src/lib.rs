//! The statistics of `prony`: numbers in, numbers out.
//!
//! Promises: no I/O, no clock, no hidden randomness (a seed is an argument); finite numbers in, never NaN
//! out; the order of the rounds changes nothing, and exchanging the arms flips every sign, both to the last
//! bit. Refuses: to give an interval where none exists (`None` instead), and to treat slices or requests of
//! one start as independent. The statistical unit is the *round*: one fresh start of every arm.
//!
//! Scale: every comparison runs on natural logarithms, `D = ln(arm / baseline)`, **positive = the arm is
//! better**; 0.03 is about 3 %. A margin is the relative difference itself (0.02 = 2 %).
//!
//! | from | to | module |
//! |---|---|---|
//! | slices | pairs, the round's `D` | [`pairing`], [`robust`] |
//! | rounds | an arm's own mean | [`summary`] |
//! | rounds | better, worse, same, go on | [`sequential`] ([`boundary`], [`anytime`]), [`sign_flip`] |
//! | many measures or arms | the same, honestly | [`multiplicity`] |
//! | spread so far | rounds needed | [`planning`] |
//! | histograms per second | percentiles with intervals | [`percentile`], [`bootstrap`] |
//! | throughput by users | the capacity curve, its knee | [`usl`], [`corner`], [`knee`] |
//! | probes by rate | the highest rate that keeps an objective | [`isotonic`] |
//! | nights | changes of level | [`changepoint`] |
//! | nothing but numbers | t, normal, beta, binomial | [`distribution`] |

pub mod anytime;
pub mod bootstrap;
pub mod boundary;
pub mod changepoint;
pub mod corner;
pub mod distribution;
mod interval;
pub mod isotonic;
pub mod knee;
mod least_squares;
pub mod multiplicity;
pub mod pairing;
pub mod percentile;
pub mod planning;
pub mod robust;
pub mod sequential;
pub mod sign_flip;
mod special;
pub mod summary;
pub mod usl;

pub use interval::Interval;
