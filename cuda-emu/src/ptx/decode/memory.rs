//! Loads, stores, atomics and asynchronous copies.

use super::{Decoder, Modifiers};
use crate::ptx::PtxError;
use crate::ptx::functions::Atomic;
use crate::ptx::kernel::Input;
use crate::ptx::op::{Address, Op, Place};
use crate::ptx::syntax::{Home, Operand, Statement};
use crate::ptx::types::{Bank, Int, Space, Type};

impl Decoder<'_> {
    /// Whether the statement was understood.
    pub(super) fn memory(
        &mut self,
        statement: &Statement,
        m: &mut Modifiers<'_>,
        operands: &[Operand],
    ) -> Result<bool, PtxError> {
        match statement.opcode.as_str() {
            "ld" | "ldu" => self.load(m, operands)?,
            "st" => self.store(m, operands)?,
            "atom" => self.atomic(m, operands, true)?,
            "red" => self.atomic(m, operands, false)?,
            "cp" if m.take("async") => self.copy_async(m, operands)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn load(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        skip_hints(m);
        let parameter = m.take("param") || m.take("param::entry");
        let space = space(m);
        let (ty, count) = vector(m)?;
        let [d, address] = self.operands(operands)?;
        let mut targets = [None; 4];
        for (target, operand) in targets.iter_mut().zip(self.parts(d, count)?) {
            if *operand != Operand::Sink {
                let place = self.target_place(operand)?;
                if !place.wide && ty.bytes() == 8 {
                    return Err(m.error("loads more than its register holds"));
                }
                *target = Some(place);
            }
        }
        if parameter {
            return self.load_parameter(ty, &targets, address);
        }
        let address = self.address(space, address)?;
        self.note(space, ty);
        self.emit(Op::Load { address, ty, count, d: targets });
        Ok(())
    }

    /// Parameters have rows: a load is a move.
    fn load_parameter(
        &mut self,
        ty: Type,
        targets: &[Option<Place>; 4],
        address: &Operand,
    ) -> Result<(), PtxError> {
        let Operand::AtSymbol(name, start) = address else {
            return Err(self.error("a parameter must be named, not addressed through a register"));
        };
        let parameter = self.layout.parameter(name, self.line)?;
        let bytes = ty.bytes();
        for (index, target) in targets.iter().enumerate() {
            let Some(d) = *target else { continue };
            let start = *start + i64::from(bytes) * index as i64;
            if start < 0 || start + i64::from(bytes) > i64::from(parameter.bytes) {
                return Err(self.error("the access is outside the parameter"));
            }
            let offset = parameter.offset + start as u32;
            let slot = self.input(ty.bank(), Input::Parameter { offset, bytes });
            self.emit(match (d.wide, ty.bank()) {
                (true, Bank::Wide) => Op::MoveWide { d: d.slot, a: slot },
                (false, Bank::Word) if bytes == 4 => Op::MoveWord { d: d.slot, a: slot },
                (wide, bank) => {
                    let a = Place { slot, wide: bank == Bank::Wide };
                    let from = if ty.float() { Type::B32 } else { ty };
                    let to = match (wide, ty.signed()) {
                        (false, false) => Type::U32,
                        (false, true) => Type::S32,
                        (true, false) => Type::U64,
                        (true, true) => Type::S64,
                    };
                    Op::Convert { from, to, saturate: false, d, a }
                }
            });
        }
        Ok(())
    }

    fn store(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        skip_hints(m);
        let space = space(m);
        if space == Space::Const {
            return Err(m.error("cannot store to constants"));
        }
        let (ty, count) = vector(m)?;
        let [address, values] = self.operands(operands)?;
        let mut a = [Place { slot: 0, wide: false }; 4];
        for (a, operand) in a.iter_mut().zip(self.parts(values, count)?) {
            *a = self.place(operand, ty)?;
            if !a.wide && ty.bytes() == 8 {
                return Err(m.error("stores more than its register holds"));
            }
        }
        let address = self.address(space, address)?;
        self.note(space, ty);
        self.emit(Op::Store { address, ty, count, a });
        Ok(())
    }

    fn atomic(&mut self, m: &mut Modifiers<'_>, operands: &[Operand], returns: bool) -> Result<(), PtxError> {
        skip_hints(m);
        let space = space(m);
        if !matches!(space, Space::Global | Space::Shared | Space::Generic) {
            return Err(m.error("is not possible in this address space"));
        }
        let f = m.find(|word| {
            Some(match word {
                "exch" => Atomic::Exchange,
                "cas" => Atomic::CompareExchange,
                "inc" => Atomic::Increment,
                "dec" => Atomic::Decrement,
                _ => return reduction(word),
            })
        });
        let f = f.ok_or_else(|| m.error("has no operation that is supported"))?;
        let (ty, int) = m.int()?;
        if ty.bytes() < 4 {
            return Err(m.error("is not supported on this type"));
        }
        let (d, rest) = match (returns, operands) {
            (true, [Operand::Sink, rest @ ..]) => (None, rest),
            (true, [d, rest @ ..]) => (Some(self.target(d, ty)?), rest),
            (_, rest) => (None, rest),
        };
        let (address, b, c) = match (f, rest) {
            (Atomic::CompareExchange, [address, b, c]) => (address, b, c),
            (Atomic::CompareExchange, _) => return Err(m.error("has the wrong number of operands")),
            (_, [address, b]) => (address, b, b),
            _ => return Err(m.error("has the wrong number of operands")),
        };
        let (b, c) = (self.value(b, ty)?, self.value(c, ty)?);
        let address = self.address(space, address)?;
        self.note(space, ty);
        self.emit(Op::Atomic { f, address, ty: int, d, b, c });
        Ok(())
    }

    /// `cp.async`: copies when issued, the earliest that hardware may; groups and waits change nothing.
    fn copy_async(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        if m.take("commit_group") || m.take("wait_group") || m.take("wait_all") {
            self.emit(Op::Nothing);
            return Ok(());
        }
        m.skip(|word| matches!(word, "ca" | "cg" | "L2::64B" | "L2::128B" | "L2::256B"));
        if !(m.take("shared") || m.take("shared::cta")) || !m.take("global") {
            return Err(m.error("must copy from global to shared memory"));
        }
        let (to, from, bytes, source_bytes) = match operands {
            [to, from, Operand::Immediate(bytes)] => (to, from, *bytes, None),
            [to, from, Operand::Immediate(bytes), source] => {
                (to, from, *bytes, Some(self.value(source, Type::U32)?))
            }
            _ => return Err(m.error("has operands of a form that is not supported")),
        };
        if !matches!(bytes, 4 | 8 | 16) {
            return Err(m.error("copies 4, 8 or 16 bytes"));
        }
        let (to, from) = (self.address(Space::Shared, to)?, self.address(Space::Global, from)?);
        self.note(Space::Shared, if bytes == 4 { Type::B32 } else { Type::B64 });
        self.emit(Op::CopyAsync { to, from, bytes: bytes as u32, source_bytes });
        Ok(())
    }

    /// The elements of a vector operand, or the operand itself.
    fn parts<'o>(&self, operand: &'o Operand, count: u8) -> Result<&'o [Operand], PtxError> {
        match operand {
            Operand::Vector(parts) if parts.len() == usize::from(count) => Ok(parts),
            Operand::Vector(_) => Err(self.error("the vector has another length than the instruction says")),
            _ if count == 1 => Ok(std::slice::from_ref(operand)),
            _ => Err(self.error("a vector operand was expected")),
        }
    }

    fn address(&mut self, space: Space, operand: &Operand) -> Result<Address, PtxError> {
        let (base, offset) = match operand {
            Operand::AtRegister(register, offset) => {
                let wide = match self.bank(*register) {
                    Bank::Predicate => return Err(self.error("a predicate cannot be an address")),
                    Bank::Word => false,
                    Bank::Wide => true,
                };
                (Place { slot: self.slot(*register), wide }, *offset)
            }
            Operand::AtNumber(address) => {
                (Place { slot: self.constant(Bank::Wide, *address), wide: true }, 0)
            }
            Operand::AtSymbol(name, offset) => {
                let (home, address) = self.layout.address(name, self.line)?;
                let fits = match home {
                    Home::Global => matches!(space, Space::Global | Space::Generic),
                    Home::Const => space == Space::Const,
                    Home::Shared | Home::DynamicShared => space == Space::Shared,
                    Home::Local => space == Space::Local,
                };
                if !fits {
                    return Err(self.error(&format!("`{name}` lies in another address space")));
                }
                (Place { slot: self.constant(Bank::Wide, address), wide: true }, *offset)
            }
            _ => return Err(self.error("an address in brackets was expected")),
        };
        Ok(Address { space, base, offset })
    }

    /// Keeps the length of the shortest access that can reach shared memory.
    fn note(&mut self, space: Space, ty: Type) {
        if matches!(space, Space::Shared | Space::Generic) {
            self.shared_granule = self.shared_granule.min(ty.bytes());
        }
    }
}

/// Caching, ordering and scope: one memory, in program order, serves them all.
fn skip_hints(m: &mut Modifiers<'_>) {
    m.skip(|word| {
        word.starts_with("L1::")
            || word.starts_with("L2::")
            || matches!(
                word,
                "nc" | "volatile"
                    | "weak"
                    | "relaxed"
                    | "acquire"
                    | "release"
                    | "acq_rel"
                    | "cta"
                    | "gpu"
                    | "sys"
            )
            || matches!(word, "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt")
    });
}

fn space(m: &mut Modifiers<'_>) -> Space {
    let space = m.find(|word| {
        Some(match word {
            "global" => Space::Global,
            "shared" | "shared::cta" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            _ => return None,
        })
    });
    space.unwrap_or(Space::Generic)
}

/// The element type, and how many there are.
fn vector(m: &mut Modifiers<'_>) -> Result<(Type, u8), PtxError> {
    let count = match (m.take("v2"), m.take("v4")) {
        (true, _) => 2,
        (_, true) => 4,
        _ => 1,
    };
    let ty = m.ty()?;
    match ty {
        Type::Pred => Err(m.error("has a type it cannot have")),
        _ => Ok((ty, count)),
    }
}

/// The operations that `red`, `atom` and `redux` share.
pub(super) fn reduction(word: &str) -> Option<Atomic> {
    Some(match word {
        "add" => Atomic::Add,
        "min" => Atomic::Min,
        "max" => Atomic::Max,
        "and" => Atomic::And,
        "or" => Atomic::Or,
        "xor" => Atomic::Xor,
        _ => return None,
    })
}

/// The integer type of a reduction's operand.
pub(super) fn reduction_type(m: &mut Modifiers<'_>) -> Result<Int, PtxError> {
    let (ty, int) = m.int()?;
    if ty.bytes() == 4 { Ok(int) } else { Err(m.error("is not supported on this type")) }
}
