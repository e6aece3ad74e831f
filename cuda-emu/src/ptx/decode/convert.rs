//! Moves, packing, and conversions between types and address spaces.

use super::{Decoder, Modifiers};
use crate::ptx::PtxError;
use crate::ptx::address::{CONST_WINDOW, LOCAL_WINDOW, SHARED_WINDOW};
use crate::ptx::functions::{FloatMode, Int2, Rounding};
use crate::ptx::op::{Op, Place};
use crate::ptx::syntax::{Operand, Statement};
use crate::ptx::types::{Bank, Int, Type};

impl Decoder<'_> {
    /// Whether the statement was understood.
    pub(super) fn convert(
        &mut self,
        statement: &Statement,
        m: &mut Modifiers<'_>,
        operands: &[Operand],
    ) -> Result<bool, PtxError> {
        match statement.opcode.as_str() {
            "mov" => self.mov(m, operands)?,
            "cvta" => self.convert_address(m, operands)?,
            "cvt" => self.convert_type(m, operands)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn mov(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        let ty = m.ty()?;
        let [d, a] = self.operands(operands)?;
        match (d, a, ty.bank()) {
            (Operand::Vector(parts), _, _) => self.unpack(ty, parts, a),
            (_, Operand::Vector(parts), _) => self.pack(ty, d, parts),
            (_, _, Bank::Predicate) => {
                let (d, (a, negated)) = (self.predicate(d)?, self.condition(a)?);
                self.emit(if negated { Op::Not { d, a } } else { Op::MovePredicate { d, a } });
                Ok(())
            }
            (_, _, Bank::Word) => {
                let (d, a) = (self.target(d, ty)?, self.value(a, ty)?);
                self.emit(Op::MoveWord { d, a });
                Ok(())
            }
            (_, _, Bank::Wide) => {
                let (d, a) = (self.target(d, ty)?, self.value(a, ty)?);
                self.emit(Op::MoveWide { d, a });
                Ok(())
            }
        }
    }

    /// `mov.b64 {lo, hi}, a` and its 16-bit forms.
    fn unpack(&mut self, ty: Type, parts: &[Operand], a: &Operand) -> Result<(), PtxError> {
        let a = self.value(a, ty)?;
        match (ty.bytes(), parts.len()) {
            (8, 2) => self.halves(parts, a, Type::B32),
            (4, 2) => self.halves(parts, a, Type::B16),
            (8, 4) => {
                for (high, parts) in parts.chunks(2).enumerate() {
                    let half = self.fresh(Bank::Word);
                    self.emit(Op::Half { high: high == 1, d: half, a });
                    self.halves(parts, half, Type::B16)?;
                }
                Ok(())
            }
            _ => Err(self.error("a vector of this shape is not supported")),
        }
    }

    fn halves(&mut self, parts: &[Operand], a: u32, part: Type) -> Result<(), PtxError> {
        for (index, d) in parts.iter().enumerate().filter(|(_, d)| **d != Operand::Sink) {
            let (high, d) = (index == 1, self.target(d, part)?);
            self.emit(if part == Type::B32 { Op::Half { high, d, a } } else { Op::HalfShort { high, d, a } });
        }
        Ok(())
    }

    /// `mov.b64 d, {lo, hi}` and its 16-bit forms.
    fn pack(&mut self, ty: Type, d: &Operand, parts: &[Operand]) -> Result<(), PtxError> {
        let d = self.target(d, ty)?;
        match (ty.bytes(), parts) {
            (8, [low, high]) => {
                let (low, high) = (self.value(low, Type::B32)?, self.value(high, Type::B32)?);
                self.emit(Op::Join { d, low, high });
            }
            (4, [low, high]) => {
                let (low, high) = (self.value(low, Type::B16)?, self.value(high, Type::B16)?);
                self.emit(Op::JoinShort { d, low, high });
            }
            (8, [a, b, c, e]) => {
                let [low, high] = [self.fresh(Bank::Word), self.fresh(Bank::Word)];
                for (d, parts) in [(low, [a, b]), (high, [c, e])] {
                    let [low, high] = [self.value(parts[0], Type::B16)?, self.value(parts[1], Type::B16)?];
                    self.emit(Op::JoinShort { d, low, high });
                }
                self.emit(Op::Join { d, low, high });
            }
            _ => return Err(self.error("a vector of this shape is not supported")),
        }
        Ok(())
    }

    /// `cvta.shared.u64`: to a generic address; `cvta.to.shared.u64`: from one.
    fn convert_address(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        let from_generic = m.take("to");
        let window = m.find(|word| {
            Some(match word {
                "global" => 0,
                "shared" | "shared::cta" => SHARED_WINDOW,
                "local" => LOCAL_WINDOW,
                "const" => CONST_WINDOW,
                _ => return None,
            })
        });
        let window = window.ok_or_else(|| m.error("has an address space that is not supported"))?;
        let ty = m.ty()?;
        if ty.bytes() != 8 {
            return Err(m.error("needs 64-bit addresses"));
        }
        let [d, a] = self.operands(operands)?;
        let (d, a) = (self.target(d, ty)?, self.value(a, ty)?);
        if window == 0 {
            self.emit(Op::MoveWide { d, a });
        } else {
            let b = self.constant(Bank::Wide, window);
            let f = if from_generic { Int2::Sub } else { Int2::Add };
            self.emit(Op::Int2 { f, ty: Int::U64, d, a, b });
        }
        Ok(())
    }

    fn convert_type(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        let rounding = m.find(|word| {
            Some(match word {
                "rn" => (Rounding::Nearest, false),
                "rz" => (Rounding::Zero, false),
                "rm" => (Rounding::Down, false),
                "rp" => (Rounding::Up, false),
                "rni" => (Rounding::Nearest, true),
                "rzi" => (Rounding::Zero, true),
                "rmi" => (Rounding::Down, true),
                "rpi" => (Rounding::Up, true),
                _ => return None,
            })
        });
        let (flush, saturate) = (m.take("ftz"), m.take("sat"));
        let (to, from) = (m.ty()?, m.ty()?);
        let [d, a] = self.operands(operands)?;
        let (d, a) = (self.target_place(d)?, self.place(a, from)?);
        if d.wide != (to.bank() == Bank::Wide) && (!d.wide || to.float()) {
            return Err(m.error("has a result that fits no register of this width"));
        }
        let rounding_or = |default| rounding.map_or(default, |(rounding, _)| rounding);
        let op = match (from.float(), to.float()) {
            (false, false) => Op::Convert { from, to, saturate, d, a },
            (true, false) => {
                let a = self.exact(a, from)?;
                Op::FloatToInt { from, to, rounding: rounding_or(Rounding::Zero), flush, d, a }
            }
            (false, true) if !saturate => {
                Op::IntToFloat { from, to, rounding: rounding_or(Rounding::Nearest), d: d.slot, a }
            }
            (false, true) => return Err(m.error("is not supported with saturation")),
            (true, true) => {
                let a = self.exact(a, from)?;
                let mode = FloatMode { rounding: rounding_or(Rounding::Nearest), flush, saturate };
                let integral = rounding.is_some_and(|(_, integral)| integral);
                Op::FloatToFloat { from, to, integral, mode, d: d.slot, a }
            }
        };
        self.emit(op);
        Ok(())
    }

    /// The slot of a float, whose register must be as wide as its type.
    fn exact(&self, place: Place, ty: Type) -> Result<u32, PtxError> {
        if place.wide == (ty == Type::F64) {
            Ok(place.slot)
        } else {
            Err(self.error("a float's register must be as wide as the float"))
        }
    }
}
