//! All checks in order.

use alloy_consensus::{Block, TxEnvelope};
use alloy_primitives::B256;

use crate::ancestors::Ancestors;
use crate::chain::Chain;
use crate::database::WitnessDatabase;
use crate::error::ValidationError;
use crate::execution::{Outcome, execute};
use crate::input::Input;
use crate::output::Validated;
use crate::witness::Witness;
use crate::{body, crypto, header};

/// Validates the block in an encoded [`Input`].
///
/// # Errors
/// Why the block, or the input, is refused. There is no input for which this panics.
pub fn validate(input: &[u8]) -> Result<Validated, ValidationError> {
    let input = Input::decode(input)?;
    let run = Run::new(&input)?;
    let header = &run.block.header;
    run.outcome.check(header)?;
    run.witness.check_all_used()?;
    Ok(Validated {
        block_hash: run.block_hash,
        pre_state_root: run.pre_root,
        post_state_root: run.outcome.state_root,
        assumed_ancestors: run.assumed_ancestors,
        number: header.number,
        timestamp: header.timestamp,
        gas_used: header.gas_used,
        chain_id: input.chain_id,
    })
}

/// What the header of the block in `input` has to say about its execution: for whoever makes blocks.
///
/// All of the header but what an [`Outcome`] holds has to be right already. Unused nodes and codes are
/// ignored.
///
/// # Errors
/// As [`validate`].
pub fn outcome(input: &Input<'_>) -> Result<Outcome, ValidationError> {
    Ok(Run::new(input)?.outcome)
}

/// Drops from `input` the nodes and codes that validating does not need: for whoever has a witness from
/// elsewhere.
///
/// # Errors
/// As [`validate`], but for what the header says about execution, which is not compared.
pub fn prune(input: &mut Input<'_>) -> Result<(), ValidationError> {
    let witness = Run::new(input)?.witness;
    witness.prune(input);
    Ok(())
}

/// A block that was executed.
struct Run<'a> {
    block: Block<TxEnvelope>,
    block_hash: B256,
    pre_root: B256,
    assumed_ancestors: B256,
    outcome: Outcome,
    witness: Witness<'a>,
}

impl<'a> Run<'a> {
    /// Checks everything but what the header says about execution, then executes.
    fn new(input: &Input<'a>) -> Result<Self, ValidationError> {
        crypto::install();
        let chain = Chain::new(input.chain_id)?;
        let (block, block_hash) = body::decode(input.block)?.into_parts();
        let rules = chain.rules(block.header.number, block.header.timestamp)?;
        header::check_alone(&block.header, &rules)?;
        let ancestors = Ancestors::new(input, &block.header)?;
        if let Some(parent) = &ancestors.parent {
            header::check_against_parent(&block.header, parent, &rules)?;
        }
        body::check(&block, input.block.len(), &rules)?;
        let transactions = body::recover_senders(&block)?;
        let (pre_root, assumed_ancestors) = (ancestors.pre_root, ancestors.assumed);
        let database = WitnessDatabase::new(Witness::new(input), ancestors.hashes, pre_root);
        let (outcome, database) = execute(&chain, &rules, &block, transactions, database)?;
        Ok(Self { block, block_hash, pre_root, assumed_ancestors, outcome, witness: database.witness })
    }
}
