// A small neural network in single precision, for the tests of the arena. Matrices are row-major; one thread
// an element, except where a row is named. No part of the product: it is not run by g++, whose side of
// portable.cuh has no floating point.
#include "portable.cuh"

// out[i][j] = Σ_k a[i][k] · b[k][j], added to what is there where `accumulate` is set. Element (i, k) of `a` is
// a[i · a_row + k · a_column], and so for `b`: strides that are exchanged transpose.
KERNEL(network_multiply)(const float* RESTRICT a, u32 a_row, u32 a_column, const float* RESTRICT b, u32 b_row,
                         u32 b_column, u32 rows, u32 inner, u32 columns, u32 accumulate, float* RESTRICT out) {
    const u64 element = GLOBAL_THREAD;
    if (element >= (u64)rows * columns) return;
    const u32 i = (u32)(element / columns), j = (u32)(element % columns);
    float sum = 0;
    for (u32 k = 0; k < inner; k++) sum += a[i * a_row + k * a_column] * b[k * b_row + j * b_column];
    out[element] = accumulate ? out[element] + sum : sum;
}

KERNEL(network_tanh)(const float* RESTRICT in, float* RESTRICT out, u32 count) {
    const u64 i = GLOBAL_THREAD;
    if (i < count) out[i] = tanhf(in[i]);
}

// Gradient in front of a tanh from the one behind it, in place; `out` is what the tanh gave.
KERNEL(network_tanh_backward)(const float* RESTRICT out, float* RESTRICT gradient, u32 count) {
    const u64 i = GLOBAL_THREAD;
    if (i < count) gradient[i] *= 1 - out[i] * out[i];
}

// One thread a row.
KERNEL(network_softmax)(const float* RESTRICT logits, float* RESTRICT out, u32 rows, u32 columns) {
    const u64 row = GLOBAL_THREAD;
    if (row >= rows) return;
    const float* in = logits + row * columns;
    float most = in[0], sum = 0;
    for (u32 j = 1; j < columns; j++) most = fmaxf(most, in[j]);
    for (u32 j = 0; j < columns; j++) sum += expf(in[j] - most);
    for (u32 j = 0; j < columns; j++) out[row * columns + j] = expf(in[j] - most) / sum;
}

// Gradient, in front of the softmax, of the mean cross-entropy over the rows; a label is a column's number.
KERNEL(network_softmax_backward)(const float* RESTRICT probabilities, const float* RESTRICT labels,
                                 float* RESTRICT gradient, u32 rows, u32 columns) {
    const u64 i = GLOBAL_THREAD;
    if (i >= (u64)rows * columns) return;
    const float wanted = labels[i / columns] == (float)(i % columns) ? 1 : 0;
    gradient[i] = (probabilities[i] - wanted) / (float)rows;
}

// One step against the gradients, over `divisor`; they are zero after it.
KERNEL(network_update)(float* RESTRICT parameters, float* RESTRICT gradients, u32 divisor, u32 count) {
    const u64 i = GLOBAL_THREAD;
    if (i >= count) return;
    parameters[i] -= gradients[i] / (float)divisor;
    gradients[i] = 0;
}
