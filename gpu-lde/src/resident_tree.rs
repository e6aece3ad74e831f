//! Row digests and trees that are on the host or on the device.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lambda_math::{Digest, MerkleTree};
use lambda_math_cuda::kernels::tree::DeviceTree;
use lambda_math_cuda::{DeviceBuffer, DeviceError, Stream};

/// Row digests of one table.
#[derive(Debug)]
pub enum ResidentDigests {
    /// On the host.
    Host(Vec<Digest>),
    /// On the device.
    Device(Arc<DeviceBuffer<Digest>>),
}

/// A tree; its cap is on the host from the start.
#[derive(Debug)]
pub struct ResidentTree {
    cap: Vec<Digest>,
    levels: Mutex<Levels>,
}

#[derive(Clone, Debug)]
enum Levels {
    Host(Arc<MerkleTree>),
    Device(Arc<DeviceTree>),
}

impl ResidentTree {
    /// A tree on the host.
    pub fn on_host(tree: Arc<MerkleTree>) -> Arc<Self> {
        Arc::new(Self { cap: tree.cap().to_vec(), levels: Mutex::new(Levels::Host(tree)) })
    }

    /// A tree on the device. Waits for its cap.
    ///
    /// # Errors
    /// Those of [`Stream::download`].
    pub fn on_device(stream: &Stream, tree: DeviceTree) -> Result<Arc<Self>, DeviceError> {
        let cap = tree.cap(stream)?;
        Ok(Arc::new(Self { cap, levels: Mutex::new(Levels::Device(Arc::new(tree))) }))
    }

    /// Its cap.
    pub fn cap(&self) -> &[Digest] {
        &self.cap
    }

    /// Moves it to the host. Returns the bytes that it had on the device.
    ///
    /// # Errors
    /// Those of [`Stream::download`]; it is where it was then.
    pub fn move_to_host(&self, stream: &Stream) -> Result<u64, DeviceError> {
        let mut levels = self.levels();
        let Levels::Device(tree) = &*levels else { return Ok(0) };
        let bytes = tree.bytes();
        let host = tree.download(stream)?;
        *levels = Levels::Host(Arc::new(host));
        Ok(bytes)
    }

    /// The siblings that open `positions` of the tallest layer, strictly ascending.
    ///
    /// # Errors
    /// Those of [`Stream::download`].
    pub fn open(&self, stream: &Stream, positions: &[usize]) -> Result<Vec<Digest>, DeviceError> {
        let levels = self.levels().clone();
        match levels {
            Levels::Host(tree) => Ok(tree.open(positions)),
            Levels::Device(tree) => tree.open(stream, positions),
        }
    }

    fn levels(&self) -> MutexGuard<'_, Levels> {
        self.levels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
