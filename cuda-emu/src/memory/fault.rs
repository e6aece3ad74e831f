//! What can be wrong with an access to device memory, in words.

use std::fmt;

use super::Access;

/// Where in which buffer an address lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Label of the buffer.
    pub label: String,
    /// Length of the buffer in bytes.
    pub bytes: u64,
    /// Offset of the address in the buffer in bytes; negative or past `bytes` where it lies outside.
    pub offset: i64,
}

/// An access to device memory that a correct program does not make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessFault {
    /// Outside every buffer that the operation was given.
    OutOfBounds {
        /// What was tried.
        access: Access,
        /// Device address.
        address: u64,
        /// Length of the access in bytes.
        bytes: u64,
        /// The nearest buffer of the operation, if it has one.
        nearest: Option<Place>,
    },
    /// Inside a buffer that was freed before the operation was enqueued.
    UseAfterFree {
        /// What was tried.
        access: Access,
        /// Device address.
        address: u64,
        /// Length of the access in bytes.
        bytes: u64,
        /// The buffer as it was.
        freed: Place,
    },
    /// The address is no multiple of the access's length.
    Misaligned {
        /// What was tried.
        access: Access,
        /// Device address.
        address: u64,
        /// Length of the access in bytes.
        bytes: u64,
    },
    /// A read of bytes that nothing has written since the buffer was allocated.
    Uninitialised {
        /// Device address.
        address: u64,
        /// Length of the access in bytes.
        bytes: u64,
        /// Where it lies.
        place: Place,
    },
    /// Conflicts with an earlier access, and nothing orders the two.
    Race {
        /// What was tried.
        access: Access,
        /// Device address.
        address: u64,
        /// Length of the access in bytes.
        bytes: u64,
        /// Where it lies.
        place: Place,
        /// What the other operation did there.
        other_access: Access,
        /// The other operation, in words.
        other: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { label, bytes, offset } = self;
        if *offset < 0 {
            write!(f, "{} bytes before `{label}` ({bytes} bytes)", -offset)
        } else if *offset as u64 >= *bytes {
            write!(f, "{} bytes past the end of `{label}` ({bytes} bytes)", *offset as u64 - bytes)
        } else {
            write!(f, "byte {offset} of `{label}` ({bytes} bytes)")
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Atomic => "atomic access",
        })
    }
}

impl fmt::Display for AccessFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds { access, address, bytes, nearest } => {
                write!(f, "{access} of {bytes} bytes at {address:#x} is out of bounds: ")?;
                match nearest {
                    Some(place) => write!(f, "{place}"),
                    None => write!(f, "the operation was given no buffer"),
                }
            }
            Self::UseAfterFree { access, address, bytes, freed } => {
                write!(f, "{access} of {bytes} bytes at {address:#x} after the buffer was freed: {freed}")
            }
            Self::Misaligned { access, address, bytes } => {
                write!(f, "{access} of {bytes} bytes at {address:#x} is misaligned")
            }
            Self::Uninitialised { address, bytes, place } => {
                write!(f, "read of {bytes} bytes at {address:#x} that nothing has written: {place}")
            }
            Self::Race { access, address, bytes, place, other_access, other } => write!(
                f,
                "{access} of {bytes} bytes at {address:#x}, {place}, races with a {other_access} by {other}: \
                 nothing orders the two"
            ),
        }
    }
}

impl std::error::Error for AccessFault {}
