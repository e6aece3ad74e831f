//! The network on a device, with the kernels of `tests/workload/network.cu`.

use lambda_math_cuda::arena::Lifetime;
use lambda_math_cuda::{Device, DeviceBuffer, DeviceError, Grid, Kernel, Launch, PtxModule, Stream};

use super::on_host::Product;
use super::{CLASSES, DIVISOR, Network, ROWS};
use crate::steps::Alternating;

static MODULE: PtxModule = PtxModule::new("network", include_str!("../../workload/network.ptx"));
static MULTIPLY: Kernel = Kernel::new(&MODULE, "network_multiply");
static TANH: Kernel = Kernel::new(&MODULE, "network_tanh");
static TANH_BACKWARD: Kernel = Kernel::new(&MODULE, "network_tanh_backward");
static SOFTMAX: Kernel = Kernel::new(&MODULE, "network_softmax");
static SOFTMAX_BACKWARD: Kernel = Kernel::new(&MODULE, "network_softmax_backward");
static UPDATE: Kernel = Kernel::new(&MODULE, "network_update");

/// Streams that take turns. A buffer holds the bits of its cells.
pub(super) struct OnDevice(Alternating);

impl OnDevice {
    pub(super) fn new(device: &Device) -> Result<Self, DeviceError> {
        Alternating::new(device).map(Self)
    }

    fn stream(&self) -> &Stream {
        self.0.next()
    }
}

/// A launch with a thread for each of `items`.
fn launch<'s>(stream: &'s Stream, kernel: &'static Kernel, items: usize) -> Launch<'s> {
    stream.launch(kernel, Grid::linear(items as u64, 64))
}

fn launch_product<'s>(
    stream: &'s Stream,
    product: Product,
    a: &DeviceBuffer<u32>,
    b: &DeviceBuffer<u32>,
) -> Launch<'s> {
    let Product { rows, inner, columns, first, second } = product;
    let launch = launch(stream, &MULTIPLY, rows * columns);
    let launch = launch.read(a).u32(first[0] as u32).u32(first[1] as u32);
    let launch = launch.read(b).u32(second[0] as u32).u32(second[1] as u32);
    launch.u32(rows as u32).u32(inner as u32).u32(columns as u32)
}

impl Network for OnDevice {
    type Buffer = DeviceBuffer<u32>;

    fn upload(
        &self,
        cells: &[f32],
        label: &'static str,
        lifetime: Lifetime,
    ) -> Result<DeviceBuffer<u32>, DeviceError> {
        let stream = self.stream();
        let bits: Vec<u32> = cells.iter().map(|cell| cell.to_bits()).collect();
        let mut buffer = match lifetime {
            Lifetime::Transient => stream.alloc(bits.len(), label)?,
            Lifetime::Persistent => stream.alloc_persistent(bits.len(), label)?,
        };
        stream.write(&mut buffer, &bits)?;
        Ok(buffer)
    }

    fn download(&self, buffer: &DeviceBuffer<u32>) -> Result<Vec<f32>, DeviceError> {
        Ok(self.stream().download(buffer)?.into_iter().map(f32::from_bits).collect())
    }

    fn offset(buffer: &DeviceBuffer<u32>) -> u64 {
        buffer.offset()
    }

    fn reset(&self) -> Result<(), DeviceError> {
        self.0.device.reset()
    }

    fn multiply(
        &self,
        product: Product,
        a: &DeviceBuffer<u32>,
        b: &DeviceBuffer<u32>,
    ) -> Result<DeviceBuffer<u32>, DeviceError> {
        let stream = self.stream();
        let mut out = stream.alloc(product.rows * product.columns, "product")?;
        launch_product(stream, product, a, b).u32(0).write(&mut out).run()?;
        Ok(out)
    }

    fn multiply_add(
        &self,
        product: Product,
        a: &DeviceBuffer<u32>,
        b: &DeviceBuffer<u32>,
        to: &mut DeviceBuffer<u32>,
    ) -> Result<(), DeviceError> {
        launch_product(self.stream(), product, a, b).u32(1).write(to).run()
    }

    fn tanh(&self, input: &DeviceBuffer<u32>) -> Result<DeviceBuffer<u32>, DeviceError> {
        let stream = self.stream();
        let mut out = stream.alloc(input.len(), "tanh")?;
        launch(stream, &TANH, out.len()).read(input).write(&mut out).u32(input.len() as u32).run()?;
        Ok(out)
    }

    fn tanh_backward(
        &self,
        output: &DeviceBuffer<u32>,
        gradient: &mut DeviceBuffer<u32>,
    ) -> Result<(), DeviceError> {
        let count = output.len();
        launch(self.stream(), &TANH_BACKWARD, count).read(output).write(gradient).u32(count as u32).run()
    }

    fn softmax(&self, logits: &DeviceBuffer<u32>) -> Result<DeviceBuffer<u32>, DeviceError> {
        let stream = self.stream();
        let mut out = stream.alloc(logits.len(), "softmax")?;
        let launch = launch(stream, &SOFTMAX, ROWS).read(logits).write(&mut out);
        launch.u32(ROWS as u32).u32(CLASSES as u32).run()?;
        Ok(out)
    }

    fn softmax_backward(
        &self,
        probabilities: &DeviceBuffer<u32>,
        labels: &DeviceBuffer<u32>,
    ) -> Result<DeviceBuffer<u32>, DeviceError> {
        let stream = self.stream();
        let mut out = stream.alloc(probabilities.len(), "gradient at the classes")?;
        let launch = launch(stream, &SOFTMAX_BACKWARD, out.len()).read(probabilities).read(labels);
        launch.write(&mut out).u32(ROWS as u32).u32(CLASSES as u32).run()?;
        Ok(out)
    }

    fn update(
        &self,
        parameters: &mut DeviceBuffer<u32>,
        gradients: &mut DeviceBuffer<u32>,
    ) -> Result<(), DeviceError> {
        let count = parameters.len();
        let launch = launch(self.stream(), &UPDATE, count).write(parameters).write(gradients);
        launch.u32(DIVISOR).u32(count as u32).run()
    }
}
