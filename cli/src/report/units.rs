//! Numbers with their units, and positions on an axis of time.

use lambda_verifier::command::human_bytes;

/// Bytes for people.
pub fn bytes(bytes: u64) -> String {
    human_bytes(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// A time for people.
pub fn seconds(seconds: f64) -> String {
    if seconds >= 600.0 {
        format!("{:.0} min {:02.0} s", (seconds / 60.0).floor(), (seconds % 60.0).floor())
    } else if seconds >= 100.0 {
        format!("{seconds:.0} s")
    } else if seconds >= 1.0 {
        format!("{seconds:.2} s")
    } else if seconds >= 1e-3 {
        format!("{:.1} ms", seconds * 1e3)
    } else if seconds > 0.0 {
        format!("{:.0} µs", seconds * 1e6)
    } else {
        "0".to_owned()
    }
}

/// A round number of seconds for people, beside a tick of an axis.
pub fn tick(time: f64) -> String {
    seconds(time).replace(".00 ", " ").replace(".0 ", " ")
}

/// The share of `part` in `whole`.
pub fn share(part: f64, whole: f64) -> String {
    format!("{:.1} %", ratio(part, whole) * 100.0)
}

/// `part / whole`, between 0 and 1 whatever they are.
pub fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 && part > 0.0 { (part / whole).min(1.0) } else { 0.0 }
}

/// A count with its digits in groups.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// End of an axis that has no values above 0.
const SHORTEST: f64 = 1e-9;

/// A rising axis from 0 to its end.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Its last value, above 0.
    pub end: f64,
}

impl Axis {
    /// The axis that has all of `values`.
    pub fn over(values: impl IntoIterator<Item = f64>) -> Self {
        Self { end: values.into_iter().filter(|value| value.is_finite()).fold(SHORTEST, f64::max) }
    }

    /// Where `value` is, in percent of the axis.
    pub fn percent(self, value: f64) -> f64 {
        ratio(value, self.end) * 100.0
    }

    /// Round values on it, 0 first and then at most `count`.
    pub fn ticks(self, count: u32) -> Vec<f64> {
        let rough = self.end / f64::from(count);
        let magnitude = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * magnitude);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(self.end);
        let mut ticks = vec![0.0];
        ticks.extend((1..=count).map(|index| f64::from(index) * step).take_while(|tick| *tick <= self.end));
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: numbers that no proof has, from a damaged report, leave the page or stop the program.
    #[test]
    fn an_axis_takes_any_number() {
        for end in [0.0, -1.0, 1e-300, 0.013, 7.0, 60.0, 1e300, f64::NAN, f64::INFINITY] {
            let axis = Axis::over([end]);
            let ticks = axis.ticks(6);
            assert!(ticks.len() >= 3 && ticks.len() <= 7, "{end}: {ticks:?}");
            for value in ticks.into_iter().chain([f64::NAN, -3.0, 1e308]) {
                assert!((0.0..=100.0).contains(&axis.percent(value)), "{end}: {value}");
            }
        }
    }

    #[test]
    fn numbers_have_units() {
        let times = [0.0, 0.000_012, 0.0123, 1.5, 123.4, 754.9].map(seconds);
        assert_eq!(times, ["0", "12 µs", "12.3 ms", "1.50 s", "123 s", "12 min 34 s"]);
        assert_eq!([0.0, 0.2, 5.0, 12.5].map(tick), ["0", "200 ms", "5 s", "12.50 s"]);
        assert_eq!([7, 1234, 1_234_567].map(count), ["7", "1\u{202f}234", "1\u{202f}234\u{202f}567"]);
        assert_eq!([share(1.0, 8.0), share(1.0, 0.0)], ["12.5 %", "0.0 %"]);
    }
}
