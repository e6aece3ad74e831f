//! The layers in plain Rust, and the network in an arena over memory of the host.

use lambda_math_cuda::DeviceError;
use lambda_math_cuda::arena::Lifetime;

use super::{CLASSES, DIVISOR, Network, ROWS};
use crate::host_arena::{HostArena, HostBuffer};

/// Shape of a product of two matrices, and words from an element to the one below and to the right.
#[derive(Clone, Copy)]
pub(super) struct Product {
    pub(super) rows: usize,
    pub(super) inner: usize,
    pub(super) columns: usize,
    pub(super) first: [usize; 2],
    pub(super) second: [usize; 2],
}

impl Product {
    /// `[rows, inner] · [inner, columns]`.
    pub(super) const fn new([rows, inner, columns]: [usize; 3]) -> Self {
        Self { rows, inner, columns, first: [inner, 1], second: [columns, 1] }
    }

    /// The same where the first matrix is stored as `[inner, rows]`.
    pub(super) const fn first_transposed(self) -> Self {
        Self { first: [1, self.rows], ..self }
    }

    /// The same where the second matrix is stored as `[columns, inner]`.
    pub(super) const fn second_transposed(self) -> Self {
        Self { second: [1, self.inner], ..self }
    }
}

pub(super) fn multiply(product: Product, a: &[f32], b: &[f32]) -> Vec<f32> {
    let Product { rows, inner, columns, first, second } = product;
    let element = |i: usize, j: usize| {
        (0..inner).map(|k| a[i * first[0] + k * first[1]] * b[k * second[0] + j * second[1]]).sum()
    };
    (0..rows).flat_map(|i| (0..columns).map(move |j| element(i, j))).collect()
}

pub(super) fn tanh(cells: &[f32]) -> Vec<f32> {
    cells.iter().map(|cell| cell.tanh()).collect()
}

pub(super) fn tanh_backward(output: &[f32], gradient: &mut [f32]) {
    gradient.iter_mut().zip(output).for_each(|(gradient, output)| *gradient *= 1.0 - output * output);
}

pub(super) fn softmax(logits: &[f32]) -> Vec<f32> {
    let row = |row: &[f32]| {
        let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f32> = row.iter().map(|logit| (logit - most).exp()).collect();
        let sum: f32 = powers.iter().sum();
        powers.into_iter().map(move |power| power / sum)
    };
    logits.chunks(CLASSES).flat_map(row).collect()
}

pub(super) fn softmax_backward(probabilities: &[f32], labels: &[f32]) -> Vec<f32> {
    let gradient = |(i, probability): (usize, &f32)| {
        let wanted = if labels[i / CLASSES] == (i % CLASSES) as f32 { 1.0 } else { 0.0 };
        (probability - wanted) / ROWS as f32
    };
    probabilities.iter().enumerate().map(gradient).collect()
}

pub(super) fn update(parameters: &mut [f32], gradients: &mut [f32]) {
    for (parameter, gradient) in parameters.iter_mut().zip(gradients) {
        *parameter -= *gradient / DIVISOR as f32;
        *gradient = 0.0;
    }
}

/// One cell a word, its bits in the lower half.
fn words(cells: &[f32]) -> Vec<u64> {
    cells.iter().map(|cell| cell.to_bits().into()).collect()
}

impl Network for HostArena {
    type Buffer = HostBuffer;

    fn upload(
        &self,
        cells: &[f32],
        label: &'static str,
        lifetime: Lifetime,
    ) -> Result<HostBuffer, DeviceError> {
        Self::upload(self, &words(cells), label, lifetime)
    }

    fn download(&self, buffer: &HostBuffer) -> Result<Vec<f32>, DeviceError> {
        Ok(buffer.read()?.into_iter().map(|word| f32::from_bits(word as u32)).collect())
    }

    fn offset(buffer: &HostBuffer) -> u64 {
        buffer.offset()
    }

    fn reset(&self) -> Result<(), DeviceError> {
        Self::reset(self);
        Ok(())
    }

    fn multiply(&self, product: Product, a: &HostBuffer, b: &HostBuffer) -> Result<HostBuffer, DeviceError> {
        let cells = multiply(product, &self.download(a)?, &self.download(b)?);
        Self::upload(self, &words(&cells), "product", Lifetime::Transient)
    }

    fn multiply_add(
        &self,
        product: Product,
        a: &HostBuffer,
        b: &HostBuffer,
        to: &mut HostBuffer,
    ) -> Result<(), DeviceError> {
        let mut cells = self.download(to)?;
        let added = multiply(product, &self.download(a)?, &self.download(b)?);
        cells.iter_mut().zip(added).for_each(|(cell, added)| *cell += added);
        to.write(&words(&cells))
    }

    fn tanh(&self, input: &HostBuffer) -> Result<HostBuffer, DeviceError> {
        Self::upload(self, &words(&tanh(&self.download(input)?)), "tanh", Lifetime::Transient)
    }

    fn tanh_backward(&self, output: &HostBuffer, gradient: &mut HostBuffer) -> Result<(), DeviceError> {
        let mut cells = self.download(gradient)?;
        tanh_backward(&self.download(output)?, &mut cells);
        gradient.write(&words(&cells))
    }

    fn softmax(&self, logits: &HostBuffer) -> Result<HostBuffer, DeviceError> {
        Self::upload(self, &words(&softmax(&self.download(logits)?)), "softmax", Lifetime::Transient)
    }

    fn softmax_backward(
        &self,
        probabilities: &HostBuffer,
        labels: &HostBuffer,
    ) -> Result<HostBuffer, DeviceError> {
        let cells = softmax_backward(&self.download(probabilities)?, &self.download(labels)?);
        Self::upload(self, &words(&cells), "gradient at the classes", Lifetime::Transient)
    }

    fn update(&self, parameters: &mut HostBuffer, gradients: &mut HostBuffer) -> Result<(), DeviceError> {
        let (mut cells, mut steps) = (self.download(parameters)?, self.download(gradients)?);
        update(&mut cells, &mut steps);
        parameters.write(&words(&cells))?;
        gradients.write(&words(&steps))
    }
}
