//! BM25 with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza, "The Probabilistic Relevance Framework",
//! 2009), with the weight of a word that Lucene uses, which is never negative.

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// The weight of one word over some texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight {
    times_k1_plus_1: f32,
    short: f32,
    per_word: f32,
}

impl Weight {
    /// Of a word that `with_word` of `count` texts have, which have `total_length` words together.
    pub fn new(with_word: u32, count: u32, total_length: u64) -> Self {
        let (with, all) = (f64::from(with_word), f64::from(count.max(1)));
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln().max(0.0);
        let average = (total_length as f64 / all).max(1.0);
        Self {
            times_k1_plus_1: rarity as f32 * (K1 + 1.0),
            short: K1 * (1.0 - B),
            per_word: (f64::from(K1 * B) / average) as f32,
        }
    }

    /// What the word adds to the score of a text of so many words that has it so often; nothing when
    /// it does not have it.
    #[inline]
    pub fn score(self, times: f32, length: f32) -> f32 {
        let saturation = self.short + self.per_word * length;
        self.times_k1_plus_1 * times / (times + saturation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula() {
        let expected = (1.0f32 + (10.0 - 2.0 + 0.5) / 2.5).ln() * 3.0 * 2.2
            / (3.0 + 1.2 * (0.25 + 0.75 * 30.0 / 20.0));
        let score = Weight::new(2, 10, 200).score(3.0, 30.0);
        assert!((score - expected).abs() < 1e-5, "{score} {expected}");
    }

    #[test]
    fn rarer_more_and_shorter_weigh_more() {
        let weight = Weight::new(2, 10, 200);
        assert!(weight.score(1.0, 20.0) > Weight::new(5, 10, 200).score(1.0, 20.0));
        assert!(weight.score(2.0, 20.0) > weight.score(1.0, 20.0));
        assert!(weight.score(1.0, 10.0) > weight.score(1.0, 20.0));
        assert!(Weight::new(10, 10, 200).score(1.0, 20.0) > 0.0);
        assert_eq!(Weight::new(0, 0, 0).score(0.0, 0.0), 0.0);
    }
}
