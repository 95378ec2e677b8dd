//! [`Headline`]: what decides when a run stops, and what the sentence on top of its report is about.

use model::by_id::serde_by_id;
use model::measure::Measure;

/// What decides when a run stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Headline {
    /// Throughput, CPU per request and a tail percentile of the response times, as far as the design measures them
    /// ([`crate::experiment::Design::headline_measures`]). They share the error rate, and the run stops when all of them are settled.
    #[default]
    Overall,
    /// One measure: the one that the file names, or the measure of a search or a gate.
    One(Measure),
}

impl Headline {
    /// The headline of a gate whose file names none.
    pub const OF_A_GATE: Self = Self::One(Measure::CpuPerRequest);

    const OVERALL: &str = "overall";

    /// The name in files: its measure's name, or `overall`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Overall => Self::OVERALL,
            Self::One(measure) => measure.id(),
        }
    }

    /// The headline of that [`Headline::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        match id {
            Self::OVERALL => Some(Self::Overall),
            id => Measure::from_id(id).map(Self::One),
        }
    }

    /// The share of the error rate that a measure has, relative to the other measures. The tail of the response times varies so much
    /// more than throughput and CPU per request that the larger part of alpha would be of no use to it.
    pub const fn weight(self, measure: Measure) -> f64 {
        match (self, measure) {
            (Self::Overall, Measure::Throughput | Measure::CpuPerRequest) => 0.45,
            (Self::Overall, _) => 0.1,
            (Self::One(_), _) => 1.0,
        }
    }

    /// The measure, where it is a single one.
    pub const fn one(self) -> Option<Measure> {
        match self {
            Self::Overall => None,
            Self::One(measure) => Some(measure),
        }
    }
}

serde_by_id!(Headline, "a headline");

/// A headline that may be absent: files then have an empty text.
pub mod or_empty {
    use super::Headline;
    use serde::de::value::StrDeserializer;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::borrow::Cow;

    /// Writes the id of a headline, or an empty text.
    ///
    /// # Errors
    ///
    /// If the serializer fails.
    pub fn serialize<S: Serializer>(headline: &Option<Headline>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(headline.map_or("", Headline::id))
    }

    /// Reads the id of a headline, or an empty text.
    ///
    /// # Errors
    ///
    /// If the text is not the id of a headline.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Headline>, D::Error> {
        let id = Cow::<str>::deserialize(deserializer)?;
        match &*id {
            "" => Ok(None),
            id => Headline::deserialize(StrDeserializer::new(id)).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_headlines_are_read_as_they_were_written() {
        for headline in [Headline::Overall, Headline::One(Measure::StartUp)] {
            let stored = serde_json::to_string(&headline).expect("a string");
            let read: Headline = serde_json::from_str(&stored).expect("a headline");
            assert_eq!(read, headline);
        }
        let early: Headline = serde_json::from_str("\"cpu_per_request\"").expect("a headline");
        assert_eq!(early, Headline::OF_A_GATE);
        assert!(serde_json::from_str::<Headline>("\"latency\"").is_err());
    }
}
