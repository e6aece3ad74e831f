//! Which rules hold on which chain, at what number and time.

use alloy_eips::eip6110::MAINNET_DEPOSIT_CONTRACT_ADDRESS;
use alloy_eips::eip7840::BlobParams;
use alloy_evm::eth::spec::EthExecutorSpec;
use alloy_evm::spec_by_timestamp_and_block_number;
use alloy_hardforks::{EthereumChainHardforks, EthereumHardfork, EthereumHardforks, ForkCondition};
use alloy_primitives::{Address, U256, address};
use revm::primitives::hardfork::SpecId;

use crate::error::ValidationError;

/// Id of the development chain: Prague from its first block, no blob schedule of its own.
pub const DEV_CHAIN_ID: u64 = 1337;

const MAINNET: u64 = 1;
const HOODI: u64 = 560_048;
const SEPOLIA: u64 = 11_155_111;
const SEPOLIA_DEPOSIT_CONTRACT_ADDRESS: Address = address!("0x7f02c3e3c98b133055b8b348b2ac625669ed295d");

/// A chain whose rules are known: mainnet, Hoodi, Sepolia and the development chain.
#[derive(Clone, Debug)]
pub struct Chain {
    id: u64,
    forks: Forks,
}

#[derive(Clone, Debug)]
enum Forks {
    Scheduled(EthereumChainHardforks),
    /// All up to this one from the first block.
    UpTo(EthereumHardfork),
}

impl Chain {
    /// The chain with this id.
    ///
    /// # Errors
    /// [`ValidationError::UnknownChain`].
    pub fn new(id: u64) -> Result<Self, ValidationError> {
        let forks = match id {
            MAINNET => Forks::Scheduled(EthereumChainHardforks::mainnet()),
            HOODI => Forks::Scheduled(EthereumChainHardforks::hoodi()),
            SEPOLIA => Forks::Scheduled(EthereumChainHardforks::sepolia()),
            DEV_CHAIN_ID => Forks::UpTo(EthereumHardfork::Prague),
            chain_id => return Err(ValidationError::UnknownChain { chain_id }),
        };
        Ok(Self { id, forks })
    }

    /// The chain's id.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The rules that hold for a block with this number and timestamp.
    ///
    /// # Errors
    /// [`ValidationError::UnsupportedFork`] before the Merge and after Osaka.
    pub(crate) fn rules(&self, number: u64, timestamp: u64) -> Result<Rules, ValidationError> {
        let spec = spec_by_timestamp_and_block_number(self, timestamp, number);
        let has_unknown_blobs = self.is_bpo3_active_at_timestamp(timestamp);
        if spec < SpecId::MERGE || spec > SpecId::OSAKA || has_unknown_blobs {
            return Err(ValidationError::UnsupportedFork { number, timestamp });
        }
        let blobs = if self.is_bpo2_active_at_timestamp(timestamp) {
            Some(BlobParams::bpo2())
        } else if self.is_bpo1_active_at_timestamp(timestamp) {
            Some(BlobParams::bpo1())
        } else if spec >= SpecId::OSAKA {
            Some(BlobParams::osaka())
        } else if spec >= SpecId::PRAGUE {
            Some(BlobParams::prague())
        } else if spec >= SpecId::CANCUN {
            Some(BlobParams::cancun())
        } else {
            None
        };
        Ok(Rules { spec, blobs })
    }
}

impl EthereumHardforks for Chain {
    fn ethereum_fork_activation(&self, fork: EthereumHardfork) -> ForkCondition {
        match &self.forks {
            Forks::Scheduled(schedule) => schedule.ethereum_fork_activation(fork),
            Forks::UpTo(last) if fork > *last => ForkCondition::Never,
            Forks::UpTo(_) if fork < EthereumHardfork::Paris => ForkCondition::Block(0),
            Forks::UpTo(_) if fork == EthereumHardfork::Paris => ForkCondition::TTD {
                activation_block_number: 0,
                fork_block: Some(0),
                total_difficulty: U256::ZERO,
            },
            Forks::UpTo(_) => ForkCondition::Timestamp(0),
        }
    }
}

impl EthExecutorSpec for Chain {
    fn deposit_contract_address(&self) -> Option<Address> {
        Some(match self.id {
            SEPOLIA => SEPOLIA_DEPOSIT_CONTRACT_ADDRESS,
            _ => MAINNET_DEPOSIT_CONTRACT_ADDRESS,
        })
    }
}

/// The rules of one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// The fork, from the Merge to Osaka.
    pub spec: SpecId,
    /// Prices and limits of blobs, since Cancun.
    pub blobs: Option<BlobParams>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Activation times as the networks' configurations publish them.
    #[test]
    fn mainnet_changes_rules_at_the_published_times() {
        let chain = Chain::new(MAINNET).unwrap();
        let spec = |number, timestamp| chain.rules(number, timestamp).map(|rules| rules.spec);
        assert!(spec(15_537_393, 1_663_224_162).is_err(), "the last block before the Merge");
        assert_eq!(spec(15_537_394, 1_663_224_179), Ok(SpecId::MERGE));
        for (timestamp, fork) in [
            (1_681_338_455, SpecId::SHANGHAI),
            (1_710_338_135, SpecId::CANCUN),
            (1_746_612_311, SpecId::PRAGUE),
            (1_764_798_551, SpecId::OSAKA),
        ] {
            assert!(spec(20_000_000, timestamp - 1).unwrap() < fork, "{fork:?}");
            assert_eq!(spec(20_000_000, timestamp), Ok(fork));
        }
        let max_blobs = |timestamp| chain.rules(24_000_000, timestamp).unwrap().blobs.unwrap().max_blob_count;
        assert_eq!([1_765_290_070, 1_765_290_071, 1_767_747_671].map(max_blobs), [9, 15, 21]);
    }

    #[test]
    fn the_development_chain_stays_in_prague() {
        let chain = Chain::new(DEV_CHAIN_ID).unwrap();
        for timestamp in [0, 1_700_000_000, u64::MAX] {
            assert_eq!(chain.rules(0, timestamp).unwrap().spec, SpecId::PRAGUE);
        }
    }

    #[test]
    fn other_chains_are_unknown() {
        let unknown =
            |id| matches!(Chain::new(id), Err(ValidationError::UnknownChain { chain_id }) if chain_id == id);
        assert!([0, 2, 17_000, u64::MAX].into_iter().all(unknown));
    }
}
