//! PTX that is not understood is an error that names instruction and line.

use lambda_cuda_emu::ptx::Module;

use super::kit::{line_of, text};

/// The error of `instruction` after `before` must be at its line and say `words`.
fn refused_after(before: &str, instruction: &str, words: &[&str]) {
    let text = text("", &format!("{before}\n{instruction} // here"));
    let error = Module::parse(&text).expect_err(instruction);
    assert_eq!(error.line, line_of(&text, "// here"), "{error}");
    for word in words {
        assert!(error.what.contains(word), "{error}");
    }
}

fn refused(instruction: &str, words: &[&str]) {
    refused_after("", instruction, words);
}

#[test]
fn unknown_opcode() {
    refused("frobnicate.u32 %r1, %r2;", &["`frobnicate.u32`", "not supported"]);
    refused("wmma.load.a.sync.aligned.m16n16k16.row.f16 {%r1}, [%d1];", &["wmma"]);
    refused("call foo, (%r1);", &[]);
    refused("tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1];", &[]);
}

#[test]
fn unknown_modifier() {
    refused("add.frob.u32 %r1, %r1, 1;", &["`.frob`"]);
    refused("ld.shared::cluster.u32 %r1, [%d1];", &["shared::cluster"]);
    refused("barrier.cluster.arrive;", &["not supported"]);
    refused("bar.sync 0, 64;", &["thread count"]);
    refused("fma.rz.f64 %g1, %g1, %g1, %g1;", &["rounding"]);
    refused("atom.global.add.f32 %f1, [%d1], %f2;", &[]);
    refused("mul.u32 %r1, %r1, %r1;", &["`.lo`"]);
}

#[test]
fn operands_of_the_wrong_kind() {
    refused("add.u32 %r1, %d1, 1;", &["width"]);
    refused("add.u64 %r1, %d1, 1;", &["width"]);
    refused("add.u32 %p1, %r1, 1;", &["register"]);
    refused("add.u32 %r1, %r2;", &["3 operands"]);
    refused("add.u32 %r1, %r99, 1;", &["%r99", "not declared"]);
    refused("@%r1 add.u32 %r1, %r1, 1;", &["%r1", "predicate"]);
    refused("selp.b32 %r1, %r1, %r2, !%p1;", &["negated"]);
    refused("ld.global.u64 %r1, [%d1];", &["more than its register holds"]);
    refused("ld.global.v2.u32 {%r1, %r2, %r3}, [%d1];", &["another length"]);
    refused("mov.u32 %r1, %clock;", &["%clock"]);
}

#[test]
fn missing_names() {
    refused("bra NOWHERE;", &["NOWHERE", "not defined"]);
    refused_after("TWICE:", "TWICE: add.u32 %r1, %r1, 1;", &["TWICE", "twice"]);
    refused("mov.u64 %d1, nothing;", &["nothing", "not declared"]);
    refused("ld.param.u32 %r1, [other];", &["other", "not declared"]);
    refused("ld.param.u32 %r1, [n+4];", &["outside the parameter"]);
    // A label inside braces is not seen from outside.
    refused_after("{ INNER: add.u32 %r1, %r1, 1; }", "bra INNER;", &["INNER"]);
}

#[test]
fn symbols_of_another_space() {
    refused_after(".shared .align 4 .u32 s;", "ld.global.u32 %r1, [s];", &["another address space"]);
}

#[test]
fn device_functions_and_other_directives() {
    let error =
        Module::parse(".version 9.0\n.target sm_80\n.address_size 64\n.func foo() { ret; }").unwrap_err();
    assert_eq!(error.line, 4);
    assert!(error.what.contains("device functions"), "{error}");
    assert!(Module::parse(".address_size 32").unwrap_err().what.contains("32 bits"));
    assert_eq!(Module::parse(".visible .entry k() { ret;").unwrap_err().what, "the text ends too early");
    assert!(Module::parse("\n.visible .entry k() .explicitcluster { ret; }").is_err());
}
