// A register program, run on every row: the constraints and messages of a table that has no kernel of its own.
//
// An instruction is four words, {operation, target, a, b}; math-cuda/src/kernels/program.rs writes them. a and b are
// operands: what to read in the topmost four bits, where in the others. One thread evaluates a row. Its registers
// are a column of a scratch array, so that the threads of a warp read one register side by side.
//
// Reading and taking apart an instruction costs about as much as a product; per row and instruction that makes
// 50 operations and three accesses to registers.
#include "constraints.cuh"

// Operations.
enum : u32 {
    ADD,         // registers[target] = a + b
    SUB,         // registers[target] = a - b
    MUL,         // registers[target] = a · b
    NEG,         // registers[target] = -a
    CONSTRAINT,  // a is the constraint that weight `target` belongs to
    SEND,        // a is the multiplicity of interaction `target`, whose factor starts with its weight
    RECEIVE,     // the same with multiplicity -a
    FIELD,       // a is the message field that weight `target` belongs to
    FACTOR,      // the factor of interaction `target` is complete
};

// What an operand reads.
enum : u32 { REGISTER, MAIN, MAIN_NEXT, PREPROCESSED, PREPROCESSED_NEXT, CONSTANT_WORD, PUBLIC_VALUE, SELECTOR };

struct Code {
    const u32x4* instructions;
    const u64* constants;
    u32 count, has_constraints;
};

// Registers of a thread, `stride` words apart.
struct Registers {
    u64* first;
    u64 stride;

    DEVICE u64& operator[](u32 index) const { return first[index * stride]; }
};

DEVICE u64 read_operand(u32 operand, const Row& row, const Code& code, const Registers& registers) {
    const u32 index = operand & 0x0fffffff;
    switch (operand >> 28) {
        case REGISTER: return registers[index];
        case MAIN: return row.main(index);
        case MAIN_NEXT: return row.main_next(index);
        case PREPROCESSED: return row.preprocessed(index);
        case PREPROCESSED_NEXT: return row.preprocessed_next(index);
        case CONSTANT_WORD: return code.constants[index];
        case PUBLIC_VALUE: return row.public_value(index);
        default: return row.selector(index);
    }
}

DEVICE void run_program(const Row& row, const Out& out, const Code& code, const u64* weights,
                        const Registers& registers) {
    ExtProducts sum, factor;
    NO_UNROLL
    for (u32 i = 0; i < code.count; ++i) {
        const u32x4 instruction = code.instructions[i];
        const u32 operation = instruction.x, target = instruction.y;
        const u64 a = read_operand(instruction.z, row, code, registers);
        if (operation <= MUL) {
            const u64 b = read_operand(instruction.w, row, code, registers);
            u64 value;
            if (operation == MUL) {
                value = field_mul(a, b);
            } else {
                value = operation == ADD ? field_add(a, b) : field_sub(a, b);
            }
            registers[target] = value;
            continue;
        }
        switch (operation) {
            case NEG: registers[target] = field_minus(a); break;
            case CONSTRAINT: sum.add(a, weights, target); break;
            case SEND:
            case RECEIVE:
                out.multiplicity(target, operation == SEND ? a : field_minus(a));
                factor = ExtProducts(weights, target);
                break;
            case FIELD: factor.add(a, weights, target); break;
            default: out.factor(target, factor);
        }
    }
    if (code.has_constraints) out.sum(sum);
}

#define PROGRAM_PARAMETERS const u32x4 *instructions, u32 count, const u64 *constants, u32 has_constraints

// One thread a row; registers in shared memory, which has room for those of all threads.
KERNEL_BOUNDED(program_run_shared, 128, 4)(CONSTRAINT_PARAMETERS, PROGRAM_PARAMETERS) {
    DYNAMIC_SHARED(u64, registers);
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    const Code code{instructions, constants, count, has_constraints};
    run_program(row, out, code, weights, Registers{registers + THREAD_X, BLOCK_DIM_X});
}

// Fewer threads than rows; registers in `scratch`, one word a register and thread.
KERNEL_BOUNDED(program_run_global, 128, 4)(CONSTRAINT_PARAMETERS, PROGRAM_PARAMETERS, u64* scratch) {
    const Code code{instructions, constants, count, has_constraints};
    const Registers registers{scratch + GLOBAL_THREAD, GLOBAL_THREADS};
    for (u64 index = GLOBAL_THREAD; index < rows; index += GLOBAL_THREADS) {
        CONSTRAINT_ROW(index);
        run_program(row, out, code, weights, registers);
    }
}
