//! A step costs what it touches, not what the group holds.

use std::cell::Cell;

use mneme_events::{Event, EventHeader};
use mneme_stage::{Answers, GroupRows, MemoryRows, Row, Stage, Step, last_seq, seal};
use uuid::Uuid;

use super::world::{extraction, push_mention, push_statement, typed};
use crate::Resolver;

/// Rows that count what is read.
#[derive(Default)]
struct Counting {
    rows: MemoryRows,
    reads: Cell<usize>,
}

impl Counting {
    fn count(&self) {
        self.reads.set(self.reads.get() + 1);
    }
}

impl GroupRows for Counting {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.count();
        self.rows.get(key)
    }

    fn range<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a> {
        self.count();
        Box::new(self.rows.range(from, until).inspect(|_| self.count()))
    }

    fn range_back<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a> {
        self.count();
        Box::new(self.rows.range_back(from, until).inspect(|_| self.count()))
    }

    fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.rows.put(key, value);
    }

    fn delete(&mut self, key: &[u8]) {
        self.rows.delete(key);
    }
}

/// Ann supplies one firm more, whose name has words that all firms have and a word of its own.
fn step(rows: &mut Counting, at: u64) -> usize {
    let mut extracted = extraction(None, &format!("e{at}"));
    let subject = push_mention(&mut extracted, &typed("Ann Lee", "Person"));
    let firm = format!(
        "Larkfield Supply w{} Works",
        at.wrapping_mul(0x9e37_79b9) % 1_000_003
    );
    let object = push_mention(&mut extracted, &typed(&firm, "Organization"));
    push_statement(&mut extracted, subject, "SUPPLIES", Some(object), None);
    let mut input: Event = extracted.into();
    *input.header_mut() = EventHeader {
        event_id: Uuid::from_u128(u128::from(at)),
        ..input.header().clone()
    };
    rows.reads.set(0);
    let Step::Done(mut outputs) = Resolver.step(rows, &input, &Answers::default()).unwrap() else {
        panic!("the rules need no model");
    };
    let reads = rows.reads.get();
    let first = last_seq(rows).unwrap();
    seal(Resolver.name(), &input, first, &mut outputs);
    for output in &outputs {
        Resolver.apply(rows, output).unwrap();
    }
    reads
}

#[test]
fn a_mention_costs_the_same_in_a_large_group() {
    let mut rows = Counting::default();
    let early = (1..=100).map(|at| step(&mut rows, at)).max().unwrap();
    let late = (101..=5_000).map(|at| step(&mut rows, at)).max().unwrap();
    assert!(late <= early, "{late} reads after {early}");
    assert!(early < 250, "{early}");
}
