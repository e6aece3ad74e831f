//! What each operation does to a warp.

use super::atomic::AtomicOperands;
use super::collective::ShuffleOperands;
use super::fault::LaneFault;
use super::integer::{self, with_int};
use super::registers::{LANES, Raw, Registers};
use super::warp::{Context, Next, State, Warp};
use super::{convert, float};
use crate::ptx::{Int, Op, Slot};

impl Warp {
    /// Executes an instruction for the lanes of `mask`, a part of the fragment's `lanes`.
    #[inline(always)]
    pub(super) fn execute(
        &mut self,
        cx: &mut Context<'_>,
        op: &Op,
        lanes: &mut u32,
        mask: u32,
    ) -> Result<Next, LaneFault> {
        let r = &mut self.registers;
        match *op {
            Op::MoveWord { d, a } => r.map1(mask, d, a, |a: u32| a),
            Op::MoveWide { d, a } => r.map1(mask, d, a, |a: u64| a),
            Op::MovePredicate { d, a } => r.set_predicate(d, mask, r.predicate(a)),
            Op::Int1 { f, ty, d, a } => {
                use integer::int1;
                with_int!(ty, int1(r, mask, f, d, a));
            }
            Op::Count { f, ty, d, a } => {
                use integer::count_bits;
                with_int!(ty, count_bits(r, mask, f, d, a));
            }
            Op::Int2 { f, ty, d, a, b } => {
                use integer::int2;
                with_int!(ty, int2(r, mask, f, d, [a, b]));
            }
            Op::Shift { f, ty, d, a, b } => {
                use integer::shift;
                with_int!(ty, shift(r, mask, f, d, [a, b]));
            }
            Op::Int3 { f, ty, d, a, b, c } => {
                use integer::int3;
                with_int!(ty, int3(r, mask, f, d, [a, b, c]));
            }
            Op::MulWide { ty, d, a, b } => integer::multiply_wide(r, mask, ty, d, [a, b], None),
            Op::MadWide { ty, d, a, b, c } => integer::multiply_wide(r, mask, ty, d, [a, b], Some(c)),
            Op::Chain { f, ty, d, a, b, c, takes, leaves } => {
                use integer::chain;
                let carries = if takes { self.carries } else { 0 };
                let carried = with_int!(ty, chain(r, mask, f, d, [a, b, c], carries));
                if leaves {
                    self.carries = self.carries & !mask | carried & mask;
                }
            }
            Op::Lop3 { table, d, a, b, c } => integer::lop3(r, mask, table, d, [a, b, c]),
            Op::SelectWord { d, a, b, p } => select::<u32>(r, mask, d, [a, b], p),
            Op::SelectWide { d, a, b, p } => select::<u64>(r, mask, d, [a, b], p),
            Op::Permute { f, d, a, b, c } => integer::permute(r, mask, f, d, [a, b, c]),
            Op::Funnel { left, clamp, d, a, b, c } => integer::funnel(r, mask, left, clamp, d, [a, b, c]),
            Op::ExtractBits { ty, d, a, b, c } => {
                use integer::extract_bits;
                with_int!(ty, extract_bits(r, mask, d, [a, b, c]));
            }
            Op::InsertBits { wide, d, a, b, position, length } => {
                let insert = if wide { integer::insert_bits::<u64> } else { integer::insert_bits::<u32> };
                insert(r, mask, d, [a, b], [position, length]);
            }
            Op::Compare { f, ty, out, a, b } => {
                use integer::compare;
                let holds = with_int!(ty, compare(r, f, a, b));
                integer::set_outcome(r, mask, holds, out);
            }
            Op::CompareFloat { f, double, flush, out, a, b } => {
                let compare = if double { float::compare::<f64> } else { float::compare::<f32> };
                let holds = compare(r, f, flush, a, b);
                integer::set_outcome(r, mask, holds, out);
            }
            Op::Bool2 { f, d, a, b } => {
                r.set_predicate(d, mask, integer::bool2(f, r.predicate(a), r.predicate(b)));
            }
            Op::Not { d, a } => r.set_predicate(d, mask, !r.predicate(a)),
            Op::Join { d, low, high } => {
                r.map2(mask, d, [low, high], |low: u32, high: u32| u64::from(high) << 32 | u64::from(low))
            }
            Op::Half { high, d, a } => {
                let distance = if high { 32 } else { 0 };
                r.map1(mask, d, a, |a: u64| (a >> distance) as u32);
            }
            Op::JoinShort { d, low, high } => {
                r.map2(mask, d, [low, high], |low: u32, high: u32| high << 16 | low & 0xFFFF);
            }
            Op::HalfShort { high, d, a } => {
                let distance = if high { 16 } else { 0 };
                r.map1(mask, d, a, |a: u32| a >> distance & 0xFFFF);
            }
            Op::Convert { from, to, saturate, d, a } => convert::convert(r, mask, (from, to), saturate, d, a),
            Op::FloatToInt { from, to, rounding, flush, d, a } => {
                float::to_int(r, mask, (from, to), rounding, flush, d, a);
            }
            Op::IntToFloat { from, to, rounding, d, a } => {
                float::from_int(r, mask, (from, to), rounding, d, a)
            }
            Op::FloatToFloat { from, to, integral, mode, d, a } => {
                float::to_float(r, mask, (from, to), integral, mode, d, a);
            }
            Op::Float1 { f, double, mode, d, a } => {
                let float1 = if double { float::float1::<f64> } else { float::float1::<f32> };
                float1(r, mask, f, mode, d, a);
            }
            Op::Float2 { f, double, mode, d, a, b } => {
                let float2 = if double { float::float2::<f64> } else { float::float2::<f32> };
                float2(r, mask, f, mode, d, [a, b]);
            }
            Op::Fma { double, mode, d, a, b, c } => {
                let fma = if double { float::fma::<f64> } else { float::fma::<f32> };
                fma(r, mask, mode, d, [a, b, c]);
            }
            Op::Load { ref address, ty, count, ref d } => self.load(cx, mask, address, (ty, count), d)?,
            Op::Store { ref address, ty, count, ref a } => self.store(cx, mask, address, (ty, count), a)?,
            Op::Atomic { f, ref address, ty, d, b, c } => {
                self.atomic(cx, mask, address, AtomicOperands { f, ty, d, b, c })?;
            }
            Op::CopyAsync { ref to, ref from, bytes, source_bytes } => {
                self.copy_async(cx, mask, [to, from], bytes, source_bytes)?;
            }
            Op::Branch { target } if mask == *lanes => return Ok(Next::Jump(target)),
            Op::Branch { target } => {
                self.park(target, mask, State::Ready);
                self.park(self.pc + 1, *lanes & !mask, State::Ready);
                return Ok(Next::Parked);
            }
            Op::BranchTable { index, table } => return self.branch_table(cx, *lanes, mask, index, table),
            Op::Exit => {
                self.exited |= mask;
                *lanes &= !mask;
                if *lanes == 0 {
                    return Ok(Next::Parked);
                }
            }
            Op::Trap => return Err(LaneFault::new(mask.trailing_zeros(), "a trap".to_owned())),
            Op::Barrier { .. } => {
                self.park(self.pc, mask, State::Barrier);
                *lanes &= !mask;
                if *lanes == 0 {
                    return Ok(Next::Parked);
                }
            }
            Op::WarpBarrier { members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.synchronise(here, members);
            }
            Op::Shuffle { f, d, valid, a, b, c, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.shuffle(here, ShuffleOperands { f, d, valid, a, b, c, members })?;
            }
            Op::Vote { f, d, a, negated, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.vote(here, f, d, (a, negated), members);
            }
            Op::MatchAny { wide, d, a, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.match_any(here, wide, d, a, members);
            }
            Op::MatchAll { wide, d, all, a, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.match_all(here, wide, (d, all), a, members);
            }
            Op::Reduce { f, ty, d, a, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.reduce(here, f, ty, [d, a, members]);
            }
            Op::ActiveMask { d } => r.write(d, mask, &[mask; LANES]),
            Op::Nothing => {}
        }
        Ok(Next::Continue)
    }
}

/// `d = p ? a : b`.
#[inline(always)]
fn select<R: Raw>(r: &mut Registers, mask: u32, d: Slot, [a, b]: [Slot; 2], p: Slot) {
    let p = r.predicate(p);
    let (a, b) = (r.row::<R>(a), r.row::<R>(b));
    let mut values = [R::default(); LANES];
    for lane in 0..LANES {
        values[lane] = if p >> lane & 1 == 1 { a[lane] } else { b[lane] };
    }
    r.write(d, mask, &values);
}
