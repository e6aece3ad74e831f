//! The tables that have kernels of their own, found by what their bodies say.

use lambda_air::ConstraintDag;
use lambda_math::Goldilocks;
use lambda_math::hash::hash_row;
use lambda_math_cuda::Kernel;

use crate::generated::TABLES;

/// Kernels generated from a table.
#[derive(Debug)]
pub struct TableKernels {
    /// Name of the table.
    pub name: &'static str,
    /// [`digest`] of its graph.
    pub digest: &'static str,
    /// Writes messages; a table without interactions has no such entry point.
    pub interactions: &'static Kernel,
    /// Writes sums of constraints; a table without constraints has no such entry point.
    pub constraints: &'static Kernel,
}

impl TableKernels {
    /// The kernels for the table whose body is `dag`, if they exist.
    pub fn find(dag: &ConstraintDag) -> Option<&'static Self> {
        let digest = digest(dag);
        TABLES.iter().find(|kernels| kernels.digest == digest)
    }
}

/// Digest of the encoding of `dag`, in hexadecimal.
pub fn digest(dag: &ConstraintDag) -> String {
    let words: Vec<Goldilocks> = dag.encode().into_iter().map(Goldilocks::new).collect();
    hash_row(&words).as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Declares `TABLES`: names, which are those of the files in `kernels/`, and digests.
macro_rules! tables {
    ($($name:ident $digest:literal,)*) => {
        $(mod $name {
            use lambda_math_cuda::{Kernel, PtxModule};

            static MODULE: PtxModule = PtxModule::new(
                stringify!($name),
                include_str!(concat!("../kernels/", stringify!($name), ".ptx")),
            );
            pub(super) static INTERACTIONS: Kernel =
                Kernel::new(&MODULE, concat!(stringify!($name), "_interactions"));
            pub(super) static CONSTRAINTS: Kernel =
                Kernel::new(&MODULE, concat!(stringify!($name), "_constraints"));
        })*

        /// Every table with kernels of its own.
        pub(crate) static TABLES: &[$crate::kernels::TableKernels] = &[
            $($crate::kernels::TableKernels {
                name: stringify!($name),
                digest: $digest,
                interactions: &$name::INTERACTIONS,
                constraints: &$name::CONSTRAINTS,
            },)*
        ];
    };
}
pub(crate) use tables;
