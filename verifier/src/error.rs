//! Why a proof is refused.

use alloc::string::String;

use lambda_air::ShapeError;
use lambda_math::merkle::MerkleError;

use crate::layout::Tree;
use crate::security::Bits;

/// A list whose length the verifier knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Heights of the tables.
    Heights,
    /// Public values of a table.
    PublicValues,
    /// Fields of a public message.
    MessageFields,
    /// A commitment's cap.
    Cap(Tree),
    /// Sums of the tables.
    LookupSums,
    /// Tables with out-of-domain values.
    OutOfDomain,
    /// Out-of-domain values of a table's columns.
    Values(Tree),
    /// Out-of-domain values of a table's columns at the next row.
    NextValues(Tree),
    /// Commitments of FRI layers.
    LayerCaps,
    /// A FRI layer's cap.
    LayerCap,
    /// Coefficients of the last FRI polynomial.
    FinalPolynomial,
    /// Tables opened in a tree.
    OpenedTables(Tree),
    /// Cells of a table's opened rows.
    OpenedCells(Tree),
    /// FRI layers opened.
    OpenedLayers,
    /// Values of an opened FRI layer.
    LayerValues,
}

/// Why a proof is refused. Numbers are indices into the system's tables unless named otherwise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A list is not as long as key, heights and profile make it.
    #[error("{part:?} of index {index}: {got} elements, {expected} expected")]
    Length {
        /// Which list.
        part: Part,
        /// Table or layer, 0 where there is one list only.
        index: usize,
        /// Length it must have.
        expected: usize,
        /// Length it has.
        got: usize,
    },
    /// A height is outside of the protocol's range.
    #[error("table {table} has height 2^{log2}, the protocol allows 2^4 to 2^24")]
    Height {
        /// The table.
        table: usize,
        /// `log2` of its height.
        log2: u8,
    },
    /// A table with preprocessed columns has another height than they have.
    #[error("table {table} has height 2^{got}, its preprocessed columns have 2^{expected}")]
    PreprocessedHeight {
        /// The table.
        table: usize,
        /// `log2` of the preprocessed height.
        expected: u32,
        /// `log2` of the height in the proof.
        got: u32,
    },
    /// The proof has more LogUp terms than the protocol allows.
    #[error("2^{log2} lookup terms or more, the protocol allows 2^33")]
    LookupTerms {
        /// `log2` of the terms, rounded down.
        log2: u32,
    },
    /// The proof opens more values than the protocol allows.
    #[error("{claims} out-of-domain values, the protocol allows {limit}")]
    Claims {
        /// Values opened.
        claims: u64,
        /// The limit.
        limit: u64,
    },
    /// The shape gives fewer bits than the profile promises.
    #[error("the proof's shape gives {bits} provable bits, the profile promises {promised}")]
    Security {
        /// Bits computed.
        bits: Bits,
        /// Bits promised.
        promised: u32,
    },
    /// The shape lies outside of the calculator's formulas.
    #[error("the security of this shape cannot be computed: {0}")]
    SecurityShape(crate::security::ShapeError),
    /// A public message names a bus that no table uses.
    #[error("public message {message} is on bus {bus}, which the system does not have")]
    UnknownBus {
        /// Index of the message.
        message: usize,
        /// The bus.
        bus: u64,
    },
    /// A public message hits the pole of the bus argument.
    #[error("public message {message} meets the pole of the bus argument")]
    Pole {
        /// Index of the message.
        message: usize,
    },
    /// The buses do not balance.
    #[error("the tables' sums do not cancel: some bus message is not received as often as it is sent")]
    Unbalanced,
    /// A table's constraints do not hold at the out-of-domain point.
    #[error("the constraints of table {table} do not hold")]
    Composition {
        /// The table.
        table: usize,
    },
    /// The grinding nonce does not meet the profile.
    #[error("the grinding nonce does not give {bits} zero bits")]
    Grinding {
        /// Bits required.
        bits: u32,
    },
    /// An opened row or its path does not belong to the commitment.
    #[error("opening of the {tree} tree: {error}")]
    Opening {
        /// The tree.
        tree: Tree,
        /// What is wrong.
        error: MerkleError,
    },
    /// An opened FRI coset or its path does not belong to the layer's commitment.
    #[error("opening of FRI layer {layer}: {error}")]
    LayerOpening {
        /// The layer.
        layer: usize,
        /// What is wrong.
        error: MerkleError,
    },
    /// A folded value is not the last polynomial's.
    #[error("the codeword at position {position} of the last layer is not the final polynomial's")]
    FinalValue {
        /// Position in the last layer.
        position: u64,
    },
}

/// Why a set of AIRs is not a system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// There is no table, or there are too many.
    #[error("a system has 1 to {limit} tables, this one has {tables}")]
    Tables {
        /// Tables given.
        tables: usize,
        /// The limit.
        limit: usize,
    },
    /// Two tables share a name.
    #[error("two tables are called {name}")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// An AIR breaks a rule.
    #[error("table {table}: {error}")]
    Shape {
        /// Its name.
        table: String,
        /// The rule.
        error: ShapeError,
    },
    /// Two buses share an identity, or one has two shapes.
    #[error("bus id {id} is used by {first} and by {second}, with other fields or another name")]
    BusClash {
        /// The identity.
        id: u32,
        /// One name.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A bus has id 0.
    #[error("bus {name} has id 0, which is reserved")]
    BusZero {
        /// Its name.
        name: &'static str,
    },
    /// Preprocessed columns do not have a height that the protocol allows.
    #[error("table {table}: {height} preprocessed rows, a power of two from 2^4 to 2^24 is needed")]
    PreprocessedHeight {
        /// Its name.
        table: String,
        /// Rows.
        height: usize,
    },
    /// A table with preprocessed columns is instantiated other than once.
    #[error("table {table} has preprocessed columns and {count} instances, it needs one")]
    PreprocessedInstances {
        /// Its name.
        table: String,
        /// Instances asked for.
        count: usize,
    },
    /// The preprocessed columns to be committed are not at hand.
    #[error("table {table}: its preprocessed columns are known by their commitment alone")]
    PreprocessedUnknown {
        /// Its name.
        table: String,
    },
    /// Preprocessed columns are committed for some tables but no commitment is given, or the reverse.
    #[error("{expected} digests commit to the preprocessed columns, {got} are given")]
    PreprocessedCap {
        /// Digests needed.
        expected: usize,
        /// Digests given.
        got: usize,
    },
}
