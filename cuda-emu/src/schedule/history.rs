//! Every operation that was ever enqueued on a device: its place in its stream's order and its name.

use std::collections::HashMap;
use std::sync::Arc;

use super::Clock;

/// Number of an operation in the order of enqueueing; zero is no operation.
pub type OperationId = u32;

/// Ids fit in 31 bits, the width of a shadow mark's field.
const MAX_OPERATIONS: usize = 1 << 31;

#[derive(Clone, Copy)]
struct Entry {
    stream: u32,
    index: u32,
    name: u32,
}

/// The operations of one device, in the order of enqueueing.
pub struct History {
    operations: Vec<Entry>,
    names: Vec<Arc<str>>,
    name_numbers: HashMap<Arc<str>, u32>,
}

impl Default for History {
    fn default() -> Self {
        let nothing = Entry { stream: 0, index: 0, name: 0 };
        Self { operations: vec![nothing], names: vec!["nothing".into()], name_numbers: HashMap::new() }
    }
}

impl History {
    /// Adds the `index`-th operation (from one) of `stream`.
    pub fn push(&mut self, stream: usize, index: u32, name: &str) -> OperationId {
        let name = match self.name_numbers.get(name) {
            Some(&number) => number,
            None => {
                let (name, number) = (Arc::<str>::from(name), self.names.len() as u32);
                self.names.push(name.clone());
                self.name_numbers.insert(name, number);
                number
            }
        };
        let id = self.operations.len();
        assert!(id < MAX_OPERATIONS, "a device runs at most 2^31 operations");
        self.operations.push(Entry { stream: stream as u32, index, name });
        id as OperationId
    }

    /// Whether `clock` knows that `operation` has finished.
    #[inline]
    pub fn is_known(&self, operation: OperationId, clock: &Clock) -> bool {
        let entry = self.operations[operation as usize];
        clock.get(entry.stream as usize) >= entry.index
    }

    /// The operation in words.
    pub fn describe(&self, operation: OperationId) -> String {
        let entry = self.operations[operation as usize];
        let name = &self.names[entry.name as usize];
        format!("{name} (operation {operation}, stream {})", entry.stream)
    }
}
