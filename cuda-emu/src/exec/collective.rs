//! Operations among the lanes of a warp, once all lanes they name are there.

use super::fault::LaneFault;
use super::integer::with_int;
use super::lane::{Integer, combine};
use super::registers::{LANES, Registers, lanes};
use super::warp::Warp;
use crate::ptx::{Atomic, Int, Shuffle, Slot, Vote};

/// The operands of a shuffle.
#[derive(Clone, Copy)]
pub(super) struct ShuffleOperands {
    pub(super) f: Shuffle,
    pub(super) d: Option<Slot>,
    pub(super) valid: Option<Slot>,
    pub(super) a: Slot,
    pub(super) b: Slot,
    pub(super) c: Slot,
    pub(super) members: Slot,
}

impl Warp {
    /// The lanes among `present` whose member masks are complete: all members are present, with the same
    /// mask.
    ///
    /// # Errors
    /// A lane that is not a member of its own mask.
    pub(super) fn complete(&self, present: u32, members: Slot) -> Result<u32, LaneFault> {
        let members = self.registers.row::<u32>(members);
        let mut complete = 0;
        for (mask, group) in groups(members, present) {
            if group & !mask != 0 {
                let lane = (group & !mask).trailing_zeros();
                return Err(LaneFault::new(
                    lane,
                    format!(
                        "a warp operation whose member mask {mask:#x} leaves out the lane itself, lane {lane}"
                    ),
                ));
            }
            if group == mask {
                complete |= group;
            }
        }
        Ok(complete)
    }

    /// `bar.warp.sync`.
    pub(super) fn synchronise(&mut self, here: u32, members: Slot) {
        let members = *self.registers.row::<u32>(members);
        for (_, group) in groups(&members, here) {
            self.clock.synchronise(group, self.existing);
        }
    }

    pub(super) fn shuffle(&mut self, lanes_here: u32, operands: ShuffleOperands) -> Result<(), LaneFault> {
        let ShuffleOperands { f, d, valid, a, b, c, members } = operands;
        let r = &self.registers;
        let (a, b, c) = (r.row::<u32>(a), r.row::<u32>(b), r.row::<u32>(c));
        let members = r.row::<u32>(members);
        let mut values = [0; LANES];
        let mut valid_lanes = 0;
        for lane in lanes(lanes_here) {
            let at = lane as usize;
            let (distance, segment) = (b[at] & 31, c[at] >> 8 & 31);
            let first = lane & segment;
            let last = first | c[at] & 31 & !segment;
            // PTX counts lanes as signed numbers: `up` can pass below 0.
            let (source, inside) = match f {
                Shuffle::Up => (lane.wrapping_sub(distance), lane as i32 - distance as i32 >= last as i32),
                Shuffle::Down => (lane + distance, lane + distance <= last),
                Shuffle::Butterfly => (lane ^ distance, lane ^ distance <= last),
                Shuffle::Index => {
                    let source = first | distance & !segment;
                    (source, source <= last)
                }
            };
            let source = if inside { source } else { lane };
            if members[at] >> source & 1 == 0 {
                return Err(LaneFault::new(
                    lane,
                    format!(
                        "a shuffle reads lane {source}, which its member mask {:#x} leaves out",
                        members[at]
                    ),
                ));
            }
            values[at] = a[source as usize];
            valid_lanes |= u32::from(inside) << lane;
        }
        if let Some(d) = d {
            self.registers.write(d, lanes_here, &values);
        }
        if let Some(valid) = valid {
            self.registers.set_predicate(valid, lanes_here, valid_lanes);
        }
        Ok(())
    }

    pub(super) fn vote(&mut self, here: u32, f: Vote, d: Slot, (a, negated): (Slot, bool), members: Slot) {
        let votes = self.registers.predicate(a);
        let votes = if negated { !votes } else { votes };
        let members = *self.registers.row::<u32>(members);
        for (_, group) in groups(&members, here) {
            let yes = votes & group;
            let outcome = match f {
                Vote::All => yes == group,
                Vote::Any => yes != 0,
                Vote::Uniform => yes == 0 || yes == group,
                Vote::Ballot => {
                    self.registers.write(d, group, &[yes; LANES]);
                    continue;
                }
            };
            self.registers.set_predicate(d, group, if outcome { group } else { 0 });
        }
    }

    pub(super) fn match_any(&mut self, here: u32, wide: bool, d: Slot, a: Slot, members: Slot) {
        let members = *self.registers.row::<u32>(members);
        let values = self.numbers(wide, a);
        let mut matches = [0; LANES];
        for (_, group) in groups(&members, here) {
            for lane in lanes(group) {
                for other in lanes(group) {
                    let same = values[lane as usize] == values[other as usize];
                    matches[lane as usize] |= u32::from(same) << other;
                }
            }
        }
        self.registers.write(d, here, &matches);
    }

    pub(super) fn match_all(
        &mut self,
        here: u32,
        wide: bool,
        (d, all): (Slot, Option<Slot>),
        a: Slot,
        members: Slot,
    ) {
        let members = *self.registers.row::<u32>(members);
        let values = self.numbers(wide, a);
        for (_, group) in groups(&members, here) {
            let first = values[group.trailing_zeros() as usize];
            let same = lanes(group).all(|lane| values[lane as usize] == first);
            let outcome = if same { group } else { 0 };
            self.registers.write(d, group, &[outcome; LANES]);
            if let Some(all) = all {
                self.registers.set_predicate(all, group, outcome);
            }
        }
    }

    pub(super) fn reduce(&mut self, here: u32, f: Atomic, ty: Int, [d, a, members]: [Slot; 3]) {
        let members = *self.registers.row::<u32>(members);
        for (_, group) in groups(&members, here) {
            with_int!(ty, reduce_group(&mut self.registers, group, f, d, a));
        }
    }

    fn numbers(&self, wide: bool, a: Slot) -> [u64; LANES] {
        if wide { *self.registers.row::<u64>(a) } else { self.registers.row::<u32>(a).map(u64::from) }
    }
}

fn reduce_group<T: Integer>(r: &mut Registers, group: u32, f: Atomic, d: Slot, a: Slot) {
    let row = r.row::<T::Raw>(a);
    let value = |lane: u32| T::of(row[lane as usize]);
    let mut rest = lanes(group);
    let Some(first) = rest.next() else { return };
    let total = rest.fold(value(first), |total, lane| combine(f, total, value(lane), total));
    r.write(d, group, &[total.raw(); LANES]);
}

/// The lanes of `present` by member mask.
fn groups(members: &[u32; LANES], present: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut rest = present;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let mask = members[rest.trailing_zeros() as usize];
        let mut group = 0;
        for (lane, &other) in members.iter().enumerate() {
            group |= u32::from(other == mask) << lane;
        }
        group &= rest;
        rest &= !group;
        Some((mask, group))
    })
}
