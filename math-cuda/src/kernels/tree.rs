//! Merkle trees over several heights (`kernels/tree.cu`): [`lambda_math::merkle`] on the device.

use std::cmp::Reverse;
use std::sync::Arc;

use lambda_math::domain::slab_and_entry;
use lambda_math::merkle::for_each_sibling;
use lambda_math::{Digest, MerkleTree};

use super::chunk_tree::ChunkTree;
use super::gather;
use crate::{DeviceBuffer, DeviceError, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("tree", include_str!("../../kernels/tree.ptx"));
static LEVELS: Kernel = Kernel::new(&MODULE, "tree_levels");
static JOIN: Kernel = Kernel::new(&MODULE, "tree_join");

/// Threads of a block.
const LEVEL_THREADS: u32 = 256;
const JOIN_THREADS: u32 = 128;
/// `log2` of the nodes in the first level that a block computes, as in the source.
const TILE_LOG2: u32 = 9;
/// Most levels of a launch: a block then reads runs of 8 digests.
const MAX_LEVELS: u32 = 7;

/// All levels of a mixed-height tree, as [`lambda_math::MerkleTree`] keeps them: in slab order.
#[derive(Debug)]
pub struct DeviceTree {
    /// The tallest layer.
    leaves: Arc<DeviceBuffer<Digest>>,
    /// The levels above it, tallest first, up to the one that the cap is made of.
    nodes: DeviceBuffer<Digest>,
    leaf_count_log2: u32,
    blowup_log2: u32,
    cap_log2: u32,
}

impl DeviceTree {
    /// The tree over `layers`, as [`lambda_math::MerkleTree::build`] has it: for each height `log2 n`,
    /// tallest or not, its `n` leaves in slab order.
    ///
    /// One compression (680 operations), 32 bytes written and about 64 read a node; levels that one launch
    /// computes are not read again. Launches: one for every seven levels between two heights.
    ///
    /// # Panics
    /// When there is no layer, heights repeat, a layer's length is not `2^log2 n`, or a layer or the cap has
    /// fewer entries than there are slabs or than the cap.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`] and [`Launch::run`](crate::Launch::run).
    pub fn build(
        stream: &Stream,
        mut layers: Vec<(u32, Arc<DeviceBuffer<Digest>>)>,
        blowup_log2: u32,
        cap_log2: u32,
    ) -> Result<Self, DeviceError> {
        layers.sort_unstable_by_key(|&(log2, _)| Reverse(log2));
        assert!(layers.is_sorted_by(|a, b| a.0 > b.0), "one layer for each height");
        let mut layers = layers.into_iter();
        let (leaf_count_log2, leaves) = layers.next().expect("a tree has at least one layer of leaves");
        assert_eq!(leaves.len(), 1 << leaf_count_log2, "a layer has one leaf for each LDE row");
        let cap_log2 = cap_log2.min(leaf_count_log2);
        assert!(
            blowup_log2 <= cap_log2,
            "each slab must reach the cap: 2^{blowup_log2} slabs, 2^{cap_log2} digests"
        );
        let nodes = stream.alloc_persistent((1 << leaf_count_log2) - (1 << cap_log2), "tree nodes")?;
        let mut tree = Self { leaves, nodes, leaf_count_log2, blowup_log2, cap_log2 };
        let mut level_log2 = leaf_count_log2;
        for (log2, layer) in layers {
            assert_eq!(layer.len(), 1 << log2, "a layer has one leaf for each LDE row");
            assert!(log2 >= cap_log2, "a layer of 2^{log2} leaves cannot join below a cap of 2^{cap_log2}");
            tree.climb(stream, level_log2, log2, Some(&layer))?;
            level_log2 = log2;
        }
        tree.climb(stream, level_log2, cap_log2, None)?;
        Ok(tree)
    }

    /// Computes the levels above the one of `2^from_log2` nodes up to that of `2^to_log2`, which `injected`
    /// joins.
    fn climb(
        &mut self,
        stream: &Stream,
        from_log2: u32,
        to_log2: u32,
        injected: Option<&DeviceBuffer<Digest>>,
    ) -> Result<(), DeviceError> {
        let launches = (from_log2 - to_log2).div_ceil(MAX_LEVELS);
        let mut below_log2 = from_log2;
        for launches_left in (1..=launches).rev() {
            let levels = (below_log2 - to_log2).div_ceil(launches_left);
            let above_log2 = below_log2 - levels;
            let top_log2 = above_log2 - self.blowup_log2;
            let tile_log2 = top_log2.min(TILE_LOG2 + 1 - levels);
            let start = self.start_of(below_log2 - 1);
            let grid = Grid::linear(1 << (above_log2 - tile_log2), 1);
            let launch = stream.launch(&LEVELS, Grid { threads: [LEVEL_THREADS, 1, 1], ..grid });
            let (below, above) = self.nodes.as_slice_mut().split_at(start);
            let launch = match below_log2 == self.leaf_count_log2 {
                true => launch.read(&*self.leaves),
                false => launch.read(below.as_slice().slice(start - (1 << below_log2)..)),
            };
            let launch = launch.write(above);
            let launch = match injected {
                Some(layer) if launches_left == 1 => launch.read(layer),
                _ => launch.null(),
            };
            launch.u32(top_log2).u32(self.blowup_log2).u32(levels).u32(tile_log2).run()?;
            below_log2 = above_log2;
        }
        Ok(())
    }

    /// Where the level of `2^level_log2` nodes starts among the nodes.
    fn start_of(&self, level_log2: u32) -> usize {
        (1 << self.leaf_count_log2) - (2 << level_log2)
    }

    /// The cap, in position order. Waits for it.
    ///
    /// # Errors
    /// Those of [`Stream::download`].
    pub fn cap(&self, stream: &Stream) -> Result<Vec<Digest>, DeviceError> {
        let level = match self.cap_log2 == self.leaf_count_log2 {
            true => stream.download(&*self.leaves)?,
            false => stream.download(self.nodes.slice(self.start_of(self.cap_log2)..))?,
        };
        let height_log2 = self.cap_log2 - self.blowup_log2;
        let entry = |position: usize| {
            let (slab, entry) = slab_and_entry(position, height_log2);
            level[slab << height_log2 | entry]
        };
        Ok((0..level.len()).map(entry).collect())
    }

    /// The siblings that open `positions` of the tallest layer, strictly ascending:
    /// [`lambda_math::MerkleTree::open`]. Waits for them.
    ///
    /// # Errors
    /// Those of [`gather::digests`].
    pub fn open(&self, stream: &Stream, positions: &[usize]) -> Result<Vec<Digest>, DeviceError> {
        let positions: Vec<u64> = positions.iter().map(|&position| position as u64).collect();
        let mut places = Vec::new();
        let levels = self.leaf_count_log2 - self.cap_log2;
        for_each_sibling(&positions, levels, |level, position| places.push((level, position)));
        self.digests(stream, &places)
    }

    /// The whole tree, on the host. Waits for it.
    ///
    /// # Errors
    /// Those of [`Stream::download`].
    pub fn download(&self, stream: &Stream) -> Result<MerkleTree, DeviceError> {
        let cap = self.cap(stream)?;
        let mut levels = Vec::new();
        for level_log2 in (self.cap_log2 + 1..=self.leaf_count_log2).rev() {
            levels.push(match level_log2 == self.leaf_count_log2 {
                true => stream.download(&*self.leaves)?,
                false => {
                    let start = self.start_of(level_log2);
                    stream.download(self.nodes.slice(start..start + (1 << level_log2)))?
                }
            });
        }
        Ok(MerkleTree::from_levels(levels, cap, self.blowup_log2))
    }

    /// The digests at `places`, each a level, counted from the tallest layer, and a position in it. Waits for
    /// them.
    ///
    /// # Panics
    /// When there is no such level below the cap, or no such position.
    ///
    /// # Errors
    /// Those of [`gather::digests`].
    pub fn digests(&self, stream: &Stream, places: &[(u32, u64)]) -> Result<Vec<Digest>, DeviceError> {
        let index = |&(level, position): &(u32, u64)| {
            let level_log2 = self.leaf_count_log2.checked_sub(level).expect("the level is in the tree");
            assert!(level_log2 >= self.cap_log2, "level {level} is above the cap");
            assert!(position >> level_log2 == 0, "level {level} has no position {position}");
            let height_log2 = level_log2 - self.blowup_log2;
            let (slab, entry) = slab_and_entry(position as usize, height_log2);
            let start = if level == 0 { 0 } else { self.start_of(level_log2) };
            (start + (slab << height_log2 | entry)) as u64
        };
        let is_leaf = |&&(level, _): &&(u32, u64)| level == 0;
        let leaves: Vec<u64> = places.iter().filter(is_leaf).map(index).collect();
        let nodes: Vec<u64> = places.iter().filter(|place| !is_leaf(place)).map(index).collect();
        let mut leaves = gather::digests(stream, self.leaves.as_slice(), &leaves)?.into_iter();
        let mut nodes = gather::digests(stream, self.nodes.as_slice(), &nodes)?.into_iter();
        let digest = |place: &(u32, u64)| if place.0 == 0 { leaves.next() } else { nodes.next() };
        Ok(places.iter().map_while(digest).collect())
    }

    /// Size of the digests kept: [`lambda_math::merkle::tree_bytes`].
    pub fn bytes(&self) -> u64 {
        ((self.leaves.len() + self.nodes.len()) * size_of::<Digest>()) as u64
    }
}

/// Leaves of one height from the row digests of its tables, in registry order:
/// [`lambda_math::hash::hash_leaf`].
///
/// 32 bytes read and half a compression (340 operations) for each digest, and 64 bytes of traffic a leaf for
/// every two tables.
///
/// # Panics
/// When there is no table, or they differ in height.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`](crate::Launch::run).
pub fn join_leaves(
    stream: &Stream,
    tables: &[Arc<DeviceBuffer<Digest>>],
) -> Result<Arc<DeviceBuffer<Digest>>, DeviceError> {
    let count = tables.first().expect("a height has tables").len();
    assert!(tables.iter().all(|table| table.len() == count), "a table has one digest for each leaf");
    if let [only] = tables {
        return Ok(only.clone());
    }
    let mut leaves = stream.alloc(count, "leaves")?;
    let mut tree = ChunkTree::new(stream, count, tables.len() * size_of::<Digest>())?;
    for pair in tables.chunks(2) {
        let launch = stream.launch(&JOIN, Grid::linear(count as u64, JOIN_THREADS)).read(&*pair[0]);
        let launch = match pair.get(1) {
            Some(second) => launch.read(&**second),
            None => launch.null(),
        };
        tree.advance(launch.u64(count as u64), 1, leaves.as_slice_mut()).run()?;
    }
    Ok(Arc::new(leaves))
}
