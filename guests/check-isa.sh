#!/bin/sh
# Fails where an ELF holds an instruction that the machine has not: anything but RV64IM, fence and ecall.
# `unimp` is allowed, as what stands after a call that does not return; reaching it traps.
#
# Usage: check-isa.sh ELF...
set -eu
allowed='
 add addi addiw addw and andi auipc beq bge bgeu blt bltu bne div divu divuw divw ecall fence
 jal jalr lb lbu ld lh lhu lui lw lwu mul mulh mulhsu mulhu mulw or ori rem remu remuw remw
 sb sd sh sll slli slliw sllw slt slti sltiu sltu sra srai sraiw sraw srl srli srliw srlw sub subw sw
 unimp xor xori'
for elf; do
  riscv64-unknown-elf-objdump -d -M no-aliases "$elf" | awk -v elf="$elf" -v allowed="$allowed" '
    BEGIN { split(allowed, words); for (i in words) known[words[i]] = 1 }
    $1 ~ /^[0-9a-f]+:$/ {
      count++
      if (length($2) != 8 || !($3 in known)) { print elf ": " $0; bad++ }
    }
    END {
      if (!count) { print elf ": no instructions found"; exit 1 }
      if (bad) { print elf ": " bad " instructions outside RV64IM"; exit 1 }
    }' >&2
done
