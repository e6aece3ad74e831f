//! Why a block is refused.

use alloc::string::String;
use core::fmt;

use alloy_primitives::{Address, B256, Bloom, U256};

/// Why a block is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValidationError {
    /// The input, or something encoded inside it, does not decode.
    Input(InputError),
    /// The witness lacks something or holds something wrong.
    Witness(WitnessError),
    /// The header breaks a rule.
    Header(HeaderError),
    /// No rules are known for this chain.
    UnknownChain {
        /// The chain id given.
        chain_id: u64,
    },
    /// The rules at the block's number and time are older than the Merge or newer than Osaka.
    UnsupportedFork {
        /// The block's number.
        number: u64,
        /// The block's timestamp, seconds.
        timestamp: u64,
    },
    /// An ancestor header's hash is not the one that its child names.
    BrokenChain {
        /// Which header of the list, from 0.
        index: usize,
        /// The hash that its child names.
        expected: B256,
        /// Its hash.
        got: B256,
    },
    /// More ancestors than `BLOCKHASH` can reach, or than there are blocks before this one.
    TooManyAncestors {
        /// How many there are.
        got: usize,
        /// How many there may be.
        limit: u64,
    },
    /// A state root or block hashes are assumed although headers are there to derive them from.
    NeedlessAssumption,
    /// Neither headers nor block hashes are given, or the last hash is not the parent's.
    NoParent,
    /// The transactions do not hash to the header's root.
    TransactionsRoot {
        /// The header's root.
        header: B256,
        /// The transactions' root.
        got: B256,
    },
    /// The withdrawals do not hash to the header's root, or only one of the two is there.
    WithdrawalsRoot {
        /// The header's root.
        header: Option<B256>,
        /// The withdrawals' root.
        got: Option<B256>,
    },
    /// The block lists ommers.
    Ommers {
        /// How many.
        count: usize,
    },
    /// The encoded block exceeds the size that Osaka allows (EIP-7934).
    BlockTooLong {
        /// Bytes.
        got: usize,
        /// Bytes.
        limit: usize,
    },
    /// A transaction's signature is not one, or has a high s (EIP-2).
    Signature {
        /// Which transaction, from 0.
        transaction: usize,
    },
    /// A blob transaction carries its blobs, which stay outside of blocks.
    BlobSidecar {
        /// Which transaction, from 0.
        transaction: usize,
    },
    /// A transaction that may not be in this block.
    Transaction {
        /// Which transaction, from 0.
        transaction: usize,
        /// What the EVM says.
        reason: String,
    },
    /// A system call before or after the transactions failed.
    SystemCall {
        /// What the EVM says.
        reason: String,
    },
    /// Execution used another amount of gas.
    GasUsed {
        /// The header's amount.
        header: u64,
        /// What execution used.
        got: u64,
    },
    /// The transactions hold another number of blobs.
    BlobGasUsed {
        /// The header's amount.
        header: u64,
        /// What the transactions use.
        got: u64,
    },
    /// Execution logged something else.
    LogsBloom {
        /// The header's filter.
        header: alloc::boxed::Box<Bloom>,
        /// The filter of what was logged.
        got: alloc::boxed::Box<Bloom>,
    },
    /// Execution gave other receipts.
    ReceiptsRoot {
        /// The header's root.
        header: B256,
        /// The receipts' root.
        got: B256,
    },
    /// Execution ended in another state.
    StateRoot {
        /// The header's root.
        header: B256,
        /// The state's root.
        got: B256,
    },
    /// Execution made other requests to the consensus layer.
    RequestsHash {
        /// The header's hash.
        header: Option<B256>,
        /// The requests' hash.
        got: Option<B256>,
    },
}

/// Bytes that are not the encoding of what should stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputError {
    /// No RLP of the expected shape.
    Rlp {
        /// What should stand there.
        what: &'static str,
        /// What RLP decoding says.
        error: alloy_rlp::Error,
    },
    /// Bytes are left over.
    TrailingBytes {
        /// Behind what.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// It decodes, but encodes to other bytes.
    NotCanonical {
        /// What stands there.
        what: &'static str,
    },
}

/// The witness lacks something or holds something wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WitnessError {
    /// No trie node has this hash.
    MissingNode {
        /// The hash, as its parent names it.
        hash: B256,
    },
    /// The node with this hash is not a trie node, or lies where such a node cannot.
    MalformedNode,
    /// No code has this hash.
    MissingCode {
        /// The hash, as an account names it.
        hash: B256,
    },
    /// The ancestors do not reach to a block whose hash is asked for.
    MissingBlockHash {
        /// The block's number.
        number: u64,
    },
    /// What the trie holds for an account is no account.
    MalformedAccount {
        /// Whose account.
        address: Address,
    },
    /// What the trie holds for a storage slot is no integer.
    MalformedSlot {
        /// Whose slot.
        address: Address,
        /// Which slot.
        slot: U256,
    },
    /// Nodes that nothing needs, or that are there twice.
    UnusedNodes {
        /// How many.
        count: usize,
    },
    /// Codes that nothing needs, or that are there twice.
    UnusedCodes {
        /// How many.
        count: usize,
    },
}

/// A rule of headers, and how it is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// Difficulty is zero since the Merge.
    Difficulty {
        /// The header's.
        got: U256,
    },
    /// The nonce is zero since the Merge.
    Nonce,
    /// The ommers' hash is that of the empty list since the Merge.
    OmmersHash {
        /// The header's.
        got: B256,
    },
    /// Extra data is at most 32 bytes.
    ExtraData {
        /// Bytes.
        got: usize,
    },
    /// The gas limit is at least 5,000 and below 2^63.
    GasLimit {
        /// The header's.
        got: u64,
    },
    /// Gas used is at most the limit.
    GasUsed {
        /// The header's gas used.
        used: u64,
        /// The header's gas limit.
        limit: u64,
    },
    /// A field is there before its fork, or is not there after it.
    Presence {
        /// Which field.
        field: &'static str,
        /// Whether the fork has it.
        expected: bool,
    },
    /// Blob gas is a whole number of blobs, at most the fork's maximum.
    BlobGasUsed {
        /// The header's.
        got: u64,
        /// The fork's maximum.
        limit: u64,
    },
    /// The excess blob gas is so high that no price can be computed.
    ExcessBlobGasRange {
        /// The header's.
        got: u64,
    },
    /// The number follows the parent's.
    Number {
        /// The parent's.
        parent: u64,
        /// The header's.
        got: u64,
    },
    /// Time passes.
    Timestamp {
        /// The parent's, seconds.
        parent: u64,
        /// The header's, seconds.
        got: u64,
    },
    /// The gas limit moves by less than a 1,024th of the parent's.
    GasLimitStep {
        /// The parent's.
        parent: u64,
        /// The header's.
        got: u64,
    },
    /// The base fee follows from the parent (EIP-1559). `None` where the parent allows no child.
    BaseFee {
        /// What follows from the parent.
        expected: Option<u64>,
        /// The header's.
        got: u64,
    },
    /// The excess blob gas follows from the parent (EIP-4844, EIP-7918). `None` where the parent allows no
    /// child.
    ExcessBlobGas {
        /// What follows from the parent.
        expected: Option<u64>,
        /// The header's.
        got: u64,
    },
}

impl From<InputError> for ValidationError {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

impl From<WitnessError> for ValidationError {
    fn from(error: WitnessError) -> Self {
        Self::Witness(error)
    }
}

impl From<HeaderError> for ValidationError {
    fn from(error: HeaderError) -> Self {
        Self::Header(error)
    }
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => write!(f, "input: {error}"),
            Self::Witness(error) => write!(f, "witness: {error}"),
            Self::Header(error) => write!(f, "header: {error}"),
            Self::UnknownChain { chain_id } => write!(f, "no rules are known for chain {chain_id}"),
            Self::UnsupportedFork { number, timestamp } => {
                write!(f, "block {number} at time {timestamp} is not between the Merge and Osaka")
            }
            Self::BrokenChain { index, expected, got } => {
                write!(f, "ancestor header {index} has hash {got}, its child names {expected}")
            }
            Self::TooManyAncestors { got, limit } => {
                write!(f, "{got} ancestors, at most {limit} are allowed")
            }
            Self::NeedlessAssumption => {
                f.write_str("a state root or block hashes are assumed although headers are given")
            }
            Self::NoParent => f.write_str("neither a header nor a last block hash is the parent's"),
            Self::TransactionsRoot { header, got } => {
                write!(f, "transactions root is {got}, the header says {header}")
            }
            Self::WithdrawalsRoot { header, got } => {
                write!(f, "withdrawals root is {}, the header says {}", Maybe(got), Maybe(header))
            }
            Self::Ommers { count } => write!(f, "{count} ommers, none are allowed since the Merge"),
            Self::BlockTooLong { got, limit } => {
                write!(f, "block of {got} bytes, at most {limit} are allowed")
            }
            Self::Signature { transaction } => write!(f, "transaction {transaction}: invalid signature"),
            Self::BlobSidecar { transaction } => {
                write!(f, "transaction {transaction}: carries its blobs inside the block")
            }
            Self::Transaction { transaction, reason } => write!(f, "transaction {transaction}: {reason}"),
            Self::SystemCall { reason } => write!(f, "system call: {reason}"),
            Self::GasUsed { header, got } => write!(f, "gas used is {got}, the header says {header}"),
            Self::BlobGasUsed { header, got } => {
                write!(f, "blob gas used is {got}, the header says {header}")
            }
            Self::LogsBloom { .. } => f.write_str("the logs' bloom filter is not the header's"),
            Self::ReceiptsRoot { header, got } => {
                write!(f, "receipts root is {got}, the header says {header}")
            }
            Self::StateRoot { header, got } => write!(f, "state root is {got}, the header says {header}"),
            Self::RequestsHash { header, got } => {
                write!(f, "requests hash is {}, the header says {}", Maybe(got), Maybe(header))
            }
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rlp { what, error } => write!(f, "{what}: {error}"),
            Self::TrailingBytes { what, count } => write!(f, "{count} bytes left over behind {what}"),
            Self::NotCanonical { what } => write!(f, "{what}: not in its canonical encoding"),
        }
    }
}

impl fmt::Display for WitnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingNode { hash } => write!(f, "trie node {hash} is missing"),
            Self::MalformedNode => f.write_str("a trie node is malformed"),
            Self::MissingCode { hash } => write!(f, "code {hash} is missing"),
            Self::MissingBlockHash { number } => write!(f, "no ancestor tells the hash of block {number}"),
            Self::MalformedAccount { address } => write!(f, "account {address} is malformed"),
            Self::MalformedSlot { address, slot } => write!(f, "slot {slot} of {address} is malformed"),
            Self::UnusedNodes { count } => write!(f, "{count} trie nodes are unused or there twice"),
            Self::UnusedCodes { count } => write!(f, "{count} codes are unused or there twice"),
        }
    }
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Difficulty { got } => write!(f, "difficulty is {got}, not 0"),
            Self::Nonce => f.write_str("nonce is not 0"),
            Self::OmmersHash { got } => write!(f, "ommers hash is {got}, not the empty list's"),
            Self::ExtraData { got } => write!(f, "extra data of {got} bytes, at most 32 are allowed"),
            Self::GasLimit { got } => write!(f, "gas limit {got} is below 5000 or above 2^63 - 1"),
            Self::GasUsed { used, limit } => write!(f, "gas used {used} exceeds the limit {limit}"),
            Self::Presence { field, expected: true } => write!(f, "{field} is missing"),
            Self::Presence { field, expected: false } => write!(f, "{field} is there before its fork"),
            Self::BlobGasUsed { got, limit } => {
                write!(f, "blob gas used {got} is no whole number of blobs up to {limit}")
            }
            Self::ExcessBlobGasRange { got } => write!(f, "excess blob gas {got} has no price"),
            Self::Number { parent, got } => write!(f, "number {got} does not follow the parent's {parent}"),
            Self::Timestamp { parent, got } => {
                write!(f, "timestamp {got} is not after the parent's {parent}")
            }
            Self::GasLimitStep { parent, got } => {
                write!(f, "gas limit {got} is too far from the parent's {parent}")
            }
            Self::BaseFee { expected, got } => {
                write!(f, "base fee is {got}, from the parent follows {}", Maybe(expected))
            }
            Self::ExcessBlobGas { expected, got } => {
                write!(f, "excess blob gas is {got}, from the parent follows {}", Maybe(expected))
            }
        }
    }
}

impl core::error::Error for ValidationError {}
impl core::error::Error for InputError {}
impl core::error::Error for WitnessError {}
impl core::error::Error for HeaderError {}

/// Shows a value, or "nothing".
struct Maybe<'a, T>(&'a Option<T>);

impl<T: fmt::Display> fmt::Display for Maybe<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("nothing"),
        }
    }
}
