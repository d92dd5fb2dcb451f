//! What processes tell of themselves at an instant: their metrics, added up over the instances of a
//! stage, and the processor time that they have had.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::machine;

/// It all at one instant.
#[derive(Debug, Clone)]
pub struct Sample {
    pub at: Instant,
    metrics: BTreeMap<(String, String), f64>,
    /// In hundredths of a second, by role.
    processor: BTreeMap<String, u64>,
}

impl Sample {
    /// Of the texts of `/metrics` and the ids of the processes, with their roles.
    pub fn new<'a>(
        texts: &[String],
        processes: impl Iterator<Item = (&'a str, u32)>,
    ) -> anyhow::Result<Self> {
        let mut metrics = BTreeMap::new();
        for (key, value) in texts.iter().flat_map(|text| text.lines().filter_map(read)) {
            *metrics.entry(key).or_default() += value;
        }
        let mut processor = BTreeMap::new();
        for (role, id) in processes {
            *processor.entry(role.to_owned()).or_default() += machine::processor_time(id)?;
        }
        Ok(Self {
            at: Instant::now(),
            metrics,
            processor,
        })
    }

    /// A metric of a stage; 0 where it is not there.
    pub fn of_stage(&self, name: &str, stage: &str) -> f64 {
        let key = (name.to_owned(), stage.to_owned());
        self.metrics.get(&key).copied().unwrap_or_default()
    }

    /// A metric of all stages.
    pub fn of_all(&self, name: &str) -> f64 {
        let named = self.metrics.iter().filter(|((of, _), _)| of == name);
        named.map(|(_, value)| value).sum()
    }

    /// The seconds of processor time of each role since another sample.
    pub fn processor_seconds_since(&self, before: &Self) -> BTreeMap<String, f64> {
        let since = |(role, now): (&String, &u64)| {
            let then = before.processor.get(role).copied().unwrap_or_default();
            (role.clone(), now.saturating_sub(then) as f64 / 100.0)
        };
        self.processor.iter().map(since).collect()
    }
}

/// The name, the stage (empty where it has none) and the value of a line of Prometheus' text format.
/// Parts of a histogram are left out but for its sum and count.
fn read(line: &str) -> Option<((String, String), f64)> {
    let (what, value) = line.rsplit_once(' ')?;
    let (name, labels) = what.split_once('{').unwrap_or((what, ""));
    if line.starts_with('#') || labels.contains("quantile=") || labels.contains("le=") {
        return None;
    }
    let stage = labels.split_once("stage=\"").map_or("", |(_, rest)| rest);
    let stage = stage.split('"').next().unwrap_or_default();
    let key = (name.to_owned(), stage.to_owned());
    Some((key, value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_added_up_over_instances() {
        let one = "# TYPE a counter\na{stage=\"x\"} 2\nb_sum{stage=\"x\"} 0.5\nb{stage=\"x\",quantile=\"0.5\"} 9\n";
        let two = "a{stage=\"x\"} 3\na{stage=\"y\"} 1\n";
        let texts = [one.to_owned(), two.to_owned()];
        let sample = Sample::new(&texts, [("me", std::process::id())].into_iter()).unwrap();
        assert_eq!(sample.of_stage("a", "x"), 5.0);
        assert_eq!(sample.of_all("a"), 6.0);
        assert_eq!(sample.of_stage("b_sum", "x"), 0.5);
        assert_eq!(sample.of_all("b"), 0.0);
        assert_eq!(sample.processor_seconds_since(&sample)["me"], 0.0);
    }
}
