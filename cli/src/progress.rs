//! Progress on stderr.

use std::cell::RefCell;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use lambda_prover::recovery::RecoveryEvent;
use lambda_prover::{Action, Event, Observer, Round};
use serde_json::json;

use crate::device::Computer;

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
    /// Nothing, unless something goes wrong
    None,
}

impl Mode {
    /// What `Auto` is here.
    fn resolved(self) -> Self {
        match self {
            Self::Auto if stderr().is_terminal() => Self::Bar,
            Self::Auto => Self::None,
            mode => mode,
        }
    }
}

/// The observer that `mode` asks for; one that is `quiet` says nothing whatever happens.
pub fn observer(mode: Mode, quiet: bool) -> Box<dyn Observer> {
    match mode.resolved() {
        _ if quiet => Box::new(()),
        Mode::Auto | Mode::None => Box::new(Troubles),
        Mode::Bar => Box::new(Bar::new()),
        Mode::Plain => Box::new(Plain),
        Mode::Json => Box::new(Json),
    }
}

/// Says who computes, and why.
pub fn announce(computer: &Computer, mode: Mode, quiet: bool) {
    let (kind, name, reason) = (computer.kind(), computer.name(), &computer.reason);
    match mode.resolved() {
        _ if quiet => {}
        Mode::Auto | Mode::None => {}
        Mode::Json => {
            eprintln!("{}", json!({"event": "device", "kind": kind, "name": name, "reason": reason}));
        }
        Mode::Bar | Mode::Plain if computer.backend.is_none() => {
            eprintln!("{:12} host: {reason}", "device");
        }
        Mode::Bar | Mode::Plain => eprintln!("{:12} {kind}, {name}: {reason}", "device"),
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
            Event::Recovered(event) => self.bar.suspend(|| eprintln!("{}", recovered(event))),
            // The command ends with an error that says so.
            Event::RoundDone { .. } | Event::GaveUp { .. } => {}
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
        match event {
            Event::RoundDone { round, seconds } => eprintln!("{:12} {seconds:8.3} s", round.title()),
            event => Troubles.event(event),
        }
    }
}

/// What went wrong and was put right, and nothing else.
struct Troubles;

impl Observer for Troubles {
    fn event(&self, event: Event<'_>) {
        if let Event::Recovered(event) = event {
            eprintln!("{}", recovered(event));
        }
    }
}

fn recovered(event: &RecoveryEvent) -> String {
    let done = match event.action {
        Action::Evict => "made room, and tried again",
        Action::Drain => "waited for all work, and tried again",
        Action::Shrink => "went on with smaller pieces",
        Action::Downgrade => "went on on the host",
        Action::Restart => "began again on the host",
        Action::Fail => "gave up",
    };
    format!("{:12} {}; {done}", "device", event.fault)
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
            Event::Recovered(RecoveryEvent { stage, scope, fault, action }) => json!({
                "event": "recovered", "stage": stage, "scope": scope, "fault": fault, "action": action,
            }),
            Event::GaveUp { stage, scope, fault, tried } => json!({
                "event": "gave_up", "stage": stage.name(), "scope": scope.to_string(),
                "fault": fault.to_string(), "tried": tried,
            }),
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
