//! Running a block: system calls, transactions, withdrawals, requests.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use alloy_consensus::transaction::Recovered;
use alloy_consensus::{Block, Header, TxEnvelope, TxReceipt, proofs};
use alloy_evm::block::BlockExecutor;
use alloy_evm::eth::receipt_builder::AlloyReceiptBuilder;
use alloy_evm::eth::{EthBlockExecutionCtx, EthBlockExecutor};
use alloy_evm::{EthEvmFactory, EvmEnv, EvmFactory};
use alloy_primitives::{B256, Bloom};
use revm::database::State;
use revm::database::states::bundle_state::BundleRetention;
use revm::primitives::hardfork::SpecId;

use crate::chain::{Chain, Rules};
use crate::database::WitnessDatabase;
use crate::error::ValidationError;
use crate::state;

/// What came of executing a block, and what its header has to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Gas that all transactions used.
    pub gas_used: u64,
    /// Blob gas that all transactions use.
    pub blob_gas_used: u64,
    /// Filter of all logs.
    pub logs_bloom: Bloom,
    /// Root of the receipts.
    pub receipts_root: B256,
    /// Root of the state.
    pub state_root: B256,
    /// Hash of the requests to the consensus layer, since Prague.
    pub requests_hash: Option<B256>,
}

impl Outcome {
    /// Checks that the header says the same.
    pub(crate) fn check(&self, header: &Header) -> Result<(), ValidationError> {
        if header.gas_used != self.gas_used {
            return Err(ValidationError::GasUsed { header: header.gas_used, got: self.gas_used });
        }
        let blob_gas_used = header.blob_gas_used.unwrap_or_default();
        if blob_gas_used != self.blob_gas_used {
            return Err(ValidationError::BlobGasUsed { header: blob_gas_used, got: self.blob_gas_used });
        }
        if header.logs_bloom != self.logs_bloom {
            let (header, got) = (Box::new(header.logs_bloom), Box::new(self.logs_bloom));
            return Err(ValidationError::LogsBloom { header, got });
        }
        if header.receipts_root != self.receipts_root {
            return Err(ValidationError::ReceiptsRoot {
                header: header.receipts_root,
                got: self.receipts_root,
            });
        }
        if header.requests_hash != self.requests_hash {
            return Err(ValidationError::RequestsHash {
                header: header.requests_hash,
                got: self.requests_hash,
            });
        }
        if header.state_root != self.state_root {
            return Err(ValidationError::StateRoot { header: header.state_root, got: self.state_root });
        }
        Ok(())
    }
}

/// Runs the block on the state in `database`, whose witness then knows what was used.
pub fn execute<'a>(
    chain: &Chain,
    rules: &Rules,
    block: &Block<TxEnvelope>,
    transactions: Vec<Recovered<&TxEnvelope>>,
    database: WitnessDatabase<'a>,
) -> Result<(Outcome, WitnessDatabase<'a>), ValidationError> {
    let mut state = State::builder().with_database(database).with_bundle_update().build();
    let executed = run(chain, rules, block, transactions, &mut state);
    // An error that revm met below the EVM explains whatever it reported, and must not pass unreported.
    if let Some(fault) = state.database.fault {
        return Err(fault.into());
    }
    let mut outcome = executed?;
    state.merge_transitions(BundleRetention::PlainState);
    let changes = state.take_bundle();
    let mut database = state.database;
    outcome.state_root = state::apply(&changes, &mut database)?;
    Ok((outcome, database))
}

/// All but the state root.
fn run(
    chain: &Chain,
    rules: &Rules,
    block: &Block<TxEnvelope>,
    transactions: Vec<Recovered<&TxEnvelope>>,
    state: &mut State<WitnessDatabase<'_>>,
) -> Result<Outcome, ValidationError> {
    let Block { header, body } = block;
    let environment = EvmEnv::for_eth_block(header, chain, chain.id(), rules.blobs);
    let evm = EthEvmFactory::default().create_evm(state, environment);
    let context = EthBlockExecutionCtx {
        parent_hash: header.parent_hash,
        parent_beacon_block_root: header.parent_beacon_block_root,
        ommers: &[],
        withdrawals: body.withdrawals.as_ref().map(|all| Cow::Borrowed(all.as_slice())),
        extra_data: header.extra_data.clone(),
        tx_count_hint: Some(transactions.len()),
        slot_number: None,
    };
    let mut executor = EthBlockExecutor::new(evm, context, chain, AlloyReceiptBuilder::default());
    let system_call = |error: alloy_evm::block::BlockExecutionError| ValidationError::SystemCall {
        reason: error.to_string(),
    };
    executor.apply_pre_execution_changes().map_err(system_call)?;
    for (transaction, tx) in transactions.into_iter().enumerate() {
        executor
            .execute_transaction(tx)
            .map_err(|error| ValidationError::Transaction { transaction, reason: error.to_string() })?;
    }
    let (_, result) = executor.finish().map_err(system_call)?;
    Ok(Outcome {
        gas_used: result.gas_used,
        blob_gas_used: result.blob_gas_used,
        logs_bloom: result.receipts.iter().fold(Bloom::ZERO, |bloom, receipt| bloom | receipt.bloom()),
        receipts_root: proofs::calculate_receipt_root(&result.receipts),
        state_root: B256::ZERO,
        requests_hash: (rules.spec >= SpecId::PRAGUE).then(|| result.requests.requests_hash()),
    })
}
