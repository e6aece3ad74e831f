//! The fault plan: what goes wrong at which call, from the device's configuration.

use serde::Deserialize;

use crate::driver::Code;
use crate::schedule::Random;

/// The kind of call that a planned fault waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// `cuInit`.
    Init,
    /// `cuMemAlloc`.
    Alloc,
    /// `cuMemHostAlloc`.
    HostAlloc,
    /// Copies and memsets.
    Copy,
    /// `cuLaunchKernel`.
    Launch,
    /// `cuModuleLoadData`.
    Module,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The call returns out of memory.
    Oom,
    /// The call returns that the launch wants too many resources.
    OutOfResources,
    /// The module is refused as no valid PTX.
    BadPtx,
    /// The module is refused as too new.
    UnsupportedPtx,
    /// The module is refused as made for another GPU.
    NoImage,
    /// The machine has no device, whichever call the entry names.
    NoDevice,
    /// The work fails when it is executed; sticky.
    LaunchFailed,
    /// The work touches an illegal address when it is executed; sticky.
    IllegalAddress,
    /// The work touches a misaligned address when it is executed; sticky.
    Misaligned,
    /// The device is gone from the moment the work is executed; outlives the context.
    DeviceLost,
    /// One bit flips after the launch or copy: in the buffer of the given label, else in what it wrote.
    Flip,
}

/// One entry of the plan.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// The calls it counts.
    pub at: At,
    /// Which of them it hits, from one.
    #[serde(default = "one")]
    pub nth: u64,
    /// How many in a row from there.
    #[serde(default = "one")]
    pub times: u64,
    /// What happens.
    pub kind: Kind,
    /// Counts launches of this entry alone; a final `*` stands for any ending.
    pub entry: Option<String>,
    /// For a flip: the buffer.
    pub label: Option<String>,
    /// For a flip: the eight-byte word of the buffer, or of those that were written; else the seed chooses.
    pub word: Option<u64>,
    /// For a flip: the bit of the word; else the seed chooses.
    pub bit: Option<u32>,
}

/// A bit to flip after a launch or a copy.
#[derive(Clone, Debug)]
pub struct Flip {
    /// The buffer; none for what the launch wrote.
    pub label: Option<String>,
    /// Word, modulo how many there are.
    pub word: u64,
    /// Bit of the word.
    pub bit: u32,
}

/// A fault that a call runs into.
#[derive(Clone, Debug)]
pub enum Injected {
    /// The call fails and leaves nothing behind.
    Refused(Code),
    /// The work fails when it is executed and takes the context with it.
    Fails(Code),
    /// The work succeeds and a bit flips.
    Flips(Flip),
}

/// The plan and how far it has come.
pub struct FaultPlan {
    entries: Vec<(Planned, u64)>,
    random: Random,
}

impl Planned {
    /// Whether the entry means something.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn check(&self) -> Result<(), String> {
        if self.kind == Kind::Flip && !matches!(self.at, At::Launch | At::Copy) {
            return Err(format!("planned fault: nothing flips at {:?}", self.at));
        }
        if self.entry.is_some() && self.at != At::Launch {
            return Err(format!("planned fault: {:?} has no entry", self.at));
        }
        if self.nth == 0 || self.times == 0 {
            return Err("planned fault: calls are counted from one".into());
        }
        Ok(())
    }

    fn counts(&self, at: At, entry: &str) -> bool {
        let named = match self.entry.as_deref() {
            None => true,
            Some(pattern) => match pattern.strip_suffix('*') {
                Some(start) => entry.starts_with(start),
                None => entry == pattern,
            },
        };
        self.at == at && named
    }
}

impl FaultPlan {
    /// The plan of these entries; `seed` chooses what they leave open.
    pub fn new(entries: &[Planned], seed: u64) -> Self {
        let entries = entries.iter().map(|planned| (planned.clone(), 0)).collect();
        Self { entries, random: Random::new(seed) }
    }

    /// Whether the machine pretends to have no device.
    pub fn hides_device(&self) -> bool {
        self.entries.iter().any(|(planned, _)| planned.kind == Kind::NoDevice)
    }

    /// Counts a call and says what it runs into; of several entries the first. `entry` is the kernel's name.
    pub fn next(&mut self, at: At, entry: &str) -> Option<Injected> {
        let mut hit = None;
        for (planned, seen) in &mut self.entries {
            if planned.counts(at, entry) {
                *seen += 1;
                if *seen >= planned.nth && *seen - planned.nth < planned.times && hit.is_none() {
                    hit = Some(planned.clone());
                }
            }
        }
        hit.map(|planned| self.inject(&planned))
    }

    fn inject(&mut self, planned: &Planned) -> Injected {
        match planned.kind {
            Kind::Oom => Injected::Refused(Code::OUT_OF_MEMORY),
            Kind::OutOfResources => Injected::Refused(Code::LAUNCH_OUT_OF_RESOURCES),
            Kind::BadPtx => Injected::Refused(Code::INVALID_PTX),
            Kind::UnsupportedPtx => Injected::Refused(Code::UNSUPPORTED_PTX_VERSION),
            Kind::NoImage => Injected::Refused(Code::NO_BINARY_FOR_GPU),
            Kind::NoDevice => Injected::Refused(Code::NO_DEVICE),
            Kind::LaunchFailed => Injected::Fails(Code::LAUNCH_FAILED),
            Kind::IllegalAddress => Injected::Fails(Code::ILLEGAL_ADDRESS),
            Kind::Misaligned => Injected::Fails(Code::MISALIGNED_ADDRESS),
            Kind::DeviceLost => Injected::Fails(Code::DEVICE_UNAVAILABLE),
            Kind::Flip => Injected::Flips(Flip {
                label: planned.label.clone(),
                word: planned.word.unwrap_or_else(|| self.random.word()),
                bit: planned.bit.unwrap_or_else(|| self.random.below(64) as u32),
            }),
        }
    }
}

fn one() -> u64 {
    1
}
