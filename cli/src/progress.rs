//! Progress on stderr.

use std::cell::RefCell;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use lambda_prover::recovery::RecoveryEvent;
use lambda_prover::{DeviceMemory, Event, Observer, Round};
use lambda_verifier::command::human_bytes;
use serde_json::{Value, json};

use crate::device::{Computer, shown};

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

/// One bar: round, tables done, table, rows, device memory, elapsed time.
struct Bar {
    bar: ProgressBar,
    rows: RefCell<u64>,
}

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new(1);
        let style = ProgressStyle::with_template("{prefix:12} [{wide_bar}] {pos}/{len} {msg:26} {seconds}")
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

    fn show(&self, step: &str, memory: Option<DeviceMemory>) {
        let (rows, memory) = (human_count(*self.rows.borrow()), vram(memory));
        self.bar.set_message(format!("{step:12} {rows:>8} rows{memory}"));
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
                self.show("", None);
            }
            Event::StepDone { step, rows, memory, .. } => {
                *self.rows.borrow_mut() += rows;
                self.bar.inc(1);
                self.show(step, memory);
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
            Event::RoundDone { round, seconds, memory } => {
                eprintln!("{:12} {seconds:8.3} s{}", round.title(), vram(memory));
            }
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
    let RecoveryEvent { scope, stage, .. } = event;
    format!("{:12} {scope}: {stage}: {}; {}", "device", shown::fault(event), shown::done(event))
}

/// Device memory in use, and what may be, where there is any.
fn vram(memory: Option<DeviceMemory>) -> String {
    memory.map_or_else(String::new, |DeviceMemory { used_bytes, budget_bytes, .. }| {
        format!("  {:>8} / {}", human_bytes(used_bytes as usize), human_bytes(budget_bytes as usize))
    })
}

struct Json;

impl Observer for Json {
    fn event(&self, event: Event<'_>) {
        let with_memory = |mut line: Value, memory: Option<DeviceMemory>| {
            if let Some(memory) = memory {
                line["memory"] = json!(memory);
            }
            line
        };
        let line = match event {
            Event::RoundStarted { round, steps } => {
                json!({"event": "round_started", "round": round.title(), "steps": steps})
            }
            Event::StepDone { round, step, rows, memory } => with_memory(
                json!({"event": "step_done", "round": round.title(), "step": step, "rows": rows}),
                memory,
            ),
            Event::RoundDone { round, seconds, memory } => with_memory(
                json!({"event": "round_done", "round": round.title(), "seconds": seconds}),
                memory,
            ),
            Event::Recovered(event) => fault_met("recovered", event),
            Event::GaveUp { last, tried } => {
                let mut line = fault_met("gave_up", last);
                line["tried"] = json!(tried);
                line
            }
        };
        eprintln!("{line}");
    }
}

fn fault_met(event: &str, met: &RecoveryEvent) -> Value {
    let RecoveryEvent { at_seconds, round, stage, scope, fault, shortage, action } = met;
    json!({
        "event": event, "at_seconds": at_seconds, "round": round.title(), "stage": stage, "scope": scope,
        "fault": fault, "shortage": shortage, "action": action,
    })
}

/// A count for people: `1.9 M`.
pub fn human_count(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{:.1} k", count as f64 / 1e3),
        _ => format!("{:.1} M", count as f64 / 1e6),
    }
}
