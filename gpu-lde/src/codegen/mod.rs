//! CUDA sources from a table's graph: straight lines of field operations, a thread a row.
//!
//! A table has two entry points, one for its interactions and one for its constraints. Each value is computed
//! when its first user needs it, and each constraint and message is added up as soon as it is known, so that
//! few values are alive at once; columns are read where they are used, again and again, since a cell that is
//! wanted twice waits more cheaply in a cache than in a register. Sums are reduced once (`sum`).
//!
//! A body as large as Keccak-f's (35,000 operations) would make a kernel of megabytes, which no instruction
//! cache holds. Such bodies repeat themselves: their constraints are grouped by `shape`, and each group
//! becomes a loop over a table of columns.

mod body;
mod shape;
mod sum;

use std::fmt::Write;

use lambda_air::dag::{ConstraintDag, Leaf, Node, NodeId};

use crate::weights::WeightLayout;
use body::{Body, Columns};
use shape::Shapes;
use sum::Uses;

/// Threads a block that entry points are compiled for.
pub const THREADS: u32 = 128;

/// Blocks that a multiprocessor shall hold at once, which bounds the registers, 65,536 / (4 · 128) a
/// thread, and the same for entry points of more than [`SHORT_LINES`] statements, which would not do with
/// those.
const RESIDENT_BLOCKS: [u32; 2] = [4, 3];

/// Statements from which on an entry point has more registers.
const SHORT_LINES: usize = 180;

/// Operations of a body from which on constraints of equal shape become loops.
const LOOPS_FROM: usize = 4096;

/// Constraints that make a loop.
const LOOP_COUNT: usize = 4;

/// Statements up to which a loop's body is repeated four times, to have as many loads under way.
const UNROLLED_LINES: usize = 8;

/// The source of the kernels of table `name`, an identifier, with the body `dag`: the entry points
/// `<name>_interactions` and `<name>_constraints`, as far as it has any.
pub fn source(name: &str, dag: &ConstraintDag) -> String {
    let (constraints, interactions) = (dag.constraints.len(), dag.interactions.len());
    let mut text = format!(
        "// Table {name}: {constraints} constraints, {interactions} interactions.\n\
         // Generated from its graph by gpu-lde/src/codegen; a test compares this file with what the \
         graph gives.\n\
         #include \"constraints.cuh\"\n"
    );
    if !dag.interactions.is_empty() {
        let messages = || dag.interactions.iter().flat_map(|i| i.fields.iter().chain([&i.multiplicity]));
        let fields = messages().count() - interactions;
        text.push_str(&cost(dag, messages().copied(), fields, 4 * interactions));
        entry(&mut text, &format!("{name}_interactions"), interactions_lines(dag));
    }
    if !dag.constraints.is_empty() {
        let (tables, lines) = constraints_lines(name, dag);
        text.push_str(&tables);
        text.push_str(&cost(dag, dag.constraints.iter().copied(), constraints, 3));
        entry(&mut text, &format!("{name}_constraints"), lines);
    }
    text
}

/// What a row takes, as a comment.
fn cost(dag: &ConstraintDag, roots: impl Iterator<Item = NodeId>, weighted: usize, words: usize) -> String {
    let uses = Uses::new(dag, roots);
    let (mut cells, mut operations) = (0, 0);
    for (id, node) in (0..).zip(&dag.nodes) {
        match node {
            _ if uses.of(id) == 0 => {}
            Node::Leaf(Leaf::Constant(_) | Leaf::Public(_)) => {}
            Node::Leaf(_) => cells += 1,
            _ => operations += 1,
        }
    }
    format!(
        "\n// A row: {cells} cells read, {operations} operations, {weighted} values weighed, \
         {words} words written."
    )
}

fn entry(text: &mut String, name: &str, lines: Vec<String>) {
    let resident_blocks = RESIDENT_BLOCKS[usize::from(lines.len() > SHORT_LINES)];
    write!(
        text,
        "\nKERNEL_BOUNDED({name}, {THREADS}, {resident_blocks})(CONSTRAINT_PARAMETERS) {{\n\
         \x20   const u64 index = GLOBAL_THREAD;\n\
         \x20   if (index >= rows) return;\n\
         \x20   CONSTRAINT_ROW(index);\n"
    )
    .expect("a string takes all");
    for line in lines {
        writeln!(text, "    {line}").expect("a string takes all");
    }
    text.push_str("}\n");
}

fn interactions_lines(dag: &ConstraintDag) -> Vec<String> {
    let weights = WeightLayout::new(dag);
    let mut body = Body::new(dag, &[], &dag.interactions, Columns::Literal);
    for (index, interaction) in (0..).zip(&dag.interactions) {
        body.interaction(index, interaction, &weights);
    }
    body.into_lines()
}

/// The tables of the loops and the statements.
fn constraints_lines(name: &str, dag: &ConstraintDag) -> (String, Vec<String>) {
    let weights = WeightLayout::new(dag);
    let shapes = Shapes::of(dag);
    let (loops, straight) = if shapes.operations() < LOOPS_FROM {
        (Vec::new(), (0..dag.constraints.len()).collect())
    } else {
        shapes.split(LOOP_COUNT)
    };
    let mut tables = String::new();
    let mut lines = vec!["ExtProducts sum;".to_owned()];
    for (index, group) in loops.iter().enumerate() {
        let table = format!("{name}_columns_{index}");
        tables.push_str(&group.table(&table));
        let mut body = Body::new(&group.dag, &group.dag.constraints, &[], Columns::Table);
        let value = body.value(group.dag.constraints[0]);
        body.line(format!("sum.add({value}, weights, {} + column[0]);", weights.constraint(0)));
        let body = body.into_lines();
        lines.push(if body.len() <= UNROLLED_LINES { "UNROLL_4" } else { "NO_UNROLL" }.to_owned());
        lines.push(format!("for (u32 i = 0; i < {}; ++i) {{", group.constraints.len()));
        lines.push(format!("    const u16* column = {table}[i];"));
        lines.extend(body.into_iter().map(|line| format!("    {line}")));
        lines.push("}".to_owned());
    }
    let roots: Vec<NodeId> = straight.iter().map(|&index| dag.constraints[index]).collect();
    let mut body = Body::new(dag, &roots, &[], Columns::Literal);
    for &index in &straight {
        let value = body.value(dag.constraints[index]);
        body.line(format!("sum.add({value}, weights, {});", weights.constraint(index as u32)));
    }
    body.line("out.sum(sum);");
    lines.extend(body.into_lines());
    (tables, lines)
}
