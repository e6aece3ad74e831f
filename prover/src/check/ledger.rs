//! Second look at the buses: an account of each message in the classes that do not balance.

use std::collections::BTreeMap;

use lambda_air::Direction;
use lambda_math::Goldilocks;
use lambda_math::field::ORDER;
use lambda_verifier::{Statement, VerifyingKey};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use rayon::prelude::*;

use super::Limits;
use super::report::{BusFailure, Nearest, Place, Side, UnbalancedMessage};
use super::residues::Suspects;
use super::rows::TableRows;

/// A bus's id and a message on it.
type Message = (u64, Vec<Goldilocks>);

/// Who sends and who receives each message.
#[derive(Default)]
pub struct Ledger(BTreeMap<Message, Account>);

#[derive(Default)]
struct Account {
    sent: Side,
    received: Side,
}

impl Ledger {
    /// Enters every interaction of `tables` and `statement` whose message is among `suspects`.
    pub fn new(
        tables: &[TableRows<'_>],
        statement: &Statement,
        suspects: &Suspects,
        limits: &Limits,
    ) -> Self {
        let mut ledger = Self::default();
        for (index, message) in statement.messages.iter().enumerate() {
            if suspects.contains(message.bus, &message.fields) {
                // A negative multiplicity stands for receptions.
                let (direction, multiplicity) = if is_negative(message.multiplicity) {
                    (Direction::Receive, -message.multiplicity)
                } else {
                    (Direction::Send, message.multiplicity)
                };
                let key = (message.bus, message.fields.clone());
                ledger.enter(key, direction, multiplicity, Place::Statement(index), limits);
            }
        }
        for (index, table) in tables.iter().enumerate() {
            ledger = ledger.merge(Self::of_table(index, table, suspects, limits), limits);
        }
        ledger
    }

    fn of_table(index: usize, table: &TableRows<'_>, suspects: &Suspects, limits: &Limits) -> Self {
        let enter_rows = |mut ledger: Self, rows| {
            table.evaluate(rows, |row, evaluated| {
                for (interaction, own) in evaluated.interactions.into_iter().enumerate() {
                    let bus = own.bus.id.into();
                    if suspects.contains(bus, &own.fields) {
                        let place = Place::Row { table: index, row, interaction };
                        ledger.enter((bus, own.fields), own.direction, own.multiplicity, place, limits);
                    }
                }
            });
            ledger
        };
        table
            .chunks()
            .fold(Self::default, enter_rows)
            .reduce(Self::default, |ledger, later| ledger.merge(later, limits))
    }

    fn enter(
        &mut self,
        message: Message,
        direction: Direction,
        multiplicity: Goldilocks,
        place: Place,
        limits: &Limits,
    ) {
        if multiplicity == Goldilocks::ZERO {
            return;
        }
        let account = self.0.entry(message).or_default();
        let side = match direction {
            Direction::Send => &mut account.sent,
            Direction::Receive => &mut account.received,
        };
        append(side, Side { multiplicity, places: vec![place], total_places: 1 }, limits);
    }

    /// Enters `later`, whose places come after those of this ledger.
    fn merge(mut self, later: Self, limits: &Limits) -> Self {
        for (message, account) in later.0 {
            let own = self.0.entry(message).or_default();
            append(&mut own.sent, account.sent, limits);
            append(&mut own.received, account.received, limits);
        }
        self
    }

    /// The messages that do not balance, bus by bus.
    pub fn unbalanced(self, key: &VerifyingKey, limits: &Limits) -> Vec<BusFailure> {
        let mut buses: BTreeMap<u64, Vec<UnbalancedMessage>> = BTreeMap::new();
        for ((bus, fields), Account { sent, received }) in self.0 {
            let net = sent.multiplicity - received.multiplicity;
            if net != Goldilocks::ZERO {
                let message = UnbalancedMessage { fields, net, sent, received, nearest: None };
                buses.entry(bus).or_default().push(message);
            }
        }
        key.buses
            .values()
            .filter_map(|&bus| {
                let mut messages = buses.remove(&bus.id.into())?;
                messages.sort_by_key(first_place);
                let unbalanced_messages = messages.len();
                let listed = limits.messages.min(unbalanced_messages);
                let hints: Vec<_> =
                    messages[..listed].iter().map(|message| nearest(message, &messages)).collect();
                messages.truncate(listed);
                for (message, hint) in messages.iter_mut().zip(hints) {
                    message.nearest = hint;
                }
                Some(BusFailure { bus, messages, unbalanced_messages })
            })
            .collect()
    }
}

fn append(side: &mut Side, later: Side, limits: &Limits) {
    let room = limits.places.max(1) - side.places.len();
    side.places.extend(later.places.into_iter().take(room));
    side.multiplicity += later.multiplicity;
    side.total_places += later.total_places;
}

fn first_place(message: &UnbalancedMessage) -> Option<Place> {
    message.sent.places.iter().chain(&message.received.places).min().copied()
}

/// The first of `messages` that is missing where `message` is too many, or the reverse, and differs in a
/// single field; if possible one that makes up for it exactly.
fn nearest(message: &UnbalancedMessage, messages: &[UnbalancedMessage]) -> Option<Nearest> {
    let candidates = messages.iter().filter(|other| is_negative(other.net) != is_negative(message.net));
    candidates
        .filter_map(|other| {
            let mut differing =
                (0..message.fields.len()).filter(|&field| message.fields[field] != other.fields[field]);
            let field = differing.next()?;
            differing.next().is_none().then_some((other, field))
        })
        .min_by_key(|(other, _)| other.net + message.net != Goldilocks::ZERO)
        .map(|(other, field)| Nearest { fields: other.fields.clone(), field, net: other.net })
}

/// Whether `value` is closer to `p` than to 0, a negative number in all likelihood.
pub fn is_negative(value: Goldilocks) -> bool {
    value.as_canonical_u64() > ORDER / 2
}
