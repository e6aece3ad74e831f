//! The loop of `steps.rs` with another workload: a small neural network is trained, in single precision.
//! Each sample runs forwards and backwards in arena memory and adds to persistent gradients in place; after a
//! batch, the parameters are changed in place. Late frees, poison and a small arena as there.
//!
//! ```text
//!     hidden = tanh(inputs · first)     probabilities = softmax(hidden · second)
//! ```
//!
//! The loop is written once, over [`Network`]. The kernels are in `tests/workload`, no part of the product.

mod on_device;
mod on_host;

use lambda_math_cuda::DeviceError;
use lambda_math_cuda::arena::{Flaws, GRANULE_BYTES, Lifetime};
use serde_json::json;

use crate::card::on_device;
use crate::host_arena::HostArena;
use crate::kit::{random, report};
use crate::steps::tight;
use on_device::OnDevice;
use on_host::{Product, multiply, softmax, softmax_backward, tanh, tanh_backward, update};

const BATCHES: u64 = 4;
const SAMPLES: u64 = 5;
/// Rows of a sample, and columns of its inputs, of the hidden layer and of the probabilities.
const ROWS: usize = 16;
const INPUTS: usize = 24;
const HIDDEN: usize = 33;
const CLASSES: usize = 10;
/// What gradients are divided by.
const DIVISOR: u32 = 4;

/// Arena of a device: parameters, gradients and one sample, and not a granule more.
const DEVICE_BYTES: u64 = 81 * GRANULE_BYTES;
/// On the host, where a cell takes twice as much.
const HOST_BYTES: u64 = 151 * GRANULE_BYTES;

/// Largest difference to the plain loop: the device rounds a product and a sum once, and has a `tanh` of its
/// own.
const TOLERANCE: f32 = 1e-4;

/// The products of a sample.
const TO_HIDDEN: Product = Product::new([ROWS, INPUTS, HIDDEN]);
const TO_CLASSES: Product = Product::new([ROWS, HIDDEN, CLASSES]);
const TO_SECOND: Product = Product::new([HIDDEN, ROWS, CLASSES]).first_transposed();
const BACK_TO_HIDDEN: Product = Product::new([ROWS, CLASSES, HIDDEN]).second_transposed();
const TO_FIRST: Product = Product::new([INPUTS, ROWS, HIDDEN]).first_transposed();

/// The arena that the loop runs in, and the layers there. Matrices are row-major.
trait Network {
    type Buffer;
    fn upload(
        &self,
        cells: &[f32],
        label: &'static str,
        lifetime: Lifetime,
    ) -> Result<Self::Buffer, DeviceError>;
    fn download(&self, buffer: &Self::Buffer) -> Result<Vec<f32>, DeviceError>;
    fn offset(buffer: &Self::Buffer) -> u64;
    fn reset(&self) -> Result<(), DeviceError>;

    /// `a · b`, in a new buffer.
    fn multiply(
        &self,
        product: Product,
        a: &Self::Buffer,
        b: &Self::Buffer,
    ) -> Result<Self::Buffer, DeviceError>;
    /// `to += a · b`.
    fn multiply_add(
        &self,
        product: Product,
        a: &Self::Buffer,
        b: &Self::Buffer,
        to: &mut Self::Buffer,
    ) -> Result<(), DeviceError>;
    /// In a new buffer.
    fn tanh(&self, input: &Self::Buffer) -> Result<Self::Buffer, DeviceError>;
    /// The gradient in front of a tanh that gave `output`, in place of the one behind it.
    fn tanh_backward(&self, output: &Self::Buffer, gradient: &mut Self::Buffer) -> Result<(), DeviceError>;
    /// In a new buffer.
    fn softmax(&self, logits: &Self::Buffer) -> Result<Self::Buffer, DeviceError>;
    /// The gradient of the mean cross-entropy in front of the softmax, in a new buffer.
    fn softmax_backward(
        &self,
        probabilities: &Self::Buffer,
        labels: &Self::Buffer,
    ) -> Result<Self::Buffer, DeviceError>;
    /// A step against the gradients, which are zero after it.
    fn update(&self, parameters: &mut Self::Buffer, gradients: &mut Self::Buffer) -> Result<(), DeviceError>;
}

/// Numbers between -1 and 1.
fn cells(count: usize, mut seed: u64) -> Vec<f32> {
    (0..count).map(|_| (random(&mut seed) >> 40) as f32 / (1u32 << 23) as f32 - 1.0).collect()
}

/// Inputs, and a label for each row: the largest of its first inputs.
fn sample(batch: u64, step: u64) -> [Vec<f32>; 2] {
    let inputs = cells(ROWS * INPUTS, 1000 * batch + step);
    let label = |row: &[f32]| {
        let largest = row[..CLASSES].iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        largest.map_or(0.0, |(class, _)| class as f32)
    };
    let labels = inputs.chunks(INPUTS).map(label).collect();
    [inputs, labels]
}

/// First and second matrix of parameters at the start.
fn parameters() -> [Vec<f32>; 2] {
    [cells(INPUTS * HIDDEN, 1), cells(HIDDEN * CLASSES, 2)]
}

/// The parameters after training, without an arena.
fn expected() -> [Vec<f32>; 2] {
    let [mut first, mut second] = parameters();
    let mut gradients = [vec![0.0; first.len()], vec![0.0; second.len()]];
    for batch in 0..BATCHES {
        for step in 0..SAMPLES {
            let [inputs, labels] = sample(batch, step);
            let hidden = tanh(&multiply(TO_HIDDEN, &inputs, &first));
            let probabilities = softmax(&multiply(TO_CLASSES, &hidden, &second));
            let at_classes = softmax_backward(&probabilities, &labels);
            let mut at_hidden = multiply(BACK_TO_HIDDEN, &at_classes, &second);
            tanh_backward(&hidden, &mut at_hidden);
            let added = [multiply(TO_FIRST, &inputs, &at_hidden), multiply(TO_SECOND, &hidden, &at_classes)];
            for (sum, added) in gradients.iter_mut().flatten().zip(added.iter().flatten()) {
                *sum += added;
            }
        }
        update(&mut first, &mut gradients[0]);
        update(&mut second, &mut gradients[1]);
    }
    [first, second]
}

fn run<N: Network>(network: &N) -> Result<[Vec<f32>; 2], DeviceError> {
    let persistent = |cells: &[f32], label| network.upload(cells, label, Lifetime::Persistent);
    let [first, second] = parameters();
    let zeros = [vec![0.0; first.len()], vec![0.0; second.len()]];
    let mut first = persistent(&first, "first matrix")?;
    let mut second = persistent(&second, "second matrix")?;
    let mut first_gradient = persistent(&zeros[0], "first gradient")?;
    let mut second_gradient = persistent(&zeros[1], "second gradient")?;
    let offsets = |buffers: [&N::Buffer; 4]| buffers.map(N::offset);
    let places = offsets([&first, &second, &first_gradient, &second_gradient]);
    let mut late: Vec<N::Buffer> = Vec::new();
    for batch in 0..BATCHES {
        for step in 0..SAMPLES {
            let [inputs, labels] = sample(batch, step);
            let inputs = network.upload(&inputs, "inputs", Lifetime::Transient)?;
            let labels = network.upload(&labels, "labels", Lifetime::Transient)?;
            let sums = network.multiply(TO_HIDDEN, &inputs, &first)?;
            // Handles of earlier samples go while this sample's buffers have their bytes: here and below.
            late.truncate(late.len().saturating_sub(2));
            let hidden = network.tanh(&sums)?;
            let logits = network.multiply(TO_CLASSES, &hidden, &second)?;
            late.pop();
            let probabilities = network.softmax(&logits)?;
            let at_classes = network.softmax_backward(&probabilities, &labels)?;
            network.multiply_add(TO_SECOND, &hidden, &at_classes, &mut second_gradient)?;
            let mut at_hidden = network.multiply(BACK_TO_HIDDEN, &at_classes, &second)?;
            late.pop();
            network.tanh_backward(&hidden, &mut at_hidden)?;
            network.multiply_add(TO_FIRST, &inputs, &at_hidden, &mut first_gradient)?;
            network.reset()?;
            late.extend([inputs, labels, sums, hidden, logits, probabilities, at_classes, at_hidden]);
        }
        network.update(&mut first, &mut first_gradient)?;
        network.update(&mut second, &mut second_gradient)?;
    }
    let moved = offsets([&first, &second, &first_gradient, &second_gradient]);
    assert_eq!(moved, places, "persistent buffers do not move");
    Ok([network.download(&first)?, network.download(&second)?])
}

/// Whether two networks are the same within the tolerance; no number is within it.
fn agree(a: &[Vec<f32>; 2], b: &[Vec<f32>; 2]) -> bool {
    a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (a - b).abs() <= TOLERANCE)
}

#[test]
fn a_network_trained_on_a_device() {
    let expected = expected();
    assert!(!agree(&expected, &parameters()), "training changes the parameters");
    for seed in 0..6 {
        let schedule = json!({"schedule": "random", "seed": seed});
        on_device(schedule, tight(DEVICE_BYTES, Flaws::default()), |device| {
            let trained = OnDevice::new(device).and_then(|network| run(&network));
            let trained = trained.unwrap_or_else(|error| panic!("{error}: {}", report(device)));
            assert!(agree(&trained, &expected), "seed {seed}");
        });
    }
}

#[test]
fn a_network_trained_in_an_arena_of_the_host() {
    let trained = run(&HostArena::new(HOST_BYTES, Flaws::default())).expect("there is room");
    assert!(trained == expected(), "the same operations in the same order");
}

/// Without the check of the epoch, a late handle gives a live block back.
#[test]
fn an_arena_without_the_epoch_check_spoils_the_network() {
    let flaws = Flaws { accepts_stale_frees: true, ..Flaws::default() };
    let expected = expected();
    let is_right =
        |trained: Result<[Vec<f32>; 2], DeviceError>| trained.is_ok_and(|trained| agree(&trained, &expected));
    for seed in 0..4 {
        let schedule = json!({"schedule": "random", "seed": seed});
        on_device(schedule, tight(DEVICE_BYTES, flaws), |device| {
            let trained = OnDevice::new(device).and_then(|network| run(&network));
            assert!(!is_right(trained), "seed {seed}: nobody noticed");
        });
    }
    assert!(!is_right(run(&HostArena::new(HOST_BYTES, flaws))), "nobody noticed on the host");
}
