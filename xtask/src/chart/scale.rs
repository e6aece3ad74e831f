//! Axes: a range of values, where it lands on the page, and round numbers to mark it with.

/// A linear map from values to page coordinates.
pub struct Scale {
    values: [f64; 2],
    page: [f64; 2],
}

impl Scale {
    /// Maps `values[0]` to `page[0]` and `values[1]` to `page[1]`. Needs `values[0] < values[1]`.
    pub fn new(values: [f64; 2], page: [f64; 2]) -> Self {
        debug_assert!(values[0] < values[1], "empty range {values:?}");
        Self { values, page }
    }

    /// Where `value` lies on the page.
    pub fn place(&self, value: f64) -> f64 {
        let share = (value - self.values[0]) / (self.values[1] - self.values[0]);
        self.page[0] + share * (self.page[1] - self.page[0])
    }
}

/// Multiples of 1, 2 or 5 times a power of ten from zero to at least `top`, four to seven of them.
pub fn ticks_from_zero(top: f64) -> Vec<f64> {
    let top = if top > 0.0 { top } else { 1.0 };
    let rough = top / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let count = (top / step).ceil() as usize;
    (0..=count).map(|i| i as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_the_range_land_on_the_ends_of_the_page() {
        let scale = Scale::new([10.0, 20.0], [300.0, 100.0]);
        assert_eq!([scale.place(10.0), scale.place(15.0), scale.place(20.0)], [300.0, 200.0, 100.0]);
    }

    #[test]
    fn ticks_are_round_few_and_reach_the_top() {
        assert_eq!(ticks_from_zero(30.5), [0.0, 10.0, 20.0, 30.0, 40.0]);
        assert_eq!(ticks_from_zero(0.0).last(), Some(&1.0));
        for top in [0.003, 0.99, 1.0, 4.2, 7.0, 10.0, 26.0, 99.9, 1234.0] {
            let ticks = ticks_from_zero(top);
            assert!((4..=7).contains(&ticks.len()), "{top}: {ticks:?}");
            assert!(ticks.last().unwrap() * (1.0 + 1e-9) >= top, "{top}: {ticks:?}");
        }
    }
}
