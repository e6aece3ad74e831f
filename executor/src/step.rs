//! Instructions as the interpreter wants them: one flat operation each, so that a single jump dispatches it.

use lambda_machine::isa::{AluOp, Class, Instruction, MemoryOp};

/// Slot of the register file that takes what is written to no register.
const NO_REGISTER: u8 = 255;

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub operation: Operation,
    /// Slot of the register file.
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    pub imm: u64,
}

/// Defines [`Operation`] and its making from a class, one line for each.
macro_rules! operations {
    ($($name:ident = $class:pat,)*) => {
        /// What a [`Step`] does.
        #[derive(Clone, Copy, Debug)]
        pub enum Operation {
            Illegal,
            $($name,)*
        }

        impl Operation {
            fn new(class: Class) -> Self {
                match class {
                    $($class => Self::$name,)*
                    Class::Branch { .. } | Class::Load(_) | Class::Store(_) => {
                        unreachable!("branches compare, loads load, stores store")
                    }
                }
            }
        }
    };
}

operations! {
    Add = Class::Add,
    Sub = Class::Sub,
    Ltu = Class::Alu(AluOp::Ltu),
    Lt = Class::Alu(AluOp::Lt),
    Eq = Class::Alu(AluOp::Eq),
    And = Class::Alu(AluOp::And),
    Or = Class::Alu(AluOp::Or),
    Xor = Class::Alu(AluOp::Xor),
    Sll = Class::Alu(AluOp::Sll),
    Srl = Class::Alu(AluOp::Srl),
    Sra = Class::Alu(AluOp::Sra),
    Sllw = Class::Alu(AluOp::Sllw),
    Srlw = Class::Alu(AluOp::Srlw),
    Sraw = Class::Alu(AluOp::Sraw),
    Addw = Class::Alu(AluOp::Addw),
    Subw = Class::Alu(AluOp::Subw),
    Mul = Class::Alu(AluOp::Mul),
    Mulh = Class::Alu(AluOp::Mulh),
    Mulhsu = Class::Alu(AluOp::Mulhsu),
    Mulhu = Class::Alu(AluOp::Mulhu),
    Mulw = Class::Alu(AluOp::Mulw),
    Div = Class::Alu(AluOp::Div),
    Divu = Class::Alu(AluOp::Divu),
    Rem = Class::Alu(AluOp::Rem),
    Remu = Class::Alu(AluOp::Remu),
    Divw = Class::Alu(AluOp::Divw),
    Divuw = Class::Alu(AluOp::Divuw),
    Remw = Class::Alu(AluOp::Remw),
    Remuw = Class::Alu(AluOp::Remuw),
    Beq = Class::Branch { op: AluOp::Eq, invert: false },
    Bne = Class::Branch { op: AluOp::Eq, invert: true },
    Blt = Class::Branch { op: AluOp::Lt, invert: false },
    Bge = Class::Branch { op: AluOp::Lt, invert: true },
    Bltu = Class::Branch { op: AluOp::Ltu, invert: false },
    Bgeu = Class::Branch { op: AluOp::Ltu, invert: true },
    Jal = Class::Jal,
    Jalr = Class::Jalr,
    Lb = Class::Load(MemoryOp::Lb),
    Lh = Class::Load(MemoryOp::Lh),
    Lw = Class::Load(MemoryOp::Lw),
    Ld = Class::Load(MemoryOp::Ld),
    Lbu = Class::Load(MemoryOp::Lbu),
    Lhu = Class::Load(MemoryOp::Lhu),
    Lwu = Class::Load(MemoryOp::Lwu),
    Sb = Class::Store(MemoryOp::Sb),
    Sh = Class::Store(MemoryOp::Sh),
    Sw = Class::Store(MemoryOp::Sw),
    Sd = Class::Store(MemoryOp::Sd),
    Ecall = Class::Ecall,
}

impl Step {
    /// `None` is a word that is no instruction.
    pub fn new(instruction: Option<&Instruction>) -> Self {
        let Some(&Instruction { class, rs1, rs2, rd, imm, .. }) = instruction else {
            return Self { operation: Operation::Illegal, rd: NO_REGISTER, rs1: 0, rs2: 0, imm: 0 };
        };
        let rd = if rd == 0 { NO_REGISTER } else { rd };
        Self { operation: Operation::new(class), rd, rs1, rs2, imm }
    }
}
