//! What a proof is about, apart from the system of tables itself.

use alloc::vec::Vec;

use lambda_math::Goldilocks;

use crate::transcript::Frames;
use crate::wire::{Wire, wire_struct};

wire_struct! {
    /// The public side of a proof: what the verifier's caller must agree with.
    pub struct Statement {
        /// Public values of each table, in registry order.
        pub public_values: Vec<Vec<Goldilocks>>,
        /// Messages that the verifier itself puts on buses.
        pub messages: Vec<PublicMessage>,
    }
}

wire_struct! {
    /// A message sent by the verifier: it must be received by some table as often as it is sent here.
    pub struct PublicMessage {
        /// The bus.
        pub bus: u64,
        /// How often it is sent; the negative of a number for receptions.
        pub multiplicity: Goldilocks,
        /// The message's fields.
        pub fields: Vec<Goldilocks>,
    }
}

impl Statement {
    /// Digest of the statement, as proof files carry it.
    pub fn digest(&self) -> [u8; 32] {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        Frames::new("lambda-prove statement v1").absorb("statement", &bytes).digest("digest")
    }
}
