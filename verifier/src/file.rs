//! Proof files: a fixed header, then what is claimed and its proof.
//!
//! ```text
//!     offset  bytes  field
//!          0      8  magic "LMBDPROF"
//!          8      2  format version
//!         10      2  protocol version
//!         12      2  profile
//!         14      2  kind of claim: 0 a statement about a system, 1 an execution of a program
//!         16     32  program id: digest of the verifying key, or of the program
//!         48     32  digest of the claim
//!         80      8  body length
//!         88      …  body: claim, proof
//! ```
//!
//! Integers are little-endian. The header is checked before the body is decoded, and the body's length
//! before anything is allocated.

use alloc::vec::Vec;
use core::fmt;

use crate::error::VerifyError;
use crate::key::VerifyingKey;
use crate::profile::{PROTOCOL_VERSION, Profile};
use crate::proof::Proof;
use crate::statement::Statement;
use crate::wire::{DecodeError, Reader, Wire};

/// First bytes of every proof file.
pub const MAGIC: [u8; 8] = *b"LMBDPROF";
/// Version of the file's layout.
pub const FORMAT_VERSION: u16 = 1;
/// Bytes before the body.
pub const HEADER_BYTES: usize = 88;
/// Largest body.
pub const MAX_BODY_BYTES: usize = 64 << 20;

/// A 32-byte identity, shown as hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Id(pub [u8; 32]);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a file is not an acceptable proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// No bytes at all.
    #[error("the file is empty")]
    Empty,
    /// The file does not start as a proof does.
    #[error("the file does not start with LMBDPROF: it is not a proof")]
    Magic,
    /// The file's layout is of another version.
    #[error("the file has format version {got}, this program reads version {supported}")]
    Format {
        /// Version of the file.
        got: u16,
        /// Version understood.
        supported: u16,
    },
    /// The proof is for another version of the protocol.
    #[error("the proof is for protocol version {got}, this program verifies version {supported}")]
    Protocol {
        /// Version of the proof.
        got: u16,
        /// Version understood.
        supported: u16,
    },
    /// The profile is not on the list.
    #[error("the proof names profile {got}, which does not exist")]
    UnknownProfile {
        /// Its number.
        got: u16,
    },
    /// The file claims something else than what is asked for.
    #[error("the proof is about {}, expected one about {}", kind_name(*got), kind_name(*expected))]
    Kind {
        /// Kind of the file.
        got: u16,
        /// Kind expected.
        expected: u16,
    },
    /// The body is larger than any proof.
    #[error("the header announces {length} bytes of proof, the limit is {MAX_BODY_BYTES}")]
    TooLarge {
        /// Length in the header.
        length: u64,
    },
    /// Header or body do not decode.
    #[error("{0}")]
    Decode(#[from] DecodeError),
    /// The header's statement digest is not that of the statement.
    #[error("the header's digest is not that of the claim in the file")]
    StatementDigest,
    /// The proof is for another program.
    #[error("the proof is for program {got}, expected {expected}")]
    Program {
        /// Program id expected.
        expected: Id,
        /// Program id in the file.
        got: Id,
    },
    /// The proof has another profile.
    #[error("the proof has profile {got}, expected {expected}")]
    Profile {
        /// Profile of the key.
        expected: Profile,
        /// Profile in the file.
        got: Profile,
    },
    /// The proof does not verify.
    #[error("{0}")]
    Invalid(VerifyError),
}

const fn kind_name(kind: u16) -> &'static str {
    match kind {
        0 => "a system of tables",
        1 => "the execution of a program",
        _ => "something that this program does not know",
    }
}

/// What a proof file claims.
pub trait Claim: Wire {
    /// Its number in proof files.
    const KIND: u16;
    /// Digest of the claim, as proof files carry it.
    fn digest(&self) -> [u8; 32];
}

impl Claim for Statement {
    const KIND: u16 = 0;

    fn digest(&self) -> [u8; 32] {
        Self::digest(self)
    }
}

/// The kind of claim that a proof file makes, if `bytes` start as one does.
pub fn kind(bytes: &[u8]) -> Option<u16> {
    let mut reader = Reader::new(bytes);
    let magic: [u8; 8] = reader.bytes().ok()?;
    reader.bytes::<6>().ok()?;
    (magic == MAGIC).then_some(u16::from_le_bytes(reader.bytes().ok()?))
}

impl FileError {
    /// Whether the file is a proof that this program can judge, and was found wanting; otherwise it cannot
    /// be read.
    pub const fn is_invalid_proof(&self) -> bool {
        matches!(self, Self::StatementDigest | Self::Program { .. } | Self::Profile { .. } | Self::Invalid(_))
    }
}

/// A proof of a statement about a system.
pub type ProofFile = ClaimFile<Statement>;

/// A proof with what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimFile<C> {
    /// Parameters.
    pub profile: Profile,
    /// Digest of the verifying key, or of the program.
    pub program_id: Id,
    /// What is claimed.
    pub statement: C,
    /// The proof.
    pub proof: Proof,
}

impl ProofFile {
    /// The file of a proof of `key`'s system.
    pub fn new(key: &VerifyingKey, statement: Statement, proof: Proof) -> Self {
        Self { profile: key.profile, program_id: Id(key.digest()), statement, proof }
    }

    /// Errs unless the proof is for `key`'s system.
    pub fn check_program(&self, key: &VerifyingKey) -> Result<(), FileError> {
        if self.profile != key.profile {
            return Err(FileError::Profile { expected: key.profile, got: self.profile });
        }
        let expected = Id(key.digest());
        if self.program_id != expected {
            return Err(FileError::Program { expected, got: self.program_id });
        }
        Ok(())
    }
}

impl<C: Claim> ClaimFile<C> {
    /// The file's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        self.statement.encode(&mut body);
        self.proof.encode(&mut body);
        let mut bytes = Vec::with_capacity(HEADER_BYTES.saturating_add(body.len()));
        bytes.extend(MAGIC);
        for word in [FORMAT_VERSION, PROTOCOL_VERSION, self.profile.id(), C::KIND] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(self.program_id.0);
        bytes.extend(self.statement.digest());
        u64::try_from(body.len()).unwrap_or(u64::MAX).encode(&mut bytes);
        bytes.extend(body);
        bytes
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Whatever keeps the bytes from being exactly one proof file of this version.
    pub fn decode(bytes: &[u8]) -> Result<Self, FileError> {
        if bytes.is_empty() {
            return Err(FileError::Empty);
        }
        let mut reader = Reader::new(bytes);
        if !bytes.starts_with(&MAGIC) {
            // A file that is cut inside the magic is a truncated proof.
            if MAGIC.starts_with(bytes) {
                reader.bytes::<8>()?;
            }
            return Err(FileError::Magic);
        }
        reader.bytes::<8>()?;
        let mut word = || -> Result<u16, DecodeError> { Ok(u16::from_le_bytes(reader.bytes()?)) };
        match word()? {
            FORMAT_VERSION => {}
            got => return Err(FileError::Format { got, supported: FORMAT_VERSION }),
        }
        match word()? {
            PROTOCOL_VERSION => {}
            got => return Err(FileError::Protocol { got, supported: PROTOCOL_VERSION }),
        }
        let id = word()?;
        let profile = Profile::from_id(id).ok_or(FileError::UnknownProfile { got: id })?;
        match word()? {
            got if got == C::KIND => {}
            got => return Err(FileError::Kind { got, expected: C::KIND }),
        }
        let program_id = Id(reader.bytes()?);
        let statement_digest = reader.bytes()?;
        let length = u64::decode(&mut reader)?;
        match usize::try_from(length) {
            Ok(body) if body > MAX_BODY_BYTES => return Err(FileError::TooLarge { length }),
            Ok(body) if body < reader.remaining() => {
                let extra = reader.remaining().saturating_sub(body);
                return Err(FileError::Decode(DecodeError::Trailing { extra }));
            }
            Ok(body) if body > reader.remaining() => {
                let missing = body.saturating_sub(reader.remaining());
                return Err(FileError::Decode(DecodeError::Truncated { at: HEADER_BYTES, missing }));
            }
            Ok(_) => {}
            Err(_) => return Err(FileError::TooLarge { length }),
        }
        let statement = C::decode(&mut reader)?;
        if statement.digest() != statement_digest {
            return Err(FileError::StatementDigest);
        }
        let proof = Proof::decode(&mut reader)?;
        reader.finish()?;
        Ok(Self { profile, program_id, statement, proof })
    }
}
