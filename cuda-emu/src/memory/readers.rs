//! Sets of operations that read a word and that nothing orders, for words which several streams read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::schedule::OperationId;

/// Sets by number, from one. Words that are read together share a set: a table that two streams read takes
/// one set for each pair of launches, whatever its length.
pub struct ReaderSets {
    sets: RwLock<Vec<Arc<[OperationId]>>>,
    numbers: Mutex<HashMap<Arc<[OperationId]>, u32>>,
}

impl Default for ReaderSets {
    fn default() -> Self {
        Self { sets: RwLock::new(vec![Arc::new([])]), numbers: Mutex::new(HashMap::new()) }
    }
}

impl ReaderSets {
    /// The members of set `number`, in the order in which they read.
    pub fn members(&self, number: u32) -> Arc<[OperationId]> {
        self.sets.read().unwrap_or_else(PoisonError::into_inner)[number as usize].clone()
    }

    /// The number of the set with these members.
    pub fn intern(&self, members: Vec<OperationId>) -> u32 {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = numbers.get(members.as_slice()) {
            return number;
        }
        let members: Arc<[OperationId]> = members.into();
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        let number = sets.len() as u32;
        sets.push(members.clone());
        numbers.insert(members, number);
        number
    }
}
