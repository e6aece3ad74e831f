//! The transcript binds every message: each changed item changes every challenge after it and none before it.

mod support;

use std::collections::BTreeSet;

use lambda_math::field::{ORDER, ext_coefficients, ext_from_coefficients};
use lambda_math::{Digest, Ext3, Goldilocks, domain};
use lambda_prover::Profile;
use lambda_verifier::layout::Layout;
use lambda_verifier::transcript::Frames;
use lambda_verifier::wire::{LeafMut, Wire};
use lambda_verifier::{Proof, Statement, Transcript, VerifyingKey};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use support::{PROVEN, SMALL, tables};

/// All challenges of a proof, in order: extension elements by coefficient, the grinding seed, the query
/// positions.
fn challenges(key: &VerifyingKey, statement: &Statement, proof: &Proof) -> Vec<(String, Vec<u64>)> {
    let mut log = Vec::new();
    let mut push = |name: &str, elements: &[Ext3]| {
        let words = elements.iter().flat_map(|&x| ext_coefficients(x)).map(|c| c.as_canonical_u64());
        log.push((name.to_owned(), words.collect::<Vec<u64>>()));
    };
    let layout = Layout::new(key, &proof.heights_log2).unwrap();
    let mut transcript = Transcript::new(key, statement, &layout);
    let lookup = transcript.main(&proof.main_cap);
    push("lookup alpha", &[lookup.alpha]);
    push("lookup gamma", &[lookup.gamma]);
    push("constraint", &[transcript.lookup(&proof.lookup_cap, &proof.lookup_sums)]);
    push("out-of-domain point", &[transcript.quotient(&proof.quotient_cap, &layout)]);
    push("batching", &[transcript.out_of_domain(&proof.out_of_domain)]);
    for (layer, cap) in proof.fri.layer_caps.iter().enumerate() {
        let challenges = transcript.fri_layer(cap);
        push(&format!("fold {layer}"), &[challenges.fold]);
        push(&format!("join {layer}"), &[challenges.join]);
    }
    let seed = transcript.final_polynomial(&proof.fri.final_polynomial);
    let queries = transcript.queries(proof.fri.nonce, layout.profile.queries(), layout.domain_log2());
    log.push(("grinding seed".to_owned(), seed.map(u64::from).to_vec()));
    log.push(("queries".to_owned(), queries));
    log
}

/// Asserts that the challenges up to `first` are the honest proof's, and that it and all later ones differ.
fn assert_changes_from(first: &str, changed: &[(String, Vec<u64>)], what: &str) {
    let honest = challenges(SMALL.verifying_key(), &PROVEN.statement, &PROVEN.proof);
    assert_eq!(honest.len(), changed.len());
    let from = honest.iter().position(|(name, _)| name == first).expect("the challenge exists");
    for (index, (honest, changed)) in honest.iter().zip(changed).enumerate() {
        assert_eq!(index >= from, honest != changed, "{what}: {}", honest.0);
    }
}

/// The first challenge that depends on the leaf at `path` of a proof; `None` for openings, which come after
/// all of them.
fn first_challenge_after(path: &str) -> Option<String> {
    let layer = |path: &str| path.split(['[', ']']).nth(1).expect("a layer's index").to_owned();
    Some(match path {
        _ if path.starts_with("main_cap") => "lookup alpha".to_owned(),
        _ if path.starts_with("lookup") => "constraint".to_owned(),
        _ if path.starts_with("quotient_cap") => "out-of-domain point".to_owned(),
        _ if path.starts_with("out_of_domain") => "batching".to_owned(),
        _ if path.starts_with("fri.layer_caps") => format!("fold {}", layer(path)),
        _ if path.starts_with("fri.final_polynomial") => "grinding seed".to_owned(),
        _ if path.starts_with("fri.nonce") => "queries".to_owned(),
        _ => return None,
    })
}

/// Every digest, element and word of a proof that comes before its openings.
#[test]
fn every_message_changes_all_later_challenges_and_no_earlier_one() {
    let (key, statement) = (SMALL.verifying_key(), &PROVEN.statement);
    let mut paths = Vec::new();
    PROVEN.proof.clone().visit("", &mut |path, leaf| {
        if !matches!(leaf, LeafMut::Sequence(_)) {
            paths.push(path.to_owned());
        }
    });
    let mut sections = BTreeSet::new();
    for target in paths {
        let Some(first) = first_challenge_after(&target) else { continue };
        let mut proof = PROVEN.proof.clone();
        proof.visit("", &mut |path, leaf| match leaf {
            LeafMut::Word(word) if path == target => *word ^= 1 << 63,
            LeafMut::Field(element) if path == target => *element += Goldilocks::ONE,
            LeafMut::Digest(digest) if path == target => {
                let mut bytes = *digest.as_bytes();
                bytes[31] ^= 1;
                *digest = Digest::from_bytes(bytes);
            }
            _ => {}
        });
        assert_changes_from(&first, &challenges(key, statement, &proof), &target);
        sections.insert(first);
    }
    // One section for each message of the protocol.
    assert_eq!(sections.len(), 6 + PROVEN.proof.fri.layer_caps.len());
}

#[test]
fn statement_heights_and_system_change_all_challenges() {
    let (key, proof, statement) = (SMALL.verifying_key(), &PROVEN.proof, &PROVEN.statement);
    let mut paths = Vec::new();
    statement.clone().visit("", &mut |path, leaf| {
        if !matches!(leaf, LeafMut::Sequence(_)) {
            paths.push(path.to_owned());
        }
    });
    for target in paths {
        let mut changed = statement.clone();
        changed.visit("", &mut |path, leaf| match leaf {
            LeafMut::Word(word) if path == target => *word += 1,
            LeafMut::Field(element) if path == target => *element += Goldilocks::ONE,
            _ => {}
        });
        assert_ne!(changed, *statement);
        assert_changes_from("lookup alpha", &challenges(key, &changed, proof), &target);
    }
    let mut doubled = statement.clone();
    doubled.messages.push(doubled.messages[1].clone());
    assert_changes_from("lookup alpha", &challenges(key, &doubled, proof), "a message more");

    // Heights of one multiset, so that the layers are as many.
    let mut swapped = proof.clone();
    swapped.heights_log2.swap(tables::POWER, tables::LEFT);
    assert_changes_from("lookup alpha", &challenges(key, statement, &swapped), "heights");

    let mut renamed = tables::tables();
    renamed[0].name = "lucas".to_owned();
    let mut reordered = tables::tables();
    reordered.swap(tables::NIBBLES, tables::SQUARES);
    for tables in [renamed, reordered, tables::tables_from(1)] {
        let other = VerifyingKey::from_tables(Profile::Test, tables).unwrap();
        assert_changes_from("lookup alpha", &challenges(&other, statement, proof), "system");
    }
}

/// Two profiles differ in the number of queries too, so that only the challenges before them can be compared.
#[test]
fn profile_changes_all_challenges() {
    let honest = challenges(SMALL.verifying_key(), &PROVEN.statement, &PROVEN.proof);
    for profile in [Profile::Default, Profile::Compact] {
        let key = VerifyingKey::from_tables(profile, tables::tables()).unwrap();
        let other = challenges(&key, &PROVEN.statement, &PROVEN.proof);
        assert!(honest.iter().zip(&other).all(|(honest, other)| honest.1 != other.1));
    }
}

/// Without lengths, `ab|c` and `a|bc` would be one transcript.
#[test]
fn frames_do_not_run_into_each_other() {
    let digest = |frames: &[(&str, &[u8])]| {
        let frames =
            frames.iter().fold(Frames::new("test"), |all, (label, payload)| all.absorb(label, payload));
        frames.digest("digest")
    };
    let all = [
        digest(&[("x", b"ab"), ("x", b"c")]),
        digest(&[("x", b"a"), ("x", b"bc")]),
        digest(&[("x", b"abc")]),
        digest(&[("x", b"abc"), ("x", b"")]),
        digest(&[("x", b""), ("x", b"abc")]),
        digest(&[("xa", b"bc")]),
        digest(&[("", b"xabc")]),
        digest(&[]),
        Frames::new("tes").absorb("t", b"").digest("digest"),
        Frames::new("test").absorb("x", b"abc").digest("x"),
    ];
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

/// The same elements, divided differently among the lists of a table or among tables.
#[test]
fn values_do_not_move_between_lists() {
    let layout = Layout::new(SMALL.verifying_key(), &PROVEN.proof.heights_log2).unwrap();
    let transcript = || Transcript::new(SMALL.verifying_key(), &PROVEN.statement, &layout);
    let honest = &PROVEN.proof.out_of_domain;
    let mut moved = honest.clone();
    let value = moved[tables::SQUARES].main.pop().unwrap();
    moved[tables::SQUARES].main_next.insert(0, value);
    let mut between = honest.clone();
    let value = between[tables::FIBONACCI].quotient.pop().unwrap();
    between[tables::POWER].preprocessed.insert(0, value);
    let challenges = [honest, &moved, &between].map(|values| transcript().out_of_domain(values));
    assert!(challenges[0] != challenges[1] && challenges[0] != challenges[2]);

    let (a, b) = (Digest::from_bytes([1; 32]), Digest::from_bytes([2; 32]));
    let split = |first: &[Digest], second: &[Digest]| {
        let mut transcript = transcript();
        transcript.fri_layer(first);
        transcript.fri_layer(second).fold
    };
    let challenges = [split(&[a, b], &[a]), split(&[a], &[b, a]), split(&[], &[a, b, a])];
    assert!(
        challenges[0] != challenges[1] && challenges[1] != challenges[2] && challenges[0] != challenges[2]
    );
}

/// Rejection sampling, recomputed from the frames' digest with the hash's own extendable output.
#[test]
fn field_challenges_are_the_canonical_words_of_the_output() {
    let mut hasher = blake3::Hasher::new();
    let mut frame = |label: &str, payload: &[u8]| {
        for part in [label.as_bytes(), payload] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.clone()
    };
    let key = SMALL.verifying_key();
    let layout = Layout::new(key, &PROVEN.proof.heights_log2).unwrap();
    frame("protocol", b"lambda-prove protocol v1");
    frame("verifying key", &key.digest());
    frame("statement", &PROVEN.statement.digest());
    let heights: Vec<u8> = layout.heights_log2.iter().flat_map(|height| height.to_le_bytes()).collect();
    frame("heights", &heights);
    let cap: Vec<u8> = PROVEN.proof.main_cap.iter().flat_map(|digest| *digest.as_bytes()).collect();
    frame("main", &cap);
    let mut output = frame("lookup challenges", b"").finalize_xof();
    let mut word = || loop {
        let mut bytes = [0; 8];
        output.fill(&mut bytes);
        let word = u64::from_le_bytes(bytes);
        if word < ORDER {
            return Goldilocks::new(word);
        }
    };
    let mut element = || ext_from_coefficients([word(), word(), word()]);
    let challenges = Transcript::new(key, &PROVEN.statement, &layout).main(&PROVEN.proof.main_cap);
    assert_eq!((challenges.alpha, challenges.gamma), (element(), element()));
}

/// All coefficients and all of the field are used: the top bits of a coefficient are as often one thing as
/// another.
#[test]
fn field_challenges_are_spread_evenly() {
    let layout = Layout::new(SMALL.verifying_key(), &PROVEN.proof.heights_log2).unwrap();
    let mut transcript = Transcript::new(SMALL.verifying_key(), &PROVEN.statement, &layout);
    let mut bins = [0u32; 16];
    for _ in 0..2000 {
        for coefficient in ext_coefficients(transcript.fri_layer(&[]).fold) {
            bins[(coefficient.as_canonical_u64() >> 60) as usize] += 1;
        }
    }
    assert!(chi_squared(&bins) < 40.0, "{bins:?}");
}

/// `Σ (observed - expected)²/expected`. With 15 degrees of freedom it exceeds 40 once in 2000 times, with 63
/// it exceeds 110 once in 5000; the transcripts here are fixed, so the tests always pass or always fail.
fn chi_squared(bins: &[u32]) -> f64 {
    let expected = f64::from(bins.iter().sum::<u32>()) / bins.len() as f64;
    bins.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum()
}

/// Biased positions would leave part of the domain unqueried: too few bits in the mask, or a reduction.
#[test]
fn query_positions_are_spread_evenly_over_the_domain() {
    let layout = Layout::new(SMALL.verifying_key(), &PROVEN.proof.heights_log2).unwrap();
    let transcript = Transcript::new(SMALL.verifying_key(), &PROVEN.statement, &layout);
    for domain_log2 in [6, 10, 25] {
        let positions = transcript.clone().queries(7, 10_000, domain_log2);
        assert!(positions.iter().all(|position| position >> domain_log2 == 0));
        for shift in [0, domain_log2 - 6] {
            let mut bins = [0u32; 64];
            for position in &positions {
                bins[(position >> shift & 63) as usize] += 1;
            }
            assert!(chi_squared(&bins) < 110.0, "2^{domain_log2} >> {shift}: {bins:?}");
        }
    }
    // With replacement: 10000 draws of 64 repeat themselves, and are as many as were asked for.
    assert_eq!(transcript.clone().queries(7, 10_000, 6).len(), 10_000);
    assert_ne!(transcript.clone().queries(7, 10, 25), transcript.clone().queries(8, 10, 25));
}

/// ζ in a trace domain or a coset would make a denominator zero.
#[test]
fn out_of_domain_point_lies_in_no_domain() {
    let layout = Layout::new(SMALL.verifying_key(), &PROVEN.proof.heights_log2).unwrap();
    let mut transcript = Transcript::new(SMALL.verifying_key(), &PROVEN.statement, &layout);
    for _ in 0..100 {
        let zeta = transcript.quotient(&[], &layout);
        for &height_log2 in &layout.distinct_log2 {
            let power = |log2: u32| zeta.exp_power_of_2(log2 as usize);
            assert_ne!(power(height_log2), Ext3::ONE);
            let domain_log2 = height_log2 + layout.profile.blowup_log2();
            assert_ne!(power(domain_log2), Ext3::from(domain::SHIFT.exp_power_of_2(domain_log2 as usize)));
        }
    }
}

/// A change of labels, order, encoding or sampling is a change of the protocol: this vector notices it where
/// the golden proof does not tell what changed. The key is of one table, the messages are fixed.
#[test]
fn known_answer() {
    let key = VerifyingKey::from_tables(
        Profile::Test,
        vec![lambda_air::Table::new("fibonacci", tables::Fibonacci)],
    )
    .unwrap();
    let statement = Statement { public_values: vec![vec![Goldilocks::ONE; 3]], messages: Vec::new() };
    let layout = Layout::new(&key, &[10]).unwrap();
    let mut transcript = Transcript::new(&key, &statement, &layout);
    let cap = [Digest::from_bytes([7; 32]); 16];
    let one = Ext3::ONE;
    let words = |element: Ext3| ext_coefficients(element).map(|c| c.as_canonical_u64());
    let lookup = transcript.main(&cap);
    let constraint = transcript.lookup(&[], &[one]);
    let zeta = transcript.quotient(&cap, &layout);
    let batching = transcript.out_of_domain(&[]);
    let fold = transcript.fri_layer(&cap);
    transcript.final_polynomial(&[one; 64]);
    let queries = transcript.queries(3, 4, 11);
    let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let elements = [lookup.alpha, lookup.gamma, constraint, zeta, batching, fold.fold, fold.join].map(words);
    assert_eq!(
        (hex(key.digest()).as_str(), hex(statement.digest()).as_str(), elements, queries.as_slice()),
        (KEY_DIGEST, STATEMENT_DIGEST, ELEMENTS, QUERIES.as_slice())
    );
}

const KEY_DIGEST: &str = "caca71eff4caa8ea22ab794c4e430b5924b9fa0938d2ac8ccd20474576aa118a";
const STATEMENT_DIGEST: &str = "1e6b04e6901d3a416464c12fc05d8d6b05ef96bedd3cb51d3b7395ffcc49f25e";
const ELEMENTS: [[u64; 3]; 7] = [
    [0xe9ca_7d94_26a3_c03f, 0x3eef_1c9a_1fa9_dc69, 0x724e_0d94_aec2_3dfb],
    [0x7721_ea16_438e_cc5c, 0x5878_054a_0430_028d, 0x8b5f_cb07_fe21_56d2],
    [0xba7a_c287_04f4_dc5b, 0x6a84_d81f_9efd_16db, 0x518e_e6d6_a32d_e900],
    [0x6595_d930_f7b1_c926, 0x8b90_350c_36a2_d49d, 0x5bc0_a2e9_b76b_e997],
    [0x9dd2_0a2d_ebb5_efcb, 0x80c1_8ea4_f34e_a5a4, 0x96c0_d198_1503_0b0f],
    [0x4b65_e4ae_e34b_68b3, 0xe5cf_0006_0f2f_82d0, 0x689d_de4b_75b0_1264],
    [0x25bb_c118_cba9_64c3, 0xa5c0_f292_3e12_9066, 0x218c_5281_de88_5bc5],
];
const QUERIES: [u64; 4] = [698, 1501, 1414, 1829];
