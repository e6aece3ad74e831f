//! Provers with something to hide. A forger lies once and computes everything after the lie from it, so that
//! a single check of the verifier can notice; the prover itself names what is wrong with a witness.

mod support;

use lambda_math::merkle::MerkleError;
use lambda_math::{Columns, Ext3, Goldilocks};
use lambda_prover::{ProveError, Witness};
use lambda_verifier::error::Part;
use lambda_verifier::proof::TableValues;
use lambda_verifier::transcript::LookupChallenges;
use lambda_verifier::{VerifyError, verify};
use p3_field::PrimeCharacteristicRing;
use support::forger::{Honest, Liar, forge};
use support::{PROVEN, SMALL, prove_small, tables, witness};

fn forgery(witness: &Witness, liar: &dyn Liar) -> VerifyError {
    let proof = forge(&SMALL, witness, liar).unwrap();
    verify(SMALL.verifying_key(), &witness.statement, &proof).expect_err("the forgery went unnoticed")
}

#[test]
fn forged_sums_are_refused() {
    struct Sums;
    impl Liar for Sums {
        fn sums(&self, sums: &mut [Ext3]) {
            sums[0] += Ext3::ONE;
            sums[5] -= Ext3::ONE;
        }
    }
    // `power` is the first table with a sum.
    assert_eq!(forgery(&witness(), &Sums), VerifyError::Composition { table: tables::POWER });

    struct OneSum;
    impl Liar for OneSum {
        fn sums(&self, sums: &mut [Ext3]) {
            sums[0] += Ext3::ONE;
        }
    }
    assert_eq!(forgery(&witness(), &OneSum), VerifyError::Unbalanced);
}

/// Lookup columns built with challenges known beforehand let anything balance.
#[test]
fn lookup_columns_with_other_challenges_are_refused() {
    struct Challenges;
    impl Liar for Challenges {
        fn lookup_challenges(&self, drawn: LookupChallenges) -> LookupChallenges {
            LookupChallenges { alpha: drawn.alpha + Ext3::ONE, ..drawn }
        }
    }
    // Without messages of the verifier the sums cancel for any challenges.
    let mut witness = witness();
    witness.statement.messages.clear();
    witness.traces[tables::RIGHT].column_mut(3).fill(Goldilocks::ZERO);
    let honest = forge(&SMALL, &witness, &Honest).unwrap();
    assert!(verify(SMALL.verifying_key(), &witness.statement, &honest).is_ok());
    assert_eq!(forgery(&witness, &Challenges), VerifyError::Composition { table: tables::POWER });
}

/// Each constraint broken on one row, proven by a prover that does not mind.
#[test]
fn false_traces_are_refused() {
    for (table, column, row) in [
        (tables::FIBONACCI, 0, 100),
        (tables::POWER, 2, 63),
        (tables::RIGHT, 0, 31),
        (tables::DIGITS, 0, 0),
        (tables::SQUARES, 1, 15),
    ] {
        let mut witness = witness();
        witness.traces[table].column_mut(column)[row] += Goldilocks::ONE;
        let error = forgery(&witness, &Honest);
        let expected = match table {
            // Keys and digits are on buses too, and buses are checked first.
            tables::RIGHT => VerifyError::Unbalanced,
            table => VerifyError::Composition { table },
        };
        assert_eq!(error, expected, "table {table}");
    }
}

/// Values that satisfy the composition but are not the committed polynomials': two base columns of one
/// quotient part stand for `q_0 + X·q_1`, so that `+X` on one and `-1` on the other cancel.
#[test]
fn out_of_domain_values_of_other_polynomials_are_refused() {
    struct Values;
    impl Liar for Values {
        fn out_of_domain(&self, values: &mut [TableValues]) {
            let x = Ext3::new([Goldilocks::ZERO, Goldilocks::ONE, Goldilocks::ZERO]);
            values[tables::LEFT].quotient[0] += x;
            values[tables::LEFT].quotient[1] -= Ext3::ONE;
        }
    }
    // The host extends the codeword of that height from one slab: it is of low degree, and not the one of the
    // opened rows.
    let error = forgery(&witness(), &Values);
    assert!(
        matches!(error, VerifyError::LayerOpening { layer: 3, error: MerkleError::CapMismatch { .. } }),
        "{error}"
    );
}

/// The verifier folds the opened values itself; what the next layer commits to must agree.
#[test]
fn folds_and_joins_with_other_challenges_are_refused() {
    struct Fold;
    impl Liar for Fold {
        fn first_fold(&self, drawn: Ext3) -> Ext3 {
            drawn + Ext3::ONE
        }
    }
    let error = forgery(&witness(), &Fold);
    assert!(
        matches!(error, VerifyError::LayerOpening { layer: 1, error: MerkleError::CapMismatch { .. } }),
        "{error}"
    );

    struct Join;
    impl Liar for Join {
        fn join(&self, _: Ext3) -> Ext3 {
            Ext3::ONE
        }
    }
    let error = forgery(&witness(), &Join);
    assert!(
        matches!(error, VerifyError::LayerOpening { layer: 1, error: MerkleError::CapMismatch { .. } }),
        "{error}"
    );
}

#[test]
fn forged_final_polynomials_are_refused() {
    struct Final(usize);
    impl Liar for Final {
        fn final_polynomial(&self, coefficients: &mut [Ext3]) {
            coefficients[self.0] += Ext3::ONE;
        }
    }
    for coefficient in 0..PROVEN.proof.fri.final_polynomial.len() {
        let error = forgery(&witness(), &Final(coefficient));
        assert!(matches!(error, VerifyError::FinalValue { .. }), "{error}");
    }
}

/// `y - 1` vanishes at position 0 of the last layer, which some of these proofs query first: a verifier that
/// compares the last polynomial at one query only would accept them.
#[test]
fn final_polynomial_is_compared_at_every_query() {
    struct Factor(u64);
    impl Liar for Factor {
        fn final_polynomial(&self, coefficients: &mut [Ext3]) {
            let factor = Ext3::from_u64(self.0);
            coefficients[0] -= factor;
            coefficients[1] += factor;
        }
    }
    for factor in 1..50 {
        let error = forgery(&witness(), &Factor(factor));
        assert!(matches!(error, VerifyError::FinalValue { position } if position > 0), "{error}");
    }
}

#[test]
fn prover_names_the_table_whose_constraints_fail() {
    let mut witness = witness();
    witness.traces[tables::FIBONACCI].column_mut(1)[100] += Goldilocks::ONE;
    let error = prove_small(witness).unwrap_err();
    assert_eq!(error, ProveError::Unsatisfied { table: "fibonacci".to_owned() });
}

#[test]
fn prover_reports_buses_that_do_not_balance() {
    let mut unreceived = witness();
    unreceived.traces[tables::NIBBLES].column_mut(0)[3] += Goldilocks::ONE;
    assert_eq!(prove_small(unreceived).unwrap_err(), ProveError::Unbalanced);
    let mut unasked = witness();
    unasked.statement.messages.pop();
    assert_eq!(prove_small(unasked).unwrap_err(), ProveError::Unbalanced);
}

#[test]
fn prover_refuses_witnesses_of_other_shapes() {
    let mut fewer = witness();
    fewer.traces.pop();
    assert_eq!(prove_small(fewer).unwrap_err(), ProveError::Traces { expected: 7, got: 6 });

    let mut wider = witness();
    wider.traces[tables::LEFT] = Columns::zeros(32, 3);
    let error = prove_small(wider).unwrap_err();
    let shape =
        |height, width| ProveError::TraceShape { table: "left".to_owned(), height, width, expected_width: 2 };
    assert_eq!(error, shape(32, 3));

    let mut odd = witness();
    odd.traces[tables::LEFT] = Columns::zeros(33, 2);
    assert_eq!(prove_small(odd).unwrap_err(), shape(33, 2));

    let mut empty = witness();
    empty.traces[tables::LEFT] = Columns::default();
    assert_eq!(prove_small(empty).unwrap_err(), shape(0, 0));

    let mut short = witness();
    short.traces[tables::LEFT] = Columns::zeros(8, 2);
    let height = VerifyError::Height { table: tables::LEFT, log2: 3 };
    assert_eq!(prove_small(short).unwrap_err(), ProveError::Shape(height));

    let mut tall = witness();
    tall.traces[tables::NIBBLES] = Columns::zeros(32, 1);
    let height = VerifyError::PreprocessedHeight { table: tables::NIBBLES, expected: 4, got: 5 };
    assert_eq!(prove_small(tall).unwrap_err(), ProveError::Shape(height));

    let mut silent = witness();
    silent.statement.public_values[tables::DIGITS].clear();
    let missing =
        VerifyError::Length { part: Part::PublicValues, index: tables::DIGITS, expected: 1, got: 0 };
    assert_eq!(prove_small(silent).unwrap_err(), ProveError::Shape(missing));
}
