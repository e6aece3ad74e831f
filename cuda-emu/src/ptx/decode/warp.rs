//! Operations among the lanes of a warp.

use super::memory::{reduction, reduction_type};
use super::{Decoder, Modifiers};
use crate::ptx::PtxError;
use crate::ptx::functions::{Shuffle, Vote};
use crate::ptx::op::Op;
use crate::ptx::syntax::{Operand, Statement};
use crate::ptx::types::{Bank, Type};

impl Decoder<'_> {
    /// Whether the statement was understood.
    pub(super) fn warp(
        &mut self,
        statement: &Statement,
        m: &mut Modifiers<'_>,
        operands: &[Operand],
    ) -> Result<bool, PtxError> {
        match statement.opcode.as_str() {
            "shfl" if m.take("sync") => self.shuffle(m, operands)?,
            "vote" if m.take("sync") => self.vote(m, operands)?,
            "match" if m.take("any") => {
                let (ty, wide) = self.matched(m)?;
                let [d, a, members] = self.operands(operands)?;
                let (d, a) = (self.target(d, Type::B32)?, self.value(a, ty)?);
                let members = self.value(members, Type::B32)?;
                self.emit(Op::MatchAny { wide, d, a, members });
            }
            "match" if m.take("all") => {
                let (ty, wide) = self.matched(m)?;
                let [d, a, members] = self.operands(operands)?;
                let (d, all) = match d {
                    Operand::Pair(d, all) => (self.target(d, Type::B32)?, self.predicate_or_sink(all)?),
                    d => (self.target(d, Type::B32)?, None),
                };
                let (a, members) = (self.value(a, ty)?, self.value(members, Type::B32)?);
                self.emit(Op::MatchAll { wide, d, all, a, members });
            }
            "redux" if m.take("sync") => {
                let f = m.find(reduction).ok_or_else(|| m.error("has no operation that is supported"))?;
                let ty = reduction_type(m)?;
                let [d, a, members] = self.operands(operands)?;
                let (d, a) = (self.target(d, Type::B32)?, self.value(a, Type::B32)?);
                let members = self.value(members, Type::B32)?;
                self.emit(Op::Reduce { f, ty, d, a, members });
            }
            "activemask" => {
                m.ty()?;
                let [d] = self.operands(operands)?;
                let d = self.target(d, Type::B32)?;
                self.emit(Op::ActiveMask { d });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `shfl.sync.up.b32 d|p, a, b, c, members`.
    fn shuffle(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        let f = m.find(|word| {
            Some(match word {
                "up" => Shuffle::Up,
                "down" => Shuffle::Down,
                "bfly" => Shuffle::Butterfly,
                "idx" => Shuffle::Index,
                _ => return None,
            })
        });
        let f = f.ok_or_else(|| m.error("needs `.up`, `.down`, `.bfly` or `.idx`"))?;
        let ty = m.ty()?;
        let [d, a, b, c, members] = self.operands(operands)?;
        let (d, valid) = match d {
            Operand::Pair(d, valid) => (d.as_ref(), self.predicate_or_sink(valid)?),
            d => (d, None),
        };
        let d = match d {
            Operand::Sink => None,
            d => Some(self.target(d, ty)?),
        };
        let (a, b) = (self.value(a, ty)?, self.value(b, Type::B32)?);
        let (c, members) = (self.value(c, Type::B32)?, self.value(members, Type::B32)?);
        self.emit(Op::Shuffle { f, d, valid, a, b, c, members });
        Ok(())
    }

    fn vote(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        let f = m.find(|word| {
            Some(match word {
                "all" => Vote::All,
                "any" => Vote::Any,
                "uni" => Vote::Uniform,
                "ballot" => Vote::Ballot,
                _ => return None,
            })
        });
        let f = f.ok_or_else(|| m.error("needs `.all`, `.any`, `.uni` or `.ballot`"))?;
        m.ty()?;
        let [d, a, members] = self.operands(operands)?;
        let d = if matches!(f, Vote::Ballot) { self.target(d, Type::B32)? } else { self.predicate(d)? };
        let (a, negated) = self.condition(a)?;
        let members = self.value(members, Type::B32)?;
        self.emit(Op::Vote { f, d, a, negated, members });
        Ok(())
    }

    fn matched(&mut self, m: &mut Modifiers<'_>) -> Result<(Type, bool), PtxError> {
        if !m.take("sync") {
            return Err(m.error("is not supported without `.sync`"));
        }
        let ty = m.ty()?;
        Ok((ty, ty.bank() == Bank::Wide))
    }
}
