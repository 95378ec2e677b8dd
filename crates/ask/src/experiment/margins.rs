//! [`Margins`]: the largest difference that counts as the same, by measure.

use model::measure::Measure;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

/// Relative differences that count as the same, by measure. Files need not have all of them: the others are the usual ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins([f64; Measure::ALL.len()]);

impl Margins {
    /// Gives every measure this margin, a relative difference: 0.05 is 5 %.
    pub const fn all(margin: f64) -> Self {
        Self([margin; Measure::ALL.len()])
    }
}

impl Default for Margins {
    fn default() -> Self {
        Self(Measure::ALL.map(Measure::default_margin))
    }
}

impl Index<Measure> for Margins {
    type Output = f64;

    fn index(&self, measure: Measure) -> &f64 {
        &self.0[measure as usize]
    }
}

impl IndexMut<Measure> for Margins {
    fn index_mut(&mut self, measure: Measure) -> &mut f64 {
        &mut self.0[measure as usize]
    }
}

impl Serialize for Margins {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Measure::ALL.map(|measure| (measure, self[measure])))
    }
}

impl<'de> Deserialize<'de> for Margins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut margins = Self::default();
        for (measure, margin) in BTreeMap::<Measure, f64>::deserialize(deserializer)? {
            margins[measure] = margin;
        }
        Ok(margins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_that_a_file_lacks_are_the_usual_ones() {
        let read: Margins = serde_json::from_str(r#"{"throughput":0.02}"#).expect("margins");
        assert_eq!((read[Measure::Throughput], read[Measure::ResponseP99]), (0.02, 0.10));
        let stored = serde_json::to_string(&read).expect("JSON");
        assert_eq!(serde_json::from_str::<Margins>(&stored).expect("margins"), read);
    }
}
