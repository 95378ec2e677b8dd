//! The functions against reference values, properties that hold for any data, and error rates on simulated noise.

mod acceptance;
mod golden;
mod history;
mod nightly;
mod noise_model;
mod properties;
