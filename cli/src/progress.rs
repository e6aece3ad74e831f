//! Progress on stderr.

use std::cell::RefCell;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use lambda_prover::{Event, Observer, Round};
use serde_json::json;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// A bar on a terminal, nothing elsewhere
    Auto,
    /// A bar
    Bar,
    /// A line per round
    Plain,
    /// A JSON object per event
    Json,
    /// Nothing
    None,
}

/// The observer that `mode` asks for.
pub fn observer(mode: Mode, quiet: bool) -> Box<dyn Observer> {
    match mode {
        _ if quiet => Box::new(()),
        Mode::Auto if stderr().is_terminal() => Box::new(Bar::new()),
        Mode::Auto | Mode::None => Box::new(()),
        Mode::Bar => Box::new(Bar::new()),
        Mode::Plain => Box::new(Plain),
        Mode::Json => Box::new(Json),
    }
}

/// One bar: round, tables done, table, rows, elapsed time.
struct Bar {
    bar: ProgressBar,
    rows: RefCell<u64>,
}

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new(1);
        let style = ProgressStyle::with_template("{prefix:12} [{bar:24}] {pos}/{len} {msg:26} {seconds}")
            .expect("the template is well formed")
            .progress_chars("=> ")
            .with_key("seconds", |state: &ProgressState, out: &mut dyn fmt::Write| {
                // A line that cannot be formatted is drawn without the time.
                let _ = write!(out, "{:.1} s", state.elapsed().as_secs_f64());
            });
        bar.set_style(style);
        bar.set_prefix("preparing");
        // The time goes on within a step.
        bar.enable_steady_tick(Duration::from_millis(100));
        Self { bar, rows: RefCell::new(0) }
    }

    fn show(&self, step: &str) {
        self.bar.set_message(format!("{step:12} {:>8} rows", human_count(*self.rows.borrow())));
    }
}

impl Observer for Bar {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::RoundStarted { round, steps } => {
                *self.rows.borrow_mut() = 0;
                self.bar.set_length(steps as u64);
                self.bar.set_position(0);
                self.bar.set_prefix(round.title());
                self.show("");
            }
            Event::StepDone { step, rows, .. } => {
                *self.rows.borrow_mut() += rows;
                self.bar.inc(1);
                self.show(step);
            }
            Event::RoundDone { round: Round::Verify, .. } => self.bar.finish_and_clear(),
            Event::RoundDone { .. } => {}
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

struct Plain;

impl Observer for Plain {
    fn event(&self, event: Event<'_>) {
        if let Event::RoundDone { round, seconds } = event {
            eprintln!("{:12} {seconds:8.3} s", round.title());
        }
    }
}

struct Json;

impl Observer for Json {
    fn event(&self, event: Event<'_>) {
        let line = match event {
            Event::RoundStarted { round, steps } => {
                json!({"event": "round_started", "round": round.title(), "steps": steps})
            }
            Event::StepDone { round, step, rows } => {
                json!({"event": "step_done", "round": round.title(), "step": step, "rows": rows})
            }
            Event::RoundDone { round, seconds } => {
                json!({"event": "round_done", "round": round.title(), "seconds": seconds})
            }
        };
        eprintln!("{line}");
    }
}

/// A count for people: `1.9 M`.
pub fn human_count(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{:.1} k", count as f64 / 1e3),
        _ => format!("{:.1} M", count as f64 / 1e6),
    }
}
