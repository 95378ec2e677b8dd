//! The functions against reference values, properties that hold for any data, and error rates on simulated noise.

mod acceptance;
mod family;
mod golden;
mod history;
mod moderation;
mod nightly;
mod noise_model;
mod properties;
mod worlds;
