//! What the lanes of a warp know of each other's past.

use super::registers::{LANES, lanes};

/// Orders the accesses of a warp's lanes between two barriers of the block.
///
/// Time advances with every `bar.warp.sync`. An access is stamped with the time at which it happens; a lane
/// knows another's accesses up to the last synchronisation that connects the two, directly or through others.
/// Only `bar.warp.sync` orders memory: shuffles, votes and the hardware's lock step do not.
#[derive(Debug, Default)]
pub(super) struct WarpClock {
    now: u32,
    /// Every lane knows every access stamped before this.
    common: u32,
    /// `known[j][i]`: lane `j` knows accesses of lane `i` stamped before this. Present once a part of the
    /// warp has synchronised.
    known: Option<Box<[[u32; LANES]; LANES]>>,
}

impl WarpClock {
    pub(super) fn now(&self) -> u32 {
        self.now
    }

    /// The lanes of `members`, out of the `existing` ones, synchronise.
    pub(super) fn synchronise(&mut self, members: u32, existing: u32) {
        self.now += 1;
        if members & existing == existing {
            self.common = self.now;
            return;
        }
        let known = self.known.get_or_insert_with(|| Box::new([[0; LANES]; LANES]));
        let mut union = [0; LANES];
        for lane in lanes(members) {
            for (union, &known) in union.iter_mut().zip(&known[lane as usize]) {
                *union = known.max(*union);
            }
        }
        for lane in lanes(members) {
            union[lane as usize] = self.now;
        }
        for lane in lanes(members) {
            known[lane as usize] = union;
        }
    }

    /// Whether `lane` comes after all that the lanes `others` did up to `time`.
    pub(super) fn ordered(&self, lane: u32, others: u32, time: u32) -> bool {
        time < self.common
            || self
                .known
                .as_ref()
                .is_some_and(|known| lanes(others).all(|other| time < known[lane as usize][other as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_synchronisation_orders_all_before_it() {
        let mut clock = WarpClock::default();
        let before = clock.now();
        assert!(!clock.ordered(1, 1 << 0, before));
        clock.synchronise(u32::MAX, u32::MAX);
        assert!(clock.ordered(1, 1 << 0, before));
        assert!(!clock.ordered(1, 1 << 0, clock.now()));
    }

    #[test]
    fn parts_order_only_themselves_but_transitively() {
        let mut clock = WarpClock::default();
        let before = clock.now();
        clock.synchronise(0b011, u32::MAX);
        assert!(clock.ordered(1, 1 << 0, before));
        assert!(!clock.ordered(2, 1 << 0, before));
        clock.synchronise(0b110, u32::MAX);
        assert!(clock.ordered(2, 1 << 0, before));
        assert!(!clock.ordered(0, 1 << 2, before));
    }

    #[test]
    fn a_warp_of_fewer_threads_is_whole_without_the_missing_lanes() {
        let mut clock = WarpClock::default();
        let before = clock.now();
        clock.synchronise(0b1111, 0b1111);
        assert!(clock.ordered(3, 0b0111, before));
    }
}
