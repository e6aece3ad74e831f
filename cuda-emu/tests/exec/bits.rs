//! Bit operations, by the pseudocode of the PTX manual.

use super::kit::check;

#[test]
fn logic() {
    check("and.b32 %r9, %r0, %r1;", |[a, b, ..]| u64::from(a as u32 & b as u32));
    check("or.b64 %d9, %d0, %d1;", |[a, b, ..]| a | b);
    check("xor.b64 %d9, %d0, %d1;", |[a, b, ..]| a ^ b);
    check("xor.b16 %h9, %h0, %h1;", |[a, b, ..]| u64::from(a as u16 ^ b as u16));
    check("not.b32 %r9, %r0;", |[a, ..]| u64::from(!(a as u32)));
    check("not.b64 %d9, %d0;", |[a, ..]| !a);
    check("not.b16 %h9, %h0;", |[a, ..]| u64::from(!(a as u16)));
    check("cnot.b32 %r9, %r0;", |[a, ..]| u64::from(a as u32 == 0));
}

#[test]
fn lop3_follows_its_table() {
    for table in [0x00, 0x01, 0x80, 0x96, 0xE8, 0xCA, 0x3C, 0xF0, 0x6A, 0xFF] {
        check(&format!("lop3.b32 %r9, %r0, %r1, %r2, {table};"), |[a, b, c, _]| {
            (0..32)
                .map(|bit| {
                    let index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1;
                    (table >> index & 1) << bit
                })
                .sum()
        });
    }
}

#[test]
fn shifts_by_the_width_or_more_clamp() {
    check("shl.b32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as u32).checked_shl(b as u32).unwrap_or(0)));
    check("shl.b64 %d9, %d0, %r1;", |[a, b, ..]| a.checked_shl(b as u32).unwrap_or(0));
    check("shl.b16 %h9, %h0, %r1;", |[a, b, ..]| u64::from((a as u16).checked_shl(b as u32).unwrap_or(0)));
    check("shr.u32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as u32).checked_shr(b as u32).unwrap_or(0)));
    check("shr.b64 %d9, %d0, %r1;", |[a, b, ..]| a.checked_shr(b as u32).unwrap_or(0));
    check("shr.s32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as i32 >> (b as u32).min(31)) as u32));
    check("shr.s64 %d9, %d0, %r1;", |[a, b, ..]| (a as i64 >> (b as u32).min(63)) as u64);
    check("shr.s16 %h9, %h0, %r1;", |[a, b, ..]| u64::from((a as i16 >> (b as u32).min(15)) as u16));
    check("shr.u16 %h9, %h0, 1;", |[a, ..]| u64::from(a as u16 >> 1));
}

#[test]
fn funnel_shifts_wrap_or_clamp() {
    let pair = |a: u64, b: u64| (b & 0xFFFF_FFFF) << 32 | a & 0xFFFF_FFFF;
    check("shf.l.wrap.b32 %r9, %r0, %r1, %r2;", |[a, b, c, _]| pair(a, b) << (c & 31) >> 32);
    check("shf.r.wrap.b32 %r9, %r0, %r1, %r2;", |[a, b, c, _]| pair(a, b) >> (c & 31) & 0xFFFF_FFFF);
    check("shf.l.clamp.b32 %r9, %r0, %r1, %r2;", |[a, b, c, _]| {
        pair(a, b) << (c as u32).min(32) >> 32 & 0xFFFF_FFFF
    });
    check("shf.r.clamp.b32 %r9, %r0, %r1, %r2;", |[a, b, c, _]| {
        pair(a, b) >> (c as u32).min(32) & 0xFFFF_FFFF
    });
}

#[test]
fn prmt_in_every_mode() {
    let bytes = |a: u64, b: u64| ((b & 0xFFFF_FFFF) << 32 | a & 0xFFFF_FFFF).to_le_bytes();
    let word = |bytes: [u8; 4]| u64::from(u32::from_le_bytes(bytes));
    check("prmt.b32 %r9, %r0, %r1, %r2;", |[a, b, c, _]| {
        word(std::array::from_fn(|i| {
            let selector = (c >> (4 * i) & 15) as usize;
            let byte = bytes(a, b)[selector & 7];
            match (selector & 8, byte & 0x80) {
                (0, _) => byte,
                (_, 0) => 0,
                _ => 0xFF,
            }
        }))
    });
    // The manual's tables, selector 0 to 3.
    let tables: [(&str, [[usize; 4]; 4]); 6] = [
        ("f4e", [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]]),
        ("b4e", [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]]),
        ("rc8", [[0; 4], [1; 4], [2; 4], [3; 4]]),
        ("ecl", [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]]),
        ("ecr", [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]]),
        ("rc16", [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]]),
    ];
    for (mode, table) in tables {
        check(&format!("prmt.b32.{mode} %r9, %r0, %r1, %r2;"), |[a, b, c, _]| {
            word(table[(c & 3) as usize].map(|index| bytes(a, b)[index]))
        });
    }
}

/// `bfe`, a bit at a time.
fn extract(a: u64, position: u64, length: u64, width: u64, signed: bool) -> u64 {
    let (position, length) = (position & 0xFF, length & 0xFF);
    let sign = if signed && length > 0 { a >> (position + length - 1).min(width - 1) & 1 } else { 0 };
    (0..width)
        .map(|i| if i < length && position + i < width { (a >> (position + i) & 1) << i } else { sign << i })
        .sum()
}

#[test]
fn bit_fields_in_and_out() {
    check("bfe.u32 %r9, %r0, %r2, %r3;", |[a, _, c, e]| extract(a & 0xFFFF_FFFF, c, e, 32, false));
    check("bfe.s32 %r9, %r0, %r2, %r3;", |[a, _, c, e]| extract(a & 0xFFFF_FFFF, c, e, 32, true));
    check("bfe.u64 %d9, %d0, %r2, %r3;", |[a, _, c, e]| extract(a, c, e, 64, false));
    check("bfe.s64 %d9, %d0, %r2, %r3;", |[a, _, c, e]| extract(a, c, e, 64, true));
    let insert = |a: u64, b: u64, position: u64, length: u64, width: u64| {
        let (position, length) = (position & 0xFF, length & 0xFF);
        (0..width)
            .map(|i| {
                let inside = i >= position && i - position < length;
                (if inside { a >> (i - position) & 1 } else { b >> i & 1 }) << i
            })
            .sum::<u64>()
    };
    check("bfi.b32 %r9, %r0, %r1, %r2, %r3;", |[a, b, c, e]| insert(a, b, c, e, 32));
    check("bfi.b64 %d9, %d0, %d1, %r2, %r3;", |[a, b, c, e]| insert(a, b, c, e, 64));
    check("bfi.b64 %d9, %d0, %d1, 32, 32;", |[a, b, ..]| a << 32 | b & 0xFFFF_FFFF);
}

#[test]
fn counts_and_searches() {
    check("popc.b32 %r9, %r0;", |[a, ..]| u64::from((a as u32).count_ones()));
    check("popc.b64 %r9, %d0;", |[a, ..]| u64::from(a.count_ones()));
    check("clz.b32 %r9, %r0;", |[a, ..]| u64::from((a as u32).leading_zeros()));
    check("clz.b64 %r9, %d0;", |[a, ..]| u64::from(a.leading_zeros()));
    check("brev.b32 %r9, %r0;", |[a, ..]| u64::from((a as u32).reverse_bits()));
    check("brev.b64 %d9, %d0;", |[a, ..]| a.reverse_bits());
    let none = u64::from(u32::MAX);
    check("bfind.u32 %r9, %r0;", |[a, ..]| (a as u32).checked_ilog2().map_or(none, u64::from));
    check("bfind.u64 %r9, %d0;", |[a, ..]| a.checked_ilog2().map_or(none, u64::from));
    check("bfind.shiftamt.u32 %r9, %r0;", |[a, ..]| {
        (a as u32).checked_ilog2().map_or(none, |position| u64::from(31 - position))
    });
    check("bfind.s32 %r9, %r0;", |[a, ..]| {
        let differs = if (a as i32) < 0 { !(a as u32) } else { a as u32 };
        differs.checked_ilog2().map_or(none, u64::from)
    });
}
