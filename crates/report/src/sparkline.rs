//! A line of small bars, for the cell of a table.

/// The bars, the lowest first.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar for each value, from zero to the largest of them; a blank where there is none. Fewer than two values give no line.
pub(crate) fn sparkline(values: &[Option<f64>]) -> String {
    let most = values.iter().flatten().copied().fold(0.0, f64::max);
    if values.iter().flatten().count() < 2 || most <= 0.0 {
        return String::new();
    }
    let bar = |value: f64| BARS[((value / most * 8.0).ceil() as usize).clamp(1, 8) - 1];
    values.iter().map(|value| value.map_or(' ', bar)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_begin_at_zero_so_that_what_is_the_same_looks_the_same() {
        assert_eq!(sparkline(&[Some(99.0), Some(100.0), None, Some(50.0), Some(0.0)]), "██ ▄▁");
        assert_eq!(sparkline(&[Some(3.0)]), "");
        assert_eq!(sparkline(&[Some(0.0), Some(0.0)]), "");
    }
}
