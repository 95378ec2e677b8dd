//! [`Step`]: what a run is doing at the moment.

use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// What a run is doing at the moment, for its progress display. It is not stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Step {
    /// Maven fetches the distribution of a server.
    FetchingServer {
        /// Server and version: `tomcat:10.1.29`.
        server: String,
    },
    /// pip fetches a JDK.
    FetchingJdk {
        /// Its feature release: `25`.
        release: String,
    },
    /// Maven fetches the profiler of CPU time.
    FetchingProfiler,
    /// Maven builds an application.
    BuildingApplication {
        application: String,
        /// The server that it is built for.
        label: String,
    },
    /// A WAR or jar of the user's own is built.
    BuildingOwn {
        command: String,
        /// The revision that is built and the beginning of its commit, as `main (1a2b3c4d5e6f)`; `None` where the user's folder is
        /// built as it is.
        revision: Option<String>,
    },
    /// The application is compiled to a native image.
    CompilingNative {
        application: String,
        /// The server that it is compiled for.
        label: String,
    },
    /// Files of a server are sent to the host of its arm.
    Sending { host: String, size: Bytes },
    /// A WAR is migrated from javax to jakarta.
    MigratingApplication,
    /// The file does not say what a right answer is: the first one is taken for right.
    TrustingFirstAnswer {
        arm: String,
        /// The path that is requested.
        path: String,
    },
    /// The arguments of a jar do not say on which port it listens.
    JarWithoutPort { arm: String },
    /// A server starts.
    Starting { arm: String },
    /// Several servers start at once.
    StartingAtOnce {
        /// The arms that are not ready yet.
        arms: Vec<String>,
    },
    /// The servers are loaded, and nothing counts yet.
    WarmingUp,
    /// A short load shows how slow the service is, so that slices can be long enough.
    MeasuringPace,
    /// A fixed rate is chosen at which the generator is on time.
    ChoosingRate,
    /// The search for the highest rate tests one rate.
    Probing {
        arm: String,
        /// Requests per second.
        rate: f64,
    },
    /// Users of the closed loop connect.
    Connecting { users: usize },
    /// Slices of the closed loop are measured, at one of several levels.
    MeasuringLevel {
        /// Users of the level.
        users: usize,
    },
    /// Slices of the closed loop are measured, at its only level.
    Measuring,
    /// Slices at a fixed rate are measured.
    MeasuringAtRate,
    /// The effective settings of the servers are read.
    ReadingSettings,
    /// A server is inspected for what its threads wait for.
    Inspecting { arm: String },
    /// The CPU time of a server is profiled.
    Profiling {
        arm: String,
        /// Which of the profiled starts this is, from 1.
        start: u32,
        /// How many there are.
        starts: u32,
    },
    /// The servers stop.
    Stopping,
}
