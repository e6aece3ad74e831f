//! Branches, exits, barriers and fences.

use super::{Decoder, Modifiers};
use crate::ptx::PtxError;
use crate::ptx::op::{Op, Tally};
use crate::ptx::syntax::{Operand, Statement};
use crate::ptx::types::Type;

impl Decoder<'_> {
    /// Whether the statement was understood.
    pub(super) fn control(
        &mut self,
        statement: &Statement,
        m: &mut Modifiers<'_>,
        operands: &[Operand],
    ) -> Result<bool, PtxError> {
        match statement.opcode.as_str() {
            "bra" => {
                m.take("uni");
                let [Operand::Target(target)] = operands else {
                    return Err(self.error("a branch needs a label"));
                };
                self.emit(Op::Branch { target: *target });
            }
            "brx" if m.take("idx") => {
                m.take("uni");
                let [index, Operand::Targets(targets)] = operands else {
                    return Err(self.error("an indexed branch needs an index and a table"));
                };
                let index = self.value(index, Type::U32)?;
                self.tables.push(targets.clone());
                self.emit(Op::BranchTable { index, table: self.tables.len() as u32 - 1 });
            }
            "ret" | "exit" => {
                m.take("uni");
                self.emit(Op::Exit);
            }
            "trap" => self.emit(Op::Trap),
            "bar" | "barrier" if m.take("warp") => {
                if !m.take("sync") {
                    return Err(m.error("is not supported"));
                }
                let [members] = self.operands(operands)?;
                let members = self.value(members, Type::B32)?;
                self.emit(Op::WarpBarrier { members });
            }
            "bar" | "barrier" => self.barrier(m, operands)?,
            "membar" => {
                m.skip(|word| matches!(word, "cta" | "gl" | "sys"));
                self.emit(Op::Nothing);
            }
            "fence" => {
                m.skip(|word| matches!(word, "sc" | "acq_rel" | "cta" | "gpu" | "sys"));
                self.emit(Op::Nothing);
            }
            "nanosleep" => {
                m.ty()?;
                self.emit(Op::Nothing);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `bar.sync` and `bar.red` over all threads of the block.
    ///
    /// Which of the sixteen barriers it is does not matter: all threads have to meet at one instruction.
    fn barrier(&mut self, m: &mut Modifiers<'_>, operands: &[Operand]) -> Result<(), PtxError> {
        m.take("cta");
        m.take("aligned");
        if m.take("sync") {
            let [_] = operands else {
                return Err(m.error("with a thread count is not supported"));
            };
            self.emit(Op::Barrier { tally: None });
            return Ok(());
        }
        if !m.take("red") {
            return Err(m.error("is not supported"));
        }
        let [d, _, a] = operands else {
            return Err(m.error("with a thread count is not supported"));
        };
        let (a, negated) = self.condition(a)?;
        let tally = if m.take("popc") {
            m.ty()?;
            Tally::Count { d: self.target(d, Type::U32)?, a, negated }
        } else {
            let all = m.take("and");
            if !all && !m.take("or") {
                return Err(m.error("needs `.popc`, `.and` or `.or`"));
            }
            m.ty()?;
            let d = self.predicate(d)?;
            if all { Tally::All { d, a, negated } } else { Tally::Any { d, a, negated } }
        };
        self.emit(Op::Barrier { tally: Some(tally) });
        Ok(())
    }
}
