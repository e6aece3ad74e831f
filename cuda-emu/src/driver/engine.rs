//! One emulated device: its configuration, its context, what it has done and what went wrong.

use std::collections::HashMap;
use std::sync::Arc;

use super::modules::Function;
use super::references::References;
use super::report::{Counters, Held, Report, ReportedFault};
use super::streams::Event;
use super::work::{Task, Work};
use super::{Code, Config, Failure};
use crate::faults::{At, FaultPlan, Injected};
use crate::memory::{DeviceMemory, Footprint, PinnedMemory, ReaderSets};
use crate::ptx::Module;
use crate::schedule::{Clock, Goal, Operation, Point, Scheduler};

/// A device. Methods are the driver API's calls with handles and pointers resolved; they are called with the
/// context current and no sticky fault unless they say otherwise.
pub struct Engine {
    pub(super) ordinal: u32,
    pub(super) config: Config,
    pub(super) plan: FaultPlan,
    pub(super) counters: Counters,
    pub(super) references: References,
    pub(super) context: Context,
    first_fault: Option<ReportedFault>,
    /// Why the device is gone for good.
    lost: Option<Code>,
    retained: u32,
}

/// What lives and dies with the device's primary context.
pub(super) struct Context {
    /// Which of the device's contexts this is, from one.
    pub(super) generation: u32,
    /// What every call returns since a fault.
    pub(super) sticky: Option<Code>,
    pub(super) scheduler: Scheduler<Work>,
    pub(super) memory: DeviceMemory,
    pub(super) readers: ReaderSets,
    pub(super) pinned: PinnedMemory,
    pub(super) events: HashMap<u32, Event>,
    pub(super) events_made: u32,
    pub(super) modules: HashMap<u32, Arc<Module>>,
    pub(super) modules_made: u32,
    pub(super) functions: Vec<Function>,
}

impl Context {
    fn new(config: &Config, generation: u32) -> Self {
        Self {
            generation,
            sticky: None,
            scheduler: Scheduler::new(config.schedule, config.seed),
            memory: DeviceMemory::new(config.memory_bytes, config.junk),
            readers: ReaderSets::default(),
            pinned: PinnedMemory::default(),
            events: HashMap::new(),
            events_made: 0,
            modules: HashMap::new(),
            modules_made: 0,
            functions: vec![],
        }
    }
}

impl Engine {
    /// A device of this configuration.
    pub fn new(ordinal: u32, config: Config) -> Self {
        Self {
            ordinal,
            plan: FaultPlan::new(&config.faults, config.seed),
            counters: Counters::default(),
            references: References::default(),
            context: Context::new(&config, 1),
            first_fault: None,
            lost: None,
            retained: 0,
            config,
        }
    }

    /// Takes a reference to the primary context.
    pub fn retain(&mut self) -> Result<(), Code> {
        if let Some(code) = self.lost {
            return Err(code);
        }
        self.retained += 1;
        Ok(())
    }

    /// Gives a reference back; with the last one everything in the context goes.
    pub fn release(&mut self) -> Result<(), Code> {
        if self.retained == 0 {
            return Err(Code::INVALID_CONTEXT);
        }
        self.retained -= 1;
        if self.retained == 0 {
            self.reset();
        }
        Ok(())
    }

    /// Destroys everything in the context, a sticky fault included; pending work is dropped.
    pub fn reset(&mut self) {
        self.context = Context::new(&self.config, self.context.generation + 1);
    }

    /// Whether the context of this generation can be used, and if not, what a call returns.
    pub fn usable(&self, generation: u32) -> Result<(), Code> {
        if let Some(code) = self.lost {
            return Err(code);
        }
        if generation != self.context.generation || self.retained == 0 {
            return Err(Code::CONTEXT_IS_DESTROYED);
        }
        self.context.sticky.map_or(Ok(()), Err)
    }

    /// Which of the device's contexts is the present one.
    pub fn generation(&self) -> u32 {
        self.context.generation
    }

    /// What the device did and holds, and what went wrong first.
    pub fn report(&self) -> Report {
        let Context { scheduler, memory, pinned, events, modules, .. } = &self.context;
        let held = Held {
            device_bytes: memory.used_bytes(),
            peak_device_bytes: memory.peak_bytes(),
            buffers: memory.live_buffers(),
            pinned_bytes: pinned.bytes(),
            streams: scheduler.open_streams(),
            events: events.len(),
            modules: modules.len(),
            pending: scheduler.pending().count(),
        };
        let (counters, first_fault) = (self.counters.clone(), self.first_fault.clone());
        Report { device: self.ordinal, counters, held, first_fault }
    }

    /// Ends the context: pending work is dropped, every later call returns the code.
    pub(super) fn fail(&mut self, failure: Failure) -> Code {
        self.counters.faults += 1;
        self.first_fault.get_or_insert_with(|| ReportedFault::from(&failure));
        self.context.sticky.get_or_insert(failure.code);
        if failure.code == Code::DEVICE_UNAVAILABLE {
            self.lost = Some(failure.code);
        }
        self.context.scheduler.clear();
        failure.code
    }

    /// What the fault plan has for a call; a refusal is returned as the call's result.
    pub(super) fn planned(&mut self, at: At, entry: &str) -> Result<Option<Injected>, Code> {
        match self.plan.next(at, entry) {
            Some(Injected::Refused(code)) => {
                self.counters.injected += 1;
                Err(code)
            }
            planned => Ok(planned),
        }
    }

    /// What the fault plan has for a call that does its work at once.
    pub(super) fn planned_at_once(&mut self, at: At) -> Result<(), Code> {
        match self.planned(at, "")? {
            Some(Injected::Fails(code)) => {
                self.counters.injected += 1;
                Err(self.fail(Failure { code, text: format!("planned fault at {at:?}") }))
            }
            _ => Ok(()),
        }
    }

    /// Adds an operation to a stream; [`Self::advance`] lets it run.
    pub(super) fn enqueue(
        &mut self,
        stream: usize,
        task: Task,
        footprint: Footprint,
        injected: Option<Injected>,
        after: Option<&Point>,
    ) -> Point {
        let Context { scheduler, memory, .. } = &mut self.context;
        let name = task.name();
        memory.note_use(&footprint, stream, scheduler.enqueued(stream) + 1);
        scheduler.enqueue(stream, &name, Work { task, footprint, injected }, after)
    }

    /// Executes as much as the policy likes. A fault shows in the next call, as on a GPU.
    pub(super) fn advance(&mut self) {
        self.run(Goal::Background).ok();
    }

    /// Executes up to a goal.
    pub(super) fn run(&mut self, goal: Goal) -> Result<(), Code> {
        while let Some(operation) = self.context.scheduler.next(goal) {
            self.perform(operation)?;
        }
        Ok(())
    }

    /// Executes one operation.
    pub(super) fn perform(&mut self, operation: Operation<Work>) -> Result<(), Code> {
        self.execute(&operation).map_err(|failure| self.fail(failure))?;
        self.context.scheduler.complete(operation.stream, operation.index);
        Ok(())
    }

    /// The host has synchronised with a place in a stream.
    pub(super) fn learn(&mut self, clock: &Clock) -> Result<(), Code> {
        self.context.scheduler.host_learns(clock);
        let settled = self.context.pinned.settle(self.context.scheduler.host());
        settled.map_err(|text| self.fail(Failure::launch_failed(text)))
    }

    /// Waits for everything.
    pub fn synchronize(&mut self) -> Result<(), Code> {
        self.run(Goal::Everything)?;
        let everything = self.context.scheduler.everything();
        self.learn(&everything)
    }
}
