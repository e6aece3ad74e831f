//! Integer arithmetic, bit operations, comparisons and selections.

use super::{Decoder, Modifiers};
use crate::ptx::PtxError;
use crate::ptx::functions::{Bool2, Chain, Count, Int1, Int2, Int3, Permute, Shift};
use crate::ptx::op::{Combine, Op, Outcome, Slot};
use crate::ptx::syntax::{Operand, Statement};
use crate::ptx::types::{Bank, Compare, Int, Type};

impl Decoder<'_> {
    /// Whether the statement was understood.
    pub(super) fn integer(
        &mut self,
        statement: &Statement,
        m: &mut Modifiers<'_>,
        operands: &[Operand],
    ) -> Result<bool, PtxError> {
        let types = statement.types();
        let predicate = types == [Type::Pred];
        if types.last().is_some_and(|ty| ty.float())
            && !matches!(statement.opcode.as_str(), "setp" | "selp" | "set")
        {
            return Ok(false);
        }
        match statement.opcode.as_str() {
            "add" | "addc" => {
                self.sum(m, operands, Int2::Add, Int2::AddSat, Chain::Add, statement.opcode == "addc")?
            }
            "sub" | "subc" => {
                self.sum(m, operands, Int2::Sub, Int2::SubSat, Chain::Sub, statement.opcode == "subc")?
            }
            "mul" => self.product(m, operands)?,
            "mad" | "madc" => self.multiply_add(m, operands, statement.opcode == "madc")?,
            "sad" => self.int3(m, operands, Int3::AbsoluteDifference)?,
            "div" => self.int2(m, operands, Int2::Div)?,
            "rem" => self.int2(m, operands, Int2::Rem)?,
            "min" => self.int2(m, operands, Int2::Min)?,
            "max" => self.int2(m, operands, Int2::Max)?,
            "and" if predicate => self.bool2(m, operands, Bool2::And)?,
            "or" if predicate => self.bool2(m, operands, Bool2::Or)?,
            "xor" if predicate => self.bool2(m, operands, Bool2::Xor)?,
            "not" if predicate => {
                m.ty()?;
                let [d, a] = self.operands(operands)?;
                let (d, a) = (self.predicate(d)?, self.predicate(a)?);
                self.emit(Op::Not { d, a });
            }
            "and" => self.int2(m, operands, Int2::And)?,
            "or" => self.int2(m, operands, Int2::Or)?,
            "xor" => self.int2(m, operands, Int2::Xor)?,
            "not" => self.int1(m, operands, Int1::Not)?,
            "neg" => self.int1(m, operands, Int1::Negate)?,
            "abs" => self.int1(m, operands, Int1::Absolute)?,
            "brev" => self.int1(m, operands, Int1::ReverseBits)?,
            "cnot" => self.int1(m, operands, Int1::IsZero)?,
            "popc" => self.count(m, operands, Count::Ones)?,
            "clz" => self.count(m, operands, Count::LeadingZeros)?,
            "bfind" => {
                let f = if m.take("shiftamt") { Count::FindShift } else { Count::FindBit };
                self.count(m, operands, f)?;
            }
            "shl" => self.shift(m, operands, Shift::Left)?,
            "shr" => self.shift(m, operands, Shift::Right)?,
            "shf" => self.funnel(m, operands)?,
            "prmt" => self.permute(m, operands)?,
            "bfe" => {
                let (ty, int) = m.int()?;
                let [d, a, b, c] = self.operands(operands)?;
                let op = Op::ExtractBits {
                    ty: int,
                    d: self.target(d, ty)?,
                    a: self.value(a, ty)?,
                    b: self.value(b, Type::U32)?,
                    c: self.value(c, Type::U32)?,
                };
                self.emit(op);
            }
            "bfi" => {
                let ty = m.ty()?;
                let [d, a, b, position, length] = self.operands(operands)?;
                let op = Op::InsertBits {
                    wide: ty.bank() == Bank::Wide,
                    d: self.target(d, ty)?,
                    a: self.value(a, ty)?,
                    b: self.value(b, ty)?,
                    position: self.value(position, Type::U32)?,
                    length: self.value(length, Type::U32)?,
                };
                self.emit(op);
            }
            "lop3" => {
                let ty = m.ty()?;
                let [d, a, b, c, table] = self.operands(operands)?;
                let Operand::Immediate(table) = *table else {
                    return Err(self.error("the table of lop3 must be a number"));
                };
                let (d, a, b) = (self.target(d, Type::B32)?, self.value(a, ty)?, self.value(b, ty)?);
                let c = self.value(c, ty)?;
                self.emit(Op::Lop3 { table: table as u8, d, a, b, c });
            }
            "setp" => self.set_predicate(m, operands)?,
            "set" => self.set(m, operands)?,
            "selp" => {
                let ty = m.ty()?;
                let [d, a, b, p] = self.operands(operands)?;
                let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
                let p = self.plain_condition(p)?;
                self.select(ty, d, a, b, p);
            }
            "slct" => {
                let (ty, sign) = (m.ty()?, m.ty()?);
                let [d, a, b, c] = self.operands(operands)?;
                let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
                let (c, zero) = (self.value(c, sign)?, self.constant(sign.bank(), 0));
                let p = self.fresh(Bank::Predicate);
                let ty_of_sign = Int::of(sign).ok_or_else(|| m.error("is not supported on floats"))?;
                self.emit(Op::Compare {
                    f: Compare::Ge,
                    ty: ty_of_sign,
                    out: Outcome { d: p, complement: None, with: None },
                    a: c,
                    b: zero,
                });
                self.select(ty, d, a, b, p);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn select(&mut self, ty: Type, d: Slot, a: Slot, b: Slot, p: Slot) {
        self.emit(match ty.bank() {
            Bank::Wide => Op::SelectWide { d, a, b, p },
            _ => Op::SelectWord { d, a, b, p },
        });
    }

    fn int1(&mut self, m: &mut Modifiers<'_>, operands: &[Operand], f: Int1) -> Result<(), PtxError> {
        let (ty, int) = m.int()?;
        let [d, a] = self.operands(operands)?;
        let (d, a) = (self.target(d, ty)?, self.value(a, ty)?);
        self.emit(Op::Int1 { f, ty: int, d, a });
        Ok(())
    }

    fn count(&mut self, m: &mut Modifiers<'_>, operands: &[Operand], f: Count) -> Result<(), PtxError> {
        let (ty, int) = m.int()?;
        let [d, a] = self.operands(operands)?;
        let (d, a) = (self.target(d, Type::U32)?, self.value(a, ty)?);
        self.emit(Op::Count { f, ty: int, d, a });
        Ok(())
    }

    fn int2(&mut self, m: &mut Modifiers<'_>, operands: &[Operand], f: Int2) -> Result<(), PtxError> {
        let (ty, int) = m.int()?;
        let [d, a, b] = self.operands(operands)?;
        let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
        self.emit(Op::Int2 { f, ty: int, d, a, b });
        Ok(())
    }

    fn int3(&mut self, m: &mut Modifiers<'_>, operands: &[Operand], f: Int3) -> Result<(), PtxError> {
        let (ty, int) = m.int()?;
        let [d, a, b, c] = self.operands(operands)?;
        let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
        let c = self.value(c, ty)?;
        self.emit(Op::Int3 { f, ty: int, d, a, b, c });
        Ok(())
    }

    fn bool2(&mut self, m: &mut Modifiers<'_>, operands: &[Operand], f: Bool2) -> Result<(), PtxError> {
        m.ty()?;
        let [d, a, b] = self.operands(operands)?;
        let (d, a, b) = (self.predicate(d)?, self.plain_condition(a)?, self.plain_condition(b)?);
        self.emit(Op::Bool2 { f, d, a, b });
        Ok(())
    }

    fn shift(&mut self, m: &mut Modifiers<'_>, operands: &[Operand], f: Shift) -> Result<(), PtxError> {
        let (ty, int) = m.int()?;
        let [d, a, b] = self.operands(operands)?;
        let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, Type::U32)?);
        self.emit(Op::Shift { f, ty: int, d, a, b });
        Ok(())
    }

    /// Sums and differences: plain, saturating, with carry.
    fn sum(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand],
        plain: Int2,
        saturating: Int2,
        chain: Chain,
        takes: bool,
    ) -> Result<(), PtxError> {
        let leaves = m.take("cc");
        if takes || leaves {
            let (ty, int) = m.int()?;
            let [d, a, b] = self.operands(operands)?;
            let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
            self.emit(Op::Chain { f: chain, ty: int, d, a, b, c: b, takes, leaves });
            return Ok(());
        }
        let f = if m.take("sat") { saturating } else { plain };
        self.int2(m, operands, f)
    }

    fn product(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        if !m.take("wide") {
            let f = match m.take("hi") {
                true => Int2::MulHigh,
                false if m.take("lo") => Int2::MulLow,
                false => return Err(m.error("needs `.lo`, `.hi` or `.wide`")),
            };
            return self.int2(m, operands, f);
        }
        let (ty, int) = m.int()?;
        let [d, a, b] = self.operands(operands)?;
        let (d, a, b) = (self.target(d, self.doubled(ty)?)?, self.value(a, ty)?, self.value(b, ty)?);
        self.emit(Op::MulWide { ty: int, d, a, b });
        Ok(())
    }

    fn multiply_add(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand],
        takes: bool,
    ) -> Result<(), PtxError> {
        if m.take("wide") {
            let (ty, int) = m.int()?;
            let double = self.doubled(ty)?;
            let [d, a, b, c] = self.operands(operands)?;
            let (d, a, b) = (self.target(d, double)?, self.value(a, ty)?, self.value(b, ty)?);
            let c = self.value(c, double)?;
            self.emit(Op::MadWide { ty: int, d, a, b, c });
            return Ok(());
        }
        let (chain, plain) = match m.take("hi") {
            true => (Chain::MadHigh, Int3::MadHigh),
            false if m.take("lo") => (Chain::MadLow, Int3::MadLow),
            false => return Err(m.error("needs `.lo`, `.hi` or `.wide`")),
        };
        let leaves = m.take("cc");
        if !takes && !leaves {
            return self.int3(m, operands, plain);
        }
        let (ty, int) = m.int()?;
        let [d, a, b, c] = self.operands(operands)?;
        let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
        let c = self.value(c, ty)?;
        self.emit(Op::Chain { f: chain, ty: int, d, a, b, c, takes, leaves });
        Ok(())
    }

    /// The type of a full product.
    fn doubled(&self, ty: Type) -> Result<Type, PtxError> {
        match ty {
            Type::U16 | Type::S16 => Ok(Type::U32),
            Type::U32 | Type::S32 => Ok(Type::U64),
            _ => Err(self.error("a wide product has 16- or 32-bit factors")),
        }
    }

    fn funnel(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        let left = m.take("l");
        if !left && !m.take("r") {
            return Err(m.error("needs `.l` or `.r`"));
        }
        let clamp = m.take("clamp");
        if !clamp && !m.take("wrap") {
            return Err(m.error("needs `.clamp` or `.wrap`"));
        }
        let ty = m.ty()?;
        let [d, a, b, c] = self.operands(operands)?;
        let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
        let c = self.value(c, Type::U32)?;
        self.emit(Op::Funnel { left, clamp, d, a, b, c });
        Ok(())
    }

    fn permute(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        let ty = m.ty()?;
        let f = m.find(|word| {
            Some(match word {
                "f4e" => Permute::Forward4,
                "b4e" => Permute::Backward4,
                "rc8" => Permute::Replicate8,
                "ecl" => Permute::EdgeLeft,
                "ecr" => Permute::EdgeRight,
                "rc16" => Permute::Replicate16,
                _ => return None,
            })
        });
        let [d, a, b, c] = self.operands(operands)?;
        let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
        let c = self.value(c, Type::U32)?;
        self.emit(Op::Permute { f: f.unwrap_or(Permute::Generic), d, a, b, c });
        Ok(())
    }

    /// `setp.lt.and.u32 p|q, a, b, !c`.
    fn set_predicate(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        let (d, complement) = match operands.first() {
            Some(Operand::Pair(d, complement)) => {
                (self.predicate_or_sink(d)?, self.predicate_or_sink(complement)?)
            }
            Some(d) => (self.predicate_or_sink(d)?, None),
            None => return Err(m.error("has no operands")),
        };
        let d = match d {
            Some(d) => d,
            None => self.fresh(Bank::Predicate),
        };
        self.compare(m, &operands[1..], d, complement)
    }

    /// `set.lt.u32.s32 d, a, b`: all ones, or 1.0, where the comparison holds.
    fn set(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        let (Some(d), result) = (operands.first(), m.ty()?) else {
            return Err(m.error("has no operands"));
        };
        let d = self.target(d, result)?;
        let holds = if result == Type::F32 { u64::from(1f32.to_bits()) } else { u64::from(u32::MAX) };
        let (holds, fails) = (self.constant(Bank::Word, holds), self.constant(Bank::Word, 0));
        let p = self.fresh(Bank::Predicate);
        self.compare(m, &operands[1..], p, None)?;
        self.emit(Op::SelectWord { d, a: holds, b: fails, p });
        Ok(())
    }

    /// The comparison of `operands`, combined with a predicate where the modifiers say so.
    fn compare(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand],
        d: Slot,
        complement: Option<Slot>,
    ) -> Result<(), PtxError> {
        let f = m.find(Compare::named).ok_or_else(|| m.error("has no comparison"))?;
        let combine = m.find(|word| {
            Some(match word {
                "and" => Bool2::And,
                "or" => Bool2::Or,
                "xor" => Bool2::Xor,
                _ => return None,
            })
        });
        let flush = m.take("ftz");
        let ty = m.ty()?;
        let (a, b, with) = match (combine, operands) {
            (None, [a, b]) => (a, b, None),
            (Some(f), [a, b, p]) => {
                let (p, negated) = self.condition(p)?;
                (a, b, Some(Combine { f, p, negated }))
            }
            _ => return Err(m.error("has the wrong number of operands")),
        };
        let (a, b) = (self.value(a, ty)?, self.value(b, ty)?);
        let out = Outcome { d, complement, with };
        let op = match Int::of(ty) {
            Some(ty) => Op::Compare { f, ty, out, a, b },
            None if ty.float() => Op::CompareFloat { f, double: ty == Type::F64, flush, out, a, b },
            None => return Err(m.error("has a type it cannot have")),
        };
        self.emit(op);
        Ok(())
    }

    pub(super) fn predicate_or_sink(&self, operand: &Operand) -> Result<Option<Slot>, PtxError> {
        match operand {
            Operand::Sink => Ok(None),
            _ => self.predicate(operand).map(Some),
        }
    }
}
