//! The tables of the machine: every way of evaluating each agrees, and none changes unnoticed.

mod legs;

use lambda_air::program::Roots;
use lambda_air::{ConstraintDag, ConstraintProgram, Table, TableShape};
use lambda_machine::tables::TableId;
use lambda_machine::tables::image::ImageAir;
use lambda_machine::tables::rom::RomAir;
use lambda_math::Goldilocks;
use lambda_math::field::ORDER;
use legs::{Trace, body, interpret, point, walk};
use p3_field::{PrimeCharacteristicRing, PrimeField64};

const HEIGHT: usize = 128;

fn table(id: TableId) -> Table {
    let rom = || Table::committed(id.name(), RomAir::unknown(), HEIGHT);
    let image = || Table::committed(id.name(), ImageAir::unknown(), HEIGHT);
    id.table(rom, image)
}

/// Bug: the legs differ on a table, so that an honest proof fails or a wrong trace passes. Random cells, so
/// that no constraint holds and every value is compared.
#[test]
fn legs_agree() {
    let mut state = 5u64;
    for id in TableId::ALL {
        let table = table(id);
        let air = table.air.as_ref();
        let dag = ConstraintDag::new(&air.capture());
        let shape = TableShape::new(air, &dag, air.preprocessed_width()).expect("a table");
        let widths = [shape.main_width, shape.preprocessed_width, shape.public_values];
        let trace = Trace::generate(HEIGHT, widths, || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            Goldilocks::new(state % ORDER)
        });
        let program = ConstraintProgram::new(&dag, Roots::All);
        let interpreted = interpret(&dag, &program, &trace, [&shape.main_next, &shape.preprocessed_next]);
        for row in [0, 1, 62, 63, 64, 126, 127] {
            let expected = body(air, &trace, row);
            assert_eq!(expected.constraints.len(), shape.constraints, "{id:?}");
            assert_eq!(expected.fields.len(), shape.interactions, "{id:?}");
            assert_eq!(expected, walk(&dag, &trace, row), "{id:?}: graph on row {row}");
            assert_eq!(expected, interpreted[row], "{id:?}: program on row {row}");
            assert_eq!(expected, point(air, &trace, row), "{id:?}: point on row {row}");
        }
    }
}

/// Bug: a table's body changes, and with it every program id, unnoticed. Whoever means it says so in the
/// CHANGELOG, tagged [proof].
#[test]
fn bodies_are_those_of_the_protocol() {
    let digest = |id: TableId| {
        let dag = ConstraintDag::new(&table(id).air.capture());
        let step = Goldilocks::from_u64(0x9e37_79b9_7f4a_7c15);
        let sum = dag
            .encode()
            .into_iter()
            .fold(Goldilocks::ZERO, |sum, word| sum * step + Goldilocks::from_u64(word));
        (id.name(), sum.as_canonical_u64())
    };
    assert_eq!(TableId::ALL.map(digest), BODIES);
}

/// Digests of the tables' graphs.
const BODIES: [(&str, u64); 18] = [
    ("cpu", 5_489_483_511_883_531_186),
    ("memory", 2_937_416_956_765_790_953),
    ("subword", 14_887_928_006_007_159_892),
    ("misaligned", 2_887_090_639_286_063_571),
    ("io", 6_631_891_529_347_321_218),
    ("boundary", 12_171_515_621_758_155_970),
    ("compare", 317_792_819_005_977_882),
    ("bitwise", 5_650_807_095_233_263_290),
    ("shift", 13_995_430_913_418_270_299),
    ("word", 3_483_313_078_502_067_439),
    ("mul", 12_373_573_843_638_942_121),
    ("divrem", 4_253_746_552_147_672_166),
    ("registers", 7_772_186_815_549_596_142),
    ("rom", 6_313_944_544_280_629_124),
    ("image", 14_267_616_846_972_630_101),
    ("range16", 9_510_740_393_954_330_956),
    ("bytepair", 11_855_543_779_138_640_446),
    ("power", 10_595_222_154_057_782_995),
];
