//! What a proof consists of, in the order in which the rounds make it.
//!
//! A proof carries heights and nothing else that could change what is checked: every other length follows
//! from the verifying key, the heights and the profile, and is compared with what they give
//! ([`layout`](crate::layout)).

use alloc::vec::Vec;

use lambda_math::{Digest, Ext3, Goldilocks};

use crate::wire::wire_struct;

wire_struct! {
    /// A proof for a system of tables.
    pub struct Proof {
        /// `log2` of each table's height, in registry order.
        pub heights_log2: Vec<u8>,
        /// Commitment to the main columns.
        pub main_cap: Vec<Digest>,
        /// Commitment to the lookup columns; empty where no table has any.
        pub lookup_cap: Vec<Digest>,
        /// Sum of each table that has interactions, in registry order.
        pub lookup_sums: Vec<Ext3>,
        /// Commitment to the quotient parts.
        pub quotient_cap: Vec<Digest>,
        /// Values at the out-of-domain point, per table.
        pub out_of_domain: Vec<TableValues>,
        /// The low-degree test.
        pub fri: FriProof,
        /// Rows of the committed tables at the queried positions.
        pub openings: Openings,
    }
}

wire_struct! {
    /// A table's columns at ζ, and at ζ·ω where something reads their next row.
    pub struct TableValues {
        /// Preprocessed columns at ζ.
        pub preprocessed: Vec<Ext3>,
        /// Those read at the next row, at ζ·ω.
        pub preprocessed_next: Vec<Ext3>,
        /// Main columns at ζ.
        pub main: Vec<Ext3>,
        /// Those read at the next row, at ζ·ω.
        pub main_next: Vec<Ext3>,
        /// Base columns of the lookup columns at ζ, three per column.
        pub lookup: Vec<Ext3>,
        /// The running sum's three base columns at ζ·ω.
        pub lookup_next: Vec<Ext3>,
        /// Base columns of the quotient parts at ζ, three per part.
        pub quotient: Vec<Ext3>,
    }
}

wire_struct! {
    /// The commit phase of FRI.
    pub struct FriProof {
        /// Commitment of each layer.
        pub layer_caps: Vec<Vec<Digest>>,
        /// Coefficients of the last polynomial, constant term first.
        pub final_polynomial: Vec<Ext3>,
        /// Grinding nonce.
        pub nonce: u64,
    }
}

wire_struct! {
    /// Openings of all queries, per tree; equal positions are opened once.
    pub struct Openings {
        /// Preprocessed columns; empty where no table has any.
        pub preprocessed: RowOpenings,
        /// Main columns.
        pub main: RowOpenings,
        /// Lookup columns; empty where no table has any.
        pub lookup: RowOpenings,
        /// Quotient parts.
        pub quotient: RowOpenings,
        /// FRI layers.
        pub layers: Vec<LayerOpenings>,
    }
}

wire_struct! {
    /// Openings of one tree over tables.
    pub struct RowOpenings {
        /// Per table of the tree, its opened rows one after the other, by ascending position.
        pub rows: Vec<Vec<Goldilocks>>,
        /// Sibling digests that cannot be recomputed: level by level from the leaves, by ascending position.
        pub siblings: Vec<Digest>,
    }
}

wire_struct! {
    /// Openings of one FRI layer.
    pub struct LayerOpenings {
        /// Of each opened coset, by ascending position, the values that the queries do not give already.
        pub values: Vec<Ext3>,
        /// Sibling digests, as in [`RowOpenings`].
        pub siblings: Vec<Digest>,
    }
}
