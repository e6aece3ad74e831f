//! Domains, lookups and constraints of tables.

use lambda_math::field::EXT_DEGREE;
use lambda_math::{Goldilocks, domain};
use lambda_math_cuda::kernels::batch_inverse::{ZeroFlag, invert_base, invert_ext};
use lambda_math_cuda::kernels::lookup::{self, Groups, MESSAGE_COLUMNS, MessageChunk};
use lambda_math_cuda::kernels::program::{
    BodyInput, BodyOutput, BodyShape, ColumnSlice, HostProgram, Instruction, Operand, Program,
};
use lambda_math_cuda::kernels::quotient::{self, LookupConstraints, LookupRows};
use lambda_math_cuda::kernels::{domain as points, fill, scan};
use lambda_math_cuda::{DeviceError, POISON, Stream};
use p3_field::PrimeCharacteristicRing;

use crate::case::{Build, Case, Scale};
use crate::columns::{challenge, columns};
use crate::floor::{ADDITION, PRODUCT};

/// Groups of two interactions of the tables with lookups.
const GROUPS: usize = 4;
/// Steps of the programs, and columns that they read.
const STEPS: u32 = 64;
const PROGRAM_COLUMNS: usize = 16;

/// By family.
pub const CASES: &[(&str, Build)] = &[
    ("domain_points", domain_points),
    ("domain_trace_selectors", domain_trace_selectors),
    ("domain_coset_selectors", domain_coset_selectors),
    ("domain_denominators", domain_denominators),
    ("batch_inverse_base", base_inverses),
    ("batch_inverse_ext", ext_inverses),
    ("lookup_terms", lookup_terms),
    ("scan_tile_sums", tile_sums),
    ("scan_tile_sums, scan_running_sums", running_sums),
    ("quotient_finish", quotient_finish),
    ("program_run_shared", |stream, scale| program(stream, scale, 16)),
    ("program_run_global", |stream, scale| program(stream, scale, 256)),
    ("fill_words", filled),
    ("fill_count", counted),
];

const RUNS_GRID: &str = "⌈rows/1024⌉ of 128";
const TILES_GRID: &str = "(⌈rows/2048⌉, columns) of 256";

fn domain_points(_: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    Ok(Case {
        grid: RUNS_GRID,
        element: "row",
        elements: scale.height() as u64,
        bytes: 8.0,
        operations: 6.0 * PRODUCT,
        work: Box::new(move |stream| points::points(stream, scale.height_log2, domain::SHIFT).map(drop)),
    })
}

fn domain_trace_selectors(_: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    Ok(Case {
        grid: RUNS_GRID,
        element: "row",
        elements: scale.height() as u64,
        bytes: 24.0,
        operations: 6.0 * PRODUCT,
        work: Box::new(move |stream| points::trace_selectors(stream, scale.height_log2).map(drop)),
    })
}

fn domain_coset_selectors(_: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    Ok(Case {
        grid: RUNS_GRID,
        element: "row",
        elements: scale.height() as u64,
        bytes: 24.0,
        operations: 25.0 * PRODUCT,
        work: Box::new(move |stream| {
            points::coset_selectors(stream, scale.height_log2, domain::SHIFT).map(drop)
        }),
    })
}

fn domain_denominators(_: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    Ok(Case {
        grid: RUNS_GRID,
        element: "row",
        elements: scale.height() as u64,
        bytes: 24.0,
        operations: 25.0 * PRODUCT,
        work: Box::new(move |stream| points::denominators(stream, scale.height_log2, challenge()).map(drop)),
    })
}

fn base_inverses(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let mut values = columns(stream, scale.height_log2, 1)?;
    let mut flag = ZeroFlag::new(stream)?;
    Ok(Case {
        grid: RUNS_GRID,
        element: "value",
        elements: scale.height() as u64,
        bytes: 16.0,
        operations: 12.0 * PRODUCT,
        work: Box::new(move |stream| invert_base(stream, &mut values, scale.height(), &mut flag)),
    })
}

fn ext_inverses(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let mut values = columns(stream, scale.height_log2, EXT_DEGREE)?;
    let mut flag = ZeroFlag::new(stream)?;
    Ok(Case {
        grid: RUNS_GRID,
        element: "value",
        elements: scale.height() as u64,
        bytes: 48.0,
        operations: 24.0 * PRODUCT,
        work: Box::new(move |stream| invert_ext(stream, &mut values, scale.height(), &mut flag)),
    })
}

/// Groups of two.
fn groups(stream: &Stream) -> Result<Groups, DeviceError> {
    let pairs: Vec<_> = (0..GROUPS as u32).map(|group| (2 * group, Some(2 * group + 1))).collect();
    Groups::upload(stream, &pairs)
}

fn lookup_terms(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let (groups, mut flag) = (groups(stream)?, ZeroFlag::new(stream)?);
    let messages = columns(stream, scale.height_log2, 2 * GROUPS * MESSAGE_COLUMNS)?;
    let mut terms = stream.alloc(EXT_DEGREE * GROUPS * scale.height(), "lookup columns")?;
    Ok(Case {
        grid: RUNS_GRID,
        element: "row, group of two",
        elements: (GROUPS * scale.height()) as u64,
        bytes: 88.0,
        operations: 42.0 * PRODUCT,
        work: Box::new(move |stream| {
            let chunk = MessageChunk { messages: messages.as_slice(), start: 0, rows: scale.height() };
            lookup::terms(stream, chunk, &groups, &mut terms, scale.height(), &mut flag)
        }),
    })
}

fn tile_sums(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let values = columns(stream, scale.height_log2, scale.width)?;
    Ok(Case {
        grid: TILES_GRID,
        element: "value",
        elements: values.len() as u64,
        bytes: 8.0,
        operations: ADDITION,
        work: Box::new(move |stream| scan::column_sums(stream, &values, scale.height()).map(drop)),
    })
}

fn running_sums(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let mut values = columns(stream, scale.height_log2, scale.width)?;
    Ok(Case {
        grid: TILES_GRID,
        element: "value",
        elements: values.len() as u64,
        bytes: 24.0,
        operations: 4.0 * ADDITION,
        work: Box::new(move |stream| scan::running_sums(stream, &mut values, scale.height()).map(drop)),
    })
}

fn quotient_finish(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let height = scale.height();
    let groups = groups(stream)?;
    let messages = columns(stream, scale.height_log2, 2 * GROUPS * MESSAGE_COLUMNS)?;
    let lookup = columns(stream, scale.height_log2, EXT_DEGREE * GROUPS)?;
    let sums = columns(stream, scale.height_log2, EXT_DEGREE)?;
    let powers = stream.upload(&[Goldilocks::TWO; EXT_DEGREE * GROUPS], "powers")?;
    let mut part = stream.alloc(EXT_DEGREE * height, "quotient part")?;
    Ok(Case {
        grid: "⌈rows/256⌉ of 256",
        element: "row, group of two",
        elements: (GROUPS * height) as u64,
        bytes: 88.0 + 48.0 / GROUPS as f64,
        operations: (30.0 + 3.0 / GROUPS as f64) * PRODUCT,
        work: Box::new(move |stream| {
            let constraints = LookupConstraints {
                chunk: MessageChunk { messages: messages.as_slice(), start: 0, rows: height },
                groups: &groups,
                lookup: LookupRows { values: lookup.as_slice(), stride: height, start: 0, rows: height },
                powers: &powers,
                mean: challenge(),
            };
            let scale = Goldilocks::TWO;
            quotient::finish(stream, 0, sums.as_slice(), Some(constraints), scale, &mut part, height)
        }),
    })
}

/// Products of columns, each added to the sum of constraints.
fn program(stream: &Stream, scale: Scale, registers: u32) -> Result<Case, DeviceError> {
    let height = scale.height();
    let step = |step: u32| {
        let (to, column) = (step % registers, step % PROGRAM_COLUMNS as u32);
        let product = Instruction::Mul { to, a: Operand::Main(column), b: Operand::MainNext(column) };
        [product, Instruction::Constraint { weight: 0, value: Operand::Register(to) }]
    };
    let host = HostProgram {
        shape: BodyShape { main: PROGRAM_COLUMNS, weights: 1, sums: true, ..BodyShape::default() },
        instructions: (0..STEPS).flat_map(step).collect(),
        constants: Vec::new(),
        registers,
    };
    let count = host.instructions.len();
    let program = Program::upload(stream, &host)?;
    let main = columns(stream, scale.height_log2, PROGRAM_COLUMNS)?;
    let weights = stream.upload(&[Goldilocks::TWO; EXT_DEGREE], "weights")?;
    let mut sums = stream.alloc::<Goldilocks>(EXT_DEGREE * height, "sums of constraints")?;
    Ok(Case {
        grid: "⌈rows/128⌉ of 128",
        element: "row, instruction",
        elements: (height * count) as u64,
        bytes: (8 * (PROGRAM_COLUMNS + EXT_DEGREE)) as f64 / count as f64,
        operations: 50.0,
        work: Box::new(move |stream| {
            let input = BodyInput {
                main: ColumnSlice { values: main.as_slice(), stride: height },
                preprocessed: None,
                selectors: None,
                public_values: None,
                weights: weights.as_slice(),
                height,
                start: 0,
                rows: height,
            };
            let mut output = BodyOutput { messages: None, sums: Some(sums.as_slice_mut()) };
            program.run(stream, &input, &mut output)
        }),
    })
}

fn filled(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let mut words = stream.alloc(scale.height() * scale.width, "filled")?;
    Ok(Case {
        grid: "⌈words/2048⌉ of 256",
        element: "word",
        elements: words.len() as u64,
        bytes: 8.0,
        operations: 2.0,
        work: Box::new(move |stream| fill::fill(stream, words.as_slice_mut(), POISON)),
    })
}

fn counted(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let words = columns(stream, scale.height_log2, scale.width)?;
    Ok(Case {
        grid: "⌈words/2048⌉ of 256",
        element: "word",
        elements: words.len() as u64,
        bytes: 8.0,
        operations: 4.0,
        work: Box::new(move |stream| fill::count(stream, words.as_slice(), POISON).map(drop)),
    })
}
