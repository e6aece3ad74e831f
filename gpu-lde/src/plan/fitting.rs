//! Which tables stay on the device, within a budget.

use std::cmp::Reverse;

use super::{DevicePlan, Shape};
use crate::placement::Place;

/// Finds places for tables.
pub struct Fitting<'a> {
    shape: Shape<'a>,
    chunk_bytes: u64,
    budget_bytes: u64,
    places: Vec<Place>,
    spills_trees: bool,
    missing: Vec<Option<u64>>,
}

impl<'a> Fitting<'a> {
    /// All tables resident, and trees too unless they are to be spilled.
    pub fn new(shape: Shape<'a>, chunk_bytes: u64, budget_bytes: u64, spills_trees: bool) -> Self {
        let tables = shape.key.tables.len();
        let (places, missing) = (vec![Place::Resident; tables], vec![None; tables]);
        Self { shape, chunk_bytes, budget_bytes, places, spills_trees, missing }
    }

    /// Moves tables to `place`, the largest ones first, until all fits, and then back those that would have
    /// fitted. Whether it fits.
    pub fn move_to(&mut self, place: Place) -> bool {
        let mut missing = self.missing_bytes();
        for index in self.largest_first() {
            if missing == 0 {
                break;
            }
            self.places[index] = place;
            self.missing[index] = Some(missing);
            missing = self.missing_bytes();
        }
        if missing == 0 {
            self.move_back();
        } else {
            self.missing.fill(Some(missing));
        }
        missing == 0
    }

    /// Gives each table the best place for which there is room when the others stay where they are.
    fn move_back(&mut self) {
        for index in self.largest_first() {
            let now = self.places[index];
            self.missing[index] = None;
            for better in [Place::Resident, Place::Streamed].into_iter().filter(|&place| place < now) {
                self.places[index] = better;
                let missing = self.missing_bytes();
                if missing == 0 {
                    break;
                }
                self.missing[index] = Some(missing);
                self.places[index] = now;
            }
        }
    }

    fn largest_first(&self) -> Vec<usize> {
        let mut tables: Vec<usize> = (0..self.places.len()).collect();
        tables.sort_by_key(|&index| Reverse(self.shape.table(index).resident()));
        tables
    }

    /// The plan with tables in these places.
    pub fn into_plan(self) -> DevicePlan {
        let mut plan = self.shape.plan(&self.places, self.spills_trees, self.chunk_bytes);
        for (table, missing) in plan.tables.iter_mut().zip(self.missing) {
            table.missing_bytes = missing;
        }
        plan
    }

    /// Bytes that are missing at the fullest moment.
    fn missing_bytes(&self) -> u64 {
        self.shape
            .plan(&self.places, self.spills_trees, self.chunk_bytes)
            .peak_bytes()
            .saturating_sub(self.budget_bytes)
    }
}
