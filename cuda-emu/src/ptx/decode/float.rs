//! Float arithmetic.

use super::{Decoder, Modifiers};
use crate::ptx::PtxError;
use crate::ptx::functions::{Float1, Float2, FloatMode, Rounding};
use crate::ptx::op::Op;
use crate::ptx::syntax::{Operand, Statement};
use crate::ptx::types::Type;

impl Decoder<'_> {
    /// Whether the statement was understood.
    pub(super) fn float(
        &mut self,
        statement: &Statement,
        m: &mut Modifiers<'_>,
        operands: &[Operand],
    ) -> Result<bool, PtxError> {
        if !statement.types().last().is_some_and(|ty| ty.float()) {
            return Ok(false);
        }
        let opcode = statement.opcode.as_str();
        match opcode {
            "add" => self.float2(m, operands, Float2::Add)?,
            "sub" => self.float2(m, operands, Float2::Sub)?,
            "mul" => self.float2(m, operands, Float2::Mul)?,
            "div" => self.float2(m, operands, Float2::Div)?,
            "min" => self.float2(m, operands, Float2::Min)?,
            "max" => self.float2(m, operands, Float2::Max)?,
            "copysign" => self.float2(m, operands, Float2::CopySign)?,
            "neg" => self.float1(m, operands, Float1::Negate)?,
            "abs" => self.float1(m, operands, Float1::Absolute)?,
            "rcp" => self.float1(m, operands, Float1::Reciprocal)?,
            "sqrt" => self.float1(m, operands, Float1::SquareRoot)?,
            "rsqrt" => self.float1(m, operands, Float1::ReciprocalSquareRoot)?,
            "ex2" => self.float1(m, operands, Float1::Exp2)?,
            "lg2" => self.float1(m, operands, Float1::Log2)?,
            "sin" => self.float1(m, operands, Float1::Sine)?,
            "cos" => self.float1(m, operands, Float1::Cosine)?,
            "tanh" => self.float1(m, operands, Float1::Tanh)?,
            "fma" | "mad" => {
                let (mode, ty) = self.float_mode(m, opcode)?;
                let [d, a, b, c] = self.operands(operands)?;
                let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
                let c = self.value(c, ty)?;
                self.emit(Op::Fma { double: ty == Type::F64, mode, d, a, b, c });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn float1(&mut self, m: &mut Modifiers<'_>, operands: &[Operand], f: Float1) -> Result<(), PtxError> {
        let (mode, ty) = self.float_mode(m, "")?;
        let [d, a] = self.operands(operands)?;
        let (d, a) = (self.target(d, ty)?, self.value(a, ty)?);
        self.emit(Op::Float1 { f, double: ty == Type::F64, mode, d, a });
        Ok(())
    }

    fn float2(&mut self, m: &mut Modifiers<'_>, operands: &[Operand], f: Float2) -> Result<(), PtxError> {
        let opcode = match f {
            Float2::Add => "add",
            Float2::Sub => "sub",
            Float2::Mul => "mul",
            _ => "",
        };
        let (mode, ty) = self.float_mode(m, opcode)?;
        let [d, a, b] = self.operands(operands)?;
        let (d, a, b) = (self.target(d, ty)?, self.value(a, ty)?, self.value(b, ty)?);
        self.emit(Op::Float2 { f, double: ty == Type::F64, mode, d, a, b });
        Ok(())
    }

    /// Rounding, flushing and saturation. Approximations round to nearest: closer than the hardware's.
    ///
    /// Directed rounding is there for the operations of f32 that are computed exactly in f64.
    fn float_mode(&self, m: &mut Modifiers<'_>, opcode: &str) -> Result<(FloatMode, Type), PtxError> {
        m.skip(|word| matches!(word, "approx" | "full"));
        let rounding = m.find(|word| {
            Some(match word {
                "rn" => Rounding::Nearest,
                "rz" => Rounding::Zero,
                "rm" => Rounding::Down,
                "rp" => Rounding::Up,
                _ => return None,
            })
        });
        let (flush, saturate) = (m.take("ftz"), m.take("sat"));
        let ty = m.ty()?;
        let rounding = rounding.unwrap_or(Rounding::Nearest);
        let exact = ty == Type::F32 && matches!(opcode, "add" | "sub" | "mul" | "fma" | "mad");
        if rounding != Rounding::Nearest && !exact {
            return Err(m.error("is not supported with directed rounding"));
        }
        Ok((FloatMode { rounding, flush, saturate }, ty))
    }
}
