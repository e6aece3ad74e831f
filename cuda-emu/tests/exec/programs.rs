//! Random structured programs against a thread at a time in Rust: divergence, masks and register allocation.

use std::fmt::Write;

use proptest::prelude::*;

use super::kit::{Run, module, options};

/// Registers of a program.
const REGISTERS: usize = 6;
/// Those that it leaves behind, the first ones. The others die at their last use, and their rows serve again.
const RESULTS: usize = 2;

#[derive(Clone, Debug)]
enum Statement {
    /// `d = a ∘ b`.
    Compute { operation: usize, d: usize, a: usize, b: usize },
    /// `d = a ∘ b` where the bit of `r` is set.
    Guarded { operation: usize, d: usize, a: usize, b: usize, r: usize, bit: u32 },
    /// The first part where the bit of `r` is set, else the second.
    Branch { r: usize, bit: u32, yes: Vec<Statement>, no: Vec<Statement> },
    /// As often as the two bits of `r` say when the loop starts.
    Repeat { r: usize, bit: u32, body: Vec<Statement> },
    /// Leaves the program where the bits of `r` are all set.
    Leave { r: usize, bit: u32 },
}

type Operation = (&'static str, fn(u32, u32) -> u32);

const OPERATIONS: [Operation; 6] = [
    ("add.u32", u32::wrapping_add),
    ("sub.u32", u32::wrapping_sub),
    ("mul.lo.u32", u32::wrapping_mul),
    ("xor.b32", |a, b| a ^ b),
    ("min.s32", |a, b| (a as i32).min(b as i32) as u32),
    ("mul.hi.u32", |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
];

fn program() -> impl Strategy<Value = Vec<Statement>> {
    let register = 0..REGISTERS;
    let compute = (0..OPERATIONS.len(), register.clone(), register.clone(), register.clone());
    let leaf = prop_oneof![
        6 => compute.clone().prop_map(|(operation, d, a, b)| Statement::Compute { operation, d, a, b }),
        2 => (compute, register.clone(), 0..32u32)
            .prop_map(|((operation, d, a, b), r, bit)| Statement::Guarded { operation, d, a, b, r, bit }),
        1 => (register.clone(), 0..29u32).prop_map(|(r, bit)| Statement::Leave { r, bit }),
    ];
    let nested = leaf.prop_recursive(4, 40, 5, move |inner| {
        let part = prop::collection::vec(inner, 0..5);
        prop_oneof![
            (register.clone(), 0..32u32, part.clone(), part.clone())
                .prop_map(|(r, bit, yes, no)| Statement::Branch { r, bit, yes, no }),
            (register.clone(), 0..31u32, part).prop_map(|(r, bit, body)| Statement::Repeat { r, bit, body }),
        ]
    });
    prop::collection::vec(nested, 1..12)
}

/// Writes PTX. Registers are `%r0` on; every loop counter and temporary has a register of its own.
struct Writer {
    text: String,
    labels: usize,
    temporaries: usize,
}

impl Writer {
    fn temporary(&mut self) -> usize {
        self.temporaries += 1;
        REGISTERS + self.temporaries
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).unwrap();
        self.text.push('\n');
    }

    /// A predicate's number: whether `mask` shifted to `bit` is wholly set in `r`.
    fn test(&mut self, r: usize, bit: u32, mask: u32) -> usize {
        let t = self.temporary();
        let mask = mask << bit;
        self.line(format_args!("and.b32 %r{t}, %r{r}, {mask}; setp.eq.u32 %p{t}, %r{t}, {mask};"));
        t
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Compute { operation, d, a, b } => {
                self.line(format_args!("{} %r{d}, %r{a}, %r{b};", OPERATIONS[*operation].0));
            }
            Statement::Guarded { operation, d, a, b, r, bit } => {
                let p = self.test(*r, *bit, 1);
                self.line(format_args!("@%p{p} {} %r{d}, %r{a}, %r{b};", OPERATIONS[*operation].0));
            }
            Statement::Leave { r, bit } => {
                let p = self.test(*r, *bit, 7);
                self.line(format_args!("@%p{p} bra END;"));
            }
            Statement::Branch { r, bit, yes, no } => {
                let p = self.test(*r, *bit, 1);
                let (other, join) = (self.label(), self.label());
                self.line(format_args!("@!%p{p} bra L{other};"));
                self.statements(yes);
                self.line(format_args!("bra L{join}; L{other}:"));
                self.statements(no);
                self.line(format_args!("L{join}:"));
            }
            Statement::Repeat { r, bit, body } => {
                let (count, again, done) = (self.temporary(), self.label(), self.label());
                self.line(format_args!("shr.u32 %r{count}, %r{r}, {bit}; and.b32 %r{count}, %r{count}, 3;"));
                self.line(format_args!(
                    "L{again}: setp.eq.u32 %p{count}, %r{count}, 0; @%p{count} bra L{done};"
                ));
                self.line(format_args!("sub.u32 %r{count}, %r{count}, 1;"));
                self.statements(body);
                self.line(format_args!("bra L{again}; L{done}:"));
            }
        }
    }
}

/// Executes for one thread; whether it goes on.
fn execute(statements: &[Statement], r: &mut [u32; REGISTERS]) -> bool {
    statements.iter().all(|statement| match statement {
        Statement::Compute { operation, d, a, b } => {
            r[*d] = OPERATIONS[*operation].1(r[*a], r[*b]);
            true
        }
        Statement::Guarded { operation, d, a, b, r: by, bit } => {
            if r[*by] >> bit & 1 == 1 {
                r[*d] = OPERATIONS[*operation].1(r[*a], r[*b]);
            }
            true
        }
        Statement::Leave { r: by, bit } => r[*by] >> bit & 7 != 7,
        Statement::Branch { r: by, bit, yes, no } => {
            execute(if r[*by] >> bit & 1 == 1 { yes } else { no }, r)
        }
        Statement::Repeat { r: by, bit, body } => (0..r[*by] >> bit & 3).all(|_| execute(body, r)),
    })
}

/// What a thread's registers hold at the start.
fn start(thread: u64) -> [u32; REGISTERS] {
    std::array::from_fn(|i| ((thread + 1) as u32).wrapping_mul(0x9E37_79B9).rotate_left(5 * i as u32))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn warps_compute_what_threads_would(statements in program(), seed in any::<u64>()) {
        let mut writer = Writer { text: String::new(), labels: 0, temporaries: 0 };
        writer.line(format_args!("add.u32 %r0, %r70, 1; mul.lo.u32 %r0, %r0, 0x9E3779B9;"));
        for i in 1..REGISTERS {
            writer.line(format_args!("shf.l.wrap.b32 %r{i}, %r0, %r0, {};", 5 * i));
        }
        writer.statements(&statements);
        writer.line(format_args!("END: mul.wide.u32 %d1, %r70, {}; add.u64 %d1, %d71, %d1;", 4 * RESULTS));
        for i in 0..RESULTS {
            writer.line(format_args!("st.global.u32 [%d1+{}], %r{i};", 4 * i));
        }
        // The kit has eighty registers of each kind.
        prop_assume!(writer.temporaries + REGISTERS < 69);
        let threads = 77u64;
        let run = Run {
            shape: (1, threads as u32),
            output: threads as usize * RESULTS / 2 + 1,
            options: options(seed),
            ..Run::default()
        };
        let found = run.on(&module("", &writer.text)).unwrap();
        for thread in 0..threads {
            let mut expected = start(thread);
            execute(&statements, &mut expected);
            for (i, expected) in expected.into_iter().enumerate().take(RESULTS) {
                let at = thread as usize * RESULTS + i;
                let found = (found[at / 2] >> (32 * (at % 2))) as u32;
                prop_assert_eq!(found, expected, "thread {} register {}\n{}", thread, i, writer.text);
            }
        }
    }
}
