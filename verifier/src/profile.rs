//! The closed list of parameter sets, and the limits every system keeps.
//!
//! A proof names a profile; it never carries a query count, a blowup or a width.

use core::fmt;

/// Shortest trace, `log2` of rows.
pub const MIN_HEIGHT_LOG2: u32 = 4;
/// Tallest trace, `log2` of rows.
pub const MAX_HEIGHT_LOG2: u32 = 24;
/// Most tables of a system.
pub const MAX_TABLES: usize = 256;
/// Largest `log2` of the LogUp terms of a proof, `Σ rows × interactions`.
pub const MAX_LOOKUP_TERMS_LOG2: u32 = 33;
/// Most values opened out of domain, over all tables; their rows at all queries fit a proof file.
pub const MAX_CLAIMS: u64 = 1 << 14;
/// Digests of a commitment, `log2`.
pub const CAP_LOG2: u32 = 4;
/// FRI folds by at most this many, `log2`.
pub const FOLD_ARITY_LOG2: u32 = 3;
/// Coefficients of the last FRI polynomial at most, `log2`.
pub const FINAL_LOG2: u32 = 6;
/// Version of the protocol: what is hashed, in which order, and what is checked.
pub const PROTOCOL_VERSION: u16 = 1;

/// A parameter set.
///
/// ```
/// use lambda_verifier::Profile;
///
/// assert_eq!(Profile::from_name("default"), Some(Profile::Default));
/// assert_eq!(Profile::Default.promised_bits(), 128);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Blowup 2, 227 queries: the fastest proof of 128 bits.
    Default,
    /// Blowup 8, 75 queries: the smallest proof of 128 bits.
    Compact,
    /// Few queries, for tests. Release builds of the binaries do not accept it.
    Test,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 3] = [Self::Default, Self::Compact, Self::Test];

    /// Its number in proof files.
    pub const fn id(self) -> u16 {
        match self {
            Self::Default => 1,
            Self::Compact => 2,
            Self::Test => 0xffff,
        }
    }

    /// The profile with number `id`.
    pub fn from_id(id: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.id() == id)
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Compact => "compact",
            Self::Test => "test",
        }
    }

    /// The profile called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Whether the binaries let a user choose it: debug builds let them choose [`Profile::Test`] too.
    pub const fn is_selectable(self) -> bool {
        self.promised_bits() > 0 || cfg!(debug_assertions)
    }

    /// LDE points per trace row, `log2`.
    pub const fn blowup_log2(self) -> u32 {
        match self {
            Self::Default | Self::Test => 1,
            Self::Compact => 3,
        }
    }

    /// FRI queries, drawn with replacement.
    pub const fn queries(self) -> u32 {
        match self {
            Self::Default => 227,
            Self::Compact => 75,
            Self::Test => 6,
        }
    }

    /// Bits of grinding before the queries.
    pub const fn grinding_bits(self) -> u32 {
        match self {
            Self::Default | Self::Compact => 20,
            Self::Test => 2,
        }
    }

    /// Provable bits below which a proof is refused.
    pub const fn promised_bits(self) -> u32 {
        match self {
            Self::Default | Self::Compact => 128,
            Self::Test => 0,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
